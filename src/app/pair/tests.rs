//! Two runs in the window, without one.

use std::path::PathBuf;
use std::time::Duration;

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
use crate::progress::Progress;
use crate::units::{CallId, ModuleId, ThreadId, Time, TimeRange};
use crate::views::difference::Strength;
use crate::views::landscape::LandscapeSettings;

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
    bench.execute(Command::Together(Some(Together::SideBySide)));
    assert!(bench.shows_both());
    bench.execute(Command::Seek(Time::from_ns(30_000_000)));
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
    bench.execute(Command::CollapseOrExpand(Some(ModuleId(1))));
    alike(&bench);
    bench.execute(Command::CompareBy(Measure::Calls, Strength::Relative));
    bench.execute(Command::ToggleOnlyDifferences);
    alike(&bench);
    let before = open(&bench).moment_beside().expect("times").time;
    bench.execute(Command::Flip);
    wait(&mut bench);
    alike(&bench);
    let versus = open(&bench).versus.clone().expect("two runs");
    assert_eq!(
        (versus.letter(), versus.difference.measure),
        ("B", Measure::Calls)
    );
    // What was the other's time is now the time that plays.
    assert_eq!(open(&bench).moment().expect("times").time, before);
    bench.execute(Command::Together(Some(Together::One)));
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
    bench.execute(Command::SwapRuns);
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
    bench.execute(Command::Together(Some(Together::Wipe)));
    bench.execute(Command::MoveDivider(0.3));
    bench.execute(Command::CompareBy(Measure::Total, Strength::Relative));
    bench.execute(Command::LinkClocks(Link::Events));
    wait(&mut bench);
    bench.execute(Command::Flip);
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
    bench.execute(Command::Together(Some(Together::SideBySide)));
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
    bench.execute(Command::Filter(FilterStep::RemoveModule(path)));
    settle(&mut bench);
    let left = [all[0] - in_a, all[1] - in_b];
    assert_eq!(calls(&bench), left);
    // Nothing of it is shown on either landscape, at the end of both.
    let end = Time::ZERO
        + open(&bench).session.recordings[0]
            .recording
            .trace
            .duration();
    bench.execute(Command::Seek(end));
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
    bench.execute(Command::Flip);
    settle(&mut bench);
    assert_eq!(
        open(&bench).filters.steps(),
        [FilterStep::RemoveModule(path)]
    );
    assert_eq!(calls(&bench), left);
    bench.execute(Command::SwapRuns);
    settle(&mut bench);
    assert_eq!(calls(&bench), [left[1], left[0]]);
    bench.execute(Command::UndoFilter);
    settle(&mut bench);
    assert_eq!(calls(&bench), [all[1], all[0]]);
    // A range of the one is, by the linked clocks, one of the other.
    let document = open(&bench);
    let range = document.resolved().expect("a run").recording.trace.range();
    let half = TimeRange::new(range.start, Time::from_ns(range.end.ns() / 2));
    bench.execute(Command::SetRange(Some(half)));
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
            bench.execute(Command::SwapRuns);
            wait(&mut bench);
        }
        let sides = match is_swapped {
            false => [segments, parse],
            true => [parse, segments],
        };
        let next = pairs(&bench)
            .joined(sides, is_swapped)
            .expect("one of each");
        bench.execute(Command::CorrectPairs(next));
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
        bench.execute(Command::CorrectPairs(apart));
        wait(&mut bench);
        let title = row(&bench, "Path.segments").expect("alone again").1;
        assert_eq!(title, if is_swapped { "only in B" } else { "only in A" });
    }
}

/// Runs of a program in microseconds: `main` calls `steady`, whose cost varies, `slower`, and what else one run does.
fn runs(
    folder: &std::path::Path,
    name: &str,
    steady: [u64; 3],
    slower: u64,
    rare: usize,
) -> Vec<PathBuf> {
    let file = |(number, steady): (usize, u64)| {
        let mut now = 0;
        let mut events = Vec::new();
        let mut call = |name: &str, cost: u64| {
            events.push(format!(
                r#"{{"ph":"X","pid":1,"tid":1,"ts":{now},"dur":{cost},"name":"{name}"}}"#
            ));
            now += cost;
        };
        call("steady", steady);
        call("slower", slower + number as u64);
        if number == rare {
            call("rare", 50);
        }
        let path = folder.join(format!("{name}{number}.json"));
        std::fs::write(&path, format!("[{}]", events.join(","))).expect("a temporary file");
        path
    };
    steady.into_iter().enumerate().map(file).collect()
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
fn amounts_are_brought_on_shares_of_the_runs_or_calls_of_a_function() {
    let mut bench = paths();
    let changes = |bench: &Workbench| {
        open(bench)
            .versus
            .clone()
            .expect("two runs")
            .functions
            .clone()
    };
    let amounts = |of: &[Change]| -> Vec<[f64; 6]> {
        let of = of
            .iter()
            .map(|it| [it.a, it.b].map(|it| [it.calls, it.total, it.self_cost]));
        of.map(|[[x, y, z], [u, v, w]]| [x, y, z, u, v, w])
            .collect()
    };
    // By the definition, from what was recorded: every amount by that of its column in `by`.
    let divided = |of: &[[f64; 6]], by: [f64; 6]| -> Vec<[f64; 6]> {
        let of = of.iter().map(|row| std::array::from_fn(|i| row[i] / by[i]));
        of.collect()
    };
    let is_like = |x: &[[f64; 6]], y: &[[f64; 6]]| {
        x.len() == y.len()
            && x.iter()
                .flatten()
                .zip(y.iter().flatten())
                .all(|(x, y)| (x - y).abs() <= 1e-9 * x.abs().max(1.0))
    };
    let sum = |of: &[[f64; 6]], column: usize| of.iter().map(|row| row[column]).sum::<f64>();
    let shares_of = |of: &[[f64; 6]]| {
        let [a, own_a, b, own_b] = [0, 2, 3, 5].map(|column| sum(of, column));
        divided(of, [a, own_a, own_a, b, own_b, own_b])
    };
    let recorded = amounts(&changes(&bench));
    let of_calls = true;
    bench.execute(Command::Normalise(Norm::Shares { of_calls }));
    assert!(is_like(&amounts(&changes(&bench)), &shares_of(&recorded)));
    // By the calls of a function that both call.
    let base = recorded
        .iter()
        .position(|row| row[0] > 100.0 && row[3] > 100.0);
    let base = base.expect("one that both call");
    let [in_a, in_b] = [recorded[base][0], recorded[base][3]];
    let per_call = divided(&recorded, [in_a, in_a, in_a, in_b, in_b, in_b]);
    bench.execute(Command::Normalise(Norm::PerCallOf(base as u32)));
    assert!(is_like(&amounts(&changes(&bench)), &per_call));
    // Swapped, and saved.
    let mirrored = |of: &[[f64; 6]]| -> Vec<[f64; 6]> {
        of.iter()
            .map(|&[a, b, c, d, e, f]| [d, e, f, a, b, c])
            .collect()
    };
    bench.execute(Command::SwapRuns);
    wait(&mut bench);
    assert!(is_like(&amounts(&changes(&bench)), &mirrored(&per_call)));
    let saved = SavedPair::of(&bench).expect("two runs");
    let mut again = paths();
    assert_eq!(saved.restore(&mut again), 0);
    wait(&mut again);
    assert!(is_like(&amounts(&changes(&again)), &per_call));
    // What a range leaves of both is divided by what it leaves of the function.
    let document = open(&bench);
    let range = document.resolved().expect("a run").recording.trace.range();
    let half = TimeRange::new(range.start, Time::from_ns(range.end.ns() / 2));
    bench.execute(Command::SetRange(Some(half)));
    bench.execute(Command::Normalise(Norm::Recorded));
    settle(&mut bench);
    let left = amounts(&changes(&bench));
    assert!(!is_like(&left, &mirrored(&recorded)));
    bench.execute(Command::Normalise(Norm::Shares { of_calls }));
    assert!(is_like(&amounts(&changes(&bench)), &shares_of(&left)));
    bench.execute(Command::SetRange(None));
    settle(&mut bench);
    assert!(is_like(
        &amounts(&changes(&bench)),
        &mirrored(&shares_of(&recorded))
    ));
}

#[test]
fn several_runs_of_each_side_tell_noise_from_what_differs() {
    let folder = std::env::temp_dir().join(format!("callscape-runs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let a = runs(&folder, "a", [900, 1500, 1200], 300, 9);
    let b = runs(&folder, "b", [1500, 1000, 1300], 700, 1);
    let inputs = Inputs {
        recordings: [a, b].concat(),
        sides: Sides {
            runs_of_a: 3,
            ..Sides::default()
        },
        ..Inputs::default()
    };
    let settings = LandscapeSettings::default();
    let show = |inputs: &Inputs| {
        let document = Document::open(inputs, None, &settings, &Progress::new());
        let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
        bench.show(document.expect("recordings that can be read"));
        bench
    };
    let mut bench = show(&inputs);
    // By name: the means of A and B in nanoseconds, and how strong the colour is.
    let seen = |bench: &Workbench, name: &str| {
        let document = open(bench);
        let versus = document.versus.as_ref().expect("two sides");
        let table = versus.table(&document.session, &document.cut, &Choice::default());
        let row = table.rows.iter().find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("{name} is in {:?}", table.rows));
        assert_eq!(document.session.hierarchy.name(row.module), name);
        let of = row.change;
        let means = [of.a, of.b].map(|it| it.self_cost.round() as u64);
        (means, versus.difference.strength(row.module))
    };
    let mirrored = |(means, strength): ([u64; 2], f32)| ([means[1], means[0]], -strength);
    let (steady, slower, rare) = (
        seen(&bench, "steady"),
        seen(&bench, "slower"),
        seen(&bench, "rare"),
    );
    assert_eq!(steady, ([1_200_000, 1_266_667], 0.0), "noise is grey");
    assert_eq!(slower.0, [301_000, 701_000]);
    assert!(slower.1 > 0.3, "{}", slower.1);
    // Only the second run of B has it, which is not the one that plays.
    assert_eq!(rare, ([0, 16_667], 0.0));
    let title = |bench: &Workbench, side: usize| {
        let versus = open(bench).versus.as_ref();
        versus.map(|versus| versus.title_of(side))
    };
    assert_eq!(title(&bench, 1).as_deref(), Some("B: b0.json, 1 of 3 runs"));
    bench.execute(Command::Together(Some(Together::SideBySide)));
    bench.execute(Command::Flip);
    wait(&mut bench);
    let all = |bench: &Workbench| ["steady", "slower", "rare"].map(|name| seen(bench, name));
    assert_eq!(all(&bench), [steady, slower, rare]);
    bench.execute(Command::SwapRuns);
    wait(&mut bench);
    assert_eq!(all(&bench), [steady, slower, rare].map(mirrored));
    assert_eq!(title(&bench, 0).as_deref(), Some("A: b0.json, 1 of 3 runs"));
    // A session file has A first.
    bench.session_file = Some(folder.join("runs.callscape-session.json"));
    let path = bench.save_session().expect("it can be written");
    let saved = crate::app::saved::SavedSession::read(&path).expect("it can be read");
    let (again, missing) = saved.inputs(&path);
    assert_eq!((again.sides.runs_of_a, missing.len()), (3, 0));
    assert_eq!(again, inputs.clone().swapped());
    assert_eq!(all(&show(&again)), [steady, slower, rare].map(mirrored));
    std::fs::remove_file(&again.recordings[0]).expect("it is there");
    let (fewer, missing) = saved.inputs(&path);
    assert_eq!((fewer.sides.runs_of_a, missing.len()), (2, 1));
    let _ = std::fs::remove_dir_all(&folder);
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
    bench.execute(Command::Filter(FilterStep::RemoveBelowCall(call)));
    settle(&mut bench);
    let left = [all[0] - triggered[0], all[1] - triggered[1]];
    assert_eq!(calls(&bench), left);
    bench.execute(Command::Flip);
    settle(&mut bench);
    let steps = open(&bench).filters.steps().to_vec();
    assert_eq!(steps, [FilterStep::RemoveBelowCall(same)]);
    assert_eq!(calls(&bench), left);
}

#[test]
fn calling_contexts_that_differ_are_listed_as_both_runs_have_them() {
    let mut bench = paths();
    if !bench.dock.is_visible(ViewId::Differences) {
        bench.execute(Command::ToggleView(ViewId::Differences));
    }
    let choice = Choice {
        of: Of::Contexts,
        ..Choice::default()
    };
    bench.execute(Command::ListDifferences(choice));
    settle(&mut bench);
    // By the definition, for A and B: every call adds its own cost to the functions on the way to it.
    let ways = |bench: &Workbench| {
        let document = open(bench);
        let versus = document.versus.clone().expect("two runs");
        let mut ways = std::collections::BTreeMap::<String, [f64; 2]>::new();
        for side in [0, 1] {
            let recording = &document.session.recordings[versus.places()[side]].recording;
            let trace = &recording.trace;
            for thread in trace.thread_ids() {
                let mut open: Vec<&str> = Vec::new();
                for id in 0..trace.threads()[thread.index()].calls as u32 {
                    let call = trace.call(thread, CallId(id));
                    open.truncate(call.depth as usize);
                    let function = versus.row_of(side, call.function).expect("a row");
                    open.push(versus.row_name(&document.session, function));
                    let way = open.iter().rev().copied().collect::<Vec<_>>().join(" ← ");
                    let own = trace.self_cost(thread, CallId(id)).ns() as f64;
                    ways.entry(way).or_default()[side] += own;
                }
            }
        }
        ways
    };
    let table = Arc::clone(&bench.pair.contexts);
    let ways_of_all = ways(&bench);
    assert!(table.rows.len() > 5, "{table:?}");
    assert_eq!(table.rows.len(), table.differing);
    // Functions of several files may have one name: then their contexts have.
    let mut listed = std::collections::BTreeMap::<&str, f64>::new();
    let mut before = f64::INFINITY;
    for row in &table.rows {
        let delta = row.change.delta(Measure::SelfCost);
        *listed.entry(&row.name).or_default() += delta;
        assert!(delta.abs() <= before, "the largest difference first");
        before = delta.abs();
    }
    for (way, [a, b]) in &ways_of_all {
        let delta = listed.remove(way.as_str()).unwrap_or_default();
        assert_eq!(delta, b - a, "{way}");
    }
    assert!(listed.is_empty(), "{listed:?}");
    // Swapped they are mirrored, in the same order.
    bench.execute(Command::SwapRuns);
    settle(&mut bench);
    let swapped = Arc::clone(&bench.pair.contexts);
    let of = |table: &DifferenceTable, sign: f64| -> Vec<(String, f64)> {
        let rows = table.rows.iter();
        rows.map(|row| (row.name.clone(), sign * row.change.delta(Measure::SelfCost)))
            .collect()
    };
    assert_eq!(of(&swapped, -1.0), of(&table, 1.0));
    // A range of one, and what it is of the other, has fewer.
    let document = open(&bench);
    let range = document.resolved().expect("a run").recording.trace.range();
    let none = TimeRange::new(range.start, Time::from_ns(range.start.ns() + 1));
    bench.execute(Command::SetRange(Some(none)));
    settle(&mut bench);
    assert!(bench.pair.contexts.differing < swapped.differing);
}

#[test]
fn fingers_move_the_one_camera_alike_on_either_landscape() {
    let after = |left: f32| {
        let mut bench = bench();
        bench.execute(Command::Together(Some(Together::SideBySide)));
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
