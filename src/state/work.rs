//! Numbers that need every call to be looked at: what is being worked out.

use std::sync::Arc;

use super::document::{Limits, Parts};
use super::job::Job;
use crate::filter::running::Running;
use crate::filter::summary::Summary;

/// What looking at every call has found.
#[derive(Default)]
pub struct Counted {
    pub summary: Summary,
    /// Where the filters leave something out, what they leave along time.
    pub running: Option<Arc<Running>>,
}

/// Work under way and what came of it.
#[derive(Default)]
pub struct Work {
    /// A view shows numbers that only looking at every call finds.
    pub is_asked: bool,
    /// Looks at every call for the numbers of functions and for the filters.
    pub counting: Option<Job<Counted>>,
    /// The user stopped it: it is not begun again for the same.
    pub counting_is_stopped: bool,
    /// Counts what range and filters leave of two runs.
    pub comparing: Option<Job<Parts>>,
    pub compared_for: Option<Limits>,
}

impl Work {
    pub fn is_under_way(&self) -> bool {
        self.counting.is_some() || self.comparing.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Cancelled;

    #[test]
    fn work_is_under_way_while_either_count_is() {
        assert!(!Work::default().is_under_way());
        let counting = Work {
            counting: Some(Job::start(|| (), |_| Err(Cancelled))),
            ..Work::default()
        };
        let comparing = Work {
            comparing: Some(Job::start(|| (), |_| Err(Cancelled))),
            ..Work::default()
        };
        assert!(counting.is_under_way() && comparing.is_under_way());
    }
}
