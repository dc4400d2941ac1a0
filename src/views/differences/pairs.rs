//! Which function of one run is which of the other: shown, and corrected.

use egui::Ui;

use super::super::Pane;
use super::view::Differences;
use crate::parts::list::{self, Rows};
use crate::parts::{rows, style, text};
use callscape_analysis::comparison::pairing::Correction;
use callscape_analysis::session::Session;
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_model::pairs::PairRow;
use callscape_state::ask::{CameraAsk, RunsAsk};
use callscape_state::runs::Runs;

/// What is said of all functions, and what can be done about the rows that are marked.
pub(super) fn head(view: &mut Differences, ui: &mut Ui, runs: &Runs, pane: &mut Pane<'_>) {
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
                "Pairs the marked functions of A and B: click each to mark it",
                joined,
            ),
            (
                "Are two",
                "Unpairs the function of A: click a pair to mark it",
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

/// The pairs, and what they are shown by.
struct Listed<'a> {
    found: &'a [PairRow],
    marked: [Option<u32>; 2],
    runs: &'a Runs,
    session: &'a Session,
}

impl Listed<'_> {
    fn module(&self, row: &PairRow) -> Option<ModuleId> {
        self.runs.module(self.session, row.row)
    }
}

impl<'a> Rows for Listed<'a> {
    /// How they are paired, or the name in A or B.
    type Row = &'a PairRow;
    type By = Option<usize>;
    const NAME: &'static str = "pairs";

    fn len(&self) -> usize {
        self.found.len()
    }

    fn row(&self, at: usize) -> Option<&'a PairRow> {
        self.found.get(at)
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<Option<usize>>> {
        let half = ((width - 92.0) * 0.5).max(60.0);
        vec![
            list::Column::number(None, "", "", 70.0),
            list::Column::text(Some(0), "A", "", half),
            list::Column::rest(Some(1), "B", "", 60.0),
        ]
    }

    fn sort(&self) -> Option<(Option<usize>, bool)> {
        None
    }

    fn marks(&self, row: &'a PairRow) -> [bool; 2] {
        [false, self.marked.contains(&Some(row.row))]
    }

    fn ruled(&self, _row: &'a PairRow) -> [bool; 2] {
        [false; 2]
    }

    fn cell(&mut self, ui: &mut Ui, row: &'a PairRow, side: Option<usize>) {
        match side {
            Some(side) => rows::name(ui, row.names[side].as_deref().unwrap_or_default()),
            None => {
                ui.label(style::weak(row.title()));
            }
        }
    }

    fn pointed(&self, row: &'a PairRow) -> Option<Pointed> {
        Some(Pointed::at_module(self.module(row)))
    }

    fn tip(&self, ui: &mut Ui, row: &'a PairRow) {
        for (letter, path) in ["A", "B"].into_iter().zip(&row.paths) {
            if let Some(path) = path {
                ui.label(style::weak(format!("{letter}: {}", escape::name(path))).small());
            }
        }
    }
}

pub(super) fn rows(view: &mut Differences, ui: &mut Ui, runs: &Runs, pane: &mut Pane<'_>) {
    let Some(document) = &pane.state.document else {
        return;
    };
    let found = view.pairs_found.clone();
    let mut rows = Listed {
        found: &found,
        marked: view.marked,
        runs,
        session: &document.session,
    };
    let done = list::show(&mut rows, ui, &mut view.pairs_at, pane);
    if let Some(row) = done.clicked {
        view.marked = mark(row, view.marked);
    }
    let module = done.entered.and_then(|row| rows.module(row));
    pane.asks.extend(module.map(CameraAsk::FlyTo));
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
