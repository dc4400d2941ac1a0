//! Through the public interface: names that would steer a terminal. What people read shows them as escapes; data keep
//! them as they are.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::common::{self, Scratch};

/// Sets a terminal's title, colours it, rings, forges a line and turns the text around.
const STEERING: &str =
    "a\u{1b}]0;owned\u{7}b\u{1b}[31mc\u{9b}2Jd\nFORGED\r\u{202e}e\u{2066}f\u{7f}\u{2028}";

/// `STEERING` as people may see it.
const SHOWN: &str =
    r"a\u{1b}]0;owned\u{7}b\u{1b}[31mc\u{9b}2Jd\nFORGED\r\u{202e}e\u{2066}f\u{7f}\u{2028}";

fn is_shown(letter: char) -> bool {
    let turns = ['\u{61c}', '\u{200e}', '\u{200f}'];
    let ranges = ['\u{2028}'..='\u{202e}', '\u{2066}'..='\u{2069}'];
    let steers = letter.is_control() && letter != '\n';
    !(steers || turns.contains(&letter) || ranges.iter().any(|range| range.contains(&letter)))
}

/// Fails where something in `text` steers, or a name has begun a line.
fn is_harmless(what: &str, text: &str) {
    let steering = text.chars().find(|letter| !is_shown(*letter));
    assert_eq!(steering, None, "{what}: {text:?}");
    let forged = text
        .lines()
        .find(|line| line.trim_start().starts_with("FORGED"));
    assert_eq!(forged, None, "{what}: {text:?}");
}

/// Inputs in which everything that has a name has this one.
struct Inputs {
    folder: Scratch,
    trace: PathBuf,
    other: PathBuf,
    tree: PathBuf,
    scene: PathBuf,
    map: PathBuf,
}

impl Inputs {
    fn new() -> Inputs {
        let folder = Scratch::new("hostile");
        let span = |name: &str, ts: u32, dur: u32| {
            json!({"ph": "X", "name": name, "cat": STEERING, "pid": 1, "tid": 7, "ts": ts, "dur": dur,
                   "args": {"file": format!("{STEERING}/{STEERING}.py")}})
        };
        let named = |what: &str| json!({"ph": "M", "name": what, "pid": 1, "tid": 7, "args": {"name": STEERING}});
        let trace = |file: &str, dur: u32| {
            let inner = format!("=cmd{STEERING}");
            let stray = json!({"ph": "E", "name": STEERING, "pid": 1, "tid": 7, "ts": 9000});
            let events = [
                named("process_name"),
                named("thread_name"),
                span(STEERING, 0, 4000),
                span(&inner, 10, dur),
                span("parse", 3500, 100),
                stray,
            ];
            let name = format!("{file}{STEERING}.json");
            folder.write(&name, &serde_json::to_vec(&events).expect("JSON"))
        };
        let (trace, other) = (trace("a", 1000), trace("b", 3000));
        let tree = folder.0.join(format!("tree{STEERING}"));
        let inside = tree.join(STEERING);
        std::fs::create_dir_all(&inside).expect("a folder");
        let code = "def parse(text):\n    return text\n";
        std::fs::write(inside.join(format!("{STEERING}.py")), code).expect("a file");
        // Left out, and listed by its name.
        std::fs::write(inside.join(format!("{STEERING}.zzz")), "of no language").expect("a file");
        let escaped = Value::from(STEERING)
            .to_string()
            .replace('\u{7f}', "\\u007f");
        let scene = format!(
            "title = {escaped}\n[inputs]\nrecordings = [{}]\n[[bookmark]]\nname = {escaped}\n[[shot]]\nname = {escaped}\n\
             select = {escaped}\nseconds = 0.1\n",
            Value::from(trace.to_string_lossy())
                .to_string()
                .replace('\u{7f}', "\\u007f"),
        );
        let scene = folder.write(&format!("scene{STEERING}.toml"), scene.as_bytes());
        let on_a_line = STEERING.replace('\n', "");
        let map =
            format!("category \"{on_a_line}\" class parse\ncategory none class \"{on_a_line}\"\n");
        let map = folder.write(&format!("map{STEERING}.map"), map.as_bytes());
        Inputs {
            folder,
            trace,
            other,
            tree,
            scene,
            map,
        }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.0.join(format!("{STEERING}{name}"))
    }
}

/// Runs the program where there is no display and no folder of a session.
fn run(arguments: &[&Path]) -> Output {
    let mut command = common::callscape();
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
        .env_remove("WAYLAND_SOCKET")
        .env_remove("XDG_RUNTIME_DIR");
    let output = command.args(arguments).output();
    output.expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// What a command prints, that is harmless, on both.
fn said(arguments: &[&Path]) -> [String; 2] {
    let output = run(arguments);
    let said = [text(&output.stdout), text(&output.stderr)];
    for text in &said {
        is_harmless(&format!("{arguments:?}"), text);
    }
    assert!(!said[1].contains("XDG_RUNTIME_DIR"), "{}", said[1]);
    said
}

fn paths<'a>(command: &'a str, others: &[&'a Path]) -> Vec<&'a Path> {
    let words = command.split(' ').map(Path::new);
    words.chain(others.iter().copied()).collect()
}

#[test]
fn names_steer_no_terminal_in_any_command() {
    let inputs = Inputs::new();
    let Inputs {
        trace,
        other,
        tree,
        scene,
        map,
        ..
    } = &inputs;
    let map_option = Path::new("--map");
    for (command, others, is_named) in [
        ("info", &[trace, tree][..], true),
        ("info", &[trace], true),
        ("functions", &[trace, tree], true),
        ("stack --at 1% ", &[trace], true),
        ("graph", &[trace], true),
        ("graph --level 3", &[trace, tree], true),
        ("resolve", &[tree, trace], true),
        ("tree", &[tree], true),
        ("tree --skipped", &[tree], true),
        ("compare --contexts", &[trace, other], true),
        ("compare", &[trace, other, tree], true),
        ("map", &[trace, tree], false),
        ("map --by package", &[trace], false),
        ("scene", &[scene], true),
        ("index", &[trace], true),
    ] {
        let others: Vec<&Path> = others.iter().map(|it| it.as_path()).collect();
        let command = paths(command.trim(), &others);
        let said = said(&command);
        let is_there = said.iter().any(|text| text.contains(SHOWN));
        assert!(is_there || !is_named, "{command:?}: {said:?}");
    }
    let of_map = paths("graph", &[trace, map_option, map]);
    let [_, err] = said(&of_map);
    assert!(err.contains("no entry matches"), "{err}");
}

#[test]
fn names_steer_no_terminal_in_what_is_written_and_drawn() {
    let inputs = Inputs::new();
    let Inputs {
        trace,
        other,
        tree,
        scene,
        ..
    } = &inputs;
    let to = Path::new("-o");
    let (picture, report) = (inputs.out(".png"), inputs.out(".html"));
    said(&paths(
        "render --size 320x200",
        &[tree, trace, to, &picture],
    ));
    said(&paths(
        "compare --size 320x200",
        &[trace, other, to, &report],
    ));
    let page = std::fs::read_to_string(&report).expect("a report");
    is_harmless("the report", &page);
    assert!(page.contains(SHOWN), "names are in it");
    let pack = inputs.out(".callscape-pack");
    let [_, err] = said(&paths("pack", &[trace, tree, to, &pack]));
    assert!(err.contains(SHOWN), "{err}");
    let frames = inputs.out("frames.gif");
    said(&paths(
        "render --size 64x64 --fps 10 --scene",
        &[scene, to, &frames],
    ));
    for format in ["csv", "folded", "speedscope", "chrome-json"] {
        let out = inputs.out(format);
        said(&paths(
            &format!("export --format {format}"),
            &[trace, to, &out],
        ));
        let text = std::fs::read_to_string(&out).expect("an export");
        is_harmless(format, &text);
        // In the escapes of its format, each name is what it was.
        let [out, _] = said(&paths("functions --json", &[&out]));
        let names: Value = serde_json::from_str(&out).expect("JSON");
        let mut found = format == "csv";
        visit(&names, &mut |text| found |= text == STEERING);
        assert!(found, "{format}: {out}");
    }
}

#[test]
fn names_steer_no_terminal_in_errors() {
    let inputs = Inputs::new();
    let Inputs {
        trace,
        other,
        scene,
        ..
    } = &inputs;
    let steering = Path::new(STEERING);
    // No thread has this name.
    let gone = inputs.out("gone");
    let gone = gone.as_path();
    let broken = inputs
        .folder
        .write(&format!("broken{STEERING}"), b"\x1b]0;x\x07 no trace");
    let scene_text = std::fs::read_to_string(scene).expect("a scene") + "\n[[shot]]\nnone\x1b = 1";
    let wrong = inputs
        .folder
        .write(&format!("wrong{STEERING}.toml"), scene_text.as_bytes());
    for command in [
        paths("", &[]),
        paths("present", &[scene]),
        paths("present", &[steering]),
        paths("info", &[steering]),
        paths("info", &[&broken]),
        paths("info", &[trace, steering]),
        paths("functions --top", &[steering, trace]),
        paths("stack --at 1% --thread", &[gone, trace]),
        paths("export --format", &[steering, trace]),
        paths("export --format csv --thread", &[gone, trace]),
        paths("compare --per", &[gone, trace, other]),
        paths("compare --fail-if", &[steering, trace, other]),
        paths("compare --pair", &[steering, trace, other]),
        paths("compare", &[trace, other, trace]),
        paths("scene", &[&wrong]),
        paths("scene", &[&broken]),
        paths("tree", &[steering]),
        paths("graph --map", &[&broken, trace]),
        paths("render --color", &[steering, trace]),
        paths("render --size", &[steering, trace]),
        paths("pack -o", &[steering, steering]),
        vec![steering, steering],
        vec![Path::new("--nothing\x1b[31m\nFORGED")],
        vec![
            Path::new("info"),
            trace,
            Path::new("--nothing\x1b[31m\nFORGED"),
        ],
        vec![Path::new("functionz\x1b[31m"), trace],
    ] {
        let command: Vec<&Path> = command
            .into_iter()
            .filter(|it| it.as_os_str() != "")
            .collect();
        let [_, err] = said(&command);
        assert!(!run(&command).status.success(), "{command:?}");
        assert!(!err.is_empty(), "{command:?}");
    }
    // Two conditions that hold are two lines.
    let condition = Path::new("calls(parse) >= 1");
    let again = Path::new("--fail-if");
    let [_, err] = said(&paths(
        "compare --fail-if",
        &[condition, again, condition, trace, other],
    ));
    let held = err
        .lines()
        .filter(|line| line.starts_with("callscape: ") && line.contains("holds"));
    assert_eq!(held.count(), 2, "{err}");
}

#[test]
fn data_keep_the_names_that_they_have() {
    let inputs = Inputs::new();
    let Inputs { trace, tree, .. } = &inputs;
    for command in [
        "info --json",
        "functions --json",
        "stack --at 1% --json",
        "graph --json",
    ] {
        let [out, _] = said(&paths(command, &[trace]));
        let document: Value = serde_json::from_str(&out).expect("JSON");
        let mut found = false;
        visit(&document, &mut |text| found |= text == STEERING);
        assert!(found, "{command}: {out}");
    }
    let [out, _] = said(&paths("tree --json", &[tree]));
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["children"][0]["name"], STEERING);
    let output = run(&paths("export --format csv", &[trace]));
    let mut table = csv::Reader::from_reader(&output.stdout[..]);
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    let names: Vec<&str> = rows.iter().map(|row| &row[0]).collect();
    // What steers is written as an escape that is read again.
    let escaped = SHOWN.replace("\\n", "\\u{a}").replace("\\r", "\\u{d}");
    assert!(names.contains(&escaped.as_str()), "{names:?}");
    // No spreadsheet computes a name; numbers stay numbers.
    let formula = format!("'=cmd{escaped}");
    assert!(names.contains(&formula.as_str()), "{names:?}");
    assert!(
        rows.iter()
            .all(|row| (5..8).all(|column| row[column].parse::<u64>().is_ok()))
    );
}

fn visit(of: &Value, text: &mut impl FnMut(&str)) {
    match of {
        Value::String(found) => text(found),
        Value::Array(all) => all.iter().for_each(|it| visit(it, text)),
        Value::Object(all) => all.values().for_each(|it| visit(it, text)),
        _ => {}
    }
}
