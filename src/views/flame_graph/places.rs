//! Where the rows of a flame graph are.

use egui::{Rect, pos2};

use super::choice::Callees;
use callscape_layout::stacks::Bars;

/// Where rows are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub place: Rect,
    /// Of the outermost row of the first side, its edge towards its callers.
    pub origin: f32,
    pub height: f32,
    pub callees: Callees,
}

impl Rows {
    /// How many rows inwards a row of a side is; callers are outwards.
    fn level(side: usize, row: usize) -> f32 {
        let row = row as f32;
        if side == 0 { row } else { -row }
    }

    fn top(&self, side: usize, row: usize) -> f32 {
        let level = Rows::level(side, row);
        match self.callees {
            Callees::Below => self.origin + level * self.height,
            Callees::Above => self.origin - (level + 1.0) * self.height,
        }
    }

    /// The row at a height, and its side.
    pub(super) fn at(&self, y: f32) -> (usize, usize) {
        let level = match self.callees {
            Callees::Below => (y - self.origin) / self.height,
            Callees::Above => (self.origin - y) / self.height,
        };
        let level = level.floor();
        match level < 0.0 {
            true => (1, -level as usize),
            false => (0, level as usize),
        }
    }

    /// How far the picture has to move for a row to be seen, in points.
    pub(super) fn missing(&self, side: usize, row: usize) -> f32 {
        let top = self.top(side, row);
        let above = (self.place.top() - top).max(0.0);
        let below = (top + self.height - self.place.bottom()).max(0.0);
        above - below
    }

    /// The rows of a side that can be seen, of `count`.
    pub(super) fn seen(&self, side: usize, count: usize) -> std::ops::Range<usize> {
        let ends = [self.place.top(), self.place.bottom()].map(|y| {
            let level = match self.callees {
                Callees::Below => (y - self.origin) / self.height,
                Callees::Above => (self.origin - y) / self.height,
            };
            if side == 0 { level } else { -level }
        });
        let from = ends[0].min(ends[1]).floor().max(0.0) as usize;
        let to = ends[0].max(ends[1]).ceil().max(0.0) as usize + 1;
        // The row of the function in the middle is drawn with its callees.
        from.max(side)..to.min(count)
    }

    /// How many rows of a side cannot be seen, or not a half of them.
    pub(super) fn hidden(&self, side: usize, bars: &Bars) -> usize {
        let is_hidden = |row: &usize| {
            let middle = self.top(side, *row) + self.height * 0.5;
            middle < self.place.top() || middle > self.place.bottom()
        };
        (side..bars.rows()).filter(is_hidden).count()
    }

    pub(super) fn rect(&self, (side, row): (usize, usize), from: f32, to: f32) -> Rect {
        let top = self.top(side, row);
        let left = self.place.left();
        Rect::from_min_max(
            pos2(left + from, top),
            pos2(left + to, top + self.height - 1.0),
        )
    }
}
