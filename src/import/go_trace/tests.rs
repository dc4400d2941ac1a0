//! Recordings of the programs in `tests/data/import/go-trace` with several versions of Go, against what
//! `go tool trace -d=parsed` of Go 1.27 says of them.

use super::*;
use crate::formats::format_of;
use crate::made;
use callscape_base::units::ThreadId;
use callscape_facts::trace::LinkKind;

const ASSIST: &str = "GC mark assist";

/// What the tool says of a trace, times in nanoseconds.
struct Expected {
    trace: &'static [u8],
    /// Regions and tasks: how many there are and how long they took.
    named: &'static [(&'static str, u64, u64)],
    goroutines: usize,
    syscalls: (u64, u64),
    /// How long all goroutines waited.
    waiting: u64,
    /// Goroutines and tasks that a goroutine began, and those that it woke.
    links: [u64; 2],
}

const EXPECTED: [Expected; 6] = [
    Expected {
        trace: include_bytes!("../../../tests/data/import/go-trace/regions-1.22.trace"),
        named: &[
            ("work", 6, 9_828_992),
            ("sleep", 6, 8_151_296),
            ("item xx", 2, 1_918_720),
            ("batch", 1, 5_729_664),
        ],
        goroutines: 10,
        syscalls: (10, 171_072),
        waiting: 36_158_663,
        links: [5 + 7, 7],
    },
    Expected {
        trace: include_bytes!("../../../tests/data/import/go-trace/regions-1.23.trace"),
        named: &[
            ("work", 6, 9_548_160),
            ("sleep", 6, 8_099_392),
            ("item xx", 2, 998_528),
            ("batch", 1, 4_934_976),
        ],
        goroutines: 10,
        syscalls: (10, 58_432),
        waiting: 27_721_735,
        links: [5 + 7, 7],
    },
    Expected {
        trace: include_bytes!("../../../tests/data/import/go-trace/regions-1.25.trace"),
        named: &[
            ("work", 6, 9_357_824),
            ("sleep", 6, 8_020_928),
            ("item xx", 2, 1_336_704),
            ("batch", 1, 5_076_032),
        ],
        goroutines: 10,
        syscalls: (11, 122_752),
        waiting: 27_811_271,
        links: [5 + 7, 7],
    },
    Expected {
        trace: include_bytes!("../../../tests/data/import/go-trace/regions-1.26.trace"),
        named: &[
            ("work", 6, 8_742_848),
            ("sleep", 6, 7_518_528),
            ("item xx", 2, 1_222_656),
            ("batch", 1, 5_199_104),
        ],
        goroutines: 10,
        syscalls: (11, 118_848),
        waiting: 28_118_535,
        links: [5 + 7, 7],
    },
    // With samples, by a goroutine that reads them in a system call.
    Expected {
        trace: include_bytes!("../../../tests/data/import/go-trace/samples-1.26.trace"),
        named: &[
            ("work", 6, 10_462_400),
            ("sleep", 6, 9_130_304),
            ("item xx", 2, 1_553_408),
            ("batch", 1, 5_925_312),
        ],
        goroutines: 13,
        syscalls: (38, 186_097_792),
        waiting: 1_521_590_793,
        links: [7 + 7, 12],
    },
    // Of two generations.
    Expected {
        trace: include_bytes!("../../../tests/data/import/go-trace/generations-1.23.trace"),
        named: &[("tick", 4, 1_203_541_632), ("long", 1, 1_203_617_344)],
        goroutines: 9,
        syscalls: (8, 96_256),
        waiting: 6_827_499_655,
        links: [4 + 1, 2],
    },
];

fn read(trace: &[u8]) -> Recording {
    let (format, import) = format_of(trace).expect("a known format");
    assert_eq!(format.id, FORMAT);
    made::read(import, trace).expect("a recording")
}

fn is_goroutine(thread: &str) -> bool {
    thread.parse::<u64>().is_ok()
}

/// How many calls there are of which name, depth and thread `is_one`, and their nanoseconds.
fn sum(recording: &Recording, is_one: impl Fn(&str, u32, &str) -> bool) -> (u64, u64) {
    let trace = &recording.trace;
    let mut found = (0, 0);
    for (thread, id) in trace.threads().iter().zip(trace.thread_ids()) {
        for call in trace.calls_numbered(id, 0..u32::MAX) {
            let name = recording.functions.get(call.function).name;
            if is_one(name, call.depth, &thread.id) {
                found = (found.0 + 1, found.1 + call.cost().ns());
            }
        }
    }
    found
}

/// How long a thread has waited, in nanoseconds.
fn waited_on(recording: &Recording, thread: ThreadId) -> u64 {
    let trace = &recording.trace;
    trace.waited_until(thread, trace.range().end).ns()
}

fn assert_near(found: u64, expected: u64, what: &str) {
    let is_near = found.abs_diff(expected) < 1000;
    assert!(is_near, "{what}: {found}, not {expected}");
}

#[test]
fn calls_waiting_and_links_are_those_of_the_tool() {
    for expected in &EXPECTED {
        let recording = read(expected.trace);
        let trace = &recording.trace;
        for &(name, count, time) in expected.named {
            let found = sum(&recording, |it, _, _| it == name);
            assert_eq!(found.0, count, "{name}");
            assert_near(found.1, time, name);
        }
        let threads = trace.threads().iter();
        let goroutines = threads.filter(|it| is_goroutine(&it.id)).count();
        assert_eq!(goroutines, expected.goroutines);
        let first = sum(&recording, |_, depth, thread| {
            depth == 0 && is_goroutine(thread)
        });
        assert_eq!(first.0, expected.goroutines as u64);
        let is_region = |name: &str| expected.named.iter().any(|it| it.0 == name) || name == ASSIST;
        let syscalls = sum(&recording, |name, depth, thread| {
            depth > 0 && is_goroutine(thread) && !is_region(name)
        });
        assert_eq!(syscalls.0, expected.syscalls.0);
        assert_near(syscalls.1, expected.syscalls.1, "system calls");
        let waited = trace
            .thread_ids()
            .map(|thread| waited_on(&recording, thread));
        assert_near(waited.sum(), expected.waiting, "waiting");
        let [begun, woken] = expected.links;
        let links = [(LinkKind::AsyncBegin, begun), (LinkKind::WakeUp, woken)];
        assert_eq!(trace.links_by_kind(), links);
        let found = made::counted(&recording);
        let is_known =
            |it: &String| it.starts_with("event-not-shown") || it.starts_with("open-at-end");
        assert!(found.iter().all(is_known), "{found:?}");
    }
}

#[test]
fn samples_are_a_thread_beside_their_goroutine() {
    let recording = read(EXPECTED[4].trace);
    let threads: Vec<&str> = recording
        .trace
        .threads()
        .iter()
        .map(|it| it.id.as_str())
        .collect();
    assert!(threads.contains(&"1, samples"), "{threads:?}");
    // All but the last are whole intervals of 10 ms.
    let (calls, time) = sum(&recording, |name, _, thread| {
        name == "main.spin" && thread == "1, samples"
    });
    assert!(
        calls > 0 && (40_000_000..200_000_000).contains(&time),
        "{calls} {time}"
    );
}

#[test]
fn collections_are_calls() {
    let recording = read(EXPECTED[4].trace);
    for (name, of, time) in [("GC", "GC", 1_377_408), (ASSIST, "4", 116_672)] {
        let found = sum(&recording, |it, _, thread| it == name && thread == of);
        assert_eq!(found.0, 1, "{name}");
        assert_near(found.1, time, name);
    }
}

#[test]
fn goroutines_are_called_after_their_first_functions() {
    let recording = read(EXPECTED[0].trace);
    let threads = recording.trace.threads().iter();
    let names: Vec<&str> = threads.map(|it| it.name.as_str()).collect();
    for (name, count) in [("main.worker", 2), ("main.main", 1)] {
        let found = names.iter().filter(|it| **it == name).count();
        assert_eq!(found, count, "{name} {names:?}");
    }
}

#[test]
fn damaged_traces_are_read_as_far_as_they_go() {
    let trace = EXPECTED[0].trace;
    // Events stand at its start, tables at its end.
    made::survives(import, &trace[..600]);
    for end in (600..trace.len()).step_by(11) {
        let mut damaged = trace.to_vec();
        damaged[end] = damaged[end].wrapping_mul(37).wrapping_add(11);
        let _ = made::read(import, &trace[..end]);
        let _ = made::read(import, &damaged);
    }
    // Without its last batch.
    let trace = EXPECTED[1].trace;
    let recording = read(&trace[..trace.len() - 1]);
    assert!(made::counted(&recording).contains(&"truncated-file 1".to_owned()));
}

#[test]
fn other_versions_are_not_taken() {
    let with = |version: &str| format!("go 1.{version} trace\0\0\0");
    assert!(sniff(with("22").as_bytes()) && sniff(with("31").as_bytes()));
    for head in [&with("21"), &with("11"), &with("2x"), "go 1.22 trace", ""] {
        assert!(!sniff(head.as_bytes()), "{head}");
    }
    let (what, _) = crate::unread::recognise(with("21").as_bytes()).expect("a known one");
    assert_eq!(what, "a trace of Go 1.21 or older");
}
