//! The pictures of two runs with their captions, beside each other or in one place; of one run, its cel beside the sum so
//! far.

use egui::{Align2, Color32, Id, Pos2, Rect, Role, Sense, Stroke, TextureId, Ui, pos2, vec2};

use super::super::{Pane, Place, Split};
use super::beside;
use crate::parts::style;
use crate::parts::widgets::tell;
use callscape_base::escape;
use callscape_state::State;
use callscape_state::ask::RunsAsk;
use callscape_state::runs::RunsLayout;
use callscape_state::runs_view::RunsView;

/// Between two landscapes, and what of the divider of a wipe can be dragged, in points.
const GAP: f32 = 3.0;
const GRIP: f32 = 14.0;

/// Where two landscapes are to be drawn in `seen`, of which the window leaves `drawn` to one; none for one.
pub(super) fn split(state: &State, seen: Rect, drawn: Rect) -> Option<Split> {
    if !state.shows_both() {
        return None;
    }
    let RunsView { divider, .. } = state.runs_view;
    match state.layout_of_both() {
        RunsLayout::One => None,
        RunsLayout::SideBySide => {
            let width = ((seen.width() - GAP) * 0.5).max(1.0);
            let half =
                |left: f32| Rect::from_min_size(pos2(left, seen.top()), vec2(width, seen.height()));
            let places = [half(seen.left()), half(seen.right() - width)];
            Some(Split {
                places,
                seen: places,
                at: seen.center().x,
            })
        }
        RunsLayout::Wipe => Some(Split {
            places: [drawn; 2],
            seen: [seen; 2],
            at: seen.left() + seen.width() * divider,
        }),
    }
}

/// Draws both landscapes, `own` the picture of the run that plays and the other one's, with what they are.
pub(super) fn draw(ui: &mut Ui, split: &Split, [own, other]: [TextureId; 2], pane: &mut Pane<'_>) {
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    let runs = document.runs.as_ref();
    let colors = style::colors(state.settings.theme);
    let is_wipe = state.layout_of_both() == RunsLayout::Wipe;
    let own_side = runs.map_or(0, |it| it.side());
    let pictures = match own_side {
        0 => [own, other],
        _ => [other, own],
    };
    for side in [0, 1] {
        let (place, seen) = (split.places[side], split.seen[side]);
        let (part, uv) = split.part(side);
        ui.painter().image(pictures[side], part, uv, Color32::WHITE);
        if !is_wipe {
            beside::show(ui, Place { seen, drawn: place }, state);
        }
        let moment = match side == own_side {
            true => document.moment(),
            false => document.moment_of_other(),
        };
        let text = match runs {
            Some(runs) => {
                let at = moment.filter(|it| !it.summary);
                let at = at.map_or(String::new(), |it| format!("   {}", it.time));
                format!("{}{at}", runs.title_of(side))
            }
            None => moment.map_or_else(String::new, |it| it.caption()),
        };
        let (align, corner) = match (is_wipe, side) {
            // Cards float at the top and at the right.
            (false, _) => (Align2::LEFT_BOTTOM, seen.left_bottom() + vec2(12.0, -10.0)),
            (true, 0) => (
                Align2::RIGHT_BOTTOM,
                pos2(split.at - 16.0, seen.bottom() - 10.0),
            ),
            (true, _) => (
                Align2::LEFT_BOTTOM,
                pos2(split.at + 16.0, seen.bottom() - 10.0),
            ),
        };
        let room = match (is_wipe, side) {
            (false, _) => seen.width(),
            (true, 0) => split.at - seen.left(),
            (true, _) => seen.right() - split.at,
        };
        caption(ui, &text, corner, align, room - 34.0, &colors);
    }
    if is_wipe {
        divider(ui, split, pane);
    } else {
        let middle = split.seen[0].right()..=split.seen[1].left();
        let gap = Rect::from_x_y_ranges(middle, split.seen[0].y_range());
        ui.painter().rect_filled(gap, 0, colors.panel);
    }
}

fn caption(ui: &Ui, text: &str, corner: Pos2, align: Align2, room: f32, colors: &style::Colors) {
    let font = egui::FontId::proportional(13.0);
    let mut job = egui::text::LayoutJob::simple_singleline(
        escape::name(text).into_owned(),
        font,
        colors.text,
    );
    job.wrap = egui::text::TextWrapping::truncate_at_width(room.max(20.0));
    let galley = ui.painter().layout_job(job);
    let rect = align.anchor_size(corner, galley.size());
    ui.painter().rect_filled(
        rect.expand2(vec2(7.0, 3.0)),
        5,
        colors.panel.gamma_multiply(0.92),
    );
    ui.painter().galley(rect.min, galley, colors.text);
}

/// The line between A and B, and its handle.
fn divider(ui: &Ui, split: &Split, pane: &mut Pane<'_>) {
    let seen = split.seen[0];
    let colors = style::colors(pane.state.settings.theme);
    let area = egui::Area::new(Id::unique("divider of the wipe"))
        .order(egui::Order::Middle)
        .fixed_pos(pos2(split.at - GRIP * 0.5, seen.top()))
        .constrain(false)
        .fade_in(false);
    area.show(ui.ctx(), |ui| {
        ui.set_clip_rect(seen);
        let (rect, response) =
            ui.allocate_exact_size(vec2(GRIP, seen.height().max(0.0)), Sense::click_and_drag());
        tell(&response, Role::Splitter, "Divider between the two runs");
        let response = response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
        let middle = rect.center();
        let color = if response.hovered() || response.dragged() {
            colors.accent
        } else {
            colors.text
        };
        let line = Stroke::new(2.0, colors.panel);
        ui.painter().vline(middle.x - 1.0, seen.y_range(), line);
        ui.painter()
            .vline(middle.x + 1.0, seen.y_range(), Stroke::new(1.5, color));
        ui.painter()
            .circle(middle, 8.0, colors.panel, Stroke::new(1.5, color));
        for side in [-1.0, 1.0] {
            let tip = middle + vec2(5.0 * side, 0.0);
            let back = middle + vec2(1.5 * side, 0.0);
            let points = vec![tip, back + vec2(0.0, -3.5), back + vec2(0.0, 3.5)];
            ui.painter()
                .add(egui::Shape::convex_polygon(points, color, Stroke::NONE));
        }
        if response.dragged()
            && let Some(at) = response.interact_pointer_pos()
        {
            let share = (at.x - seen.left()) / seen.width().max(1.0);
            pane.asks.push(RunsAsk::MoveDivider(share));
        }
        if response.double_clicked() {
            pane.asks.push(RunsAsk::MoveDivider(0.5));
        }
    });
}
