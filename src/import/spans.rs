//! Spans of distributed traces as calls. Each service has lanes, which take the place of threads: a span stands
//! on the lane of the span that started it, as a call inside its call, where both are of one service and the
//! outer one is still open and encloses it; else it is the outermost call of a lane that is free. So each
//! lane nests, and no span is the caller of another that it did not start.
//!
//! Where spans of other services lie between, the nearest of the same service around them counts as what
//! started it. A span that could not stand inside it, since another was running there or since it ended
//! later, is counted (`concurrent-span`).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use hashbrown::HashTable;

use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::hashing::{BuildFast, same};
use callscape_facts::names::{NameId, Names};

mod ids;
#[cfg(test)]
mod tests;

pub use ids::SpanId;

/// A service as a part of the file names it; parts may name the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceId(u32);

/// A span as it is read.
pub struct Span<'a> {
    pub service: ServiceId,
    pub id: Option<SpanId>,
    pub parent: Option<SpanId>,
    /// Of the function where it is known, else of the operation.
    pub name: &'a str,
    pub file: &'a str,
    pub line: u32,
    pub start: i64,
    /// Not before `start`.
    pub end: i64,
    /// In the file.
    pub offset: u64,
}

/// A span as it is kept.
struct Row {
    service: u32,
    id: Option<SpanId>,
    parent: Option<SpanId>,
    name: NameId,
    file: NameId,
    line: u32,
    start: i64,
    end: i64,
    /// The file that it stands in, and where there.
    read_from: u32,
    offset: u64,
}

/// All spans of one or more files.
#[derive(Default)]
pub struct Spans {
    names: Names,
    hash: BuildFast,
    /// The names by their texts: nearly every span has one that was there before.
    known: HashTable<NameId>,
    /// What the files are called, in the order in which they are read.
    files: Vec<String>,
    /// By service, its name.
    services: Vec<NameId>,
    /// By id, the number of a trace.
    traces: HashMap<Box<str>, u32, BuildFast>,
    /// The trace that was asked for last: most spans are of the one before them.
    last_trace: Option<(String, u32)>,
    ids: ids::Ids,
    rows: Vec<Row>,
    counted: Counted,
    /// Nothing is kept.
    only_counts: bool,
}

/// How many spans were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub kept: u64,
    /// Those without a start.
    pub left_out: u64,
}

/// How many spans of other services may lie between two of one service.
const MOST_BETWEEN: usize = 64;

impl Spans {
    /// Counts spans and keeps nothing of them, whatever they hold.
    pub fn only_counting() -> Spans {
        Spans {
            only_counts: true,
            ..Spans::default()
        }
    }

    /// How many there were so far.
    pub fn counted(&self) -> Counted {
        self.counted
    }

    /// Counts a span that cannot be kept.
    pub fn leave_out(&mut self) {
        self.counted.left_out += 1;
    }

    /// Starts a file: what comes now is in it.
    pub fn file(&mut self, name: String) {
        self.files.push(name);
    }

    fn place(&self, row: &Row) -> Place {
        let file = self.files.get(row.read_from as usize);
        Place::offset(file.cloned().unwrap_or_default(), row.offset)
    }

    /// The traces that spans are of, by their ids, each once.
    pub fn traces(&self) -> BTreeSet<&[u8]> {
        let traces = self.traces.keys().map(|id| id.as_bytes());
        traces.filter(|id| !id.is_empty()).collect()
    }

    /// A service without a name so far.
    pub fn service(&mut self) -> ServiceId {
        if self.only_counts {
            return ServiceId(0);
        }
        self.services.push(NameId::EMPTY);
        ServiceId(self.services.len() as u32 - 1)
    }

    pub fn name_service(&mut self, service: ServiceId, name: &str) {
        if self.only_counts {
            return;
        }
        self.services[service.0 as usize] = self.names.intern(name);
    }

    /// The id of a span of a trace; none of an empty one.
    pub fn id(&mut self, trace: &str, span: &str) -> Option<SpanId> {
        if span.is_empty() || self.only_counts {
            return None;
        }
        let trace = self.trace(trace);
        Some(self.ids.of_text(trace, span))
    }

    /// The id of a span by the number that its sixteen digits are, as [`Spans::id`] gives it.
    pub fn numbered(&mut self, trace: u32, span: u64) -> SpanId {
        if self.only_counts {
            return SpanId(0);
        }
        self.ids.of_number(trace, span)
    }

    /// The number of a trace.
    pub fn trace(&mut self, id: &str) -> u32 {
        if self.only_counts {
            return 0;
        }
        if let Some((last, number)) = &self.last_trace
            && last == id
        {
            return *number;
        }
        let next = self.traces.len() as u32;
        let number = match self.traces.get(id) {
            Some(&known) => known,
            None => {
                self.traces.insert(id.into(), next);
                next
            }
        };
        self.last_trace = Some((id.to_owned(), number));
        number
    }

    fn name(&mut self, text: &str) -> NameId {
        if text.is_empty() {
            return NameId::EMPTY;
        }
        let hash = self.hash.of_bytes(text.as_bytes());
        let is_text = |name: &NameId| same(self.names.get(*name).as_bytes(), text.as_bytes());
        if let Some(&known) = self.known.find(hash, is_text) {
            return known;
        }
        let name = self.names.intern(text);
        let hashed = |name: &NameId| self.hash.of_bytes(self.names.get(*name).as_bytes());
        self.known.insert_unique(hash, name, hashed);
        name
    }

    pub fn push(&mut self, span: Span<'_>) {
        self.counted.kept += 1;
        if self.only_counts {
            return;
        }
        let row = Row {
            service: span.service.0,
            id: span.id,
            parent: span.parent,
            name: self.name(span.name),
            file: self.name(span.file),
            line: span.line,
            start: span.start,
            end: span.end.max(span.start),
            read_from: (self.files.len() as u32).saturating_sub(1),
            offset: span.offset,
        };
        self.rows.push(row);
    }

    /// Hands the spans to the builder. O(n log n).
    pub fn build(mut self, builder: &mut TraceBuilder<'_>, reporter: &Reporter) {
        self.merge_services();
        let around = self.around(reporter);
        let depths = depths(&around);
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_by_key(|&span| {
            let row = &self.rows[span as usize];
            (row.start, Reverse(row.end), depths[span as usize])
        });
        let mut functions = HashMap::default();
        let mut services: Vec<Lanes> = Vec::new();
        services.resize_with(self.services.len(), Lanes::default);
        // By span, its lane.
        let mut lane_of: Vec<Option<u32>> = vec![None; self.rows.len()];
        for &span in &order {
            let row = &self.rows[span as usize];
            let name = self.names.get(self.services[row.service as usize]);
            let lanes = &mut services[row.service as usize];
            let at = || self.place(row);
            let mut lane = None;
            if let Some(outer) = around[span as usize] {
                let outer_lane = lane_of[outer as usize];
                lane = outer_lane.filter(|&lane| {
                    lanes.end_before(lane, row.start, Some(outer), builder, at);
                    lanes.top(lane) == Some(outer) && row.end <= self.rows[outer as usize].end
                });
                if lane.is_none() {
                    reporter.warn("concurrent-span", at);
                }
            }
            let lane = lane.unwrap_or_else(|| {
                let lane = lanes.free(row.start, name, builder);
                lanes.end_before(lane, row.start, None, builder, at);
                lane
            });
            lane_of[span as usize] = Some(lane);
            let function = self.function(row, name, &mut functions, builder);
            lanes.enter(lane, span, row, function, builder, at);
        }
        for lanes in &mut services {
            for lane in 0..lanes.lanes.len() as u32 {
                lanes.end_before(lane, i64::MAX, None, builder, || {
                    Place::file(self.files.last().cloned().unwrap_or_default())
                });
            }
        }
    }

    /// Lets services of one name be one.
    fn merge_services(&mut self) {
        let mut first: HashMap<NameId, u32> = HashMap::new();
        let merged = self.services.iter().zip(0..);
        let merged: Vec<u32> = merged
            .map(|(&name, n)| *first.entry(name).or_insert(n))
            .collect();
        for row in &mut self.rows {
            row.service = merged[row.service as usize];
        }
    }

    /// By span, the nearest span of the same service that it was started in.
    fn around(&self, reporter: &Reporter) -> Vec<Option<u32>> {
        let mut by_id: Vec<Option<u32>> = vec![None; self.ids.len()];
        for (span, row) in self.rows.iter().enumerate() {
            let Some(id) = row.id else {
                continue;
            };
            let known = &mut by_id[id.0 as usize];
            if known.is_some() {
                reporter.warn("duplicate-id", || self.place(row));
            }
            known.get_or_insert(span as u32);
        }
        let parent = |span: u32| {
            let parent = self.rows[span as usize].parent?;
            by_id[parent.0 as usize].filter(|&parent| parent != span)
        };
        let around = (0..self.rows.len() as u32).map(|span| {
            let service = self.rows[span as usize].service;
            let mut outer = parent(span);
            for _ in 0..MOST_BETWEEN {
                outer = match outer {
                    Some(other) if self.rows[other as usize].service != service => parent(other),
                    found => return found,
                };
            }
            None
        });
        around.collect()
    }

    fn function(
        &self,
        row: &Row,
        service: &str,
        functions: &mut HashMap<(u32, NameId, NameId, u32), FunctionId, BuildFast>,
        builder: &mut TraceBuilder<'_>,
    ) -> FunctionId {
        let key = (row.service, row.name, row.file, row.line);
        *functions.entry(key).or_insert_with(|| {
            builder.function(Function {
                name: match self.names.get(row.name) {
                    "" => "(unnamed)",
                    name => name,
                },
                file: self.names.get(row.file),
                line: row.line,
                library: service,
            })
        })
    }
}

/// By span, how many are around it; a circle is cut.
fn depths(around: &[Option<u32>]) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut depths = vec![UNKNOWN; around.len()];
    let mut way = Vec::new();
    for span in 0..around.len() as u32 {
        let mut at = Some(span);
        let mut depth = 0;
        while let Some(outer) = at {
            match depths[outer as usize] {
                UNKNOWN => {
                    // Known to be on the way, should it come again.
                    depths[outer as usize] = 0;
                    way.push(outer);
                    at = around[outer as usize];
                }
                known => {
                    depth = known + 1;
                    break;
                }
            }
        }
        while let Some(inner) = way.pop() {
            depths[inner as usize] = depth;
            depth += 1;
        }
    }
    depths
}

/// The lanes of a service.
#[derive(Default)]
struct Lanes {
    lanes: Vec<Lane>,
    /// When the outermost span of a lane ends, the earliest first; lanes of which it did not end yet.
    busy: BinaryHeap<Reverse<(i64, u32)>>,
    free: BTreeSet<u32>,
}

struct Lane {
    thread: ThreadId,
    /// Its open spans, outermost first, with their ends.
    open: Vec<(u32, i64)>,
}

impl Lanes {
    /// The first lane on which no span is open at `time`.
    fn free(&mut self, time: i64, service: &str, builder: &mut TraceBuilder<'_>) -> u32 {
        while let Some(&Reverse((end, lane))) = self.busy.peek()
            && end <= time
        {
            self.busy.pop();
            self.free.insert(lane);
        }
        if let Some(lane) = self.free.pop_first() {
            return lane;
        }
        let number = self.lanes.len() + 1;
        let thread = builder.thread(service, &number.to_string());
        if number == 1 {
            builder.name_thread(thread, service);
        } else {
            builder.name_thread(thread, &format!("{service}, lane {number}"));
        }
        self.lanes.push(Lane {
            thread,
            open: Vec::new(),
        });
        number as u32 - 1
    }

    fn top(&self, lane: u32) -> Option<u32> {
        let (span, _) = self.lanes[lane as usize].open.last()?;
        Some(*span)
    }

    /// Ends the spans of a lane that end until `time`; `keep` only if it ends before.
    fn end_before(
        &mut self,
        lane: u32,
        time: i64,
        keep: Option<u32>,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        let lane = &mut self.lanes[lane as usize];
        while let Some(&(span, end)) = lane.open.last()
            && (end < time || (end == time && keep != Some(span)))
        {
            builder.exit(lane.thread, Timestamp::from_ns(end), None, &place);
            lane.open.pop();
        }
    }

    fn enter(
        &mut self,
        lane: u32,
        span: u32,
        row: &Row,
        function: FunctionId,
        builder: &mut TraceBuilder<'_>,
        place: impl Fn() -> Place,
    ) {
        let open = &mut self.lanes[lane as usize];
        if open.open.is_empty() {
            self.busy.push(Reverse((row.end, lane)));
        }
        open.open.push((span, row.end));
        builder.enter(open.thread, Timestamp::from_ns(row.start), function, place);
    }
}
