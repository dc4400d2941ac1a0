//! One list over rows: a view says what its columns are and what stands in a cell, and the list does the rest. It has
//! headings that sort, shows only the rows in sight, marks what is pointed at and chosen, and says what the pointer did.

use egui::Ui;
use egui_extras::Column as Width;

use super::pane::Pane;
use super::rows::{self, HEADING, Mark, ROW};
use super::style;
use callscape_filter::selection::Pointed;
use callscape_state::action::On;
use callscape_state::ask::TableKey;

/// A column: what it is for the view, its heading, and how wide it is.
pub(crate) struct Column<C> {
    pub of: C,
    pub title: &'static str,
    pub about: &'static str,
    /// Its heading stands at the right.
    pub is_number: bool,
    pub width: Width,
}

impl<C> Column<C> {
    fn new((of, title, about): (C, &'static str, &'static str), width: Width) -> Column<C> {
        Column {
            of,
            title,
            about,
            is_number: false,
            width,
        }
    }

    /// A column of numbers that is so many points wide.
    pub(crate) fn number(of: C, title: &'static str, about: &'static str, width: f32) -> Column<C> {
        Column {
            is_number: true,
            ..Column::new((of, title, about), Width::exact(width))
        }
    }

    /// A column of text that is so many points wide.
    pub(crate) fn text(of: C, title: &'static str, about: &'static str, width: f32) -> Column<C> {
        Column::new((of, title, about), Width::exact(width).clip(true))
    }

    /// A column of text that takes what the others leave, and never less than this.
    pub(crate) fn rest(of: C, title: &'static str, about: &'static str, least: f32) -> Column<C> {
        let width = Width::remainder().at_least(least).clip(true);
        Column::new((of, title, about), width)
    }
}

/// Which rows of a list are in sight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct At {
    /// The row that is to be brought into sight in the next frame.
    pub to_show: Option<usize>,
    /// How many whole rows there is room for.
    pub seen: usize,
}

impl At {
    /// The row that a key leads to from `at`, of so many: a row of the page before stays in sight.
    pub(crate) fn place(self, key: TableKey, at: Option<usize>, rows: usize) -> Option<usize> {
        rows::place(key, at, rows, self.seen.saturating_sub(1))
    }
}

/// A list after a click on the heading of `column`: by what it is sorted by already the other way round, else as `falls`
/// says, from the largest or not.
pub(crate) fn turned<C: PartialEq>(sort: (C, bool), column: C, falls: bool) -> (C, bool) {
    match sort {
        (same, from_largest) if same == column => (column, !from_largest),
        _ => (column, falls),
    }
}

/// The rows of a list.
pub(crate) trait Rows {
    /// What a row is made from.
    type Row: Copy;
    /// What a column is.
    type By: Copy + PartialEq;
    /// The name of the list among widgets.
    const NAME: &'static str;
    /// Whether [`tip`](Rows::tip) says something.
    const HAS_TIP: bool = true;
    /// What the menu of a row is about.
    const OFFERS: &'static [On] = &[];
    /// The room at the right for the ruler, in points.
    const RULER: f32 = 0.0;

    fn len(&self) -> usize;

    fn row(&self, at: usize) -> Option<Self::Row>;

    /// Of a row, in points.
    fn height(&self) -> f32 {
        ROW
    }

    /// The columns for which there is room.
    fn columns(&mut self, width: f32) -> Vec<Column<Self::By>>;

    /// What it is sorted by, and whether from the largest; none of a list that has one order.
    fn sort(&self) -> Option<(Self::By, bool)>;

    /// Whether a row is pointed at, and whether it is chosen.
    fn marks(&self, row: Self::Row) -> [bool; 2];

    /// The same for the ruler along its edge.
    fn ruled(&self, row: Self::Row) -> [bool; 2] {
        self.marks(row)
    }

    fn cell(&mut self, ui: &mut Ui, row: Self::Row, of: Self::By);

    /// What is meant by a row; none where nothing is.
    fn pointed(&self, row: Self::Row) -> Option<Pointed>;

    /// What is said of a row under the pointer.
    fn tip(&self, _ui: &mut Ui, _row: Self::Row) {}
}

/// What was done with a list: whose heading was clicked, and which row.
pub(crate) struct Done<C, R> {
    pub sorted: Option<C>,
    pub clicked: Option<R>,
    pub entered: Option<R>,
    /// On which the menu was opened.
    pub menu_of: Option<R>,
}

/// Shows the list in what is left of the room.
pub(crate) fn show<R: Rows>(
    of: &mut R,
    ui: &mut Ui,
    at: &mut At,
    pane: &mut Pane<'_>,
) -> Done<R::By, R::Row> {
    let place = ui.available_rect_before_wrap();
    let high = of.height();
    let space = ui.spacing().item_spacing.y;
    at.seen = ((ui.available_height() - HEADING) / (high + space)).max(0.0) as usize;
    let columns = of.columns(ui.available_width());
    // The ruler stands beside the numbers, not over them.
    if R::RULER > 0.0 {
        ui.set_max_width((place.width() - R::RULER).max(0.0));
    }
    let mut builder = rows::table(ui, R::NAME, at.to_show.take());
    for column in &columns {
        builder = builder.column(column.width);
    }
    let mut done = Done {
        sorted: None,
        clicked: None,
        entered: None,
        menu_of: None,
    };
    let sort = of.sort();
    let table = builder.header(HEADING, |mut header| {
        for column in &columns {
            header.col(|ui| {
                let Some((by, from_largest)) = sort else {
                    ui.label(style::weak(column.title));
                    return;
                };
                let order = (by == column.of).then_some(from_largest);
                let (title, about) = (column.title, column.about);
                if rows::heading(ui, title, about, column.is_number, order) {
                    done.sorted = Some(column.of);
                }
            });
        }
    });
    table.body(|body| {
        body.rows(high, of.len(), |mut line| {
            let Some(row) = of.row(line.index()) else {
                return;
            };
            let [is_pointed, is_chosen] = of.marks(row);
            line.set_selected(is_chosen);
            line.set_hovered(is_pointed);
            for column in &columns {
                line.col(|ui| of.cell(ui, row, column.of));
            }
            let response = line.response();
            if response.hovered() {
                pane.pointed = of.pointed(row).unwrap_or(pane.pointed);
                if !R::OFFERS.is_empty() {
                    pane.offer.on = R::OFFERS;
                }
            }
            let this = |is_so: bool, before: Option<R::Row>| if is_so { Some(row) } else { before };
            done.clicked = this(response.clicked(), done.clicked);
            done.entered = this(response.double_clicked(), done.entered);
            done.menu_of = this(response.secondary_clicked(), done.menu_of);
            if R::HAS_TIP {
                response.on_hover_ui(|ui| of.tip(ui, row));
            }
        });
    });
    rows::ruler(
        ui,
        place,
        of.len(),
        pane.state.settings.theme,
        |row| match of.row(row).map_or([false; 2], |row| of.ruled(row)) {
            [_, true] => Mark::Chosen,
            [true, false] => Mark::Pointed,
            [false, false] => Mark::None,
        },
    );
    done
}
