//! A recording against the summary that perf trace itself wrote below it, and literal lines.

use super::*;
use crate::made;

const SHELL: &str = include_str!("../../../tests/data/import/perf-trace/shell.txt");

/// The calls, errors and nanoseconds by function, as the summary has them.
fn summary(text: &str) -> BTreeMap<&str, (u64, u64, i64)> {
    let mut sums: BTreeMap<&str, (u64, u64, i64)> = BTreeMap::new();
    let (_, summary) = text.split_once("Summary of events").expect("a summary");
    for line in summary.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [name, calls, errors, total, ..] = words[..]
            && let (Ok(calls), Ok(errors)) = (calls.parse::<u64>(), errors.parse::<u64>())
        {
            let sum = sums.entry(name).or_default();
            let total = milliseconds(total).expect("a time");
            *sum = (sum.0 + calls, sum.1 + errors, sum.2 + total);
        }
    }
    sums
}

#[test]
fn calls_are_those_of_the_summary() {
    let recording = made::found(FORMAT, SHELL);
    let expected = summary(SHELL);
    assert!(expected.len() >= 5, "{expected:?}");
    let metrics = recording.function_metrics(None);
    for (&name, &(calls, errors, total)) in &expected {
        let mut ids = recording.functions.ids();
        let id = ids.find(|&id| recording.functions.get(id).name == name);
        let id = id.expect("the function");
        let found = metrics[id.index()];
        // In new processes clone has no begin.
        let unknown = format!("[continued]: {name}())");
        let unknown = SHELL
            .lines()
            .filter(|line| line.contains("? (") && line.contains(&unknown));
        assert_eq!(found.calls, calls - unknown.count() as u64, "{name}");
        assert_eq!(recording.failed(id), errors, "{name}");
        // Each thread's sum is rounded, and so is each call.
        let apart = (found.total.ns() as i64 - total).abs();
        assert!(apart <= 500 * (calls as i64 + 4), "{name} {apart}");
    }
    let lines = |part: &str| SHELL.lines().filter(|line| line.contains(part)).count();
    let found = made::counted(&recording);
    assert!(found.contains(&format!("missing-time {}", lines(" ? ("))));
    assert!(found.contains(&format!("missing-duration {}", lines("exit_group()"))));
    assert_eq!(found.len(), 3, "{found:?}");
}

const LINES: &str = "\
         ? (         ): app/7  ... [continued]: execve())                                           = 0
     0.100 (         ): k/0:1 x/8 futex(uaddr: 0x10, op: WAIT)                                      ...
     0.200 ( 0.050 ms): app/7 openat(dfd: CWD, filename: \"a, b: \\\"c\\\"\", flags: RDONLY|CLOEXEC) = 3</a, b>
                                       __open64 (/lib/libc.so.6)
     0.249 ( 0.010 ms): app/7 ioctl(fd: 3, cmd: _IOC(NONE, 0x61, 0x1, 0))                           = -1 ENOTTY (Inappropriate ioctl for device)
     0.300 ( 0.000 ms): app/7 minfault [_start+0x0] => /lib/ld.so@0x1 (d.)
     0.350 app/7 sched:sched_waking(comm: \"k\", pid: 8)
LOST 12 events!
hello (world)
     0.100 ( 0.400 ms): k/0:1 x/8  ... [continued]: futex())                                        = 0
     0.700 (         ): app/7 read(fd: 0)                                                          ...
";

#[test]
fn lines_are_read_with_their_arguments() {
    let recording = made::found(FORMAT, LINES);
    assert_eq!(
        made::calls(&recording),
        [
            "/8 k/0:1 x: futex@0+400000^0",
            "/7 app: openat@100000+50000^0 ioctl@150000+10000^0 read@600000+0^0",
        ]
    );
    assert_eq!(
        made::counted(&recording),
        [
            "event-not-shown 2",
            "events-lost 12",
            "line-not-shown 1",
            "missing-time 1",
            "open-at-end 1",
            "stack-not-shown 1"
        ]
    );
    let trace = &recording.trace;
    let thread = trace.thread_ids().nth(1).expect("a thread");
    let told = |call| {
        let list = trace.arguments(thread, callscape_base::units::CallId(call));
        let shown = list.iter().map(|it| format!("{}={:?}", it.name, it.value));
        shown.collect::<Vec<String>>().join(" ")
    };
    assert_eq!(
        told(0),
        "dfd=Text(\"CWD\") filename=Text(\"a, b: \\\\\\\"c\\\\\\\"\") flags=Text(\"RDONLY|CLOEXEC\") return=Text(\"3</a, b>\")"
    );
    assert_eq!(
        told(1),
        "fd=Integer(3) cmd=Text(\"_IOC(NONE, 0x61, 0x1, 0)\") return=Text(\"-1 ENOTTY (Inappropriate ioctl for device)\")"
    );
    assert_eq!(told(2), "fd=Integer(0)");
}

#[test]
fn a_single_thread_needs_no_name() {
    let text = "     1.000 ( 0.004 ms): read(fd: 3</x/12 y>, count: 1)  = 5\n     2.000 ( 0.500 ms): poll(0x1, 2) = 0\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::calls(&recording),
        ["/all : read@0+4000^0 poll@1000000+500000^0"]
    );
}

#[test]
fn calls_whose_times_go_back_keep_their_arguments() {
    let text =
        "     9.000 ( 1.000 ms): a/1 read(fd: 1) = 5\n     2.000 ( 0.500 ms): a/1 poll(n: 2) = 0\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::calls(&recording),
        ["/1 a: read@0+1000000^0 poll@1000000+500000^0"]
    );
    assert_eq!(made::counted(&recording), ["time-goes-back 1"]);
    assert_eq!(recording.trace.calls_with_arguments(), 2);
}

#[test]
fn damaged_texts_are_read_as_far_as_they_go() {
    made::survives(import, LINES.as_bytes());
    let text = "     1.000 ( 0.004 ms): a/1 read() = 5\n     1.0 ( 0.004 ms): a/1 read() = 5\n     3.000 (         ): a/1 poll() ...\n     4.000 ( 1.000 ms): a/1 read() = 5\n";
    let recording = made::read(import, text.as_bytes()).expect("a recording");
    assert_eq!(
        made::calls(&recording),
        ["/1 a: read@0+4000^0 poll@2000000+0^0 read@3000000+1000000^0"]
    );
    let found = made::counted(&recording);
    assert_eq!(found, ["line-not-shown 1", "missing-end 1"]);
}

#[test]
fn other_texts_are_not_taken() {
    for text in [
        " 0)   0.631 us    |  a();\n",
        "     0.423 ls/9 sched:sched_waking(comm: \"k\")\n",
        "12:00:00.123 (main): a() = 3\n",
        " 1.123 (main): a() = 3\n",
        "main;a (x.c:3) 3\n",
        "",
    ] {
        assert!(!sniff(text.as_bytes()), "{text}");
    }
}
