//! The pane of a chart, and what it says while there is nothing to draw.

use egui::text::{LayoutJob, TextWrapping};
use egui::{FontId, Rect, Sense, Ui, pos2};

use crate::Pane;
use crate::parts::contexts::ShownContexts;
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

/// Says how much a chart has and what of it is not seen, in the line below it, as far as there is room up to `right`; all of
/// it where the pointer is.
pub(crate) fn say_below(ui: &Ui, line: Rect, texts: &[String], right: f32) {
    let said = texts.join(" · ");
    let weak = ui.visuals().weak_text_color();
    let mut job = LayoutJob::simple_singleline(said.clone(), FontId::proportional(11.5), weak);
    job.wrap = TextWrapping::truncate_at_width((right - line.left() - 12.0).max(0.0));
    let painter = ui.painter();
    let galley = painter.layout_job(job);
    let corner = pos2(line.left(), line.center().y - galley.size().y * 0.5);
    if galley.elided {
        let place = Rect::from_min_size(corner, galley.size());
        let response = ui.interact(place, ui.scope_id().with("below the chart"), Sense::hover());
        response.on_hover_text(said);
    }
    painter.galley(corner, galley, weak);
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

/// Says why contexts are not told apart by call site, where that is wished.
pub(crate) fn says_without_sites(ui: &mut Ui, shown: Option<&ShownContexts>) {
    if let Some(why) = shown.and_then(|it| it.without_sites) {
        let label = egui::Label::new(style::weak("no call sites")).sense(Sense::hover());
        ui.add(label).on_hover_text(why.to_string());
    }
}

/// Says that what is shown is not limited by filters, where there are some.
pub(crate) fn says_excluded(ui: &mut Ui, document: &Document) {
    if !document.filters.is_empty() {
        ui.label(style::weak("including excluded calls"));
    }
}
