//! Two runs in the window, without one.

mod amounts;

use std::path::PathBuf;
use std::time::Duration;

use super::super::ask::{CutAsk, FilterAsk, PlayAsk, SelectAsk};
use super::*;
use crate::analysis::alignment::Link;
use crate::analysis::comparison::amounts::{Change, Measure};
use crate::analysis::comparison::tables::Norm;
use crate::analysis::session::{Inputs, Sides};
use crate::app::camera::pose::FreeArea;
use crate::app::document::Document;
use crate::app::saved::SavedPair;
use crate::app::workbench::Viewport;
use crate::filter::filters::FilterStep;
use crate::filter::selection::CallOf;
use crate::model::difference::Strength;
use crate::model::landscape::LandscapeSettings;
use crate::progress::Progress;
use crate::units::{CallId, ModuleId, ThreadId, Time, TimeRange};

/// Two real recordings of different programs.
fn bench() -> Workbench {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/import");
    let files = [
        "toml-threads.viztracer.json",
        "syn-spans.tracing-chrome.json",
    ];
    let inputs = Inputs {
        source_dir: None,
        recordings: files.map(|file| data.join(file)).into(),
        ..Inputs::default()
    };
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
    bench.show(document.expect("recordings that can be read"));
    bench
}

fn wait(bench: &mut Workbench) {
    bench.poll_jobs();
    while bench.jobs.is_any() || !bench.pair.to_do.is_empty() {
        std::thread::sleep(Duration::from_millis(1));
        bench.poll_jobs();
    }
}

fn open(bench: &Workbench) -> &Document {
    bench.document.as_ref().expect("two runs are open")
}

#[test]
fn both_landscapes_have_one_layout_and_linked_clocks() {
    let mut bench = bench();
    assert!(!bench.shows_both());
    bench.execute(RunsAsk::Together(Some(Together::SideBySide)));
    assert!(bench.shows_both());
    bench.execute(PlayAsk::Seek(Time::from_ns(30_000_000)));
    let alike = |bench: &Workbench| {
        let document = open(bench);
        let beside = document.beside.as_ref().expect("both are shown");
        assert_eq!(document.landscape.blocks(), beside.blocks());
        let (own, other) = (document.moment(), document.moment_beside());
        let (own, other) = (own.expect("times"), other.expect("times"));
        let versus = document.versus.as_ref().expect("two runs");
        assert_eq!((own.recording, other.recording), (0, 1));
        assert_eq!(other.time, versus.time_of_other(own.time));
    };
    alike(&bench);
    bench.execute(CutAsk::CollapseOrExpand(Some(ModuleId(1))));
    alike(&bench);
    bench.execute(RunsAsk::CompareBy(Measure::Calls, Strength::Relative));
    bench.execute(RunsAsk::ToggleOnlyDifferences);
    alike(&bench);
    let before = open(&bench).moment_beside().expect("times").time;
    bench.execute(RunsAsk::Flip);
    wait(&mut bench);
    alike(&bench);
    let versus = open(&bench).versus.clone().expect("two runs");
    assert_eq!(
        (versus.letter(), versus.difference.measure),
        ("B", Measure::Calls)
    );
    // What was the other's time is now the time that plays.
    assert_eq!(open(&bench).moment().expect("times").time, before);
    bench.execute(RunsAsk::Together(Some(Together::One)));
    assert!(open(&bench).beside.is_none());
}

#[test]
fn swapping_mirrors_what_differs() {
    let mut bench = bench();
    let deltas = |bench: &mut Workbench, of: Of| {
        let choice = Choice {
            of,
            ..Choice::default()
        };
        let document = open(bench);
        let versus = document.versus.as_ref().expect("two runs");
        let table = versus.table(&document.session, &document.cut, &choice);
        let measure = table.amount.measure;
        let rows = table.rows.into_iter();
        rows.map(|row| (row.name, row.change.delta(measure)))
            .collect::<Vec<_>>()
    };
    let listed = [Of::Functions, Of::Modules, Of::Relations];
    let all = listed.map(|of| deltas(&mut bench, of));
    assert!(all.iter().all(|rows| rows.len() > 2), "{all:?}");
    bench.execute(RunsAsk::Swap);
    wait(&mut bench);
    let versus = open(&bench).versus.clone().expect("two runs");
    assert_eq!(versus.letter(), "B", "the same run plays");
    for (of, rows) in listed.into_iter().zip(all) {
        let mirrored: Vec<_> = rows.into_iter().map(|(name, by)| (name, -by)).collect();
        assert_eq!(deltas(&mut bench, of), mirrored);
    }
}

#[test]
fn what_is_saved_of_two_runs_is_there_again() {
    let mut bench = bench();
    bench.execute(RunsAsk::Together(Some(Together::Wipe)));
    bench.execute(RunsAsk::MoveDivider(0.3));
    bench.execute(RunsAsk::CompareBy(Measure::Total, Strength::Relative));
    bench.execute(RunsAsk::LinkClocks(Link::Events));
    wait(&mut bench);
    bench.execute(RunsAsk::Flip);
    wait(&mut bench);
    bench.pair.choice.query = "parse".to_owned();
    let saved = SavedPair::of(&bench).expect("two runs");
    let text = serde_json::to_string(&saved).expect("it can be written");
    let read: SavedPair = serde_json::from_str(&text).expect("it can be read");
    let mut again = self::bench();
    assert_eq!(read.restore(&mut again), 0);
    wait(&mut again);
    assert_eq!(SavedPair::of(&again), Some(saved));
    let odd: SavedPair = serde_json::from_str(r#"{"together":"above","clocks":"calls-of"}"#)
        .expect("it can be read");
    assert_eq!(odd.restore(&mut again), 2);
}

/// All that is under way, the counting of what is left too.
fn settle(bench: &mut Workbench) {
    wait(bench);
    bench.update_work();
    while bench.work.is_under_way() {
        std::thread::sleep(Duration::from_millis(1));
        bench.update_work();
    }
}

/// Calls of each side of what is compared, and of all relations that the second landscape counts.
fn calls(bench: &Workbench) -> [u64; 2] {
    let versus = open(bench).versus.clone().expect("two runs");
    let of = |side: fn(&Change) -> f64| versus.functions.iter().map(side).sum::<f64>() as u64;
    [of(|it| it.a.calls), of(|it| it.b.calls)]
}

#[test]
fn what_is_left_out_and_the_range_act_on_both_runs() {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/compare/paths");
    let inputs = Inputs {
        source_dir: Some(data.join("stored")),
        recordings: ["parsed", "stored"]
            .map(|name| data.join(format!("{name}.json.gz")))
            .into(),
        ..Inputs::default()
    };
    let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    bench.show(document.expect("recordings that can be read"));
    bench.execute(RunsAsk::Together(Some(Together::SideBySide)));
    settle(&mut bench);
    let all = calls(&bench);
    let module = |bench: &Workbench, name: &str| {
        let hierarchy = &open(bench).session.hierarchy;
        let mut modules = hierarchy.modules();
        modules.find(|&id| hierarchy.path(id).ends_with(name))
    };
    let path = module(&bench, "workspace/path.py").expect("the file");
    // By the definition: every call of a function in the file.
    let inside = |bench: &Workbench, place: usize| {
        let session = &open(bench).session;
        let of = &session.recordings[place];
        let metrics = of.recording.function_metrics(None);
        let modules = of.resolution.modules.iter().zip(metrics);
        let inside = modules.filter(|(module, _)| session.hierarchy.contains(path, **module));
        inside.map(|(_, it)| it.calls).sum::<u64>()
    };
    let [in_a, in_b] = [0, 1].map(|place| inside(&bench, place));
    assert!(in_a > 1000 && in_b > 1000, "{in_a} {in_b}");
    bench.execute(FilterAsk::Add(FilterStep::RemoveModule(path)));
    settle(&mut bench);
    let left = [all[0] - in_a, all[1] - in_b];
    assert_eq!(calls(&bench), left);
    // Nothing of it is shown on either landscape, at the end of both.
    let end = Time::ZERO
        + open(&bench).session.recordings[0]
            .recording
            .trace
            .duration();
    bench.execute(PlayAsk::Seek(end));
    let shown = |bench: &mut Workbench| {
        let document = bench.document.as_mut().expect("two runs");
        let session = Arc::clone(&document.session);
        let (moment, other) = (document.moment(), document.moment_beside());
        document.landscape.show(&session, moment);
        let beside = document.beside.as_mut().expect("both are shown");
        beside.show(&session, other);
        [&document.landscape, beside].map(|landscape| {
            let near = landscape.relations().filter(|it| {
                [it.from, it.to]
                    .iter()
                    .any(|&id| session.hierarchy.contains(path, id))
            });
            (landscape.relations().count(), near.count())
        })
    };
    let [own, other] = shown(&mut bench);
    assert!(own.0 > 0 && other.0 > 0, "{own:?} {other:?}");
    assert_eq!((own.1, other.1), (0, 0));
    // V keeps what is left out, and a difference is the same from both sides.
    bench.execute(RunsAsk::Flip);
    settle(&mut bench);
    assert_eq!(
        open(&bench).filters.steps(),
        [FilterStep::RemoveModule(path)]
    );
    assert_eq!(calls(&bench), left);
    bench.execute(RunsAsk::Swap);
    settle(&mut bench);
    assert_eq!(calls(&bench), [left[1], left[0]]);
    bench.execute(FilterAsk::Undo);
    settle(&mut bench);
    assert_eq!(calls(&bench), [all[1], all[0]]);
    // A range of the one is, by the linked clocks, one of the other.
    let document = open(&bench);
    let range = document.resolved().expect("a run").recording.trace.range();
    let half = TimeRange::new(range.start, Time::from_ns(range.end.ns() / 2));
    bench.execute(SelectAsk::SetRange(Some(half)));
    settle(&mut bench);
    let document = open(&bench);
    let versus = document.versus.clone().expect("two runs");
    let ranges = [half, versus.range_of_other(half)];
    let expected = [0, 1].map(|side| {
        let place = versus.places()[side];
        let trace = &document.session.recordings[place].recording.trace;
        let metrics = trace.function_metrics(Some(ranges[place]));
        metrics.iter().map(|it| it.calls).sum::<u64>()
    });
    assert_eq!(calls(&bench), expected);
    assert!(expected[0] < all[1] && expected[1] < all[0]);
}

#[test]
fn the_user_says_which_function_is_which() {
    let mut bench = paths();
    let pairs = |bench: &Workbench| open(bench).versus.clone().expect("two runs").pairs.clone();
    let row = |bench: &Workbench, name: &str| {
        let pairs = pairs(bench);
        let of = |row: &&PairRow| row.names.iter().flatten().any(|it| it == name);
        let row = pairs.rows.iter().find(of);
        row.map(|row| (row.row, row.title()))
    };
    let (parse, title) = row(&bench, "parse").expect("only in B");
    assert_eq!(title, "only in B");
    let (segments, title) = row(&bench, "Path.segments").expect("only in A");
    assert_eq!(title, "only in A");
    for is_swapped in [false, true] {
        if is_swapped {
            bench.execute(RunsAsk::Swap);
            wait(&mut bench);
        }
        let sides = match is_swapped {
            false => [segments, parse],
            true => [parse, segments],
        };
        let next = pairs(&bench)
            .joined(sides, is_swapped)
            .expect("one of each");
        bench.execute(RunsAsk::CorrectPairs(next));
        wait(&mut bench);
        let (pair, title) = row(&bench, "parse").expect("paired");
        assert_eq!(title, "given");
        assert_eq!(
            open(&bench).versus.as_ref().expect("two runs").is_swapped(),
            is_swapped
        );
        let functions = open(&bench)
            .versus
            .clone()
            .expect("two runs")
            .functions
            .clone();
        let change = functions[pair as usize];
        let calls = [change.a.calls as u64, change.b.calls as u64];
        assert_eq!(calls, if is_swapped { [1, 600] } else { [600, 1] });
        // A session file keeps it.
        let saved = SavedPair::of(&bench).expect("two runs");
        assert!(format!("{saved:?}").contains("segments"), "{saved:?}");
        let apart = pairs(&bench).apart(pair, is_swapped).expect("of both");
        assert_eq!(apart, []);
        bench.execute(RunsAsk::CorrectPairs(apart));
        wait(&mut bench);
        let title = row(&bench, "Path.segments").expect("alone again").1;
        assert_eq!(title, if is_swapped { "only in B" } else { "only in A" });
    }
}

/// Two versions of a program, without their source.
fn paths() -> Workbench {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/compare/paths");
    let inputs = Inputs {
        recordings: ["parsed", "stored"]
            .map(|name| data.join(format!("{name}.json.gz")))
            .into(),
        ..Inputs::default()
    };
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
    bench.show(document.expect("recordings that can be read"));
    settle(&mut bench);
    bench
}

#[test]
fn what_one_call_triggered_is_left_out_of_the_same_call_of_the_other_run() {
    let mut bench = paths();
    let all = calls(&bench);
    // The outermost calls that trigger some are found again in the other run; what they trigger is left out of both.
    let document = open(&bench);
    let versus = document.versus.clone().expect("two runs");
    let trace = |place: usize| &document.session.recordings[place].recording.trace;
    let numbers = 0..trace(0).threads()[0].calls as u32;
    let of = |call: u32| CallOf {
        thread: ThreadId(0),
        call: CallId(call),
    };
    let found = numbers.map(of).find_map(|of| {
        let same = versus.call_of_other(&document.session, of)?;
        let triggered = [(0, of), (1, same)];
        let triggered =
            triggered.map(|(place, it)| u64::from(trace(place).call(it.thread, it.call).triggered));
        (triggered[0] > 10 && triggered[0] != triggered[1]).then_some((of, same, triggered))
    });
    let (call, same, triggered) = found.expect("a call that both make");
    bench.execute(FilterAsk::Add(FilterStep::RemoveBelowCall(call)));
    settle(&mut bench);
    let left = [all[0] - triggered[0], all[1] - triggered[1]];
    assert_eq!(calls(&bench), left);
    bench.execute(RunsAsk::Flip);
    settle(&mut bench);
    let steps = open(&bench).filters.steps().to_vec();
    assert_eq!(steps, [FilterStep::RemoveBelowCall(same)]);
    assert_eq!(calls(&bench), left);
}

#[test]
fn fingers_move_the_one_camera_alike_on_either_landscape() {
    let after = |left: f32| {
        let mut bench = bench();
        bench.execute(RunsAsk::Together(Some(Together::SideBySide)));
        bench.set_viewport(Viewport {
            origin: Vec2::ZERO,
            size: Vec2::new(640.0, 720.0),
            scale: 1.0,
            free: FreeArea::WINDOW,
        });
        bench.set_halves(Some(Halves {
            origins: [Vec2::ZERO, Vec2::new(640.0, 0.0)],
            split: 640.0,
            pointed: 0,
        }));
        let at = Vec2::new(left + 330.0, 420.0);
        bench.enter_half(at);
        bench.pointer_moved(at - bench.viewport.origin, false);
        let mut eyes = vec![bench.camera.camera().eye];
        bench.pinched(0.4);
        eyes.push(bench.camera.camera().eye);
        bench.twisted(15.0);
        eyes.push(bench.camera.camera().eye);
        bench.moved_along(Vec2::new(30.0, -12.0));
        eyes.push(bench.camera.camera().eye);
        // Two fingers sideways turn.
        bench.scrolled(Vec2::new(2.0, 0.1), 50.0, false);
        eyes.push(bench.camera.camera().eye);
        for odd in [f32::NAN, f32::INFINITY, -2.0] {
            bench.pinched(odd);
        }
        bench.twisted(f32::NAN);
        bench.moved_along(Vec2::NAN);
        bench.scrolled(Vec2::NAN, 50.0, false);
        assert_eq!(bench.camera.camera().eye, eyes[4], "what is no number");
        bench.pointer_left();
        bench.pinched(0.4);
        bench.twisted(15.0);
        assert_eq!(bench.camera.camera().eye, eyes[4], "elsewhere");
        eyes
    };
    let (first, second) = (after(0.0), after(640.0));
    assert_eq!(first, second);
    for (gesture, eyes) in first.windows(2).enumerate() {
        assert!(eyes[0].distance(eyes[1]) > 1.0, "gesture {gesture}");
    }
}
