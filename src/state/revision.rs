//! What changes the open document from beside: the source tree and the mapping file as they change, the history of
//! the files, and another layout.

use std::sync::Arc;

use super::document::{Change, Document, Revised, Same};
use super::job::{Job, take, take_for};
use super::made::Made;
use super::message::Message;
use super::playback::Playback;
use super::state::State;
use super::watch::{Watch, Watched};
use callscape_analysis::alignment::Link;
use callscape_analysis::mapping::Mapping;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_model::metric::{Metric, Origin};
use callscape_model::surface::Surface;
use callscape_source::history::{
    History, HistoryError, history, timeline, written_commit, written_of,
};

impl State {
    /// Watches what is open now.
    pub(crate) fn watch_again(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let watched = Watched {
            source_dir: document.inputs.source_dir.clone(),
            mapping: self.mapping.path().filter(|path| path.is_file()),
        };
        self.opening.watch = None;
        // What a page shows does not change, and it has no thread to watch with.
        if watched != Watched::default() && !cfg!(target_arch = "wasm32") {
            self.opening.watch = Some(Watch::start(watched, self.waker()));
        }
    }

    /// Begins to make the document anew over another structure.
    pub fn revise(&mut self, rescan: bool, map: Option<Arc<Mapping>>) {
        // What is under way may not have seen what it was begun for.
        let rescan = rescan || (self.work.jobs.is_revising() && self.work.jobs.rescans);
        self.begin_change(Change::Structure { rescan, map });
    }

    /// Begins to make the document anew with a change, where that is possible and nothing else is being changed.
    pub(super) fn begin_change(&mut self, change: Change) {
        let Some(document) = &self.document else {
            return;
        };
        let is_idle = !self.work.jobs.is_revising();
        let recording = document.resolved().map(|it| &it.recording);
        let has_values = recording.is_some_and(|it| !it.values().is_empty());
        let (is_possible, rescans) = match &change {
            Change::Structure { rescan, .. } => (true, *rescan),
            Change::Value(_) => (is_idle && has_values, false),
            Change::Flip | Change::Swap | Change::Pairs(_) => {
                (is_idle && document.runs.is_some(), false)
            }
        };
        if !is_possible {
            return;
        }
        let (of, basis, settings) = (document.generation(), document.basis(), self.settings);
        let work = move |progress: &Progress| Ok(basis.with(change, &settings, progress));
        let job = Job::start(self.waker(), work);
        self.work.jobs.rescans = rescans;
        self.work.jobs.revising = Some(Made::new(of, job));
    }

    /// Begins to link the clocks of two runs by something else.
    pub(crate) fn link_clocks(&mut self, link: Link) {
        let Some(document) = &self.document else {
            return;
        };
        let Some(runs) = document.runs.clone() else {
            return;
        };
        let (of, session) = (document.generation(), Arc::clone(&document.session));
        let work = move |progress: &Progress| {
            progress.start("aligning the runs", 0);
            let linked = runs.linked(&session, link);
            Ok((runs, linked))
        };
        self.work.jobs.linking = Some(Made::new(of, Job::start(self.waker(), work)));
    }

    /// Takes what has changed beside the document.
    pub fn poll_jobs(&mut self) {
        self.mapping.poll();
        while let Some(watch) = &self.opening.watch
            && let Some(changed) = watch.poll(|| self.waker())
        {
            if let Some(notice) = changed.notice {
                let told = Message::note("Polling for changes", vec![notice]);
                self.told.messages.push(told);
            }
            let mut map = self.document.as_ref().and_then(|open| open.map.clone());
            let mut is_other = false;
            if changed.mapping
                && let Some(path) = self.mapping.path()
                && let Some(other) = self.reread(&path)
            {
                (map, is_other) = (Some(other), true);
            }
            if changed.sources
                && let Some(document) = &mut self.document
            {
                // What has been read so far may be of files as they were.
                document.refinement = None;
            }
            self.opening.sources += u64::from(changed.sources);
            if changed.sources || is_other {
                self.revise(changed.sources, map);
            }
        }
        let shown = self.document.as_ref().map(Document::generation);
        if let Some(outcome) = shown.and_then(|of| take_for(&mut self.work.jobs.revising, of)) {
            match outcome {
                Ok(Ok(Some(revised))) => self.take_revised(revised),
                Ok(Err(error)) => {
                    self.stop_refining();
                    self.tell("The change could not be shown", format!("{error:#}"));
                }
                Ok(Ok(None)) => {}
                Err(_) => self.stop_refining(),
            }
        }
        // A large source tree is shown with its files first, and then with what has been read of them.
        let rest = self.document.as_ref();
        if let Some(document) = rest.filter(|document| document.refinement.is_some())
            && self.work.jobs.revising.is_none()
        {
            self.revise(true, document.map.clone());
        }
        if let Some(document) = &mut self.document
            && let Some(Ok(landscape)) =
                take_for(&mut self.work.jobs.laying_out, document.generation())
        {
            document.take_landscape(landscape);
            // It may have changed while another thread laid out.
            if document.settings.highlight != self.settings.highlight {
                self.highlight(self.settings.highlight);
            }
            let is_lit = self.document.as_ref().is_some_and(|it| it.lit.is_some());
            if is_lit || self.findings.is_colored {
                self.show_lit();
            }
            self.blocks_moved();
        }
        if let Some(document) = &mut self.document
            && let Some(Ok((of, runs))) =
                take_for(&mut self.work.jobs.linking, document.generation())
            && document
                .runs
                .as_ref()
                .is_some_and(|it| Arc::ptr_eq(&of, it))
        {
            document.set_runs(runs);
        }
        self.go_on();
        match take(&mut self.work.jobs.reading_history) {
            None => {}
            Some(Ok(history)) => self.take_history(history),
            Some(Err(HistoryError::Cancelled(_))) => {}
            Some(Err(error)) => self.tell("No git history", error.to_string()),
        }
        self.update_findings();
    }

    fn stop_refining(&mut self) {
        if let Some(document) = &mut self.document {
            document.refinement = None;
        }
    }

    fn take_revised(&mut self, revised: Revised) {
        let Revised {
            mut document,
            moved,
        } = revised;
        let Some(old) = &self.document else {
            return;
        };
        let is_flipped = !document.is_same_run(old);
        let was_playing = old.playback.as_ref().is_some_and(Playback::is_playing);
        let is_other_structure = moved
            .iter()
            .zip(0..)
            .any(|(to, from)| *to != Some(ModuleId(from)));
        document.take_over(old, &moved, &self.settings);
        if is_other_structure {
            self.steps.moved(&Same {
                old,
                new: &document,
                moved: Some(&moved),
            });
        }
        if is_flipped {
            self.opening.runs += 1;
            let now = self.now();
            if let Some((playback, all)) = document.playing().filter(|_| was_playing) {
                playback.play(now, all);
            }
        }
        let base = Arc::clone(&document.base);
        self.put(document);
        self.steps.is_touched = true;
        self.show_both();
        self.mapping.find_out(&base, self.waker());
        self.blocks_moved();
    }

    /// Begins to read the history where a metric of it is asked for.
    pub(crate) fn ask_history(&mut self) {
        let asks = |metric: Metric| metric.origin() == Origin::History;
        let settings = &self.settings;
        let is_asked = asks(settings.area)
            || settings.height.is_some_and(asks)
            || matches!(settings.surface, Surface::Metric(metric) if asks(metric));
        let Some(document) = &self.document else {
            return;
        };
        let Some(dir) = document.inputs.source_dir.clone() else {
            return;
        };
        if !is_asked || document.history.is_some() || self.work.jobs.has_asked_history {
            return;
        }
        self.work.jobs.has_asked_history = true;
        let Some(source) = written_of(&dir) else {
            let work = move |progress: &Progress| Ok(history(&dir, progress));
            self.work.jobs.reading_history = Some(Job::start(self.waker(), work));
            return;
        };
        // A copy of a revision has no repository around it. Of two revisions none is the one to read.
        let Some(commit) = written_commit(&dir) else {
            return;
        };
        let work = move |progress: &Progress| {
            let found = timeline(&source, Some(&commit.id), progress);
            Ok(found.map(|it| History::of(&Arc::new(it))))
        };
        self.work.jobs.reading_history = Some(Job::start(self.waker(), work));
    }

    fn take_history(&mut self, history: History) {
        let limits = history.limits();
        if !limits.is_empty() {
            let told = Message::note("The history is incomplete", limits);
            self.told.messages.push(told);
        }
        if let Some(document) = &mut self.document {
            document.set_history(Arc::new(history));
            self.blocks_moved();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{RunsAsk, SearchAsk};
    use super::super::testing::{module, open, settle, tiny, two_runs};
    use super::*;
    use callscape_analysis::comparison::amounts::Measure;

    #[test]
    fn what_is_chosen_is_forgotten_where_modules_change() {
        let mut state = tiny();
        let step = module(&state, "step");
        state.execute(SearchAsk::Query("step".into()));
        assert_eq!(state.found(), [step]);
        state.revise(false, None);
        settle(&mut state);
        assert_eq!(state.found(), [module(&state, "step")], "looked for again");
        assert!(!open(&state).selection.places.can_go_back());
    }

    #[test]
    fn swapping_mirrors_what_differs() {
        let mut state = two_runs();
        let deltas = |state: &State| -> Vec<f64> {
            let runs = open(state).runs.clone().expect("two runs");
            let changes = runs.functions.iter();
            changes.map(|it| it.delta(Measure::SelfCost)).collect()
        };
        let before = deltas(&state);
        assert!(before.iter().any(|&by| by != 0.0));
        state.execute(RunsAsk::Swap);
        settle(&mut state);
        let runs = open(&state).runs.clone().expect("two runs");
        assert_eq!(runs.letter(), "B", "the same run plays");
        let mirrored: Vec<f64> = before.iter().map(|by| -by).collect();
        assert_eq!(deltas(&state), mirrored);
    }

    #[test]
    fn clocks_are_linked_as_asked() {
        let mut state = two_runs();
        let link = |state: &State| *open(state).runs.clone().expect("two runs").link();
        assert_ne!(link(&state), Link::Events);
        state.execute(RunsAsk::LinkClocks(Link::Events));
        settle(&mut state);
        assert_eq!(link(&state), Link::Events);
        state.execute(RunsAsk::LinkClocks(Link::Events));
        assert!(!state.work.jobs.is_any(), "they are already");
    }
}
