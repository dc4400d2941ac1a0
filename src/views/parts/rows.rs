//! What the tables share: headings that sort, cells, how far the work behind one is.

use std::borrow::Cow;

use egui::{Align, Label, Layout, Sense, Shape, Stroke, Ui, Vec2};
use egui_extras::TableBuilder;

use super::style;
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::marked::Marked;
use callscape_look::ink::sequential;
use callscape_model::theme::Theme;
use callscape_state::ask::TableKey;
use callscape_state::document::Document;

/// The height of a row, in points.
pub(crate) const ROW: f32 = 22.0;

/// The height of the line of headings, in points.
pub(crate) const HEADING: f32 = 24.0;

/// The space around a hint, in points.
const HINT_MARGIN: i8 = 16;

/// Fills the ground of a view.
pub fn ground(ui: &Ui) {
    let color = ui.visuals().panel_fill;
    ui.painter().rect_filled(ui.max_rect(), 0, color);
}

/// The room around what a view of rows shows.
pub fn frame() -> egui::Frame {
    egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 4,
        top: 6,
        bottom: 0,
    })
}

/// A table whose rows can be chosen, its columns to be added; `row_to_show` is scrolled to.
pub fn table<'a>(ui: &'a mut Ui, name: &str, row_to_show: Option<usize>) -> TableBuilder<'a> {
    let table = TableBuilder::new(ui)
        .id_salt(name)
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .cell_layout(Layout::left_to_right(Align::Center));
    match row_to_show {
        Some(place) => table.scroll_to_row(place, None),
        None => table,
    }
}

/// The heading of a column; `order` is whether it is sorted from the largest, none when by another.
/// Whether it was clicked.
pub fn heading(
    ui: &mut Ui,
    title: &str,
    about: &str,
    is_number: bool,
    order: Option<bool>,
) -> bool {
    let layout = if is_number {
        Layout::right_to_left(Align::Center)
    } else {
        Layout::left_to_right(Align::Center)
    };
    ui.with_layout(layout, |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let text = style::weak(title).small();
        let text = match order {
            Some(_) => text.color(ui.visuals().text_color()),
            None => text,
        };
        let response = ui.add(Label::new(text).sense(Sense::click()));
        if let Some(from_largest) = order {
            arrow(ui, from_largest);
        }
        let hint = match order {
            Some(true) => "largest first",
            Some(false) => "smallest first",
            None => "click to sort",
        };
        let tooltip = if about.is_empty() {
            hint.to_owned()
        } else {
            format!("{about}; {hint}")
        };
        response.on_hover_text(tooltip).clicked()
    })
    .inner
}

/// A small triangle that points down or up.
fn arrow(ui: &mut Ui, down: bool) {
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(7.0), Sense::hover());
    let (base, tip) = if down {
        (rect.top() + 1.5, rect.bottom() - 1.0)
    } else {
        (rect.bottom() - 1.5, rect.top() + 1.0)
    };
    let points = vec![
        egui::pos2(rect.left(), base),
        egui::pos2(rect.right(), base),
        egui::pos2(rect.center().x, tip),
    ];
    let color = ui.visuals().text_color();
    ui.painter()
        .add(Shape::convex_polygon(points, color, Stroke::NONE));
}

/// What a row is to the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    None,
    Pointed,
    Chosen,
}

/// In longer tables rows that are out of sight are not looked for.
const MOST_RULED: usize = 20_000;

/// Along the right edge of a table in `place` a tick for every row that is pointed at or chosen, so that those out
/// of sight are seen without anything moving. `mark` says what the row at a place is.
pub(crate) fn ruler(
    ui: &Ui,
    place: egui::Rect,
    rows: usize,
    theme: Theme,
    mark: impl Fn(usize) -> Mark,
) {
    let top = place.top() + HEADING;
    // Where all rows are seen there is nothing to point out.
    if rows as f32 * ROW <= place.bottom() - top || rows > MOST_RULED {
        return;
    }
    let colors = style::colors(theme);
    let step = (place.bottom() - top) / rows as f32;
    let right = place.right();
    let mut drawn = [f32::NEG_INFINITY; 2];
    for row in 0..rows {
        let (color, width, last) = match mark(row) {
            Mark::None => continue,
            Mark::Pointed => (colors.weak, 5.0, 0),
            Mark::Chosen => (colors.accent, 7.0, 1),
        };
        let y = top + (row as f32 + 0.5) * step;
        // Ticks on the same pixel are one.
        if y - drawn[last] < 1.0 {
            continue;
        }
        drawn[last] = y;
        let tick = egui::Rect::from_x_y_ranges(right - width..=right, y - 1.0..=y + 1.0);
        ui.painter().rect_filled(tick, 0, color);
    }
}

/// A thin line at the left of the row: what it stands for is open.
pub fn mark(ui: &Ui, color: egui::Color32) {
    let mut line = ui.max_rect();
    line.max.x = line.min.x + 3.0;
    ui.painter().rect_filled(line, 0, color);
}

/// A thin line under a name, over this share of its cell.
pub fn bar(ui: &Ui, share: f64, color: egui::Color32) {
    let mut line = ui.max_rect();
    line.min.y = line.max.y - 2.0;
    line.max.x = line.min.x + line.width() * (share as f32).clamp(0.0, 1.0);
    let color = color.gamma_multiply(0.7);
    ui.painter().rect_filled(line, 0, color);
}

/// A bar behind a row's name, as long as a share and coloured by it.
pub fn wide_bar(ui: &Ui, share: f64, theme: Theme) {
    let share = (share as f32).clamp(0.0, 1.0);
    let mut bar = ui.max_rect().shrink2(Vec2::new(0.0, 1.0));
    bar.max.x = bar.min.x + bar.width() * share;
    ui.painter().rect_filled(bar, 2, share_color(theme, share));
}

/// The colour of a share, on which text is read.
pub fn share_color(theme: Theme, share: f32) -> egui::Color32 {
    let strength = match theme {
        Theme::Light => 0.45,
        Theme::Dark => 0.35,
    };
    let full = style::opaque(sequential(theme, share));
    style::mix(style::colors(theme).panel, full, strength)
}

/// What is said of a row under the pointer: its name, and where it lies.
pub fn tip(ui: &mut Ui, name: &str, hierarchy: &Hierarchy, module: ModuleId) {
    ui.label(style::name(name));
    let path = hierarchy.path(module);
    ui.label(style::weak(escape::name(&path)).small());
}

/// A small frame before a name: the function is marked for what is known of it from elsewhere.
pub(crate) fn badge(ui: &mut Ui, marked: Option<&Marked>, module: Option<ModuleId>) {
    let Some(marked) = marked.filter(|marked| module.is_some_and(|it| marked.has(it))) else {
        return;
    };
    let (place, response) = ui.allocate_exact_size(Vec2::splat(9.0), Sense::hover());
    let square = egui::Rect::from_center_size(place.center(), Vec2::splat(7.0));
    let line = Stroke::new(1.6, ui.visuals().text_color());
    let inside = egui::StrokeKind::Inside;
    ui.painter().rect_stroke(square, 1, line, inside);
    response.on_hover_text(&*escape::name(&marked.title));
}

/// A small bar before a name: the function runs in the phase that is chosen.
pub(crate) fn phase_badge(ui: &mut Ui, document: &Document, function: FunctionId) {
    let Some(lit) = document.lit.as_ref().filter(|it| it.has_function(function)) else {
        return;
    };
    let (place, response) = ui.allocate_exact_size(egui::vec2(5.0, 11.0), Sense::hover());
    let bar = egui::Rect::from_center_size(place.center(), egui::vec2(3.0, 11.0));
    ui.painter().rect_filled(bar, 1, ui.visuals().text_color());
    response.on_hover_text(&*escape::name(&lit.title));
}

/// Between the ends of a call relation.
const TO: &str = " → ";

/// A cell with a name, shortened in the middle where there is no room: qualified names that are alike differ at their
/// ends. Of a call relation each end is.
pub fn name(ui: &mut Ui, name: &str) {
    let name = &*escape::name(name);
    match fitting(ui, name) {
        Cow::Borrowed(_) => ui.label(name),
        Cow::Owned(short) => ui.add(Label::new(short).truncate()).on_hover_text(name),
    };
}

/// The name, shortened where there is no room for it, so that both its ends are left.
pub fn fitting<'a>(ui: &Ui, name: &'a str) -> Cow<'a, str> {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let color = ui.visuals().text_color();
    let galley = ui.painter().layout_no_wrap(name.to_owned(), font, color);
    let share = ui.available_width() / galley.size().x.max(1.0);
    if share >= 1.0 {
        return Cow::Borrowed(name);
    }
    let ends = name.split(TO).map(|end| {
        let room = end.chars().count() as f32 * share;
        shortened(end, room as usize)
    });
    Cow::Owned(ends.collect::<Vec<_>>().join(TO))
}

/// The first and the last letters of a name, of them more, `room` letters in all.
pub fn shortened(name: &str, room: usize) -> String {
    let letters = name.chars().count();
    if letters <= room {
        return name.to_owned();
    }
    let kept = room.saturating_sub(1);
    let first = kept / 3;
    let head = name.chars().take(first);
    let tail = name.chars().skip(letters - (kept - first));
    head.chain(std::iter::once('…')).chain(tail).collect()
}

/// The units that stand in one column, the widest first.
const UNITS: [&[&str]; 2] = [&["ms", "µs", "ns", "s"], &["MB", "GB", "kB", "TB", "B"]];

/// A cell with a number: units of one kind begin at one place, so that digits stand below each other.
pub fn number(ui: &mut Ui, number: impl Into<egui::RichText>) {
    let number = number.into();
    let unit = number.text().split_once(' ').map_or("", |it| it.1);
    let widest = UNITS.iter().find(|it| it.contains(&unit)).map(|it| it[0]);
    let font = egui::TextStyle::Body.resolve(ui.style());
    let color = ui.visuals().text_color();
    let painter = ui.painter().clone();
    let width = |text: &str| {
        painter
            .layout_no_wrap(text.to_owned(), font.clone(), color)
            .size()
            .x
    };
    let missing = widest.map_or(0.0, |widest| width(widest) - width(unit));
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.add_space(missing.max(0.0));
        ui.label(number);
    });
}

/// In the middle of an empty view: what to do to see something.
pub fn hint(ui: &mut Ui, text: &str) {
    let frame = egui::Frame::new().inner_margin(HINT_MARGIN);
    frame.show(ui, |ui| {
        ui.centered_and_justified(|ui| {
            ui.add(Label::new(style::weak(text)).wrap());
        });
    });
}

/// How far the work behind a table is. Whether it is to be stopped.
pub fn progress(ui: &mut Ui, progress: &Progress) -> bool {
    let (step, done, total) = progress.state();
    ui.horizontal(|ui| {
        let stop = ui.small_button("Stop").clicked();
        let share = if total > 0 {
            (done as f64 / total as f64).min(1.0) as f32
        } else {
            0.0
        };
        let width = (ui.available_width() * 0.4).clamp(40.0, 160.0);
        ui.add(
            egui::ProgressBar::new(share)
                .desired_width(width)
                .desired_height(6.0),
        );
        ui.add(Label::new(style::weak(step).small()).truncate());
        stop
    })
    .inner
}

/// The place that a key leads to from `at`, of `rows` of which `page` are seen at once; none without rows.
pub fn place(key: TableKey, at: Option<usize>, rows: usize, page: usize) -> Option<usize> {
    let last = rows.checked_sub(1)?;
    let by = match key {
        TableKey::Rows(by) => by,
        TableKey::Pages(pages) => pages.saturating_mul(page.max(1) as i64),
        TableKey::First => return Some(0),
        TableKey::Last => return Some(last),
        TableKey::Enter => return at,
    };
    Some(match at {
        // The first key finds the first row.
        None => 0,
        Some(at) => at.saturating_add_signed(by as isize).min(last),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_within_the_rows() {
        let keys = [
            (TableKey::Rows(1), Some(3), 10, Some(4)),
            (TableKey::Rows(-1), Some(0), 10, Some(0)),
            (TableKey::Rows(1), Some(9), 10, Some(9)),
            (TableKey::Rows(1), None, 10, Some(0)),
            (TableKey::Pages(1), Some(3), 10, Some(8)),
            (TableKey::Pages(-1), Some(3), 10, Some(0)),
            (TableKey::Pages(i64::MAX), Some(3), 10, Some(9)),
            (TableKey::First, Some(3), 10, Some(0)),
            (TableKey::Last, None, 10, Some(9)),
            (TableKey::Last, None, 0, None),
            (TableKey::Enter, None, 10, None),
            (TableKey::Enter, Some(2), 10, Some(2)),
        ];
        for (key, at, rows, to) in keys {
            assert_eq!(place(key, at, rows, 5), to, "{key:?} {at:?}");
        }
    }

    #[test]
    fn names_are_shortened_in_the_middle() {
        assert_eq!(
            shortened("org.eclipse.core.run", 20),
            "org.eclipse.core.run"
        );
        assert_eq!(shortened("org.eclipse.core.run", 10), "org…re.run");
        assert_eq!(shortened("münchen", 4), "m…en");
        assert_eq!(shortened("name", 1), "…");
        assert_eq!(shortened("name", 0), "…");
        assert_eq!(shortened("", 0), "");
    }
}
