//! Changes and the commits behind them, on random histories: every line says which commit wrote it.

use std::collections::BTreeSet;
use std::path::Path;

use callscape::progress::Progress;
use callscape::source::history::change::{Changes, Region};
use callscape::source::history::{changes, touched};

use super::{commit, git, write};
use crate::common::{Random, Scratch};

/// Commits with random edits of two files, one of which moves, on two branches that are merged now and then. Every line is
/// written once, and names its commit.
fn history(name: &str, seed: u64) -> Option<Scratch> {
    let scratch = Scratch::new(name);
    let dir = &scratch.0;
    git(dir, &["init", "-q", "-b", "one"])?;
    let mut random = Random(seed + 1);
    let mut moved = 0;
    for number in 0..14u64 {
        let side = number % 5 == 3;
        if side {
            git(dir, &["checkout", "-q", "-b", &format!("side{number}")])?;
        }
        let a = format!("a{moved}.c");
        let path = match side || random.below(2) == 0 {
            true => "b.c",
            false => a.as_str(),
        };
        edit(dir, path, number, &mut random);
        if !side && number == 7 {
            git(dir, &["add", "-A"])?;
            git(dir, &["mv", &a, "a1.c"])?;
            moved = 1;
        }
        commit(dir, &format!("commit {number}"));
        if side {
            git(dir, &["checkout", "-q", "one"])?;
            edit(dir, &format!("a{moved}.c"), number + 100, &mut random);
            commit(dir, &format!("commit {}", number + 100));
            git(dir, &["merge", "-q", "--no-edit", &format!("side{number}")])?;
        }
        if number == 4 {
            git(dir, &["tag", "good"])?;
        }
    }
    Some(scratch)
}

/// Adds some lines, and removes or replaces some.
fn edit(dir: &Path, path: &str, number: u64, random: &mut Random) {
    let text = std::fs::read_to_string(dir.join(path)).unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for line in 0..=random.below(4) {
        let at = random.below(lines.len() as u64 + 1) as usize;
        if !lines.is_empty() && lines.len() > 12 && random.below(3) == 0 {
            lines.remove(at.min(lines.len() - 1));
        } else {
            lines.insert(
                at,
                format!("int commit_{number}_{line}_{};", random.below(1 << 30)),
            );
        }
    }
    if lines.len() < 20 && number == 0 {
        lines.extend((0..20).map(|line| format!("int commit_0_{line};")));
    }
    write(dir, path, &(lines.join("\n") + "\n"));
}

fn read(dir: &Path, bad: Option<&str>) -> Changes {
    changes(dir, "good", bad, &[], &Progress::new()).expect("changes")
}

#[test]
fn hunks_make_the_later_text_of_the_earlier_and_files_are_those_of_git() {
    for seed in 0..6 {
        let Some(scratch) = history("faults-hunks", seed) else {
            return;
        };
        let found = read(&scratch.0, Some("HEAD"));
        for file in &found.files {
            let [before, after] = &file.texts;
            let mut made: Vec<&str> = Vec::new();
            let mut at = 1;
            for hunk in &file.hunks {
                made.extend((at..hunk.before.start).filter_map(|it| before.line(it)));
                made.extend(hunk.after.clone().filter_map(|it| after.line(it)));
                at = hunk.before.end;
            }
            made.extend((at..=before.lines()).filter_map(|it| before.line(it)));
            let whole: Vec<&str> = (1..=after.lines())
                .filter_map(|it| after.line(it))
                .collect();
            assert_eq!(made, whole, "seed {seed} {}", file.path);
        }
        let names = git(&scratch.0, &["diff", "--name-only", "-M", "good", "HEAD"]).expect("git");
        let names: BTreeSet<&str> = names.lines().collect();
        let ours: BTreeSet<&str> = found.files.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(ours, names, "seed {seed}");
        let of_tree = read(&scratch.0, None);
        let hunks = |of: &Changes| -> Vec<_> {
            of.files
                .iter()
                .map(|it| (it.path.clone(), it.hunks.clone()))
                .collect()
        };
        assert_eq!(hunks(&found), hunks(&of_tree), "seed {seed}");
    }
}

#[test]
fn every_new_line_is_touched_by_the_commit_that_wrote_it_and_no_other() {
    let mut lines = 0;
    for seed in 0..6 {
        let Some(scratch) = history("faults-lines", seed) else {
            return;
        };
        let found = read(&scratch.0, Some("HEAD"));
        let mut regions = Vec::new();
        let mut wrote: Vec<String> = Vec::new();
        for (at, file) in (0..).zip(&found.files) {
            for line in file.hunks.iter().flat_map(|it| it.after.clone()) {
                let text = file.texts[1].line(line).expect("a line");
                wrote.push(format!(
                    "commit {}",
                    text.split('_').nth(1).expect("its commit")
                ));
                regions.push(Region {
                    file: at,
                    lines: line..line + 1,
                });
            }
        }
        let found = touched(&scratch.0, &found, &regions, &Progress::new()).expect("commits");
        assert!(!found.is_cut_off);
        let count = git(&scratch.0, &["rev-list", "--count", "good..HEAD"]).expect("git");
        assert_eq!(found.between.to_string(), count.trim());
        for (commits, wrote) in found.by_region.iter().zip(&wrote) {
            let number: u64 = wrote
                .trim_start_matches("commit ")
                .parse()
                .expect("a number");
            if number % 100 <= 4 {
                // Of a file that has changed too much to be the one that was moved, older lines are new too.
                continue;
            }
            let summaries: Vec<&str> = commits
                .iter()
                .map(|&it| found.commits[it as usize].summary.as_str())
                .collect();
            assert!(
                summaries.contains(&wrote.as_str()),
                "seed {seed}: {summaries:?} for {wrote}"
            );
            lines += 1;
        }
        assert!(found.uncommitted.iter().all(|it| !it));
    }
    assert!(lines > 50, "{lines}");
}
