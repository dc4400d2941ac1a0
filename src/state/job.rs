//! Work on another thread whose outcome the window waits for without stopping. The state, the views and the window
//! start threads in no other way, so that all of them stop alike.

use callscape_base::clock::Instant;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use super::made::{Generation, Made};
#[cfg(target_arch = "wasm32")]
use super::queue;
use callscape_base::progress::{Cancelled, Progress};

/// Progress is shown only for what takes longer.
const PATIENCE: Duration = Duration::from_millis(400);

/// Work under way, cancelled when this is dropped. Work that hands over more than one outcome is a `Job<()>` beside a
/// channel of its own.
#[derive(Debug)]
pub struct Job<T> {
    pub progress: Progress,
    started: Instant,
    receiver: Receiver<Result<T, Cancelled>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work`; `wake` is called when it has ended, unless nobody waits for it any more.
    pub fn start(
        wake: impl FnOnce() + Send + 'static,
        work: impl FnOnce(&Progress) -> Result<T, Cancelled> + Send + 'static,
    ) -> Job<T> {
        Job::named("work", wake, work)
    }

    /// The same on a thread of that name, which debuggers and profilers show.
    pub fn named(
        name: &str,
        wake: impl FnOnce() + Send + 'static,
        work: impl FnOnce(&Progress) -> Result<T, Cancelled> + Send + 'static,
    ) -> Job<T> {
        let (sender, receiver) = channel();
        let progress = Progress::new();
        let seen = progress.clone();
        begin(name, move || {
            #[cfg(not(target_arch = "wasm32"))]
            let done = work(&seen);
            #[cfg(target_arch = "wasm32")]
            let done = queue::pausing(|| work(&seen));
            // Nobody listens any more when the work is no longer wanted: then there is no one to wake either.
            if sender.send(done).is_ok() {
                wake();
            }
        });
        Job {
            progress,
            started: Instant::now(),
            receiver,
        }
    }

    /// How long ago it was started.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether it has taken long enough that the user wants to see how far it is.
    pub fn is_slow(&self) -> bool {
        self.elapsed() > PATIENCE
    }

    /// How far it is, where it takes long enough to be shown.
    pub fn slow(&self) -> Option<&Progress> {
        self.is_slow().then_some(&self.progress)
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

/// Has work wait until what it is for has been still for a while. Without threads everything would be still for as long.
pub fn rest(how_long: Duration) {
    if !cfg!(target_arch = "wasm32") {
        std::thread::sleep(how_long);
    }
}

/// Starts a thread. Without one the work is gone, and its sender, which `poll` takes for cancelled.
#[cfg(not(target_arch = "wasm32"))]
fn begin(name: &str, work: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work);
}

/// Where there are no threads the work waits for [`queue::run`].
#[cfg(target_arch = "wasm32")]
fn begin(_: &str, work: impl FnOnce() + Send + 'static) {
    queue::push(Box::new(work));
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

/// Takes what came of a job for the document shown; a job for one before is stopped, and nothing comes of it.
pub(crate) fn take_for<T: Send + 'static>(
    job: &mut Option<Made<Job<T>>>,
    shown: Generation,
) -> Option<Result<T, Cancelled>> {
    let Some(of_shown) = job.as_ref()?.get(shown) else {
        *job = None;
        return None;
    };
    let done = of_shown.poll()?;
    *job = None;
    Some(done)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn wait_for<T: Send + 'static>(job: &mut Option<Job<T>>) -> Option<T> {
        while job.is_some() {
            if let Some(done) = take(job) {
                return Some(done);
            }
            std::thread::yield_now();
        }
        None
    }

    #[test]
    fn a_job_hands_over_what_came_of_it_and_wakes() {
        let (sender, receiver) = channel();
        let wake = move || sender.send(()).expect("the test listens");
        let mut job = Some(Job::start(wake, |_| Ok(42)));
        assert_eq!(wait_for(&mut job), Some(42));
        receiver.recv().expect("it wakes");
    }

    #[test]
    fn a_job_nobody_waits_for_stops() {
        let (drops, dropped) = channel();
        let (sender, receiver) = channel();
        // The work looks once, after the drop: where that does not cancel, the test fails instead of hanging.
        let job = Job::start(
            || (),
            move |progress| {
                dropped.recv().expect("the test drops it");
                sender.send(progress.check()).expect("the test listens");
                Ok(())
            },
        );
        assert!(job.poll().is_none());
        drop(job);
        drops.send(()).expect("the work waits");
        assert_eq!(receiver.recv(), Ok(Err(Cancelled)));
    }

    #[test]
    fn a_job_nobody_waits_for_wakes_nobody() {
        let (drops, dropped) = channel();
        let (sender, receiver) = channel();
        let wake = move || sender.send(()).expect("the test listens");
        let job = Job::start(wake, move |_| {
            dropped.recv().expect("the test drops it");
            Ok(())
        });
        drop(job);
        drops.send(()).expect("the work waits");
        // `wake` is gone with the thread, and was not called.
        assert!(receiver.recv().is_err());
    }

    #[test]
    fn what_was_worked_out_for_another_document_is_dropped() {
        let (before, shown) = (Generation::next(), Generation::next());
        let mut job = Some(Made::new(before, Job::start(|| (), |_| Ok(42))));
        assert_eq!(take_for(&mut job, shown), None);
        assert!(job.is_none(), "whether or not it had ended");
        let mut job = Some(Made::new(shown, Job::start(|| (), |_| Ok(42))));
        let done = loop {
            match take_for(&mut job, shown) {
                Some(done) => break done,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!((done, job.is_none()), (Ok(42), true));
    }

    #[test]
    fn what_was_cancelled_is_taken_for_nothing() {
        let mut job = Some(Job::<u32>::start(|| (), |_| Err(Cancelled)));
        assert_eq!(wait_for(&mut job), None);
        assert!(job.is_none());
    }
}
