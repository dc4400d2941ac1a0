//! What the asks of playback do to its clock.

use super::super::ask::PlayAsk;
use super::super::document::Document;
use super::Workbench;
use crate::units::Time;

impl Workbench {
    pub(super) fn control_playback(&mut self, ask: PlayAsk) {
        let now = self.now();
        let thread = self.document.as_ref().and_then(Document::stepping_thread);
        let Some((playback, trace)) = self.document.as_mut().and_then(Document::playing) else {
            return;
        };
        match ask {
            PlayAsk::PlayOrPause if playback.is_playing() => playback.pause(),
            PlayAsk::PlayOrPause => {
                playback.reverse(false, now, trace);
                playback.play(now, trace);
            }
            PlayAsk::PlayBackward if playback.is_playing() && playback.is_backward() => {
                playback.pause();
            }
            PlayAsk::PlayBackward => {
                playback.reverse(true, now, trace);
                playback.play(now, trace);
            }
            PlayAsk::StepCall(by, forward) => {
                if let Some(thread) = thread {
                    playback.step_call(by, forward, thread, trace);
                }
            }
            PlayAsk::ToCel(number) => {
                playback.pause();
                playback.seek(playback.end_of_cel(number, trace), now, trace);
            }
            PlayAsk::SetStride(cels) => playback.stride = cels.max(1),
            PlayAsk::ToggleSummary => {
                playback.pause();
                playback.summary ^= true;
            }
            PlayAsk::ToggleSkipIdle => playback.skips_idle ^= true,
            PlayAsk::Step(cels) => playback.step(cels, trace),
            PlayAsk::Seek(time) => playback.seek(time, now, trace),
            PlayAsk::ToStart => playback.seek(Time::ZERO, now, trace),
            PlayAsk::ToEnd => playback.seek(Time::MAX, now, trace),
            PlayAsk::SetSpeed(speed) => playback.set_speed(speed, now, trace),
            PlayAsk::ScaleSpeed(by) => playback.set_speed(playback.speed() * by, now, trace),
            PlayAsk::SetClock(clock) => playback.set_clock(clock, now, trace),
            PlayAsk::SetStep(step) => playback.step = step,
            PlayAsk::ToggleLoop => playback.looping ^= true,
        }
    }
}
