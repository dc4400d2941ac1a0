//! What is compared, in the window without one: amounts brought on something else, several runs of each side, and
//! calling contexts.

use super::*;
use crate::app::ask::{PaneAsk, SelectAsk};

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
    bench.execute(RunsAsk::Normalise(Norm::Shares { of_calls }));
    assert!(is_like(&amounts(&changes(&bench)), &shares_of(&recorded)));
    // By the calls of a function that both call.
    let base = recorded
        .iter()
        .position(|row| row[0] > 100.0 && row[3] > 100.0);
    let base = base.expect("one that both call");
    let [in_a, in_b] = [recorded[base][0], recorded[base][3]];
    let per_call = divided(&recorded, [in_a, in_a, in_a, in_b, in_b, in_b]);
    bench.execute(RunsAsk::Normalise(Norm::PerCallOf(base as u32)));
    assert!(is_like(&amounts(&changes(&bench)), &per_call));
    // Swapped, and saved.
    let mirrored = |of: &[[f64; 6]]| -> Vec<[f64; 6]> {
        of.iter()
            .map(|&[a, b, c, d, e, f]| [d, e, f, a, b, c])
            .collect()
    };
    bench.execute(RunsAsk::Swap);
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
    bench.execute(SelectAsk::SetRange(Some(half)));
    bench.execute(RunsAsk::Normalise(Norm::Recorded));
    settle(&mut bench);
    let left = amounts(&changes(&bench));
    assert!(!is_like(&left, &mirrored(&recorded)));
    bench.execute(RunsAsk::Normalise(Norm::Shares { of_calls }));
    assert!(is_like(&amounts(&changes(&bench)), &shares_of(&left)));
    bench.execute(SelectAsk::SetRange(None));
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
    bench.execute(RunsAsk::Together(Some(Together::SideBySide)));
    bench.execute(RunsAsk::Flip);
    wait(&mut bench);
    let all = |bench: &Workbench| ["steady", "slower", "rare"].map(|name| seen(bench, name));
    assert_eq!(all(&bench), [steady, slower, rare]);
    bench.execute(RunsAsk::Swap);
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
fn calling_contexts_that_differ_are_listed_as_both_runs_have_them() {
    let mut bench = paths();
    if !bench.dock.is_visible(ViewId::Differences) {
        bench.execute(PaneAsk::Toggle(ViewId::Differences));
    }
    let choice = Choice {
        of: Of::Contexts,
        ..Choice::default()
    };
    bench.execute(RunsAsk::ListDifferences(choice));
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
    bench.execute(RunsAsk::Swap);
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
    bench.execute(SelectAsk::SetRange(Some(none)));
    settle(&mut bench);
    assert!(bench.pair.contexts.differing < swapped.differing);
}
