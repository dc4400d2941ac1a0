//! What is found of changes, and what speaks for each.

use super::{Call, commit, faults, found, git, named, recording, text, write};
use crate::common::{Scratch, large_data};

const GOOD: &str = "import helper\n\nLIMIT = 3\nUNUSED = 1\n\n\ndef work(x):\n    check(x)\n    log(x)\n    return x + LIMIT\n\n\n\
def check(x):\n    if x > 1:\n        return helper.scale(x)\n    return 0\n\n\ndef never(x):\n    return x\n\n\ndef log(x):\n    pass\n";

const BAD: &str = "import helper\n\nLIMIT = 4\nUNUSED = 2\n\n\ndef work(x):\n    check(x)\n    return x + LIMIT\n\n\n\
def check(x):\n    if x > 2:\n        return helper.scale(x)\n    return 0\n\n\ndef never(x):\n    return x + 1\n\n\ndef log(x):\n    # says nothing\n    pass\n";

/// A tree with a good and a bad revision, and a run of the bad one.
fn tree(name: &str) -> Option<(Scratch, std::path::PathBuf)> {
    let scratch = Scratch::new(name);
    let dir = scratch.0.join("tree");
    std::fs::create_dir_all(&dir).expect("writable");
    git(&dir, &["init", "-q", "-b", "main"])?;
    write(&dir, "app/main.py", GOOD);
    write(
        &dir,
        "app/helper.py",
        "FACTOR = 2\n\n\ndef scale(x):\n    return x * FACTOR\n",
    );
    write(
        &dir,
        "native/a.c",
        "#define SIZE 3\nint f(void) { return SIZE; }\n",
    );
    write(&dir, "Makefile", "all:\n\tcc a.c\n");
    commit(&dir, "good");
    git(&dir, &["tag", "good"])?;
    write(&dir, "app/main.py", BAD);
    commit(&dir, "raise the limit");
    write(
        &dir,
        "app/helper.py",
        "FACTOR = 3\n\n\ndef scale(x):\n    return x * FACTOR\n",
    );
    write(
        &dir,
        "native/a.c",
        "#define SIZE 4\nint f(void) { return SIZE; }\n",
    );
    write(&dir, "Makefile", "all:\n\tcc -O2 a.c\n");
    write(&dir, "notes.bin", "\0\0\0");
    commit(&dir, "scale by three");
    Some((scratch, dir))
}

fn run(scratch: &Scratch) -> std::path::PathBuf {
    let check = |own| {
        Call(
            "check",
            "/x/app/main.py:13",
            own,
            vec![Call("scale", "/x/app/helper.py:4", 2, vec![])],
        )
    };
    let work = Call("work", "/x/app/main.py:7", 5, vec![check(100), check(90)]);
    recording(
        scratch,
        "bad.json",
        vec![Call("<module>", "/x/app/main.py:1", 1, vec![work])],
    )
}

#[test]
fn each_way_of_being_touched_has_its_reason_and_its_commits() {
    let Some((scratch, dir)) = tree("faults-reasons") else {
        return;
    };
    let bad = run(&scratch);
    let (found, said) = found(&[text(&dir), "--good", "good", text(&bad)]);
    let check = named(&found, "check");
    assert_eq!(check["reason"], "body");
    assert_eq!(check["lines"], serde_json::json!([13]));
    assert_eq!(check["commits"][0]["summary"], "raise the limit");
    assert_eq!(check["commits"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&check["calls"], &check["file"]),
        (&2.into(), &"app/main.py".into())
    );
    assert!(check["first_ns"].as_u64() > Some(0) && check["self_ns"].as_u64() > Some(180_000));
    let work = named(&found, "work");
    assert_eq!(work["reason"], "before deletion");
    assert_eq!(work["lines"], serde_json::json!([8]));
    assert_eq!(work["uses"][0]["name"], "LIMIT");
    let scale = named(&found, "scale");
    assert_eq!(scale["reason"], "declaration");
    assert_eq!(scale["lines"], serde_json::json!([1]));
    assert_eq!(scale["commits"][0]["summary"], "scale by three");
    assert_eq!(found.as_array().map(Vec::len), Some(3));
    assert_eq!(found[0]["function"], "check", "it costs most");
    for part in [
        "macro SIZE in native/a.c",
        "build file in Makefile",
        "1 changed function did not run",
        "binary",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let scores: Vec<f64> = found
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["score"].as_f64())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|it| (0.0..=1.0).contains(it)));
    for fault in found.as_array().expect("a list") {
        let parts = fault["why"].as_array().expect("parts").iter();
        let sum: f64 = parts.filter_map(|it| it["score"].as_f64()).sum();
        assert!(
            (sum - fault["score"].as_f64().unwrap_or(9.0)).abs() < 1e-3,
            "{fault}"
        );
    }
}

#[test]
fn what_did_not_run_is_listed_on_request_and_commits_group_the_rest() {
    let Some((scratch, dir)) = tree("faults-groups") else {
        return;
    };
    let bad = run(&scratch);
    let (all, _) = found(&[text(&dir), "--good", "good", text(&bad), "--not-run"]);
    let never = named(&all, "never");
    assert_eq!((&never["ran"], &never["calls"]), (&false.into(), &0.into()));
    assert!(
        !all.to_string().contains("\"log\""),
        "its comment alone differs"
    );
    let (groups, _) = found(&[text(&dir), "--good", "good", text(&bad), "--by-commit"]);
    let summaries: Vec<&str> = groups
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["summary"].as_str())
        .collect();
    assert_eq!(summaries, ["raise the limit", "scale by three"]);
    assert_eq!(groups[0]["not_run"], 1);
    let (code, shown, _) = faults(&[text(&dir), "--good", "good", text(&bad)]);
    assert!(code == 0 && shown.contains("raise the limit"), "{shown}");
}

#[test]
fn the_working_tree_and_its_commit_give_the_same_and_edits_of_today_count() {
    let Some((scratch, dir)) = tree("faults-today") else {
        return;
    };
    let bad = run(&scratch);
    let (of_tree, _) = found(&[text(&dir), "--good", "good", text(&bad)]);
    let (of_commit, _) = found(&[text(&dir), "--good", "good", "--bad", "HEAD", text(&bad)]);
    assert_eq!(of_tree, of_commit);
    write(&dir, "app/main.py", &BAD.replace("return 0", "return 7"));
    let (today, _) = found(&[text(&dir), "--good", "good", text(&bad)]);
    let commits = named(&today, "check")["commits"].clone();
    assert!(
        commits[0]["id"].is_null() && commits[1]["summary"] == "raise the limit",
        "{commits}"
    );
    // The commit is what it was, whatever stands in the working tree.
    let (of_commit, _) = found(&[text(&dir), "--good", "good", "--bad", "HEAD", text(&bad)]);
    assert_eq!(named(&of_commit, "check")["lines"], serde_json::json!([13]));
    let (none, _) = found(&[text(&dir), "--good", "HEAD", "--bad", "HEAD", text(&bad)]);
    assert_eq!(none, serde_json::json!([]));
}

#[test]
fn against_a_good_run_the_function_in_which_the_runs_part_stands_first() {
    let Some((scratch, dir)) = tree("faults-against") else {
        return;
    };
    let check = |inner| Call("check", "/x/app/main.py:13", 3, inner);
    let scale = || vec![Call("scale", "/x/app/helper.py:4", 2, vec![])];
    let of = |second| {
        let work = Call(
            "work",
            "/x/app/main.py:7",
            500,
            vec![check(scale()), check(second)],
        );
        vec![Call("<module>", "/x/app/main.py:1", 1, vec![work])]
    };
    let good = recording(&scratch, "good.json", of(scale()));
    let bad = recording(&scratch, "bad.json", of(Vec::new()));
    let (alone, _) = found(&[text(&dir), "--good", "good", text(&bad)]);
    assert_eq!(alone[0]["function"], "work", "it costs most");
    let args = [
        text(&dir),
        "--good",
        "good",
        text(&bad),
        "--good-recording",
        text(&good),
    ];
    let (both, _) = found(&args);
    assert_eq!(both[0]["function"], "check");
    assert!(
        both[0].to_string().contains("the runs diverge in it"),
        "{}",
        both[0]
    );
    let (_, shown, _) = faults(&args);
    assert!(
        shown.contains("The runs diverge at") && shown.contains("in check"),
        "{shown}"
    );
}

#[test]
fn the_known_cause_of_real_releases_stands_first() {
    let Some(bundle) = large_data("history/packaging-releases.bundle") else {
        return;
    };
    let scratch = Scratch::new("faults-releases");
    let dir = scratch.0.join("tree");
    if git(
        &scratch.0,
        &["clone", "-q", "-b", "main", text(&bundle), text(&dir)],
    )
    .is_none()
    {
        return;
    }
    let run = |release: &str| large_data(&format!("history/packaging-{release}.viztracer.json.gz"));
    let (Some(of_25), Some(of_26)) = (run("25.0"), run("26.0")) else {
        return;
    };
    let args = [
        text(&dir),
        "--good",
        "v25.0",
        "--bad",
        "v26.0",
        text(&of_26),
    ];
    let with = [&args[..], &["--good-recording", text(&of_25)]].concat();
    for args in [&args[..], &with] {
        let (found, _) = found(args);
        assert_eq!(found[0]["function"], "Version.__init__");
        assert_eq!(found[0]["commits"][0]["summary"], "packaging 26.0");
    }
}
