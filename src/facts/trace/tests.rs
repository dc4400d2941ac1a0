//! The fast queries held against the direct ones on random traces.

mod compare;
mod random;

use super::{Columns, Trace, storage};
use crate::functions::{Function, Functions};
use crate::index::{self, Beside, IndexError};
use callscape_base::units::{Cost, Time, TimeRange};

use self::compare::compare;
use self::random::{Random, random_trace};

#[test]
fn queries_agree_with_their_direct_evaluation() {
    for seed in 0..200 {
        println!("seed {seed}");
        let (trace, direct) = random_trace(seed);
        compare(&trace, &direct, &mut Random(seed));
    }
}

/// A folder of its own for a test, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let name = format!("callscape-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Folder(folder)
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn functions_of(trace: &Trace) -> Functions {
    let mut functions = Functions::default();
    for i in 0..trace.store.functions {
        functions.intern(Function {
            name: &format!("function{i}"),
            library: if i % 2 == 0 { "library" } else { "" },
            line: i as u32,
            ..Function::default()
        });
    }
    functions
}

#[test]
fn an_index_answers_as_the_trace_that_it_was_made_from() {
    let folder = Folder::new("index");
    let path = folder.file("trace.callscape");
    for seed in 0..40 {
        println!("seed {seed}");
        let (trace, direct) = random_trace(seed);
        let functions = functions_of(&trace);
        index::write(&path, &functions, &trace, Beside::default(), b"note", seed)
            .expect("there is room");
        for check_all in [true, false] {
            let contents = index::open(&path, check_all).expect("just written");
            assert_eq!(
                (contents.note.as_slice(), contents.fingerprint),
                (&b"note"[..], seed)
            );
            assert_eq!(contents.trace.threads(), trace.threads());
            for id in functions.ids() {
                assert_eq!(contents.functions.get(id), functions.get(id));
            }
            compare(&contents.trace, &direct, &mut Random(seed));
        }
    }
    let names: Vec<_> = folder.0.read_dir().expect("exists").collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

/// A few answers that together depend on most of the bytes.
fn some_answers(trace: &Trace) -> impl PartialEq + std::fmt::Debug + use<> {
    let end = trace.duration().ns();
    let half = Time::from_ns(end / 2);
    let range = TimeRange::new(Time::from_ns(end / 5), Time::from_ns(end * 4 / 5));
    let rows: Vec<u32> = (0..10).collect();
    let mut coverage = Vec::new();
    trace.coverage(Columns::new(range, 15), &rows, 10, &mut coverage);
    let mut calls = Vec::new();
    for thread in trace.thread_ids() {
        trace.calls_in(thread, trace.range(), u32::MAX, |id, call| {
            calls.push((id, call))
        });
    }
    (
        calls,
        coverage,
        trace.relations(Some(range)),
        trace.relations(None),
        trace.running(half),
        trace.function_metrics(Some(range)),
        trace.activity(half, Cost::from_ns(end / 3)),
        trace.event(trace.events() / 3),
    )
}

#[test]
fn a_flipped_byte_anywhere_is_found_or_changes_nothing() {
    let folder = Folder::new("flipped");
    let path = folder.file("trace.callscape");
    let (trace, _) = random_trace(4);
    let expected = some_answers(&trace);
    index::write(
        &path,
        &functions_of(&trace),
        &trace,
        Beside::default(),
        b"note",
        1,
    )
    .expect("there is room");
    let whole = std::fs::read(&path).expect("just written");
    let (mut refused, mut repaired) = (0, 0);
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&path, &damaged).expect("there is room");
        if let Ok(contents) = index::open(&path, true) {
            assert_eq!(some_answers(&contents.trace), expected, "byte {at}");
        }
        // Checked when first read, and repaired then.
        match index::open(&path, false) {
            Ok(contents) => {
                let original = trace.clone();
                let trace = contents.trace.with_repair(move || Some(original.clone()));
                assert_eq!(some_answers(&trace), expected, "byte {at}");
                repaired += usize::from(trace.store.is_damaged());
                assert!(!trace.is_damaged());
            }
            Err(_) => refused += 1,
        }
    }
    assert!(
        refused > 100 && repaired > 100,
        "{refused} refused, {repaired} repaired"
    );
}

#[test]
fn damage_without_repair_is_told() {
    let folder = Folder::new("told");
    let path = folder.file("trace.callscape");
    let (trace, _) = random_trace(4);
    index::write(
        &path,
        &functions_of(&trace),
        &trace,
        Beside::default(),
        b"",
        1,
    )
    .expect("there is room");
    let mut bytes = std::fs::read(&path).expect("just written");
    bytes[100] ^= 1;
    std::fs::write(&path, &bytes).expect("there is room");
    let contents = index::open(&path, false).expect("the damage lies in a block");
    assert!(!contents.trace.is_damaged());
    some_answers(&contents.trace);
    assert!(contents.trace.is_damaged());
    assert!(matches!(
        index::open(&path, true),
        Err(IndexError::Damaged("calls"))
    ));
}

#[test]
fn an_index_that_is_cut_off_or_of_another_version_is_refused() {
    let folder = Folder::new("cut");
    let path = folder.file("trace.callscape");
    let (trace, _) = random_trace(9);
    index::write(
        &path,
        &functions_of(&trace),
        &trace,
        Beside::default(),
        b"",
        1,
    )
    .expect("there is room");
    let whole = std::fs::read(&path).expect("just written");
    // What is behind can be found out again.
    let appendix = trace.store.appendix().expect("it fits").len();
    let needed = whole.len() - appendix - 8;
    for length in (0..needed).step_by(97).chain([needed]) {
        std::fs::write(&path, &whole[..length]).expect("there is room");
        assert!(
            index::open(&path, false).is_err(),
            "{length} of {} bytes",
            whole.len()
        );
    }
    let mut other = whole;
    other[8] += 1;
    std::fs::write(&path, &other).expect("there is room");
    assert!(matches!(
        index::open(&path, false),
        Err(IndexError::Version(_))
    ));
}

#[test]
fn bytes_grow_into_a_file_and_are_the_same_there() {
    let mut growing = storage::Growing::new(vec![7; 10]);
    let mut expected = vec![7; 10];
    for i in 0..40u8 {
        let bytes = vec![i; 1 << 19];
        let (offset, added) = growing.append(|memory| memory.extend_from_slice(&bytes));
        assert_eq!((offset, added), (expected.len() as u64, &bytes[..]));
        expected.extend_from_slice(&bytes);
    }
    let (bytes, file) = growing.finish().expect("there is room");
    assert!(file.is_some());
    assert!(*bytes == expected[..]);
}

#[test]
fn what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not() {
    let folder = Folder::new("left");
    let left = folder.file(".1-1.callscape-tmp");
    std::fs::write(&left, b"half").expect("there is room");
    let living = callscape_base::files::Temporary::create(&folder.0).expect("there is room");
    assert!(!left.exists());
    let other = callscape_base::files::Temporary::create(&folder.0).expect("there is room");
    assert_eq!(folder.0.read_dir().expect("exists").count(), 2);
    drop((living, other));
    assert_eq!(folder.0.read_dir().expect("exists").count(), 0);
}
