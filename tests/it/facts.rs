//! The call store through the program: indexes that are written, found, damaged, cut off and killed.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use super::folder::{Folder, blank_some_events, flip_all_calls, program, write_with_large_index};
use super::generate::{write_chrome, write_uftrace};
use super::random::Random;

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).expect("the index lies there");
    let at = at % bytes.len();
    bytes[at] ^= 0x10;
    std::fs::write(path, bytes).expect("there is room");
}

#[test]
fn an_index_is_written_found_and_replaced_when_it_does_not_fit() {
    let folder = Folder::new("found");
    write_uftrace(&program(210_000), &folder.file("run")).expect("there is room");
    let expected = folder.answers("run");
    let index = folder.file("run.callscape");
    assert!(index.is_file(), "{:?}", folder.names());
    assert_eq!(folder.answers("run"), expected);
    // By itself, under another name.
    std::fs::copy(&index, folder.file("other")).expect("there is room");
    assert_eq!(folder.answers("other"), expected);
    let mut random = Random(3);
    for _ in 0..6 {
        flip(&index, random.next() as usize);
        assert_eq!(folder.answers("run"), expected);
    }
    for length in [0, 1, 63, 64, 5000, 100_000] {
        let bytes = std::fs::read(&index).expect("the index lies there");
        std::fs::write(&index, &bytes[..length]).expect("there is room");
        assert_eq!(folder.answers("run"), expected, "cut to {length}");
    }
    // Damage where nothing can stand in.
    flip(&folder.file("other"), 70_000);
    let output = folder.run(&["info", "other"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("damage"), "{error}");
    // Another recording in the same place.
    write_uftrace(&program(200_001), &folder.file("run")).expect("there is room");
    let output = folder.run(&["info", "run", "--json"]);
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(info["calls"], 200_001);
    assert_eq!(info["format"], "uftrace");
}

#[test]
fn where_nothing_can_be_written_beside_the_cache_serves_and_without_it_memory() {
    let folder = Folder::new("elsewhere");
    write_uftrace(&program(200_000), &folder.file("run")).expect("there is room");
    // A directory in the index's place: nothing can be renamed to it, whoever runs the test.
    std::fs::create_dir_all(folder.file("run.callscape/full")).expect("there is room");
    let expected = folder.answers("run");
    let cached = folder.file("cache/callscape");
    let count = |dir: &Path| dir.read_dir().map_or(0, Iterator::count);
    assert_eq!(count(&cached), 1, "{:?}", folder.names());
    assert_eq!(folder.answers("run"), expected);
    // Nor in the cache.
    std::fs::remove_dir_all(folder.file("cache")).expect("it is ours");
    std::fs::write(folder.file("cache"), "").expect("there is room");
    assert_eq!(folder.answers("run"), expected);
}

#[test]
fn damage_that_is_found_late_is_repaired_or_told_and_no_wrong_number_printed() {
    let folder = Folder::new("late");
    let (recording, index) = (folder.file("run.json"), folder.file("run.json.callscape"));
    write_with_large_index(&recording);
    assert!(folder.run(&["index", "run.json"]).status.success());
    let whole = std::fs::read(&index).expect("just written");
    assert!(whole.len() > 16 << 20, "{}", whole.len());
    let expected = folder.answers("run.json");
    flip_all_calls(&index);
    let damaged = std::fs::read(&index).expect("just written");
    assert_eq!(folder.answers("run.json"), expected);
    // A slow machine has made another one.
    let left = std::fs::read(&index);
    assert!(
        left.map_or(true, |it| it != damaged),
        "the damaged index is gone"
    );

    // Damaged, and nothing left that could stand in: the recording gives other calls.
    std::fs::write(&index, &whole).expect("there is room");
    blank_some_events(&recording);
    assert_eq!(folder.answers("run.json"), expected, "the index still fits");
    flip_all_calls(&index);
    let damaged = std::fs::read(&index).expect("just written");
    for arguments in [
        &["info", "run.json", "--json"][..],
        &["functions", "run.json"],
        &["functions", "run.json", "--json"],
        &["stack", "run.json", "--at", "40%"],
        &["graph", "run.json", "--from", "20%", "--json"],
        &["graph", "run.json", "--level", "1"],
        &["render", "run.json", "-o", "city.png", "--size", "64x64"],
    ] {
        std::fs::write(&index, &damaged).expect("there is room");
        let output = folder.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let is_clear = error.contains("run.json") && error.contains("damaged");
        assert!(is_clear, "{arguments:?}: {error}");
        // Graphics drivers may add lines of their own.
        let lines = error.lines().filter(|line| line.starts_with("callscape:"));
        assert_eq!(lines.count(), 1, "{arguments:?}: {error}");
        assert!(!folder.file("city.png").exists());
    }

    // The index alone, its recording gone: what needs a damaged part fails, what needs none is right.
    std::fs::remove_file(&recording).expect("it is ours");
    let alone = "run.json.callscape";
    let asked = [
        (&["info", alone, "--json"][..], false),
        (&["functions", alone, "--json"], true),
        (&["stack", alone, "--at", "40%", "--json"], true),
        (&["graph", alone, "--from", "20%", "--json"], true),
        (
            &["render", alone, "-o", "city.png", "--size", "64x64"],
            true,
        ),
    ];
    for (arguments, must_fail) in asked {
        std::fs::write(&index, &whole).expect("there is room");
        let right = folder.run(arguments);
        assert!(right.status.success(), "{arguments:?}");
        let _ = std::fs::remove_file(folder.file("city.png"));
        std::fs::write(&index, &damaged).expect("there is room");
        let output = folder.run(arguments);
        if !must_fail && output.status.success() {
            assert_eq!(output.stdout, right.stdout, "{arguments:?}");
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            error.contains("run.json.callscape"),
            "{arguments:?}: {error}"
        );
        assert!(!folder.file("city.png").exists());
    }
    std::fs::write(&index, &whole).expect("there is room");
    assert_eq!(folder.answers("run.json.callscape"), expected);
}

#[test]
fn small_recordings_get_an_index_only_where_one_is_asked_for() {
    let folder = Folder::new("small");
    let mut json = Vec::new();
    write_chrome(&program(3000), &mut json).expect("memory takes all");
    std::fs::write(folder.file("run.json"), json).expect("there is room");
    let expected = folder.answers("run.json");
    assert_eq!(folder.names(), ["cache", "run.json"]);
    let output = folder.run(&["index", "run.json"]);
    assert!(output.status.success());
    assert_eq!(folder.names(), ["cache", "run.json", "run.json.callscape"]);
    assert_eq!(folder.answers("run.json"), expected);
    let output = folder.run(&["index", "run.json", "-o", "one.callscape"]);
    assert!(output.status.success());
    assert_eq!(folder.answers("one.callscape"), expected);
}

#[test]
fn a_killed_import_leaves_nothing_that_is_trusted_or_stays() {
    let folder = Folder::new("killed");
    write_uftrace(&program(250_000), &folder.file("run")).expect("there is room");
    let begin = std::time::Instant::now();
    assert!(
        folder
            .run(&["index", "run", "-o", "first"])
            .status
            .success()
    );
    let whole = begin.elapsed().as_micros() as u64;
    let expected = folder.answers("first");
    let mut random = Random(11);
    for round in 0..50 {
        let mut command = folder.callscape(&["index", "run"]);
        let mut child = command
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_micros(random.below(whole)));
        let _ = child.kill();
        let _ = child.wait();
        if round % 10 == 9 {
            assert_eq!(folder.answers("run"), expected, "round {round}");
            let _ = std::fs::remove_file(folder.file("run.callscape"));
        }
    }
    assert!(folder.run(&["index", "run"]).status.success());
    assert_eq!(folder.names(), ["cache", "first", "run", "run.callscape"]);
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let folder = Folder::new("twice");
    write_uftrace(&program(220_000), &folder.file("run")).expect("there is room");
    let mut children: Vec<_> = (0..4)
        .map(|_| {
            let mut command = folder.callscape(&["functions", "run", "--json"]);
            command
                .stdout(Stdio::piped())
                .spawn()
                .expect("the program starts")
        })
        .collect();
    let outputs: Vec<Output> = children
        .drain(..)
        .map(|child| child.wait_with_output().expect("it ends"))
        .collect();
    for output in &outputs {
        assert!(output.status.success());
        assert!(output.stdout == outputs[0].stdout);
    }
    assert_eq!(folder.names(), ["cache", "run", "run.callscape"]);
}

#[test]
fn a_moment_of_the_graph_counts_what_has_started_by_then_and_since() {
    let folder = Folder::new("moment");
    let call = |name: &str, start: u32, duration: u32| {
        format!(
            r#"{{"ph": "X", "pid": 1, "tid": 1, "name": "{name}", "ts": {start}, "dur": {duration}}}"#
        )
    };
    let calls = [
        call("main", 0, 100),
        call("a", 10, 30),
        call("b", 15, 5),
        call("b", 25, 10),
        call("a", 50, 20),
        call("b", 55, 5),
    ];
    let text = format!("[{}]", calls.join(",\n"));
    std::fs::write(folder.file("run.json"), text).expect("temporary files can be written");
    let counted = |at: &str, since: &str| {
        let output = folder.run(&["graph", "run.json", "--at", at, "--since", since, "--json"]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        let graph: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let relations = graph["relations"].as_array().expect("relations").iter();
        let relations = relations.map(|of| {
            let number = |key: &str| of[key].as_u64().expect("a number");
            let name = |key: &str| of[key].as_str().expect("a name").to_owned();
            let numbers = ["calls", "step_calls", "cost_ns"].map(number);
            (name("from") + " " + &name("to"), numbers)
        });
        relations.collect::<Vec<_>>()
    };
    let row = |pair: &str, numbers| (pair.to_owned(), numbers);
    // The second b is open: it counts up to then.
    let expected = [row("a b", [2, 1, 10_000]), row("main a", [1, 0, 20_000])];
    assert_eq!(counted("30us", "20us"), expected);
    let expected = [row("a b", [3, 3, 20_000]), row("main a", [2, 2, 50_000])];
    assert_eq!(counted("100us", "5us"), expected);
    assert_eq!(counted("5us", "5us"), []);
    for wrong in [
        &["--at", "10us", "--since", "20us"][..],
        &["--since", "20us"],
        &["--at", "10us", "--from", "0"],
    ] {
        let output = folder.run(&[&["graph", "run.json"], wrong].concat());
        assert!(!output.status.success(), "{wrong:?}");
    }
}
