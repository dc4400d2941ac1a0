//! Through the public interface: Java Flight Recorder files.

use std::collections::BTreeMap;
use std::io::Read;

use callscape::facts::recording::{Recording, RecordingKind};
use callscape::import::{self, ImportError};
use callscape::progress::Progress;
use callscape::units::{CallId, ThreadId, Time};

use super::common::{self, Random};

fn sample() -> Vec<u8> {
    let packed = std::fs::read(common::data("import/jfr/spin.jfr.gz")).expect("the sample");
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
    let kinds: Vec<&str> = recording
        .warnings
        .iter()
        .map(|warning| warning.kind.as_ref())
        .collect();
    assert_eq!(kinds, ["allocation-not-shown"]);
    assert_eq!(recording.warnings[0].count, 28);
    let expected = std::fs::read_to_string(common::data("import/jfr/spin.samples.txt"));
    let expected = expected.expect("what the JDK prints");
    let threads = recording.trace.threads();
    let mut by_thread: BTreeMap<&str, u64> = BTreeMap::new();
    for line in expected.lines() {
        let mut fields = line.split(' ');
        let mut field = || fields.next().expect("three fields");
        let (time, id, frames) = (field(), field(), field());
        let thread = threads.iter().position(|thread| thread.id == id);
        let thread = ThreadId(thread.expect("a thread of each sample") as u32);
        // A sample's own time begins its stack; ticks and nanoseconds differ by less than one.
        let time: u64 = time.parse().expect("a time");
        let found = stack(&recording, thread, Time::from_ns(time + 1));
        assert_eq!(found.join(";"), frames, "{line}");
        *by_thread.entry(id).or_default() += 1;
    }
    assert_eq!(recording.samples, by_thread.values().sum::<u64>());
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
    let bytes = sample();
    let mut random = Random(7);
    for round in 0..200 {
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
