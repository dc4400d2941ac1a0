//! What a history says of an earlier time: numbers of files, the tree as it was, and the same from a bare repository.
#![cfg(all(feature = "git", unix))]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use callscape::analysis::session::{Inputs, Session};
use callscape::facts::kinds::Purposes;
use callscape::model::metric::Metric;
use callscape::model::metrics::ModuleMetrics;
use callscape::model::presets;
use callscape::progress::Progress;
use callscape::source::history::History;

use super::Scratch;
use super::history::git;
use super::timeline::{read, repository};
use crate::common::callscape;

#[test]
fn numbers_of_files_are_those_of_their_commits_so_far() {
    for seed in 40..43 {
        let Some(scratch) = repository("then-files", seed) else {
            eprintln!("left out: needs git");
            return;
        };
        let timeline = Arc::new(read(&scratch.0));
        let total = timeline.commits.len() as u32;
        for commits in [0, 1, total / 3, total / 2, total - 1, total] {
            let last = timeline.commits[..commits as usize].last();
            let now = last.map_or(0, |it| it.time);
            let history = History::at(&timeline, commits, now);
            // Files that have one path later are taken together.
            let mut there: BTreeMap<&str, (u32, usize, BTreeSet<u32>)> = BTreeMap::new();
            for (at, file) in (0..).zip(&timeline.files) {
                let Some(lines) = timeline.state(at, commits).lines else {
                    continue;
                };
                let (sum, count, authors) = there.entry(&file.path).or_default();
                *sum += lines;
                let changes = timeline.changes.iter();
                let changes = changes.filter(|it| it.file == at && it.commit < commits);
                for change in changes.filter(|it| it.is_counted()) {
                    *count += 1;
                    authors.insert(timeline.commits[change.commit as usize].author);
                }
            }
            let found = history.files.iter().map(|(path, of)| {
                let authors = of.authors.iter().copied().collect();
                (path.as_str(), (of.lines, of.changes as usize, authors))
            });
            assert_eq!(
                found.collect::<BTreeMap<_, _>>(),
                there,
                "seed {seed}, {commits}"
            );
        }
        assert_eq!(History::of(&timeline).files.len(), {
            let listed = git(&scratch.0, &["ls-files"]).expect("files");
            listed.lines().count()
        });
    }
}

#[test]
fn questions_are_answered_by_the_files_that_were_there() {
    let Some(scratch) = repository("then-questions", 44) else {
        eprintln!("left out: needs git");
        return;
    };
    let inputs = Inputs {
        recordings: vec![scratch.0.join(".git")],
        ..Inputs::default()
    };
    let session = Session::open(&inputs, &Progress::new()).expect("a session");
    let (hierarchy, metrics) = (&session.hierarchy, ModuleMetrics::new(&session, 0));
    let timeline = read(&scratch.0);
    let size = presets::find("size").expect("a question");
    for commits in [1, 20, 45, timeline.commits.len() as u32] {
        let then = metrics.after(hierarchy, commits);
        let states = timeline.states(commits);
        let mut expected: Vec<u32> = states.iter().filter_map(|it| it.lines).collect();
        expected.retain(|&lines| lines > 0);
        expected.sort_unstable_by(|a, b| b.cmp(a));
        let sum: u32 = expected.iter().sum();
        expected.truncate(10);
        let found = size.stand_out(hierarchy, &then, Purposes::NONE);
        let found: Vec<u32> = found.iter().map(|it| it.value as u32).collect();
        assert_eq!(found, expected, "after {commits} commits");
        let all = then.sum_of_all(hierarchy, Metric::LastLines);
        assert_eq!(all, Some(f64::from(sum)));
        let files = hierarchy.outermost_files();
        let states = files.filter_map(|file| metrics.file_after(file, commits)?.lines);
        assert_eq!(states.sum::<u32>(), sum);
    }
}

#[test]
fn a_bare_repository_says_what_its_origin_says() {
    let Some(scratch) = repository("then-bare", 45) else {
        eprintln!("left out: needs git");
        return;
    };
    let bare = Scratch::new("then-bare-clone");
    let to = bare.0.join("origin.git");
    let of = scratch.0.display().to_string();
    git(&bare.0, &["clone", "-q", "--bare", &of, "origin.git"]).expect("a clone");
    assert_eq!(read(&to), read(&scratch.0));
    let open = |path: &Path| callscape::import::open(path, &Progress::new()).expect("a history");
    let (one, other) = (open(&to), open(&scratch.0.join(".git")));
    assert_eq!(one.trace.calls(), other.trace.calls());
    assert_eq!(one.played, other.played);
    // A folder in it is none.
    let inside = callscape::source::history::timeline(&to.join("refs"), None, &Progress::new());
    assert!(inside.is_err());
}

#[test]
fn the_tree_of_a_day_is_that_of_its_last_commit() {
    let Some(scratch) = repository("then-tree", 46) else {
        eprintln!("left out: needs git");
        return;
    };
    let run = |dir: &Path, at: &[&str]| {
        let mut run = callscape();
        run.arg("tree").arg(dir).arg("--json").args(at);
        run.env("XDG_CACHE_HOME", scratch.0.join(".git/cache"));
        run.output().expect("the program is built")
    };
    let tree = |dir: &Path, at: &[&str]| {
        let output = run(dir, at);
        let tree = serde_json::from_slice(&output.stdout);
        let mut tree: serde_json::Value = tree.expect("a document");
        // The folder that holds it.
        tree["name"] = "".into();
        tree
    };
    let day = "2016-02-29";
    let before = format!("--before={day}T23:59:59Z");
    let id = git(&scratch.0, &["rev-list", "-1", &before, "HEAD"]).expect("a commit");
    let checked_out = Scratch::new("then-tree-of-git");
    let to = checked_out.0.join("tree").display().to_string();
    git(
        &scratch.0,
        &["worktree", "add", "-q", "--detach", &to, id.trim()],
    )
    .expect("a tree");
    let expected = tree(&checked_out.0.join("tree"), &[]);
    for at in [day, id.trim()] {
        assert_eq!(tree(&scratch.0, &["--at", at]), expected, "{at}");
        assert_eq!(tree(&scratch.0, &["--at", at]), expected, "{at}, again");
    }
    assert_ne!(tree(&scratch.0, &[]), expected);
    let refused = |at: &str| {
        let output = run(&scratch.0, &["--at", at]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("1999-01-01").contains("until 1999-01-01: the history is from"));
    assert!(refused("2019-13-01").contains("or a day such as"));
    assert!(refused("nowhere").contains("nowhere"));
}

#[test]
fn submodules_and_files_take_the_place_of_each_other() {
    let scratch = Scratch::new("then-submodule");
    let dir = &scratch.0;
    if git(dir, &["init", "-q", "-b", "one"]).is_none() {
        eprintln!("left out: needs git");
        return;
    }
    let commit = |words: &[&str]| {
        git(dir, words).expect("an index");
        git(dir, &["commit", "-q", "-m", "x"]).expect("a commit");
    };
    scratch.write("a", "1\n");
    commit(&["add", "a"]);
    let id = git(dir, &["rev-parse", "HEAD"]).expect("an id");
    let module = format!("160000,{},sub", id.trim());
    commit(&["update-index", "--add", "--cacheinfo", &module]);
    git(dir, &["rm", "-q", "--cached", "sub"]).expect("an index");
    scratch.write("sub", "1\n2\n3\n");
    commit(&["add", "sub"]);
    git(dir, &["rm", "-q", "--cached", "sub"]).expect("an index");
    commit(&["update-index", "--add", "--cacheinfo", &module]);
    let timeline = read(dir);
    let lines = |commits| {
        let states = timeline.states(commits).into_iter();
        states.filter_map(|it| it.lines).collect::<Vec<_>>()
    };
    let found = [1, 2, 3, 4].map(lines);
    assert_eq!(found, [vec![1], vec![1], vec![1, 3], vec![1]]);
    assert_eq!(timeline.missing.versions, 0);
    let counted = timeline.changes.iter().filter(|it| it.is_counted());
    let counted: Vec<_> = counted
        .map(|it| (it.commit, it.added, it.removed))
        .collect();
    assert_eq!(counted, [(0, 1, 0), (2, 3, 0), (3, 0, 3)]);
}
