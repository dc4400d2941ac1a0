//! The playback clock: which time of the trace is shown at which moment. Pure: it is told the moment
//! and never reads a clock, and the time shown depends on how long it has played, not on how many
//! frames were drawn meanwhile.

use std::time::Duration;

use crate::facts::trace::Trace;
use crate::units::{Cost, Time, TimeRange};

/// What passes evenly while it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The trace's own time.
    Wall,
    /// The trace's events, so that busy and quiet times get the same attention.
    Event,
}

/// How far one step goes: the size of a cel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Events(u64),
    Span(Cost),
}

/// How long the whole trace takes to play unless the user chooses, in seconds.
const DEFAULT_SECONDS: f64 = 30.0;
/// Into how many steps the whole trace is divided unless the user chooses.
const DEFAULT_STEPS: u64 = 300;

/// Trace nanoseconds a second: from 1 ns to 10 min.
pub const WALL_SPEEDS: std::ops::RangeInclusive<f64> = 1.0..=600e9;
/// Events a second.
pub const EVENT_SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=1e9;

/// The clock of one trace.
#[derive(Clone, Debug)]
pub struct Playback {
    time: Time,
    playing: Option<Anchor>,
    pub looping: bool,
    pub step: Step,
    clock: Clock,
    /// Nanoseconds of trace a second.
    wall_speed: f64,
    /// Events a second.
    event_speed: f64,
}

/// From where, in units of the clock, and since when it has been playing.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    since: Duration,
    from: f64,
}

impl Playback {
    /// At the start of `trace`, paused.
    pub fn new(trace: &Trace) -> Playback {
        let duration = trace.duration().ns() as f64;
        let events = trace.events();
        Playback {
            time: Time::ZERO,
            playing: None,
            looping: false,
            step: Step::Events(rounded(events.div_ceil(DEFAULT_STEPS))),
            clock: Clock::Wall,
            wall_speed: (duration / DEFAULT_SECONDS)
                .clamp(*WALL_SPEEDS.start(), *WALL_SPEEDS.end()),
            event_speed: (events as f64 / DEFAULT_SECONDS)
                .clamp(*EVENT_SPEEDS.start(), *EVENT_SPEEDS.end()),
        }
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

    /// Nanoseconds of trace, or events, a second.
    pub fn speed(&self) -> f64 {
        match self.clock {
            Clock::Wall => self.wall_speed,
            Clock::Event => self.event_speed,
        }
    }

    pub fn set_speed(&mut self, speed: f64, now: Duration, trace: &Trace) {
        match self.clock {
            Clock::Wall => {
                self.wall_speed = speed.clamp(*WALL_SPEEDS.start(), *WALL_SPEEDS.end());
            }
            Clock::Event => {
                self.event_speed = speed.clamp(*EVENT_SPEEDS.start(), *EVENT_SPEEDS.end());
            }
        }
        self.anchor(now, trace);
    }

    pub fn set_clock(&mut self, clock: Clock, now: Duration, trace: &Trace) {
        self.clock = clock;
        self.anchor(now, trace);
    }

    /// Plays on from the time shown, with the clock and speed of now.
    fn anchor(&mut self, now: Duration, trace: &Trace) {
        if self.playing.is_some() {
            self.playing = Some(Anchor {
                since: now,
                from: self.position(trace),
            });
        }
    }

    /// The time shown in units of the clock.
    fn position(&self, trace: &Trace) -> f64 {
        match self.clock {
            Clock::Wall => self.time.ns() as f64,
            Clock::Event => trace.events_until(self.time) as f64,
        }
    }

    /// Plays from the time shown, from the start when that is the end.
    pub fn play(&mut self, now: Duration, trace: &Trace) {
        if self.time >= trace.range().end {
            self.time = Time::ZERO;
        }
        self.playing = Some(Anchor {
            since: now,
            from: self.position(trace),
        });
    }

    pub fn pause(&mut self) {
        self.playing = None;
    }

    pub fn toggle(&mut self, now: Duration, trace: &Trace) {
        if self.is_playing() {
            self.pause();
        } else {
            self.play(now, trace);
        }
    }

    /// Moves the time shown to `now`; whether it changed. O(1) in the trace's length.
    pub fn advance(&mut self, now: Duration, trace: &Trace) -> bool {
        let Some(anchor) = self.playing else {
            return false;
        };
        let before = self.time;
        let seconds = now.saturating_sub(anchor.since).as_secs_f64();
        let mut position = anchor.from + seconds * self.speed();
        let end = match self.clock {
            Clock::Wall => trace.duration().ns() as f64,
            Clock::Event => trace.events() as f64,
        };
        if position >= end {
            if self.looping && end > 0.0 {
                position %= end;
                self.playing = Some(Anchor {
                    since: now,
                    from: position,
                });
            } else {
                position = end;
                self.playing = None;
            }
        }
        self.time = match self.clock {
            Clock::Wall => Time::from_ns(position as u64),
            Clock::Event => time_after(position as u64, trace),
        };
        self.time != before
    }

    /// Shows `time`, limited to the trace; goes on playing from there if it plays.
    pub fn seek(&mut self, time: Time, now: Duration, trace: &Trace) {
        self.time = time.min(trace.range().end);
        self.anchor(now, trace);
    }

    /// Pauses and moves by `steps`, back for negative ones.
    pub fn step(&mut self, steps: i64, trace: &Trace) {
        self.pause();
        let amount = steps.unsigned_abs();
        let end = trace.range().end;
        self.time = match (self.step, steps > 0) {
            (Step::Span(span), true) => (self.time + scaled(span, amount)).min(end),
            (Step::Span(span), false) => self.time - scaled(span, amount),
            (Step::Events(events), true) => {
                let seen = trace.events_until(self.time);
                let wanted = seen.saturating_add(events.saturating_mul(amount));
                if wanted >= trace.events() {
                    end
                } else {
                    time_after(wanted, trace)
                }
            }
            (Step::Events(events), false) => self.time_before(events.saturating_mul(amount), trace),
        };
    }

    /// The time `events` events before the time shown. Of several events at one time none alone can be
    /// shown: it is always earlier than the time shown, except at the start.
    fn time_before(&self, events: u64, trace: &Trace) -> Time {
        let seen = trace.events_until(self.time);
        let time = time_after(seen.saturating_sub(events), trace);
        if time < self.time {
            return time;
        }
        let before = self.time - Cost::from_ns(1);
        time_after(trace.events_until(before), trace)
    }

    /// The cel: the step that ends at the time shown.
    pub fn cel(&self, trace: &Trace) -> TimeRange {
        let start = match self.step {
            Step::Span(span) => self.time - span,
            Step::Events(events) => self.time_before(events, trace),
        };
        TimeRange::new(start, self.time)
    }
}

/// The time at which `events` events have happened.
fn time_after(events: u64, trace: &Trace) -> Time {
    let last = events.checked_sub(1).and_then(|last| trace.event(last));
    last.map_or(Time::ZERO, |event| event.time)
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
mod tests {
    use super::*;
    use crate::facts::builder::{Timestamp, TraceBuilder};
    use crate::facts::functions::Function;
    use crate::warnings::{Place, Reporter};

    /// Calls that start and end at pseudo-random times, many of them equal.
    fn trace(calls: u64, seed: u64) -> Trace {
        let reporter = Reporter::new();
        let mut builder = TraceBuilder::new(&reporter);
        let thread = builder.thread("1", "1");
        let function = builder.function(Function::default());
        let mut state = seed;
        let mut time = 5_000;
        for _ in 0..calls * 2 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            time += (state >> 60).saturating_sub(6) as i64 * 40;
            let at = Timestamp::from_ns(time);
            let place = || Place::file("made up");
            if state >> 33 & 1 == 0 || builder.open_calls(thread) == 0 {
                builder.enter(thread, at, function, place);
            } else {
                builder.exit(thread, at, None, place);
            }
        }
        builder.finish(|| Place::file("made up")).1
    }

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn the_time_shown_does_not_depend_on_the_number_of_frames() {
        let trace = trace(400, 3);
        for clock in [Clock::Wall, Clock::Event] {
            let shown = |frames: u32| {
                let mut playback = Playback::new(&trace);
                playback.set_clock(clock, Duration::ZERO, &trace);
                playback.play(seconds(1.0), &trace);
                for frame in 1..=frames {
                    let at = 1.0 + 11.0 * f64::from(frame) / f64::from(frames);
                    playback.advance(seconds(at), &trace);
                }
                playback.time()
            };
            assert_eq!(shown(1), shown(977));
            assert!(shown(1) > Time::ZERO && shown(1) < trace.range().end);
        }
    }

    #[test]
    fn the_whole_trace_plays_in_half_a_minute_and_stops_or_starts_again() {
        let trace = trace(300, 1);
        let end = trace.range().end;
        for clock in [Clock::Wall, Clock::Event] {
            let mut playback = Playback::new(&trace);
            playback.set_clock(clock, Duration::ZERO, &trace);
            playback.play(Duration::ZERO, &trace);
            playback.advance(seconds(29.0), &trace);
            assert!(playback.time() < end && playback.is_playing());
            playback.advance(seconds(30.5), &trace);
            assert!(playback.time() == end && !playback.is_playing());
            playback.looping = true;
            playback.toggle(seconds(40.0), &trace);
            playback.advance(seconds(75.0), &trace);
            assert!(playback.is_playing());
            let early = Time::from_ns(end.ns() / 2);
            assert!(playback.time() < early);
        }
    }

    #[test]
    fn steps_forward_and_back_reach_both_ends_and_always_move() {
        for seed in 0..20 {
            let trace = trace(200, seed);
            for step in [
                Step::Events(1),
                Step::Events(7),
                Step::Span(Cost::from_ns(90)),
            ] {
                let mut playback = Playback::new(&trace);
                playback.step = step;
                let mut rounds = 0;
                while playback.time() < trace.range().end {
                    let before = playback.time();
                    playback.step(1, &trace);
                    assert!(playback.time() > before);
                    let cel = playback.cel(&trace);
                    assert!(cel.end == playback.time() && cel.start < cel.end);
                    rounds += 1;
                    assert!(rounds < 10_000);
                }
                while playback.time() > Time::ZERO {
                    let before = playback.time();
                    playback.step(-1, &trace);
                    assert!(playback.time() < before);
                }
                playback.step(-10, &trace);
                assert_eq!(playback.time(), Time::ZERO);
            }
        }
    }

    #[test]
    fn a_change_of_speed_clock_or_place_while_playing_does_not_jump() {
        let trace = trace(400, 5);
        let mut playback = Playback::new(&trace);
        playback.play(Duration::ZERO, &trace);
        playback.advance(seconds(10.0), &trace);
        let before = playback.time();
        playback.set_speed(playback.speed() * 3.0, seconds(10.0), &trace);
        playback.advance(seconds(10.0), &trace);
        assert_eq!(playback.time(), before);
        playback.set_clock(Clock::Event, seconds(10.0), &trace);
        playback.advance(seconds(10.0), &trace);
        assert!(playback.time() <= before);
        playback.seek(Time::from_ns(100), seconds(10.0), &trace);
        assert!(playback.is_playing());
        playback.seek(Time::MAX, seconds(10.0), &trace);
        assert_eq!(playback.time(), trace.range().end);
    }

    #[test]
    fn an_empty_trace_neither_plays_nor_steps() {
        let trace = Trace::default();
        let mut playback = Playback::new(&trace);
        playback.looping = true;
        playback.play(Duration::ZERO, &trace);
        playback.advance(seconds(3.0), &trace);
        playback.step(1, &trace);
        playback.step(-1, &trace);
        assert_eq!(playback.time(), Time::ZERO);
        assert_eq!(playback.cel(&trace).length(), Cost::ZERO);
    }

    #[test]
    fn step_sizes_are_round() {
        let row: Vec<u64> = [0, 1, 2, 3, 7, 11, 200, 201, u64::MAX]
            .map(rounded)
            .to_vec();
        assert_eq!(row, [1, 1, 2, 5, 10, 20, 200, 500, u64::MAX]);
    }
}
