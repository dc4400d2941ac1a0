//! Facts from source trees: directories, files, lines of code, functions, classes and namespaces.
//!
//! `walk` lists the files, `measure` reads one of them (`definitions`, `nesting` and `code_lines` with the
//! grammars of `languages`), `tree` puts them together.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::facts::hierarchy::Hierarchy;
use crate::progress::{Cancelled, Progress};
use crate::warnings::{Place, Reporter};

mod code_lines;
mod definitions;
mod languages;
mod macros;
mod measure;
mod nesting;
pub mod qualified;
pub mod saved;
mod tree;
mod walk;

use definitions::Reader;
use measure::{Measured, NotMeasured};

/// Why a source tree could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path}: expected a directory of source files, found a file")]
    NotADirectory { path: PathBuf },
    #[error("{path}: expected source files, found none in a language that is known")]
    Empty { path: PathBuf },
    #[error("could not start a thread: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// How often the watcher looks whether the user has cancelled.
const WATCH: Duration = Duration::from_millis(20);

/// Files that have not been measured this long after the last that was are given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Languages nest in one another's comments, and tokei follows them by recursion.
const STACK: usize = 64 << 20;

/// The module hierarchy of the source tree below `dir`: directory, file, namespace, class, function.
///
/// `loc` of a file is what tokei reports as Code of the file's own language. A file in a language without a
/// grammar is a leaf. A file in no language that tokei knows is no module; how many there are is reported
/// as `unknown-language`. Modules stand in order of path and of line: the same tree gives the same hierarchy.
///
/// Returns within some 20 ms of being cancelled, whatever a thread is busy with at that moment.
pub fn scan(
    dir: &Path,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<Hierarchy, SourceError> {
    let io = |source| SourceError::Io {
        path: dir.to_path_buf(),
        source,
    };
    if !std::fs::metadata(dir).map_err(io)?.is_dir() {
        let path = dir.to_path_buf();
        return Err(SourceError::NotADirectory { path });
    }
    std::fs::read_dir(dir).map_err(io)?;
    progress.start(format!("looking through {}", dir.display()), 0);
    let files = walk::files(dir, progress, reporter)?;
    progress.start(
        format!("reading the files of {}", dir.display()),
        files.len() as u64,
    );
    let files = Arc::new(files);
    let measured = measure_all(dir, &files, progress)?;

    let mut warnings: BTreeMap<&'static str, (u64, &Path)> = BTreeMap::new();
    let mut modules: Vec<(&Path, Measured)> = Vec::new();
    for (path, measured) in files.iter().zip(measured) {
        let warning = match &measured {
            Ok(measured) => measured.warning,
            Err(NotMeasured::UnknownLanguage) => Some("unknown-language"),
            Err(NotMeasured::Unreadable) => Some("unreadable"),
            Err(NotMeasured::TookTooLong) => Some("file-took-too-long-to-count"),
            Err(NotMeasured::Cancelled) => return Err(Cancelled.into()),
        };
        if let Some(kind) = warning {
            warnings.entry(kind).or_insert((0, path)).0 += 1;
        }
        modules.extend(measured.ok().map(|measured| (path.as_path(), measured)));
    }
    for (kind, (count, first)) in warnings {
        reporter.warn_many(kind, count, || {
            Place::file(dir.join(first).to_string_lossy())
        });
    }
    if modules.is_empty() {
        let path = dir.to_path_buf();
        return Err(SourceError::Empty { path });
    }
    Ok(tree::hierarchy(&root_name(dir), modules))
}

/// The name of a directory, also of `.` and `..`.
fn root_name(dir: &Path) -> String {
    let absolute = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let name = absolute.file_name().unwrap_or(absolute.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Measures all files on all cores, in a pool of its own: what hangs in it hangs nothing else.
fn measure_all(
    dir: &Path,
    files: &Arc<Vec<PathBuf>>,
    progress: &Progress,
) -> Result<Vec<Result<Measured, NotMeasured>>, SourceError> {
    let mut measured: Vec<_> = Vec::new();
    measured.resize_with(files.len(), || Err(NotMeasured::TookTooLong));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(files.len().max(1));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .build()?;
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, results) = mpsc::channel();
    for _ in 0..threads {
        let (files, next, sender) = (Arc::clone(files), Arc::clone(&next), sender.clone());
        let (dir, progress) = (dir.to_path_buf(), progress.clone());
        pool.spawn(move || {
            let mut reader = Reader::default();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(index) else { break };
                let measure = || measure::measure(&dir.join(file), &mut reader, &progress);
                // A mistake in a library that reads the file costs this file, not the program.
                let result = catch_unwind(AssertUnwindSafe(measure)).unwrap_or_else(|_| {
                    reader = Reader::default();
                    Err(NotMeasured::Unreadable)
                });
                if sender.send((index, result)).is_err() {
                    break;
                }
            }
        });
    }
    drop(sender);
    let mut last = Instant::now();
    loop {
        match results.recv_timeout(WATCH) {
            Ok((index, result)) => {
                measured[index] = result;
                last = Instant::now();
                progress.add(1)?;
            }
            Err(RecvTimeoutError::Timeout) => {
                progress.check()?;
                if last.elapsed() > PATIENCE {
                    return Ok(measured);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(measured),
        }
    }
}
