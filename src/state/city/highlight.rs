//! How a range of a metric stands out: blocks with another value, or none, are shown in the neutral colours.

use std::sync::Arc;

use super::City;
use super::blocks::block_of_module;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_filter::marked::Marked;
use callscape_layout::geometry::{BlockKind, Color};
use callscape_look::ink::difference_color;
use callscape_model::difference::CauseAt;
use callscape_model::highlight::Highlight;
use callscape_model::mark::Mark;
use callscape_model::surface::Surface;
use callscape_model::theme::Theme;

use super::surface::color_at;

/// What stands out where colour says nothing has the colour at this share of a metric's scale.
const ACCENT: f32 = 0.8;

/// Beside the blocks of causes so many of those that differ most keep their colours; what is left of the others'.
const STRONG: usize = 5;
const QUIET: f32 = 0.5;

/// How blocks look without a highlight, kept while there is one, and how many it takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    looks: Vec<(Color, Mark)>,
    taken: u32,
}

impl City {
    /// Has the blocks with these values stand out, all alike for none. Linear in modules; nothing else changes.
    pub fn highlight(&mut self, hierarchy: &Hierarchy, highlight: Option<Highlight>) {
        self.settings.highlight = highlight;
        self.stand_out(hierarchy);
    }

    /// Has the blocks of these modules, which are in order, and what holds them stand out, all alike for none. O(blocks
    /// × log modules).
    pub fn light(&mut self, hierarchy: &Hierarchy, modules: Option<Arc<[ModuleId]>>) {
        self.lit = modules;
        self.stand_out(hierarchy);
    }

    /// Whether a module holds one of those that are lit.
    fn is_lit(&self, hierarchy: &Hierarchy, module: ModuleId) -> bool {
        let lit = self.lit.as_ref();
        lit.is_none_or(|lit| holds_one_of(hierarchy, module, lit))
    }

    /// Draws the edges of what is marked: of its blocks, of the files that it stands in, and of what is collapsed around it.
    /// Returns whether any look changed. O(blocks × log modules) where other functions are marked, else O(1).
    pub fn outline(&mut self, hierarchy: &Hierarchy, marked: Option<&Arc<Marked>>) -> bool {
        let is_same = match (&self.outlined, marked) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return false;
        }
        self.outlined = marked.cloned();
        self.draw_edges(hierarchy);
        true
    }

    /// What has its edges drawn.
    pub fn outlined(&self) -> Option<&Marked> {
        self.outlined.as_deref()
    }

    pub(super) fn draw_edges(&mut self, hierarchy: &Hierarchy) {
        self.looks.iter_mut().for_each(|it| it.is_outlined = false);
        for index in self.blocks_of_causes() {
            if let Some(look) = self.looks.get_mut(index as usize) {
                look.is_outlined = true;
            }
        }
        let Some(marked) = self.outlined.clone() else {
            return;
        };
        for (block, look) in self.blocks.iter().zip(&mut self.looks) {
            let is_file = || hierarchy.kind(block.module) == ModuleKind::File;
            let can_be = block.kind != BlockKind::Terrace || is_file();
            look.is_outlined |= can_be && holds_one_of(hierarchy, block.module, &marked.modules);
        }
    }

    /// The blocks of what explains the difference of two runs, where that is shown, the largest cause first.
    fn blocks_of_causes(&self) -> Vec<u32> {
        let is_shown = self.settings.surface == Surface::Difference;
        let causes = self.causes.iter().filter(|_| is_shown);
        let blocks = causes.filter_map(|it| block_of_module(it.to, &self.block_of));
        let is_solid = |&block: &u32| {
            let of = self.blocks.get(block as usize);
            of.is_some_and(|of| of.kind != BlockKind::Terrace)
        };
        blocks.filter(is_solid).collect()
    }

    /// Has the causes of a difference, the largest first, stand out, and what else differs step back. Whether it did not
    /// already; then what was shown of a recording has to be shown again. O(blocks).
    pub fn tell_causes(&mut self, session: &Session, causes: &Arc<[CauseAt]>) -> bool {
        if self.causes == *causes {
            return false;
        }
        self.causes = Arc::clone(causes);
        self.paint(session);
        // Arcs are drawn anew with the next moment, though it may be none.
        self.has_moved = true;
        true
    }

    /// Whether causes of a difference stand out.
    pub fn tells_causes(&self) -> bool {
        self.settings.surface == Surface::Difference && !self.causes.is_empty()
    }

    /// Has what differs beside the causes, and beside what differs most, step back.
    pub(super) fn quiet_others(&mut self) {
        let causes = self.blocks_of_causes();
        if causes.is_empty() {
            return;
        }
        for (index, look) in (0..).zip(&mut self.looks) {
            let most = self.standing_out.iter().take(STRONG);
            if !most.map(|it| it.0).any(|it| it == index) {
                look.data[3] *= QUIET;
            }
        }
        let theme = self.settings.theme;
        for cause in self.causes.iter().rev() {
            // What calls of it cost may differ in what it calls: it has its colour nevertheless.
            if let Some(block) = block_of_module(cause.to, &self.block_of)
                && causes.contains(&block)
                && let Some(look) = self.looks.get_mut(block as usize)
            {
                let [r, g, b] = difference_color(theme, cause.is_more);
                look.data = [r, g, b, 1.0];
            }
        }
    }

    fn stand_out(&mut self, hierarchy: &Hierarchy) {
        self.named.is_old = true;
        for (look, &(data, mark)) in self.looks.iter_mut().zip(&self.plain.looks) {
            (look.data, look.mark) = (data, mark);
        }
        self.plain.taken = 0;
        let highlight = self.settings.highlight;
        if highlight.is_none() && self.lit.is_none() {
            self.plain.looks.clear();
            return;
        }
        if self.plain.looks.len() != self.looks.len() {
            let plain = self.looks.iter().map(|look| (look.data, look.mark));
            self.plain.looks = plain.collect();
        }
        let values = highlight.map(|of| (of, self.metrics.values(hierarchy, of.metric)));
        let takes = |module: ModuleId| {
            values.as_ref().is_none_or(|(of, values)| {
                of.takes(values.get(module.index()).copied().unwrap_or(0.0))
            })
        };
        let accent = accent(self.settings.theme);
        for index in 0..self.blocks.len().min(self.looks.len()) {
            let block = &self.blocks[index];
            let is_ground = block.kind == BlockKind::Terrace;
            let stands_out =
                !is_ground && takes(block.module) && self.is_lit(hierarchy, block.module);
            let look = &mut self.looks[index];
            if !stands_out {
                (look.data, look.mark) = (Color::default(), Mark::None);
                continue;
            }
            self.plain.taken += 1;
            if look.data[3] <= 0.0 {
                look.data = accent;
            }
        }
    }

    /// How many blocks the highlight takes, of how many.
    pub fn highlighted(&self) -> (u32, u32) {
        let solid = |kind: BlockKind| kind != BlockKind::Terrace;
        let all = self.blocks.iter().filter(|block| solid(block.kind)).count();
        (self.plain.taken, u32::try_from(all).unwrap_or(u32::MAX))
    }

    /// After blocks have got other looks.
    pub(super) fn highlight_anew(&mut self, hierarchy: &Hierarchy) {
        self.plain = Plain::default();
        if self.settings.highlight.is_some() || self.lit.is_some() {
            self.stand_out(hierarchy);
        }
    }
}

/// Whether a module is one of `modules`, which are in order, or holds one. O(log n).
fn holds_one_of(hierarchy: &Hierarchy, module: ModuleId, modules: &[ModuleId]) -> bool {
    let subtree = hierarchy.subtree(module);
    let first = modules.partition_point(|it| it.0 < subtree.start);
    modules.get(first).is_some_and(|it| it.0 < subtree.end)
}

fn accent(theme: Theme) -> Color {
    let [r, g, b] = color_at(theme, ACCENT);
    [r, g, b, 1.0]
}
