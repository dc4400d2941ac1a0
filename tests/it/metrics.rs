//! Metrics of modules: those of the history held against `git log`, those of recordings against their definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use callscape::analysis::resolve::resolve;
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::HierarchyBuilder;
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::model::metric::Metric;
use callscape::model::metrics::ModuleMetrics;
use callscape::units::ModuleId;
use callscape::warnings::{Place, Reporter};
use serde_json::Value;

use crate::common::{Random, Scratch, callscape};

/// Runs git in `dir`; none where it is not installed.
fn git(dir: &Path, when: i64, author: &str, arguments: &[&str]) -> Option<String> {
    let date = format!("{when} +0000");
    let output = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args([
            "-c",
            "commit.gpgsign=false",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_AUTHOR_NAME", author)
        .env("GIT_AUTHOR_EMAIL", format!("{author}@example.org"))
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_NAME", author)
        .env("GIT_COMMITTER_EMAIL", format!("{author}@example.org"))
        .env("GIT_COMMITTER_DATE", &date)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Of a file or directory: the commits to each file, the newest day and the authors, by `git log`.
fn told_by_git(dir: &Path, files: &[String]) -> (u64, Option<String>, u64) {
    let (mut changes, mut newest, mut authors) = (0, None, BTreeSet::new());
    for file in files {
        let log = [
            "log",
            "--no-merges",
            "--full-history",
            "--format=%cs %ae",
            "--",
            file,
        ];
        let log = git(dir, 0, "nobody", &log).expect("git is installed");
        for line in log.lines() {
            let (day, author) = line.split_once(' ').expect("a day and an author");
            changes += 1;
            newest = newest.max(Some(day.to_owned()));
            authors.insert(author.to_owned());
        }
    }
    (changes, newest, authors.len() as u64)
}

#[test]
fn the_history_of_every_file_and_directory_is_what_git_log_says() {
    let folder = Scratch::new("history");
    let dir = &folder.0.join("tree");
    std::fs::create_dir_all(dir.join("a/b")).expect("folders");
    std::fs::create_dir_all(dir.join("c")).expect("folders");
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("left out: needs git");
        return;
    }
    git(dir, 0, "ada", &["init", "-q"]);
    let paths = [
        "a/one.py",
        "a/two.py",
        "a/b/three.py",
        "c/four.py",
        "five.py",
    ];
    let mut random = Random(3);
    let mut when = 1_700_000_000;
    let commit = |when: i64, author: &str| {
        git(dir, when, author, &["add", "-A"]);
        git(
            dir,
            when,
            author,
            &["commit", "-q", "-m", "change", "--allow-empty"],
        );
    };
    for step in 0..30 {
        when += 40_000;
        for path in paths {
            if random.below(3) == 0 {
                let text = format!("def f{step}():\n    return {}\n", random.below(1000));
                std::fs::write(dir.join(path), text).expect("a file");
            }
        }
        commit(when, ["ada", "grace", "alan"][random.below(3) as usize]);
        if step == 14 {
            git(dir, when, "ada", &["checkout", "-q", "-b", "side"]);
        }
        if step == 18 {
            // Another line of development, and a merge of both.
            git(dir, when, "ada", &["checkout", "-q", "main"]);
            std::fs::write(dir.join("six.py"), "x = 1\n").expect("a file");
            commit(when + 1, "edsger");
            git(dir, when + 2, "ada", &["merge", "-q", "--no-edit", "side"]);
        }
    }
    let output = callscape()
        .args(["tree", "--json", "--history"])
        .arg(dir)
        .env("XDG_CACHE_HOME", folder.0.join("cache"))
        .env("HOME", folder.0.join("cache"))
        .output()
        .expect("the program is built");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let root: Value = serde_json::from_slice(&output.stdout).expect(&said);
    // Every module with its path, and the files in it.
    let mut modules: Vec<(&Value, String)> = vec![(&root, String::new())];
    let mut files: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some((module, path)) = modules.get(at).cloned() {
        at += 1;
        if module["kind"] == "file" {
            files.push(path);
            continue;
        }
        for child in module["children"].as_array().expect("a list") {
            let name = child["name"].as_str().expect("a name");
            modules.push((child, format!("{path}/{name}")));
        }
    }
    assert_eq!(files.len(), 6);
    for (module, path) in modules {
        let inside: Vec<String> = files
            .iter()
            .filter(|file| *file == &path || file.starts_with(&format!("{path}/")))
            .map(|file| file[1..].to_owned())
            .collect();
        let (changes, newest, authors) = told_by_git(dir, &inside);
        assert_eq!(module["changes"], changes, "{path}");
        assert_eq!(module["last_change"].as_str(), newest.as_deref(), "{path}");
        assert_eq!(module["authors"], authors, "{path}");
    }
    let fixes = |words: &[&str]| {
        let output = callscape()
            .args(["tree", "--json", "--preset", "fixes"])
            .args(words)
            .arg(dir)
            .env("XDG_CACHE_HOME", folder.0.join("cache"))
            .output()
            .expect("the program is built");
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        let modules = document["modules"].as_array().expect("a list").clone();
        modules
            .iter()
            .filter_map(|it| it["value"].as_u64())
            .sum::<u64>()
    };
    assert_eq!(fixes(&[]), 0);
    let changes = root["changes"].as_u64();
    assert_eq!(Some(fixes(&["--fix-words", "mends,CHANGE"])), changes);
}

/// A recording of calls at random between functions of nested namespaces.
fn session(seed: u64) -> Session {
    let mut random = Random(seed);
    let reporter = Reporter::new();
    let place = || Place::file("made here");
    let mut trace = TraceBuilder::new(&reporter);
    let thread = trace.thread("1", "1");
    let names: Vec<String> = (0..30)
        .map(|at| format!("n{}::m{}::f{at}", at % 3, at % 7))
        .collect();
    let mut time = 0;
    let mut open = 0;
    for _ in 0..2000 {
        time += 1 + random.below(50) as i64;
        if open < 12 && (open == 0 || random.below(2) == 0) {
            let name = &names[random.below(names.len() as u64) as usize];
            let function = trace.function(Function {
                name,
                ..Function::default()
            });
            trace.enter(thread, Timestamp::from_ns(time), function, place);
            open += 1;
        } else {
            trace.exit(thread, Timestamp::from_ns(time), None, place);
            open -= 1;
        }
    }
    for _ in 0..open {
        time += 1;
        trace.exit(thread, Timestamp::from_ns(time), None, place);
    }
    let (functions, trace) = trace.finish(place);
    let nothing = HierarchyBuilder::new("root").build().0;
    let (hierarchy, resolutions) = resolve(&nothing, &[&functions]);
    let recording = std::sync::Arc::new(Recording {
        path: "made here".into(),
        format: "chrome-json",
        kind: RecordingKind::Trace,
        functions,
        trace,
        profile: None,
        weighed: None,
        memory: None,
        lines: None,
        sampling: None,
        left_out: None,
        gaps: callscape::facts::gaps::Gaps::default(),
        failed: Vec::new(),
        played: None,
        revision: None,
        samples: 0,
        warnings: Vec::new(),
    });
    let resolved = resolutions.into_iter().map(|resolution| Resolved {
        recording: recording.clone(),
        resolution,
    });
    Session {
        source_dir: None,
        hierarchy,
        recordings: resolved.collect(),
        source_warnings: Vec::new(),
        named: Default::default(),
    }
}

#[test]
fn metrics_of_a_recording_add_up_as_they_are_defined() {
    for seed in 0..5 {
        let session = session(seed);
        let hierarchy = &session.hierarchy;
        let metrics = ModuleMetrics::new(&session, 0);
        let Resolved {
            recording,
            resolution,
        } = &session.recordings[0];
        let of_functions = recording.function_metrics(None);
        let relations = recording.relations(None);
        let module = |function: callscape::units::FunctionId| resolution.modules[function.index()];
        let columns: BTreeMap<&str, Vec<f64>> = Metric::ALL
            .into_iter()
            .map(|metric| (metric.name(), metrics.values(hierarchy, metric)))
            .collect();
        assert!(hierarchy.len() > 30);
        for id in hierarchy.modules() {
            let inside = |other: ModuleId| hierarchy.contains(id, other);
            let functions = of_functions.iter().zip(&resolution.modules);
            let functions: Vec<_> = functions.filter(|(_, module)| inside(**module)).collect();
            let calls: u64 = functions.iter().map(|(of, _)| of.calls).sum();
            let self_cost: u64 = functions.iter().map(|(of, _)| of.self_cost.ns()).sum();
            let total = functions.iter().map(|(of, _)| of.total.ns()).max();
            let pairs = relations
                .iter()
                .map(|it| (module(it.caller), module(it.callee)));
            let (mut callers, mut callees) = (BTreeSet::new(), BTreeSet::new());
            for (caller, callee) in pairs {
                match (inside(caller), inside(callee)) {
                    (false, true) => callers.insert(caller),
                    (true, false) => callees.insert(callee),
                    _ => false,
                };
            }
            let path = hierarchy.path(id);
            let at = |name: &str| columns[name][id.index()];
            assert_eq!(at("calls"), calls as f64, "{path}");
            assert_eq!(at("self"), self_cost as f64, "{path}");
            assert_eq!(at("total"), total.unwrap_or(0) as f64, "{path}");
            assert_eq!(at("fan-in"), callers.len() as f64, "{path}");
            assert_eq!(at("fan-out"), callees.len() as f64, "{path}");
        }
    }
}
