//! What is kept aside of the desk while one works, and brought back after a crash.

use std::path::Path;

use super::desk::Desk;
use super::rescue::Kept;

impl Desk {
    /// Keeps the session aside where that is due.
    pub fn keep_aside(&mut self) {
        if self.rescue.is_due() {
            self.keep_aside_now();
        }
    }

    pub(super) fn keep_aside_now(&mut self) {
        // Of no folder paths are absolute.
        let Some(session) = self.saved_session(Path::new("")) else {
            return;
        };
        let document = self.state.document.as_ref();
        let kept = Kept {
            title: document.map(|it| it.name()).unwrap_or_default(),
            session_file: self.session_file.clone(),
            session,
        };
        self.rescue.keep(kept, self.state.waker());
    }

    /// Opens the latest session that a crash left.
    pub(super) fn open_left(&mut self) {
        if let Some(kept) = self.rescue.open() {
            self.welcome.is_open = false;
            self.open_saved(kept.session, kept.session_file);
        }
    }
}
