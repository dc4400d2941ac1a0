//! Where in the window the landscape is drawn.

use glam::Vec2;

use callscape_look::pose::FreeArea;

/// Where in the window the landscape is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Its top left corner in the window, in physical pixels.
    pub origin: Vec2,
    /// In physical pixels.
    pub size: Vec2,
    /// Physical pixels of a point.
    pub scale: f32,
    pub free: FreeArea,
}

impl Default for Viewport {
    fn default() -> Viewport {
        Viewport {
            origin: Vec2::ZERO,
            size: Vec2::ONE,
            scale: 1.0,
            free: FreeArea::WINDOW,
        }
    }
}

impl Viewport {
    pub fn aspect(&self) -> f32 {
        self.size.x.max(1.0) / self.size.y.max(1.0)
    }
}
