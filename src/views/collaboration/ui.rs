//! The widgets of the collaboration view, and what the pointer does there.

use egui::Ui;

use super::view::{Collaboration, MOST_LINES, NAME};
use crate::Pane;
use crate::parts::graph::chart::{Chart, Spot};
use crate::parts::graph::model::{Arrangement, Of};
use crate::parts::graph::panel;
use crate::parts::graph::view::{Act as Done, MOST_OF_ALL};
use crate::parts::widgets::choice;
use callscape_state::ask::{GraphKey, SelectAsk};
use callscape_state::document::Document;

/// What the widgets were used for.
#[derive(Default)]
struct Act {
    level: Option<bool>,
    is_other: bool,
    is_anew: bool,
    is_back: bool,
}

pub(super) fn show(view: &mut Collaboration, ui: &mut Ui, pane: &mut Pane<'_>) {
    let mut chart = std::mem::take(&mut view.base.chart);
    let mut act = Act::default();
    let pointing = panel::show(
        ui,
        "collaboration",
        &mut chart,
        pane,
        |ui, chart, document| {
            act = head(view, chart, ui, document);
        },
    );
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
    if act.is_back {
        let of = (document, NAME);
        view.base.press_to_move(GraphKey::PutBack, of, pane.asks);
    }
    if act.is_other || act.is_anew {
        view.base.revision += 1;
    }
    point(view, document, pointing, pane);
}

/// Its own widgets over the graph.
fn head(view: &mut Collaboration, chart: &mut Chart, ui: &mut Ui, document: &Document) -> Act {
    let mut button = |title: &str, about: &str| ui.button(title).on_hover_text(about).clicked();
    let is_more = button("Unfold all", "One level more: >").then_some(true);
    let is_less = button("Fold all", "One level less: <").then_some(false);
    let about = "Forgets the current positions, so that fewer lines cross";
    let is_anew = button("New layout", about);
    let is_back = panel::put_back(ui, document, chart);
    let about = "How many boxes are shown at most: beyond, modules are folded";
    let most = &mut view.base.most;
    let mut is_other = panel::number(ui, ("boxes", about), most, 2..=MOST_OF_ALL);
    let about = "Maximum number of lines, the widest first";
    let most = &mut view.most_lines;
    is_other |= panel::number(ui, ("lines", about), most, 1..=MOST_LINES * 10);
    is_other |= layout(view, ui);
    is_other |= panel::choices(ui, document, chart, &mut view.base.by);
    Act {
        level: is_more.or(is_less),
        is_other,
        is_anew,
        is_back,
    }
}

/// The choice of how boxes are placed; whether another one is wanted.
fn layout(view: &mut Collaboration, ui: &mut Ui) -> bool {
    let before = view.arrangement;
    let about = "Places callers left of callees, or boxes closer together the wider their line";
    let now = &mut view.arrangement;
    choice(ui, ("layout", about), 90.0, now, Arrangement::ALL);
    *now != before
}

/// Does what the pointer does.
fn point(
    view: &mut Collaboration,
    document: &Document,
    pointing: panel::Pointing,
    pane: &mut Pane<'_>,
) {
    match view.base.point(document, pointing, (NAME, pane)) {
        Done::Open(Spot::Box(place) | Spot::BoxSign(place)) => {
            if let Some(module) = view.base.of_box(place).and_then(Of::module) {
                view.set_open(module, true, document, pane.asks);
            }
        }
        Done::Open(Spot::Frame(place) | Spot::FrameSign(place)) => {
            let laid = view.base.chart.laid();
            let frame = laid.and_then(|it| it.graph.frames.get(place as usize));
            if let Some(module) = frame.map(|it| it.module) {
                view.set_open(module, false, document, pane.asks);
            }
        }
        Done::Choose(pointed) => pane.asks.push(SelectAsk::Choose(pointed)),
        Done::Open(Spot::Line(_)) | Done::Nothing => {}
    }
}
