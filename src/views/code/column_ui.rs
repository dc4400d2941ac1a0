//! One text in its column: costs, numbers and lines.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Color32, FontFamily, FontId, Rect, Response, Role, Sense, Ui, pos2, vec2};

use super::numbers::{Numbers, Tint};
use super::page::{Page, ShownLine};
use super::touched::Touch;
use super::view::CodeView;
use super::{miniature_ui, pointing};
use crate::Pane;
use crate::parts::code_look::{COSTS, LETTERS, Look, ROW};
use crate::parts::widgets::tell;
use callscape_state::document::Document;

/// The width of the band of colour before the text, in points.
const BAND: f32 = 5.0;

/// The width of the miniature: this share of the column within these limits, in points, and none in a narrower column.
const MINIATURE_SHARE: f32 = 0.17;
const MINIATURE: [f32; 2] = [48.0, 112.0];
const LEAST: f32 = 280.0;

/// Points of the wheel that are a column.
const WHEEL_COLUMN: f32 = 8.0;

/// Where the parts of a column are.
struct Parts {
    costs: Rect,
    numbers: Rect,
    band: Rect,
    text: Rect,
    miniature: Option<Rect>,
}

impl Parts {
    fn of(place: Rect, page: &Page, has_costs: bool, advance: f32) -> Parts {
        let digits = page.text.lines().max(1).ilog10() as f32 + 1.0;
        let widths = [
            if has_costs { COSTS } else { 0.0 },
            digits.max(3.0) * advance + 12.0,
            BAND + 4.0,
        ];
        let mut x = place.min.x;
        let [costs, numbers, band] = widths.map(|width| {
            let part = Rect::from_min_max(pos2(x, place.min.y), pos2(x + width, place.max.y));
            x += width;
            part
        });
        let has_miniature = place.width() >= LEAST;
        let [least, most] = MINIATURE;
        let taken = (place.width() * MINIATURE_SHARE).clamp(least, most) + 8.0;
        let end = place.max.x - if has_miniature { taken } else { 0.0 };
        Parts {
            costs,
            numbers,
            band,
            text: Rect::from_min_max(pos2(x, place.min.y), pos2(end.max(x), place.max.y)),
            miniature: has_miniature
                .then(|| Rect::from_min_max(pos2(end + 8.0, place.min.y), place.max)),
        }
    }
}

/// What a line looks like, text aside.
#[derive(Clone, Copy, Default)]
struct LineLook {
    color: Option<Color32>,
    is_dimmed: bool,
    is_pointed: bool,
    is_chosen: bool,
}

pub(super) fn show(
    view: &mut CodeView,
    ui: &mut Ui,
    document: &Document,
    (side, place): (usize, Rect),
    pane: &mut Pane<'_>,
) {
    let look = Look::of(pane.state.settings.theme);
    let font = FontId::new(LETTERS, FontFamily::Monospace);
    let Some(page) = view.page(side).cloned() else {
        let failure = view.readings[side].failure().unwrap_or_default();
        let color = look.panel.weak;
        let at = place.center();
        ui.painter_at(place).text(
            at,
            Align2::CENTER_CENTER,
            failure,
            FontId::proportional(12.5),
            color,
        );
        return;
    };
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let parts = Parts::of(place, &page, view.numbers(side).is_some(), advance);
    let lines = place.with_max_x(parts.text.max.x);
    ui.painter().rect_filled(lines, 0, look.paper);
    let response = ui.interact(
        lines,
        ui.scope_id().with(("code", side)),
        Sense::click_and_drag(),
    );
    tell(&response, Role::Document, "Lines of the file");
    view.scroll
        .set_columns_seen(parts.text.width() / advance.max(1.0));
    scroll(view, ui, &response, &page);
    let paint = Paint {
        view,
        page: &page,
        parts: &parts,
        look,
        font,
        advance,
        side,
    };
    paint.lines(ui);
    paint.bar(ui);
    pointing::answer(view, ui, document, &response, (side, &page), pane);
    if let Some(place) = parts.miniature {
        miniature_ui::show(view, ui, document, (side, &page, place), look);
    }
}

/// The wheel over the text.
fn scroll(view: &mut CodeView, ui: &Ui, response: &Response, page: &Page) {
    if !response.contains_pointer() {
        return;
    }
    let (by, shift) = ui.input(|input| (input.smooth_scroll_delta, input.modifiers.shift));
    let (across, down) = match shift {
        true => (by.x + by.y, 0.0),
        false => (by.x, by.y),
    };
    if down != 0.0 {
        view.scroll.by(f64::from(-down / ROW));
    }
    if across != 0.0 {
        view.scroll.across(-across / WHEEL_COLUMN, page.columns);
    }
}

struct Paint<'a> {
    view: &'a CodeView,
    page: &'a Page,
    parts: &'a Parts,
    look: Look,
    font: FontId,
    advance: f32,
    side: usize,
}

impl Paint<'_> {
    /// The rows that are seen, with their places.
    fn rows(&self) -> impl Iterator<Item = (u32, Rect)> {
        let (top, place) = (self.view.scroll.top(), self.parts.text);
        let first = top.floor();
        let offset = (first - top) as f32 * ROW;
        let count = (place.height() / ROW).ceil() as u32 + 1;
        let rows = self.view.rows();
        let left = self.parts.costs.min.x;
        (0..count).filter_map(move |number| {
            let row = first as u32 + number;
            let y = place.min.y + offset + number as f32 * ROW;
            let at = Rect::from_min_max(pos2(left, y), pos2(place.max.x, y + ROW));
            (row < rows).then_some((row, at))
        })
    }

    fn lines(&self, ui: &Ui) {
        let whole = self.parts.text.with_min_x(self.parts.costs.min.x);
        let painter = ui.painter_at(whole);
        let texts = ui.painter_at(self.parts.text);
        for (row, place) in self.rows() {
            let Some(line) = self.view.line_in(row, self.side) else {
                // The other version has a line here.
                painter.rect_filled(
                    place.with_min_x(self.parts.band.min.x),
                    0,
                    self.look.panel.inset,
                );
                continue;
            };
            let of = look_of(self.view, self.side, line, &self.look);
            self.behind(&painter, (row, line), place, of);
            self.gutter(&painter, (row, line), place, of);
            let galley = ui.fonts_mut(|fonts| fonts.layout_job(self.job(line, of.is_dimmed)));
            let y = place.center().y - galley.size().y * 0.5;
            let left = self.parts.text.min.x - self.view.scroll.left().fract() * self.advance;
            texts.galley(pos2(left, y), galley, self.look.panel.text);
        }
    }

    /// What lies behind the text.
    fn behind(&self, painter: &egui::Painter, (row, line): (u32, u32), place: Rect, of: LineLook) {
        let text = place.with_min_x(self.parts.band.max.x - 2.0);
        if let Some(color) = of.color {
            painter.rect_filled(text, 0, self.look.behind(color));
            let band = Rect::from_x_y_ranges(
                self.parts.band.min.x..=self.parts.band.min.x + BAND,
                place.min.y..=place.max.y,
            );
            painter.rect_filled(band, 0, color);
        } else if !self.view.is_same(row) {
            painter.rect_filled(text, 0, self.look.panel.hovered);
        }
        if self.view.caret == Some((self.side, line)) {
            // The colour of a line is not to be mixed with another one.
            let numbers = place.with_max_x(self.parts.numbers.max.x);
            painter.rect_filled(numbers, 0, self.look.panel.accent.gamma_multiply(0.16));
            let line = (1.0, self.look.panel.accent.gamma_multiply(0.7));
            painter.hline(place.x_range(), place.min.y + 0.5, line);
            painter.hline(place.x_range(), place.max.y - 0.5, line);
        }
        if of.is_pointed || of.is_chosen {
            let color = match of.is_chosen {
                true => self.look.panel.accent,
                false => self.look.panel.weak,
            };
            let edge = text.shrink2(vec2(0.5, 0.5));
            painter.rect_stroke(edge, 2.0, (1.2, color), egui::StrokeKind::Inside);
        }
        // Around what is meant, as far as the function goes.
        for (marks, color) in self
            .view
            .marks
            .iter()
            .zip([self.look.panel.weak, self.look.panel.accent])
        {
            if self.side == self.view.own && marks.has_function(line) {
                let x = self.parts.band.max.x - 3.0;
                painter.vline(x, place.y_range(), (2.0, color));
            }
        }
    }

    /// Cost and number of a line.
    fn gutter(&self, painter: &egui::Painter, (row, line): (u32, u32), place: Rect, of: LineLook) {
        let middle = place.center().y;
        if self.parts.costs.width() > 0.0
            && let Some(label) = self.view.label(self.side, line)
        {
            let at = pos2(self.parts.costs.max.x - 6.0, middle);
            painter.text(
                at,
                Align2::RIGHT_CENTER,
                label,
                FontId::proportional(11.0),
                self.look.panel.text,
            );
        }
        let color = match of.is_dimmed {
            true => self.look.panel.weak.gamma_multiply(0.6),
            false => self.look.panel.weak,
        };
        let touch = self.view.touched.line(line);
        if let Some(touch) = touch.filter(|_| self.side == self.view.own) {
            self.touch(painter, touch, place);
        }
        let sign = match (self.view.is_same(row), self.side) {
            (true, _) => "",
            (false, 0) => "− ",
            (false, _) => "+ ",
        };
        let number = format!("{sign}{line}");
        let at = pos2(self.parts.numbers.max.x - 6.0, middle);
        let font = FontId::new(LETTERS - 1.5, FontFamily::Monospace);
        painter.text(at, Align2::RIGHT_CENTER, number, font, color);
    }

    /// That a line changed: a bar beside its number; where lines were deleted behind it a wedge at its lower edge.
    fn touch(&self, painter: &egui::Painter, touch: Touch, place: Rect) {
        let x = self.parts.numbers.max.x - 3.0;
        let color = self.look.panel.text;
        match touch {
            Touch::Changed => {
                painter.vline(x, place.y_range(), (2.0, color));
            }
            Touch::Deleted => {
                let tip = pos2(x + 1.0, place.max.y);
                let wedge = vec![tip + vec2(-6.0, -4.0), tip, tip + vec2(-6.0, 4.0)];
                let shape = egui::Shape::convex_polygon(wedge, color, egui::Stroke::NONE);
                painter.add(shape);
            }
        }
    }

    /// The part of a line that is seen, in its colours.
    fn job(&self, line: u32, is_dimmed: bool) -> LayoutJob {
        let first = self.view.scroll.left().floor() as u32;
        let seen = (self.parts.text.width() / self.advance.max(1.0)).ceil() as u32 + 1;
        let spans = self.view.readings[self.side].spans(line);
        let ShownLine { text, classes, .. } =
            self.page
                .shown(line, (first, first.saturating_add(seen)), spans);
        let mut job = LayoutJob {
            break_on_newline: false,
            ..LayoutJob::default()
        };
        let mut start = 0;
        for (end, class) in classes {
            let format = TextFormat::simple(self.font.clone(), self.look.text(class, is_dimmed));
            job.append(text.get(start..end).unwrap_or_default(), 0.0, format);
            start = end;
        }
        job.wrap.max_width = f32::INFINITY;
        job
    }

    /// Where in long lines the text is.
    fn bar(&self, ui: &Ui) {
        let place = self.parts.text;
        let seen = place.width() / self.advance.max(1.0);
        let all = self.page.columns as f32 + 8.0;
        if all <= seen + 8.0 {
            return;
        }
        let share = |columns: f32| place.width() * (columns / all).clamp(0.0, 1.0);
        let left = place.min.x + share(self.view.scroll.left());
        let bar = Rect::from_min_size(
            pos2(left, place.max.y - 4.0),
            vec2(share(seen).max(12.0), 3.0),
        );
        ui.painter_at(place)
            .rect_filled(bar, 1.5, self.look.panel.weak.gamma_multiply(0.6));
    }
}

/// What a line looks like: what it costs, whether its function ran, and whether it is meant.
fn look_of(view: &CodeView, side: usize, line: u32, look: &Look) -> LineLook {
    let numbers = view.numbers(side);
    let color = match (view.shown_difference(), numbers) {
        (Some(compared), _) => {
            let change = compared.change(side, line);
            change.map(|change| look.change(compared.strength(change)))
        }
        (None, Some(numbers)) => heat_of(numbers, line, view.tint()).map(|it| look.heat(it)),
        (None, None) => None,
    };
    let is_own = side == view.own;
    LineLook {
        color,
        is_dimmed: numbers.is_some_and(|numbers| numbers.ran(line) == Some(false)),
        is_pointed: is_own && view.marks[0].has_line(line),
        is_chosen: is_own && view.marks[1].has_line(line),
    }
}

fn heat_of(numbers: &Numbers, line: u32, tint: Tint) -> Option<f32> {
    numbers.strength(numbers.lines.line(line)?, tint)
}
