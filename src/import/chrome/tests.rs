//! The same calls in the orders in which writers put them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, ThreadId};
use callscape_facts::recording::Recording;

/// Thread, start, end, depth and name.
type Call = (String, u64, u64, u32, String);

/// A small random number generator.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Calls of up to three threads, in order of start. No two events of a thread have one time, so that the order in
/// which they are written says nothing.
fn calls(random: &mut Random) -> Vec<Call> {
    let mut calls = Vec::new();
    for thread in 0..1 + random.below(3) {
        let (mut time, mut open) = (1 + thread, Vec::new());
        let wide = 1 + random.below(4);
        for _ in 0..random.below(1200) {
            time += match random.below(100) {
                0 => 3_000_000_000,
                _ => 1 + random.below(5000),
            };
            if random.below(2 + wide) > wide / 2 && open.len() < 100 {
                let name = format!("f{}", random.below(20));
                open.push(calls.len());
                let depth = open.len() as u32 - 1;
                calls.push((thread.to_string(), time, 0, depth, name));
            } else if let Some(call) = open.pop() {
                calls[call].2 = time;
            }
        }
        while let Some(call) = open.pop() {
            time += 1;
            calls[call].2 = time;
        }
    }
    calls
}

fn microseconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

fn event(phase: &str, call: &Call, time: u64) -> String {
    let (thread, start, end, _, name) = call;
    let (ts, dur) = (microseconds(time), microseconds(end - start));
    format!(r#"{{"ph":"{phase}","pid":1,"tid":{thread},"ts":{ts},"dur":{dur},"name":"{name}"}}"#)
}

/// The calls of a file of these events, and how many of them had to be repaired.
fn read(events: &[String]) -> (Vec<Call>, usize) {
    read_bytes(format!("[\n{}\n]", events.join(",\n")).as_bytes())
}

/// Reads a file of its own.
pub(super) fn read_recording(file: &[u8]) -> Recording {
    // Tests run beside each other in one process.
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("callscape-orders-{}-{number}", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    std::fs::write(&path, file).expect("room");
    let input = Input::on_disk(path.clone());
    let recording = super::import(&input, &Progress::new()).expect("a trace");
    std::fs::remove_file(path).expect("just written");
    recording
}

fn read_bytes(file: &[u8]) -> (Vec<Call>, usize) {
    let recording = read_recording(file);
    let trace = &recording.trace;
    let origin = trace.origin() as u64;
    let mut calls = Vec::new();
    for (index, thread) in trace.threads().iter().enumerate() {
        for call in 0..thread.calls as u32 {
            let call = trace.call(ThreadId(index as u32), CallId(call));
            let (start, end) = (call.start.ns() + origin, call.end.ns() + origin);
            let name = recording.functions.get(call.function).name.to_owned();
            calls.push((thread.id.clone(), start, end, call.depth, name));
        }
    }
    calls.sort();
    (calls, recording.warnings.len())
}

#[test]
fn calls_are_the_same_in_whatever_order_their_events_are_written() {
    for seed in 0..20 {
        let random = &mut Random(seed);
        let mut calls = calls(random);
        let complete = |calls: &[Call]| -> Vec<String> {
            calls.iter().map(|call| event("X", call, call.1)).collect()
        };
        let by_thread = complete(&calls);
        let mut marks = Vec::new();
        for call in &calls {
            marks.push((call.1, event("B", call, call.1)));
            marks.push((call.2, event("E", call, call.2)));
        }
        marks.sort_by_key(|mark| mark.0);
        let marks: Vec<String> = marks.into_iter().map(|mark| mark.1).collect();
        calls.sort_by_key(|call| call.1);
        let by_start = complete(&calls);
        calls.sort_by_key(|call| call.2);
        let by_end = complete(&calls);
        for _ in 0..calls.len() * 2 {
            let count = calls.len() as u64;
            calls.swap(random.below(count) as usize, random.below(count) as usize);
        }
        let shuffled = complete(&calls);
        calls.sort();
        for (order, events) in [
            ("thread", by_thread),
            ("start", by_start),
            ("end", by_end),
            ("no order", shuffled),
            ("begin and end", marks),
        ] {
            assert_eq!(read(&events), (calls.clone(), 0), "seed {seed}, {order}");
        }
    }
}

/// Found by fuzzing: each spelling came in order of time, the thread that both are did not.
#[test]
fn a_thread_spelled_in_two_ways_is_one() {
    for spellings in [
        [&b"\"1\""[..], br#""\u0031""#],
        [b"\"\xa01\"", b"\"\xe81\""],
    ] {
        let mut file = b"[".to_vec();
        for (spelling, time) in spellings.iter().zip(["7", "6"]) {
            for (phase, name) in [("B", "b"), ("E", "b")] {
                let begin =
                    format!(r#"{{"ph":"{phase}","name":"{name}{time}","ts":{time},"tid":1,"pid":"#);
                file.extend([begin.as_bytes(), spelling, b"},"].concat());
            }
        }
        file.extend(b"{}]");
        let (calls, _) = read_bytes(&file);
        let calls: Vec<(u64, &str)> = calls.iter().map(|call| (call.1, call.4.as_str())).collect();
        assert_eq!(calls, [(6000, "b6"), (7000, "b7")]);
    }
}

#[test]
fn what_lies_inside_too_many_calls_is_left_out() {
    let deep = 250;
    let at = |phase: &str, ts: usize, dur: usize, name: usize| {
        format!(r#"{{"ph":"{phase}","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"f{name}"}}"#)
    };
    let mut marks: Vec<String> = (0..deep).map(|n| at("B", n, 0, n)).collect();
    marks.extend((0..deep).map(|n| at("E", deep + n, 0, deep - 1 - n)));
    marks.extend([at("B", 9000, 0, 0), at("E", 9001, 0, 0)]);
    let completes = (0..deep).map(|n| at("X", n, 2 * deep - 1 - 2 * n, n));
    let completes: Vec<String> = completes.chain([at("X", 9000, 1, 0)]).collect();
    for events in [marks, completes] {
        let (calls, warnings) = read(&events);
        assert_eq!((calls.len(), warnings), (201, 1));
        for (start, end, depth) in calls.iter().map(|call| (call.1, call.2, call.3)) {
            let expected = match start {
                9_000_000 => 9_001_000,
                _ => 1000 * (2 * deep as u64 - 1 - u64::from(depth)),
            };
            assert_eq!(end, expected, "{start}");
        }
    }
}

#[test]
fn calls_that_overlap_keep_their_durations_in_whatever_order_they_are_written() {
    for seed in 0..30 {
        let random = &mut Random(seed);
        let mut calls: Vec<Call> = (0..200)
            .map(|_| {
                let (start, cost) = (1 + random.below(3000), random.below(60));
                let thread = random.below(2).to_string();
                (thread, start, start + cost, 0, format!("f{cost}"))
            })
            .collect();
        calls.sort_by_key(|call| (call.1, std::cmp::Reverse(call.2)));
        let complete = |calls: &[Call]| -> Vec<String> {
            calls.iter().map(|call| event("X", call, call.1)).collect()
        };
        // In order of start they go to the builder as they come.
        let by_start = read(&complete(&calls));
        for _ in 0..400 {
            calls.swap(random.below(200) as usize, random.below(200) as usize);
        }
        let shuffled = read(&complete(&calls));
        assert_eq!(by_start, shuffled, "seed {seed}");
        let times = |calls: &[Call]| {
            let mut times: Vec<(u64, u64)> = calls.iter().map(|call| (call.1, call.2)).collect();
            times.sort_unstable();
            times
        };
        assert_eq!(
            (times(&by_start.0), by_start.1),
            (times(&calls), 0),
            "seed {seed}"
        );
        // On each lane they nest.
        let mut open: Vec<&Call> = Vec::new();
        let mut in_order: Vec<&Call> = by_start.0.iter().collect();
        in_order.sort_by_key(|call| (&call.0, call.1, std::cmp::Reverse(call.2), call.3));
        for call in in_order {
            open.retain(|around| around.0 == call.0 && around.3 < call.3);
            assert!(open.iter().all(|around| call.2 <= around.2), "seed {seed}");
            open.push(call);
        }
    }
}
