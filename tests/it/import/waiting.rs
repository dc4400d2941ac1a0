//! When threads wait, as each format says it.

use std::path::Path;

use callscape::facts::recording::Recording;
use callscape::facts::trace::{FunctionMetrics, Wait, Why};
use callscape::units::{ThreadId, TimeRange};

use super::{Scratch, read};
use crate::common::{data, large_data};

/// What a function of a recording has.
fn metrics(recording: &Recording, name: &str) -> FunctionMetrics {
    let all = recording.function_metrics(None);
    let mut found = recording.functions.ids().zip(all);
    let found = found.find(|(id, _)| recording.functions.get(*id).name == name);
    found.expect("a function of the recording").1
}

/// Total and self waiting of a function, in nanoseconds.
fn waited(recording: &Recording, name: &str) -> (u64, u64) {
    let of = metrics(recording, name);
    (of.waiting.ns(), of.self_waiting.ns())
}

fn waits(recording: &Recording, thread: u32) -> Vec<Wait> {
    let mut waits = Vec::new();
    let all = TimeRange::new(callscape::units::Time::ZERO, callscape::units::Time::MAX);
    recording.trace.waits_in(ThreadId(thread), all, |wait| {
        waits.push(wait);
        true
    });
    waits
}

fn chrome(test: &str, events: &str) -> Recording {
    let scratch = Scratch::new(test);
    scratch.write("trace.json", format!("[{events}]").as_bytes());
    read(&scratch.0.join("trace.json"))
}

#[test]
fn what_passes_while_a_clock_of_a_thread_stands_is_waiting() {
    // The inner call runs for 10 of its 50 µs, the outer one all the rest.
    let recording = chrome(
        "tts-complete",
        r#"{"ph":"X","pid":1,"tid":1,"name":"outer","ts":0,"dur":100,"tts":500,"tdur":60},
           {"ph":"X","pid":1,"tid":1,"name":"inner","ts":20,"dur":50,"tts":520,"tdur":10}"#,
    );
    assert_eq!(waited(&recording, "outer"), (40_000, 0));
    assert_eq!(waited(&recording, "inner"), (40_000, 40_000));
    let recording = chrome(
        "tts-begin",
        r#"{"ph":"B","pid":1,"tid":1,"name":"outer","ts":0,"tts":7},
           {"ph":"B","pid":1,"tid":1,"name":"inner","ts":20,"tts":17},
           {"ph":"E","pid":1,"tid":1,"name":"inner","ts":70,"tts":27},
           {"ph":"E","pid":1,"tid":1,"name":"outer","ts":100,"tts":57},
           {"ph":"X","pid":1,"tid":2,"name":"other","ts":0,"dur":5}"#,
    );
    assert_eq!(waited(&recording, "outer"), (50_000, 10_000));
    assert_eq!(waited(&recording, "inner"), (40_000, 40_000));
    assert_eq!(waited(&recording, "other"), (0, 0));
    assert!(waits(&recording, 0).iter().all(|it| it.why == Why::Unknown));
    // Clocks are rounded: what seems to be gained is not lost again.
    let recording = chrome(
        "tts-rounded",
        r#"{"ph":"B","pid":1,"tid":1,"name":"a","ts":0,"tts":0},
           {"ph":"B","pid":1,"tid":1,"name":"b","ts":3,"tts":4},
           {"ph":"E","pid":1,"tid":1,"ts":6,"tts":6},
           {"ph":"E","pid":1,"tid":1,"ts":9,"tts":8}"#,
    );
    assert_eq!(waited(&recording, "a"), (1000, 1000));
}

#[test]
fn calls_that_only_say_how_long_they_ran_have_waited_the_rest() {
    let recording = chrome(
        "tdur",
        r#"{"ph":"X","pid":1,"tid":1,"name":"outer","ts":0,"dur":100,"tdur":30},
           {"ph":"X","pid":1,"tid":1,"name":"inner","ts":20,"dur":50,"tdur":10},
           {"ph":"X","pid":1,"tid":1,"name":"last","ts":80,"dur":20,"tdur":20}"#,
    );
    assert_eq!(waited(&recording, "outer"), (70_000, 30_000));
    assert_eq!(waited(&recording, "inner"), (40_000, 40_000));
    assert_eq!(waited(&recording, "last"), (0, 0));
}

#[test]
fn a_trace_without_clocks_of_threads_knows_no_waiting() {
    let event = r#"{"ph":"X","pid":1,"tid":1,"name":"a","ts":0,"dur":100}"#;
    let recording = chrome("no-tts", event);
    assert!(!recording.trace.knows_waiting());
    assert_eq!(recording.trace.waiting_known(), None);
}

#[test]
fn a_thread_of_a_firefox_profile_waits_where_it_ran_for_less_than_passed() {
    let scratch = Scratch::new("thread-cpu-delta");
    let profile = |unit: &str| {
        format!(
            r#"{{"meta":{{"interval":1,"preprocessedProfileVersion":50,"sampleUnits":{{"time":"ms",
            "eventDelay":"ms","threadCPUDelta":"{unit}"}}}},"libs":[],"threads":[{{"name":"main","pid":1,"tid":1,
            "stringArray":["f","g"],
            "funcTable":{{"length":2,"name":[0,1],"lineNumber":[null,null],"resource":[-1,-1]}},
            "frameTable":{{"length":2,"func":[0,1],"line":[null,null]}},
            "stackTable":{{"length":2,"frame":[0,1],"prefix":[null,0]}},
            "samples":{{"length":4,"stack":[0,1,1,0],"time":[0,1,2,3],"threadCPUDelta":[null,1000,250,1000]}}}}]}}"#
        )
    };
    scratch.write("profile.json", profile("µs").as_bytes());
    let recording = read(&scratch.0.join("profile.json"));
    assert_eq!(waited(&recording, "f"), (750_000, 0));
    assert_eq!(waited(&recording, "g"), (750_000, 750_000));
    scratch.write("cycles.json", profile("variable CPU cycles").as_bytes());
    let recording = read(&scratch.0.join("cycles.json"));
    assert!(!recording.trace.knows_waiting());
}

#[test]
fn a_java_thread_waits_where_it_sleeps_parks_or_wants_a_monitor() {
    let recording = read(&data("import/jfr/rest.jfr.gz"));
    let expected = std::fs::read_to_string(data("import/jfr/rest.waits.txt")).expect("the waits");
    let mut threads = recording.trace.threads().iter();
    let main = threads.position(|thread| thread.id == "1").expect("main");
    let expected: Vec<(u64, u64)> = expected
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|fields| fields[2] == "1")
        .map(|fields| {
            (
                fields[0].parse().unwrap_or(0),
                fields[1].parse().unwrap_or(0),
            )
        })
        .collect();
    // Times count from one interval before the first sample. Only threads that run are sampled: what is known of waits
    // along time lies in calls that go on over a short one.
    let interval = recording.known_to().expect("an interval").ns();
    let found = waits(&recording, main as u32);
    assert!(found.len() < expected.len());
    for wait in &found {
        let is_it = |(start, length): &(u64, u64)| {
            let start = wait.start.ns().abs_diff(start + interval);
            start < 2000 && wait.waited.ns().abs_diff(*length) < 2000
        };
        assert!(expected.iter().any(is_it), "{wait:?}");
        assert_eq!(wait.why, Why::Voluntary);
    }
    // But their stacks are told: wall time is that of samples and of waits.
    let ran = metrics(&recording, "Rest.main").total.ns();
    let waited: u64 = expected.iter().map(|it| it.1).sum();
    let mut recording = recording;
    recording.show_value("wall time").expect("waits are told");
    let wall = metrics(&recording, "Rest.main").total.ns();
    assert!(
        waited > 500_000_000 && wall.abs_diff(ran + waited) < 30_000,
        "{wall}, {ran} and {waited}"
    );
}

/// A field of a protocol buffer that is a number, or bytes.
fn number(field: u64, value: u64) -> Vec<u8> {
    let mut out = varint(field << 3);
    out.extend(varint(value));
    out
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    let mut out = varint(field << 3 | 2);
    out.extend(varint(value.len() as u64));
    out.extend(value);
    out
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// A packet with a slice's begin or end on the track of thread 5.
fn slice(time: u64, name: Option<&str>) -> Vec<u8> {
    let mut event = number(9, if name.is_some() { 1 } else { 2 });
    event.extend(number(11, 77));
    event.extend(name.map_or(Vec::new(), |name| bytes(23, name.as_bytes())));
    let packet = [number(8, time), number(10, 1), bytes(11, &event)].concat();
    bytes(1, &packet)
}

fn perfetto(test: &str, kernel: &[Vec<u8>]) -> Recording {
    let thread = [number(1, 4), number(2, 5)].concat();
    let descriptor = [number(1, 77), bytes(4, &thread)].concat();
    let mut trace = bytes(1, &[number(10, 1), bytes(60, &descriptor)].concat());
    trace.extend(slice(1000, Some("outer")));
    trace.extend(slice(2000, Some("inner")));
    for bundle in kernel {
        trace.extend(bytes(1, &bytes(1, bundle)));
    }
    trace.extend(slice(6000, None));
    trace.extend(slice(9000, None));
    let scratch = Scratch::new(test);
    scratch.write("trace.perfetto", &trace);
    read(&scratch.0.join("trace.perfetto"))
}

fn sched_switch(time: u64, previous: u64, state: u64, next: u64) -> Vec<u8> {
    let switch = [number(2, previous), number(4, state), number(6, next)].concat();
    bytes(2, &[number(1, time), bytes(4, &switch)].concat())
}

#[test]
fn a_thread_of_a_perfetto_trace_waits_from_one_switch_to_the_next() {
    // Taken while it could go on, on one processor, and given another; later it waits for something. Processors come in
    // bundles of their own.
    let first = [
        number(1, 0),
        sched_switch(3000, 5, 0x100, 9),
        sched_switch(7500, 9, 1, 5),
    ];
    let second = [
        number(1, 1),
        sched_switch(4000, 0, 0, 5),
        sched_switch(7000, 5, 1, 0),
    ];
    let recording = perfetto("sched-switch", &[first.concat(), second.concat()]);
    assert_eq!(waited(&recording, "outer"), (1500, 500));
    assert_eq!(waited(&recording, "inner"), (1000, 1000));
    let found: Vec<_> = waits(&recording, 0)
        .iter()
        .map(|it| (it.start.ns(), it.end.ns(), it.why))
        .collect();
    let expected = [(2000, 3000, Why::Preempted), (6000, 6500, Why::Voluntary)];
    assert_eq!(found, expected);
    assert_eq!(recording.warnings, []);
}

#[test]
fn switches_in_columns_are_those_one_by_one() {
    let packed = |values: &[u64]| -> Vec<u8> { values.iter().flat_map(|&v| varint(v)).collect() };
    let columns = [
        bytes(1, &packed(&[2500, 500, 1000, 3000])),
        bytes(2, &packed(&[1, 0x100, 1, 2])),
        bytes(3, &packed(&[5, 9, 5, 0])),
    ];
    let first = [number(1, 3), bytes(4, &columns.concat())].concat();
    // What the next bundle of the processor begins with was taken from the last of this one.
    let columns = [
        bytes(1, &packed(&[8000])),
        bytes(2, &packed(&[1])),
        bytes(3, &packed(&[5])),
    ];
    let second = [number(1, 3), bytes(4, &columns.concat())].concat();
    let recording = perfetto("compact-sched", &[first, second]);
    let found: Vec<_> = waits(&recording, 0)
        .iter()
        .map(|it| (it.start.ns(), it.end.ns(), it.why))
        .collect();
    let expected = [(2000, 3000, Why::Preempted), (6000, 7000, Why::Voluntary)];
    assert_eq!(found, expected);
}

/// Nanoseconds and how exact they are, of a time as uftrace prints it.
fn uftrace_time(number: &str, unit: &str) -> (f64, f64) {
    let scale = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => 60e9,
    };
    let number: f64 = number.parse().expect("a number");
    (number * scale, scale / 1000.0)
}

/// Holds totals, self times and calls of all functions against `uftrace report -f total,self,call`.
fn assert_report(recording: &Recording, report: &Path) {
    let mut found = std::collections::BTreeMap::new();
    let all = recording.function_metrics(None);
    for (id, of) in recording.functions.ids().zip(all) {
        let name = recording.functions.get(id).name.to_owned();
        // uftrace takes a switch to another task for a function of its own.
        let own = of.self_cost.saturating_sub(of.self_waiting);
        let sum = found.entry(name).or_insert((0, 0, 0));
        *sum = (sum.0 + of.total.ns(), sum.1 + own.ns(), sum.2 + of.calls);
    }
    let text = std::fs::read_to_string(report).expect("the report");
    let mut rows = 0;
    for line in text.lines().skip(2) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (total, exact) = uftrace_time(fields[0], fields[1]);
        let (own, own_exact) = uftrace_time(fields[2], fields[3]);
        let calls: u64 = fields[4].parse().expect("a count");
        let name = fields[5..].join(" ");
        if name.starts_with("linux:schedule") {
            continue;
        }
        let of = found.get(&name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(of.2, calls, "{name}");
        assert!(
            (of.0 as f64 - total).abs() <= exact + 1.0,
            "{name} {of:?} {line}"
        );
        assert!(
            (of.1 as f64 - own).abs() <= own_exact + 1.0,
            "{name} {of:?} {line}"
        );
        rows += 1;
    }
    assert_eq!(rows, found.len());
}

/// The recording in a folder or an archive, in a scratch folder: an index must not be written beside it.
fn of_uftrace(name: &str, from: &Path) -> Recording {
    let scratch = Scratch::new(&format!("waiting-{name}"));
    let mut command = std::process::Command::new(if from.is_dir() { "cp" } else { "tar" });
    match from.is_dir() {
        true => command.arg("-r").arg(from).arg(scratch.0.join(name)),
        false => command.arg("-xzf").arg(from).arg("-C").arg(&scratch.0),
    };
    assert!(command.status().expect("cp and tar").success());
    read(&scratch.0.join(name))
}

#[test]
fn every_function_has_the_total_self_time_and_calls_of_the_report_of_uftrace() {
    for name in ["threads", "lost"] {
        let recording = read(&data(&format!("import/{name}.uftrace")));
        assert_report(&recording, &data(&format!("import/{name}.report.txt")));
        assert!(recording.trace.knows_waiting());
    }
    let Some(dir) = large_data("uftrace") else {
        return;
    };
    for name in [
        "sqlite-join-optimized",
        "sqlite-join-unoptimized",
        "lua-queens",
        "lua-report-optimized",
        "lua-report-unoptimized",
    ] {
        let folder = dir.join(name);
        let archive = dir.join(format!("{name}.tar.gz"));
        let from = if folder.is_dir() { folder } else { archive };
        let recording = of_uftrace(name, &from);
        assert_report(&recording, &dir.join(format!("facts/{name}.report.txt")));
    }
}

#[test]
fn a_run_beside_others_runs_as_long_and_waits_longer() {
    let Some(dir) = large_data("causes") else {
        return;
    };
    let [quiet, busy] = ["same-quiet", "same-busy"]
        .map(|name| of_uftrace(name, &dir.join(format!("{name}.tar.gz"))))
        .map(|recording| metrics(&recording, "main"));
    let ran = |of: &FunctionMetrics| of.total.saturating_sub(of.waiting).ns() as f64;
    assert!(
        (ran(&busy) / ran(&quiet) - 1.0).abs() < 0.15,
        "{quiet:?} {busy:?}"
    );
    let more = (busy.waiting.ns() - quiet.waiting.ns()) as f64;
    assert!(more > 0.8 * (busy.total.ns() - quiet.total.ns()) as f64);
}

#[test]
fn events_of_the_scheduler_that_were_lost_are_counted() {
    let scratch = Scratch::new("waiting-lost");
    let folder = scratch.0.join("tasks.uftrace");
    std::fs::create_dir_all(&folder).expect("a folder");
    for file in std::fs::read_dir(data("import/tasks.uftrace")).expect("a recording") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), folder.join(file.file_name())).expect("a copy");
    }
    let events = folder.join("perf-cpu0.dat");
    let mut bytes = std::fs::read(&events).expect("events of the scheduler");
    // Of type 2 and 24 bytes: of which buffer, and how many.
    for number in [2_u64 | 24 << 48, 1, 7] {
        bytes.extend(number.to_le_bytes());
    }
    std::fs::write(events, bytes).expect("it can be written");
    let counted = super::warnings(&read(&folder))["lost-scheduler-events"];
    assert_eq!(counted, 7);
}

#[test]
fn a_thread_of_a_text_of_the_kernel_waits_from_one_switch_to_the_next() {
    let text = "\
# tracer: nop
  my app-5  ( 4) [000] ...1  1.000001: tracing_mark_write: B|4|outer
  my app-5  ( 4) [000] ...1  1.000002: tracing_mark_write: B|4|inner
  my app-5  ( 4) [000] d..2  1.000003: sched_switch: prev_comm=my app prev_pid=5 prev_prio=120 prev_state=R+ ==> next_comm=a ==> b next_pid=9 next_prio=120
  a ==> b-9 ( 9) [000] d..2  1.000004: sched_switch: prev_comm=a ==> b prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=my app next_pid=5 next_prio=120
  my app-5  ( 4) [000] ...1  1.000006: tracing_mark_write: E|4
  my app-5  ( 4) [000] d..2  1.000007: sched_switch: prev_comm=my app prev_pid=5 prev_prio=120 prev_state=D|K ==> next_comm=swapper/0 next_pid=0 next_prio=120
  <idle>-0  (--) [001] d..2  1.0000085: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my app next_pid=5 next_prio=120
  my app-5  ( 4) [001] ...1  1.000009: tracing_mark_write: E|4
";
    let scratch = Scratch::new("systrace-switch");
    scratch.write("trace.txt", text.as_bytes());
    let recording = read(&scratch.0.join("trace.txt"));
    assert_eq!(waited(&recording, "outer"), (2500, 1500));
    assert_eq!(waited(&recording, "inner"), (1000, 1000));
    let found: Vec<_> = waits(&recording, 0)
        .iter()
        .map(|it| (it.start.ns(), it.end.ns(), it.why))
        .collect();
    let expected = [(2000, 3000, Why::Preempted), (6000, 7500, Why::Voluntary)];
    assert_eq!(found, expected);
    assert_eq!(recording.warnings, []);
}
