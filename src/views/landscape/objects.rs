//! Beside the blocks in which the most objects are created: how many to date, how many were released, and how old they
//! are (AVID, section 2.1).

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, Ui, Vec2, pos2, vec2};
use glam::Vec3;

use super::super::Place;
use crate::parts::style;
use callscape_base::escape;
use callscape_base::units::{ModuleId, grouped};
use callscape_look::ink::OBJECTS;
use callscape_model::measure::Measure;
use callscape_model::metric::Metric;
use callscape_state::State;
use callscape_state::city::{AGES, ObjectBox};

/// The size of a box, its bars and its bins, in points.
const SIZE: Vec2 = vec2(96.0, 58.0);
const BAR: f32 = 8.0;
const INSET: f32 = 5.0;
/// The room of a number beside its bar.
const NUMBER: f32 = 34.0;

/// Draws the boxes; the module whose box was clicked.
pub(super) fn show(ui: &Ui, place: Place, state: &State) -> Option<ModuleId> {
    let document = state.document.as_ref()?;
    let city = &document.city;
    let (boxes, most) = city.object_boxes();
    let mut taken: Vec<Rect> = Vec::with_capacity(boxes.len());
    let mut clicked = None;
    for of in boxes {
        let Some(block) = city.blocks_now().get(of.block as usize) else {
            continue;
        };
        let rise = city
            .looks()
            .get(of.block as usize)
            .map_or(0.0, |it| it.rise);
        let mut top: Vec3 = (block.min + block.max) * 0.5;
        top.z = block.max.z + rise;
        let Some(at) = projected(top, place, state) else {
            continue;
        };
        let rect = Rect::from_min_size(at - vec2(SIZE.x * 0.5, SIZE.y + 14.0), SIZE);
        // The busiest come first, and none lies over another.
        let is_free = taken.iter().all(|it| !it.intersects(rect.expand(3.0)));
        if place.seen.shrink(4.0).contains_rect(rect) && is_free {
            taken.push(rect);
            paint(ui, rect, at, of, most, state);
            let name = escape::name(document.module_name(block.module));
            let about = ui.interact(
                rect,
                ui.scope_id().with(("objects", of.block)),
                Sense::click(),
            );
            let about = about.on_hover_ui(|ui| told(ui, &name, of));
            if about.clicked() {
                clicked = Some(block.module);
            }
        }
    }
    clicked
}

/// What the bars of a box say, in words.
fn told(ui: &mut Ui, name: &str, of: &ObjectBox) {
    ui.label(name);
    for (count, recent, what) in [
        (of.created, of.news[0], "created"),
        (of.released, of.news[1], "released"),
    ] {
        let recent = grouped(recent.into());
        let count = grouped(count.into());
        ui.label(style::weak(format!(
            "{count} objects {what}, {recent} in this cel"
        )));
    }
}

/// Where a point of the world is seen, in points; none of what lies behind the eye.
fn projected(world: Vec3, place: Place, state: &State) -> Option<Pos2> {
    let size = state.moving.viewport.size;
    let at = state.moving.camera.camera().project(world, size)?;
    let scale = size.x / place.drawn.width().max(1.0);
    Some(place.drawn.min + vec2(at.x, at.y) / scale)
}

fn color(of: u32) -> Color32 {
    let [_, r, g, b] = of.to_be_bytes();
    Color32::from_rgb(r, g, b)
}

fn paint(ui: &Ui, rect: Rect, at: Pos2, of: &ObjectBox, most: u32, state: &State) {
    let colors = style::colors(state.settings.theme);
    let painter = ui.painter();
    let line = Stroke::new(1.0, colors.weak.gamma_multiply(0.6));
    painter.line_segment([rect.center_bottom(), at], line);
    painter.rect_filled(rect, 4, colors.panel.gamma_multiply(0.93));
    let inner = rect.shrink(INSET);
    let width = inner.width() - NUMBER;
    let share = |count: u32| width * (count as f32 / most.max(1) as f32).min(1.0);
    let [living, released, news] = OBJECTS.map(color);
    let rows = [
        (of.created, of.news[0], living),
        (of.released, of.news[1], released),
    ];
    let mut y = inner.top();
    for (count, recent, color) in rows {
        let bar = |from: f32, to: f32| {
            let (from, to) = (
                pos2(inner.left() + from, y),
                pos2(inner.left() + to, y + BAR),
            );
            Rect::from_min_max(from, to)
        };
        let (all, before) = (share(count), share(count - recent.min(count)));
        painter.rect_filled(bar(0.0, before), 0, color);
        // What is new is seen, however little it is.
        let end = if recent > 0 {
            all.max(before + 1.0)
        } else {
            all
        };
        painter.rect_filled(bar(before, end), 0, news);
        painter.text(
            pos2(inner.right(), y + BAR * 0.5),
            Align2::RIGHT_CENTER,
            Measure::default().text(Metric::Allocations, f64::from(count)),
            FontId::proportional(9.5),
            colors.text,
        );
        y += BAR + 2.0;
    }
    histogram(
        ui,
        Rect::from_min_max(pos2(inner.left(), y + 2.0), inner.max),
        of,
    );
}

/// A bar for each age: those that live in its lower part, those released, hatched, in the upper; what the cel created or
/// released is yellow.
fn histogram(ui: &Ui, rect: Rect, of: &ObjectBox) {
    let painter = ui.painter();
    let [living, released, news] = OBJECTS.map(color);
    let highest = of.ages.iter().map(|bin| bin.living + bin.released).max();
    let highest = highest.unwrap_or(0).max(1) as f32;
    let step = rect.width() / AGES as f32;
    for (age, (bin, &just)) in of.ages.iter().zip(&of.just_released).enumerate() {
        let left = rect.left() + step * age as f32;
        let height = |count: u32| rect.height() * count as f32 / highest;
        let part = |from: f32, to: f32| {
            let (from, to) = (rect.bottom() - to, rect.bottom() - from);
            Rect::from_min_max(pos2(left, from), pos2(left + step - 1.0, to))
        };
        let (low, high) = (height(bin.living), height(bin.living + bin.released));
        // Those of age 1 were created in this cel.
        let ink = if age == 0 { news } else { living };
        painter.rect_filled(part(0.0, low), 0, ink);
        let upper = part(low, high);
        painter.rect_filled(upper, 0, released);
        let before = bin.released - just.min(bin.released);
        painter.rect_filled(part(height(bin.living + before), high), 0, news);
        let mut y = upper.top() + 1.0;
        while y < upper.bottom() {
            let line = Stroke::new(0.7, Color32::from_black_alpha(110));
            painter.hline(upper.x_range(), y, line);
            y += 3.0;
        }
    }
    let ground = Stroke::new(0.7, ui.visuals().weak_text_color());
    painter.hline(rect.x_range(), rect.bottom(), ground);
}
