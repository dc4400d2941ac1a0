//! What of a graph is in sight, and how large.

use glam::Vec2;

use callscape_layout::sheet::Rect;

/// How large points of a graph are at most and at least.
const ZOOM: [f32; 2] = [0.04, 8.0];

/// A graph that has room is not shown larger than this.
const LARGEST: f32 = 1.6;

/// Points around a graph that is shown whole.
const MARGIN: f32 = 12.0;

/// How a graph lies on a sheet: places of it times `zoom` and moved by `at` are places of the sheet, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sight {
    pub zoom: f32,
    pub at: Vec2,
}

impl Sight {
    /// All of a graph, which these bounds hold, in the middle of `room`.
    pub(crate) fn whole(bounds: Rect, room: Rect) -> Sight {
        let size = bounds.size();
        let free = (room.size() - 2.0 * MARGIN).max(Vec2::ONE);
        let fitting = free / size.max(Vec2::ONE);
        let zoom = fitting.min_element().clamp(ZOOM[0], LARGEST);
        Sight {
            zoom,
            at: (room.min + room.max) * 0.5 - (bounds.min + bounds.max) * 0.5 * zoom,
        }
    }

    pub(crate) fn place(&self, of: Vec2) -> Vec2 {
        of * self.zoom + self.at
    }

    pub(crate) fn rect(&self, of: Rect) -> Rect {
        Rect::new(self.place(of.min), self.place(of.max))
    }

    /// The place of the graph at one of the sheet.
    pub(crate) fn under(&self, at: Vec2) -> Vec2 {
        (at - self.at) / self.zoom
    }

    /// So many times as large; what is at `at` stays there.
    pub(crate) fn zoomed(self, at: Vec2, factor: f32) -> Sight {
        let zoom = (self.zoom * factor).clamp(ZOOM[0], ZOOM[1]);
        let under = self.under(at);
        Sight {
            zoom,
            at: at - under * zoom,
        }
    }

    pub(crate) fn moved(self, by: Vec2) -> Sight {
        Sight {
            at: self.at + by,
            ..self
        }
    }

    /// On the way from one to the other.
    pub(crate) fn between(self, other: Sight, share: f32) -> Sight {
        Sight {
            zoom: self.zoom + (other.zoom - self.zoom) * share,
            at: self.at.lerp(other.at, share),
        }
    }
}
