//! The history of files against git itself, where it is installed.
#![cfg(feature = "git")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use callscape::progress::Progress;
use callscape::source::history::{History, HistoryError, history};

use super::Scratch;
use crate::random::Random;

pub(super) fn git(dir: &Path, args: &[&str]) -> Option<String> {
    said(Command::new("git"), dir, args)
}

/// As [`git`], at a time in seconds since 1970.
pub(super) fn git_at(dir: &Path, seconds: u64, args: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
        command.env(name, format!("{seconds} +0000"));
    }
    said(command, dir, args)
}

fn said(mut git: Command, dir: &Path, args: &[&str]) -> Option<String> {
    let output = git
        .current_dir(dir)
        .args(["-c", "user.name=A", "-c", "user.email=a@b"])
        .args(["-c", "commit.gpgsign=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

/// How many commits changed each file below `dir`, by git: merges and renames left out.
fn changes(dir: &Path) -> BTreeMap<String, u32> {
    let log = git(
        dir,
        &[
            "log",
            "-z",
            "--no-merges",
            "--full-history",
            "--no-renames",
            "--name-only",
            "--relative",
            "--format=",
            "HEAD",
            "--",
            ".",
        ],
    );
    let mut changes = BTreeMap::new();
    for path in log.expect("a log").split(['\0', '\n']) {
        if !path.is_empty() {
            *changes.entry(path.to_owned()).or_insert(0) += 1;
        }
    }
    changes
}

fn read(dir: &Path) -> History {
    history(dir, &Progress::new()).expect("a history")
}

/// Commits with random changes, on two branches that are merged now and then.
fn repository(name: &str, seed: u64) -> Option<Scratch> {
    let scratch = Scratch::new(name);
    let dir = &scratch.0;
    git(dir, &["init", "-q", "-b", "one"])?;
    let mut random = Random(seed + 1);
    for commit in 0..60u64 {
        let author = format!("user.email=a{}@b", random.below(4));
        for change in 0..=random.below(3) {
            let path = format!("d{}/f{}.c", random.below(3), random.below(5));
            if random.below(6) == 0 {
                std::fs::remove_file(dir.join(path)).ok();
            } else {
                scratch.write(&path, format!("int f{commit}_{change};\n"));
            }
        }
        git(dir, &["add", "-A"])?;
        git(
            dir,
            &["-c", &author, "commit", "-q", "--allow-empty", "-m", "x"],
        )?;
        match commit % 10 {
            3 => drop(git(
                dir,
                &["checkout", "-q", "-b", &format!("two{commit}")],
            )?),
            6 => drop(git(dir, &["checkout", "-q", "one"])?),
            8 => {
                let other = format!("two{}", commit - 5);
                let merge = [
                    "-c",
                    "user.email=m@b",
                    "merge",
                    "-q",
                    "-X",
                    "ours",
                    "-m",
                    "m",
                    &other,
                ];
                if git(dir, &merge).is_none() {
                    // One side has removed what the other has changed.
                    git(dir, &["add", "-A"])?;
                    git(dir, &["-c", "user.email=m@b", "commit", "-q", "-m", "m"])?;
                }
            }
            _ => {}
        }
    }
    Some(scratch)
}

#[test]
fn changes_are_those_that_git_counts() {
    for seed in 0..3 {
        let Some(scratch) = repository(&format!("history-{seed}"), seed) else {
            eprintln!("left out: needs git");
            return;
        };
        for dir in [scratch.0.clone(), scratch.0.join("d1")] {
            let expected = changes(&dir);
            let found = read(&dir);
            assert!(!found.files.is_empty(), "seed {seed}");
            for (path, file) in &found.files {
                assert_eq!(
                    Some(&file.changes),
                    expected.get(path),
                    "{path}, seed {seed}"
                );
                let newest = git(
                    &dir,
                    &[
                        "log",
                        "-1",
                        "--no-merges",
                        "--full-history",
                        "--format=%ct",
                        "--",
                        path,
                    ],
                );
                let newest: i64 = newest.expect("a log").trim().parse().expect("a time");
                assert_eq!(file.last_change, newest, "{path}, seed {seed}");
                assert!(!file.authors.is_empty() && file.authors.len() <= 4);
            }
        }
    }
}

#[test]
fn repositories_without_commits_shallow_ones_and_work_trees_have_their_histories() {
    let Some(scratch) = repository("history-kinds", 9) else {
        eprintln!("left out: needs git");
        return;
    };
    let dir = &scratch.0;
    let whole = read(dir);
    let cancelled = Progress::new();
    cancelled.cancel();
    // What was kept needs no reading.
    assert!(history(dir, &cancelled).is_ok() || !whole.files.is_empty());

    let tree = Scratch::new("history-tree");
    let path = tree.0.join("tree");
    let path = path.to_str().expect("a text");
    git(dir, &["worktree", "add", "-q", "--detach", path]).expect("a work tree");
    assert_eq!(read(Path::new(path)).files, whole.files);

    let clone = Scratch::new("history-shallow");
    let shallow = clone.0.join("shallow");
    let from = format!("file://{}", dir.display());
    let to = shallow.to_str().expect("a text");
    git(dir, &["clone", "-q", "--depth", "5", &from, to]).expect("a clone");
    let cut = read(&shallow);
    assert!(cut.is_shallow && !whole.is_shallow);
    assert_eq!(cut.files.len(), whole.files.len());
    assert!(cut.commits < whole.commits);

    let empty = Scratch::new("history-empty");
    git(&empty.0, &["init", "-q"]).expect("a repository");
    let none = history(&empty.0, &Progress::new());
    assert!(matches!(none, Err(HistoryError::NoCommit(_))), "{none:?}");
    let none = history(Path::new("/"), &Progress::new());
    assert!(
        matches!(none, Err(HistoryError::NoRepository(_))),
        "{none:?}"
    );
}

#[test]
fn what_keeps_a_history_from_being_read_is_told() {
    let scratch = Scratch::new("history-formats");
    let mut tried = 0;
    for (option, reason) in [
        ("--object-format=sha256", "SHA-256"),
        ("--ref-format=reftable", "reftable"),
    ] {
        let dir = scratch.0.join(reason);
        std::fs::create_dir_all(&dir).expect("a folder");
        if git(&dir, &["init", "-q", option]).is_none() {
            eprintln!("left out: needs a git that knows {option}");
            continue;
        }
        std::fs::write(dir.join("a.c"), "int a;\n").expect("a file");
        git(&dir, &["add", "-A"]).expect("it adds");
        let commit = ["-c", "user.email=a@b", "commit", "-q", "-m", "x"];
        git(&dir, &commit).expect("it commits");
        let error = history(&dir, &Progress::new()).expect_err("it is not read");
        assert!(error.to_string().contains(reason), "{error}");
        tried += 1;
    }
    println!("{tried} formats tried");
}

#[test]
fn files_of_submodules_have_the_history_of_the_submodule() {
    let scratch = Scratch::new("history-submodules");
    let [inner, outer] = ["inner", "outer"].map(|it| scratch.0.join(it));
    for (dir, name) in [(&inner, "a.c"), (&outer, "b.c")] {
        std::fs::create_dir_all(dir).expect("a folder");
        if git(dir, &["init", "-q"]).is_none() {
            eprintln!("left out: needs git");
            return;
        }
        std::fs::write(dir.join(name), "int x;\n").expect("a file");
    }
    let commit = |dir: &Path, author: &str| {
        git(dir, &["add", "-A"]).expect("it adds");
        let email = format!("user.email={author}");
        git(dir, &["-c", &email, "commit", "-q", "-m", "x"]).expect("it commits");
    };
    commit(&inner, "a@b");
    std::fs::write(inner.join("a.c"), "int y;\n").expect("a file");
    commit(&inner, "c@d");
    let from = inner.to_str().expect("a text");
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        from,
        "lib/inner",
    ];
    git(&outer, &add).expect("a submodule");
    commit(&outer, "c@d");
    let found = read(&outer);
    assert_eq!(found.files["lib/inner/a.c"].changes, 2);
    assert_eq!(found.files["b.c"].changes, 1);
    assert_eq!(found.files["lib/inner/a.c"].authors.len(), 2);
    let addresses = found.authors.iter().map(|it| it.email.as_str());
    assert_eq!(addresses.collect::<Vec<_>>(), ["c@d", "a@b"]);
    assert!(found.limits().is_empty());
}

#[test]
fn a_file_that_was_moved_keeps_its_changes() {
    let scratch = Scratch::new("history-moved");
    let dir = &scratch.0;
    if git(dir, &["init", "-q"]).is_none() {
        eprintln!("left out: needs git");
        return;
    }
    let commit = || {
        git(dir, &["add", "-A"]).expect("it adds");
        let commit = ["-c", "user.email=a@b", "commit", "-q", "-m", "x"];
        git(dir, &commit).expect("it commits");
    };
    for text in ["int a;\n", "int b;\n"] {
        scratch.write("old.c", text);
        commit();
    }
    std::fs::rename(dir.join("old.c"), dir.join("new.c")).expect("it moves");
    commit();
    scratch.write("new.c", "int c;\n");
    commit();
    assert_eq!(read(dir).files["new.c"].changes, 4);
}

#[test]
fn this_repository_has_the_history_that_git_tells() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !dir.join(".git").exists() || git(dir, &["rev-parse", "HEAD"]).is_none() {
        eprintln!("left out: needs a clone");
        return;
    }
    let expected = changes(dir);
    let found = read(dir);
    let mut same = 0;
    for (path, file) in &found.files {
        // Of moved files ours counts what was before, and not what another file was that had the path.
        let by_git = expected.get(path).copied().unwrap_or(0);
        same += usize::from(file.changes == by_git);
    }
    assert!(same * 10 > found.files.len() * 7, "{same}");
}
