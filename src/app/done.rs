//! A line about what was just done, with what undoes it, for a while.

mod desk;

use std::time::Duration;

use super::command::Command;

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    pub line: String,
    pub undo: Option<Command>,
    /// Since the window opened.
    until: Duration,
}
