//! Progress of long work, and the wish to stop it: shared between the worker and whoever watches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A handle that the worker feeds and the watcher reads; clones share one state.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<State>);

#[derive(Debug, Default)]
struct State {
    step: Mutex<String>,
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

/// What work does now and then where it has no thread of its own.
#[cfg(target_arch = "wasm32")]
pub type Pause = fn();

#[cfg(target_arch = "wasm32")]
thread_local! {
    static PAUSE: std::cell::Cell<Option<Pause>> = const { std::cell::Cell::new(None) };
}

/// Makes every [`Progress::check`] call `pause`. Returns the function that it called before.
#[cfg(target_arch = "wasm32")]
pub fn pause_by(pause: Option<Pause>) -> Option<Pause> {
    PAUSE.replace(pause)
}

/// The work was cancelled by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Progress {
    pub fn new() -> Progress {
        Progress::default()
    }

    /// Names the step under way ("reading trace.json") and how much of its unit there is to do;
    /// a total of zero means unknown.
    pub fn start(&self, step: impl Into<String>, total: u64) {
        if let Ok(mut current) = self.0.step.lock() {
            *current = step.into();
        }
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(total, Ordering::Relaxed);
    }

    /// Adds to what is done; an error when the user has cancelled.
    pub fn add(&self, amount: u64) -> Result<(), Cancelled> {
        self.0.done.fetch_add(amount, Ordering::Relaxed);
        self.check()
    }

    /// Sets what is done; an error when the user has cancelled.
    pub fn set(&self, done: u64) -> Result<(), Cancelled> {
        self.0.done.store(done, Ordering::Relaxed);
        self.check()
    }

    /// An error when the user has cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        #[cfg(target_arch = "wasm32")]
        if let Some(pause) = PAUSE.get() {
            pause();
        }
        if self.0.cancelled.load(Ordering::Relaxed) {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// The step under way, what is done and what there is to do (zero: unknown).
    pub fn state(&self) -> (String, u64, u64) {
        let step = self.0.step.lock().map(|step| step.clone());
        (
            step.unwrap_or_default(),
            self.0.done.load(Ordering::Relaxed),
            self.0.total.load(Ordering::Relaxed),
        )
    }
}
