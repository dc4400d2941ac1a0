//! The pointer over the landscape: what is pressed, and which clicks are a double-click.

use std::time::Duration;

use glam::Vec2;

use callscape_base::units::ModuleId;

/// A press that moves no farther than this many pixels is a click.
pub(crate) const CLICK_RADIUS: f32 = 4.0;
const DOUBLE_CLICK: Duration = Duration::from_millis(400);
/// Where frames take long, clicks are heard late: the time of the frames between two clicks does not
/// count, up to this.
const DOUBLE_CLICK_HEARD: Duration = Duration::from_millis(2500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    Left,
    Right,
    Middle,
}

/// The pointer's state; places in physical pixels from the landscape's top left corner.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    /// None outside of the window and over panels.
    pub at: Option<Vec2>,
    pub press: Option<Press>,
    pub(crate) last_click: Option<Click>,
}

#[derive(Clone, Copy, Debug)]
pub struct Click {
    pub at: Vec2,
    /// When it was heard, and how much time frames had taken until then.
    pub heard: Duration,
    pub drawing: Duration,
}

#[derive(Clone, Copy, Debug)]
pub struct Press {
    pub button: Button,
    pub at: Vec2,
    /// The district that the drag carries to another place.
    pub(crate) carries: Option<ModuleId>,
    pub(crate) pans: bool,
    pub(crate) is_drag: bool,
}

impl Pointer {
    /// Whether a button is down.
    pub fn is_pressed(&self) -> bool {
        self.press.is_some()
    }
}

impl Click {
    /// Whether this click and the `last` are a double-click.
    pub fn follows(&self, last: &Click) -> bool {
        let between = self.heard.saturating_sub(last.heard);
        let drawing = self.drawing.saturating_sub(last.drawing);
        between.saturating_sub(drawing) < DOUBLE_CLICK
            && between < DOUBLE_CLICK_HEARD
            && self.at.distance(last.at) <= CLICK_RADIUS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clicks_near_each_other_are_a_double_click_however_slow_the_frames() {
        let click = |at: f32, heard: u64, drawing: u64| Click {
            at: Vec2::splat(at),
            heard: Duration::from_millis(heard),
            drawing: Duration::from_millis(drawing),
        };
        let first = click(100.0, 5_000, 3_000);
        assert!(click(101.0, 5_200, 3_100).follows(&first));
        assert!(!click(101.0, 5_600, 3_100).follows(&first));
        assert!(!click(120.0, 5_200, 3_000).follows(&first));
        // A frame of a second lay between them.
        assert!(click(101.0, 6_200, 4_000).follows(&first));
        // Software rendering all the while, but clearly two clicks.
        assert!(!click(101.0, 8_000, 6_000).follows(&first));
    }
}
