//! The list of findings: a number, the sentence, why it matters, how certain it is, and its share as a bar.

use egui::text::LayoutJob;
use egui::{Align, Button, FontSelection, Rect, RichText, ScrollArea, Ui};

use super::super::Pane;
use super::view::FindingsView;
use crate::parts::remarks;
use crate::parts::{rows, style};
use callscape_analysis::findings::{Finding, Whole};
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::Ask;
use callscape_state::document::Document;

/// The height of a bar, and the space at its left, in points: it begins where the text does.
const BAR: f32 = 3.0;
const MARGIN: f32 = 9.0;

pub(super) fn show(view: &mut FindingsView, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let Some(document) = remarks::one_run(pane.state) else {
        return rows::hint(ui, "Open one recording to see findings about it.");
    };
    if view.remarks.found.is_empty() {
        let text = match view.remarks.is_waiting() {
            true => "Looking for findings …",
            false => "Nothing remarkable: no finding has a twelfth of the run.",
        };
        return rows::hint(ui, text);
    }
    rows::frame().show(ui, |ui| {
        let area = ScrollArea::vertical().auto_shrink(false);
        area.show(ui, |ui| {
            let about = "Adds a bookmark and a shot with a caption for each finding";
            if ui.button("Present").on_hover_text(about).clicked() {
                let all = view.remarks.found.clone();
                pane.asks.push(Ask::Present(all));
            }
            let to_show = view.to_show.take();
            for (number, finding) in view.remarks.found.iter().enumerate() {
                let is_chosen = is_chosen(finding, document);
                let response = row(ui, (number, finding), is_chosen, pane.state);
                if response.hovered() {
                    pane.pointed = pointed(finding, document);
                }
                if to_show == Some(number) {
                    response.scroll_to_me(None);
                }
                if response.clicked() {
                    view.at = Some(number);
                    pane.asks.extend(remarks::show(finding, pane.state));
                }
            }
        });
    });
}

fn pointed(finding: &Finding, document: &Document) -> Pointed {
    let function = remarks::subject(finding);
    let module = function.and_then(|it| document.module_of(it));
    Pointed {
        function,
        ..Pointed::at_module(module)
    }
}

/// Whether a click on the finding chose what is chosen.
fn is_chosen(finding: &Finding, document: &Document) -> bool {
    let own = pointed(finding, document);
    let chosen = &document.selection.chosen;
    own.module.is_some() && (own.module, own.function) == (chosen.module, chosen.function)
}

/// A finding, its share below it.
fn row(
    ui: &mut Ui,
    (number, finding): (usize, &Finding),
    is_chosen: bool,
    state: &State,
) -> egui::Response {
    let wide = ui.available_width() - 8.0;
    let view = state.panes.named(finding.view);
    let view = view.map_or("", |it| it.title());
    let text = sentence(ui, (number, finding), (wide, view));
    let button = Button::selectable(is_chosen, text);
    let response = ui.add(button.wrap().min_size(egui::vec2(wide, 0.0)));
    let (place, _) = ui.allocate_exact_size(egui::vec2(wide, BAR), egui::Sense::hover());
    let line = Rect::from_min_max(place.min + egui::vec2(MARGIN, 0.0), place.max);
    let part = match finding.of {
        Whole::Nothing => 0.0,
        Whole::Run | Whole::Memory => finding.share.clamp(0.0, 1.0) as f32,
    };
    let bar = Rect::from_min_size(line.min, egui::vec2(line.width() * part, BAR));
    let colors = style::colors(state.settings.theme);
    let colors = [colors.line, colors.accent];
    for (place, color) in [line, bar].into_iter().zip(colors) {
        ui.painter().rect_filled(place, 1, color);
    }
    ui.add_space(4.0);
    response
}

/// The sentence, and in a weaker line why it matters, how certain it is and where there is more.
fn sentence(ui: &Ui, (number, finding): (usize, &Finding), (wide, view): (f32, &str)) -> LayoutJob {
    let mut job = LayoutJob::default();
    let mut add = |text: RichText| {
        text.append_to(&mut job, ui.style(), FontSelection::Default, Align::LEFT);
    };
    // Lines break at narrow spaces, but not within a number.
    let text = escape::name(&finding.text).replace('\u{202f}', "\u{a0}");
    let title = finding.kind.title();
    add(RichText::new(format!("{}. {title}: {text}\n", number + 1)));
    let certainty = finding.certainty.name();
    let why = finding.kind.why();
    add(style::weak(format!("{why}; {certainty}; more in {view}")).small());
    job.wrap.max_width = wide;
    job
}
