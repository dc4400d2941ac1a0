//! How the figures of a row are drawn: two bars with their numbers, and piles of objects. What lives, what was released and
//! what is new are told apart by colour and by strokes.

use egui::{Align2, Color32, FontId, Rect, Role, Sense, Ui, pos2, vec2};
use glam::Vec2;

use super::asking::Which;
use crate::parts::hatching::{Strokes, strokes};
use crate::parts::style;
use crate::parts::widgets::tell;
use callscape_base::units::grouped;
use callscape_facts::memory::{AgeBin, CellTotals, Pattern};
use callscape_layout::hues::encoded;
use callscape_layout::sheet::{self, Sheet};
use callscape_model::theme::Theme;

/// The width of strokes, in points.
const STROKE: f32 = 1.0;

/// The height of a bar, and of the letters beside it, in points.
const BAR: f32 = 11.0;
const LETTERS: f32 = 11.0;

/// The room that a scroll bar needs, in points.
pub(super) const SCROLL_BAR: f32 = 12.0;

/// The colours of what is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub living: Color32,
    pub released: Color32,
    /// What changed in this cel.
    pub new: Color32,
    /// What was allocated, whatever became of it.
    pub allocated: Color32,
    /// Of temporary objects.
    pub temporary: Color32,
    /// Strokes over these.
    pub strokes: Color32,
    pub text: Color32,
    pub weak: Color32,
    pub line: Color32,
}

impl Paint {
    pub(super) fn of(theme: Theme) -> Paint {
        let rgb = |rgb: u32| {
            let [_, r, g, b] = rgb.to_be_bytes();
            Color32::from_rgb(r, g, b)
        };
        let colors = style::colors(theme);
        let (text, weak, line) = (colors.text, colors.weak, colors.line);
        match theme {
            Theme::Light => Paint {
                living: rgb(0x58A868),
                released: rgb(0xD0645A),
                new: rgb(0xEDC240),
                allocated: rgb(0x8A9BB5),
                temporary: rgb(0xC77F2E),
                strokes: Color32::from_black_alpha(90),
                text,
                weak,
                line,
            },
            Theme::Dark => Paint {
                living: rgb(0x4C9A5E),
                released: rgb(0xBF5950),
                new: rgb(0xDDB23A),
                allocated: rgb(0x65789A),
                temporary: rgb(0xD9914A),
                strokes: Color32::from_white_alpha(70),
                text,
                weak,
                line,
            },
        }
    }
}

/// A part of a pile or bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub count: u64,
    pub color: Color32,
    pub strokes: Option<Strokes>,
}

/// Fills a rectangle, with strokes over it.
pub(super) fn fill(ui: &Ui, rect: Rect, color: Color32, run: Option<Strokes>, ink: Color32) {
    let painter = ui.painter();
    painter.rect_filled(rect, 0, color);
    if let Some(run) = run {
        let to = |at: egui::Pos2| Vec2::new(at.x, at.y);
        let part = sheet::Rect::new(to(rect.min), to(rect.max));
        strokes(part, run, STROKE, |stroke| {
            let stroke = Rect::from_min_max(
                pos2(stroke.min.x, stroke.min.y),
                pos2(stroke.max.x, stroke.max.y),
            );
            painter.rect_filled(stroke, 0, ink);
        });
    }
}

/// Draws a sheet's fills, texts and marks from the top left corner of `rect`; `scale` is pixels of the sheet for a point.
pub(super) fn sheet(ui: &Ui, rect: Rect, scale: f32, sheet: &Sheet) {
    let painter = ui.painter().with_clip_rect(rect);
    let place = |at: Vec2| rect.min + vec2(at.x, at.y) / scale;
    let color = |color: [f32; 4]| {
        let [r, g, b, a] = encoded(color);
        Color32::from_rgba_unmultiplied(r, g, b, a)
    };
    let fills = |fills: &[sheet::Fill]| {
        let mut mesh = egui::Mesh::default();
        for fill in fills {
            let rect = Rect::from_min_max(place(fill.rect.min), place(fill.rect.max));
            mesh.add_colored_rect(rect, color(fill.color));
        }
        painter.add(egui::Shape::mesh(mesh));
    };
    fills(&sheet.fills);
    for run in &sheet.texts {
        let range = run.letters.start as usize..run.letters.end as usize;
        let text = sheet.letters.get(range).unwrap_or_default();
        let clip = Rect::from_min_max(place(run.clip.min), place(run.clip.max));
        let font = FontId::proportional(run.em / scale);
        painter.with_clip_rect(clip.intersect(rect)).text(
            place(run.at),
            Align2::LEFT_CENTER,
            text,
            font,
            color(run.color),
        );
    }
    fills(&sheet.marks);
}

/// Two bars with their numbers, allocated and released to date, in length proportional to the most objects of any row.
/// Whose objects were asked for by a click.
pub(super) fn bars(
    ui: &mut Ui,
    paint: &Paint,
    now: &CellTotals,
    before: &CellTotals,
    most: u64,
) -> Option<Which> {
    let rect = ui.max_rect().shrink2(vec2(2.0, 4.0));
    let font = FontId::proportional(LETTERS);
    let numbers = [now.allocations, now.releases].map(|it| grouped(u64::from(it)));
    let room = numbers.iter().map(|number| {
        let galley = ui
            .painter()
            .layout_no_wrap(number.clone(), font.clone(), paint.text);
        galley.size().x
    });
    // The bars of all rows have one scale, so room for the longest number is left in each.
    let room = room.fold(0.0, f32::max).max(46.0);
    let width = (rect.width() - room - 4.0).max(8.0);
    let mut asked = None;
    let lines = [
        (now.allocations, before.allocations, Which::Created),
        (now.releases, before.releases, Which::Released),
    ];
    let gap = (rect.height() - 2.0 * BAR).max(2.0) / 3.0;
    for (line, ((all, old, which), number)) in lines.into_iter().zip(numbers).enumerate() {
        let top = rect.top() + gap + line as f32 * (BAR + gap);
        let length = |count: u32| (f64::from(count) / most.max(1) as f64) as f32 * width;
        let bar = |from: f32, to: f32| {
            Rect::from_min_max(
                pos2(rect.left() + from, top),
                pos2(rect.left() + to, top + BAR),
            )
        };
        let (old_end, end) = (length(old.min(all)), length(all));
        let (color, run) = match which {
            Which::Released => (paint.released, Some(Strokes::Level)),
            _ => (paint.allocated, None),
        };
        fill(ui, bar(0.0, old_end), color, run, paint.strokes);
        if all > old {
            // What is new is seen however little it is.
            let start = old_end.min(end - 1.5).max(0.0);
            let new = bar(start, end.max(start + 1.5));
            fill(ui, new, paint.new, run, paint.strokes);
        }
        let at = pos2(rect.left() + end + 4.0, top + BAR * 0.5);
        ui.painter()
            .text(at, Align2::LEFT_CENTER, number, font.clone(), paint.text);
        let place = Rect::from_min_max(pos2(rect.left(), top), pos2(rect.right(), top + BAR));
        let id = ui.scope_id().with(("bar", line));
        let response = ui.interact(place, id, Sense::click());
        let word = if line == 0 { "allocated" } else { "released" };
        tell(
            &response,
            Role::Button,
            format_args!("{all} objects {word} to date"),
        );
        let new = all.saturating_sub(old);
        let response = response.on_hover_text(format!(
            "{} objects {word} to date, {} of them in this step; click to list them",
            grouped(u64::from(all)),
            grouped(u64::from(new)),
        ));
        if response.clicked() {
            asked = Some(which);
        }
    }
    asked
}

/// Piles beside each other, each of parts from below; `tip` says what a pile is. The one that was clicked.
pub(super) fn piles(
    ui: &mut Ui,
    paint: &Paint,
    name: &str,
    piles: &[Vec<Part>],
    tip: impl Fn(usize) -> String,
) -> Option<usize> {
    let mut rect = ui.max_rect().shrink2(vec2(3.0, 4.0));
    // The scroll bar of a table lies over its right edge, and takes clicks there.
    rect.max.x -= SCROLL_BAR;
    let sum = |parts: &Vec<Part>| parts.iter().map(|part| part.count).sum::<u64>();
    let most = piles.iter().map(sum).max().unwrap_or_default().max(1);
    let step = rect.width() / piles.len().max(1) as f32;
    let mut clicked = None;
    for (number, parts) in piles.iter().enumerate() {
        let [left, right] = [number, number + 1].map(|it| rect.left() + step * it as f32);
        let mut bottom = rect.bottom();
        for part in parts.iter().filter(|part| part.count > 0) {
            let height = (part.count as f64 / most as f64) as f32 * rect.height();
            let top = bottom - height.max(1.0);
            let place = Rect::from_min_max(pos2(left + 0.5, top), pos2(right - 0.5, bottom));
            fill(ui, place, part.color, part.strokes, paint.strokes);
            bottom = top;
        }
        let place = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
        let id = ui.scope_id().with((name, number));
        let response = ui.interact(place, id, Sense::click());
        if response.hovered() {
            ui.painter()
                .rect_stroke(place, 0, (1.0, paint.weak), egui::StrokeKind::Inside);
        }
        if response.clicked() {
            clicked = Some(number);
        }
        response.on_hover_ui(|ui| {
            ui.label(tip(number));
        });
    }
    ui.painter()
        .hline(rect.x_range(), rect.bottom(), (1.0, paint.line));
    clicked
}

/// The piles of a row by age: the living below, the released above; what is new in yellow.
pub(super) fn age_piles(paint: &Paint, bins: &[AgeBin], just_released: &[u32]) -> Vec<Vec<Part>> {
    let part = |count: u32, color: Color32, run: Strokes| Part {
        count: u64::from(count),
        color,
        strokes: Some(run),
    };
    let bins = bins.iter().zip(just_released).enumerate();
    bins.map(|(number, (bin, &just))| {
        let just = just.min(bin.released);
        let living = if number == 0 { paint.new } else { paint.living };
        vec![
            part(bin.living, living, Strokes::Upright),
            part(bin.released - just, paint.released, Strokes::Level),
            part(just, paint.new, Strokes::Level),
        ]
    })
    .collect()
}

/// The piles of what a row allocated in each interval of the run.
pub(super) fn created_piles(paint: &Paint, pattern: &Pattern) -> Vec<Vec<Part>> {
    let pile = |&count: &u32| {
        vec![Part {
            count: u64::from(count),
            color: paint.allocated,
            strokes: None,
        }]
    };
    pattern.iter().map(pile).collect()
}

/// The piles of a row by age at the release; the last one is what was never released.
pub(super) fn released_piles(paint: &Paint, pattern: &Pattern) -> Vec<Vec<Part>> {
    let last = pattern.len() - 1;
    let pile = |(bin, &count): (usize, &u32)| {
        let (color, run) = match bin == last {
            true => (paint.living, Strokes::Upright),
            false => (paint.released, Strokes::Level),
        };
        vec![Part {
            count: u64::from(count),
            color,
            strokes: Some(run),
        }]
    };
    pattern.iter().enumerate().map(pile).collect()
}
