//! A view that draws on a sheet: its picture, and what the pointer does there.
//!
//! The wheel zooms along time about the pointer; with Ctrl it zooms across; with Shift it scrolls. A drag
//! moves, a drag with Shift or the right button chooses a range.

use egui::{Color32, PointerButton, Pos2, Rect, Sense, TextureId, Ui};
use glam::Vec2;

use super::super::ask::{CameraAsk, PlayAsk, SelectAsk, SheetAsk};
use super::super::sheets::{SheetAction, Sheets};
use super::super::style;
use super::{Context, rows};
use crate::analysis::session::Session;
use crate::filter::selection::Pointed;
use crate::units::TimeRange;
use crate::views::table::ViewId;
use crate::views::tip::Tip;

/// So many points of the wheel double the detail.
const WHEEL: f32 = 160.0;

pub fn show(ui: &mut Ui, view: ViewId, picture: Option<TextureId>, context: &mut Context<'_>) {
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0, ui.visuals().panel_fill);
    let Some(document) = &context.bench.document else {
        return;
    };
    let Some(sheets) = &document.sheets else {
        ui.centered_and_justified(|ui| {
            let hint = match document.profile() {
                Some(_) => crate::views::NO_TIMES,
                None => "Open a recording to see what happened when.",
            };
            ui.label(style::weak(hint));
        });
        return;
    };
    if let Some(id) = picture {
        let uv = Rect::from_min_max(Pos2::ZERO, egui::pos2(1.0, 1.0));
        ui.painter().image(id, rect, uv, Color32::WHITE);
    }
    let id = ui.scope_id().with(("sheet", view.line().id));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    let scale = ui.pixels_per_point();
    let place = |at: Pos2| {
        let at = (at - rect.min) * scale;
        Vec2::new(at.x, at.y)
    };
    let mut act = |action| context.asks.push(SheetAsk::Act(view, action));
    let (shift, command, scroll) = ui.input(|input| {
        let modifiers = input.modifiers;
        (
            modifiers.shift,
            modifiers.command,
            input.smooth_scroll_delta,
        )
    });
    if let Some(at) = response.hover_pos() {
        let turned = scroll.x + scroll.y;
        let factor = (turned / WHEEL).exp2();
        let at = place(at);
        if turned != 0.0 && command {
            let factor = Vec2::new(1.0, factor);
            act(SheetAction::Zoom { at, factor });
        } else if scroll.y != 0.0 && !shift {
            let factor = Vec2::new((scroll.y / WHEEL).exp2(), 1.0);
            act(SheetAction::Zoom { at, factor });
        } else if scroll.y != 0.0 {
            act(SheetAction::Pan(Vec2::new(0.0, scroll.y * scale)));
        }
        if scroll.x != 0.0 && !command {
            let by = if shift {
                Vec2::new(0.0, scroll.x)
            } else {
                Vec2::new(scroll.x, 0.0)
            };
            act(SheetAction::Pan(by * scale));
        }
    }
    let of = (sheets, &*document.session);
    drag(ui, view, &response, of, shift, place, context);
    if let Some(corner) = sheets.corner(view) {
        let points = |at: Vec2| rect.min + egui::vec2(at.x, at.y) / scale;
        let corner = Rect::from_min_max(points(corner.min), points(corner.max));
        rows::show(ui, corner, context);
    }
    if response.dragged() {
        return;
    }
    let Some(at) = response.hover_pos().map(place) else {
        return;
    };
    let pointed = sheets.pointed(view, &document.session, at);
    context.pointed = pointed;
    if response.double_clicked() {
        double_click(view, pointed, context);
    } else if response.clicked() {
        match sheets.heading_at(view, at) {
            Some(thread) => {
                let action = SheetAction::ToggleThread(thread);
                context.asks.push(SheetAsk::Act(view, action));
            }
            None => {
                context.asks.push(SelectAsk::Choose(pointed));
                context.asks.extend(pointed.time.map(PlayAsk::Seek));
            }
        }
    }
    if let Some(tip) = sheets.tip(view, &document.session, at) {
        response.on_hover_ui_at_pointer(|ui| show_tip(ui, &tip));
    }
}

/// A drag: moves what is shown, or chooses a range.
fn drag(
    ui: &Ui,
    view: ViewId,
    response: &egui::Response,
    (sheets, session): (&Sheets, &Session),
    shift: bool,
    place: impl Fn(Pos2) -> Vec2,
    context: &mut Context<'_>,
) {
    // Where a drag that chooses a range began, as a time: what is shown may be moved meanwhile.
    let begun = ui.data(|data| data.get_temp::<crate::units::Time>(response.id));
    let chooses = shift || response.dragged_by(PointerButton::Secondary);
    if response.drag_started() && chooses {
        let origin = ui.input(|input| input.pointer.press_origin());
        let time = origin.and_then(|at| sheets.time_at(view, session, place(at).x));
        if let Some(time) = time {
            ui.data_mut(|data| data.insert_temp(response.id, time));
        }
        return;
    }
    if response.drag_stopped() && begun.is_some() {
        ui.data_mut(|data| data.remove::<crate::units::Time>(response.id));
        context.asks.push(SelectAsk::EndRangeDrag);
        return;
    }
    if !response.dragged() {
        return;
    }
    match (begun, response.interact_pointer_pos()) {
        (Some(from), Some(at)) => {
            if let Some(to) = sheets.time_at(view, session, place(at).x) {
                let range = TimeRange::new(from, to);
                context.asks.push(SelectAsk::DragRange(range));
            }
        }
        (None, _) => {
            let by = response.drag_delta() * ui.pixels_per_point();
            if by != egui::Vec2::ZERO {
                let action = SheetAction::Pan(Vec2::new(by.x, by.y));
                context.asks.push(SheetAsk::Act(view, action));
            }
        }
        (Some(_), None) => {}
    }
}

/// In the call stack view the call is shown whole; elsewhere one flies to the module.
fn double_click(view: ViewId, pointed: Pointed, context: &mut Context<'_>) {
    match (view, pointed.call) {
        (ViewId::Flame, Some(call)) => {
            let action = SheetAction::Fit(call);
            context.asks.push(SheetAsk::Act(view, action));
        }
        (ViewId::Flame, None) => {}
        _ => context.asks.extend(pointed.module.map(CameraAsk::FlyTo)),
    }
}

fn show_tip(ui: &mut Ui, tip: &Tip) {
    ui.set_max_width(340.0);
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.add(egui::Label::new(style::title(tip.title.as_str())).wrap());
    for line in &tip.lines {
        ui.add(egui::Label::new(style::weak(line.as_str()).small()).wrap());
    }
}
