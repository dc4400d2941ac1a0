//! Real recordings against what independent programs say of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use callscape::facts::recording::Recording;
use serde_json::Value;

use super::{functions, profile, read};
use crate::common::large_data;

fn facts(dir: &Path, file: &str) -> Value {
    let facts = std::fs::read_to_string(dir.with_file_name("facts.jsonl")).expect("the facts");
    let lines = facts
        .lines()
        .map(|line| serde_json::from_str(line).expect("a fact a line"));
    let mut lines = lines.filter(|facts: &Value| facts["file"] == file);
    lines.next().expect("facts of the file")
}

/// A function's name as frames spell it.
fn spelled(recording: &Recording, id: callscape::units::FunctionId) -> String {
    let function = recording.functions.get(id);
    match (function.name, function.file) {
        ("[no frames]", _) => String::new(),
        (name, "") => name.to_owned(),
        (name, file) => format!("{name} ({file}:{})", function.line),
    }
}

#[test]
fn folded_stacks_have_the_facts_that_an_independent_program_found() {
    let Some(dir) = large_data("folded") else {
        return;
    };
    for file in [
        "markdown.py-spy.folded",
        "markdown-render.rust-pprof.folded",
    ] {
        let recording = read(&dir.join(file));
        let facts = facts(&dir, file);
        assert_eq!(Some(recording.samples), facts["total"].as_u64(), "{file}");
        assert_eq!(
            Some(recording.functions.len() as u64),
            facts["functions"].as_u64(),
            "{file}"
        );
        assert_eq!(
            Some(u64::from(recording.max_depth())),
            facts["max_depth"].as_u64(),
            "{file}"
        );
        let metrics = profile(&recording).function_metrics();
        let ids = recording.functions.ids().map(|id| spelled(&recording, id));
        let found: BTreeMap<String, _> = ids.zip(metrics).collect();
        for row in facts["top_inclusive"].as_array().expect("rows") {
            let total = found[row[0].as_str().expect("a name")].total;
            assert_eq!(Some(total.ns()), row[1].as_u64(), "{file} {row}");
        }
        for row in facts["top_self"].as_array().expect("rows") {
            let own = found[row[0].as_str().expect("a name")].self_cost;
            assert_eq!(Some(own.ns()), row[1].as_u64(), "{file} {row}");
        }
    }
}

#[test]
fn hprof_tables_are_read_whole() {
    let Some(dir) = large_data("hprof") else {
        return;
    };
    for file in [
        "libinjection-java.cpu-times.hprof.txt",
        "xfvrp.cpu-samples.hprof.txt",
    ] {
        let recording = read(&dir.join(file));
        let facts = facts(&dir, file);
        assert_eq!(recording.format, "hprof");
        assert_eq!(
            Some(u64::from(recording.max_depth())),
            facts["max_depth"].as_u64(),
            "{file}"
        );
        // The facts count the line of the header that describes such records.
        assert_eq!(
            Some(recording.threads().len() as u64),
            facts["threads_started"].as_u64().map(|all| all - 1)
        );
        let sum = facts["sum_counts"].as_u64();
        if facts["table"] == "SAMPLES" {
            assert_eq!(Some(profile(&recording).weight().ns()), sum, "{file}");
            let cut = facts["total"]
                .as_u64()
                .zip(sum)
                .map(|(total, sum)| total - sum);
            let cut_off = super::warnings(&recording)["samples-below-cutoff"];
            assert_eq!(Some(cut_off), cut, "{file}");
        } else {
            assert_eq!(Some(recording.calls()), sum, "{file}");
            let total = facts["total"].as_f64().expect("a number") * 1e6;
            let share = profile(&recording).weight().ns() as f64 / total;
            assert!((0.9..=1.001).contains(&share), "{file} {share}");
        }
    }
}

/// A line of `callgrind_annotate`: cost, function and object.
fn annotated(text: &str) -> Vec<(u64, String, String)> {
    let rows = text.lines().filter_map(|line| {
        let (cost, rest) = line.split_once('(')?;
        let cost = cost.trim().replace(',', "").parse().ok()?;
        let (_, place) = rest.split_once(")  ")?;
        let (place, object) = match place.strip_suffix(']').and_then(|it| it.rsplit_once(" [")) {
            Some((place, object)) => (place, object),
            None => (place, ""),
        };
        let (_, function) = place.split_once(':')?;
        Some((cost, function.to_owned(), object.to_owned()))
    });
    rows.collect()
}

/// A function as it is called when it is not yet running.
fn outer(function: &str) -> &str {
    let numbered = function.rsplit_once('\'');
    match numbered.filter(|(_, level)| level.parse::<u32>().is_ok()) {
        Some((name, _)) => name,
        None => function,
    }
}

#[test]
fn callgrind_profiles_have_the_costs_of_callgrind_annotate() {
    let Some(dir) = large_data("callgrind") else {
        return;
    };
    let recording = read(&dir.join("callgrind.lua-queens6.out"));
    let report = |name: &str| std::fs::read_to_string(dir.join(name)).expect("the report");
    let profile = profile(&recording);
    assert_eq!(profile.weight().ns(), 2_228_606);
    assert_eq!(recording.calls(), 32_600);
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);

    // Self costs: the report has a row for each file of a function, of which the recording knows the first.
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    let annotate = report("callgrind.lua-queens6.annotate.txt");
    let table = annotate
        .split("-- Auto-annotated source")
        .next()
        .unwrap_or("");
    for (cost, function, _) in annotated(table) {
        *expected.entry(outer(&function).to_owned()).or_default() += cost;
    }
    let found = functions(&recording);
    for (function, &cost) in expected.iter().filter(|(_, cost)| **cost > 0) {
        let own = found.get(function).map(|it| it.2);
        assert_eq!(own, Some(cost), "{function}");
    }
    assert!(expected.len() > 300, "{}", expected.len());

    // Inclusive costs, where only one function has the name and nothing calls itself again.
    let inclusive = annotated(&report("callgrind.lua-queens6.inclusive.txt"));
    let recursive: BTreeSet<&str> = inclusive
        .iter()
        .map(|(_, function, _)| function.as_str())
        .filter(|function| outer(function) != *function)
        .map(outer)
        .collect();
    let mut compared = 0;
    for (cost, function, object) in &inclusive {
        let ids = recording.functions.ids().filter(|&id| {
            let it = recording.functions.get(id);
            it.name == function && (object.is_empty() || it.library == object)
        });
        let ids: Vec<_> = ids.collect();
        if let [id] = ids[..]
            && !recursive.contains(function.as_str())
        {
            let total = profile.function_metrics()[id.index()].total;
            assert_eq!(total.ns(), *cost, "{function}");
            compared += 1;
        }
    }
    assert!(compared > 12, "{compared}");

    // Without compression: another run of the same program.
    let plain = read(&dir.join("callgrind.lua-queens6.uncompressed.out"));
    assert_eq!(super::profile(&plain).weight().ns(), 2_228_820);
    assert_eq!(plain.calls(), 32_606);
    assert_eq!(plain.functions.len(), recording.functions.len());
}

/// Decoded by hand from the wire format.
#[test]
fn pprof_profiles_have_the_numbers_of_the_wire_format() {
    let Some(dir) = large_data("pprof-samples") else {
        return;
    };
    let mut recording = read(&dir.join("report-sample.cpu"));
    assert_eq!(recording.format, "pprof");
    assert_eq!(recording.functions.len(), 14);
    assert_eq!(recording.max_depth(), 8);
    assert_eq!(profile(&recording).weight().ns(), 1_760_000_000);
    assert_eq!(recording.samples, 176);
    let shown = recording
        .profile
        .as_mut()
        .expect("a profile")
        .show("samples");
    assert_eq!(shown, Ok(()));
    assert_eq!(profile(&recording).weight().ns(), 176);
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    let plain = read(
        &dir.with_file_name("pprof")
            .join("markdown-render.rust-pprof.pb"),
    );
    assert_eq!((plain.samples, plain.functions.len()), (507, 271));
}

/// Every sample of another viewer that this one reads.
#[test]
fn samples_of_other_tools_are_read() {
    let Some(dir) = large_data("speedscope-samples") else {
        return;
    };
    for (file, format, weight, functions) in [
        ("stackcollapse/simple.txt", "folded", 14, 4),
        ("stackcollapse/simple-crlf.txt", "folded", 14, 4),
        ("stackcollapse/simple-with-invalids.txt", "folded", 14, 4),
        ("stackcollapse/recursion.txt", "folded", 10, 3),
        ("stackcollapse/tall.txt", "folded", 1, 26),
        ("callgrind/callgrind.example.log", "callgrind", 820, 3),
        (
            "callgrind/callgrind.name-compression.log",
            "callgrind",
            820,
            3,
        ),
        (
            "callgrind/callgrind.subposition-compression.log",
            "callgrind",
            820,
            3,
        ),
        ("callgrind/callgrind.cfn-reset.log", "callgrind", 40, 4),
        (
            "callgrind/callgrind.multiple-event-types.log",
            "callgrind",
            8_200,
            3,
        ),
    ] {
        let recording = read(&dir.join(file));
        assert_eq!(recording.format, format, "{file}");
        assert_eq!(profile(&recording).weight().ns(), weight, "{file}");
        assert_eq!(recording.functions.len(), functions, "{file}");
    }
    let pprof = read(&dir.join("pprof/simple.prof"));
    assert_eq!(pprof.format, "pprof");
    let results = dir.with_file_name("flamegraph-samples").join("results");
    for entry in std::fs::read_dir(results).expect("a folder").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("text");
        if text.trim().is_empty() {
            continue;
        }
        let counts = text.lines().filter_map(|line| line.rsplit_once(' '));
        let all: u64 = counts
            .filter_map(|(_, count)| count.parse::<u64>().ok())
            .sum();
        assert_eq!(
            read(&entry.path()).samples,
            all,
            "{}",
            entry.path().display()
        );
    }
}
