//! What the commands of playback do to its clock.

use super::super::command::Command;
use super::super::document::Document;
use super::Workbench;
use crate::units::Time;

impl Workbench {
    pub(super) fn control_playback(&mut self, command: Command) {
        let now = self.now();
        let thread = self.document.as_ref().and_then(Document::stepping_thread);
        let Some((playback, trace)) = self.document.as_mut().and_then(Document::playing) else {
            return;
        };
        match command {
            Command::PlayOrPause if playback.is_playing() => playback.pause(),
            Command::PlayOrPause => {
                playback.reverse(false, now, trace);
                playback.play(now, trace);
            }
            Command::PlayBackward if playback.is_playing() && playback.is_backward() => {
                playback.pause();
            }
            Command::PlayBackward => {
                playback.reverse(true, now, trace);
                playback.play(now, trace);
            }
            Command::StepCall(by, forward) => {
                if let Some(thread) = thread {
                    playback.step_call(by, forward, thread, trace);
                }
            }
            Command::ToCel(number) => {
                playback.pause();
                playback.seek(playback.end_of_cel(number, trace), now, trace);
            }
            Command::SetStride(cels) => playback.stride = cels.max(1),
            Command::ToggleSummary => {
                playback.pause();
                playback.summary ^= true;
            }
            Command::ToggleSkipIdle => playback.skips_idle ^= true,
            Command::Step(cels) => playback.step(cels, trace),
            Command::Seek(time) => playback.seek(time, now, trace),
            Command::ToStart => playback.seek(Time::ZERO, now, trace),
            Command::ToEnd => playback.seek(Time::MAX, now, trace),
            Command::SetSpeed(speed) => playback.set_speed(speed, now, trace),
            Command::ScaleSpeed(by) => playback.set_speed(playback.speed() * by, now, trace),
            Command::SetClock(clock) => playback.set_clock(clock, now, trace),
            Command::SetStep(step) => playback.step = step,
            Command::ToggleLoop => playback.looping ^= true,
            _ => {}
        }
    }
}
