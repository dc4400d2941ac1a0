//! The miniature beside a text: what is seen is marked, and a click or a drag goes there.

use egui::{Color32, Pos2, Rect, Role, Sense, Ui, pos2, vec2};

use super::miniature::{self, Miniature, MiniatureKey, RowLook, Scale};
use super::numbers::Numbers;
use super::page::Page;
use super::view::CodeView;
use crate::parts::code_look::{Look, ROW};
use crate::parts::widgets::tell;
use crate::parts::{style, text};
use callscape_base::escape;
use callscape_state::document::Document;

/// The miniature in its place. It is painted where something else is to be seen in it.
pub(super) fn show(
    view: &mut CodeView,
    ui: &mut Ui,
    document: &Document,
    (side, page, place): (usize, &Page, Rect),
    look: Look,
) {
    let points = ui.pixels_per_point();
    let pixels = place.size() * points;
    let key = MiniatureKey {
        revision: view.revision,
        size: [pixels.x as u32, pixels.y as u32],
        theme: look.theme,
        is_beside: view.is_beside,
    };
    let before = view.miniatures[side].take();
    let miniature = match before {
        Some(same) if same.key == key => same,
        before => painted(view, ui, (side, page), key, look, before),
    };
    let scale = miniature.scale;
    let painter = ui.painter_at(place);
    painter.rect_filled(place, 0, look.panel.panel);
    let height = scale.height as f32 / points;
    let picture = Rect::from_min_size(place.min, vec2(place.width(), height));
    let uv = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
    painter.image(miniature.texture.id(), picture, uv, Color32::WHITE);
    view.miniatures[side] = Some(miniature);

    let y = |row: f64| place.min.y + scale.pixel_of(row) as f32 / points;
    let (top, seen) = (view.scroll.top(), f64::from(view.scroll.rows_seen()));
    let bottom = y((top + seen).min(f64::from(scale.rows)));
    let part = Rect::from_x_y_ranges(place.x_range(), y(top)..=bottom.max(y(top) + 2.0));
    painter.rect_filled(part, 2.0, look.panel.text.gamma_multiply(0.09));
    let edge = (1.0, look.panel.weak.gamma_multiply(0.8));
    painter.rect_stroke(part, 2.0, edge, egui::StrokeKind::Inside);
    if side == view.own {
        ticks(view, &painter, place, look, y);
    }
    let id = ui.scope_id().with(("miniature", side));
    let response = ui.interact(place, id, Sense::click_and_drag());
    tell(
        &response,
        Role::Image,
        "The whole file, a row of pixels a line",
    );
    let row_at = |at: Pos2| scale.row_at(f64::from((at.y - place.min.y) * points));
    if let Some(at) = response.interact_pointer_pos()
        && (response.clicked() || response.dragged())
    {
        view.scroll.set(row_at(at) - seen * 0.5);
        ui.ctx().request_repaint();
    }
    if let Some(at) = response.hover_pos() {
        let by = ui.input(|input| input.smooth_scroll_delta.y);
        if by != 0.0 {
            view.scroll.by(f64::from(-by / ROW));
        }
        if let Some(line) = view.line_in(row_at(at) as u32, side) {
            let function = view.numbers(side).and_then(|it| it.function_at(line));
            response.on_hover_ui_at_pointer(|ui| {
                ui.label(format!("Line {}", text::count(line.into())));
                if let Some(function) = function {
                    let name = document.base.hierarchy.name(function.module);
                    ui.label(style::weak(escape::name(name)).small());
                }
            });
        }
    }
}

/// At the right edge where lines are that are meant, also those out of sight.
fn ticks(
    view: &CodeView,
    painter: &egui::Painter,
    place: Rect,
    look: Look,
    y: impl Fn(f64) -> f32,
) {
    for (marks, color) in view.marks.iter().zip([look.panel.weak, look.panel.accent]) {
        let mut drawn = f32::NEG_INFINITY;
        let starts = marks.functions.iter().map(|(first, _)| first);
        let lines = marks.lines.iter().chain(starts);
        for row in lines.filter_map(|&line| view.row_of(view.own, line)) {
            let at = y(f64::from(row) + 0.5);
            // Ticks on the same pixel are one.
            if (at - drawn).abs() >= 1.0 {
                drawn = at;
                let high = at - 1.0..=at + 1.0;
                let tick = Rect::from_x_y_ranges(place.max.x - 6.0..=place.max.x, high);
                painter.rect_filled(tick, 0, color);
            }
        }
    }
}

/// The picture of the rows, in the texture of the one before.
fn painted(
    view: &CodeView,
    ui: &Ui,
    (side, page): (usize, &Page),
    key: MiniatureKey,
    look: Look,
    before: Option<Miniature>,
) -> Miniature {
    let [width, room] = key.size;
    // A pixel is a point where the screen is fine.
    let points = ui.pixels_per_point().round().max(1.0) as u32;
    let room = room / points;
    let scale = Scale::of(view.rows(), room);
    let scale = Scale {
        height: scale.height * points,
        ..scale
    };
    let numbers = view.numbers(side);
    let image = miniature::picture(
        &page.ink,
        scale,
        width,
        |row| view.line_in(row, side),
        |first, end| {
            let strongest = strongest(view, numbers, side, (first, end));
            let is_dimmed = numbers.is_some_and(|numbers| numbers.ran(first) == Some(false));
            let color = strongest.map(|it| match view.shown_difference() {
                Some(_) => look.change(it),
                None => look.heat(it),
            });
            RowLook {
                ink: match (color, is_dimmed) {
                    (Some(_), _) => look.panel.text,
                    (None, true) => look.panel.weak.gamma_multiply(0.3),
                    (None, false) => look.panel.weak.gamma_multiply(0.75),
                },
                behind: color.unwrap_or(Color32::TRANSPARENT),
            }
        },
    );
    let options = egui::TextureOptions::NEAREST;
    let texture = match before {
        Some(Miniature { mut texture, .. }) => {
            texture.set(image, options);
            texture
        }
        None => {
            let name = format!("code miniature {side}");
            ui.ctx().load_texture(name, image, options)
        }
    };
    Miniature {
        key,
        scale,
        texture,
    }
}

/// The strongest colour of some lines, from the first up to the end, left out.
fn strongest(
    view: &CodeView,
    numbers: Option<&Numbers>,
    side: usize,
    (first, end): (u32, u32),
) -> Option<f32> {
    if let Some(compared) = view.shown_difference() {
        let changes = (first..end).filter_map(|line| compared.change(side, line));
        let largest = changes.max_by_key(|change| change.unsigned_abs());
        return largest.map(|change| compared.strength(change));
    }
    let numbers = numbers?;
    let lines = &numbers.lines.lines;
    let from = lines.partition_point(|it| it.line < first);
    let inside = lines
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take_while(|it| it.line < end);
    let strengths = inside.filter_map(|line| numbers.strength(line, view.tint()));
    strengths.max_by(f32::total_cmp)
}
