//! How a range of a metric stands out: blocks with another value, or none, are shown in the neutral colours.

use std::sync::Arc;

use super::City;
use crate::facts::hierarchy::Hierarchy;
use crate::layout::geometry::{BlockKind, Color};
use crate::model::highlight::Highlight;
use crate::model::mark::Mark;
use crate::model::theme::Theme;
use crate::units::ModuleId;

use super::surface::color_at;

/// What stands out where colour says nothing has the colour at this share of a metric's scale.
const ACCENT: f32 = 0.8;

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
        self.lit.as_ref().is_none_or(|lit| {
            let subtree = hierarchy.subtree(module);
            let first = lit.partition_point(|lit| lit.0 < subtree.start);
            lit.get(first).is_some_and(|lit| lit.0 < subtree.end)
        })
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

fn accent(theme: Theme) -> Color {
    let [r, g, b] = color_at(theme, ACCENT);
    [r, g, b, 1.0]
}
