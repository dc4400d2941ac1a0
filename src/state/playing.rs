//! What the asks of playback do to its clock.

use super::ask::PlayAsk;
use super::document::Document;
use super::state::State;
use callscape_base::units::Time;

impl State {
    pub(crate) fn on_play(&mut self, ask: PlayAsk) {
        if ask == PlayAsk::ToggleWithSum {
            return self.show_with_sum(!self.runs_view.with_sum);
        }
        let now = self.now();
        let thread = self.document.as_ref().and_then(Document::stepping_thread);
        let Some((playback, all)) = self.document.as_mut().and_then(Document::playing) else {
            return;
        };
        match ask {
            PlayAsk::PlayOrPause if playback.is_playing() => playback.pause(),
            PlayAsk::PlayOrPause => {
                playback.reverse(false, now, all);
                playback.play(now, all);
            }
            PlayAsk::PlayBackward if playback.is_playing() && playback.is_backward() => {
                playback.pause();
            }
            PlayAsk::PlayBackward => {
                playback.reverse(true, now, all);
                playback.play(now, all);
            }
            PlayAsk::StepCall(by, forward) => {
                if let Some(thread) = thread {
                    playback.step_call(by, forward, thread, all);
                }
            }
            PlayAsk::ToCel(number) => {
                playback.pause();
                playback.seek(playback.end_of_cel(number, all), now, all);
            }
            PlayAsk::SetStride(cels) => playback.stride = cels.max(1),
            PlayAsk::ToggleSummary => {
                playback.pause();
                playback.summary ^= true;
            }
            // It is no matter of the clock.
            PlayAsk::ToggleWithSum => {}
            PlayAsk::ToggleSkipIdle => playback.skips_idle ^= true,
            PlayAsk::Step(cels) => playback.step(cels, all),
            PlayAsk::Seek(time) => playback.seek(time, now, all),
            PlayAsk::ToStart => playback.seek(Time::ZERO, now, all),
            PlayAsk::ToEnd => playback.seek(Time::MAX, now, all),
            PlayAsk::SetSpeed(speed) => playback.set_speed(speed, now, all),
            PlayAsk::ScaleSpeed(by) => playback.set_speed(playback.speed() * by, now, all),
            PlayAsk::SetClock(clock) => playback.set_clock(clock, now, all),
            PlayAsk::SetStep(step) => playback.step = step,
            PlayAsk::ToggleLoop => playback.looping ^= true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::SelectAsk;
    use super::super::call_steps::CallStep;
    use super::super::playback::{Clock, Playback, Step};
    use super::super::testing::{frame_at, function, micros, nothing_open, open, range, tiny};
    use super::*;
    use callscape_base::units::{Cost, ThreadId};
    use callscape_filter::selection::Pointed;

    fn playback(state: &State) -> &Playback {
        open(state)
            .playback
            .as_ref()
            .expect("a recording with times")
    }

    fn time(state: &State) -> Time {
        playback(state).time()
    }

    #[test]
    fn it_plays_as_fast_as_asked_and_stops_at_the_end() {
        let mut state = tiny();
        state.execute(PlayAsk::ToStart);
        state.execute(PlayAsk::SetClock(Clock::Wall));
        state.execute(PlayAsk::SetSpeed(10_000.0));
        state.execute(PlayAsk::PlayOrPause);
        frame_at(&mut state, 1_000);
        assert_eq!(time(&state), micros(10));
        assert_eq!(open(&state).selection.time, micros(10), "what views show");
        state.execute(PlayAsk::ScaleSpeed(2.0));
        frame_at(&mut state, 2_000);
        assert_eq!(time(&state), micros(30));
        state.execute(PlayAsk::PlayOrPause);
        frame_at(&mut state, 3_000);
        assert_eq!(time(&state), micros(30), "it pauses");
        state.execute(PlayAsk::PlayOrPause);
        frame_at(&mut state, 60_000);
        assert_eq!(time(&state), micros(100));
        assert!(!playback(&state).is_playing());
    }

    #[test]
    fn it_plays_backward_until_asked_again() {
        let mut state = tiny();
        state.execute(PlayAsk::SetClock(Clock::Wall));
        state.execute(PlayAsk::SetSpeed(10_000.0));
        state.execute(PlayAsk::Seek(micros(50)));
        state.execute(PlayAsk::PlayBackward);
        frame_at(&mut state, 2_000);
        assert_eq!(time(&state), micros(30));
        state.execute(PlayAsk::PlayBackward);
        assert!(!playback(&state).is_playing());
        state.execute(PlayAsk::PlayOrPause);
        frame_at(&mut state, 3_000);
        assert_eq!(time(&state), micros(40), "play goes forward");
    }

    #[test]
    fn steps_go_by_cels_and_by_calls() {
        let mut state = tiny();
        state.execute(PlayAsk::ToStart);
        state.execute(PlayAsk::SetStep(Step::Span(Cost::from_ns(20_000))));
        state.execute(PlayAsk::Step(1));
        assert_eq!(time(&state), micros(20));
        state.execute(PlayAsk::SetStride(0));
        assert_eq!(playback(&state).stride, 1, "a step goes somewhere");
        state.execute(PlayAsk::ToCel(4));
        assert_eq!(time(&state), micros(80));
        state.execute(PlayAsk::Step(-2));
        assert_eq!(time(&state), micros(40));
        // Along the thread that is chosen: out of the second step, which began at 30.
        let chosen = Pointed {
            thread: Some(ThreadId(0)),
            function: Some(function(&state, "step")),
            ..Pointed::default()
        };
        state.execute(SelectAsk::Choose(chosen));
        state.execute(PlayAsk::StepCall(CallStep::Out, true));
        assert_eq!(time(&state), micros(50));
        state.execute(PlayAsk::StepCall(CallStep::Into, true));
        assert_eq!(time(&state), micros(60));
        state.execute(PlayAsk::StepCall(CallStep::Over, true));
        assert_eq!(time(&state), micros(90));
    }

    #[test]
    fn the_clock_stays_in_the_range() {
        let mut state = tiny();
        state.execute(SelectAsk::SetRange(Some(range(20, 60))));
        state.execute(PlayAsk::ToStart);
        assert_eq!(time(&state), micros(20));
        state.execute(PlayAsk::ToEnd);
        assert_eq!(time(&state), micros(60));
    }

    #[test]
    fn switches_of_playback_go_to_and_fro() {
        let mut state = tiny();
        let switches = |state: &State| {
            let of = playback(state);
            [of.summary, of.skips_idle, of.looping]
        };
        let before = switches(&state);
        let asks = [
            PlayAsk::ToggleSummary,
            PlayAsk::ToggleSkipIdle,
            PlayAsk::ToggleLoop,
        ];
        for (place, ask) in asks.iter().enumerate() {
            state.execute(ask.clone());
            let mut expected = before;
            expected[place] ^= true;
            assert_eq!(switches(&state), expected, "{ask:?}");
            state.execute(ask.clone());
            assert_eq!(switches(&state), before, "{ask:?}");
        }
        state.execute(PlayAsk::PlayOrPause);
        state.execute(PlayAsk::ToggleSummary);
        assert!(!playback(&state).is_playing(), "a summary is of no moment");
    }

    #[test]
    fn without_a_recording_nothing_plays() {
        let mut state = nothing_open();
        state.execute(PlayAsk::PlayOrPause);
        assert!(!state.is_moving());
    }
}
