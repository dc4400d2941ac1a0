//! Recordings of any size, made without a file to import: calls, lines, allocations and releases, straight into an index.

use std::path::Path;

use callscape::facts::functions::Functions;
use callscape::facts::lines::{FileId, Knows, Lines, LinesBuilder};
use callscape::facts::memory::{Detail, Memory, MemoryBuilder, StackId};
use callscape::facts::recording::Recording;
use callscape::facts::trace::Trace;
use callscape::import;
use callscape::units::{FunctionId, ThreadId, Time};
use callscape::warnings::Reporter;

use callscape_testing::built::build;
use callscape_testing::generate::Program;
use callscape_testing::random::Random;

/// The file that all functions are in.
pub const FILE: &str = "made.c";

/// The number of lines of each function, and of calls between two memory events.
const LINES: u32 = 10;
const CALLS_OF_EVENT: u64 = 10;

/// Writes the index of a run of `program` to `place`.
pub fn write(program: &Program, place: &Path) -> anyhow::Result<()> {
    let calls = build(program, FILE, &Reporter::new());
    let mut recording = Recording::of_calls(place, "uftrace", None, calls, Vec::new());
    recording.lines = lines(&recording.functions);
    recording.memory = Some(memory(&recording.trace, &recording.functions));
    Ok(import::index::save(&recording, place)?)
}

fn lines(functions: &Functions) -> Option<Lines> {
    let knows = Knows {
        sites: true,
        calls: true,
        ..Knows::default()
    };
    let mut lines = LinesBuilder::new(1, knows);
    let random = &mut Random(11);
    for function in functions.ids() {
        for line in 0..LINES {
            let at = lines.place(function, FileId::OWN, 1 + function.0 * LINES + line);
            lines.add(at, 0, random.below(1_000_000));
            let callee = FunctionId(random.below(functions.len() as u64) as u32);
            lines.add_calls(at, callee, 1 + random.below(50), [(0, random.below(9_000))]);
        }
    }
    lines.finish()
}

/// Objects that live for any time.
fn memory(trace: &Trace, functions: &Functions) -> Memory {
    const SITES: u64 = 15_000;
    let random = &mut Random(5);
    let mut builder = MemoryBuilder::new();
    let kind = builder.kind("");
    for _ in 0..SITES {
        let mut stack = StackId::EMPTY;
        for _ in 0..1 + random.below(6) {
            let function = FunctionId(random.below(functions.len() as u64) as u32);
            stack = builder.stack(stack, function);
        }
        builder.site_apart(8 << random.below(8), stack, kind);
    }
    let (end, events) = (trace.duration().ns(), trace.calls() / CALLS_OF_EVENT);
    let mut live = Vec::new();
    for event in 0..events {
        let at = (u128::from(end) * u128::from(event) / u128::from(events)) as u64;
        let (time, thread) = (Time::from_ns(at), ThreadId(0));
        if !live.is_empty() && random.below(100) < 49 {
            let object = live.swap_remove(random.below(live.len() as u64) as usize);
            builder.release(time, thread, object, |_| ());
        } else {
            let site = random.below(SITES).min(random.below(SITES)) as u32;
            live.extend(builder.allocate(time, thread, site, |_| ()));
        }
    }
    builder.finish(Detail::Events, Time::from_ns(end))
}
