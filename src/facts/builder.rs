//! Fills the call store from enter and exit events, and repairs what does not nest.

use std::collections::HashMap;

use super::functions::{Function, Functions};
pub use super::timestamp::Timestamp;
use super::trace::waiting::RawWait;
use super::trace::writer::{self, Shared, ThreadWriter};
use super::trace::{LinkEnd, LinkKind, RawLink, Thread, Told, Trace, Why};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time};
use callscape_base::warnings::{Place, Reporter};

/// The events of one thread that are in order and nest, taken without a look at whether they do.
pub struct PlainEvents<'b> {
    shared: &'b mut Shared,
    calls: &'b mut ThreadWriter,
    last: &'b mut Option<Timestamp>,
}

impl PlainEvents<'_> {
    /// The time before which no further event may be.
    #[inline]
    pub fn last(&self) -> Option<Timestamp> {
        *self.last
    }

    /// Whether another call can be numbered.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.has_room_for(1)
    }

    /// Whether so many calls can be numbered.
    #[inline]
    pub fn has_room_for(&self, count: usize) -> bool {
        count <= MOST_CALLS.saturating_sub(self.calls.calls())
    }

    /// The number of the next call.
    #[inline]
    pub fn next_call(&self) -> CallId {
        CallId(self.calls.calls() as u32)
    }

    /// How many calls are open.
    #[inline]
    pub fn open_calls(&self) -> usize {
        self.calls.depth()
    }

    /// A call of `function` starts.
    #[inline]
    pub fn enter(&mut self, time: Timestamp, function: FunctionId) {
        self.calls.enter(self.shared, time.bits(), function);
        *self.last = Some(time);
    }

    /// The innermost open call ends.
    #[inline]
    pub fn exit(&mut self, time: Timestamp) {
        self.calls.exit(time.bits());
        *self.last = Some(time);
    }

    /// Says that the next call to start is one of `function`, so that what is known of it is near by then.
    #[inline]
    pub fn expect(&self, function: FunctionId) {
        self.calls.expect(function);
    }

    /// A call of `function` starts, and ends as the next event.
    #[inline]
    pub fn leaf(&mut self, start: Timestamp, end: Timestamp, function: FunctionId) {
        self.calls
            .leaf(self.shared, start.bits(), end.bits(), function);
        *self.last = Some(end);
    }
}

struct ThreadBuilder {
    thread: Thread,
    /// The thread that it is a further lane of.
    lane_of: Option<ThreadId>,
    calls: ThreadWriter,
    last: Option<Timestamp>,
    waits: Vec<RawWait>,
}

/// Calls of a thread are numbered in 32 bits; those past that are left out (`too-many-calls`).
const MOST_CALLS: usize = u32::MAX as usize - 1;

/// Takes the events of a recording, per thread in order of time, and makes the call store.
///
/// Repairs, each counted in the reporter: a time before the thread's last one is raised to it
/// (`time-goes-back`); an exit closes the calls above the innermost open call of its function
/// (`missing-end`); an exit of a function that is not open is left out (`end-without-begin`);
/// calls open at the end end with their thread, at the last time that it is known to run (`open-at-end`).
pub struct TraceBuilder<'a> {
    reporter: &'a Reporter,
    functions: Functions,
    shared: Shared,
    threads: Vec<ThreadBuilder>,
    ids: HashMap<(String, String), ThreadId>,
    knows_waiting: bool,
    began: Option<Timestamp>,
    links: Vec<RawLink>,
    arguments: Told,
    /// By thread, where it stands among the others.
    ranks: Vec<(i64, i64)>,
}

impl<'a> TraceBuilder<'a> {
    pub fn new(reporter: &'a Reporter) -> TraceBuilder<'a> {
        TraceBuilder {
            reporter,
            functions: Functions::default(),
            shared: Shared::default(),
            threads: Vec::new(),
            ids: HashMap::new(),
            knows_waiting: false,
            began: None,
            links: Vec::new(),
            arguments: Told::default(),
            ranks: Vec::new(),
        }
    }

    /// The function, known from now on by its id.
    pub fn function(&mut self, function: Function<'_>) -> FunctionId {
        self.functions.intern(function)
    }

    /// The name of a function.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.functions.get(function).name
    }

    /// The function that begins at `column` of its line; 0 where that is not known.
    pub fn function_at(&mut self, function: Function<'_>, column: u32) -> FunctionId {
        self.functions.intern_at(function, column)
    }

    /// The thread `id` of `process`, known from now on by its place. Keep the answer rather than
    /// asking for each event: the ids are text.
    pub fn thread(&mut self, process: &str, id: &str) -> ThreadId {
        let key = (process.to_owned(), id.to_owned());
        let (threads, shared) = (&mut self.threads, &mut self.shared);
        *self.ids.entry(key).or_insert_with(|| {
            threads.push(ThreadBuilder {
                thread: Thread {
                    id: id.to_owned(),
                    process: process.to_owned(),
                    name: String::new(),
                    lane: 0,
                    calls: 0,
                    max_depth: 0,
                    start: Time::ZERO,
                    end: Time::ZERO,
                },
                lane_of: None,
                calls: ThreadWriter::new(shared),
                last: None,
                waits: Vec::new(),
            });
            ThreadId(threads.len() as u32 - 1)
        })
    }

    pub fn name_thread(&mut self, thread: ThreadId, name: &str) {
        name.clone_into(&mut self.threads[thread.index()].thread.name);
    }

    /// A further lane of `thread`, `number` being 2 or more, for calls that overlap others of it without nesting. It is
    /// named after its thread and follows it.
    pub fn lane(&mut self, thread: ThreadId, number: u32) -> ThreadId {
        let of = &self.threads[thread.index()].thread;
        let (process, id) = (of.process.clone(), format!("{}, lane {number}", of.id));
        let lane = self.thread(&process, &id);
        let of = &mut self.threads[lane.index()];
        (of.lane_of, of.thread.lane) = (Some(thread), number);
        lane
    }

    /// Puts the threads in order of rank, those of equal rank in order of their first event. `ranks` are by thread.
    pub fn arrange_threads(&mut self, ranks: &[(i64, i64)]) {
        self.ranks = ranks.to_vec();
    }

    /// A call is the cause of another, at this `offset` of the file. Links whose ends are no calls are counted
    /// (`link-without-call`, `link-to-itself`).
    pub fn link(&mut self, kind: LinkKind, from: LinkEnd, to: LinkEnd, offset: u64) {
        self.links.push(RawLink {
            kind,
            from,
            to,
            offset,
        });
    }

    /// Collects the arguments of calls. Those past the first 32 of a call, or with new names past the first 65,536 of the
    /// recording, are left out (`arguments-cut`), texts are cut after 256 bytes (`argument-text-cut`), and arguments whose
    /// call is not there are counted (`arguments-without-call`).
    #[inline]
    pub fn arguments(&mut self) -> &mut Told {
        &mut self.arguments
    }

    /// The number of calls of `thread` so far: that of its next call.
    pub fn next_call(&self, thread: ThreadId) -> CallId {
        CallId(self.threads[thread.index()].calls.calls() as u32)
    }

    /// The number of calls of `thread` so far that are still open.
    pub fn open_calls(&self, thread: ThreadId) -> usize {
        self.threads[thread.index()].calls.depth()
    }

    fn advance(
        &mut self,
        thread: ThreadId,
        time: Timestamp,
        place: impl FnOnce() -> Place,
    ) -> Timestamp {
        let thread = &mut self.threads[thread.index()];
        let time = match thread.last {
            Some(last) if time < last => {
                self.reporter.warn("time-goes-back", place);
                last
            }
            _ => time,
        };
        thread.last = Some(time);
        time
    }

    /// The thread was still there at `time`, when no call starts or ends: calls open at the end last until then.
    pub fn seen(&mut self, thread: ThreadId, time: Timestamp) {
        let last = &mut self.threads[thread.index()].last;
        *last = (*last).max(Some(time));
    }

    /// The recording began at `time`, which times count from, though its first event may be later.
    pub fn began(&mut self, time: Timestamp) {
        self.began = Some(time);
    }

    /// The recording says when its threads wait, even if none ever does.
    pub fn knows_waiting(&mut self) {
        self.knows_waiting = true;
    }

    /// The thread waits from `start` to `end`, all of that time or, where only so much is known, `waited` of it. In any
    /// order and also after the thread's last event.
    pub fn wait(
        &mut self,
        thread: ThreadId,
        (start, end): (Timestamp, Timestamp),
        waited: Option<Cost>,
        why: Why,
    ) {
        self.knows_waiting = true;
        self.threads[thread.index()].waits.push(RawWait {
            start: start.ns(),
            end: end.ns(),
            waited: waited.map_or(u64::MAX, Cost::ns),
            why,
        });
    }

    /// One thread of its own, for events that need no repair.
    pub fn plain(&mut self, thread: ThreadId) -> PlainEvents<'_> {
        let thread = &mut self.threads[thread.index()];
        PlainEvents {
            shared: &mut self.shared,
            calls: &mut thread.calls,
            last: &mut thread.last,
        }
    }

    /// A call of `function` starts.
    pub fn enter(
        &mut self,
        thread: ThreadId,
        time: Timestamp,
        function: FunctionId,
        place: impl Fn() -> Place,
    ) {
        let start = self.advance(thread, time, &place);
        let calls = &mut self.threads[thread.index()].calls;
        if calls.calls() >= MOST_CALLS {
            self.reporter.warn("too-many-calls", place);
            return;
        }
        calls.enter(&mut self.shared, start.bits(), function);
    }

    /// A call ends: the innermost open one of `function`, or the innermost of all for none.
    /// Whether a call was closed.
    pub fn exit(
        &mut self,
        thread: ThreadId,
        time: Timestamp,
        function: Option<FunctionId>,
        place: impl Fn() -> Place,
    ) -> bool {
        let open = self.threads[thread.index()].calls.open_functions();
        let found = match function {
            Some(function) => open.iter().rposition(|&open| open == function.0),
            None => open.len().checked_sub(1),
        };
        let Some(depth) = found else {
            self.reporter.warn("end-without-begin", place);
            return false;
        };
        let above = open.len() - 1 - depth;
        if above > 0 {
            self.reporter.warn_many("missing-end", above as u64, &place);
        }
        let time = self.advance(thread, time, &place);
        let calls = &mut self.threads[thread.index()].calls;
        for _ in 0..=above {
            calls.exit(time.bits());
        }
        true
    }

    /// The functions and the call store, times counted from the first event of all threads, or from when the recording
    /// [`began`](Self::began).
    /// `place` says where the input ended, for calls that are still open there.
    pub fn finish(mut self, place: impl Fn() -> Place) -> (Functions, Trace) {
        for thread in &mut self.threads {
            let open = thread.calls.depth();
            self.reporter.warn_many("open-at-end", open as u64, &place);
            let last = thread.last.unwrap_or(Timestamp::from_ns(0));
            for _ in 0..open {
                thread.calls.exit(last.bits());
            }
        }
        let starts = self
            .threads
            .iter()
            .filter_map(|thread| thread.calls.start());
        let origin = starts.map(Timestamp::from_bits).chain(self.began).min();
        let origin = origin.unwrap_or(Timestamp::from_ns(0)).bits();
        let places = self.put_in_order();
        let (mut threads, mut waits) = (Vec::new(), Vec::new());
        for thread in self.threads {
            threads.push((thread.thread, thread.calls));
            waits.push(thread.waits);
        }
        let functions = self.functions.len();
        let trace = writer::finish(self.shared, threads, origin, functions);
        let mut trace = trace.unwrap_or_else(|_| {
            self.reporter.warn("calls-lost-disk-full", &place);
            Trace::default()
        });
        let lasted = trace.threads().iter().map(|it| it.end.since(it.start).ns());
        if lasted.map(u128::from).sum::<u128>() > i64::MAX as u128 {
            // What all functions cost may not fit into a `Cost`.
            self.reporter.warn("costs-out-of-range", &place);
        }
        if self.knows_waiting {
            let overlapping = trace.learn_waiting(waits);
            self.reporter
                .warn_many("overlapping-wait", overlapping, &place);
        }
        if !self.links.is_empty() {
            let lost = trace.learn_links(&self.links, &places);
            let at = |offset| Place::offset(place().file, offset);
            for (kind, lost) in [
                ("link-without-call", lost.without_call),
                ("link-to-itself", lost.to_itself),
            ] {
                lost.into_iter()
                    .for_each(|offset| self.reporter.warn(kind, || at(offset)));
            }
        }
        learn_arguments(&mut trace, self.arguments, &places, self.reporter, &place);
        (self.functions, trace)
    }

    /// Puts the threads in order of rank and lanes behind their thread, and gives their new places by thread.
    fn put_in_order(&mut self) -> Vec<ThreadId> {
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        order.sort_by_key(|&index| {
            let thread = &self.threads[index];
            let of = thread.lane_of.map_or(index, ThreadId::index);
            let rank = self.ranks.get(of).copied().unwrap_or_default();
            (rank, of, thread.thread.lane)
        });
        let mut places = vec![ThreadId(0); order.len()];
        for (&index, place) in order.iter().zip(0..) {
            places[index] = ThreadId(place);
        }
        for index in 0..self.threads.len() {
            let Some(of) = self.threads[index].lane_of else {
                continue;
            };
            let name = &self.threads[of.index()].thread.name;
            if !name.is_empty() {
                let thread = &self.threads[index].thread;
                self.threads[index].thread.name = format!("{name}, lane {}", thread.lane);
            }
        }
        let mut threads: Vec<_> = std::mem::take(&mut self.threads)
            .into_iter()
            .map(Some)
            .collect();
        let ordered = order.iter().filter_map(|&index| threads[index].take());
        self.threads = ordered.collect();
        places
    }
}

/// Takes the arguments of all calls, and counts what is not kept of them.
fn learn_arguments(
    trace: &mut Trace,
    told: Told,
    places: &[ThreadId],
    reporter: &Reporter,
    place: &impl Fn() -> Place,
) {
    if told.is_empty() {
        return;
    }
    let Ok(lost) = trace.learn_arguments(told, places) else {
        reporter.warn("arguments-lost-disk-full", place);
        return;
    };
    for (kind, cut) in [
        ("arguments-cut", lost.arguments),
        ("argument-text-cut", lost.texts),
        ("arguments-without-call", lost.without_call),
    ] {
        let at = || Place::offset(place().file, cut.first);
        reporter.warn_many(kind, cut.count, at);
    }
}
