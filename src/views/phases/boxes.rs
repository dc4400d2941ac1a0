//! Boxes of phases, and the frames of repetitions.

use egui::text::{LayoutJob, TextWrapping};
use egui::{Color32, FontId, Painter, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};

use super::finding::Found;
use super::layers::Of;
use crate::parts::style;
use callscape_analysis::phases::{Gathered, Phase};
use callscape_base::escape;
use callscape_base::units::{Cost, FunctionId, ModuleId, TimeRange, grouped};
use callscape_layout::geometry::Color;
use callscape_layout::hues::{Hues, encoded};
use callscape_look::ink::Ink;
use callscape_model::theme::Theme;
use callscape_state::document::Document;

/// The side of the largest area, in points.
const AREA: f32 = 16.0;

pub(super) fn color32(color: Color) -> Color32 {
    let [r, g, b, a] = encoded(color);
    Color32::from_rgba_unmultiplied(r, g, b, a)
}

/// The colours of a theme, and of modules.
pub(super) struct Paint<'a> {
    hues: &'a Hues,
    ink: Ink,
    pub text: Color32,
    pub weak: Color32,
    pub inset: Color32,
    pub panel: Color32,
    pub accent: Color32,
    pub time: Color32,
    pub outside: Color32,
    pub pointed: Color32,
    pub chosen: Color32,
    pub frame: Color32,
    /// What stands out from the others of its kind.
    pub outlier: Color32,
}

impl<'a> Paint<'a> {
    pub(super) fn new(theme: Theme, hues: &'a Hues) -> Paint<'a> {
        let ink = Ink::of(theme);
        let colors = style::colors(theme);
        Paint {
            hues,
            text: colors.text,
            weak: colors.weak,
            inset: colors.inset,
            panel: colors.panel,
            accent: colors.accent,
            time: color32(ink.time),
            outside: color32(ink.outside),
            pointed: color32(ink.pointed),
            chosen: color32(ink.chosen),
            frame: colors.hovered,
            outlier: match theme {
                Theme::Light => Color32::from_rgb(0xC2, 0x4E, 0x00),
                Theme::Dark => Color32::from_rgb(0xFF, 0xBA, 0x72),
            },
            ink,
        }
    }

    /// The colour of a function's module as activity has it.
    pub(super) fn strong_of(&self, document: &Document, function: FunctionId) -> Color {
        let module = document.module_of(function).unwrap_or(ModuleId::ROOT);
        let hierarchy = &document.session.hierarchy;
        self.hues.color(hierarchy, module, &self.ink.strong)
    }

    /// The same as a surface under letters.
    fn surface_of(&self, document: &Document, function: FunctionId) -> Color {
        let module = document.module_of(function).unwrap_or(ModuleId::ROOT);
        let hierarchy = &document.session.hierarchy;
        self.hues.color(hierarchy, module, &self.ink.tones)
    }

    fn on_surface(&self) -> Color32 {
        color32(self.ink.on_module)
    }
}

/// The largest values, which the areas of boxes are shares of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    pub calls: u64,
    pub levels: u64,
    pub cost: u64,
    pub functions: u64,
}

impl Scales {
    /// The shares of a phase, in the order of the areas.
    fn shares(&self, found: &Found, phase: &Phase) -> [f32; 4] {
        let functions = found.phases.functions(phase).len() as u64;
        let of = |value: u64, most: u64| value as f32 / most.max(1) as f32;
        [
            of(phase.calls, self.calls),
            of(u64::from(phase.levels), self.levels),
            of(phase.cost.ns(), self.cost),
            of(functions, self.functions),
        ]
    }
}

/// How a box is shown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub is_unfolded: bool,
    pub is_pointed: bool,
    pub is_chosen: bool,
    /// It has nothing of what is meant, or lies outside of the range.
    pub is_pale: bool,
    /// The share of its time in which what is meant runs.
    pub share: Option<f32>,
    /// The time of all views is in it.
    pub is_now: bool,
    /// So many marked functions run first in it.
    pub firsts: usize,
}

/// How many marked functions run first in a phase, on its thread. O(log n).
pub(super) fn firsts(document: &Document, phase: &Phase) -> usize {
    let (Some(marked), Some(resolved)) = (&document.selection.marked, document.resolved()) else {
        return 0;
    };
    let call = resolved.recording.trace.call(phase.thread, phase.call);
    marked.count_within(phase.thread, TimeRange::new(call.start, call.end))
}

/// Which phases stand for the calls that are pointed at and chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub pointed: Option<u32>,
    pub chosen: Option<u32>,
}

/// How long a phase took, with the time in which its thread was pre-empted.
pub(super) fn elapsed(document: &Document, phase: &Phase) -> Option<Cost> {
    let trace = &document.resolved()?.recording.trace;
    Some(trace.call(phase.thread, phase.call).cost())
}

pub(super) struct Drawing<'a> {
    pub document: &'a Document,
    pub found: &'a Found,
    pub paint: &'a Paint<'a>,
    pub marks: Marks,
    pub scales: Scales,
    pub painter: Painter,
}

impl Drawing<'_> {
    /// Text in as many lines, `…` at the end of what has no room.
    pub(super) fn write(
        &self,
        at: Pos2,
        width: f32,
        rows: usize,
        size: f32,
        color: Color32,
        text: &str,
    ) {
        let text = escape::name(text).into_owned();
        let family = match rows {
            1 => egui::FontFamily::Proportional,
            _ => style::semi_bold(),
        };
        let mut job = LayoutJob::simple(text, FontId::new(size, family), color, width);
        job.wrap = TextWrapping {
            max_width: width,
            max_rows: rows,
            break_anywhere: true,
            overflow_character: Some('…'),
        };
        let galley = self.painter.layout_job(job);
        self.painter.galley(at, galley, color);
    }

    pub(super) fn draw(&self, rect: Rect, of: Of, look: &Look) {
        let phases = &self.found.phases;
        match of {
            Of::Phase(index) => {
                if let Some(phase) = phases.phases.get(index as usize) {
                    self.phase(rect, index, phase, look);
                }
            }
            Of::Gathered(number) => {
                if let Some(row) = phases.gathered.get(number as usize) {
                    self.gathered(rect, row, look);
                }
            }
        }
        if look.is_pale {
            let veil = self.paint.panel.gamma_multiply(0.72);
            self.painter.rect_filled(rect, 4, veil);
        }
    }

    /// What is written first in the box.
    pub(super) fn label(&self, of: Of) -> &str {
        let Found { phases, labels, .. } = self.found;
        let label = match of {
            Of::Phase(index) => {
                let phase = phases.phases.get(index as usize);
                phase.map(|it| labels.phase(index, it))
            }
            Of::Gathered(number) => {
                let row = phases.gathered.get(number as usize);
                row.map(|it| labels.function(it.function))
            }
        };
        label.unwrap_or_default()
    }

    fn phase(&self, rect: Rect, index: u32, phase: &Phase, look: &Look) {
        let paint = self.paint;
        let surface = color32(paint.surface_of(self.document, phase.function));
        let strong = color32(paint.strong_of(self.document, phase.function));
        self.painter.rect_filled(rect, 4, surface);
        if let Some(share) = look.share {
            self.share(rect, share);
        }
        let stripe = Rect::from_min_size(rect.min, vec2(4.0, rect.height()));
        self.painter.rect_filled(stripe, 2, strong);
        let text = paint.on_surface();
        let inner = rect.shrink2(vec2(11.0, 6.0));
        let label = self.found.labels.phase(index, phase);
        self.write(inner.min, inner.width(), 2, 12.5, text, label);
        let facts = self.facts(phase);
        let at = pos2(inner.left(), rect.bottom() - AREA - 25.0);
        self.write(at, inner.width(), 1, 11.0, text, &facts);
        self.areas(inner, rect.bottom() - 6.0, text, phase);
        let more = phase.end - index - 1;
        if more > 0 {
            self.unfolds(rect, text, look.is_unfolded);
        }
        if phase.is_outlier {
            let stroke = Stroke::new(2.0, paint.outlier);
            self.painter
                .rect_stroke(rect, 4, stroke, StrokeKind::Inside);
            let corner = vec![
                rect.right_top(),
                rect.right_top() + vec2(-14.0, 0.0),
                rect.right_top() + vec2(0.0, 14.0),
            ];
            let shape = egui::Shape::convex_polygon(corner, paint.outlier, Stroke::NONE);
            self.painter.add(shape);
        }
        self.firsts(rect, text, look.firsts);
        self.outline(rect, look);
    }

    fn facts(&self, phase: &Phase) -> String {
        let cost = phase.cost;
        // Tables say the time that elapsed.
        let of = match elapsed(self.document, phase) {
            Some(elapsed) if elapsed != cost => format!(" of {elapsed}"),
            _ => String::new(),
        };
        format!("{} calls · {cost}{of}", grouped(phase.calls))
    }

    /// How many marked functions run first in it, in a small frame at its upper right.
    fn firsts(&self, rect: Rect, color: Color32, count: usize) {
        if count == 0 {
            return;
        }
        let font = egui::FontId::proportional(10.5);
        let galley = self
            .painter
            .layout_no_wrap(grouped(count as u64), font, color);
        let size = galley.size() + vec2(8.0, 2.0);
        let corner = rect.right_top() + vec2(-size.x - 5.0, 5.0);
        let frame = Rect::from_min_size(corner, size);
        let stroke = Stroke::new(1.4, color);
        self.painter
            .rect_stroke(frame, 2, stroke, StrokeKind::Inside);
        self.painter.galley(corner + vec2(4.0, 1.0), galley, color);
    }

    /// Squares, each as large as its share of a scale, in the frame of that scale.
    fn areas(&self, inner: Rect, bottom: f32, color: Color32, phase: &Phase) {
        let mut left = inner.left();
        for share in self.scales.shares(self.found, phase) {
            let whole = Rect::from_min_size(pos2(left, bottom - AREA), vec2(AREA, AREA));
            let thin = Stroke::new(1.0, color.gamma_multiply(0.3));
            self.painter.rect_stroke(whole, 1, thin, StrokeKind::Inside);
            // Whatever is there at all is seen.
            let side = (AREA * share.clamp(0.0, 1.0).sqrt()).max(1.5);
            let size = vec2(side, side);
            let filled = Rect::from_min_max(
                whole.left_bottom() - vec2(0.0, side),
                whole.left_bottom() + vec2(side, 0.0),
            );
            debug_assert!((filled.size() - size).length() < 0.01);
            self.painter
                .rect_filled(filled, 1, color.gamma_multiply(0.75));
            left += AREA + 7.0;
        }
    }

    /// A triangle: there are phases below.
    fn unfolds(&self, rect: Rect, color: Color32, is_unfolded: bool) {
        let at = rect.right_bottom() - vec2(13.0, 13.0);
        let points = match is_unfolded {
            true => [vec2(-5.0, -3.0), vec2(5.0, -3.0), vec2(0.0, 4.0)],
            false => [vec2(-3.0, -5.0), vec2(4.0, 0.0), vec2(-3.0, 5.0)],
        };
        let points = points.map(|by| at + by).to_vec();
        let shape = egui::Shape::convex_polygon(points, color, Stroke::NONE);
        self.painter.add(shape);
    }

    /// A bar along the lower edge: for which share of the time what is meant runs.
    fn share(&self, rect: Rect, share: f32) {
        let paint = self.paint;
        let shade = paint
            .accent
            .gamma_multiply(0.18 + 0.5 * share.clamp(0.0, 1.0));
        self.painter.rect_filled(rect, 4, shade);
        let width = (rect.width() * share.clamp(0.0, 1.0)).max(2.0);
        let bar = Rect::from_min_size(
            rect.left_bottom() - vec2(0.0, 4.0),
            vec2(width.min(rect.width()), 4.0),
        );
        self.painter.rect_filled(bar, 1, paint.accent);
    }

    fn outline(&self, rect: Rect, look: &Look) {
        let paint = self.paint;
        if look.is_now {
            let bar = Rect::from_min_size(rect.left_top(), vec2(rect.width(), 2.5));
            self.painter.rect_filled(bar, 1, paint.time);
        }
        let outline = |color: Color32, width: f32| {
            let stroke = Stroke::new(width, color);
            self.painter
                .rect_stroke(rect, 4, stroke, StrokeKind::Outside);
        };
        if look.is_unfolded {
            outline(paint.text, 1.0);
        }
        if look.is_chosen {
            outline(paint.chosen, 2.5);
        } else if look.is_pointed {
            outline(paint.pointed, 2.0);
        }
    }

    /// Light calls of one callee: hollow, for they are no phase.
    fn gathered(&self, rect: Rect, row: &Gathered, look: &Look) {
        let paint = self.paint;
        let strong = color32(paint.strong_of(self.document, row.function));
        self.painter.rect_filled(rect, 4, paint.panel);
        let stroke = Stroke::new(1.0, strong);
        self.painter
            .rect_stroke(rect, 4, stroke, StrokeKind::Inside);
        // Like a pile of cards.
        for step in 1..3 {
            let by = step as f32 * 3.0;
            let from = rect.left_bottom() + vec2(4.0 + by, -by);
            let to = rect.right_bottom() + vec2(-4.0 - by, -by);
            self.painter
                .line_segment([from, to], Stroke::new(1.0, strong.gamma_multiply(0.6)));
        }
        let inner = rect.shrink2(vec2(11.0, 6.0));
        let label = self.found.labels.function(row.function);
        self.write(inner.min, inner.width(), 2, 12.5, paint.text, label);
        let times = format!("× {}, each light", grouped(row.of));
        let at = pos2(inner.left(), rect.bottom() - 44.0);
        self.write(at, inner.width(), 1, 11.0, paint.text, &times);
        let facts = format!("{} calls · {}", grouped(row.calls), row.cost);
        let at = pos2(inner.left(), rect.bottom() - 27.0);
        self.write(at, inner.width(), 1, 11.0, paint.weak, &facts);
        self.outline(rect, look);
    }
}
