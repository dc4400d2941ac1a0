//! `callscape compare`: why two recordings differ.

use super::super::common::large_data;
use super::*;

/// What `causes` and `causes_rest` make together.
fn together(document: &Value) -> f64 {
    let causes = document["causes"].as_array().expect("causes");
    let shares = causes
        .iter()
        .map(|it| it["explains"].as_f64().expect("a share"));
    shares.sum::<f64>() + document["causes_rest"].as_f64().expect("a share")
}

#[test]
fn causes_say_what_was_changed_and_make_up_all_of_it() {
    let scratch = Scratch::new("compare-causes");
    // A calls f ten times and g once, B calls f twice, and g takes longer.
    let calls = |times: u64, of_g: u64| {
        let mut events = vec![format!(
            r#"{{"ph":"X","name":"main","pid":1,"tid":1,"ts":0,"dur":{}}}"#,
            times * 100 + of_g + 10
        )];
        for call in 0..times {
            let f = format!(
                r#"{{"ph":"X","name":"f","pid":1,"tid":1,"ts":{},"dur":100}}"#,
                call * 100
            );
            let h = format!(
                r#"{{"ph":"X","name":"h","pid":1,"tid":1,"ts":{},"dur":40}}"#,
                call * 100 + 10
            );
            events.extend([f, h]);
        }
        let at = times * 100;
        events.push(format!(
            r#"{{"ph":"X","name":"g","pid":1,"tid":1,"ts":{at},"dur":{of_g}}}"#
        ));
        format!("[{}]", events.join(","))
    };
    let a = scratch.write("a.json", calls(10, 50).as_bytes());
    let b = scratch.write("b.json", calls(2, 150).as_bytes());
    let found = document(&[text(&a), text(&b)]);
    let causes = found["causes"].as_array().expect("causes");
    assert_eq!(causes.len(), 2, "{causes:?}");
    assert_eq!(causes[0]["path"], json!(["main", "f"]));
    assert_eq!(causes[0]["kind"], "called less");
    assert_eq!(
        causes[0]["a"],
        json!({"calls": 10, "self": 600_000, "total": 1_000_000})
    );
    assert_eq!(
        causes[0]["b"],
        json!({"calls": 2, "self": 120_000, "total": 200_000})
    );
    let explains = causes[0]["explains"].as_f64().expect("a share");
    assert!((explains - 800.0 / 700.0).abs() < 1e-9, "{explains}");
    assert_eq!(causes[1]["path"], json!(["main", "g"]));
    assert_eq!(causes[1]["kind"], "own time");
    assert!((together(&found) - 1.0).abs() < 1e-9);
    // The first alone; the other is in the rest.
    let first = document(&[text(&a), text(&b), "--top", "1"]);
    assert_eq!(first["causes"].as_array().map(Vec::len), Some(1));
    assert!((together(&first) - 1.0).abs() < 1e-9);
    let answer = run(&[text(&a), text(&b)]);
    let sentence =
        "below main: f is called 2 times instead of 10: −800 µs where all differ by −700 µs";
    assert!(answer.out.contains(sentence), "{}", answer.out);
    let page = scratch.0.join("report.html");
    let answer = run(&[text(&a), text(&b), "-o", text(&page)]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(
        page.contains("f is called 2 times instead of 10</a>"),
        "{page:.4000}"
    );
    // What `findings` says of each run is there, too.
    for (recording, letter) in [(&a, 'A'), (&b, 'B')] {
        let alone = format!("<h2>Findings in {letter} alone</h2>");
        let (_, part) = page.split_once(&alone).expect("a part of the page");
        let (part, _) = part.split_once("</ol>").expect("a list");
        let found = common::json(&["findings", text(recording), "--json"]);
        let found = found["findings"].as_array().expect("findings");
        assert!(!found.is_empty());
        assert_eq!(part.matches("<li>").count(), found.len().min(3));
        for finding in found.iter().take(3) {
            let sentence = finding["text"].as_str().expect("a sentence");
            assert!(part.contains(sentence), "{sentence}: {part}");
        }
    }
    // Nothing explains no difference.
    let same = document(&[text(&a), text(&a)]);
    assert_eq!(
        (same["causes"].clone(), same["causes_rest"].clone()),
        (json!([]), json!(1.0))
    );
}

#[test]
fn causes_of_random_traces_make_up_all_of_the_difference() {
    for seed in 0..4 {
        let mut random = Random(seed + 77);
        let scratch = Scratch::new("compare-causes-random");
        let names = ["alpha", "beta", "gamma", "delta", "epsilon"];
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let paths: Vec<_> = (0..2)
            .map(|side| {
                let root = make(&mut random, names.len() as u64, 6, &mut 0);
                write_trace(&scratch, &format!("{side}.json"), &root, &names)
            })
            .collect();
        let found = document(&[text(&paths[0]), text(&paths[1])]);
        assert!((together(&found) - 1.0).abs() < 1e-6, "seed {seed}");
        let causes = found["causes"].as_array().expect("causes");
        let sizes: Vec<f64> = causes
            .iter()
            .map(|it| it["explains"].as_f64().expect("a share").abs())
            .collect();
        assert!(sizes.is_sorted_by(|x, y| x >= y), "seed {seed}: {sizes:?}");
    }
}

/// What was changed between two recordings of real programs is among the first three causes.
#[test]
fn what_was_changed_in_real_programs_is_found() {
    let cases: [(&str, &str, &[&str]); 2] = [
        (
            "uftrace/sqlite-join-unoptimized",
            "uftrace/sqlite-join-optimized",
            &["sqlite3VdbeExec", "sqlite3MemCompare"],
        ),
        (
            "causes/outline-before.viztracer.json.gz",
            "causes/outline-after.viztracer.json.gz",
            &["measure"],
        ),
    ];
    for (before, after, names) in cases {
        let (Some(before), Some(after)) = (large_data(before), large_data(after)) else {
            return;
        };
        let found = document(&[text(&before), text(&after)]);
        let first = found["causes"].as_array().expect("causes").iter().take(3);
        let is_it = |it: &Value| {
            let path = it["path"].as_array().expect("a path");
            path.iter()
                .rev()
                .take(2)
                .any(|it| names.contains(&it.as_str().unwrap_or_default()))
        };
        assert!(first.clone().any(is_it), "{:?}", first.collect::<Vec<_>>());
        assert!((together(&found) - 1.0).abs() < 1e-6);
    }
}
