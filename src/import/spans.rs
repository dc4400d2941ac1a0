//! Spans of distributed traces as calls. Each service has lanes, the first of which takes the place of a thread: a span
//! stands on the lane of the span that started it, as a call inside its call, where both are of one service and the
//! outer one is still open and encloses it; else it is the outermost call of a lane that is free, and a link leads to it
//! from the span that started it. So each lane nests, and no span is the caller of another that it did not start.
//!
//! A span that could not stand inside the one of its service that started it, since another was running there or since it
//! ended later, is counted (`concurrent-span`). So are links from spans that are not there (`link-without-call`), and
//! services whose clock is put right in a trace ([`skew`], `clock-skew-corrected`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use hashbrown::HashTable;

use callscape_base::units::{CallId, FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::hashing::{BuildFast, same};
use callscape_facts::names::{NameId, Names};
use callscape_facts::trace::{LinkEnd, LinkKind, PutAside, Told, Value};

mod ids;
pub mod skew;
#[cfg(test)]
mod tests;

pub(crate) use ids::SpanId;

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
    /// It ended with an error.
    pub is_failed: bool,
    pub arguments: Option<PutAside>,
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
    is_failed: bool,
    arguments: Option<PutAside>,
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
    /// By the texts of traces that are written in 16 digits or more, what the last 16 are short for, and
    /// whether a long one is known.
    short: HashMap<Box<str>, (u32, bool), BuildFast>,
    rows: Vec<Row>,
    /// The span, why, and what it comes from besides its parent.
    links: Vec<(u32, LinkKind, SpanId)>,
    arguments: Told,
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

/// Digits of an id of a trace, and of one before there were longer ones.
const DIGITS: usize = 32;
const SHORT_DIGITS: usize = 16;

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
        self.arguments.forget();
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
                let number = self.same_trace(id).unwrap_or(next);
                self.traces.insert(id.into(), number);
                number
            }
        };
        self.last_trace = Some((id.to_owned(), number));
        number
    }

    /// The trace that a new id is another spelling of: some services write the last half of one alone.
    fn same_trace(&mut self, id: &str) -> Option<u32> {
        let is_text = matches!(id.len(), SHORT_DIGITS | DIGITS) && id.is_ascii();
        let short = id
            .get(id.len().checked_sub(SHORT_DIGITS)?..)
            .filter(|_| is_text)?;
        let next = self.traces.len() as u32;
        let is_short = id.len() == SHORT_DIGITS;
        match self.short.get_mut(short) {
            Some((known, has_long)) => {
                // Two long ones are two traces, though they end alike.
                let is_same = is_short || !*has_long;
                *has_long |= !is_short;
                is_same.then_some(*known)
            }
            None => {
                self.short.insert(short.into(), (next, !is_short));
                None
            }
        }
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
            is_failed: span.is_failed,
            arguments: span.arguments,
            read_from: (self.files.len() as u32).saturating_sub(1),
            offset: span.offset,
        };
        self.rows.push(row);
    }

    /// An argument of the span at hand.
    pub fn argument(&mut self, name: &str, value: &Value<'_>) {
        if !self.only_counts {
            self.arguments.add(name, value);
        }
    }

    /// Puts the arguments of the span at hand aside: those since the last.
    pub fn put_arguments_aside(&mut self, offset: u64) -> Option<PutAside> {
        self.arguments.put_aside(offset)
    }

    /// Another link to the span that was pushed last, besides that from its parent.
    pub fn link(&mut self, kind: LinkKind, from: SpanId) {
        if let Some(last) = self.rows.len().checked_sub(1) {
            self.links.push((last as u32, kind, from));
        }
    }

    /// Hands the spans to the builder; by function, how many ended with an error. O(n log n).
    pub fn build(
        mut self,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
    ) -> Vec<(FunctionId, u64)> {
        self.merge_services();
        let by_id = self.by_id(reporter);
        let parents = self.parents(&by_id, reporter);
        if !skew::is_left() {
            self.correct_clocks(&parents, reporter);
        }
        let service = |span: u32| self.rows[span as usize].service;
        let around = parents.iter().zip(0..);
        let around = around.map(|(parent, span)| parent.filter(|&it| service(it) == service(span)));
        let around: Vec<Option<u32>> = around.collect();
        let depths = depths(&around);
        // Rows lie far apart: what they are compared by is taken out of them once.
        let order = self.rows.iter().zip(depths).zip(0_u32..);
        let order = order.map(|((row, depth), span)| (row.start, Reverse(row.end), depth, span));
        let mut order: Vec<_> = order.collect();
        order.sort_unstable();
        let mut functions = HashMap::default();
        let mut services: Vec<Lanes> = Vec::new();
        services.resize_with(self.services.len(), Lanes::default);
        // By span, its lane, and its call.
        let mut lane_of: Vec<Option<u32>> = vec![None; self.rows.len()];
        let mut call_of = vec![(ThreadId(0), CallId(0)); self.rows.len()];
        let mut linked: Vec<bool> = vec![false; self.rows.len()];
        let mut failed: BTreeMap<FunctionId, u64> = BTreeMap::new();
        for &(.., span) in &order {
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
            let is_inside = lane.is_some();
            let lane = lane.unwrap_or_else(|| {
                let lane = lanes.free(row.start, name, builder);
                lanes.end_before(lane, row.start, None, builder, at);
                lane
            });
            lane_of[span as usize] = Some(lane);
            linked[span as usize] = !is_inside;
            let function = self.function(row, name, &mut functions, builder);
            if row.is_failed {
                *failed.entry(function).or_default() += 1;
            }
            let thread = lanes.lanes[lane as usize].thread;
            call_of[span as usize] = (thread, builder.next_call(thread));
            lanes.enter(lane, span, row, function, builder, at);
            if let Some(aside) = row.arguments {
                let of = (thread, function);
                let [start, end] = [row.start, row.end].map(Timestamp::from_ns);
                self.arguments.aside_of_begun(aside, of, start, Some(end));
            }
        }
        let call = |span: u32| {
            let (thread, call) = call_of[span as usize];
            LinkEnd::Call(thread, call)
        };
        for (span, parent) in (0..).zip(&parents) {
            if let Some(parent) = parent.filter(|_| linked[span as usize]) {
                let offset = self.rows[span as usize].offset;
                builder.link(LinkKind::SpanParent, call(parent), call(span), offset);
            }
        }
        for &(span, kind, from) in &self.links {
            let row = &self.rows[span as usize];
            match by_id[from.0 as usize] {
                Some(from) => builder.link(kind, call(from), call(span), row.offset),
                None => reporter.warn("link-without-call", || self.place(row)),
            }
        }
        for lanes in &mut services {
            for lane in 0..lanes.lanes.len() as u32 {
                lanes.end_before(lane, i64::MAX, None, builder, || {
                    Place::file(self.files.last().cloned().unwrap_or_default())
                });
            }
        }
        *builder.arguments() = self.arguments;
        failed.into_iter().collect()
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

    /// By id, its span.
    fn by_id(&self, reporter: &Reporter) -> Vec<Option<u32>> {
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
        by_id
    }

    /// By span, the one that started it.
    fn parents(&self, by_id: &[Option<u32>], reporter: &Reporter) -> Vec<Option<u32>> {
        let parents = self.rows.iter().zip(0..).map(|(row, span)| {
            let parent = by_id[row.parent?.0 as usize];
            if parent.is_none() {
                reporter.warn("link-without-call", || self.place(row));
            }
            if parent == Some(span) {
                reporter.warn("cycle", || self.place(row));
            }
            parent.filter(|&parent| parent != span)
        });
        parents.collect()
    }

    /// Moves services of traces whose clock is not that of their callers.
    fn correct_clocks(&mut self, parents: &[Option<u32>], reporter: &Reporter) {
        let trace = |row: &Row| row.id.and_then(|id| self.ids.trace(id));
        let times = |row: &Row| (row.start, row.end);
        let crossings = self.rows.iter().zip(parents).filter_map(|(row, parent)| {
            let caller = &self.rows[(*parent)? as usize];
            (caller.service != row.service).then_some(skew::Crossing {
                trace: trace(row)?,
                from: caller.service,
                to: row.service,
                caller: times(caller),
                called: times(row),
            })
        });
        let shifts = skew::shifts(crossings.collect());
        if shifts.is_empty() {
            return;
        }
        let mut told = BTreeSet::new();
        for row in 0..self.rows.len() {
            let of = &self.rows[row];
            let key = of.id.and_then(|id| self.ids.trace(id));
            let key = key.map(|trace| (trace, of.service));
            let Some((key, &shift)) = key.and_then(|key| Some((key, shifts.get(&key)?))) else {
                continue;
            };
            if told.insert(key) {
                reporter.warn("clock-skew-corrected", || self.place(of));
            }
            let row = &mut self.rows[row];
            row.start = row.start.saturating_add(shift);
            row.end = row.end.saturating_add(shift);
        }
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
        let number = self.lanes.len() as u32 + 1;
        let thread = match self.lanes.first() {
            Some(first) => builder.lane(first.thread, number),
            None => {
                let thread = builder.thread(service, "1");
                builder.name_thread(thread, service);
                thread
            }
        };
        self.lanes.push(Lane {
            thread,
            open: Vec::new(),
        });
        number - 1
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
