//! What commits changed, against git itself, where it is installed.
#![cfg(all(feature = "git", unix))]

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use callscape::analysis::session::{Inputs, Session};
use callscape::facts::history::{Change, Kind, Timeline};
use callscape::progress::Progress;
use callscape::source::history::timeline;
use callscape::units::ModuleId;

use super::Scratch;
use super::history::{git, git_at};
use crate::common;
use crate::random::Random;

/// What one commit did with a file: lines added and removed, its path, and the path that it had before.
type Counted = (u32, u32, String, bool);

/// By commit what git counts, and the name of its author.
fn by_git(dir: &Path) -> BTreeMap<String, (String, Vec<Counted>)> {
    let log = [
        "log",
        "--numstat",
        "-M",
        "-z",
        "--use-mailmap",
        "--relative",
        "--format=@%H %aN",
        "HEAD",
    ];
    let log = git(dir, &log).expect("a log");
    let mut commits: BTreeMap<String, (String, Vec<Counted>)> = BTreeMap::new();
    let mut at = String::new();
    let mut parts = log.split('\0');
    while let Some(part) = parts.next() {
        let part = part.trim_start_matches('\n');
        if let Some(head) = part.strip_prefix('@') {
            let (id, author) = head.split_once(' ').expect("an id and a name");
            at = id.to_owned();
            commits.insert(at.clone(), (author.to_owned(), Vec::new()));
        } else if !part.is_empty() {
            let mut fields = part.splitn(3, '\t');
            let mut number = || fields.next().expect("a number").parse().unwrap_or(0);
            let (added, removed) = (number(), number());
            let path = fields.next().expect("a path");
            let is_renamed = path.is_empty();
            let path = match is_renamed {
                true => parts.nth(1).expect("a path"),
                false => path,
            };
            let commit = commits.get_mut(&at).expect("a commit");
            commit.1.push((added, removed, path.to_owned(), is_renamed));
        }
    }
    commits.values_mut().for_each(|(_, files)| files.sort());
    commits
}

fn by_commit(timeline: &Timeline) -> BTreeMap<String, (String, Vec<Counted>)> {
    let commits = timeline.commits.iter().map(|commit| {
        let author = timeline.authors[commit.author as usize].name.clone();
        (commit.id.clone(), (author, Vec::new()))
    });
    let mut commits: BTreeMap<String, (String, Vec<Counted>)> = commits.collect();
    for change in timeline.changes.iter().filter(|it| it.is_counted()) {
        let commit = &timeline.commits[change.commit as usize];
        let path = timeline.paths[change.path as usize].clone();
        let files = &mut commits.get_mut(&commit.id).expect("it is there").1;
        files.push((
            change.added,
            change.removed,
            path,
            change.kind == Kind::Renamed,
        ));
    }
    commits.values_mut().for_each(|(_, files)| files.sort());
    commits
}

/// A text of lines of which many are equal, as they are in programs.
fn text(random: &mut Random, lines: u64) -> String {
    let line = |random: &mut Random| match random.below(5) {
        0 => "}\n".to_owned(),
        1 => "\n".to_owned(),
        2 => format!("    call({});\n", random.below(8)),
        _ => format!(
            "    let value_{} = {};\n",
            random.below(500),
            random.below(9)
        ),
    };
    (0..lines).map(|_| line(random)).collect()
}

/// The same with some lines other, gone or come.
fn edited(random: &mut Random, text: &str) -> String {
    let mut edited = String::new();
    let share = 2 + random.below(40);
    for line in text.split_inclusive('\n') {
        match random.below(share) {
            0 => edited.push_str(&self::text(random, 3)),
            1 => {}
            _ => edited.push_str(line),
        }
    }
    if random.below(8) == 0 {
        edited.push_str("no end");
    }
    edited
}

/// One change of the work tree.
fn step(dir: &Path, random: &mut Random) {
    let path =
        |random: &mut Random| dir.join(format!("d{}/f{}.c", random.below(3), random.below(6)));
    let (one, two) = (path(random), path(random));
    let old = std::fs::read(&one).map(|it| String::from_utf8_lossy(&it).into_owned());
    match (random.below(10), old) {
        (0, Ok(_)) => std::fs::remove_file(&one).expect("it is there"),
        (1 | 2, Ok(old)) => {
            std::fs::remove_file(&one).expect("it is there");
            std::fs::write(&two, edited(random, &old)).expect("a file");
        }
        (3, Ok(_)) => {
            let executable = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&one, executable).expect("our file");
        }
        (4, _) if random.below(3) == 0 => {
            let bytes: Vec<u8> = (0..200).map(|_| random.below(7) as u8).collect();
            std::fs::write(&one, bytes).expect("a file");
        }
        (5, _) if random.below(3) == 0 => {
            std::fs::remove_file(&two).ok();
            symlink("elsewhere", &two).expect("a link");
        }
        (_, Ok(old)) if !one.is_symlink() => {
            std::fs::write(&one, edited(random, &old)).expect("a file");
        }
        _ => {
            std::fs::remove_file(&one).ok();
            let lines = 1 + random.below(120);
            std::fs::write(&one, text(random, lines)).expect("a file");
        }
    }
}

/// Commits with random changes, on branches that are merged, by people with several names.
pub(super) fn repository(name: &str, seed: u64) -> Option<Scratch> {
    let scratch = Scratch::new(name);
    let dir = &scratch.0;
    git(dir, &["init", "-q", "-b", "one"])?;
    for folder in 0..3 {
        std::fs::create_dir_all(dir.join(format!("d{folder}"))).expect("our folder");
    }
    scratch.write(".mailmap", "Ada Lovelace <a0@b>\nGrace <a1@b> Ada <a2@b>\n");
    let mut random = Random(seed + 1);
    for commit in 0..70u64 {
        for _ in 0..=random.below(4) {
            step(dir, &mut random);
        }
        let name = ["Ada", "grace", "Alan"][random.below(3) as usize];
        let author = format!("--author={name} <A{}@b>", random.below(3));
        // The commits cover years, so that recent changes become old.
        let time = 1_400_000_000 + commit * 20 * 86_400;
        git(dir, &["add", "-A"])?;
        let words = ["commit", "-q", "--allow-empty", &author, "-m", "x"];
        git_at(dir, time, &words)?;
        match commit % 12 {
            3 => drop(git(
                dir,
                &["checkout", "-q", "-b", &format!("two{commit}")],
            )?),
            6 => drop(git(dir, &["checkout", "-q", "one"])?),
            9 => {
                let other = format!("two{}", commit - 6);
                let words = ["merge", "-q", "-X", "ours", "-m", "m", &other];
                if git_at(dir, time, &words).is_none() {
                    git(dir, &["add", "-A"])?;
                    git_at(dir, time, &["commit", "-q", "-m", "m"])?;
                }
            }
            _ => {}
        }
        for folder in 0..3 {
            std::fs::create_dir_all(dir.join(format!("d{folder}"))).expect("our folder");
        }
    }
    Some(scratch)
}

pub(super) fn read(dir: &Path) -> Timeline {
    timeline(dir, None, &Progress::new()).expect("a history")
}

#[test]
fn lines_renames_and_authors_are_those_of_git() {
    for seed in 0..6 {
        let Some(scratch) = repository(&format!("timeline-{seed}"), seed) else {
            eprintln!("left out: needs git");
            return;
        };
        for dir in [scratch.0.clone(), scratch.0.join("d1")] {
            let timeline = read(&dir);
            let (found, expected) = (by_commit(&timeline), by_git(&dir));
            assert_eq!(found.len(), expected.len());
            for (commit, expected) in expected {
                assert_eq!(
                    found[&commit],
                    expected,
                    "{commit}, seed {seed}, {}",
                    dir.display()
                );
            }
            // Read from what was kept.
            assert_eq!(read(&dir), timeline);
        }
    }
}

#[test]
fn states_are_those_of_the_work_tree() {
    for seed in 8..12 {
        let Some(scratch) = repository("timeline-states", seed) else {
            eprintln!("left out: needs git");
            return;
        };
        let timeline = read(&scratch.0);
        let end = timeline.commits.len() as u32;
        let mut there: Vec<(String, u32)> = Vec::new();
        for (at, file) in (0..).zip(&timeline.files) {
            if file.is_there {
                let lines = timeline.state(at, end).lines.expect("it is there");
                there.push((timeline.path(at, end).to_owned(), lines));
            }
        }
        there.sort();
        let listed = git(&scratch.0, &["ls-files"]).expect("files");
        let expected = listed.lines().map(|path| {
            let text = match std::fs::read_link(scratch.0.join(path)) {
                Ok(link) => link.to_string_lossy().into_owned().into_bytes(),
                Err(_) => std::fs::read(scratch.0.join(path)).expect("a file"),
            };
            let ends = text.iter().filter(|it| **it == b'\n').count();
            let last = text.last().is_some_and(|it| *it != b'\n');
            let lines = if text.contains(&0) {
                0
            } else {
                ends + usize::from(last)
            };
            (path.to_owned(), lines as u32)
        });
        assert_eq!(there, expected.collect::<Vec<_>>());
    }
}

#[test]
fn states_are_those_of_the_trees_of_the_main_line() {
    for seed in 20..24 {
        let Some(scratch) = repository("timeline-line", seed) else {
            eprintln!("left out: needs git");
            return;
        };
        let timeline = read(&scratch.0);
        let empty = git(&scratch.0, &["hash-object", "-t", "tree", "/dev/null"]).expect("an id");
        let line = git(&scratch.0, &["log", "--first-parent", "--format=%H"]).expect("a log");
        assert!(line.lines().count() > 20, "seed {seed}");
        for id in line.lines() {
            let commits = timeline.commits.iter().position(|it| it.id == id);
            let commits = commits.expect("it was read") as u32 + 1;
            let states = timeline.states(commits).into_iter();
            let mut found: Vec<u32> = states.filter_map(|it| it.lines).collect();
            let told = ["diff", "--numstat", "--no-renames", empty.trim(), id];
            let told = git(&scratch.0, &told).expect("a difference");
            let lines = told.lines().map(|line| {
                let lines = line.split('\t').next().expect("a number");
                lines.parse::<u32>().unwrap_or(0)
            });
            let mut expected: Vec<u32> = lines.collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "seed {seed}, {id}");
        }
    }
}

#[test]
fn a_day_has_the_files_of_its_last_commit() {
    let Some(scratch) = repository("timeline-days", 31) else {
        eprintln!("left out: needs git");
        return;
    };
    for day in ["2014-08-01", "2015-06-15", "2016-12-31", "2017-11-11"] {
        let before = format!("--before={day}T23:59:59Z");
        let id = git(&scratch.0, &["rev-list", "-1", &before, "HEAD"]).expect("a commit");
        let history = |at: &str| {
            let output = common::callscape()
                .args(["history", "--json", "--at", at])
                .arg(&scratch.0)
                .env("XDG_CACHE_HOME", scratch.0.join(".git/cache"))
                .output()
                .expect("the program is built");
            let document: serde_json::Value =
                serde_json::from_slice(&output.stdout).expect("a document");
            document
        };
        assert_eq!(history(day), history(id.trim()), "{day}");
        let found = history(day)["files"].as_array().expect("a list").len();
        let told = git(&scratch.0, &["ls-tree", "-r", "--name-only", id.trim()]);
        assert_eq!(found, told.expect("a tree").lines().count(), "{day}");
    }
}

#[test]
fn a_history_plays_on_a_map_of_all_its_files() {
    let Some(scratch) = repository("timeline-plays", 3) else {
        eprintln!("left out: needs git");
        return;
    };
    let timeline = read(&scratch.0);
    let inputs = Inputs {
        recordings: vec![scratch.0.join(".git")],
        ..Inputs::default()
    };
    let session = Session::open(&inputs, &Progress::new()).expect("a session");
    let resolved = &session.recordings[0];
    let trace = &resolved.recording.trace;
    let counted: Vec<&Change> = timeline
        .changes
        .iter()
        .filter(|it| it.is_counted())
        .collect();
    let commits: BTreeSet<u32> = counted.iter().map(|it| it.commit).collect();
    assert_eq!(trace.calls() as usize, counted.len() + commits.len());
    let hierarchy = &session.hierarchy;
    let files = hierarchy
        .outermost_files()
        .map(|id| (hierarchy.path(id), hierarchy.module(id).loc));
    let files: BTreeMap<String, u32> = files.collect();
    let mut expected: BTreeMap<String, u32> = BTreeMap::new();
    for file in &timeline.files {
        let lines = expected.entry(file.path.clone()).or_insert(1);
        *lines = file.most_lines.max(*lines);
    }
    assert_eq!(files, expected);
    let all = hierarchy.module(ModuleId::ROOT).loc;
    assert_eq!(all, expected.values().sum::<u32>());
    // Each file is its module, and was called as often as it was changed.
    let metrics = resolved.recording.function_metrics(None);
    for (function, metrics) in resolved.recording.functions.ids().zip(metrics) {
        let file = resolved.recording.functions.get(function).file;
        let module = resolved.resolution.modules[function.index()];
        if !file.is_empty() {
            assert_eq!(hierarchy.path(module), file);
            let of = |it: &&&Change| timeline.files[it.file as usize].path == file;
            assert_eq!(
                metrics.calls as usize,
                counted.iter().filter(of).count(),
                "{file}"
            );
        }
    }
    // A linked work tree has a file instead of the folder, which leads to the same history.
    let linked = scratch.0.join("linked");
    git(
        &scratch.0,
        &["worktree", "add", "-q", &linked.display().to_string()],
    )
    .expect("a work tree");
    let linked =
        callscape::import::open(&linked.join(".git"), &Progress::new()).expect("a history");
    assert_eq!(linked.trace.calls(), trace.calls());
    assert_eq!(linked.format, resolved.recording.format);
    // The clock is that of the commits, and what has no commits yet is refused.
    let began = resolved.recording.played.as_ref().map(|it| it.began);
    assert_eq!(
        began,
        counted.first().map(|it| timeline.clock[it.commit as usize])
    );
    let empty = Scratch::new("timeline-empty");
    git(&empty.0, &["init", "-q"]).expect("a repository");
    let error =
        callscape::import::open(&empty.0.join(".git"), &Progress::new()).expect_err("no commit");
    assert!(error.to_string().contains("found one without"), "{error}");
}

#[test]
fn damaged_objects_are_counted_and_the_rest_is_read() {
    let Some(scratch) = repository("timeline-damage", 5) else {
        eprintln!("left out: needs git");
        return;
    };
    let whole = read(&scratch.0);
    let ids = git(&scratch.0, &["log", "--format=%H", "--skip=30", "-1"]).expect("a log");
    let blob = git(
        &scratch.0,
        &[
            "log",
            "--raw",
            "--no-abbrev",
            "--format=",
            "--no-merges",
            "-1",
            "--diff-filter=M",
        ],
    );
    let blob = blob
        .expect("a log")
        .split(' ')
        .nth(3)
        .expect("an id")
        .to_owned();
    for id in [ids.trim(), &blob] {
        let path = scratch
            .0
            .join(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("our file");
        std::fs::write(path, "damage").expect("our file");
    }
    // Another directory of the same repository is not kept yet.
    let found = read(&scratch.0.join("d0"));
    assert!(
        found.missing.commits + found.missing.versions > 0,
        "{:?}",
        found.missing
    );
    assert!(found.commits.len() < whole.commits.len() && !found.commits.is_empty());
}
