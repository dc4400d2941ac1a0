//! When what happens: how long each shot takes, and what plays in it.

use super::place::{Step, of_shot};
use super::scene::{Clock, Easing, Scene, Shot, TimeText};
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_state::State;

/// Words a second that people read beside looking at a picture.
const WORDS_A_SECOND: f64 = 2.5;
/// Seconds to find the words and come back from them.
const READING: f64 = 1.2;
/// A camera's way, and each station of it.
const WAY_SECONDS: f64 = 3.0;
const STATION_SECONDS: f64 = 2.0;
/// Radians need time too: degrees a second.
const TURN_SPEED: f64 = 24.0;
/// What plays without being told how fast.
const PLAY_SECONDS: f64 = 10.0;
/// What eases: expanding, other colours, another layout.
const CHANGE_SECONDS: f64 = 1.2;

/// The part of the recording that a shot plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    pub from: Time,
    pub to: Time,
    pub clock: Clock,
}

/// A shot in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// Seconds since the scene's start.
    pub start: f64,
    /// Seconds.
    pub length: f64,
    pub played: Option<Played>,
    /// The time of the recording that is shown when the shot is over; none without one that was set.
    pub after: Option<Time>,
}

/// Something that the inputs do not have: the rest is shown.
pub type Problem = (Vec<Step>, String);

/// All shots of a scene in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    pub shots: Vec<Timed>,
}

impl Timeline {
    /// For a recording that lasts `duration`, none without one that plays. Also what does not fit to it. O(shots).
    pub fn new(scene: &Scene, duration: Option<Cost>) -> (Timeline, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut shots = Vec::with_capacity(scene.shots.len());
        let (mut start, mut now) = (0.0, None);
        for (number, shot) in scene.shots.iter().enumerate() {
            let mut at = |field: &[&str], time: &TimeText| -> Option<Time> {
                let problem = match duration {
                    None => "no open recording can be played".to_owned(),
                    Some(duration) => {
                        let end = Time::ZERO + duration;
                        let time = time.0.resolve(duration);
                        if time <= end {
                            return Some(time);
                        }
                        problems.push((
                            of_shot(number, field),
                            format!(
                                "{time} is past the end of the recording, which lasts {duration}"
                            ),
                        ));
                        return Some(end);
                    }
                };
                problems.push((of_shot(number, field), problem));
                None
            };
            if let Some(time) = &shot.at {
                now = at(&["at"], time).or(now);
            }
            for (index, time) in shot.range.iter().flatten().enumerate() {
                at(&["range", &index.to_string()], time);
            }
            let mut played = None;
            if let Some(play) = &shot.play {
                let from = match &play.from {
                    Some(from) => at(&["play", "from"], from),
                    None => duration.map(|_| now.unwrap_or(Time::ZERO)),
                };
                let to = match &play.to {
                    Some(to) => at(&["play", "to"], to),
                    None => duration.map(|duration| Time::ZERO + duration),
                };
                played = from.zip(to).map(|(from, to)| Played {
                    from,
                    to,
                    clock: play.clock,
                });
                if played.is_none() && play.from.is_none() && play.to.is_none() {
                    let problem = "no open recording can be played".to_owned();
                    problems.push((of_shot(number, &["play"]), problem));
                }
            }
            // A speed and a length say where it ends.
            if let (Some(of), Some(speed), Some(seconds)) = (
                &mut played,
                shot.play.as_ref().and_then(|play| play.speed),
                shot.seconds,
            ) && let Some(duration) = duration
            {
                let passed = speed.0.resolve(duration).ns() as f64 * seconds;
                let passed = Cost::from_ns(passed as u64);
                if shot.play.as_ref().is_some_and(|play| play.to.is_none()) {
                    of.to = (of.from + passed).min(of.to);
                } else {
                    of.from = of.to - passed;
                }
            }
            let length = length(shot, played, duration);
            now = played.map(|of| of.to).or(now);
            shots.push(Timed {
                start,
                length,
                played,
                after: now,
            });
            start += length;
        }
        (Timeline { shots }, problems)
    }

    /// Seconds that all takes.
    pub fn total(&self) -> f64 {
        self.shots
            .last()
            .map_or(0.0, |last| last.start + last.length)
    }

    /// The shot at a moment, and the share of it that is over, 0 to 1. O(log shots). None without shots.
    pub fn at(&self, seconds: f64) -> Option<(usize, f64)> {
        let next = self.shots.partition_point(|shot| shot.start <= seconds);
        let number = next.checked_sub(1).or(Some(0))?;
        let shot = self.shots.get(number)?;
        Some((number, shot.share(seconds - shot.start)))
    }
}

impl Timed {
    /// What share of the shot is over after so many seconds of it.
    pub fn share(&self, seconds: f64) -> f64 {
        if self.length <= 0.0 {
            return 1.0;
        }
        (seconds / self.length).clamp(0.0, 1.0)
    }
}

impl Played {
    /// The time of the recording at a share of the shot by the wall clock.
    pub fn at(&self, share: f64) -> Time {
        let between = |from: u64, to: u64| from + ((to - from) as f64 * share) as u64;
        let (from, to) = (self.from.ns(), self.to.ns());
        Time::from_ns(if from <= to {
            between(from, to)
        } else {
            to + (from - between(0, from - to) - to)
        })
    }

    /// The earlier and the later end.
    pub fn range(&self) -> TimeRange {
        TimeRange::new(self.from.min(self.to), self.from.max(self.to))
    }
}

fn reading(words: &str) -> f64 {
    READING + words.split_whitespace().count() as f64 / WORDS_A_SECOND
}

fn length(shot: &Shot, played: Option<Played>, duration: Option<Cost>) -> f64 {
    if let Some(seconds) = shot.seconds {
        return seconds;
    }
    let mut length: f64 = 0.0;
    if let Some(go) = &shot.camera
        && go.easing != Easing::Cut
    {
        let turn = f64::from(go.turn.unwrap_or(0.0)).abs() / TURN_SPEED;
        let way = WAY_SECONDS + STATION_SECONDS * go.through.len() as f64;
        let goes = go.to.is_some() || go.module.is_some() || go.at.is_some();
        let goes = goes || !go.through.is_empty() || go.yaw.is_some() || go.zoom.is_some();
        length = length.max(turn).max(if goes { way } else { 0.0 });
    }
    if let Some(played) = played {
        let speed = shot.play.as_ref().and_then(|play| play.speed).zip(duration);
        let seconds = match speed {
            Some((speed, duration)) => {
                let speed = speed.0.resolve(duration).ns().max(1) as f64;
                played.range().length().ns() as f64 / speed
            }
            None => PLAY_SECONDS,
        };
        length = length.max(seconds.min(super::check::MAX_SECONDS));
    }
    for words in shot.caption.iter().chain(&shot.title) {
        length = length.max(reading(&format!("{} {}", words.text, words.below)));
    }
    if shot.bookmark.is_some() || shot.divider.len() > 1 {
        length = length.max(WAY_SECONDS);
    }
    let changes = !shot.expand.is_empty()
        || !shot.collapse.is_empty()
        || shot.level.is_some()
        || shot.look.is_some()
        || shot.compare.is_some()
        || shot.run.is_some()
        || shot.select.is_some()
        || shot.summary.is_some()
        || !shot.show.is_empty()
        || !shot.hide.is_empty();
    if changes {
        length = length.max(CHANGE_SECONDS);
    }
    length
}

/// The time at a share of what is played, counted in events.
pub(crate) fn by_events(state: &State, played: &Played, share: f64) -> Time {
    let document = state.document.as_ref();
    let place = document
        .and_then(|it| it.runs.as_ref())
        .map_or(0, |it| it.places()[0]);
    let Some(resolved) = document.and_then(|it| it.session.recordings.get(place)) else {
        return played.at(share);
    };
    let all = resolved.recording.all_events();
    let [from, to] = [played.from, played.to].map(|time| all.until(time) as f64);
    let number = (from + (to - from) * share).round() as u64;
    let time = number.checked_sub(1).and_then(|number| all.time(number));
    let range = played.range();
    time.map_or(range.start, |time| time.clamp(range.start, range.end))
}
