//! What the view knows, and what it does with that.

use super::coverage::{Measuring, Wanted};
use super::names::Names;
use super::places::{LETTERS, Lines, Places};
use super::profile;
use super::rows::{NO_ROW, Rows};
use super::waits::Waits;
use crate::Scope;
use crate::parts::drawing::paint_plain;
use crate::parts::shading::Shader;
use crate::parts::time_band::{self, TimeBand};
use crate::parts::tip::Tip;
use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::recording::RecordingKind;
use callscape_filter::filters::{FilterRules, Filters};
use callscape_filter::selection::Pointed;
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::hues::{Hues, encoded};
use callscape_layout::sheet::{Fill, Raster, Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_model::rows::OverviewRows;
use callscape_model::theme::Theme;
use glam::Vec2;

/// A row is at most this high, in points: its name can be read and more would show nothing new.
pub(super) const HIGHEST_ROW: f32 = 26.0;

/// What the picture of the cells depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PaintedWith {
    pub(super) axis: TimeAxis,
    pub(super) lines: Lines,
    pub(super) theme: Theme,
    pub(super) places: Places,
}

/// The temporal overview of one recording.
#[derive(Debug)]
pub struct MuralView {
    pub(super) recording: usize,
    pub(super) kind: OverviewRows,
    pub(super) rows: Rows,
    pub(super) hues: Hues,
    pub(super) axis: TimeAxis,
    pub(super) first: f64,
    pub(super) visible: f64,
    pub(super) places: Places,
    pub(super) lines: Lines,
    /// By function its row where that is seen.
    pub(super) seen_rows: Vec<u32>,
    /// By function the line of its row where that is seen.
    pub(super) seen_lines: Vec<u32>,
    pub(super) colors: Vec<[u8; 3]>,
    pub(super) measuring: Measuring,
    pub(super) cells: Shader,
    pub(super) waits: Waits,
    pub(super) names: Names,
    pub(super) filters: Filters,
    pub(super) rules: FilterRules,
    pub(super) painted: Option<PaintedWith>,
    pub(super) sheet: Sheet,
    pub(super) band: TimeBand,
}

impl MuralView {
    /// All of the recording at `recording`, functions in order of their first call.
    /// O(functions × log calls).
    pub fn new(session: &Session, recording: usize) -> MuralView {
        let trace = session
            .recordings
            .get(recording)
            .map(|it| it.recording.trace.range());
        let mut view = MuralView {
            recording,
            kind: OverviewRows::default(),
            rows: Rows::default(),
            hues: Hues::new(&session.hierarchy),
            axis: TimeAxis::new(trace.unwrap_or(TimeRange::new(Time::ZERO, Time::ZERO))),
            first: 0.0,
            visible: 0.0,
            places: Places::default(),
            lines: Lines::default(),
            seen_rows: Vec::new(),
            seen_lines: Vec::new(),
            cells: Shader::default(),
            waits: Waits::default(),
            colors: Vec::new(),
            measuring: Measuring::default(),
            names: Names::default(),
            filters: Filters::default(),
            rules: FilterRules::default(),
            painted: None,
            sheet: Sheet::default(),
            band: TimeBand::default(),
        };
        view.set_rows(session, OverviewRows::default(), None);
        view
    }

    /// The corner at the bottom left, below the names of the rows, in pixels; empty before the first picture.
    pub fn corner(&self) -> Rect {
        Rect::new(
            Vec2::new(0.0, self.places.axis.min.y),
            Vec2::new(self.places.names.max.x, self.places.axis.max.y),
        )
    }

    /// Takes other rows, all of them visible; with `range` only what runs in it, in the order in which that begins
    /// there. O(functions × log calls).
    pub fn set_rows(&mut self, session: &Session, rows: OverviewRows, range: Option<TimeRange>) {
        self.rows = Rows::new(session, self.recording, &rows, range);
        self.kind = rows;
        self.first = 0.0;
        self.visible = f64::from(self.rows.len());
        self.measuring.forget();
        self.painted = None;
    }

    /// The visible range of time.
    pub fn visible(&self) -> TimeRange {
        self.axis.range()
    }

    pub fn set_visible(&mut self, range: TimeRange) {
        self.axis.set_range(range);
    }

    pub fn time_at(&self, x: f32) -> Time {
        self.axis.time_at(x)
    }

    /// Shows `factor` times as much detail of time and of rows; what is at `at` stays there.
    pub fn zoom(&mut self, at: Vec2, factor: Vec2) {
        if factor.x != 1.0 {
            self.axis.zoom(at.x, factor.x);
        }
        if factor.y != 1.0 && factor.y.is_finite() && factor.y > 0.0 {
            let plot = self.places.plot;
            let share = f64::from((at.y - plot.min.y) / plot.size().y.max(1.0)).clamp(0.0, 1.0);
            let visible = self.limited(self.visible / f64::from(factor.y));
            self.first += share * (self.visible - visible);
            self.visible = visible;
            self.clamp_rows();
        }
    }

    /// Moves what is shown by this many pixels.
    pub fn pan(&mut self, by: Vec2) {
        self.axis.pan(by.x);
        if by.y != 0.0 && by.y.is_finite() {
            let height = f64::from(self.places.plot.size().y.max(1.0));
            self.first -= f64::from(by.y) / height * self.visible;
            self.clamp_rows();
        }
    }

    /// How many rows are seen at once, within what is readable.
    pub(super) fn limited(&self, visible: f64) -> f64 {
        let highest = HIGHEST_ROW * self.places.em / LETTERS;
        let fewest = f64::from(self.places.plot.size().y / highest.max(1.0));
        let all = f64::from(self.rows.len()).max(1.0);
        visible.clamp(fewest.clamp(1.0, all), all)
    }

    pub(super) fn clamp_rows(&mut self) {
        self.visible = self.limited(self.visible);
        let last = f64::from(self.rows.len()) - self.visible;
        self.first = self.first.clamp(0.0, last.max(0.0));
    }

    /// Whether something is still being measured: then the view has more to show soon.
    pub fn is_waiting(&self) -> bool {
        self.measuring.is_running()
    }

    /// What the view shows for `scope`; does work only for what has changed since the last time.
    pub fn show(&mut self, scope: &Scope<'_>) -> &Sheet {
        let band = self.band.height(scope.size.y, scope.scale);
        let places = Places::new(scope.size, scope.scale, band);
        self.band.place(places.band);
        self.places = places;
        self.axis.place(places.plot.min.x, places.plot.size().x);
        self.clamp_rows();
        let mut first = self.first;
        if self.visible > f64::from(places.plot.size().y) {
            first = first.round();
        }
        let with = PaintedWith {
            axis: self.axis,
            lines: Lines::new(first, self.visible, places.plot),
            theme: scope.theme,
            places,
        };
        if self.filters != *scope.filters {
            self.filters.clone_from(scope.filters);
            let resolved = scope.session.recordings.get(self.recording);
            self.rules = resolved.map_or_else(FilterRules::default, |it| {
                let modules = &it.resolution.modules;
                self.filters.rules(&scope.session.hierarchy, modules)
            });
            self.measuring.forget();
            self.painted = None;
        }
        let is_new = self.measuring.take();
        if self.painted != Some(with) || is_new {
            self.paint(scope, &with);
            self.painted = Some(with);
        }
        self.annotate(scope);
        &self.sheet
    }

    /// Makes the picture of the cells.
    pub(super) fn paint(&mut self, scope: &Scope<'_>, with: &PaintedWith) {
        let ink = Ink::of(scope.theme);
        let lines = with.lines;
        let is_same = |known: &PaintedWith| (known.lines, known.theme) == (lines, scope.theme);
        if !self.painted.as_ref().is_some_and(is_same) {
            self.lines = lines;
            self.lay_lines(scope, &ink);
        }
        let places = &with.places;
        self.sheet.rasters.resize_with(4, Raster::default);
        let [ground, paper, bar, cells] = &mut self.sheet.rasters[..] else {
            return;
        };
        paint_plain(ground, Rect::new(Vec2::ZERO, places.size), ink.ground);
        paint_plain(paper, places.plot, ink.paper);
        let along = |left: f32, right: f32| {
            Rect::new(Vec2::new(left, lines.top), Vec2::new(right, lines.bottom))
        };
        bar.rect = along(places.bar.min.x, places.bar.max.x);
        bar.size = [1, lines.count];
        bar.pixels.clear();
        bar.pixels
            .extend(self.colors.iter().map(|&[r, g, b]| [r, g, b, 255]));
        cells.rect = Rect::default();
        cells.size = [0, 0];
        let Some(resolved) = scope.session.recordings.get(self.recording) else {
            cells.pixels.clear();
            return;
        };
        let wanted = Wanted {
            trace: &resolved.recording.trace,
            axis: self.axis,
            lines,
            seen_rows: &self.seen_rows,
            seen_lines: &self.seen_lines,
            rows: self.rows.len(),
            rows_are_functions: self.rows.are_functions,
            rules: &self.rules,
            bars: profile::bars(&self.axis, places.em),
        };
        self.measuring.measure(&wanted);
        self.waits.find(
            &resolved.recording.trace,
            &self.axis,
            &self.rows,
            &self.rules,
        );
        match self.measuring.covered() {
            Some(covered) => {
                let mut edges = covered.axis.columns().1;
                if covered.axis != self.axis {
                    let range = covered.axis.range();
                    edges = [range.start, range.end].map(|time| self.axis.x_of(time));
                }
                cells.rect = along(edges[0], edges[1]);
                cells.size = [covered.columns.count(), lines.count];
                let (coverage, pixels) = (&covered.coverage, &mut cells.pixels);
                let is_by_row = covered.is_exact;
                let line_of = |row| if is_by_row { lines.of(row) } else { row };
                self.cells
                    .shade(covered.columns, coverage, line_of, &self.colors, pixels);
            }
            None => cells.pixels.clear(),
        }
    }

    /// Finds which rows are seen, and the colour of every line: that of its most expensive row.
    pub(super) fn lay_lines(&mut self, scope: &Scope<'_>, ink: &Ink) {
        let lines = self.lines;
        let count = lines.count as usize;
        self.seen_rows.clear();
        let is_seen = |row: u32| row != NO_ROW && lines.of(row) < lines.count;
        let rows = self.rows.row_of.iter();
        self.seen_rows
            .extend(rows.map(|&row| if is_seen(row) { row } else { NO_ROW }));
        self.seen_lines.clear();
        let line = |&row: &u32| if row == NO_ROW { NO_ROW } else { lines.of(row) };
        self.seen_lines.extend(self.seen_rows.iter().map(line));
        let mut best = vec![u32::MAX; count];
        let last = (lines.first + lines.rows).ceil() as u32;
        for row in lines.first.floor() as u32..last.min(self.rows.len()) {
            if let Some(best) = best.get_mut(lines.of(row) as usize) {
                *best = self.rows.rank[row as usize].min(*best);
            }
        }
        self.colors.clear();
        self.colors.extend(best.iter().map(|&rank| {
            let row = self.rows.by_cost.get(rank as usize);
            let module = row.and_then(|&row| self.rows.modules.get(row as usize));
            let module = *module.unwrap_or(&ModuleId::ROOT);
            let [r, g, b, _] = encoded(self.hues.color(
                &scope.session.hierarchy,
                module,
                &ink.strong,
            ));
            [r, g, b]
        }));
    }

    /// Says why there is nothing to see, or that what is seen was sampled.
    pub(super) fn write_state(&mut self, scope: &Scope<'_>, ink: &Ink) {
        let places = &self.places;
        let resolved = scope.session.recordings.get(self.recording);
        let kind = resolved.map(|it| it.recording.kind);
        let at = Vec2::new(
            places.plot.min.x + places.em,
            places.plot.min.y + places.em * 1.5,
        );
        let hint = match kind {
            Some(RecordingKind::Profile) => Some(crate::parts::along_time::NO_TIMES),
            _ if self.rows.len() == 0 => Some("No calls to show"),
            _ if self.measuring.covered().is_none() => Some("Measuring …"),
            _ => None,
        };
        let sheet = &mut self.sheet;
        if let Some(hint) = hint {
            sheet.write(hint, at, places.em, ink.weak, places.plot);
        } else if kind == Some(RecordingKind::Sampled) && places.names.max.x >= 13.0 * places.em {
            // Which rows there are is chosen in the same corner.
            let corner = Rect::new(
                Vec2::new(0.0, places.axis.min.y),
                Vec2::new(places.names.max.x, places.axis.max.y),
            );
            let at = Vec2::new(places.em * 0.5, (corner.min.y + corner.max.y) * 0.5);
            let interval = resolved.and_then(|it| it.recording.known_to());
            let text = interval.map_or("sampled".to_owned(), |it| format!("sampled, ± {it}"));
            sheet.write(&text, at, places.em * 0.95, ink.weak, corner);
        }
    }

    /// Marks the rows of modules.
    pub(super) fn mark_rows(
        &mut self,
        hierarchy: &Hierarchy,
        modules: [Option<ModuleId>; 2],
        [r, g, b, a]: Color,
    ) {
        let (places, sheet) = (&self.places, &mut self.sheet);
        let plot = places.plot;
        let known = |module: &ModuleId| module.index() < hierarchy.len();
        self.names.rows.clear();
        for module in modules.into_iter().flatten().filter(known) {
            self.rows
                .of(hierarchy, module, |row| self.names.rows.push(row));
        }
        self.names.rows.sort_unstable();
        let mut last = f32::NEG_INFINITY;
        for &row in &self.names.rows {
            let [top, bottom] = self.lines.edges(row);
            let top = top.max(plot.min.y).max(last);
            let bottom = bottom.max(top + places.line).min(plot.max.y);
            if bottom <= top {
                continue;
            }
            last = bottom;
            let across = |top: f32, bottom: f32| {
                Rect::new(Vec2::new(plot.min.x, top), Vec2::new(plot.max.x, bottom))
            };
            // Lines where there is room for them, so that the colours of the cells are seen between.
            if bottom - top >= 6.0 * places.line {
                for edge in [top, bottom - places.line] {
                    sheet.marks.push(Fill {
                        rect: across(edge, edge + places.line),
                        color: [r, g, b, a * 0.7],
                    });
                }
            }
            sheet.marks.push(Fill {
                rect: across(top, bottom),
                color: [r, g, b, a * 0.16],
            });
            let start = Vec2::new(places.bar.min.x, top);
            sheet.marks.push(Fill {
                rect: Rect::new(start, Vec2::new(plot.min.x, bottom)),
                color: [r, g, b, a],
            });
        }
    }

    /// Marks the one call that is meant: where in its row it is.
    pub(super) fn mark_call(&mut self, scope: &Scope<'_>, of: &Pointed, [r, g, b, _]: Color) {
        let Some((row, range)) = self.call_of(scope, of) else {
            return;
        };
        let (plot, line) = (self.places.plot, self.places.line);
        let [top, bottom] = self.lines.edges(row);
        let [left, right] = [range.start, range.end].map(|time| self.axis.x_within(time));
        let min = Vec2::new(left, top).max(plot.min);
        let max = Vec2::new(right.max(left + line), bottom.max(top + line)).min(plot.max);
        if min.x < max.x && min.y < max.y {
            self.sheet.marks.push(Fill {
                rect: Rect::new(min, max),
                color: [r, g, b, 0.55],
            });
        }
    }

    /// The row and the time of the one call that is meant.
    pub(super) fn call_of(&self, scope: &Scope<'_>, of: &Pointed) -> Option<(u32, TimeRange)> {
        let resolved = scope.session.recordings.get(self.recording)?;
        let (trace, of) = (&resolved.recording.trace, of.call?);
        let thread = trace.threads().get(of.thread.index())?;
        if u64::from(of.call.0) >= thread.calls {
            return None;
        }
        let call = trace.call(of.thread, of.call);
        let row = *self.rows.row_of.get(call.function.index())?;
        (row != NO_ROW).then_some((row, TimeRange::new(call.start, call.end)))
    }

    pub(super) fn module_of(&self, scope: &Scope<'_>, of: &Pointed) -> Option<ModuleId> {
        let resolved = scope.session.recordings.get(self.recording)?;
        let function = of.function.or_else(|| {
            let call = of.call?;
            let trace = &resolved.recording.trace;
            let thread = trace.threads().get(call.thread.index())?;
            (u64::from(call.call.0) < thread.calls)
                .then(|| trace.call(call.thread, call.call).function)
        });
        let module = function.and_then(|it| resolved.resolution.modules.get(it.index()).copied());
        let module = module.or(of.module)?;
        (module.index() < scope.session.hierarchy.len()).then_some(module)
    }

    /// What is at a point of the sheet shown last.
    pub fn pointed(&self, at: Vec2) -> Pointed {
        let places = &self.places;
        let stretch = self.band.at(&self.axis, at);
        let mut pointed = stretch.map(time_band::pointed).unwrap_or_default();
        let is_beside = places.plot.min.x <= at.x && at.x < places.plot.max.x;
        if is_beside && at.y < places.size.y {
            pointed.time = Some(self.axis.time_at(at.x));
        }
        let named = Rect::new(places.names.min, places.plot.max);
        if named.contains(at) {
            let rows = self.lines.at(at.y);
            let row = rows
                .filter(|&row| row < self.rows.len())
                .min_by_key(|&row| self.rows.rank[row as usize]);
            if let Some(row) = row {
                pointed.module = self.rows.modules.get(row as usize).copied();
                pointed.function = self.rows.functions.get(row as usize).copied().flatten();
            }
        }
        pointed
    }

    /// The call stacks at a point of the sheet shown last, and what row it is in.
    pub fn tip(&self, session: &Session, at: Vec2) -> Option<Tip> {
        let pointed = self.pointed(at);
        let resolved = session.recordings.get(self.recording)?;
        if let Some(stretch) = self.band.at(&self.axis, at) {
            let module = resolved.resolution.modules.get(stretch.function.index());
            let path = module.map(|&module| session.hierarchy.path(module));
            return Some(TimeBand::tip(stretch, path));
        }
        let mut tip = Tip::default();
        if let Some(module) = pointed.module {
            tip.title = session.hierarchy.path(module);
        }
        if let Some(time) = pointed.time {
            if tip.title.is_empty() {
                tip.title = time.to_string();
            } else {
                tip.lines.push(format!("at {time}"));
            }
            self.band.beside.explain(time, &mut tip);
            crate::parts::tip::add_stacks(&mut tip, session, self.recording, time);
        }
        (!tip.title.is_empty()).then_some(tip)
    }
}
