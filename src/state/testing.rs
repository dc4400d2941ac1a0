//! What tests of the state open, and how they wait for work on other threads.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::document::Document;
use super::panes::{Artifact, Kind, Needs, Purpose, Side, ViewId, ViewLine};
use super::state::State;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ModuleId, Time, TimeRange};
use callscape_facts::trace::Trace;
use callscape_model::landscape::LandscapeSettings;

const PLAIN: ViewLine = ViewLine {
    id: "city",
    title: "City",
    key: '1',
    side: Side::Centre,
    kind: Kind::Plain,
    needs: Needs::Nothing,
    answers: &[],
    ..ViewLine::USUAL
};

/// The one that the camera moves in.
static CITY_LINE: ViewLine = PLAIN;
static STACKS_LINE: ViewLine = ViewLine {
    id: "stacks",
    key: '2',
    kind: Kind::AlongTime,
    needs: Needs::Times,
    ..PLAIN
};
/// Opens when a call relation is chosen.
static CALLS_LINE: ViewLine = ViewLine {
    id: "calls",
    key: '3',
    kind: Kind::Table,
    needs: Needs::Recording,
    opens_for: &[Artifact::CallRelation],
    purposes: &[Purpose::WhoCalls],
    ..PLAIN
};
static RUNS_LINE: ViewLine = ViewLine {
    id: "runs",
    key: '4',
    needs: Needs::TwoRuns,
    opens_for: &[Artifact::CallRelation],
    purposes: &[],
    ..PLAIN
};

pub(crate) const CITY: ViewId = ViewId::of(&CITY_LINE);
pub(crate) const STACKS: ViewId = ViewId::of(&STACKS_LINE);
pub(crate) const CALLS: ViewId = ViewId::of(&CALLS_LINE);
pub(crate) const RUNS: ViewId = ViewId::of(&RUNS_LINE);

/// Nothing is open; it is zero o'clock until a test says otherwise.
pub(crate) fn nothing_open() -> State {
    let views = vec![CITY, STACKS, CALLS, RUNS];
    let mut state = State::new(views, Box::new(|| Box::new(|| ())));
    state.tell_time(Duration::ZERO);
    state
}

/// `a.run` from 0 to 100 µs calls `b.step` at 10 and at 30, for 10 and 20 µs, and `b.wait` at 60 for 30 µs; on another
/// thread `a.work` goes from 5 to 40 µs and calls `b.step` at 10 for 5 µs.
const CALLS_OF_TINY: [(u32, &str, u64, u64); 6] = [
    (1, "a.run", 0, 100),
    (1, "b.step", 10, 10),
    (1, "b.step", 30, 20),
    (1, "b.wait", 60, 30),
    (2, "a.work", 5, 35),
    (2, "b.step", 10, 5),
];

/// A file with the tiny recording, which the test removes.
pub(crate) fn tiny_file() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("callscape-state-{}-{number}.json", std::process::id());
    let path = std::env::temp_dir().join(name);
    let event = |(thread, name, start, length): (u32, &str, u64, u64)| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":{thread},"ts":{start},"dur":{length},"name":"{name}"}}"#
        )
    };
    let events = CALLS_OF_TINY.map(event).join(",\n");
    std::fs::write(&path, format!("[{events}]")).expect("a temporary file");
    path
}

/// Opens these inputs without waiting for frames.
pub(crate) fn opened(inputs: &Inputs) -> State {
    let settings = LandscapeSettings::default();
    let document = Document::open(inputs, None, &settings, &Progress::new());
    let mut state = nothing_open();
    state.show(document.expect("inputs that can be read"), |_, _| ());
    settle(&mut state);
    state
}

/// The tiny recording is open.
pub(crate) fn tiny() -> State {
    let path = tiny_file();
    let state = opened(&Inputs {
        recordings: vec![path.clone()],
        ..Inputs::default()
    });
    let _ = std::fs::remove_file(&path);
    state
}

/// Two versions of a program are open, without their source.
pub(crate) fn two_runs() -> State {
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("tests/data/compare/paths");
    let file = |name| data.join(format!("{name}.json.gz"));
    opened(&Inputs {
        recordings: ["parsed", "stored"].map(file).into(),
        ..Inputs::default()
    })
}

/// Waits for all that is under way.
pub(crate) fn settle(state: &mut State) {
    let pause = || std::thread::sleep(Duration::from_millis(1));
    state.poll_jobs();
    while state.work.jobs.is_any()
        || !state.runs_view.to_do.is_empty()
        || state.mapping.is_finding_out()
    {
        pause();
        state.poll_jobs();
    }
    state.update_work();
    while state.work.is_under_way() {
        pause();
        state.update_work();
    }
}

/// Goes on to `milliseconds` after the start, in one frame.
pub(crate) fn frame_at(state: &mut State, milliseconds: u64) {
    state.tell_time(Duration::from_millis(milliseconds));
    let since = state.moving.time.begin_frame();
    state.advance(since);
    state.moving.time.end_frame(true);
}

pub(crate) fn open(state: &State) -> &Document {
    state.document.as_ref().expect("something is open")
}

pub(crate) fn trace(state: &State) -> &Trace {
    &open(state).resolved().expect("a recording").recording.trace
}

/// The module of this name.
pub(crate) fn module(state: &State, name: &str) -> ModuleId {
    let hierarchy = &open(state).session.hierarchy;
    let mut modules = hierarchy.modules();
    let found = modules.find(|&id| hierarchy.name(id) == name);
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

/// The function with this name in its module.
pub(crate) fn function(state: &State, name: &str) -> FunctionId {
    let functions = &open(state)
        .resolved()
        .expect("a recording")
        .recording
        .functions;
    let found = functions
        .ids()
        .find(|&id| functions.get(id).name.ends_with(name));
    found.unwrap_or_else(|| panic!("no function is called {name}"))
}

pub(crate) fn micros(time: u64) -> Time {
    Time::from_ns(1_000 * time)
}

pub(crate) fn range(start: u64, end: u64) -> TimeRange {
    TimeRange::new(micros(start), micros(end))
}
