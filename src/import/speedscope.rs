//! speedscope's own format. Specification:
//! <https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts>, schema
//! <https://www.speedscope.app/file-format-schema.json>, versions 0.0.1 on.
//!
//! Read are the shared frames with name, file and line, and every profile as a thread: its unit, its events
//! (`evented`, a trace) or its samples with their weights (`sampled`). The column of a frame, the name of
//! the file's own and the active profile are not. A file with a sampled profile is a sampled recording.
//! Weights in bytes or without a unit take the place of time, one nanosecond each, and are counted; their decimals are
//! left out and counted. Where the profiles of a file have different units they are values of one profile, see
//! `speedscope/values.rs`.
//!
//! Writers give a frame's line in two senses: that of the function, and that which was running. Those of the
//! second sense are known by `exporter`; their frames of one name and file are one function, at the lowest
//! line that was seen, and the lines are those that ran. py-spy writes lines of functions where it is told so (`-F`): the
//! code of a file begins on the first, so that its frames tell.
//!
//! Events stream by; the samples of a profile are held as numbers of stacks. Frames that stand behind the
//! profiles, as py-spy writes them, are looked for in a pass of their own.

use std::collections::HashMap;

use super::decimal::Unit;
use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::samples::{Sample, Samples, StackId, Stacks, median};
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::recording::Recording;
use events::{Item, Layout};
pub(crate) use outline::FORMAT;
use outline::{Outline, functions, time_unit};

mod events;
mod outline;
mod values;

/// Whether a file that begins with `head` is speedscope's: its schema, its frames, or a profile of its types.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |path: &str| paths.iter().any(|found| found == path);
    let schema = || memchr::memmem::find(head, b"speedscope.app/file-format-schema").is_some();
    (has("$schema") && schema())
        || has("shared.frames.name")
        || (has("profiles.type") && (has("profiles.unit") || has("profiles.startValue")))
}

/// Reads a speedscope file; twice where the profiles stand before what they refer to.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader {
        input,
        progress,
        builder: TraceBuilder::new(&reporter),
        reporter: &reporter,
        samples: Samples::of(&reporter, samplers::only(FORMAT)),
        outline: Outline::default(),
        functions: None,
        unknown: HashMap::new(),
        open_calls: Vec::new(),
        profiles: None,
        sampled: false,
        unit: None,
        is_mixed: false,
        evented: false,
    };
    let mut stacks = Stacks::default();
    if document.object()? {
        reader.file(&mut document, &mut stacks)?;
    }
    document.close()?;
    if reader.profiles.is_none() {
        return Err(document.error("a member profiles with an array", "none"));
    }
    if reader.is_mixed {
        return values::import(input, progress);
    }
    let place = || document.place();
    let sampled = reader.samples.finish(&stacks, &mut reader.builder, place);
    let lines = sampled.lines(&stacks);
    let calls = reader.builder.finish(place);
    // Profiles of events beside them weigh nothing.
    let weighed = (!reader.evented).then(|| sampled.weighed(&stacks, (&calls.0, &calls.1)));
    let samples = reader.sampled.then_some(sampled.samples);
    let warnings = reporter.warnings();
    let recording = Recording::of_calls(input, FORMAT, samples, calls, warnings);
    Ok(recording.with_lines(lines).with_weights(weighed.flatten()))
}

/// A profile while it is read.
struct Profile {
    thread: ThreadId,
    unit: Option<Unit>,
    /// The unit is one of time.
    timed: bool,
    /// What a unit is called that is none.
    things: String,
    start: i64,
    end: Option<i64>,
    stacks: Vec<StackId>,
    weights: Vec<Option<i64>>,
}

impl Profile {
    /// Takes the unit of this name; what is no time is taken for nanoseconds and counted.
    fn count_in(&mut self, name: &str, document: &Document<'_>) -> Unit {
        let unit = time_unit(name);
        self.timed = unit.is_some();
        if !self.timed {
            document.warn("unit-is-not-time");
            name.clone_into(&mut self.things);
        }
        *self.unit.insert(unit.unwrap_or(Unit::Nanoseconds))
    }
}

impl Calls {
    /// The time of an event that begins or ends calls: one before the last is raised to it.
    #[inline]
    fn advance(&mut self, at: i64, reporter: &Reporter, place: impl FnOnce() -> Place) -> i64 {
        let last = self.last.unwrap_or(at);
        if at < last {
            reporter.warn("time-goes-back", place);
        }
        *self.last.insert(at.max(last))
    }
}

struct Reader<'a> {
    input: &'a Input,
    progress: &'a Progress,
    builder: TraceBuilder<'a>,
    reporter: &'a Reporter,
    samples: Samples<'a>,
    outline: Outline,
    /// By frame; none before the frames are known.
    functions: Option<Vec<(FunctionId, u32)>>,
    /// Functions for frames that the file does not have.
    unknown: HashMap<u32, FunctionId>,
    /// By function, how many calls of it are open in the profile at hand.
    open_calls: Vec<u32>,
    /// How many there were so far; none before the array.
    profiles: Option<usize>,
    /// Some profiles hold samples, some events.
    sampled: bool,
    /// What profiles so far are told in: a time, or something of this name.
    unit: Option<String>,
    /// They are told in different ones, or weigh less than nothing: there are no times.
    is_mixed: bool,
    evented: bool,
}

/// The calls of an evented profile that have begun and not ended.
struct Calls {
    thread: ThreadId,
    open: Vec<FunctionId>,
    /// When the innermost began, as long as it is not handed to the builder: what comes next tells whether it holds
    /// other calls.
    waiting: Option<Timestamp>,
    /// The time before which no further event may be.
    last: Option<i64>,
}

impl Reader<'_> {
    fn file(
        &mut self,
        document: &mut Document<'_>,
        stacks: &mut Stacks,
    ) -> Result<(), ImportError> {
        while let Some(key) = document.member()? {
            match key {
                b"shared" if self.functions.is_none() => {
                    self.outline.shared(document)?;
                    self.know_functions();
                }
                b"exporter" => self.outline.exporter = document.text()?,
                b"profiles" => {
                    if document.array()? {
                        if self.functions.is_none() {
                            self.outline = Outline::read(self.input, self.progress)?;
                            self.know_functions();
                        }
                        while document.element()? {
                            *self.profiles.get_or_insert(0) += 1;
                            self.profile(document, stacks)?;
                        }
                        self.profiles.get_or_insert(0);
                    }
                }
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn know_functions(&mut self) {
        let frames = self.outline.frames.take().unwrap_or_default();
        let functions = functions(&frames, &self.outline.exporter, &mut self.builder);
        self.functions = Some(functions);
    }

    /// The function of a frame and the line that ran; one named after its number where the file does not have the frame.
    fn function(&mut self, frame: u32, document: &Document<'_>) -> (FunctionId, u32) {
        let known = self
            .functions
            .as_ref()
            .and_then(|functions| functions.get(frame as usize));
        if let Some(&function) = known {
            return function;
        }
        document.warn("unknown-frame");
        let builder = &mut self.builder;
        let function = *self.unknown.entry(frame).or_insert_with(|| {
            builder.function(Function {
                name: &format!("frame {frame}"),
                ..Function::default()
            })
        });
        (function, 0)
    }

    /// The unit of the profile at hand, which is asked for its times: the file is looked through where it
    /// stands behind them.
    fn unit(
        &mut self,
        profile: &mut Profile,
        document: &Document<'_>,
    ) -> Result<Unit, ImportError> {
        if let Some(unit) = profile.unit {
            return Ok(unit);
        }
        if self.outline.units.is_empty() {
            self.outline.units = Outline::read(self.input, self.progress)?.units;
        }
        let number = self.profiles.unwrap_or(1) - 1;
        let name = self.outline.units.get(number).map_or("", String::as_str);
        Ok(profile.count_in(name, document))
    }

    fn profile(
        &mut self,
        document: &mut Document<'_>,
        stacks: &mut Stacks,
    ) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        let number = self.profiles.unwrap_or(1);
        let mut profile = Profile {
            thread: self.builder.thread("", &number.to_string()),
            unit: None,
            timed: true,
            things: String::new(),
            start: 0,
            end: None,
            stacks: Vec::new(),
            weights: Vec::new(),
        };
        while let Some(key) = document.member()? {
            match key {
                b"name" => {
                    let name = document.text()?;
                    self.builder.name_thread(profile.thread, &name);
                }
                b"unit" if profile.unit.is_none() => {
                    let name = document.text()?;
                    profile.count_in(&name, document);
                }
                b"startValue" => {
                    let unit = self.unit(&mut profile, document)?;
                    profile.start = document.time(unit)?.unwrap_or(0);
                }
                b"endValue" => {
                    let unit = self.unit(&mut profile, document)?;
                    profile.end = document.time(unit)?;
                }
                b"events" => {
                    self.evented = true;
                    let unit = self.unit(&mut profile, document)?;
                    self.events(profile.thread, unit, profile.end, document)?;
                }
                b"samples" => {
                    self.sampled = true;
                    self.stacks(&mut profile.stacks, stacks, document)?;
                }
                b"weights" => {
                    if document.array()? {
                        let unit = self.unit(&mut profile, document)?;
                        while document.element()? {
                            let weight = match profile.timed {
                                true => document.time(unit)?,
                                false => document.amount()?,
                            };
                            // Nothing lasts less than no time: it is a difference.
                            self.is_mixed |= weight.is_some_and(|weight| weight < 0);
                            profile.weights.push(weight.map(|weight| weight.max(0)));
                        }
                    }
                }
                _ => document.skip()?,
            }
        }
        if profile.unit.is_some() {
            let first = self.unit.get_or_insert_with(|| profile.things.clone());
            self.is_mixed |= *first != profile.things;
        }
        self.sampled_calls(&profile, stacks, document);
        Ok(())
    }

    /// The events of an evented profile.
    fn events(
        &mut self,
        thread: ThreadId,
        unit: Unit,
        end: Option<i64>,
        document: &mut Document<'_>,
    ) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        /// Past so many layouts, another is learned only while this many events for each were read by one.
        const LEARNED_FREELY: u64 = 64;
        const WORTH: u64 = 8;
        let last = self.builder.plain(thread).last();
        let mut calls = Calls {
            thread,
            open: Vec::new(),
            waiting: None,
            last: last.map(Timestamp::ns),
        };
        let mut layout: Option<Layout> = None;
        let (mut learned, mut quick) = (0, 0);
        loop {
            if let Some(layout) = &layout {
                let mut done = 0;
                while let Some((kind, frame, at, end)) = layout.read(document.ahead(), done, unit) {
                    let (function, _) = self.function(frame, document);
                    self.event(&mut calls, kind, function, at, || document.place_ahead(end));
                    done = end;
                    quick += 1;
                }
                document.take(done);
            }
            let event = match document.whole(|cursor| events::next(cursor, unit))? {
                Some(Item::Event(event)) => event,
                Some(Item::Other) => {
                    document.warn("not-an-event");
                    document.skip()?;
                    continue;
                }
                Some(Item::End) | None => break,
            };
            if learned < LEARNED_FREELY || quick / WORTH > learned {
                layout = Layout::of(document.passed()).or(layout);
                learned += 1;
            }
            let (Some(kind), Some(frame), Some(at)) = (event.kind, event.frame, event.at) else {
                document.warn("missing-field");
                continue;
            };
            let at = at.unwrap_or_else(|why| {
                document.warn(why.kind());
                calls.last.unwrap_or(0)
            });
            let (function, _) = self.function(frame, document);
            self.event(&mut calls, kind, function, at, || document.place());
        }
        let rest = calls.open.len() as u64;
        self.reporter
            .warn_many("open-at-end", rest, || document.place());
        let end = end.into_iter().chain(calls.last).max().unwrap_or(0);
        self.enter_waiting(&mut calls);
        while let Some(function) = calls.open.pop() {
            self.open_calls[function.index()] -= 1;
            self.builder.plain(thread).exit(Timestamp::from_ns(end));
        }
        Ok(())
    }

    /// Takes one event.
    #[inline]
    fn event(
        &mut self,
        calls: &mut Calls,
        kind: u8,
        function: FunctionId,
        at: i64,
        place: impl Fn() -> Place,
    ) {
        match kind {
            b'O' => {
                self.enter_waiting(calls);
                let at = calls.advance(at, self.reporter, &place);
                let builder = self.builder.plain(calls.thread);
                if !builder.has_room() {
                    self.reporter.warn("too-many-calls", place);
                    return;
                }
                builder.expect(function);
                self.opened(function);
                calls.open.push(function);
                calls.waiting = Some(Timestamp::from_ns(at));
            }
            b'C' => self.close(calls, at, function, place),
            _ => self.reporter.warn("unknown-phase", place),
        }
    }

    /// Hands the innermost call to the builder, where it waits.
    #[inline]
    fn enter_waiting(&mut self, calls: &mut Calls) {
        if let Some(start) = calls.waiting.take()
            && let Some(&function) = calls.open.last()
        {
            self.builder.plain(calls.thread).enter(start, function);
        }
    }

    #[inline]
    fn opened(&mut self, function: FunctionId) {
        let index = function.index();
        if index >= self.open_calls.len() {
            self.open_calls.resize(index + 1, 0);
        }
        self.open_calls[index] += 1;
    }

    /// The end of the innermost open call of `function`; what is open inside it ends too.
    #[inline]
    fn close(
        &mut self,
        calls: &mut Calls,
        at: i64,
        function: FunctionId,
        place: impl Fn() -> Place,
    ) {
        // Asked before it is searched for, so that ends which match nothing cost no search.
        let count = self.open_calls.get(function.index());
        if count.is_none_or(|count| *count == 0) {
            self.reporter.warn("end-without-begin", place);
            return;
        }
        let time = Timestamp::from_ns(calls.advance(at, self.reporter, &place));
        // What has only begun by then follows what ends.
        if let [.., outer, inner] = calls.open[..]
            && calls.waiting == Some(time)
            && outer == function
            && inner != function
        {
            self.open_calls[function.index()] -= 1;
            calls.open.remove(calls.open.len() - 2);
            self.builder.plain(calls.thread).exit(time);
            return;
        }
        let mut waiting = calls.waiting.take();
        while let Some(inner) = calls.open.pop() {
            // `opened` has counted whatever is open.
            self.open_calls[inner.index()] -= 1;
            let mut builder = self.builder.plain(calls.thread);
            match waiting.take() {
                Some(start) => builder.leaf(start, time, inner),
                None => builder.exit(time),
            }
            if inner == function {
                break;
            }
            self.reporter.warn("missing-end", &place);
        }
    }

    /// The stacks of a sampled profile, each a list of frames from the outermost to the innermost.
    fn stacks(
        &mut self,
        samples: &mut Vec<StackId>,
        stacks: &mut Stacks,
        document: &mut Document<'_>,
    ) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            let mut stack = StackId::EMPTY;
            if document.array()? {
                while document.element()? {
                    match document.index()? {
                        Some(frame) => {
                            let (function, line) = self.function(frame, document);
                            stack = stacks.push_at(stack, function, line);
                        }
                        None => document.warn("unknown-frame"),
                    }
                }
            }
            samples.push(stack);
        }
        Ok(())
    }

    /// The samples of a profile as calls: each lasts as long as its weight.
    fn sampled_calls(&mut self, profile: &Profile, stacks: &Stacks, document: &Document<'_>) {
        if profile.stacks.is_empty() {
            return;
        }
        let mut known: Vec<i64> = profile.weights.iter().flatten().copied().collect();
        let usual = median(&mut known).unwrap_or(1);
        let missing = profile.stacks.len().saturating_sub(known.len()) as u64;
        self.reporter
            .warn_many("missing-weight", missing, || document.place());
        let extra = profile.weights.len().saturating_sub(profile.stacks.len()) as u64;
        self.reporter
            .warn_many("extra-weight", extra, || document.place());
        self.samples.allow(document.offset());
        let track = self.samples.track(profile.thread);
        let mut time = profile.start;
        let weights = profile
            .weights
            .iter()
            .copied()
            .chain(std::iter::repeat(None));
        for (&stack, weight) in profile.stacks.iter().zip(weights) {
            let (sample, place) = (Sample::at(time, stack), || document.place());
            self.samples
                .stack(track, sample, stacks, &mut self.builder, place);
            time = time.saturating_add(weight.unwrap_or(usual));
        }
        let end = Some(Timestamp::from_ns(time));
        self.samples
            .end(track, end, &mut self.builder, || document.place());
    }
}
