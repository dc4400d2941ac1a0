//! The part of a recording that the other view along time shows, marked in this one (figure 6.5 of Bohnet's thesis).

use glam::Vec2;

use super::tip::Tip;
use callscape_base::units::{Time, TimeRange};
use callscape_layout::axis::TimeAxis;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks};
use callscape_state::panes::ViewId;

/// What another view along time shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Beside {
    /// The title of the view.
    title: String,
    range: Option<TimeRange>,
}

/// Has other views mark the range that a view shows, where it is not all of the recording.
pub(crate) fn tell(own: ViewId, range: Option<TimeRange>, state: &State, asks: &mut Asks) {
    let Some(document) = &state.document else {
        return;
    };
    let whole = document.resolved().map(|it| it.recording.trace.range());
    let range = range.filter(|_| state.panes.is_visible(own) && range != whole);
    let told = document.shown.iter().find(|(of, _)| *of == own);
    if told.map(|(_, range)| *range) != range {
        asks.push(Ask::Shown(own, range));
    }
}

impl Beside {
    /// Takes what the view beside `own` shows; whether that is something else than before.
    pub(crate) fn take(&mut self, own: ViewId, state: &State) -> bool {
        let shown = state.document.iter().flat_map(|it| &it.shown);
        let other = shown.clone().find(|(of, _)| *of != own);
        let new = other.map_or_else(Beside::default, |&(of, range)| Beside {
            title: of.title().to_lowercase(),
            range: Some(range),
        });
        let is_other = *self != new;
        *self = new;
        is_other
    }

    /// What the bracket means; nothing without one.
    pub(crate) fn meaning(&self) -> Option<String> {
        self.range
            .map(|_| format!("bracket: shown in the {}", self.title))
    }

    /// Says so of a time in the range.
    pub(crate) fn explain(&self, time: Time, tip: &mut Tip) {
        if let Some(range) = self.range.filter(|it| it.contains(time)) {
            let [from, to] = [range.start, range.end];
            tip.lines
                .push(format!("shown in the {}: {from} to {to}", self.title));
        }
    }

    /// Draws a bracket along the lower edge of `rect`, unless all of the axis is in it or nothing is.
    pub(crate) fn mark(
        &self,
        sheet: &mut Sheet,
        axis: &TimeAxis,
        rect: Rect,
        line: f32,
        ink: &Ink,
    ) {
        let Some(range) = self.range else { return };
        let [from, to] = [range.start, range.end].map(|time| axis.x_within(time).round());
        let (left, right) = (from.max(rect.min.x), to.min(rect.max.x));
        let visible = axis.range();
        if visible.start >= range.end || range.start >= visible.end {
            return;
        }
        let mut part = |from: f32, to: f32, high: f32| {
            let (from, to) = (from.max(rect.min.x), to.min(rect.max.x));
            if from < to {
                let min = Vec2::new(from, (rect.max.y - high).max(rect.min.y));
                let rect = Rect::new(min, Vec2::new(to, rect.max.y));
                sheet.marks.push(Fill {
                    rect,
                    color: ink.text,
                });
            }
        };
        if range.start <= visible.start && visible.end <= range.end {
            return;
        }
        part(left, right.max(left + line), 3.0 * line);
        let wide = 2.0 * line;
        if range.start > visible.start {
            part(left, left + wide, 14.0 * line);
        }
        if range.end < visible.end {
            part(right - wide, right, 14.0 * line);
        }
    }
}
