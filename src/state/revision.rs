//! What changes the open document from beside: the source tree and the mapping file as they change, the history of
//! the files, another layout, and what is collapsed by size.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::State;
use super::ask::{CutAsk, MappingAsk};
use super::document::{Document, Revised, Same};
use super::job::{Job, take, take_for};
use super::made::Made;
use super::mapping::one_name;
use super::message::Message;
use super::playback::Playback;
use super::watch::{Watch, Watched};
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::pairing::Correction;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::mapping::starting::{By, starting_mapping};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;
use callscape_model::metric::{Metric, Origin};
use callscape_model::surface::Surface;
use callscape_source::history::{History, HistoryError, MOST_COMMITS, history};

/// A module whose blocks would be smaller on the screen, in pixels on average, is collapsed; one that is collapsed
/// is expanded when they would be larger than the second.
const SMALLEST: f32 = 5.0;
const LARGE_ENOUGH: f32 = 6.5;

/// The name of the mapping file that is made where there is none.
const DEFAULT_FILE: &str = "architecture.map";

impl State {
    /// Reads the mapping file that the window was opened with.
    pub fn use_map_file(&mut self, path: &Path) {
        match self.mapping.read(path) {
            Ok(text) => {
                (self.mapping.mapping, self.mapping.errors) =
                    Mapping::parse(&text, &path.display().to_string());
                self.mapping.text = text;
                self.mapping.is_open = !self.mapping.errors.is_empty();
            }
            Err(failure) => self.tell("The mapping file could not be read", failure),
        }
    }

    pub fn tell(&mut self, title: &str, line: String) {
        let message = Message {
            is_error: true,
            is_open: true,
            title: title.to_owned(),
            lines: vec![line],
        };
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// The mapping of the editor's file, when nothing in it is wrong and it maps something.
    pub fn usable_map(&self) -> Option<Arc<Mapping>> {
        let editor = &self.mapping;
        let is_usable = editor.errors.is_empty() && !editor.mapping.entries().is_empty();
        (is_usable && !editor.is_edited()).then(|| Arc::new(editor.mapping.clone()))
    }

    /// Watches what is open now.
    pub fn watch_again(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let watched = Watched {
            source_dir: document.inputs.source_dir.clone(),
            mapping: self.mapping.path().filter(|path| path.is_file()),
        };
        self.watch = None;
        if watched != Watched::default() {
            self.watch = Some(Watch::start(watched, self.waker()));
        }
    }

    /// Begins to make the document anew.
    pub fn revise(&mut self, rescan: bool, map: Option<Arc<Mapping>>) {
        let Some(document) = &self.document else {
            return;
        };
        // What is under way may not have seen what it was begun for.
        let rescan = rescan || (self.jobs.is_revising() && self.jobs.rescans);
        let (basis, settings) = (document.basis(), self.settings);
        let work = move |progress: &Progress| {
            Ok(Document::revise(&basis, rescan, map, &settings, progress))
        };
        self.begin_revising(rescan, work);
    }

    fn begin_revising(
        &mut self,
        rescans: bool,
        work: impl FnOnce(&Progress) -> Result<anyhow::Result<Option<Revised>>, Cancelled>
        + Send
        + 'static,
    ) {
        if let Some(of) = self.document.as_ref().map(Document::generation) {
            self.jobs.rescans = rescans;
            self.jobs.revising = Some(Made::new(of, Job::start(self.waker(), work)));
        }
    }

    /// Begins to show another value of the recording.
    pub fn show_value(&mut self, name: String) {
        let Some(document) = &self.document else {
            return;
        };
        let has_values = document
            .resolved()
            .is_some_and(|it| !it.recording.values().is_empty());
        if !has_values || self.jobs.revising.is_some() {
            return;
        }
        let (basis, settings) = (document.basis(), self.settings);
        let work =
            move |progress: &Progress| Ok(Document::with_value(&basis, &name, &settings, progress));
        self.begin_revising(false, work);
    }

    /// Begins to show the other one of two runs.
    pub fn flip(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        if document.runs.is_none() || self.jobs.revising.is_some() {
            return;
        }
        let (basis, settings) = (document.basis(), self.settings);
        let work = move |progress: &Progress| Ok(Document::flip(&basis, &settings, progress));
        self.begin_revising(false, work);
    }

    /// Begins to exchange A and B.
    pub fn swap_runs(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        if document.runs.is_none() || self.jobs.revising.is_some() {
            return;
        }
        let (basis, settings) = (document.basis(), self.settings);
        let work = move |progress: &Progress| Ok(Document::swap(&basis, &settings, progress));
        self.begin_revising(false, work);
    }

    /// Begins to pair the functions of two runs as the user says.
    pub fn correct_pairs(&mut self, corrections: Vec<Correction>) {
        let Some(document) = &self.document else {
            return;
        };
        if document.runs.is_none() || self.jobs.revising.is_some() {
            return;
        }
        let (basis, settings) = (document.basis(), self.settings);
        let work = move |progress: &Progress| {
            Ok(Document::correct(&basis, corrections, &settings, progress))
        };
        self.begin_revising(false, work);
    }

    /// Begins to link the clocks of two runs by something else.
    pub fn link_clocks(&mut self, link: Link) {
        let Some(document) = &self.document else {
            return;
        };
        let Some(runs) = document.runs.clone() else {
            return;
        };
        let (of, session) = (document.generation(), Arc::clone(&document.session));
        let work = move |progress: &Progress| {
            progress.start("linking the clocks", 0);
            let linked = runs.linked(&session, link);
            Ok((runs, linked))
        };
        self.jobs.linking = Some(Made::new(of, Job::start(self.waker(), work)));
    }

    /// Takes what has changed beside the document.
    pub fn poll_jobs(&mut self) {
        self.mapping.poll();
        while let Some(watch) = &self.watch
            && let Some(changed) = watch.poll(|| self.waker())
        {
            if let Some(notice) = changed.notice {
                self.messages.push(Message {
                    is_error: false,
                    is_open: false,
                    title: "Changes are looked for".to_owned(),
                    lines: vec![notice],
                });
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
            self.stamps.sources += u64::from(changed.sources);
            if changed.sources || is_other {
                self.revise(changed.sources, map);
            }
        }
        let shown = self.document.as_ref().map(Document::generation);
        if let Some(outcome) = shown.and_then(|of| take_for(&mut self.jobs.revising, of)) {
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
            && self.jobs.revising.is_none()
        {
            self.revise(true, document.map.clone());
        }
        if let Some(document) = &mut self.document
            && let Some(Ok(landscape)) = take_for(&mut self.jobs.laying_out, document.generation())
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
            && let Some(Ok((of, runs))) = take_for(&mut self.jobs.linking, document.generation())
            && document
                .runs
                .as_ref()
                .is_some_and(|it| Arc::ptr_eq(&of, it))
        {
            document.set_runs(runs);
        }
        self.go_on();
        match take(&mut self.jobs.reading_history) {
            None => {}
            Some(Ok(history)) => self.take_history(history),
            Some(Err(HistoryError::Cancelled(_))) => {}
            Some(Err(error)) => self.tell("There is no history", error.to_string()),
        }
        self.update_findings();
    }

    fn stop_refining(&mut self) {
        if let Some(document) = &mut self.document {
            document.refinement = None;
        }
    }

    /// Reads the mapping file again after it has changed; the mapping, if it says something new and has no mistakes.
    /// What is being typed is kept.
    fn reread(&mut self, path: &Path) -> Option<Arc<Mapping>> {
        if self.mapping.is_edited() {
            return None;
        }
        let old = self.mapping.text.clone();
        let text = self.mapping.read(path).ok()?;
        if text == old {
            return None;
        }
        if let Some(document) = &self.document {
            let base = Arc::clone(&document.base);
            let wake = self.waker();
            self.mapping.edit(text, &base, wake);
        }
        if let Some(wrong) = self.mapping.errors.first() {
            let wrong = wrong.to_string();
            self.tell("The mapping file has mistakes", wrong);
        }
        self.usable_map()
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
            self.stamps.run += 1;
            let now = self.now();
            if let Some((playback, trace)) = document.playing().filter(|_| was_playing) {
                playback.play(now, trace);
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
    pub fn ask_history(&mut self) {
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
        if !is_asked || document.history.is_some() || self.jobs.has_asked_history {
            return;
        }
        self.jobs.has_asked_history = true;
        let work = move |progress: &Progress| Ok(history(&dir, progress));
        self.jobs.reading_history = Some(Job::start(self.waker(), work));
    }

    fn take_history(&mut self, history: History) {
        let mut limits = Vec::new();
        if history.is_shallow {
            limits.push("The clone is shallow: older changes are not known.".to_owned());
        }
        if history.is_cut_off {
            limits.push(format!(
                "Only the {MOST_COMMITS} newest commits are looked at."
            ));
        }
        if !limits.is_empty() {
            self.messages.push(Message {
                is_error: false,
                is_open: false,
                title: "The history is not whole".to_owned(),
                lines: limits,
            });
        }
        if let Some(document) = &mut self.document {
            document.set_history(Arc::new(history));
            self.blocks_moved();
        }
    }

    /// Opens, edits, saves and leaves the mapping.
    pub fn edit_mapping(&mut self, ask: MappingAsk) {
        match ask {
            MappingAsk::Toggle => {
                self.mapping.is_open ^= true;
                if self.mapping.is_open && self.mapping.text.is_empty() {
                    self.start_mapping();
                }
            }
            MappingAsk::Edit(text) => {
                if let Some(document) = &self.document {
                    let base = Arc::clone(&document.base);
                    let wake = self.waker();
                    self.mapping.edit(text, &base, wake);
                }
            }
            MappingAsk::Name(file) => self.mapping.file = file,
            MappingAsk::Save => self.save_mapping(),
            MappingAsk::UseNone => self.revise(false, None),
        }
    }

    /// The mapping file through which the structure is shown. A mapping that was never saved is nowhere to be found
    /// again.
    pub fn mapping_shown(&self) -> Option<PathBuf> {
        let document = self.document.as_ref()?;
        let path = document.map.as_ref().and_then(|_| self.mapping.path());
        path.map(|path| one_name(&path))
    }

    /// Begins to show the structure through a mapping file, none for an empty path; whether it is another than now.
    pub fn go_to_mapping(&mut self, path: &Path) -> bool {
        if self.document.is_none() {
            return false;
        }
        let wanted = (!path.as_os_str().is_empty()).then(|| one_name(path));
        if self.mapping_shown() == wanted {
            return false;
        }
        match &wanted {
            Some(path) => {
                self.use_map_file(path);
                self.revise_through_map()
            }
            None => self.revise_without_map(),
        }
    }

    /// Begins to show the structure through the mapping that was read; whether there is one that can be used.
    pub fn revise_through_map(&mut self) -> bool {
        let map = self.usable_map();
        let is_usable = map.is_some();
        if is_usable {
            self.revise(false, map);
            self.watch_again();
        }
        is_usable
    }

    /// Begins to show the structure as it is.
    pub fn revise_without_map(&mut self) -> bool {
        self.revise(false, None);
        true
    }

    /// Writes the mapping to its file, and shows the structure through it.
    fn save_mapping(&mut self) {
        if self.mapping.errors.is_empty() && self.mapping.save() {
            let map = self.usable_map();
            self.revise(false, map);
            self.watch_again();
        }
    }

    /// Something to begin with: an entity a directory, or a package where there are no directories.
    fn start_mapping(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let base = Arc::clone(&document.base);
        let name = document.name();
        let by_directory = starting_mapping(&base, By::Directory, 1, &name);
        let text = by_directory.or_else(|| starting_mapping(&base, By::Package, 1, &name));
        if self.mapping.file.is_empty() {
            let folder = document.inputs.source_dir.clone();
            let folder = folder.unwrap_or_else(|| PathBuf::from("."));
            self.mapping.file = folder.join(DEFAULT_FILE).display().to_string();
        }
        let wake = self.waker();
        self.mapping.edit(text.unwrap_or_default(), &base, wake);
    }

    /// Collapses and expands.
    pub fn change_cut(&mut self, ask: CutAsk) {
        if let CutAsk::CollapseOrExpand(module) = ask {
            return self.collapse_or_expand(module);
        }
        let Some(document) = &mut self.document else {
            return;
        };
        let hierarchy = &document.session.hierarchy;
        let before = document.cut.clone();
        match ask {
            CutAsk::ToggleDetailBySize => {
                self.detail_by_size ^= true;
                self.detail_seen = None;
                if !self.detail_by_size {
                    document.cut.expand_all();
                }
            }
            CutAsk::ExpandAll => document.cut.expand_all(),
            CutAsk::ExpandWhole(module) => {
                let selection = &document.selection;
                let module = module
                    .or(selection.chosen.module)
                    .or(selection.pointed.module);
                if let Some(module) = module {
                    document.cut.expand_whole(hierarchy, module);
                }
            }
            CutAsk::SetLevel(level) => document.cut.set_level(hierarchy, level),
            CutAsk::ChangeLevel(by) => {
                let deepest = hierarchy.modules().map(|id| hierarchy.depth(id)).max();
                let deepest = deepest.unwrap_or(0);
                let level = document.cut.level(hierarchy).unwrap_or(deepest);
                let level = i32::from(level).saturating_add(by).max(1);
                if level >= i32::from(deepest) {
                    document.cut.expand_all();
                } else {
                    document.cut.set_level(hierarchy, level as u16);
                }
            }
            // Handled above.
            CutAsk::CollapseOrExpand(_) => {}
        }
        if !matches!(ask, CutAsk::ToggleDetailBySize) {
            self.detail_by_size = false;
        }
        if document.cut != before {
            self.lay_out();
        }
    }

    /// Collapses what is too small on the screen and expands what is large enough, once the camera rests.
    pub fn fit_detail(&mut self) {
        if !self.detail_by_size || self.camera.is_moving() || self.jobs.laying_out.is_some() {
            return;
        }
        let seen = Some((self.camera.pose(), self.viewport.size));
        let Some(document) = &mut self.document else {
            return;
        };
        if self.detail_seen == seen || document.city.is_moving() {
            return;
        }
        let (camera, size) = (self.camera.camera(), self.viewport.size);
        let mut cut = document.cut.clone();
        let shown = document.city.leaf_sizes(&document.session, &camera, size);
        let is_other = fit(&document.session.hierarchy, &mut cut, shown);
        if is_other {
            // What has been expanded may be large enough to be expanded further: looked at again when it is there.
            document.cut = cut;
            self.lay_out();
        } else {
            self.detail_seen = seen;
        }
    }
}

/// Collapses and expands modules by how large their leaves are on the screen; whether that changes anything.
fn fit(hierarchy: &Hierarchy, cut: &mut Cut, sizes: Vec<(ModuleId, f32)>) -> bool {
    let mut is_other = false;
    for (module, pixels) in sizes {
        if module == ModuleId::ROOT {
            continue;
        }
        let is_collapsed = cut.is_collapsed(module);
        if is_collapsed && pixels > LARGE_ENOUGH {
            cut.expand(hierarchy, module);
            // Its children are judged when they are there.
            for child in hierarchy.children(module) {
                cut.collapse(hierarchy, child);
            }
            is_other = true;
        } else if !is_collapsed && pixels < SMALLEST {
            cut.collapse(hierarchy, module);
            is_other = true;
        }
    }
    is_other
}

#[cfg(test)]
mod tests {
    use super::super::ask::{RunsAsk, SearchAsk};
    use super::super::testing::{module, open, settle, tiny, two_runs};
    use super::*;
    use callscape_analysis::comparison::amounts::Measure;

    #[test]
    fn a_mapping_shows_the_structure_through_it_and_none_as_it_is() {
        let mut state = tiny();
        let before = open(&state).session.hierarchy.len();
        state.execute(MappingAsk::Toggle);
        settle(&mut state);
        assert!(
            state.mapping.is_open && !state.mapping.text.is_empty(),
            "something to begin with"
        );
        assert!(
            state.mapping.errors.is_empty(),
            "{:?}",
            state.mapping.errors
        );
        let name = format!("callscape-revision-{}.map", std::process::id());
        let path = std::env::temp_dir().join(name);
        state.execute(MappingAsk::Name(path.display().to_string()));
        state.execute(MappingAsk::Save);
        settle(&mut state);
        let _ = std::fs::remove_file(&path);
        assert!(open(&state).map.is_some());
        state.execute(MappingAsk::UseNone);
        settle(&mut state);
        assert!(open(&state).map.is_none());
        assert_eq!(open(&state).session.hierarchy.len(), before);
    }

    #[test]
    fn what_is_chosen_is_forgotten_where_modules_change() {
        let mut state = tiny();
        let step = module(&state, "step");
        state.execute(SearchAsk::Query("step".into()));
        assert_eq!(state.found(), [step]);
        state.revise(false, None);
        settle(&mut state);
        assert_eq!(state.found(), [module(&state, "step")], "looked for again");
        assert!(!open(&state).places.can_go_back());
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
        assert!(!state.jobs.is_any(), "they are already");
    }

    #[test]
    fn modules_collapse_and_expand_with_some_play_between() {
        let state = tiny();
        let hierarchy = &open(&state).session.hierarchy;
        let step = module(&state, "step");
        let parent = hierarchy.parent(step).expect("a parent");
        let mut cut = Cut::all();
        let between = (SMALLEST + LARGE_ENOUGH) * 0.5;
        assert!(!fit(hierarchy, &mut cut, vec![(parent, between)]));
        assert!(fit(hierarchy, &mut cut, vec![(parent, SMALLEST * 0.9)]));
        assert!(cut.is_collapsed(parent));
        assert!(!fit(hierarchy, &mut cut, vec![(parent, between)]));
        assert!(fit(hierarchy, &mut cut, vec![(parent, LARGE_ENOUGH * 1.1)]));
        assert!(!cut.is_collapsed(parent));
        assert!(
            !fit(hierarchy, &mut cut, vec![(ModuleId::ROOT, 0.0)]),
            "something is to be seen"
        );
    }
}
