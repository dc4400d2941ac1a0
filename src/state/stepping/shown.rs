//! What is shown, read from the state and brought back to it.

use std::sync::Arc;

use super::super::ask::{Ask, OpenAsk, RunsAsk};
use super::super::document::Document;
use super::super::state::State;
use super::super::steps::{Shown, ShownRuns};
use callscape_filter::selection::Pointed;
use callscape_model::landscape::LandscapeSettings;

fn run_of(document: &Document) -> Option<(usize, bool)> {
    let runs = document.runs.as_ref()?;
    Some((runs.input(), runs.is_swapped()))
}

fn value_of(document: &Document) -> Option<usize> {
    let recording = &document.resolved()?.recording;
    (!recording.values().is_empty()).then(|| recording.value())
}

/// Whether both are the same choice; when it was made makes no difference.
pub(crate) fn is_same_choice(a: &Pointed, b: &Pointed) -> bool {
    let timeless = |of: &Pointed| Pointed { time: None, ..*of };
    timeless(a) == timeless(b)
}

/// What a device can hold is no choice.
fn chosen_settings(settings: LandscapeSettings) -> LandscapeSettings {
    LandscapeSettings {
        most_blocks: usize::MAX,
        ..settings
    }
}

impl State {
    fn shown_runs(&self) -> Option<ShownRuns> {
        let runs = self.document.as_ref()?.runs.as_ref()?;
        let view = &self.runs_view;
        Some(ShownRuns {
            together: view.together,
            divider: view.divider,
            only_differences: view.only_differences,
            measure: runs.difference.measure,
            strength: runs.difference.strength,
            norm: runs.norm(),
            timed: runs.timed(),
            link: *runs.link(),
        })
    }

    /// What is shown now; none while nothing is open. What has not changed is shared with the last step.
    pub(super) fn shown(&self) -> Option<Shown> {
        let document = self.document.as_ref()?;
        let noted = self.steps.now();
        let cut = match noted.filter(|it| *it.cut == document.cut) {
            Some(noted) => Arc::clone(&noted.cut),
            None => Arc::new(document.cut.clone()),
        };
        let views = self.panes.arrangement();
        let views = match noted.filter(|it| *it.views == *views) {
            Some(noted) => Arc::clone(&noted.views),
            None => Arc::new(views.clone()),
        };
        Some(Shown {
            run: run_of(document),
            value: value_of(document),
            filters: document.filters.clone(),
            cut,
            detail_by_size: self.look.detail_by_size,
            range: document.selection.range,
            settings: chosen_settings(self.settings),
            runs: self.shown_runs(),
            chosen: document.selection.chosen,
            views,
            maximised: self.panes.maximised,
            text_scale: self.look.text_scale,
            own: self.steps.own.clone(),
        })
    }

    /// Whether what is shown is what was noted last. What is collapsed, of which there may be much, is looked at only
    /// where something was asked for since.
    pub(super) fn is_as_noted(&self, is_touched: bool) -> bool {
        let (Some(document), Some(noted)) = (&self.document, self.steps.now()) else {
            return true;
        };
        let is_same_cut = !is_touched || self.look.detail_by_size || *noted.cut == document.cut;
        is_same_choice(&noted.chosen, &document.selection.chosen)
            && noted.range == document.selection.range
            && noted.settings == chosen_settings(self.settings)
            && noted.filters.steps() == document.filters.steps()
            && noted.detail_by_size == self.look.detail_by_size
            && noted.text_scale == self.look.text_scale
            && noted.maximised == self.panes.maximised
            && noted.run == run_of(document)
            && noted.value == value_of(document)
            && noted.own == self.steps.own
            && noted.runs == self.shown_runs()
            && *noted.views == *self.panes.arrangement()
            && is_same_cut
    }

    /// The job that brings what is shown nearer to `target`; none where nothing else is needed.
    pub(super) fn job_towards(&self, target: &Shown) -> Option<Ask> {
        let document = self.document.as_ref()?;
        if let Some(value) = target.value.filter(|_| target.value != value_of(document)) {
            let recording = &document.resolved()?.recording;
            let name = recording.values().get(value)?.name.clone();
            return Some(OpenAsk::ShowValue(name).into());
        }
        let ((input, swapped), (is_input, is_swapped)) = (target.run?, run_of(document)?);
        if swapped != is_swapped {
            return Some(RunsAsk::Swap.into());
        }
        (input != is_input).then(|| RunsAsk::Flip.into())
    }

    /// Shows what `target` says, of the run and the value that are shown.
    pub(super) fn restore(&mut self, target: &Shown) {
        self.restore_runs(target);
        let Some(document) = &mut self.document else {
            return;
        };
        let chosen = document.existing(target.chosen);
        let range = document.selection.range;
        let is_left = (target.range, target.filters.steps()) != (range, document.filters.steps());
        document.selection.change(|it| it.chosen = chosen);
        if is_left {
            // What has been found out since is known.
            let filters = target.filters.clone().knowing(&document.filters);
            document.limit(target.range, filters);
            self.work.outdate_count();
        }
        self.steps.own = target.own.clone();
        self.restore_look(target);
        self.look.text_scale = target.text_scale;
        self.look.names += 1;
        if *target.views != *self.panes.arrangement() {
            self.panes.arrange(&target.views);
        }
        if self.panes.maximised != target.maximised
            && let Some(view) = target.maximised.or(self.panes.maximised)
        {
            self.panes.maximise(view);
        }
        self.show_chosen();
    }

    /// What is collapsed, and what the landscape maps to what.
    fn restore_look(&mut self, target: &Shown) {
        let Some(document) = &mut self.document else {
            return;
        };
        let settings = LandscapeSettings {
            most_blocks: self.settings.most_blocks,
            ..target.settings
        };
        let is_same_cut = *target.cut == document.cut;
        if !is_same_cut {
            document.cut = (*target.cut).clone();
        }
        self.look.detail_by_size = target.detail_by_size;
        let highlight = settings.highlight;
        let plain = |of: LandscapeSettings| LandscapeSettings {
            highlight: None,
            ..of
        };
        if !is_same_cut || plain(settings) != plain(self.settings) {
            self.configure(settings);
        } else if highlight != self.settings.highlight {
            self.highlight(highlight);
        }
    }

    /// How two runs are compared and how they stand.
    fn restore_runs(&mut self, target: &Shown) {
        let (Some(now), Some(then)) = (self.shown_runs(), target.runs) else {
            return;
        };
        if (now.measure, now.strength) != (then.measure, then.strength) {
            self.on_runs(RunsAsk::CompareBy(then.measure, then.strength));
        }
        if now.timed != then.timed {
            self.on_runs(RunsAsk::CompareTime(then.timed));
        }
        if now.norm != then.norm {
            self.on_runs(RunsAsk::Normalise(then.norm));
        }
        if now.link != then.link {
            self.on_runs(RunsAsk::LinkClocks(then.link));
        }
        let view = &mut self.runs_view;
        view.divider = then.divider;
        view.only_differences = then.only_differences;
        if view.together != then.together {
            view.together = then.together;
            self.show_both();
        }
    }
}
