//! Opening something else in place of what is open: asked before, and undone after.

use std::path::PathBuf;

use crate::saved::SavedSession;
use callscape_analysis::session::Inputs;

/// What is to be opened in place of what is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Files and folders as they were dropped or chosen.
    Paths(Vec<PathBuf>),
    Inputs(Inputs),
    Demo,
}

/// What is asked before something takes the place of what is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub replacement: Replacement,
    /// Recordings that could be added as B instead.
    pub second: Vec<PathBuf>,
}

/// What was open before something took its place.
#[derive(Debug)]
pub struct Replaced {
    pub(super) title: String,
    pub(super) session: SavedSession,
    pub(super) file: Option<PathBuf>,
    /// What took its place is not open yet.
    pub(super) is_new: bool,
}
