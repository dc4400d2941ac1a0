//! Means and spreads of two sets of runs, as a question answers them, compare as the sets themselves do.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use callscape::analysis::comparison::amounts::{Change, Measure};
use callscape::analysis::comparison::tables::Given;
use callscape::analysis::comparison::{Comparison, Doubt, Inputs, Settings};
use callscape::progress::Progress;
use serde_json::Value;

use super::super::common::{self, Scratch};
use super::super::random::Random;
use super::Opened;

const RUNS: usize = 8;
const FUNCTIONS: u64 = 60;

/// About normally distributed, of mean 0 and spread 1.
fn normal(random: &mut Random) -> f64 {
    let sum: u64 = (0..12).map(|_| random.below(1_000_000)).sum();
    sum as f64 / 1e6 - 6.0
}

/// What each function costs in a run, and how often it is called: each varies by a share of its own, one in six is
/// half as slow again in B, one in ten is in some runs alone, and one on each side is on no other.
fn costs(random: &mut Random, is_b: bool) -> Vec<(String, u64, u64)> {
    let mut found = Vec::new();
    for function in 0..FUNCTIONS {
        let mean = 2000.0 + 700.0 * (function * 7 % FUNCTIONS) as f64;
        let spread = 0.02 + 0.002 * function as f64;
        let times = match function % 6 {
            2 if is_b => 1.5,
            _ => 1.0,
        };
        let cost = mean * (spread * normal(random)).exp() * times;
        let calls = match function % 4 {
            0 => 3 + random.below(3),
            1 if is_b => 3,
            _ => 2,
        };
        let is_there = match function {
            0 => !is_b,
            1 => is_b,
            _ => function % 10 != 3 || random.below(4) > 0,
        };
        if is_there {
            found.push((format!("f{function}"), cost as u64, calls));
        }
    }
    found
}

/// A trace of one run: each function below `main`, as often as it is called.
fn trace(costs: &[(String, u64, u64)]) -> String {
    let mut text = String::from("[");
    let mut at = 1;
    for (name, cost, calls) in costs {
        for _ in 0..*calls {
            write!(
                text,
                "{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"{name}\",\"ts\":{at},\"dur\":{}}},",
                cost / calls
            )
            .expect("memory takes all");
            at += cost / calls;
        }
    }
    write!(
        text,
        "{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"main\",\"ts\":0,\"dur\":{}}}]",
        at + 1
    )
    .expect("memory takes all");
    text
}

/// The samples of one run: each function below `main`.
fn samples(costs: &[(String, u64, u64)]) -> String {
    let mut text = String::new();
    for (name, cost, _) in costs {
        writeln!(text, "main;{name} {}", cost / 200).expect("memory takes all");
    }
    text
}

type Run = fn(&[(String, u64, u64)]) -> String;

/// Two sets of runs in one folder of tables, and what the question says of each; none where nothing can ask.
fn answers(scratch: &Scratch, seed: u64, (file, run): (&str, Run)) -> Option<[PathBuf; 2]> {
    let dir = scratch.0.join("tables");
    let mut random = Random(seed);
    for set in ["a", "b"] {
        for number in 0..RUNS {
            let text = run(&costs(&mut random, set == "b"));
            let path = scratch.write(file, text.as_bytes());
            Opened::read(&path).write(&dir, &format!("{set}-{number}"));
        }
    }
    let answer = |set: &str| {
        let output = common::callscape()
            .args(["query", "means"])
            .arg(&dir)
            .args(["--csv", "--param", &format!("recording={set}-%")])
            .output()
            .expect("the program starts");
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("pip install duckdb"), "{said}");
            eprintln!("left out: needs the program duckdb, or Python's module");
            return None;
        }
        Some(scratch.write(&format!("{set}.csv"), &output.stdout))
    };
    Some([answer("a")?, answer("b")?])
}

fn compare(sides: [Vec<PathBuf>; 2]) -> Comparison {
    let inputs = Inputs {
        recordings: sides,
        source_dirs: Vec::new(),
    };
    Comparison::open(&inputs, &Settings::default(), &Progress::new())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn changes(comparison: &Comparison) -> BTreeMap<String, Change> {
    let changes = comparison.functions(Given::Compared);
    let named = (0..).zip(changes);
    let named = named.map(|(row, change)| (comparison.function(row).name.to_owned(), change));
    named.collect()
}

/// Runs of a set in a folder of tables.
fn set(dir: &Path, set: &str) -> Vec<PathBuf> {
    let run = |number| dir.join(format!("tables/recordings/recording={set}-{number}"));
    (0..RUNS).map(run).collect()
}

#[test]
fn answers_get_the_verdicts_of_the_sets_that_they_are_of() {
    let (mut differ, mut noise) = (0, 0);
    for seed in 0..3 {
        // What counting samples adds to the error is told of the mean run alone.
        for (file, run, off) in [
            ("run.json", trace as Run, 1e-6),
            ("run.folded", samples, 0.02),
        ] {
            let scratch = Scratch::new("means");
            let Some(answers) = answers(&scratch, seed, (file, run)) else {
                return;
            };
            let sets = compare([set(&scratch.0, "a"), set(&scratch.0, "b")]);
            let told = compare(answers.map(|it| vec![it]));
            assert_eq!(told.counted_runs(), [RUNS, RUNS]);
            assert_eq!(told.doubts, [], "seed {seed}, {file}");
            let (sets, told) = (changes(&sets), changes(&told));
            assert_eq!(sets.len(), told.len());
            for (name, of_sets) in &sets {
                let of_told = &told[name];
                for measure in [Measure::SelfCost, Measure::Total, Measure::Calls] {
                    let about = format!("seed {seed}, {file}, {name}, {}", measure.name());
                    let [expected, found] = [of_sets, of_told].map(|it| it.chance(measure));
                    assert_eq!(expected.is_some(), found.is_some(), "{about}");
                    let (Some(expected), Some(found)) = (expected, found) else {
                        continue;
                    };
                    let about = format!("{about}: {expected} {found}");
                    let verdicts = [of_sets, of_told].map(|it| it.is_significant(measure));
                    assert_eq!(verdicts[0], verdicts[1], "{about}");
                    let is_near = (found - expected).abs() <= off * expected + 1e-9;
                    assert!(is_near, "{about}");
                    match verdicts[0] {
                        true => differ += 1,
                        false => noise += 1,
                    }
                }
            }
        }
    }
    assert!(differ > 100 && noise > 400, "{differ} {noise}");
}

/// The text of an answer of three functions, with these columns behind the name.
fn answer(scratch: &Scratch, name: &str, head: &str, rows: [&str; 3]) -> PathBuf {
    let [f, g, h] = rows;
    let text = format!("name,module,{head}\nf,m/f,{f}\ng,m/g,{g}\nh,m/h,{h}\n");
    scratch.write(name, text.as_bytes())
}

#[test]
fn the_command_line_says_what_is_noise_and_where_nothing_is_known_of_it() {
    let scratch = Scratch::new("told");
    let head = "runs,recordings,mean_self,spread_self,functions";
    let a = answer(
        &scratch,
        "a.csv",
        head,
        ["10,10,100,5,3", "10,10,50,5,3", "10,10,70,0,3"],
    );
    let b = answer(
        &scratch,
        "b.csv",
        head,
        ["10,10,103,5,3", "10,10,75.5,5,3", "10,10,70,0,3"],
    );
    let plain = answer(&scratch, "plain.csv", "mean_self", ["103", "75.5", "70"]);
    let compare = |a: &Path, b: &Path, more: &[&str]| {
        let output = common::callscape()
            .arg("compare")
            .args([a, b])
            .args(more)
            .output();
        let output = output.expect("the program starts");
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.success(), "{said}");
        (String::from_utf8(output.stdout).expect("text"), said)
    };
    let (text, said) = compare(&a, &b, &["--json"]);
    assert_eq!(said, "");
    let document: Value = serde_json::from_str(&text).expect("one document");
    assert_eq!(document["runs"]["a"][0]["mean_of"], 10, "{document}");
    let noise: BTreeMap<&str, &Value> = document["functions"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (row["name"].as_str().expect("text"), &row["noise"]))
        .collect();
    assert_eq!(noise["f"], true);
    assert_eq!(noise["g"], false);
    let (text, _) = compare(&a, &b, &[]);
    assert!(
        text.contains("mean of 10 runs") && text.contains("noise"),
        "{text}"
    );
    // Shares have a spread of their own, which is not told.
    let (text, _) = compare(&a, &b, &["--shares", "--json"]);
    assert!(!text.contains("\"noise\""), "{text}");
    let (text, said) = compare(&a, &plain, &[]);
    assert!(!text.contains("chance"), "{text}");
    assert!(
        said.contains("B (plain.csv) does not contain two or more runs"),
        "{said}"
    );
    let sides = compare_files([&a, &plain]);
    let is_told = |doubt: &Doubt| matches!(doubt, Doubt::NoSpread { side: 1, .. });
    assert!(sides.doubts.iter().any(is_told), "{:?}", sides.doubts);
}

fn compare_files(sides: [&Path; 2]) -> Comparison {
    compare(sides.map(|it| vec![it.to_owned()]))
}

/// What is not in an answer that may have left it out is not known to be gone.
#[test]
fn what_an_answer_leaves_out_has_no_verdict() {
    let scratch = Scratch::new("cut");
    let head = "runs,recordings,mean_self,spread_self,functions";
    let rows = |of: &str| {
        let row = |mean: &str| format!("10,10,{mean},5,{of}");
        [row("100"), row("50"), row("70")]
    };
    let write = |name: &str, of: &str| {
        let rows = rows(of);
        answer(&scratch, name, head, rows.each_ref().map(String::as_str))
    };
    let [whole, cut] = [write("whole.csv", "3"), write("cut.csv", "9")];
    let one = scratch.write(
        "one.csv",
        b"name,module,runs,recordings,mean_self,spread_self,functions\nf,m/f,10,10,100,5,1\nnew,m/new,10,10,9,1,2\n",
    );
    let of = |before: &Path| changes(&compare_files([before, &one]));
    assert_eq!(of(&whole)["new"].chance(Measure::SelfCost), Some(0.0));
    assert_eq!(of(&cut)["new"].chance(Measure::SelfCost), None);
    assert!(of(&cut)["new"].is_significant(Measure::SelfCost));
    assert_eq!(of(&cut)["g"].chance(Measure::SelfCost), Some(0.0));
}

/// What the question says of call relations is a profile of them.
#[test]
fn an_answer_of_relations_opens_with_the_relations_of_all_runs() {
    let scratch = Scratch::new("graph");
    let dir = scratch.0.join("tables");
    let path = common::data("import/orders.viztracer.json");
    for id in ["1", "2"] {
        Opened::read(&path).write(&dir, id);
    }
    let output = common::callscape()
        .args(["query", "graph"])
        .arg(&dir)
        .args(["--csv", "--param", "most=100000"])
        .output()
        .expect("the program starts");
    if !output.status.success() {
        eprintln!("left out: needs the program duckdb, or Python's module");
        return;
    }
    let answer = Opened::read(&scratch.write("graph.csv", &output.stdout));
    let all = Opened::read(&dir);
    let named = |of: &Opened| {
        let mut found: BTreeMap<_, (u64, u64, u64)> = BTreeMap::new();
        for it in of.recording.relations(None) {
            let ends = [it.caller, it.callee];
            let ends = ends.map(|id| of.recording.functions.get(id).name.to_owned());
            let sum = found.entry(ends).or_default();
            sum.0 += it.calls;
            sum.1 += it.cost.ns();
            sum.2 += it.self_cost.ns();
        }
        found
    };
    assert_eq!(named(&answer), named(&all));
    assert!(named(&all).len() > 4);
}
