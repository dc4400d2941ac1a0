//! A line about what was just done, with what undoes it, for a while.

use std::time::Duration;

use super::command::Command;
use super::desk::Desk;

/// How long there is to undo it.
const SHOWN: Duration = Duration::from_secs(12);

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    pub line: String,
    pub undo: Option<Command>,
    /// Since the window opened.
    until: Duration,
}

impl Desk {
    /// Shows what was done for a while.
    pub fn tell_done(&mut self, line: String, undo: Option<Command>) {
        let until = self.state.now() + SHOWN;
        self.done = Some(Done { line, undo, until });
    }

    /// For how long it is still shown; forgets it after that.
    pub(super) fn done_left(&self) -> Option<Duration> {
        let until = self.done.as_ref()?.until;
        until.checked_sub(self.state.now())
    }

    pub(super) fn forget_done(&mut self) {
        if self.done_left().is_none() {
            self.done = None;
        }
    }
}
