//! uftrace data directories made at random, against the call trees that they were made of.

use std::fmt::Write;

use super::{Expected, Scratch, calls_of, read, warnings};
use crate::common::Random;
use callscape::import::index::save;
use callscape::units::Time;

const BASE: u64 = 0x5555_5555_0000;
const FUNCTIONS: u64 = 12;

/// One record, and its arguments behind it.
fn record(out: &mut Vec<u8>, time: u64, kind: u64, depth: u64, function: u64, arguments: &[u8]) {
    let address = BASE + function * 32;
    let more = u64::from(!arguments.is_empty());
    out.extend(time.to_le_bytes());
    out.extend((kind | more << 2 | 5 << 3 | (depth & 1023) << 6 | address << 16).to_le_bytes());
    out.extend(arguments);
    out.resize(out.len().next_multiple_of(8), 0);
}

/// What arguments look like: numbers, pointers, strings with their length before them.
fn arguments(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(4) {
        match random.below(3) {
            0 => bytes.extend(random.below(100).to_le_bytes()),
            1 => bytes.extend((0x7fff_0000_0000 + random.below(1 << 20)).to_le_bytes()),
            _ => {
                let length = random.below(40) as u16;
                bytes.extend(length.to_le_bytes());
                bytes.extend((0..length).map(|_| b'a' + random.below(26) as u8));
            }
        }
    }
    bytes
}

/// The files that all tasks share.
fn write_shared(scratch: &Scratch, tasks: &[u64]) {
    let mut info = b"Ftrace!\0".to_vec();
    info.extend(4_u32.to_le_bytes());
    info.extend([40, 0, 1, 2]);
    info.extend([0; 24]);
    scratch.write("info", &info);
    let mut task = String::from("SESS timestamp=0.5 pid=100 sid=ab exename=\"/src/app\"\n");
    for tid in tasks {
        writeln!(task, "TASK timestamp=0.6 tid={tid} pid=100").expect("memory takes all");
    }
    scratch.write("task.txt", task.as_bytes());
    let end = BASE + FUNCTIONS * 32;
    scratch.write(
        "sid-ab.map",
        format!("{BASE:x}-{end:x} r-xp 00000000 00:00 0 /src/app\n").as_bytes(),
    );
    let mut symbols = String::new();
    for function in 0..FUNCTIONS {
        writeln!(symbols, "{:016x} t f{function}", function * 32).expect("memory takes all");
    }
    writeln!(symbols, "{:016x} ? __sym_end", FUNCTIONS * 32).expect("memory takes all");
    scratch.write("app.sym", symbols.as_bytes());
}

/// A random call tree as the calls of a task and its records.
fn task(
    random: &mut Random,
    count: u64,
    with_arguments: bool,
    enter_of_ten: u64,
) -> (Vec<Expected>, Vec<u8>) {
    let (mut calls, mut open, mut out): (Vec<Expected>, Vec<(usize, u64)>, _) =
        (Vec::new(), Vec::new(), Vec::new());
    let mut time = 1_000_000_000_000 + random.below(1000);
    while (calls.len() as u64) < count || !open.is_empty() {
        time += random.below(100_000);
        let arguments = if with_arguments {
            arguments(random)
        } else {
            Vec::new()
        };
        let enter =
            (calls.len() as u64) < count && (open.is_empty() || random.below(10) < enter_of_ten);
        if enter {
            let function = random.below(FUNCTIONS);
            record(&mut out, time, 0, open.len() as u64, function, &arguments);
            open.push((calls.len(), function));
            calls.push(Expected {
                start: time,
                end: 0,
                depth: open.len() as u32 - 1,
                name: format!("f{function}"),
            });
        } else if let Some((call, function)) = open.pop() {
            record(&mut out, time, 1, open.len() as u64, function, &arguments);
            calls[call].end = time;
        }
    }
    (calls, out)
}

#[test]
fn records_with_and_without_arguments_give_the_call_trees() {
    for seed in 0..60 {
        let random = &mut Random(seed);
        let scratch = Scratch::new(&format!("uftrace-{seed}"));
        let tids: Vec<u64> = (0..1 + random.below(3)).map(|task| 100 + task).collect();
        write_shared(&scratch, &tids);
        let with_arguments = random.below(2) == 0;
        let mut all = Vec::new();
        for tid in &tids {
            let count = 1 + random.below(200);
            let (calls, records) = task(random, count, with_arguments, 5);
            scratch.write(&format!("{tid}.dat"), &records);
            all.push(calls);
        }
        let first = all
            .iter()
            .flatten()
            .map(|call| call.start)
            .min()
            .unwrap_or(0);
        let recording = read(&scratch.0);
        for (tid, mut expected) in tids.iter().zip(all) {
            for call in &mut expected {
                call.start -= first;
                call.end -= first;
            }
            assert_eq!(
                calls_of(&recording, &tid.to_string()),
                expected,
                "seed {seed}, task {tid}"
            );
        }
        assert_eq!(recording.warnings, [], "seed {seed}");
    }
}

/// A record holds ten bits of the depth.
#[test]
fn calls_deeper_than_a_record_can_say_keep_their_depth() {
    let scratch = Scratch::new("uftrace-deep");
    write_shared(&scratch, &[100]);
    let (calls, records) = task(&mut Random(1), 6000, false, 9);
    let deepest = calls.iter().map(|call| call.depth + 1).max();
    assert!(deepest > Some(3000), "{deepest:?}");
    scratch.write("100.dat", &records);
    let recording = read(&scratch.0);
    assert_eq!(Some(recording.trace.max_depth()), deepest);
    assert_eq!(recording.warnings, []);
}

/// longjmp(3) leaves calls without a record of their end, and setjmp(3) returns twice.
#[test]
fn calls_left_by_a_long_jump_end_where_it_lands() {
    let scratch = Scratch::new("uftrace-longjmp");
    write_shared(&scratch, &[100]);
    let mut out = Vec::new();
    // f0 calls f1 (setjmp), which returns, then f2, f3, f4 (longjmp), whereupon f1 returns once more.
    for (time, kind, depth, function) in [
        (10, 0, 0, 0),
        (11, 0, 1, 1),
        (12, 1, 1, 1),
        (13, 0, 1, 2),
        (14, 0, 2, 3),
        (15, 0, 3, 4),
        (20, 1, 1, 1),
        (21, 0, 1, 5),
        (22, 1, 1, 5),
        (23, 1, 0, 0),
    ] {
        record(&mut out, time, kind, depth, function, &[]);
    }
    scratch.write("100.dat", &out);
    let recording = read(&scratch.0);
    let calls = calls_of(&recording, "100");
    let found: Vec<_> = calls
        .iter()
        .map(|call| (call.name.as_str(), call.start, call.end, call.depth))
        .collect();
    assert_eq!(
        found,
        [
            ("f0", 0, 13, 0),
            ("f1", 1, 2, 1),
            ("f2", 3, 10, 1),
            ("f3", 4, 10, 2),
            ("f4", 5, 10, 3),
            ("f5", 11, 12, 1)
        ]
    );
    let warnings = warnings(&recording);
    assert_eq!(
        (warnings["missing-end"], warnings["end-without-begin"]),
        (3, 1)
    );
}

/// A forked process begins inside its parent's calls.
#[test]
fn calls_that_a_forked_process_begins_in_are_open_from_its_start() {
    let scratch = Scratch::new("uftrace-fork");
    write_shared(&scratch, &[100]);
    let mut parent = Vec::new();
    for (time, kind, depth, function) in
        [(10, 0, 0, 0), (11, 0, 1, 1), (20, 1, 1, 1), (90, 1, 0, 0)]
    {
        record(&mut parent, time, kind, depth, function, &[]);
    }
    let mut child = Vec::new();
    for (time, kind, depth, function) in
        [(15, 1, 1, 1), (16, 0, 1, 2), (17, 1, 1, 2), (30, 1, 0, 0)]
    {
        record(&mut child, time, kind, depth, function, &[]);
    }
    scratch.write("100.dat", &parent);
    scratch.write("101.dat", &child);
    let tasks = std::fs::read_to_string(scratch.0.join("task.txt")).expect("just written");
    scratch.write(
        "task.txt",
        format!("{tasks}FORK timestamp=0.7 pid=101 ppid=100\n").as_bytes(),
    );
    let recording = read(&scratch.0);
    let calls = calls_of(&recording, "101");
    let found: Vec<_> = calls
        .iter()
        .map(|call| (call.name.as_str(), call.start, call.end, call.depth))
        .collect();
    assert_eq!(found, [("f0", 5, 20, 0), ("f1", 5, 5, 1), ("f2", 6, 7, 1)]);
    assert_eq!(warnings(&recording)["begun-before-recording"], 2);
}

/// The calls of a task as far as records tell them that were kept: `parts` are the times from which and up to which, not
/// included, recording was on. What a part tells of a call is when it began in it and when it ended in it.
fn known(calls: &[Expected], parts: &[(u64, u64)], times: &[u64]) -> Vec<Expected> {
    let mut all = Vec::new();
    for &(from, until) in parts {
        let of_part = |time: u64| (from..until).contains(&time);
        let mut kept = times.iter().copied().filter(|&it| of_part(it));
        let Some(first) = kept.next() else { continue };
        let last = kept.next_back().unwrap_or(first);
        let is_known = |call: &&Expected| of_part(call.start) || of_part(call.end);
        // Of calls that are open all the time nothing is known.
        let around = calls
            .iter()
            .filter(|it| it.start < from && it.end >= until)
            .count();
        all.extend(calls.iter().filter(is_known).map(|call| Expected {
            start: call.start.max(first),
            end: call.end.min(last),
            depth: call.depth - around as u32,
            name: call.name.clone(),
        }));
    }
    all
}

#[test]
fn no_call_reaches_across_a_time_in_which_recording_was_off() {
    for seed in 0..60 {
        let random = &mut Random(1000 + seed);
        let scratch = Scratch::new(&format!("uftrace-off-{seed}"));
        write_shared(&scratch, &[100]);
        let with_arguments = random.below(2) == 0;
        let count = 20 + random.below(200);
        let (calls, records) = task(random, count, false, 5);
        let mut times: Vec<u64> = calls.iter().flat_map(|it| [it.start, it.end]).collect();
        times.sort_unstable();
        let mut switches: Vec<u64> = (0..1 + random.below(6))
            .map(|_| times[0] + 1 + random.below(times[times.len() - 1] - times[0]))
            .collect();
        switches.sort_unstable();
        switches.dedup();
        let mut log = format!("on 100 {}\noff 7 {}\n", times[0], times[0] + 1);
        let mut parts = vec![(0, u64::MAX)];
        for (number, &time) in switches.iter().enumerate() {
            let is_off = number % 2 == 0;
            let to = if is_off { "off" } else { "on" };
            writeln!(log, "{to} 100 {time}").expect("memory takes all");
            match parts.last_mut().filter(|_| is_off) {
                Some(part) => part.1 = time,
                None => parts.push((time, u64::MAX)),
            }
        }
        scratch.write("callscape-switches.txt", log.as_bytes());
        let is_kept = |time: u64| parts.iter().any(|part| (part.0..part.1).contains(&time));
        let mut kept = Vec::new();
        for record in records.chunks(16) {
            let time = u64::from_le_bytes(record[..8].try_into().expect("eight bytes"));
            if is_kept(time) {
                kept.extend(record);
                if with_arguments {
                    let at = kept.len() - 8;
                    kept[at] |= 4;
                    kept.extend(7_u64.to_le_bytes());
                }
            }
        }
        scratch.write("100.dat", &kept);
        let recording = read(&scratch.0);
        let mut expected = known(&calls, &parts, &times);
        let origin = expected.iter().map(|it| it.start).min().unwrap_or(0);
        for call in &mut expected {
            call.start -= origin;
            call.end -= origin;
        }
        assert_eq!(calls_of(&recording, "100"), expected, "seed {seed}");
        let end = recording.trace.range().end.ns();
        // Around every event and every switch.
        let around = times.iter().chain(&switches);
        let around = around.flat_map(|&it| [it.saturating_sub(1), it, it + 1]);
        let around = around.filter_map(|it| it.checked_sub(origin));
        for time in around.filter(|&it| it < end) {
            let is_gap = recording.gaps.at(Time::from_ns(time)).is_some();
            assert_eq!(is_gap, !is_kept(origin + time), "seed {seed}, {time}");
            let is_open = |it: &Expected| it.start <= time && time < it.end;
            assert!(!is_gap || !expected.iter().any(is_open), "seed {seed}");
        }
        let last = recording.gaps.all().last();
        assert!(last.is_none_or(|it| it.end.ns() <= end), "seed {seed}");
        let index = scratch.0.with_extension("callscape");
        save(&recording, &index).expect("an index");
        let again = read(&index);
        assert_eq!(again.gaps, recording.gaps, "seed {seed}");
        let _ = std::fs::remove_file(&index);
        let said = warnings(&recording);
        assert!(said["recording-switched-off"] > 0, "seed {seed}");
        assert!(!said.contains_key("missing-end"), "seed {seed}: {said:?}");
        assert!(
            !said.contains_key("end-without-begin"),
            "seed {seed}: {said:?}"
        );
    }
}
