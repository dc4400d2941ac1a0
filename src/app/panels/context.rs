//! What panels show things with, and what they make of a frame.

use egui::{Pos2, Rect, TextureId};

use crate::command::Command;
use crate::desk::{Desk, DeskRef};
use crate::pace::Detail;
use callscape_filter::selection::Pointed;
use callscape_layout::labels::Covered;
use callscape_look::quality::Quality;
use callscape_state::Cue;
use callscape_state::ask::Asks;
use callscape_state::panes::ViewId;
use callscape_views::{Offer, Placed};

/// What a panel has to show things with.
pub(crate) struct Context<'a> {
    pub desk: DeskRef<'a>,
    pub cues: Cues,
    /// What the user asked for in this frame.
    pub asks: &'a mut Asks<Command>,
    /// Where cards float, in points: over the landscape, else over what the panels leave.
    pub free: Rect,
    /// What the pointer is on, as far as panels and views say.
    pub pointed: Pointed,
}

/// What asks have left for one frame to do, made anew with each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cues {
    pub search: Cue,
    pub palette: Cue,
    /// The first button or field of the window gets the keyboard.
    pub focus_first: bool,
    /// What this view paints is kept for a picture.
    pub pictured: Option<ViewId>,
}

impl Cues {
    pub(crate) fn take(desk: &mut Desk) -> Cues {
        Cues {
            search: std::mem::take(&mut desk.state.search.cue),
            palette: std::mem::take(&mut desk.palette.cue),
            focus_first: std::mem::take(&mut desk.wants_focus),
            pictured: desk.wants_picture.as_ref().map(|it| it.view),
        }
    }
}

/// What the panels made of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    /// Where the view that the camera moves in is drawn; none while it is not to be seen.
    pub placed: Option<Placed>,
    /// All that this view has of the window.
    pub covered: Option<Rect>,
    /// What the pointer is on in a view, as far as the view itself says.
    pub pointed: Pointed,
    pub under_pointer: Option<ViewId>,
    /// What else a click with the right button finds there.
    pub offer: Offer,
    /// Where the pointer is, in points.
    pub pointer: Option<Pos2>,
    /// Where cards and captions lie over landscapes, in points.
    pub cards: Covered,
}

/// What the views are drawn on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pictures {
    pub views: Vec<(ViewId, TextureId)>,
    /// Of a second run.
    pub second: TextureId,
    /// What goes over into the pictures of the runs, and how much of it is still to be seen, 0 to 1.
    pub before: Before,
    pub before_strength: f32,
}

impl Pictures {
    pub(crate) fn of(&self, view: ViewId) -> Option<TextureId> {
        let found = self.views.iter().find(|(of, _)| *of == view);
        found.map(|&(_, id)| id)
    }

    /// Of the view that the camera moves in, and of the same for a second run.
    pub(crate) fn of_runs(&self) -> [TextureId; 2] {
        let main = self.views.first();
        [main.map_or(self.second, |&(_, id)| id), self.second]
    }
}

/// Pictures of landscapes as they were painted.
pub(crate) type Before = [Option<Painted>; 2];

/// A part of a picture, and where in the window it was, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Painted {
    pub picture: TextureId,
    pub place: Rect,
    /// As shares of the picture.
    pub part: Rect,
}

/// Numbers about the frames drawn, for the readout of frame times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timings {
    pub frames: u64,
    /// Milliseconds from one frame to the next, and of that on the CPU, smoothed.
    pub interval_ms: f32,
    pub cpu_ms: f32,
    /// How finely the landscape was drawn in the last frame.
    pub drawn: Detail,
    /// Milliseconds that the passes of a recent frame took on the device; empty where it cannot tell.
    pub passes: Vec<(&'static str, f32)>,
    pub adapter: String,
    /// What suits the device.
    pub quality: Quality,
}
