//! Through the public interface: Java Flight Recorder files.

use std::collections::BTreeMap;
use std::io::Read;

use callscape::facts::memory::{Detail, Events, Known, Memory, StackId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::import::{self, ImportError};
use callscape::progress::Progress;
use callscape::units::{CallId, ThreadId, Time};

use super::common::{self, Random};

fn sample() -> Vec<u8> {
    unpacked("spin")
}

fn unpacked(name: &str) -> Vec<u8> {
    let path = common::data(&format!("import/jfr/{name}.jfr.gz"));
    let packed = std::fs::read(path).expect("the sample");
    let mut bytes = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(packed.as_slice());
    reader.read_to_end(&mut bytes).expect("sound gzip");
    bytes
}

/// Reads bytes as a file of their own.
fn open(name: &str, bytes: &[u8]) -> Result<Recording, ImportError> {
    let name = format!("callscape-jfr-{}-{name}.jfr", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).expect("a temporary file");
    let result = import::open(&path, &Progress::new());
    // What is left in the temporary folder does no harm.
    let _ = std::fs::remove_file(&path);
    result
}

/// The names of the open calls of a thread, outermost first.
fn stack(recording: &Recording, thread: ThreadId, at: Time) -> Vec<&str> {
    let mut open = Vec::new();
    recording.trace.stack_at(thread, at, &mut open);
    let name = |id: &CallId| {
        let call = recording.trace.call(thread, *id);
        recording.functions.get(call.function).name
    };
    open.iter().map(name).collect()
}

#[test]
fn samples_are_those_that_the_jdk_prints() {
    let recording = open("sample", &sample()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(recording.format, "jfr");
    assert_eq!(recording.kind, RecordingKind::Sampled);
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    let allocated = recording.memory.as_ref().and_then(Memory::timed);
    assert_eq!(allocated.map(Events::end), Some(28));
    let expected = std::fs::read_to_string(common::data("import/jfr/spin.samples.txt"));
    let expected = expected.expect("what the JDK prints");
    let threads = recording.trace.threads();
    // Something was allocated before the first sample, which reaches one interval back.
    let first = threads.iter().map(|thread| thread.start.ns()).min();
    let interval = recording.known_to().expect("an interval").ns();
    let first = first.expect("threads") + interval;
    let mut by_thread: BTreeMap<&str, u64> = BTreeMap::new();
    for line in expected.lines() {
        let mut fields = line.split(' ');
        let mut field = || fields.next().expect("three fields");
        let (time, id, frames) = (field(), field(), field());
        let thread = threads.iter().position(|thread| thread.id == id);
        let thread = ThreadId(thread.expect("a thread of each sample") as u32);
        // A sample's own time ends its stack; ticks and nanoseconds differ by less than one.
        let time: u64 = first + time.parse::<u64>().expect("a time");
        let found = stack(&recording, thread, Time::from_ns(time - 2));
        assert_eq!(found.join(";"), frames, "{line}");
        *by_thread.entry(id).or_default() += 1;
    }
    assert_eq!(recording.samples, by_thread.values().sum::<u64>());
    let weighed = recording.weighed.as_ref().expect("weights");
    assert_eq!(weighed.weight_of(0).ns(), recording.samples * interval);
    let names: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["main", "counter"]);
}

#[test]
fn chunks_follow_one_another() {
    let (one, bytes) = (open("one", &sample()).expect("sound"), sample());
    // The second chunk is the first some time later: its start stands at byte 32.
    let mut later = bytes.clone();
    let start = u64::from_be_bytes(later[32..40].try_into().expect("eight bytes"));
    later[32..40].copy_from_slice(&(start + 60_000_000_000).to_be_bytes());
    let two = open("two", &[bytes.clone(), later.clone()].concat()).expect("sound");
    assert_eq!(two.samples, 2 * one.samples);
    assert_eq!(two.functions.len(), one.functions.len());
    assert_eq!(two.trace.threads().len(), one.trace.threads().len());
    assert!(two.trace.duration().ns() > 60_000_000_000);
    // In whatever order they stand.
    let swapped = [later.clone(), bytes.clone()].concat();
    let swapped = open("swapped", &swapped).expect("sound");
    let calls = |recording: &Recording| -> Vec<(ThreadId, Time, Time, String)> {
        let threads = recording.trace.thread_ids();
        let calls = threads.flat_map(|thread| {
            let all = recording.trace.threads()[thread.index()].calls as u32;
            (0..all).map(move |call| {
                let call = recording.trace.call(thread, CallId(call));
                let name = recording.functions.get(call.function).name;
                (
                    thread,
                    call.start,
                    call.start + call.cost(),
                    name.to_owned(),
                )
            })
        });
        calls.collect()
    };
    assert_eq!(calls(&swapped), calls(&two));
    assert!(
        !swapped
            .warnings
            .iter()
            .any(|it| it.kind == "time-goes-back")
    );
    let half = open("half", &[&bytes[..], &bytes[..bytes.len() / 4]].concat()).expect("one chunk");
    assert_eq!(half.samples, one.samples);
    assert!(
        half.warnings
            .iter()
            .any(|warning| warning.kind == "chunk-without-metadata")
    );
}

#[test]
fn damage_gives_an_error_or_counted_repairs() {
    let mut random = Random(7);
    let files = [sample(), unpacked("hoard"), unpacked("tlab")];
    for round in 0..300 {
        let bytes = &files[round % 3];
        let mut damaged = bytes.clone();
        if round % 4 == 0 {
            damaged.truncate(random.below(bytes.len() as u64) as usize);
        } else {
            for _ in 0..1 + random.below(8) {
                // The header, the constants and the metadata alike.
                let at = match random.below(4) {
                    0 => random.below(200),
                    _ => random.below(bytes.len() as u64),
                };
                damaged[at as usize] = random.next() as u8;
            }
        }
        match open("damaged", &damaged) {
            Ok(recording) => assert!(recording.trace.calls() < 1 << 20, "round {round}"),
            Err(error) => assert!(error.to_string().contains("damaged.jfr"), "{error}"),
        }
    }
}

#[test]
fn the_large_sample_agrees_with_the_jdk() {
    let Some(path) = common::large_data("jfr/wordgraph.jfr") else {
        return;
    };
    let recording = import::open(&path, &Progress::new()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(recording.samples, 386);
    assert_eq!(recording.trace.max_depth(), 11);
    assert_eq!(recording.trace.threads().len(), 4);
}

/// An event of memory as the JDK prints it: nanoseconds since the first event, what it is, the number of its thread, class,
/// bytes and the stack with the outermost method first.
struct Printed {
    time: u64,
    what: String,
    thread: String,
    class: String,
    bytes: Option<u64>,
    stack: String,
}

fn printed(name: &str) -> Vec<Printed> {
    let path = common::data(&format!("import/jfr/{name}.memory.txt"));
    let text = std::fs::read_to_string(path).expect("what the JDK prints");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        Printed {
            time: fields[0].parse().expect("a time"),
            what: fields[1].to_owned(),
            thread: fields[2].to_owned(),
            class: fields[3].to_owned(),
            bytes: fields[4].parse().ok(),
            stack: fields[5].to_owned(),
        }
    };
    text.lines().map(line).collect()
}

fn memory_stack(recording: &Recording, memory: &Memory, stack: StackId) -> String {
    let functions = memory.stacks.functions(stack);
    let mut names: Vec<&str> = functions
        .map(|it| recording.functions.get(it).name)
        .collect();
    names.reverse();
    names.join(";")
}

#[test]
fn samples_of_memory_are_those_that_the_jdk_prints() {
    let recording = open("hoard", &unpacked("hoard")).unwrap_or_else(|error| panic!("{error}"));
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    assert_eq!(
        (recording.kind, recording.samples),
        (RecordingKind::Sampled, 13)
    );
    let memory = recording.memory.as_ref().expect("memory");
    assert_eq!((memory.detail, memory.sizes_known), (Detail::Samples, true));
    let Known::Allocations(of) = &memory.known else {
        panic!("allocations without releases");
    };
    let expected = printed("hoard");
    let is = |what: &'static str| expected.iter().filter(move |it| it.what == what);
    let threads = recording.trace.threads();
    let samples: Vec<&Printed> = is("ObjectAllocationSample").collect();
    assert_eq!(of.events.end() as usize, samples.len());
    // The first event is a sample, which reaches back by at most one interval.
    let first = of.events.object(0).expect("an allocation").creation.ns();
    let shift = first.saturating_sub(samples[0].time);
    assert!(recording.known_to().is_some_and(|it| shift <= it.ns() + 1));
    for (event, expected) in (0..).zip(samples) {
        let object = of.events.object(event).expect("an allocation");
        assert_eq!(Some(object.size), expected.bytes);
        assert_eq!(memory.types[object.kind as usize], expected.class);
        assert_eq!(
            memory_stack(&recording, memory, object.stack),
            expected.stack
        );
        // Ticks and nanoseconds differ by less than one.
        assert!(object.creation.ns().abs_diff(expected.time + shift) <= 1);
        let thread = threads.get(object.thread.index());
        assert_eq!(
            thread.map(|it| it.id.as_str()),
            Some(expected.thread.as_str())
        );
        assert_eq!(object.release, None);
    }
    let [instant] = of.survivors.as_slice() else {
        panic!("they were looked for once");
    };
    let mut lived: BTreeMap<(String, String), u64> = BTreeMap::new();
    for old in is("OldObjectSample") {
        assert!(instant.time.abs_diff(old.time + shift) <= 1);
        let key = (old.class.clone(), old.stack.clone());
        *lived.entry(key).or_default() += 1;
    }
    let rows = memory.cells().iter().zip(&instant.cells);
    let rows = rows.filter(|(_, row)| row.live != Some(0));
    let found: BTreeMap<(String, String), u64> = rows
        .map(|(cell, row)| {
            let stack = memory_stack(&recording, memory, cell.stack);
            let class = memory.types[cell.kind as usize].clone();
            assert_eq!(row.live_bytes, None);
            ((class, stack), row.live.expect("a number"))
        })
        .collect();
    assert_eq!(found, lived);
    let heap: Vec<u64> = is("GCHeapSummary").filter_map(|it| it.bytes).collect();
    let [counter] = memory.counters.as_slice() else {
        panic!("one counter");
    };
    let values: Vec<u64> = counter.values.iter().map(|it| it.1).collect();
    assert_eq!((counter.name.as_str(), values), ("heap used", heap));
}

#[test]
fn allocations_alone_are_a_recording_of_memory() {
    let bytes = unpacked("tlab");
    let recording = open("tlab", &bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(recording.kind, RecordingKind::Profile);
    assert!(recording.has_times());
    let warnings = |recording: &Recording| -> BTreeMap<String, u64> {
        let all = recording.warnings.iter();
        all.map(|it| (it.kind.to_string(), it.count)).collect()
    };
    // The JVM itself made one. A sample is one of the others again.
    let expected = [
        ("allocation-counted-already".to_owned(), 16),
        ("missing-stack".to_owned(), 1),
    ];
    assert_eq!(warnings(&recording), expected.clone().into());
    let sums = |recording: &Recording| {
        let memory = recording.memory.as_ref().expect("memory");
        let events = memory.timed().expect("allocations");
        let of_class = |class: &str| -> u64 {
            let objects = (0..events.end()).filter_map(|event| events.object(event));
            let of_class = objects.filter(|it| memory.types[it.kind as usize] == class);
            of_class.map(|it| it.size).sum()
        };
        let totals = events.totals(events.end());
        let [pages, tables] = ["Hoard$Page", "long[]"].map(of_class);
        [totals.allocations, totals.allocated, pages, tables]
    };
    let once = [970 + 21, 1_139_051_104 + 11_213_872, 40_177_416, 13_411_352];
    assert_eq!(sums(&recording), once);
    // Chunks one after the other, in any order.
    let mut later = bytes.clone();
    let start = u64::from_be_bytes(later[32..40].try_into().expect("eight bytes"));
    later[32..40].copy_from_slice(&(start + 60_000_000_000).to_be_bytes());
    let twice = open("tlab-twice", &[later, bytes].concat()).expect("sound");
    assert_eq!(sums(&twice), once.map(|it| 2 * it));
    let of = twice.memory.as_ref().and_then(Memory::timed).expect("both");
    let times: Vec<Time> = (0..of.end()).map(|event| of.time(event)).collect();
    assert!(times.is_sorted() && times[times.len() - 1].ns() > 60_000_000_000);
}
