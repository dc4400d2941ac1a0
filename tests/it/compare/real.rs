//! `callscape compare` of real recordings whose differences are known.

use super::super::common::{data, large_data};
use super::*;

/// The pairs of the large set, against what uftrace and facts.py found in them.
#[test]
fn known_differences_of_real_pairs_stand_first() {
    let Some(folder) = large_data("uftrace") else {
        return;
    };
    let path = |name: &str| folder.join(name);
    let (a, b) = (
        path("sqlite-join-unoptimized"),
        path("sqlite-join-optimized"),
    );
    let found = document(&[text(&a), text(&b)]);
    assert_eq!(found["functions"][0]["name"], "sqlite3VdbeExec");
    let main = row(&found, "main");
    assert_eq!(side(&main["a"]).total, 146_456_714);
    assert_eq!(side(&main["b"]).total, 28_638_167);
    let memcpy = row(&found, "memcpy");
    assert_eq!(
        (side(&memcpy["a"]).calls, side(&memcpy["b"]).calls),
        (37_106, 5_537)
    );
}

#[test]
fn small_real_recordings_do_not_differ_from_themselves() {
    for name in ["uftrace", "speedscope", "callgrind", "pprof", "folded"] {
        let folder = data("import").join(name);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut files: Vec<_> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
        files.sort();
        let Some(file) = files.first() else {
            continue;
        };
        let answer = run(&[text(file), text(file)]);
        if answer.code == Some(0) {
            assert!(
                answer.out.contains("no function differs"),
                "{name}: {}",
                answer.out
            );
        }
    }
}

/// A parse repeated on each access to a path, and paths that hold their segments: recorded by `record.py` beside them.
#[test]
fn a_repeated_parse_is_seen_first_and_equals_the_events_counted_one_by_one() {
    let folder = data("compare/paths");
    let path = |name: &str| folder.join(name);
    let (a, b) = (path("parsed.json.gz"), path("stored.json.gz"));
    let (source_a, source_b) = (path("parsed"), path("stored"));
    let found = document(&[
        text(&a),
        text(&b),
        text(&source_a),
        text(&source_b),
        "--sort",
        "calls",
    ]);
    let counted = [&a, &b].map(|path| {
        let file = std::fs::File::open(path).expect("a recording");
        let file = flate2::read::GzDecoder::new(file);
        let recorded: Value = serde_json::from_reader(file).expect("JSON");
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for event in recorded["traceEvents"].as_array().expect("events") {
            let name = event["name"].as_str().expect("a name");
            let name = name.split(" (").next().unwrap_or_default();
            *counts.entry(name.to_owned()).or_default() += 1;
        }
        counts
    });
    let of = |side: usize, name: &str| counted[side].get(name).copied().unwrap_or(0);
    for row in found["functions"].as_array().expect("a list") {
        let name = row["name"].as_str().expect("a name");
        let calls = ["a", "b"].map(|side| row[side]["calls"].as_u64().expect("a number"));
        // Every file has a function of this name.
        if name != "<module>" {
            assert_eq!(calls, [of(0, name), of(1, name)], "{name}");
        }
    }
    // 600 parses, one a file and name, have become one.
    let first = &found["functions"][0];
    assert_eq!(
        (&first["name"], &first["a"]["calls"], &first["change"]),
        (&json!("Path.segments"), &json!(600), &json!("gone"))
    );
    let parse = row(&found, "parse");
    assert_eq!(
        (side(&parse["b"]).calls, &parse["change"]),
        (1, &json!("added"))
    );
    assert_eq!(found["warnings"], json!([]));
}

/// Every pair of the large set, whose larger differences an independent reader of the recordings has counted.
#[test]
fn pairs_of_two_versions_agree_with_what_uftrace_reports() {
    let Some(folder) = large_data("uftrace") else {
        return;
    };
    for [a, b] in [
        ["sqlite-join-unoptimized", "sqlite-join-optimized"],
        ["lua-report-unoptimized", "lua-report-optimized"],
    ] {
        let [path_a, path_b] = [a, b].map(|name| {
            let packed = folder.join(format!("{name}.tar.gz"));
            match packed.is_file() {
                true => packed,
                false => folder.join(name),
            }
        });
        let found = document(&[text(&path_a), text(&path_b)]);
        // `report -f total,self,call`: calls and names in the last columns.
        let calls = [a, b].map(|name| {
            let report = folder.join("facts").join(format!("{name}.report.txt"));
            let report = std::fs::read_to_string(report).expect("a report");
            let mut calls: BTreeMap<String, u64> = BTreeMap::new();
            for line in report.lines() {
                let words: Vec<&str> = line.split_whitespace().collect();
                if let [_, _, _, _, count, name] = words[..]
                    && let Ok(count) = count.parse::<u64>()
                {
                    *calls.entry(name.to_owned()).or_default() += count;
                }
            }
            calls
        });
        let mut shown: [BTreeMap<String, u64>; 2] = Default::default();
        for row in found["functions"].as_array().expect("a list") {
            let name = row["name"].as_str().expect("a name");
            for (side, shown) in ["a", "b"].iter().zip(&mut shown) {
                let calls = row[*side]["calls"].as_u64().expect("a number");
                *shown.entry(name.to_owned()).or_default() += calls;
            }
        }
        for (side, calls) in calls.iter().enumerate() {
            assert!(calls.len() > 300, "{a} {b}: {}", calls.len());
            for (name, &count) in calls.iter().filter(|(name, _)| !name.starts_with("linux:")) {
                assert_eq!(
                    shown[side].get(name),
                    Some(&count),
                    "{name} of {}",
                    [a, b][side]
                );
            }
        }
    }
}
