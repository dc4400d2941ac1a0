//! Execution traces of Go 1.22 and later. Specification: the events in `src/internal/trace/tracev2` of Go,
//! <https://github.com/golang/go/blob/master/src/internal/trace/tracev2/events.go>, and the design,
//! <https://github.com/golang/proposal/blob/master/design/60773-execution-tracer-overhaul.md>.
//!
//! Read are goroutines as threads: each runs its first function from its first start to its end, in that system calls,
//! regions and assists of the garbage collector. Tasks are calls on lanes of their own, and so are collections. A goroutine
//! waits while it blocks, while it could run but does not, and in system calls that blocked. Who makes a goroutine runnable
//! is a link, and so is who starts one or begins a task. Samples of the processor are calls of a thread beside the
//! goroutine, `12, samples`. Counted are all other events, such as logs, sizes of the heap and those of processors
//! (`event-not-shown`), and batches of experiments (`experiment-not-shown`).
//!
//! A file is a row of generations, each with its own tables of texts and stacks, which may come behind the events that
//! use them: a generation is read into memory. In it each thread of the system has batches of events in order, and those of
//! all threads are put in order of time. Traces of Go 1.21 and before are of another format and are not read.

mod batch;
mod building;
mod generation;
mod machines;
mod wire;

use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::stream::Window;
use batch::Read;
use building::Building;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::recording::Recording;
use generation::Generation;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "go-trace";

/// `go 1.22 trace` and zeros.
const HEADER: usize = 16;

/// The first version of Go whose traces are of this format.
const FIRST: u32 = 22;

/// The version that a file which begins with `head` is of.
pub(crate) fn version(head: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(head.get(..HEADER)?).ok()?;
    let number = text.strip_prefix("go 1.")?.strip_suffix(" trace\0\0\0")?;
    number.parse().ok()
}

/// Whether a file that begins with `head` is such a trace.
pub(crate) fn sniff(head: &[u8]) -> bool {
    version(head).is_some_and(|version| version >= FIRST)
}

/// Reads the trace. O(n log(threads)), in memory for a generation and for calls.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::open_binary(input, progress, &reporter)?;
    window.have(HEADER)?;
    if !sniff(window.data()) {
        let found = "another header";
        return Err(ImportError::malformed(
            window.place(0),
            "a trace of Go",
            found,
        ));
    }
    window.consume(HEADER);
    let mut building = Building::new(&reporter, window.name(), samplers::only(FORMAT));
    let mut generation = Generation::default();
    loop {
        let offset = window.offset();
        match batch::read(&mut window)? {
            Read::Batch(batch) => {
                if generation
                    .number
                    .is_some_and(|number| number != batch.generation)
                {
                    building.take(std::mem::take(&mut generation));
                }
                generation.number = Some(batch.generation);
                if !generation.add(batch) {
                    reporter.warn("malformed-batch", || window.place(offset));
                }
            }
            Read::EndOfGeneration => building.take(std::mem::take(&mut generation)),
            Read::Experiment => reporter.warn("experiment-not-shown", || window.place(offset)),
            Read::End(wrong) => {
                if let Some(kind) = wrong {
                    reporter.warn(kind, || window.place(offset));
                }
                break;
            }
        }
    }
    window.finish()?;
    building.take(generation);
    let place = || Place::offset(window.name(), window.offset());
    let calls = building.finish(&place);
    Ok(Recording::of_calls(
        input,
        FORMAT,
        None,
        calls,
        reporter.warnings(),
    ))
}

#[cfg(test)]
mod tests;
