//! Margins: how much of a terrace stays free around its children, and where its name lies.

use super::rect::{Rect, smaller};

/// The widest margin at the root, in world units, and how it shrinks from level to level.
const MARGIN: f64 = 9.0;
const MARGIN_DECAY: f64 = 0.8;
/// The widest margin as a share of the shorter side.
const MARGIN_SHARE: f64 = 0.03;

/// What is left of a margin around an only child.
const ONLY_CHILD: f64 = 0.45;

/// The same for the strip at the south edge that holds the name.
const STRIP: f64 = 27.0;
const STRIP_DECAY: f64 = 0.86;
const STRIP_SHARE: f64 = 0.105;

/// The same for half of the street between neighbours.
const STREET: f64 = 3.0;
const STREET_DECAY: f64 = 0.7;
const STREET_SHARE: f64 = 0.035;

fn shrunk(at_root: f64, decay: f64, level: u16) -> f64 {
    at_root * decay.powi(i32::from(level))
}

/// What is left free at one level of the hierarchy, at most: in world units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margins {
    margin: f64,
    strip: f64,
    /// Half of the street between neighbours.
    street: f64,
}

impl Margins {
    pub(super) fn at(level: u16) -> Margins {
        Margins {
            margin: shrunk(MARGIN, MARGIN_DECAY, level),
            strip: shrunk(STRIP, STRIP_DECAY, level),
            street: shrunk(STREET, STREET_DECAY, level),
        }
    }

    /// The part of a terrace that its children share. Around an only child margins are narrow: there is nothing to
    /// keep apart. `named` are the margins of the lowest terrace whose name lies in the strip.
    pub(super) fn inner(&self, rect: Rect, children: usize, named: &Margins) -> Rect {
        let narrowed = if children == 1 { ONLY_CHILD } else { 1.0 };
        let side = rect.width().min(rect.height());
        let margin = self.margin.min(side * MARGIN_SHARE) * narrowed;
        let strip = named.strip.min(side * STRIP_SHARE);
        rect.inset(margin, strip.max(margin))
    }

    /// A block's footprint within the rectangle that the tiling gave it: half a street smaller on each side.
    pub(super) fn separated(&self, rect: Rect) -> Rect {
        let side = smaller(rect.width(), rect.height());
        let street = smaller(self.street, side * STREET_SHARE);
        Rect {
            west: rect.west + street,
            south: rect.south + street,
            east: rect.east - street,
            north: rect.north - street,
        }
    }
}

/// The height of the free strip along the south edge of a terrace, for its name, or for those of a chain of terraces
/// that begins at `level`.
pub fn label_strip(rect: Rect, level: u16) -> f64 {
    let side = rect.width().min(rect.height());
    Margins::at(level).strip.min(side * STRIP_SHARE)
}
