//! How finely the landscape is drawn while something moves: as finely as keeps the motion fluent.
//!
//! A picture that follows the hand coarsely is better than a sharp one that lags behind it. Where a frame takes longer
//! than the display shows one, first fewer pictures are averaged for it, which those of the frames before make up for;
//! then, while the camera moves, fewer pixels are drawn. At rest every pixel is.

use std::time::Duration;

/// How finely a frame is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Detail {
    /// How many pictures are averaged for it.
    pub pictures: u32,
    /// Sides of the picture as parts of the window's.
    pub scale: f32,
}

const fn level(pictures: u32, scale: f32) -> Detail {
    Detail { pictures, scale }
}

/// From fine to coarse.
const LEVELS: [Detail; 5] = [
    level(4, 1.0),
    level(2, 1.0),
    level(1, 1.0),
    level(1, 0.71),
    level(1, 0.5),
];

/// The coarsest that draws every pixel.
const SINGLE: usize = 2;

/// The scale of the first frame that a presenter's key brings, where frames are slow: it is to be there at once. One that
/// is hardly seen yet, through what was shown before, need not be fine at all.
const FIRST: f32 = 0.35;
const FIRST_VEILED: f32 = 0.25;

/// A single frame that takes longer, in seconds, has the next drawn more coarsely.
const TOO_SLOW: f32 = 0.055;

/// Otherwise so many frames are looked at, and what they take on average, as a share of the display's interval: where that
/// is more than the one the next are coarser, where it is less than the other finer in a while. Waiting for the display
/// is part of what a frame takes.
const WINDOW: u32 = 16;
/// The first window of a level that is tried: one that is too fine is soon left.
const TRIAL: u32 = 4;
const LATE: f32 = 1.15;
const IN_TIME: f32 = 1.08;

/// Fewer pixels are only drawn where frames are this much later than those of a display of 60 Hz.
const LATE_FINE: f32 = 1.5;
const USUAL: f32 = 1.0 / 60.0;

/// Displays are taken to be no faster and no slower, in seconds.
const INTERVALS: [f32; 2] = [1.0 / 360.0, 1.0 / 24.0];

/// So many windows of quick frames in a row lead to finer ones: at first, and at most where finer ones turned out too slow
/// again and again. That takes frames, in which one sees motion falter.
const PATIENCE: [u32; 2] = [2, 64];

/// After motion the picture stays coarse for so long: a drag pauses often.
const CALM: Duration = Duration::from_millis(200);

/// What moved in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// The city was seen from elsewhere than in the frame before.
    Camera,
    /// Something in it, before a camera at rest: every pixel was drawn.
    Inside,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The finest of [`LEVELS`] for this device.
    finest: usize,
    /// That which suits motion.
    level: usize,
    /// Seconds between two frames of the display.
    interval: f32,
    /// When the last frame in motion was begun; none when every pixel is drawn since.
    last_motion: Option<Duration>,
    /// How many frames of the window there were, and the seconds that they took.
    seen: (u32, f32),
    /// Windows of quick frames in a row, and how many it takes.
    quick: u32,
    patience: u32,
    /// Whether the level is one that was tried and may be too fine.
    is_tried: bool,
}

impl Pace {
    /// For a device that averages `pictures` of a frame until it is known how fast it is, and no more where `is_slow`.
    pub(crate) fn new(pictures: u32, is_slow: bool) -> Pace {
        let fits = |level: &Detail| level.pictures <= pictures;
        let level = LEVELS.iter().position(fits).unwrap_or(SINGLE);
        Pace {
            finest: if is_slow { level } else { 0 },
            level,
            interval: USUAL,
            last_motion: None,
            seen: (0, 0.0),
            quick: 0,
            patience: PATIENCE[0],
            is_tried: false,
        }
    }

    /// The display shows so many frames in a thousand seconds; none where that is not known.
    pub(crate) fn set_display(&mut self, millihertz: Option<u32>) {
        let seconds = |millihertz: u32| 1e3 / millihertz.max(1) as f32;
        let [least, most] = INTERVALS;
        self.interval = millihertz.map_or(USUAL, seconds).clamp(least, most);
    }

    /// How finely the frame that begins `now` is drawn; `in_motion` when it shows the city from elsewhere than the
    /// frame before.
    pub(crate) fn begin_frame(&mut self, now: Duration, in_motion: bool) -> Detail {
        if in_motion {
            self.last_motion = Some(now);
        } else if self.rests_in(now).is_none_or(|rest| rest.is_zero()) {
            self.last_motion = None;
            return LEVELS[self.level.min(SINGLE)];
        }
        LEVELS[self.level]
    }

    /// The scale of the first frame after a key of the presenter, `is_veiled` where what was shown before lies over it;
    /// none where frames are quick.
    pub(crate) fn first(&self, is_veiled: bool) -> Option<f32> {
        let scale = if is_veiled { FIRST_VEILED } else { FIRST };
        (LEVELS[self.level].scale < 1.0).then_some(scale)
    }

    /// A frame took so many seconds, waiting for the display included; `own` of them went by before it was given to the
    /// device. Where that is most of a late one a coarser picture would not be there sooner.
    pub(crate) fn end_frame(&mut self, seconds: f32, own: f32, moved: Moved) {
        if seconds > LATE * self.interval && own > 0.5 * seconds {
            return;
        }
        // Of the levels that such frames are drawn with: where it is, and the coarsest.
        let (level, coarsest) = match moved {
            Moved::Camera => (self.level, LEVELS.len() - 1),
            Moved::Inside => (self.level.min(SINGLE), SINGLE),
        };
        self.seen = (self.seen.0 + 1, self.seen.1 + seconds);
        let is_late = seconds > TOO_SLOW;
        let is_trial = self.is_tried && self.quick == 0;
        if !is_late && self.seen.0 < if is_trial { TRIAL } else { WINDOW } {
            return;
        }
        let taken = self.seen.1 / self.seen.0 as f32;
        self.seen = (0, 0.0);
        // What would be changed: how many pictures, or how many pixels.
        let late = |level: usize| match level {
            ..SINGLE => LATE * self.interval,
            _ => LATE_FINE * self.interval.max(USUAL),
        };
        let in_time = |level: usize| match level {
            ..=SINGLE => IN_TIME * self.interval,
            _ => IN_TIME * self.interval.max(USUAL),
        };
        if is_late || taken > late(level) {
            self.quick = 0;
            if level < coarsest {
                self.level = self.level.max(level + 1);
                if self.is_tried {
                    self.patience = (2 * self.patience).min(PATIENCE[1]);
                }
                self.is_tried = false;
            }
            return;
        }
        if moved == Moved::Inside {
            // Pictures that take turns are as good as several of a frame.
            return;
        }
        self.quick = if taken < in_time(level) {
            self.quick + 1
        } else {
            0
        };
        if self.quick >= self.patience {
            self.quick = 0;
            // A level that was kept for so long is not too fine.
            self.is_tried = level > self.finest;
            self.level = level.saturating_sub(1).max(self.finest);
        }
    }

    /// How long until the picture is to be drawn in full; none when it is already.
    pub(crate) fn rests_in(&self, now: Duration) -> Option<Duration> {
        let is_coarse = LEVELS[self.level].scale < 1.0;
        let last = self.last_motion.filter(|_| is_coarse)?;
        Some(CALM.saturating_sub(now.saturating_sub(last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames that each take so many milliseconds, the last as it is drawn.
    fn moved(pace: &mut Pace, start: u64, frames: u64, taken: u64) -> Detail {
        let mut drawn = LEVELS[0];
        for frame in 0..frames {
            let now = Duration::from_millis(start + frame * taken);
            drawn = pace.begin_frame(now, true);
            pace.end_frame(taken as f32 * 1e-3, 0.0, Moved::Camera);
        }
        drawn
    }

    #[test]
    fn slow_frames_get_coarser_in_motion_and_fine_at_rest() {
        let mut pace = Pace::new(1, true);
        assert_eq!(pace.first(false), None);
        assert_eq!(moved(&mut pace, 0, 3, 180), LEVELS[4]);
        assert!(pace.first(true) < pace.first(false) && pace.first(false) < Some(0.5));
        let end = Duration::from_millis(2 * 180);
        assert!(pace.rests_in(end).is_some());
        let soon = end + Duration::from_millis(50);
        assert_eq!(pace.begin_frame(soon, false), LEVELS[4]);
        assert_eq!(pace.begin_frame(end + CALM, false), LEVELS[SINGLE]);
        assert_eq!(pace.rests_in(end + CALM), None);
        // It remembers for the next motion, and recovers when frames are quick.
        assert_eq!(pace.begin_frame(end + CALM * 2, true), LEVELS[4]);
        assert_eq!(moved(&mut pace, 4000, 70, 8), LEVELS[SINGLE]);
    }

    #[test]
    fn quick_frames_are_always_fine() {
        let mut pace = Pace::new(4, false);
        for (rate, taken) in [(Some(60_000), 16), (Some(120_000), 8), (None, 17)] {
            pace.set_display(rate);
            assert_eq!(moved(&mut pace, 0, 500, taken), LEVELS[0]);
        }
        assert_eq!(pace.rests_in(Duration::from_secs(9)), None);
    }

    /// What a device that takes `picture` seconds for one picture and all its pixels needs for a frame, when it waits for
    /// a display of so many frames a second.
    fn taken(drawn: Detail, picture: f32, hertz: f32) -> f32 {
        let work = drawn.pictures as f32 * drawn.scale * drawn.scale * picture;
        (work * hertz).ceil().max(1.0) / hertz
    }

    /// How many of so many frames are late, and the level at their end.
    fn late(pace: &mut Pace, frames: u64, picture: f32, hertz: f32, moves: Moved) -> (u64, usize) {
        let mut late = 0;
        let in_motion = moves == Moved::Camera;
        for frame in 0..frames {
            // The camera has long come to rest where nothing but the city moves.
            let drawn = pace.begin_frame(Duration::from_secs(1 + frame), in_motion);
            let taken = taken(drawn, picture, hertz);
            late += u64::from(taken > 1.01 / hertz);
            pace.end_frame(taken, 0.0, moves);
        }
        (late, pace.level)
    }

    /// Whatever the device and the display: the display's rate is soon held, as finely as can be, and tries to be finer
    /// do not make the motion falter.
    #[test]
    fn every_device_soon_holds_the_rate_of_the_display() {
        for hertz in [60.0, 75.0, 144.0_f32] {
            for part in 1..40 {
                let picture = part as f32 * 0.1 / hertz;
                for (begin, moves) in [1, 2, 4]
                    .into_iter()
                    .flat_map(|begin| [(begin, Moved::Camera), (begin, Moved::Inside)])
                {
                    let mut pace = Pace::new(begin, false);
                    // At rest what suited motion is kept.
                    let [coarsest, kept] = match moves {
                        Moved::Camera => [4, 0],
                        Moved::Inside => [SINGLE, pace.level],
                    };
                    pace.set_display(Some((hertz * 1e3) as u32));
                    late(&mut pace, 4_000, picture, hertz, moves);
                    let (late, level) = late(&mut pace, 10_000, picture, hertz, moves);
                    let is_held =
                        |level: &usize| taken(LEVELS[*level], picture, hertz) <= 1.01 / hertz;
                    let best = (0..=coarsest).find(is_held);
                    let of = format!("{hertz} Hz, {part} tenths, {begin}, {moves:?}");
                    match best {
                        // A try now and then.
                        Some(best) if best <= SINGLE => {
                            assert!(late < 10_000 / 200, "{of}: {late} late");
                            let is_fine = level + 1 >= best && level <= best.max(kept);
                            assert!(is_fine, "{of}: {level}, {best}");
                        }
                        // Fewer pixels only where frames are much later than usual ones.
                        _ => assert!(level + 1 >= SINGLE, "{of}: {level}"),
                    }
                }
            }
        }
    }

    #[test]
    fn what_panels_take_does_not_make_the_landscape_coarser() {
        let mut pace = Pace::new(4, false);
        for _ in 0..100 {
            pace.end_frame(0.1, 0.08, Moved::Camera);
        }
        assert_eq!(pace.level, 0);
        pace.end_frame(0.1, 0.02, Moved::Camera);
        assert_eq!(pace.level, 1);
    }

    #[test]
    fn one_slow_frame_does_no_lasting_harm() {
        let mut pace = Pace::new(4, false);
        moved(&mut pace, 0, 100, 16);
        pace.end_frame(0.3, 0.0, Moved::Camera);
        assert_eq!(pace.level, 1);
        assert_eq!(moved(&mut pace, 3000, 40, 16), LEVELS[0]);
        // Nor does one while the camera rests make the picture coarser.
        pace.end_frame(0.3, 0.0, Moved::Inside);
        pace.end_frame(0.3, 0.0, Moved::Inside);
        pace.end_frame(0.3, 0.0, Moved::Inside);
        assert_eq!(pace.level, SINGLE);
    }
}
