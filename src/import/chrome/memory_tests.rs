//! Objects and counters of Chrome traces against a direct evaluation of what happened.

use std::collections::{BTreeMap, HashMap};

use super::tests::{Random, read_recording};
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::Time;
use callscape_facts::memory::{Detail, Memory};
use callscape_facts::recording::Recording;

fn read(events: &[String]) -> Recording {
    read_recording(format!("[\n{}\n]", events.join(",\n")).as_bytes())
}

fn warnings(recording: &Recording) -> BTreeMap<&str, u64> {
    let all = recording.warnings.iter();
    all.map(|it| (it.kind.as_ref(), it.count)).collect()
}

/// How many objects there are of each type and innermost function of the stack that created them.
type Counted = BTreeMap<(String, String), u64>;

/// Those that live at a time.
fn live(recording: &Recording, memory: &Memory, at: Time) -> Counted {
    let events = memory.events().expect("events");
    let state = events.state(events.position(at));
    let mut live = BTreeMap::new();
    for (cell, totals) in memory.cells().iter().zip(state.cells()) {
        let kind = memory.types[cell.kind as usize].clone();
        let creator = memory.creator(*cell);
        let creator = creator.map_or("", |it| recording.functions.get(it).name);
        if totals.live() > 0 {
            *live.entry((kind, creator.to_owned())).or_default() += u64::from(totals.live());
        }
    }
    live
}

/// A phase, time, process, thread, id and type.
type Made = (char, u64, u64, u64, u64, u64);

fn written(made: &Made, random: &mut Random) -> String {
    let (phase, time, process, thread, id, kind) = made;
    // Ids are numbers or texts.
    let id = match random.below(3) {
        0 => format!(r#""id":"{id}""#),
        1 => format!(r#""id":{id}"#),
        _ => format!(r#""id2":{{"local":"{id}"}}"#),
    };
    format!(
        r#"{{"name":"Type{kind}","ph":"{phase}",{id},"pid":{process},"tid":{thread},"ts":{time},"args":{{"snapshot":{{"id":7}}}}}}"#
    )
}

#[test]
fn what_lives_is_what_a_replay_in_order_of_time_says() {
    for seed in 1..60 {
        let mut random = Random(seed);
        // Calls of both threads of both processes, one within the other.
        let mut calls = Vec::new();
        for (process, thread) in [(1, 1), (1, 2), (2, 1)] {
            for (name, start, end) in [("outer", 0, 5000), ("inner", 1000, 2000)] {
                calls.push((process, thread, name, start, end));
            }
        }
        let mut times: Vec<u64> = (0..400).map(|_| random.below(6000)).collect();
        times.sort_unstable();
        times.dedup();
        let mut made: Vec<Made> = times
            .into_iter()
            .map(|time| {
                let phase = ['N', 'N', 'N', 'D', 'D', 'O'][random.below(6) as usize];
                let process = 1 + random.below(2);
                let thread = if process == 2 { 1 } else { 1 + random.below(2) };
                (
                    phase,
                    time,
                    process,
                    thread,
                    random.below(12),
                    random.below(3),
                )
            })
            .collect();
        // The definition.
        let mut objects: HashMap<(u64, u64), (String, String)> = HashMap::new();
        let mut after: Vec<(u64, Counted)> = Vec::new();
        let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
        for &(phase, time, process, thread, id, kind) in &made {
            let is_open = |call: &&(u64, u64, &str, u64, u64)| {
                (call.0, call.1) == (process, thread) && call.3 <= time && time < call.4
            };
            let creator = calls.iter().rev().find(is_open).map_or("", |it| it.2);
            let object = (format!("Type{kind}"), creator.to_owned());
            let key = (process, id);
            let mut count = |kind| *expected.entry(kind).or_default() += 1;
            match (phase, objects.contains_key(&key)) {
                ('D', false) => count("free-without-allocation"),
                ('D', true) => drop(objects.remove(&key)),
                ('N', true) => {
                    count("address-used-again");
                    objects.insert(key, object);
                }
                ('O', true) => count("snapshot-not-shown"),
                ('O', false) => {
                    count("snapshot-not-shown");
                    count("object-without-creation");
                    objects.insert(key, object);
                }
                _ => drop(objects.insert(key, object)),
            }
            let mut counted = Counted::new();
            for object in objects.values() {
                *counted.entry(object.clone()).or_default() += 1;
            }
            after.push((time, counted));
        }
        // In whatever order they stand.
        for at in (1..made.len()).rev() {
            made.swap(at, random.below(at as u64 + 1) as usize);
        }
        let mut events: Vec<String> = calls
            .iter()
            .map(|(process, thread, name, start, end)| {
                format!(
                    r#"{{"ph":"X","pid":{process},"tid":{thread},"ts":{start},"dur":{},"name":"{name}"}}"#,
                    end - start
                )
            })
            .collect();
        events.extend(made.iter().map(|it| written(it, &mut random)));
        let recording = read(&events);
        assert_eq!(warnings(&recording), expected, "seed {seed}");
        let memory = recording.memory.as_ref().expect("memory");
        assert_eq!((memory.detail, memory.sizes_known), (Detail::Events, false));
        for (time, counted) in after {
            let at = Time::from_ns(time * 1000);
            assert_eq!(
                live(&recording, memory, at),
                counted,
                "seed {seed} at {time}"
            );
        }
        let names: Vec<&str> = recording
            .functions
            .ids()
            .map(|it| recording.functions.get(it).name)
            .collect();
        assert_eq!(names, ["outer", "inner"]);
    }
}

#[test]
fn ids_reach_as_far_as_they_say() {
    let event = |phase: &str, process: u32, id: &str, ts: u32| {
        format!(r#"{{"name":"T","ph":"{phase}",{id},"pid":{process},"tid":1,"ts":{ts}}}"#)
    };
    let recording = read(&[
        event("N", 1, r#""id":"0x1""#, 1),
        // The same id in another process, and in another scope.
        event("N", 2, r#""id":"0x1""#, 2),
        event("N", 1, r#""id":"0x1","scope":"S""#, 3),
        event("N", 1, r#""id2":{"global":"0x1"}"#, 4),
        event("D", 2, r#""id2":{"global":"0x1"}"#, 5),
        event("D", 2, r#""id2":{"local":"0x1"}"#, 6),
        event("N", 1, r#""args":{}"#, 7),
        event("N", 1, r#""id":[]"#, 8),
    ]);
    assert_eq!(warnings(&recording), [("object-without-id", 2)].into());
    let memory = recording.memory.expect("memory");
    let events = memory.events().expect("events");
    let totals = events.totals(events.end());
    assert_eq!((totals.allocations, totals.live()), (4, 2));
    // Without calls times count from the first event.
    assert_eq!(events.time(0), Time::ZERO);
    assert_eq!(recording.trace.duration().ns(), 5000);
}

#[test]
fn counters_of_bytes_are_kept_and_others_counted() {
    let counter = |name: &str, process: u32, ts: i32, args: &str| {
        format!(r#"{{"name":"{name}","ph":"C","pid":{process},"ts":{ts},"args":{{{args}}}}}"#)
    };
    let update = |ts: u32, bytes: &str| {
        format!(
            r#"{{"name":"UpdateCounters","ph":"I","s":"t","pid":1,"tid":1,"ts":{ts},"args":{{"data":{{"documents":2,"jsHeapSizeUsed":{bytes},"nodes":60}}}}}}"#
        )
    };
    let recording = read(&[
        r#"{"ph":"X","pid":1,"tid":1,"ts":10,"dur":20,"name":"work"}"#.to_owned(),
        update(15, "3184584"),
        update(12, "1000"),
        update(16, "-5"),
        counter("mem.rss", 1, 20, r#""value":"4096""#),
        counter("mem.rss", 2, 21, r#""value":8192.5"#),
        counter("mem.rss", 2, 5, r#""value":1"#),
        counter("cpu", 1, 20, r#""percent":40"#),
        counter("mem.rss", 1, 22, r#""value":null"#),
        counter("Heap size (KB)", 1, 23, r#""value":2"#),
        r#"{"name":"periodic_interval","ph":"v","id":"0x1","pid":1,"ts":40,"args":{"dumps":{"level_of_detail":"light","process_totals":{"resident_set_bytes":"1f000","peak_resident_set_bytes":"ffff"}}}}"#.to_owned(),
        r#"{"name":"x","ph":"v","id":"0x1","pid":1,"ts":41,"args":{"dumps":{}}}"#.to_owned(),
    ]);
    let expected = [
        ("counter-not-a-number", 1),
        // Of the three updates documents and nodes; of all of another counter.
        ("counter-not-shown", 4),
        ("event-not-shown", 1),
        ("negative-counter", 1),
    ];
    assert_eq!(warnings(&recording), expected.into());
    let memory = recording.memory.expect("memory");
    assert_eq!(
        (memory.detail, memory.sizes_known),
        (Detail::Counters, true)
    );
    let found: Vec<(&str, &[(u64, u64)])> = memory
        .counters
        .iter()
        .map(|it| (it.name.as_str(), it.values.as_slice()))
        .collect();
    // Times count from the first value, before the first call.
    let expected: [(&str, &[(u64, u64)]); 5] = [
        ("jsHeapSizeUsed", &[(7000, 1000), (10_000, 3_184_584)]),
        ("mem.rss (process 1)", &[(15_000, 4096)]),
        ("mem.rss (process 2)", &[(0, 1), (16_000, 8192)]),
        ("Heap size (KB)", &[(18_000, 2048)]),
        ("resident set", &[(35_000, 0x1f000)]),
    ];
    assert_eq!(found, expected);
    assert_eq!(recording.trace.duration().ns(), 35_000);
    assert_eq!(memory.end.ns(), 35_000);
}

#[test]
fn recordings_without_memory_have_none() {
    let recording = read(&[
        r#"{"ph":"X","pid":1,"tid":1,"ts":10,"dur":20,"name":"work"}"#.to_owned(),
        r#"{"ph":"C","pid":1,"ts":12,"name":"cpu","args":{"user":4}}"#.to_owned(),
        r#"{"ph":"I","pid":1,"ts":12,"name":"UpdateCounters","args":{"data":{"nodes":4}}}"#
            .to_owned(),
        r#"{"ph":"i","pid":1,"ts":13,"name":"mem.rss","args":{"value":4}}"#.to_owned(),
    ]);
    assert!(recording.memory.is_none());
    let expected = [("counter-not-shown", 1), ("instant-not-shown", 2)];
    assert_eq!(warnings(&recording), expected.into());
    assert_eq!(recording.trace.duration().ns(), 20_000);
}

#[test]
fn hostile_numbers_times_and_shapes_are_counted() {
    let recording = read(&[
        r#"{"ph":"X","pid":1,"tid":1,"ts":10,"dur":20,"name":"work"}"#.to_owned(),
        r#"{"ph":"N","pid":1,"tid":1,"id":1,"name":"T"}"#.to_owned(),
        r#"{"ph":"N","pid":1,"tid":1,"id":1,"name":"T","ts":"soon"}"#.to_owned(),
        r#"{"ph":"N","pid":1,"tid":1,"id":1,"name":"T","ts":1e300}"#.to_owned(),
        r#"{"ph":"N","pid":1,"tid":1,"id":1,"ts":12}"#.to_owned(),
        r#"{"ph":"C","pid":1,"name":"RSS","ts":12,"args":{"RSS":18446744073709551616}}"#.to_owned(),
        r#"{"ph":"C","pid":1,"name":"RSS","ts":12,"args":{"RSS":{"deep":[1]}}}"#.to_owned(),
        r#"{"ph":"C","pid":1,"name":"RSS","args":{"RSS":1}}"#.to_owned(),
        r#"{"ph":"C","pid":1,"name":"RSS","ts":12,"args":[1]}"#.to_owned(),
    ]);
    let expected = [
        ("counter-not-a-number", 1),
        ("counter-not-shown", 1),
        ("counter-out-of-range", 1),
        ("missing-field", 2),
        ("time-not-a-number", 1),
        ("time-out-of-range", 1),
    ];
    assert_eq!(warnings(&recording), expected.into());
    let memory = recording.memory.expect("one object");
    assert!(memory.counters.is_empty());
    assert_eq!(memory.events().expect("events").end(), 1);
    assert_eq!(memory.types, [""]);
}

#[test]
fn objects_of_a_real_recording_belong_to_who_created_them() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let input = Input::on_disk(path.join("tests/data/import/orders.viztracer.json"));
    let recording = super::import(&input, &Progress::new()).expect("a trace");
    let memory = recording.memory.as_ref().expect("memory");
    let events = memory.events().expect("events");
    // orders.py: of twelve orders every fourth is kept with a receipt; ids are used again.
    let end = events.totals(events.end());
    assert_eq!(
        (end.allocations, end.releases, events.peak().0),
        (27, 21, 8)
    );
    let of = |kind: &str, function: &str| ((kind.to_owned(), function.to_owned()), 3);
    let expected = [of("Order", "take"), of("Receipt", "keep")];
    assert_eq!(live(&recording, memory, memory.end), expected.into());
    let counters: Vec<(&str, usize)> = memory
        .counters
        .iter()
        .map(|it| (it.name.as_str(), it.values.len()))
        .collect();
    assert_eq!(counters, [("memory: rss", 24)]);
    // All but the first value of the counter came with one of another series.
    let expected = [("counter-not-shown", 23), ("snapshot-not-shown", 12)];
    assert_eq!(warnings(&recording), expected.into());
}
