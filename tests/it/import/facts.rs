//! Real recordings against what independent programs say of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use callscape::facts::recording::Recording;
use callscape::units::FunctionId;
use serde_json::Value;

use super::{Scratch, read};
use crate::common::large_data;

/// The name that the facts use: VizTracer's carry file and line.
fn full_name(recording: &Recording, id: FunctionId) -> String {
    let function = recording.functions.get(id);
    if function.line > 0 && function.file.ends_with(".py") || function.file.starts_with('<') {
        format!("{} ({}:{})", function.name, function.file, function.line)
    } else {
        function.name.to_owned()
    }
}

/// Holds a recording against what `facts.py` found out about the same file, with names made by `name`.
fn assert_facts(
    recording: &Recording,
    facts: &Value,
    name: &dyn Fn(&Recording, FunctionId) -> String,
) {
    let trace = &recording.trace;
    let file = facts["file"].as_str().unwrap_or_default();
    assert_eq!(Some(trace.calls()), facts["calls"].as_u64(), "{file} calls");
    assert_eq!(
        Some(u64::from(trace.max_depth())),
        facts["max_depth"].as_u64(),
        "{file} depth"
    );
    assert_eq!(
        Some(trace.threads().len() as u64),
        facts["threads"].as_u64(),
        "{file} threads"
    );
    let names: BTreeSet<String> = recording
        .functions
        .ids()
        .map(|id| name(recording, id))
        .collect();
    assert_eq!(
        Some(names.len() as u64),
        facts["functions"].as_u64(),
        "{file} functions"
    );
    let per_thread = facts["calls_per_thread"].as_object().expect("an object");
    let mut expected: Vec<u64> = per_thread.values().filter_map(Value::as_u64).collect();
    let mut found: Vec<u64> = trace.threads().iter().map(|thread| thread.calls).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected, "{file} calls per thread");

    // Functions of one name count as one in the facts; their total costs cannot be added up then.
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    let mut self_costs: BTreeMap<String, u64> = BTreeMap::new();
    let mut totals: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (id, metrics) in recording.functions.ids().zip(trace.function_metrics(None)) {
        *calls.entry(name(recording, id)).or_default() += metrics.calls;
        *self_costs.entry(name(recording, id)).or_default() += metrics.self_cost.ns();
        totals
            .entry(name(recording, id))
            .or_default()
            .push(metrics.total.ns());
    }
    for (key, found) in [("top_calls", &calls), ("top_self", &self_costs)] {
        for row in facts[key].as_array().expect("rows") {
            let expected = row[1].as_f64().expect("a number");
            let scale = if key == "top_self" { 1000.0 } else { 1.0 };
            let found = found[row[0].as_str().expect("a name")] as f64 / scale;
            assert!(
                (found - expected).abs() < 0.01,
                "{file} {key} {row}: {found}"
            );
        }
    }
    for row in facts["top_inclusive"].as_array().expect("rows") {
        let found = &totals[row[0].as_str().expect("a name")];
        if let [found] = found[..] {
            let expected = row[1].as_f64().expect("a number");
            assert!(
                (found as f64 / 1000.0 - expected).abs() < 0.01,
                "{file} {row}: {found}"
            );
        }
    }
    let mut pairs: BTreeMap<(String, String), u64> = BTreeMap::new();
    for relation in trace.relations(None) {
        let key = (
            name(recording, relation.caller),
            name(recording, relation.callee),
        );
        *pairs.entry(key).or_default() += relation.calls;
    }
    for row in facts["top_pairs"].as_array().expect("rows") {
        let text = |index: usize| row[index].as_str().expect("a name").to_owned();
        assert_eq!(
            Some(pairs[&(text(0), text(1))]),
            row[2].as_u64(),
            "{file} {row}"
        );
    }
}

fn plain_name(recording: &Recording, id: FunctionId) -> String {
    recording.functions.get(id).name.to_owned()
}

#[test]
fn chrome_traces_have_the_facts_that_an_independent_program_found() {
    let Some(dir) = large_data("chrome") else {
        return;
    };
    let facts = std::fs::read_to_string(dir.with_file_name("facts.jsonl")).expect("the facts");
    let mut compared = 0;
    for line in facts.lines() {
        let facts: Value = serde_json::from_str(line).expect("a fact a line");
        let file = facts["file"].as_str().expect("a file");
        let name: &dyn Fn(&Recording, _) -> String = if file.contains("viztracer") {
            &full_name
        } else {
            &plain_name
        };
        for folder in ["chrome", "history"] {
            let path = dir.with_file_name(folder).join(file);
            // Two folders hold files of one name: the size tells them apart.
            let size = path.metadata().map(|metadata| metadata.len()).ok();
            if size.is_some() && size == facts["bytes"].as_u64() {
                let recording = read(&path);
                assert_eq!(recording.format, "chrome-json");
                assert_facts(&recording, &facts, name);
                compared += 1;
            }
        }
    }
    assert!(compared >= 9, "{compared}");
}

#[test]
fn uftrace_directories_have_the_facts_that_uftrace_itself_reports() {
    let Some(dir) = large_data("uftrace") else {
        return;
    };
    for name in [
        "sqlite-join-optimized",
        "sqlite-join-unoptimized",
        "lua-queens",
        "lua-report-optimized",
        "lua-report-unoptimized",
    ] {
        let facts = dir.join(format!("facts/{name}.facts.json"));
        let facts: Value =
            serde_json::from_str(&std::fs::read_to_string(facts).expect("facts")).expect("JSON");
        let scratch = Scratch::new(name);
        // A copy: the index of so large a recording would be written beside it, and read the next time.
        let data = scratch.0.join(name);
        if dir.join(name).is_dir() {
            copy(&dir.join(name), &data);
        } else {
            unpack(&dir.join(format!("{name}.tar.gz")), &scratch.0);
        }
        let recording = read(&data);
        assert_eq!(recording.format, "uftrace");
        assert_facts(&recording, &facts, &plain_name);
    }
}

fn unpack(archive: &Path, into: &Path) {
    let mut tar = std::process::Command::new("tar");
    let status = tar.arg("-xzf").arg(archive).arg("-C").arg(into).status();
    assert!(status.expect("tar").success());
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a scratch folder");
    for file in std::fs::read_dir(from).expect("a folder").flatten() {
        std::fs::copy(file.path(), to.join(file.file_name())).expect("a copy");
    }
}
