//! Opening and showing: sources and recordings, sessions, and what grows while it is open.

use std::path::PathBuf;
use std::sync::Arc;

use super::document::{Document, Part, Same};
use super::growing;
use super::jobs::Jobs;
use super::loading::Loading;
use super::message::Message;
use super::runs_view::RunsView;
use super::search::Search;
use super::state::State;
use super::steps::Steps;
use callscape_analysis::session::Inputs;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::surface::Surface;

impl State {
    /// Begins to open `inputs`, with that part of them shown.
    pub fn open(&mut self, inputs: Inputs, part: Part) {
        // What was being opened is cancelled before the next is begun.
        self.opening.loading = None;
        if let Some(growing) = &mut self.opening.growing {
            growing.opening(&inputs);
        }
        let map = self.usable_map();
        self.opening.loading = Some(Loading::start(
            inputs,
            part,
            map,
            self.settings,
            self.waker(),
        ));
    }

    /// Begins to open the same recordings with the source tree in `dir`; the demo has none.
    pub(crate) fn open_source(&mut self, dir: PathBuf) {
        let Some(document) = &self.document else {
            return;
        };
        let inputs = Inputs {
            source_dir: Some(dir),
            ..document.inputs.clone()
        };
        self.open(inputs, Part::default());
    }

    /// What is still to be told of damage that answers have met with; told once for each document.
    pub(crate) fn untold_damage(&self) -> Option<String> {
        if self.opening.damage_is_told {
            return None;
        }
        let resolved = self.document.as_ref().and_then(Document::resolved)?;
        resolved.recording.damage()
    }

    pub(crate) fn tell_damage(&mut self) {
        if let Some(damage) = self.untold_damage() {
            self.opening.damage_is_told = true;
            let title = "Parts of the recording are missing";
            self.told.messages.push(Message::error(title, damage));
        }
    }

    /// Takes what the worker has finished: a document to show, once there is one.
    pub fn poll_loading(&mut self) -> Option<Document> {
        match self.opening.poll() {
            Some(Ok(document)) => return Some(*document),
            Some(Err(message)) => self.told.messages.extend(message),
            None => self.poll_growing(),
        }
        None
    }

    /// Takes what was read anew of recordings that grow.
    fn poll_growing(&mut self) {
        let (Some(growing), Some(old)) = (&mut self.opening.growing, &self.document) else {
            return;
        };
        // What is being opened is watched once it is open; what is being made anew is read anew after that.
        if self.opening.loading.is_some() || self.work.jobs.is_revising() {
            return;
        }
        let Some(news) = growing.poll(old.generation()) else {
            if !growing.is_watching() {
                self.watch();
            }
            return;
        };
        if let Some(document) = news {
            self.take_grown(*document);
        }
        self.watch();
    }

    /// Shows what was read anew of the recordings that are shown.
    pub fn take_grown(&mut self, mut document: Document) {
        if let Some(old) = &self.document {
            growing::carry_over(old, &mut document, self.now());
            self.steps.moved(&Same {
                old,
                new: &document,
                moved: None,
            });
        }
        growing::forget_the_end(&mut document);
        self.look.blocks += 1;
        self.put(document);
        self.show_both();
    }

    /// Waits for what is open to grow, where it is followed.
    pub fn watch(&mut self) {
        if let (Some(growing), Some(document)) = (&mut self.opening.growing, &self.document) {
            growing.watch(document, self.settings, self.work.waker());
        }
    }

    /// Shows a document as it is, for pictures: nothing is told of it, looked up or watched.
    pub fn show_as_is(&mut self, document: Document) {
        self.document = Some(document);
        self.opening.begin();
        self.opening.replace(None);
    }

    /// Shows a document, which `prepare` brings to where a saved session has it first.
    pub fn show<T>(
        &mut self,
        mut document: Document,
        prepare: impl FnOnce(&mut LandscapeSettings, &mut Document) -> T,
    ) -> T {
        if self.opening.growing.is_some() {
            growing::forget_the_end(&mut document);
        }
        self.settings.half_life = document.settings.half_life;
        let is_difference = |surface| surface == Surface::Difference;
        if is_difference(document.settings.surface) != is_difference(self.settings.surface) {
            self.settings.arcs = document.settings.arcs;
        }
        let is_recorded = !document.session.recordings.is_empty();
        let usual = Surface::usual(document.runs.is_some(), is_recorded);
        self.settings.surface = self.settings.surface.once_open(usual);
        let shown = document.resolved().map(|resolved| &*resolved.recording);
        let has_source = document.session.source_dir.is_some();
        self.settings = self.settings.once_open(shown, has_source);
        self.runs_view = RunsView::default();
        let prepared = prepare(&mut self.settings, &mut document);
        // Other settings may have been chosen while it was loading.
        if document.settings != self.settings {
            document.lay_out(&self.settings);
        }
        self.told.messages.retain(|message| message.is_error);
        self.told.messages.extend(notes(&document));
        self.search = Search::default();
        self.look.blocks += 1;
        self.opening.begin();
        // They are of what was open before; the next frame begins anew.
        self.steps = Steps::default();
        self.moving.begin();
        self.work.jobs = Jobs::default();
        let base = Arc::clone(&document.base);
        self.put(document);
        self.begin_findings();
        self.watch();
        self.mapping.find_out(&base, self.waker());
        self.watch_again();
        self.ask_history();
        self.begin_question();
        prepared
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
            "Repaired or skipped while reading".to_owned(),
            warnings,
        );
    }
    if let Some(runs) = document.runs.as_ref().filter(|it| !it.doubts.is_empty()) {
        let title = "Notes on this comparison".to_owned();
        note(false, title, runs.doubts.clone());
    }
    let Some(resolved) = document.resolved() else {
        return notes;
    };
    if document.inputs.recordings.len() == 2 && document.session.recordings.len() == 1 {
        let lines = vec![
            "They contain parts of one run: services of one distributed trace, or its processes or threads. They are \
             played together."
                .to_owned(),
            "To compare them as two runs, use callscape --a A --b B, or callscape compare A B for numbers and a page \
             with pictures."
                .to_owned(),
        ];
        note(true, "Both files are one recording".to_owned(), lines);
    }
    let functions = resolved.recording.functions.len();
    let found = resolved.resolution.found();
    if document.inputs.source_dir.is_some() && functions > 0 && found == 0 {
        let line = format!(
            "None of the {functions} functions of {} was found in the source tree. They are in the district external.",
            resolved.recording.name()
        );
        note(
            true,
            "Source tree and recording do not match".to_owned(),
            vec![line],
        );
    }
    if resolved.recording.profile.is_none() && resolved.recording.trace.calls() == 0 {
        let line = format!("{} contains no calls.", resolved.recording.name());
        note(true, "Nothing to play".to_owned(), vec![line]);
    }
    if document.session.recordings.len() > 1 && document.runs.is_none() {
        let line = format!("{} is shown.", resolved.recording.name());
        note(
            false,
            format!("{} recordings are open", document.session.recordings.len()),
            vec![line],
        );
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::ask::{OpenAsk, SearchAsk, SelectAsk};
    use super::super::testing::{module, nothing_open, open, range, tiny, tiny_file, two_runs};
    use super::*;

    /// Waits until it is there, or is not.
    fn wait(state: &mut State) -> Option<Document> {
        loop {
            let document = state.poll_loading();
            if document.is_some() || state.opening.loading.is_none() {
                return document;
            }
            std::thread::yield_now();
        }
    }

    fn inputs(path: std::path::PathBuf) -> Inputs {
        Inputs {
            recordings: vec![path],
            ..Inputs::default()
        }
    }

    #[test]
    fn what_was_opened_is_shown_once_it_is_read() {
        let mut state = nothing_open();
        let path = tiny_file();
        state.open(inputs(path.clone()), Part::default());
        assert!(state.opening.loading.is_some() && state.document.is_none());
        let document = wait(&mut state).expect("it can be read");
        state.show(document, |_, _| ());
        let _ = std::fs::remove_file(&path);
        assert_eq!(
            open(&state).name(),
            path.file_name().expect("a name").to_string_lossy()
        );
        assert!(state.told.messages.is_empty(), "{:?}", state.told.messages);
    }

    #[test]
    fn why_something_could_not_be_opened_is_told_and_what_was_open_stays() {
        let mut state = tiny();
        let missing = std::env::temp_dir().join("callscape-nothing-here.json");
        state.open(inputs(missing), Part::default());
        assert!(wait(&mut state).is_none());
        let [message] = &state.told.messages[..] else {
            panic!("{:?}", state.told.messages);
        };
        assert!(message.is_error && message.title.contains("callscape-nothing-here"));
        assert!(state.document.is_some());
    }

    #[test]
    fn what_was_cancelled_is_not_told() {
        let mut state = nothing_open();
        let path = tiny_file();
        state.open(inputs(path.clone()), Part::default());
        state.execute(OpenAsk::CancelLoading);
        let progress = state
            .opening
            .loading
            .as_ref()
            .map(|it| it.progress().clone());
        assert!(progress.is_some_and(|it| it.check().is_err()));
        // It may have been read before it heard of that.
        let _ = wait(&mut state);
        let _ = std::fs::remove_file(&path);
        assert!(state.told.messages.is_empty(), "{:?}", state.told.messages);
    }

    #[test]
    fn other_inputs_begin_without_what_was_said_of_the_last() {
        let mut state = tiny();
        state.execute(SelectAsk::Select(Some(module(&state, "step"))));
        state.execute(SelectAsk::SetRange(Some(range(10, 50))));
        state.execute(SearchAsk::Query("step".into()));
        assert!(open(&state).selection.places.can_go_back());
        state.tell("An error", "stays".to_owned());
        let document = two_runs().document.expect("two runs");
        state.show(document, |_, _| ());
        assert!(!open(&state).selection.places.can_go_back());
        assert_eq!(state.search.query, "");
        assert_eq!(open(&state).selection.range, None);
        assert_eq!(
            state.settings.surface,
            Surface::Difference,
            "two runs differ"
        );
        assert!(state.told.messages.iter().any(|it| it.title == "An error"));
        state.show(tiny().document.expect("one run"), |_, _| ());
        assert_eq!(state.settings.surface, Surface::Neutral);
    }

    #[test]
    fn a_saved_session_is_prepared_before_it_is_shown() {
        let document = tiny().document.expect("a recording");
        let mut state = nothing_open();
        let told = state.show(document, |settings, _| {
            settings.most_blocks = 2;
            "prepared"
        });
        assert_eq!(told, "prepared");
        assert!(open(&state).city.blocks_left_out() > 0);
    }
}
