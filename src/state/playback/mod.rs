//! The playback clock: which time of the trace is shown at which moment. Pure: it is told the moment
//! and never reads a clock, and the time shown depends on how long it has played, not on how many
//! frames were drawn meanwhile.
//!
//! While a recording plays, a frame costs what has changed since the frame before. Counts of calls go on by what the time
//! between the two moments adds (`state::city::counting`). What glows lies in slots ordered by block, and the renderer is
//! told of those alone (`state::city::activity`). Names are chosen again only when something they are chosen by has changed
//! (`state::city::naming`), in a window only so many at a time; until the choice is made, the names before stay where
//! they are (`layout::labels::flat`).

mod cels;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call_steps::CallStep;
use callscape_base::units::{Cost, ThreadId, Time, TimeRange};
use callscape_facts::all_events::AllEvents;

/// What passes evenly while it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The trace's own time.
    Wall,
    /// The trace's events, so that busy and quiet times get the same attention.
    Event,
    /// Cels: what is shown goes on by one step at a time (AVID section 2.3).
    Cel,
}

/// How far one step goes: the size of a cel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Events(u64),
    Span(Cost),
}

/// How it plays, without where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaybackSettings {
    pub clock: Clock,
    /// Nanoseconds of trace, events, and steps, a second.
    pub wall_speed: f64,
    pub event_speed: f64,
    pub cel_speed: f64,
    pub step: Step,
    pub stride: u64,
    pub looping: bool,
    pub skips_idle: bool,
    pub backward: bool,
}

/// How long the whole trace takes to play unless the user chooses, in seconds.
const DEFAULT_SECONDS: f64 = 30.0;
/// Into how many steps the whole trace is divided unless the user chooses.
const DEFAULT_STEPS: u64 = 300;

/// Trace nanoseconds a second: from 1 ns to 10 min.
pub const WALL_SPEEDS: std::ops::RangeInclusive<f64> = 1.0..=600e9;
/// Events a second.
pub const EVENT_SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=1e9;

/// Steps a second.
pub const CEL_SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=60.0;
const DEFAULT_CEL_SPEED: f64 = 5.0;

/// A stretch in which nothing happens is passed in this many seconds where idle stretches are skipped.
const IDLE_SECONDS: f64 = 0.25;

/// The clock of one trace.
#[derive(Clone, Debug)]
pub struct Playback {
    time: Time,
    playing: Option<Anchor>,
    pub looping: bool,
    /// The size of a cel.
    pub step: Step,
    /// How many cels a step goes.
    pub stride: u64,
    /// In place of a cel the final state over the whole range is shown.
    pub summary: bool,
    /// Stretches in which nothing starts or ends are passed quickly.
    pub skips_idle: bool,
    backward: bool,
    /// What is played; the whole trace for none.
    range: Option<TimeRange>,
    clock: Clock,
    /// Nanoseconds of trace a second.
    wall_speed: f64,
    /// Events a second.
    event_speed: f64,
    /// Steps a second.
    cel_speed: f64,
}

/// From where, in units of the clock, and since when it has been playing.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    since: Duration,
    from: f64,
}

impl Playback {
    /// At the start of `trace`, paused.
    pub fn new(all: AllEvents<'_>) -> Playback {
        let duration = all.trace.duration().ns() as f64;
        let events = all.count();
        Playback {
            time: Time::ZERO,
            playing: None,
            looping: false,
            stride: 1,
            summary: false,
            skips_idle: false,
            backward: false,
            range: None,
            step: match events {
                // Nothing happens in it.
                0 => Step::Span(Cost::from_ns(
                    (duration as u64).div_ceil(DEFAULT_STEPS).max(1),
                )),
                _ => Step::Events(rounded(events.div_ceil(DEFAULT_STEPS))),
            },
            // What lasts for days takes too long even at the highest speed.
            clock: match duration / DEFAULT_SECONDS > *WALL_SPEEDS.end() {
                true => Clock::Event,
                false => Clock::Wall,
            },
            wall_speed: (duration / DEFAULT_SECONDS)
                .clamp(*WALL_SPEEDS.start(), *WALL_SPEEDS.end()),
            event_speed: (events as f64 / DEFAULT_SECONDS)
                .clamp(*EVENT_SPEEDS.start(), *EVENT_SPEEDS.end()),
            cel_speed: DEFAULT_CEL_SPEED,
        }
    }

    pub fn settings(&self) -> PlaybackSettings {
        PlaybackSettings {
            clock: self.clock,
            wall_speed: self.wall_speed,
            event_speed: self.event_speed,
            cel_speed: self.cel_speed,
            step: self.step,
            stride: self.stride,
            looping: self.looping,
            skips_idle: self.skips_idle,
            backward: self.backward,
        }
    }

    /// Takes other settings, within what is possible; pauses.
    pub fn configure(&mut self, settings: &PlaybackSettings) {
        fn within(speed: f64, of: std::ops::RangeInclusive<f64>, known: f64) -> f64 {
            match speed.is_nan() {
                true => known,
                false => speed.clamp(*of.start(), *of.end()),
            }
        }
        self.pause();
        self.clock = settings.clock;
        self.wall_speed = within(settings.wall_speed, WALL_SPEEDS, self.wall_speed);
        self.event_speed = within(settings.event_speed, EVENT_SPEEDS, self.event_speed);
        self.cel_speed = within(settings.cel_speed, CEL_SPEEDS, self.cel_speed);
        self.step = match settings.step {
            Step::Events(events) => Step::Events(events.max(1)),
            Step::Span(span) => Step::Span(span.max(Cost::from_ns(1))),
        };
        self.stride = settings.stride.max(1);
        self.looping = settings.looping;
        self.skips_idle = settings.skips_idle;
        self.backward = settings.backward;
    }

    pub fn time(&self) -> Time {
        self.time
    }

    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Nanoseconds of trace, events, or steps, a second.
    pub fn speed(&self) -> f64 {
        self.speed_by(self.clock)
    }

    /// The same by another clock.
    pub(crate) fn speed_by(&self, clock: Clock) -> f64 {
        match clock {
            Clock::Wall => self.wall_speed,
            Clock::Event => self.event_speed,
            Clock::Cel => self.cel_speed,
        }
    }

    pub(crate) fn set_speed(&mut self, speed: f64, now: Duration, all: AllEvents<'_>) {
        match self.clock {
            Clock::Wall => {
                self.wall_speed = speed.clamp(*WALL_SPEEDS.start(), *WALL_SPEEDS.end());
            }
            Clock::Event => {
                self.event_speed = speed.clamp(*EVENT_SPEEDS.start(), *EVENT_SPEEDS.end());
            }
            Clock::Cel => {
                self.cel_speed = speed.clamp(*CEL_SPEEDS.start(), *CEL_SPEEDS.end());
            }
        }
        self.anchor(now, all);
    }

    pub(crate) fn set_clock(&mut self, clock: Clock, now: Duration, all: AllEvents<'_>) {
        self.clock = clock;
        self.anchor(now, all);
    }

    /// Plays on from the time shown, with the clock and speed of now.
    fn anchor(&mut self, now: Duration, all: AllEvents<'_>) {
        if self.playing.is_some() {
            self.playing = Some(Anchor {
                since: now,
                from: self.position(all),
            });
        }
    }

    /// The time shown in units of the clock.
    fn position(&self, all: AllEvents<'_>) -> f64 {
        self.place(self.time, all)
    }

    /// A time in units of the clock: nanoseconds, events, or cels.
    fn place(&self, time: Time, all: AllEvents<'_>) -> f64 {
        match (self.clock, self.step) {
            (Clock::Wall, _) => time.ns() as f64,
            (Clock::Event, _) => all.until(time) as f64,
            (Clock::Cel, Step::Events(events)) => all.until(time) as f64 / events.max(1) as f64,
            (Clock::Cel, Step::Span(span)) => time.ns() as f64 / span.ns().max(1) as f64,
        }
    }

    /// The time at a place of the clock.
    fn time_at(&self, place: f64, all: AllEvents<'_>) -> Time {
        match (self.clock, self.step) {
            (Clock::Wall, _) => Time::from_ns(place as u64),
            (Clock::Event, _) => time_after(place as u64, all),
            // Cels are whole from where it began: what is between is rounding.
            (Clock::Cel, Step::Events(events)) => {
                time_after((place * events.max(1) as f64).round() as u64, all)
            }
            (Clock::Cel, Step::Span(span)) => {
                Time::from_ns((place * span.ns().max(1) as f64).round() as u64)
            }
        }
    }

    pub fn is_backward(&self) -> bool {
        self.backward
    }

    /// Plays the other way from now on.
    pub fn reverse(&mut self, backward: bool, now: Duration, all: AllEvents<'_>) {
        self.backward = backward;
        self.anchor(now, all);
    }

    /// Limits playing and stepping to `range`, to the whole trace for none, and shows a time in it; stops
    /// playing where it has to go there.
    pub fn limit(&mut self, range: Option<TimeRange>, all: AllEvents<'_>) {
        self.range = range;
        let limits = self.limits(all);
        if !limits.contains(self.time) {
            self.pause();
            self.time = self.time.clamp(limits.start, limits.end);
        }
    }

    /// What is played.
    fn limits(&self, all: AllEvents<'_>) -> TimeRange {
        let whole = all.trace.range();
        let range = self.range.unwrap_or(whole);
        TimeRange::new(range.start.min(whole.end), range.end.min(whole.end))
    }

    /// Plays from the time shown, from the other end when that is where it would stop.
    pub fn play(&mut self, now: Duration, all: AllEvents<'_>) {
        let limits = self.limits(all);
        if !self.backward && self.time >= limits.end {
            self.time = limits.start;
        } else if self.backward && self.time <= limits.start {
            self.time = limits.end;
        }
        self.summary = false;
        self.playing = Some(Anchor {
            since: now,
            from: self.position(all),
        });
    }

    pub fn pause(&mut self) {
        self.playing = None;
    }

    pub fn toggle(&mut self, now: Duration, all: AllEvents<'_>) {
        if self.is_playing() {
            self.pause();
        } else {
            self.play(now, all);
        }
    }

    /// Moves the time shown to `now`; whether it changed. O(1) in the trace's length.
    pub fn advance(&mut self, now: Duration, all: AllEvents<'_>) -> bool {
        let Some(anchor) = self.playing else {
            return false;
        };
        let before = self.time;
        let limits = self.limits(all);
        let place = |time: Time| self.place(time, all);
        let (start, end) = (place(limits.start), place(limits.end));
        let seconds = now.saturating_sub(anchor.since).as_secs_f64();
        let way = if self.backward { -1.0 } else { 1.0 };
        let gone = match self.clock {
            Clock::Wall | Clock::Event => seconds * self.speed(),
            Clock::Cel => (seconds * self.speed()).floor() * self.stride.max(1) as f64,
        };
        let mut position = anchor.from + way * gone;
        let is_over = if self.backward {
            position <= start
        } else {
            position >= end
        };
        if is_over {
            if self.looping && end > start {
                position = start + (position - start).rem_euclid(end - start);
                self.playing = Some(Anchor {
                    since: now,
                    from: position,
                });
            } else {
                position = if self.backward { start } else { end };
                self.playing = None;
            }
        }
        self.time = self.time_at(position, all).clamp(limits.start, limits.end);
        if self.skips_idle && self.clock == Clock::Wall && self.playing.is_some() {
            self.skip_idle(now, all);
        }
        self.time != before
    }

    /// Goes to shortly before the next event where it would take long until then.
    fn skip_idle(&mut self, now: Duration, all: AllEvents<'_>) {
        let seen = all.until(self.time);
        let rest = Cost::from_ns((self.wall_speed * IDLE_SECONDS) as u64);
        let time = if self.backward {
            let before = time_after(seen, all);
            (self.time.since(before) > rest + rest).then(|| before + rest)
        } else {
            let next = all.time(seen);
            next.and_then(|next| (next.since(self.time) > rest + rest).then(|| next - rest))
        };
        if let Some(time) = time {
            self.seek(time, now, all);
        }
    }

    /// Shows `time`, limited to what is played; goes on playing from there if it plays.
    pub fn seek(&mut self, time: Time, now: Duration, all: AllEvents<'_>) {
        let limits = self.limits(all);
        self.time = time.clamp(limits.start, limits.end);
        self.summary = false;
        self.anchor(now, all);
    }

    /// Pauses and steps by calls on `thread`: into the next call, over it, or out of the innermost open one;
    /// back for `forward` false. Stays where it is when there is no such event.
    pub(crate) fn step_call(
        &mut self,
        by: CallStep,
        forward: bool,
        thread: ThreadId,
        all: AllEvents<'_>,
    ) {
        self.pause();
        self.summary = false;
        if let Some(time) = by.from(self.time, forward, thread, all.trace) {
            let limits = self.limits(all);
            self.time = time.clamp(limits.start, limits.end);
        }
    }
}

/// The time at which `events` events have happened.
fn time_after(events: u64, all: AllEvents<'_>) -> Time {
    let last = events.checked_sub(1).and_then(|last| all.time(last));
    last.unwrap_or(Time::ZERO)
}

fn scaled(span: Cost, amount: u64) -> Cost {
    Cost::from_ns(span.ns().saturating_mul(amount))
}

/// The next number up of the row 1, 2, 5, 10, 20, 50, …
fn rounded(n: u64) -> u64 {
    let power = 10u64.pow(n.max(1).ilog10());
    let steps = [1, 2, 5, 10].map(|digit| power.saturating_mul(digit));
    steps.into_iter().find(|&step| step >= n).unwrap_or(n)
}

#[cfg(test)]
pub(super) mod tests;
