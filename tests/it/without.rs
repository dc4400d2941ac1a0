//! `--without`: what `export`, `sample` and `record` exclude, and what is left.

use std::collections::BTreeMap;

use callscape::facts::sampling::{Objects, Plan, Rule, Stretch};
use callscape::model::memory::is_sampled;
use callscape::model::moment::Moment;
use callscape::units::Time;

use super::common::{Scratch, data, json, output, read, run, text};
use super::random::Random;

/// Self cost by stack, without some functions: it goes to the caller, and what has none is lost.
fn without(folded: &str, excluded: &[&str]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for line in folded.lines() {
        let (stack, cost) = line.rsplit_once(' ').expect("a stack and its cost");
        let frames = stack.split(';').filter(|it| !excluded.contains(it));
        let frames: Vec<&str> = frames.collect();
        if !frames.is_empty() {
            let cost: u64 = cost.parse().expect("a number");
            *sums.entry(frames.join(";")).or_default() += cost;
        }
    }
    sums
}

/// A trace of one thread in which calls of five functions nest.
fn random_trace(seed: u64) -> String {
    let mut random = Random(seed);
    let names = ["a", "b", "c", "log_in", "log_out"];
    let (mut events, mut open, mut time) = (Vec::new(), 0, 0);
    for _ in 0..60 {
        time += 1 + random.below(9);
        let kind = match open < 6 && (open == 0 || random.below(2) == 0) {
            true => {
                let name = names[random.index(names.len())];
                open += 1;
                format!(r#""ph":"B","name":"{name}""#)
            }
            false => {
                open -= 1;
                r#""ph":"E""#.to_owned()
            }
        };
        events.push(format!(r#"{{{kind},"pid":1,"tid":1,"ts":{time}}}"#));
    }
    for _ in 0..open {
        time += 1;
        events.push(format!(r#"{{"ph":"E","pid":1,"tid":1,"ts":{time}}}"#));
    }
    format!("[{}]", events.join(","))
}

fn folded(input: &str, more: &[&str]) -> String {
    let mut arguments = vec!["export", input, "--format", "folded"];
    arguments.extend(more);
    let (code, out, error) = run(&arguments);
    assert_eq!(code, Some(0), "{error}");
    out
}

#[test]
fn excluded_functions_leave_their_cost_to_their_callers() {
    let scratch = Scratch::new("without-trace");
    for seed in 0..6 {
        let trace = scratch.write("trace.json", random_trace(seed).as_bytes());
        let whole = folded(text(&trace), &[]);
        let profile = scratch.write("trace.folded", whole.as_bytes());
        for (names, excluded) in [
            (&["--without", "a"][..], &["a"][..]),
            (
                &["--without", "log_*", "--without", "b"][..],
                &["log_in", "log_out", "b"][..],
            ),
        ] {
            let expected = without(&whole, excluded);
            for input in [&trace, &profile] {
                let found = without(&folded(text(input), names), &[]);
                assert_eq!(found, expected, "seed {seed}, {}", input.display());
            }
            let small = scratch.0.join("small.callscape");
            let small = text(&small);
            let mut arguments = vec!["sample", text(&trace), "-o", small];
            arguments.extend(names);
            let (code, _, error) = run(&arguments);
            assert_eq!(code, Some(0), "{error}");
            assert_eq!(without(&folded(small, &[]), &[]), expected, "seed {seed}");
        }
    }
}

#[test]
fn what_is_excluded_is_counted_in_every_format() {
    let scratch = Scratch::new("without-said");
    let trace = scratch.write("trace.json", random_trace(3).as_bytes());
    let functions = json(&["functions", text(&trace), "--json"]);
    let functions = functions.as_array().expect("a list");
    let calls = |is: fn(&str) -> bool| {
        let of = functions
            .iter()
            .filter(|it| it["name"].as_str().is_some_and(is));
        let calls = of.filter_map(|it| it["calls"].as_u64());
        calls.sum::<u64>()
    };
    let (gone, all) = (calls(|it| it.starts_with("log_")), calls(|_| true));
    let said = format!("2 functions excluded with {gone} calls of {all}: log_in, log_out");
    let out = scratch.0.join("out");
    for format in ["chrome-json", "speedscope", "folded", "csv", "parquet"] {
        if format == "parquet" && !cfg!(feature = "parquet") {
            continue;
        }
        let arguments = ["export", text(&trace), "--format", format];
        let arguments = [&arguments[..], &["--without", "log_*", "-o", text(&out)]].concat();
        let (code, _, error) = run(&arguments);
        assert_eq!(code, Some(0), "{format}: {error}");
        assert!(error.contains(&said), "{format}: {error}");
        let _ = std::fs::remove_file(&out);
    }
    let unknown = [
        "export",
        text(&trace),
        "--format",
        "csv",
        "--without",
        "nobody",
    ];
    let (code, out, error) = run(&unknown);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(error.contains("none called 'nobody'"), "{error}");
}

#[test]
fn objects_of_excluded_functions_belong_to_their_callers() {
    let scratch = Scratch::new("without-memory");
    let input = data("import/lists.uftrace");
    let by_function = |input: &str| {
        let found = json(&["objects", input, "--by", "function", "--json"]);
        let rows = found["entries"].as_array().expect("entries").clone();
        let total = found["allocations"].as_u64();
        (rows, total)
    };
    let (rows, total) = by_function(text(&input));
    let name = rows
        .iter()
        .filter_map(|it| it["name"].as_str())
        .find(|name| !name.is_empty() && *name != "main")
        .expect("a creator")
        .to_owned();
    let out = scratch.0.join("small.callscape");
    let done = output(&["sample", text(&input), "--without", &name, "-o", text(&out)]);
    assert!(done.status.success(), "{name}");
    let (rows, left) = by_function(text(&out));
    assert_eq!(left, total);
    assert!(rows.iter().all(|it| it["name"] != name.as_str()), "{name}");
}

#[test]
fn histograms_are_off_only_in_cels_that_touch_sampled_times() {
    let scratch = Scratch::new("without-cels");
    let input = data("import/lists.uftrace");
    let whole = read(&input);
    let end = whole.memory.as_ref().expect("it has memory").end.ns();
    let [from, to] = [end / 4, end / 2];
    let control = format!(
        "<sampling>\n<range><sample object=\"3\" type=\"event\" start=\"{from}\" end=\"{to}\"/></range>\n\
         <default><trace/></default>\n</sampling>"
    );
    let control = scratch.write("control.xml", control.as_bytes());
    let out = scratch.0.join("small.callscape");
    let done = output(&[
        "sample",
        text(&input),
        "--control",
        text(&control),
        "-o",
        text(&out),
    ]);
    assert!(done.status.success());
    let sampled = read(&out);
    let plan = &sampled.sampling.as_ref().expect("it is sampled").plan;
    let stretch: &Stretch = &plan.ranges[0];
    assert_eq!((stretch.start.ns(), stretch.end.ns()), (from, to));
    assert_eq!(stretch.rule.objects, Objects::Events(3));
    assert_eq!(
        *plan,
        Plan {
            default: Rule::ALL,
            ..plan.clone()
        }
    );
    let moment = |previous: u64, time: u64, summary: bool| Moment {
        previous: Time::from_ns(previous),
        time: Time::from_ns(time),
        summary,
        ..Moment::default()
    };
    let is = |of: &Moment| is_sampled(&sampled, of);
    for (previous, time, expected) in [
        (0, from - 1, false),
        (0, from, true),
        (from, to - 1, true),
        (to - 2, to, true),
        (to - 1, to, false),
        (to, end, false),
        (0, end, true),
    ] {
        assert_eq!(
            is(&moment(previous, time, false)),
            expected,
            "{previous} to {time}"
        );
        assert!(!is_sampled(&whole, &moment(previous, time, false)));
    }
    assert!(is(&moment(to, end, true)), "a summary is of the whole run");
}
