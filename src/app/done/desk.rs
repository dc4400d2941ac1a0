//! What was just done, told and forgotten by the window.

use std::time::Duration;

use super::Done;
use crate::command::Command;
use crate::desk::Desk;

/// How long there is to undo it.
const SHOWN: Duration = Duration::from_secs(12);

impl Desk {
    /// Shows what was done for a while.
    pub fn tell_done(&mut self, line: String, undo: Option<Command>) {
        let until = self.state.now() + SHOWN;
        self.done = Some(Done { line, undo, until });
    }

    /// For how long it is still shown; forgets it after that.
    pub(crate) fn done_left(&self) -> Option<Duration> {
        let until = self.done.as_ref()?.until;
        until.checked_sub(self.state.now())
    }

    pub(crate) fn forget_done(&mut self) {
        if self.done_left().is_none() {
            self.done = None;
        }
    }
}
