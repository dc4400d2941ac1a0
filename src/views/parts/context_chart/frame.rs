//! The pane of a chart, and what it says while there is nothing to draw.

use egui::Ui;

use crate::Pane;
use crate::parts::{rows, style};
use callscape_state::document::Document;

/// The room around a chart.
pub(crate) fn around(bottom: i8) -> egui::Frame {
    egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 10,
        top: 6,
        bottom,
    })
}

/// Shows `contents` once there are contexts to show, in `frame`; without a recording says what opening one shows.
pub(crate) fn show(
    ui: &mut Ui,
    pane: &mut Pane<'_>,
    (counted_none, shows): (bool, &str),
    frame: egui::Frame,
    contents: impl FnOnce(&mut Ui, &Document, &mut Pane<'_>),
) {
    rows::ground(ui);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    if document.resolved().is_none() {
        return rows::hint(ui, &format!("Open a recording to see {shows}."));
    }
    if counted_none {
        return rows::hint(
            ui,
            "This profile has functions and call relations, but no stacks. Its functions are in the table of \
             functions.",
        );
    }
    frame.show(ui, |ui| contents(ui, document, pane));
}

/// Says that what is shown is not limited by filters, where there are some.
pub(crate) fn says_excluded(ui: &mut Ui, document: &Document) {
    if !document.filters.is_empty() {
        ui.label(style::weak("including excluded calls"));
    }
}
