//! Work on another thread whose outcome the window waits for without stopping.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use crate::progress::{Cancelled, Progress};

/// Progress is shown only for what takes longer.
const PATIENCE: Duration = Duration::from_millis(400);

/// Work under way.
pub struct Job<T> {
    pub progress: Progress,
    started: Instant,
    receiver: Receiver<Result<T, Cancelled>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work`; `wake` is called when it has ended.
    pub fn start(
        wake: impl FnOnce() + Send + 'static,
        work: impl FnOnce(&Progress) -> Result<T, Cancelled> + Send + 'static,
    ) -> Job<T> {
        let (sender, receiver) = channel();
        let progress = Progress::new();
        let seen = progress.clone();
        // Without a thread the sender is gone with the closure, which `poll` takes for cancelled.
        let _ = std::thread::Builder::new()
            .name("work".into())
            .spawn(move || {
                let done = work(&seen);
                // Nobody listens any more when the work is no longer wanted.
                let _ = sender.send(done);
                wake();
            });
        Job {
            progress,
            started: Instant::now(),
            receiver,
        }
    }

    /// Whether it has taken long enough that the user wants to see how far it is.
    pub fn is_slow(&self) -> bool {
        self.started.elapsed() > PATIENCE
    }

    /// What came of it, once it has ended.
    pub fn poll(&self) -> Option<Result<T, Cancelled>> {
        match self.receiver.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(Cancelled)),
        }
    }
}

impl<T> Drop for Job<T> {
    /// What nobody waits for need not go on.
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

/// Takes what came of a job out of its place, once it has ended; nothing when it was cancelled.
pub fn take<T: Send + 'static>(job: &mut Option<Job<T>>) -> Option<T> {
    let done = job.as_ref()?.poll()?;
    *job = None;
    done.ok()
}
