//! Opens what faults are looked for in: the source tree with what imports what, the recording, and a run of the earlier revision.

use std::path::Path;

use crate::comparison::{Comparison, Settings};
use crate::session::{OpenError, Session};
use callscape_base::progress::Progress;
use callscape_import as import;
use callscape_source::Scan;

/// What was opened.
pub struct Opened {
    pub session: Session,
    pub scan: Scan,
    pub against: Option<Comparison>,
}

/// Reads a source tree with what imports what.
pub fn scan(dir: &Path, progress: &Progress) -> Result<Scan, OpenError> {
    let mut scan = Scan::start(dir, progress)?;
    scan.read_relations();
    scan.finish(progress)?;
    Ok(scan)
}

/// The files of a source tree, with `/`.
pub fn paths(scan: &Scan) -> Vec<String> {
    let path = |path: &Path| {
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        names.join("/")
    };
    scan.files().iter().map(|file| path(&file.path)).collect()
}

impl Opened {
    /// Imports the recordings. Of several in one file that do not belong together the first counts.
    pub fn over(
        scan: Scan,
        recording: &Path,
        good: Option<&Path>,
        progress: &Progress,
    ) -> Result<Opened, OpenError> {
        let recordings = import::open_all(&[recording.to_path_buf()], progress)?;
        let against = match good {
            Some(good) => {
                let good = import::open_all(&[good.to_path_buf()], progress)?;
                let both = [good, recordings.clone()];
                let settings = Settings::default();
                Some(Comparison::of(
                    &[scan.hierarchy()],
                    both,
                    &settings,
                    progress,
                )?)
            }
            None => None,
        };
        Ok(Opened {
            session: Session::over(&scan, recordings),
            scan,
            against,
        })
    }
}
