//! What is found out about all calls of a trace once, and kept in its index from then on.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::appendix::{Appendix, Kind};
use super::paths::{self, Paths};
use super::storage::Bytes;
use super::store::Store;
use callscape_base::progress::{Cancelled, Progress};

/// What is known of all calls.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// The calling contexts once they are known; none inside where they are too many.
    paths: OnceLock<Option<Paths>>,
    /// Where an index has what it keeps.
    appendix: Mutex<Appendix>,
    /// The index to add to.
    index: OnceLock<PathBuf>,
}

impl Answers {
    pub fn new(paths: Option<Paths>) -> Answers {
        Answers {
            paths: OnceLock::from(paths),
            ..Answers::default()
        }
    }

    /// Those in `bytes` of an index, behind `at`.
    pub fn read(bytes: &Bytes, at: usize) -> Answers {
        Answers {
            appendix: Mutex::new(Appendix::read(bytes, at)),
            ..Answers::default()
        }
    }

    /// Keeps what is found out from now on in an index.
    pub fn keep_in(&self, index: &Path) {
        // Nothing changes where it is set already: a trace has one index.
        let _ = self.index.set(index.to_owned());
    }

    /// What is known of this kind; none where nothing is, or where it is damaged.
    pub fn get(&self, kind: Kind) -> Option<Arc<Vec<u8>>> {
        self.appendix.lock().ok()?.get(kind)
    }

    /// Keeps what has been found out.
    pub fn put(&self, kind: Kind, bytes: Vec<u8>) {
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

impl Store {
    /// The calling contexts of all threads; none where they are too many. O(n) for the first time where the index does
    /// not have them.
    pub fn paths(&self, progress: &Progress) -> Result<Option<&Paths>, Cancelled> {
        let answers = &self.answers;
        if let Some(paths) = answers.paths.get() {
            return Ok(paths.as_ref());
        }
        let known = answers.get(Kind::Paths);
        let known = known.and_then(|bytes| Paths::from_bytes(&bytes, self));
        let paths = match known {
            Some(known) => known,
            None => {
                let found = self.find_paths(progress)?;
                // What is damaged is not kept, for the trace is made anew.
                if !self.is_damaged()
                    && let Ok(bytes) = Paths::to_bytes(found.as_ref())
                {
                    answers.put(Kind::Paths, bytes);
                }
                found
            }
        };
        Ok(answers.paths.get_or_init(|| paths).as_ref())
    }

    fn find_paths(&self, progress: &Progress) -> Result<Option<Paths>, Cancelled> {
        if self.overflows {
            return Ok(None);
        }
        let all = self.infos.iter().map(|it| it.calls).sum();
        progress.start("merging calls by call path", all);
        let mut threads = Vec::new();
        for calls in self.all_calls() {
            let Some(paths) = paths::of_thread(calls, progress)? else {
                return Ok(None);
            };
            threads.push(paths);
        }
        Ok(self.with_waiters(Paths::of(Some(threads), all)))
    }

    /// The contexts with those of the calls that have waited; none where these are not known.
    fn with_waiters(&self, paths: Option<Paths>) -> Option<Paths> {
        let mut paths = paths?;
        let waiting = self.waiting.iter().flat_map(|it| &it.threads);
        for ((calls, of), waiting) in self.all_calls().zip(&mut paths.threads).zip(waiting) {
            of.waiters.clear();
            if !of.learn_waiters(calls, waiting) {
                return None;
            }
        }
        Some(paths)
    }

    /// Finds out the contexts of the calls that have waited.
    pub fn learn_waiters(&mut self) {
        let known = Arc::get_mut(&mut self.answers).and_then(|it| it.paths.take());
        let known = known.map(|paths| Answers::new(self.with_waiters(paths)));
        self.answers = Arc::new(known.unwrap_or_default());
    }

    /// What is known of all calls as the end of an index.
    pub fn appendix(&self) -> io::Result<Vec<u8>> {
        let mut appendix = Appendix::default();
        if let Some(paths) = self.answers.paths.get() {
            appendix.put(Kind::Paths, Paths::to_bytes(paths.as_ref())?.into());
        }
        for kind in Kind::ALL {
            if let Some(bytes) = self.answers.get(kind) {
                appendix.put(kind, bytes);
            }
        }
        Ok(appendix.to_bytes())
    }
}
