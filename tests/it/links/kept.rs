//! Links through what makes recordings of recordings.

use serde_json::Value;

use super::super::common::{Random, Scratch, callscape};
use super::{Made, kinds, otlp, relations, run, spans};

/// Runs a command that writes a file, and gives what it says beside.
fn make(arguments: &[&str]) -> String {
    let output = callscape().args(arguments).output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

/// The kinds of links, and the relations that have any.
fn links(file: &str) -> (Value, Value) {
    let of_kind = serde_json::to_value(kinds(&run(&["info", "--json", file])));
    let graph = relations(&run(&["graph", "--json", file]), "links");
    let pairs: Vec<_> = graph.into_iter().collect();
    (
        of_kind.expect("JSON"),
        serde_json::to_value(pairs).expect("JSON"),
    )
}

#[test]
fn exports_that_hold_links_give_them_back() {
    let scratch = Scratch::new("links-exports");
    let text = |name: &str| scratch.0.join(name).to_str().expect("text").to_owned();
    for seed in 0..8 {
        let made = spans(&mut Random(seed));
        let file = scratch.write("spans.json", otlp(&made).to_string().as_bytes());
        let file = file.to_str().expect("text");
        let original = links(file);
        let (json, tables) = (text("out.json"), text("tables"));
        let said = make(&["export", file, "--format", "chrome-json", "-o", &json]);
        assert_eq!(said, "", "seed {seed}");
        assert_eq!(links(&json), original, "seed {seed}");
        make(&[
            "export",
            file,
            "--format",
            "parquet",
            "--replace",
            "-o",
            &tables,
        ]);
        assert_eq!(links(&tables), original, "seed {seed}");
    }
}

/// A span of service 0 that calls often, and the called spans of service 1.
fn calling(count: u64) -> Vec<Made> {
    let span = |service, name: String, parent, times| Made {
        service,
        name,
        parent,
        follows: Vec::new(),
        times,
    };
    let mut made = vec![span(0, "s0.root".to_owned(), None, [0, 10_000])];
    for number in 0..count {
        let name = format!("s1.{}", if number < 3 { "rare" } else { "often" });
        made.push(span(1, name, Some(0), [number * 10, number * 10 + 5]));
    }
    made
}

#[test]
fn links_whose_calls_go_are_counted_and_the_others_stay() {
    let scratch = Scratch::new("links-left");
    let file = scratch.write("spans.json", otlp(&calling(60)).to_string().as_bytes());
    let file = file.to_str().expect("text");
    let count = |arguments: &[&str]| {
        let info = run(&[&["info", "--json"], arguments].concat());
        let links = kinds(&info).get("span-parent").copied().unwrap_or(0);
        let warnings = info["warnings"].as_array().cloned().unwrap_or_default();
        let lost = warnings.iter().find(|it| it["kind"] == "link-left-out");
        (
            links,
            lost.map_or(0, |it| it["count"].as_u64().unwrap_or(0)),
        )
    };
    assert_eq!(count(&[file]), (60, 0));
    assert_eq!(count(&[file, "--max-frequency", "10/1s"]), (3, 57));
    let sampled = scratch.0.join("sampled.callscape");
    let sampled = sampled.to_str().expect("text");
    make(&["sample", file, "--calls", "2", "-o", sampled]);
    let (kept, lost) = count(&[sampled]);
    assert_eq!(kept + lost, 60);
    make(&["sample", file, "--stacks", "1", "-o", sampled]);
    assert_eq!(count(&[sampled]), (60, 0));
    // A part in time, and formats without links.
    let out = scratch.0.join("out");
    let out = out.to_str().expect("text");
    let said = make(&[
        "export",
        file,
        "--format",
        "chrome-json",
        "--to",
        "104",
        "-o",
        out,
    ]);
    assert!(said.contains("49 links excluded"), "{said}");
    assert_eq!(count(&[out]), (11, 0));
    let said = make(&["export", file, "--format", "csv", "-o", out]);
    assert!(said.contains("60 links excluded"), "{said}");
}
