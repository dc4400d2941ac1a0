//! The landscape of the other one of two runs: the same layout, its own calls, its clock linked. Of one run it is the sum
//! beside the cel.

use std::sync::Arc;

use super::Document;
use crate::city::City;
use crate::runs::{Part, Runs};
use callscape_analysis::comparison::amounts::{Measure, Timed};
use callscape_analysis::comparison::tables::Norm;
use callscape_analysis::session::Session;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_filter::filters::{Filters, same_functions};
use callscape_filter::running::Running;
use callscape_filter::summary::Summary;
use callscape_model::difference::Strength;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::Moment;

/// What limits two runs: the one that is shown, then the other.
#[derive(Clone, Debug)]
pub struct Limits {
    session: Arc<Session>,
    /// Where they stand in the session.
    places: [usize; 2],
    ranges: [Option<TimeRange>; 2],
    filters: [Filters; 2],
}

impl PartialEq for Limits {
    fn eq(&self, other: &Limits) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
            && self.places == other.places
            && (self.ranges, &self.filters) == (other.ranges, &other.filters)
    }
}

/// What limits leave of two runs.
#[derive(Debug, Default)]
pub struct Parts {
    /// By where the runs stand in the session.
    of_runs: [Arc<Part>; 2],
    /// Of the run that is not shown, where something is left out: what is left, and along time.
    left: Option<Summary>,
    running: Option<Arc<Running>>,
}

impl Limits {
    /// Counts what they leave. O(calls) where something is left out, else O(log calls) summaries.
    pub fn count(&self, progress: &Progress) -> Result<Parts, Cancelled> {
        let mut parts = Parts::default();
        for (which, place) in self.places.into_iter().enumerate() {
            let Some(resolved) = self.session.recordings.get(place) else {
                continue;
            };
            let (recording, range) = (&resolved.recording, self.ranges[which]);
            // Where something is left out of either, both are counted alike.
            if self.filters.iter().all(Filters::is_empty) {
                parts.of_runs[place] = Arc::new(Part {
                    metrics: recording.function_metrics(range),
                    relations: recording.relations(range),
                });
                continue;
            }
            let modules = &resolved.resolution.modules;
            let rules = self.filters[which].rules(&self.session.hierarchy, modules);
            let summary = Summary::of(recording, range, &rules, progress)?;
            parts.of_runs[place] = Arc::new(Part {
                metrics: summary.functions.iter().map(|it| it.metrics).collect(),
                relations: summary.relations.clone(),
            });
            if which == 1 && !rules.is_empty() {
                parts.running = Some(Arc::new(Running::new(&recording.trace, &rules, progress)?));
                parts.left = Some(summary);
            }
        }
        Ok(parts)
    }
}

impl Document {
    /// Makes the landscape of the run that is not shown, or of one run that of the sum so far; or drops it. Linear in
    /// modules and functions.
    pub(crate) fn show_other(&mut self, is_on: bool) {
        if self.runs.is_none() {
            self.other_city = is_on.then(|| {
                let metrics = Arc::clone(self.city.metrics());
                let mut city = self.city.for_other_run(&self.session, metrics);
                city.leave(self.city.left().clone());
                city
            });
            return;
        }
        let runs = self.runs.as_ref().filter(|_| is_on);
        let places = runs.map(|runs| (runs.place_of_other(), runs.places()));
        self.other_city = places.map(|(other, _)| {
            let metrics = self.city.metrics().of_other(&self.session, other);
            let mut city = self.city.for_other_run(&self.session, Arc::new(metrics));
            city.leave(self.left_of_other_run.clone());
            city
        });
        self.most_of_both = Cost::ZERO;
        let is_of_one_unit = self.runs.as_ref().is_some_and(|it| !it.needs_shares());
        if let Some((_, places)) = places.filter(|_| is_of_one_unit) {
            let all = places.into_iter();
            let all = all.filter_map(|place| self.session.recordings.get(place));
            let all = all.flat_map(|it| it.recording.function_metrics(None));
            let most = all.map(|it| it.self_cost).max();
            self.most_of_both = most.unwrap_or_default();
        }
    }

    /// What is left out of the run that is not shown: what is left out of the one that is, as far as it is of both.
    pub fn filters_of_other(&self) -> Filters {
        let runs = self.runs.as_ref();
        let thread = |thread| runs?.thread_of_other(thread);
        let call = |call| runs?.call_of_other(&self.session, call);
        let modules = |place: Option<usize>| {
            let resolved = place.and_then(|place| self.session.recordings.get(place));
            resolved.map_or(&[][..], |it| &it.resolution.modules)
        };
        let other = modules(runs.map(|it| it.place_of_other()));
        let own = modules(Some(self.recording()));
        self.filters
            .of_other_run(thread, call, |of| same_functions(of, own, other))
    }

    /// What limits two runs that both have times; none where nothing does.
    pub(crate) fn limits_of_both(&self) -> Option<Limits> {
        let runs = self.runs.as_ref().filter(|_| self.is_limited())?;
        runs.clocks()?;
        let range = self.selection.range;
        Some(Limits {
            session: Arc::clone(&self.session),
            places: [runs.place(), runs.place_of_other()],
            ranges: [range, range.map(|range| runs.range_of_other(range))],
            filters: [self.filters.clone(), self.filters_of_other()],
        })
    }

    /// Compares what range and filters leave of both runs, or both as a whole.
    pub(crate) fn take_parts(&mut self, parts: Option<Parts>) {
        let Some(runs) = &self.runs else {
            return;
        };
        if let Some(Parts { left, running, .. }) = &parts
            && let Some(summary) = left
        {
            self.left_of_other_run.count(summary);
            if let Some(running) = running {
                self.left_of_other_run.run(Arc::clone(running));
            }
        }
        let of_runs = parts.map(|parts| parts.of_runs);
        let runs = runs.limited(&self.session, of_runs);
        self.compare(runs);
    }

    /// Compares two runs by another measure. O(functions + modules).
    pub(crate) fn compare_by(&mut self, measure: Measure, strength: Strength) {
        let Some(runs) = &self.runs else {
            return;
        };
        self.compare(runs.over(&self.session, measure, strength));
    }

    /// Compares two runs with amounts brought on something else.
    pub(crate) fn normalise(&mut self, norm: Norm) {
        let Some(runs) = self.runs.as_ref().filter(|it| it.norm() != norm) else {
            return;
        };
        self.compare(runs.normalised(&self.session, norm));
    }

    /// Compares two runs in another time.
    pub(crate) fn compare_time(&mut self, timed: Timed) {
        let Some(runs) = self.runs.as_ref().filter(|it| it.timed() != timed) else {
            return;
        };
        self.compare(runs.in_time(&self.session, timed));
    }

    /// Shows what differs now.
    fn compare(&mut self, runs: Runs) {
        let mut metrics = ModuleMetrics::clone(self.city.metrics());
        metrics.set_difference(runs.difference.clone());
        self.set_runs(runs);
        self.set_metrics(metrics);
    }

    /// Takes what is left out of the run that is not shown, before its calls have been counted.
    pub(super) fn limit_other(&mut self) {
        let filters = self.filters_of_other();
        let place = self.runs.as_ref().map(|runs| runs.place_of_other());
        let Some(resolved) = place.and_then(|place| self.session.recordings.get(place)) else {
            return;
        };
        let rules = filters.rules(&self.session.hierarchy, &resolved.resolution.modules);
        self.left_of_other_run = self.left_of_other_run.uncounted(rules);
        if let Some(city) = &mut self.other_city {
            city.leave(self.left_of_other_run.clone());
        }
    }

    /// Leaves out of the sum beside the cel of one run what is left out of the cel.
    pub(super) fn leave_beside(&mut self) {
        if let (None, Some(city)) = (&self.runs, &mut self.other_city) {
            city.leave(self.city.left().clone());
        }
    }

    /// Takes the same runs with other clocks, or compared by something else.
    pub(crate) fn set_runs(&mut self, runs: Runs) {
        self.runs = Some(Arc::new(runs));
    }

    /// Makes it anew, where there is one.
    pub(super) fn renew_other(&mut self) {
        self.show_other(self.other_city.is_some());
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
        self.renew_other();
    }

    /// Lays it out as the landscape of the run that is shown is now.
    pub(super) fn follow(&mut self) {
        if let Some(city) = &mut self.other_city {
            city.follow(&self.session, &self.city);
        }
    }

    /// What it has to show: the moment that is the same in the other run; of one run the sum so far.
    pub fn moment_of_other(&self) -> Option<Moment> {
        let Some(runs) = &self.runs else {
            return self.moment().map(Moment::summed);
        };
        let place = runs.place_of_other();
        let recording = &self.session.recordings.get(place)?.recording;
        if !recording.has_times() {
            return Some(Moment {
                most: self.most_of_both,
                ..Moment::without_time(place)
            });
        }
        let moment = self.moment()?;
        let end = Time::ZERO + recording.trace.duration();
        let at = |time: Time| runs.time_of_other(time).min(end);
        Some(Moment {
            recording: place,
            time: at(moment.time),
            previous: at(moment.previous),
            range: moment.range.map(|range| runs.range_of_other(range)),
            ..moment
        })
    }
}
