//! Shares against a direct evaluation.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::candidate::{Candidate, Explained};
use super::claims::{Claim, Part};
use super::find::choose;
use super::run::Run;
use super::table::KINDS;
use super::*;
use crate::contexts::contexts;
use callscape_base::progress::Progress;
use callscape_base::units::ContextId;
use callscape_facts::contexts::Merge;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::recording::Recording;
use callscape_facts::trace::random::{Shape, random_trace};

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

/// A seeded trace.
fn random(seed: u64) -> Recording {
    let shape = Shape {
        threads: 3,
        functions: 9,
        events: 400,
        deepest: 7,
        step: 1..2000,
    };
    let mut functions = Functions::default();
    for name in (b'a'..).take(9) {
        functions.intern(Function {
            name: &char::from(name).to_string(),
            ..Function::default()
        });
    }
    let trace = random_trace(seed, &shape);
    Recording::of_calls(
        Path::new("random"),
        "test",
        None,
        (functions, trace),
        Vec::new(),
    )
}

#[test]
fn shares_add_up_and_are_those_of_the_contexts() {
    let (mut independent, mut parts) = (0, 0);
    for seed in 0..300 {
        let recording = random(seed);
        let progress = Progress::new();
        let run = Run::new(&recording, &progress).expect("not cancelled");
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
        let mut explained: HashMap<ContextId, usize> = HashMap::new();
        let mut sum = 0.0;
        for (number, it) in all.iter().enumerate().filter(|it| it.1.of == Whole::Run) {
            let candidate = candidates
                .iter()
                .find(|candidate| candidate.kind == it.kind && it.text.contains(&candidate.said));
            // Nothing waits here, so that a context is running or nothing.
            let cells = cells(candidate.expect("its candidate"));
            let cells: BTreeSet<ContextId> = cells
                .into_iter()
                .filter(|it| it.1 != Part::Waiting)
                .map(|it| it.0)
                .collect();
            let cost: u64 = match it.part_of {
                Some(_) => cells.iter().map(|&it| tree.self_weight(0, it).ns()).sum(),
                None => {
                    let free = cells.iter().filter(|it| !explained.contains_key(it));
                    free.map(|&it| tree.self_weight(0, it).ns()).sum()
                }
            };
            assert!(
                (it.share - cost as f64 / whole as f64).abs() < 1e-9,
                "seed {seed}: {it:#?}"
            );
            if it.part_of.is_none() {
                sum += it.share;
                independent += 1;
                cells
                    .into_iter()
                    .for_each(|it| drop(explained.entry(it).or_insert(number)));
            } else {
                parts += 1;
                assert!(it.part_of < Some(number), "seed {seed}");
            }
        }
        assert!(sum <= 1.0 + 1e-9 && all.len() <= 10, "seed {seed}: {sum}");
    }
    assert!(independent > 500 && parts > 20, "{independent} and {parts}");
}
