//! What is asked about two runs: how they stand beside each other, and which part of the window is which.

use glam::Vec2;

use super::State;
use super::ask::{LookAsk, RunsAsk};
use super::city::City;
use super::pair::{Halves, suited};
use super::versus::Together;

/// The divider of a wipe stays this far from the edges, as a share of the width.
const LEAST: f32 = 0.02;

impl State {
    /// Whether two landscapes are to be drawn.
    pub fn shows_both(&self) -> bool {
        let document = self.document.as_ref();
        self.pair.together != Together::One && document.is_some_and(|it| it.beside.is_some())
    }

    /// Tells where both landscapes are, or that only one is.
    pub fn set_halves(&mut self, halves: Option<Halves>) {
        let pointed = self.pair.halves.map_or(0, |it| it.pointed);
        self.pair.halves = halves.map(|halves| Halves { pointed, ..halves });
        if let Some(halves) = &self.pair.halves {
            self.viewport.origin = halves.origins[halves.pointed];
        }
    }

    /// The top left corner in the window of the landscape, or of that of a second run, `which` 1, in physical pixels.
    pub fn corner(&self, which: usize) -> Vec2 {
        let versus = self.document.as_ref().and_then(|it| it.versus.as_ref());
        let own = versus.map_or(0, |versus| versus.side());
        let side = if which == 0 { own } else { 1 - own.min(1) };
        let halves = self.pair.halves.as_ref();
        let origin = halves.and_then(|halves| halves.origins.get(side));
        origin.copied().unwrap_or(self.viewport.origin)
    }

    /// Notes on which landscape a place of the window is, in physical pixels; while something is dragged it stays
    /// with the one where that began.
    pub fn enter_half(&mut self, at: Vec2) {
        let is_dragging = self.pointer.is_pressed();
        if let Some(halves) = self.pair.halves.as_mut().filter(|_| !is_dragging) {
            halves.pointed = usize::from(at.x >= halves.split);
            self.viewport.origin = halves.origins[halves.pointed];
        }
    }

    /// The landscape under the pointer.
    pub fn landscape_pointed_at(&self) -> Option<&City> {
        let document = self.document.as_ref()?;
        let own = document.versus.as_ref().map_or(0, |versus| versus.side());
        match (&document.beside, &self.pair.halves) {
            (Some(beside), Some(halves)) if halves.pointed != own => Some(beside),
            _ => Some(&document.city),
        }
    }

    /// Does what is asked about two runs; nothing where there is one.
    pub fn arrange_runs(&mut self, ask: RunsAsk) {
        if ask == RunsAsk::Flip {
            return self.flip();
        }
        let Some(versus) = self.document.as_ref().and_then(|it| it.versus.as_ref()) else {
            return;
        };
        match ask {
            RunsAsk::Together(wanted) => {
                let next = wanted.unwrap_or(self.pair.together.next());
                self.stand(next);
            }
            RunsAsk::Swap => self.swap_runs(),
            RunsAsk::LinkClocks(link) if *versus.link() != link => self.link_clocks(link),
            RunsAsk::CompareBy(measure, strength) => {
                if let Some(document) = &mut self.document {
                    document.compare_by(measure, strength);
                    self.blocks_moved();
                }
                if self.pair.only_differences {
                    self.show_only_differences();
                }
            }
            RunsAsk::Normalise(norm) => {
                if let Some(document) = &mut self.document {
                    document.normalise(norm);
                    self.blocks_moved();
                }
                if self.pair.only_differences {
                    self.show_only_differences();
                }
            }
            RunsAsk::CorrectPairs(corrections) => self.correct_pairs(corrections),
            RunsAsk::MoveDivider(share) if share.is_finite() => {
                self.pair.divider = share.clamp(LEAST, 1.0 - LEAST);
            }
            RunsAsk::ToggleOnlyDifferences => {
                self.pair.only_differences ^= true;
                self.show_only_differences();
            }
            // Nothing changes, or it was handled above.
            RunsAsk::Flip | RunsAsk::LinkClocks(_) | RunsAsk::MoveDivider(_) => {}
        }
    }

    /// Does the next of what is to be done.
    pub fn go_on(&mut self) {
        if !self.pair.to_do.is_empty() && !self.jobs.is_any() {
            let next = self.pair.to_do.remove(0);
            self.execute(next);
        }
    }

    /// Both beside each other show the runs as they are, one landscape what differs, until something else is asked
    /// for.
    fn stand(&mut self, together: Together) {
        let was = std::mem::replace(&mut self.pair.together, together);
        let settings = suited(self.settings, was, together);
        self.show_both();
        if settings != self.settings {
            self.execute(LookAsk::Configure(settings));
        }
    }

    /// Makes the second landscape where it is needed, and drops it where not.
    pub fn show_both(&mut self) {
        let is_wanted = self.pair.together != Together::One;
        if let Some(document) = &mut self.document
            && document.beside.is_some() != (is_wanted && document.versus.is_some())
        {
            document.show_beside(is_wanted);
            self.stamps.blocks += 1;
        }
        if self.document.as_ref().is_none_or(|it| it.beside.is_none()) {
            self.pair.halves = None;
        }
    }

    /// Collapses every district in which nothing differs, and expands what does; or expands everything.
    pub fn show_only_differences(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let hierarchy = &document.session.hierarchy;
        let metrics = document.city.metrics();
        let mut cut = document.cut.clone();
        cut.expand_all();
        if let (Some(difference), true) = (metrics.difference(), self.pair.only_differences) {
            for module in difference.unchanged(hierarchy) {
                cut.collapse(hierarchy, module);
            }
        }
        self.detail_by_size = false;
        if cut != document.cut {
            document.cut = cut;
            self.lay_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{CutAsk, PlayAsk};
    use super::super::testing::{open, settle, tiny, two_runs};
    use super::*;
    use crate::analysis::comparison::amounts::Measure;
    use crate::model::arcs::ArcMode;
    use crate::model::difference::Strength;
    use crate::model::surface::Surface;
    use crate::units::{ModuleId, Time};

    #[test]
    fn both_landscapes_have_one_layout_and_linked_clocks() {
        let mut state = two_runs();
        assert!(!state.shows_both());
        state.execute(RunsAsk::Together(Some(Together::SideBySide)));
        assert!(state.shows_both());
        state.execute(PlayAsk::Seek(Time::from_ns(30_000)));
        let alike = |state: &State| {
            let document = open(state);
            let beside = document.beside.as_ref().expect("both are shown");
            assert_eq!(document.city.blocks(), beside.blocks());
            let (own, other) = (document.moment(), document.moment_beside());
            let (own, other) = (own.expect("times"), other.expect("times"));
            let versus = document.versus.as_ref().expect("two runs");
            assert_eq!((own.recording, other.recording), (0, 1));
            assert_eq!(other.time, versus.time_of_other(own.time));
        };
        alike(&state);
        state.execute(CutAsk::CollapseOrExpand(Some(ModuleId(1))));
        alike(&state);
        state.execute(RunsAsk::CompareBy(Measure::Calls, Strength::Relative));
        state.execute(RunsAsk::ToggleOnlyDifferences);
        alike(&state);
        let before = open(&state).moment_beside().expect("times").time;
        state.execute(RunsAsk::Flip);
        settle(&mut state);
        alike(&state);
        let versus = open(&state).versus.clone().expect("two runs");
        let is_by = versus.difference.measure;
        assert_eq!((versus.letter(), is_by), ("B", Measure::Calls));
        // What was the other's time is now the time that plays.
        assert_eq!(open(&state).moment().expect("times").time, before);
        state.execute(RunsAsk::Together(Some(Together::One)));
        assert!(open(&state).beside.is_none() && !state.shows_both());
    }

    #[test]
    fn two_landscapes_show_the_runs_as_they_are_and_one_what_differs() {
        let mut state = two_runs();
        let shows = |state: &State| (state.settings.surface, state.settings.arcs);
        assert_eq!(shows(&state), (Surface::Difference, ArcMode::Difference));
        state.execute(RunsAsk::Together(Some(Together::Wipe)));
        assert_eq!(shows(&state), (Surface::Neutral, ArcMode::All));
        state.execute(RunsAsk::Together(Some(Together::One)));
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
            assert_eq!(state.pair.divider, is, "{asked}");
        }
    }

    #[test]
    fn one_run_has_no_second_one_beside_it() {
        let mut state = tiny();
        for ask in [
            RunsAsk::Together(Some(Together::SideBySide)),
            RunsAsk::MoveDivider(0.1),
            RunsAsk::ToggleOnlyDifferences,
            RunsAsk::Flip,
            RunsAsk::Swap,
        ] {
            state.execute(ask.clone());
            assert!(!state.jobs.is_any() && !state.shows_both(), "{ask:?}");
        }
        assert_eq!(state.pair.divider, 0.5);
    }

    #[test]
    fn the_pointer_is_on_the_half_that_it_is_over_and_stays_there_in_a_drag() {
        let mut state = two_runs();
        state.execute(RunsAsk::Together(Some(Together::SideBySide)));
        let corners = [Vec2::ZERO, Vec2::new(400.0, 0.0)];
        state.set_halves(Some(Halves {
            origins: corners,
            split: 400.0,
            pointed: 0,
        }));
        assert_eq!([0, 1].map(|which| state.corner(which)), corners);
        state.enter_half(Vec2::new(500.0, 10.0));
        assert_eq!(state.viewport.origin, corners[1]);
        let beside = open(&state).beside.as_ref();
        assert!(std::ptr::eq(
            state.landscape_pointed_at().expect("a landscape"),
            beside.expect("both are shown")
        ));
        state.pointer.at = Some(Vec2::new(100.0, 10.0));
        state.pointer_pressed(super::super::pointer::Button::Left, false);
        state.enter_half(Vec2::new(10.0, 10.0));
        assert_eq!(state.viewport.origin, corners[1], "it is dragging");
        state.release_pointer();
        state.enter_half(Vec2::new(10.0, 10.0));
        assert_eq!(state.viewport.origin, corners[0]);
        // Frames that place the halves again keep on which the pointer is.
        state.enter_half(Vec2::new(500.0, 10.0));
        state.set_halves(Some(Halves {
            origins: corners,
            split: 400.0,
            pointed: 0,
        }));
        assert_eq!(state.viewport.origin, corners[1]);
    }

    #[test]
    fn what_is_to_be_done_waits_for_what_is_under_way() {
        let mut state = two_runs();
        state.pair.to_do = vec![RunsAsk::Flip, RunsAsk::Together(Some(Together::Wipe))];
        state.go_on();
        assert!(state.jobs.is_revising());
        state.go_on();
        assert_eq!(state.pair.to_do.len(), 1);
        settle(&mut state);
        assert_eq!(state.pair.together, Together::Wipe);
    }
}
