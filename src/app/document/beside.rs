//! The landscape of the other one of two runs: the same layout, its own calls, its clock linked.

use std::sync::Arc;

use super::Document;
use crate::analysis::comparison::amounts::Measure;
use crate::app::versus::Versus;
use crate::units::Time;
use crate::views::difference::Strength;
use crate::views::landscape::{LandscapeView, Moment};
use crate::views::metrics::ModuleMetrics;

/// Where the run that is not shown stands in the session.
const OTHER: usize = 1;

impl Document {
    /// Makes the landscape of the run that is not shown, or drops it. Linear in modules and functions.
    pub fn show_beside(&mut self, is_on: bool) {
        let is_on = is_on && self.versus.is_some() && self.session.recordings.len() > OTHER;
        self.beside = is_on.then(|| {
            let metrics = self.landscape.metrics().of_other(&self.session, OTHER);
            self.landscape.twin(&self.session, Arc::new(metrics))
        });
    }

    /// Compares two runs by another measure. O(functions + modules).
    pub fn compare_by(&mut self, measure: Measure, strength: Strength) {
        let Some(versus) = &self.versus else {
            return;
        };
        let versus = versus.over(&self.session, measure, strength);
        let mut metrics = ModuleMetrics::clone(self.landscape.metrics());
        metrics.set_difference(versus.difference.clone());
        self.set_versus(versus);
        self.set_metrics(metrics);
    }

    /// Takes the same runs with other clocks, or compared by something else.
    pub fn set_versus(&mut self, versus: Versus) {
        let versus = Some(Arc::new(versus));
        if let Some(sheets) = &mut self.sheets {
            sheets.compare(&self.session, versus.as_ref());
        }
        self.versus = versus;
    }

    /// Makes it anew, where there is one.
    pub(super) fn renew_beside(&mut self) {
        self.show_beside(self.beside.is_some());
    }

    /// Lays both landscapes out anew by other metrics.
    pub(super) fn set_metrics(&mut self, metrics: ModuleMetrics) {
        let references = Arc::clone(self.landscape.references());
        let left = self.landscape.left().clone();
        self.landscape = LandscapeView::with(
            &self.session,
            Arc::new(metrics),
            references,
            &self.settings,
            &self.cut,
        );
        self.landscape.leave(left);
        self.renew_beside();
    }

    /// Lays it out as the landscape of the run that is shown is now.
    pub(super) fn follow(&mut self) {
        if let Some(beside) = &mut self.beside {
            beside.follow(&self.session, &self.landscape);
        }
    }

    /// What it has to show: the moment that is the same in the other run.
    pub fn moment_beside(&self) -> Option<Moment> {
        let recording = &self.session.recordings.get(OTHER)?.recording;
        if recording.profile.is_some() {
            return Some(Moment::without_time(OTHER));
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
