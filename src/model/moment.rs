//! The point in time of a recording that is shown.

use callscape_base::units::{Cost, Time, TimeRange};
use callscape_facts::memory::Memory;
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;

/// How many times spread over a recording [`liveliest`] looks at; of many threads fewer, so many stacks in all.
const LOOKS: u64 = 240;
const MOST_STACKS: u64 = 20_000;

/// A point in time of a recording, and where the last step to it began: the cel is what happened after
/// `previous`, up to `time`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    pub recording: usize,
    pub time: Time,
    pub previous: Time,
    /// Only what happened in it is shown, and counted.
    pub range: Option<TimeRange>,
    /// In place of the cel the final state over the whole range (AVID section 2.2): every call relation,
    /// and what ran by its self cost.
    pub summary: bool,
    /// A summary only of what happened up to `time`: the sum so far.
    pub so_far: bool,
    /// The self cost that glows most in a summary, so that two can be held against each other; zero: the largest
    /// in this one.
    pub most: Cost,
}

impl Moment {
    /// The time up to which something is shown, and that from which on; none outside of the range.
    pub fn window(&self) -> Option<(Time, Time)> {
        let Some(range) = self.range else {
            return Some((Time::ZERO, self.time));
        };
        (range.start <= self.time).then(|| (range.start, self.time.min(range.end)))
    }

    /// The sum of all that happened up to this moment, within the range.
    pub fn summed(self) -> Moment {
        let start = self.range.map_or(Time::ZERO, |it| it.start);
        let (start, until) = self.window().unwrap_or((start, start));
        Moment {
            range: Some(TimeRange::new(start, until)),
            summary: true,
            so_far: true,
            ..self
        }
    }

    /// What it shows, in words under or over its picture.
    pub fn caption(&self) -> String {
        match (self.summary, self.so_far) {
            (false, _) => format!("Cel, at {}", self.time),
            (true, true) => format!("Sum so far, at {} (red: most)", self.time),
            (true, false) => "Summary".to_owned(),
        }
    }

    /// The final state of a recording without times, a profile.
    pub fn without_time(recording: usize) -> Moment {
        Moment {
            recording,
            time: Time::ZERO,
            previous: Time::ZERO,
            range: None,
            summary: true,
            so_far: false,
            most: Cost::ZERO,
        }
    }
}

/// A time at which much is going on: of a recording of memory alone when the most bytes live, else as of its trace.
pub fn lively(recording: &Recording) -> Time {
    let memory = recording
        .memory
        .as_ref()
        .filter(|_| recording.profile.is_some());
    match memory.and_then(Memory::events) {
        Some(events) => events.peak().1,
        None => liveliest(&recording.trace),
    }
}

/// A time in the later half of a trace at which much is going on: of a few hundred, the one with the deepest stacks on
/// most threads. Does not depend on the trace's length.
pub fn liveliest(trace: &Trace) -> Time {
    let duration = trace.duration().ns();
    let threads = trace.threads().len().max(1) as u64;
    let looks = LOOKS.min(MOST_STACKS / threads).max(1);
    let mut best = (0, Time::from_ns(duration));
    let mut stack = Vec::new();
    for look in 0..looks {
        let share = 0.5 + 0.5 * look as f64 / looks as f64;
        let time = Time::from_ns((duration as f64 * share) as u64);
        let mut modules = 0;
        for thread in trace.thread_ids() {
            trace.stack_at(thread, time, &mut stack);
            let functions = stack.iter().map(|&call| trace.call(thread, call).function);
            // Recursion is deep but shows nothing new.
            let mut functions: Vec<_> = functions.collect();
            functions.sort_unstable();
            functions.dedup();
            modules += functions.len();
        }
        if modules > best.0 {
            best = (modules, time);
        }
    }
    best.1
}
