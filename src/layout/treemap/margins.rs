//! Margins: how much of a terrace stays free around its children, and where its name lies.

use super::Rect;

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

fn margin(rect: Rect, level: u16) -> f64 {
    let side = rect.width().min(rect.height());
    shrunk(MARGIN, MARGIN_DECAY, level).min(side * MARGIN_SHARE)
}

/// The height of the free strip along the south edge of a terrace, for its name.
pub fn label_strip(rect: Rect, level: u16) -> f64 {
    let side = rect.width().min(rect.height());
    shrunk(STRIP, STRIP_DECAY, level).min(side * STRIP_SHARE)
}

/// The part of a terrace that its children share. Chains of only children, as source trees begin with,
/// have narrow margins: there is nothing to keep apart.
pub(super) fn inner(rect: Rect, level: u16, children: usize) -> Rect {
    let narrowed = if children == 1 { ONLY_CHILD } else { 1.0 };
    let margin = margin(rect, level) * narrowed;
    rect.inset(margin, label_strip(rect, level).max(margin))
}

/// The widest street between the children of one parent, who are at `level`.
pub(super) fn street(level: u16) -> f64 {
    shrunk(STREET, STREET_DECAY, level)
}

/// A child's footprint within the rectangle that the tiling gave it: half a street smaller on each side.
pub(super) fn separated(rect: Rect, street: f64) -> Rect {
    let side = rect.width().min(rect.height());
    let street = street.min(side * STREET_SHARE);
    rect.inset(street, street)
}
