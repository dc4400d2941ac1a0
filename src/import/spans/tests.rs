//! Spans as calls: literal ones, and random ones against what must hold.

use super::*;
use callscape_base::units::CallId;
use callscape_facts::trace::random::random_numbers;

/// The calls of spans `(service, id, parent, start, end)`, as `lane: id id(inside) …` by thread.
fn built(spans: &[(&str, u32, u32, i64, i64)]) -> (Vec<String>, Vec<(String, u64)>) {
    let reporter = Reporter::new();
    let mut all = Spans::default();
    for &(service, id, parent, start, end) in spans {
        let slot = all.service();
        all.name_service(slot, service);
        let text = |id: u32| {
            if id == 0 {
                String::new()
            } else {
                id.to_string()
            }
        };
        let (id, parent) = (text(id), text(parent));
        let span = Span {
            service: slot,
            id: all.id("t", &id),
            parent: all.id("t", &parent),
            name: &id,
            file: "",
            line: 0,
            start,
            end,
            offset: 0,
        };
        all.push(span);
    }
    let mut builder = TraceBuilder::new(&reporter);
    let place = || Place::file("made here");
    all.build(&mut builder, &reporter);
    let (functions, trace) = builder.finish(place);
    let shown = trace
        .threads()
        .iter()
        .zip(trace.thread_ids())
        .map(|(thread, id)| {
            let calls = (0..thread.calls as u32).map(|call| {
                let call = trace.call(id, CallId(call));
                let name = functions.get(call.function).name;
                format!(
                    " {name}@{}+{}^{}",
                    call.start.ns(),
                    call.cost().ns(),
                    call.depth
                )
            });
            format!("{}{}", thread.name, calls.collect::<String>())
        });
    let warnings = reporter.warnings();
    let warnings = warnings
        .iter()
        .map(|warning| (warning.kind.to_string(), warning.count));
    (shown.collect(), warnings.collect())
}

#[test]
fn spans_nest_in_those_that_started_them() {
    let (shown, warnings) = built(&[
        ("a", 3, 2, 10, 20),
        ("a", 2, 1, 10, 30),
        ("a", 1, 0, 0, 100),
        ("a", 4, 1, 40, 60),
    ]);
    assert_eq!(shown, ["a 1@0+100^0 2@10+20^1 3@10+10^2 4@40+20^1"]);
    assert_eq!(warnings, []);
}

#[test]
fn spans_that_overlap_have_lanes_of_their_own() {
    let (shown, warnings) = built(&[
        ("a", 1, 0, 0, 100),
        ("a", 2, 1, 10, 50),
        ("a", 3, 1, 20, 60),
        ("a", 4, 3, 30, 40),
        ("a", 5, 1, 70, 120),
        ("a", 6, 0, 130, 140),
        ("a", 7, 0, 135, 138),
    ]);
    let expected = [
        "a 1@0+100^0 2@10+40^1 6@130+10^0",
        "a, lane 2 3@20+40^0 4@30+10^1 5@70+50^0 7@135+3^0",
    ];
    assert_eq!(shown, expected);
    assert_eq!(warnings, [("concurrent-span".to_owned(), 2)]);
}

#[test]
fn services_have_lanes_of_their_own_and_see_through_others() {
    let (shown, _) = built(&[
        ("a", 1, 0, 0, 100),
        ("b", 2, 1, 10, 90),
        ("a", 3, 2, 20, 30),
    ]);
    assert_eq!(shown, ["a 1@0+100^0 3@20+10^1", "b 2@10+80^0"]);
}

#[test]
fn spans_without_sense_are_kept() {
    // Their own parent, a circle, one id twice, no time, an end before the start.
    let (shown, warnings) = built(&[
        ("a", 1, 1, 0, 10),
        ("a", 2, 3, 10, 20),
        ("a", 3, 2, 10, 20),
        ("a", 4, 0, 30, 30),
        ("a", 4, 4, 30, 30),
        ("a", 5, 4, 30, 30),
        ("a", 6, 0, 50, 40),
    ]);
    let calls: usize = shown.iter().map(|lane| lane.matches('@').count()).sum();
    assert_eq!(calls, 7);
    assert!(
        warnings.contains(&("duplicate-id".to_owned(), 1)),
        "{warnings:?}"
    );
}

#[test]
fn random_spans_stay_whole_and_nest_only_in_those_that_started_them() {
    for seed in 1..200u64 {
        let mut random = random_numbers(seed);
        let spans: Vec<_> = (1..30)
            .map(|id| {
                let start = random(50) as i64;
                let service = ["a", "b"][random(2) as usize];
                (
                    service,
                    id,
                    random(30) as u32,
                    start,
                    start + random(30) as i64,
                )
            })
            .collect();
        let (shown, _) = built(&spans);
        let origin = spans.iter().map(|span| span.3).min().unwrap_or(0);
        let mut found = 0;
        for lane in &shown {
            let mut open: Vec<u32> = Vec::new();
            for call in lane.split(' ').filter(|word| word.contains('@')) {
                found += 1;
                let numbers: Vec<i64> = call
                    .split(['@', '+', '^'])
                    .map(|n| n.parse().unwrap_or(-1))
                    .collect();
                let &[id, start, cost, depth] = numbers.as_slice() else {
                    panic!("{call}");
                };
                let span = spans[id as usize - 1];
                assert_eq!(
                    (start, cost),
                    (span.3 - origin, span.4 - span.3),
                    "seed {seed}"
                );
                open.truncate(depth as usize);
                if let Some(&outer) = open.last() {
                    // Up the parents, through the other service, to the call around it.
                    let mut at = span.2;
                    while at != 0 && spans[at as usize - 1].0 != span.0 {
                        at = spans[at as usize - 1].2;
                    }
                    assert_eq!(at, outer, "seed {seed}");
                }
                open.push(id as u32);
            }
        }
        assert_eq!(found, spans.len(), "seed {seed}");
    }
}
