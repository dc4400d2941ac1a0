//! Where the camera looks from by asking: presets, places on the map, past views; and what it keeps clear of.

use std::time::Duration;

use glam::Vec3;

use super::ask::CameraAsk;
use super::ask::ViewAsk;
use super::camera::{self, Preset};
use super::panes::Kind;
use super::{Destination, State};
use callscape_base::units::ModuleId;
use callscape_look::pose::Pose;

/// The height from which one looks down for what stands at a place.
const SKY: f32 = 20_000.0;

/// The smallest and the largest letters and lines, times the usual size.
const TEXT_SCALES: [f32; 2] = [0.5, 4.0];

/// All of the city counts as in sight when the camera is this share of the way off that shows it.
const SHOWS_ALL: f32 = 0.7;

impl State {
    pub fn look(&mut self, ask: CameraAsk) {
        match ask {
            CameraAsk::ToggleFollowing => self.following.toggle(),
            CameraAsk::OrbitOrFly => self.camera.toggle_mode(),
            CameraAsk::FlyTo(module) => self.fly_there(module),
            CameraAsk::FlyIfSeen(module) => self.fly(Destination::Module(module)),
            CameraAsk::FlyToSelection => {
                let selection = self.document.as_ref().map(|open| &open.selection);
                if let Some(module) =
                    selection.and_then(|it| it.chosen.module.or(it.pointed.module))
                {
                    self.fly_there(module);
                }
            }
            CameraAsk::FlyHome => {
                let kinds = [Kind::AlongTime, Kind::Chart, Kind::Graph];
                match kinds.iter().find_map(|&it| self.panes.under_pointer(it)) {
                    Some(view) => self.ask_views(Some(view), ViewAsk::ShowAll),
                    None => self.fly(Destination::Home),
                }
            }
            CameraAsk::LookFrom(preset) => self.leave_path(|state, _| {
                state.leaves_for_elsewhere();
                state.look_from(preset);
            }),
            CameraAsk::LookAt(ground, at_once) => {
                self.leave_path(|state, _| state.camera.look_at(ground, at_once));
            }
            CameraAsk::PastView => self.leave_path(|state, now| {
                if let Some(pose) = state.past_views.back(now) {
                    state.leaves_for_elsewhere();
                    state.camera.fly_to_pose(pose);
                }
            }),
            CameraAsk::NextView => self.leave_path(|state, now| {
                if let Some(pose) = state.past_views.forward(now) {
                    state.leaves_for_elsewhere();
                    state.camera.fly_to_pose(pose);
                }
            }),
        }
    }

    /// Moves the camera off the path that follows what runs, where the landscape is to be seen. `change` gets the
    /// pose that it is at, or on its way to.
    fn leave_path(&mut self, change: impl FnOnce(&mut State, Pose)) {
        if !self.panes.is_main_visible() || self.document.is_none() {
            return;
        }
        self.following.is_on = false;
        let now = self.camera.destination().unwrap_or(self.camera.pose());
        change(self, now);
    }

    /// Makes letters and lines this many times as large as they are; for 0 as large as usual.
    pub fn scale_text(&mut self, by: f32) {
        let scale = if by == 0.0 { 1.0 } else { self.text_scale * by };
        // Steps up and down meet where they began.
        let scale = (scale * 100.0).round() / 100.0;
        self.text_scale = scale.clamp(TEXT_SCALES[0], TEXT_SCALES[1]);
        self.stamps.names += 1;
    }

    fn look_from(&mut self, preset: Preset) {
        let Some(document) = &self.document else {
            return;
        };
        let (aspect, free) = (self.viewport.aspect(), self.viewport.free);
        let home = camera::home(&document.bounds(), aspect, free);
        let now = self.camera.destination().unwrap_or(self.camera.pose());
        let is_far = now.distance / now.lens() > SHOWS_ALL * home.distance;
        self.camera
            .fly_to_preset(preset, is_far.then_some((aspect, free)));
    }

    /// Keeps the camera over what stands below it, and remembers where it rests.
    pub fn keep_camera_clear(&mut self, seconds: f32, now: Duration) {
        let Some(document) = &self.document else {
            return;
        };
        let landscape = &document.city;
        self.camera.keep_clear(seconds, |at| {
            let hit = landscape.pick(at.extend(SKY), Vec3::NEG_Z);
            hit.map_or(0.0, |(_, point)| point.z)
        });
        let is_still = !self.camera.is_moving() && !self.pointer.is_pressed();
        self.past_views.note(self.camera.pose(), is_still, now);
    }

    /// The module that fills the landscape: nothing else is to be seen, but for the rim.
    pub fn filling(&self) -> Option<ModuleId> {
        let document = self.document.as_ref();
        let document = document.filter(|_| self.panes.is_main_visible());
        document?.city.filling()
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::super::ask::SelectAsk;
    use super::super::testing::{CALLS, CITY, STACKS, frame_at, module, nothing_open, open, tiny};
    use super::*;
    use crate::Viewport;
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
            let viewport = state.viewport;
            state.set_viewport(viewport);
            frame_at(state, from + 50 * frame);
        }
        assert_eq!(state.camera.destination(), None);
    }

    #[test]
    fn letters_grow_and_shrink_within_bounds() {
        let mut state = nothing_open();
        for by in [1.1, 1.1, 1.1, 1.0 / 1.1, 1.0 / 1.1, 1.0 / 1.1] {
            state.scale_text(by);
        }
        assert_eq!(state.text_scale, 1.0, "steps meet where they began");
        state.scale_text(100.0);
        assert_eq!(state.text_scale, TEXT_SCALES[1]);
        state.scale_text(0.0);
        assert_eq!(state.text_scale, 1.0);
        state.scale_text(0.001);
        assert_eq!(state.text_scale, TEXT_SCALES[0]);
    }

    #[test]
    fn the_camera_flies_to_what_is_chosen_and_home_again() {
        let mut state = framed(tiny());
        let home = state.camera.pose();
        let step = module(&state, "step");
        state.execute(SelectAsk::Select(Some(step)));
        state.execute(CameraAsk::FlyToSelection);
        arrive(&mut state);
        assert!(state.camera.pose().distance < home.distance);
        state.execute(CameraAsk::FlyHome);
        arrive(&mut state);
        let back = state.camera.pose();
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
        assert_eq!(state.view_asks, [(Some(STACKS), ViewAsk::ShowAll)]);
        state.panes.under_pointer = Some((CALLS, Vec2::ZERO));
        state.execute(CameraAsk::FlyHome);
        assert_eq!(state.view_asks.len(), 1, "a table has no such thing");
    }

    #[test]
    fn presets_turn_the_camera_and_past_views_lead_back() {
        let mut state = framed(tiny());
        let home = state.camera.pose();
        arrive(&mut state);
        state.following.is_on = true;
        state.execute(CameraAsk::LookFrom(Preset::Top));
        assert!(!state.following.is_on, "the user looks somewhere else");
        arrive(&mut state);
        let top = state.camera.pose();
        assert!(top.pitch > home.pitch + 0.3, "{top:?}");
        state.execute(CameraAsk::PastView);
        arrive(&mut state);
        assert!((state.camera.pose().pitch - home.pitch).abs() < 0.01);
        state.execute(CameraAsk::NextView);
        arrive(&mut state);
        assert!((state.camera.pose().pitch - top.pitch).abs() < 0.01);
    }

    #[test]
    fn a_place_of_the_map_comes_to_the_middle() {
        let mut state = framed(tiny());
        let center = open(&state).bounds().center().truncate();
        let place = center.extend(state.camera.pose().target.z);
        let beside = |state: &State| {
            let pose = state.camera.pose();
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
        assert!(state.following.is_on);
        let mode = state.camera.mode();
        state.execute(CameraAsk::OrbitOrFly);
        assert_ne!(state.camera.mode(), mode);
        let step = module(&state, "step");
        state.panes.maximised = Some(STACKS);
        state.execute(CameraAsk::FlyIfSeen(step));
        assert!(!state.panes.is_visible(CITY), "it stays closed");
        state.execute(CameraAsk::FlyTo(step));
        assert!(state.panes.is_visible(CITY));
    }
}
