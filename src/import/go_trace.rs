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

mod building;
mod generation;
mod machines;
mod wire;

use super::error::ImportError;
use super::input::Input;
use super::stream::Window;
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

/// What is longer is no batch.
const LONGEST: usize = 64 << 10;

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
    let mut building = Building::new(&reporter, window.name());
    let mut generation = Generation::default();
    loop {
        let offset = window.offset();
        match batch(&mut window)? {
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

/// A batch of events of a thread, or of a table.
struct Batch {
    generation: u64,
    machine: u64,
    /// In the clock's ticks.
    time: u64,
    data: Vec<u8>,
    /// Where its data begins.
    offset: u64,
}

enum Read {
    Batch(Batch),
    EndOfGeneration,
    Experiment,
    /// Nothing more can be read, and why if something should be there.
    End(Option<&'static str>),
}

/// Reads the next batch.
fn batch(window: &mut Window<'_>) -> Result<Read, ImportError> {
    const LONGEST_HEADER: usize = 64;
    window.have(LONGEST_HEADER)?;
    let data = window.data();
    let is_experiment = match data.first() {
        None => return Ok(Read::End(None)),
        Some(&wire::END_OF_GENERATION) => {
            window.consume(1);
            return Ok(Read::EndOfGeneration);
        }
        Some(&wire::EVENT_BATCH) => false,
        Some(&wire::EXPERIMENTAL_BATCH) => true,
        Some(_) => return Ok(Read::End(Some("malformed-batch"))),
    };
    let mut at = 1 + usize::from(is_experiment);
    let mut number = || wire::number(data, &mut at);
    let header = (|| Some([number()?, number()?, number()?, number()?]))();
    let Some([generation, machine, time, size]) = header else {
        return Ok(Read::End(Some("truncated-file")));
    };
    let Some(size) = usize::try_from(size).ok().filter(|&it| it <= LONGEST) else {
        return Ok(Read::End(Some("malformed-batch")));
    };
    if !window.have(at + size)? {
        return Ok(Read::End(Some("truncated-file")));
    }
    let offset = window.offset() + at as u64;
    let data = window.data()[at..at + size].to_vec();
    window.consume(at + size);
    Ok(match is_experiment {
        true => Read::Experiment,
        false => Read::Batch(Batch {
            generation,
            machine,
            time,
            data,
            offset,
        }),
    })
}

#[cfg(test)]
mod tests;
