//! The squares of ground that the height maps show.

use glam::Vec2;

/// Texels along a side of each layer.
pub(crate) const SIDE: u32 = 1024;

/// The square that a layer shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Square {
    /// South-west corner.
    pub origin: Vec2,
    pub side: f32,
}

/// What the layers show; a small one shows nothing where a larger is as fine.
pub(crate) type Squares = [Option<Square>; 3];
