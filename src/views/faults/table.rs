//! The list itself.

use egui::{Sense, Ui, vec2};

use super::listing::{Column, Of, Row};
use super::view::FaultsView;
use crate::Pane;
use crate::parts::list::{self, Rows};
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_model::theme::Theme;
use callscape_state::ask::{CameraAsk, SelectAsk};
use callscape_state::document::Document;

/// What a heading says, and what is said of it.
fn heading(column: Column, of: Of, has_scores: bool) -> (&'static str, &'static str) {
    match (column, of) {
        (Column::Rank, _) if has_scores => ("score", "How much speaks for it, from 0 to 1"),
        (Column::Rank, _) => ("hits", "How many places the tool has found in it"),
        (Column::Name, Of::Functions) => ("function", ""),
        (Column::Name, Of::Commits) => ("commit", ""),
        (Column::Name, Of::Authors) => ("author", ""),
        (Column::Name, Of::Rest) => ("what", ""),
        (Column::Reason, Of::Functions | Of::Rest) => ("why", "How it is touched"),
        (Column::Reason, Of::Commits) => ("author", ""),
        (Column::Reason, Of::Authors) => ("most suspect", "Of their changes"),
        (Column::First, _) => ("first run", "When it runs first"),
        (Column::Calls, _) => ("calls", "How often it is called"),
        (Column::Count, _) => ("functions", "How many of the functions"),
        (Column::SelfCost, _) => ("self", "Its self cost, without callees"),
    }
}

/// The columns that there is room for.
fn columns(of: Of, has_scores: bool, document: &Document, width: f32) -> Vec<Column> {
    use Column::{Calls, Count, First, Name, Rank, Reason, SelfCost};
    let wanted: &[(Column, f32)] = match of {
        Of::Functions => &[
            (Rank, 0.0),
            (Name, 0.0),
            (Reason, 620.0),
            (First, 420.0),
            (Calls, 340.0),
            (SelfCost, 500.0),
        ],
        Of::Commits => &[(Rank, 0.0), (Name, 0.0), (Reason, 460.0), (Count, 300.0)],
        Of::Authors => &[(Count, 0.0), (Name, 0.0), (Reason, 400.0)],
        Of::Rest => &[(Reason, 0.0), (Name, 0.0)],
    };
    let has = |column: Column| match column {
        First => document.playback.is_some(),
        Calls => document.counts_calls(),
        Reason => has_scores || of != Of::Functions,
        _ => true,
    };
    let fits = wanted
        .iter()
        .filter(|(column, least)| width >= *least && has(*column));
    fits.map(|(column, _)| *column).collect()
}

/// The rows, and what they are shown by.
struct Listed<'a> {
    view: &'a FaultsView,
    document: &'a Document,
    theme: Theme,
}

impl<'a> Rows for Listed<'a> {
    type Row = (usize, &'a Row);
    type By = Column;
    const NAME: &'static str = "faults";

    fn len(&self) -> usize {
        self.view.listing.rows.len()
    }

    fn row(&self, at: usize) -> Option<(usize, &'a Row)> {
        Some((at, self.view.listing.rows.get(at)?))
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<Column>> {
        let (rows, kind) = (&self.view.listing.rows, self.view.of);
        let has_scores = rows.iter().any(|it| it.score.is_some()) || kind == Of::Rest;
        let columns = columns(kind, has_scores, self.document, width).into_iter();
        let columns = columns.map(|of| {
            let (title, about) = heading(of, kind, has_scores);
            let column = match of {
                Column::Name => list::Column::rest(of, title, about, 90.0),
                Column::Reason => list::Column::text(of, title, about, 112.0),
                Column::Rank => list::Column::number(of, title, about, 58.0),
                _ => list::Column::number(of, title, about, 72.0),
            };
            let is_number = of.is_number();
            list::Column {
                is_number,
                ..column
            }
        });
        columns.collect()
    }

    fn sort(&self) -> Option<(Column, bool)> {
        // By a column that is not shown there is no arrow.
        let sort = self.view.sort.or(self.view.of.order());
        sort.or(Some((Column::Count, false)))
    }

    fn marks(&self, (at, row): (usize, &'a Row)) -> [bool; 2] {
        let pointed = self.document.selection.pointed.module;
        let is_pointed = row.module.is_some() && row.module == pointed;
        [is_pointed, self.view.row == Some(at)]
    }

    fn cell(&mut self, ui: &mut Ui, (_, row): (usize, &'a Row), column: Column) {
        match column {
            Column::Rank => match row.score {
                Some(score) => rank(ui, score, self.theme),
                None => rows::number(ui, text::count(row.count)),
            },
            Column::Name => rows::name(ui, &row.name),
            Column::Reason => {
                let reason = style::weak(row.reason.as_str()).small();
                ui.add(egui::Label::new(reason).truncate());
            }
            Column::First => {
                let first = row.first.map_or("–".to_owned(), |it| it.to_string());
                rows::number(ui, first);
            }
            Column::Count => rows::number(ui, text::count(row.count)),
            Column::Calls => rows::number(ui, text::count(row.calls)),
            Column::SelfCost => rows::number(ui, self.document.show_cost(row.self_cost)),
        }
    }

    fn pointed(&self, (_, row): (usize, &'a Row)) -> Option<Pointed> {
        row.module.map(|_| row.pointed())
    }

    fn tip(&self, ui: &mut Ui, (_, row): (usize, &'a Row)) {
        ui.label(style::name(&row.name));
        if !row.about.is_empty() {
            ui.label(style::weak(escape::name(&row.about).into_owned()).small());
        }
    }
}

/// Shows the rows.
pub(super) fn show(view: &mut FaultsView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let mut at = view.at;
    let mut rows = Listed {
        view,
        document,
        theme: pane.state.settings.theme,
    };
    let done = list::show(&mut rows, ui, &mut at, pane);
    let chosen = done.clicked.and_then(|row| rows.pointed(row));
    pane.asks.extend(chosen.map(SelectAsk::Choose));
    let module = done.entered.and_then(|(_, row)| row.module);
    pane.asks.extend(module.map(CameraAsk::FlyTo));
    let (clicked, sorted) = (done.clicked.map(|(at, _)| at), done.sorted);
    view.at = at;
    view.row = clicked.or(view.row);
    if let Some(column) = sorted {
        view.sort_by(column);
    }
}

/// A score, as a number over a bar.
fn rank(ui: &mut Ui, score: f64, theme: Theme) {
    let colors = style::colors(theme);
    let size = vec2(ui.available_width(), ROW);
    let (place, _) = ui.allocate_exact_size(size, Sense::hover());
    let bar = egui::Rect::from_min_max(
        egui::pos2(place.min.x, place.max.y - 5.0),
        egui::pos2(place.max.x, place.max.y - 2.0),
    );
    ui.painter().rect_filled(bar, 1, colors.inset);
    let share = score.clamp(0.0, 1.0) as f32;
    let full = bar.with_max_x(bar.min.x + bar.width() * share);
    ui.painter().rect_filled(full, 1, colors.accent);
    let font = egui::TextStyle::Body.resolve(ui.style());
    let at = egui::pos2(place.max.x, place.center().y - 2.0);
    let align = egui::Align2::RIGHT_CENTER;
    ui.painter()
        .text(at, align, format!("{score:.2}"), font, colors.text);
}
