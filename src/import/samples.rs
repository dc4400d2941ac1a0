//! Samples as calls. Two consecutive stacks of a thread are compared by position, from the outermost frame:
//! what they share goes on, the rest ends between them, and what is new starts there. The times
//! of calls are so known to the sampling interval.
//!
//! What a sample stands for depends on its sampler ([`Covers`]). One that fires at the end of a period stands for its own
//! weight, or one interval, before its time stamp, and for no more: between samples further apart than that their thread
//! was not sampled, and no call is open. Sums are those of weights ([`Sampled`]).
//!
//! A frame is compared by its function alone: a call goes on while its running line or address changes. A
//! recursive function stands in a stack once for each activation, and positions tell them apart. Where stacks come with the
//! lines that ran, it is added up for how long each was found, and on which lines calls began.

mod events;
mod interval;
mod lines;
mod stacks;
mod sums;
#[cfg(test)]
mod tests;

use crate::samplers::{Counts, Covers, Sampler};
use callscape_base::units::{Cost, FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use events::Event;
pub(crate) use events::EventId;
use interval::commonest;
pub(crate) use interval::{median, usual_interval};
pub(crate) use lines::Ticks;
pub(crate) use stacks::{StackId, Stacks};
pub(crate) use sums::Sampled;
use sums::{StackWeights, Taken};

/// How many calls a recording may open whose stacks stand in a table, beyond [`CALLS_A_BYTE`] for each byte of it: a
/// small file can hold deep stacks that share nothing, and name them in turn at two bytes a sample. Recordings of
/// deeply recursive programs open ten to twenty calls a sample, at ten bytes or more for each; of threads that sleep
/// between samples, each sample opens all of its stack.
const FREE_CALLS: u64 = 1 << 20;
const CALLS_A_BYTE: u64 = 16;

/// Calls of a stack of this depth count twice, of one twice as deep thrice, and so on up to the second depth.
const DEEP: u32 = 128;
const DEEPEST: u32 = 4096;

/// Of how many intervals between samples the median is taken.
const INTERVALS: usize = 1024;

/// Counters with a frequency need about so many samples of a thread to reach it.
const ADAPTS: usize = 16;

/// So many samples wait until the interval is known.
const HEAD: usize = 4096;

/// The interval where nothing tells it, in nanoseconds: that of perf's clocks at 1000 Hz.
const USUAL_INTERVAL: i64 = 1_000_000;

/// The samples of one thread while they are read.
struct Track {
    thread: ThreadId,
    /// The stack of the last sample, without lines.
    top: StackId,
    /// The same with lines.
    lined: StackId,
    /// When the last sample was taken, and the last that has been shown.
    taken: Option<i64>,
    last: Option<i64>,
    /// What the last sample weighs, if it does not last until the next.
    weight: Option<i64>,
    /// The first intervals between samples.
    intervals: Vec<i64>,
}

/// A sample as its file has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub time: Timestamp,
    pub stack: StackId,
    pub event: EventId,
    /// What it stands for, in what its event counts; `None` if the file does not say.
    pub amount: Option<u64>,
}

impl Sample {
    /// A sample of the only event, which weighs what the times say.
    pub(crate) fn at(time: i64, stack: StackId) -> Sample {
        Sample {
            time: Timestamp::from_ns(time),
            stack,
            event: EventId(0),
            amount: None,
        }
    }
}

/// What waits until the interval is known.
enum Waiting {
    Sample(TrackId, Sample),
    /// Nothing was recorded up to this time.
    Pause(i64),
}

/// The samples of a recording, on their way to the builder.
pub(crate) struct Samples<'r> {
    reporter: &'r Reporter,
    tracks: Vec<Track>,
    events: Vec<Event>,
    /// The event whose samples are shown along time.
    leading: EventId,
    /// In nanoseconds, once it is known.
    interval: Option<i64>,
    /// What a sample of the leading event counts in that time; 0 if it does not say.
    usual: u64,
    head: Vec<Waiting>,
    /// No sample covers time before this.
    floor: i64,
    samples: u64,
    calls: u64,
    /// How many calls stacks from a table may open.
    allowed: u64,
    /// One more would have been too many.
    exhausted: bool,
    /// Functions to be opened, kept for its memory.
    opened: Vec<FunctionId>,
    weights: StackWeights,
}

/// The samples of one thread, as [`Samples`] knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrackId(usize);

/// A change from one stack to the next: when the one ended and the other began, and how many frames they share.
#[derive(Clone, Copy)]
struct Change {
    ended: i64,
    began: i64,
    shared: u32,
}

impl<'r> Samples<'r> {
    pub(crate) fn new(reporter: &'r Reporter) -> Samples<'r> {
        Samples {
            reporter,
            tracks: Vec::new(),
            events: Vec::new(),
            leading: EventId(0),
            interval: None,
            usual: 0,
            head: Vec::new(),
            floor: i64::MIN,
            samples: 0,
            calls: 0,
            allowed: FREE_CALLS,
            exhausted: false,
            opened: Vec::new(),
            weights: StackWeights::default(),
        }
    }

    /// The samples of one sampler.
    pub(crate) fn of(reporter: &'r Reporter, sampler: &'static Sampler) -> Samples<'r> {
        let mut samples = Samples::new(reporter);
        samples.event("", sampler);
        samples
    }

    /// The event of this name, known from now on by its number.
    pub(crate) fn event(&mut self, name: &str, sampler: &'static Sampler) -> EventId {
        let known = self.events.iter().position(|it| it.name == name);
        EventId(known.unwrap_or_else(|| {
            self.events.push(Event {
                name: name.to_owned(),
                sampler,
                interval: None,
                has_amounts: false,
                completes: false,
            });
            self.events.len() - 1
        }))
    }

    /// The event has samples of times that the leading one does not see.
    pub(crate) fn completes(&mut self, event: EventId) {
        self.events[event.0].completes = true;
    }

    /// The interval of an event's samples, as the file tells it.
    pub(crate) fn every(&mut self, event: EventId, interval: i64) {
        self.events[event.0].interval = Some(interval).filter(|&it| it > 0);
    }

    /// The interval of an event's samples that the file tells, in nanoseconds.
    pub(crate) fn interval_of(&self, event: EventId) -> Option<i64> {
        self.events[event.0].interval
    }

    /// Starts the samples of `thread`.
    pub(crate) fn track(&mut self, thread: ThreadId) -> TrackId {
        self.tracks.push(Track {
            thread,
            top: StackId::EMPTY,
            lined: StackId::EMPTY,
            taken: None,
            last: None,
            weight: None,
            intervals: Vec::new(),
        });
        TrackId(self.tracks.len() - 1)
    }

    /// Lets stacks from a table open as many calls as a file of `bytes` can hold honestly.
    pub(crate) fn allow(&mut self, bytes: u64) {
        self.allowed = FREE_CALLS.saturating_add(bytes.saturating_mul(CALLS_A_BYTE));
    }

    /// Takes a sample. O(frames that it does not share with the one before it).
    /// Where a file of this size can hold no such stacks honestly, samples are left out of calls and counted.
    pub(crate) fn stack(
        &mut self,
        track: TrackId,
        mut sample: Sample,
        stacks: &Stacks,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        self.samples += 1;
        let of = &mut self.tracks[track.0];
        if let Some(last) = of.taken.filter(|&last| sample.time.ns() < last) {
            self.reporter.warn("time-goes-back", &place);
            sample.time = Timestamp::from_ns(last);
        }
        of.taken = Some(sample.time.ns());
        let event = &mut self.events[sample.event.0];
        event.has_amounts |= sample.amount.is_some();
        match (event.sampler.covers, self.interval) {
            (Covers::UntilNext, _) => self.until_next(track, sample, stacks, builder, place),
            (Covers::Before, Some(interval)) => {
                self.before(track, (sample, interval), stacks, builder, place);
            }
            (Covers::Before, None) => {
                self.head.push(Waiting::Sample(track, sample));
                if self.head.len() == HEAD {
                    self.begin(stacks, builder, place);
                }
            }
        }
    }

    /// Takes the samples that wait, now that enough are known.
    fn begin(
        &mut self,
        stacks: &Stacks,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        self.leading = events::leading(&self.events);
        let head = std::mem::take(&mut self.head);
        let told = self.events.get(self.leading.0).and_then(|it| it.interval);
        let found = match told {
            Some(told) => Some((told, 0)),
            None => self.commonest(&head),
        };
        let (interval, usual) = found.unwrap_or((USUAL_INTERVAL, 0));
        self.interval = Some(interval);
        self.usual = usual;
        for waiting in head {
            match waiting {
                Waiting::Sample(track, sample) => {
                    self.before(track, (sample, interval), stacks, builder, &place);
                }
                Waiting::Pause(until) => self.off(until, builder, &place),
            }
        }
    }

    /// The commonest distance of neighbours among the leading event's samples, and the usual amount of these, 0 if they
    /// have none. Counters with a frequency start with small amounts at small distances, which do not count.
    fn commonest(&self, head: &[Waiting]) -> Option<(i64, u64)> {
        let leading = self.events.get(self.leading.0)?;
        let counts = leading.sampler.counts == Counts::Events;
        let has_amounts = counts && leading.has_amounts;
        let mut last: Vec<(Option<i64>, usize)> = vec![(None, 0); self.tracks.len()];
        let mut distances = Vec::new();
        for waiting in head {
            match waiting {
                Waiting::Pause(_) => last.iter_mut().for_each(|it| it.0 = None),
                Waiting::Sample(track, sample) if sample.event == self.leading => {
                    let (last, seen) = &mut last[track.0];
                    let time = sample.time.ns();
                    let amount = match has_amounts {
                        true => sample.amount.unwrap_or(0),
                        false => u64::from(!counts || *seen >= ADAPTS),
                    };
                    let before = last.replace(time);
                    *seen += 1;
                    distances.extend(before.map(|it| (time.saturating_sub(it), amount)));
                }
                Waiting::Sample(..) => {}
            }
        }
        if distances.iter().all(|(_, amount)| *amount == 0) {
            distances.iter_mut().for_each(|it| it.1 = 1);
        }
        let (interval, usual) = commonest(&mut distances)?;
        Some((interval, if has_amounts { usual } else { 0 }))
    }

    /// A sample that covers its weight before its time stamp.
    fn before(
        &mut self,
        number: TrackId,
        (sample, interval): (Sample, i64),
        stacks: &Stacks,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        let event = &self.events[sample.event.0];
        let (counts, interval) = (event.sampler.counts, event.interval.unwrap_or(interval));
        let amount = match counts {
            Counts::Nanoseconds => sample.amount.or(u64::try_from(interval).ok()),
            Counts::Events => sample.amount,
        };
        let amount = amount.unwrap_or(0);
        if sample.event != self.leading {
            self.other(number, sample, amount);
            return;
        }
        let weight = match (counts, self.usual) {
            (Counts::Nanoseconds, _) => i64::try_from(amount).unwrap_or(i64::MAX),
            (Counts::Events, 0) => interval,
            // A counter runs on at its usual speed, so less of it took less time.
            (Counts::Events, usual) => {
                let part = i128::from(amount.min(usual)) * i128::from(interval);
                (part / i128::from(usual)) as i64
            }
        };
        let time = sample.time.ns();
        let earliest = time.saturating_sub(weight).max(self.floor).min(time);
        let slack = match counts {
            Counts::Nanoseconds => weight / 2,
            // Its speed varies.
            Counts::Events => interval.saturating_add(interval / 2).saturating_sub(weight),
        };
        let track = &mut self.tracks[number.0];
        let mut shared = 0;
        let change = match track.last.replace(time) {
            // Timers are not exact: less than half a sample more is no time without samples.
            Some(last) if last >= earliest.saturating_sub(slack) => {
                if !self.exhausted {
                    shared = stacks.shared(track.top, stacks.plain(sample.stack));
                }
                (last, last)
            }
            Some(last) => (last, earliest),
            None => (earliest, earliest),
        };
        let change = Change {
            ended: change.0,
            began: change.1,
            shared,
        };
        let covers = (change.began, time);
        self.weights.cover(number.0, covers);
        let taken = Taken::of(number.0, sample.stack, covers).at_end();
        let is_told = self.events[sample.event.0].interval.is_some();
        match counts {
            Counts::Nanoseconds => self.weights.add(taken, weight),
            Counts::Events => {
                match is_told {
                    true => self.weights.add(taken, weight),
                    false => self.weights.add_share(taken, sample.amount),
                }
                let amount = Cost::from_ns(amount).weight();
                self.weights
                    .add_other(taken.instant(), sample.event.0, amount);
            }
        }
        self.change(number, change, sample.stack, stacks, builder, place);
    }

    /// A sample of an event that is not shown along time.
    fn other(&mut self, number: TrackId, sample: Sample, amount: u64) {
        let time = sample.time.ns();
        let mut taken = Taken::of(number.0, sample.stack, (time, time)).counted();
        if self.events[sample.event.0].sampler.covers == Covers::Before {
            taken = taken.at_end();
        }
        let amount = Cost::from_ns(amount).weight();
        self.weights.add_other(taken, sample.event.0, amount);
        self.weights.add_sample(sample.stack);
    }

    /// A sample that lasts until the next one of its thread.
    fn until_next(
        &mut self,
        number: TrackId,
        sample: Sample,
        stacks: &Stacks,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        if sample.event != self.leading {
            self.other(number, sample, sample.amount.unwrap_or(0));
            return;
        }
        let time = sample.time.ns();
        let amount = sample.amount.and_then(|it| i64::try_from(it).ok());
        let weight = amount.or(self.events[sample.event.0].interval);
        let track = &mut self.tracks[number.0];
        let weighed = std::mem::replace(&mut track.weight, weight);
        let mut ended = time;
        if let Some(last) = track.last.replace(time) {
            let lasted = time.saturating_sub(last);
            if track.intervals.len() < INTERVALS {
                track.intervals.push(lasted);
            }
            // Timers are not exact: see above.
            let covers = weighed.filter(|weight| lasted > weight.saturating_add(weight / 2));
            ended = covers.map_or(time, |weight| last.saturating_add(weight));
            let covers = (last, ended);
            let taken = Taken::of(number.0, track.lined, covers);
            self.weights.add(taken, weighed.unwrap_or(lasted));
            self.weights.cover(number.0, covers);
        }
        let change = Change {
            ended,
            began: time,
            // Looking for it would cost as much as the calls.
            shared: match self.exhausted || ended < time {
                true => 0,
                false => stacks.shared(track.top, stacks.plain(sample.stack)),
            },
        };
        self.change(number, change, sample.stack, stacks, builder, place);
    }

    /// Ends the calls of the stack before, and begins those of the next.
    fn change(
        &mut self,
        number: TrackId,
        change: Change,
        stack: StackId,
        stacks: &Stacks,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        let track = &mut self.tracks[number.0];
        track.lined = stack;
        let mut plain = stacks.plain(stack);
        let mut new = stacks.row(plain).depth - change.shared;
        let mut change = change;
        // Deep calls take more: the store keeps each that is open at the end of a block of calls.
        let deep = stacks.row(plain).depth.min(DEEPEST) / DEEP;
        self.calls += u64::from(new) * u64::from(1 + deep);
        self.exhausted |= self.calls > self.allowed;
        if self.exhausted {
            self.reporter.warn("sample-left-out", &place);
            self.weights.found(stack, stacks.row(plain).depth, stacks);
            (plain, new, change.shared) = (StackId::EMPTY, 0, 0);
        } else {
            self.weights.found(stack, change.shared, stacks);
        }
        if plain == track.top && new == 0 {
            return;
        }
        stacks.above(plain, change.shared, &mut self.opened);
        let ended = stacks.row(track.top).depth - change.shared;
        track.top = plain;
        let end = Timestamp::from_ns(change.ended);
        let start = Timestamp::from_ns(change.began);
        let mut calls = builder.plain(track.thread);
        if ended as usize <= calls.open_calls()
            && calls.last().is_none_or(|last| last <= end)
            && calls.has_room_for(self.opened.len())
        {
            for _ in 0..ended {
                calls.exit(end);
            }
            for &function in &self.opened {
                calls.enter(start, function);
            }
            return;
        }
        // Two tracks of one thread, or a full one.
        for _ in 0..ended {
            builder.exit(track.thread, end, None, &place);
        }
        for &function in &self.opened {
            builder.enter(track.thread, start, function, &place);
        }
    }

    /// What an event counts beside the samples that the file has, from one time to another: no sample of its own. `None`
    /// for a thread without samples.
    pub(crate) fn weigh(
        &mut self,
        track: Option<TrackId>,
        event: EventId,
        (stack, amount): (StackId, i64),
        covers: (i64, i64),
    ) {
        self.events[event.0].has_amounts = true;
        let track = track.map_or(sums::NO_TRACK, |it| it.0);
        let taken = Taken::of(track, stack, covers);
        self.weights.add_other(taken, event.0, amount);
    }

    /// Ends the samples of a thread. Samples that last until the next: the last one lasts until `end`, or for the
    /// thread's median interval if that is not known.
    pub(crate) fn end(
        &mut self,
        number: TrackId,
        end: Option<Timestamp>,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        let track = &mut self.tracks[number.0];
        let Some(last) = track.last.take() else {
            return;
        };
        let mut until = last;
        if self.interval.is_none() {
            let usual = median(&mut track.intervals).unwrap_or(0);
            let usual = track.weight.unwrap_or(usual);
            until = end.map_or(last.saturating_add(usual), Timestamp::ns);
            let lasted = until.saturating_sub(last);
            let covers = (last, until.max(last));
            let taken = Taken::of(number.0, track.lined, covers);
            self.weights.add(taken, track.weight.unwrap_or(lasted));
            self.weights.cover(number.0, covers);
        }
        while builder.open_calls(track.thread) > 0 {
            builder.exit(track.thread, Timestamp::from_ns(until), None, &place);
        }
        track.top = StackId::EMPTY;
        track.lined = StackId::EMPTY;
    }

    /// Recording was switched off until this time: no sample covers time before it.
    pub(crate) fn pause(
        &mut self,
        until: Timestamp,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        match self.interval {
            None => self.head.push(Waiting::Pause(until.ns())),
            Some(_) => self.off(until.ns(), builder, place),
        }
    }

    fn off(&mut self, until: i64, builder: &mut TraceBuilder<'_>, place: impl Fn() -> Place) {
        for track in 0..self.tracks.len() {
            self.end(TrackId(track), None, builder, &place);
        }
        self.floor = self.floor.max(until);
    }

    /// Ends the samples of all threads; the last sample of a thread without intervals lasts as long as those of others.
    pub(crate) fn finish(
        mut self,
        stacks: &Stacks,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) -> Sampled {
        if !self.head.is_empty() {
            self.begin(stacks, builder, &place);
        }
        let tracks = self.tracks.iter_mut();
        let mut usual: Vec<i64> = tracks
            .filter_map(|track| median(&mut track.intervals))
            .collect();
        let usual = median(&mut usual);
        for track in 0..self.tracks.len() {
            let intervals = &mut self.tracks[track].intervals;
            if intervals.is_empty() {
                intervals.extend(usual);
            }
            self.end(TrackId(track), None, builder, &place);
        }
        let threads: Vec<ThreadId> = self.tracks.iter().map(|track| track.thread).collect();
        let values = events::values(&self.events, self.leading);
        let told = self.events.first().and_then(|it| it.interval);
        let interval = self.interval.or(told).or(usual);
        Sampled::new((self.samples, interval), &threads, values, self.weights)
    }
}

/// Puts samples in order of time; how many stood before the one before them. Samples of one time stay in the
/// order in which they were taken.
pub(crate) fn sort_by_time(samples: &mut [(i64, StackId)]) -> u64 {
    let backwards = samples.windows(2).filter(|pair| pair[1].0 < pair[0].0);
    let backwards = backwards.count() as u64;
    if backwards > 0 {
        samples.sort_by_key(|&(time, _)| time);
    }
    backwards
}
