//! What is at a point of the call stacks.

use glam::Vec2;

use super::FlameView;
use super::boxes::box_of;
use super::lanes::Placed;
use super::painting::write_count;
use crate::parts::time_band::{self, TimeBand};
use crate::parts::tip::{Tip, of_gap};
use callscape_analysis::session::Session;
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, TimeRange};
use callscape_facts::trace::{Bar, Columns, Flame, FlameOf, LeaveOut, Trace};
use callscape_filter::selection::{CallOf, Pointed};
use callscape_model::arguments::shortened;

/// Characters of the arguments of a call.
const MOST_OF_ARGUMENTS: usize = 200;

/// A call at a point.
struct Found {
    of: CallOf,
    function: FunctionId,
    is_box: bool,
}

impl FlameView {
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
        let columns = self.axis.columns().0.count();
        let bars = content.at(depth, column, columns).filter(is_there);
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
            columns_of_cell: 1,
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

    /// The range of the stretch of the band at a point of the sheet shown last.
    pub fn range_at(&self, at: Vec2) -> Option<TimeRange> {
        Some(self.band.at(&self.axis, at)?.range)
    }

    /// What is at a point of the sheet shown last.
    pub fn pointed(&self, at: Vec2) -> Pointed {
        if let Some(stretch) = self.band.at(&self.axis, at) {
            return Pointed {
                time: Some(self.axis.time_at(at.x)),
                module: self.modules.get(stretch.function.index()).copied(),
                ..time_band::pointed(stretch)
            };
        }
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
        if let Some(stretch) = self.band.at(&self.axis, at) {
            let module = self.modules.get(stretch.function.index());
            let path = module.map(|&module| session.hierarchy.path(module));
            return Some(TimeBand::tip(stretch, path));
        }
        let (_, depth, column) = self.cell_at(at)?;
        let Some(found) = self.call_at(at) else {
            let gap = recording.gaps.at(self.axis.time_at(at.x))?;
            return Some(Tip {
                title: of_gap(gap),
                lines: Vec::new(),
            });
        };
        let (thread, id) = (found.of.thread, found.of.call);
        let call = trace.call(thread, id);
        let mut tip = Tip {
            title: session
                .function_name(self.recording, call.function)
                .to_owned(),
            lines: Vec::new(),
        };
        if let Some(&module) = self.modules.get(call.function.index()) {
            tip.lines.push(session.hierarchy.path(module));
        }
        let arguments = trace.arguments(thread, id);
        if !arguments.is_empty() {
            tip.lines.push(shortened(&arguments, MOST_OF_ARGUMENTS));
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
                columns_of_cell: 1,
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
        let time = self.axis.time_at(at.x);
        self.band.beside.explain(time, &mut tip);
        Some(tip)
    }
}
