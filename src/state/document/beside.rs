//! The landscape of the other one of two runs: the same layout, its own calls, its clock linked.

use std::sync::Arc;

use super::{Document, RECORDING};
use crate::analysis::comparison::amounts::Measure;
use crate::analysis::comparison::tables::Norm;
use crate::analysis::session::Session;
use crate::filter::filters::Filters;
use crate::filter::running::Running;
use crate::filter::summary::Summary;
use crate::model::difference::Strength;
use crate::model::metrics::ModuleMetrics;
use crate::model::moment::Moment;
use crate::progress::{Cancelled, Progress};
use crate::state::city::City;
use crate::state::versus::{Part, Versus};
use crate::units::{Cost, Time, TimeRange};

/// Where the run that is not shown stands in the session.
const OTHER: usize = 1;

/// What limits two runs, by where they stand in the session.
#[derive(Clone, Debug)]
pub struct Limits {
    session: Arc<Session>,
    ranges: [Option<TimeRange>; 2],
    filters: [Filters; 2],
}

impl PartialEq for Limits {
    fn eq(&self, other: &Limits) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
            && (self.ranges, &self.filters) == (other.ranges, &other.filters)
    }
}

/// What limits leave of two runs.
#[derive(Debug, Default)]
pub struct Parts {
    of_runs: [Arc<Part>; 2],
    /// Of the run that is not shown, where something is left out: what is left, and along time.
    left: Option<Summary>,
    running: Option<Arc<Running>>,
}

impl Limits {
    /// Counts what they leave. O(calls) where something is left out, else O(log calls) summaries.
    pub fn count(&self, progress: &Progress) -> Result<Parts, Cancelled> {
        let mut parts = Parts::default();
        for place in [RECORDING, OTHER] {
            let Some(resolved) = self.session.recordings.get(place) else {
                continue;
            };
            let (trace, range) = (&resolved.recording.trace, self.ranges[place]);
            // Where something is left out of either, both are counted alike.
            if self.filters.iter().all(Filters::is_empty) {
                parts.of_runs[place] = Arc::new(Part {
                    metrics: trace.function_metrics(range),
                    relations: trace.relations(range),
                });
                continue;
            }
            let modules = &resolved.resolution.modules;
            let rules = self.filters[place].rules(&self.session.hierarchy, modules);
            let functions = resolved.recording.functions.len();
            let summary = Summary::new(trace, functions, range, &rules, progress)?;
            parts.of_runs[place] = Arc::new(Part {
                metrics: summary.functions.iter().map(|it| it.metrics).collect(),
                relations: summary.relations.clone(),
            });
            if place == OTHER && !rules.is_empty() {
                parts.running = Some(Arc::new(Running::new(trace, &rules, progress)?));
                parts.left = Some(summary);
            }
        }
        Ok(parts)
    }
}

impl Document {
    /// Makes the landscape of the run that is not shown, or drops it. Linear in modules and functions.
    pub fn show_beside(&mut self, is_on: bool) {
        let is_on = is_on && self.versus.is_some() && self.session.recordings.len() > OTHER;
        self.beside = is_on.then(|| {
            let metrics = self.city.metrics().of_other(&self.session, OTHER);
            let mut beside = self.city.twin(&self.session, Arc::new(metrics));
            beside.leave(self.left_beside.clone());
            beside
        });
        self.most_of_both = Cost::ZERO;
        let is_of_one_unit = self.versus.as_ref().is_some_and(|it| !it.needs_shares());
        if self.beside.is_some() && is_of_one_unit {
            let all = self.session.recordings.iter().take(OTHER + 1);
            let all = all.flat_map(|it| it.recording.function_metrics(None));
            let most = all.map(|it| it.self_cost).max();
            self.most_of_both = most.unwrap_or_default();
        }
    }

    /// What is left out of the run that is not shown: what is left out of the one that is, as far as it is of both.
    pub fn filters_beside(&self) -> Filters {
        let versus = self.versus.as_ref();
        let thread = |thread| versus?.thread_of_other(thread);
        let call = |call| versus?.call_of_other(&self.session, call);
        self.filters.of_other_run(thread, call)
    }

    /// What limits two runs that both have times; none where nothing does.
    pub fn limits_of_both(&self) -> Option<Limits> {
        let versus = self.versus.as_ref().filter(|_| self.is_limited())?;
        versus.clocks()?;
        let range = self.selection.range;
        Some(Limits {
            session: Arc::clone(&self.session),
            ranges: [range, range.map(|range| versus.range_of_other(range))],
            filters: [self.filters.clone(), self.filters_beside()],
        })
    }

    /// Compares what range and filters leave of both runs, or both as a whole.
    pub fn take_parts(&mut self, parts: Option<Parts>) {
        let Some(versus) = &self.versus else {
            return;
        };
        if let Some(Parts { left, running, .. }) = &parts
            && let Some(summary) = left
        {
            self.left_beside.count(summary);
            if let Some(running) = running {
                self.left_beside.run(Arc::clone(running));
            }
        }
        let of_runs = parts.map(|parts| parts.of_runs);
        let versus = versus.limited(&self.session, of_runs);
        self.compare(versus);
    }

    /// Compares two runs by another measure. O(functions + modules).
    pub fn compare_by(&mut self, measure: Measure, strength: Strength) {
        let Some(versus) = &self.versus else {
            return;
        };
        self.compare(versus.over(&self.session, measure, strength));
    }

    /// Compares two runs with amounts brought on something else.
    pub fn normalise(&mut self, norm: Norm) {
        let Some(versus) = self.versus.as_ref().filter(|it| it.norm() != norm) else {
            return;
        };
        self.compare(versus.normalised(&self.session, norm));
    }

    /// Shows what differs now.
    fn compare(&mut self, versus: Versus) {
        let mut metrics = ModuleMetrics::clone(self.city.metrics());
        metrics.set_difference(versus.difference.clone());
        self.set_versus(versus);
        self.set_metrics(metrics);
    }

    /// Takes what is left out of the run that is not shown, before its calls have been counted.
    pub(super) fn limit_beside(&mut self) {
        let filters = self.filters_beside();
        let Some(resolved) = self.session.recordings.get(OTHER) else {
            return;
        };
        if self.versus.is_none() {
            return;
        }
        let rules = filters.rules(&self.session.hierarchy, &resolved.resolution.modules);
        self.left_beside = self.left_beside.uncounted(rules);
        if let Some(beside) = &mut self.beside {
            beside.leave(self.left_beside.clone());
        }
    }

    /// Takes the same runs with other clocks, or compared by something else.
    pub fn set_versus(&mut self, versus: Versus) {
        self.versus = Some(Arc::new(versus));
    }

    /// Makes it anew, where there is one.
    pub(super) fn renew_beside(&mut self) {
        self.show_beside(self.beside.is_some());
    }

    /// Lays both landscapes out anew by other metrics.
    pub(super) fn set_metrics(&mut self, metrics: ModuleMetrics) {
        let references = Arc::clone(self.city.references());
        let left = self.city.left().clone();
        let landscape = City::with(
            &self.session,
            Arc::new(metrics),
            references,
            &self.settings,
            &self.cut,
        );
        let before = std::mem::replace(&mut self.city, landscape);
        self.city.fade_from_that_of(&before);
        self.city.leave(left);
        self.renew_beside();
    }

    /// Lays it out as the landscape of the run that is shown is now.
    pub(super) fn follow(&mut self) {
        if let Some(beside) = &mut self.beside {
            beside.follow(&self.session, &self.city);
        }
    }

    /// What it has to show: the moment that is the same in the other run.
    pub fn moment_beside(&self) -> Option<Moment> {
        let recording = &self.session.recordings.get(OTHER)?.recording;
        if recording.profile.is_some() {
            return Some(Moment {
                most: self.most_of_both,
                ..Moment::without_time(OTHER)
            });
        }
        let (versus, moment) = (self.versus.as_ref()?, self.moment()?);
        let end = Time::ZERO + recording.trace.duration();
        let at = |time: Time| versus.time_of_other(time).min(end);
        Some(Moment {
            recording: OTHER,
            time: at(moment.time),
            previous: at(moment.previous),
            range: moment.range.map(|range| versus.range_of_other(range)),
            ..moment
        })
    }
}
