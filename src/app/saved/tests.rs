//! Sessions saved and opened again, without a window.

use std::time::Duration;

use glam::Vec2;
use serde_json::json;

use super::*;
use crate::desk::Desk;
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::amounts::Measure;
use callscape_analysis::comparison::tables::Norm;
use callscape_base::progress::Progress;
use callscape_look::pose::FreeArea;
use callscape_model::difference::Strength;
use callscape_model::landscape::LandscapeSettings;
use callscape_state::Viewport;
use callscape_state::ask::{FindingAsk, RunsAsk, Shown};
use callscape_state::runs::RunsLayout;

fn document(inputs: &Inputs) -> Document {
    let settings = LandscapeSettings::default();
    let document = Document::open(inputs, None, &settings, &Progress::new());
    document.expect("inputs that can be read")
}

fn data(folder: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("tests/data")
        .join(folder)
}

/// Until nothing changes what is open any more, and what is left has been counted.
fn settle(desk: &mut Desk) {
    loop {
        desk.collect();
        desk.update();
        let state = &desk.state;
        let is_busy = state.opening.loading.is_some()
            || state.work.jobs.is_any()
            || state.work.is_under_way();
        if !is_busy && state.runs_view.to_do.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_saved_session_brings_everything_back() {
    let open = || document(&Inputs::default());
    let mut desk = Desk::unattended();
    let mut document = open();
    let path = |id| document.session.hierarchy.path(ModuleId(id));
    let (some, other) = (path(40), path(7));
    document.cut.toggle(ModuleId(7));
    let chosen = document.complete(Pointed::at_module(Some(ModuleId(40))));
    document.selection.change(|it| {
        it.chosen = chosen;
        it.time = Time::from_ns(5_000_000);
    });
    let range = TimeRange::new(Time::from_ns(1_000), Time::from_ns(9_000_000));
    let steps = [
        FilterStep::HideThread(ThreadId(3)),
        FilterStep::RemoveModule(ModuleId(40)),
        FilterStep::RemoveBelowCall(call_of([0, 17])),
    ];
    document.limit(Some(range), Filters::new(steps));
    desk.state.document = Some(document);
    desk.add_bookmark();
    let saved = desk
        .saved_session(Path::new("."))
        .expect("the demo is open");
    assert_eq!(
        (saved.module.as_deref(), &saved.collapsed[..]),
        (Some(&*some), &[other][..])
    );
    let text = serde_json::to_string(&saved).expect("it can be written");
    let read: SavedSession = serde_json::from_str(&text).expect("it can be read");
    assert_eq!(read, saved);
    assert_eq!(read.bookmarks, desk.talk.bookmarks);
    assert_eq!(read.bookmarks.len(), 1);
    let mut again = open();
    assert_eq!(read.restore(&mut again), 0);
    let before = desk.state.document.as_ref().expect("it is open");
    assert_eq!(again.selection.chosen, before.selection.chosen);
    assert_eq!(again.selection.range, Some(range));
    assert_eq!(again.filters.steps(), steps);
    assert!(again.cut.is_collapsed(ModuleId(7)));
    assert_eq!(read.pose(), Some(desk.state.moving.camera.pose()));

    let mut other = read.clone();
    other.module = Some("no/such/module".to_owned());
    other.call = Some([9, 9]);
    other.range_ns = Some([u64::MAX, u64::MAX]);
    assert_eq!(other.restore(&mut again), 1);
    assert_eq!(again.selection.chosen, Pointed::default());
    assert_eq!(again.selection.range, None);
}

/// The session of `tests/data/sessions` in a window of which all is known, once it has been opened; and its file.
fn opened(name: &str) -> (Desk, Value) {
    let path = data("sessions").join(name);
    let text = std::fs::read_to_string(&path).expect("a session of the test data");
    let mut desk = Desk::unattended();
    desk.state.tell_time(Duration::ZERO);
    desk.open_session(path);
    settle(&mut desk);
    desk.state.set_viewport(Viewport {
        origin: Vec2::ZERO,
        size: Vec2::new(1280.0, 720.0),
        scale: 1.0,
        free: FreeArea::WINDOW,
    });
    settle(&mut desk);
    let told: Vec<_> = desk
        .state
        .told
        .messages
        .iter()
        .filter(|it| it.is_error)
        .collect();
    assert!(told.is_empty(), "{told:?}");
    (desk, serde_json::from_str(&text).expect("it is JSON"))
}

/// What the session would be saved as, in the place of its file.
fn saved_again(desk: &Desk) -> Value {
    let saved = desk.saved_session(&data("sessions")).expect("it is open");
    serde_json::to_value(saved).expect("it can be written")
}

/// Each field by itself, so that a difference is seen where it is.
fn assert_same(saved: &Value, file: &Value) {
    let (Value::Object(saved), Value::Object(file)) = (saved, file) else {
        panic!("sessions are objects");
    };
    for (name, value) in file {
        match (saved.get(name), value) {
            // What later versions show and offer stands beside it.
            (Some(Value::Object(saved)), Value::Object(file))
                if name == "shown" || name == "look" =>
            {
                for (name, value) in file {
                    assert_eq!(saved.get(name), Some(value), "{name}");
                }
            }
            (saved, value) => assert_eq!(saved, Some(value), "{name}"),
        }
    }
    assert_eq!(saved.len(), file.len(), "{:?}", saved.keys());
}

#[test]
fn a_session_of_one_run_opens_as_its_file_says_and_is_saved_alike() {
    let (desk, file) = opened("one-run.callscape-session.json");
    assert_same(&saved_again(&desk), &file);
    let open = desk.state.panes.open_panes().into_iter();
    let open: Vec<(&str, bool)> = open.map(|it| (it.view.id(), it.is_visible)).collect();
    let expected = [
        ("landscape", true),
        ("mural", true),
        ("flame", false),
        ("functions", false),
        ("calls", true),
    ];
    assert_eq!(open, expected);
    let document = desk.state.document.as_ref().expect("it is open");
    let chosen = document.selection.chosen;
    assert_eq!(chosen.call, Some(call_of([0, 4])));
    assert_eq!(document.selection.time, Time::from_ns(64_000_000));
    assert_eq!(document.filters.steps().len(), 4);
    assert_eq!(document.cut.collapsed().count(), 1);
    let playback = document.playback.as_ref().expect("it plays");
    assert!(playback.is_backward() && !playback.is_playing());
    assert_eq!(desk.state.settings.most_arcs, 77);
    assert_eq!(desk.talk.bookmarks.len(), 1);
}

#[test]
fn a_session_of_two_runs_opens_as_its_file_says_and_is_saved_alike() {
    let (desk, file) = opened("two-runs.callscape-session.json");
    assert_same(&saved_again(&desk), &file);
    let document = desk.state.document.as_ref().expect("it is open");
    let runs = document.runs.as_ref().expect("two runs");
    assert_eq!((runs.letter(), runs.link()), ("B", &Link::Events));
    assert_eq!(runs.corrections().len(), 1);
    let difference = &runs.difference;
    let compared = (difference.measure, difference.strength);
    assert_eq!(compared, (Measure::Calls, Strength::Relative));
    assert!(matches!(runs.norm(), Norm::Shares { .. }));
    assert!(desk.state.shows_both() && desk.state.runs_view.together == RunsLayout::Wipe);
}

#[test]
fn names_in_a_session_that_mean_nothing_are_left_out_and_counted() {
    let (_, mut file) = opened("two-runs.callscape-session.json");
    file["pair"]["list"] = json!("no such list");
    file["pair"]["along"] = json!("no such way");
    file["shown"]["functions_by"] = json!("no such column");
    file["views"] = json!({"tabs": {"active": 0, "parts": [{"view": "no such view"}]}});
    let saved: SavedSession = serde_json::from_value(file).expect("it can be read");
    let path = data("sessions/odd.callscape-session.json");
    let mut desk = Desk::unattended();
    let opened = document(&saved.inputs(&path).0);
    desk.show_saved(opened, saved, path);
    settle(&mut desk);
    let lost = desk.state.told.messages.iter().filter(|it| it.is_error);
    let lost: Vec<_> = lost.flat_map(|it| it.lines.clone()).collect();
    assert_eq!(lost, ["4 names no longer exist and are ignored"]);
}

/// Two versions of a program.
fn paths() -> Desk {
    let mut desk = Desk::unattended();
    desk.show(document(&Inputs {
        recordings: ["parsed", "stored"]
            .map(|name| data("compare/paths").join(format!("{name}.json.gz")))
            .into(),
        ..Inputs::default()
    }));
    settle(&mut desk);
    desk
}

/// What a session file keeps of both.
fn saved_pair(desk: &Desk) -> SavedRuns {
    SavedRuns::of(&desk.state, desk.views.save(&desk.state).runs).expect("two runs")
}

#[test]
fn what_is_saved_of_two_runs_is_there_again() {
    let mut desk = paths();
    desk.execute(RunsAsk::Together(Some(RunsLayout::Wipe)));
    desk.execute(RunsAsk::MoveDivider(0.3));
    desk.execute(RunsAsk::CompareBy(Measure::Total, Strength::Relative));
    let runs = desk.state.document.as_ref().and_then(|it| it.runs.clone());
    let functions = runs.expect("two runs").functions.clone();
    let mut of_both = functions.iter();
    let base = of_both.position(|it| it.a.calls > 100.0 && it.b.calls > 100.0);
    let base = base.expect("one that both call") as u32;
    desk.execute(RunsAsk::Normalise(Norm::PerCallOf(base)));
    desk.execute(RunsAsk::LinkClocks(Link::CallsOf(base)));
    settle(&mut desk);
    desk.execute(RunsAsk::Flip);
    settle(&mut desk);
    let saved = saved_pair(&desk);
    let text = serde_json::to_string(&saved).expect("it can be written");
    let read: SavedRuns = serde_json::from_str(&text).expect("it can be read");
    let mut again = paths();
    assert_eq!(read.restore(&mut again.state), 0);
    settle(&mut again);
    assert_eq!(saved_pair(&again), saved);
    let runs = again.state.document.as_ref().and_then(|it| it.runs.clone());
    assert_eq!(runs.expect("two runs").norm(), Norm::PerCallOf(base));
    let odd: SavedRuns = serde_json::from_str(r#"{"together":"above","clocks":"calls-of"}"#)
        .expect("it can be read");
    assert_eq!(odd.restore(&mut again.state), 2);
}

#[test]
fn a_session_of_several_runs_has_those_of_a_first() {
    let folder = std::env::temp_dir().join(format!("callscape-saved-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let recordings = ["a0", "a1", "a2", "b0", "b1"].map(|name| {
        let path = folder.join(format!("{name}.json"));
        let call = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"main"}]"#;
        std::fs::write(&path, call).expect("a temporary file");
        path
    });
    let inputs = Inputs {
        recordings: recordings.into(),
        sides: Sides {
            runs_of_a: 3,
            ..Sides::default()
        },
        ..Inputs::default()
    };
    let mut desk = Desk::unattended();
    desk.show(document(&inputs));
    desk.execute(RunsAsk::Swap);
    settle(&mut desk);
    let path = folder.join("runs.callscape-session.json");
    desk.save_session(&path).expect("it can be written");
    let saved = SavedSession::read(&path).expect("it can be read");
    let (again, missing) = saved.inputs(&path);
    assert_eq!((again.sides.runs_of_a, missing.len()), (2, 0));
    assert_eq!(again, inputs.swapped());
    std::fs::remove_file(&again.recordings[0]).expect("it is there");
    let (fewer, missing) = saved.inputs(&path);
    assert_eq!((fewer.sides.runs_of_a, missing.len()), (1, 1));
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_session_brings_back_which_functions_are_marked() {
    let folder = data("results");
    let inputs = Inputs {
        source_dir: Some(folder.clone()),
        elsewhere: Elsewhere {
            results: ["names.info", "names.coverage.xml"]
                .map(|it| folder.join(it))
                .into(),
            ..Elsewhere::default()
        },
        ..Inputs::default()
    };
    let mut desk = Desk::unattended();
    desk.show(document(&inputs));
    settle(&mut desk);
    let marked = |desk: &Desk| {
        let findings = &desk.state.findings;
        (findings.shown, findings.is_colored)
    };
    assert_eq!(marked(&desk), (Shown::Set(0), false));
    desk.execute(FindingAsk::Show(Shown::Set(1)));
    desk.execute(FindingAsk::Color(true));
    settle(&mut desk);
    let saved = desk.saved_session(&folder).expect("something is open");
    let results = MarkedFor::Results("names.coverage.xml".into());
    assert_eq!(saved.marked, Some(results));
    let text = serde_json::to_string(&saved).expect("it can be written");
    let mut read: SavedSession = serde_json::from_str(&text).expect("it can be read");
    assert_eq!(read, saved);
    let file = folder.join("a.callscape-session.json");
    let opened = |saved: &SavedSession| {
        let mut desk = Desk::unattended();
        desk.show_saved(document(&inputs), saved.clone(), file.clone());
        settle(&mut desk);
        let lost = desk
            .state
            .told
            .messages
            .iter()
            .filter(|it| it.is_error)
            .count();
        (marked(&desk), lost)
    };
    assert_eq!(opened(&read), ((Shown::Set(1), true), 0));
    // A set that is gone is told, and leaves marked what is.
    read.marked = Some(MarkedFor::Results("gone.info".into()));
    assert_eq!(opened(&read), ((Shown::Set(0), true), 1));
    // What is given away names neither.
    assert!(read.forget_elsewhere());
    assert_eq!((read.marked, read.color_marked), (None, false));
}
