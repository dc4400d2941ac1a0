//! Session files: what is open and how it is looked at, saved and opened again.
//!
//! A session file is JSON, its name ends in [`ENDING`]. It names inputs by paths relative to its own folder
//! where that is possible, and modules by their path in the hierarchy, so that it survives another scan.

mod playback;
mod runs;

use std::path::{Path, PathBuf};

use glam::Vec3;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::open_views::Views;
use callscape_analysis::session::{Elsewhere, Inputs, Sides, Since};
use callscape_base::files::{self, disk};
use callscape_base::units::{CallId, ModuleId, ThreadId, Time, TimeRange};
use callscape_facts::frequency::Frequency;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;
use callscape_filter::filters::{FilterStep, Filters};
use callscape_filter::selection::{CallOf, Pointed};
use callscape_import::input::STANDARD_INPUT;
use callscape_look::pose::{FOV_Y, Pose};
use callscape_presentation::files::relative;
use callscape_presentation::kept::{mark_again, marked_in};
use callscape_presentation::saved_look::SavedLook;
use callscape_presentation::scene::{Bookmark, MarkedFor};
use callscape_state::State;
use callscape_state::document::{Document, Part};
use callscape_state::panes::Arrangement;
use callscape_views::SavedViews;
use playback::SavedPlayback;
pub use runs::SavedRuns;

/// How the names of session files end.
pub const ENDING: &str = ".callscape-session.json";

const FORMAT: &str = "callscape-session";
/// What files of this version hold; others are not read.
const VERSION: u32 = 1;

/// No session has more bytes.
const LARGEST: u64 = 256 << 20;

/// A session as a file keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedSession {
    format: String,
    version: u32,
    source: Option<PathBuf>,
    #[serde(default)]
    recordings: Vec<PathBuf>,
    /// Of two sides that are compared; 0 where two recordings are one of each.
    #[serde(default, skip_serializing_if = "is_zero")]
    runs_of_a: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source_of_a: Option<PathBuf>,
    /// Since which revision changes are looked for, up to which, and a recording of the run in which all was well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    good: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    good_recording: Option<PathBuf>,
    /// What other tools have found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<PathBuf>,
    pub views: Arrangement,
    #[serde(default)]
    time_ns: u64,
    range_ns: Option<[u64; 2]>,
    /// The path of the module chosen, and the thread and number of the call.
    module: Option<String>,
    call: Option<[u32; 2]>,
    /// The paths of the two modules of the call relation chosen, and the thread of a hop of its way.
    relation: Option<[String; 2]>,
    thread: Option<u32>,
    /// Which value of a profile is shown.
    value: Option<String>,
    /// Which of two runs is shown: `A` or `B`.
    run: Option<String>,
    camera: Option<SavedPose>,
    #[serde(default)]
    collapsed: Vec<String>,
    #[serde(default)]
    left_out: Vec<SavedStep>,
    /// Which functions are marked for what is known of them from elsewhere, and whether they stand out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    marked: Option<MarkedFor>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    color_marked: bool,
    mapping: Option<PathBuf>,
    #[serde(default)]
    pub look: SavedLook,
    pub playback: Option<SavedPlayback>,
    /// Of the views, each under names of its own.
    #[serde(default)]
    shown: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<SavedRuns>,
    /// Their mapping files are relative to the file's folder too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bookmarks: Vec<Bookmark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct SavedPose {
    target: [f32; 3],
    distance: f32,
    yaw: f32,
    pitch: f32,
    #[serde(default)]
    fov_y: Option<f32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedStep {
    Thread(u32),
    Module(String),
    Below(String),
    BelowCall([u32; 2]),
    Frequent(Frequency),
    NotMarked,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Whether `path` is named like a session file.
pub fn is_session_file(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(ENDING))
}

impl SavedSession {
    /// What is shown, with its bookmarks as a file in `folder` has them, for a file there; none without anything open.
    pub fn of(
        state: &State,
        views: &Views,
        bookmarks: Vec<Bookmark>,
        folder: &Path,
    ) -> Option<SavedSession> {
        let document = state.document.as_ref()?;
        let of_views = views.save(state);
        let path = |module: ModuleId| document.session.hierarchy.path(module);
        let selection = &document.selection;
        let pose = state.moving.camera.pose();
        let steps = document.filters.steps().iter().map(|step| match *step {
            FilterStep::HideThread(thread) => SavedStep::Thread(thread.0),
            FilterStep::RemoveModule(module) => SavedStep::Module(path(module)),
            FilterStep::RemoveBelow(module) => SavedStep::Below(path(module)),
            FilterStep::RemoveBelowCall(of) => SavedStep::BelowCall([of.thread.0, of.call.0]),
            FilterStep::RemoveFrequent(limit) => SavedStep::Frequent(limit),
            FilterStep::RemoveNotMarked => SavedStep::NotMarked,
        });
        // A stands first.
        let inputs = document.inputs_of_sides();
        let elsewhere = &document.inputs.elsewhere;
        let since = elsewhere.since.as_ref();
        let can_mark = *elsewhere != Elsewhere::default();
        // A mapping that was never saved is nowhere to be found again.
        let mapping = document.map.as_ref().and_then(|_| state.mapping.path());
        Some(SavedSession {
            format: FORMAT.to_owned(),
            version: VERSION,
            source: inputs
                .source_dir
                .as_deref()
                .map(|path| relative(path, folder)),
            recordings: inputs
                .recordings
                .iter()
                .map(|path| relative(path, folder))
                .collect(),
            runs_of_a: inputs.sides.runs_of_a,
            source_of_a: inputs
                .sides
                .source_of_a
                .as_deref()
                .map(|path| relative(path, folder)),
            good: since.map(|it| it.good.clone()),
            bad: since.and_then(|it| it.bad.clone()),
            good_recording: since
                .and_then(|it| it.good_recording.as_deref())
                .map(|path| relative(path, folder)),
            results: elsewhere.files().map(|it| relative(it, folder)).collect(),
            views: state.panes.arrangement().clone(),
            time_ns: selection.time.ns(),
            range_ns: selection
                .range
                .map(|range| [range.start.ns(), range.end.ns()]),
            module: selection.chosen.module.map(path),
            call: selection.chosen.call.map(|of| [of.thread.0, of.call.0]),
            relation: selection
                .chosen
                .relation
                .map(|(from, to)| [path(from), path(to)]),
            thread: selection.chosen.thread.map(|thread| thread.0),
            value: document.resolved().and_then(|resolved| {
                let values = resolved.recording.values();
                // Of one alone there is nothing to choose.
                let shown = values.get(resolved.recording.value());
                let shown = shown.filter(|_| values.len() > 1);
                shown.map(|value| value.name.clone())
            }),
            run: document.runs.as_ref().map(|runs| runs.letter().to_owned()),
            camera: Some(SavedPose {
                target: pose.target.to_array(),
                distance: pose.distance,
                yaw: pose.yaw,
                pitch: pose.pitch,
                fov_y: Some(pose.fov_y),
            }),
            collapsed: document.cut.collapsed().map(path).collect(),
            left_out: steps.collect(),
            marked: marked_in(state).filter(|_| can_mark).map(|mut it| {
                if let Some(path) = it.file_mut() {
                    *path = relative(path, folder);
                }
                it
            }),
            color_marked: state.findings.is_colored,
            mapping: mapping.map(|path| relative(&path, folder)),
            look: SavedLook::of(&state.settings),
            playback: SavedPlayback::of(state),
            shown: of_views.shown.into_iter().chain(of_views.of_run).collect(),
            pair: SavedRuns::of(state, of_views.runs),
            bookmarks,
        })
    }

    /// Reads a session file; an error says which, what was expected and what was found.
    pub fn read(path: &Path) -> anyhow::Result<SavedSession> {
        use anyhow::Context;
        let shown = path.display();
        let text = files::read_text(path, LARGEST).with_context(|| shown.to_string())?;
        let saved: SavedSession = serde_json::from_str(&text)
            .with_context(|| format!("{shown}: expected a session that Callscape saved"))?;
        anyhow::ensure!(
            saved.format == FORMAT && saved.version == VERSION,
            "{shown}: expected {FORMAT} of version {VERSION}, found {} of version {}",
            saved.format,
            saved.version
        );
        Ok(saved)
    }

    /// What to open of a file at `path`, and the inputs that are not there any more.
    pub fn inputs(&self, path: &Path) -> (Inputs, Vec<PathBuf>) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut missing = Vec::new();
        let mut found = |input: &PathBuf| {
            let input = folder.join(input);
            let is_there = disk::exists(&input);
            if !is_there {
                missing.push(input.clone());
            }
            is_there.then_some(input)
        };
        let source_dir = self.source.as_ref().and_then(&mut found);
        let (of_a, of_b) = self
            .recordings
            .split_at_checked(self.runs_of_a)
            .unwrap_or((&[], &self.recordings));
        let mut there =
            |of: &[PathBuf]| -> Vec<PathBuf> { of.iter().filter_map(&mut found).collect() };
        let (mut recordings, of_b) = (there(of_a), there(of_b));
        let runs_of_a = recordings.len();
        recordings.extend(of_b);
        let source_of_a = self.source_of_a.as_ref().and_then(&mut found);
        let good_recording = self.good_recording.as_ref().and_then(&mut found);
        let results = self.results.iter().filter_map(&mut found).collect();
        let inputs = Inputs {
            source_dir,
            recordings,
            sides: Sides {
                runs_of_a,
                source_of_a,
            },
            elsewhere: Elsewhere {
                since: self.good.as_ref().map(|good| Since {
                    good: good.clone(),
                    bad: self.bad.clone(),
                    good_recording,
                }),
                results,
            },
        };
        (inputs, missing)
    }

    /// All paths that it names, as it names them.
    pub fn paths(&self) -> Vec<PathBuf> {
        let inputs = self.source.iter().chain(&self.source_of_a);
        let inputs = inputs.chain(&self.good_recording).chain(&self.results);
        let inputs = inputs.chain(&self.recordings);
        let bookmarks = self.bookmarks.iter().filter_map(|it| it.mapping.as_ref());
        let all = inputs.chain(&self.mapping).chain(bookmarks);
        all.cloned().collect()
    }

    /// Names other files.
    pub fn set_inputs(&mut self, inputs: Inputs, mapping: Option<PathBuf>) {
        (self.source, self.recordings, self.mapping) =
            (inputs.source_dir, inputs.recordings, mapping);
        (self.runs_of_a, self.source_of_a) = (inputs.sides.runs_of_a, inputs.sides.source_of_a);
        let since = inputs.elsewhere.since.unwrap_or_default();
        self.good = Some(since.good).filter(|it| !it.is_empty());
        (self.bad, self.good_recording) = (since.bad, since.good_recording);
        self.results = inputs.elsewhere.results;
    }

    /// Forgets the revisions and the results of other tools, with the step that leaves out what they do not mark; whether there
    /// were any.
    pub fn forget_elsewhere(&mut self) -> bool {
        let had_any = self.good.is_some() || !self.results.is_empty();
        (self.good, self.bad, self.good_recording) = (None, None, None);
        self.results.clear();
        (self.marked, self.color_marked) = (None, false);
        self.left_out.retain(|it| *it != SavedStep::NotMarked);
        had_any
    }

    /// What of it is meant for the same first run beside other ones: all but the colours, and what is compared.
    pub fn of_other_runs(self) -> SavedSession {
        SavedSession {
            look: SavedLook::default(),
            pair: None,
            run: None,
            ..self
        }
    }

    /// The mapping file that a file at `path` names, and whether it is there.
    pub fn mapping(&self, path: &Path) -> Option<(PathBuf, bool)> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mapping = folder.join(self.mapping.as_ref()?);
        let is_there = disk::is_file(&mapping);
        Some((mapping, is_there))
    }

    /// Has the functions marked that were, by a file in `folder`; how many names mean nothing now.
    pub fn mark(&self, folder: &Path, state: &mut State) -> usize {
        let mut marked = self.marked.clone();
        if let Some(path) = marked.as_mut().and_then(MarkedFor::file_mut) {
            *path = folder.join(&*path);
        }
        mark_again(marked.as_ref(), self.color_marked, state)
    }

    /// What of the inputs was shown.
    pub fn part(&self) -> Part {
        Part {
            value: self.value.clone(),
            run: self.run.clone(),
        }
    }

    /// Whether it names anything to open; else it is of the built-in demo.
    pub fn has_inputs(&self) -> bool {
        self.source.is_some() || !self.recordings.is_empty()
    }

    /// Brings a document that was opened from the file's inputs to where it was; what is no longer there
    /// is left out, and counted.
    pub fn restore(&self, document: &mut Document) -> usize {
        let mut lost = 0;
        let hierarchy = &document.session.hierarchy;
        let mut module = |path: &String| {
            let found = find(hierarchy, path);
            lost += usize::from(found.is_none());
            found
        };
        let hidden: Vec<ModuleId> = document.cut.hidden().collect();
        let mut cut = Cut::default();
        for id in hidden {
            cut = cut.hiding(Some(id));
        }
        for id in self.collapsed.iter().filter_map(&mut module) {
            if !cut.is_collapsed(id) {
                cut.toggle(id);
            }
        }
        let steps: Vec<FilterStep> = self
            .left_out
            .iter()
            .filter_map(|step| match step {
                SavedStep::Thread(thread) => Some(FilterStep::HideThread(ThreadId(*thread))),
                SavedStep::Module(path) => module(path).map(FilterStep::RemoveModule),
                SavedStep::Below(path) => module(path).map(FilterStep::RemoveBelow),
                SavedStep::BelowCall(call) => Some(FilterStep::RemoveBelowCall(call_of(*call))),
                SavedStep::Frequent(limit) => Some(FilterStep::RemoveFrequent(*limit)),
                SavedStep::NotMarked => Some(FilterStep::RemoveNotMarked),
            })
            .collect();
        let chosen = self.module.as_ref().and_then(&mut module);
        let relation = self.relation.as_ref();
        let relation = relation.and_then(|[from, to]| module(from).zip(module(to)));
        let trace = document.resolved().map(|it| &it.recording.trace);
        let exists = |of: &CallOf| {
            let thread = trace.and_then(|trace| trace.threads().get(of.thread.index()));
            thread.is_some_and(|thread| u64::from(of.call.0) < thread.calls)
        };
        let call = self.call.map(call_of).filter(exists);
        let threads = trace.map_or(0, |trace| trace.threads().len());
        document.cut = cut;
        let chosen = document.complete(Pointed {
            module: chosen,
            call,
            relation,
            // The time of a hop is the session's.
            thread: self
                .thread
                .map(ThreadId)
                .filter(|thread| thread.index() < threads),
            time: relation.map(|_| self.time()),
            ..Pointed::default()
        });
        document.selection.change(|it| it.chosen = chosen);
        let whole = document.resolved().map(|it| it.recording.trace.range());
        let range = self.range_ns.map(|[start, end]| {
            let [start, end] = [start, end].map(Time::from_ns);
            TimeRange::new(start, end)
        });
        let range = range.filter(|range| whole.is_some_and(|whole| range.start <= whole.end));
        document.limit(range, Filters::new(steps));
        lost
    }

    /// What it keeps of the views.
    pub fn of_views(&self) -> SavedViews {
        let of_pair = self.pair.as_ref().map(|pair| pair.views.clone());
        SavedViews {
            shown: self.shown.clone(),
            of_run: self.shown.clone(),
            runs: of_pair.unwrap_or_default(),
        }
    }

    pub fn time(&self) -> Time {
        Time::from_ns(self.time_ns)
    }

    /// None when the file holds none that one can look from.
    pub fn pose(&self) -> Option<Pose> {
        let saved = self.camera?;
        let pose = Pose {
            target: Vec3::from_array(saved.target),
            distance: saved.distance.clamp(0.1, 1e6),
            yaw: saved.yaw,
            pitch: saved.pitch.clamp(-1.5, 1.56),
            fov_y: saved
                .fov_y
                .filter(|it| it.is_finite())
                .map_or(FOV_Y, |it| it.clamp(0.01, 1.5)),
        };
        let is_finite = pose.target.is_finite() && saved.distance.is_finite();
        (is_finite && pose.yaw.is_finite() && pose.pitch.is_finite()).then_some(pose)
    }
}

fn call_of([thread, call]: [u32; 2]) -> CallOf {
    CallOf {
        thread: ThreadId(thread),
        call: CallId(call),
    }
}

/// The module with this path. O(modules).
pub(crate) fn find(hierarchy: &Hierarchy, path: &str) -> Option<ModuleId> {
    let mut modules = hierarchy.modules();
    modules.find(|&id| path.ends_with(hierarchy.name(id)) && hierarchy.path(id) == path)
}

/// Where the session of `inputs` is saved: beside the first recording, else in the source tree, else in the
/// current directory.
pub fn place(inputs: &Inputs) -> anyhow::Result<PathBuf> {
    let is_stream = |path: &PathBuf| path.as_os_str() == STANDARD_INPUT;
    anyhow::ensure!(
        !inputs.recordings.iter().any(is_stream),
        "a recording that was read from a pipe cannot be opened again"
    );
    let path = match (inputs.recordings.first(), &inputs.source_dir) {
        (Some(recording), _) => recording.clone(),
        (None, Some(source)) => std::fs::canonicalize(source)?.join("source"),
        (None, None) => PathBuf::from("demo"),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(path.with_file_name(format!("{name}{ENDING}")))
}

#[cfg(test)]
mod tests;
