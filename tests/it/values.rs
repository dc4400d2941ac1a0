//! Values of recordings with several: every command gives the sums of their weights, and the same ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use super::common::{self, Random, Scratch, data, text};

fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = common::run(&[arguments, &["--json"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {error}");
    serde_json::from_str(&out).expect("JSON")
}

fn number(row: &Value, field: &str) -> u64 {
    row[field]
        .as_u64()
        .unwrap_or_else(|| panic!("{field} in {row}"))
}

/// A sample: its event, its weight, and its frames as function and line, innermost first.
struct Sample {
    event: &'static str,
    weight: u64,
    frames: Vec<(u64, u64)>,
}

const EVENTS: [&str; 3] = ["cpu-clock", "cycles", "cache-misses"];

fn samples(random: &mut Random) -> Vec<Sample> {
    let sample = |_| Sample {
        event: EVENTS[random.index(3)],
        weight: 1 + random.below(100_000),
        frames: (0..1 + random.below(5))
            .map(|_| (random.below(4), 1 + random.below(3)))
            .collect(),
    };
    (0..80).map(sample).collect()
}

/// What `perf script -F +period,+srcline` prints of them.
fn script(samples: &[Sample]) -> String {
    let mut out = String::new();
    for (place, sample) in samples.iter().enumerate() {
        let (time, Sample { event, weight, .. }) = (place * 200, sample);
        let _ = writeln!(out, "app 7/7 10.{time:06}: {weight} {event}: ");
        for (function, line) in &sample.frames {
            let _ = writeln!(
                out,
                "\t {} f{function} (/app)\n  app.c:{}",
                function + 1,
                function * 10 + line
            );
        }
        out.push('\n');
    }
    out
}

/// Self and total of each function, cost of each relation, own cost of each path, self and total of each line.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    functions: BTreeMap<String, [u64; 2]>,
    relations: BTreeMap<[String; 2], u64>,
    contexts: BTreeMap<Vec<String>, u64>,
    lines: BTreeMap<u64, [u64; 2]>,
}

fn direct(samples: &[Sample], value: &str) -> Sums {
    let mut sums = Sums::default();
    for sample in samples {
        let weight = match value {
            "samples" => 1,
            value if value == sample.event => sample.weight,
            _ => 0,
        };
        let name = |frame: &(u64, u64)| format!("f{}", frame.0);
        let line = |frame: &(u64, u64)| frame.0 * 10 + frame.1;
        sums.functions.entry(name(&sample.frames[0])).or_default()[0] += weight;
        sums.lines.entry(line(&sample.frames[0])).or_default()[0] += weight;
        for name in sample.frames.iter().map(name).collect::<BTreeSet<_>>() {
            sums.functions.entry(name).or_default()[1] += weight;
        }
        for line in sample.frames.iter().map(line).collect::<BTreeSet<_>>() {
            sums.lines.entry(line).or_default()[1] += weight;
        }
        for pair in sample.frames.windows(2) {
            let ends = [name(&pair[1]), name(&pair[0])];
            *sums.relations.entry(ends).or_default() += weight;
        }
        let path = sample.frames.iter().rev().map(name);
        *sums.contexts.entry(path.collect()).or_default() += weight;
    }
    sums.retain_weighed();
    sums
}

impl Sums {
    /// What weighs nothing is not listed by all.
    fn retain_weighed(&mut self) {
        self.functions.retain(|_, it| *it != [0, 0]);
        self.relations.retain(|_, it| *it != 0);
        self.contexts.retain(|_, it| *it != 0);
        self.lines.retain(|_, it| *it != [0, 0]);
    }
}

fn name(row: &Value) -> String {
    row["name"].as_str().expect("a name").to_owned()
}

fn listed(path: &str, value: &str) -> Sums {
    let ask = |command: &str| json(&[command, path, "--value", value]);
    let rows = |of: &Value| of.as_array().expect("rows").clone();
    let mut sums = Sums::default();
    for row in rows(&ask("functions")) {
        let costs = ["self_ns", "total_ns"].map(|it| number(&row, it));
        sums.functions.insert(name(&row), costs);
    }
    for row in rows(&ask("graph")["relations"]) {
        let ends = ["from", "to"].map(|it| row[it].as_str().expect("an end").to_owned());
        assert!(
            number(&row, "moments_ns") <= number(&row, "cost_ns"),
            "{row}"
        );
        sums.relations.insert(ends, number(&row, "cost_ns"));
    }
    let mut paths: Vec<Vec<String>> = Vec::new();
    for row in rows(&ask("contexts")["contexts"]) {
        let around = row["parent"].as_u64().map(|it| paths[it as usize].clone());
        let path = [around.unwrap_or_default(), vec![name(&row)]].concat();
        *sums.contexts.entry(path.clone()).or_default() += number(&row, "self");
        paths.push(path);
    }
    for row in rows(&json(&["lines", path, "--file", "app.c", "--value", value])["lines"]) {
        let costs = ["self", "total"].map(|it| row[it].as_u64().unwrap_or(0));
        sums.lines.insert(number(&row, "line"), costs);
    }
    sums.retain_weighed();
    sums
}

#[test]
fn every_command_gives_the_sums_of_the_weights_of_a_value() {
    let scratch = Scratch::new("values");
    for seed in 0..4 {
        let mut random = Random(seed);
        let both = [samples(&mut random), samples(&mut random)];
        let paths =
            [0, 1].map(|it| scratch.write(&format!("{it}.perf.txt"), script(&both[it]).as_bytes()));
        let paths = paths.each_ref().map(|it| text(it));
        for value in ["samples", "cycles", "cache-misses"] {
            let sums = [0, 1].map(|it| direct(&both[it], value));
            for (path, sums) in paths.iter().zip(&sums) {
                assert_eq!(&listed(path, value), sums, "seed {seed}, {value}");
            }
            let compared = json(&["compare", paths[0], paths[1], "--value", value]);
            assert_eq!(
                (&compared["unit"], &compared["compared"]),
                (&value.into(), &"costs".into())
            );
            for row in compared["functions"].as_array().expect("rows") {
                for (side, sums) in ["a", "b"].iter().zip(&sums) {
                    let costs = ["self_ns", "total_ns"].map(|it| number(&row[side], it));
                    let own = sums.functions.get(&name(row)).copied();
                    assert_eq!(
                        costs,
                        own.unwrap_or_default(),
                        "seed {seed}, {value}: {row}"
                    );
                }
            }
            // A range has the samples taken in it, whatever the value.
            let range = ["--from", "4ms", "--to", "9ms", "--value", value];
            let of = |command: &[&str]| json(&[command, &range].concat());
            let ranged = of(&["compare", paths[0], paths[1]]);
            for (side, path) in ["a", "b"].iter().zip(paths) {
                let own = |rows: &Value, of: &dyn Fn(&Value) -> u64| -> u64 {
                    rows.as_array().expect("rows").iter().map(of).sum()
                };
                let sum = own(&of(&["functions", path]), &|it| number(it, "self_ns"));
                let contexts = &of(&["contexts", path])["contexts"];
                assert_eq!(own(contexts, &|it| number(it, "self")), sum, "{value}");
                let compared = own(&ranged["functions"], &|it| number(&it[side], "self_ns"));
                assert_eq!(compared, sum, "seed {seed}, {value}");
            }
            for row in compared["relations"].as_array().expect("rows") {
                let ends = ["from", "to"].map(|it| row[it].as_str().expect("an end").to_owned());
                for (side, sums) in ["a", "b"].iter().zip(&sums) {
                    let cost = sums.relations.get(&ends).copied().unwrap_or(0);
                    assert_eq!(
                        number(&row[side], "cost_ns"),
                        cost,
                        "seed {seed}, {value}: {row}"
                    );
                }
            }
        }
    }
}

/// A value without times in one recording and with times in the other is still the same value of samples.
#[test]
fn one_value_of_two_samplers_is_compared_as_it_is() {
    let scratch = Scratch::new("values-samplers");
    let event = |event: &str| format!("app 7/7 10.0: 250000 {event}: \n\t 1 f (/app)\n\n");
    let one = [event("cpu-clock"), event("cycles")].concat();
    let other = [event("cycles"), event("cycles")].concat();
    let paths = [("a.perf.txt", one), ("b.perf.txt", other)];
    let [a, b] = paths.map(|(name, script)| scratch.write(name, script.as_bytes()));
    let (a, b) = (text(&a), text(&b));
    let compared = json(&["compare", a, b, "--value", "cycles"]);
    assert_eq!(compared["compared"], "costs", "{}", compared["warnings"]);
    let row = &compared["functions"][0];
    assert_eq!(
        [&row["a"], &row["b"]].map(|it| number(it, "self_ns")),
        [250_000, 500_000]
    );

    // Processor time beside wall time is said.
    let wall = data("import/firefox/lua-queens11.samply.json");
    let unlike = json(&["compare", a, text(&wall)]);
    let doubts = unlike["warnings"].to_string();
    assert!(
        doubts.contains("A counts processor time, B counts wall time"),
        "{doubts}"
    );
    let alike = json(&["compare", a, text(&wall), "--value", "processor time"]);
    let doubts = alike["warnings"].to_string();
    assert!(
        !doubts.contains(" counts ") && !doubts.contains("shares"),
        "{doubts}"
    );
    assert_eq!(alike["compared"], "costs");
}

#[test]
fn values_are_found_by_any_spelling_and_unknown_ones_refused_with_the_list() {
    let profile = data("import/pprof/markdown-render.pb.gz");
    let samples = data("import/firefox/lua-queens11.samply.json");
    let [profile, samples] = [&profile, &samples].map(|it| text(it));
    let total = |path: &str, value: &str| json(&["info", path, "--value", value])["values"].clone();
    for (path, name, others) in [
        (profile, "cpu", ["CPU", "time", "processor time"]),
        (samples, "wall time", ["wall", "time", "Wall-Time"]),
        (samples, "processor time", ["cpu", "processor", "cputime"]),
    ] {
        for other in others {
            assert_eq!(total(path, other), total(path, name), "{path}: {other}");
        }
    }
    for arguments in [
        &["functions", samples][..],
        &["contexts", samples],
        &["graph", samples],
        &["lines", samples, "--file", "x"],
        &["compare", samples, samples],
        &["compare", profile, samples],
        &["render", samples, "-o", "unwritten.png"],
        &["render", samples, "--view", "rings", "-o", "unwritten.png"],
        &[
            "export",
            samples,
            "--format",
            "folded",
            "-o",
            "unwritten.txt",
        ],
    ] {
        let (code, _, error) = common::run(&[arguments, &["--value", "inodes"]].concat());
        assert_eq!(code, Some(1), "{arguments:?}: {error}");
        assert!(
            error.contains("no value is named 'inodes'; expected one of: "),
            "{arguments:?}: {error}"
        );
    }
    // A value without times is refused where times are needed, with the one that has them.
    let stack = ["stack", samples, "--at", "1ms", "--value", "samples"];
    let (code, _, error) = common::run(&stack);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("only 'wall time' has times"), "{error}");
}
