//! Which function of one run is which of the other: shown, and corrected.

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::Pane;
use super::Differences;
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_analysis::comparison::pairing::Correction;
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_model::pairs::PairRow;
use callscape_state::ask::{CameraAsk, RunsAsk};
use callscape_state::runs::Runs;

/// What is said of all functions, and what can be done about the rows that are marked.
pub fn head(view: &mut Differences, ui: &mut Ui, runs: &Runs, pane: &mut Pane<'_>) {
    let pairs = &runs.pairs;
    let mut corrected: Option<Vec<Correction>> = None;
    ui.horizontal_wrapped(|ui| {
        let same = text::count(pairs.same as u64);
        ui.label(style::weak(format!("{same} of one name in one place")));
        let marked = view.marked;
        let is_swapped = runs.is_swapped();
        let [a, b] = marked;
        let joined = a.zip(b).and_then(|(a, b)| pairs.joined([a, b], is_swapped));
        let apart = a.filter(|_| a == b);
        let apart = apart.and_then(|row| pairs.apart(row, is_swapped));
        for (title, about, next) in [
            (
                "Are one",
                "The function of A and that of B that are marked are one: click each to mark it",
                joined,
            ),
            (
                "Are two",
                "The function of A is none of B, whatever it is like: click a pair to mark it",
                apart,
            ),
        ] {
            let button = ui.add_enabled(next.is_some(), egui::Button::new(title));
            let button = button.on_hover_text(about).on_disabled_hover_text(about);
            if let Some(next) = next.filter(|_| button.clicked()) {
                corrected = Some(next);
            }
        }
        let said = pairs.corrections.len();
        if said > 0 {
            let button = ui.button(format!(
                "Forget {}",
                text::counted(said as u64, "correction", "corrections")
            ));
            let lines = pairs.corrections.iter();
            let lines =
                lines.map(|it| format!("{} = {}", escape::name(&it.old), escape::name(&it.new)));
            let lines: Vec<String> = lines.collect();
            if button.on_hover_text(lines.join("\n")).clicked() {
                corrected = Some(Vec::new());
            }
        }
        for unclear in &pairs.unclear {
            ui.label(style::weak(escape::name(unclear)));
        }
    });
    if let Some(corrections) = corrected {
        view.marked = [None; 2];
        pane.asks.push(RunsAsk::CorrectPairs(corrections));
    }
    for [old, new] in pairs.moved_files.iter().take(3) {
        let [old, new] = [old, new].map(|path| escape::name(path));
        let line = style::weak(format!("{old} is now {new}"));
        ui.add(egui::Label::new(line).truncate())
            .on_hover_text(format!("{old}\n{new}"));
    }
    if let more @ 1.. = pairs.moved_files.len().saturating_sub(3) {
        ui.label(style::weak(format!("and {more} more files that moved")));
    }
}

pub fn rows(view: &mut Differences, ui: &mut Ui, runs: &Runs, pane: &mut Pane<'_>) {
    let Some(document) = &pane.state.document else {
        return;
    };
    let (found, marked) = (view.pairs_found.clone(), view.marked);
    let half = ((ui.available_width() - 92.0) * 0.5).max(60.0);
    let table = TableBuilder::new(ui)
        .id_salt("pairs")
        .sense(Sense::click())
        .auto_shrink(false)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::exact(70.0))
        .column(Width::exact(half).clip(true))
        .column(Width::remainder().at_least(60.0).clip(true));
    let table = table.header(rows::HEADING, |mut header| {
        for title in ["", "A", "B"] {
            header.col(|ui| {
                ui.label(style::weak(title));
            });
        }
    });
    table.body(|body| {
        body.rows(ROW, found.len(), |mut line| {
            let Some(row) = found.get(line.index()) else {
                return;
            };
            line.set_selected(marked.contains(&Some(row.row)));
            line.col(|ui| {
                ui.label(style::weak(row.title()));
            });
            for side in [0, 1] {
                line.col(|ui| rows::name(ui, row.names[side].as_deref().unwrap_or_default()));
            }
            let module = runs.module(&document.session, row.row);
            let pointed = Pointed::at_module(module);
            let response = line.response();
            if response.hovered() {
                pane.pointed = pointed;
            }
            if response.clicked() {
                view.marked = mark(row, marked);
            }
            if let Some(module) = module.filter(|_| response.double_clicked()) {
                pane.asks.push(CameraAsk::FlyTo(module));
            }
            response.on_hover_ui(|ui| {
                for (letter, path) in ["A", "B"].into_iter().zip(&row.paths) {
                    if let Some(path) = path {
                        ui.label(style::weak(format!("{letter}: {}", escape::name(path))).small());
                    }
                }
            });
        });
    });
}

/// The rows that are marked of A and of B after a click on one: a function of one side beside that of the other, a
/// pair alone; none after a second click.
fn mark(row: &PairRow, marked: [Option<u32>; 2]) -> [Option<u32>; 2] {
    let has = [0, 1].map(|side| row.names[side].is_some());
    let of_pair = marked[0] == marked[1];
    let mut next = match has {
        [true, true] => [Some(row.row); 2],
        [true, false] => [Some(row.row), marked[1].filter(|_| !of_pair)],
        _ => [marked[0].filter(|_| !of_pair), Some(row.row)],
    };
    if next == marked {
        for (side, has) in has.into_iter().enumerate() {
            next[side] = next[side].filter(|_| !has);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_each_side_or_a_pair_is_marked() {
        let row = |number, a: bool, b: bool| PairRow {
            row: number,
            how: None,
            names: [a, b].map(|has| has.then(String::new)),
            paths: [None, None],
            said: [None, None],
        };
        let (a, b, both) = (row(1, true, false), row(2, false, true), row(3, true, true));
        let none = [None; 2];
        assert_eq!(mark(&a, none), [Some(1), None]);
        assert_eq!(mark(&b, [Some(1), None]), [Some(1), Some(2)]);
        assert_eq!(mark(&b, [Some(1), Some(2)]), [Some(1), None]);
        assert_eq!(mark(&both, [Some(1), Some(2)]), [Some(3); 2]);
        assert_eq!(mark(&both, [Some(3); 2]), none);
        assert_eq!(mark(&a, [Some(3); 2]), [Some(1), None]);
    }
}
