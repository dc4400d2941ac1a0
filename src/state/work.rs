//! Numbers that need every call to be looked at: what is being worked out.

use std::sync::Arc;

use super::arguments::FunctionArguments;
use super::document::{Limits, Parts};
use super::job::Job;
use super::jobs::Jobs;
use super::made::Generation;
use super::moments::RelationMoments;
use callscape_analysis::frequency::Frequencies;
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_base::units::Cost;
use callscape_filter::running::Running;
use callscape_filter::summary::Summary;

/// What looking at every call has found.
#[derive(Default)]
pub struct Counted {
    pub summary: Summary,
    /// Where the filters leave something out, what they leave along time.
    pub running: Option<Arc<Running>>,
}

/// The counts of a recording of a session.
#[derive(Clone, Debug)]
pub struct CountedFrequencies {
    pub session: Arc<Session>,
    pub recording: usize,
    pub of: Arc<Frequencies>,
}

/// What is being counted, and what has been.
#[derive(Default)]
pub struct FrequencyWork {
    pub job: Option<(Cost, Job<CountedFrequencies>)>,
    pub known: Option<CountedFrequencies>,
    /// It was cancelled for windows of this length: not tried again by itself.
    pub(crate) given_up: Option<Cost>,
    /// The windows that somebody wants to choose a limit by.
    pub wanted: Option<Cost>,
}

impl FrequencyWork {
    pub fn is_under_way(&self) -> bool {
        self.job.is_some()
    }

    /// How far it is, from 0 to 1; none while nothing is counted.
    pub fn share(&self) -> Option<f32> {
        let (_, job) = self.job.as_ref()?;
        let (_, done, all) = job.progress.state();
        Some(done as f32 / all.max(1) as f32)
    }
}

/// What makes what a worker calls to have the window look for its outcome.
pub type Wake = Box<dyn Fn() -> Box<dyn FnOnce() + Send>>;

/// Work under way and what came of it.
pub struct Work {
    wake: Wake,
    /// What changes what is open.
    pub jobs: Jobs,
    /// The document that all this is of.
    of: Option<Generation>,
    /// A view shows numbers that only looking at every call finds.
    pub is_asked: bool,
    /// Looks at every call for the numbers of functions and for the filters.
    pub counting: Option<Job<Counted>>,
    /// The user stopped it: it is not begun again for the same.
    pub counting_is_stopped: bool,
    /// Counts what range and filters leave of two runs.
    pub(super) comparing: Option<Job<Parts>>,
    pub(super) compared_for: Option<Limits>,
    /// How often functions are called.
    pub frequency: FrequencyWork,
    /// How long relations go on.
    pub moments: RelationMoments,
    /// The numeric arguments of the selected function.
    pub arguments: FunctionArguments,
    /// The revision of two runs whose neighbours are shown.
    pub(super) neighbours_of: u64,
    /// [`super::Stamps::left`]
    pub left: u64,
}

impl Work {
    pub(super) fn new(wake: Wake) -> Work {
        Work {
            wake,
            jobs: Jobs::default(),
            of: None,
            is_asked: false,
            counting: None,
            counting_is_stopped: false,
            comparing: None,
            compared_for: None,
            frequency: FrequencyWork::default(),
            moments: RelationMoments::default(),
            arguments: FunctionArguments::default(),
            neighbours_of: 0,
            left: 0,
        }
    }

    /// What a worker calls to have the window look for its outcome.
    pub(super) fn waker(&self) -> Box<dyn FnOnce() + Send> {
        (self.wake)()
    }

    /// Stops the count of calls; it is not begun again for the same.
    pub(super) fn stop_counting(&mut self) {
        self.counting = None;
        self.counting_is_stopped = true;
    }

    /// Range or filters changed: what is being counted is of no use.
    pub(super) fn outdate_count(&mut self) {
        self.counting = None;
        self.counting_is_stopped = false;
        self.left += 1;
    }

    /// Drops what is of a document that is no longer shown; what is asked for goes on.
    pub(super) fn follow(&mut self, shown: Option<Generation>) {
        if self.of != shown {
            self.of = shown;
            (self.counting, self.counting_is_stopped) = (None, false);
            (self.comparing, self.compared_for) = (None, None);
            self.moments = RelationMoments::default();
            self.arguments = FunctionArguments::default();
            self.frequency = FrequencyWork {
                wanted: self.frequency.wanted,
                ..FrequencyWork::default()
            };
        }
    }

    pub fn is_under_way(&self) -> bool {
        self.under_way().next().is_some()
    }

    /// Names of all of it.
    pub fn under_way(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.counting.is_some(), "the count of calls"),
            (self.comparing.is_some(), "the count of calls of both runs"),
            (self.moments.is_under_way(), "the moments of call relations"),
            (self.arguments.is_under_way(), "values of arguments"),
            (
                self.frequency.is_under_way(),
                "the count of frequent functions",
            ),
        ];
        all.into_iter().filter_map(|(is, name)| is.then_some(name))
    }

    /// The work that takes long enough to be shown.
    pub fn slow(&self) -> impl Iterator<Item = &Progress> {
        let counting = self.counting.as_ref().and_then(Job::slow);
        let comparing = self.comparing.as_ref().and_then(Job::slow);
        let frequency = self.frequency.job.as_ref();
        let frequency = frequency.and_then(|(_, job)| job.slow());
        counting.into_iter().chain(comparing).chain(frequency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::progress::Cancelled;

    #[test]
    fn work_is_under_way_while_either_count_is() {
        let idle = || Work::new(Box::new(|| Box::new(|| ())));
        assert!(!idle().is_under_way());
        let counting = Work {
            counting: Some(Job::start(|| (), |_| Err(Cancelled))),
            ..idle()
        };
        let comparing = Work {
            comparing: Some(Job::start(|| (), |_| Err(Cancelled))),
            ..idle()
        };
        assert!(counting.is_under_way() && comparing.is_under_way());
    }
}
