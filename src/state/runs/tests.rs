//! What is compared: amounts brought on something else, and several runs of each side.

use std::path::{Path, PathBuf};

use crate::ask::{OpenAsk, RunsAsk, SelectAsk};
use crate::runs::RunsLayout;
use crate::runs_view::testing::{open, opened, paths, settle, wait};
use crate::state::State;
use callscape_analysis::comparison::amounts::Change;
use callscape_analysis::comparison::tables::Norm;
use callscape_analysis::session::{Inputs, Sides};
use callscape_base::units::{Time, TimeRange};

/// Runs of a program in microseconds: `main` calls `steady`, whose cost varies, `slower`, and what else one run does.
fn runs(folder: &Path, name: &str, steady: [u64; 3], slower: u64, rare: usize) -> Vec<PathBuf> {
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
    let mut state = paths();
    let changes = |state: &State| {
        open(state)
            .runs
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
    let recorded = amounts(&changes(&state));
    let of_calls = true;
    state.execute(RunsAsk::Normalise(Norm::Shares { of_calls }));
    assert!(is_like(&amounts(&changes(&state)), &shares_of(&recorded)));
    // By the calls of a function that both call.
    let base = recorded
        .iter()
        .position(|row| row[0] > 100.0 && row[3] > 100.0);
    let base = base.expect("one that both call");
    let [in_a, in_b] = [recorded[base][0], recorded[base][3]];
    let per_call = divided(&recorded, [in_a, in_a, in_a, in_b, in_b, in_b]);
    state.execute(RunsAsk::Normalise(Norm::PerCallOf(base as u32)));
    assert!(is_like(&amounts(&changes(&state)), &per_call));
    let mirrored = |of: &[[f64; 6]]| -> Vec<[f64; 6]> {
        of.iter()
            .map(|&[a, b, c, d, e, f]| [d, e, f, a, b, c])
            .collect()
    };
    state.execute(RunsAsk::Swap);
    wait(&mut state);
    assert!(is_like(&amounts(&changes(&state)), &mirrored(&per_call)));
    // What a range leaves of both is divided by what it leaves of the function.
    let document = open(&state);
    let range = document.resolved().expect("a run").recording.trace.range();
    let half = TimeRange::new(range.start, Time::from_ns(range.end.ns() / 2));
    state.execute(SelectAsk::SetRange(Some(half)));
    state.execute(RunsAsk::Normalise(Norm::Recorded));
    settle(&mut state);
    let left = amounts(&changes(&state));
    assert!(!is_like(&left, &mirrored(&recorded)));
    state.execute(RunsAsk::Normalise(Norm::Shares { of_calls }));
    assert!(is_like(&amounts(&changes(&state)), &shares_of(&left)));
    state.execute(SelectAsk::SetRange(None));
    settle(&mut state);
    assert!(is_like(
        &amounts(&changes(&state)),
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
    let mut state = opened(&inputs);
    // By name: the means of A and B in nanoseconds, and how strong the colour is.
    let seen = |state: &State, name: &str| {
        let document = open(state);
        let runs = document.runs.as_ref().expect("two sides");
        let names = runs.names_of_rows(&document.session);
        let row = names.iter().position(|it| *it == name);
        let row = row.unwrap_or_else(|| panic!("{name} is in {names:?}"));
        let module = runs.modules(&document.session)[row];
        assert_eq!(document.session.hierarchy.name(module), name);
        let of = runs.functions[row];
        let means = [of.a, of.b].map(|it| it.self_cost.round() as u64);
        (means, runs.difference.strength(module))
    };
    let mirrored = |(means, strength): ([u64; 2], f32)| ([means[1], means[0]], -strength);
    let (steady, slower, rare) = (
        seen(&state, "steady"),
        seen(&state, "slower"),
        seen(&state, "rare"),
    );
    assert_eq!(steady, ([1_200_000, 1_266_667], 0.0), "noise is grey");
    assert_eq!(slower.0, [301_000, 701_000]);
    assert!(slower.1 > 0.3, "{}", slower.1);
    // Only the second run of B has it, which is not the one that plays.
    assert_eq!(rare, ([0, 16_667], 0.0));
    let title = |state: &State, side: usize| {
        let runs = open(state).runs.as_ref();
        runs.map(|runs| runs.title_of(side))
    };
    assert_eq!(title(&state, 1).as_deref(), Some("B: b0.json, 1 of 3 runs"));
    state.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
    state.execute(RunsAsk::Flip);
    wait(&mut state);
    let all = |state: &State| ["steady", "slower", "rare"].map(|name| seen(state, name));
    assert_eq!(all(&state), [steady, slower, rare]);
    state.execute(RunsAsk::Swap);
    wait(&mut state);
    assert_eq!(all(&state), [steady, slower, rare].map(mirrored));
    assert_eq!(title(&state, 0).as_deref(), Some("A: b0.json, 1 of 3 runs"));
    // A stands first again.
    let again = open(&state).inputs_of_sides();
    assert_eq!(again, inputs.clone().swapped());
    let again = opened(&again);
    assert_eq!(all(&again), [steady, slower, rare].map(mirrored));
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn answers_that_tell_of_runs_are_means_and_show_no_noise() {
    let folder = std::env::temp_dir().join(format!("callscape-means-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let answer = |name: &str, steady: &str, slower: &str| {
        let head = "name,module,runs,recordings,mean_self,spread_self,functions";
        let path = folder.join(name);
        let text =
            format!("{head}\nsteady,m.c/steady,5,5,{steady},2\nslower,m.c/slower,5,5,{slower},2\n");
        std::fs::write(&path, text).expect("a temporary file");
        path
    };
    let inputs = Inputs {
        recordings: vec![
            answer("a.csv", "1200,200", "300,2"),
            answer("b.csv", "1300,200", "700,2"),
        ],
        ..Inputs::default()
    };
    let mut state = opened(&inputs);
    let strengths = |state: &State| {
        let document = open(state);
        let runs = document.runs.as_ref().expect("two sides");
        assert_eq!(runs.counted_runs(), [5, 5]);
        let names = runs.names_of_rows(&document.session);
        let modules = runs.modules(&document.session);
        ["steady", "slower"].map(|name| {
            let row = names.iter().position(|it| *it == name).expect("a row");
            let module = runs.difference.change(modules[row]);
            (runs.difference.strength(modules[row]), module.chance[0])
        })
    };
    let [steady, slower] = strengths(&state);
    assert_eq!(steady.0, 0.0, "noise is grey");
    assert!(steady.1.is_some_and(|it| it > 0.3) && slower.1.is_some_and(|it| it < 0.001));
    assert!(slower.0 > 0.3, "{}", slower.0);
    let runs = open(&state).runs.as_ref().expect("two sides");
    assert_eq!(runs.title_of(0), "A: a.csv, mean of 5 runs");
    state.execute(RunsAsk::Swap);
    wait(&mut state);
    let [_, mirrored] = strengths(&state);
    assert_eq!(mirrored, (-slower.0, slower.1));
    let _ = std::fs::remove_dir_all(&folder);
}

/// Both runs show the value that is chosen, and what differs is that of it.
#[test]
fn two_runs_are_compared_by_the_value_that_is_chosen() {
    let folder = std::env::temp_dir().join(format!("callscape-value-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let recording = |name: &str, cycles: [u64; 2]| {
        let stacks = [
            "\t 1 f (/app)\n\t 2 main (/app)\n\n",
            "\t 3 g (/app)\n\t 2 main (/app)\n\n",
        ];
        let samples = std::iter::zip(stacks, cycles).zip(1..);
        let samples = samples.map(|((stack, cycles), at)| {
            format!("app 7/7 10.00{at}000: {cycles} cycles:\n{stack}")
        });
        let path = folder.join(name);
        let text: String = samples.collect();
        std::fs::write(&path, text).expect("a temporary file");
        path
    };
    let inputs = Inputs {
        recordings: vec![
            recording("a.txt", [1000, 2000]),
            recording("b.txt", [1000, 5000]),
        ],
        ..Inputs::default()
    };
    let mut state = opened(&inputs);
    settle(&mut state);
    state.execute(OpenAsk::ShowValue("cycles".to_owned()));
    settle(&mut state);
    let own = |state: &State, name: &str| {
        let document = open(state);
        let runs = document.runs.as_ref().expect("two runs");
        let names = runs.names_of_rows(&document.session);
        let row = names.iter().position(|it| *it == name).expect("a row");
        let of = runs.functions[row];
        [of.a, of.b].map(|it| it.self_cost as u64)
    };
    assert_eq!(own(&state, "g"), [2000, 5000]);
    let shown = open(&state).session.recordings.iter();
    let shown = shown.filter_map(|it| it.recording.value_shown());
    assert!(shown.map(|it| it.name.as_str()).eq(["cycles"; 2]));
    // The neighbours of a module have what both have of the relation.
    let document = open(&state);
    let hierarchy = &document.session.hierarchy;
    let g = hierarchy.modules().find(|&it| hierarchy.name(it) == "g");
    state.execute(SelectAsk::Select(g));
    settle(&mut state);
    let [caller] = open(&state).neighbours.callers[..] else {
        panic!("only main calls it: {:?}", open(&state).neighbours);
    };
    let change = caller.both.expect("two runs");
    assert_eq!([change.a, change.b].map(|it| it.total), [2000.0, 5000.0]);
    let document = open(&state);
    let runs = document.runs.as_ref().expect("two runs");
    let between = runs.between(&document.session, caller.module, g.expect("it is there"));
    assert_eq!([between.a.total, between.b.total], [2000.0, 5000.0]);
    state.execute(RunsAsk::Swap);
    wait(&mut state);
    assert_eq!(own(&state, "g"), [5000, 2000]);
    let _ = std::fs::remove_dir_all(&folder);
}
