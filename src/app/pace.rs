//! How finely the landscape is drawn while the camera moves: as finely as keeps the motion fluent.
//!
//! A picture that follows the hand coarsely is better than a sharp one that lags behind it. At rest every
//! pixel is drawn.

use std::time::Duration;

/// Sides of the drawn picture as parts of the window's.
const SCALES: [f32; 3] = [1.0, 0.71, 0.5];

/// The same of the first frame that a presenter's key brings, where frames are slow: it is to be there at once. One that
/// is hardly seen yet, through what was shown before, need not be fine at all.
const FIRST: f32 = 0.35;
const FIRST_VEILED: f32 = 0.25;

/// Frames that take longer are drawn more coarsely, and those that take less more finely. Waiting for a
/// display of 60 Hz counts as quick.
const TOO_SLOW: f32 = 0.055;
const QUICK: f32 = 0.022;

/// After motion the picture stays coarse for so long: a drag pauses often.
const CALM: Duration = Duration::from_millis(200);

#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Index of the scale that suits motion.
    level: usize,
    /// When the last frame in motion was begun; none when every pixel is drawn since.
    last_motion: Option<Duration>,
    /// Seconds that a frame in motion takes, smoothed; none right after a change of scale.
    taken: Option<f32>,
}

impl Pace {
    /// The scale of the frame that begins `now`; `in_motion` when it shows the city from elsewhere than
    /// the frame before.
    pub fn begin_frame(&mut self, now: Duration, in_motion: bool) -> f32 {
        if in_motion {
            self.last_motion = Some(now);
        } else if self.rests_in(now).is_none_or(|rest| rest.is_zero()) {
            self.last_motion = None;
            return 1.0;
        }
        SCALES[self.level]
    }

    /// The scale of the first frame after a key of the presenter, `is_veiled` where what was shown before lies over it;
    /// none where frames are quick.
    pub fn first(&self, is_veiled: bool) -> Option<f32> {
        let scale = if is_veiled { FIRST_VEILED } else { FIRST };
        (self.level > 0).then_some(scale)
    }

    /// A frame in motion took so many seconds, waiting for the display included.
    pub fn end_frame(&mut self, seconds: f32) {
        let taken = match self.taken {
            Some(taken) => taken + (seconds - taken) * 0.4,
            None => seconds,
        };
        self.taken = Some(taken);
        if taken > TOO_SLOW && self.level + 1 < SCALES.len() {
            self.level += 1;
            self.taken = None;
        } else if taken < QUICK && self.level > 0 {
            self.level -= 1;
            self.taken = None;
        }
    }

    /// How long until the picture is to be drawn in full; none when it is already.
    pub fn rests_in(&self, now: Duration) -> Option<Duration> {
        let last = self.last_motion.filter(|_| self.level > 0)?;
        Some(CALM.saturating_sub(now.saturating_sub(last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(pace: &mut Pace, start: u64, frames: u64, taken: u64) -> f32 {
        let mut scale = 1.0;
        for frame in 0..frames {
            let now = Duration::from_millis(start + frame * taken);
            scale = pace.begin_frame(now, true);
            pace.end_frame(taken as f32 * 1e-3);
        }
        scale
    }

    #[test]
    fn slow_frames_get_coarser_in_motion_and_fine_at_rest() {
        let mut pace = Pace::default();
        assert_eq!(pace.first(false), None);
        assert_eq!(moved(&mut pace, 0, 12, 180), SCALES[2]);
        assert!(pace.first(true) < pace.first(false) && pace.first(false) < Some(SCALES[2]));
        let end = Duration::from_millis(11 * 180);
        assert!(pace.rests_in(end).is_some());
        let soon = end + Duration::from_millis(50);
        assert_eq!(pace.begin_frame(soon, false), SCALES[2]);
        assert_eq!(pace.begin_frame(end + CALM, false), 1.0);
        assert_eq!(pace.rests_in(end + CALM), None);
        // It remembers for the next motion, and recovers when frames are quick.
        assert_eq!(pace.begin_frame(end + CALM * 2, true), SCALES[2]);
        assert_eq!(moved(&mut pace, 4000, 20, 8), 1.0);
    }

    #[test]
    fn quick_frames_are_always_fine() {
        let mut pace = Pace::default();
        for taken in [8, 16, 33] {
            assert_eq!(moved(&mut pace, 0, 50, taken), 1.0);
        }
        assert_eq!(pace.rests_in(Duration::from_secs(9)), None);
    }
}
