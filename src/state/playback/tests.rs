use super::*;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::memory::{Detail, MemoryBuilder, StackId};
use callscape_facts::trace::Trace;

/// Calls that start and end at pseudo-random times, many of them equal.
pub(crate) fn trace(calls: u64, seed: u64) -> Trace {
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
    let all = AllEvents::from(&trace);
    let mut playback = Playback::new(all);
    playback.set_clock(Clock::Event, Duration::ZERO, all);
    playback.set_speed(77.0, Duration::ZERO, all);
    (playback.step, playback.stride) = (Step::Span(Cost::from_ns(12)), 5);
    (playback.looping, playback.skips_idle) = (true, true);
    let mut again = Playback::new(all);
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
    again.play(Duration::ZERO, all);
    again.advance(seconds(1.0), all);
    assert!(again.settings().wall_speed > 0.0 && again.settings().cel_speed <= 60.0);
    assert_eq!(again.step, Step::Events(1));
}

#[test]
fn the_time_shown_does_not_depend_on_the_number_of_frames() {
    let trace = trace(400, 3);
    let all = AllEvents::from(&trace);
    for clock in [Clock::Wall, Clock::Event] {
        let shown = |frames: u32| {
            let mut playback = Playback::new(all);
            playback.set_clock(clock, Duration::ZERO, all);
            playback.play(seconds(1.0), all);
            for frame in 1..=frames {
                let at = 1.0 + 11.0 * f64::from(frame) / f64::from(frames);
                playback.advance(seconds(at), all);
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
    let all = AllEvents::from(&trace);
    let end = trace.range().end;
    for clock in [Clock::Wall, Clock::Event] {
        let mut playback = Playback::new(all);
        playback.set_clock(clock, Duration::ZERO, all);
        playback.play(Duration::ZERO, all);
        playback.advance(seconds(29.0), all);
        assert!(playback.time() < end && playback.is_playing());
        playback.advance(seconds(30.5), all);
        assert!(playback.time() == end && !playback.is_playing());
        playback.looping = true;
        playback.toggle(seconds(40.0), all);
        playback.advance(seconds(75.0), all);
        assert!(playback.is_playing());
        let early = Time::from_ns(end.ns() / 2);
        assert!(playback.time() < early);
    }
}

#[test]
fn steps_forward_and_back_reach_both_ends_and_always_move() {
    for seed in 0..20 {
        let trace = trace(200, seed);
        let all = AllEvents::from(&trace);
        for step in [
            Step::Events(1),
            Step::Events(7),
            Step::Span(Cost::from_ns(90)),
        ] {
            let mut playback = Playback::new(all);
            playback.step = step;
            let mut rounds = 0;
            while playback.time() < trace.range().end {
                let before = playback.time();
                playback.step(1, all);
                assert!(playback.time() > before);
                let cel = playback.cel(all);
                assert!(cel.end == playback.time() && cel.start < cel.end);
                rounds += 1;
                assert!(rounds < 10_000);
            }
            while playback.time() > Time::ZERO {
                let before = playback.time();
                playback.step(-1, all);
                assert!(playback.time() < before);
            }
            playback.step(-10, all);
            assert_eq!(playback.time(), Time::ZERO);
        }
    }
}

#[test]
fn cel_by_cel_it_plays_what_stepping_shows() {
    for seed in 0..8 {
        let trace = trace(300, seed);
        let all = AllEvents::from(&trace);
        for (step, stride) in [
            (Step::Events(1), 3),
            (Step::Events(7), 1),
            (Step::Span(Cost::from_ns(90)), 2),
        ] {
            let mut playback = Playback::new(all);
            (playback.step, playback.stride) = (step, stride);
            // Events at the very start have happened.
            let first = trace.events_until(Time::ZERO);
            playback.set_clock(Clock::Cel, Duration::ZERO, all);
            playback.set_speed(4.0, Duration::ZERO, all);
            playback.play(Duration::ZERO, all);
            for tick in 1..=40u32 {
                playback.advance(seconds(f64::from(tick) * 0.25 + 0.01), all);
                let amount = u64::from(tick) * stride;
                let wanted = match step {
                    Step::Events(events) => {
                        time_after((first + events * amount).min(trace.events()), all)
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
    let all = AllEvents::from(&trace);
    for clock in [Clock::Wall, Clock::Event] {
        let mut playback = Playback::new(all);
        playback.set_clock(clock, Duration::ZERO, all);
        playback.play(Duration::ZERO, all);
        let mut there = Vec::new();
        for second in 0..=30 {
            playback.advance(seconds(f64::from(second)), all);
            there.push(playback.time());
        }
        assert!(!playback.is_playing() && playback.time() == trace.range().end);
        playback.reverse(true, seconds(50.0), all);
        playback.play(seconds(50.0), all);
        let mut back = Vec::new();
        for second in 0..=30 {
            playback.advance(seconds(50.0 + f64::from(second)), all);
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
    let all = AllEvents::from(&trace);
    let end = trace.range().end.ns();
    let range = TimeRange::new(Time::from_ns(end / 4), Time::from_ns(end / 2));
    let mut playback = Playback::new(all);
    playback.limit(Some(range), all);
    assert_eq!(playback.time(), range.start);
    playback.looping = true;
    playback.play(Duration::ZERO, all);
    for tenth in 0..400 {
        playback.advance(seconds(f64::from(tenth) * 0.1), all);
        assert!(range.contains(playback.time()) && playback.is_playing());
    }
    playback.step(-1_000, all);
    assert_eq!(playback.time(), range.start);
    playback.step(1_000, all);
    assert_eq!(playback.time(), range.end);
    playback.limit(None, all);
    playback.step(1_000, all);
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
    let all = AllEvents::from(&trace);
    let played = |skips_idle: bool| {
        let mut playback = Playback::new(all);
        playback.skips_idle = skips_idle;
        playback.set_speed(1e9, Duration::ZERO, all);
        playback.play(Duration::ZERO, all);
        let mut frames = 0;
        while playback.is_playing() && frames < 1_000 {
            frames += 1;
            playback.advance(seconds(f64::from(frames) / 60.0), all);
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
        let all = AllEvents::from(&trace);
        for step in [Step::Events(7), Step::Span(Cost::from_ns(90))] {
            let mut playback = Playback::new(all);
            playback.step = step;
            let (_, cels) = playback.cel_number(all);
            for cel in 1..=cels {
                let time = playback.end_of_cel(cel, all);
                playback.seek(time, Duration::ZERO, all);
                let (at, of) = playback.cel_number(all);
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
    let all = AllEvents::from(&trace);
    let mut playback = Playback::new(all);
    playback.play(Duration::ZERO, all);
    playback.advance(seconds(10.0), all);
    let before = playback.time();
    playback.set_speed(playback.speed() * 3.0, seconds(10.0), all);
    playback.advance(seconds(10.0), all);
    assert_eq!(playback.time(), before);
    playback.set_clock(Clock::Event, seconds(10.0), all);
    playback.advance(seconds(10.0), all);
    assert!(playback.time() <= before);
    playback.seek(Time::from_ns(100), seconds(10.0), all);
    assert!(playback.is_playing());
    playback.seek(Time::MAX, seconds(10.0), all);
    assert_eq!(playback.time(), trace.range().end);
}

#[test]
fn an_empty_trace_neither_plays_nor_steps() {
    let trace = Trace::default();
    let all = AllEvents::from(&trace);
    let mut playback = Playback::new(all);
    playback.looping = true;
    playback.play(Duration::ZERO, all);
    playback.advance(seconds(3.0), all);
    playback.step(1, all);
    playback.step(-1, all);
    assert_eq!(playback.time(), Time::ZERO);
    assert_eq!(playback.cel(all).length(), Cost::ZERO);
}

/// One call, in which an object is created every 10 ns and released 5 ns later.
#[test]
fn what_is_allocated_and_released_counts_as_calls_and_returns_do() {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let thread = builder.thread("1", "1");
    let function = builder.function(Function::default());
    let place = || Place::file("made up");
    builder.enter(thread, Timestamp::from_ns(0), function, place);
    builder.exit(thread, Timestamp::from_ns(1000), None, place);
    let trace = builder.finish(place).1;
    let mut builder = MemoryBuilder::new();
    let site = builder.site(8, StackId::EMPTY, 0);
    let time = |ns: u64| Time::from_ns(ns);
    for start in (10..=500).step_by(10) {
        let refuse = |kind| panic!("{kind}");
        let object = builder.allocate(time(start), thread, site, refuse);
        let object = object.expect("room");
        builder.release(time(start + 5), thread, object, refuse);
    }
    let memory = builder.finish(Detail::Events, time(1000));
    let all = AllEvents::new(&trace, memory.events());
    assert_eq!(all.count(), 102);
    let mut playback = Playback::new(all);
    playback.step = Step::Events(3);
    playback.step(1, all);
    // After the call at the start: an object created and released, and the next one created.
    assert_eq!(playback.time(), time(20));
    playback.step(1, all);
    assert_eq!(playback.time(), time(35));
    assert_eq!(playback.cel(all), TimeRange::new(time(20), time(35)));
    assert_eq!(playback.cel_number(all), (3, 34));
    playback.step(-1, all);
    assert_eq!(playback.time(), time(20));
    playback.set_clock(Clock::Event, Duration::ZERO, all);
    playback.set_speed(10.0, Duration::ZERO, all);
    playback.play(Duration::ZERO, all);
    playback.advance(seconds(1.0), all);
    assert_eq!(playback.time(), time(70));
}

#[test]
fn step_sizes_are_round() {
    let row: Vec<u64> = [0, 1, 2, 3, 7, 11, 200, 201, u64::MAX]
        .map(rounded)
        .to_vec();
    assert_eq!(row, [1, 1, 2, 5, 10, 20, 200, 500, u64::MAX]);
}
