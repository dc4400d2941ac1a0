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
        text.contains("sampling   the stacks every 10 enters and exits"),
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
        (vec!["--memory", "10"], "no events of memory"),
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
