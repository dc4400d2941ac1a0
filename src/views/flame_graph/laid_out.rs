//! What is seen of the stacks on one side: the part of them that is zoomed to, and its bars.

use super::stacks::Stacks;
use callscape_layout::stacks::{Bars, Seen};

/// How long the way to another part takes, in seconds.
const WAY: f64 = 0.25;

/// Bars narrower than this many pixels are shades.
pub(super) const LEAST: f32 = 1.0;

/// Zooming in ends where a unit of weight is so many pixels wide: everything has a bar long before.
const MOST: f64 = 4096.0;

/// The part of one side that is seen, in weights.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// Where the picture is or goes; none for all of it.
    range: Option<[f64; 2]>,
    /// Where it comes from, and when it left, in the window's time.
    before: Option<([f64; 2], f64)>,
    pub bars: Bars,
    laid_out: Option<(u64, Seen)>,
}

impl Side {
    pub(super) fn range(&self) -> Option<[f64; 2]> {
        self.range
    }

    /// Whether a part of it is seen, and not all.
    pub(super) fn is_part(&self) -> bool {
        self.range.is_some()
    }

    /// Shows a part, or everything, at once.
    pub(super) fn set(&mut self, range: Option<[f64; 2]>) {
        (self.range, self.before) = (range, None);
    }

    /// Goes to a part, or to everything; `now` in the window's time.
    pub(super) fn go(&mut self, stacks: &Stacks, range: Option<[f64; 2]>, now: f64) {
        let seen = self.seen(stacks, now);
        self.range = range;
        self.before = (seen != self.seen(stacks, f64::MAX)).then_some((seen, now));
    }

    /// Makes what is seen of it `factor` times as wide, around a place in pixels of a picture that is `width` wide.
    pub(super) fn zoom(&mut self, stacks: &Stacks, (at, width): (f32, f32), factor: f64) {
        let whole = stacks.forest.whole() as f64;
        let [from, to] = self.seen(stacks, f64::MAX);
        let share = f64::from(at / width.max(1.0)).clamp(0.0, 1.0);
        let fixed = from + (to - from) * share;
        let size = ((to - from) / factor).clamp(f64::from(width) / MOST, whole);
        self.settle(whole, fixed - size * share, size);
    }

    /// Moves it by pixels of a picture that is `width` wide.
    pub(super) fn pan(&mut self, stacks: &Stacks, by: f32, width: f32) {
        let [from, to] = self.seen(stacks, f64::MAX);
        let by = f64::from(by / width.max(1.0)) * (to - from);
        self.settle(stacks.forest.whole() as f64, from - by, to - from);
    }

    fn settle(&mut self, whole: f64, from: f64, size: f64) {
        let from = from.clamp(0.0, (whole - size).max(0.0));
        self.before = None;
        self.range = (size < whole).then_some([from, from + size]);
    }

    /// The weights at both edges at a time of the window.
    fn seen(&self, stacks: &Stacks, now: f64) -> [f64; 2] {
        let whole = [0.0, stacks.forest.whole() as f64];
        let to = self.range.unwrap_or(whole);
        let Some((from, begun)) = self.before else {
            return to;
        };
        let t = ((now - begun) / WAY).clamp(0.0, 1.0);
        let eased = t * t * (3.0 - 2.0 * t);
        [0, 1].map(|it| from[it] + (to[it] - from[it]) * eased)
    }

    /// Lays out what is seen in so many points, of which a pixel has `pixel`, where that has changed. Whether it is on its
    /// way.
    pub(super) fn lay_out(
        &mut self,
        stacks: &Stacks,
        stamp: u64,
        (width, pixel, now): (f32, f32, f64),
    ) -> bool {
        if self.before.is_some_and(|it| now - it.1 >= WAY) {
            self.before = None;
        }
        let seen = Seen {
            range: self.seen(stacks, now),
            width,
            least: LEAST * pixel,
        };
        if self.laid_out != Some((stamp, seen)) {
            self.laid_out = Some((stamp, seen));
            self.bars.lay_out(&stacks.forest, &seen);
        }
        self.before.is_some()
    }
}
