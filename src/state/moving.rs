//! Where the landscape is looked at from: the camera, what it flies to and what it follows, and the pointer over it.

use std::time::Duration;

use glam::{Vec2, Vec3};

use super::ask::CameraAsk;
use super::camera::past::PastViews;
use super::camera::{CameraControl, Preset, home};
use super::destination::{Destination, Goal};
use super::document::Document;
use super::following::Following;
use super::frame_time::FrameTime;
use super::made::{Generation, Made};
use super::pointer::Pointer;
use super::viewport::Viewport;
use callscape_layout::labels::Covered;
use callscape_look::pose::{Bounds, FreeArea, Pose};

/// The height from which one looks down for what stands at a place.
const SKY: f32 = 20_000.0;

/// All of the city counts as in sight when the camera is this share of the way off that shows it.
const SHOWS_ALL: f32 = 0.7;

/// What moves the camera, and where the landscape is that it looks at.
pub struct Moving {
    pub camera: CameraControl,
    pub following: Following,
    pub pointer: Pointer,
    pub viewport: Viewport,
    /// What lies over the window where landscapes are, in physical pixels.
    pub covered: Covered,
    /// Where to look from once the landscape has its place.
    pub pose_to_restore: Option<Pose>,
    pub time: FrameTime,
    /// Past places to look from.
    past_views: PastViews,
    /// Where the camera is to fly as soon as the free area is known: what asked for the flight may have
    /// opened or closed a panel.
    flight: Option<Made<Destination>>,
    /// From where an action has the camera fly, for the step that it makes.
    flies_from: Option<Goal>,
    /// The camera is to show everything as soon as the free area is known.
    home_pending: bool,
    /// The last view of everything: kept when the window changes its size.
    home: Option<Pose>,
    frames_to_fit: u8,
}

impl Default for Moving {
    fn default() -> Moving {
        let nothing = Bounds {
            min: Vec3::ZERO,
            max: Vec3::ONE,
        };
        Moving {
            camera: CameraControl::new(nothing, 1.0, FreeArea::WINDOW),
            following: Following::default(),
            pointer: Pointer::default(),
            viewport: Viewport::default(),
            covered: Covered::default(),
            pose_to_restore: None,
            time: FrameTime::default(),
            past_views: PastViews::default(),
            flight: None,
            flies_from: None,
            home_pending: false,
            home: None,
            frames_to_fit: 0,
        }
    }
}

impl Moving {
    /// Does what is asked of the camera over `seen`, the document whose landscape can be seen. What the user looks at by
    /// hand leaves the path that follows what runs.
    pub(super) fn on(&mut self, ask: CameraAsk, seen: Option<&Document>) {
        match (ask, seen) {
            (CameraAsk::ToggleFollowing, _) => self.following.toggle(),
            (CameraAsk::OrbitOrFly, _) => self.camera.toggle_mode(),
            (CameraAsk::LookFrom(preset), Some(document)) => {
                self.following.is_on = false;
                self.leaves_for_elsewhere(document.generation());
                self.look_from(preset, document);
            }
            (CameraAsk::LookAt(ground, at_once), Some(_)) => {
                self.following.is_on = false;
                self.camera.look_at(ground, at_once);
            }
            (CameraAsk::PastView, Some(document)) => {
                let past = self.past_views.back(self.aim());
                self.fly_to_past(past, document.generation());
            }
            (CameraAsk::NextView, Some(document)) => {
                let next = self.past_views.forward(self.aim());
                self.fly_to_past(next, document.generation());
            }
            // There is nothing to see, or the state finds out first where to fly.
            (CameraAsk::LookFrom(_) | CameraAsk::LookAt(..), None)
            | (CameraAsk::PastView | CameraAsk::NextView, None)
            | (CameraAsk::FlyTo(_) | CameraAsk::FlyIfSeen(_), _)
            | (CameraAsk::FlyToSelection | CameraAsk::FlyHome, _) => {}
        }
    }

    fn fly_to_past(&mut self, pose: Option<Pose>, shown: Generation) {
        self.following.is_on = false;
        if let Some(pose) = pose {
            self.leaves_for_elsewhere(shown);
            self.camera.fly_to_pose(pose);
        }
    }

    fn look_from(&mut self, preset: Preset, document: &Document) {
        let (aspect, free) = (self.viewport.aspect(), self.viewport.free);
        let home = home(&document.bounds(), aspect, free);
        let now = self.aim();
        let is_far = now.distance / now.lens() > SHOWS_ALL * home.distance;
        self.camera
            .fly_to_preset(preset, is_far.then_some((aspect, free)));
    }

    /// The pose that the camera is at, or on its way to.
    fn aim(&self) -> Pose {
        self.camera.destination().unwrap_or(self.camera.pose())
    }

    /// Where the camera is, or on its way to.
    pub(super) fn goal(&self, shown: Option<Generation>) -> Goal {
        let flight = self.flight.zip(shown);
        match flight.and_then(|(flight, shown)| flight.into(shown)) {
            Some(destination) => Goal::To(destination),
            None => Goal::Pose(self.aim()),
        }
    }

    /// An action is about to have the camera fly somewhere.
    pub(super) fn leaves_for_elsewhere(&mut self, shown: Generation) {
        let goal = self.goal(Some(shown));
        self.flies_from.get_or_insert(goal);
    }

    /// From where actions have had the camera fly since this was asked last.
    pub(super) fn take_flies_from(&mut self) -> Option<Goal> {
        self.flies_from.take()
    }

    /// Flies as soon as it is known where that is, in the document shown.
    pub(super) fn fly(&mut self, to: Destination, shown: Generation) {
        self.leaves_for_elsewhere(shown);
        self.flight = Some(Made::new(shown, to));
    }

    /// Flies to a pose instead of wherever it was to fly.
    pub(super) fn fly_to_pose(&mut self, pose: Pose) {
        self.flight = None;
        self.camera.fly_to_pose(pose);
    }

    /// Other inputs are open: the camera shows all of them as soon as it is known where.
    pub(super) fn begin(&mut self) {
        self.home_pending = true;
    }

    /// The landscape has a place of its own, which panels may have changed.
    pub(super) fn place(&mut self, viewport: Viewport, document: Option<&Document>) {
        let resized = viewport.size != self.viewport.size;
        self.viewport = viewport;
        let Some(document) = document else {
            return;
        };
        // The panels take a frame or two to find their places in a window of another size.
        self.frames_to_fit = if resized || self.home_pending {
            3
        } else {
            self.frames_to_fit.saturating_sub(1)
        };
        let (aspect, free) = (viewport.aspect(), viewport.free);
        let stays_home = self.frames_to_fit > 0 && self.home == Some(self.camera.pose());
        if self.home_pending || stays_home {
            self.camera = CameraControl::new(document.bounds(), aspect, free);
            self.home = Some(self.camera.pose());
            if std::mem::take(&mut self.home_pending) {
                self.past_views = PastViews::default();
            }
            if let Some(pose) = self.pose_to_restore.take() {
                self.camera.look_from(pose);
            }
        }
        let flight = self.flight.take();
        match flight.and_then(|it| it.into(document.generation())) {
            Some(Destination::Home) => {
                self.camera.fly_home(aspect, free);
                self.home = self.camera.destination();
            }
            Some(Destination::Module(module)) => {
                if let Some((min, max)) = document.city.standing(module) {
                    let bounds = Bounds { min, max };
                    self.camera.fly_to(&bounds, aspect, free);
                }
            }
            None => {}
        }
    }

    /// The landscape is not to be seen: nothing waits for its place.
    pub(super) fn hide(&mut self) {
        self.frames_to_fit = 0;
        self.flight = None;
    }

    /// Whether the camera moves, or is about to.
    pub(super) fn is_moving(&self) -> bool {
        self.camera.is_moving() || self.flight.is_some() || self.frames_to_fit > 0
    }

    /// Moves the camera on, over what stands below it, and remembers where it rests.
    pub(super) fn advance(&mut self, seconds: f32, now: Duration, document: Option<&Document>) {
        self.camera.advance(seconds);
        let Some(document) = document else {
            return;
        };
        self.camera.keep_clear(seconds, |at: Vec2| {
            let hit = document.city.pick(at.extend(SKY), Vec3::NEG_Z);
            hit.map_or(0.0, |(_, point)| point.z)
        });
        let is_still = !self.camera.is_moving() && !self.pointer.is_pressed();
        self.past_views.note(self.camera.pose(), is_still, now);
    }

    /// Flies on to the district where something runs, while that is followed.
    pub(super) fn follow(&mut self, document: &Document, now: Duration) {
        if let Some(module) = self.following.next(document, now) {
            let to = Destination::Module(module);
            self.flight = Some(Made::new(document.generation(), to));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::super::ask::{SelectAsk, ViewAsk};
    use super::super::testing::{CALLS, CITY, STACKS, frame_at, module, open, tiny};
    use super::*;
    use crate::state::State;
    use callscape_look::pose::FreeArea;

    fn framed(mut state: State) -> State {
        let viewport = Viewport {
            origin: Vec2::ZERO,
            size: Vec2::new(800.0, 600.0),
            scale: 1.0,
            free: FreeArea::WINDOW,
        };
        for _ in 0..5 {
            state.set_viewport(viewport);
        }
        state
    }

    /// Lets the camera arrive.
    fn arrive(state: &mut State) {
        let from = state.now().as_millis() as u64;
        for frame in 1..120 {
            let viewport = state.moving.viewport;
            state.set_viewport(viewport);
            frame_at(state, from + 50 * frame);
        }
        assert_eq!(state.moving.camera.destination(), None);
    }

    #[test]
    fn the_camera_flies_to_what_is_chosen_and_home_again() {
        let mut state = framed(tiny());
        let home = state.moving.camera.pose();
        let step = module(&state, "step");
        state.execute(SelectAsk::Select(Some(step)));
        state.execute(CameraAsk::FlyToSelection);
        arrive(&mut state);
        assert!(state.moving.camera.pose().distance < home.distance);
        state.execute(CameraAsk::FlyHome);
        arrive(&mut state);
        let back = state.moving.camera.pose();
        assert!(
            (back.distance / home.distance - 1.0).abs() < 1e-3,
            "{back:?} {home:?}"
        );
    }

    #[test]
    fn home_is_all_of_time_over_a_view_along_time() {
        let mut state = framed(tiny());
        state.panes.under_pointer = Some((STACKS, Vec2::ZERO));
        state.execute(CameraAsk::FlyHome);
        assert_eq!(state.errands.view_asks, [(Some(STACKS), ViewAsk::ShowAll)]);
        state.panes.under_pointer = Some((CALLS, Vec2::ZERO));
        state.execute(CameraAsk::FlyHome);
        assert_eq!(
            state.errands.view_asks.len(),
            1,
            "a table has no such thing"
        );
    }

    #[test]
    fn presets_turn_the_camera_and_past_views_lead_back() {
        let mut state = framed(tiny());
        let home = state.moving.camera.pose();
        arrive(&mut state);
        state.moving.following.is_on = true;
        state.execute(CameraAsk::LookFrom(Preset::Top));
        assert!(
            !state.moving.following.is_on,
            "the user looks somewhere else"
        );
        arrive(&mut state);
        let top = state.moving.camera.pose();
        assert!(top.pitch > home.pitch + 0.3, "{top:?}");
        state.execute(CameraAsk::PastView);
        arrive(&mut state);
        assert!((state.moving.camera.pose().pitch - home.pitch).abs() < 0.01);
        state.execute(CameraAsk::NextView);
        arrive(&mut state);
        assert!((state.moving.camera.pose().pitch - top.pitch).abs() < 0.01);
    }

    #[test]
    fn a_place_of_the_map_comes_to_the_middle() {
        let mut state = framed(tiny());
        let center = open(&state).bounds().center().truncate();
        let place = center.extend(state.moving.camera.pose().target.z);
        let beside = |state: &State| {
            let pose = state.moving.camera.pose();
            (place - pose.eye()).cross(pose.forward()).length()
        };
        assert!(beside(&state) > 5.0);
        state.execute(CameraAsk::LookAt(center, true));
        assert!(beside(&state) < 1.0);
        // Not where it cannot be seen.
        state.panes.maximised = Some(STACKS);
        state.execute(CameraAsk::LookAt(center + 100.0, true));
        assert!(beside(&state) < 1.0);
    }

    #[test]
    fn switches_of_the_camera() {
        let mut state = framed(tiny());
        state.execute(CameraAsk::ToggleFollowing);
        assert!(state.moving.following.is_on);
        let mode = state.moving.camera.mode();
        state.execute(CameraAsk::OrbitOrFly);
        assert_ne!(state.moving.camera.mode(), mode);
        let step = module(&state, "step");
        state.panes.maximised = Some(STACKS);
        state.execute(CameraAsk::FlyIfSeen(step));
        assert!(!state.panes.is_visible(CITY), "it stays closed");
        state.execute(CameraAsk::FlyTo(step));
        assert!(state.panes.is_visible(CITY));
    }
}
