//! What is asked about two runs: how they stand beside each other, and which part of the window is which.

use glam::Vec2;

use super::ask::{LookAsk, RunsAsk};
use super::city::City;
use super::document::{Change, Document};
use super::runs::RunsLayout;
use super::runs_view::{Halves, suited};
use super::state::State;

/// The divider of a wipe stays this far from the edges, as a share of the width.
const LEAST: f32 = 0.02;

impl State {
    /// Whether two landscapes are to be drawn.
    pub fn shows_both(&self) -> bool {
        let document = self.document.as_ref();
        self.layout_of_both() != RunsLayout::One
            && document.is_some_and(|it| it.other_city.is_some())
    }

    /// How two landscapes stand beside each other: those of two runs, or the cel of one and the sum so far.
    pub fn layout_of_both(&self) -> RunsLayout {
        let document = self.document.as_ref();
        let has_sum = |it: &Document| self.runs_view.with_sum && it.playback.is_some();
        match document.filter(|it| it.runs.is_none()) {
            Some(document) if has_sum(document) => RunsLayout::SideBySide,
            Some(_) => RunsLayout::One,
            None => self.runs_view.together,
        }
    }

    /// Shows the sum so far beside the cel of one run, or no longer.
    pub fn show_with_sum(&mut self, is_on: bool) {
        self.runs_view.with_sum = is_on;
        self.show_both();
    }

    /// Tells where both landscapes are, or that only one is.
    pub fn set_halves(&mut self, halves: Option<Halves>) {
        let pointed = self.runs_view.halves.map_or(0, |it| it.pointed);
        self.runs_view.halves = halves.map(|halves| Halves { pointed, ..halves });
        if let Some(halves) = &self.runs_view.halves {
            self.moving.viewport.origin = halves.origins[halves.pointed];
        }
    }

    /// The top left corner in the window of the landscape, or of that of a second run, `which` 1, in physical pixels.
    pub fn corner(&self, which: usize) -> Vec2 {
        let runs = self.document.as_ref().and_then(|it| it.runs.as_ref());
        let own = runs.map_or(0, |runs| runs.side());
        let side = if which == 0 { own } else { 1 - own.min(1) };
        let halves = self.runs_view.halves.as_ref();
        let origin = halves.and_then(|halves| halves.origins.get(side));
        origin.copied().unwrap_or(self.moving.viewport.origin)
    }

    /// Notes on which landscape a place of the window is, in physical pixels; while something is dragged it stays
    /// with the one where that began.
    pub fn enter_half(&mut self, at: Vec2) {
        let is_dragging = self.moving.pointer.is_pressed();
        if let Some(halves) = self.runs_view.halves.as_mut().filter(|_| !is_dragging) {
            halves.pointed = usize::from(at.x >= halves.split);
            self.moving.viewport.origin = halves.origins[halves.pointed];
        }
    }

    /// The landscape under the pointer.
    pub(crate) fn landscape_pointed_at(&self) -> Option<&City> {
        let document = self.document.as_ref()?;
        let own = document.runs.as_ref().map_or(0, |runs| runs.side());
        match (&document.other_city, &self.runs_view.halves) {
            (Some(beside), Some(halves)) if halves.pointed != own => Some(beside),
            _ => Some(&document.city),
        }
    }

    /// Does what is asked about two runs; nothing where there is one.
    pub(crate) fn on_runs(&mut self, ask: RunsAsk) {
        if ask == RunsAsk::Flip {
            return self.begin_change(Change::Flip);
        }
        let Some(runs) = self.document.as_ref().and_then(|it| it.runs.as_ref()) else {
            return;
        };
        match ask {
            RunsAsk::Together(wanted) => {
                let next = wanted.unwrap_or(self.runs_view.together.next());
                self.stand(next);
            }
            RunsAsk::Swap => self.begin_change(Change::Swap),
            RunsAsk::LinkClocks(link) if *runs.link() != link => self.link_clocks(link),
            RunsAsk::CompareBy(measure, strength) => {
                if let Some(document) = &mut self.document {
                    document.compare_by(measure, strength);
                    self.blocks_moved();
                }
                if self.runs_view.only_differences {
                    self.show_only_differences();
                }
            }
            RunsAsk::Normalise(norm) => {
                if let Some(document) = &mut self.document {
                    document.normalise(norm);
                    self.blocks_moved();
                }
                if self.runs_view.only_differences {
                    self.show_only_differences();
                }
            }
            RunsAsk::CompareTime(timed) if runs.timed() != timed && runs.knows_waiting() => {
                if let Some(document) = &mut self.document {
                    document.compare_time(timed);
                    self.blocks_moved();
                }
                if self.runs_view.only_differences {
                    self.show_only_differences();
                }
            }
            RunsAsk::CorrectPairs(corrections) => self.begin_change(Change::Pairs(corrections)),
            RunsAsk::MoveDivider(share) if share.is_finite() => {
                self.runs_view.divider = share.clamp(LEAST, 1.0 - LEAST);
            }
            RunsAsk::ToggleOnlyDifferences => {
                self.runs_view.only_differences ^= true;
                self.show_only_differences();
            }
            // Nothing changes, or it was handled above.
            RunsAsk::Flip
            | RunsAsk::LinkClocks(_)
            | RunsAsk::CompareTime(_)
            | RunsAsk::MoveDivider(_) => {}
        }
    }

    /// Does the next of what is to be done.
    pub fn go_on(&mut self) {
        if !self.runs_view.to_do.is_empty() && !self.work.jobs.is_any() {
            let next = self.runs_view.to_do.remove(0);
            self.execute(next);
        }
    }

    /// Both beside each other show the runs as they are, one landscape what differs, until something else is asked
    /// for.
    fn stand(&mut self, together: RunsLayout) {
        let was = std::mem::replace(&mut self.runs_view.together, together);
        let settings = suited(self.settings, was, together);
        self.show_both();
        if settings != self.settings {
            self.execute(LookAsk::Configure(settings));
        }
    }

    /// Makes the second landscape where it is needed, and drops it where not.
    pub fn show_both(&mut self) {
        let is_wanted = self.layout_of_both() != RunsLayout::One;
        if let Some(document) = &mut self.document
            && document.other_city.is_some() != is_wanted
        {
            document.show_other(is_wanted);
            self.look.blocks += 1;
        }
        if self
            .document
            .as_ref()
            .is_none_or(|it| it.other_city.is_none())
        {
            self.runs_view.halves = None;
        }
    }

    /// Collapses every district in which nothing differs, and expands what does; or expands everything.
    pub(crate) fn show_only_differences(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let hierarchy = &document.session.hierarchy;
        let metrics = document.city.metrics();
        let mut cut = document.cut.clone();
        cut.expand_all();
        if let (Some(difference), true) = (metrics.difference(), self.runs_view.only_differences) {
            for module in difference.unchanged(hierarchy) {
                cut.collapse(hierarchy, module);
            }
        }
        self.look.detail_by_size = false;
        if cut != document.cut {
            document.cut = cut;
            self.lay_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{open, settle, tiny, two_runs};
    use super::*;
    use callscape_model::arcs::ArcMode;
    use callscape_model::surface::Surface;

    #[test]
    fn two_landscapes_show_the_runs_as_they_are_and_one_what_differs() {
        let mut state = two_runs();
        let shows = |state: &State| (state.settings.surface, state.settings.arcs);
        assert_eq!(shows(&state), (Surface::Difference, ArcMode::Difference));
        state.execute(RunsAsk::Together(Some(RunsLayout::Wipe)));
        assert_eq!(shows(&state), (Surface::Neutral, ArcMode::All));
        state.execute(RunsAsk::Together(Some(RunsLayout::One)));
        assert_eq!(shows(&state), (Surface::Difference, ArcMode::Difference));
    }

    #[test]
    fn only_differences_collapses_what_is_alike_until_it_is_expanded() {
        let mut state = two_runs();
        let collapsed = |state: &State| open(state).cut.collapsed().count();
        let visible = |state: &State| open(state).city.blocks().len();
        let all = visible(&state);
        state.execute(RunsAsk::ToggleOnlyDifferences);
        let document = open(&state);
        let difference = document.city.metrics().difference().expect("two runs");
        let alike = difference.unchanged(&document.session.hierarchy).len();
        assert_eq!(collapsed(&state), alike);
        state.execute(RunsAsk::ToggleOnlyDifferences);
        assert_eq!((collapsed(&state), visible(&state)), (0, all));
    }

    #[test]
    fn the_divider_stays_within_the_landscape() {
        let mut state = two_runs();
        for (asked, is) in [
            (0.3, 0.3),
            (-1.0, LEAST),
            (2.0, 1.0 - LEAST),
            (f32::NAN, 1.0 - LEAST),
        ] {
            state.execute(RunsAsk::MoveDivider(asked));
            assert_eq!(state.runs_view.divider, is, "{asked}");
        }
    }

    #[test]
    fn one_run_has_no_second_one_beside_it() {
        let mut state = tiny();
        for ask in [
            RunsAsk::Together(Some(RunsLayout::SideBySide)),
            RunsAsk::MoveDivider(0.1),
            RunsAsk::ToggleOnlyDifferences,
            RunsAsk::Flip,
            RunsAsk::Swap,
        ] {
            state.execute(ask.clone());
            assert!(!state.work.jobs.is_any() && !state.shows_both(), "{ask:?}");
        }
        assert_eq!(state.runs_view.divider, 0.5);
    }

    #[test]
    fn the_pointer_is_on_the_half_that_it_is_over_and_stays_there_in_a_drag() {
        let mut state = two_runs();
        state.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
        let corners = [Vec2::ZERO, Vec2::new(400.0, 0.0)];
        state.set_halves(Some(Halves {
            origins: corners,
            split: 400.0,
            pointed: 0,
        }));
        assert_eq!([0, 1].map(|which| state.corner(which)), corners);
        state.enter_half(Vec2::new(500.0, 10.0));
        assert_eq!(state.moving.viewport.origin, corners[1]);
        let beside = open(&state).other_city.as_ref();
        assert!(std::ptr::eq(
            state.landscape_pointed_at().expect("a landscape"),
            beside.expect("both are shown")
        ));
        state.moving.pointer.at = Some(Vec2::new(100.0, 10.0));
        state.pointer_pressed(super::super::pointer::Button::Left, false);
        state.enter_half(Vec2::new(10.0, 10.0));
        assert_eq!(state.moving.viewport.origin, corners[1], "it is dragging");
        state.release_pointer();
        state.enter_half(Vec2::new(10.0, 10.0));
        assert_eq!(state.moving.viewport.origin, corners[0]);
        // Frames that place the halves again keep on which the pointer is.
        state.enter_half(Vec2::new(500.0, 10.0));
        state.set_halves(Some(Halves {
            origins: corners,
            split: 400.0,
            pointed: 0,
        }));
        assert_eq!(state.moving.viewport.origin, corners[1]);
    }

    #[test]
    fn what_is_to_be_done_waits_for_what_is_under_way() {
        let mut state = two_runs();
        state.runs_view.to_do = vec![RunsAsk::Flip, RunsAsk::Together(Some(RunsLayout::Wipe))];
        state.go_on();
        assert!(state.work.jobs.is_revising());
        state.go_on();
        assert_eq!(state.runs_view.to_do.len(), 1);
        settle(&mut state);
        assert_eq!(state.runs_view.together, RunsLayout::Wipe);
    }
}
