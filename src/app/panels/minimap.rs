//! The map in the corner of the landscape where the far side of the city leaves room: the city from above, north at
//! the top, and what the camera sees of it. A click flies to a place, a drag takes the view along.

use egui::{
    Align2, Color32, Context as Egui, Mesh, Pos2, Rect, Rgba, Role, Sense, Shape, Stroke, Vec2,
    vec2,
};
use glam::Vec3;

use super::context::Context;
use callscape_layout::geometry::BlockKind;
use callscape_look::theme::Palette;
use callscape_state::ask::CameraAsk;
use callscape_state::document::Document;
use callscape_views::Place;
use callscape_views::style;
use callscape_views::widgets::{card, tell};

/// The longer side of the map, in points.
const SIDE: f32 = 148.0;
/// In a smaller landscape it would be in the way.
const LEAST_ROOM: Vec2 = vec2(800.0, 380.0);
/// What is smaller on the map, in points, is left out with all that is in it.
const LEAST: f32 = 2.2;
/// What lies further away than so many times what is in the middle is not shown as seen.
const HORIZON: f32 = 4.0;

pub(super) fn show(ctx: &Egui, place: Place, context: &mut Context<'_>) {
    let desk = context.desk;
    let Some(document) = &desk.state.document else {
        return;
    };
    let has_room = place.seen.width() >= LEAST_ROOM.x && place.seen.height() >= LEAST_ROOM.y;
    let blocks = document.city.blocks();
    let Some(root) = blocks
        .first()
        .filter(|_| desk.state.cards.minimap && has_room)
    else {
        return;
    };
    let extent = (root.max - root.min).truncate();
    let scale = SIDE / extent.max_element().max(1e-3);
    card(ctx, "minimap", Align2::RIGHT_TOP, context.free, |ui| {
        let size = vec2(extent.x, extent.y) * scale;
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        tell(&response, Role::Image, "The whole landscape, small");
        let on_map = |at: Vec3| {
            let (east, north) = (at.x - root.min.x, at.y - root.min.y);
            Pos2::new(rect.left() + east * scale, rect.bottom() - north * scale)
        };
        let painter = ui.painter().with_clip_rect(rect);
        painter.add(Shape::mesh(city(
            document,
            Palette::of(desk.state.settings.theme),
            scale,
            on_map,
        )));
        let seen = seen(place, context).map(on_map);
        let colors = style::colors(desk.state.settings.theme);
        let fill = colors.accent.gamma_multiply(0.14);
        painter.add(Shape::convex_polygon(
            seen.to_vec(),
            fill,
            Stroke::new(1.5, colors.accent),
        ));
        let eye = on_map(desk.state.moving.camera.camera().eye);
        painter.circle(eye, 3.0, colors.accent, Stroke::new(1.0, colors.panel));
        if let Some(at) = response.interact_pointer_pos() {
            let ground = glam::Vec2::new(
                root.min.x + (at.x - rect.left()) / scale,
                root.min.y + (rect.bottom() - at.y) / scale,
            );
            if response.clicked() || response.dragged() {
                let command = CameraAsk::LookAt(ground, response.dragged());
                context.asks.push(command);
            }
        }
        response
            .on_hover_text("The camera's view. Click or drag to go there (Shift + M hides this)");
    });
}

/// The blocks that are large enough, from above. Grows with the map, not with the city.
fn city(document: &Document, palette: Palette, scale: f32, on_map: impl Fn(Vec3) -> Pos2) -> Mesh {
    let landscape = &document.city;
    let (blocks, looks) = (landscape.blocks(), landscape.looks());
    let levels = landscape.levels();
    let mut mesh = Mesh::default();
    let mut next = 0;
    while let Some(block) = blocks.get(next) {
        let extent = (block.max - block.min).truncate() * scale;
        if extent.max_element() < LEAST || extent.min_element() < 0.4 {
            next = (block.subtree_end as usize).max(next + 1);
            continue;
        }
        let look = looks.get(next).copied().unwrap_or_default();
        let level = (f32::from(block.level) / levels).min(1.0);
        let [r, g, b, strength] = look.data;
        let mix = |a: [f32; 3], b: [f32; 3], share: f32| -> [f32; 3] {
            std::array::from_fn(|part| a[part] + (b[part] - a[part]) * share)
        };
        let neutral = mix(palette.root, palette.deepest, level);
        let mut color = mix(neutral, [r, g, b], strength.clamp(0.0, 1.0));
        if block.kind != BlockKind::Terrace {
            color = mix(
                color,
                mix(palette.warm, palette.hot, look.glow),
                look.glow.clamp(0.0, 1.0),
            );
        }
        let rect = Rect::from_two_pos(on_map(block.min), on_map(block.max));
        // A hair of what is below shows between neighbours.
        let rect = if extent.min_element() > 4.0 {
            rect.shrink(0.25)
        } else {
            rect
        };
        let [r, g, b] = color;
        mesh.add_colored_rect(rect, Color32::from(Rgba::from_rgb(r, g, b)));
        next += 1;
    }
    mesh
}

/// The corners of the ground that is seen, in world space: near ones first, around.
fn seen(place: Place, context: &Context<'_>) -> [Vec3; 4] {
    let desk = context.desk;
    let pose = desk.state.moving.camera.pose();
    let camera = desk.state.moving.camera.camera();
    let size = desk.state.moving.viewport.size;
    let pixels = size.x / place.drawn.width().max(1.0);
    let corners = [
        place.seen.left_bottom(),
        place.seen.right_bottom(),
        place.seen.right_top(),
        place.seen.left_top(),
    ];
    let ground = pose.target.z.clamp(0.0, camera.eye.z);
    let reach = pose.distance * HORIZON;
    corners.map(|corner| {
        let at = (corner - place.drawn.min) * pixels;
        let ray = camera.ray(glam::Vec2::new(at.x, at.y), size);
        let down = (ground - camera.eye.z) / ray.z;
        // At and above the horizon one sees as far as can be shown.
        let along = if down.is_finite() && down > 0.0 {
            down.min(reach)
        } else {
            reach
        };
        camera.eye + ray * along
    })
}
