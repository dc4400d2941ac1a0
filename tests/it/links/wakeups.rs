//! Wake-ups of the kernel, and flows in the older manner.

use serde_json::json;

use super::super::common::Scratch;
use super::{ByPair, contexts, field, kinds, relations, run, varint};

/// A field that is a number.
fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(value, out);
}

fn message(fields: &[(u64, u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &(field, value) in fields {
        number(field, value, &mut bytes);
    }
    bytes
}

/// A packet of a writer at a time, with one field.
fn packet(time: u64, number: u64, content: &[u8], trace: &mut Vec<u8>) {
    let mut bytes = message(&[(8, time), (10, 1)]);
    field(number, content, &mut bytes);
    field(1, &bytes, trace);
}

/// The track of a thread.
fn thread(id: u64, trace: &mut Vec<u8>) {
    let mut track = message(&[(1, id)]);
    field(4, &message(&[(1, 5), (2, id)]), &mut track);
    packet(0, 60, &track, trace);
}

/// A begin, an end, or an event of the older kind.
fn event(time: u64, track: u64, kind: u64, name: &str, legacy: &[(u64, u64)], trace: &mut Vec<u8>) {
    let mut event = message(&[(9, kind), (11, track)]);
    if !name.is_empty() {
        field(23, name.as_bytes(), &mut event);
    }
    if !legacy.is_empty() {
        field(6, &message(legacy), &mut event);
    }
    packet(time, 11, &event, trace);
}

fn links(file: &std::path::Path) -> (ByPair, ByPair, serde_json::Value) {
    let file = file.to_str().expect("text");
    let links = relations(&run(&["graph", "--json", file]), "links");
    let info = run(&["info", "--json", file]);
    let kinds = kinds(&info).into_iter();
    let kinds = kinds.map(|(kind, count)| ((kind, String::new()), count));
    (links, kinds.collect(), info["warnings"].clone())
}

fn pair(from: &str, to: &str, count: u64) -> ((String, String), u64) {
    ((from.to_owned(), to.to_owned()), count)
}

#[test]
fn a_thread_that_wakes_another_in_perfetto_is_linked_to_it() {
    let scratch = Scratch::new("links-wakeups-perfetto");
    let calls = |trace: &mut Vec<u8>| {
        thread(7, trace);
        thread(8, trace);
        event(10, 7, 1, "works", &[], trace);
        event(10, 8, 1, "waits", &[], trace);
        event(60, 7, 2, "", &[], trace);
        event(60, 8, 2, "", &[], trace);
    };
    // Each for itself: 17 is sched_wakeup, 20 sched_waking, 114 sched_wakeup_new.
    let kernel = |events: &[(u64, u64, u64, u64)]| {
        let mut trace = Vec::new();
        calls(&mut trace);
        let mut bundle = message(&[(1, 0)]);
        for &(time, by, kind, woken) in events {
            let mut event = message(&[(1, time), (2, by)]);
            field(kind, &message(&[(2, woken)]), &mut event);
            field(2, &event, &mut bundle);
        }
        packet(0, 1, &bundle, &mut trace);
        scratch.write("trace.pftrace", &trace)
    };
    let (found, of_kind, lost) = links(&kernel(&[(20, 7, 17, 8), (30, 7, 17, 8), (31, 0, 17, 8)]));
    assert_eq!(found, [pair("works", "waits", 2)].into());
    assert_eq!(of_kind, [pair("wake-up", "", 2)].into());
    assert_eq!(lost, json!([]));
    // The same wake-ups told twice, one of a thread that has no calls, and the first of a thread.
    let told = [
        (20, 7, 20, 8),
        (21, 7, 17, 8),
        (30, 9, 20, 8),
        (40, 8, 114, 7),
    ];
    let (found, _, lost) = links(&kernel(&told));
    assert_eq!(
        found,
        [pair("works", "waits", 1), pair("waits", "works", 1)].into()
    );
    assert_eq!(
        (&lost[0]["kind"], &lost[0]["count"]),
        (&json!("link-without-call"), &json!(1))
    );
    // In columns: who runs is who wakes.
    let mut trace = Vec::new();
    calls(&mut trace);
    let packed = |numbers: &[u64]| {
        let mut bytes = Vec::new();
        numbers.iter().for_each(|it| varint(*it, &mut bytes));
        bytes
    };
    let mut columns = Vec::new();
    for (number, values) in [
        (1, [15, 20]),
        (2, [0, 1]),
        (3, [7, 8]),
        (7, [5, 20]),
        (8, [8, 8]),
    ] {
        field(number, &packed(&values), &mut columns);
    }
    let mut bundle = message(&[(1, 0)]);
    field(4, &columns, &mut bundle);
    packet(0, 1, &bundle, &mut trace);
    let (found, _, _) = links(&scratch.write("columns.pftrace", &trace));
    // At 5 nobody is known to run, at 25 it is 7.
    assert_eq!(found, [pair("works", "waits", 1)].into());
}

#[test]
fn flows_in_the_older_manner_of_perfetto_are_links() {
    let scratch = Scratch::new("links-legacy-perfetto");
    let mut trace = Vec::new();
    thread(7, &mut trace);
    thread(8, &mut trace);
    let [out, into] = [2, 1].map(|direction| [(8, 99), (13, direction)]);
    event(10, 7, 1, "posts", &out, &mut trace);
    // s and f with an id: the end means the next slice, of a track that has none yet.
    let of = |phase: u8, id| [(2, u64::from(phase)), (6, id)];
    event(12, 7, 0, "arrow", &of(b's', 1), &mut trace);
    event(20, 7, 2, "", &[], &mut trace);
    event(25, 8, 0, "arrow", &of(b'f', 1), &mut trace);
    event(25, 8, 0, "arrow", &of(b'f', 2), &mut trace);
    event(30, 8, 1, "runs", &into, &mut trace);
    event(40, 8, 2, "", &[], &mut trace);
    let (found, of_kind, lost) = links(&scratch.write("trace.pftrace", &trace));
    assert_eq!(found, [pair("posts", "runs", 2)].into());
    assert_eq!(of_kind, [pair("flow", "", 2)].into());
    assert_eq!(lost.as_array().map(Vec::len), Some(1));
    assert_eq!(lost[0]["kind"], "link-without-call");
}

#[test]
fn wake_ups_in_texts_of_the_kernel_are_links_but_no_callers() {
    let scratch = Scratch::new("links-wakeups-text");
    let systrace = "# tracer: nop\n\
        a-7 (5) [000] ...1 1.000010: tracing_mark_write: B|5|works\n\
        b-8 (5) [001] ...1 1.000010: tracing_mark_write: B|5|waits\n\
        a-7 (5) [000] ...1 1.000020: sched_waking: comm=b pid=8 prio=120 target_cpu=001\n\
        a-7 (5) [000] ...1 1.000030: tracing_mark_write: E|5\n\
        b-8 (5) [001] ...1 1.000040: tracing_mark_write: E|5\n";
    let perf = "a 5/7 [000] 1.000010: 1000 cpu-clock: \n\t1 works (a)\n\n\
        b 5/8 [001] 1.000010: 1000 cpu-clock: \n\t2 waits (a)\n\n\
        a 5/7 [000] 1.000011: 1 sched:sched_waking: comm=b pid=8 prio=120 target_cpu=001\n\t1 works (a)\n\n\
        a 5/7 [000] 1.000012: 1000 cpu-clock: \n\t1 works (a)\n\n\
        b 5/8 [001] 1.000012: 1000 cpu-clock: \n\t2 waits (a)\n\n";
    for (name, text) in [("trace.systrace", systrace), ("perf.txt", perf)] {
        let file = scratch.write(name, text.as_bytes());
        let (found, of_kind, _) = links(&file);
        assert_eq!(found, [pair("works", "waits", 1)].into(), "{name}");
        assert_eq!(of_kind, [pair("wake-up", "", 1)].into(), "{name}");
        let file = file.to_str().expect("text");
        assert_eq!(
            contexts(&run(&["contexts", "--json", file])),
            ByPair::new(),
            "{name}"
        );
    }
}

#[test]
fn a_transaction_of_binder_links_its_two_ends() {
    let scratch = Scratch::new("links-binder");
    let expected = ByPair::from([pair("asks", "answers", 1)]);
    let mut trace = Vec::new();
    thread(7, &mut trace);
    thread(8, &mut trace);
    event(10, 7, 1, "asks", &[], &mut trace);
    event(40, 8, 1, "answers", &[], &mut trace);
    event(50, 8, 2, "", &[], &mut trace);
    event(60, 7, 2, "", &[], &mut trace);
    let mut bundle = message(&[(1, 0)]);
    // 50 is binder_transaction, 51 binder_transaction_received.
    for (time, by, kind) in [(20, 7, 50), (30, 8, 51)] {
        let mut event = message(&[(1, time), (2, by)]);
        field(kind, &message(&[(1, 99)]), &mut event);
        field(2, &event, &mut bundle);
    }
    packet(70, 1, &bundle, &mut trace);
    let (found, counted, warnings) = links(&scratch.write("binder.pftrace", &trace));
    assert_eq!((found, warnings), (expected.clone(), json!([])));
    assert_eq!(counted, ByPair::from([pair("flow", "", 1)]));
    let text = "\
    app-7 (   5) [000] ...1   1.000010: tracing_mark_write: B|5|asks
    app-7 (   5) [000] ...1   1.000020: binder_transaction: transaction=99 dest_node=1 dest_proc=5 dest_thread=0 reply=0 flags=0x10 code=0x3
    srv-8 (   5) [001] ...1   1.000030: binder_transaction_received: transaction=99
    srv-8 (   5) [001] ...1   1.000040: tracing_mark_write: B|5|answers
    srv-8 (   5) [001] ...1   1.000050: tracing_mark_write: E|5
    app-7 (   5) [000] ...1   1.000060: tracing_mark_write: E|5
";
    let (found, counted, warnings) = links(&scratch.write("binder.txt", text.as_bytes()));
    assert_eq!((found, warnings), (expected, json!([])));
    assert_eq!(counted, ByPair::from([pair("flow", "", 1)]));
}
