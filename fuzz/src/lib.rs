//! What the fuzz targets share: the importers, which are the files of the program itself, and what must hold
//! of whatever they make of an input.

#[path = "../../src/escape.rs"]
pub mod escape;
#[path = "../../src/facts/mod.rs"]
pub mod facts;
#[path = "../../src/files/mod.rs"]
pub mod files;
#[path = "../../src/import/mod.rs"]
pub mod import;
#[path = "../../src/progress.rs"]
pub mod progress;
#[path = "../../src/units.rs"]
pub mod units;
#[path = "../../src/warnings.rs"]
pub mod warnings;

use std::path::{Path, PathBuf};

use facts::memory::{CellTotals, Instant, Known, Memory};
use facts::recording::Recording;
use progress::Progress;
use units::{CallId, ThreadId};

/// A place for the input of one process, in memory where the system has such a place.
fn place() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let temporary = std::env::temp_dir();
    let folder = if memory.is_dir() { memory } else { &temporary };
    folder.join(format!("callscape-fuzz-{}", std::process::id()))
}

/// Reads `input` as a file of `format`, and as a file of whatever format it seems to be.
pub fn file(format: &str, input: &[u8]) {
    let path = place();
    std::fs::write(&path, input).expect("room for the input");
    let named = import::read_as(format, &path, &Progress::new());
    check(named.expect("a format of the table"));
    // The index of a large recording is not looked for: there is none beside the input.
    let input = import::input::Input::on_disk(path);
    check(import::read(&input, &Progress::new()));
}

/// Reads the directory that `input` holds: files, each behind [`FILE`] and the number of its name.
pub fn directory(format: &str, names: &[&str], input: &[u8]) {
    const FILE: &[u8] = b"\n=file ";
    let dir = place();
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir(&dir).expect("room for the input");
    let mut rest = input;
    while let Some(at) = rest.windows(FILE.len()).position(|bytes| bytes == FILE) {
        rest = &rest[at + FILE.len()..];
        let Some((number, content)) = rest.split_first() else {
            break;
        };
        let end = content.windows(FILE.len()).position(|bytes| bytes == FILE);
        let content = &content[..end.unwrap_or(content.len())];
        let name = names[usize::from(number.wrapping_sub(b'0')) % names.len()];
        std::fs::write(dir.join(name), content).expect("room for the input");
    }
    let named = import::read_as(format, &dir, &Progress::new());
    check(named.expect("a format of the table"));
}

/// What holds of all that is known of memory: sums of parts are the whole, and nothing is released that was not there.
fn check_memory(memory: &Memory) {
    let cells = memory.cells().len();
    if let Some(events) = memory.timed() {
        let end = events.end();
        let (state, totals) = (events.state(end), events.totals(end));
        let sum = |of: fn(&CellTotals) -> u64| state.cells().iter().map(of).sum::<u64>();
        assert_eq!(sum(|it| it.allocations.into()), totals.allocations);
        assert_eq!(sum(|it| it.releases.into()), totals.releases);
        assert_eq!(sum(|it| it.allocated), totals.allocated);
        assert_eq!(sum(|it| it.released), totals.released);
        assert!(totals.released <= totals.allocated && totals.live_bytes() <= events.peak().0);
    }
    let instants: &[Instant] = match &memory.known {
        Known::Events(_) => &[],
        Known::Allocations(of) => &of.survivors,
        Known::Sums(sums) => &sums.instants,
    };
    assert!(instants.is_sorted_by_key(|it| it.time));
    assert!(
        instants
            .iter()
            .all(|it| it.cells.is_empty() || it.cells.len() == cells)
    );
    for counter in &memory.counters {
        assert!(
            counter.values.is_sorted_by_key(|it| it.0),
            "{}",
            counter.name
        );
    }
}

/// What holds of every recording: calls nest, and times and counts fit each other.
fn check(read: Result<Recording, import::ImportError>) {
    let recording = match read {
        Ok(recording) => recording,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(recording.damage().is_none());
    if let Some(memory) = &recording.memory {
        check_memory(memory);
    }
    let trace = &recording.trace;
    for (index, thread) in trace.threads().iter().enumerate() {
        let mut ends: Vec<u64> = Vec::new();
        let mut last = 0;
        for call in 0..thread.calls.min(20_000) as u32 {
            let call = trace.call(ThreadId(index as u32), CallId(call));
            let (start, end) = (call.start.ns(), call.end.ns());
            assert!(last <= start && start <= end, "{start} {end}");
            ends.truncate(call.depth as usize);
            assert_eq!(ends.len(), call.depth as usize, "depth");
            assert!(ends.last().is_none_or(|&around| end <= around), "nesting");
            assert!(
                !recording.functions.get(call.function).name.is_empty() || call.depth < u32::MAX
            );
            ends.push(end);
            last = start;
        }
    }
    for warning in &recording.warnings {
        assert!(warning.count > 0);
    }
}
