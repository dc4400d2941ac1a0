//! Spans as calls: literal ones, and random ones against what must hold.

use super::*;
use callscape_base::units::CallId;
use callscape_facts::trace::Call;
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
            is_failed: false,
            arguments: None,
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
                let number = CallId(call);
                let call = trace.call(id, number);
                let name = |call: Call| functions.get(call.function).name.to_owned();
                let links = trace.links_to(id, number);
                let from = links.map(|it| format!("<{}", name(trace.call(it.from.0, it.from.1))));
                format!(
                    " {}@{}+{}^{}{}",
                    name(call),
                    call.start.ns(),
                    call.cost().ns(),
                    call.depth,
                    from.collect::<String>()
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
        "a, lane 2 3@20+40^0<1 4@30+10^1 5@70+50^0<1 7@135+3^0",
    ];
    assert_eq!(shown, expected);
    assert_eq!(warnings, [("concurrent-span".to_owned(), 2)]);
}

#[test]
fn services_have_lanes_of_their_own_and_are_linked() {
    let (shown, _) = built(&[
        ("a", 1, 0, 0, 100),
        ("b", 2, 1, 10, 90),
        ("a", 3, 2, 20, 30),
    ]);
    let expected = ["a 1@0+100^0", "a, lane 2 3@20+10^0<2", "b 2@10+80^0<1"];
    assert_eq!(shown, expected);
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
fn clocks_are_put_right_by_service() {
    let (shown, warnings) = built(&[
        ("a", 1, 0, 0, 100),
        ("b", 2, 1, 500, 560),
        ("b", 3, 2, 510, 520),
        ("c", 4, 3, 600, 604),
    ]);
    let expected = ["a 1@0+100^0", "b 2@20+60^0<1 3@30+10^1", "c 4@33+4^0<3"];
    assert_eq!(shown, expected);
    assert_eq!(warnings, [("clock-skew-corrected".to_owned(), 2)]);
}

#[test]
fn a_trace_is_known_by_the_last_half_of_its_id() {
    let mut spans = Spans::default();
    let long = "7ca373f7c7e0f17df9965485593768ce";
    let other = "00000000000000000000000000000001";
    let ids = [
        long,
        "f9965485593768ce",
        other,
        "1",
        "0000000000000001",
        long,
    ];
    let found = ids.map(|id| spans.trace(id));
    assert_eq!(
        [found[0], found[2], found[0]],
        [found[1], found[4], found[5]]
    );
    assert!(found[0] != found[2] && found[2] != found[3]);
    // Two long ones are two, and so are those that came as short ones first.
    let alike = ["aaaaaaaaaaaaaaaa", "1111111111111111"].map(|it| format!("{it}f9965485593768ce"));
    let alike = alike.map(|id| spans.trace(&id));
    assert!(alike[0] != alike[1]);
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
        let (shown, warnings) = built(&spans);
        let moved = warnings.iter().any(|it| it.0 == "clock-skew-corrected");
        let origin = spans.iter().map(|span| span.3).min().unwrap_or(0);
        let mut found = 0;
        for lane in &shown {
            let mut open: Vec<u32> = Vec::new();
            for call in lane.split(' ').filter(|word| word.contains('@')) {
                found += 1;
                let (call, from) = call.split_once('<').unwrap_or((call, ""));
                let numbers: Vec<i64> = call
                    .split(['@', '+', '^'])
                    .map(|n| n.parse().unwrap_or(-1))
                    .collect();
                let &[id, start, cost, depth] = numbers.as_slice() else {
                    panic!("{call}");
                };
                let span = spans[id as usize - 1];
                // Clocks may have been put right.
                assert_eq!(cost, span.4 - span.3, "seed {seed}");
                assert!(moved || start == span.3 - origin, "seed {seed}");
                open.truncate(depth as usize);
                // Each has the one that started it as caller: around it, or by a link.
                let around = open.last().map_or(String::new(), u32::to_string);
                let caller = format!("{around}{from}");
                let told = [0, id as u32].contains(&span.2);
                let parent = if told {
                    String::new()
                } else {
                    span.2.to_string()
                };
                assert_eq!(caller, parent, "seed {seed}");
                open.push(id as u32);
            }
        }
        assert_eq!(found, spans.len(), "seed {seed}");
    }
}
