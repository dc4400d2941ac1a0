//! The enters and exits of a recording, sampled: all threads are run through together, in order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Peekable;

use super::keep::Keep;
use super::lane::{Exact, Lane, Open, Step};
use super::names::Renamed;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, FunctionId, ThreadId, Time};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::relinked::Relinked;
use callscape_facts::sampling::{Flow, Stretch};
use callscape_facts::trace::{Call, Trace};

/// How many calls of all threads together are read ahead; then how many of each at least, and at most.
const AHEAD: usize = 1 << 20;
const BATCH: (u32, u32) = (64, 4096);
/// Whether somebody cancels is checked once in this many events.
const PIECE: u64 = 1 << 16;

/// Calls that were kept whatever the sampling said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Always {
    /// By rule.
    pub counts: Vec<u64>,
    pub calls: u64,
}

/// What is sampled, and where it goes.
pub(super) struct Sampler<'a, 'b, 'r> {
    pub trace: &'a Trace,
    pub stretches: &'a [Stretch],
    pub keep: &'a Keep,
    pub builder: &'b mut TraceBuilder<'r>,
    pub names: &'b mut Renamed<'a>,
    pub reporter: &'r Reporter,
    pub links: &'b mut Relinked,
}

/// The work under way.
struct Run<'a, 'b, 'r, Stacks: Iterator<Item = (Time, ThreadId)>> {
    of: Sampler<'a, 'b, 'r>,
    out: Vec<ThreadId>,
    lanes: Vec<Lane>,
    /// Those whose stack may have changed since it was shown.
    dirty: Vec<usize>,
    batch: u32,
    /// The stretch at hand.
    at: usize,
    /// Events so far: of all, and before this stretch.
    number: u64,
    first: u64,
    /// When stacks are taken next, where that goes by time.
    tick: Option<u64>,
    /// Stacks asked for beside, before the event of memory at a time.
    stacks: Peekable<Stacks>,
    end: Time,
    always: Always,
}

impl<'a> Sampler<'a, '_, '_> {
    /// Samples all calls; `stacks` are the threads whose stacks are wanted beside, in order of time.
    /// O(events × log threads + what is kept × depth), O(threads × depth) memory beside what is made.
    pub(super) fn run(
        self,
        stacks: impl Iterator<Item = (Time, ThreadId)>,
        progress: &Progress,
    ) -> Result<Always, Cancelled> {
        let trace = self.trace;
        self.builder.began(Timestamp::from_ns(trace.origin()));
        let count = trace.threads().len().max(1);
        let batch = u32::try_from(AHEAD / count).unwrap_or(BATCH.1);
        let always = Always {
            counts: vec![0; self.keep.rules().count()],
            calls: 0,
        };
        let mut run = Run {
            of: self,
            out: Vec::new(),
            lanes: trace.thread_ids().map(|it| Lane::new(trace, it)).collect(),
            dirty: Vec::new(),
            batch: batch.clamp(BATCH.0, BATCH.1),
            at: 0,
            number: 0,
            first: 0,
            tick: None,
            stacks: stacks.peekable(),
            end: trace.range().end,
            always,
        };
        run.all(progress)?;
        Ok(run.always)
    }
}

impl<Stacks: Iterator<Item = (Time, ThreadId)>> Run<'_, '_, '_, Stacks> {
    fn all(&mut self, progress: &Progress) -> Result<(), Cancelled> {
        self.make_threads();
        self.enter_stretch(0);
        let mut next: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
        for lane in 0..self.lanes.len() {
            let time = self.peek(lane);
            next.extend(time.map(|time| Reverse((time, lane))));
        }
        while let Some(Reverse((mut time, lane))) = next.pop() {
            // As long as no other thread is to go before it.
            let limit = next.peek().map(|it| it.0);
            loop {
                self.advance(time);
                self.step(lane, time);
                if self.number.is_multiple_of(PIECE) {
                    progress.add(PIECE / 2)?;
                }
                let Some(then) = self.peek(lane) else {
                    break;
                };
                if limit.is_some_and(|limit| limit < (then, lane)) {
                    next.push(Reverse((then, lane)));
                    break;
                }
                time = then;
            }
        }
        self.advance(Time::MAX);
        for lane in 0..self.lanes.len() {
            let end = self.of.trace.threads()[lane].end.max(self.lanes[lane].last);
            self.cut(lane, 0, end);
        }
        Ok(())
    }

    fn make_threads(&mut self) {
        for thread in self.of.trace.threads() {
            // Those that their recording does not tell apart stay apart.
            let mut id = thread.id.clone();
            let mut out = self.of.builder.thread(&thread.process, &id);
            while out.index() < self.out.len() {
                id.push('\'');
                out = self.of.builder.thread(&thread.process, &id);
            }
            self.of.builder.name_thread(out, &thread.name);
            self.out.push(out);
        }
    }

    fn peek(&mut self, lane: usize) -> Option<Time> {
        self.lanes[lane].peek(self.of.trace, self.batch)
    }

    fn stretch(&self) -> Stretch {
        self.of.stretches[self.at]
    }

    /// Does what lies before the events at `time`: stacks by time and beside, and the next stretches.
    fn advance(&mut self, time: Time) {
        loop {
            let boundary = self.of.stretches.get(self.at + 1).map(|it| it.start);
            let boundary = boundary.filter(|&it| it <= time && it <= self.end);
            let tick = self.tick.map(Time::from_ns);
            let tick = tick.filter(|&it| it < time && it <= self.end);
            let asked = self.stacks.peek().copied();
            let asked = asked.filter(|&(it, _)| it < time && it <= self.end);
            let soonest = [boundary, tick, asked.map(|it| it.0)];
            let Some(soonest) = soonest.into_iter().flatten().min() else {
                return;
            };
            if boundary == Some(soonest) {
                self.enter_stretch(self.at + 1);
            } else if tick == Some(soonest) {
                self.tick(soonest, boundary.unwrap_or(time));
            } else if let Some((_, thread)) = self.stacks.next() {
                let lane = thread.index();
                if lane < self.lanes.len() && self.stretch().rule.has_stacks() {
                    self.show(lane, soonest, false);
                }
            }
        }
    }

    /// Takes the stacks at `now`, and passes over the times before `until` at which nothing has changed since.
    fn tick(&mut self, now: Time, until: Time) {
        let Flow::StacksEvery(step) = self.stretch().rule.flow else {
            self.tick = None;
            return;
        };
        let step = step.ns().max(1);
        self.show_all(now);
        let passed = until.ns().saturating_sub(1).saturating_sub(now.ns()) / step;
        let next = passed.checked_add(1).and_then(|it| it.checked_mul(step));
        self.tick = next.and_then(|it| now.ns().checked_add(it));
    }

    fn enter_stretch(&mut self, at: usize) {
        self.at = at;
        self.first = self.number;
        let Stretch { start, rule, .. } = self.stretch();
        self.tick = match rule.flow {
            Flow::StacksEvery(step) => start.ns().checked_add(step.ns().max(1)),
            _ => None,
        };
        self.dirty.clear();
        for lane in 0..self.lanes.len() {
            self.lanes[lane].is_dirty = false;
            if rule.has_stacks() {
                self.touch(lane);
            } else if rule.flow == Flow::All {
                self.show(lane, start, false);
            } else {
                // From here on nothing is known of the stack.
                let (shown, _) = self.lanes[lane].above();
                self.cut(lane, shown, start);
                self.lanes[lane].matched = 0;
            }
        }
    }

    fn touch(&mut self, lane: usize) {
        if !std::mem::replace(&mut self.lanes[lane].is_dirty, true) {
            self.dirty.push(lane);
        }
    }

    fn show_all(&mut self, time: Time) {
        let mut dirty = std::mem::take(&mut self.dirty);
        // In a fixed order.
        dirty.sort_unstable();
        for &lane in &dirty {
            self.lanes[lane].is_dirty = false;
            self.show(lane, time, false);
        }
        dirty.clear();
        self.dirty = dirty;
    }

    /// Shows the stack of a thread as it is now. With `is_new`, its innermost frame is a call that is known exactly.
    fn show(&mut self, lane: usize, time: Time, is_new: bool) {
        let common = self.lanes[lane].common(is_new);
        let (shown, open) = self.lanes[lane].above();
        self.cut(lane, shown + common, time);
        for frame in open + common..self.lanes[lane].open.len() {
            let Open { id, function, .. } = self.lanes[lane].open[frame];
            self.push(lane, (Some(id), function), time);
        }
        let lane = &mut self.lanes[lane];
        lane.matched = lane.heights().0;
        if is_new {
            lane.exact.push(Exact {
                shown: lane.shown.len().saturating_sub(1),
                open: lane.open.len().saturating_sub(1),
            });
            lane.matched = 0;
        }
    }

    /// Begins a call of the output. Its number is that in the trace; a call of which only the end is known has none.
    fn push(&mut self, lane: usize, (call, function): (Option<CallId>, FunctionId), time: Time) {
        let id = self.of.names.get(function, self.of.builder);
        let time_out = self.timestamp(time);
        let mut events = self.of.builder.plain(self.out[lane]);
        if !events.has_room() {
            self.of
                .reporter
                .warn("too-many-calls", || Place::file("sampling"));
            return;
        }
        if let Some(call) = call {
            let new = (self.out[lane], events.next_call());
            self.of.links.becomes((ThreadId(lane as u32), call), new);
        }
        events.enter(time_out, id);
        let lane = &mut self.lanes[lane];
        lane.shown.push(function);
        lane.last = time;
    }

    /// What is shown ends but for its first `height` frames.
    fn cut(&mut self, lane: usize, height: usize, time: Time) {
        let time_out = self.timestamp(time);
        let shown = &mut self.lanes[lane];
        let mut events = self.of.builder.plain(self.out[lane]);
        while shown.shown.len() > height {
            shown.shown.pop();
            shown.last = time;
            events.exit(time_out);
        }
        while shown.exact.pop_if(|it| it.shown >= height).is_some() {}
    }

    fn timestamp(&self, time: Time) -> Timestamp {
        Timestamp::from_ns(self.of.trace.origin().wrapping_add_unsigned(time.ns()))
    }

    /// A call of which only one event is kept.
    fn instant(&mut self, lane: usize, call: (Option<CallId>, FunctionId), time: Time) {
        let height = self.lanes[lane].shown.len();
        self.push(lane, call, time);
        self.cut(lane, height, time);
    }

    /// Whether the event at hand, or a later one with this number, is one of every `n` of the stretch.
    fn is_nth(&self, number: u64, n: u64) -> bool {
        (number - self.first + 1).is_multiple_of(n.max(1))
    }

    fn step(&mut self, lane: usize, time: Time) {
        match self.lanes[lane].step(self.of.trace, self.batch) {
            Some(Step::Enter(id, call)) => self.enter(lane, id, &call, time),
            Some(Step::Exit(function)) => self.exit(lane, function, time),
            None => {}
        }
        let rule = self.stretch().rule;
        if let Flow::Stacks(n) = rule.flow
            && self.is_nth(self.number, n)
        {
            self.show_all(time);
        }
        self.number += 1;
    }

    fn enter(&mut self, lane: usize, id: CallId, call: &Call, time: Time) {
        let open = &self.lanes[lane].open;
        let around = open.len().checked_sub(2).map(|it| open[it]);
        let caller = around.map(|it| it.function);
        let is_kept = self.of.keep.count(caller, call, &mut self.always.counts);
        self.always.calls += u64::from(is_kept);
        let Stretch { rule, end, .. } = self.stretch();
        if rule.has_stacks() {
            match is_kept {
                true => self.show(lane, time, true),
                false => self.touch(lane),
            }
            return;
        }
        let own = (Some(id), call.function);
        let exact = |run: &mut Self| {
            let lane = &mut run.lanes[lane];
            lane.exact.push(Exact {
                shown: lane.shown.len().saturating_sub(1),
                open: lane.open.len() - 1,
            });
            lane.matched = 0;
        };
        match rule.flow {
            Flow::All => {
                self.push(lane, own, time);
                if is_kept {
                    exact(self);
                }
            }
            _ if is_kept => {
                // With the call that it comes from, unless that is shown already.
                let depth = self.lanes[lane].open.len() - 1;
                let known = self.lanes[lane].exact.last().map(|it| it.open + 1);
                if let Some(around) = around.filter(|_| known != Some(depth)) {
                    self.push(lane, (Some(around.id), around.function), time);
                }
                self.push(lane, own, time);
                exact(self);
            }
            Flow::Events(n) if self.is_nth(self.number, n) => {
                let thread = ThreadId(lane as u32);
                let pairs = |run: &Self| {
                    call.end < end && run.is_nth(run.of.trace.exit_number(thread, id, call), n)
                };
                if pairs(self) {
                    self.push(lane, own, time);
                    exact(self);
                } else {
                    self.instant(lane, own, time);
                }
            }
            _ => {}
        }
    }

    fn exit(&mut self, lane: usize, function: FunctionId, time: Time) {
        let height = self.lanes[lane].open.len();
        let exact = self.lanes[lane].exact.last();
        let exact = exact.filter(|it| it.open == height).copied();
        if let Some(exact) = exact {
            self.cut(lane, exact.shown, time);
            self.lanes[lane].matched = 0;
        }
        let rule = self.stretch().rule;
        if rule.has_stacks() {
            match exact {
                Some(_) => self.show(lane, time, false),
                None => self.touch(lane),
            }
            return;
        }
        match rule.flow {
            Flow::All => {
                let (shown, open) = self.lanes[lane].heights();
                if exact.is_some() {
                    self.show(lane, time, false);
                } else if shown > open {
                    let (above, _) = self.lanes[lane].above();
                    self.cut(lane, above + open, time);
                }
            }
            Flow::Events(n) if exact.is_none() => {
                if self.is_nth(self.number, n) {
                    self.instant(lane, (None, function), time);
                }
            }
            _ => {
                // The call that it came from is not known any longer.
                let (above, _) = self.lanes[lane].above();
                self.cut(lane, above, time);
            }
        }
    }
}
