//! The widgets of the call neighbourhood, and what the pointer does there.

use egui::Ui;

use super::view::{MOST_STEPS, Neighbourhood};
use crate::Pane;
use crate::parts::graph::chart::{Chart, Spot};
use crate::parts::graph::model::Of;
use crate::parts::graph::panel;
use crate::parts::graph::view::MOST_OF_ALL;
use crate::parts::style;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{CameraAsk, SelectAsk};
use callscape_state::document::Document;

pub(super) fn show(view: &mut Neighbourhood, ui: &mut Ui, pane: &mut Pane<'_>) {
    let mut chart = std::mem::take(&mut view.base.chart);
    let mut is_other = false;
    let pointing = panel::show(ui, "neighbours", &mut chart, pane, |ui, chart, pane| {
        is_other = head(view, chart, ui, pane);
    });
    view.base.chart = chart;
    if is_other {
        view.base.revision += 1;
    }
    if let Some(document) = &pane.state.document {
        point(view, document, pointing, pane);
    }
}

/// Its own widgets over the graph; whether another graph is wanted.
fn head(view: &mut Neighbourhood, chart: &mut Chart, ui: &mut Ui, pane: &Pane<'_>) -> bool {
    let mut is_other = false;
    let Some(document) = pane
        .state
        .document
        .as_ref()
        .filter(|it| it.resolved().is_some())
    else {
        return is_other;
    };
    ui.label(style::weak("steps").small());
    let steps = egui::DragValue::new(&mut view.steps).range(1..=MOST_STEPS);
    is_other |= ui
        .add(steps)
        .on_hover_text("How far out on both sides: > and <")
        .changed();
    ui.label(style::weak("functions").small());
    let most = egui::DragValue::new(&mut view.base.most).range(2..=MOST_OF_ALL);
    is_other |= ui
        .add(most)
        .on_hover_text("How many are shown at most: R shows more")
        .changed();
    is_other |= panel::choose_width(ui, document, &mut view.base.by);
    panel::choose_tint(ui, document, &mut chart.tint);
    if ui
        .button("All in sight")
        .on_hover_text("As large as fits: Home")
        .clicked()
    {
        chart.show_all();
    }
    let is_elsewhere = document
        .selection
        .chosen
        .function
        .is_some_and(|it| Some(it) != view.middle);
    let middle = egui::Button::new("Put in the middle");
    let about = "Centres the selected function: double-click or C";
    if ui
        .add_enabled(is_elsewhere, middle)
        .on_hover_text(about)
        .clicked()
        && let Some(function) = document.selection.chosen.function
    {
        view.set_middle(function);
    }
    if !document.filters.is_empty() {
        ui.label(style::weak("without excluded calls"));
    }
    is_other
}

/// Does what the pointer does.
fn point(
    view: &mut Neighbourhood,
    document: &Document,
    pointing: panel::Pointing,
    pane: &mut Pane<'_>,
) {
    let Some(laid) = view.base.chart.laid().cloned() else {
        return;
    };
    let graph = &laid.graph;
    let (pointed, tip) = view.base.meant(document, pointing.spot);
    pane.pointed = pointed;
    let is_more = |place: u32| {
        let of = graph.boxes.get(place as usize).map(|it| it.of);
        matches!(of, Some(Of::More(_)))
    };
    match pointing.spot {
        Some(Spot::Box(place) | Spot::BoxSign(place))
            if pointing.is_clicked() && is_more(place) =>
        {
            view.base.show_more();
        }
        Some(Spot::BoxSign(place)) if pointing.is_clicked() => view.go_on(place, None),
        Some(Spot::Box(place)) if pointing.is_double() => {
            if let Some(function) = view.base.function_at(place) {
                view.set_middle(function);
            }
        }
        Some(Spot::Box(place)) if pointing.is_clicked() => {
            view.base.set_focus(place);
            view.choose(pointed, false, pane.asks);
        }
        Some(Spot::Frame(_)) if pointing.is_double() => {
            pane.asks.extend(pointed.module.map(CameraAsk::FlyTo));
        }
        Some(Spot::Line(_) | Spot::Frame(_)) if pointing.is_clicked() => {
            view.choose(pointed, false, pane.asks);
        }
        None if pointing.is_clicked() => pane.asks.push(SelectAsk::Choose(Pointed::default())),
        _ => {}
    }
    pointing.tell(tip);
}
