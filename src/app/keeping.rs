//! What is kept aside of the desk while one works and when the window is closed, and brought back after a crash or a start.

use std::path::{Path, PathBuf};

use super::desk::Desk;
use super::rescue::Kept;
use super::versioned;
use callscape_analysis::session::Inputs;

/// Where what was open last is kept.
fn last_path() -> Option<PathBuf> {
    let folder = dirs::state_dir().or_else(dirs::cache_dir)?;
    Some(folder.join("callscape").join("last.json"))
}

/// What was open when the window was closed last.
pub(super) fn last() -> Option<Kept> {
    versioned::read(&last_path()?).ok().flatten()
}

impl Desk {
    /// Keeps the session aside where that is due.
    pub fn keep_aside(&mut self) {
        if self.rescue.is_due() {
            self.keep_aside_now();
        }
    }

    pub(super) fn keep_aside_now(&mut self) {
        if let Some(kept) = self.kept() {
            self.rescue.keep(kept, self.state.waker());
        }
    }

    /// Keeps what is open for the next start, as the window closes. Not being able to is no reason to disturb anyone.
    pub fn keep_last(&self) {
        let open = self.state.document.as_ref();
        // The demo is always there.
        let kept = open.filter(|it| it.inputs != Inputs::default());
        if let (Some(kept), Some(path)) = (kept.and_then(|_| self.kept()), last_path()) {
            let _ = versioned::write(&path, &kept);
        }
    }

    /// Opens what was open when the window was closed last.
    pub(super) fn open_last(&mut self) {
        if let Some(kept) = self.welcome.last.take() {
            self.welcome.is_open = false;
            self.open_saved(kept.session, kept.session_file);
        }
    }

    /// What is open, with absolute paths.
    fn kept(&self) -> Option<Kept> {
        let document = self.state.document.as_ref()?;
        Some(Kept {
            title: document.name(),
            session_file: self.session_file.clone(),
            // Of no folder paths are absolute.
            session: self.saved_session(Path::new(""))?,
        })
    }

    /// Opens the latest session that a crash left.
    pub(super) fn open_left(&mut self) {
        if let Some(kept) = self.rescue.open() {
            self.welcome.is_open = false;
            self.open_saved(kept.session, kept.session_file);
        }
    }
}
