//! The window asks before something takes the place of what is open, and opens that again.

use std::path::{Path, PathBuf};

use super::{Question, Replaced, Replacement};
use crate::command::ReplaceAsk;
use crate::desk::Desk;
use crate::saved::is_session_file;
use callscape_analysis::session::Inputs;
use callscape_export::pack;
use callscape_state::document::dropped;

impl Desk {
    /// Opens something else, at once where that takes nothing away; else it is asked before.
    pub(crate) fn replace_with(&mut self, replacement: Replacement) {
        match self.takes_away(&replacement) {
            true => {
                let second = self.as_second(&replacement);
                self.question = Some(Question {
                    replacement,
                    second,
                });
            }
            false => self.open_replacement(replacement),
        }
    }

    /// Whether something of what is open would be gone; the demo is not missed.
    fn takes_away(&self, replacement: &Replacement) -> bool {
        let Some(document) = &self.state.document else {
            return false;
        };
        let open = &document.inputs;
        if *open == Inputs::default() {
            return false;
        }
        let next = match replacement {
            Replacement::Paths(paths) => match is_whole(paths) {
                true => return true,
                false => dropped(Some(open), paths),
            },
            Replacement::Inputs(inputs) => inputs.clone(),
            Replacement::Demo => Inputs::default(),
        };
        let keeps_source = open.source_dir.is_none() || open.source_dir == next.source_dir;
        let keeps_recordings = open.recordings.is_empty() || open.recordings == next.recordings;
        !(keeps_source && keeps_recordings)
    }

    /// The recordings of a replacement that can be a second run of what is open.
    fn as_second(&self, replacement: &Replacement) -> Vec<PathBuf> {
        let document = self.state.document.as_ref();
        let has_run = document.is_some_and(|it| !it.inputs.recordings.is_empty());
        let recordings = match replacement {
            Replacement::Paths(paths) if !is_whole(paths) => dropped(None, paths).recordings,
            Replacement::Inputs(inputs) => inputs.recordings.clone(),
            _ => Vec::new(),
        };
        match has_run {
            true => recordings,
            false => Vec::new(),
        }
    }

    pub(crate) fn open_replacement(&mut self, replacement: Replacement) {
        match replacement {
            Replacement::Paths(paths) => self.open_paths(paths),
            Replacement::Inputs(inputs) => {
                self.welcome.is_open = false;
                self.open(inputs);
            }
            Replacement::Demo => self.open_demo(),
        }
    }

    /// What the user answered.
    pub(crate) fn on_replace(&mut self, ask: ReplaceAsk) {
        match (ask, self.question.take()) {
            (ReplaceAsk::AsSecond, Some(question)) => self.open_as_second(question.second),
            (ReplaceAsk::Instead, Some(question)) => {
                self.keep_replaced();
                self.open_replacement(question.replacement);
            }
            (ReplaceAsk::Reopen, _) => {
                if let Some(before) = self.replaced.take() {
                    self.done = None;
                    self.open_saved(before.session, before.file);
                }
            }
            (ReplaceAsk::Keep | ReplaceAsk::AsSecond | ReplaceAsk::Instead, _) => {}
        }
    }

    /// Keeps what is open, to be opened again once something has taken its place.
    pub(crate) fn keep_replaced(&mut self) {
        let title = self.state.document.as_ref().map(|it| it.name());
        // Of no folder paths are absolute.
        let session = self.saved_session(Path::new(""));
        self.replaced = title.zip(session).map(|(title, session)| Replaced {
            title,
            session,
            file: self.session_file.clone(),
            is_new: true,
        });
    }

    /// Says what was closed, once something has taken its place.
    pub(crate) fn tell_replaced(&mut self) {
        let Some(before) = self.replaced.as_mut() else {
            return;
        };
        if std::mem::take(&mut before.is_new) {
            let line = format!("Closed {}", before.title);
            self.tell_done(line, Some(ReplaceAsk::Reopen.into()));
        }
    }
}

/// Whether files are a session or a pack, which is opened alone.
fn is_whole(paths: &[PathBuf]) -> bool {
    paths
        .iter()
        .any(|path| is_session_file(path) || pack::is_pack(path))
}
