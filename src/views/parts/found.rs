//! Something that is worked out on another thread, and for what.

use callscape_base::progress::Progress;
use callscape_state::job::Job;

/// A value, what it was worked out for, and the work on the next one.
#[derive(Debug)]
pub(crate) struct Found<K, T> {
    wanted: Option<K>,
    found: Option<(K, T)>,
    job: Option<Job<T>>,
}

impl<K, T> Default for Found<K, T> {
    fn default() -> Found<K, T> {
        Found {
            wanted: None,
            found: None,
            job: None,
        }
    }
}

impl<K: Clone + PartialEq, T: Send + 'static> Found<K, T> {
    /// Begins to work out what is wanted, where that is something else than before.
    pub(crate) fn want(&mut self, key: K, start: impl FnOnce() -> Job<T>) {
        if self.wanted.as_ref() != Some(&key) {
            self.job = Some(start());
            self.wanted = Some(key);
        }
    }

    /// The same once the work under way has ended: what changes with every frame is found as often as there is time for.
    pub(crate) fn want_next(&mut self, key: K, start: impl FnOnce() -> Job<T>) {
        if self.job.is_none() {
            self.want(key, start);
        }
    }

    /// Takes a value that was found at once.
    pub(crate) fn set(&mut self, key: K, value: T) {
        (self.job, self.wanted) = (None, Some(key.clone()));
        self.found = Some((key, value));
    }

    /// Whether this is what is wanted last.
    pub(crate) fn is_wanted(&self, key: &K) -> bool {
        self.wanted.as_ref() == Some(key)
    }

    /// Takes what was found meanwhile; whether there is something new.
    pub(crate) fn poll(&mut self) -> bool {
        let Some(done) = self.job.as_ref().and_then(Job::poll) else {
            return false;
        };
        self.job = None;
        match (done, self.wanted.clone()) {
            (Ok(value), Some(key)) => {
                self.found = Some((key, value));
                true
            }
            _ => false,
        }
    }

    /// What was found last, perhaps not what is wanted now.
    pub(crate) fn last(&self) -> Option<&(K, T)> {
        self.found.as_ref()
    }

    /// What was found for `key`.
    pub(crate) fn of(&self, key: &K) -> Option<&T> {
        let found = self.found.as_ref().filter(|(of, _)| of == key);
        found.map(|(_, value)| value)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// How far the work is.
    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.job.as_ref().map(|job| &job.progress)
    }

    /// The same where it takes long enough to be shown.
    pub(crate) fn slow(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    /// Stops the work; what was wanted is not begun again.
    pub(crate) fn stop(&mut self) {
        self.job = None;
    }

    /// As at first.
    pub(crate) fn forget(&mut self) {
        *self = Found::default();
    }
}
