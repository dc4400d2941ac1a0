//! The view of what two runs have more and less, in numbers.

use egui::Ui;

use super::super::Pane;
use super::view::Differences;
use super::{DifferenceTable, Row, causes, pairs};
use crate::parts::list::{self, Rows};
use crate::parts::{rows, style, text};
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_look::ink::diverging;
use callscape_model::difference::ratio;
use callscape_model::differences::{By, Choice, Of};
use callscape_model::theme::Theme;
use callscape_state::ask::{CameraAsk, SelectAsk};
use callscape_state::document::Document;

pub(super) fn show(view: &mut Differences, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let document = pane.state.document.as_ref();
    let Some((document, runs)) = document.and_then(|it| Some((it, it.runs.as_ref()?))) else {
        return rows::hint(ui, "Open two recordings, A and B, to see what differs.");
    };
    let of = match view.choice.of {
        Of::Contexts => view.contexts.clone(),
        _ => view.table.clone(),
    };
    rows::frame().show(ui, |ui| {
        let found = match view.choice.of {
            Of::Pairs => (view.pairs_found.len(), runs.pairs.rows.len()),
            Of::Causes => causes::counts(&view.causes, &view.choice.query),
            _ => (of.rows.len(), of.differing),
        };
        head(view, ui, found, document);
        if view.choice.of == Of::Pairs {
            pairs::head(view, ui, runs, pane);
            return pairs::rows(view, ui, runs, pane);
        }
        if view.choice.of == Of::Causes {
            return causes::rows(&view.causes, ui, &view.choice.query, pane);
        }
        list(view, ui, (document, &of), pane);
    });
}

/// What is listed; `found` are how many rows there are, and of how many.
fn head(view: &mut Differences, ui: &mut Ui, found: (usize, usize), document: &Document) {
    let choice = &view.choice;
    let mut next = choice.clone();
    ui.horizontal_wrapped(|ui| {
        for kind in Of::ALL {
            let button = egui::Button::new(kind.title()).selected(choice.of == kind);
            if ui.add(button).clicked() {
                next.of = kind;
            }
        }
        let width = (ui.available_width() * 0.6).clamp(80.0, 200.0);
        let edit = egui::TextEdit::singleline(&mut next.query)
            .hint_text("Name or module")
            .desired_width(width);
        ui.add(edit);
        let is_pairs = choice.of == Of::Pairs;
        let is_causes = choice.of == Of::Causes;
        let is_counting = match choice.of {
            Of::Contexts => view.counting.is_some(),
            Of::Causes => view.causes.is_waiting(),
            _ => false,
        };
        let counted = match found {
            _ if is_counting => "counting …".to_owned(),
            (0, 0) if is_causes => "nothing explains it".to_owned(),
            (shown, all) if is_causes && shown == all => {
                text::counted(all as u64, "cause", "causes")
            }
            (0, 0) if is_pairs => "all others are paired".to_owned(),
            (0, 0) => "nothing differs".to_owned(),
            (shown, all) if shown == all && is_pairs => text::count(all as u64),
            (shown, all) if shown == all => format!("{} differ", text::count(all as u64)),
            (shown, all) => format!(
                "{} of {}",
                text::count(shown as u64),
                text::count(all as u64)
            ),
        };
        ui.add(egui::Label::new(style::weak(counted)).truncate());
        let runs = document.runs.as_ref();
        let counts = runs.and_then(|it| it.difference.amount.counted());
        if let Some(name) = counts.filter(|_| !is_pairs && !is_causes) {
            ui.label(style::weak(format!("in {}", escape::name(name))));
        }
        if let Some(runs) = runs.filter(|it| !is_pairs && !is_causes && it.knows_waiting()) {
            ui.label(style::weak(format!("{} time", runs.timed().name())));
        }
        if matches!(choice.of, Of::Contexts | Of::Causes) && !document.filters.is_empty() {
            ui.label(style::weak("including excluded calls"));
        }
    });
    view.choice = next;
}

/// The columns of numbers that there is room for, and how wide each is.
fn numbers_that_fit(of: &DifferenceTable, room: f32) -> (&'static [By], f32) {
    // Where costs count samples or instructions they are long.
    let longest = of.rows.iter().take(9).map(|row| {
        let [a, b] =
            [row.change.a, row.change.b].map(|it| of.amount.text(it.of(of.amount.measure)));
        let letters = |text| of.amount.bare(text).chars().count();
        letters(a).max(letters(b))
    });
    let wide = if longest.max() > Some(11) {
        124.0
    } else {
        76.0
    };
    let numbers: &[By] = match room {
        room if room < 2.0 * wide + 178.0 => &[By::Delta],
        room if room < 4.0 * wide + 116.0 => &[By::Delta, By::Ratio],
        _ => &By::ALL[..4],
    };
    (numbers, wide)
}

/// The rows, and what they are shown by.
struct Listed<'a> {
    document: &'a Document,
    of: &'a DifferenceTable,
    choice: &'a Choice,
    theme: Theme,
}

impl Listed<'_> {
    /// The displayed modules at the ends of a row for a call relation.
    fn ends(&self, row: &Row) -> Option<(ModuleId, ModuleId)> {
        let displayed = |module| self.document.city.displayed(module);
        displayed(row.module).zip(displayed(row.callee?))
    }

    fn is_meant(&self, row: &Row, of: &Pointed) -> bool {
        match row.callee {
            Some(_) => of.relation.is_some() && of.relation == self.ends(row),
            None => of.module == Some(row.module),
        }
    }

    fn is_noise(&self, row: &Row) -> bool {
        !row.change.is_significant(self.of.amount.measure)
    }
}

impl<'a> Rows for Listed<'a> {
    type Row = &'a Row;
    type By = By;
    const NAME: &'static str = "differences";

    fn len(&self) -> usize {
        self.of.rows.len()
    }

    fn row(&self, at: usize) -> Option<&'a Row> {
        self.of.rows.get(at)
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<By>> {
        let (numbers, wide) = numbers_that_fit(self.of, width);
        let numbers = numbers.iter();
        let numbers = numbers.map(|&it| list::Column::number(it, it.title(), it.about(), wide));
        let name = list::Column::rest(By::Name, By::Name.title(), By::Name.about(), 90.0);
        numbers.chain([name]).collect()
    }

    fn sort(&self) -> Option<(By, bool)> {
        Some((self.choice.by, !self.choice.is_reversed))
    }

    fn marks(&self, row: &'a Row) -> [bool; 2] {
        let selection = &self.document.selection;
        [&selection.pointed, &selection.chosen].map(|of| self.is_meant(row, of))
    }

    fn cell(&mut self, ui: &mut Ui, row: &'a Row, by: By) {
        let amount = &self.of.amount;
        let measure = amount.measure;
        let value = match by {
            By::Delta => amount.delta(&row.change),
            By::Ratio => ratio(&row.change, measure),
            By::A => amount.text(row.change.a.of(measure)),
            By::B => amount.text(row.change.b.of(measure)),
            // What is called stands first.
            By::Name if self.choice.of == Of::Contexts => {
                ui.add(egui::Label::new(style::name(&row.name)).truncate());
                return;
            }
            By::Name => return rows::name(ui, &row.name),
        };
        let mut value = egui::RichText::new(amount.bare(value));
        if self.is_noise(row) {
            value = value.weak();
        } else if matches!(by, By::Delta | By::Ratio) {
            value = value.color(tone(self.theme, row.change.delta(measure)));
        }
        rows::number(ui, value);
    }

    fn pointed(&self, row: &'a Row) -> Option<Pointed> {
        Some(Pointed {
            module: row.callee.is_none().then_some(row.module),
            relation: self.ends(row),
            ..Pointed::default()
        })
    }

    fn tip(&self, ui: &mut Ui, row: &'a Row) {
        let hierarchy = &self.document.session.hierarchy;
        rows::tip(ui, &row.name, hierarchy, row.module);
        if self.is_noise(row) {
            ui.label(style::weak("may be chance: noise of the runs").small());
        }
    }
}

fn list(
    view: &mut Differences,
    ui: &mut Ui,
    (document, of): (&Document, &DifferenceTable),
    pane: &mut Pane<'_>,
) {
    let mut rows = Listed {
        document,
        of,
        choice: &view.choice,
        theme: pane.state.settings.theme,
    };
    let done = list::show(&mut rows, ui, &mut view.at, pane);
    let chosen = done.clicked.and_then(|row| rows.pointed(row));
    pane.asks.extend(chosen.map(SelectAsk::Choose));
    let module = done.entered.map(|row| row.callee.unwrap_or(row.module));
    pane.asks.extend(module.map(CameraAsk::FlyTo));
    if let Some(by) = done.sorted {
        view.choice.is_reversed = view.choice.by == by && !view.choice.is_reversed;
        view.choice.by = by;
    }
}

/// The colour of more or less for letters on a panel.
fn tone(theme: Theme, delta: f64) -> egui::Color32 {
    if delta == 0.0 {
        return style::colors(theme).text;
    }
    let [r, g, b] = diverging(theme, delta.signum() as f32);
    egui::Color32::from(egui::Rgba::from_rgb(r, g, b))
}
