//! Through the public interface: import.

mod beside;
mod chrome_dialects;
mod chrome_random;
mod counted;
mod damage;
mod facts;
mod greedy;
mod objects;
mod refused;
mod samples;
mod threads;
mod uftrace_random;
mod waiting;

use std::collections::BTreeMap;
use std::path::Path;

use callscape::facts::recording::Recording;
use callscape::import::{self, ImportError};
use callscape::progress::Progress;
use callscape::units::{CallId, ThreadId};

use crate::common::Scratch;

fn open(path: &Path) -> Result<Recording, ImportError> {
    import::open(path, &Progress::new())
}

fn read(path: &Path) -> Recording {
    open(path).unwrap_or_else(|error| panic!("{error}"))
}

/// How often each kind of repair was counted.
fn warnings(recording: &Recording) -> BTreeMap<&str, u64> {
    let warnings = recording.warnings.iter();
    warnings
        .map(|warning| (warning.kind.as_ref(), warning.count))
        .collect()
}

/// A call as a test expects it; times from the first event of the trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Expected {
    start: u64,
    end: u64,
    depth: u32,
    name: String,
}

/// The calls of a thread in preorder.
fn calls(recording: &Recording, thread: usize) -> Vec<Expected> {
    let trace = &recording.trace;
    let id = ThreadId(thread as u32);
    let calls = 0..trace.threads()[thread].calls as u32;
    calls
        .map(|call| trace.call(id, CallId(call)))
        .map(|call| Expected {
            start: call.start.ns(),
            end: call.end.ns(),
            depth: call.depth,
            name: recording.functions.get(call.function).name.to_owned(),
        })
        .collect()
}

/// The calls of the thread with this id; none where no thread has it.
fn calls_of(recording: &Recording, id: &str) -> Vec<Expected> {
    let mut threads = recording.trace.threads().iter();
    let thread = threads.position(|thread| thread.id == id);
    thread.map_or_else(Vec::new, |thread| calls(recording, thread))
}
