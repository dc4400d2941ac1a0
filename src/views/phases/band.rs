//! The phases along time, in the colours that they have everywhere.

use egui::{Color32, Rect, Role, Sense, Ui, pos2};

use super::boxes::{Paint, color32};
use super::finding::{DEPTHS, Found};
use super::view::{PhasesView, pointed_at};
use crate::Pane;
use crate::parts::widgets::tell;
use callscape_base::units::{Time, TimeRange};
use callscape_state::ask::{PlayAsk, SelectAsk};
use callscape_state::document::Document;

/// Of a depth, in points.
const ROW: f32 = 9.0;

/// Where times lie.
#[derive(Clone, Copy)]
struct Along {
    rect: Rect,
    whole: TimeRange,
}

impl Along {
    fn x(&self, time: Time) -> f32 {
        let share =
            time.since(self.whole.start).ns() as f64 / self.whole.length().ns().max(1) as f64;
        self.rect.left() + self.rect.width() * share.clamp(0.0, 1.0) as f32
    }

    fn time(&self, x: f32) -> Time {
        let share = f64::from((x - self.rect.left()) / self.rect.width().max(1.0));
        let ns = self.whole.length().ns() as f64 * share.clamp(0.0, 1.0);
        Time::from_ns(self.whole.start.ns() + ns as u64)
    }
}

/// Shows the phases of a thread along the time of the recording, deepest last; a click chooses one.
pub(super) fn show(
    view: &mut PhasesView,
    ui: &mut Ui,
    document: &Document,
    paint: &Paint<'_>,
    pane: &mut Pane<'_>,
) {
    let Some(found) = view.found.clone() else {
        return;
    };
    let Some(resolved) = document.resolved() else {
        return;
    };
    let trace = &resolved.recording.trace;
    let size = egui::vec2(ui.available_width(), ROW * DEPTHS as f32);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    tell(&response, Role::Image, "Phases along time");
    let along = Along {
        rect,
        whole: trace.range(),
    };
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, 2, paint.inset);
    let phases = &found.phases;
    let at = response.hover_pos();
    let under = draw(view, &found, along, document, paint, &painter, at);
    let selection = &document.selection;
    if let Some(range) = selection.range {
        let [from, to] = [range.start, range.end].map(|time| along.x(time));
        for (from, to) in [(rect.left(), from), (to, rect.right())] {
            let part = Rect::from_x_y_ranges(from..=to, rect.y_range());
            painter.rect_filled(part, 0, paint.outside);
        }
    }
    let line = |time: Time, width: f32, color: Color32| {
        painter.vline(along.x(time), rect.y_range(), (width, color));
    };
    if let Some(time) = selection.pointed.time {
        line(time, 1.0, paint.weak);
    }
    line(selection.time, 1.5, paint.time);
    let Some(at) = at else { return };
    pane.pointed.time = Some(along.time(at.x));
    if let Some(phase) = under.and_then(|index| phases.phases.get(index as usize)) {
        pane.pointed = pointed_at(document, phase);
        pane.pointed.time = Some(along.time(at.x));
        if response.clicked() {
            pane.asks.push(SelectAsk::Choose(pane.pointed));
        }
    }
    if response.clicked() {
        pane.asks.push(PlayAsk::Seek(along.time(at.x)));
    }
}

/// Draws the phases; the deepest at `at`.
fn draw(
    view: &PhasesView,
    found: &Found,
    along: Along,
    document: &Document,
    paint: &Paint<'_>,
    painter: &egui::Painter,
    at: Option<egui::Pos2>,
) -> Option<u32> {
    let mut under = None;
    for bar in found.bars.get(view.root)? {
        let phase = found.phases.phases.get(bar.index as usize)?;
        let [left, right] = [bar.start, bar.end].map(|time| along.x(time));
        let right = right.max(left + 1.0);
        let top = along.rect.top() + (bar.depth - 1) as f32 * ROW;
        let rect = Rect::from_min_max(pos2(left, top), pos2(right, top + ROW - 1.0));
        let color = color32(paint.strong_of(document, phase.function));
        painter.rect_filled(rect, 1, color);
        if at.is_some_and(|at| rect.expand2(egui::vec2(0.5, 0.5)).contains(at)) {
            under = Some(bar.index);
        }
        if view.path.contains(&bar.index) {
            painter.rect_stroke(rect, 1, (1.0, paint.text), egui::StrokeKind::Inside);
        }
    }
    under
}
