//! What was asked for and is for others to carry out: views, bookmarks and the user's editor.

use std::sync::Arc;

use super::ask::{Chapter, ViewAsk};
use super::document::source::ToEdit;
use super::panes::ViewId;
use callscape_analysis::findings::Finding;

/// What others have not carried out yet.
#[derive(Debug, Default)]
pub struct Errands {
    /// What is asked of views, of one or of all that it concerns.
    pub view_asks: Vec<(Option<ViewId>, ViewAsk)>,
    /// Bookmarks are to be made of them.
    pub chapters: Vec<Chapter>,
    /// Bookmarks and shots are to be made of them.
    pub findings: Arc<[Finding]>,
    /// Lines that the user's editor is to show.
    pub to_edit: Vec<ToEdit>,
}

impl Errands {
    /// Another document is shown: what is asked of views by ids means nothing there.
    pub(super) fn forget_ids(&mut self) {
        self.view_asks.retain(|(_, ask)| !ask.names_ids());
    }
}
