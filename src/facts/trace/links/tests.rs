//! Links held against what they mean, on random traces.

use std::collections::BTreeMap;

use super::super::random::{Shape, random_numbers, random_trace};
use super::super::{Call, Enclosing, Relation, StackRoom, Trace, Within};
use super::*;
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};

type At = (ThreadId, CallId);

/// A random trace without and with links, and these as from, to and kind.
fn linked(seed: u64) -> (Trace, Trace, Vec<(At, At, LinkKind)>) {
    let shape = Shape {
        threads: 3,
        functions: 4,
        events: 90,
        deepest: 5,
        step: 0..9,
    };
    let mut below = random_numbers(seed);
    let trace = random_trace(seed, &shape);
    let threads = trace.threads().iter().zip(0..);
    let calls = threads.flat_map(|(of, thread)| {
        (0..of.calls as u32).map(move |call| (ThreadId(thread), CallId(call)))
    });
    let calls: Vec<At> = calls.collect();
    let mut links = Vec::new();
    for _ in 0..if calls.is_empty() { 0 } else { below(60) } {
        let mut any = || calls[below(calls.len() as u64) as usize];
        let (from, to) = (any(), any());
        if from != to {
            links.push((from, to, LinkKind::ALL[below(4) as usize]));
        }
    }
    let raw = links.iter().map(|&(from, to, kind)| RawLink {
        kind,
        from: LinkEnd::Call(from.0, from.1),
        to: LinkEnd::Call(to.0, to.1),
        offset: 0,
    });
    let mut with = trace.clone();
    let places: Vec<ThreadId> = trace.thread_ids().collect();
    let lost = with.learn_links(&raw.collect::<Vec<_>>(), &places);
    assert_eq!((lost.without_call, lost.to_itself), (vec![], vec![]));
    (trace, with, links)
}

/// What links add to the relations of `without` where `cost` gives what a call costs, if it counts at all.
fn expected(
    trace: &Trace,
    links: &[(At, At, LinkKind)],
    without: Vec<Relation>,
    cost: impl Fn(At) -> Option<[Cost; 2]>,
) -> Vec<Relation> {
    let function = |at: At| trace.call(at.0, at.1).function;
    let mut sums: BTreeMap<(FunctionId, FunctionId), Relation> = BTreeMap::new();
    let of_links = links.iter().filter_map(|&(from, to, _)| {
        let [cost, self_cost] = cost(to)?;
        Some(Relation {
            caller: function(from),
            callee: function(to),
            calls: 1,
            links: 1,
            cost,
            self_cost,
            ..Relation::NOTHING
        })
    });
    for relation in without.into_iter().chain(of_links) {
        let key = (relation.caller, relation.callee);
        let sum = sums.entry(key).or_insert(Relation {
            caller: key.0,
            callee: key.1,
            ..Relation::NOTHING
        });
        sum.add(&relation);
    }
    sums.into_values().collect()
}

/// The calls that a call triggers and itself.
fn subtree(trace: &Trace, (thread, id): At) -> Vec<Call> {
    let last = id.0 + trace.call(thread, id).triggered;
    trace.calls_numbered(thread, id.0..last + 1)
}

#[test]
fn relations_have_a_call_for_each_link_to_a_call_that_counts() {
    for seed in 0..300 {
        let (without, with, links) = linked(seed);
        let enclosing = [Enclosing::Parts, Enclosing::Whole, Enclosing::None][seed as usize % 3];
        let whole = |at: At| Some([with.call(at.0, at.1).cost(), with.self_cost(at.0, at.1)]);
        let found = with.relations(None);
        let direct = expected(&with, &links, without.relations(None), whole);
        assert_eq!(found, direct, "seed {seed}");
        let mut below = random_numbers(seed + 1000);
        for _ in 0..5 {
            let mut ends = [below(400), below(400)].map(Time::from_ns);
            ends.sort();
            let range = TimeRange::new(ends[0], ends[1]);
            let within = Within {
                range: Some(range),
                enclosing,
            };
            let part = |at: At| {
                let call = with.call(at.0, at.1);
                let part = with.inside(at.0, within).part(at.1, &call)?;
                let cost = |call: &Call| {
                    let [start, end] =
                        [call.start, call.end].map(|t| t.clamp(part.start, part.end));
                    end.since(start)
                };
                let below = subtree(&with, at).into_iter();
                let below = below.filter(|it| it.depth == call.depth + 1);
                let below: Cost = below.map(|it| cost(&it)).sum();
                Some([cost(&call), cost(&call).saturating_sub(below)])
            };
            let found = with.relations(within);
            let direct = expected(&with, &links, without.relations(within), part);
            assert_eq!(found, direct, "seed {seed}, {within:?}");
        }
    }
}

#[test]
fn running_summaries_have_links_as_far_as_their_calls_have_run() {
    for seed in 0..300 {
        let (without, with, links) = linked(seed);
        let mut below = random_numbers(seed + 1000);
        for _ in 0..5 {
            let t = Time::from_ns(below(400));
            let until = |at: At| {
                let call = with.call(at.0, at.1);
                let cost = |call: &Call| call.end.min(t).since(call.start);
                let inner = subtree(&with, at).into_iter();
                let inner: Cost = inner
                    .filter(|it| it.depth == call.depth + 1 && it.start <= t)
                    .map(|it| cost(&it))
                    .sum();
                (call.start <= t).then(|| [cost(&call), cost(&call).saturating_sub(inner)])
            };
            let found = with.running(t);
            let direct = expected(&with, &links, without.running(t), until);
            assert_eq!(found, direct, "seed {seed}, {t}");
            // What a step adds leads from one moment to the other.
            let to = t + Cost::from_ns(below(30));
            let mut sums: BTreeMap<_, (u64, Cost)> = BTreeMap::new();
            let mut add = |caller, callee, calls, cost| {
                let sum = sums.entry((caller, callee)).or_default();
                (sum.0, sum.1) = (sum.0 + calls, sum.1 + cost);
            };
            for it in &found {
                add(it.caller, it.callee, it.calls, it.cost);
            }
            let room = &mut StackRoom::default();
            assert!(with.running_between(t, to, u32::MAX, room, &mut add));
            let later = with.running(to);
            let later = later
                .iter()
                .map(|it| ((it.caller, it.callee), (it.calls, it.cost)));
            assert!(later.eq(sums), "seed {seed}, {t} to {to}");
        }
    }
}

#[test]
fn an_index_keeps_links_and_a_path_follows_the_first_of_them() {
    for seed in 0..60 {
        let (_, with, links) = linked(seed);
        let mut counts = BTreeMap::new();
        for (_, _, kind) in &links {
            *counts.entry(*kind).or_insert(0) += 1;
        }
        assert!(with.links_by_kind().into_iter().eq(counts), "seed {seed}");
        for thread in with.thread_ids() {
            for call in (0..with.threads()[thread.index()].calls as u32).map(CallId) {
                let mut of: Vec<_> = links
                    .iter()
                    .filter(|it| it.1 == (thread, call))
                    .map(|&(from, _, kind)| Link { kind, from })
                    .collect();
                of.sort_by_key(|it| it.kind);
                assert!(with.links_to(thread, call).eq(of), "seed {seed}");
                let (mut own, mut path) = (Vec::new(), Vec::new());
                with.path_to(thread, call, &mut own);
                with.path_with_links(thread, call, &mut path);
                let around = path.len() - own.len();
                assert!(
                    path[around..].iter().eq(own
                        .iter()
                        .map(|&it| (thread, it))
                        .collect::<Vec<_>>()
                        .iter())
                );
                let first = with.links_to(thread, own[0]).next();
                let before = around.checked_sub(1).map(|last| path[last]);
                assert_eq!(before, first.map(|it| it.from), "seed {seed}");
            }
        }
    }
}
