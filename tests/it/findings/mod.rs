//! `callscape findings`: what is remarkable about one recording.

mod cases;
mod clean;
mod failed;
mod planted;
mod recorded;
mod threads;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::common::{self, Scratch, data, run, text};
use callscape::analysis::findings::{KINDS, Whole, findings};
use callscape::progress::Progress;
use callscape::views::REGISTRY;

/// The findings that the program prints as JSON.
fn listed(recording: &Path) -> Vec<Value> {
    let document = common::json(&["findings", text(recording), "--json"]);
    document["findings"].as_array().expect("findings").clone()
}

/// A Chrome trace in which `totals` calls `query` so often.
fn queries(scratch: &Scratch, times: u64) -> PathBuf {
    let event = |name: &str, ts: u64, dur: u64| json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur});
    let mut events = vec![
        event("main", 0, 5000),
        event("totals", 100, times * 50 + 10),
    ];
    events.extend((0..times).map(|number| event("query", 100 + number * 50, 40)));
    events.extend((0..20).map(|number| event(&format!("step_{number}"), 3000 + number * 100, 99)));
    let trace = json!(events).to_string();
    scratch.write(&format!("queries-{times}.json"), trace.as_bytes())
}

#[test]
fn findings_are_printed_as_sentences_and_as_json() {
    let scratch = Scratch::new("findings");
    let trace = queries(&scratch, 40);
    let found = listed(&trace);
    let first = &found[0];
    assert_eq!(first["kind"], "repeated");
    assert_eq!(first["path"], json!(["main", "totals", "query"]));
    assert_eq!(first["functions"], json!(["query"]));
    assert_eq!(
        (&first["calls"], &first["total_ns"], &first["self_ns"]),
        (&json!(40), &json!(1_600_000), &json!(1_600_000))
    );
    assert_eq!(
        (&first["share"], &first["of"]),
        (&json!(0.32), &json!("run"))
    );
    assert_eq!(
        (&first["certainty"], &first["part_of"], &first["view"]),
        (&json!("measured"), &Value::Null, &json!("rings"))
    );
    let said = "below main → totals: query is called 40 times for the one call of totals: 32.0 % of the run";
    assert_eq!(first["text"], said);
    let (code, out, _) = run(&["findings", text(&trace)]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with(&format!(" 1  Repeated work: {said}\n")),
        "{out}"
    );
    let (_, out, _) = run(&["findings", text(&trace), "--explain"]);
    assert!(
        out.contains("thresholds:\n  least share: 0.08 (below a twelfth"),
        "{out}"
    );
}

#[test]
fn a_condition_decides_the_exit_code() {
    let scratch = Scratch::new("findings-fail-if");
    let trace = queries(&scratch, 40);
    let check = |condition: &str| run(&["findings", text(&trace), "--fail-if", condition]);
    let (code, out, error) = check("finding(repeated) > 10%");
    assert_eq!(code, Some(1));
    assert!(
        out.contains("Repeated work")
            && error.contains("finding(repeated) > 10% holds: below main"),
        "{error}"
    );
    assert_eq!(check("finding(repeated) > 40%").0, Some(0));
    assert_eq!(check("finding(waiting) > 0%").0, Some(0));
    assert_eq!(check("finding(repeats) > 10%").0, Some(2));
}

#[test]
fn nothing_remarkable_is_an_answer() {
    let scratch = Scratch::new("findings-nothing");
    let step = |number: u64| json!({"ph": "X", "name": format!("step_{number}"), "pid": 1, "tid": 1, "ts": number * 100, "dur": 90});
    let even: Vec<Value> = (0..20).map(step).collect();
    let even = scratch.write("even.json", json!(even).to_string().as_bytes());
    let (code, out, _) = run(&["findings", text(&even)]);
    assert_eq!((code, out.as_str()), (Some(0), "nothing remarkable\n"));
}

#[test]
fn findings_become_a_page_and_a_scene_that_plays() {
    let scratch = Scratch::new("findings-page");
    let trace = queries(&scratch, 40);
    let [page, scene] = ["page.html", "scene.toml"].map(|it| scratch.0.join(it));
    let asked = [
        "findings",
        text(&trace),
        "-o",
        text(&page),
        "--scene",
        text(&scene),
    ];
    let (code, listed_text, error) = run(&asked);
    assert_eq!(code, Some(0), "{error}");
    assert!(
        listed_text.contains("query is called 40 times"),
        "{listed_text}"
    );
    let found = listed(&trace);
    let sentence = |number: usize| found[number]["text"].as_str().expect("a text").to_owned();
    let html = std::fs::read_to_string(&page).expect("the page");
    assert_eq!(html.matches("<li>").count(), found.len());
    assert!(html.contains("query is called 40 times"), "{html}");
    assert!(!html.contains("<module>"), "markup is escaped");
    let checked = common::json(&["scene", text(&scene), "--json"]);
    assert_eq!(checked["problems"], json!([]));
    let shots = checked["shots"].as_array().expect("shots");
    assert_eq!(shots.len(), found.len());
    let toml = std::fs::read_to_string(&scene).expect("the scene");
    assert!(
        (0..found.len()).all(|it| toml.contains(&sentence(it))),
        "{toml}"
    );

    // What cannot be written is refused before the long work.
    let (code, _, error) = run(&["findings", text(&trace), "-o", "findings.pdf"]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("expected a name that ends in .html"),
        "{error}"
    );
}

fn recordings_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder").flatten() {
        found.push(entry.path());
        if entry.path().is_dir() {
            recordings_below(&entry.path(), found);
        }
    }
}

/// Of every small recording there is: shares add up, and parts are parts of findings before them.
#[test]
fn findings_of_any_recording_add_up() {
    let mut paths = Vec::new();
    recordings_below(&data("import"), &mut paths);
    let mut read = 0;
    for path in paths {
        let Ok(mut recording) = callscape::import::open(&path, &Progress::new()) else {
            continue;
        };
        let mut values: Vec<Option<String>> = recording
            .values()
            .iter()
            .map(|it| Some(it.name.clone()))
            .collect();
        values.insert(0, None);
        for value in values {
            if let Some(value) = value {
                recording.show_value(&value).expect("a value of it");
            }
            let found = findings(&recording, &Progress::new()).expect("not cancelled");
            let shares = found
                .iter()
                .filter(|it| it.part_of.is_none() && it.of == Whole::Run);
            let sum: f64 = shares.map(|it| it.share).sum();
            let shown = path.display();
            assert!(sum <= 1.0 + 1e-9 && found.len() <= 10, "{shown}: {sum}");
            for (number, it) in found.iter().enumerate() {
                assert!((0.0..=1.0).contains(&it.share), "{shown}: {it:?}");
                assert!(it.part_of.is_none_or(|of| of < number), "{shown}: {it:?}");
                assert!(
                    !it.text.contains("NaN") && !it.text.contains("inf "),
                    "{shown}: {it:?}"
                );
            }
            read += 1;
        }
    }
    assert!(read > 50, "{read}");
}

#[test]
fn the_views_of_findings_exist_and_all_kinds_are_in_the_help() {
    let (_, help, _) = run(&["findings", "--help"]);
    for row in &KINDS {
        assert!(help.contains(row.name), "{}", row.name);
        let is_view = REGISTRY.iter().any(|it| it.line.id == row.view);
        assert!(is_view, "{}: no view {}", row.name, row.view);
    }
}

#[test]
fn it_can_be_cancelled() {
    let recording = common::read(&data("import/lists.uftrace"));
    let progress = Progress::new();
    progress.cancel();
    assert!(findings(&recording, &progress).is_err());
}
