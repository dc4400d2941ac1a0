//! One run on its half of the sheet: its axis, its caption, and the colours of what differs.

use glam::Vec2;

use super::clock::Common;
use super::places::Places;
use crate::parts::hatching::ShownGaps;
use callscape_analysis::session::Session;
use callscape_base::units::{FunctionId, ModuleId, TimeRange};
use callscape_filter::filters::FilterRules;
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::{Ink, diverging};
use callscape_model::linked::LinkedRuns;
use callscape_model::mark::Mark;
use callscape_model::theme::Theme;

/// The colours of differences on a sheet.
pub(super) struct Tones {
    theme: Theme,
    pub(super) same: Color,
}

impl Tones {
    pub(super) fn new(theme: Theme, ink: &Ink) -> Tones {
        let [r, g, b, _] = ink.line;
        let [pr, pg, pb, _] = ink.paper;
        // As much of the ink as shows that something is there.
        let mix = |paper: f32, ink: f32| paper + (ink - paper) * 0.22;
        Tones {
            theme,
            same: [mix(pr, r), mix(pg, g), mix(pb, b), 1.0],
        }
    }

    /// The letters that are read best on a colour.
    pub(super) fn ink_on(&self, [r, g, b, _]: Color, ink: &Ink) -> Color {
        let luminance = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
        // WCAG 2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
        let contrast = |a: f32, b: f32| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        let ground = luminance([r, g, b]);
        let [by_text, by_paper] =
            [ink.text, ink.paper].map(|[r, g, b, _]| contrast(ground, luminance([r, g, b])));
        if by_text >= by_paper {
            ink.text
        } else {
            ink.paper
        }
    }

    pub(super) fn of(&self, strength: f32) -> Color {
        if strength == 0.0 {
            return self.same;
        }
        let [r, g, b] = diverging(self.theme, strength);
        [r, g, b, 1.0]
    }
}

/// One run on its half of the sheet.
pub(super) struct On<'a> {
    pub(super) session: &'a Session,
    pub(super) pair: &'a LinkedRuns<'a>,
    pub(super) common: &'a Common<'a>,
    pub(super) axis: &'a TimeAxis,
    pub(super) plot: Rect,
    pub(super) places: &'a Places,
    pub(super) side: usize,
    /// What is left out of A and B.
    pub(super) rules: &'a [FilterRules; 2],
    pub(super) tones: &'a Tones,
    pub(super) ink: &'a Ink,
}

/// What stands before the name of a function that differs, for who does not see the colours.
pub(super) fn sign(mark: Mark) -> &'static str {
    match mark {
        Mark::None => "",
        Mark::Added => "+ ",
        Mark::Gone => "× ",
        Mark::Less => "▼ ",
        Mark::More => "▲ ",
    }
}

impl On<'_> {
    /// Hatches where nothing of the run was recorded.
    pub(super) fn draw_gaps(&self, sheet: &mut Sheet) {
        let Some(resolved) = self.session.recordings.get(self.pair.places[self.side]) else {
            return;
        };
        let visible = self.axis.range();
        let [start, end] =
            [visible.start, visible.end].map(|time| self.common.time_of(self.side, time));
        let shown = ShownGaps {
            gaps: &resolved.recording.gaps,
            range: TimeRange::new(start, end),
            rect: self.plot,
            stroke: self.places.line,
            ink: self.ink,
        };
        let x_of = |time| self.axis.x_within(self.common.on_axis(self.side, time));
        shown.draw(x_of, self.places.em, sheet);
    }

    /// The times of the run, at round numbers, where they lie on the axis.
    pub(super) fn draw_axis(&self, sheet: &mut Sheet) {
        let (rect, em) = (self.places.axes[self.side], self.places.em);
        if self.common.reference.is_none_or(|it| it == self.side) {
            return self.axis.draw(sheet, rect, em, self.ink.axis());
        }
        let visible = self.axis.range();
        let [start, end] =
            [visible.start, visible.end].map(|time| self.common.time_of(self.side, time));
        let mut own = TimeAxis::new(TimeRange::new(start, end));
        own.place(rect.min.x, rect.size().x);
        let ticks = own.ticks(em * 8.5);
        let line = self.places.line;
        sheet.fills.push(Fill {
            rect: Rect::new(rect.min, Vec2::new(rect.max.x, rect.min.y + line)),
            color: self.ink.line,
        });
        let middle = (rect.min.y + rect.max.y) * 0.5;
        let mut free = f32::NEG_INFINITY;
        let mut letters = String::new();
        for time in ticks.clone() {
            let x = self.axis.x_of(self.common.on_axis(self.side, time)).round();
            if x < rect.min.x || rect.max.x < x {
                continue;
            }
            let tick = Rect::new(
                Vec2::new(x, rect.min.y),
                Vec2::new(x + line, rect.min.y + em * 0.45),
            );
            let color = self.ink.line;
            sheet.fills.push(Fill { rect: tick, color });
            letters.clear();
            ticks.write(time, &mut letters);
            let at = Vec2::new(x + em * 0.35, middle);
            let wide = text::width(&letters) * em;
            if at.x >= free && at.x + wide <= rect.max.x {
                sheet.write(&letters, at, em, self.ink.weak, rect);
                free = at.x + wide + em;
            }
        }
    }

    pub(super) fn draw_caption(&self, sheet: &mut Sheet) {
        let (rect, em) = (self.places.captions[self.side], self.places.em);
        let color = self.ink.heading;
        sheet.fills.push(Fill { rect, color });
        let letter = ["A", "B"][self.side];
        let duration = self.pair.ranges(self.session)[self.side].length();
        let said = format!("{letter}   {}, {duration}", self.pair.names[self.side]);
        let middle = (rect.min.y + rect.max.y) * 0.5;
        let at = Vec2::new(rect.min.x + em * 0.6, middle);
        let meaning = match self.side {
            0 => format!(
                "{}: ▼ less, ▲ more in B, × only in A, + only in B",
                self.pair.difference.measure.title()
            ),
            _ => match self.common.reference {
                Some(reference) => {
                    let letter = ["A", "B"][reference];
                    format!("as long as in {letter}; the other run is stretched to it")
                }
                None => String::new(),
            },
        };
        let wide = text::width(&meaning) * em;
        let mut short = String::new();
        let is_room = rect.size().x > wide + em * 14.0;
        let room = match is_room {
            true => rect.size().x - wide - em * 2.5,
            false => rect.size().x - em * 1.2,
        };
        if text::shorten(&said, room / em, &mut short) {
            sheet.write(&short, at, em, self.ink.text, rect);
        }
        if is_room {
            let at = Vec2::new(rect.max.x - wide - em * 0.6, middle);
            sheet.write(&meaning, at, em, self.ink.weak, rect);
        }
    }

    /// By function of the run, its module, and how it differs.
    pub(super) fn strength(&self, function: FunctionId) -> Option<(ModuleId, f32, Mark)> {
        let resolved = self.session.recordings.get(self.pair.places[self.side])?;
        let module = *resolved.resolution.modules.get(function.index())?;
        let difference = self.pair.difference;
        Some((module, difference.strength(module), difference.mark(module)))
    }
}
