//! Two runs along one time axis, one over the other: their call stacks, or which functions are active when, in the
//! colours of what differs between them.
//!
//! The axis shows the times of the longer run; those of the other one lie where the linked clocks say that they are
//! the same, and a band between them says how much longer, or shorter, it takes there.

mod band;
mod clock;
mod half;
mod overview;
mod places;
mod spot;
mod stacks;

use glam::Vec2;

use super::drawing::paint_plain;
use super::tip::Tip;
use crate::Scope;
use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_filter::filters::{FilterRules, Filters};
use callscape_filter::selection::Pointed;
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::sheet::{Fill, Raster, Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_model::linked::{Along, LinkedRuns};
use callscape_model::theme::Theme;
use clock::Common;
use half::{On, Tones};
use places::Places;
use spot::Spot;

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
pub struct BothAlongTime {
    along: Along,
    axis: TimeAxis,
    places: Places,
    spots: Vec<Spot>,
    filters: Filters,
    /// What they leave out of A and B.
    rules: [FilterRules; 2],
    painted: Option<PaintedWith>,
    sheet: Sheet,
}

impl BothAlongTime {
    /// All of both runs.
    pub fn new(session: &Session, pair: &LinkedRuns<'_>, along: Along) -> BothAlongTime {
        BothAlongTime {
            along,
            axis: TimeAxis::new(Common::of(pair, session).limits),
            places: Places::default(),
            spots: Vec::new(),
            filters: Filters::default(),
            rules: Default::default(),
            painted: None,
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
    pub fn time_at(&self, session: &Session, pair: &LinkedRuns<'_>, side: usize, x: f32) -> Time {
        Common::of(pair, session).time_of(side, self.axis.time_at(x))
    }

    /// Shows a range of the run `side`; all of both where that is all of it.
    pub fn show_range(
        &mut self,
        session: &Session,
        pair: &LinkedRuns<'_>,
        side: usize,
        range: TimeRange,
    ) {
        let common = Common::of(pair, session);
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
    pub fn show(&mut self, scope: &Scope<'_>, pair: &LinkedRuns<'_>) -> &Sheet {
        let common = Common::of(pair, scope.session);
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
        if self.painted != Some(with) {
            self.paint(scope, pair, &common);
            self.painted = Some(with);
        }
        self.mark(scope, pair, &common);
        &self.sheet
    }

    fn paint(&mut self, scope: &Scope<'_>, pair: &LinkedRuns<'_>, common: &Common<'_>) {
        let ink = Ink::of(scope.theme);
        let places = self.places;
        self.sheet.clear();
        self.spots.clear();
        let mut ground = Raster::default();
        paint_plain(&mut ground, Rect::new(Vec2::ZERO, places.size), ink.ground);
        self.sheet.rasters.push(ground);
        for plot in places.plots {
            let mut paper = Raster::default();
            paint_plain(&mut paper, plot, ink.paper);
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
            on.draw_gaps(&mut self.sheet);
            on.draw_axis(&mut self.sheet);
            on.draw_caption(&mut self.sheet);
        }
        self.draw_band(scope, pair, common, &ink);
    }

    /// The time of all views, the range, and what is pointed at or chosen.
    fn mark(&mut self, scope: &Scope<'_>, pair: &LinkedRuns<'_>, common: &Common<'_>) {
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
    pub fn pointed(
        &self,
        session: &Session,
        pair: &LinkedRuns<'_>,
        side: usize,
        at: Vec2,
    ) -> Pointed {
        let common = Common::of(pair, session);
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
    pub fn tip(&self, session: &Session, pair: &LinkedRuns<'_>, at: Vec2) -> Option<Tip> {
        let common = Common::of(pair, session);
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
