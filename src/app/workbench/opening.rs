//! Opening: sources and recordings, sessions, and what grows while it is open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::ask::PlayAsk;
use super::super::details::Neighbours;
use super::super::dock::Dock;
use super::super::document::{Document, Part};
use super::super::growing::{self, Growing};
use super::super::history::History;
use super::super::loading::{Loading, Outcome};
use super::super::mapping::MappingEditor;
use super::super::pair::PairView;
use super::super::presenting::bookmarks::found_from;
use super::super::revision::Jobs;
use super::super::saved::SavedSession;
use super::super::work::Work;
use super::{Message, Search, Workbench};
use crate::analysis::session::Inputs;
use crate::model::calls::CallsOf;
use crate::model::surface::Surface;

/// More bookmarks than anyone takes.
const MOST_BOOKMARKS: usize = 10_000;

impl Workbench {
    /// Opens the session that a file keeps.
    pub fn open_session(&mut self, path: PathBuf) {
        let saved = match SavedSession::read(&path) {
            Ok(saved) => saved,
            Err(error) => {
                self.messages.push(Message {
                    is_error: true,
                    is_open: true,
                    title: "The session could not be opened".to_owned(),
                    lines: vec![format!("{error:#}")],
                });
                return;
            }
        };
        self.talk.scenes.clear();
        let (inputs, mut missing) = saved.inputs(&path);
        match saved.mapping(&path) {
            Some((mapping, true)) => self.use_map_file(&mapping),
            Some((mapping, false)) => missing.push(mapping),
            None => self.mapping = MappingEditor::default(),
        }
        if !missing.is_empty() {
            self.messages.push(Message {
                is_error: true,
                is_open: true,
                title: "Parts of the session are missing".to_owned(),
                lines: missing
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect(),
            });
        }
        if saved.has_inputs() && inputs == Inputs::default() {
            // Nothing of it is left: the demo would not be what was asked for.
            return;
        }
        self.open_part(inputs, saved.part());
        self.session_file = Some(path);
        self.to_restore = Some(saved);
    }

    /// Shows a document that was opened from the inputs of the session that the file at `path` keeps.
    pub(in crate::app) fn show_saved(
        &mut self,
        document: Document,
        saved: SavedSession,
        path: PathBuf,
    ) {
        self.session_file = Some(path);
        self.to_restore = Some(saved);
        self.show(document);
    }

    pub fn open(&mut self, inputs: Inputs) {
        self.talk.scenes.clear();
        self.open_part(inputs, Part::default());
    }

    fn open_part(&mut self, inputs: Inputs, part: Part) {
        self.session_file = None;
        self.to_restore = None;
        if let Some(loading) = self.loading.take() {
            loading.progress.cancel();
        }
        if let Some(growing) = &mut self.growing {
            growing.opening(&inputs);
        }
        let map = self.usable_map();
        self.loading = Some(Loading::start(
            inputs,
            part,
            map,
            self.settings,
            (self.wake)(),
        ));
    }

    /// What is still to be told of damage that answers have met with; told once for each document.
    pub(super) fn untold_damage(&self) -> Option<String> {
        if self.damage_is_told {
            return None;
        }
        let resolved = self.document.as_ref().and_then(Document::resolved)?;
        resolved.recording.damage()
    }

    pub(super) fn tell_damage(&mut self) {
        if let Some(damage) = self.untold_damage() {
            self.damage_is_told = true;
            self.messages.push(Message {
                is_error: true,
                is_open: true,
                title: "Parts of the recording are missing".to_owned(),
                lines: vec![damage],
            });
        }
    }

    /// Takes what the worker has finished; whether there was something.
    pub fn poll_loading(&mut self) -> bool {
        let outcome = self.loading.as_ref().and_then(Loading::poll);
        let Some(outcome) = outcome else {
            self.poll_growing();
            return false;
        };
        let name = self.loading.take().map(|loading| loading.name);
        match outcome {
            Outcome::Opened(document) => self.show(*document),
            Outcome::Cancelled => {}
            Outcome::Failed(reason) => self.messages.push(Message {
                is_error: true,
                is_open: true,
                title: format!("{} could not be opened", name.unwrap_or_default()),
                lines: vec![reason],
            }),
        }
        true
    }

    /// Takes what was read anew of recordings that grow.
    pub(super) fn poll_growing(&mut self) {
        let Some(news) = self.growing.as_mut().and_then(Growing::poll) else {
            return;
        };
        let Some(mut document) = news else {
            self.watch();
            return;
        };
        if let Some(old) = &self.document {
            growing::carry_over(old, &mut document, self.now());
        }
        growing::forget_the_end(&mut document);
        self.search.results.clear();
        self.history = History::default();
        self.blocks_are_new = true;
        self.list_of = CallsOf::chosen(&document.selection.chosen);
        self.document = Some(*document);
        self.work = Work::default();
        self.show_chosen();
        self.watch();
    }

    /// Waits for what is open to grow, where it is followed.
    pub(super) fn watch(&mut self) {
        if let (Some(growing), Some(document)) = (&mut self.growing, &self.document) {
            let map = document.map.clone();
            growing.watch(&document.inputs, map, self.settings, (self.wake)());
        }
    }

    pub(in crate::app) fn show(&mut self, mut document: Document) {
        if self.growing.is_some() {
            growing::forget_the_end(&mut document);
        }
        self.settings.half_life = document.settings.half_life;
        let is_difference = |surface| surface == Surface::Difference;
        if is_difference(document.settings.surface) != is_difference(self.settings.surface) {
            self.settings.surface = document.settings.surface;
            self.settings.arcs = document.settings.arcs;
        }
        self.pair = PairView::default();
        let restored = self.to_restore.take();
        // Paths mean the same modules while the source tree is the same.
        let source_dir = |of: &Document| of.inputs.source_dir.clone();
        let before = self.document.as_ref().and_then(source_dir);
        if before.is_none() || before != source_dir(&document) || restored.is_some() {
            let folder = self.session_file.as_deref().and_then(Path::parent);
            let saved = restored.iter().flat_map(|saved| saved.bookmarks.clone());
            let saved = saved.take(MOST_BOOKMARKS).collect();
            self.talk.bookmarks = found_from(folder.unwrap_or(Path::new("")), saved);
        }
        let lost = restored
            .as_ref()
            .map(|saved| saved.look.restore(&mut self.settings) + saved.restore(&mut document));
        // Other settings may have been chosen while it was loading.
        if document.settings != self.settings {
            document.lay_out(&self.settings);
        }
        self.messages.retain(|message| message.is_error);
        self.messages.extend(notes(&document));
        self.search = Search::default();
        self.neighbours = Neighbours::default();
        self.history = History::default();
        self.list_of = None;
        self.work = Work::default();
        self.blocks_are_new = true;
        self.home_pending = true;
        self.damage_is_told = false;
        self.jobs = Jobs::default();
        self.detail_seen = None;
        let base = Arc::clone(&document.base);
        self.document = Some(document);
        self.watch();
        self.mapping.find_out(&base, (self.wake)());
        self.watch_again();
        self.ask_history();
        if let Some(saved) = restored {
            self.restore(&saved, lost.unwrap_or_default());
        }
    }

    /// Brings what is not the document's to where a saved session has it.
    pub(super) fn restore(&mut self, saved: &SavedSession, lost: usize) {
        let (dock, unknown) = Dock::arranged(&saved.views);
        self.dock = dock;
        self.pose_to_restore = saved.pose();
        if lost + unknown.len() > 0 {
            self.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "Parts of the session are no longer there".to_owned(),
                lines: vec![format!(
                    "{} names mean nothing now and are left out",
                    lost + unknown.len()
                )],
            });
        }
        // What is collapsed decides the layout.
        self.lay_out();
        self.execute(PlayAsk::Seek(saved.time()));
        if let Some(playback) = &saved.playback {
            playback.restore(self);
        }
        self.list_of = self
            .document
            .as_ref()
            .and_then(|open| CallsOf::chosen(&open.selection.chosen));
        self.left_is_new = true;
        self.show_chosen();
        let lost = saved.pair.as_ref().map_or(0, |pair| pair.restore(self));
        if lost > 0 {
            self.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "Parts of the comparison are no longer there".to_owned(),
                lines: vec![format!("{lost} names mean nothing now and are left out")],
            });
        }
    }
}

/// What the user should know about what was opened.
fn notes(document: &Document) -> Vec<Message> {
    let mut notes = Vec::new();
    let mut note = |is_open: bool, title: String, lines: Vec<String>| {
        notes.push(Message {
            is_error: false,
            is_open,
            title,
            lines,
        });
    };
    let warnings: Vec<String> = document.warnings().map(ToString::to_string).collect();
    if !warnings.is_empty() {
        note(
            false,
            "Repaired or left out while reading".to_owned(),
            warnings,
        );
    }
    if let Some(versus) = document.versus.as_ref().filter(|it| !it.doubts.is_empty()) {
        let title = "To know about comparing the two".to_owned();
        note(false, title, versus.doubts.clone());
    }
    let Some(resolved) = document.resolved() else {
        return notes;
    };
    if document.inputs.recordings.len() == 2 && document.session.recordings.len() == 1 {
        let lines = vec![
            "They say that they hold parts of one run: services of one distributed trace, or its processes or \
             threads. They are played together."
                .to_owned(),
            "To compare them as two runs: callscape --a A --b B, or callscape compare A B for numbers and a page with \
             pictures."
                .to_owned(),
        ];
        note(true, "Both files are one recording".to_owned(), lines);
    }
    let functions = resolved.recording.functions.len();
    let found = resolved.resolution.found();
    if document.inputs.source_dir.is_some() && functions > 0 && found == 0 {
        let line = format!(
            "None of the {functions} functions of {} was found in the source tree. They stand in the \
             district of external functions.",
            resolved.recording.name()
        );
        note(
            true,
            "Source tree and recording do not match".to_owned(),
            vec![line],
        );
    }
    if resolved.recording.profile.is_none() && resolved.recording.trace.calls() == 0 {
        let line = format!("{} holds no calls.", resolved.recording.name());
        note(true, "Nothing to play".to_owned(), vec![line]);
    }
    if document.session.recordings.len() > 1 && document.versus.is_none() {
        let line = format!("{} is shown.", resolved.recording.name());
        note(
            false,
            format!("{} recordings are open", document.session.recordings.len()),
            vec![line],
        );
    }
    notes
}
