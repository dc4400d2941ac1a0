//! Where the camera goes in a shot.

use glam::Vec3;

use super::kept::pose_of;
use super::path::CameraPath;
use super::places::Places;
use super::scene::{Go, Overview};
use callscape_base::units::ModuleId;
use callscape_look::pose::{Bounds, FOV_Y, Pose};
use callscape_state::Viewport;
use callscape_state::camera::{self, Preset};
use callscape_state::city::City;
use callscape_state::document::bounds_of;

/// A camera does not look down more steeply: the heading would have no direction.
const MAX_PITCH: f32 = 1.55;
/// A module is shown with so much of its surroundings, as a part of its longer side, and the more the smaller it is
/// beside the city: where it stands is half of what one wants to know.
const SURROUNDINGS: f32 = 0.35;
const SURROUNDINGS_OF_SMALL: f32 = 0.75;
/// Radians that one looks down at a module at least and at most, unless told.
const MODULE_PITCH: std::ops::RangeInclusive<f32> = 0.55..=1.1;

/// What is framed in what.
pub(crate) struct Framing<'a> {
    pub city: &'a City,
    pub viewport: &'a Viewport,
    pub places: &'a Places,
}

fn pitch(degrees: f32) -> f32 {
    degrees.to_radians().min(MAX_PITCH)
}

/// Whether where it ends does not depend on where it begins.
pub(crate) fn is_anchored(go: &Go) -> bool {
    go.to.is_some() || go.at.is_some()
}

impl Framing<'_> {
    /// The way that `go` describes from a pose; none when the camera stays.
    pub(crate) fn way(&self, go: &Go, from: Pose) -> Option<CameraPath> {
        let mut stations: Vec<Pose> = Vec::new();
        for path in &go.through {
            let before = stations.last().unwrap_or(&from);
            let station = self.places.module(path);
            stations.extend(station.and_then(|it| self.module(it, go, before)));
        }
        let before = *stations.last().unwrap_or(&from);
        let goal = match (go.to, &go.module, go.at) {
            (Some(overview), _, _) => Some(self.overview(overview, go)),
            (None, Some(path), _) => {
                let module = self.places.module(path);
                module.and_then(|it| self.module(it, go, &before))
            }
            (None, None, Some(camera)) => Some(pose_of(&camera)),
            (None, None, None) => {
                let turned = Pose {
                    yaw: go.yaw.map_or(before.yaw, f32::to_radians),
                    pitch: go.pitch.map_or(before.pitch, pitch),
                    distance: before.distance / go.zoom.unwrap_or(1.0),
                    ..before
                };
                (turned != before).then_some(turned)
            }
        };
        stations.extend(goal);
        let turn = go.turn.unwrap_or(0.0).to_radians();
        if stations.is_empty() && turn == 0.0 {
            return None;
        }
        let roofs = bounds_of(self.city).max.z;
        Some(CameraPath::new(
            from,
            &stations,
            (go.easing, go.way),
            turn,
            roofs,
        ))
    }

    fn framed(&self, bounds: &Bounds, [yaw, down]: [f32; 2], fov_y: f32, go: &Go) -> Pose {
        let direction = [
            go.yaw.map_or(yaw, f32::to_radians),
            go.pitch.map_or(down, pitch),
        ];
        let (aspect, free) = (self.viewport.aspect(), self.viewport.free);
        let mut pose = Pose::framing(bounds, direction, fov_y, aspect, free);
        pose.distance /= go.zoom.unwrap_or(1.0);
        pose
    }

    fn overview(&self, overview: Overview, go: &Go) -> Pose {
        let bounds = bounds_of(self.city);
        let home = camera::home(&bounds, self.viewport.aspect(), self.viewport.free);
        let (direction, fov_y) = match overview {
            Overview::Home => ([home.yaw, home.pitch], home.fov_y),
            Overview::Top => Preset::Top.direction(&home),
            Overview::Isometric => Preset::Isometric.direction(&home),
        };
        self.framed(&bounds, direction, fov_y, go)
    }

    /// A module with its surroundings, in the direction of `from`.
    fn module(&self, module: ModuleId, go: &Go, from: &Pose) -> Option<Pose> {
        let displayed = self.city.displayed(module)?;
        let (min, max) = self.city.standing(displayed)?;
        let whole = bounds_of(self.city);
        let side = (max - min).truncate().max_element();
        let share = side / (whole.max - whole.min).truncate().max_element().max(side);
        let around = SURROUNDINGS + SURROUNDINGS_OF_SMALL * (1.0 - share);
        let margin = Vec3::new(side, side, 0.0) * (around * (1.0 - share).max(0.05));
        let around = Bounds {
            min: min - margin,
            max: max + margin,
        };
        let down = from.pitch.clamp(*MODULE_PITCH.start(), *MODULE_PITCH.end());
        let down = down.max(Bounds { min, max }.roof_pitch());
        // One comes near with the eyes that one has, whatever the lens before.
        Some(self.framed(&around, [from.yaw, down], FOV_Y, go))
    }
}
