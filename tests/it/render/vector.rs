//! `callscape render … -o OUT.svg`: every chart as vector graphics, read by a reader of XML that is not ours.

use std::io::Write;
use std::process::{Command, Stdio};

use callscape_testing::tools;
use serde_json::{Value, json};

use crate::common;
use crate::folder::Folder;

/// What it is, and all texts, of each file in order.
const READER: &str = "
import json, sys, xml.etree.ElementTree as tree
svg = '{http://www.w3.org/2000/svg}'
found = []
for name in json.load(sys.stdin):
    root = tree.parse(name).getroot()
    assert root.tag == svg + 'svg' and all(it.tag.startswith(svg) for it in root.iter()), name
    found.append([root.get('width'), [it.text for it in root.iter(svg + 'text')]])
json.dump(found, sys.stdout)
";

/// What a reader of XML finds in files; none where there is no such reader.
fn read(files: &[String]) -> Option<Vec<(String, Vec<String>)>> {
    let reader = Command::new(tools::python())
        .args(["-c", READER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut reader) = reader else {
        eprintln!("left out: python3 is not installed");
        return None;
    };
    let names = serde_json::to_vec(files).expect("JSON");
    let mut input = reader.stdin.take().expect("a pipe");
    input.write_all(&names).expect("it reads");
    drop(input);
    let output = reader.wait_with_output().expect("it ends");
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

const CHARTS: [&str; 13] = [
    "mural",
    "flame",
    "functions",
    "calls",
    "phases",
    "tree",
    "rings",
    "flame-graph",
    "fan",
    "code",
    "collaboration",
    "neighbours",
    "memory",
];

/// Writes charts of a trace; the names of the files.
fn drawn(folder: &Folder, trace: &str, options: &[&str]) -> Vec<String> {
    let drawn = CHARTS.iter().map(|view| {
        let file = format!("{view}.svg");
        let mut arguments = vec!["render", trace, "--out", &file, "--view", view];
        arguments.extend(["--size", "900x600"]);
        arguments.extend(options);
        let run = folder.run(&arguments);
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{view}: {said}");
        folder.file(&file).display().to_string()
    });
    drawn.collect()
}

#[test]
fn every_chart_is_vector_graphics_whatever_its_names_contain() {
    let folder = Folder::new("vector");
    let names = [
        "work",
        "<script>alert('&')</script>",
        "a]]>\u{1}\u{202e}b",
        "שלום עולם",
    ];
    let nested = (0..).zip(names).map(|(depth, name): (u32, _)| {
        json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": depth, "dur": 9000 - depth * 2})
    });
    let trace = serde_json::to_vec(&nested.collect::<Vec<Value>>()).expect("JSON");
    let file = folder.file("trace.json");
    std::fs::write(&file, &trace).expect("a file");
    let trace = file.to_str().expect("a path of this test");
    for theme in ["light", "dark"] {
        let files = drawn(&folder, trace, &["--theme", theme]);
        let Some(read) = read(&files) else { return };
        for (view, (width, texts)) in CHARTS.into_iter().zip(read) {
            assert_eq!(width, "900", "{view}");
            let all = texts.concat();
            let names_functions = ["tree", "rings", "flame-graph", "flame", "functions"];
            if names_functions.contains(&view) {
                assert!(all.contains("<script>"), "{view}: {texts:?}");
                assert!(all.contains("שלום"), "{view}: {texts:?}");
            }
            assert!(all.chars().all(|it| !it.is_control()), "{view}");
        }
    }
}

#[test]
fn the_landscape_is_refused_as_vector_graphics_and_says_what_is_not() {
    let folder = Folder::new("vector-refused");
    let trace = common::data("window/meal.json");
    let trace = trace.to_str().expect("a path of the repository");
    let run = folder.run(&["render", trace, "-o", "city.svg"]);
    assert_eq!(run.status.code(), Some(1));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(
        said.contains("three-dimensional") && said.contains("--view rings"),
        "{said}"
    );
    assert!(!folder.file("city.svg").exists());
    let run = folder.run(&[
        "render", trace, "-o", "two.svg", "--view", "mural", "--frames", "2",
    ]);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    for file in ["two-0001.svg", "two-0002.svg"] {
        let text = std::fs::read_to_string(folder.file(file)).expect("a picture");
        assert!(text.ends_with("</svg>\n"), "{file}");
    }
}

#[test]
fn modules_are_placed_in_layers_or_by_distance() {
    let folder = Folder::new("vector-layout");
    let trace = common::data("import/threads.uftrace");
    let trace = trace.to_str().expect("a path of the repository");
    let draw = |file: &str, options: &[&str]| {
        let start = ["render", trace, "-o", file, "--view", "collaboration"];
        folder.run(&[&start[..], options].concat())
    };
    let drawn = |file: &str, options: &[&str]| {
        let run = draw(file, options);
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{said}");
        std::fs::read_to_string(folder.file(file)).expect("a picture")
    };
    let usual = drawn("usual.svg", &[]);
    assert_eq!(usual, drawn("layered.svg", &["--set", "layout=layered"]));
    let by_distance = ["--set", "layout=by distance"];
    let other = drawn("distance.svg", &by_distance);
    assert_ne!(usual, other);
    assert_eq!(other, drawn("again.svg", &by_distance));
    let refused = draw("unwritten.svg", &["--set", "layout=by chance"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("such as \"layered\""),
        "{said}"
    );
}
