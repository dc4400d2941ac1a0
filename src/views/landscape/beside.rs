//! At the edge of the landscape: where what is pointed at in another view, or chosen, lies when it is out of sight.
//! Nothing moves for that.

use egui::{Align2, Color32, FontId, Pos2, Rect, Shape, Stroke, Ui, Vec2};
use glam::Vec3;

use super::super::Place;
use crate::parts::style;
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::document::Document;

/// The distance of the arrow from the edge, and its size, in points.
const INSET: f32 = 22.0;
const ARROW: f32 = 9.0;

pub(super) fn show(ui: &Ui, place: Place, state: &State) {
    let Some(document) = &state.document else {
        return;
    };
    let colors = style::colors(state.settings.theme);
    let selection = &document.selection;
    // What lies under the pointer is in sight.
    let pointed = match state.moving.pointer.at {
        Some(_) => Pointed::default(),
        None => selection.pointed,
    };
    for (of, color) in [(pointed, colors.weak), (selection.chosen, colors.accent)] {
        for module in document.meant(&of).modules().into_iter().flatten() {
            if let Some(at) = edge(document, module, place, state) {
                arrow(ui, at, place.seen.center(), color);
                name(ui, document, module, at, place.seen, state);
            }
        }
    }
}

/// Where at the edge of what is seen the arrow to `module` stands; none for what is in sight, or not shown.
fn edge(document: &Document, module: ModuleId, place: Place, state: &State) -> Option<Pos2> {
    let camera = state.moving.camera.camera();
    let size = state.moving.viewport.size;
    let scale = size.x / place.drawn.width().max(1.0);
    let bounds = document.bounds_of(document.city.displayed(module)?)?;
    let to_points = |at: glam::Vec2| place.drawn.min + Vec2::new(at.x, at.y) / scale;
    let pixels = [size.x as u32, size.y as u32];
    if let Some((corner, extent)) = camera.rectangle((bounds.min, bounds.max), 0.0, pixels) {
        let (min, max) = (
            to_points(corner.as_vec2()),
            to_points((corner + extent).as_vec2()),
        );
        if Rect::from_min_max(min, max).intersects(place.seen) {
            return None;
        }
    }
    let middle: Vec3 = (bounds.min + bounds.max) * 0.5;
    let view = camera.view_from_world().transform_point3(middle);
    let centre = place.seen.center();
    let way = match camera.project(middle, size) {
        Some(at) => to_points(at) - centre,
        // Behind the eye: to the side where turning finds it.
        None => Vec2::new(view.x, -view.y),
    };
    if !(way.x.is_finite() && way.y.is_finite()) || way.length() < 1e-3 {
        return None;
    }
    let half = (place.seen.size() * 0.5 - Vec2::splat(INSET)).max(Vec2::ZERO);
    let reach = (half.x / way.x.abs().max(1e-3)).min(half.y / way.y.abs().max(1e-3));
    Some(centre + way * reach)
}

fn arrow(ui: &Ui, at: Pos2, centre: Pos2, color: Color32) {
    let way = (at - centre).normalized();
    let side = Vec2::new(-way.y, way.x);
    let points = vec![
        at + way * ARROW,
        at - way * ARROW * 0.6 + side * ARROW * 0.8,
        at - way * ARROW * 0.6 - side * ARROW * 0.8,
    ];
    let outline = Stroke::new(1.0, ui.visuals().panel_fill);
    ui.painter()
        .add(Shape::convex_polygon(points, color, outline));
}

/// The name, on the inner side of the arrow.
fn name(ui: &Ui, document: &Document, module: ModuleId, at: Pos2, seen: Rect, state: &State) {
    let colors = style::colors(state.settings.theme);
    let inward = (seen.center() - at).normalized() * 20.0;
    let align = match (
        inward.x.abs() > inward.y.abs(),
        inward.x > 0.0,
        inward.y > 0.0,
    ) {
        (true, true, _) => Align2::LEFT_CENTER,
        (true, false, _) => Align2::RIGHT_CENTER,
        (false, _, true) => Align2::CENTER_TOP,
        (false, _, false) => Align2::CENTER_BOTTOM,
    };
    let font = FontId::proportional(11.5);
    let text = escape::name(document.module_name(module)).into_owned();
    let galley = ui.painter().layout_no_wrap(text, font, colors.text);
    let rect = align.anchor_size(at + inward, galley.size());
    let rect = rect.translate(
        (seen.shrink(6.0).min - rect.min).max(Vec2::ZERO)
            + (seen.shrink(6.0).max - rect.max).min(Vec2::ZERO),
    );
    ui.painter()
        .rect_filled(rect.expand(4.0), 5, colors.panel.gamma_multiply(0.9));
    ui.painter().galley(rect.min, galley, colors.text);
}
