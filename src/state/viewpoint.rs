//! Where pictures without a window are taken from.

use glam::{Vec2, Vec3};

use super::camera::home;
use crate::facts::hierarchy::Hierarchy;
use crate::render::pose::{Bounds, FOV_Y, FreeArea, Pose};
use crate::state::city::City;
use crate::units::ModuleId;

/// Where a picture is taken from: home, or as far as given otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewpoint {
    /// The module that the picture shows with its surroundings; the whole city for none.
    pub focus: Option<ModuleId>,
    /// Heading in radians from east to north; how far the camera looks down, in radians.
    pub yaw: Option<f32>,
    pub pitch: Option<f32>,
    /// From the eye to what is in the middle, in world units (the city is 1000 wide).
    pub distance: Option<f32>,
    /// Vertical field of view in radians.
    pub fov_y: Option<f32>,
}

/// How much of the picture stays free around the city.
const FREE: FreeArea = FreeArea {
    min: Vec2::new(-0.96, -0.95),
    max: Vec2::new(0.96, 0.93),
};

/// What arcs need over the city, in world units.
const ARCS: f32 = 60.0;

/// In so many steps one looks down more steeply on what is hidden, up to so many radians.
const STEEPER_STEPS: u32 = 16;
const STEEPEST: f32 = 1.5;

/// The pose for a picture of `size` pixels from a viewpoint; `plays` where arcs may stand over the city.
pub fn pose(
    view: &City,
    hierarchy: &Hierarchy,
    viewpoint: &Viewpoint,
    size: [u32; 2],
    plays: bool,
) -> Pose {
    let [width, height] = size.map(|side| side as f32);
    let bounds = |module| {
        let (min, max) = view.bounds(module).unwrap_or_default();
        Bounds { min, max }
    };
    let aspect = width / height;
    let mut city = bounds(ModuleId::ROOT);
    if plays {
        city.max.z += ARCS;
    }
    let at_home = home(&city, aspect, FREE);
    let framed = match viewpoint.focus {
        Some(module) => {
            // Its surroundings say where it is.
            let of = bounds(module);
            let margin = (of.max - of.min).truncate().max_element() * 0.4;
            let margin = Vec3::new(margin, margin, 0.0);
            Bounds {
                min: of.min - margin,
                max: of.max + margin,
            }
        }
        None => city,
    };
    let yaw = viewpoint.yaw.unwrap_or(at_home.yaw);
    let pitch = viewpoint.pitch.unwrap_or(at_home.pitch);
    let fov_y = viewpoint.fov_y.unwrap_or(FOV_Y);
    let at = |pitch: f32| {
        let mut pose = Pose::framing(&framed, [yaw, pitch], fov_y, aspect, FREE);
        if let Some(distance) = viewpoint.distance {
            pose.distance = distance * pose.lens();
            if let Some(module) = viewpoint.focus {
                let of = bounds(module);
                pose.target = of.center().with_z(of.max.z);
            }
        }
        pose
    };
    let asked = at(pitch);
    let Some(module) = viewpoint.focus.filter(|_| viewpoint.pitch.is_none()) else {
        return asked;
    };
    // What stands before it may hide it: then one looks down more steeply.
    let of = bounds(module);
    let sees = |pose: &Pose| {
        let eye = pose.eye();
        let parts = [(0.5, 0.5), (0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8)];
        let seen = parts.iter().filter(|&&(x, y)| {
            let place = of.min + (of.max - of.min) * Vec3::new(x, y, 1.0);
            let met = view.pick(eye, (place - eye).normalize_or_zero());
            met.is_some_and(|(met, _)| hierarchy.ancestors(met).any(|it| it == module))
        });
        seen.count() >= 4
    };
    let steeper = (0..=STEEPER_STEPS).map(|step| {
        let share = step as f32 / STEEPER_STEPS as f32;
        at(pitch + (STEEPEST - pitch).max(0.0) * share)
    });
    let mut steeper = steeper;
    steeper.find(sees).unwrap_or(asked)
}
