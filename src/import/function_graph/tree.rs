//! The calls inside one outermost call of a task, until it ends and all durations are known.
//!
//! Times of lines are cut to microseconds while durations are exact to a nanosecond. Where a call would end behind the one
//! around it, it is moved to an earlier time.

use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};

/// To what times and long durations of lines are exact together, in nanoseconds.
const EXACT_TO: i64 = 2000;

/// No call.
const NONE: u32 = u32::MAX;

/// Where and when something is said.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub time: i64,
    /// Whether the line has its time.
    pub is_told: bool,
    pub indent: u32,
}

/// A call, in nanoseconds.
#[derive(Clone, Copy)]
struct Node {
    function: FunctionId,
    around: u32,
    indent: u32,
    is_told: bool,
    start: i64,
    cost: i64,
    /// What those that it calls take, and those that stand behind it in the same call.
    inside: i64,
    behind: i64,
}

pub(super) struct Tree {
    thread: ThreadId,
    /// Callers before those that they call.
    nodes: Vec<Node>,
    /// Those that have not ended, outermost first.
    open: Vec<u32>,
    /// When the last line came.
    seen: i64,
    /// When the last outermost call ended.
    ended: i64,
}

impl Tree {
    pub(super) fn of(thread: ThreadId) -> Tree {
        Tree {
            thread,
            nodes: Vec::new(),
            open: Vec::new(),
            seen: i64::MIN,
            ended: i64::MIN,
        }
    }

    pub(super) fn thread(&self) -> ThreadId {
        self.thread
    }

    /// Ends what is indented so far or further at this time; how many ends were missing.
    fn unwind(&mut self, at: At) -> u64 {
        let mut missed = 0;
        while let Some(&last) = self.open.last()
            && self.nodes[last as usize].indent >= at.indent
        {
            self.close(at.time);
            missed += 1;
        }
        missed
    }

    /// The innermost call ends at `time`, for want of its duration.
    fn close(&mut self, time: i64) {
        if let Some(last) = self.open.pop() {
            let node = &mut self.nodes[last as usize];
            node.cost = time.saturating_sub(node.start).max(0);
        }
    }

    /// A call begins; how many ends were missing before.
    pub(super) fn begin(&mut self, at: At, function: FunctionId) -> u64 {
        let missed = self.unwind(at);
        self.seen = self.seen.max(at.time);
        self.push(at, function);
        missed
    }

    fn push(&mut self, at: At, function: FunctionId) {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            function,
            around: self.open.last().copied().unwrap_or(NONE),
            indent: at.indent,
            is_told: at.is_told,
            start: at.time,
            cost: 0,
            inside: 0,
            behind: 0,
        });
        self.open.push(number);
    }

    /// A call that begins and ends.
    pub(super) fn leaf(&mut self, at: At, function: FunctionId, cost: i64) -> u64 {
        let missed = self.begin(at, function);
        self.seen = self.seen.max(at.time.saturating_add(cost));
        self.close(at.time.saturating_add(cost));
        missed
    }

    /// A call ends, that of the function where it is named: when its line began, and how many ends were missing. None where
    /// no such call is open.
    pub(super) fn end(
        &mut self,
        at: At,
        function: Option<FunctionId>,
        cost: Option<i64>,
    ) -> Option<(i64, u64)> {
        let node = |number: &u32| &self.nodes[*number as usize];
        let is_it = |number: &u32| {
            let node = node(number);
            node.indent == at.indent && function.is_none_or(|it| it == node.function)
        };
        let depth = self.open.iter().rposition(is_it)?;
        let start = node(&self.open[depth]).start;
        let missed = self.open.len() - 1 - depth;
        for _ in 0..missed {
            self.close(at.time);
        }
        let end = cost.map_or(at.time, |cost| start.saturating_add(cost));
        self.seen = self.seen.max(at.time).max(end);
        self.close(end);
        Some((start, missed as u64))
    }

    /// Hands the calls to the builder if the outermost one has ended.
    pub(super) fn emit_whole(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &impl Fn() -> Place,
    ) {
        if self.open.is_empty() {
            self.emit(builder, reporter, place);
        }
    }

    /// The text ends: so do the calls, when the last line of the task was.
    pub(super) fn finish(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &impl Fn() -> Place,
    ) {
        reporter.warn_many("open-at-end", self.open.len() as u64, place);
        while !self.open.is_empty() {
            self.close(self.seen);
        }
        self.emit(builder, reporter, place);
    }

    fn emit(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &impl Fn() -> Place,
    ) {
        self.add_up(reporter, place);
        // Of the open calls: their number, their end, and until when they are taken.
        let mut open: Vec<(u32, i64, i64)> = Vec::new();
        for number in 0..self.nodes.len() {
            let node = self.nodes[number];
            while let Some(&(around, end, _)) = open.last()
                && around != node.around
            {
                open.pop();
                self.exit(end, &mut open, builder, place);
            }
            let start = match open.last() {
                Some(&(_, end, taken)) => {
                    let latest = end.saturating_sub(node.behind).saturating_sub(node.cost);
                    node.start.max(taken).min(latest.max(taken))
                }
                None => node.start.max(self.ended),
            };
            if node.is_told && start.saturating_sub(node.start).abs() > EXACT_TO {
                reporter.warn("time-goes-back", place);
            }
            let end = start.saturating_add(node.cost);
            builder.enter(self.thread, Timestamp::from_ns(start), node.function, place);
            open.push((number as u32, end, start));
        }
        while let Some((_, end, _)) = open.pop() {
            self.exit(end, &mut open, builder, place);
        }
        self.nodes.clear();
    }

    /// A call ends, which takes the time of the one around it until then.
    fn exit(
        &mut self,
        end: i64,
        open: &mut [(u32, i64, i64)],
        builder: &mut TraceBuilder<'_>,
        place: &impl Fn() -> Place,
    ) {
        builder.exit(self.thread, Timestamp::from_ns(end), None, place);
        match open.last_mut() {
            Some((_, _, taken)) => *taken = end,
            None => self.ended = end,
        }
    }

    /// Adds up what calls need: those that take less than what they call are made longer.
    fn add_up(&mut self, reporter: &Reporter, place: &impl Fn() -> Place) {
        for number in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[number];
            if node.inside > node.cost {
                node.cost = node.inside;
                reporter.warn("duration-too-short", place);
            }
            let (around, cost) = (node.around, node.cost);
            if around != NONE {
                let behind = self.nodes[around as usize].inside;
                self.nodes[number].behind = behind;
                self.nodes[around as usize].inside = behind.saturating_add(cost);
            }
        }
    }
}
