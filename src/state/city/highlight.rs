//! How a range of a metric stands out: blocks with another value, or none, are shown in the neutral colours.

use super::City;
use crate::facts::hierarchy::Hierarchy;
use crate::layout::geometry::{BlockKind, Color};
use crate::model::highlight::Highlight;
use crate::model::mark::Mark;
use crate::model::theme::Theme;

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
        self.named.is_old = true;
        for (look, &(data, mark)) in self.looks.iter_mut().zip(&self.plain.looks) {
            (look.data, look.mark) = (data, mark);
        }
        self.plain.taken = 0;
        let Some(highlight) = highlight else {
            self.plain.looks.clear();
            return;
        };
        if self.plain.looks.len() != self.looks.len() {
            let plain = self.looks.iter().map(|look| (look.data, look.mark));
            self.plain.looks = plain.collect();
        }
        let values = self.metrics.values(hierarchy, highlight.metric);
        let accent = accent(self.settings.theme);
        for (look, block) in self.looks.iter_mut().zip(&self.blocks) {
            let value = values.get(block.module.index()).copied().unwrap_or(0.0);
            if block.kind == BlockKind::Terrace || !highlight.takes(value) {
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
        if self.settings.highlight.is_some() {
            self.highlight(hierarchy, self.settings.highlight);
        }
    }
}

fn accent(theme: Theme) -> Color {
    let [r, g, b] = color_at(theme, ACCENT);
    [r, g, b, 1.0]
}
