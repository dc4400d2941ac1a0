//! Work on many files on all cores, of which some may hang and some may panic.

use callscape_base::clock::Instant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::problem::SourceError;
use callscape_base::progress::Progress;

/// How often the watcher looks whether the user has cancelled.
const WATCH: Duration = Duration::from_millis(20);

/// Languages nest in one another's comments, and tokei follows them by recursion.
const STACK: usize = 64 << 20;

/// What became of the work on one file.
pub(crate) enum Done<T> {
    /// The index of the file, and the result; none where the work panicked.
    File(usize, Option<T>),
    /// Nothing yet.
    Waiting,
    /// No more is to come: all is done, or what is left hangs.
    End,
}

/// Threads at work on files; dropping it lets them stop after the file at hand.
pub(crate) struct Workers<T> {
    results: Receiver<(usize, Option<T>)>,
    stop: Arc<AtomicBool>,
    last: Instant,
    patience: Duration,
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `work` on each of the files with these indices, in this order, in a pool of its own: what hangs
    /// in it hangs nothing else. Each thread has one `S` that `work` may keep things in. When none has been finished
    /// for as long as `patience`, those that are left are given up.
    pub(crate) fn start<S: Default + 'static>(
        files: Vec<usize>,
        patience: Duration,
        work: impl Fn(usize, &mut S) -> T + Send + Sync + 'static,
    ) -> Result<Workers<T>, SourceError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(files.len().max(1));
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK)
            .build()?;
        let stop = Arc::new(AtomicBool::new(false));
        let shared = Arc::new((files, AtomicUsize::new(0), work));
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let (shared, stop, sender) = (Arc::clone(&shared), Arc::clone(&stop), sender.clone());
            pool.spawn(move || {
                let (files, next, work) = &*shared;
                let mut state = S::default();
                while !stop.load(Ordering::Relaxed) {
                    let Some(&file) = files.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    // A mistake in a library that reads the file costs this file, not the program.
                    let result = catch_unwind(AssertUnwindSafe(|| work(file, &mut state)));
                    if result.is_err() {
                        state = S::default();
                    }
                    if sender.send((file, result.ok())).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Workers {
            results,
            stop,
            last: Instant::now(),
            patience,
        })
    }

    /// Says that nobody has asked for results for a while: that is no reason to give anything up.
    pub(crate) fn resume(&mut self) {
        self.last = Instant::now();
    }

    /// The next result, waiting for it some 20 ms at most.
    pub(crate) fn next(&mut self, progress: &Progress) -> Result<Done<T>, SourceError> {
        progress.check()?;
        match self.results.recv_timeout(WATCH) {
            Ok((file, result)) => {
                self.last = Instant::now();
                // Who cancels hears of it next time: what has come is not lost.
                let _ = progress.add(1);
                Ok(Done::File(file, result))
            }
            Err(RecvTimeoutError::Timeout) => {
                let hangs = self.last.elapsed() > self.patience;
                Ok(if hangs { Done::End } else { Done::Waiting })
            }
            Err(RecvTimeoutError::Disconnected) => Ok(Done::End),
        }
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
