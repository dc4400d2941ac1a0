//! What is found out about all calls of a trace once, and kept in its index from then on.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::appendix::{Appendix, Kind};
use super::paths::Paths;
use super::storage::Bytes;

/// What is known of all calls.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// The calling contexts once they are known; none inside where they are too many.
    pub(super) paths: OnceLock<Option<Paths>>,
    /// Where an index has what it keeps.
    appendix: Mutex<Appendix>,
    /// The index to add to.
    index: OnceLock<PathBuf>,
}

impl Answers {
    pub(crate) fn new(paths: Option<Paths>) -> Answers {
        Answers {
            paths: OnceLock::from(paths),
            ..Answers::default()
        }
    }

    /// Those in `bytes` of an index, behind `at`.
    pub(crate) fn read(bytes: &Bytes, at: usize) -> Answers {
        Answers {
            appendix: Mutex::new(Appendix::read(bytes, at)),
            ..Answers::default()
        }
    }

    /// Keeps what is found out from now on in an index.
    pub(crate) fn keep_in(&self, index: &Path) {
        // Nothing changes where it is set already: a trace has one index.
        let _ = self.index.set(index.to_owned());
    }

    /// What is known of this kind; none where nothing is, or where it is damaged.
    pub(crate) fn get(&self, kind: Kind) -> Option<Arc<Vec<u8>>> {
        self.appendix.lock().ok()?.get(kind)
    }

    /// Keeps what has been found out.
    pub(crate) fn put(&self, kind: Kind, bytes: Vec<u8>) {
        if let Ok(mut appendix) = self.appendix.lock() {
            let bytes = Arc::new(bytes);
            if let Some(index) = self.index.get() {
                // Where it cannot be written it is found out again.
                let _ = appendix.add(index, kind, &bytes);
            }
            appendix.put(kind, bytes);
        }
    }
}
