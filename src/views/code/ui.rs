//! The code view in its pane: what is shown, the text in one or two columns, and what colours mean.

use egui::{Align, Id, Label, Layout, Rect, Ui, pos2, vec2};

use super::numbers::Tint;
use super::view::{CodeView, TABS};
use super::{behind, column_ui, names_ui};
use crate::Pane;
use crate::parts::code_look::{Look, ROW};
use crate::parts::widgets::{Icon, icon_button};
use crate::parts::{rows, style, text};
use callscape_base::escape;
use callscape_facts::kinds::Made;
use callscape_state::document::Document;

/// The height of the legend below the text.
const LEGEND: f32 = 22.0;

impl CodeView {
    /// How many rows there are.
    pub(super) fn rows(&self) -> u32 {
        match self.rows_aligned() {
            Some(aligned) => aligned.rows.len() as u32,
            None => self.page(self.own).map_or(0, |page| page.text.lines()),
        }
    }

    fn rows_aligned(&self) -> Option<&callscape_analysis::line_changes::Aligned> {
        self.aligned.as_deref().filter(|_| self.is_beside)
    }

    /// The row, from 0, that a line of A (0) or B (1) stands in.
    pub(super) fn row_of(&self, side: usize, line: u32) -> Option<u32> {
        match self.rows_aligned() {
            Some(aligned) => aligned.row_of(side, line).map(|row| row as u32),
            // Past the end the last line is nearest.
            None => Some(line.checked_sub(1)?.min(self.rows().saturating_sub(1))),
        }
    }

    /// The line of A (0) or B (1) in a row, from 0.
    pub(super) fn line_in(&self, row: u32, side: usize) -> Option<u32> {
        match self.rows_aligned() {
            Some(aligned) => aligned.rows.get(row as usize)?.lines[side],
            None => (row < self.rows()).then_some(row + 1),
        }
    }

    /// Whether both texts have the same line in a row.
    pub(super) fn is_same(&self, row: u32) -> bool {
        let aligned = self.rows_aligned();
        aligned.is_none_or(|it| it.rows.get(row as usize).is_none_or(|row| row.is_same))
    }

    /// The first line that is seen.
    pub(super) fn first_seen(&self) -> u32 {
        let top = self.scroll.top().ceil() as u32;
        let mut rows = top..self.rows().min(top.saturating_add(1000));
        rows.find_map(|row| self.line_in(row, self.own))
            .unwrap_or(1)
    }
}

pub(super) fn show(view: &mut CodeView, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    let Some(file) = view.file else {
        let what = "Choose a file or a function to see its code.";
        return rows::hint(ui, what);
    };
    rows::frame().show(ui, |ui| {
        head(view, ui, document);
        notes(view, ui, document);
        let reading = &view.readings[view.own];
        match (
            reading.key().is_some() && document.is_file(file),
            reading.failure(),
        ) {
            (true, None) => {}
            (has_tree, failure) => {
                let failure = failure.filter(|_| has_tree).map(str::to_owned);
                let (above, below) = above_legend(ui);
                ui.scope_builder(egui::UiBuilder::new().max_rect(above), |ui| {
                    names_ui::show(view, ui, document, failure, pane);
                });
                write_elsewhere(view, ui, document, below);
                return;
            }
        }
        let waits = view
            .sides(document)
            .iter()
            .any(|&side| view.page(side).is_none() && view.readings[side].failure().is_none());
        if waits {
            return rows::hint(ui, "Reading the file …");
        }
        view.settle(document);
        behind::show(view, ui, document, pane);
        let whole = ui.available_rect_before_wrap();
        let (above, below) = above_legend(ui);
        columns(view, ui, document, above, pane);
        legend(view, ui, document, below, pane);
        ui.advance_cursor_after_rect(whole);
    });
}

/// What the legend leaves of the room that there is, and its own place.
fn above_legend(ui: &Ui) -> (Rect, Rect) {
    let whole = ui.available_rect_before_wrap();
    let line = (whole.max.y - LEGEND).max(whole.min.y);
    (whole.with_max_y(line), whole.with_min_y(line))
}

/// Where what is pointed at lies, below names.
fn write_elsewhere(view: &CodeView, ui: &Ui, document: &Document, place: Rect) {
    let Some(text) = elsewhere(view, document) else {
        return;
    };
    let (color, font) = (
        ui.visuals().weak_text_color(),
        egui::FontId::proportional(11.5),
    );
    let painter = ui.painter_at(place);
    painter.text(
        place.left_center(),
        egui::Align2::LEFT_CENTER,
        text,
        font,
        color,
    );
}

/// The texts beside each other.
fn columns(
    view: &mut CodeView,
    ui: &mut Ui,
    document: &Document,
    place: Rect,
    pane: &mut Pane<'_>,
) {
    let sides = view.sides(document);
    let seen = (place.height() / ROW).max(1.0);
    let seconds = ui.input(|input| input.stable_dt).min(0.1);
    let rows = view.rows();
    if view.scroll.lay_out(rows, seen, seconds) {
        ui.ctx().request_repaint();
    }
    let first = view.scroll.top().floor() as u32;
    let last = first.saturating_add(seen.ceil() as u32);
    for &side in sides {
        let lines = (first..=last).filter_map(|row| view.line_in(row, side));
        let (from, to) = lines.fold((u32::MAX, 0), |(from, to), line| {
            (from.min(line), to.max(line))
        });
        if from <= to {
            view.readings[side].want_colors(from, to, pane.state);
        }
    }
    let wide = place.width() / sides.len() as f32;
    for (number, &side) in sides.iter().enumerate() {
        let left = place.min.x + wide * number as f32;
        let gap = if number > 0 { 6.0 } else { 0.0 };
        let column = Rect::from_min_max(
            pos2(left + gap, place.min.y),
            pos2(left + wide, place.max.y),
        );
        column_ui::show(view, ui, document, (side, column), pane);
    }
}

/// Which file it is, what is looked for in it, and what colours say.
fn head(view: &mut CodeView, ui: &mut Ui, document: &Document) {
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if view.page(view.own).is_some() {
                choices(view, ui, document);
                find(view, ui);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let Some(file) = view.file else { return };
                let path = document.base.hierarchy.path(file);
                let path = escape::name(&path).into_owned();
                let short = rows::fitting(ui, &path).into_owned();
                ui.add(Label::new(style::title(short)).truncate())
                    .on_hover_text(path);
            });
        });
    });
}

fn choices(view: &mut CodeView, ui: &mut Ui, document: &Document) {
    let (mut tint, mut compares) = (view.tint(), view.compares);
    ui.menu_button("View", |ui| {
        ui.label(style::weak("Lines are coloured by").small());
        for of in Tint::ALL {
            let knows =
                of != Tint::Own || view.numbers(view.own).is_some_and(|it| it.lines.knows_self);
            ui.add_enabled_ui(knows, |ui| {
                ui.radio_value(&mut tint, of, of.about())
                    .on_disabled_hover_text("No data on which lines ran");
            });
        }
        if document.runs.is_some() {
            ui.checkbox(&mut compares, "what differs between the runs");
        }
        if document.has_two_sources() {
            ui.separator();
            ui.checkbox(&mut view.is_beside, "both versions of the text");
        }
        ui.separator();
        ui.label(style::weak("A tab is as wide as").small());
        ui.horizontal(|ui| {
            for tab in TABS {
                ui.radio_value(&mut view.tab, tab, format!("{tab} letters"));
            }
        });
    });
    view.set_tint(tint, compares, document);
}

fn find(view: &mut CodeView, ui: &mut Ui) {
    if ui.available_width() < 190.0 {
        return;
    }
    let id = Id::unique("find in the code");
    let width = (ui.available_width() * 0.35).clamp(70.0, 160.0);
    let edit = egui::TextEdit::singleline(&mut view.query)
        .id(id)
        .hint_text("Find in the text")
        .char_limit(1000)
        .desired_width(width);
    let response = ui
        .add(edit)
        .on_hover_text("Enter goes on, Shift + Enter back");
    let (enter, shift) =
        ui.input(|input| (input.key_pressed(egui::Key::Enter), input.modifiers.shift));
    if response.lost_focus() && enter {
        view.find(!shift);
        response.request_focus();
    }
    if !view.query.is_empty() {
        for (icon, forward, about) in [
            (Icon::Forward, true, "The next place"),
            (Icon::Back, false, "The place before"),
        ] {
            if icon_button(ui, icon, false, about).clicked() {
                view.find(forward);
            }
        }
    }
}

/// What has to be known to read text and colours aright.
fn notes(view: &CodeView, ui: &mut Ui, document: &Document) {
    let mut notes: Vec<String> = Vec::new();
    if let Some(what) = unplaced(document) {
        notes.push(what);
    }
    let own = view.own;
    let page = view.page(own);
    if let Some(page) = page {
        if page.is_newer {
            notes.push(
                "the file is newer than the recording: its lines may not be those that ran"
                    .to_owned(),
            );
        }
        if page.text.replaced() > 0 {
            let many = text::counted(page.text.replaced(), "stretch is", "stretches are");
            notes.push(format!("{many} no text and shown as \u{fffd}"));
        }
    }
    if let Some(numbers) = view.numbers(own) {
        let lines = &numbers.lines;
        let past = page.map_or(0, |page| lines.past_end(page.text.lines()));
        if past > 0 {
            let many = text::counted(past as u64, "line", "lines");
            notes.push(format!(
                "the recording has {many} past the end: it was made with another version of the file"
            ));
        }
        if lines.is_of_whole {
            notes.push("line costs are for the whole recording, not for the range".to_owned());
        }
        if numbers.is_inferred() && page.is_some() {
            notes.push("in which line a call was made is inferred from names (~)".to_owned());
        }
        if !document.filters.is_empty() {
            notes.push("including excluded calls".to_owned());
        }
    }
    if view.compared.as_ref().is_some_and(|it| it.is_mixed) {
        notes.push("the runs count in different units: lines are not compared".to_owned());
    }
    if let Some(file) = view.file {
        let made = document.base.hierarchy.file_kind(file).made;
        if made != Made::Hand {
            notes.push(format!("{}, not written by hand", made.name()));
        }
    }
    if !notes.is_empty() {
        let line = notes.join(" · ");
        ui.add(Label::new(style::weak(line.clone()).small()).truncate())
            .on_hover_text(line);
    }
}

/// What is chosen and has no place in the source tree.
fn unplaced(document: &Document) -> Option<String> {
    let chosen = document.selection.chosen;
    let function = chosen
        .function
        .filter(|_| document.line_of(&chosen).is_none())?;
    document.source_root()?;
    let of = document.resolved()?.recording.functions.get(function);
    let name = escape::name(of.name);
    Some(match of.file {
        "" => format!("{name} has no source in the tree"),
        file => format!(
            "{name} has no source in the tree; the recording names {}, which is not opened",
            escape::name(file)
        ),
    })
}

/// What the colours mean, and where what is meant elsewhere lies.
fn legend(view: &CodeView, ui: &mut Ui, document: &Document, place: Rect, pane: &Pane<'_>) {
    let look = Look::of(pane.state.settings.theme);
    let painter = ui.painter_at(place);
    let font = egui::FontId::proportional(11.5);
    let middle = place.center().y;
    let mut x = place.min.x;
    if let Some((ends, title)) = scale_of(view, document) {
        let write = |x: f32, text: &str| {
            let color = look.panel.weak;
            painter
                .text(
                    pos2(x, middle),
                    egui::Align2::LEFT_CENTER,
                    text,
                    font.clone(),
                    color,
                )
                .right()
        };
        x = write(x, &ends[0]) + 6.0;
        let bar = Rect::from_min_max(pos2(x, middle - 4.0), pos2(x + 72.0, middle + 4.0));
        for step in 0..36 {
            let share = (step as f32 + 0.5) / 36.0;
            let color = match view.shown_difference() {
                Some(_) => look.change(share * 2.0 - 1.0),
                None => look.heat(share),
            };
            let left = bar.min.x + bar.width() * step as f32 / 36.0;
            let part = Rect::from_min_size(pos2(left, bar.min.y), vec2(2.2, 8.0));
            painter.rect_filled(part, 0, color);
        }
        x = write(bar.max.x + 6.0, &ends[1]) + 8.0;
        x = write(x, &title) + 14.0;
    }
    let mut texts: Vec<String> = Vec::new();
    if let Some(miniature) = &view.miniatures[view.own] {
        let lines = miniature.scale().rows_a_pixel();
        if lines > 1 {
            texts.push(format!(
                "{} lines a row of the miniature",
                text::count(lines.into())
            ));
        }
    }
    texts.extend(elsewhere(view, document));
    let room = place.max.x - x;
    if room > 40.0 {
        let mut job =
            egui::text::LayoutJob::simple_singleline(texts.join(" · "), font, look.panel.weak);
        job.wrap = egui::text::TextWrapping::truncate_at_width(room);
        let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
        let at = pos2(x, middle - galley.size().y * 0.5);
        painter.galley(at, galley, look.panel.weak);
    }
}

/// The ends of the scale of colours, and what it is of.
fn scale_of(view: &CodeView, document: &Document) -> Option<([String; 2], String)> {
    if let Some(compared) = view.shown_difference() {
        let cost = callscape_base::units::Cost::from_ns(compared.most());
        let most = document.show_cost(cost);
        let title = format!("in B, {}", view.tint().about());
        return Some(([format!("−{most}"), format!("+{most}")], title));
    }
    let numbers = view.numbers(view.own)?;
    let most = numbers.most(view.tint());
    Some(match view.tint() {
        Tint::Run => (
            ["0".to_owned(), numbers.lines.unit.show(most)],
            "of the run, by the calls made in the line".to_owned(),
        ),
        Tint::Calls => (
            ["0".to_owned(), "100 %".to_owned()],
            "of what all calls of the function cost".to_owned(),
        ),
        Tint::Own => (
            ["0".to_owned(), numbers.lines.unit.show(most)],
            "the line itself".to_owned(),
        ),
    })
}

/// Where what is pointed at lies, when that is in another file.
fn elsewhere(view: &CodeView, document: &Document) -> Option<String> {
    let pointed = document.selection.pointed;
    let place = document.line_of(&document.complete(pointed))?;
    if Some(place.file) == view.file || document.meant(&pointed).is_nothing() {
        return None;
    }
    let path = document.base.hierarchy.path(place.file);
    Some(format!(
        "pointed at: {}, line {}",
        escape::name(&path),
        place.line
    ))
}
