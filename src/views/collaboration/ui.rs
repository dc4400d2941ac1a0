//! The widgets of the collaboration view, and what the pointer does there.

use egui::Ui;

use super::view::{Collaboration, MOST_LINES};
use crate::Pane;
use crate::parts::graph::chart::{Chart, Spot};
use crate::parts::graph::model::Of;
use crate::parts::graph::panel;
use crate::parts::graph::view::MOST_OF_ALL;
use crate::parts::style;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::ask::SelectAsk;
use callscape_state::document::Document;

/// What the widgets were used for.
#[derive(Default)]
struct Act {
    level: Option<bool>,
    is_other: bool,
    is_anew: bool,
}

pub(super) fn show(view: &mut Collaboration, ui: &mut Ui, pane: &mut Pane<'_>) {
    let mut chart = std::mem::take(&mut view.base.chart);
    let mut act = Act::default();
    let pointing = panel::show(ui, "collaboration", &mut chart, pane, |ui, chart, pane| {
        act = head(view, chart, ui, pane);
    });
    view.base.chart = chart;
    let Some(document) = &pane.state.document else {
        return;
    };
    if let Some(is_more) = act.level {
        view.change_level(is_more, document);
    }
    if act.is_anew {
        view.base.chart.forget();
        view.base.wanted = None;
    }
    if act.is_other || act.is_anew {
        view.base.revision += 1;
    }
    point(view, document, pointing, pane);
}

/// Its own widgets over the graph.
fn head(view: &mut Collaboration, chart: &mut Chart, ui: &mut Ui, pane: &Pane<'_>) -> Act {
    let mut act = Act::default();
    let Some(document) = pane
        .state
        .document
        .as_ref()
        .filter(|it| it.resolved().is_some())
    else {
        return act;
    };
    let button =
        |ui: &mut Ui, title: &str, about: &str| ui.button(title).on_hover_text(about).clicked();
    if button(ui, "Unfold all", "One level more: >") {
        act.level = Some(true);
    }
    if button(ui, "Fold all", "One level less: <") {
        act.level = Some(false);
    }
    if button(ui, "All in sight", "As large as fits: Home") {
        chart.show_all();
    }
    act.is_anew = button(
        ui,
        "New layout",
        "Forgets the current positions, so that fewer lines cross",
    );
    act.is_other |= panel::choose_width(ui, document, &mut view.base.by);
    panel::choose_tint(ui, document, &mut chart.tint);
    ui.label(style::weak("boxes").small());
    let most = egui::DragValue::new(&mut view.base.most).range(2..=MOST_OF_ALL);
    act.is_other |= ui
        .add(most)
        .on_hover_text("How many boxes are shown at most: beyond, modules are folded")
        .changed();
    ui.label(style::weak("lines").small());
    let most = egui::DragValue::new(&mut view.most_lines).range(1..=MOST_LINES * 10);
    act.is_other |= ui
        .add(most)
        .on_hover_text("Maximum number of lines, the widest first")
        .changed();
    if !document.filters.is_empty() {
        ui.label(style::weak("without excluded calls"));
    }
    act
}

/// Does what the pointer does.
fn point(
    view: &mut Collaboration,
    document: &Document,
    pointing: panel::Pointing,
    pane: &mut Pane<'_>,
) {
    let Some(laid) = view.base.chart.laid().cloned() else {
        return;
    };
    let graph = &laid.graph;
    let of_box = |place: u32| graph.boxes.get(place as usize).map(|it| it.of);
    let module_of_frame = |place: u32| graph.frames.get(place as usize).map(|it| it.module);
    let (pointed, tip) = view.base.meant(document, pointing.spot);
    pane.pointed = pointed;
    let mut fold: Option<(ModuleId, bool)> = None;
    match pointing.spot {
        Some(Spot::BoxSign(place)) if pointing.is_clicked() => match of_box(place) {
            Some(Of::More(_)) => view.base.show_more(),
            of => fold = of.and_then(Of::module).map(|it| (it, true)),
        },
        Some(Spot::FrameSign(place)) if pointing.is_clicked() => {
            fold = module_of_frame(place).map(|it| (it, false));
        }
        Some(Spot::Box(place)) if pointing.is_double() => match of_box(place) {
            Some(Of::More(_)) => view.base.show_more(),
            of => fold = of.and_then(Of::module).map(|it| (it, true)),
        },
        Some(Spot::Frame(place)) if pointing.is_double() => {
            fold = module_of_frame(place).map(|it| (it, false));
        }
        Some(Spot::Box(place)) if pointing.is_clicked() => {
            view.base.set_focus(place);
            pane.asks.push(SelectAsk::Choose(pointed));
        }
        Some(Spot::Line(_) | Spot::Frame(_)) if pointing.is_clicked() => {
            pane.asks.push(SelectAsk::Choose(pointed));
        }
        None if pointing.is_clicked() => pane.asks.push(SelectAsk::Choose(Pointed::default())),
        _ => {}
    }
    if let Some((module, is_open)) = fold {
        view.set_open(module, is_open, document, pane.asks);
    }
    pointing.tell(tip);
}
