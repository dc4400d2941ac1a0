//! Where pictures without a window are taken from.

use glam::{Vec2, Vec3};

use super::camera::home;
use crate::city::City;
use crate::document::bounds_of;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_look::pose::{Bounds, FOV_Y, FreeArea, Pose, STEEPEST};

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

/// What is hidden is looked down on more steeply, in so many steps.
const STEEPER_STEPS: u32 = 16;

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
        let (min, max) = view.standing(module).unwrap_or_default();
        Bounds { min, max }
    };
    let aspect = width / height;
    let mut city = bounds_of(view);
    if plays {
        let (_, root) = view.bounds(ModuleId::ROOT).unwrap_or_default();
        city.max.z = city.max.z.max(root.z + ARCS);
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
                pose.target = of.center().with_z(view.top(module).unwrap_or(of.max.z));
            }
        }
        pose
    };
    let asked = at(pitch);
    let Some(module) = viewpoint.focus.filter(|_| viewpoint.pitch.is_none()) else {
        return asked;
    };
    // What stands before it may hide it: then one looks down more steeply, as on what is higher than wide.
    let of = bounds(module);
    let top = view.top(module).unwrap_or(of.max.z);
    let pitch = pitch.max(of.roof_pitch());
    let sees = |pose: &Pose| {
        let eye = pose.eye();
        let parts = [(0.5, 0.5), (0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8)];
        let seen = parts.iter().filter(|&&(x, y)| {
            let place = (of.min + (of.max - of.min) * Vec3::new(x, y, 1.0)).with_z(top);
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

#[cfg(test)]
mod tests {
    use super::super::testing::{module, open, tiny};
    use super::*;

    fn at(viewpoint: Viewpoint, plays: bool) -> Pose {
        let state = tiny();
        let document = open(&state);
        let hierarchy = &document.session.hierarchy;
        pose(&document.city, hierarchy, &viewpoint, [800, 600], plays)
    }

    #[test]
    fn unless_asked_otherwise_it_is_home() {
        let state = tiny();
        let mut bounds = open(&state).bounds();
        assert_eq!(
            at(Viewpoint::default(), false),
            home(&bounds, 800.0 / 600.0, FREE)
        );
        // Arcs need room over the city.
        let (_, root) = open(&state).city.bounds(ModuleId::ROOT).expect("a root");
        bounds.max.z = bounds.max.z.max(root.z + ARCS);
        assert_eq!(
            at(Viewpoint::default(), true),
            home(&bounds, 800.0 / 600.0, FREE)
        );
    }

    #[test]
    fn directions_and_distances_are_as_asked() {
        let asked = Viewpoint {
            yaw: Some(0.7),
            pitch: Some(0.9),
            distance: Some(321.0),
            fov_y: Some(0.5),
            ..Viewpoint::default()
        };
        let pose = at(asked, false);
        assert_eq!((pose.yaw, pose.pitch, pose.fov_y), (0.7, 0.9, 0.5));
        assert!((pose.distance / pose.lens() - 321.0).abs() < 0.01);
    }

    #[test]
    fn a_module_is_seen_from_nearby() {
        let state = tiny();
        let step = module(&state, "step");
        let whole = at(Viewpoint::default(), false);
        let near = at(
            Viewpoint {
                focus: Some(step),
                ..Viewpoint::default()
            },
            false,
        );
        assert!(near.distance < whole.distance);
        let bounds = open(&state).bounds_of(step).expect("a block");
        let (eye, middle) = (near.eye(), bounds.center().with_z(bounds.max.z));
        let met = open(&state).city.pick(eye, (middle - eye).normalize());
        assert_eq!(
            met.map(|(module, _)| module),
            Some(step),
            "nothing hides it"
        );
    }
}
