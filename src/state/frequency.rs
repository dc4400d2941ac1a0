//! How often functions are called, counted on another thread: for the filter that leaves out what is called often, and
//! for whoever chooses how much that is.

use std::sync::Arc;

use super::job::Job;
use super::state::State;
use super::work::CountedFrequencies;
use callscape_analysis::frequency::Frequencies;
use callscape_base::units::Cost;
use callscape_facts::frequency::Frequency;
use callscape_filter::filters::FilterStep;

impl State {
    /// The counts of the recording that is shown in windows of this length, where they are known.
    pub fn frequencies(&self, window: Cost) -> Option<&Arc<Frequencies>> {
        let document = self.document.as_ref()?;
        let known = self.work.frequency.known.as_ref()?;
        let is_of_it = Arc::ptr_eq(&known.session, &document.session)
            && known.recording == document.recording()
            && known.of.window() == window;
        is_of_it.then_some(&known.of)
    }

    /// Takes counts that are ready, tells the filters, and begins what is wanted.
    pub(super) fn update_frequency(&mut self) {
        if let Some((window, job)) = &self.work.frequency.job
            && let Some(counted) = job.poll()
        {
            match counted {
                Ok(known) => self.work.frequency.known = Some(known),
                Err(_) => self.work.frequency.given_up = Some(*window),
            }
            self.work.frequency.job = None;
        }
        let Some(document) = &self.document else {
            return;
        };
        let has_calls = document.profile().is_none() && document.resolved().is_some();
        if !has_calls {
            return;
        }
        if let Some(limit) = self.opening.frequency_at_start.take() {
            self.filter(|filters| filters.limit_frequency(Some(limit)));
        }
        let Some(document) = &self.document else {
            return;
        };
        if let Some(limit) = document.filters.unknown()
            && let Some(known) = self.frequencies(limit.window)
        {
            let frequent = Arc::new(known.frequent(limit.most));
            self.filter(|filters| filters.learn(frequent));
        }
        let unknown = self.document.as_ref().and_then(|it| it.filters.unknown());
        let Some(window) = unknown.map(|it| it.window).or(self.work.frequency.wanted) else {
            return;
        };
        let is_begun = self
            .work
            .frequency
            .job
            .as_ref()
            .is_some_and(|(of, _)| *of == window);
        let is_given_up = self.work.frequency.given_up == Some(window);
        if !is_begun && !is_given_up && self.frequencies(window).is_none() {
            self.begin_counting(window);
        }
    }

    fn begin_counting(&mut self, window: Cost) {
        let Some(document) = &self.document else {
            return;
        };
        let (session, recording) = (Arc::clone(&document.session), document.recording());
        let job = Job::start(self.work.waker(), move |progress| {
            let mut of = Frequencies::default();
            if let Some(resolved) = session.recordings.get(recording) {
                let functions = resolved.recording.functions.len();
                of = Frequencies::new(&resolved.recording.trace, functions, window, progress)?;
            }
            Ok(CountedFrequencies {
                session,
                recording,
                of: Arc::new(of),
            })
        });
        self.work.frequency.job = Some((window, job));
        self.work.frequency.given_up = None;
    }

    /// Has calls counted while the card that chooses a limit is open.
    pub(super) fn count_for_card(&mut self) {
        let window = self.frequency_limit().unwrap_or(Frequency::USUAL).window;
        self.work.frequency.wanted = self.cards.frequency.then_some(window);
        self.work.frequency.given_up = None;
    }

    /// The limit in force.
    pub fn frequency_limit(&self) -> Option<Frequency> {
        let steps = self.document.as_ref()?.filters.steps();
        steps.iter().find_map(|step| match *step {
            FilterStep::RemoveFrequent(limit) => Some(limit),
            _ => None,
        })
    }

    /// Leaves out what is called more often than `limit` allows, in place of a limit before; none brings it back.
    pub(super) fn limit_frequency(&mut self, limit: Option<Frequency>) {
        self.work.frequency.given_up = None;
        self.filter(|filters| filters.limit_frequency(limit));
        self.count_for_card();
        // Where the counts are there, what goes is known at once.
        self.update_frequency();
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{FilterAsk, StepAsk};
    use super::super::testing::{settle, tiny};
    use super::*;

    #[test]
    fn a_limit_goes_into_force_once_calls_are_counted_and_can_be_undone() {
        let mut state = tiny();
        settle(&mut state);
        state.note_step(false);
        let calls = |state: &State| {
            let document = state.document.as_ref().expect("it is open");
            document.calls_left
        };
        let all = state.document.as_ref().and_then(|it| it.resolved());
        let all = all.map_or(0, |it| it.recording.trace.calls());
        let window = Cost::from_ns(u64::MAX / 2);
        let limit = |most| Some(Frequency { most, window });
        state.execute(FilterAsk::LimitFrequency(limit(0)));
        assert!(state.work.frequency.is_under_way());
        settle(&mut state);
        assert_eq!(calls(&state), Some(0));
        state.execute(FilterAsk::LimitFrequency(limit(all)));
        assert!(!state.work.frequency.is_under_way());
        let known = state.frequencies(window).expect("they are counted");
        let (gone, counted, of) = known.above(0);
        assert_eq!((gone.len(), counted, of), (known.functions(), all, all));
        settle(&mut state);
        assert_eq!(calls(&state), Some(all));
        let document = state.document.as_ref().expect("it is open");
        let step = FilterStep::RemoveFrequent(limit(all).expect("a limit"));
        assert_eq!(document.filters.steps(), [step]);
        // Both limits, one after the other, are one change here.
        state.note_step(false);
        state.execute(StepAsk::Undo);
        assert!(
            state
                .document
                .as_ref()
                .is_some_and(|it| it.filters.is_empty())
        );
    }
}
