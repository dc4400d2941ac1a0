//! Where a view is shown, and what it draws on.

use egui::{Pos2, Rect, TextureId};

use callscape_filter::selection::Pointed;
use callscape_layout::sheet::Sheet;
use callscape_state::State;
use callscape_state::action::On;
use callscape_state::ask::Asks;

/// What a picture of a view is drawn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// In pixels.
    pub size: [u32; 2],
    /// Pixels of one point.
    pub scale: f32,
    /// Nothing is drawn on it yet.
    pub is_new: bool,
}

/// What a view draws.
pub enum Picture<'a> {
    /// It has widgets alone.
    Nothing,
    /// What is drawn is still right.
    Same,
    /// Flat geometry.
    Sheet(&'a Sheet),
    /// The city of the state, and that of a second run where both are shown.
    City,
}

/// Where something is in the window, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// What can be seen of it.
    pub seen: Rect,
    /// What is drawn: as far as the window goes, so that nothing moves when a panel opens over it.
    pub drawn: Rect,
}

/// Two pictures beside each other, or in one place, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Of A and of B, equally large.
    pub places: [Rect; 2],
    /// What can be seen of each.
    pub seen: [Rect; 2],
    /// To the right of it is B.
    pub at: f32,
}

impl Split {
    /// The part of a side's picture that is to be seen, and where in the picture that is.
    pub fn part(&self, side: usize) -> (Rect, Rect) {
        let place = self.places[side];
        let mut part = place;
        match side {
            _ if self.places[0] != self.places[1] => {}
            0 => part.max.x = self.at,
            _ => part.min.x = self.at,
        }
        let uv = |at: Pos2| ((at - place.min) / place.size()).to_pos2();
        (part, Rect::from_min_max(uv(part.min), uv(part.max)))
    }
}

/// The captions of two pictures end this high over their lower edges, in points.
pub const CAPTIONS: f32 = 32.0;

/// Where a view that the camera moves in draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Of two that of A.
    pub place: Place,
    pub split: Option<Split>,
}

/// What a click with the right button finds in a view, beside what it points at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offer {
    pub on: &'static [On],
    /// The view does something else with that click.
    pub has_menu: bool,
    /// It was asked for the menu in another way.
    pub opens_menu: bool,
}

/// A view in its place.
pub struct Pane<'a> {
    pub state: &'a State,
    /// What the user asks for.
    pub asks: &'a mut Asks,
    /// What its pictures are drawn on: its own, and that of a second run.
    pub pictures: [Option<TextureId>; 2],
    /// The window, and what the panels leave of it.
    pub window: Rect,
    pub room: Rect,
    /// What the pointer is on in it.
    pub pointed: Pointed,
    pub offer: Offer,
    /// Where it draws, if the camera moves in it.
    pub placed: Option<Placed>,
}
