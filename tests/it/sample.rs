//! `callscape sample`: what it writes opens like any recording, and says that it is sampled.

use super::common::{self, Scratch, data, json};

fn run(arguments: &[&str]) -> Result<String, String> {
    let (code, out, error) = common::run(arguments);
    if code == Some(0) { Ok(out) } else { Err(error) }
}

#[test]
fn calls_are_sampled_into_a_recording_that_says_so() {
    let scratch = Scratch::new("sample-calls");
    let input = data("import/threads.uftrace");
    let input = input.to_str().expect("a name");
    let out = scratch.0.join("small.callscape");
    let out = out.to_str().expect("a name");
    let whole = json(&["info", input, "--json"]);
    assert!(whole.get("sampling").is_none());
    let said = json(&["sample", input, "--stacks", "10", "-o", out, "--json"]);
    let info = json(&["info", out, "--json"]);
    assert_eq!(said["original"]["calls"], whole["calls"]);
    assert_eq!(said["measured"]["calls"], info["calls"]);
    assert!(said["predicted"]["calls"].is_u64());
    assert_eq!(info["sampling"]["plan"]["default"]["flow"]["stacks"], 10);
    assert_eq!(
        info["sampling"]["events"],
        whole["calls"].as_u64().map_or(0, |it| 2 * it)
    );
    let text = run(&["info", out]).expect("it opens");
    assert!(
        text.contains("sampling   the stacks every 10 function entries and exits"),
        "{text}"
    );
    // What was made of a sampled recording knows of both.
    let again = scratch.0.join("again.callscape");
    let again = again.to_str().expect("a name");
    let rule = "* > 1ns";
    run(&["sample", out, "--calls", "2", "--keep", rule, "-o", again]).expect("it is written");
    let info = json(&["info", again, "--json"]);
    assert_eq!(
        info["sampling"]["before"]["plan"]["default"]["flow"]["stacks"],
        10
    );
    assert_eq!(info["sampling"]["always"][0]["rule"], rule);
    assert!(info["sampling"]["always_kept"].as_u64() > Some(0));
}

#[test]
fn memory_is_sampled_into_a_recording_that_says_so() {
    let scratch = Scratch::new("sample-memory");
    let folder = data("import/heaptrack");
    let files = std::fs::read_dir(folder).expect("a folder of recordings");
    let mut seen = 0;
    for file in files {
        let input = file.expect("a file").path();
        let input = input.to_str().expect("a name");
        let whole = json(&["info", input, "--json"]);
        let events = whole["memory"]["events"].as_u64().expect("it has events");
        let out = scratch.0.join("small.callscape");
        let out = out.to_str().expect("a name");
        run(&[
            "sample",
            input,
            "--memory",
            "3",
            "--memory-stacks",
            "-o",
            out,
        ])
        .expect("written");
        let info = json(&["info", out, "--json"]);
        assert_eq!(info["memory"]["events"], events / 3, "{input}");
        assert_eq!(info["memory"]["detail"], "samples");
        let objects = json(&["objects", out, "--json", "--by", "context"]);
        let allocations = objects["allocations"].as_u64().expect("a number");
        assert!(allocations <= events / 3);
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn what_cannot_be_sampled_leaves_no_file() {
    let scratch = Scratch::new("sample-wrong");
    let input = data("import/threads.uftrace");
    let input = input.to_str().expect("a name");
    let out = scratch.0.join("small.callscape");
    let out_name = out.to_str().expect("a name");
    let control = scratch.write(
        "wrong.xml",
        b"<sampling>\n<range><trace start=\"9\" end=\"3\"/></range>\n</sampling>",
    );
    let control = control.to_str().expect("a name");
    for (arguments, expected) in [
        (
            vec!["--control", control],
            "wrong.xml, line 2: expected a range that starts before it ends",
        ),
        (vec!["--memory", "10"], "no memory events"),
        (vec![], "expected --control"),
        (vec!["--calls", "0"], "0"),
        (
            vec!["--calls", "2", "--keep", "nobody* -> x"],
            "none called 'nobody*'",
        ),
    ] {
        let mut all = vec!["sample", input, "-o", out_name];
        all.extend(arguments);
        let error = run(&all).expect_err("it is wrong");
        assert!(error.contains(expected), "{error}");
        assert!(!out.exists());
    }
}

/// Of each row of the table of calls and memory in the manual that samples both, the number of events of which one is kept,
/// and the numbers that it says in both recordings: calls, then objects.
fn rows_of_both(table: &str) -> Vec<(String, [[u64; 2]; 2])> {
    let rows = table
        .lines()
        .filter_map(|row| row.strip_prefix("| C-1, x = "));
    let rows = rows.map(|row| {
        let step = row.split(',').next().expect("a number").to_owned();
        let said = row.rsplit('|').nth(1).expect("what is seen");
        let digits = said.split(|it: char| !it.is_ascii_digit() && it != '-');
        let numbers: Vec<u64> = digits.filter_map(|it| it.parse().ok()).collect();
        let [calls, other_calls, objects, other_objects] = numbers[..] else {
            panic!("{said}")
        };
        (step, [[calls, objects], [other_calls, other_objects]])
    });
    rows.collect()
}

#[test]
fn calls_and_memory_sampled_together_are_as_the_manual_says() {
    let scratch = Scratch::new("sample-both");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let manual = std::fs::read_to_string(root.join("docs/sampling.md")).expect("the manual");
    let table = manual.split("**Clustering").nth(1).expect("the table");
    let names: Vec<&str> = table.split('`').skip(1).step_by(2).take(2).collect();
    let rows = rows_of_both(table);
    assert_eq!(rows.len(), 3);
    for (step, expected) in rows {
        let recordings = ["any-order", "sorted"].into_iter().zip(expected);
        for (recording, expected) in recordings {
            let input = root.join(format!("tests/data/papers/clustering-{recording}.uftrace"));
            let input = input.to_str().expect("a name");
            let out = scratch.0.join("both.callscape");
            let out = out.to_str().expect("a name");
            run(&[
                "sample", input, "--calls", &step, "--memory", &step, "-o", out,
            ])
            .expect("written");
            let count = |command: &[&str], list: &str, field: &str, name: &str| {
                let document = json(command);
                let all = document[list].as_array().or(document.as_array());
                let all = all.expect("a list").iter();
                let own = all
                    .filter(|it| it["name"] == name)
                    .filter_map(|it| it[field].as_u64());
                own.sum::<u64>()
            };
            let functions = ["functions", out, "--json"];
            let objects = ["objects", out, "--by", "function", "--json"];
            let found = [
                count(&functions, "functions", "calls", names[0]),
                count(&objects, "entries", "allocations", names[1]),
            ];
            assert_eq!(found, expected, "{recording}, every {step}");
        }
    }
}
