//! Two runs in the window, without one.

mod amounts;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;

use super::desk::Desk;
use super::saved::SavedPair;
use crate::analysis::alignment::Link;
use crate::analysis::comparison::amounts::{Change, Measure};
use crate::analysis::comparison::tables::Norm;
use crate::analysis::session::{Inputs, Sides};
use crate::filter::filters::FilterStep;
use crate::filter::selection::CallOf;
use crate::model::difference::Strength;
use crate::model::differences::{Choice, Of};
use crate::model::landscape::LandscapeSettings;
use crate::model::pairs::PairRow;
use crate::progress::Progress;
use crate::render::pose::FreeArea;
use crate::state::Viewport;
use crate::state::ask::{CutAsk, FilterAsk, PlayAsk, RunsAsk, SelectAsk};
use crate::state::document::Document;
use crate::state::pair::Halves;
use crate::state::versus::Together;
use crate::units::{CallId, ModuleId, ThreadId, Time, TimeRange};
use crate::views::differences;

/// Two real recordings of different programs.
fn desk() -> Desk {
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
    let mut desk = Desk::unattended();
    desk.show(document.expect("recordings that can be read"));
    desk
}

fn wait(desk: &mut Desk) {
    desk.poll_jobs();
    while desk.state.jobs.is_any() || !desk.state.pair.to_do.is_empty() {
        std::thread::sleep(Duration::from_millis(1));
        desk.poll_jobs();
    }
}

fn open(desk: &Desk) -> &Document {
    desk.state.document.as_ref().expect("two runs are open")
}

#[test]
fn both_landscapes_have_one_layout_and_linked_clocks() {
    let mut desk = desk();
    assert!(!desk.state.shows_both());
    desk.execute(RunsAsk::Together(Some(Together::SideBySide)));
    assert!(desk.state.shows_both());
    desk.execute(PlayAsk::Seek(Time::from_ns(30_000_000)));
    let alike = |desk: &Desk| {
        let document = open(desk);
        let beside = document.beside.as_ref().expect("both are shown");
        assert_eq!(document.city.blocks(), beside.blocks());
        let (own, other) = (document.moment(), document.moment_beside());
        let (own, other) = (own.expect("times"), other.expect("times"));
        let versus = document.versus.as_ref().expect("two runs");
        assert_eq!((own.recording, other.recording), (0, 1));
        assert_eq!(other.time, versus.time_of_other(own.time));
    };
    alike(&desk);
    desk.execute(CutAsk::CollapseOrExpand(Some(ModuleId(1))));
    alike(&desk);
    desk.execute(RunsAsk::CompareBy(Measure::Calls, Strength::Relative));
    desk.execute(RunsAsk::ToggleOnlyDifferences);
    alike(&desk);
    let before = open(&desk).moment_beside().expect("times").time;
    desk.execute(RunsAsk::Flip);
    wait(&mut desk);
    alike(&desk);
    let versus = open(&desk).versus.clone().expect("two runs");
    assert_eq!(
        (versus.letter(), versus.difference.measure),
        ("B", Measure::Calls)
    );
    // What was the other's time is now the time that plays.
    assert_eq!(open(&desk).moment().expect("times").time, before);
    desk.execute(RunsAsk::Together(Some(Together::One)));
    assert!(open(&desk).beside.is_none());
}

#[test]
fn swapping_mirrors_what_differs() {
    let mut desk = desk();
    let deltas = |desk: &mut Desk, of: Of| {
        let choice = Choice {
            of,
            ..Choice::default()
        };
        let document = open(desk);
        let versus = document.versus.as_ref().expect("two runs");
        let table = differences::table(versus, &document.session, &document.cut, &choice);
        let measure = table.amount.measure;
        let rows = table.rows.into_iter();
        rows.map(|row| (row.name, row.change.delta(measure)))
            .collect::<Vec<_>>()
    };
    let listed = [Of::Functions, Of::Modules, Of::Relations];
    let all = listed.map(|of| deltas(&mut desk, of));
    assert!(all.iter().all(|rows| rows.len() > 2), "{all:?}");
    desk.execute(RunsAsk::Swap);
    wait(&mut desk);
    let versus = open(&desk).versus.clone().expect("two runs");
    assert_eq!(versus.letter(), "B", "the same run plays");
    for (of, rows) in listed.into_iter().zip(all) {
        let mirrored: Vec<_> = rows.into_iter().map(|(name, by)| (name, -by)).collect();
        assert_eq!(deltas(&mut desk, of), mirrored);
    }
}

/// What a session file keeps of both.
fn saved(desk: &Desk) -> SavedPair {
    SavedPair::of(&desk.state, desk.views.save(&desk.state).runs).expect("two runs")
}

#[test]
fn what_is_saved_of_two_runs_is_there_again() {
    let mut desk = desk();
    desk.execute(RunsAsk::Together(Some(Together::Wipe)));
    desk.execute(RunsAsk::MoveDivider(0.3));
    desk.execute(RunsAsk::CompareBy(Measure::Total, Strength::Relative));
    desk.execute(RunsAsk::LinkClocks(Link::Events));
    wait(&mut desk);
    desk.execute(RunsAsk::Flip);
    wait(&mut desk);
    let saved = saved(&desk);
    let text = serde_json::to_string(&saved).expect("it can be written");
    let read: SavedPair = serde_json::from_str(&text).expect("it can be read");
    let mut again = self::desk();
    assert_eq!(read.restore(&mut again.state), 0);
    wait(&mut again);
    assert_eq!(self::saved(&again), saved);
    let odd: SavedPair = serde_json::from_str(r#"{"together":"above","clocks":"calls-of"}"#)
        .expect("it can be read");
    assert_eq!(odd.restore(&mut again.state), 2);
}

/// All that is under way, the counting of what is left too.
fn settle(desk: &mut Desk) {
    wait(desk);
    desk.state.update_work();
    while desk.state.work.is_under_way() {
        std::thread::sleep(Duration::from_millis(1));
        desk.state.update_work();
    }
}

/// Calls of each side of what is compared, and of all relations that the second landscape counts.
fn calls(desk: &Desk) -> [u64; 2] {
    let versus = open(desk).versus.clone().expect("two runs");
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
    let mut desk = Desk::unattended();
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    desk.show(document.expect("recordings that can be read"));
    desk.execute(RunsAsk::Together(Some(Together::SideBySide)));
    settle(&mut desk);
    let all = calls(&desk);
    let module = |desk: &Desk, name: &str| {
        let hierarchy = &open(desk).session.hierarchy;
        let mut modules = hierarchy.modules();
        modules.find(|&id| hierarchy.path(id).ends_with(name))
    };
    let path = module(&desk, "workspace/path.py").expect("the file");
    // By the definition: every call of a function in the file.
    let inside = |desk: &Desk, place: usize| {
        let session = &open(desk).session;
        let of = &session.recordings[place];
        let metrics = of.recording.function_metrics(None);
        let modules = of.resolution.modules.iter().zip(metrics);
        let inside = modules.filter(|(module, _)| session.hierarchy.contains(path, **module));
        inside.map(|(_, it)| it.calls).sum::<u64>()
    };
    let [in_a, in_b] = [0, 1].map(|place| inside(&desk, place));
    assert!(in_a > 1000 && in_b > 1000, "{in_a} {in_b}");
    desk.execute(FilterAsk::Add(FilterStep::RemoveModule(path)));
    settle(&mut desk);
    let left = [all[0] - in_a, all[1] - in_b];
    assert_eq!(calls(&desk), left);
    // Nothing of it is shown on either landscape, at the end of both.
    let end = Time::ZERO + open(&desk).session.recordings[0].recording.trace.duration();
    desk.execute(PlayAsk::Seek(end));
    let shown = |desk: &mut Desk| {
        let document = desk.state.document.as_mut().expect("two runs");
        let session = Arc::clone(&document.session);
        let (moment, other) = (document.moment(), document.moment_beside());
        document.city.show(&session, moment);
        let beside = document.beside.as_mut().expect("both are shown");
        beside.show(&session, other);
        [&document.city, beside].map(|landscape| {
            let near = landscape.relations().filter(|it| {
                [it.from, it.to]
                    .iter()
                    .any(|&id| session.hierarchy.contains(path, id))
            });
            (landscape.relations().count(), near.count())
        })
    };
    let [own, other] = shown(&mut desk);
    assert!(own.0 > 0 && other.0 > 0, "{own:?} {other:?}");
    assert_eq!((own.1, other.1), (0, 0));
    // V keeps what is left out, and a difference is the same from both sides.
    desk.execute(RunsAsk::Flip);
    settle(&mut desk);
    assert_eq!(
        open(&desk).filters.steps(),
        [FilterStep::RemoveModule(path)]
    );
    assert_eq!(calls(&desk), left);
    desk.execute(RunsAsk::Swap);
    settle(&mut desk);
    assert_eq!(calls(&desk), [left[1], left[0]]);
    desk.execute(FilterAsk::Undo);
    settle(&mut desk);
    assert_eq!(calls(&desk), [all[1], all[0]]);
    // A range of the one is, by the linked clocks, one of the other.
    let document = open(&desk);
    let range = document.resolved().expect("a run").recording.trace.range();
    let half = TimeRange::new(range.start, Time::from_ns(range.end.ns() / 2));
    desk.execute(SelectAsk::SetRange(Some(half)));
    settle(&mut desk);
    let document = open(&desk);
    let versus = document.versus.clone().expect("two runs");
    let ranges = [half, versus.range_of_other(half)];
    let expected = [0, 1].map(|side| {
        let place = versus.places()[side];
        let trace = &document.session.recordings[place].recording.trace;
        let metrics = trace.function_metrics(Some(ranges[place]));
        metrics.iter().map(|it| it.calls).sum::<u64>()
    });
    assert_eq!(calls(&desk), expected);
    assert!(expected[0] < all[1] && expected[1] < all[0]);
}

#[test]
fn the_user_says_which_function_is_which() {
    let mut desk = paths();
    let pairs = |desk: &Desk| open(desk).versus.clone().expect("two runs").pairs.clone();
    let row = |desk: &Desk, name: &str| {
        let pairs = pairs(desk);
        let of = |row: &&PairRow| row.names.iter().flatten().any(|it| it == name);
        let row = pairs.rows.iter().find(of);
        row.map(|row| (row.row, row.title()))
    };
    let (parse, title) = row(&desk, "parse").expect("only in B");
    assert_eq!(title, "only in B");
    let (segments, title) = row(&desk, "Path.segments").expect("only in A");
    assert_eq!(title, "only in A");
    for is_swapped in [false, true] {
        if is_swapped {
            desk.execute(RunsAsk::Swap);
            wait(&mut desk);
        }
        let sides = match is_swapped {
            false => [segments, parse],
            true => [parse, segments],
        };
        let next = pairs(&desk).joined(sides, is_swapped).expect("one of each");
        desk.execute(RunsAsk::CorrectPairs(next));
        wait(&mut desk);
        let (pair, title) = row(&desk, "parse").expect("paired");
        assert_eq!(title, "given");
        assert_eq!(
            open(&desk).versus.as_ref().expect("two runs").is_swapped(),
            is_swapped
        );
        let functions = open(&desk)
            .versus
            .clone()
            .expect("two runs")
            .functions
            .clone();
        let change = functions[pair as usize];
        let calls = [change.a.calls as u64, change.b.calls as u64];
        assert_eq!(calls, if is_swapped { [1, 600] } else { [600, 1] });
        // A session file keeps it.
        let saved = saved(&desk);
        assert!(format!("{saved:?}").contains("segments"), "{saved:?}");
        let apart = pairs(&desk).apart(pair, is_swapped).expect("of both");
        assert_eq!(apart, []);
        desk.execute(RunsAsk::CorrectPairs(apart));
        wait(&mut desk);
        let title = row(&desk, "Path.segments").expect("alone again").1;
        assert_eq!(title, if is_swapped { "only in B" } else { "only in A" });
    }
}

/// Two versions of a program, without their source.
fn paths() -> Desk {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/compare/paths");
    let inputs = Inputs {
        recordings: ["parsed", "stored"]
            .map(|name| data.join(format!("{name}.json.gz")))
            .into(),
        ..Inputs::default()
    };
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    let mut desk = Desk::unattended();
    desk.show(document.expect("recordings that can be read"));
    settle(&mut desk);
    desk
}

#[test]
fn what_one_call_triggered_is_left_out_of_the_same_call_of_the_other_run() {
    let mut desk = paths();
    let all = calls(&desk);
    // The outermost calls that trigger some are found again in the other run; what they trigger is left out of both.
    let document = open(&desk);
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
    desk.execute(FilterAsk::Add(FilterStep::RemoveBelowCall(call)));
    settle(&mut desk);
    let left = [all[0] - triggered[0], all[1] - triggered[1]];
    assert_eq!(calls(&desk), left);
    desk.execute(RunsAsk::Flip);
    settle(&mut desk);
    let steps = open(&desk).filters.steps().to_vec();
    assert_eq!(steps, [FilterStep::RemoveBelowCall(same)]);
    assert_eq!(calls(&desk), left);
}

#[test]
fn fingers_move_the_one_camera_alike_on_either_landscape() {
    let after = |left: f32| {
        let mut desk = desk();
        desk.execute(RunsAsk::Together(Some(Together::SideBySide)));
        desk.state.set_viewport(Viewport {
            origin: Vec2::ZERO,
            size: Vec2::new(640.0, 720.0),
            scale: 1.0,
            free: FreeArea::WINDOW,
        });
        desk.state.set_halves(Some(Halves {
            origins: [Vec2::ZERO, Vec2::new(640.0, 0.0)],
            split: 640.0,
            pointed: 0,
        }));
        let at = Vec2::new(left + 330.0, 420.0);
        desk.state.enter_half(at);
        desk.state
            .pointer_moved(at - desk.state.viewport.origin, false);
        let mut eyes = vec![desk.state.camera.camera().eye];
        desk.state.pinched(0.4);
        eyes.push(desk.state.camera.camera().eye);
        desk.state.twisted(15.0);
        eyes.push(desk.state.camera.camera().eye);
        desk.state.moved_along(Vec2::new(30.0, -12.0));
        eyes.push(desk.state.camera.camera().eye);
        // Two fingers sideways turn.
        desk.state.scrolled(Vec2::new(2.0, 0.1), 50.0, false);
        eyes.push(desk.state.camera.camera().eye);
        for odd in [f32::NAN, f32::INFINITY, -2.0] {
            desk.state.pinched(odd);
        }
        desk.state.twisted(f32::NAN);
        desk.state.moved_along(Vec2::NAN);
        desk.state.scrolled(Vec2::NAN, 50.0, false);
        assert_eq!(desk.state.camera.camera().eye, eyes[4], "what is no number");
        desk.state.pointer_left();
        desk.state.pinched(0.4);
        desk.state.twisted(15.0);
        assert_eq!(desk.state.camera.camera().eye, eyes[4], "elsewhere");
        eyes
    };
    let (first, second) = (after(0.0), after(640.0));
    assert_eq!(first, second);
    for (gesture, eyes) in first.windows(2).enumerate() {
        assert!(eyes[0].distance(eyes[1]) > 1.0, "gesture {gesture}");
    }
}
