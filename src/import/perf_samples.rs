//! Samples of perf on their way to the builder, whether they come as text or as its recording: whose they are, their
//! events, and their frames as functions.
//!
//! Calls are those of the samples of one event, a clock if there is one, else the first; the others are values. A frame that
//! was inlined is a call of its own, in the library of the frame around it. Idle processors share thread 0: it is one
//! thread for each of them.

mod symbols;

use std::collections::HashMap;

use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::samples::{self, EventId, Samples, StackId, Stacks, TrackId};
use super::text::decode;
use super::wakeups::Wakeups;
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::hashing::BuildFast;
use callscape_facts::names::NameId;
use callscape_facts::recording::Recording;
pub(crate) use symbols::{StackFrame, Symbols};

/// How long a sample lasts where perf did not record times: those of cpu-clock at 1000 Hz.
const USUAL_INTERVAL: i64 = 1_000_000;

/// Whose samples are taken together: a thread's; of thread 0, and where there is no thread, a processor's; else
/// a command's.
type Whose = (Option<i64>, Option<i64>, Option<u64>, Box<[u8]>);

/// How many processors and commands are told apart where there are no threads.
const MOST_ANONYMOUS: usize = 4096;

/// A thread while its samples are read.
struct Thread {
    id: ThreadId,
    track: TrackId,
    command: Box<[u8]>,
    last: i64,
    /// The frames of its last sample, outermost first, and the stacks up to each.
    stack: Vec<(StackFrame, NameId, StackId)>,
}

/// What is known of the sample at hand but for its frames.
struct Current {
    /// Its number.
    thread: usize,
    time: i64,
    event: EventId,
    period: Option<u64>,
}

/// When a sample was taken.
pub(crate) enum When {
    /// In nanoseconds.
    At(i64),
    /// When the sample of its thread before it was.
    Same,
    /// An interval behind the sample of its thread before it.
    Next,
}

/// What is told of a sample but for its frames.
pub(crate) struct Head<'s> {
    /// Empty where it is not told.
    pub command: &'s [u8],
    pub process: Option<i64>,
    pub thread: Option<i64>,
    pub processor: Option<u64>,
    pub when: When,
    /// The name of its event, with modifiers; empty if there is none.
    pub event: &'s [u8],
    /// How much of the event it stands for; `None` if that is not told.
    pub period: Option<u64>,
}

/// The samples of a recording while they are read.
pub(crate) struct PerfSamples<'a> {
    format: &'static str,
    reporter: &'a Reporter,
    pub builder: TraceBuilder<'a>,
    pub samples: Samples<'a>,
    pub symbols: Symbols,
    threads: Vec<Thread>,
    /// By whose they are, the numbers of threads.
    numbers: HashMap<Whose, usize, BuildFast>,
    /// By name.
    events: HashMap<Box<[u8]>, EventId, BuildFast>,
    /// The sample at hand.
    current: Option<Current>,
    /// Its frames, the innermost first.
    pub frames: Vec<StackFrame>,
    stacks: Stacks,
    pub wakeups: Wakeups,
}

impl<'a> PerfSamples<'a> {
    /// Nothing yet, of the format with this identifier.
    pub(crate) fn new(format: &'static str, reporter: &'a Reporter) -> PerfSamples<'a> {
        PerfSamples {
            format,
            reporter,
            builder: TraceBuilder::new(reporter),
            samples: Samples::new(reporter),
            symbols: Symbols::default(),
            threads: Vec::new(),
            numbers: HashMap::default(),
            events: HashMap::default(),
            current: None,
            frames: Vec::new(),
            stacks: Stacks::default(),
            wakeups: Wakeups::default(),
        }
    }

    /// Whether a sample is at hand.
    pub(crate) fn has_sample(&self) -> bool {
        self.current.is_some()
    }

    /// Begins a sample. Returns its time in nanoseconds.
    pub(crate) fn begin(&mut self, head: &Head<'_>) -> i64 {
        let number = self.thread(head);
        let thread = &mut self.threads[number];
        if *thread.command != *head.command {
            thread.command = head.command.into();
            let (command, _) = decode(head.command);
            self.builder.name_thread(thread.id, &command);
        }
        let time = match head.when {
            When::At(time) => time,
            When::Same => thread.last,
            When::Next => thread.last.saturating_add(USUAL_INTERVAL),
        };
        thread.last = time;
        let event = match self.events.get(head.event) {
            Some(&known) => known,
            None => {
                let name = String::from_utf8_lossy(head.event);
                let sampler = samplers::in_format(self.format, &name);
                let event = self.samples.event(&name, sampler);
                self.events.insert(head.event.into(), event);
                event
            }
        };
        self.current = Some(Current {
            thread: number,
            time,
            event,
            period: head.period,
        });
        time
    }

    /// The number of the thread that a sample is of.
    fn thread(&mut self, head: &Head<'_>) -> usize {
        let processor = head.processor.filter(|_| head.thread.unwrap_or(0) == 0);
        let somebody = head.thread.is_some() || processor.is_some();
        let command = if somebody { b"" } else { head.command };
        let mut key: Whose = (head.process, head.thread, processor, command.into());
        let anonymous = head.thread.is_none() && head.process.is_none();
        if anonymous && self.threads.len() >= MOST_ANONYMOUS && !self.numbers.contains_key(&key) {
            // No machine has so many processors, and nobody would tell so many commands apart.
            key = Whose::default();
        }
        let (.., processor, command) = &key;
        let (processor, command) = (*processor, command.clone());
        let builder = &mut self.builder;
        let samples = &mut self.samples;
        let threads = &mut self.threads;
        *self.numbers.entry(key).or_insert_with(|| {
            let process = head.process.map(|process| process.to_string());
            let id = match (head.thread, processor) {
                (Some(thread), Some(processor)) => format!("{thread} on processor {processor}"),
                (Some(thread), None) => thread.to_string(),
                (None, Some(processor)) => format!("processor {processor}"),
                (None, None) if command.is_empty() => "all".to_owned(),
                (None, None) => decode(&command).0.into_owned(),
            };
            let id = builder.thread(process.as_deref().unwrap_or_default(), &id);
            threads.push(Thread {
                id,
                track: samples.track(id),
                command: Box::default(),
                last: 0,
                stack: Vec::new(),
            });
            threads.len() - 1
        })
    }

    /// The sample at hand is complete.
    pub(crate) fn flush(&mut self, place: impl Fn() -> Place) {
        let Some(current) = self.current.take() else {
            return;
        };
        let thread = &mut self.threads[current.thread];
        // Most of a stack is that of the sample before.
        let outermost_first = self.frames.iter().rev();
        let pairs = thread.stack.iter().zip(outermost_first.clone());
        let same = pairs.take_while(|((before, ..), now)| before == *now);
        let same = same.count();
        thread.stack.truncate(same);
        let (mut library, mut stack) = match thread.stack.last() {
            Some(&(_, library, stack)) => (library, stack),
            None => (NameId::EMPTY, StackId::EMPTY),
        };
        for frame in outermost_first.skip(same) {
            if !frame.inlined {
                library = frame.library;
            }
            let function = self.symbols.function(frame, library, &mut self.builder);
            stack = self.stacks.push_at(stack, function, frame.line);
            thread.stack.push((*frame, library, stack));
        }
        self.frames.clear();
        let sample = samples::Sample {
            time: Timestamp::from_ns(current.time),
            stack,
            event: current.event,
            amount: current.period,
        };
        self.samples
            .stack(thread.track, sample, &self.stacks, &mut self.builder, place);
    }

    /// Tells the builder which threads woke which; `at` is where a wake-up is told.
    pub(crate) fn wake(&mut self, at: &impl Fn(u64) -> Place) {
        let numbers = self.numbers.iter();
        let threads = numbers.filter_map(|(key, &number)| Some((key.1?, self.threads[number].id)));
        let threads: HashMap<i64, ThreadId> = threads.collect();
        let thread = |id| threads.get(&id).copied();
        let wakeups = std::mem::take(&mut self.wakeups);
        wakeups.build(thread, &mut self.builder, self.reporter, at);
    }

    /// The recording of these samples. Refused where there is none: `found` is what is there.
    pub(crate) fn finish(
        mut self,
        input: &Input,
        found: &str,
        place: impl Fn() -> Place + Copy,
    ) -> Result<Recording, ImportError> {
        let sampled = self.samples.finish(&self.stacks, &mut self.builder, place);
        if sampled.samples == 0 {
            let expected = "samples with their stacks";
            return Err(ImportError::malformed(place(), expected, found));
        }
        let lines = sampled.lines(&self.stacks);
        let calls = self.builder.finish(place);
        let weighed = sampled.weighed(&self.stacks, (&calls.0, &calls.1));
        let (samples, warnings) = (Some(sampled.samples), self.reporter.warnings());
        let recording = Recording::of_calls(input, self.format, samples, calls, warnings);
        Ok(recording.with_lines(lines).with_weights(weighed))
    }
}
