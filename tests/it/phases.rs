//! `callscape phases` held against the definitions, evaluated over what `callscape export` writes of the same recording;
//! and thresholds and recordings that ask for trouble.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use serde_json::{Value, json};

use super::common::{self, Scratch, data, large_data, run};

fn document(arguments: &[&str]) -> Value {
    common::json(&[&["phases"], arguments, &["--json"]].concat())
}

struct Call {
    start: u64,
    end: u64,
    name: String,
    /// What tells the function from others.
    function: String,
    caller: Option<usize>,
    depth: u64,
    triggered: u64,
}

/// The calls of each thread.
fn calls(recording: &Path) -> Option<Vec<Vec<Call>>> {
    let path = recording.to_str().expect("text");
    let (code, out, _) = run(&["export", "--format", "chrome-json", path]);
    if code != Some(0) {
        return None;
    }
    let document: Value = serde_json::from_str(&out).expect("one document");
    let mut threads: BTreeMap<String, (Vec<Call>, Vec<usize>)> = BTreeMap::new();
    let mut order = Vec::new();
    for event in document["traceEvents"].as_array().expect("events") {
        let thread = format!("{} {}", event["pid"], event["tid"]);
        let ns = (event["ts"].as_f64().unwrap_or(0.0) * 1000.0).round() as u64;
        if !threads.contains_key(&thread) {
            order.push(thread.clone());
        }
        let (calls, open) = threads.entry(thread).or_default();
        match event["ph"].as_str() {
            Some("B") => {
                let caller = open.last().copied();
                open.push(calls.len());
                calls.push(Call {
                    start: ns,
                    end: ns,
                    name: event["name"].as_str().expect("a name").to_owned(),
                    function: format!("{} {} {}", event["name"], event["cat"], event["args"]),
                    caller,
                    depth: open.len() as u64 - 1,
                    triggered: 0,
                });
            }
            Some("E") => {
                let call = open.pop().expect("a call is open");
                calls[call].end = ns;
                calls[call].triggered = (calls.len() - call - 1) as u64;
            }
            _ => {}
        }
    }
    let take = |thread: &String| threads.remove(thread).map(|(calls, _)| calls);
    Some(order.iter().filter_map(take).collect())
}

/// Rows told apart by all that is said of them.
#[derive(Debug, Default, PartialEq)]
struct Rows {
    phases: Vec<String>,
    gathered: Vec<String>,
    explained: String,
}

/// By phase (none outside) and function its name, how many calls, these with what they trigger, and their cost.
type Gathered<'a> = BTreeMap<(Option<usize>, &'a str), (&'a str, u64, u64, u64)>;

/// The definitions, call by call. Phases are alike by their functions, or without a similarity by the sequence of their
/// calls.
fn direct(threads: &[Vec<Call>], min_calls: u64, min_cost: u64, similarity: Option<f64>) -> Rows {
    let mut rows = Rows::default();
    let (mut total, mut explained) = (0u64, 0u64);
    for calls in threads {
        let cost = |call: &Call| call.end - call.start;
        let is_heavy = |call: &Call| call.triggered >= min_calls || cost(call) >= min_cost;
        let mut heavy_subcalls = vec![0; calls.len()];
        for call in calls.iter().filter(|call| is_heavy(call)) {
            if let Some(caller) = call.caller {
                heavy_subcalls[caller] += 1;
            }
        }
        let kind = |call: usize| match heavy_subcalls[call] {
            0 if is_heavy(&calls[call]) => Some("leaf"),
            0 | 1 => None,
            _ => Some("inner"),
        };
        let enclosing = |call: usize| {
            let mut around = calls[call].caller;
            while let Some(it) = around
                && kind(it).is_none()
            {
                around = calls[it].caller;
            }
            around
        };
        let mut depths: HashMap<usize, u64> = HashMap::new();
        type Class<'a> = (
            Option<&'a str>,
            &'a str,
            BTreeSet<&'a str>,
            Vec<[&'a str; 2]>,
        );
        let mut classes: HashMap<Option<usize>, Vec<Class<'_>>> = HashMap::new();
        let mut gathered: Gathered<'_> = BTreeMap::new();
        for (index, call) in calls.iter().enumerate() {
            let around = enclosing(index);
            if call.caller.is_none() {
                total += cost(call);
            }
            if !is_heavy(call) && call.caller.is_none_or(|it| is_heavy(&calls[it])) {
                let key = (around, call.function.as_str());
                let row = gathered.entry(key).or_insert((&call.name, 0, 0, 0));
                row.1 += 1;
                row.2 += call.triggered + 1;
                row.3 += cost(call);
            }
            let Some(kind) = kind(index) else { continue };
            let depth = around.map_or(1, |around| depths[&around] + 1);
            depths.insert(index, depth);
            let inside = &calls[index..=index + call.triggered as usize];
            let functions: BTreeSet<&str> = inside.iter().map(|it| it.function.as_str()).collect();
            let deepest = inside.iter().map(|it| it.depth).max().unwrap_or(0);
            let function = |call: usize| calls[call].function.as_str();
            let caller = call.caller.map(function);
            let below = inside[1..].iter().filter(|_| similarity.is_none());
            let sequence: Vec<[&str; 2]> = below
                .map(|it| [it.caller.map_or("", function), it.function.as_str()])
                .collect();
            let known = classes.entry(around).or_default();
            let is_like = |(of, callee, set, steps): &Class<'_>| {
                let only_one = set.symmetric_difference(&functions).count() as f64;
                let any = set.union(&functions).count() as f64;
                let is_alike = similarity.map_or(*steps == sequence, |it| only_one / any <= it);
                (*of, *callee) == (caller, call.function.as_str()) && is_alike
            };
            let group = known.iter().position(is_like);
            let group = group.unwrap_or_else(|| {
                known.push((caller, &call.function, functions.clone(), sequence.clone()));
                known.len() - 1
            });
            if kind == "leaf" {
                explained += cost(call);
            }
            rows.phases.push(phase_row(&json!({
                "depth": depth, "name": call.name, "start_ns": call.start, "end_ns": call.end, "kind": kind,
                "calls": call.triggered, "functions": functions.len(), "max_depth": deepest - call.depth,
                "group": group, "cost_ns": cost(call),
            })));
        }
        for ((around, _), (name, of, all, cost)) in gathered {
            if all >= min_calls || cost >= min_cost {
                let phase = around.map(|it| (calls[it].start, calls[it].name.as_str()));
                rows.gathered
                    .push(format!("{phase:?} {name} {of} {all} {cost}"));
                if around.is_none_or(|around| kind(around) == Some("inner")) {
                    explained += cost;
                }
            }
        }
    }
    rows.phases.sort();
    rows.gathered.sort();
    rows.explained = format!("{:.9}", explained as f64 / total.max(1) as f64);
    rows
}

fn phase_row(row: &Value) -> String {
    const FIELDS: [&str; 10] = [
        "depth",
        "name",
        "start_ns",
        "end_ns",
        "kind",
        "calls",
        "functions",
        "max_depth",
        "group",
        "cost_ns",
    ];
    let fields = FIELDS.map(|field| row[field].to_string());
    fields.join(" ")
}

/// What the document says.
fn said(document: &Value) -> Rows {
    let phases = document["phases"].as_array().expect("phases");
    let starts = phases.iter().map(|it| it["start_ns"].as_u64().expect("ns"));
    assert!(starts.is_sorted(), "in order of start");
    let gathered = document["gathered"].as_array().expect("rows");
    let row = |row: &Value| {
        let phase = row["in"].as_u64().map(|index| {
            let phase = &phases[index as usize];
            let name = phase["name"].as_str().expect("a name");
            (phase["start_ns"].as_u64().expect("ns"), name)
        });
        let name = row["name"].as_str().expect("a name");
        let [of, calls, cost] = ["of", "calls", "cost_ns"].map(|field| &row[field]);
        format!("{phase:?} {name} {of} {calls} {cost}")
    };
    let mut rows = Rows {
        phases: phases.iter().map(phase_row).collect(),
        gathered: gathered.iter().map(row).collect(),
        explained: format!("{:.9}", document["explained"].as_f64().expect("a share")),
    };
    rows.phases.sort();
    rows.gathered.sort();
    rows
}

fn check(recording: &Path) {
    let path = recording.to_str().expect("text");
    let Some(threads) = calls(recording) else {
        return;
    };
    let chosen = document(&[path])["parameters"].clone();
    let number = |field: &str| chosen[field].as_u64().expect("a number");
    let never = 10u64.pow(15);
    let [calls, cost] = [number("min_calls"), number("min_cost_ns")];
    for (calls, cost, similarity) in [
        (calls, cost, Some(0.5)),
        (calls * 4, never, Some(0.0)),
        (never, cost * 3, Some(0.2)),
        (calls / 3 + 1, cost / 3 + 1, Some(1.0)),
        (calls / 3 + 1, cost / 3 + 1, None),
    ] {
        let [calls_text, cost_text] = [calls, cost].map(|it| it.to_string());
        let (option, alike) = match similarity {
            Some(similarity) => ("--similarity", similarity.to_string()),
            None => ("--alike", "calls".to_owned()),
        };
        let found = document(&[
            path,
            "--min-calls",
            &calls_text,
            "--min-cost",
            &cost_text,
            option,
            &alike,
            "--cost",
            "elapsed",
        ]);
        let expected = direct(&threads, calls, cost, similarity);
        assert_eq!(said(&found), expected, "{path} from {calls} or {cost} ns");
        let all: usize = threads.iter().map(Vec::len).sum();
        assert_eq!(found["pruned_calls"], all - expected.phases.len());
    }
}

#[test]
fn documents_are_what_the_definitions_say() {
    for name in [
        "syn-spans.tracing-chrome.json",
        "tinyxml2.ftime-trace.json",
        "toml-threads.viztracer.json",
    ] {
        check(&data(&format!("import/{name}")));
    }
    for name in [
        "chrome/packaging-26.3.viztracer.json.gz",
        "causes/outline-after.viztracer.json.gz",
        "causes/orm-before.viztracer.json.gz",
        "cpuprofile/orders-unoptimized.cpuprofile",
    ] {
        if let Some(path) = large_data(name) {
            check(&path);
        }
    }
}

/// Bohnet's thesis, section 5.1, on a program that was pre-empted: what other programs took counts.
#[test]
fn elapsed_costs_are_those_of_the_thesis() {
    let Some(recording) = large_data("uftrace/lua-queens.tar.gz") else {
        return;
    };
    check(&recording);
    let path = recording.to_str().expect("text");
    let phases = |costs: &str| {
        let thresholds = ["--min-calls", "500", "--min-cost", "50us", "--cost", costs];
        let found = document(&[&[path][..], &thresholds].concat());
        found["phases"].as_array().map_or(0, Vec::len)
    };
    assert_eq!([phases("elapsed"), phases("running")], [179, 37]);
}

#[test]
fn loads_one_by_one_are_one_row() {
    let Some(path) = large_data("causes/orm-before.viztracer.json.gz") else {
        return;
    };
    let found = document(&[path.to_str().expect("text")]);
    let rows = found["gathered"].as_array().expect("rows");
    let loads = rows.iter().find(|row| row["of"] == 400 && row["in"] == 0);
    let loads = loads.expect("400 loads");
    assert_eq!(loads["name"], "InstrumentedAttribute.__get__");
}

#[test]
fn hostile_thresholds_are_wrong_usage() {
    let path = data("import/syn-spans.tracing-chrome.json");
    let path = path.to_str().expect("text");
    for (option, value) in [
        ("--min-calls", "-1"),
        ("--min-calls", "NaN"),
        ("--min-calls", "1.5"),
        ("--min-calls", "99999999999999999999999"),
        ("--min-cost", "-5ms"),
        ("--min-cost", "NaN"),
        ("--min-cost", "inf"),
        ("--similarity", "-0.1"),
        ("--similarity", "1.01"),
        ("--similarity", "NaN"),
        ("--similarity", "inf"),
        ("--short", "-1"),
    ] {
        let (code, out, error) = run(&["phases", path, option, value]);
        assert_eq!(code, Some(2), "{option} {value}: {error}");
        assert!(out.is_empty() && error.contains("expected"), "{error}");
        assert!(error.contains(value) && error.contains(option), "{error}");
    }
    let (code, _, error) = run(&["phases", path, "--thread", "nobody"]);
    assert!(code == Some(1) && error.contains("worker-0"), "{error}");
    // Nothing is as heavy, and everything is.
    let most = u64::MAX.to_string();
    let none = document(&[path, "--min-calls", &most, "--min-cost", &most]);
    assert_eq!(none["phases"], json!([]));
    let all = document(&[path, "--min-calls", "0", "--min-cost", "0"]);
    let phases = all["phases"].as_array().expect("phases").len() as u64;
    let pruned = all["pruned_calls"].as_u64().expect("a number");
    assert_eq!(all["calls"], phases + pruned);
    let leaves = all["phases"].as_array().expect("phases").iter();
    let has_calls = |it: &Value| it["kind"] == "leaf" && it["calls"] != 0;
    assert_eq!(
        leaves.filter(|it| has_calls(it)).count(),
        0,
        "what calls nothing"
    );
    assert_eq!(all["gathered"], json!([]));
}

#[test]
fn no_calls_have_no_phases() {
    let scratch = Scratch::new("phases");
    let empty = scratch.write("empty.json", b"{\"traceEvents\": []}");
    let (code, _, said) = run(&["phases", empty.to_str().expect("text")]);
    assert!(code == Some(1) && said.contains("found none"), "{said}");
    let one = scratch.write(
        "one.json",
        br#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"one"}]"#,
    );
    let found = document(&[one.to_str().expect("text")]);
    assert_eq!(found["phases"][0]["kind"], "leaf");
    assert_eq!(found["phases"][0]["depth"], 1);
    assert_eq!(found["explained"], json!(1.0));
}

#[test]
fn profiles_are_refused() {
    let path = data("import/pprof/markdown-render.pb.gz");
    let (code, _, error) = run(&["phases", path.to_str().expect("text")]);
    assert!(
        code == Some(1) && error.contains("without times"),
        "{error}"
    );
}
