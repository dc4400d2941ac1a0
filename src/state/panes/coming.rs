//! Views that come and go in a scene, in the course of a moment.

use super::line::ViewId;

/// Seconds that a view takes to come or to go.
const SECONDS: f32 = 0.5;

/// A view on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coming {
    pub view: ViewId,
    /// What it has of the room of all beside it where it stands, 0 to 1.
    pub share: f32,
    /// How much of its way it has come, 0 to 1.
    at: f32,
    pub goes: bool,
}

impl Coming {
    /// A view that comes to its share, or goes from it.
    pub(super) fn new(view: ViewId, share: f32, goes: bool) -> Coming {
        Coming {
            view,
            share,
            at: if goes { 1.0 } else { 0.0 },
            goes,
        }
    }

    /// How much of it is open, 0 to 1: slowly at first and at last.
    pub fn open(&self) -> f32 {
        self.at * self.at * (3.0 - 2.0 * self.at)
    }

    /// Lets `seconds` pass; whether it is still on its way.
    pub(super) fn advance(&mut self, seconds: f32) -> bool {
        let by = seconds / SECONDS;
        let at = if self.goes {
            self.at - by
        } else {
            self.at + by
        };
        self.at = at.clamp(0.0, 1.0);
        match self.goes {
            true => self.at > 0.0,
            false => self.at < 1.0,
        }
    }
}
