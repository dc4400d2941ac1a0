//! Profiles of the Firefox Profiler, as samply, Firefox and perf's `gecko` report write them. Specification:
//! <https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts> with
//! `docs-developer/CHANGELOG-formats.md` for the processed format (versions to 70), `gecko-profile.ts` beside
//! it for Gecko's own, which is what Firefox writes itself (versions to 36).
//!
//! Read are the samples of every thread: their stacks, of either format, and their times, absolute or as
//! deltas. Tables stand in the thread or, from version 60 on, are shared; any column may be missing. An inlined
//! function has a frame, and so a call, of its own. Gecko's profiles of further processes are read with their
//! start times. Between two samples a thread has waited where it says that it ran for less (`threadCPUDelta` in a unit of
//! time, as Firefox and samply write it). A sample lasts until the next; weights of samples are a value beside that time, and
//! negative in a comparison of two profiles. Markers, counters and allocations are counted. Not read are categories and addresses: functions without symbols keep the name that the file gives them.
//! A profile that the developer tools saved, with the profile inside, is read too.
//!
//! Where a native function begins is not written: its line is the lowest that ran. Which line ran, and from which a call was
//! made, frames say.

use std::collections::HashSet;

use super::decimal::Unit;
use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::samples::{self, Sample, Samples, StackId, Stacks};
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Why;
use tables::{Cell, Table, TableName, Tables};

mod tables;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "firefox";
/// The event of what samples tell of the processor.
const PROCESSOR: &str = "threadCPUDelta";

/// Whether a file that begins with `head` is a profile: its metadata speak of an interval, and of a version or
/// product.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |path: &str| paths.iter().any(|found| found == path);
    let meta = [
        "version",
        "preprocessedProfileVersion",
        "product",
        "stackwalk",
    ];
    let of_meta = |wrapper: &str| {
        has(&format!("{wrapper}meta.interval"))
            && meta
                .iter()
                .any(|member| has(&format!("{wrapper}meta.{member}")))
    };
    of_meta("") || of_meta("profile.") || (has("profile.libs") && has("fileType"))
}

/// Reads a profile. O(its size + calls).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut builder = TraceBuilder::new(&reporter);
    let mut samples = Samples::new(&reporter);
    let whole = samples.event("", samplers::only(FORMAT));
    if !document.object()? {
        return Err(document.error("a profile", "no object"));
    }
    let mut profiles = Vec::new();
    profile(&mut document, 0, &mut profiles)?;
    document.close()?;
    if profiles.iter().all(|profile| profile.threads.is_none()) {
        return Err(document.error("a member threads with an array", "none"));
    }
    samples.allow(document.offset());
    let origin = profiles.iter().filter_map(|profile| profile.start).min();
    let mut stacks = Stacks::default();
    let mut ids = HashSet::new();
    for mut profile in profiles {
        let threads = profile.threads.take().unwrap_or_default();
        // Gecko counts times from the start of each process.
        let shift = match (profile.start, origin) {
            (Some(start), Some(origin)) if profile.gecko => start.saturating_sub(origin),
            _ => 0,
        };
        let libs = std::mem::take(&mut profile.libs);
        let shared_names = profile.shared.strings.clone();
        let shared = profile
            .shared
            .resolve(&[], &libs, &mut stacks, &mut builder, &document);
        for mut thread in threads {
            let own =
                thread
                    .tables
                    .resolve(&shared_names, &libs, &mut stacks, &mut builder, &document);
            let of_row = if own.is_empty() { &shared } else { &own };
            let times = thread.times(shift, profile.interval, &document);
            let sampled = thread.sampled(of_row, &times, &document);
            let known = thread.register(&mut builder, &mut ids);
            thread.wait(known, &times, &mut builder);
            builder.name_thread(known, &thread.name);
            let track = samples.track(known);
            samples.every(whole, profile.interval.unwrap_or(0));
            let ran = thread.ran(of_row, &times);
            let is_told = !ran.is_empty();
            for (&(time, stack), next) in sampled.iter().zip(1..) {
                let mut sample = Sample::at(time, stack);
                // What a thread did between its samples is told: it ran, or waited.
                let next = sampled.get(next).filter(|_| is_told);
                let lasts = next.map(|(next, _)| next.saturating_sub(time));
                sample.amount = lasts.and_then(|lasts| u64::try_from(lasts).ok());
                samples.stack(track, sample, &stacks, &mut builder, || document.place());
            }
            for (weight, covers) in ran {
                let event = samples.event(PROCESSOR, samplers::in_format(FORMAT, PROCESSOR));
                samples.weigh(Some(track), event, weight, covers);
            }
            for (weight, time) in thread.weights(of_row, &times) {
                let name = thread.weighs();
                let event = samples.event(name, samplers::in_format(FORMAT, name));
                samples.weigh(Some(track), event, weight, (time, time));
            }
            let last = sampled.last().map(|&(time, _)| time);
            let end = last.zip(profile.interval.filter(|&interval| interval > 0));
            let end = end.map(|(last, interval)| Timestamp::from_ns(last.saturating_add(interval)));
            samples.end(track, end, &mut builder, || document.place());
        }
    }
    let place = || document.place();
    let sampled = samples.finish(&stacks, &mut builder, place);
    let lines = sampled.lines(&stacks);
    let calls = builder.finish(place);
    let weighed = sampled.weighed(&stacks, (&calls.0, &calls.1));
    let warnings = reporter.warnings();
    let samples = Some(sampled.samples);
    let recording = Recording::of_calls(input, FORMAT, samples, calls, warnings);
    Ok(recording.with_lines(lines).with_weights(weighed))
}

/// A profile while it is read: of all processes, or of one in Gecko's format.
#[derive(Default)]
struct Profile {
    gecko: bool,
    /// When it began, in nanoseconds since 1970.
    start: Option<i64>,
    /// Between samples, in nanoseconds.
    interval: Option<i64>,
    unit: Option<Unit>,
    /// That of processor times; none where it counts something else, such as cycles.
    processor_unit: Option<Unit>,
    libs: Vec<String>,
    shared: Tables,
    threads: Option<Vec<Thread>>,
}

#[derive(Default)]
struct Thread {
    name: String,
    process: String,
    id: String,
    tables: Tables,
    samples: Table,
}

/// How deep profiles of processes may lie in each other. Firefox writes one level.
const MOST_NESTED: u32 = 4;

/// Reads the members of the profile whose object was entered, and the profiles in it.
/// The recursion is bounded by [`MOST_NESTED`].
fn profile(
    document: &mut Document<'_>,
    nested: u32,
    profiles: &mut Vec<Profile>,
) -> Result<(), ImportError> {
    let place = profiles.len();
    // The profile of the first process stands before those in it.
    profiles.push(Profile::default());
    let mut profile = Profile {
        // Until a version of the processed format shows.
        gecko: true,
        ..Profile::default()
    };
    while let Some(key) = document.member()? {
        match key {
            b"meta" => profile.meta(document)?,
            b"libs" => profile.libs = tables::libs(document)?,
            b"shared" => {
                if document.object()? {
                    while let Some(key) = document.member()? {
                        match TableName::new(key) {
                            Some(name) => profile.shared.member(name, document)?,
                            None => document.skip()?,
                        }
                    }
                }
            }
            b"threads" => {
                if document.array()? {
                    profile.threads.get_or_insert_default();
                    while document.element()? {
                        if document.object()? {
                            let thread = profile.thread(document)?;
                            if thread.name.is_empty() && thread.samples.rows() == 0 {
                                document.warn("empty-thread");
                                continue;
                            }
                            profile.threads.get_or_insert_default().push(thread);
                        }
                    }
                }
            }
            b"counters" => document.pass_over("counter-not-shown")?,
            b"processes" if nested < MOST_NESTED => {
                if document.array()? {
                    while document.element()? {
                        if document.object()? {
                            self::profile(document, nested + 1, profiles)?;
                        }
                    }
                }
            }
            b"profile" if nested < MOST_NESTED => {
                if document.object()? {
                    self::profile(document, nested + 1, profiles)?;
                }
            }
            _ => document.skip()?,
        }
    }
    profiles[place] = profile;
    Ok(())
}

impl Profile {
    fn meta(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            match key {
                b"interval" => self.interval = document.time(Unit::Milliseconds)?,
                b"startTime" => self.start = document.time(Unit::Milliseconds)?,
                b"preprocessedProfileVersion" => {
                    self.gecko = false;
                    document.skip()?;
                }
                b"sampleUnits" => {
                    if document.object()? {
                        while let Some(key) = document.member()? {
                            match key {
                                b"time" => self.unit = Some(unit(document)?),
                                b"threadCPUDelta" => {
                                    self.processor_unit = named_unit(&document.text()?);
                                }
                                _ => document.skip()?,
                            }
                        }
                    }
                }
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn thread(&mut self, document: &mut Document<'_>) -> Result<Thread, ImportError> {
        let mut thread = Thread::default();
        let time = Cell::Time(self.unit.unwrap_or(Unit::Milliseconds));
        while let Some(key) = document.member()? {
            if let Some(name) = TableName::new(key) {
                thread.tables.member(name, document)?;
                continue;
            }
            match key {
                b"name" => thread.name = document.text()?,
                b"pid" => thread.process = document.text()?,
                b"tid" => thread.id = document.text()?,
                b"samples" => {
                    let processor = self.processor_unit.map_or(Cell::Left, Cell::Time);
                    let wanted = [
                        ("stack", Cell::Index),
                        ("time", time),
                        ("timeDeltas", time),
                        ("threadCPUDelta", processor),
                        // In thousandths, whatever they count.
                        ("weight", Cell::Time(Unit::Microseconds)),
                    ];
                    thread.samples = Table::read(document, &wanted)?;
                }
                b"markers" => tables::pass_over(document, b"data", "marker-not-shown")?,
                b"jsAllocations" | b"nativeAllocations" => {
                    tables::pass_over(document, b"time", "allocation-not-shown")?;
                }
                _ => document.skip()?,
            }
        }
        Ok(thread)
    }
}

impl Thread {
    /// The thread, known to the builder from now on. Where several have one id, or none as in early versions,
    /// their ids are numbered.
    fn register(
        &self,
        builder: &mut TraceBuilder<'_>,
        ids: &mut HashSet<(String, String)>,
    ) -> ThreadId {
        let base = if self.id.is_empty() {
            &self.name
        } else {
            &self.id
        };
        let mut id = base.clone();
        let mut number = ids.len();
        while !ids.insert((self.process.clone(), id.clone())) {
            number += 1;
            id = format!("{base} ({number})");
        }
        builder.thread(&self.process, &id)
    }

    /// By row the time of its sample.
    fn times(&self, shift: i64, interval: Option<i64>, document: &Document<'_>) -> Vec<i64> {
        let mut now = shift;
        let mut missing = 0;
        let times = (0..self.samples.rows()).map(|row| {
            let time = self.samples.get(1, row);
            let time = time.map(|time| time.saturating_add(shift));
            let delta = self.samples.get(2, row);
            now = match (time, delta) {
                (Some(time), _) => time,
                (None, Some(delta)) => now.saturating_add(delta),
                (None, None) => {
                    missing += 1;
                    now.saturating_add(interval.unwrap_or(0).max(0))
                }
            };
            now
        });
        let times = times.collect();
        document.warn_many("missing-time", missing);
        times
    }

    /// What of the time between samples the thread did not run, as far as they say it: each how long it has run since
    /// the one before.
    fn wait(&self, thread: ThreadId, times: &[i64], builder: &mut TraceBuilder<'_>) {
        let mut before = None;
        for (row, &time) in times.iter().enumerate() {
            let ran = self.samples.get(3, row);
            if let (Some(ran), Some(before)) = (ran, before.replace(time)) {
                builder.knows_waiting();
                let waited = time.saturating_sub(before).saturating_sub(ran.max(0));
                if let Ok(waited @ 1..) = u64::try_from(waited) {
                    let times = (Timestamp::from_ns(before), Timestamp::from_ns(time));
                    let waited = Some(Cost::from_ns(waited));
                    builder.wait(thread, times, waited, Why::Unknown);
                }
            }
        }
    }

    /// How long the thread ran after each sample until the next, as far as they say it.
    fn ran(&self, of_row: &[StackId], times: &[i64]) -> Vec<((StackId, i64), (i64, i64))> {
        let rows = 1..self.samples.rows();
        let ran = rows.filter_map(|row| {
            let ran = self.samples.get(3, row).filter(|ran| *ran >= 0)?;
            let covers = (*times.get(row - 1)?, *times.get(row)?);
            Some(((self.stack_of(row - 1, of_row), ran), covers))
        });
        ran.collect()
    }

    /// What the weights of its samples are called.
    fn weighs(&self) -> &'static str {
        match self.samples.weight_type.as_str() {
            "bytes" => "bytes",
            "tracing-ms" => "tracing-ms",
            _ => "weight",
        }
    }

    /// The weights of its samples; none where each counts as itself.
    fn weights(&self, of_row: &[StackId], times: &[i64]) -> Vec<((StackId, i64), i64)> {
        let factor = |thousandths: i64| match self.weighs() {
            "tracing-ms" => thousandths.saturating_mul(1000),
            _ => (thousandths.saturating_add(thousandths.signum() * 500)) / 1000,
        };
        let rows = 0..self.samples.rows();
        let weight = |row| Some((row, factor(self.samples.get(4, row)?)));
        let weights: Vec<(usize, i64)> = rows.filter_map(weight).collect();
        if self.weighs() == "weight" && weights.iter().all(|&(_, weight)| weight == 1) {
            return Vec::new();
        }
        let of_stack = |(row, weight)| {
            let time = times.get(row).copied().unwrap_or(0);
            ((self.stack_of(row, of_row), weight), time)
        };
        weights.into_iter().map(of_stack).collect()
    }

    fn stack_of(&self, row: usize, of_row: &[StackId]) -> StackId {
        let stack = self.samples.index(0, row);
        let known = stack.and_then(|stack| of_row.get(stack).copied());
        known.unwrap_or(StackId::EMPTY)
    }

    /// The samples in order of time, with their stacks.
    fn sampled(
        &self,
        of_row: &[StackId],
        times: &[i64],
        document: &Document<'_>,
    ) -> Vec<(i64, StackId)> {
        let mut sampled = Vec::with_capacity(times.len());
        for (row, &now) in times.iter().enumerate() {
            match self.samples.index(0, row) {
                None => sampled.push((now, StackId::EMPTY)),
                Some(stack) => match of_row.get(stack) {
                    Some(&stack) => sampled.push((now, stack)),
                    None => document.warn("unknown-stack"),
                },
            }
        }
        let backwards = samples::sort_by_time(&mut sampled);
        document.warn_many("out-of-order", backwards);
        sampled
    }
}

/// The unit of the times of samples that stands next; what is no time is taken for nanoseconds and counted.
fn unit(document: &mut Document<'_>) -> Result<Unit, ImportError> {
    let unit = named_unit(&document.text()?);
    Ok(unit.unwrap_or_else(|| {
        document.warn("unit-is-not-time");
        Unit::Nanoseconds
    }))
}

fn named_unit(name: &str) -> Option<Unit> {
    match name {
        "ms" => Some(Unit::Milliseconds),
        "µs" | "us" => Some(Unit::Microseconds),
        "ns" => Some(Unit::Nanoseconds),
        _ => None,
    }
}
