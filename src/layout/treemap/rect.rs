//! Rectangles of the ground plan.

use crate::geometry::Block;

/// A rectangle of the ground plan, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    pub west: f64,
    pub south: f64,
    pub east: f64,
    pub north: f64,
}

impl Rect {
    pub fn width(&self) -> f64 {
        self.east - self.west
    }

    pub fn height(&self) -> f64 {
        self.north - self.south
    }

    /// Takes a share of the width away from the west side and gives it back.
    pub(super) fn cut_west(&mut self, share: f64) -> Rect {
        let edge = (self.west + self.width() * share).min(self.east);
        let cut = Rect {
            east: edge,
            ..*self
        };
        self.west = edge;
        cut
    }

    /// Takes a share of the height away from the south side and gives it back.
    pub(super) fn cut_south(&mut self, share: f64) -> Rect {
        let edge = (self.south + self.height() * share).min(self.north);
        let cut = Rect {
            north: edge,
            ..*self
        };
        self.south = edge;
        cut
    }

    /// Smaller by `side`, and by `south` at its south edge; never turned inside out.
    pub(super) fn inset(&self, side: f64, south: f64) -> Rect {
        let side = side.min(0.5 * self.width()).min(0.5 * self.height());
        let inset = Rect {
            west: self.west + side,
            south: self.south + south,
            east: self.east - side,
            north: self.north - side,
        };
        Rect {
            east: inset.east.max(inset.west),
            south: inset.south.min(inset.north),
            ..inset
        }
    }

    pub fn of_block(block: &Block) -> Rect {
        Rect {
            west: f64::from(block.min.x),
            south: f64::from(block.min.y),
            east: f64::from(block.max.x),
            north: f64::from(block.max.y),
        }
    }
}

/// The smaller of two; the second where the first is no number. One instruction, which `f64::min` is not.
pub(super) fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}
