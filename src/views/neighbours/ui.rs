//! The widgets of the call neighbourhood, and what the pointer does there.

use egui::Ui;

use super::view::{MOST_STEPS, NAME, Neighbourhood};
use crate::Pane;
use crate::parts::graph::chart::{Chart, Spot};
use crate::parts::graph::panel;
use crate::parts::graph::view::{Act, MOST_OF_ALL};
use callscape_state::ask::{CameraAsk, GraphKey};
use callscape_state::document::Document;

pub(super) fn show(view: &mut Neighbourhood, ui: &mut Ui, pane: &mut Pane<'_>) {
    let mut chart = std::mem::take(&mut view.base.chart);
    let (mut is_other, mut is_back) = (false, false);
    let pointing = panel::show(ui, "neighbours", &mut chart, pane, |ui, chart, document| {
        is_other = head(view, chart, ui, document);
        is_back = panel::put_back(ui, document, chart);
    });
    view.base.chart = chart;
    if is_other {
        view.base.revision += 1;
    }
    if let Some(document) = &pane.state.document {
        if is_back {
            let of = (document, NAME);
            view.base.press_to_move(GraphKey::PutBack, of, pane.asks);
        }
        point(view, document, pointing, pane);
    }
}

/// Its own widgets over the graph; whether another graph is wanted.
fn head(view: &mut Neighbourhood, chart: &mut Chart, ui: &mut Ui, document: &Document) -> bool {
    let about = "How far out on both sides: > and <";
    let mut is_other = panel::number(ui, ("steps", about), &mut view.steps, 1..=MOST_STEPS);
    let about = "How many are shown at most: R shows more";
    let most = &mut view.base.most;
    is_other |= panel::number(ui, ("functions", about), most, 2..=MOST_OF_ALL);
    is_other |= panel::choices(ui, document, chart, &mut view.base.by);
    let chosen = document.selection.chosen.function;
    let elsewhere = chosen.filter(|it| Some(*it) != view.middle);
    let middle = egui::Button::new("Put in the middle");
    let about = "Centres the selected function: double-click or C";
    let response = ui.add_enabled(elsewhere.is_some(), middle);
    if response.on_hover_text(about).clicked()
        && let Some(function) = elsewhere
    {
        view.set_middle(function);
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
    match view.base.point(document, pointing, (NAME, pane)) {
        Act::Open(Spot::BoxSign(place)) => view.go_on(place, None),
        Act::Open(Spot::Box(place)) => {
            if let Some(function) = view.base.function_at(place) {
                view.set_middle(function);
            }
        }
        Act::Open(_) => pane.asks.extend(pane.pointed.module.map(CameraAsk::FlyTo)),
        Act::Choose(pointed) => view.choose(pointed, false, pane.asks),
        Act::Nothing => {}
    }
}
