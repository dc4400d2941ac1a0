//! The call stack view: calls as boxes along time, those that they made below them, a thread after another.
//!
//! Thesis, section 6.2.2. Where calls are narrower than a pixel the picture shows, for each pixel column and
//! depth, how much of the column calls of this depth cover and the module of one of them: a summary of all of
//! them, not a sample of some. Of many calls a first picture is drawn at once, and the exact one when it is found.

mod boxes;
mod lanes;
mod marks;
mod painting;
mod pointing;
mod refining;
mod view;

use std::sync::Arc;

use glam::Vec2;

pub use self::view::ENTRY;
use super::Scope;
use crate::parts::drawing::paint_plain;
use crate::parts::time_band::TimeBand;
use boxes::Content;
use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, ThreadId, Time, TimeRange};
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_facts::trace::Trace;
use callscape_filter::filters::{FilterRules, Filters};
use callscape_filter::selection::CallOf;
use callscape_layout::axis::TimeAxis;
use callscape_layout::geometry::Color;
use callscape_layout::hues::{Hues, encoded};
use callscape_layout::sheet::{Fill, Raster, Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_model::band::Band;
use callscape_model::navigate;
use callscape_model::theme::Theme;
use callscape_model::threads::thread_names;
use callscape_state::State;
use callscape_state::panes::ViewId;
use lanes::{HIGHEST_ROW, LOWEST_ROW, Lane, Placed};
use painting::LanePainter;
use refining::{Refining, Wanted};

/// Points.
const LETTERS: f32 = 11.6;
const AXIS: f32 = 20.0;

/// The exact picture of up to this many calls is quick enough. Of more, the first picture has cells with `CALLS` calls on
/// average, at most `CELLS` of them in a line over all lanes, each at most `WIDEST` columns wide.
const AT_ONCE: u64 = 80_000;
const CALLS: u64 = 256;
const CELLS: u64 = 1_600;
const WIDEST: u64 = 24;

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
    /// The exact picture on its way.
    refining: Option<Refining>,
    filters: Filters,
    rules: FilterRules,
    painted: Option<PaintedWith>,
    text: String,
    sheet: Sheet,
    /// Over the lanes.
    band: TimeBand,
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
            refining: None,
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
            text: String::new(),
            sheet: Sheet::default(),
            band: TimeBand::default(),
        }
    }

    /// Shows stretches of time over the lanes, or none; whether that is something else than before.
    pub fn set_band(&mut self, band: Option<&Arc<Band>>) -> bool {
        let is_other = self.band.take(band);
        if is_other {
            self.painted = None;
        }
        is_other
    }

    /// Takes what the view beside `own` shows; whether that is something else than before.
    pub(crate) fn take_beside(&mut self, own: ViewId, state: &State) -> bool {
        self.band.beside.take(own, state)
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

    /// Moves what is shown by this many pixels.
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

    /// How high rows are, and how far they are scrolled, in pixels.
    pub fn rows(&self) -> (Option<f32>, f32) {
        (self.row, self.scroll)
    }

    pub fn set_rows(&mut self, (row, scroll): (Option<f32>, f32)) {
        if row.is_none_or(|row| row.is_finite() && row > 0.0) && scroll.is_finite() {
            (self.row, self.scroll) = (row, scroll);
            self.place();
        }
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

    /// Where the axis ends and the band begins, in pixels.
    fn head(&self) -> f32 {
        (AXIS * self.scale).round().min(self.size.y * 0.3)
    }

    /// Where lanes begin, in pixels.
    fn top(&self) -> f32 {
        self.head() + self.band.height(self.size.y, self.scale)
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

    /// Whether something is still being found out: then the view has more to show soon.
    pub fn is_waiting(&self) -> bool {
        self.refining.is_some()
    }

    /// Takes what has been found exactly meanwhile.
    fn take_refined(&mut self) {
        let Some(refining) = &mut self.refining else {
            return;
        };
        let Some(found) = refining.take() else {
            self.refining = None;
            return;
        };
        for refined in found {
            if refined.axis == self.axis
                && let Some(content) = self.contents.get_mut(refined.lane)
            {
                content.refine(refined.axis, refined.depths, refined.flame);
                self.painted = None;
            }
        }
    }

    fn is_in_sight(&self, placed: &Placed) -> bool {
        let y = |at: f32| self.top() + at - self.scroll;
        y(placed.bottom) >= self.top() && y(placed.top) <= self.size.y
    }

    /// How many columns are one cell in a first picture: enough that runs of calls fit into one, and that there are not
    /// too many of all lanes together.
    fn columns_of_cell(&self, trace: &Trace) -> u32 {
        let range = self.axis.range();
        let (mut calls, mut running) = (0, 0);
        for placed in self.placed.iter().filter(|placed| self.is_in_sight(placed)) {
            let lane = &self.lanes[placed.lane];
            let [before, after] =
                [range.start, range.end].map(|time| trace.started(lane.thread, time));
            calls += u64::from(after.saturating_sub(before));
            running += u64::from(after > before);
        }
        // With something left out calls are gone through one by one, or not at all.
        if calls <= AT_ONCE || !self.rules.is_empty() {
            return 1;
        }
        let cells = u64::from(self.axis.columns().0.count()) * running;
        let fitting = (cells * CALLS).div_ceil(calls);
        let few = cells.div_ceil(CELLS);
        fitting.max(few).clamp(1, WIDEST) as u32
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
        let [head, top] = [self.head(), self.top()];
        let band = Rect::new(Vec2::new(0.0, head), Vec2::new(self.size.x, top));
        self.band.place(band);
        if self.filters != *scope.filters {
            self.filters.clone_from(scope.filters);
            self.rules = self.filters.rules(&scope.session.hierarchy, &self.modules);
            self.contents.iter_mut().for_each(Content::forget);
            self.refining = None;
            self.painted = None;
        }
        self.take_refined();
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
        if self.painted != Some(with) {
            self.paint(scope);
            self.painted = Some(with);
        }
        self.mark(scope);
        &self.sheet
    }

    /// Everything but marks.
    fn paint(&mut self, scope: &Scope<'_>) {
        let ink = Ink::of(scope.theme);
        self.find_colors(scope, &ink);
        let (axis, top) = (self.head(), self.top());
        let em = (LETTERS * self.scale).max(1.0);
        let resolved = scope.session.recordings.get(self.recording);
        let sheet = &mut self.sheet;
        sheet.fills.clear();
        sheet.mesh.clear();
        sheet.texts.clear();
        sheet.letters.clear();
        let whole = Rect::new(Vec2::ZERO, self.size);
        if sheet.rasters.is_empty() {
            sheet.rasters.push(Raster::default());
        }
        paint_plain(&mut sheet.rasters[0], whole, ink.paper);
        let below = Rect::new(Vec2::new(0.0, top), self.size);
        self.axis.draw_grid(sheet, below, em, ink.grid);
        let mut rasters = 1;
        if let Some(resolved) = resolved {
            let (shown, inexact) = self.paint_lanes(scope.session, &resolved.recording, em, &ink);
            rasters += shown;
            self.refine(&resolved.recording.trace, inexact);
        } else {
            self.refining = None;
        }
        let sheet = &mut self.sheet;
        sheet.rasters.truncate(rasters);
        let head = Rect::new(Vec2::ZERO, Vec2::new(self.size.x, top));
        sheet.fills.push(Fill {
            rect: head,
            color: ink.ground,
        });
        let along = Rect::new(Vec2::ZERO, Vec2::new(self.size.x, axis));
        self.axis.draw(sheet, along, em, ink.axis());
        let hierarchy = &scope.session.hierarchy;
        self.band.draw(sheet, &self.axis, |function| {
            let module = self.modules.get(function.index());
            let module = *module.unwrap_or(&ModuleId::ROOT);
            self.hues.color(hierarchy, module, &ink.strong)
        });
        let at = Vec2::new(em, top + em * 1.5);
        if resolved.is_some_and(|it| it.recording.kind == RecordingKind::Profile) {
            sheet.write(crate::parts::along_time::NO_TIMES, at, em, ink.weak, whole);
        } else if self.placed.is_empty() {
            sheet.write("No calls to show", at, em, ink.weak, whole);
        }
    }

    /// The colours of functions in a theme.
    fn find_colors(&mut self, scope: &Scope<'_>, ink: &Ink) {
        if self.colors_of == Some(scope.theme) {
            return;
        }
        self.colors_of = Some(scope.theme);
        let color = |&module: &ModuleId| {
            let color = self
                .hues
                .color(&scope.session.hierarchy, module, &ink.tones);
            (color, encoded(color))
        };
        self.colors = self.modules.iter().map(color).collect();
    }

    /// Draws the lanes in sight; how many there are, and those of which only a first picture is known.
    fn paint_lanes(
        &mut self,
        session: &Session,
        recording: &Recording,
        em: f32,
        ink: &Ink,
    ) -> (usize, Vec<Wanted>) {
        let columns_of_cell = self.columns_of_cell(&recording.trace);
        let painter = LanePainter {
            session,
            place: self.recording,
            recording,
            axis: &self.axis,
            colors: &self.colors,
            names: &self.names,
            ink,
            size: self.size,
            scale: self.scale,
            em,
            top: self.top(),
            scroll: self.scroll,
        };
        let sheet = &mut self.sheet;
        let mut shown = 0;
        let mut inexact = Vec::new();
        for placed in self.placed.iter().filter(|it| painter.is_in_sight(it)) {
            let depths = painter.depths_in_sight(placed);
            let lane = &self.lanes[placed.lane];
            let Some(content) = self.contents.get_mut(placed.lane) else {
                continue;
            };
            content.measure(
                &recording.trace,
                lane.thread,
                &self.axis,
                depths.clone(),
                columns_of_cell,
                &self.rules,
            );
            if !content.is_exact() {
                inexact.push(Wanted {
                    lane: placed.lane,
                    thread: lane.thread,
                    depths: depths.clone(),
                });
            }
            shown += 1;
            if sheet.rasters.len() == shown {
                sheet.rasters.push(Raster::default());
            }
            let cells = &mut sheet.rasters[shown];
            painter.paint_cells(placed, depths.clone(), content, cells);
            painter.paint_boxes(
                (lane, placed),
                depths.clone(),
                content,
                sheet,
                &mut self.text,
            );
            painter.paint_waits(placed, depths, content, sheet);
            painter.paint_gaps(placed, sheet);
            painter.paint_heading((lane, placed), content, sheet, &mut self.text);
        }
        (shown, inexact)
    }

    /// Has the exact picture of some lanes be found, unless that is on its way.
    fn refine(&mut self, trace: &Trace, lanes: Vec<Wanted>) {
        let begun = self.refining.as_ref();
        if lanes.is_empty() {
            self.refining = None;
        } else if !begun.is_some_and(|it| it.is_of(&self.axis, &lanes)) {
            self.refining = Some(Refining::begin(trace, self.axis, lanes, &self.rules));
        }
    }
}
