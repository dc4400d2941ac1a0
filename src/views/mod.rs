//! One file per view: what it shows, what it offers for selection, how it answers one.

pub mod calls;
pub mod differences;
pub mod flame;
pub mod functions;
pub mod mural;
pub mod table;
pub mod timelines;
pub mod tip;

use glam::Vec2;

use crate::analysis::session::Session;
use crate::filter::filters::Filters;
use crate::filter::selection::Selection;
use crate::model::theme::Theme;

/// What a view that draws on a sheet is shown with.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub session: &'a Session,
    /// The recording that is shown, as an index into the session's.
    pub recording: usize,
    pub selection: &'a Selection,
    /// What is left out of every view.
    pub filters: &'a Filters,
    pub theme: Theme,
    /// Of the sheet, in physical pixels.
    pub size: Vec2,
    /// Physical pixels of one point: letters of 12 points are 12 times this high.
    pub scale: f32,
}

/// What views along time say of a recording without times.
pub const NO_TIMES: &str =
    "This profile holds weights and no times: there is nothing to lay along time";
