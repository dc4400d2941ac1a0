//! Chrome traces made at random, against the call trees that they were made of.

use std::io::Write;

use callscape::progress::Progress;

use super::{Expected, Scratch, calls_of, read, warnings};
use crate::common::Random;

const NAMES: [&str; 6] = [
    "f",
    "g",
    "Parser::parse",
    "a \"quoted\" name",
    "sch\u{f6}n",
    "tab\there",
];

/// The calls of one thread in preorder: a random tree with times that never repeat.
fn tree(random: &mut Random, calls: u64) -> Vec<Expected> {
    let mut all: Vec<Expected> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut time = random.below(50);
    while (all.len() as u64) < calls || !open.is_empty() {
        time += 1 + random.below(2_000_000);
        let enter = (all.len() as u64) < calls && (open.is_empty() || random.below(2) == 0);
        if enter {
            open.push(all.len());
            let name = NAMES[random.below(NAMES.len() as u64) as usize];
            all.push(Expected {
                start: time,
                end: 0,
                depth: open.len() as u32 - 1,
                name: name.to_owned(),
            });
        } else if let Some(call) = open.pop() {
            all[call].end = time;
        }
    }
    all
}

/// How a trace is written down.
#[derive(Clone, Copy, Debug)]
struct Style {
    /// Of ten calls, so many as complete events.
    completes: u64,
    /// Events in any order.
    shuffled: bool,
    names_at_ends: bool,
    numbers_as_texts: bool,
    spaces: bool,
}

fn microseconds(ns: u64, style: Style) -> String {
    let number = format!("{}.{:03}", ns / 1000, ns % 1000);
    if style.numbers_as_texts {
        format!("\"{number}\"")
    } else {
        number
    }
}

/// The events of a thread. Those of the same time stand in the order in which they happen.
fn events(calls: &[Expected], thread: &str, style: Style, random: &mut Random) -> Vec<String> {
    let mut timed: Vec<(u64, String)> = Vec::new();
    let pid = if style.numbers_as_texts { "\"7\"" } else { "7" };
    for call in calls {
        let name = serde_json::to_string(&call.name).expect("a string");
        let ids = format!("\"pid\":{pid},\"tid\":\"{thread}\"");
        let (start, end) = (
            microseconds(call.start, style),
            microseconds(call.end, style),
        );
        if random.below(10) < style.completes {
            let dur = microseconds(call.end - call.start, style);
            let event = format!(
                r#"{{"dur":{dur},{ids},"args":{{"x":[1,{{"y":"}}"}}]}},"ts":{start},"ph":"X","name":{name}}}"#
            );
            timed.push((call.end, event));
        } else {
            timed.push((
                call.start,
                format!(r#"{{"ph":"B","name":{name},"ts":{start},{ids}}}"#),
            ));
            let name = if style.names_at_ends {
                format!(r#","name":{name}"#)
            } else {
                String::new()
            };
            timed.push((call.end, format!(r#"{{"ts":{end},"ph":"E",{ids}{name}}}"#)));
        }
    }
    timed.sort_by_key(|(time, _)| *time);
    if style.shuffled {
        for at in (1..timed.len()).rev() {
            timed.swap(at, random.below(at as u64 + 1) as usize);
        }
    }
    let mut events: Vec<String> = timed.into_iter().map(|(_, event)| event).collect();
    if style.spaces {
        for event in &mut events {
            *event = event.replace("{\"", "{ \n\t\"").replace("\":", "\" :\r ");
        }
    }
    events
}

/// The events of several threads, each in its order, mixed.
fn mix(mut threads: Vec<Vec<String>>, random: &mut Random) -> Vec<String> {
    let mut mixed = Vec::new();
    threads.iter_mut().for_each(|events| events.reverse());
    while !threads.is_empty() {
        let thread = random.below(threads.len() as u64) as usize;
        match threads[thread].pop() {
            Some(event) => mixed.push(event),
            None => drop(threads.swap_remove(thread)),
        }
    }
    mixed
}

/// Times from the first of all threads.
fn from_first(threads: &mut [Vec<Expected>]) {
    let first = threads.iter().flatten().map(|call| call.start).min();
    for call in threads.iter_mut().flatten() {
        call.start -= first.unwrap_or(0);
        call.end -= first.unwrap_or(0);
    }
}

#[test]
fn every_way_to_write_a_trace_down_gives_its_call_trees() {
    let scratch = Scratch::new("chrome-random");
    for seed in 0..120 {
        let random = &mut Random(seed);
        let style = Style {
            completes: [0, 0, 10, 5][random.below(4) as usize],
            shuffled: random.below(3) == 0,
            names_at_ends: random.below(2) == 0,
            numbers_as_texts: random.below(2) == 0,
            spaces: random.below(2) == 0,
        };
        let count = 1 + random.below(4) as usize;
        let mut threads: Vec<Vec<Expected>> = (0..count)
            .map(|_| {
                let calls = 1 + random.below(60);
                tree(random, calls)
            })
            .collect();
        let written = threads
            .iter()
            .enumerate()
            .map(|(thread, calls)| events(calls, &format!("t{thread}"), style, random));
        let written: Vec<Vec<String>> = written.collect();
        let events = mix(written, random).join(",\n");
        let forms = [
            format!("[{events}]"),
            format!("\u{feff}  [\n{events}"),
            format!("[{events},\n"),
            format!(
                r#"{{"a":{{"traceEvents":[{{"b":"]"}}]}},"displayTimeUnit":"ms","traceEvents":[{events}],"z":[1]}}"#
            ),
        ];
        let form = &forms[random.below(forms.len() as u64) as usize];
        from_first(&mut threads);
        let plain = scratch.write("plain", form.as_bytes());
        for path in [plain, gzip(&scratch, form), zstd(&scratch, form)] {
            let recording = read(&path);
            for (thread, expected) in threads.iter().enumerate() {
                let found = calls_of(&recording, &format!("t{thread}"));
                assert_eq!(&found, expected, "seed {seed}, {style:?}\n{form}");
            }
            let harmless = ["out-of-order", "unterminated-array"];
            let warnings = warnings(&recording);
            assert!(
                warnings.keys().all(|kind| harmless.contains(kind)),
                "seed {seed}: {warnings:?}"
            );
        }
    }
}

/// As two members, the way concatenated files are.
fn gzip(scratch: &Scratch, text: &str) -> std::path::PathBuf {
    let mut bytes = Vec::new();
    let middle = text.len() / 2;
    for part in [&text.as_bytes()[..middle], &text.as_bytes()[middle..]] {
        let mut encoder = flate2::write::GzEncoder::new(bytes, flate2::Compression::fast());
        encoder.write_all(part).expect("memory takes all");
        bytes = encoder.finish().expect("memory takes all");
    }
    scratch.write("gzip", &bytes)
}

fn zstd(scratch: &Scratch, text: &str) -> std::path::PathBuf {
    let bytes = zstd::stream::encode_all(text.as_bytes(), 1).expect("memory takes all");
    scratch.write("zstd", &bytes)
}

/// Begins and ends that need not match, evaluated with the definition: an end closes the innermost open call of its
/// name, and with it those inside; but where these have only begun by then, and nothing has ended since, it comes first.
#[test]
fn unbalanced_events_are_repaired_as_the_definition_says() {
    let scratch = Scratch::new("chrome-unbalanced");
    for seed in 0..200 {
        let random = &mut Random(seed);
        let mut json = Vec::new();
        let mut expected: Vec<Expected> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let (mut unmatched, mut unended, mut begun) = (0, 0, 0);
        let mut time = 0;
        for event in 0..random.below(120) {
            time += if event == 0 { 0 } else { random.below(3) };
            let name = ["a", "b", "c"][random.below(3) as usize];
            let ts = time;
            if event == 0 || random.below(5) < 3 {
                json.push(format!(
                    r#"{{"ph":"B","name":"{name}","ts":{ts},"pid":1,"tid":1}}"#
                ));
                let is_same = |call: &usize| expected[*call].start == time * 1000;
                begun = 1 + if open.last().is_some_and(is_same) {
                    begun
                } else {
                    0
                };
                open.push(expected.len());
                expected.push(Expected {
                    start: time * 1000,
                    end: 0,
                    depth: open.len() as u32 - 1,
                    name: name.into(),
                });
            } else {
                json.push(format!(
                    r#"{{"ph":"E","name":"{name}","ts":{ts},"pid":1,"tid":1}}"#
                ));
                match open.iter().rposition(|&call| expected[call].name == name) {
                    Some(depth)
                        if depth + 1 < open.len()
                            && open.len() - 1 - depth <= begun.min(16)
                            && expected[open[depth + 1]].start == time * 1000 =>
                    {
                        expected[open.remove(depth)].end = time * 1000;
                        for call in &open[depth..] {
                            expected[*call].depth -= 1;
                        }
                        begun = open.len() - depth;
                    }
                    Some(depth) => {
                        begun = 0;
                        unended += (open.len() - depth - 1) as u64;
                        for call in open.drain(depth..) {
                            expected[call].end = time * 1000;
                        }
                    }
                    None => unmatched += 1,
                }
            }
        }
        // An end that closes nothing does not move a thread's time on.
        let last = expected.iter().map(|call| call.end.max(call.start)).max();
        for &call in &open {
            expected[call].end = last.unwrap_or(0);
        }
        let recording = read(&scratch.write("trace", format!("[{}]", json.join(",")).as_bytes()));
        assert_eq!(
            calls_of(&recording, "1"),
            expected,
            "seed {seed}\n{}",
            json.join("\n")
        );
        let warnings = warnings(&recording);
        let count = |kind| warnings.get(kind).copied().unwrap_or(0);
        assert_eq!(count("end-without-begin"), unmatched, "seed {seed}");
        assert_eq!(count("missing-end"), unended, "seed {seed}");
        assert_eq!(count("open-at-end"), open.len() as u64, "seed {seed}");
    }
}

#[test]
fn complete_events_that_overlap_go_to_further_lanes() {
    let scratch = Scratch::new("chrome-overlap");
    let trace = r#"[
        {"ph":"X","name":"inner","ts":5,"dur":10,"pid":1,"tid":1},
        {"ph":"X","name":"outer","ts":0,"dur":10,"pid":1,"tid":1},
        {"ph":"X","name":"of inner","ts":6,"dur":8,"pid":1,"tid":1},
        {"ph":"X","name":"of outer","ts":6,"dur":1,"pid":1,"tid":2},
        {"ph":"X","name":"next","ts":10,"dur":0,"pid":1,"tid":1},
        {"ph":"X","name":"last","ts":15,"dur":1,"pid":1,"tid":1}]"#;
    let recording = read(&scratch.write("trace", trace.as_bytes()));
    let found = |id: &str| -> Vec<_> {
        let calls = calls_of(&recording, id).into_iter();
        calls
            .map(|call| (call.name, call.start / 1000, call.end / 1000, call.depth))
            .collect()
    };
    let call = |name: &str, start, end, depth| (name.to_owned(), start, end, depth);
    assert_eq!(
        found("1"),
        [call("outer", 0, 10, 0), call("last", 15, 16, 0)]
    );
    // What the overlapping one encloses lies in it.
    let further = [
        call("inner", 5, 15, 0),
        call("of inner", 6, 14, 1),
        call("next", 10, 10, 2),
    ];
    assert_eq!(found("1, lane 2"), further);
    let threads = recording.trace.threads().iter();
    let ids: Vec<_> = threads.map(|it| (it.id.as_str(), it.lane)).collect();
    assert_eq!(ids, [("1", 0), ("1, lane 2", 2), ("2", 0)]);
    assert_eq!(warnings(&recording).get("overlap"), None);
}

/// Whatever overlaps: each event is a call with its duration, on lanes that nest.
#[test]
fn lanes_keep_every_duration() {
    let scratch = Scratch::new("chrome-lanes");
    for seed in 0..120 {
        let random = &mut Random(seed);
        let (mut json, mut expected) = (Vec::new(), Vec::new());
        // Some in order of start, which go to the builder as they come.
        let is_ordered = seed % 2 == 0;
        let mut events: Vec<(u64, u64)> = (0..1 + random.below(150))
            .map(|_| (random.below(200), random.below(60)))
            .collect();
        if is_ordered {
            events.sort_by_key(|&(start, cost)| (start, std::cmp::Reverse(cost)));
        }
        for (start, cost) in events {
            json.push(format!(
                r#"{{"ph":"X","name":"f","ts":{start},"dur":{cost},"pid":1,"tid":1}}"#
            ));
            expected.push((start * 1000, cost * 1000));
        }
        let recording = read(&scratch.write("trace", format!("[{}]", json.join(",")).as_bytes()));
        let origin = expected.iter().map(|it| it.0).min().unwrap_or(0);
        let mut found = Vec::new();
        for thread in recording.trace.threads() {
            let mut open: Vec<u64> = Vec::new();
            for call in calls_of(&recording, &thread.id) {
                open.truncate(call.depth as usize);
                assert!(
                    open.last().is_none_or(|&end| call.end <= end),
                    "seed {seed}"
                );
                open.push(call.end);
                found.push((call.start + origin, call.end - call.start));
            }
        }
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "seed {seed}\n{}", json.join("\n"));
        assert_eq!(warnings(&recording), [].into(), "seed {seed}");
    }
}

#[test]
fn an_end_at_the_time_of_a_begin_comes_before_it_where_it_ends_another() {
    let scratch = Scratch::new("chrome-ends-first");
    let mark = |phase: &str, name: &str, ts: u32| {
        format!(r#"{{"ph":"{phase}","name":"{name}","ts":{ts},"pid":1,"tid":1}}"#)
    };
    let marks = [("B", "a", 1), ("B", "b", 3), ("E", "a", 3), ("E", "b", 7)];
    let marks = marks.map(|(phase, name, ts)| mark(phase, name, ts));
    let complete = r#"{"ph":"X","name":"c","ts":8,"dur":1,"pid":1,"tid":1}"#.to_owned();
    // With a complete event they are put in order in another way.
    for events in [marks.to_vec(), [marks.to_vec(), vec![complete]].concat()] {
        let recording = read(&scratch.write("trace", format!("[{}]", events.join(",")).as_bytes()));
        let calls = calls_of(&recording, "1");
        let found: Vec<_> = calls
            .iter()
            .map(|call| (call.name.as_str(), call.start, call.end, call.depth))
            .collect();
        assert_eq!(found[..2], [("a", 0, 2000, 0), ("b", 2000, 6000, 0)]);
        assert_eq!(warnings(&recording), [].into());
    }
}

/// An end that matches nothing must not cost a walk through all that is open.
#[test]
fn a_deep_stack_under_ends_that_match_nothing_takes_no_time() {
    let scratch = Scratch::new("chrome-deep");
    let mut json = String::from("[");
    for _ in 0..200_000 {
        json.push_str(r#"{"ph":"B","name":"f","ts":1,"pid":1,"tid":1},"#);
    }
    for _ in 0..200_000 {
        json.push_str(r#"{"ph":"E","name":"g","ts":2,"pid":1,"tid":1},"#);
    }
    // Makes the name known on another thread.
    json.push_str(r#"{"ph":"B","name":"g","ts":2,"pid":1,"tid":2}]"#);
    let recording = read(&scratch.write("trace", json.as_bytes()));
    assert_eq!(recording.trace.max_depth(), 200_000);
    assert_eq!(warnings(&recording)["end-without-begin"], 200_000);
}

#[test]
fn a_wish_to_cancel_ends_an_import() {
    let scratch = Scratch::new("chrome-cancel");
    let path = scratch.write("trace", b"[]");
    let progress = Progress::new();
    progress.cancel();
    let error = callscape::import::open(&path, &progress).expect_err("cancelled");
    assert_eq!(error.to_string(), "cancelled");
}

#[test]
fn progress_reaches_the_size_of_the_file() {
    let scratch = Scratch::new("chrome-progress");
    let event = r#"{"ph":"X","name":"f","ts":1,"dur":1,"pid":1,"tid":1},"#;
    let path = scratch.write("trace", format!("[{}", event.repeat(20_000)).as_bytes());
    let progress = Progress::new();
    callscape::import::open(&path, &progress).expect("a trace");
    let (step, done, total) = progress.state();
    assert!(step.contains("trace"), "{step}");
    assert_eq!(
        (done, total),
        (path.metadata().expect("a file").len(), done)
    );
}
