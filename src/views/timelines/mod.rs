//! Two runs along one time axis, one over the other: their call stacks, or which functions are active when, in the
//! colours of what differs between them.
//!
//! The axis shows the times of the longer run; those of the other one lie where the linked clocks say that they are
//! the same, and a band between them says how much longer, or shorter, it takes there.

mod clock;
mod overview;
mod stacks;

use std::collections::HashMap;

use glam::Vec2;

use super::Scope;
use super::difference::{Difference, diverging};
use super::ink::Ink;
use super::mural::plain;
use super::tip::Tip;
use crate::analysis::alignment::{Alignment, Run};
use crate::analysis::comparison::calls;
use crate::analysis::session::Session;
use crate::filter::filters::{FilterRules, Filters};
use crate::filter::selection::{CallOf, Pointed, Selection};
use crate::layout::axis::TimeAxis;
use crate::layout::geometry::{Color, Mark};
use crate::layout::labels::text;
use crate::layout::sheet::{Fill, Raster, Rect, Sheet};
use crate::render::theme::Theme;
use crate::units::{FunctionId, ModuleId, ThreadId, Time, TimeRange};
use clock::Common;

/// Heights in points.
const LETTERS: f32 = 11.0;
const AXIS: f32 = 18.0;
const CAPTION: f32 = 18.0;
const BAND: f32 = 16.0;

/// Two runs of one session whose clocks are linked.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Where A and B stand among the recordings of the session.
    pub places: [usize; 2],
    pub names: [&'a str; 2],
    pub clocks: &'a Alignment,
    /// The same time since the first event is the same.
    pub is_wall: bool,
    pub difference: &'a Difference,
    /// By thread of A and of B, the one of the other run that it is; nothing where none is left out.
    pub threads: [&'a [Option<ThreadId>]; 2],
    /// By function of A and of B, the row of the comparison; nothing where no call is left out.
    pub row_of: [&'a [u32]; 2],
    /// Tells this pair from another, or from the same with other clocks.
    pub revision: u64,
}

impl Pair<'_> {
    fn ranges(&self, session: &Session) -> [TimeRange; 2] {
        self.places.map(|place| {
            let of = session.recordings.get(place);
            of.map_or(TimeRange::new(Time::ZERO, Time::ZERO), |it| {
                it.recording.trace.range()
            })
        })
    }

    /// What filters of the run that stands at `place` leave out of A and B.
    fn rules(&self, session: &Session, place: usize, filters: &Filters) -> [FilterRules; 2] {
        let own = usize::from(self.places[1] == place);
        [0, 1].map(|side| {
            let Some(resolved) = session.recordings.get(self.places[side]) else {
                return FilterRules::default();
            };
            let modules = &resolved.resolution.modules;
            let thread = |of: ThreadId| *self.threads[own].get(of.index())?;
            let run = |side: usize| {
                let resolved = session.recordings.get(self.places[side])?;
                Some(Run {
                    trace: &resolved.recording.trace,
                    row_of: self.row_of[side],
                })
            };
            let call = |of: CallOf| {
                let there = thread(of.thread)?;
                let (from, to) = ((run(own)?, of.thread), (run(side)?, there));
                let call = calls::found_again(from, of.call, to)?;
                Some(CallOf {
                    thread: there,
                    call,
                })
            };
            match side == own {
                true => filters.rules(&session.hierarchy, modules),
                false => filters
                    .of_other_run(thread, call)
                    .rules(&session.hierarchy, modules),
            }
        })
    }

    fn common(&self, session: &Session) -> Common<'_> {
        Common::new(self.clocks, self.is_wall, self.ranges(session))
    }
}

/// What is drawn of each run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// Every call as a box, those that it made below it.
    #[default]
    Stacks,
    /// Functions as rows, darker where they are active.
    Overview,
}

/// Something that can be pointed at.
#[derive(Clone, Copy, Debug)]
struct Spot {
    rect: Rect,
    side: usize,
    module: ModuleId,
    function: Option<FunctionId>,
    call: Option<CallOf>,
}

/// Where the parts lie, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Places {
    size: Vec2,
    em: f32,
    line: f32,
    /// Names of rows; without width where calls hold their names.
    names: f32,
    captions: [Rect; 2],
    axes: [Rect; 2],
    plots: [Rect; 2],
    band: Rect,
}

impl Places {
    fn new(size: Vec2, scale: f32, along: Along) -> Places {
        let px = |points: f32| (points * scale).round();
        let size = size.max(Vec2::ONE);
        let names = match along {
            Along::Stacks => 0.0,
            Along::Overview => (size.x * 0.16).clamp(px(50.0), px(180.0)).min(size.x * 0.5),
        }
        .round();
        let (caption, axis, band) = (px(CAPTION), px(AXIS), px(BAND));
        let high = ((size.y - 2.0 * (caption + axis) - band) * 0.5)
            .floor()
            .max(1.0);
        let row =
            |top: f32, high: f32| Rect::new(Vec2::new(names, top), Vec2::new(size.x, top + high));
        let caption_of =
            |top: f32| Rect::new(Vec2::new(0.0, top), Vec2::new(size.x, top + caption));
        let mut top = 0.0;
        let mut next = |high: f32| {
            top += high;
            top - high
        };
        let first = caption_of(next(caption));
        let first_axis = row(next(axis), axis);
        let a = row(next(high), high);
        let between = row(next(band), band);
        let b = row(next(high), high);
        let second_axis = row(next(axis), axis);
        Places {
            size,
            em: LETTERS * scale,
            line: px(1.0).max(1.0),
            names,
            captions: [first, caption_of(next(caption))],
            axes: [first_axis, second_axis],
            plots: [a, b],
            band: between,
        }
    }
}

/// What the picture depends on, but for what is pointed at and chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PaintedWith {
    axis: TimeAxis,
    theme: Theme,
    places: Places,
    along: Along,
    revision: u64,
}

/// Both runs along time.
#[derive(Debug)]
pub struct TimelinesView {
    along: Along,
    axis: TimeAxis,
    places: Places,
    spots: Vec<Spot>,
    filters: Filters,
    /// What they leave out of A and B.
    rules: [FilterRules; 2],
    painted: Option<PaintedWith>,
    shown: Option<Selection>,
    sheet: Sheet,
}

impl TimelinesView {
    /// All of both runs.
    pub fn new(session: &Session, pair: &Pair<'_>, along: Along) -> TimelinesView {
        TimelinesView {
            along,
            axis: TimeAxis::new(pair.common(session).limits),
            places: Places::default(),
            spots: Vec::new(),
            filters: Filters::default(),
            rules: Default::default(),
            painted: None,
            shown: None,
            sheet: Sheet::default(),
        }
    }

    pub fn along(&self) -> Along {
        self.along
    }

    pub fn set_along(&mut self, along: Along) {
        self.along = along;
    }

    /// The visible times of the run that the axis shows.
    pub fn visible(&self) -> TimeRange {
        self.axis.range()
    }

    pub fn set_visible(&mut self, range: TimeRange) {
        self.axis.set_range(range);
    }

    /// The time of the run `side` at a place along x.
    pub fn time_at(&self, session: &Session, pair: &Pair<'_>, side: usize, x: f32) -> Time {
        pair.common(session).time_of(side, self.axis.time_at(x))
    }

    /// Shows a range of the run `side`; all of both where that is all of it.
    pub fn show_range(
        &mut self,
        session: &Session,
        pair: &Pair<'_>,
        side: usize,
        range: TimeRange,
    ) {
        let common = pair.common(session);
        let is_all = pair.ranges(session).get(side) == Some(&range);
        self.axis.set_range(match is_all {
            true => common.limits,
            false => TimeRange::new(
                common.on_axis(side, range.start),
                common.on_axis(side, range.end),
            ),
        });
    }

    pub fn zoom(&mut self, at: Vec2, factor: Vec2) {
        self.axis.zoom(at.x, factor.x);
    }

    pub fn pan(&mut self, by: Vec2) {
        self.axis.pan(by.x);
    }

    /// What the view shows for `scope`; `scope.recording` is the run that its selection is of. Does work only for
    /// what has changed since the last time.
    pub fn show(&mut self, scope: &Scope<'_>, pair: &Pair<'_>) -> &Sheet {
        let common = pair.common(scope.session);
        if self.axis.limits() != common.limits {
            self.axis = TimeAxis::new(common.limits);
        }
        self.places = Places::new(scope.size, scope.scale.max(0.1), self.along);
        let plot = self.places.plots[0];
        self.axis.place(plot.min.x, plot.size().x);
        let is_of_others = self
            .painted
            .is_none_or(|painted| painted.revision != pair.revision);
        if self.filters != *scope.filters || is_of_others {
            self.filters.clone_from(scope.filters);
            self.rules = pair.rules(scope.session, scope.recording, scope.filters);
            self.painted = None;
        }
        let with = PaintedWith {
            axis: self.axis,
            theme: scope.theme,
            places: self.places,
            along: self.along,
            revision: pair.revision,
        };
        let is_painted = self.painted == Some(with);
        if is_painted && self.shown.as_ref() == Some(scope.selection) {
            return &self.sheet;
        }
        if !is_painted {
            self.paint(scope, pair, &common);
            self.painted = Some(with);
        }
        self.mark(scope, pair, &common);
        self.shown = Some(scope.selection.clone());
        &self.sheet
    }

    fn paint(&mut self, scope: &Scope<'_>, pair: &Pair<'_>, common: &Common<'_>) {
        let ink = Ink::of(scope.theme);
        let places = self.places;
        self.sheet.clear();
        self.spots.clear();
        let mut ground = Raster::default();
        plain(&mut ground, Rect::new(Vec2::ZERO, places.size), ink.ground);
        self.sheet.rasters.push(ground);
        for plot in places.plots {
            let mut paper = Raster::default();
            plain(&mut paper, plot, ink.paper);
            self.sheet.rasters.push(paper);
        }
        let tones = Tones::new(scope.theme, &ink);
        for side in [0, 1] {
            self.axis
                .draw_grid(&mut self.sheet, places.plots[side], places.em, ink.grid);
            let on = On {
                session: scope.session,
                pair,
                common,
                axis: &self.axis,
                plot: places.plots[side],
                places: &places,
                side,
                rules: &self.rules,
                tones: &tones,
                ink: &ink,
            };
            match self.along {
                Along::Stacks => stacks::draw(&on, &mut self.sheet, &mut self.spots),
                Along::Overview => overview::draw(&on, &mut self.sheet, &mut self.spots),
            }
            on.draw_axis(&mut self.sheet);
            on.draw_caption(&mut self.sheet);
        }
        self.draw_band(scope, pair, common, &ink);
    }

    /// How many times as long B takes as A, by colour and in numbers.
    fn draw_band(&mut self, scope: &Scope<'_>, pair: &Pair<'_>, common: &Common<'_>, ink: &Ink) {
        let (band, em) = (self.places.band, self.places.em);
        let plain_band = |sheet: &mut Sheet, color: Color| {
            sheet.fills.push(Fill { rect: band, color });
        };
        plain_band(&mut self.sheet, ink.heading);
        if common.reference.is_none() {
            let at = Vec2::new(band.min.x + em * 0.5, (band.min.y + band.max.y) * 0.5);
            let text = "the same time since the first event stands above each other";
            return self.sheet.write(text, at, em * 0.9, ink.weak, band);
        }
        let [a, b] = pair.ranges(scope.session).map(|it| it.length().ns() as f64);
        // By equal shares one is as many times as long everywhere.
        let usual = if a > 0.0 { b / a } else { 1.0 };
        for (columns, stretch) in self.paces(common) {
            let x = |k: u32| self.axis.x_within(self.axis.columns().0.start(k));
            let (left, right) = (x(columns.start), x(columns.end));
            // Four times as long has the full colour.
            let strength = (stretch.max(1e-9).ln() / 4f64.ln()).clamp(-1.0, 1.0) as f32;
            let [r, g, bl] = diverging(scope.theme, strength);
            let inset = self.places.line;
            let rect = Rect::new(
                Vec2::new(left, band.min.y + inset),
                Vec2::new(right, band.max.y - inset),
            );
            if strength.abs() > 0.02 {
                let color = [r, g, bl, 0.85];
                self.sheet.fills.push(Fill { rect, color });
            }
            let number = match stretch {
                it if it >= 100.0 => format!("B ×{it:.0}"),
                it if it >= 0.1 => format!("B ×{it:.2}"),
                it => format!("B ×{it:.4}"),
            };
            let wide = text::width(&number) * em * 0.9;
            if right - left > wide + em {
                let at = Vec2::new((left + right - wide) * 0.5, (band.min.y + band.max.y) * 0.5);
                let color = match strength.abs() > 0.02 {
                    true => Tones::new(scope.theme, ink).ink_on([r, g, bl, 1.0], ink),
                    false => ink.text,
                };
                self.sheet.write(&number, at, em * 0.9, color, rect);
            }
        }
        if band.min.x > em * 4.0 {
            let at = Vec2::new(em * 0.5, (band.min.y + band.max.y) * 0.5);
            let clip = Rect::new(
                Vec2::new(0.0, band.min.y),
                Vec2::new(band.min.x, band.max.y),
            );
            let text = format!("B ×{usual:.2} in all");
            self.sheet.write(&text, at, em * 0.9, ink.weak, clip);
        }
    }

    /// Pixel columns in which B takes equally many times as long as A, and how many; where A stands still, none. O(columns
    /// × log points).
    fn paces(&self, common: &Common<'_>) -> Vec<(std::ops::Range<u32>, f64)> {
        let columns = self.axis.columns().0;
        let at = |k: u32| [0, 1].map(|side| common.time_of(side, columns.start(k)));
        let mut paces: Vec<(std::ops::Range<u32>, f64)> = Vec::new();
        let mut before = at(0);
        for k in 0..columns.count() {
            let after = at(k + 1);
            let [a, b] = [0, 1].map(|side| after[side].since(before[side]).ns() as f64);
            before = after;
            if a <= 0.0 {
                continue;
            }
            let pace = b / a;
            let is_even = |of: f64| (of - pace).abs() <= 0.02 * of.max(pace);
            match paces.last_mut() {
                Some((run, of)) if run.end == k && is_even(*of) => run.end = k + 1,
                _ => paces.push((k..k + 1, pace)),
            }
        }
        paces
    }

    /// The time of all views, the range, and what is pointed at or chosen.
    fn mark(&mut self, scope: &Scope<'_>, pair: &Pair<'_>, common: &Common<'_>) {
        let ink = Ink::of(scope.theme);
        let places = self.places;
        let selection = scope.selection;
        self.sheet.marks.clear();
        let side = usize::from(pair.places[1] == scope.recording);
        let on_axis = |time: Time| self.axis.x_of(common.on_axis(side, time));
        for plot in places.plots {
            let mut line = |time: Time, width: f32, color: Color| {
                let x = (on_axis(time) - width * 0.5).round();
                if plot.min.x <= x && x <= plot.max.x {
                    let rect =
                        Rect::new(Vec2::new(x, plot.min.y), Vec2::new(x + width, plot.max.y));
                    self.sheet.marks.push(Fill { rect, color });
                }
            };
            line(selection.time, 2.0 * places.line, ink.time);
            if let Some(time) = selection.pointed.time {
                line(time, places.line, ink.pointed_time);
            }
            if let Some(range) = selection.range {
                let [from, to] = [range.start, range.end]
                    .map(|time| on_axis(time).clamp(plot.min.x, plot.max.x));
                for (left, right) in [(plot.min.x, from), (to, plot.max.x)] {
                    if left < right {
                        let rect =
                            Rect::new(Vec2::new(left, plot.min.y), Vec2::new(right, plot.max.y));
                        let color = ink.outside;
                        self.sheet.marks.push(Fill { rect, color });
                    }
                }
            }
        }
        let hierarchy = &scope.session.hierarchy;
        for (of, color) in [
            (&selection.pointed, ink.pointed),
            (&selection.chosen, ink.chosen),
        ] {
            let Some(module) = of.module.filter(|it| it.index() < hierarchy.len()) else {
                continue;
            };
            for spot in &self.spots {
                let is_meant = match (of.call, spot.call) {
                    (Some(call), Some(other)) if spot.side == side => call == other,
                    _ => hierarchy.contains(module, spot.module) && module != ModuleId::ROOT,
                };
                if is_meant {
                    let width = places.line * if of.call == spot.call { 2.0 } else { 1.0 };
                    self.sheet.outline(spot.rect, width, color);
                }
            }
        }
    }

    /// What is at a point of the sheet shown last: its time is that of the run `side`, whose calls alone are named.
    pub fn pointed(&self, session: &Session, pair: &Pair<'_>, side: usize, at: Vec2) -> Pointed {
        let common = pair.common(session);
        let mut pointed = Pointed::default();
        let plots = self.places.plots;
        if plots[0].min.x <= at.x && at.x < plots[0].max.x {
            pointed.time = Some(common.time_of(side, self.axis.time_at(at.x)));
        }
        let spot = self.spots.iter().rev().find(|spot| spot.rect.contains(at));
        if let Some(spot) = spot {
            pointed.module = Some(spot.module);
            if spot.side == side {
                pointed.function = spot.function;
                pointed.call = spot.call;
                pointed.thread = spot.call.map(|call| call.thread);
            }
        }
        pointed
    }

    /// What is said of a point of the sheet shown last.
    pub fn tip(&self, session: &Session, pair: &Pair<'_>, at: Vec2) -> Option<Tip> {
        let common = pair.common(session);
        let spot = self.spots.iter().rev().find(|spot| spot.rect.contains(at));
        let time = self.axis.time_at(at.x);
        let [a, b] = [0, 1].map(|side| common.time_of(side, time));
        let mut tip = Tip::default();
        match spot {
            Some(spot) => {
                tip.title = session.hierarchy.path(spot.module);
                if let Some(call) = spot.call
                    && let Some(resolved) = session.recordings.get(pair.places[spot.side])
                {
                    let call = resolved.recording.trace.call(call.thread, call.call);
                    let letter = ["A", "B"][spot.side];
                    tip.lines
                        .push(format!("this call in {letter}: {}", call.cost()));
                }
                tip.lines.extend(pair.difference.text(spot.module));
            }
            None if self.places.plots[0].min.x <= at.x => tip.title = format!("A {a}, B {b}"),
            None => return None,
        }
        tip.lines.push(format!("A at {a}, B at {b}"));
        Some(tip)
    }
}

/// The colours of differences on a sheet.
struct Tones {
    theme: Theme,
    same: Color,
}

impl Tones {
    fn new(theme: Theme, ink: &Ink) -> Tones {
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
    fn ink_on(&self, [r, g, b, _]: Color, ink: &Ink) -> Color {
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

    fn of(&self, strength: f32) -> Color {
        if strength == 0.0 {
            return self.same;
        }
        let [r, g, b] = diverging(self.theme, strength);
        [r, g, b, 1.0]
    }
}

/// One run on its half of the sheet.
struct On<'a> {
    session: &'a Session,
    pair: &'a Pair<'a>,
    common: &'a Common<'a>,
    axis: &'a TimeAxis,
    plot: Rect,
    places: &'a Places,
    side: usize,
    /// What is left out of A and B.
    rules: &'a [FilterRules; 2],
    tones: &'a Tones,
    ink: &'a Ink,
}

/// What stands before the name of a function that differs, for who does not see the colours.
fn sign(mark: Mark) -> &'static str {
    match mark {
        Mark::None => "",
        Mark::Added => "+ ",
        Mark::Gone => "× ",
        Mark::Less => "▼ ",
        Mark::More => "▲ ",
    }
}

impl On<'_> {
    /// The times of the run, at round numbers, where they lie on the axis.
    fn draw_axis(&self, sheet: &mut Sheet) {
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

    fn draw_caption(&self, sheet: &mut Sheet) {
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
    fn strength(&self, function: FunctionId) -> Option<(ModuleId, f32, Mark)> {
        let resolved = self.session.recordings.get(self.pair.places[self.side])?;
        let module = *resolved.resolution.modules.get(function.index())?;
        let difference = self.pair.difference;
        Some((module, difference.strength(module), difference.mark(module)))
    }
}

/// What is found in several stretches is one.
type Seen = HashMap<(u32, u32, u32), usize>;
