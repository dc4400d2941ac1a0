//! The playback clock: which time of the trace is shown at which moment. Pure: it is told the moment
//! and never reads a clock, and the time shown depends on how long it has played, not on how many
//! frames were drawn meanwhile.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::call_steps::CallStep;
use crate::facts::trace::Trace;
use crate::units::{Cost, ThreadId, Time, TimeRange};

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

/// A stretch in which nothing happens is passed in so many seconds where idle stretches are skipped.
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
    pub fn new(trace: &Trace) -> Playback {
        let duration = trace.duration().ns() as f64;
        let events = trace.events();
        Playback {
            time: Time::ZERO,
            playing: None,
            looping: false,
            stride: 1,
            summary: false,
            skips_idle: false,
            backward: false,
            range: None,
            step: Step::Events(rounded(events.div_ceil(DEFAULT_STEPS))),
            clock: Clock::Wall,
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
    pub fn speed_by(&self, clock: Clock) -> f64 {
        match clock {
            Clock::Wall => self.wall_speed,
            Clock::Event => self.event_speed,
            Clock::Cel => self.cel_speed,
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
            Clock::Cel => {
                self.cel_speed = speed.clamp(*CEL_SPEEDS.start(), *CEL_SPEEDS.end());
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
        self.place(self.time, trace)
    }

    /// A time in units of the clock: nanoseconds, events, or cels.
    fn place(&self, time: Time, trace: &Trace) -> f64 {
        match (self.clock, self.step) {
            (Clock::Wall, _) => time.ns() as f64,
            (Clock::Event, _) => trace.events_until(time) as f64,
            (Clock::Cel, Step::Events(events)) => {
                trace.events_until(time) as f64 / events.max(1) as f64
            }
            (Clock::Cel, Step::Span(span)) => time.ns() as f64 / span.ns().max(1) as f64,
        }
    }

    /// The time at a place of the clock.
    fn time_at(&self, place: f64, trace: &Trace) -> Time {
        match (self.clock, self.step) {
            (Clock::Wall, _) => Time::from_ns(place as u64),
            (Clock::Event, _) => time_after(place as u64, trace),
            // Cels are whole from where it began: what is between is rounding.
            (Clock::Cel, Step::Events(events)) => {
                time_after((place * events.max(1) as f64).round() as u64, trace)
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
    pub fn reverse(&mut self, backward: bool, now: Duration, trace: &Trace) {
        self.backward = backward;
        self.anchor(now, trace);
    }

    /// Limits playing and stepping to `range`, to the whole trace for none, and shows a time in it; stops
    /// playing where it has to go there.
    pub fn limit(&mut self, range: Option<TimeRange>, trace: &Trace) {
        self.range = range;
        let limits = self.limits(trace);
        if !limits.contains(self.time) {
            self.pause();
            self.time = self.time.clamp(limits.start, limits.end);
        }
    }

    /// What is played.
    fn limits(&self, trace: &Trace) -> TimeRange {
        let whole = trace.range();
        let range = self.range.unwrap_or(whole);
        TimeRange::new(range.start.min(whole.end), range.end.min(whole.end))
    }

    /// Plays from the time shown, from the other end when that is where it would stop.
    pub fn play(&mut self, now: Duration, trace: &Trace) {
        let limits = self.limits(trace);
        if !self.backward && self.time >= limits.end {
            self.time = limits.start;
        } else if self.backward && self.time <= limits.start {
            self.time = limits.end;
        }
        self.summary = false;
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
        let limits = self.limits(trace);
        let place = |time: Time| self.place(time, trace);
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
        self.time = self
            .time_at(position, trace)
            .clamp(limits.start, limits.end);
        if self.skips_idle && self.clock == Clock::Wall && self.playing.is_some() {
            self.skip_idle(now, trace);
        }
        self.time != before
    }

    /// Goes to shortly before the next event where it would take long until then.
    fn skip_idle(&mut self, now: Duration, trace: &Trace) {
        let seen = trace.events_until(self.time);
        let rest = Cost::from_ns((self.wall_speed * IDLE_SECONDS) as u64);
        let time = if self.backward {
            let before = time_after(seen, trace);
            (self.time.since(before) > rest + rest).then(|| before + rest)
        } else {
            let next = trace.event(seen).map(|event| event.time);
            next.and_then(|next| (next.since(self.time) > rest + rest).then(|| next - rest))
        };
        if let Some(time) = time {
            self.seek(time, now, trace);
        }
    }

    /// Shows `time`, limited to what is played; goes on playing from there if it plays.
    pub fn seek(&mut self, time: Time, now: Duration, trace: &Trace) {
        let limits = self.limits(trace);
        self.time = time.clamp(limits.start, limits.end);
        self.summary = false;
        self.anchor(now, trace);
    }

    /// Pauses and moves by `steps` times the stride, back for negative ones.
    pub fn step(&mut self, steps: i64, trace: &Trace) {
        self.pause();
        self.summary = false;
        let amount = steps.unsigned_abs().saturating_mul(self.stride.max(1));
        let limits = self.limits(trace);
        let time = match (self.step, steps > 0) {
            (Step::Span(span), true) => self.time + scaled(span, amount),
            (Step::Span(span), false) => self.time - scaled(span, amount),
            (Step::Events(events), true) => {
                let seen = trace.events_until(self.time);
                let wanted = seen.saturating_add(events.saturating_mul(amount));
                if wanted >= trace.events() {
                    limits.end
                } else {
                    time_after(wanted, trace)
                }
            }
            (Step::Events(events), false) => self.time_before(events.saturating_mul(amount), trace),
        };
        self.time = time.clamp(limits.start, limits.end);
    }

    /// Pauses and steps by calls on `thread`: into the next call, over it, or out of the innermost open one;
    /// back for `forward` false. Stays where it is when there is no such event.
    pub fn step_call(&mut self, by: CallStep, forward: bool, thread: ThreadId, trace: &Trace) {
        self.pause();
        self.summary = false;
        if let Some(time) = by.from(self.time, forward, thread, trace) {
            let limits = self.limits(trace);
            self.time = time.clamp(limits.start, limits.end);
        }
    }

    /// The number of the cel that ends at the time shown, from 1, and how many there are. A number that is
    /// left over by events of the same time counts with the cel before it.
    pub fn cel_number(&self, trace: &Trace) -> (u64, u64) {
        let (at, all, size) = match self.step {
            Step::Events(events) => (trace.events_until(self.time), trace.events(), events),
            Step::Span(span) => (self.time.ns(), trace.duration().ns(), span.ns()),
        };
        let size = size.max(1);
        (at.div_ceil(size).max(1), all.div_ceil(size).max(1))
    }

    /// The time at which cel `number` ends, counted from 1.
    pub fn end_of_cel(&self, number: u64, trace: &Trace) -> Time {
        match self.step {
            Step::Events(events) => {
                time_after(events.saturating_mul(number).min(trace.events()), trace)
            }
            Step::Span(span) => (Time::ZERO + scaled(span, number)).min(trace.range().end),
        }
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
pub(super) mod tests {
    use super::*;
    use crate::facts::builder::{Timestamp, TraceBuilder};
    use crate::facts::functions::Function;
    use crate::warnings::{Place, Reporter};

    /// Calls that start and end at pseudo-random times, many of them equal.
    pub fn trace(calls: u64, seed: u64) -> Trace {
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
    fn settings_are_saved_and_taken_again_whatever_a_file_holds() {
        let trace = trace(100, 4);
        let mut playback = Playback::new(&trace);
        playback.set_clock(Clock::Event, Duration::ZERO, &trace);
        playback.set_speed(77.0, Duration::ZERO, &trace);
        (playback.step, playback.stride) = (Step::Span(Cost::from_ns(12)), 5);
        (playback.looping, playback.skips_idle) = (true, true);
        let mut again = Playback::new(&trace);
        again.configure(&playback.settings());
        assert_eq!(again.settings(), playback.settings());
        let odd = PlaybackSettings {
            wall_speed: f64::NAN,
            event_speed: -4.0,
            cel_speed: f64::INFINITY,
            step: Step::Events(0),
            stride: 0,
            ..playback.settings()
        };
        again.configure(&odd);
        again.play(Duration::ZERO, &trace);
        again.advance(seconds(1.0), &trace);
        assert!(again.settings().wall_speed > 0.0 && again.settings().cel_speed <= 60.0);
        assert_eq!(again.step, Step::Events(1));
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
    fn cel_by_cel_it_plays_what_stepping_shows() {
        for seed in 0..8 {
            let trace = trace(300, seed);
            for (step, stride) in [
                (Step::Events(1), 3),
                (Step::Events(7), 1),
                (Step::Span(Cost::from_ns(90)), 2),
            ] {
                let mut playback = Playback::new(&trace);
                (playback.step, playback.stride) = (step, stride);
                // Events at the very start have happened.
                let first = trace.events_until(Time::ZERO);
                playback.set_clock(Clock::Cel, Duration::ZERO, &trace);
                playback.set_speed(4.0, Duration::ZERO, &trace);
                playback.play(Duration::ZERO, &trace);
                for tick in 1..=40u32 {
                    playback.advance(seconds(f64::from(tick) * 0.25 + 0.01), &trace);
                    let amount = u64::from(tick) * stride;
                    let wanted = match step {
                        Step::Events(events) => {
                            time_after((first + events * amount).min(trace.events()), &trace)
                        }
                        Step::Span(span) => Time::ZERO + scaled(span, amount),
                    };
                    let wanted = wanted.min(trace.range().end);
                    assert_eq!(playback.time(), wanted, "{step:?} {tick}");
                    if wanted == trace.range().end {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn playing_backward_passes_the_same_times() {
        let trace = trace(400, 11);
        for clock in [Clock::Wall, Clock::Event] {
            let mut playback = Playback::new(&trace);
            playback.set_clock(clock, Duration::ZERO, &trace);
            playback.play(Duration::ZERO, &trace);
            let mut there = Vec::new();
            for second in 0..=30 {
                playback.advance(seconds(f64::from(second)), &trace);
                there.push(playback.time());
            }
            assert!(!playback.is_playing() && playback.time() == trace.range().end);
            playback.reverse(true, seconds(50.0), &trace);
            playback.play(seconds(50.0), &trace);
            let mut back = Vec::new();
            for second in 0..=30 {
                playback.advance(seconds(50.0 + f64::from(second)), &trace);
                back.push(playback.time());
            }
            back.reverse();
            let apart = there
                .iter()
                .zip(&back)
                .map(|(a, b)| a.since(*b).max(b.since(*a)));
            // Half a nanosecond, or half an event, is rounded one way or the other.
            let least = match clock {
                Clock::Wall | Clock::Cel => Cost::from_ns(1),
                Clock::Event => Cost::from_ns(400),
            };
            assert!(apart.max().expect("times") <= least, "{there:?} {back:?}");
            assert!(!playback.is_playing(), "stops at the start");
        }
    }

    #[test]
    fn what_is_played_can_be_limited_to_a_range() {
        let trace = trace(400, 13);
        let end = trace.range().end.ns();
        let range = TimeRange::new(Time::from_ns(end / 4), Time::from_ns(end / 2));
        let mut playback = Playback::new(&trace);
        playback.limit(Some(range), &trace);
        assert_eq!(playback.time(), range.start);
        playback.looping = true;
        playback.play(Duration::ZERO, &trace);
        for tenth in 0..400 {
            playback.advance(seconds(f64::from(tenth) * 0.1), &trace);
            assert!(range.contains(playback.time()) && playback.is_playing());
        }
        playback.step(-1_000, &trace);
        assert_eq!(playback.time(), range.start);
        playback.step(1_000, &trace);
        assert_eq!(playback.time(), range.end);
        playback.limit(None, &trace);
        playback.step(1_000, &trace);
        assert_eq!(playback.time(), trace.range().end);
    }

    #[test]
    fn idle_stretches_are_passed_quickly_and_nothing_else_is() {
        let reporter = Reporter::new();
        let mut builder = TraceBuilder::new(&reporter);
        let thread = builder.thread("1", "1");
        let function = builder.function(Function::default());
        let place = || Place::file("made up");
        // Two bursts, an hour apart.
        for start in [0, 3_600_000_000_000i64] {
            for call in 0..100 {
                let at = start + call * 10_000_000;
                builder.enter(thread, Timestamp::from_ns(at), function, place);
                builder.exit(thread, Timestamp::from_ns(at + 5_000_000), None, place);
            }
        }
        let trace = builder.finish(place).1;
        let played = |skips_idle: bool| {
            let mut playback = Playback::new(&trace);
            playback.skips_idle = skips_idle;
            playback.set_speed(1e9, Duration::ZERO, &trace);
            playback.play(Duration::ZERO, &trace);
            let mut frames = 0;
            while playback.is_playing() && frames < 1_000 {
                frames += 1;
                playback.advance(seconds(f64::from(frames) / 60.0), &trace);
            }
            (frames, playback.time())
        };
        let (frames, time) = played(true);
        assert_eq!(time, trace.range().end);
        assert!((120..220).contains(&frames), "{frames}");
        assert!(played(false).1 < trace.range().end);
    }

    #[test]
    fn cels_are_numbered_from_one() {
        for seed in 0..20 {
            let trace = trace(200, seed);
            for step in [Step::Events(7), Step::Span(Cost::from_ns(90))] {
                let mut playback = Playback::new(&trace);
                playback.step = step;
                let (_, cels) = playback.cel_number(&trace);
                for cel in 1..=cels {
                    let time = playback.end_of_cel(cel, &trace);
                    playback.seek(time, Duration::ZERO, &trace);
                    let (at, of) = playback.cel_number(&trace);
                    // Events at the same time belong to one cel more than asked for.
                    assert!(at >= cel && of == cels, "{cel} {at}");
                }
                assert_eq!(playback.time(), trace.range().end);
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
