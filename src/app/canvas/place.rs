//! Where in the window landscapes are drawn.

use glam::Vec2;

use callscape_look::pose::FreeArea;
use callscape_state::Viewport;
use callscape_state::runs_view::Halves;
use callscape_views::{Place, Placed};

/// Where both landscapes are, in physical pixels; none where there is one.
pub(super) fn halves(placed: &Placed, pixels_per_point: f32) -> Option<Halves> {
    let split = placed.split.as_ref()?;
    let corner = |rect: egui::Rect| {
        let at = rect.min.to_vec2() * pixels_per_point;
        Vec2::new(at.x, at.y).round()
    };
    Some(Halves {
        origins: split.places.map(corner),
        split: split.at * pixels_per_point,
        pointed: 0,
    })
}

/// Where the landscape is drawn, in pixels, and what of it is seen, as normalised device coordinates.
pub(crate) fn viewport(landscape: Place, pixels_per_point: f32) -> Viewport {
    let Place { seen, drawn } = landscape;
    let ndc = |at: egui::Pos2| {
        let share = (at - drawn.min) / drawn.size();
        Vec2::new(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0)
    };
    let (min, max) = (ndc(seen.left_bottom()), ndc(seen.right_top()));
    let margin = 0.05;
    let area = FreeArea {
        min: min.clamp(Vec2::NEG_ONE, Vec2::ONE) + margin,
        max: max.clamp(Vec2::NEG_ONE, Vec2::ONE) - margin,
    };
    let pixels = |at: egui::Vec2| (Vec2::new(at.x, at.y) * pixels_per_point).round();
    Viewport {
        origin: pixels(drawn.min.to_vec2()),
        size: pixels(drawn.size()).max(Vec2::ONE),
        scale: pixels_per_point,
        free: if (area.max - area.min).min_element() > 0.2 {
            area
        } else {
            FreeArea::WINDOW
        },
    }
}
