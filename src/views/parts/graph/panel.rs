//! A graph in a pane: its picture, and what the pointer does there.
//!
//! The wheel zooms about the pointer. A drag moves the box that it begins on, or else the whole graph.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{
    Color32, PointerButton, PopupCloseBehavior, Pos2, Rect, Response, Role, Sense, Ui, UiBuilder,
};
use glam::Vec2;

use super::chart::{Chart, Spot};
use super::model::{By, Tint};
use super::moved::Put;
use super::tips::Tip;
use crate::Pane;
use crate::parts::style;
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
    /// A box that was put elsewhere.
    pub put: Option<Put>,
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
    head: impl FnOnce(&mut Ui, &mut Chart, &Document),
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
    let document = pane.state.document.as_ref();
    let document = document.filter(|it| it.resolved().is_some());
    let shown = ui.scope_builder(UiBuilder::new().max_rect(strip), |ui| {
        let ground = ui.painter().add(egui::Shape::Noop);
        if rect.width() >= WIDE {
            ui.horizontal_wrapped(|ui| document.map(|it| head(ui, chart, it)));
        } else if let Some(document) = document {
            // In rows they would cover the graph.
            let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
            MenuButton::new("Options")
                .config(stays)
                .ui(ui, |ui| head(ui, chart, document));
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
    let hierarchy = document.map(|it| &it.session.hierarchy);
    if response.drag_started_by(PointerButton::Primary)
        && let Some(at) = ui.input(|input| input.pointer.press_origin())
        && let Some(hierarchy) = hierarchy
    {
        chart.grab(place(at), hierarchy);
    }
    let by = response.drag_delta() * scale;
    let to = response.interact_pointer_pos().map(place);
    match (hierarchy.filter(|_| chart.is_held()), to) {
        (Some(hierarchy), Some(to)) => chart.drag(to, hierarchy),
        _ if response.dragged() && by != egui::Vec2::ZERO => chart.pan(Vec2::new(by.x, by.y)),
        _ => {}
    }
    let put = match response.dragged() {
        true => None,
        false => chart.let_go(pane.state.now()),
    };
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
    Pointing {
        spot,
        response,
        put,
    }
}

/// What all graphs have to choose of, beside how many boxes there are; whether another graph is wanted.
pub(crate) fn choices(ui: &mut Ui, document: &Document, chart: &mut Chart, by: &mut By) -> bool {
    let before = *by;
    if document.counts_calls() {
        let about = ("width", "What the width of lines says");
        choice(ui, about, 60.0, by, By::ALL);
    }
    if document.runs.is_some() {
        let about = ("colour", "What the colour of lines says");
        choice(ui, about, 90.0, &mut chart.tint, Tint::ALL);
    }
    let all = ui.button("All in sight");
    if all.on_hover_text("As large as fits: Home").clicked() {
        chart.show_all();
    }
    if !document.filters.is_empty() {
        ui.label(style::weak("without excluded calls"));
    }
    *by != before
}

/// A button that puts boxes back, where the user moved some; whether it was clicked.
pub(crate) fn put_back(ui: &mut Ui, document: &Document, chart: &Chart) -> bool {
    chart.has_moved(&document.session.hierarchy) && {
        let about = "Returns the boxes that you moved to their places: Shift + Home";
        ui.button("Put back").on_hover_text(about).clicked()
    }
}

/// A number to choose; whether it is another one.
pub(crate) fn number(
    ui: &mut Ui,
    (label, about): (&str, &str),
    of: &mut u32,
    range: std::ops::RangeInclusive<u32>,
) -> bool {
    ui.label(style::weak(label).small());
    let number = ui.add(egui::DragValue::new(of).range(range));
    number.on_hover_text(about).changed()
}
