//! A graph in a pane: its picture, and what the pointer does there.
//!
//! The wheel zooms about the pointer, a drag moves.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Color32, PopupCloseBehavior, Pos2, Rect, Response, Role, Sense, Ui, UiBuilder};
use glam::Vec2;

use super::chart::{Chart, Spot};
use super::model::{By, Tint};
use super::tips::Tip;
use crate::Pane;
use crate::parts::widgets::{choice, tell};
use callscape_state::document::Document;

/// This many points of the wheel double the size.
const WHEEL: f32 = 160.0;

/// With less room than this, in points, widgets are in a menu.
const WIDE: f32 = 520.0;

/// What the pointer does.
pub(crate) struct Pointing {
    pub spot: Option<Spot>,
    pub response: Response,
}

impl Pointing {
    pub(crate) fn is_clicked(&self) -> bool {
        self.response.clicked()
    }

    pub(crate) fn is_double(&self) -> bool {
        self.response.double_clicked()
    }

    /// Says something of what is there.
    pub(crate) fn tell(self, tip: Option<Tip>) {
        if let Some(tip) = tip {
            self.response
                .on_hover_ui_at_pointer(|ui| tip.show(ui, 380.0));
        }
    }
}

/// Shows the picture with `head` over it, and says what the pointer is on.
pub(crate) fn show(
    ui: &mut Ui,
    name: &str,
    chart: &mut Chart,
    pane: &mut Pane<'_>,
    head: impl FnOnce(&mut Ui, &mut Chart, &mut Pane<'_>),
) -> Pointing {
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0, ui.visuals().panel_fill);
    if let Some(id) = pane.pictures[0] {
        let uv = Rect::from_min_max(Pos2::ZERO, egui::pos2(1.0, 1.0));
        ui.painter().image(id, rect, uv, Color32::WHITE);
    }
    let id = ui.scope_id().with(("graph", name));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    tell(
        &response,
        Role::Image,
        format_args!("Graph of the {name}; the calls table lists the same data"),
    );
    let mut strip = rect.shrink2(egui::vec2(10.0, 6.0));
    strip.max.y = rect.max.y;
    let shown = ui.scope_builder(UiBuilder::new().max_rect(strip), |ui| {
        let ground = ui.painter().add(egui::Shape::Noop);
        if rect.width() >= WIDE {
            ui.horizontal_wrapped(|ui| head(ui, chart, pane));
        } else {
            // In rows they would cover the graph.
            let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
            MenuButton::new("Options")
                .config(stays)
                .ui(ui, |ui| head(ui, chart, pane));
        }
        let used = ui.min_rect();
        let below = Rect::from_min_max(rect.min, egui::pos2(rect.max.x, used.max.y + 6.0));
        let fill = egui::Shape::rect_filled(below, 0, ui.visuals().panel_fill);
        ui.painter().set(ground, fill);
        below.height()
    });
    chart.head = shown.inner.round();
    let scale = ui.pixels_per_point();
    let place = |at: Pos2| {
        let at = (at - rect.min) * scale;
        Vec2::new(at.x, at.y)
    };
    if response.dragged() {
        let by = response.drag_delta() * scale;
        if by != egui::Vec2::ZERO {
            chart.pan(Vec2::new(by.x, by.y));
        }
    }
    let turned = ui.input(|input| input.smooth_scroll_delta.y);
    let at = response.hover_pos().map(place);
    if let Some(at) = at.filter(|_| turned != 0.0) {
        chart.zoom(at, (turned / WHEEL).exp2());
    }
    if chart.is_moving() {
        ui.ctx().request_repaint();
    }
    let spot = at
        .filter(|_| !response.dragged())
        .and_then(|at| chart.spot(at));
    Pointing { spot, response }
}

/// What the width of lines says; whether it is something else.
pub(crate) fn choose_width(ui: &mut Ui, document: &Document, by: &mut By) -> bool {
    if !document.counts_calls() {
        return false;
    }
    let before = *by;
    let about = ("width", "What the width of lines says");
    let all = By::ALL.into_iter().map(|it| (it, it.title()));
    choice(ui, about, 60.0, by, all);
    *by != before
}

/// What the colour of lines says, of two runs.
pub(crate) fn choose_tint(ui: &mut Ui, document: &Document, tint: &mut Tint) {
    if document.runs.is_none() {
        return;
    }
    let about = ("colour", "What the colour of lines says");
    let all = Tint::ALL.into_iter().map(|it| (it, it.title()));
    choice(ui, about, 90.0, tint, all);
}
