//! Java Flight Recorder files, of the JDK from 9 on and of async-profiler. There is no formal specification: the
//! format is that of `src/hotspot/share/jfr` and `src/jdk.jfr/share/classes/jdk/jfr/internal` of
//! <https://github.com/openjdk/jdk>, as described in
//! <https://github.com/indygreg/java-rs/blob/main/jfr-reader/src/specification.rs>.
//!
//! Read are the samples of running code: `jdk.ExecutionSample`, `jdk.NativeMethodSample`, `jdk.CPUTimeSample` and
//! async-profiler's `profiler.WallClockSample`, each with thread, time and stack, in which frames have the line that ran
//! (`jfr/sampled.rs`). Calls are those of one of these events; native code may wait, and counts beside it. A
//! function is a method of a class, whatever its parameters; its line is the lowest that was seen to run where it was first seen, since the format has
//! no line of its beginning and no source file. Stacks that the recorder cut (at 64 frames unless it is told
//! otherwise) begin in the midst and are counted (`truncated-stack`). Samples of allocations and of what lives are what is
//! known of memory (`jfr/memory.rs`); a file with these and no samples of running code is one of memory. When threads park, sleep, wait at a monitor or to enter one is read too: it is waiting within the calls of their
//! samples. All other events are counted (`event-not-shown`).
//!
//! The crate `jfrs` reads the same, but reserves memory by counts that the file claims, and builds a tree of values for
//! each event.
//!
//! A file is a row of chunks that share nothing. Each is read with its constants in memory: its metadata is looked up
//! ahead in a second reading of the file, so that events can be read as they come.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::error::ImportError;
use super::input::Input;
use super::samples::{self, Samples, StackId, Stacks, TrackId};
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;
use callscape_facts::memory::Detail;
use callscape_facts::recording::Recording;
use callscape_facts::trace::Why;
use memory::{Gathered, OfChunk};
use pools::Pools;
pub(crate) use sampled::FORMAT;
use sampled::{Sample, Sampled};
use types::Types;
use waits::{Wait, Waits};
use wire::Bytes;

mod memory;
mod pools;
mod sampled;
mod types;
mod waits;
mod wire;

const MAGIC: &[u8] = b"FLR\0";
/// Bytes of the header of a chunk.
const HEADER: usize = 68;
/// What is longer is no event.
const LONGEST: u64 = 48 << 20;
/// The types of metadata and of checkpoints; those of other events differ from chunk to chunk.
const METADATA: u64 = 0;
const CHECKPOINT: u64 = 1;

/// Whether a file that begins with `head` begins with a chunk.
pub(crate) fn sniff(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Reads the samples, chunk by chunk. O(n log n) in the samples of a chunk; in those of the file where its chunks are
/// not in order of time, as in one that was joined of several: then it is read twice.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    match pass(input, progress, None)? {
        Some(recording) => Ok(recording),
        None => pass(input, progress, Some(Vec::new()))?.ok_or_else(|| {
            let place = Place::file(input.display().to_string());
            ImportError::malformed(place, "a file that stays as it is", "one that changes")
        }),
    }
}

/// Reads the samples; all wait in `waiting` until they can be put in order. None where they have to and were not
/// told to.
fn pass(
    input: &Input,
    progress: &Progress,
    waiting: Option<Vec<Taken>>,
) -> Result<Option<Recording>, ImportError> {
    let reporter = Reporter::new();
    // What is wrong is counted when the events themselves are read.
    let (ahead_progress, ahead_reporter) = (Progress::new(), Reporter::new());
    let mut ahead = Window::open(input, &ahead_progress, &ahead_reporter)?;
    let mut window = Window::open(input, progress, &reporter)?;
    let mut reader = Reader {
        builder: TraceBuilder::new(&reporter),
        reporter: &reporter,
        samples: Samples::new(&reporter),
        stacks: Stacks::default(),
        functions: HashMap::new(),
        tracks: HashMap::new(),
        waits: BTreeMap::new(),
        memory: Gathered::default(),
        waiting,
        last: i64::MIN,
        goes_back: false,
    };
    let mut readable = 0;
    while !window.data().is_empty() || window.more()? {
        let Some(chunk) = Chunk::read(&mut window)? else {
            if readable == 0 {
                let place = window.place(window.offset());
                let found = "something else or less";
                return Err(ImportError::malformed(
                    place,
                    "the header of a chunk",
                    found,
                ));
            }
            reporter.warn("trailing-garbage", || window.place(window.offset()));
            break;
        };
        match chunk.types(&mut ahead)? {
            Some(types) => {
                readable += 1;
                reader.chunk(&chunk, &types, &mut window)?;
                if reader.goes_back && reader.waiting.is_none() {
                    return Ok(None);
                }
            }
            None if readable == 0 && !skip_to(&mut window, chunk.end)? => {
                let place = window.place(chunk.start + chunk.metadata);
                let found = "the end of the file, or something else";
                return Err(ImportError::malformed(
                    place,
                    "the metadata of a chunk",
                    found,
                ));
            }
            None => reporter.warn("chunk-without-metadata", || window.place(chunk.start)),
        }
        skip_to(&mut window, chunk.end)?;
        skip_to(&mut ahead, chunk.end)?;
    }
    let end = window.offset();
    let place = || window.place(end);
    reader.take_waiting(&window);
    reader.wait();
    let sampled = reader
        .samples
        .finish(&reader.stacks, &mut reader.builder, place);
    let lines = sampled.lines(&reader.stacks);
    let samples = sampled.samples;
    if let Some(began) = reader.memory.began() {
        reader.builder.began(Timestamp::from_ns(began));
    }
    let (functions, trace) = reader.builder.finish(place);
    let weighed = sampled.weighed(&reader.stacks, (&functions, &trace));
    let warn = |kind, offset| reporter.warn(kind, || window.place(offset));
    let memory = reader.memory.finish(&trace, &warn);
    let warnings = reporter.warnings();
    Ok(Some(match memory {
        Some(memory) if samples == 0 && memory.detail != Detail::Counters => {
            Recording::of_memory(input, FORMAT, functions, memory, warnings)
        }
        memory => {
            let trace = match &memory {
                Some(memory) => trace.lasting(memory.end_of_events()),
                None => trace,
            };
            let calls = (functions, trace);
            Recording {
                memory,
                weighed,
                lines,
                ..Recording::of_calls(input, FORMAT, Some(samples), calls, warnings)
            }
        }
    }))
}

/// Moves the window to `offset`; false when the file ends before.
fn skip_to(window: &mut Window<'_>, offset: u64) -> Result<bool, ImportError> {
    while window.offset() < offset {
        if window.data().is_empty() && !window.more()? {
            return Ok(false);
        }
        let left = usize::try_from(offset - window.offset()).unwrap_or(usize::MAX);
        window.consume(left.min(window.data().len()));
    }
    Ok(true)
}

/// Reads on until `count` bytes are at hand; false when the file ends before.
fn have(window: &mut Window<'_>, count: usize) -> Result<bool, ImportError> {
    while window.data().len() < count {
        if !window.more()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The header of a chunk.
struct Chunk {
    /// Where the chunk begins and ends.
    start: u64,
    end: u64,
    /// Where its metadata stands, from its start.
    metadata: u64,
    /// The time of its start in nanoseconds, and in ticks.
    start_time: i64,
    start_ticks: i64,
    ticks_a_second: i64,
}

impl Chunk {
    /// Reads the header that stands next; none where none does.
    fn read(window: &mut Window<'_>) -> Result<Option<Chunk>, ImportError> {
        let start = window.offset();
        if !have(window, HEADER)? || !window.data().starts_with(MAGIC) {
            return Ok(None);
        }
        let data = window.data();
        let number = |at: usize| {
            let bytes = data[at..at + 8].iter();
            bytes.fold(0u64, |number, &byte| number << 8 | u64::from(byte))
        };
        let major = u16::from_be_bytes([data[4], data[5]]);
        if !(1..=2).contains(&major) {
            let place = window.place(start + 4);
            let found = format!("version {major}");
            return Err(ImportError::malformed(place, "version 1 or 2", found));
        }
        if data[67] & 1 == 0 {
            let place = window.place(start + 64);
            let found = "numbers that are not";
            return Err(ImportError::malformed(place, "compressed numbers", found));
        }
        let size = number(8);
        let chunk = Chunk {
            start,
            // A chunk that is still written has no size.
            end: match size {
                0 => u64::MAX,
                _ => start.saturating_add(size.max(HEADER as u64)),
            },
            metadata: number(24),
            start_time: number(32) as i64,
            start_ticks: number(48) as i64,
            ticks_a_second: (number(56) as i64).max(1),
        };
        window.consume(HEADER);
        Ok(Some(chunk))
    }

    /// The types of the chunk's events, which another window goes ahead for.
    fn types(&self, ahead: &mut Window<'_>) -> Result<Option<Types>, ImportError> {
        let at = self.start.saturating_add(self.metadata);
        // What lies behind the chunk is not its own, and would be passed by for the next.
        if at >= self.end || !skip_to(ahead, at)? {
            return Ok(None);
        }
        Ok(match event(ahead)? {
            Event::Whole {
                kind: METADATA,
                from,
                to,
            } => Types::read(Bytes(&ahead.data()[from..to])),
            _ => None,
        })
    }

    /// The time of a number of ticks.
    fn time(&self, ticks: u64) -> i64 {
        let ticks = i128::from(ticks as i64) - i128::from(self.start_ticks);
        let since = ticks * 1_000_000_000 / i128::from(self.ticks_a_second);
        let time = i128::from(self.start_time) + since;
        time.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }
}

/// What stands next in a chunk.
enum Event {
    /// An event of type `kind` whose content is at hand in a range of the window; it ends with it.
    Whole {
        kind: u64,
        from: usize,
        to: usize,
    },
    Damaged,
    /// The file ends in it.
    Cut,
}

fn event(window: &mut Window<'_>) -> Result<Event, ImportError> {
    /// Two numbers take no more.
    const MOST: usize = 18;
    have(window, MOST)?;
    let mut bytes = Bytes(window.data());
    let (Some(size), Some(kind)) = (bytes.number(), bytes.number()) else {
        return Ok(Event::Cut);
    };
    let from = window.data().len() - bytes.0.len();
    if size < from as u64 || size > LONGEST {
        return Ok(Event::Damaged);
    }
    let to = size as usize;
    Ok(match have(window, to)? {
        true => Event::Whole { kind, from, to },
        false => Event::Cut,
    })
}

/// A sample by what holds in all chunks.
struct Taken {
    track: TrackId,
    sample: samples::Sample,
    offset: u64,
}

struct Reader<'a> {
    builder: TraceBuilder<'a>,
    reporter: &'a Reporter,
    samples: Samples<'a>,
    stacks: Stacks,
    /// By name.
    functions: HashMap<String, FunctionId>,
    /// By a thread's number.
    tracks: HashMap<String, TrackId>,
    /// By a thread's number, when it waited.
    waits: BTreeMap<String, Vec<(i64, i64)>>,
    memory: Gathered,
    /// The samples so far, where they have to be put in order.
    waiting: Option<Vec<Taken>>,
    /// The time of the last sample of the chunks so far.
    last: i64,
    /// A chunk has samples from before that.
    goes_back: bool,
}

impl Reader<'_> {
    /// Reads the events of a chunk, whose header the window stands behind.
    fn chunk(
        &mut self,
        chunk: &Chunk,
        types: &Types,
        window: &mut Window<'_>,
    ) -> Result<(), ImportError> {
        let waits = Waits::new(types);
        let mut sampled = Sampled::new(types, &mut self.samples);
        let mut of_memory = OfChunk::new(types);
        let mut waited: Vec<Wait> = Vec::new();
        let mut pools = Pools::default();
        let mut samples: Vec<Sample> = Vec::new();
        while window.offset() < chunk.end && (!window.data().is_empty() || window.more()?) {
            let offset = window.offset();
            let (kind, from, to) = match event(window)? {
                Event::Whole { kind, from, to } => (kind, from, to),
                Event::Damaged => {
                    self.reporter.warn("damaged-chunk", || window.place(offset));
                    break;
                }
                Event::Cut => {
                    self.reporter
                        .warn("truncated-file", || window.place(offset));
                    break;
                }
            };
            let content = Bytes(&window.data()[from..to]);
            if kind == CHECKPOINT {
                if pools.read(content, types).is_none() {
                    self.reporter
                        .warn("damaged-checkpoint", || window.place(offset));
                }
            } else if let Some(read) =
                sampled.read(kind, types, content, (|ticks| chunk.time(ticks), offset))
            {
                match read {
                    Some(sample) => samples.push(sample),
                    None => self.reporter.warn("damaged-event", || window.place(offset)),
                }
            } else if sampled.setting(kind, types, content) {
                // How often samples are taken.
            } else if let Some(read) = waits.read(kind, types, content, |ticks| chunk.time(ticks)) {
                match read {
                    Some(wait) => waited.push(wait),
                    None => self.reporter.warn("damaged-event", || window.place(offset)),
                }
            } else {
                let time = |ticks| chunk.time(ticks);
                let wrong = match of_memory.take(kind, content, time, offset) {
                    Some(true) => None,
                    Some(false) => Some("damaged-event"),
                    None => (kind != METADATA).then_some("event-not-shown"),
                };
                if let Some(wrong) = wrong {
                    self.reporter.warn(wrong, || window.place(offset));
                }
            }
            window.consume(to);
        }
        self.samples.allow(window.offset());
        samples.sort_by_key(|sample| sample.time);
        if let (Some(first), Some(last)) = (samples.first(), samples.last()) {
            self.goes_back |= first.time < self.last;
            self.last = self.last.max(last.time);
        }
        sampled.tell(&mut self.samples);
        self.take((&samples, &mut sampled), &pools, window);
        let functions = self.functions(of_memory.stacks(), &pools);
        let reporter = self.reporter;
        let warn = |kind, offset| reporter.warn(kind, || window.place(offset));
        self.memory.take(&of_memory, &pools, &functions, &warn);
        self.weigh(&waited, &pools);
        Ok(())
    }

    /// Takes the waits of a chunk: their times, and how long stacks waited.
    fn weigh(&mut self, waited: &[Wait], pools: &Pools) {
        let functions = self.functions(waited.iter().map(|it| it.stack), pools);
        for wait in waited {
            let (id, _) = pools.thread(wait.thread);
            let waits = self.waits.entry(id.clone()).or_default();
            waits.push((wait.start, wait.end));
            let ns = wait.end.saturating_sub(wait.start).max(0);
            if let Some(stack) = self.stack(wait.stack, pools, &functions) {
                let event = sampled::event_of_waiting(&mut self.samples);
                let track = self.tracks.get(id.as_str()).copied();
                let covers = (wait.start, wait.end.max(wait.start));
                self.samples.weigh(track, event, (stack, ns), covers);
            }
        }
    }

    /// The stack with this key; none where it is not known.
    fn stack(
        &mut self,
        key: u64,
        pools: &Pools,
        functions: &HashMap<u64, FunctionId, BuildFast>,
    ) -> Option<StackId> {
        let (frames, _) = pools.stack(key)?;
        let frames = frames.iter().rev();
        let frames = frames.filter_map(|frame| Some((*functions.get(&frame.method)?, frame.line)));
        Some(frames.fold(StackId::EMPTY, |below, (function, line)| {
            self.stacks.push_at(below, function, line)
        }))
    }

    /// Hands on when threads with samples have waited.
    fn wait(&mut self) {
        for (id, waits) in std::mem::take(&mut self.waits) {
            self.builder.knows_waiting();
            if !self.tracks.contains_key(&id) {
                continue;
            }
            let thread = self.builder.thread("", &id);
            for (start, end) in waits {
                let times = (Timestamp::from_ns(start), Timestamp::from_ns(end));
                self.builder.wait(thread, times, None, Why::Voluntary);
            }
        }
    }

    /// Hands on the samples of a chunk, which are in order of time.
    fn take(
        &mut self,
        (samples, sampled): (&[Sample], &mut Sampled<'_>),
        pools: &Pools,
        window: &Window<'_>,
    ) {
        let functions = self.functions(samples.iter().map(|it| it.stack), pools);
        let mut stacks: HashMap<u64, Option<StackId>, BuildFast> = HashMap::default();
        let mut tracks: HashMap<u64, TrackId, BuildFast> = HashMap::default();
        for sample in samples {
            let place = || window.place(sample.offset);
            let track = match tracks.get(&sample.thread) {
                Some(&track) => track,
                None => {
                    let track = self.track(pools.thread(sample.thread));
                    tracks.insert(sample.thread, track);
                    track
                }
            };
            let stack = match stacks.get(&sample.stack) {
                Some(&known) => known,
                None => {
                    let stack = self.stack(sample.stack, pools, &functions);
                    stacks.insert(sample.stack, stack);
                    stack
                }
            };
            let Some(stack) = stack else {
                self.reporter.warn("missing-stack", place);
                continue;
            };
            if pools
                .stack(sample.stack)
                .is_some_and(|(_, truncated)| truncated)
            {
                self.reporter.warn("truncated-stack", place);
            }
            let is_waiting = |state| sampled::is_waiting(pools.state(state));
            let (event, amount) = sampled.event(sample, is_waiting, &mut self.samples);
            let taken = samples::Sample {
                time: Timestamp::from_ns(sample.time),
                stack,
                event,
                amount,
            };
            if let Some(waiting) = &mut self.waiting {
                waiting.push(Taken {
                    track,
                    sample: taken,
                    offset: sample.offset,
                });
                continue;
            }
            let (stacks, builder) = (&self.stacks, &mut self.builder);
            self.samples.stack(track, taken, stacks, builder, place);
        }
    }

    /// Hands on the samples that wait, in order of time.
    fn take_waiting(&mut self, window: &Window<'_>) {
        let mut waiting = self.waiting.take().unwrap_or_default();
        waiting.sort_by_key(|taken| taken.sample.time);
        for taken in waiting {
            let place = || window.place(taken.offset);
            let (stacks, builder) = (&self.stacks, &mut self.builder);
            self.samples
                .stack(taken.track, taken.sample, stacks, builder, place);
        }
    }

    /// The functions of the methods in stacks of a chunk.
    fn functions(
        &mut self,
        stacks: impl Iterator<Item = u64>,
        pools: &Pools,
    ) -> HashMap<u64, FunctionId, BuildFast> {
        let mut seen: HashSet<u64, BuildFast> = HashSet::default();
        // In order of first appearance, so that the same file gives the same order of functions.
        let mut methods: Vec<(u64, String)> = Vec::new();
        let mut places: HashMap<u64, usize, BuildFast> = HashMap::default();
        let mut lines: HashMap<String, u32> = HashMap::new();
        for stack in stacks.filter(|&stack| seen.insert(stack)) {
            let frames = pools.stack(stack).map_or(&[][..], |(frames, _)| frames);
            for frame in frames.iter().rev() {
                let place = *places.entry(frame.method).or_insert_with(|| {
                    let name = match pools.method(frame.method) {
                        name if name.is_empty() => format!("method {}", frame.method),
                        name => name,
                    };
                    methods.push((frame.method, name));
                    methods.len() - 1
                });
                let name = &methods[place].1;
                match lines.get_mut(name) {
                    Some(line) if frame.line > 0 && (*line == 0 || frame.line < *line) => {
                        *line = frame.line;
                    }
                    Some(_) => {}
                    None => drop(lines.insert(name.clone(), frame.line)),
                }
            }
        }
        let known = methods.into_iter().map(|(method, name)| {
            let line = lines.get(&name).copied().unwrap_or(0);
            let builder = &mut self.builder;
            let function = *self.functions.entry(name).or_insert_with_key(|name| {
                builder.function(Function {
                    name,
                    line,
                    ..Function::default()
                })
            });
            (method, function)
        });
        known.collect()
    }

    fn track(&mut self, (id, name): (String, &str)) -> TrackId {
        let (builder, samples) = (&mut self.builder, &mut self.samples);
        *self.tracks.entry(id).or_insert_with_key(|id| {
            let thread = builder.thread("", id);
            builder.name_thread(thread, name);
            samples.track(thread)
        })
    }
}
