//! Couplings against a direct evaluation of their definition, on seeded random histories.

use std::collections::BTreeSet;

use super::*;
use callscape_facts::history::{Author, Change, Commit, FileEver, Kind};

/// A history of random commits to few files, of which some merge.
fn random(seed: u64) -> Timeline {
    let mut state = seed * 2 + 1;
    let mut below = |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let files = 4 + below(6) as u32;
    let mut timeline = Timeline::default();
    timeline.authors = vec![Author::default(); 3];
    for file in 0..files {
        let path = format!("f{file}");
        timeline.paths.push(path.clone());
        timeline.files.push(FileEver {
            path,
            is_there: true,
            most_lines: 1,
        });
    }
    for commit in 0..40 + below(60) as u32 {
        timeline.commits.push(Commit {
            id: format!("{commit:040x}"),
            time: i64::from(commit) * 100,
            author: below(3) as u32,
            ..Commit::default()
        });
        let count = below(5) as u32;
        let changed: BTreeSet<u32> = (0..count).map(|_| below(u64::from(files)) as u32).collect();
        timeline
            .changes
            .extend(changed.into_iter().map(|file| Change {
                commit,
                file,
                path: file,
                kind: if below(12) == 0 {
                    Kind::Taken
                } else {
                    Kind::Modified
                },
                added: below(9) as u32,
                removed: below(9) as u32,
                lines: Some(10),
            }));
    }
    timeline.indexed()
}

/// The files that each commit of a span changed.
fn sets(timeline: &Timeline, span: &Span) -> Vec<BTreeSet<u32>> {
    let of = |commit: u32| {
        let changes = timeline.changes_in(commit..commit + 1).iter();
        changes
            .filter(|it| it.is_counted())
            .map(|it| it.file)
            .collect()
    };
    span.commits().map(of).collect()
}

#[test]
fn couplings_are_what_their_definition_says() {
    for seed in 0..60 {
        let timeline = random(seed);
        let end = timeline.commits.len() as u32;
        let span = Span::of(&timeline, (seed as u32) % 20..end);
        let limits = Limits {
            most_files: 3,
            least_together: 2,
            least_confidence: 0.25,
        };
        let found = coupled(&timeline, &span, &limits);
        let sets = sets(&timeline, &span);
        let (small, large): (Vec<_>, Vec<_>) = sets.into_iter().partition(|set| set.len() <= 3);
        let small: Vec<_> = small.into_iter().filter(|set| !set.is_empty()).collect();
        assert_eq!(
            (found.commits as usize, found.large as usize),
            (small.len(), large.len())
        );
        let share = |with: &[u32]| {
            let having = small
                .iter()
                .filter(|set| with.iter().all(|it| set.contains(it)));
            having.count() as f64 / small.len() as f64
        };
        let mut expected: Vec<(u32, u32, f64, f64)> = Vec::new();
        for a in 0..timeline.files.len() as u32 {
            for b in a + 1..timeline.files.len() as u32 {
                let both = share(&[a, b]);
                let rarer = share(&[a]).min(share(&[b]));
                let (confidence, lift) = (both / rarer, both / (share(&[a]) * share(&[b])));
                // Sums of shares are not exact at the limits.
                if both * small.len() as f64 > 1.5 && confidence > 0.25 - 1e-9 && lift > 1.0 + 1e-9
                {
                    expected.push((a, b, confidence, lift));
                }
            }
        }
        let mut pairs: Vec<(u32, u32, f64, f64)> = Vec::new();
        for pair in &found.pairs {
            pairs.push((
                pair.a.min(pair.b),
                pair.a.max(pair.b),
                pair.confidence,
                pair.lift,
            ));
            assert!(pair.of[0] <= pair.of[1] && pair.together <= pair.of[0]);
        }
        pairs.sort_by_key(|it| (it.0, it.1));
        assert_eq!(pairs.len(), expected.len(), "seed {seed}");
        for (found, expected) in pairs.iter().zip(&expected) {
            assert_eq!((found.0, found.1), (expected.0, expected.1), "seed {seed}");
            assert!((found.2 - expected.2).abs() < 1e-9 && (found.3 - expected.3).abs() < 1e-9);
        }
    }
}

#[test]
fn files_have_the_sums_of_their_changes() {
    for seed in 0..30 {
        let timeline = random(seed);
        let end = timeline.commits.len() as u32;
        let span = Span::of(&timeline, 5..end - 5);
        let files = by_file(&timeline, &span);
        for of in &files {
            let mine = timeline
                .changes
                .iter()
                .filter(|it| it.file == of.file && it.is_counted());
            let mine: Vec<&Change> = mine
                .filter(|it| (5..end - 5).contains(&it.commit))
                .collect();
            assert_eq!(of.changes as usize, mine.len());
            assert_eq!(
                of.added,
                mine.iter().map(|it| u64::from(it.added)).sum::<u64>()
            );
            let author = |it: &&Change| timeline.commits[it.commit as usize].author;
            let authors: BTreeSet<u32> = mine.iter().map(author).collect();
            assert_eq!(of.authors as usize, authors.len());
            let by = |who: u32| mine.iter().filter(|it| author(it) == who).count();
            let most = authors.iter().map(|&who| by(who)).max();
            assert_eq!(most, of.main_author.map(by));
            assert!((of.main_share - most.unwrap_or(0) as f64 / mine.len() as f64).abs() < 1e-9);
        }
        assert!(files.is_sorted_by_key(|of| std::cmp::Reverse(of.changes)));
    }
}

#[test]
fn a_span_is_without_what_another_history_has() {
    let timeline = random(4);
    let mut other = timeline.clone();
    other.commits.truncate(30);
    let end = timeline.commits.len() as u32;
    let span = Span::of(&timeline, 0..end).without(&timeline, &other);
    assert_eq!(
        span.commits().collect::<Vec<_>>(),
        (30..end).collect::<Vec<_>>()
    );
    assert_eq!((span.end(), span.has(29), span.has(30)), (end, false, true));
}

#[test]
fn files_that_only_one_person_knows_say_who() {
    let mut timeline = random(7);
    timeline.authors[0].name = "Ada".to_owned();
    timeline.commits.iter_mut().for_each(|it| it.author = 0);
    let span = Span::of(&timeline, 0..timeline.commits.len() as u32);
    let found = answers(&timeline, &span, Question::OneAuthor, &Beside::default());
    assert_eq!(found.len(), timeline.files.len().min(10));
    assert!(
        found
            .iter()
            .all(|it| it.why.contains("all by Ada") && it.value == 10)
    );
}
