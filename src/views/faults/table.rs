//! The list itself.

use egui::{Response, Sense, Ui, vec2};
use egui_extras::{Column as Width, TableRow};

use super::FaultsView;
use super::listing::{Column, Of, Row};
use crate::Pane;
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_base::escape;
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
        (Column::Reason, Of::Authors) => ("most suspect", "Of what they touched"),
        (Column::First, _) => ("first run", "When it runs first"),
        (Column::Calls, _) => ("calls", "How often it is called"),
        (Column::Count, _) => ("functions", "How many of the functions"),
        (Column::SelfCost, _) => ("self", "Its own cost, without what it calls"),
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

/// What was done with the table.
pub struct Done {
    /// So many rows have room.
    pub seen: usize,
    /// Whose heading was clicked.
    pub sorted: Option<Column>,
    /// The row that was clicked.
    pub row: Option<usize>,
}

/// Shows the rows.
pub fn show(view: &FaultsView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) -> Done {
    let listing = &view.listing;
    let has_scores = listing.rows.iter().any(|it| it.score.is_some()) || view.of == Of::Rest;
    let columns = columns(view.of, has_scores, document, ui.available_width());
    let place = ui.available_rect_before_wrap();
    let seen = rows::rows_seen(ui);
    let mut builder = rows::table(ui, "faults", view.row_to_show);
    for column in &columns {
        builder = builder.column(match column {
            Column::Name => Width::remainder().at_least(90.0).clip(true),
            Column::Reason => Width::exact(112.0).clip(true),
            Column::Rank => Width::exact(58.0),
            _ => Width::exact(72.0),
        });
    }
    let headings = columns.iter().map(|&column| {
        let (title, about) = heading(column, view.of, has_scores);
        rows::Heading {
            column,
            title,
            about,
            is_number: column.is_number(),
        }
    });
    // By a column that is not shown there is no arrow.
    let sort = view.sort.or(view.of.order());
    let sort = sort.unwrap_or((Column::Count, false));
    let (table, sorted) = rows::headings(builder, headings, sort);
    let pointed = document.selection.pointed.module;
    let mut clicked = None;
    table.body(|body| {
        body.rows(ROW, listing.rows.len(), |mut line| {
            let Some(row) = listing.rows.get(line.index()) else {
                return;
            };
            line.set_selected(view.row == Some(line.index()));
            line.set_hovered(row.module.is_some() && row.module == pointed);
            for &column in &columns {
                cell(&mut line, row, column, document, pane);
            }
            let response = line.response();
            if response.clicked() {
                clicked = Some(line.index());
            }
            answer(&response, row, pane);
        });
    });
    let theme = pane.state.settings.theme;
    rows::ruler(ui, place, listing.rows.len(), theme, |place| {
        let module = listing.rows.get(place).and_then(|it| it.module);
        match module {
            _ if view.row == Some(place) => rows::Mark::Chosen,
            Some(module) if Some(module) == pointed => rows::Mark::Pointed,
            _ => rows::Mark::None,
        }
    });
    Done {
        seen,
        sorted,
        row: clicked,
    }
}

fn cell(
    line: &mut TableRow<'_, '_>,
    row: &Row,
    column: Column,
    document: &Document,
    pane: &Pane<'_>,
) {
    line.col(|ui| match column {
        Column::Rank => match row.score {
            Some(score) => rank(ui, score, pane),
            None => rows::number(ui, text::count(row.count)),
        },
        Column::Name => rows::name(ui, &row.name),
        Column::Reason => {
            ui.add(egui::Label::new(style::weak(row.reason.as_str()).small()).truncate());
        }
        Column::First => rows::number(ui, row.first.map_or("–".to_owned(), |it| it.to_string())),
        Column::Count => rows::number(ui, text::count(row.count)),
        Column::Calls => rows::number(ui, text::count(row.calls)),
        Column::SelfCost => rows::number(ui, document.show_cost(row.self_cost)),
    });
}

/// A score, as a number over a bar.
fn rank(ui: &mut Ui, score: f64, pane: &Pane<'_>) {
    let colors = style::colors(pane.state.settings.theme);
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

fn answer(response: &Response, row: &Row, pane: &mut Pane<'_>) {
    if response.hovered() && row.module.is_some() {
        pane.pointed = row.pointed();
    }
    if response.clicked() && row.module.is_some() {
        pane.asks.push(SelectAsk::Choose(row.pointed()));
    }
    if let Some(module) = row.module.filter(|_| response.double_clicked()) {
        pane.asks.push(CameraAsk::FlyTo(module));
    }
    response.clone().on_hover_ui(|ui| {
        ui.label(style::name(&row.name));
        if !row.about.is_empty() {
            ui.label(style::weak(escape::name(&row.about).into_owned()).small());
        }
    });
}
