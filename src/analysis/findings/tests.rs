//! Shares against a direct evaluation.

use std::collections::BTreeSet;
use std::path::Path;

use super::candidate::{Candidate, Explained};
use super::claims::{Claim, Part};
use super::find::choose;
use super::run::Run;
use super::table::KINDS;
use super::*;
use crate::contexts::contexts;
use callscape_base::progress::Progress;
use callscape_base::units::{ContextId, FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::contexts::Merge;
use callscape_facts::functions::Function;
use callscape_facts::recording::Recording;
use callscape_facts::trace::random::random_numbers;

/// What a candidate claims.
fn cells(candidate: &Candidate) -> Vec<(ContextId, Part)> {
    let Explained::Contexts(claims) = &candidate.of else {
        return Vec::new();
    };
    let of = |it: &Claim| {
        let part = it.part;
        it.contexts.clone().map(move |it| (ContextId(it), part))
    };
    claims.iter().flat_map(of).collect()
}

/// Calls of some functions, each once or in a loop, and calls in these.
fn write(
    builder: &mut TraceBuilder<'_>,
    (thread, depth): (ThreadId, u32),
    now: &mut i64,
    below: &mut impl FnMut(u64) -> u64,
) {
    let place = || Place::file("random");
    for _ in 0..1 + below(3) {
        let function = FunctionId(below(9) as u32);
        for _ in 0..[1, 2, 12][below(3) as usize] {
            builder.enter(thread, Timestamp::from_ns(*now), function, place);
            *now += 1 + below(1000) as i64;
            if depth < 3 {
                write(builder, (thread, depth + 1), now, below);
            }
            builder.exit(thread, Timestamp::from_ns(*now), Some(function), place);
        }
    }
}

fn random(seed: u64) -> Recording {
    let mut below = random_numbers(seed);
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    for name in (b'a'..).take(9) {
        builder.function(Function {
            name: &char::from(name).to_string(),
            ..Function::default()
        });
    }
    for thread in 0..1 + seed % 3 {
        let thread = builder.thread("p", &thread.to_string());
        write(&mut builder, (thread, 0), &mut 0, &mut below);
    }
    let made = builder.finish(|| Place::file("random"));
    Recording::of_calls(Path::new("random"), "test", None, made, Vec::new())
}

#[test]
fn shares_add_up_and_are_those_of_the_contexts() {
    let (mut independent, mut parts) = (0, 0);
    for seed in 0..30 {
        let recording = random(seed);
        let progress = Progress::new();
        let mut run = Run::new(&recording, &progress).expect("not cancelled");
        run.series = reading::all(&run).expect("not cancelled");
        let mut candidates = Vec::new();
        for row in &KINDS {
            (row.propose)(&run, &mut candidates).expect("not cancelled");
        }
        let tree = contexts(&recording, &progress)
            .expect("not cancelled")
            .expect("contexts");
        let tree = tree
            .merged(Merge::Recursion, |it| it, &progress)
            .expect("not cancelled");
        let whole: u64 = tree.ids().map(|it| tree.self_weight(0, it).ns()).sum();
        let all = choose(&run, candidates.clone(), &progress).expect("not cancelled");
        let mut explained: BTreeSet<ContextId> = BTreeSet::new();
        let mut sum = 0.0;
        for (number, it) in all.iter().enumerate().filter(|it| it.1.of == Whole::Run) {
            let candidate = candidates.iter().find(|candidate| {
                let total = candidate.context.map_or(0, |it| run.total(it));
                let is_same = candidate.kind == it.kind && total == it.total.ns();
                is_same && it.text.contains(&candidate.said)
            });
            // Nothing waits here, so that a context is running or nothing.
            let candidate = candidate.expect("its candidate");
            let cells = cells(candidate);
            let cells: BTreeSet<ContextId> = cells
                .into_iter()
                .filter(|it| it.1 != Part::Waiting)
                .map(|it| it.0)
                .collect();
            let cost: u64 = match it.part_of {
                Some(_) => cells.iter().map(|&it| tree.self_weight(0, it).ns()).sum(),
                None => {
                    let free = cells.iter().filter(|it| !explained.contains(it));
                    free.map(|&it| tree.self_weight(0, it).ns()).sum()
                }
            };
            let cost = cost.min(candidate.at_most.unwrap_or(u64::MAX));
            assert!(
                (it.share - cost as f64 / whole as f64).abs() < 1e-9,
                "seed {seed}: {it:#?}"
            );
            if it.part_of.is_none() {
                sum += it.share;
                independent += 1;
                explained.extend(cells);
            } else {
                parts += 1;
                assert!(it.part_of < Some(number), "seed {seed}");
            }
        }
        assert!(sum <= 1.0 + 1e-9 && all.len() <= 10, "seed {seed}: {sum}");
    }
    assert!(independent > 60 && parts > 15, "{independent} and {parts}");
}
