//! The table of whose the memory is.

use egui::Ui;
use egui_extras::Column as Width;

use super::MemoryView;
use super::asking::Which;
use super::choice::{Column, Mode};
use super::groups::Row;
use super::painting::{self, Paint};
use crate::Pane;
use crate::parts::{rows, style, text};
use callscape_base::units::grouped;
use callscape_facts::memory::{CellTotals, Detail};
use callscape_filter::selection::{Meant, Pointed};
use callscape_state::action::On;
use callscape_state::ask::{SelectAsk, TableKey};
use callscape_state::document::Document;

/// The height of a row with figures, in points.
const HIGH: f32 = 40.0;

/// Widths, in points.
const NAME: f32 = 110.0;
const NUMBER: f32 = 82.0;
const BARS: f32 = 130.0;
const PATTERN: f32 = 98.0;
const BIN: f32 = 10.0;
/// So much more than it needs a column of names keeps; figures become so many times as wide and one time more.
const SPARE: f32 = 260.0;
const MOST_STRETCH: f32 = 1.2;

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Of(Column),
    Bars,
    Ages,
    Created,
    ReleaseAges,
}

impl Cell {
    fn title(self) -> &'static str {
        match self {
            Cell::Of(column) => column.title(),
            Cell::Bars => "allocated, released",
            Cell::Ages => "by age in steps",
            Cell::Created => "allocation pattern",
            Cell::ReleaseAges => "age at release",
        }
    }

    fn about(self, mode: Mode) -> &'static str {
        match self {
            Cell::Of(column) => column.about(mode),
            Cell::Bars => {
                "Objects allocated and released to date, in proportion to the most of any row"
            }
            Cell::Ages => {
                "Objects by age: those created in this step first, the oldest last; the living below"
            }
            Cell::Created => "When in the run its objects were allocated, in ten intervals",
            Cell::ReleaseAges => "How old its objects were at their release; last what never was",
        }
    }

    fn width(self, bins: usize) -> f32 {
        match self {
            Cell::Of(Column::Name) => NAME,
            Cell::Of(_) => NUMBER,
            Cell::Bars => BARS,
            Cell::Ages => (bins as f32 * BIN + 6.0 + painting::SCROLL_BAR).max(90.0),
            Cell::Created | Cell::ReleaseAges => PATTERN,
        }
    }
}

/// Whether a row is meant by a selection.
pub fn is_meant(document: &Document, meant: &Meant<'_>, row: &Pointed) -> bool {
    if meant.is_nothing() {
        return false;
    }
    if let Some(function) = row.function {
        return meant.holds_function(function);
    }
    let hierarchy = &document.session.hierarchy;
    let Some(module) = row.module else {
        return false;
    };
    let of = meant.modules().into_iter().flatten();
    of.into_iter()
        .any(|it| hierarchy.contains(it, module) || hierarchy.contains(module, it))
}

/// What of a recording the table can show.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Every number of the mode.
    events: bool,
    sizes: bool,
    /// Bars and histograms.
    figures: bool,
    /// Those of the whole run.
    summary: bool,
}

/// The columns for which there is room, the most important first; in the order shown.
fn cells(view: &MemoryView, width: f32, known: Known) -> (Vec<Cell>, f32) {
    let numbers = view.choice.mode.columns();
    let figures: &[Cell] = match (known.figures, known.summary) {
        (false, _) => &[],
        (true, false) => &[Cell::Bars, Cell::Ages],
        (true, true) => &[Cell::Bars, Cell::Created, Cell::ReleaseAges],
    };
    let main = match view.choice.mode.first_column() {
        Column::LiveBytes if !known.sizes => Column::Live,
        Column::LiveBytes if !known.events && !is_of_any(view, Column::LiveBytes) => {
            Column::Allocated
        }
        main => main,
    };
    let mut wanted = vec![Cell::Of(Column::Name), Cell::Of(main)];
    wanted.extend(figures);
    wanted.extend(
        numbers
            .iter()
            .map(|&it| Cell::Of(it))
            .filter(|it| *it != Cell::Of(main)),
    );
    let is_known = |cell: &Cell| match cell {
        Cell::Of(Column::Name) => true,
        Cell::Of(column) if column.is_bytes() && !known.sizes => false,
        Cell::Of(column) => known.events || is_of_any(view, *column),
        _ => true,
    };
    wanted.retain(is_known);
    let mut left = width;
    let mut kept = Vec::new();
    for cell in wanted {
        let needed = cell.width(view.choice.bins) + 8.0;
        if needed <= left || kept.len() < 2 {
            kept.push(cell);
            left -= needed;
        }
    }
    let all = std::iter::once(&Column::Name).chain(numbers);
    let all = all.map(|&column| Cell::Of(column));
    let all = all.chain(figures.iter().copied());
    // Where names have more room than they need figures take of it.
    let of_figures: f32 = kept
        .iter()
        .filter(|it| figures.contains(it))
        .map(|it| it.width(view.choice.bins))
        .sum();
    let stretch = 1.0 + ((left - SPARE) / of_figures.max(1.0)).clamp(0.0, MOST_STRETCH);
    (all.filter(|cell| kept.contains(cell)).collect(), stretch)
}

/// Whether a number is known of any row.
fn is_of_any(view: &MemoryView, column: Column) -> bool {
    let mut rows = view.rows.iter();
    rows.any(|row| row.amounts.get(column).is_some())
}

/// What was asked of the table.
#[derive(Default)]
struct Asked {
    sort: Option<Column>,
    list: Option<(u32, Which)>,
    chosen: Option<u32>,
    entered: Option<u32>,
    menu_of: Option<u32>,
}

/// Shows the rows in what is left of the room.
pub fn show(view: &mut MemoryView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let theme = pane.state.settings.theme;
    let memory = document.memory();
    let events = memory.and_then(|it| it.events());
    let has_figures = events.is_some() && memory.map(|it| it.detail) != Some(Detail::Samples);
    let known = Known {
        events: events.is_some(),
        sizes: memory.is_some_and(|it| it.sizes_known),
        figures: has_figures,
        summary: MemoryView::is_summary(document),
    };
    let (cells, stretch) = cells(view, ui.available_width(), known);
    let high = if has_figures { HIGH } else { rows::ROW };
    let space = ui.spacing().item_spacing.y;
    let room = ui.available_height() - rows::HEADING;
    view.rows_seen = (room / (high + space)).max(0.0) as usize;
    let place = ui.available_rect_before_wrap();
    let mut builder = rows::table(ui, "memory", view.row_to_show);
    for cell in &cells {
        let width = cell.width(view.choice.bins);
        builder = builder.column(match cell {
            Cell::Of(Column::Name) => Width::remainder().at_least(60.0).clip(true),
            Cell::Of(_) => Width::exact(width).clip(true),
            _ => Width::exact(width * stretch).clip(true),
        });
    }
    let mode = view.choice.mode;
    let headings = cells.iter().map(|&cell| rows::Heading {
        column: cell,
        title: cell.title(),
        about: match cell {
            Cell::Of(Column::Live | Column::LiveBytes) if !known.events => {
                "What lived at the instant for which that is known"
            }
            cell => cell.about(mode),
        },
        is_number: matches!(cell, Cell::Of(column) if column != Column::Name),
    });
    let (column, descending) = view.choice.sort;
    let (table, sorted) = rows::headings(builder, headings, (Cell::Of(column), descending));
    let mut asked = Asked::default();
    if let Some(Cell::Of(column)) = sorted {
        asked.sort = Some(column);
    }
    let pointed = document.meant(&document.selection.pointed);
    let chosen = document.meant(&document.selection.chosen);
    let drawing = Drawing {
        view,
        paint: Paint::of(theme),
        most: most(view, &cells),
    };
    table.body(|body| {
        body.rows(high, drawing.view.rows.len(), |mut line| {
            let Some(row) = drawing.view.rows.get(line.index()).copied() else {
                return;
            };
            let Some(group) = drawing.view.groups.all.get(row.group as usize) else {
                return;
            };
            line.set_selected(drawing.is_chosen(document, &chosen, &row));
            line.set_hovered(is_meant(document, &pointed, &group.pointed));
            for cell in &cells {
                line.col(|ui| {
                    ui.push_id((row.group, cell.title()), |ui| {
                        drawing.cell(ui, *cell, &row, &mut asked);
                    });
                });
            }
            let response = line.response();
            if response.hovered() {
                pane.pointed = group.pointed;
                pane.offer.on = &[On::Object];
            }
            if response.double_clicked() {
                asked.entered = Some(row.group);
            } else if response.clicked() {
                asked.chosen = Some(row.group);
            }
            if response.secondary_clicked() {
                asked.menu_of = Some(row.group);
            }
        });
    });
    rows::ruler(ui, place, view.rows.len(), theme, |place| {
        let row = view.rows.get(place);
        let group = row.and_then(|row| view.groups.all.get(row.group as usize));
        match group {
            Some(group) if is_meant(document, &chosen, &group.pointed) => rows::Mark::Chosen,
            Some(group) if is_meant(document, &pointed, &group.pointed) => rows::Mark::Pointed,
            _ => rows::Mark::None,
        }
    });
    asked.answer(view, document, pane);
}

/// The largest number of each column, for the bars behind numbers.
fn most(view: &MemoryView, cells: &[Cell]) -> Vec<(Column, u64)> {
    let columns = cells.iter().filter_map(|cell| match cell {
        Cell::Of(column) => Some(*column),
        _ => None,
    });
    let most = |column: Column| {
        let numbers = view.rows.iter().filter_map(|row| row.amounts.get(column));
        (column, numbers.max().unwrap_or_default())
    };
    columns.map(most).collect()
}

struct Drawing<'a> {
    view: &'a MemoryView,
    paint: Paint,
    most: Vec<(Column, u64)>,
}

impl Drawing<'_> {
    /// Of many rows of one function or module, the one that was clicked alone.
    fn is_chosen(&self, document: &Document, chosen: &Meant<'_>, row: &Row) -> bool {
        match self.view.chosen_row {
            Some(group) => group == row.group,
            None => {
                let group = self.view.groups.all.get(row.group as usize);
                group.is_some_and(|it| is_meant(document, chosen, &it.pointed))
            }
        }
    }

    fn cell(&self, ui: &mut Ui, cell: Cell, row: &Row, asked: &mut Asked) {
        let group = row.group;
        let totals = |of: &[CellTotals]| of.get(group as usize).copied().unwrap_or_default();
        match cell {
            Cell::Of(Column::Name) => {
                let name = self.view.groups.all.get(group as usize);
                rows::name(ui, name.map_or("", |it| &it.name));
            }
            Cell::Of(Column::Delta) => self.delta(ui, row),
            Cell::Of(column) => self.number(ui, column, row.amounts.get(column)),
            Cell::Bars => {
                let (now, before) = (totals(&self.view.totals), totals(&self.view.totals_before));
                let most = self.view.groups.most;
                let which = painting::bars(ui, &self.paint, &now, &before, most);
                asked.list = asked.list.or(which.map(|which| (group, which)));
            }
            Cell::Ages => {
                let Some(ages) = self.ages() else {
                    return;
                };
                let (bins, just) = (ages.of(group), ages.just_released(group));
                let piles = painting::age_piles(&self.paint, bins, just);
                let last = bins.len().saturating_sub(1);
                let tip = |bin: usize| {
                    let of = bins.get(bin).copied().unwrap_or_default();
                    let older = if bin == last { " and older" } else { "" };
                    let just = just.get(bin).copied().unwrap_or_default();
                    format!(
                        "age {}{older}: {} live, {} released, {} of these in this step; click to list them",
                        bin + 1,
                        grouped(u64::from(of.living)),
                        grouped(u64::from(of.released)),
                        grouped(u64::from(just)),
                    )
                };
                let clicked = painting::piles(ui, &self.paint, "age", &piles, tip);
                asked.list = asked.list.or(clicked.map(|bin| (group, Which::Age(bin))));
            }
            Cell::Created | Cell::ReleaseAges => self.pattern(ui, cell, group, asked),
        }
    }

    /// The ages, where they are of the groups shown.
    fn ages(&self) -> Option<&super::Ages> {
        let (key, ages) = self.view.ages.last()?;
        (key.0 == self.view.groups_number).then_some(ages)
    }

    fn pattern(&self, ui: &mut Ui, cell: Cell, group: u32, asked: &mut Asked) {
        let Some((key, patterns)) = self.view.patterns.last() else {
            return;
        };
        if key.0 != self.view.groups_number {
            return;
        }
        let is_created = cell == Cell::Created;
        let of = match is_created {
            true => &patterns.created,
            false => &patterns.released,
        };
        let pattern = of.get(group as usize).copied().unwrap_or_default();
        let (piles, name) = match is_created {
            true => (painting::created_piles(&self.paint, &pattern), "interval"),
            false => (painting::released_piles(&self.paint, &pattern), "released"),
        };
        let tip = |bin: usize| {
            let count = grouped(u64::from(pattern.get(bin).copied().unwrap_or_default()));
            match (is_created, bin) {
                (true, bin) => format!("{count} allocated in interval {} of 10", bin + 1),
                (false, 9) => format!("{count} never released"),
                (false, bin) => {
                    let oldest = patterns.oldest.ns() + 1;
                    let edge = |it: u128| {
                        let ns = (u128::from(oldest) * it).div_ceil(9);
                        callscape_base::units::Cost::from_ns(ns as u64)
                    };
                    let [from, to] = [edge(bin as u128), edge(bin as u128 + 1)];
                    format!("{count} released at an age from {from} to {to}")
                }
            }
        };
        let clicked = painting::piles(ui, &self.paint, name, &piles, tip);
        let which = |bin: usize| match is_created {
            true => Which::Interval(bin),
            false => Which::ReleaseAge(bin),
        };
        asked.list = asked.list.or(clicked.map(|bin| (group, which(bin))));
    }

    /// How many bytes more or less than in the other run.
    fn delta(&self, ui: &mut Ui, row: &Row) {
        let delta = row.amounts.delta().unwrap_or_default();
        let sign = match delta {
            ..0 => "−",
            0 => "",
            1.. => "+",
        };
        let size = u64::try_from(delta.unsigned_abs()).unwrap_or(u64::MAX);
        rows::number(ui, format!("{sign}{}", text::bytes(size)));
    }

    /// A number over a bar that says how it compares with the largest of its column.
    fn number(&self, ui: &mut Ui, column: Column, number: Option<u64>) {
        let Some(number) = number else {
            return rows::number(ui, style::weak("–"));
        };
        let most = self.most.iter().find(|it| it.0 == column);
        let most = most.map_or(1, |it| it.1.max(1));
        let mut bar = ui.max_rect().shrink2(egui::vec2(0.0, 2.0));
        bar.max.x = bar.min.x + bar.width() * (number as f64 / most as f64) as f32;
        bar.min.y = bar.max.y - 3.0;
        ui.painter().rect_filled(bar, 0, self.paint.allocated);
        rows::number(
            ui,
            match column {
                column if column.is_bytes() => text::bytes(number),
                _ => text::count(number),
            },
        );
    }
}

impl Asked {
    fn answer(self, view: &mut MemoryView, document: &Document, pane: &mut Pane<'_>) {
        if let Some(column) = self.sort {
            view.choice.sort_by(column);
        }
        if let Some((group, which)) = self.list {
            view.list(document, group, which);
        }
        view.menu_of = self.menu_of.or(view.menu_of);
        let chosen = self.entered.or(self.chosen);
        if let Some(group) = chosen
            && let Some(of) = view.groups.all.get(group as usize)
        {
            view.chosen_row = Some(group);
            pane.asks.push(SelectAsk::Choose(of.pointed));
        }
        if self.entered.is_some() {
            view.press(TableKey::Enter, document, pane.asks);
        }
    }
}
