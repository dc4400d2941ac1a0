//! Where the parts of both runs along time lie on the sheet.

use glam::Vec2;

use callscape_layout::sheet::Rect;
use callscape_model::linked::Along;

/// Heights in points.
pub(super) const LETTERS: f32 = 11.6;
const AXIS: f32 = 18.0;
const CAPTION: f32 = 18.0;
const BAND: f32 = 16.0;

/// Where the parts lie, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Places {
    pub(super) size: Vec2,
    pub(super) em: f32,
    pub(super) line: f32,
    /// Names of rows; without width where calls hold their names.
    pub(super) names: f32,
    pub(super) captions: [Rect; 2],
    pub(super) axes: [Rect; 2],
    pub(super) plots: [Rect; 2],
    pub(super) band: Rect,
}

impl Places {
    pub(super) fn new(size: Vec2, scale: f32, along: Along) -> Places {
        let px = |points: f32| (points * scale).round();
        let size = size.max(Vec2::ONE);
        let names = match along {
            Along::Stacks => 0.0,
            Along::Overview => (size.x * 0.16).clamp(px(50.0), px(180.0)).min(size.x * 0.5),
        }
        .round();
        let (caption, axis, band) = (px(CAPTION), px(AXIS), px(BAND));
        let high = ((size.y - 2.0 * (caption + axis) - band) * 0.5)
            .floor()
            .max(1.0);
        let row =
            |top: f32, high: f32| Rect::new(Vec2::new(names, top), Vec2::new(size.x, top + high));
        let caption_of =
            |top: f32| Rect::new(Vec2::new(0.0, top), Vec2::new(size.x, top + caption));
        let mut top = 0.0;
        let mut next = |high: f32| {
            top += high;
            top - high
        };
        let first = caption_of(next(caption));
        let first_axis = row(next(axis), axis);
        let a = row(next(high), high);
        let between = row(next(band), band);
        let b = row(next(high), high);
        let second_axis = row(next(axis), axis);
        Places {
            size,
            em: LETTERS * scale,
            line: px(1.0).max(1.0),
            names,
            captions: [first, caption_of(next(caption))],
            axes: [first_axis, second_axis],
            plots: [a, b],
            band: between,
        }
    }
}
