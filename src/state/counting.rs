//! Numbers that need every call to be looked at, worked out on other threads.

use std::sync::Arc;

use super::document::{Document, Parts};
use super::job::Job;
use super::state::State;
use super::work::Counted;
use callscape_base::progress::Progress;
use callscape_filter::running::Running;
use callscape_filter::summary::Summary;

impl State {
    /// Takes what has been worked out and begins what is needed.
    pub fn update_work(&mut self) {
        let shown = self.document.as_ref().map(Document::generation);
        self.work.follow(shown);
        self.update_frequency();
        self.take_count();
        self.take_parts();
        // What both runs have of neighbours is that of other parts, or brought on something else.
        let runs = self.document.as_ref().and_then(|it| it.runs.as_ref());
        let revision = runs.map_or(0, |it| it.revision());
        if std::mem::replace(&mut self.work.neighbours_of, revision) != revision {
            self.show_chosen();
        }
        if let Some(document) = &self.document {
            let mut moments = std::mem::take(&mut self.work.moments);
            moments.update(document, || self.work.waker());
            self.work.moments = moments;
            let mut arguments = std::mem::take(&mut self.work.arguments);
            arguments.update(document, || self.work.waker());
            self.work.arguments = arguments;
        }
    }

    fn take_count(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        if let Some(counted) = self.work.counting.as_ref().and_then(Job::poll) {
            self.work.counting = None;
            match counted {
                Ok(counted) => {
                    document.count(&counted.summary);
                    if let Some(running) = counted.running {
                        document.run(running);
                    }
                    self.work.left += 1;
                    self.show_chosen();
                }
                Err(_) => self.work.counting_is_stopped = true,
            }
            return;
        }
        let is_known = document
            .functions
            .as_ref()
            .is_none_or(|it| it.is_complete());
        let is_wanted = self.work.is_asked || !document.filters.is_empty();
        let is_idle = self.work.counting.is_none() && !self.work.counting_is_stopped;
        // What goes for being called often is counted first.
        let is_unclear = self.work.frequency.is_under_way() && document.filters.unknown().is_some();
        if is_known || !is_wanted || !is_idle || is_unclear {
            return;
        }
        let session = Arc::clone(&document.session);
        let (recording, range) = (document.recording(), document.selection.range);
        let filters = document.filters.clone();
        let wants_running = document.wants_running();
        self.work.counting = Some(Job::start(self.work.waker(), move |progress| {
            let Some(resolved) = session.recordings.get(recording) else {
                return Ok(Counted::default());
            };
            let rules = filters.rules(&session.hierarchy, &resolved.resolution.modules);
            let trace = &resolved.recording.trace;
            let summary = Summary::of(&resolved.recording, range, &rules, progress)?;
            let running = match wants_running {
                true => Some(Arc::new(Running::new(trace, &rules, progress)?)),
                false => None,
            };
            Ok(Counted { summary, running })
        }));
    }

    /// Of two runs, compares what range and filters leave of both.
    fn take_parts(&mut self) {
        let counted = self.work.comparing.as_ref().and_then(Job::poll);
        if let Some(counted) = counted {
            self.work.comparing = None;
            if let Ok(parts) = counted {
                self.compare_parts(Some(parts));
            }
        }
        let Some(document) = self.document.as_ref().filter(|it| it.runs.is_some()) else {
            return;
        };
        let wanted = document.limits_of_both();
        if wanted == self.work.compared_for {
            return;
        }
        self.work.compared_for.clone_from(&wanted);
        self.work.comparing = None;
        match wanted {
            Some(limits) => {
                let count = move |progress: &Progress| limits.count(progress);
                self.work.comparing = Some(Job::start(self.work.waker(), count));
            }
            None => self.compare_parts(None),
        }
    }

    fn compare_parts(&mut self, parts: Option<Parts>) {
        let is_limited = |document: &Document| {
            let runs = document.runs.as_ref();
            runs.is_some_and(|runs| runs.is_limited())
        };
        let Some(document) = &mut self.document else {
            return;
        };
        if parts.is_none() && !is_limited(document) {
            return;
        }
        document.take_parts(parts);
        self.work.left += 1;
        self.blocks_moved();
        if self.runs_view.only_differences {
            self.show_only_differences();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{FilterAsk, RunsAsk, SelectAsk};
    use super::super::runs::RunsLayout;
    use super::super::testing::{module, open, range, settle, tiny, two_runs};
    use super::*;
    use crate::details::Neighbours;
    use callscape_analysis::moments::Between;
    use callscape_base::units::{FunctionId, ModuleId, ThreadId, Time, TimeRange};
    use callscape_facts::trace::Within;
    use callscape_filter::filters::FilterStep;
    use callscape_filter::selection::Pointed;

    #[test]
    fn calls_that_filters_leave_are_counted() {
        let mut state = tiny();
        assert_eq!(open(&state).calls_left, None);
        let step = module(&state, "step");
        state.execute(FilterAsk::Add(FilterStep::RemoveModule(step)));
        settle(&mut state);
        assert_eq!(open(&state).calls_left, Some(3), "all but three of step");
        state.execute(FilterAsk::Add(FilterStep::HideThread(ThreadId(1))));
        settle(&mut state);
        assert_eq!(open(&state).calls_left, Some(2));
        state.execute(FilterAsk::Remove(0));
        state.execute(FilterAsk::Remove(0));
        settle(&mut state);
        assert_eq!(open(&state).calls_left, None, "nothing is left out");
    }

    #[test]
    fn a_range_is_counted_when_a_view_shows_the_numbers() {
        let mut state = tiny();
        state.execute(SelectAsk::SetRange(Some(range(20, 70))));
        settle(&mut state);
        assert_eq!(open(&state).calls_left, None, "nobody asks");
        state.work.is_asked = true;
        settle(&mut state);
        assert_eq!(
            open(&state).calls_left,
            Some(4),
            "those that have a part in it"
        );
    }

    #[test]
    fn what_is_left_of_two_runs_is_compared() {
        let mut state = two_runs();
        state.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
        let calls = |state: &State| {
            let runs = open(state).runs.clone().expect("two runs");
            let changes = runs.functions.iter();
            changes.fold([0.0; 2], |[a, b], it| [a + it.a.calls, b + it.b.calls])
        };
        let all = calls(&state);
        let document = open(&state);
        let whole = document.resolved().expect("a run").recording.trace.range();
        let half = TimeRange::new(whole.start, Time::from_ns(whole.end.ns() / 2));
        state.execute(SelectAsk::SetRange(Some(half)));
        settle(&mut state);
        let document = open(&state);
        let runs = document.runs.clone().expect("two runs");
        let ranges = [half, runs.range_of_other(half)];
        let expected = [0, 1].map(|side| {
            let place = runs.places()[side];
            let trace = &document.session.recordings[place].recording.trace;
            let is_other = usize::from(side != runs.side());
            let metrics = trace.function_metrics(Some(ranges[is_other]));
            metrics.iter().map(|it| it.calls).sum::<u64>() as f64
        });
        assert_eq!(calls(&state), expected);
        assert!(expected[0] < all[0] && expected[1] < all[1]);
        state.execute(SelectAsk::SetRange(None));
        settle(&mut state);
        assert_eq!(calls(&state), all);
    }

    #[test]
    fn relations_that_are_told_of_have_their_moments() {
        let mut state = tiny();
        let all: Vec<ModuleId> = open(&state).session.hierarchy.modules().collect();
        let mut known = 0;
        for module in all {
            let document = state.document.as_mut().expect("it is open");
            document
                .selection
                .change(|it| it.chosen = Pointed::at_module(Some(module)));
            state.show_chosen();
            settle(&mut state);
            let document = open(&state);
            let resolved = document.resolved().expect("a recording");
            let of = |function: FunctionId| {
                let own = resolved.resolution.modules[function.index()];
                let is_in = document.session.hierarchy.contains(module, own);
                Some(if is_in { module.0 } else { own.0 })
            };
            for pair in pairs_of(&document.neighbours, module) {
                let between = Between::new([(pair.0.0, pair.1.0)].into_iter(), &of);
                let whole = Within::default();
                let direct = between.moments(&resolved.recording, whole, &Progress::new());
                let direct = direct.expect("not cancelled").expect("it has calls");
                let found = state.work.moments.between(pair.0, pair.1);
                assert_eq!(found, &direct[..1], "{pair:?}");
                known += 1;
            }
        }
        assert!(known > 0);
    }

    fn pairs_of(neighbours: &Neighbours, module: ModuleId) -> Vec<(ModuleId, ModuleId)> {
        let callers = neighbours.callers.iter().map(|it| (it.module, module));
        let callees = neighbours.callees.iter().map(|it| (module, it.module));
        callers.chain(callees).collect()
    }
}
