//! Two sets of runs: what was planted between them is found, and nothing where nothing was.

use std::path::Path;

use super::super::common::Scratch;
use super::super::random::Random;
use super::Opened;
use super::engines::{Engines, text};

/// Runs in a set.
const RUNS: u32 = 10;

/// A function that costs `mean` nanoseconds of itself a run, give or take a share of that.
struct Plan {
    name: &'static str,
    mean: u64,
    spread: f64,
}

const PLAN: [Plan; 6] = [
    Plan {
        name: "read",
        mean: 900_000,
        spread: 0.10,
    },
    Plan {
        name: "parse",
        mean: 2_000_000,
        spread: 0.05,
    },
    Plan {
        name: "resolve",
        mean: 1_500_000,
        spread: 0.03,
    },
    Plan {
        name: "emit",
        mean: 700_000,
        spread: 0.20,
    },
    Plan {
        name: "collect garbage",
        mean: 400_000,
        spread: 0.60,
    },
    Plan {
        name: "log",
        mean: 20_000,
        spread: 0.30,
    },
];

/// A profile of one run: each function below `main`, its cost about normally distributed around its mean.
fn run(random: &mut Random, slower: Option<(&str, f64)>) -> String {
    let mut text = String::new();
    for plan in PLAN {
        // Twelve equal numbers add up to nearly a normal distribution of spread 1.
        let sum: u64 = (0..12).map(|_| random.below(1_000_000)).sum();
        let deviation = sum as f64 / 1e6 - 6.0;
        let times = slower.filter(|it| it.0 == plan.name).map_or(1.0, |it| it.1);
        let cost = plan.mean as f64 * (1.0 + plan.spread * deviation).max(0.0) * times;
        text += &format!("main;{} {}\n", plan.name, cost as u64);
    }
    text
}

/// What is said to differ between ten runs and ten others.
fn said(engines: &mut Engines, seed: u64, slower: Option<(&str, f64)>) -> Vec<(String, String)> {
    let scratch = Scratch::new("sets");
    let mut random = Random(seed);
    let dir = scratch.0.join("tables");
    for set in ["a", "b"] {
        for number in 0..RUNS {
            let slower = slower.filter(|_| set == "b");
            let path = scratch.write("run.folded", run(&mut random, slower).as_bytes());
            write(&path, &dir, &format!("{set}-{number}"));
        }
    }
    let rows = engines.ask(&dir, "differences", &["a=a-%", "b=b-%"]);
    rows.iter()
        .map(|row| (text(&row[0]), text(&row[2])))
        .collect()
}

fn write(path: &Path, dir: &Path, id: &str) {
    Opened::read(path).write(dir, id);
}

#[test]
fn a_planted_slowdown_is_named_and_nothing_else() {
    let Some(mut engines) = Engines::start() else {
        return;
    };
    for seed in 0..4 {
        let slower = said(&mut engines, seed, Some(("resolve", 1.15)));
        let expected = [("resolve".to_owned(), "slower, almost certainly".to_owned())];
        assert_eq!(slower, expected, "seed {seed}");
        let faster = said(&mut engines, 100 + seed, Some(("parse", 0.7)));
        let expected = [("parse".to_owned(), "faster, almost certainly".to_owned())];
        assert_eq!(faster, expected, "seed {seed}");
    }
}

#[test]
fn nothing_is_said_where_nothing_was_planted() {
    let Some(mut engines) = Engines::start() else {
        return;
    };
    for seed in 200..206 {
        assert_eq!(said(&mut engines, seed, None), [], "seed {seed}");
    }
}
