//! The camera follows what runs: to which district, and how often it moves on.

use std::time::Duration;

use super::document::Document;
use super::made::Made;
use callscape_base::units::ModuleId;
use callscape_layout::geometry::CITY_SIZE;

/// The camera stays this long where it went, however quickly the activity moves on: it is to be watched.
const REST: Duration = Duration::from_millis(1_200);

/// What it goes to is at least this large: its surroundings can be recognised.
const LEAST_SIDE: f32 = 0.2 * CITY_SIZE;

/// Where the camera went last, and when.
#[derive(Debug, Default)]
pub struct Following {
    pub is_on: bool,
    last: Option<(Made<ModuleId>, Duration)>,
}

impl Following {
    /// The district to fly to now: the one around the innermost open function, where that has changed
    /// and the camera has rested.
    pub fn next(&mut self, document: &Document, now: Duration) -> Option<ModuleId> {
        let is_playing = document.playback.as_ref().is_some_and(|it| it.is_playing());
        if !(self.is_on && is_playing) {
            return None;
        }
        if self
            .last
            .is_some_and(|(_, at)| now.saturating_sub(at) < REST)
        {
            return None;
        }
        let district = district(document)?;
        let district_now = Made::new(document.generation(), district);
        if self.last.is_some_and(|(before, _)| before == district_now) {
            return None;
        }
        self.last = Some((district_now, now));
        Some(district)
    }

    pub fn toggle(&mut self) {
        self.is_on ^= true;
        self.last = None;
    }
}

/// The smallest module around what runs innermost that is large enough to fly to. O(log n + depth).
fn district(document: &Document) -> Option<ModuleId> {
    let thread = document.stepping_thread()?;
    let trace = &document.resolved()?.recording.trace;
    let mut stack = Vec::new();
    trace.stack_at(thread, document.selection.time, &mut stack);
    let innermost = trace.call(thread, *stack.last()?).function;
    let module = document.module_of(innermost)?;
    let hierarchy = &document.session.hierarchy;
    let large = |module: &ModuleId| {
        document
            .bounds_of(*module)
            .is_some_and(|bounds| (bounds.max - bounds.min).truncate().max_element() >= LEAST_SIDE)
    };
    hierarchy.ancestors(module).find(large)
}

#[cfg(test)]
mod tests {
    use super::super::ask::{CameraAsk, PlayAsk};
    use super::super::playback::Clock;
    use super::super::testing::{micros, open, tiny};
    use super::*;

    #[test]
    fn the_camera_follows_what_runs_and_rests_between() {
        let mut state = tiny();
        let at = Duration::from_millis;
        state.execute(PlayAsk::SetClock(Clock::Wall));
        state.execute(PlayAsk::Seek(micros(1)));
        state.execute(PlayAsk::PlayOrPause);
        let mut following = std::mem::take(&mut state.moving.following);
        let next = |following: &mut Following, state: &mut crate::State, time, now| {
            let document = state.document.as_mut().expect("a recording");
            document.selection.change(|it| it.time = micros(time));
            following.next(document, at(now))
        };
        assert_eq!(next(&mut following, &mut state, 1, 0), None, "it is off");
        following.toggle();
        let first = next(&mut following, &mut state, 1, 0).expect("a district");
        assert_eq!(
            next(&mut following, &mut state, 2, 5_000),
            None,
            "it is there"
        );
        let second = next(&mut following, &mut state, 35, 5_000).expect("another district");
        assert_ne!(first, second);
        assert_eq!(
            next(&mut following, &mut state, 99, 5_100),
            None,
            "it rests"
        );
        assert_eq!(next(&mut following, &mut state, 99, 9_000), Some(first));
        following.toggle();
        following.toggle();
        assert_eq!(
            next(&mut following, &mut state, 99, 9_000),
            Some(first),
            "begun anew"
        );
        state.execute(PlayAsk::PlayOrPause);
        assert_eq!(
            next(&mut following, &mut state, 35, 20_000),
            None,
            "it is paused"
        );
        state.execute(CameraAsk::ToggleFollowing);
        assert!(state.moving.following.is_on && open(&state).playback.is_some());
    }
}
