//! Where the camera looks from by asking: presets, places on the map, past views; and what it keeps clear of.

use std::time::Duration;

use glam::Vec3;

use super::super::ask::CameraAsk;
use super::super::camera::pose::Pose;
use super::super::camera::{self, Preset};
use super::super::sheets::SheetAction;
use super::{Destination, Workbench};
use crate::units::ModuleId;
use crate::views::table::ViewId;

/// From so high above the city one looks for what stands at a place.
const SKY: f32 = 20_000.0;

/// Letters and lines are no smaller and no larger than so many times as usual.
const TEXT_SCALES: [f32; 2] = [0.5, 4.0];

/// All of the city counts as in sight when the camera is this share of the way off that shows it.
const SHOWS_ALL: f32 = 0.7;

impl Workbench {
    pub(super) fn look(&mut self, ask: CameraAsk) {
        match ask {
            CameraAsk::ToggleFollowing => self.following.toggle(),
            CameraAsk::OrbitOrFly => self.camera.toggle_mode(),
            CameraAsk::FlyTo(module) => self.fly_there(module),
            CameraAsk::FlyToSelection => {
                let selection = self.document.as_ref().map(|open| &open.selection);
                if let Some(module) =
                    selection.and_then(|it| it.chosen.module.or(it.pointed.module))
                {
                    self.fly_there(module);
                }
            }
            CameraAsk::FlyHome => match self.sheet_pointed_at() {
                Some(view) => self.act_on_sheet(view, SheetAction::ShowAll),
                None => self.fly(Destination::Home),
            },
            CameraAsk::LookFrom(preset) => self.leave_path(|bench, _| bench.look_from(preset)),
            CameraAsk::LookAt(ground, at_once) => {
                self.leave_path(|bench, _| bench.camera.look_at(ground, at_once));
            }
            CameraAsk::PastView => self.leave_path(|bench, now| {
                if let Some(pose) = bench.past_views.back(now) {
                    bench.camera.fly_to_pose(pose);
                }
            }),
            CameraAsk::NextView => self.leave_path(|bench, now| {
                if let Some(pose) = bench.past_views.forward(now) {
                    bench.camera.fly_to_pose(pose);
                }
            }),
        }
    }

    /// Moves the camera off the path that follows what runs, where the landscape is to be seen. `change` gets the
    /// pose that it is at, or on its way to.
    fn leave_path(&mut self, change: impl FnOnce(&mut Workbench, Pose)) {
        if !self.dock.is_visible(ViewId::Landscape) || self.document.is_none() {
            return;
        }
        self.following.is_on = false;
        let now = self.camera.destination().unwrap_or(self.camera.pose());
        change(self, now);
    }

    /// Has letters and lines be so many times as large as before; as usual for 0.
    pub(super) fn scale_text(&mut self, by: f32) {
        let scale = if by == 0.0 { 1.0 } else { self.text_scale * by };
        // Steps up and down meet where they began.
        let scale = (scale * 100.0).round() / 100.0;
        self.text_scale = scale.clamp(TEXT_SCALES[0], TEXT_SCALES[1]);
        self.names_are_new = true;
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
    pub(super) fn keep_camera_clear(&mut self, seconds: f32, now: Duration) {
        let Some(document) = &self.document else {
            return;
        };
        let landscape = &document.landscape;
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
        let document = document.filter(|_| self.dock.is_visible(ViewId::Landscape));
        document?.landscape.filling()
    }
}
