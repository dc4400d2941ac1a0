//! Opening other inputs, and sessions with all that their files keep.

use std::path::{Path, PathBuf};

use super::desk::Desk;
use super::saved::SavedSession;
use callscape_analysis::session::Inputs;
use callscape_presentation::bookmark::found_from;
use callscape_state::ask::PlayAsk;
use callscape_state::document::{Document, Part};
use callscape_state::message::Message;
use callscape_views as views;

/// More bookmarks than anyone takes.
const MOST_BOOKMARKS: usize = 10_000;

impl Desk {
    /// Opens the session that a file keeps.
    pub fn open_session(&mut self, path: PathBuf) {
        let saved = match SavedSession::read(&path) {
            Ok(saved) => saved,
            Err(error) => {
                let line = format!("{error:#}");
                return self.state.tell("The session could not be opened", line);
            }
        };
        self.open_saved(saved, Some(path));
    }

    /// Opens a session that the file at `path` keeps, or one with absolute paths that no file keeps.
    pub fn open_saved(&mut self, saved: SavedSession, path: Option<PathBuf>) {
        self.talk.scenes.clear();
        (self.pack_file, self.page_file) = (None, None);
        let at = path.as_deref().unwrap_or(Path::new(""));
        let (inputs, mut missing) = saved.inputs(at);
        match saved.mapping(at) {
            Some((mapping, true)) => self.use_map_file(&mapping),
            Some((mapping, false)) => missing.push(mapping),
            None => self.state.mapping = Default::default(),
        }
        if !missing.is_empty() {
            let lines = missing.iter().map(|path| path.display().to_string());
            self.state.told.messages.push(Message {
                is_error: true,
                is_open: true,
                title: "Parts of the session are missing".to_owned(),
                lines: lines.collect(),
            });
        }
        if saved.has_inputs() && inputs == Inputs::default() {
            // Nothing of it is left: the demo would not be what was asked for.
            return;
        }
        self.state.open(inputs, saved.part());
        self.session_file = path;
        self.to_restore = Some(saved);
    }

    /// Shows a document that was opened from the inputs of the session that the file at `path` keeps.
    pub fn show_saved(&mut self, document: Document, saved: SavedSession, path: PathBuf) {
        self.session_file = Some(path);
        self.to_restore = Some(saved);
        self.show(document);
    }

    /// Begins to open other inputs.
    pub fn open(&mut self, inputs: Inputs) {
        self.talk.scenes.clear();
        (self.pack_file, self.page_file) = (None, None);
        self.session_file = None;
        self.to_restore = None;
        self.state.open(inputs, Part::default());
    }

    /// Shows a document that has been opened.
    pub fn show(&mut self, document: Document) {
        let restored = self.to_restore.take();
        // Paths mean the same modules while the source tree is the same.
        let source_dir = |of: &Document| of.inputs.source_dir.clone();
        let before = self.state.document.as_ref().and_then(source_dir);
        if before.is_none() || before != source_dir(&document) || restored.is_some() {
            let folder = self.session_file.as_deref().and_then(Path::parent);
            let saved = restored.iter().flat_map(|saved| saved.bookmarks.clone());
            let saved = saved.take(MOST_BOOKMARKS).collect();
            self.talk.bookmarks = found_from(folder.unwrap_or(Path::new("")), saved);
        }
        let is_profile = document.profile().is_some_and(|it| it.contexts().is_some());
        let lost = self.state.show(document, |settings, document| {
            let saved = restored.as_ref();
            saved.map(|saved| saved.look.restore(settings) + saved.restore(document))
        });
        if let Some(saved) = restored {
            self.restore(&saved, lost.unwrap_or_default());
        } else if is_profile {
            self.state.panes.open(views::without_times());
        }
        self.views.update(&mut self.state);
    }

    /// Brings what is not the document's to where a saved session has it; `lost` names mean nothing already.
    fn restore(&mut self, saved: &SavedSession, mut lost: usize) {
        lost += self.state.panes.arrange(&saved.views).len();
        self.state.moving.pose_to_restore = saved.pose();
        // What is collapsed decides the layout.
        self.state.lay_out();
        self.state.execute(PlayAsk::Seek(saved.time()));
        if let Some(playback) = &saved.playback {
            playback.restore(&mut self.state);
        }
        self.views.update(&mut self.state);
        lost += self.views.restore(&saved.of_views(), &self.state);
        let folder = self.session_file.as_deref().and_then(Path::parent);
        lost += saved.mark(folder.unwrap_or(Path::new("")), &mut self.state);
        self.state.work.left += 1;
        self.state.show_chosen();
        self.tell_lost("Parts of the session are no longer there", lost);
        let pair = saved.pair.as_ref();
        let lost = pair.map_or(0, |pair| pair.restore(&mut self.state));
        self.tell_lost("Parts of the comparison are no longer there", lost);
    }

    fn tell_lost(&mut self, title: &str, lost: usize) {
        if lost > 0 {
            self.state.told.messages.push(Message {
                is_error: true,
                is_open: false,
                title: title.to_owned(),
                lines: vec![format!("{lost} names no longer exist and are ignored")],
            });
        }
    }
}
