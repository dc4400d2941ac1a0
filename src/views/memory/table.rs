//! The table of whose the memory is.

use egui::Ui;

use super::asking::Which;
use super::choice::{Column, Mode};
use super::groups::{Group, Row};
use super::painting::{self, Paint};
use super::view::MemoryView;
use crate::parts::list::{self, Rows};
use crate::parts::{rows, style, text};
use crate::{Pane, View};
use callscape_base::units::grouped;
use callscape_facts::memory::CellTotals;
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
pub(super) fn is_meant(document: &Document, meant: &Meant<'_>, row: &Pointed) -> bool {
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

/// The rows, and what they are shown by.
struct Listed<'a> {
    view: &'a MemoryView,
    document: &'a Document,
    known: Known,
    paint: Paint,
    /// What is pointed at, and what is chosen.
    meant: [Meant<'a>; 2],
    /// The largest number of each column.
    most: Vec<(Column, u64)>,
    /// Of which row which objects are to be listed.
    list: Option<(u32, Which)>,
}

impl Listed<'_> {
    fn group(&self, row: &Row) -> &Group {
        &self.view.groups.all[row.group as usize]
    }

    fn fill(&mut self, ui: &mut Ui, row: &Row, cell: Cell) {
        let group = row.group;
        let totals = |of: &[CellTotals]| of.get(group as usize).copied().unwrap_or_default();
        match cell {
            Cell::Of(Column::Name) => {
                let name = self.view.groups.all.get(group as usize);
                rows::name(ui, name.map_or("", |it| &it.name));
            }
            Cell::Of(Column::Delta) => delta(ui, row),
            Cell::Of(column) => self.number(ui, column, row.amounts.get(column)),
            Cell::Bars => {
                let (now, before) = (totals(&self.view.totals), totals(&self.view.totals_before));
                let most = self.view.groups.most;
                let which = painting::bars(ui, &self.paint, &now, &before, most);
                self.list = self.list.or(which.map(|which| (group, which)));
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
                self.list = self.list.or(clicked.map(|bin| (group, Which::Age(bin))));
            }
            Cell::Created | Cell::ReleaseAges => self.pattern(ui, cell, group),
        }
    }

    /// The ages, where they are of the groups shown.
    fn ages(&self) -> Option<&super::Ages> {
        let (key, ages) = self.view.ages.last()?;
        (key.0 == self.view.groups_number).then_some(ages)
    }

    fn pattern(&mut self, ui: &mut Ui, cell: Cell, group: u32) {
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
        self.list = self.list.or(clicked.map(|bin| (group, which(bin))));
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

impl<'a> Rows for Listed<'a> {
    type Row = &'a Row;
    type By = Cell;
    const NAME: &'static str = "memory";
    const HAS_TIP: bool = false;
    const OFFERS: &'static [On] = &[On::Object];

    fn len(&self) -> usize {
        self.view.rows.len()
    }

    fn height(&self) -> f32 {
        if self.known.figures { HIGH } else { rows::ROW }
    }

    fn row(&self, at: usize) -> Option<&'a Row> {
        self.view
            .rows
            .get(at)
            .filter(|row| (row.group as usize) < self.view.groups.all.len())
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<Cell>> {
        let choice = &self.view.choice;
        let (cells, stretch) = cells(self.view, width, self.known);
        self.most = most(self.view, &cells);
        let columns = cells.into_iter().map(|of| {
            let about = match of {
                Cell::Of(Column::Live | Column::LiveBytes) if !self.known.events => {
                    "What lived at the instant for which that is known"
                }
                of => of.about(choice.mode),
            };
            let (title, width) = (of.title(), of.width(choice.bins));
            match of {
                Cell::Of(Column::Name) => list::Column::rest(of, title, about, 60.0),
                Cell::Of(_) => list::Column {
                    is_number: true,
                    ..list::Column::text(of, title, about, width)
                },
                _ => list::Column::text(of, title, about, width * stretch),
            }
        });
        columns.collect()
    }

    fn sort(&self) -> Option<(Cell, bool)> {
        let (column, from_largest) = self.view.choice.sort;
        Some((Cell::Of(column), from_largest))
    }

    fn marks(&self, row: &'a Row) -> [bool; 2] {
        let [is_pointed, is_chosen] = self.ruled(row);
        // Of many rows of one function or module, the one that was clicked alone.
        let own = self.view.chosen_row;
        [is_pointed, own.map_or(is_chosen, |own| own == row.group)]
    }

    fn ruled(&self, row: &'a Row) -> [bool; 2] {
        let of = self.group(row).pointed;
        let is_meant = |meant| is_meant(self.document, meant, &of);
        [is_meant(&self.meant[0]), is_meant(&self.meant[1])]
    }

    fn cell(&mut self, ui: &mut Ui, row: &'a Row, cell: Cell) {
        ui.push_id((row.group, cell.title()), |ui| self.fill(ui, row, cell));
    }

    fn pointed(&self, row: &'a Row) -> Option<Pointed> {
        Some(self.group(row).pointed)
    }
}

/// Shows the rows in what is left of the room.
pub(super) fn show(view: &mut MemoryView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let memory = document.memory();
    let events = memory.and_then(|it| it.events());
    let has_figures = events.is_some() && !MemoryView::is_sampled(document);
    let selection = &document.selection;
    let mut at = view.at;
    let mut rows = Listed {
        view,
        document,
        known: Known {
            events: events.is_some(),
            sizes: memory.is_some_and(|it| it.sizes_known),
            figures: has_figures,
            summary: MemoryView::is_summary(document),
        },
        paint: Paint::of(pane.state.settings.theme),
        meant: [&selection.pointed, &selection.chosen].map(|of| document.meant(of)),
        most: Vec::new(),
        list: None,
    };
    let done = list::show(&mut rows, ui, &mut at, pane);
    let chosen = done.entered.or(done.clicked);
    let chosen = chosen.map(|row| (row.group, rows.group(row).pointed));
    let menu_of = done.menu_of.map(|row| row.group);
    let (list, sorted, is_entered) = (rows.list, done.sorted, done.entered.is_some());
    view.at = at;
    if let Some(Cell::Of(column)) = sorted {
        view.choice.sort_by(column);
    }
    if let Some((group, which)) = list {
        view.list(document, group, which);
    }
    view.menu_of = menu_of.or(view.menu_of);
    if let Some((group, pointed)) = chosen {
        view.chosen_row = Some(group);
        pane.asks.push(SelectAsk::Choose(pointed));
    }
    if is_entered {
        view.press(TableKey::Enter, document, pane.asks);
    }
}

/// How many bytes more or less than in the other run.
fn delta(ui: &mut Ui, row: &Row) {
    let delta = row.amounts.delta().unwrap_or_default();
    let sign = match delta {
        ..0 => "−",
        0 => "",
        1.. => "+",
    };
    let size = u64::try_from(delta.unsigned_abs()).unwrap_or(u64::MAX);
    rows::number(ui, format!("{sign}{}", text::bytes(size)));
}
