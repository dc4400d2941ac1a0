//! Tests with the numbers that austin's own tools give.

use super::*;
use crate::made;

/// Where a sample of the main thread of these processes stands.
fn main_thread(process: u32) -> String {
    format!("P{process};T0:{process};<module> (/app/work.py);main (/app/work.py)")
}

fn sum(lines: &[String]) -> i64 {
    let weights = lines.iter().filter_map(|line| line.rsplit_once(' '));
    weights
        .filter_map(|(_, weight)| weight.parse::<i64>().ok())
        .sum()
}

fn names(recording: &Recording) -> Vec<String> {
    let profile = recording.profile.as_ref().expect("a profile");
    profile.values().iter().map(|it| it.name.clone()).collect()
}

#[test]
fn times_are_those_of_mojo2austin() {
    let recording = made::found(FORMAT, made::sample("austin/work-wall.mojo"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(
        names(&recording),
        [super::super::samplers::WALL_TIME, "samples"]
    );
    // Lines that it writes, and the sum of their times.
    assert_eq!(recording.samples, 18);
    let stacks = made::stacks(&recording, 0);
    assert_eq!(sum(&stacks), 176_226_000);
    let main = main_thread(28701);
    let expected = [
        format!("{main};busy (/app/work.py) 60561000"),
        format!("{main};nap (/app/work.py) 50638000"),
    ];
    for expected in expected {
        assert!(stacks.contains(&expected), "{stacks:#?}");
    }
}

#[test]
fn values_of_a_line_are_those_that_austin_writes() {
    let recording = made::found(FORMAT, made::sample("austin/work-full.austin"));
    assert_eq!(made::warnings(&recording), []);
    let expected = [
        "wall time",
        "processor time",
        "memory",
        "memory given back",
        "samples",
    ];
    assert_eq!(names(&recording), expected);
    assert_eq!(recording.samples, 19);
    let main = main_thread(28691);
    let of = |value| made::stacks(&recording, value);
    assert!(of(0).contains(&format!("{main};nap (/app/work.py) 50501000")));
    assert!(of(0).contains(&format!("{main};busy (/app/work.py) 53156000")));
    // Idle samples take no processor.
    assert!(!of(1).iter().any(|stack| stack.contains("nap")));
    assert_eq!(sum(&of(1)), sum(&of(0)) - 50_501_000 - 53_624_000);
    assert_eq!(sum(&of(2)), 8192 + 3_284_992 + 1_605_632);
    let back = ["P28691;T0:28691 4145152", "P28691;T0:28695;:INVALID: 4096"];
    assert_eq!(of(3), back);
}

#[test]
fn all_values_are_read_of_the_binary_form() {
    let recording = made::found(FORMAT, made::sample("austin/work-full.mojo"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(names(&recording).len(), 5);
    let stacks = made::stacks(&recording, 0);
    let nap = format!("{};nap (/app/work.py) 51556000", main_thread(28705));
    assert!(stacks.contains(&nap), "{stacks:#?}");
    assert!(
        !made::stacks(&recording, 1)
            .iter()
            .any(|stack| stack.contains("main (/app/work.py);nap"))
    );
    let recording = made::found(FORMAT, made::sample("austin/work-memory.mojo"));
    assert_eq!(
        names(&recording),
        ["memory", "memory given back", "samples"]
    );
    assert_eq!(
        sum(&made::stacks(&recording, 0)),
        102_400 + 1_204_224 + 4_898_816
    );
    assert_eq!(made::stacks(&recording, 1), ["P28714;T0:28714 4149248"]);
}

/// Version 4 as austin-python writes it: a task of asyncio, and a stack that repeats below a frame of the kernel.
const TASKS: &[u8] = b"MOJ\x04\x01mode\0wall\0\x02\x07\0\x31f\0\x0b\x02job\0\x0b\x03/app/a.py\0\x0b\x04await_it\0\
    \x03\0\x03\x04\x03\x03\x01\x02\x0e\x01\x02\x01\x05\0\x0b\x05main\0\x03\x01\x03\x05\x03\x03\x01\x02\x0b\x06run\0\
    \x03\x02\x03\x06\x03\x03\x01\x02\x05\x01\x05\x02\x09\xa4\x01\x02\x07\0\x31f\0\x06do_read\0\x0d\x09\x32";

#[test]
fn stacks_repeat_and_tasks_are_counted() {
    let recording = made::found(FORMAT, TASKS);
    assert_eq!(made::warnings(&recording), [("task-not-shown", 1)]);
    let stack = "P7;T0:31;main (/app/a.py);run (/app/a.py)";
    let expected = [format!("{stack} 100000"), format!("{stack};do_read 50000")];
    assert_eq!(made::stacks(&recording, 0), expected);
}

#[test]
fn keys_have_all_bits_of_an_address() {
    let key = b"\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x03";
    let mut bytes = b"MOJ\x03\x02\x07\0a\0\x0b\x02f\0\x03".to_vec();
    bytes.extend(key);
    bytes.extend(b"\x02\x02\x01\0\0\0\x05");
    bytes.extend(key);
    bytes.extend(b"\x09\x05");
    let recording = made::found(FORMAT, &bytes);
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(made::stacks(&recording, 0), ["P7;T0:10;f (f) 5000"]);
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    assert!(made::cut(import, TASKS) > 10);
    made::damage(import, TASKS);
    made::cut(import, &made::sample("austin/work-memory.mojo"));
    let full = made::sample("austin/work-full.austin");
    assert!(made::cut(import, &full[..600]) > 400);
    made::damage(import, &full[..200]);
    // A number that does not end, and a stack that is not there.
    for wrong in [
        &b"MOJ\x03\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0"[..],
        b"MOJ\x03\x0d\x05\0",
    ] {
        assert!(made::read(import, wrong).is_err());
    }
    let text = b"# austin: 3.7.0\n# mode: full\n\nP1;T1;a.py:f:1 5,0,x\nP1;T1;a.py:f:1 5,0,7\n";
    assert_eq!(
        made::warnings(&made::found(FORMAT, text)),
        [("missing-count", 1)]
    );
}

#[test]
fn text_with_one_value_is_folded_stacks() {
    let text = b"# austin: 3.7.0\n# mode: wall\n\nP1;T1;a.py:f:1 5\n";
    let recording = made::found(super::super::folded::FORMAT, text);
    assert_eq!(recording.samples, 1);
    assert!(!sniff(b"MOJITO") && !sniff(b"# austin: 3\n\n# mode: full\n"));
}
