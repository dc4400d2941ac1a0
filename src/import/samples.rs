//! Samples as calls. Two consecutive stacks of a thread are compared by position, from the outermost frame:
//! what they share goes on, the rest ends at the new sample's time, and what is new starts there. The times
//! of calls are so known to the sampling interval.
//!
//! Of a thread that is sampled only while it runs, what stands in the one stack and not in the next ends soon after the
//! one when many samples are missing between them: it waited. What both have has been open all the time.
//!
//! A frame is compared by its function alone: a call goes on while its running line or address changes. A
//! recursive function stands in a stack once for each activation, and positions tell them apart. Where stacks come with the
//! lines that ran, it is added up for how long each was found, and on which lines calls began: what waited until the next
//! sample counts for the line in which the innermost call did that both samples found.

mod lines;
mod stacks;

use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use lines::LineWeights;
pub use lines::{Sampled, Ticks};
pub use stacks::{StackId, Stacks};

/// How many calls a recording may open whose stacks stand in a table, beyond four for each byte of it: a
/// small file can hold deep stacks that share nothing, and name them in turn at two bytes a sample. Recordings of
/// deeply recursive programs open ten to twenty calls a sample, at ten bytes or more for each.
const FREE_CALLS: u64 = 1 << 20;

/// Calls of a stack of this depth count twice, of one twice as deep thrice, and so on up to the second depth.
const DEEP: u32 = 512;
const DEEPEST: u32 = 4096;

/// Of how many intervals between samples the median is taken.
const INTERVALS: usize = 1024;

/// Of so many intervals at least is taken how long they usually are.
const USUAL_OF: usize = 16;

/// A thread that is not sampled for so many of the usual intervals waited; for less it may have been ready, and others
/// were on its processor.
const AWAY: i64 = 32;

/// The samples of one thread while they are read.
struct Track {
    thread: ThreadId,
    /// The stack of the last sample where it stands in a table, without lines.
    top: StackId,
    /// The same with lines.
    lined: StackId,
    /// The functions of the last sample, outermost first, where it stood in the file itself.
    frames: Vec<FunctionId>,
    /// When the last sample was taken.
    last: Option<i64>,
    /// The first intervals between samples.
    intervals: Vec<i64>,
}

/// The samples of a recording, on their way to the builder.
pub struct Samples<'r> {
    reporter: &'r Reporter,
    tracks: Vec<Track>,
    /// The tracks that began since the last pause.
    begun: Vec<usize>,
    samples: u64,
    calls: u64,
    /// How many calls stacks from a table may open.
    allowed: u64,
    /// One more would have been too many.
    exhausted: bool,
    /// Functions to be opened, kept for its memory.
    opened: Vec<FunctionId>,
    /// Threads are sampled while they run alone.
    running_only: bool,
    /// The first intervals between samples of any thread, and how long they usually are.
    intervals: Vec<i64>,
    usual: i64,
    weights: LineWeights,
}

/// When a sample was taken.
#[derive(Clone, Copy)]
struct Tick {
    /// When the one before it was; none for the first.
    last: Option<i64>,
    /// When what it does not find any more ended.
    ended: i64,
    time: i64,
}

/// The samples of one thread, as [`Samples`] knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackId(usize);

impl<'r> Samples<'r> {
    pub fn new(reporter: &'r Reporter) -> Samples<'r> {
        Samples {
            reporter,
            tracks: Vec::new(),
            begun: Vec::new(),
            samples: 0,
            calls: 0,
            allowed: FREE_CALLS,
            exhausted: false,
            opened: Vec::new(),
            running_only: false,
            intervals: Vec::new(),
            usual: 0,
            weights: LineWeights::default(),
        }
    }

    /// The samples of a recording in which threads that wait are not sampled.
    pub fn of_running(reporter: &'r Reporter) -> Samples<'r> {
        Samples {
            running_only: true,
            ..Samples::new(reporter)
        }
    }

    /// Starts the samples of `thread`.
    pub fn track(&mut self, thread: ThreadId) -> TrackId {
        self.tracks.push(Track {
            thread,
            top: StackId::EMPTY,
            lined: StackId::EMPTY,
            frames: Vec::new(),
            last: None,
            intervals: Vec::new(),
        });
        TrackId(self.tracks.len() - 1)
    }

    /// Lets stacks from a table open as many calls as a file of `bytes` can hold honestly.
    pub fn allow(&mut self, bytes: u64) {
        self.allowed = FREE_CALLS.saturating_add(bytes.saturating_mul(4));
    }

    /// A sample at `time` that found these functions, outermost first, and where lines are known the stack with them.
    /// O(frames).
    pub fn frames(
        &mut self,
        track: TrackId,
        time: Timestamp,
        frames: &[FunctionId],
        lined: Option<(&Stacks, StackId)>,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        self.samples += 1;
        let tick = self.tick(track, time, &place);
        let of = &self.tracks[track.0];
        let pairs = of.frames.iter().zip(frames);
        let shared = pairs.take_while(|(before, now)| before == now).count();
        if let Some((stacks, stack)) = lined {
            self.weigh(track, tick, shared as u32, stacks, stack);
        }
        let track = &mut self.tracks[track.0];
        for _ in shared..track.frames.len() {
            builder.exit(track.thread, Timestamp::from_ns(tick.ended), None, &place);
        }
        for &function in &frames[shared..] {
            builder.enter(
                track.thread,
                Timestamp::from_ns(tick.time),
                function,
                &place,
            );
        }
        track.frames.truncate(shared);
        track.frames.extend_from_slice(&frames[shared..]);
    }

    /// A sample at `time` that found `stack`. O(frames that it does not share with the one before it).
    /// Where a file of this size can hold no such stacks honestly, samples are left out and counted.
    pub fn stack(
        &mut self,
        track: TrackId,
        time: Timestamp,
        stack: StackId,
        stacks: &Stacks,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        self.samples += 1;
        let tick = self.tick(track, time, &place);
        let of = &self.tracks[track.0];
        if self.exhausted {
            // Looking for what they share would cost as much as the calls.
            self.reporter.warn("sample-left-out", place);
            let lasted = tick.last.map_or(0, |last| tick.time.saturating_sub(last));
            self.weights.add(of.lined, lasted);
            return;
        }
        let plain = stacks.plain(stack);
        if plain == of.top {
            let shared = stacks.row(plain).depth;
            self.weigh(track, tick, shared, stacks, stack);
            return;
        }
        let shared = stacks.shared(of.top, plain);
        let new = stacks.row(plain).depth - shared;
        // Deep calls take more: the store keeps each that is open at the end of a block of calls.
        let deep = stacks.row(plain).depth.min(DEEPEST) / DEEP;
        self.calls += u64::from(new) * u64::from(1 + deep);
        if self.calls > self.allowed {
            self.exhausted = true;
            self.reporter.warn("sample-left-out", place);
            let lasted = tick.last.map_or(0, |last| tick.time.saturating_sub(last));
            self.weights.add(of.lined, lasted);
            return;
        }
        self.weigh(track, tick, shared, stacks, stack);
        stacks.above(plain, shared, &mut self.opened);
        let track = &mut self.tracks[track.0];
        let ended = stacks.row(track.top).depth - shared;
        track.top = plain;
        let (end, time) = (
            Timestamp::from_ns(tick.ended),
            Timestamp::from_ns(tick.time),
        );
        let mut calls = builder.plain(track.thread);
        if ended as usize <= calls.open_calls()
            && calls.last().is_none_or(|last| last <= end)
            && calls.has_room_for(self.opened.len())
        {
            for _ in 0..ended {
                calls.exit(end);
            }
            for &function in &self.opened {
                calls.enter(time, function);
            }
            return;
        }
        // Two tracks of one thread, or a full one.
        for _ in 0..ended {
            builder.exit(track.thread, time, None, &place);
        }
        for &function in &self.opened {
            builder.enter(track.thread, time, function, &place);
        }
    }

    /// Weighs the stack of the sample before one that finds `stack`, of which both found the outermost `shared` frames.
    fn weigh(&mut self, track: TrackId, tick: Tick, shared: u32, stacks: &Stacks, stack: StackId) {
        let before = std::mem::replace(&mut self.tracks[track.0].lined, stack);
        if let Some(last) = tick.last {
            self.weights.add(before, tick.ended.saturating_sub(last));
            if tick.ended < tick.time {
                let waited = stacks.outermost(before, shared);
                self.weights
                    .add(waited, tick.time.saturating_sub(tick.ended));
            }
        }
        self.weights.found(stack, shared, stacks);
    }

    /// Takes the time of a sample; one before the last sample's is raised to it, and counted.
    fn tick(&mut self, track: TrackId, time: Timestamp, place: impl FnOnce() -> Place) -> Tick {
        let number = track.0;
        let track = &mut self.tracks[number];
        let Some(last) = track.last else {
            track.last = Some(time.ns());
            self.begun.push(number);
            return Tick {
                last: None,
                ended: time.ns(),
                time: time.ns(),
            };
        };
        if time.ns() < last {
            self.reporter.warn("time-goes-back", place);
        }
        let time = time.ns().max(last);
        let interval = time.saturating_sub(last);
        if track.intervals.len() < INTERVALS {
            track.intervals.push(interval);
        }
        track.last = Some(time);
        let mut ended = time;
        if self.running_only {
            if self.intervals.len() < INTERVALS {
                self.intervals.push(interval);
                let count = self.intervals.len();
                if count >= USUAL_OF && count.is_power_of_two() {
                    self.usual = median(&mut self.intervals.clone()).unwrap_or(0);
                }
            }
            if self.usual > 0 && interval / AWAY > self.usual {
                ended = last + self.usual;
            }
        }
        Tick {
            last: Some(last),
            ended,
            time,
        }
    }

    /// Ends the samples of a thread: the last one lasts until `end`, or for the thread's median interval where
    /// that is not known.
    pub fn end(
        &mut self,
        track: TrackId,
        end: Option<Timestamp>,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        let track = &mut self.tracks[track.0];
        let Some(last) = track.last.take() else {
            return;
        };
        let end = end.unwrap_or_else(|| {
            let interval = median(&mut track.intervals).unwrap_or(0);
            Timestamp::from_ns(last.saturating_add(interval))
        });
        while builder.open_calls(track.thread) > 0 {
            builder.exit(track.thread, end, None, &place);
        }
        self.weights.add(track.lined, end.ns().saturating_sub(last));
        track.frames.clear();
        track.top = StackId::EMPTY;
        track.lined = StackId::EMPTY;
    }

    /// Ends the samples of all threads because recording was switched off: a last sample lasts as long as is usual, but not
    /// beyond `off`. What is sampled later begins anew. O(threads that were sampled since the last pause).
    pub fn pause(
        &mut self,
        off: Timestamp,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        for track in std::mem::take(&mut self.begun) {
            let of = &mut self.tracks[track];
            let Some(last) = of.last else {
                continue;
            };
            let usual = median(&mut of.intervals).unwrap_or(self.usual);
            let end = last.saturating_add(usual).min(off.ns()).max(last);
            let end = Some(Timestamp::from_ns(end));
            self.end(TrackId(track), end, builder, &place);
        }
    }

    /// Ends the samples of all threads that were not ended before, and gives what is to be known of all. The only
    /// sample of a thread lasts as long as is usual on the others.
    pub fn finish(mut self, builder: &mut TraceBuilder<'_>, place: impl Fn() -> Place) -> Sampled {
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
        Sampled {
            samples: self.samples,
            weights: self.weights,
        }
    }
}

/// Puts samples in order of time; how many stood before the one before them. Samples of one time stay in the
/// order in which they were taken.
pub fn sort_by_time(samples: &mut [(i64, StackId)]) -> u64 {
    let backwards = samples.windows(2).filter(|pair| pair[1].0 < pair[0].0);
    let backwards = backwards.count() as u64;
    if backwards > 0 {
        samples.sort_by_key(|&(time, _)| time);
    }
    backwards
}

/// The median of `values`, the lower one of two; none of none.
pub fn median(values: &mut [i64]) -> Option<i64> {
    let middle = values.len().checked_sub(1)? / 2;
    Some(*values.select_nth_unstable(middle).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::{CallId, Time};
    use callscape_facts::functions::Function;
    use callscape_facts::trace::Trace;
    use callscape_facts::trace::random::random_numbers;

    fn place() -> Place {
        Place::file("made here")
    }

    #[test]
    fn what_a_thread_that_waits_does_not_go_on_with_ends_soon_after_its_last_sample() {
        let reporter = Reporter::new();
        let mut builder = TraceBuilder::new(&reporter);
        let thread = builder.thread("1", "1");
        let [main, work, rest] = ["main", "work", "rest"].map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        });
        let mut samples = Samples::of_running(&reporter);
        let track = samples.track(thread);
        let mut at = |ns: i64, frames: &[FunctionId]| {
            let time = Timestamp::from_ns(ns);
            samples.frames(track, time, frames, None, &mut builder, place);
        };
        for sample in 0..20 {
            at(10 * sample, &[main, work]);
        }
        at(1000, &[main, rest]);
        at(1320, &[main, work]);
        at(1700, &[main, work]);
        at(2000, &[main, work]);
        samples.finish(&mut builder, place);
        let trace = builder.finish(place).1;
        let calls: Vec<(u64, u64)> = (0..4)
            .map(|call| trace.call(ThreadId(0), CallId(call)))
            .map(|call| (call.start.ns(), call.end.ns()))
            .collect();
        // 32 intervals are no waiting, and what goes on was open.
        assert_eq!(calls, [(0, 2010), (0, 200), (1000, 1320), (1320, 2010)]);
    }

    /// The calls of samples given as letters, read both ways, as `function start end depth`.
    fn calls(samples: &[(i64, &str)], in_table: bool) -> (Trace, Vec<String>) {
        let reporter = Reporter::new();
        let mut builder = TraceBuilder::new(&reporter);
        let thread = builder.thread("1", "1");
        let mut all = Samples::new(&reporter);
        let mut stacks = Stacks::default();
        let track = all.track(thread);
        for &(time, stack) in samples {
            let functions = stack.chars().map(|letter| {
                builder.function(Function {
                    name: &letter.to_string(),
                    ..Function::default()
                })
            });
            let functions: Vec<FunctionId> = functions.collect();
            let time = Timestamp::from_ns(time);
            if in_table {
                let below = StackId::EMPTY;
                let stack = functions.iter().fold(below, |s, &f| stacks.push(s, f));
                all.stack(track, time, stack, &stacks, &mut builder, place);
            } else {
                all.frames(track, time, &functions, None, &mut builder, place);
            }
        }
        let count = all.finish(&mut builder, place).samples;
        assert_eq!(count, samples.len() as u64);
        let (functions, trace) = builder.finish(place);
        assert!(reporter.warnings().is_empty(), "{:?}", reporter.warnings());
        let shown = (0..trace.calls() as u32).map(|call| {
            let call = trace.call(thread, CallId(call));
            let name = functions.get(call.function).name.to_owned();
            let (start, end) = (call.start.ns(), (call.start + call.cost()).ns());
            format!("{name} {start} {end} {}", call.depth)
        });
        let shown = shown.collect();
        (trace, shown)
    }

    #[test]
    fn what_two_stacks_share_goes_on() {
        let samples = [
            (10, "ab"),
            (20, "abb"),
            (30, "ab"),
            (40, "cb"),
            (50, ""),
            (60, "c"),
        ];
        for in_table in [false, true] {
            let (_, shown) = calls(&samples, in_table);
            // The last sample lasts the median interval.
            let expected = [
                "a 0 30 0",
                "b 0 30 1",
                "b 10 20 2",
                "c 30 40 0",
                "b 30 40 1",
                "c 50 60 0",
            ];
            assert_eq!(shown, expected, "in table: {in_table}");
        }
    }

    #[test]
    fn the_stack_at_each_sample_is_the_one_that_was_sampled() {
        for seed in 0..200u64 {
            let mut random = random_numbers(seed);
            let mut stack = String::new();
            let samples: Vec<(i64, String)> = (0..50)
                .map(|at| {
                    for _ in 0..random(4) {
                        stack.pop();
                    }
                    for _ in 0..random(4) {
                        stack.push(['a', 'b', 'c'][random(3) as usize]);
                    }
                    (at * 10, stack.clone())
                })
                .collect();
            let start = samples.iter().position(|(_, stack)| !stack.is_empty());
            let start = samples[start.unwrap_or(0)].0;
            let samples: Vec<(i64, &str)> = samples.iter().map(|(t, s)| (*t, s.as_str())).collect();
            let (trace, shown) = calls(&samples, false);
            assert_eq!(calls(&samples, true).1, shown, "seed {seed}");
            let mut open = Vec::new();
            for (time, stack) in samples {
                if time < start {
                    continue;
                }
                // Within the interval, where no call starts or ends.
                trace.stack_at(
                    ThreadId(0),
                    Time::from_ns((time - start + 5) as u64),
                    &mut open,
                );
                let names: String = open.iter().map(|call| &shown[call.index()][..1]).collect();
                assert_eq!(names, stack, "seed {seed} at {time}");
            }
        }
    }

    #[test]
    fn stacks_that_share_nothing_cannot_fill_the_memory() {
        let reporter = Reporter::new();
        let mut builder = TraceBuilder::new(&reporter);
        let thread = builder.thread("1", "1");
        let mut all = Samples::new(&reporter);
        let mut stacks = Stacks::default();
        let track = all.track(thread);
        let deep = ["a", "b"].map(|name| {
            let function = builder.function(Function {
                name,
                ..Function::default()
            });
            (0..100_000).fold(StackId::EMPTY, |stack, _| stacks.push(stack, function))
        });
        for sample in 0..200 {
            let time = Timestamp::from_ns(sample);
            all.stack(
                track,
                time,
                deep[sample as usize % 2],
                &stacks,
                &mut builder,
                place,
            );
        }
        assert_eq!(all.finish(&mut builder, place).samples, 200);
        let (_, trace) = builder.finish(place);
        assert!(trace.calls() <= FREE_CALLS);
        assert_eq!(reporter.warnings()[0].kind, "sample-left-out");
    }
}
