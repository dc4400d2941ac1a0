//! The picture that names are chosen for.

use glam::Vec2;

use callscape_layout::labels::Covered;
use callscape_look::pose::FreeArea;

/// The picture that names are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lettering {
    /// In physical pixels.
    pub size: Vec2,
    /// What of it can be seen: names on the screen stay in it.
    pub free: FreeArea,
    /// What of it lies under cards and captions, in its pixels: names stand beside these.
    pub covered: Covered,
    /// The height of letters on the screen, in pixels.
    pub em: f32,
    /// The picture stays as it is: districts far away are named over them, and then stay so while one looks around.
    pub is_still: bool,
    /// It is not followed by one from nearby: names are there or not, none is on its way.
    pub is_single: bool,
    /// Pixels of the size at which letters on terraces are read, in plain pixels.
    pub scale: f32,
}

impl Lettering {
    /// Nothing lies over the picture.
    pub fn whole(size: Vec2, em: f32) -> Lettering {
        let free = FreeArea::WINDOW;
        let covered = Covered::default();
        Lettering {
            size,
            free,
            covered,
            em,
            scale: 1.0,
            is_still: false,
            is_single: false,
        }
    }
}
