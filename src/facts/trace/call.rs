//! What a trace tells of: calls, threads, and what comes of adding calls up.

use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time};

/// One execution of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub function: FunctionId,
    pub start: Time,
    pub end: Time,
    /// Open calls around it on its thread; 0 for an outermost call.
    pub depth: u32,
    /// How many calls it triggered, directly and indirectly.
    pub triggered: u32,
}

impl Call {
    pub fn cost(&self) -> Cost {
        self.end.since(self.start)
    }
}

/// A thread as its recording names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The thread's number, or its text where the recording gives text.
    pub id: String,
    pub process: String,
    pub name: String,
    /// 0, or of calls that overlap those of a thread before it without nesting: which further lane of that thread it is, 2
    /// and so on. Lanes follow their thread.
    pub lane: u32,
    pub calls: u64,
    /// The largest number of calls open at once.
    pub max_depth: u32,
    pub start: Time,
    pub end: Time,
}

/// Calls from one function to another, aggregated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    pub caller: FunctionId,
    pub callee: FunctionId,
    pub calls: u64,
    /// How many of them are links, from a call of another thread, lane or service.
    pub links: u64,
    pub cost: Cost,
    pub self_cost: Cost,
    /// The part of both in which the callee waited; zero where the recording does not know.
    pub waiting: Cost,
    pub self_waiting: Cost,
}

impl Relation {
    /// Nothing, of no functions: what others are made of.
    pub const NOTHING: Relation = Relation {
        caller: FunctionId(0),
        callee: FunctionId(0),
        calls: 0,
        links: 0,
        cost: Cost::ZERO,
        self_cost: Cost::ZERO,
        waiting: Cost::ZERO,
        self_waiting: Cost::ZERO,
    };

    /// Adds what calls add up to elsewhere, up to the largest number.
    pub fn add(&mut self, other: &Relation) {
        self.calls = self.calls.saturating_add(other.calls);
        self.links = self.links.saturating_add(other.links);
        self.cost += other.cost;
        self.self_cost += other.self_cost;
        self.waiting += other.waiting;
        self.self_waiting += other.self_waiting;
    }
}

/// What a function did in a range of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionMetrics {
    pub calls: u64,
    /// The time during which at least one call of it was open on a thread, summed over threads.
    pub total: Cost,
    pub self_cost: Cost,
    /// The part of both in which it waited; zero where the recording does not know.
    pub waiting: Cost,
    pub self_waiting: Cost,
}

/// An enter or exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub time: Time,
    pub thread: ThreadId,
    pub call: CallId,
    pub enter: bool,
}
