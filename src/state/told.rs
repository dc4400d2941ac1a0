//! What the user is told: messages until they are dismissed, and a short line for a while.

use std::time::Duration;

use super::message::Message;

/// A short line is read in this time.
pub(super) const NOTICE: Duration = Duration::from_millis(2500);

/// What the user is told.
#[derive(Debug, Default)]
pub struct Told {
    pub messages: Vec<Message>,
    /// Something short to tell, and until when.
    pub(super) notice: Option<(String, Duration)>,
}

impl Told {
    /// Tells something that went wrong, unless it is told already.
    pub(super) fn tell(&mut self, title: &str, line: String) {
        let message = Message::error(title, line);
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// Shows a line from `now` on for a while.
    pub(super) fn tell_briefly(&mut self, line: String, now: Duration) {
        self.notice = Some((line, now + NOTICE));
    }

    /// The line that is shown `now`, and for how long.
    pub(super) fn notice(&self, now: Duration) -> Option<(&str, Duration)> {
        let (line, until) = self.notice.as_ref()?;
        Some((line, until.checked_sub(now)?))
    }

    pub(super) fn dismiss(&mut self, index: usize) {
        if index < self.messages.len() {
            self.messages.remove(index);
        }
    }
}
