//! Two runs beside each other in the window: which way, where each is drawn, and what the commands do to it.

use std::sync::Arc;

use glam::Vec2;

use super::ask::{LookAsk, RunsAsk};
use super::versus::Together;
use super::workbench::Workbench;
use crate::filter::cut::Cut;
use crate::model::arcs::ArcMode;
use crate::model::differences::{Choice, Of};
use crate::model::landscape::LandscapeSettings;
use crate::model::pairs::PairRow;
use crate::model::surface::Surface;
use crate::state::city::City;
use crate::views::differences::DifferenceTable;
use crate::views::table::ViewId;

/// The divider of a wipe stays so far from the edges, as a share of the width.
const LEAST: f32 = 0.02;

/// How two runs stand beside each other.
#[derive(Clone, Debug)]
pub struct PairView {
    pub together: Together,
    /// Where the divider of a wipe stands, as a share of the width.
    pub divider: f32,
    /// Districts in which nothing differs are collapsed.
    pub only_differences: bool,
    /// While both can be seen.
    pub halves: Option<Halves>,
    /// How the table of differences is made, and the table.
    pub choice: Choice,
    pub table: Arc<DifferenceTable>,
    /// The same of calling contexts.
    pub contexts: Arc<DifferenceTable>,
    /// Which function is which, as far as that is asked for; and the rows of A and of B that are marked.
    pub pairs_found: Arc<[PairRow]>,
    pub marked: [Option<u32>; 2],
    /// What is to be done, one after the other, when nothing else is under way.
    pub to_do: Vec<RunsAsk>,
    /// What it was made of and how.
    made_for: Option<(u64, Choice, Cut)>,
}

impl Default for PairView {
    fn default() -> PairView {
        PairView {
            together: Together::One,
            divider: 0.5,
            only_differences: false,
            halves: None,
            choice: Choice::default(),
            table: Arc::default(),
            contexts: Arc::default(),
            pairs_found: Arc::default(),
            marked: [None; 2],
            to_do: Vec::new(),
            made_for: None,
        }
    }
}

/// Where both landscapes are in the window, in physical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halves {
    /// The top left corners of the pictures of A and B, which are equally large.
    pub origins: [Vec2; 2],
    /// To the right of it is B.
    pub split: f32,
    /// On which of them the pointer is: 0 for A.
    pub pointed: usize,
}

/// The settings that suit two runs standing otherwise than before: what differs is one landscape's to show, two show
/// the runs as they are. What was chosen besides these stays.
pub fn suited(mut settings: LandscapeSettings, was: Together, now: Together) -> LandscapeSettings {
    let both = (settings.surface, settings.arcs);
    let is_difference = both == (Surface::Difference, ArcMode::Difference);
    let is_plain = both == (Surface::Neutral, ArcMode::All);
    match (was, now) {
        (Together::One, Together::SideBySide | Together::Wipe) if is_difference => {
            (settings.surface, settings.arcs) = (Surface::Neutral, ArcMode::All);
        }
        (Together::SideBySide | Together::Wipe, Together::One) if is_plain => {
            (settings.surface, settings.arcs) = (Surface::Difference, ArcMode::Difference);
        }
        _ => {}
    }
    settings
}

impl Workbench {
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
            _ => Some(&document.landscape),
        }
    }

    /// Does what is asked about two runs; nothing where there is one.
    pub(super) fn arrange_runs(&mut self, ask: RunsAsk) {
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
            RunsAsk::ListDifferences(choice) => self.pair.choice = choice,
            RunsAsk::MarkPair(marked) => self.pair.marked = marked,
            RunsAsk::CorrectPairs(corrections) => self.correct_pairs(corrections),
            RunsAsk::DrawAlong(along) => {
                if let Some(sheets) = self.document.as_mut().and_then(|it| it.sheets.as_mut()) {
                    sheets.draw_along(along);
                }
            }
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
    pub(super) fn go_on(&mut self) {
        if !self.pair.to_do.is_empty() && !self.jobs.is_any() {
            let next = self.pair.to_do.remove(0);
            self.execute(next);
        }
    }

    /// Makes the table of differences anew where it can be seen and is another. O(n log n) then.
    pub(super) fn update_differences(&mut self) {
        let is_seen = self.dock.is_visible(ViewId::Differences);
        let Some(document) = self.document.as_ref().filter(|_| is_seen) else {
            return;
        };
        let Some(versus) = &document.versus else {
            return;
        };
        let cut = match self.pair.choice.of {
            Of::Relations => document.cut.clone(),
            _ => Cut::all(),
        };
        let wanted = (versus.revision(), self.pair.choice.clone(), cut);
        if self.pair.made_for.as_ref() != Some(&wanted) {
            let table = versus.table(&document.session, &document.cut, &self.pair.choice);
            self.pair.table = Arc::new(table);
            self.pair.pairs_found = match self.pair.choice.of {
                Of::Pairs => versus.pairs.found(&self.pair.choice.query).into(),
                _ => Arc::default(),
            };
            self.pair.made_for = Some(wanted);
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
    pub(super) fn show_both(&mut self) {
        let is_wanted = self.pair.together != Together::One;
        if let Some(document) = &mut self.document
            && document.beside.is_some() != (is_wanted && document.versus.is_some())
        {
            document.show_beside(is_wanted);
            self.blocks_are_new = true;
        }
        if self.document.as_ref().is_none_or(|it| it.beside.is_none()) {
            self.pair.halves = None;
        }
    }

    /// Collapses every district in which nothing differs, and expands what does; or expands everything.
    pub(super) fn show_only_differences(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let hierarchy = &document.session.hierarchy;
        let metrics = document.landscape.metrics();
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
mod tests;
