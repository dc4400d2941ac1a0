//! The call stack view: calls as boxes along time, those that they made below them, a thread after another.
//!
//! Thesis, section 6.2.2. Where calls are narrower than a pixel the picture shows, for each pixel column and
//! depth, the longest call's module and how much of the column calls of this depth cover: a summary of all of
//! them, not a sample of some.

mod boxes;
mod lanes;
pub mod navigate;

use std::fmt::Write;
use std::sync::Arc;

use glam::Vec2;

use super::Scope;
use super::ink::Ink;
use super::mural::{mark_times, plain};
use super::tip::{Tip, thread_names};
use crate::analysis::session::Session;
use crate::facts::recording::{Recording, RecordingKind};
use crate::facts::trace::{Bar, Columns, Flame, FlameOf, LeaveOut, Trace};
use crate::filter::filters::{FilterRules, Filters};
use crate::filter::selection::{CallOf, Meant, Pointed, Selection};
use crate::layout::axis::TimeAxis;
use crate::layout::geometry::Color;
use crate::layout::hues::{Hues, encoded};
use crate::layout::labels::text;
use crate::layout::sheet::{Fill, Raster, Rect, Sheet};
use crate::render::theme::Theme;
use crate::units::{CallId, Cost, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use boxes::Content;
use lanes::{HIGHEST_ROW, LOWEST_ROW, Lane, Placed};

/// Points.
const LETTERS: f32 = 11.0;
const AXIS: f32 = 20.0;

/// Calls so many pixels wide are boxes of their own.
const BOX: f32 = 3.0;

/// So many names are written at most: more would not be read.
const MOST_NAMES: usize = 2500;

/// What the picture depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PaintedWith {
    axis: TimeAxis,
    theme: Theme,
    size: Vec2,
    scale: f32,
    row: f32,
    scroll: f32,
    lanes: u32,
}

/// The call stack view of one recording.
#[derive(Debug)]
pub struct FlameView {
    recording: usize,
    /// To be asked for what is at a point.
    source: Option<Arc<Recording>>,
    hues: Hues,
    /// By function.
    modules: Vec<ModuleId>,
    colors: Vec<(Color, [u8; 4])>,
    colors_of: Option<Theme>,
    axis: TimeAxis,
    /// By thread.
    names: Vec<String>,
    lanes: Vec<Lane>,
    /// Grows when lanes are collapsed or expanded.
    lanes_version: u32,
    /// Height of a depth in points; none until the first picture says how much room there is.
    row: Option<f32>,
    /// How far down one has scrolled, in pixels.
    scroll: f32,
    placed: Vec<Placed>,
    height: f32,
    size: Vec2,
    scale: f32,
    /// By lane what is drawn of it.
    contents: Vec<Content>,
    filters: Filters,
    rules: FilterRules,
    painted: Option<PaintedWith>,
    shown: Option<Selection>,
    text: String,
    sheet: Sheet,
}

impl FlameView {
    /// All of the recording at `recording`. O(functions + modules).
    pub fn new(session: &Session, recording: usize) -> FlameView {
        let resolved = session.recordings.get(recording);
        let range = resolved.map(|it| it.recording.trace.range());
        let lanes = resolved
            .map(|it| lanes::of_trace(&it.recording.trace))
            .unwrap_or_default();
        FlameView {
            recording,
            source: resolved.map(|it| it.recording.clone()),
            hues: Hues::new(&session.hierarchy),
            modules: resolved
                .map(|it| it.resolution.modules.clone())
                .unwrap_or_default(),
            colors: Vec::new(),
            colors_of: None,
            axis: TimeAxis::new(range.unwrap_or(TimeRange::new(Time::ZERO, Time::ZERO))),
            contents: lanes.iter().map(|_| Content::default()).collect(),
            names: resolved
                .map(|it| thread_names(&it.recording.trace))
                .unwrap_or_default(),
            lanes,
            lanes_version: 0,
            row: None,
            scroll: 0.0,
            placed: Vec::new(),
            height: 0.0,
            size: Vec2::ONE,
            scale: 1.0,
            filters: Filters::default(),
            rules: FilterRules::default(),
            painted: None,
            shown: None,
            text: String::new(),
            sheet: Sheet::default(),
        }
    }

    pub fn recording(&self) -> usize {
        self.recording
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

    /// Shows `factor` times as much detail of time, and depths as many times as high; what is at `at` stays
    /// there.
    pub fn zoom(&mut self, at: Vec2, factor: Vec2) {
        if factor.x != 1.0 {
            self.axis.zoom(at.x, factor.x);
        }
        if let (Some(row), true) = (self.row, factor.y != 1.0 && factor.y > 0.0) {
            let next = (row * factor.y).clamp(LOWEST_ROW, HIGHEST_ROW);
            let beside = at.y - self.top();
            self.scroll = (self.scroll + beside) * next / row - beside;
            self.row = Some(next);
            self.place();
        }
    }

    /// Moves what is shown by so many pixels.
    pub fn pan(&mut self, by: Vec2) {
        self.axis.pan(by.x);
        if by.y.is_finite() {
            self.scroll -= by.y;
            self.place();
        }
    }

    /// Collapses a thread, or expands it.
    pub fn toggle_thread(&mut self, thread: ThreadId) {
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.thread == thread) {
            lane.is_collapsed = !lane.is_collapsed;
            self.lanes_version += 1;
            self.place();
        }
    }

    /// The threads that are collapsed.
    pub fn collapsed(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let lanes = self.lanes.iter().filter(|lane| lane.is_collapsed);
        lanes.map(|lane| lane.thread)
    }

    /// Collapses the threads of which `is_collapsed` says so, and no others.
    pub fn collapse(&mut self, is_collapsed: impl Fn(ThreadId) -> bool) {
        for lane in &mut self.lanes {
            lane.is_collapsed = is_collapsed(lane.thread);
        }
        self.lanes_version += 1;
        self.place();
    }

    /// Shows the threads as `old` does, of the same recording: as high, collapsed, scrolled as far.
    pub fn take_over(&mut self, old: &FlameView) {
        // Threads that are new are as they begin.
        let known = |thread: ThreadId| old.lanes.iter().find(|lane| lane.thread == thread);
        for lane in &mut self.lanes {
            if let Some(known) = known(lane.thread) {
                lane.is_collapsed = known.is_collapsed;
            }
        }
        self.lanes_version += 1;
        self.row = old.row;
        self.size = old.size;
        self.scale = old.scale;
        self.scroll = old.scroll;
        self.place();
    }

    pub fn is_collapsed(&self, thread: ThreadId) -> bool {
        let lane = self.lanes.iter().find(|lane| lane.thread == thread);
        lane.is_some_and(|lane| lane.is_collapsed)
    }

    /// Shows all of a call, its thread expanded and its depth in sight.
    pub fn fit(&mut self, session: &Session, of: CallOf) {
        let Some(resolved) = session.recordings.get(self.recording) else {
            return;
        };
        if let Some(range) = navigate::fit(&resolved.recording.trace, of) {
            self.axis.set_range(range);
            self.reveal(session, of);
        }
    }

    /// Moves as far as needed to see a call: time where it is out of sight, and its depth.
    pub fn reveal(&mut self, session: &Session, of: CallOf) {
        let Some(resolved) = session.recordings.get(self.recording) else {
            return;
        };
        let trace = &resolved.recording.trace;
        if !navigate::exists(trace, of) {
            return;
        }
        let call = trace.call(of.thread, of.call);
        let visible = self.axis.range();
        if call.end < visible.start || visible.end < call.start {
            let half = visible.length().ns() / 2;
            let start = Time::from_ns(call.start.ns().saturating_sub(half));
            self.axis
                .set_range(TimeRange::new(start, start + visible.length()));
        }
        if self.is_collapsed(of.thread) {
            self.toggle_thread(of.thread);
        }
        self.place();
        let lane = self
            .placed
            .iter()
            .find(|placed| self.lanes[placed.lane].thread == of.thread);
        if let Some(lane) = lane {
            let top = lane.rows + lane.row * call.depth as f32;
            let room = self.size.y - self.top();
            let (first, last) = (self.scroll + lane.row, self.scroll + room - 2.0 * lane.row);
            if top < first || top > last {
                self.scroll = top - room * 0.4;
                self.place();
            }
        }
    }

    /// Where lanes begin, in pixels.
    fn top(&self) -> f32 {
        (AXIS * self.scale).round().min(self.size.y * 0.3)
    }

    /// Lays the lanes, and scrolls no further than they go.
    fn place(&mut self) {
        let filters = &self.filters;
        let is_left_out = |thread| filters.hides(thread);
        let row = (self.row.unwrap_or(LOWEST_ROW) * self.scale)
            .round()
            .max(1.0);
        self.height = lanes::place(&self.lanes, is_left_out, row, self.scale, &mut self.placed);
        let most = (self.height - (self.size.y - self.top())).max(0.0);
        self.scroll = self.scroll.clamp(0.0, most).round();
    }

    /// What the view shows for `scope`; does work only for what has changed since the last time.
    pub fn show(&mut self, scope: &Scope<'_>) -> &Sheet {
        self.size = scope.size.max(Vec2::ONE);
        self.scale = scope.scale.max(0.1);
        if self.row.is_none() {
            let room = (self.size.y - self.top()) / self.scale;
            self.row = Some(lanes::first_row(&self.lanes, room));
        }
        self.axis.place(0.0, self.size.x);
        if self.filters != *scope.filters {
            self.filters.clone_from(scope.filters);
            self.rules = self.filters.rules(&scope.session.hierarchy, &self.modules);
            self.contents.iter_mut().for_each(Content::forget);
            self.painted = None;
        }
        self.place();
        let with = PaintedWith {
            axis: self.axis,
            theme: scope.theme,
            size: self.size,
            scale: self.scale,
            row: self.row.unwrap_or(LOWEST_ROW),
            scroll: self.scroll,
            lanes: self.lanes_version,
        };
        let is_painted = self.painted == Some(with);
        if is_painted && self.shown.as_ref() == Some(scope.selection) {
            return &self.sheet;
        }
        if !is_painted {
            self.paint(scope);
            self.painted = Some(with);
        }
        self.mark(scope);
        match &mut self.shown {
            Some(shown) => shown.clone_from(scope.selection),
            None => self.shown = Some(scope.selection.clone()),
        }
        &self.sheet
    }

    /// Everything but marks.
    fn paint(&mut self, scope: &Scope<'_>) {
        let ink = Ink::of(scope.theme);
        if self.colors_of != Some(scope.theme) {
            self.colors_of = Some(scope.theme);
            let color = |&module: &ModuleId| {
                let color = self
                    .hues
                    .color(&scope.session.hierarchy, module, &ink.tones);
                (color, encoded(color))
            };
            self.colors = self.modules.iter().map(color).collect();
        }
        let top = self.top();
        let em = (LETTERS * self.scale).max(1.0);
        let sheet = &mut self.sheet;
        sheet.fills.clear();
        sheet.texts.clear();
        sheet.letters.clear();
        let whole = Rect::new(Vec2::ZERO, self.size);
        if sheet.rasters.is_empty() {
            sheet.rasters.push(Raster::default());
        }
        plain(&mut sheet.rasters[0], whole, ink.paper);
        let mut rasters = 1;
        let below = Rect::new(Vec2::new(0.0, top), self.size);
        self.axis.draw_grid(sheet, below, em, ink.grid);
        let (columns, edges) = self.axis.columns();
        let resolved = scope.session.recordings.get(self.recording);
        for placed in &self.placed {
            let y = |at: f32| top + at - self.scroll;
            let Some(resolved) = resolved else { break };
            if y(placed.bottom) < top || y(placed.top) > self.size.y {
                continue;
            }
            let rows = y(placed.rows);
            let seen = |at: f32| ((at - rows) / placed.row).clamp(0.0, placed.depths as f32);
            let depths = seen(top).floor() as u32..seen(self.size.y).ceil() as u32;
            let lane = &self.lanes[placed.lane];
            let Some(content) = self.contents.get_mut(placed.lane) else {
                continue;
            };
            content.measure(
                &resolved.recording.trace,
                lane.thread,
                &self.axis,
                depths.clone(),
                &self.rules,
            );
            if sheet.rasters.len() == rasters {
                sheet.rasters.push(Raster::default());
            }
            let raster = &mut sheet.rasters[rasters];
            rasters += 1;
            raster.rect = Rect::new(
                Vec2::new(edges[0], rows + placed.row * depths.start as f32),
                Vec2::new(edges[1], rows + placed.row * depths.end as f32),
            );
            content.shade(columns, depths.clone(), &self.axis, &self.colors, raster);
            let gap = if placed.row >= 5.0 * self.scale {
                self.scale.round().max(1.0)
            } else {
                0.0
            };
            if gap > 0.0 {
                for depth in depths.clone() {
                    let bottom = rows + placed.row * (depth + 1) as f32;
                    let rect =
                        Rect::new(Vec2::new(0.0, bottom - gap), Vec2::new(self.size.x, bottom));
                    sheet.fills.push(Fill {
                        rect,
                        color: ink.paper,
                    });
                }
            }
            let letters = (placed.row * 0.74).min(em);
            let is_written = letters >= 6.5 * self.scale && !lane.is_collapsed;
            for bar in content.bars(depths.clone()) {
                let Some(rect) = box_of(bar, &self.axis, rows, placed.row, gap, self.size.x) else {
                    continue;
                };
                let Some(&(color, _)) = self.colors.get(bar.function.index()) else {
                    continue;
                };
                sheet.fills.push(Fill { rect, color });
                let pad = letters * 0.35;
                let room = (rect.size().x - 2.0 * pad) / letters;
                if is_written && room >= 3.0 && sheet.texts.len() < MOST_NAMES {
                    let name = resolved.recording.functions.get(bar.function).name;
                    if text::shorten(name, room, &mut self.text) {
                        let at = Vec2::new(rect.min.x + pad, (rect.min.y + rect.max.y) * 0.5);
                        sheet.write(&self.text, at, letters, ink.on_module, rect);
                    }
                }
            }
            let heading = Rect::new(Vec2::new(0.0, y(placed.top)), Vec2::new(self.size.x, rows));
            sheet.fills.push(Fill {
                rect: heading,
                color: ink.heading,
            });
            let info = &resolved.recording.trace.threads()[lane.thread.index()];
            self.text.clear();
            let sign = if lane.is_collapsed { "▶" } else { "▼" };
            let name = self.names.get(lane.thread.index());
            let name = name.map_or("", String::as_str);
            // Writing to a string does not fail.
            let _ = write!(self.text, "{sign}  {name}");
            let at = Vec2::new(em * 0.6, (heading.min.y + heading.max.y) * 0.5);
            let from = at.x + (text::width(&self.text) + 1.5) * em;
            let clip = Rect::new(Vec2::new(0.0, top), heading.max);
            sheet.write(&self.text, at, em, ink.text, clip);
            self.text.clear();
            write_count(info.calls, "call", &mut self.text);
            let _ = write!(self.text, "  ·  depth {}", info.max_depth);
            if resolved.recording.kind == RecordingKind::Sampled {
                self.text.push_str("  ·  sampled");
            }
            match content.left_out() {
                Some(0) => {}
                Some(left_out) => {
                    self.text.push_str("  ·  ");
                    write_count(left_out, "call", &mut self.text);
                    self.text.push_str(" left out here");
                }
                // Only what is a box is known.
                None => self.text.push_str("  ·  some left out, and what is narrow"),
            }
            let at = Vec2::new(from, at.y);
            if at.x + text::width(&self.text) * em < self.size.x {
                sheet.write(&self.text, at, em * 0.95, ink.weak, clip);
            }
        }
        sheet.rasters.truncate(rasters);
        let head = Rect::new(Vec2::ZERO, Vec2::new(self.size.x, top));
        sheet.fills.push(Fill {
            rect: head,
            color: ink.ground,
        });
        self.axis.draw(sheet, head, em, ink.axis());
        let at = Vec2::new(em, top + em * 1.5);
        if resolved.is_some_and(|it| it.recording.kind == RecordingKind::Profile) {
            sheet.write(super::NO_TIMES, at, em, ink.weak, whole);
        } else if self.placed.is_empty() {
            sheet.write("No calls to show", at, em, ink.weak, whole);
        }
    }

    /// The range, the time, and what is pointed at and chosen.
    fn mark(&mut self, scope: &Scope<'_>) {
        let ink = Ink::of(scope.theme);
        let (top, axis, width) = (self.top(), self.axis, self.size.x);
        let line = self.scale.round().max(1.0);
        let hierarchy = &scope.session.hierarchy;
        let selection = scope.selection;
        let sheet = &mut self.sheet;
        sheet.marks.clear();
        for (of, color, thick) in [
            (&selection.pointed, ink.pointed, line),
            (&selection.chosen, ink.chosen, 2.0 * line),
        ] {
            let meant = Meant::new(of, hierarchy, &self.modules);
            if meant.is_nothing() {
                continue;
            }
            let is_relation = meant.call().is_none() && of.relation.is_some();
            let [r, g, b, a] = color;
            for placed in &self.placed {
                let rows = top + placed.rows - self.scroll;
                let (Some(content), lane) =
                    (self.contents.get(placed.lane), &self.lanes[placed.lane])
                else {
                    continue;
                };
                if rows > self.size.y || top + placed.bottom - self.scroll < top {
                    continue;
                }
                for bar in content.bars(0..placed.depths) {
                    let this = CallOf {
                        thread: lane.thread,
                        call: bar.call,
                    };
                    let is_call = meant.call() == Some(this);
                    let is_meant = if is_relation {
                        meant.holds_call(this, bar.function, || Some(content.around(bar)?.function))
                    } else {
                        is_call || meant.holds_function(bar.function)
                    };
                    if !is_meant {
                        continue;
                    }
                    let above = rows + placed.row * bar.depth as f32;
                    let below = above + placed.row;
                    if below < top || above > self.size.y {
                        continue;
                    }
                    let Some(rect) = box_of(bar, &axis, rows, placed.row, 0.0, width) else {
                        continue;
                    };
                    let rect = Rect::new(Vec2::new(rect.min.x, rect.min.y.max(top)), rect.max);
                    if is_call {
                        sheet.outline(rect, thick, color);
                    }
                    let color = [r, g, b, a * 0.22];
                    sheet.marks.push(Fill { rect, color });
                }
                let (columns, edges) = axis.columns();
                let pixels = (edges[1] - edges[0]) / columns.count().max(1) as f32;
                let x = |k: u32| edges[0] + k as f32 * pixels;
                let depth_at = |y: f32| ((y - rows) / placed.row).clamp(0.0, placed.depths as f32);
                let in_sight = depth_at(top) as u32..depth_at(self.size.y).ceil() as u32;
                // Of a call that is too narrow for a box.
                let unknown = CallOf {
                    thread: lane.thread,
                    call: CallId(u32::MAX),
                };
                let is_meant = |function: FunctionId, caller: Option<FunctionId>| {
                    if is_relation {
                        meant.holds_call(unknown, function, || caller)
                    } else {
                        meant.holds_function(function)
                    }
                };
                for depth in in_sight {
                    let above = (rows + placed.row * depth as f32).max(top);
                    let below = rows + placed.row * (depth + 1) as f32;
                    content.narrow(columns, depth, &axis, is_meant, |at| {
                        let min = Vec2::new(x(at.start), above);
                        let rect = Rect::new(min, Vec2::new(x(at.end), below));
                        let color = [r, g, b, a * 0.22];
                        sheet.marks.push(Fill { rect, color });
                    });
                }
                let narrow = meant.call().filter(|of| of.thread == lane.thread);
                if let (Some(of), Some(source)) = (narrow, &self.source)
                    && self.rules.is_empty()
                    && navigate::exists(&source.trace, of)
                {
                    let call = source.trace.call(of.thread, of.call);
                    let [left, right] = [call.start, call.end].map(|time| axis.x_of(time));
                    let above = rows + placed.row * call.depth as f32;
                    let is_seen = right >= 0.0 && left <= width && call.depth < placed.depths;
                    if right - left < BOX && is_seen && above >= top {
                        // Whole columns: that is what one points at.
                        let column = |x: f32| ((x - edges[0]) / pixels).floor();
                        let edge = |column: f32| edges[0] + column * pixels;
                        let [left, right] = [edge(column(left)), edge(column(right) + 1.0)];
                        let max = Vec2::new(right.max(left + BOX), above + placed.row);
                        let rect = Rect::new(Vec2::new(left, above), max);
                        sheet.outline(rect, line, color);
                        let color = [r, g, b, a * 0.22];
                        sheet.marks.push(Fill { rect, color });
                    }
                }
            }
        }
        let below = Rect::new(Vec2::new(0.0, top), self.size);
        mark_times(sheet, &axis, selection, below, line, &ink);
    }

    /// The lane at a point, and where its calls begin along y.
    fn lane_at(&self, at: Vec2) -> Option<(&Placed, f32)> {
        let top = self.top();
        if at.y < top {
            return None;
        }
        let y = at.y - top + self.scroll;
        let placed = self
            .placed
            .iter()
            .find(|placed| placed.top <= y && y < placed.bottom)?;
        Some((placed, top + placed.rows - self.scroll))
    }

    /// The thread whose heading is at a point of the sheet shown last.
    pub fn heading_at(&self, at: Vec2) -> Option<ThreadId> {
        let (placed, rows) = self.lane_at(at)?;
        (at.y < rows).then(|| self.lanes[placed.lane].thread)
    }

    /// The thread, depth and column at a point of the sheet shown last.
    fn cell_at(&self, at: Vec2) -> Option<(&Placed, u32, u32)> {
        let (placed, rows) = self.lane_at(at)?;
        let depth = ((at.y - rows) / placed.row).floor();
        if depth < 0.0 || depth >= placed.depths as f32 {
            return None;
        }
        Some((placed, depth as u32, self.column_at(at.x)?))
    }

    /// The call that is drawn at a point of the sheet shown last.
    fn bar_at(&self, at: Vec2) -> Option<(ThreadId, &Bar)> {
        let (placed, depth, column) = self.cell_at(at)?;
        let content = self.contents.get(placed.lane)?;
        let is_there = |bar: &&Bar| {
            let rect = box_of(bar, &self.axis, 0.0, 1.0, 0.0, self.size.x);
            rect.is_none_or(|rect| rect.min.x <= at.x && at.x < rect.max.x)
        };
        let time = self.axis.time_at(at.x);
        let bars = content.at(depth, column).filter(is_there);
        let found = bars.min_by_key(|bar| !(bar.start <= time && time < bar.end))?;
        Some((self.lanes[placed.lane].thread, found))
    }

    fn column_at(&self, x: f32) -> Option<u32> {
        let (columns, [left, right]) = self.axis.columns();
        let share = (x - left) / (right - left);
        (0.0..1.0)
            .contains(&share)
            .then(|| (share * columns.count() as f32) as u32)
    }

    /// The call at a point of the sheet shown last: the box there, or where calls are too narrow for boxes the longest
    /// of the column.
    fn call_at(&self, at: Vec2) -> Option<Found> {
        if let Some((thread, bar)) = self.bar_at(at)
            && box_of(bar, &self.axis, 0.0, 1.0, 0.0, self.size.x).is_some()
        {
            let call = bar.call;
            return Some(Found {
                of: CallOf { thread, call },
                function: bar.function,
                is_box: true,
            });
        }
        let trace = &self.source.as_ref()?.trace;
        let (placed, depth, column) = self.cell_at(at)?;
        let thread = self.lanes[placed.lane].thread;
        let call = self.longest_in(trace, thread, depth, self.range_of(column))?;
        Some(Found {
            of: CallOf { thread, call },
            function: trace.call(thread, call).function,
            is_box: false,
        })
    }

    /// When a column begins and ends.
    fn range_of(&self, column: u32) -> TimeRange {
        let (columns, _) = self.axis.columns();
        TimeRange::new(columns.start(column), columns.start(column + 1))
    }

    /// The longest call drawn at a depth that is open in `range`.
    fn longest_in(
        &self,
        trace: &Trace,
        thread: ThreadId,
        depth: u32,
        range: TimeRange,
    ) -> Option<CallId> {
        let columns = Columns::new(range, 1);
        if self.rules.is_empty() {
            let mut strips = trace.strips(thread, columns, depth + 1).into_iter();
            return Some(strips.find(|strip| strip.depth == depth)?.call);
        }
        let of = FlameOf {
            columns,
            depths: depth..depth + 1,
            // Of very many calls the shortest do not matter.
            least: Cost::from_ns(range.length().ns() / 1000),
            is_near: false,
        };
        let leave_out = LeaveOut {
            removes: &|function| self.rules.removes(function),
            cuts_below: &|function, call| self.rules.cuts_below(function, CallOf { thread, call }),
        };
        let mut flame = Flame::default();
        trace.flame_without(thread, &of, &leave_out, &mut flame);
        let longest = |bar: &&Bar| (bar.end.since(bar.start), std::cmp::Reverse(bar.call));
        Some(flame.bars.iter().max_by_key(longest)?.call)
    }

    /// What is at a point of the sheet shown last.
    pub fn pointed(&self, at: Vec2) -> Pointed {
        let mut pointed = Pointed {
            time: Some(self.axis.time_at(at.x)),
            ..Pointed::default()
        };
        if let Some((placed, _)) = self.lane_at(at) {
            pointed.thread = Some(self.lanes[placed.lane].thread);
        }
        if let Some(found) = self.call_at(at) {
            pointed.call = Some(found.of);
            pointed.function = Some(found.function);
            pointed.module = self.modules.get(found.function.index()).copied();
        }
        pointed
    }

    /// What a tooltip says about a point of the sheet shown last: the call there, or where calls are too narrow for
    /// boxes the longest of them and how many there are.
    pub fn tip(&self, session: &Session, at: Vec2) -> Option<Tip> {
        let recording = &session.recordings.get(self.recording)?.recording;
        let trace = &recording.trace;
        let found = self.call_at(at)?;
        let (_, depth, column) = self.cell_at(at)?;
        let (thread, id) = (found.of.thread, found.of.call);
        let call = trace.call(thread, id);
        let mut tip = Tip {
            title: recording.functions.get(call.function).name.to_owned(),
            lines: Vec::new(),
        };
        if let Some(&module) = self.modules.get(call.function.index()) {
            tip.lines.push(session.hierarchy.path(module));
        }
        let own = trace.self_cost(thread, id);
        tip.lines
            .push(format!("{} from {}, self {own}", call.cost(), call.start));
        let mut triggered = String::new();
        write_count(u64::from(call.triggered), "call", &mut triggered);
        tip.lines
            .push(format!("triggers {triggered}, at depth {}", call.depth));
        if !found.is_box && self.rules.is_empty() {
            let range = self.range_of(column);
            let of = FlameOf {
                columns: Columns::new(range, 1),
                depths: depth..depth + 1,
                least: range.length(),
                is_near: false,
            };
            let mut flame = Flame::default();
            trace.flame(thread, &of, &mut flame);
            if let Some(cell) = flame.cells.first()
                && cell.started > 1
            {
                let share = 100.0 * cell.open.ns() as f64 / range.length().ns().max(1) as f64;
                let mut calls = String::new();
                write_count(u64::from(cell.started), "call", &mut calls);
                tip.lines.push(format!(
                    "the longest of {calls} that start here and cover {share:.0} %"
                ));
            }
        }
        Some(tip)
    }
}

/// A call at a point.
struct Found {
    of: CallOf,
    function: FunctionId,
    is_box: bool,
}

/// The box of a call, within the sheet along x; none where it is narrower than a box.
fn box_of(bar: &Bar, axis: &TimeAxis, rows: f32, row: f32, gap: f32, width: f32) -> Option<Rect> {
    let (start, end) = (axis.x_of(bar.start), axis.x_of(bar.end));
    if end - start < BOX {
        return None;
    }
    // What stands beside it begins at a small distance.
    let beside = gap.min((end - start) * 0.2);
    let top = rows + row * bar.depth as f32;
    let min = Vec2::new(start.max(-BOX), top);
    let max = Vec2::new((end - beside).min(width + BOX), top + row - gap);
    (max.x > 0.0 && min.x < width).then_some(Rect::new(min, max))
}

/// Appends `1 234 calls`.
fn write_count(count: u64, noun: &str, out: &mut String) {
    let digits = count.to_string();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out.push(' ');
    out.push_str(noun);
    if count != 1 {
        out.push('s');
    }
}
