//! One file per view: what it shows, what it offers for selection, how it answers one.

pub mod landscape;
pub mod metrics;
pub mod search;

use glam::Vec2;

use crate::analysis::session::Session;
use crate::filter::selection::Selection;
use crate::render::theme::Theme;

/// What a view that draws on a sheet is shown with.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub session: &'a Session,
    /// The recording that is shown, as an index into the session's.
    pub recording: usize,
    pub selection: &'a Selection,
    pub theme: Theme,
    /// Of the sheet, in physical pixels.
    pub size: Vec2,
    /// Physical pixels of one point: letters of 12 points are 12 times this high.
    pub scale: f32,
}
