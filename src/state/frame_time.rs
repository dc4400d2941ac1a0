//! What time it is, and how much of it goes on from frame to frame.

use callscape_base::clock::Instant;
use std::time::Duration;

/// What says what time it is.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Since then.
    Running(Instant),
    Told(Duration),
}

/// The time since the window opened.
#[derive(Debug)]
pub struct FrameTime {
    source: Source,
    /// When the last frame was made, since the start.
    last_frame: Duration,
    was_moving: bool,
    /// How much time all frames together have taken.
    pub drawing: Duration,
}

impl Default for FrameTime {
    fn default() -> FrameTime {
        FrameTime {
            source: Source::Running(Instant::now()),
            last_frame: Duration::ZERO,
            was_moving: false,
            drawing: Duration::ZERO,
        }
    }
}

impl FrameTime {
    pub(super) fn now(&self) -> Duration {
        match self.source {
            Source::Running(started) => started.elapsed(),
            Source::Told(now) => now,
        }
    }

    /// It is `now`, whatever clocks say, from now on until told otherwise.
    pub(super) fn tell(&mut self, now: Duration) {
        self.source = Source::Told(now);
    }

    /// Begins a frame: the time that everything which moves goes on by.
    pub fn begin_frame(&mut self) -> Duration {
        let now = self.now();
        let since = now.saturating_sub(self.last_frame);
        // Motion that has just begun has nothing to catch up with.
        let most = match (self.source, self.was_moving) {
            (Source::Told(_), _) => Duration::MAX,
            (Source::Running(_), true) => Duration::from_millis(250),
            (Source::Running(_), false) => Duration::from_millis(10),
        };
        self.last_frame = now;
        since.min(most)
    }

    /// Ends a frame; `is_moving` says whether something goes on by itself.
    pub fn end_frame(&mut self, is_moving: bool) {
        self.was_moving = is_moving;
    }
}
