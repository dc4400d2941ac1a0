//! Sums over the calls of a window, one call after the other: quicker than the summaries where the calls
//! are few, and right where sums of costs are beyond all numbers.

use super::call::{FunctionMetrics, Relation};
use super::entries::NONE;
use super::store::{Calls, Store};
use callscape_base::units::{Cost, FunctionId, Time, TimeRange};

/// Up to so many calls are gone through one by one.
const FEW: u32 = if cfg!(test) { 12 } else { 4000 };

/// What a call adds to the sums of its pair. Sums stop at the largest cost there is.
#[derive(Clone, Copy, Debug)]
struct Part {
    pair: u32,
    calls: u64,
    cost: Cost,
    self_cost: Cost,
    /// The cost where no call of the same function is around it.
    total: Cost,
}

/// A call that is open while the calls of a window are gone through.
struct Frame {
    call: u32,
    pair: u32,
    start: u64,
    end: u64,
    /// The cost of its direct subcalls gone through.
    children: u64,
    nested: bool,
    /// A call inside it is kept.
    around_kept: bool,
}

/// Which calls count, and how.
#[derive(Clone, Copy)]
enum Window {
    /// Those that the time range constraint keeps, with all they cost.
    Kept(TimeRange),
    All,
    /// Those that start at or before a time, with what they cost up to it.
    Until(Time),
}

impl Calls<'_> {
    /// The calls that start in a window.
    fn starts(&self, window: Window) -> (u32, u32) {
        match window {
            Window::Kept(range) => {
                let from = self.started(range.start.ns());
                (from, self.started_before(range.end.ns()).max(from))
            }
            Window::All => (0, self.len()),
            Window::Until(t) => (0, self.started(t.ns())),
        }
    }

    /// Adds the parts of the calls that count among `from..to` and around them.
    fn add_parts(&self, window: Window, from: u32, to: u32, parts: &mut Vec<Part>) {
        if from == to {
            return;
        }
        let mut stack: Vec<Frame> = Vec::new();
        self.visit_stack(from, |call, facts| {
            let (index, local) = super::store::place(call.0);
            let nested = match self.open_call(call.0) {
                Some(open) => open.nested != 0,
                None => self.block(index).nested(local),
            };
            stack.push(Frame {
                call: call.0,
                pair: self.pair(call.0),
                start: facts.start,
                end: facts.end,
                children: 0,
                nested,
                around_kept: false,
            });
            true
        });
        stack.reverse();
        let mut leave = |stack: &mut Vec<Frame>| {
            let Some(frame) = stack.pop() else { return };
            let end = match window {
                Window::Until(t) => frame.end.min(t.ns()),
                _ => frame.end,
            };
            let cost = end.saturating_sub(frame.start);
            let whole = match window {
                Window::Kept(range) => frame.call >= from && frame.end < range.end.ns(),
                _ => true,
            };
            let counts = whole || frame.around_kept;
            if counts {
                // Of a call that reaches out of the window not all subcalls have been gone through.
                let children = if whole {
                    frame.children
                } else {
                    self.children(frame.call)
                };
                parts.push(Part {
                    pair: frame.pair,
                    calls: 1,
                    cost: Cost::from_ns(cost),
                    self_cost: Cost::from_ns(cost.saturating_sub(children)),
                    total: Cost::from_ns(if frame.nested { 0 } else { cost }),
                });
            }
            if let Some(parent) = stack.last_mut() {
                parent.children = parent.children.saturating_add(cost);
                parent.around_kept |= counts;
            }
        };
        let mut cursor = super::store::Cursor::new(*self);
        for call in from..to {
            let facts = cursor.facts(call);
            while stack.len() > facts.depth as usize {
                leave(&mut stack);
            }
            let (index, local) = super::store::place(call);
            let block = cursor.block(index);
            stack.push(Frame {
                call,
                pair: block.pair(local),
                start: facts.start,
                end: facts.end,
                children: 0,
                nested: block.nested(local),
                around_kept: false,
            });
        }
        while !stack.is_empty() {
            leave(&mut stack);
        }
    }
}

impl Store {
    /// The sums of a window by pair; none where its calls are many and their sums are numbers.
    fn parts(&self, window: Window) -> Option<Vec<Part>> {
        let starts: Vec<(u32, u32)> = self.all_calls().map(|calls| calls.starts(window)).collect();
        let calls = starts.iter().map(|(from, to)| u64::from(to - from));
        if calls.sum::<u64>() > u64::from(FEW) && !self.overflows {
            return None;
        }
        let mut parts = Vec::new();
        for (calls, (from, to)) in self.all_calls().zip(starts) {
            calls.add_parts(window, from, to, &mut parts);
        }
        parts.sort_unstable_by_key(|part| part.pair);
        parts.dedup_by(|next, kept| {
            let same = next.pair == kept.pair;
            if same {
                kept.calls += next.calls;
                kept.cost += next.cost;
                kept.self_cost += next.self_cost;
                kept.total += next.total;
            }
            same
        });
        Some(parts)
    }

    fn relations_of(&self, parts: Vec<Part>) -> Vec<Relation> {
        let mut relations: Vec<Relation> = parts
            .iter()
            .filter_map(|part| {
                let pair = self.pairs.get(part.pair as usize)?;
                (pair.caller != NONE).then_some(Relation {
                    caller: FunctionId(pair.caller),
                    callee: FunctionId(pair.callee),
                    calls: part.calls,
                    cost: part.cost,
                    self_cost: part.self_cost,
                    ..Relation::NOTHING
                })
            })
            .collect();
        relations.sort_unstable_by_key(|relation| (relation.caller, relation.callee));
        relations
    }

    /// As [`Store::relations`]; none where the summaries are to be asked.
    pub(super) fn few_relations(&self, range: Option<TimeRange>) -> Option<Vec<Relation>> {
        let parts = self.parts(range.map_or(Window::All, Window::Kept))?;
        Some(self.relations_of(parts))
    }

    /// As [`Store::running`]; none where the summaries are to be asked.
    pub(super) fn few_running(&self, t: Time) -> Option<Vec<Relation>> {
        let parts = self.parts(Window::Until(t))?;
        Some(self.relations_of(parts))
    }

    /// As [`Store::function_metrics`]; none where the summaries are to be asked.
    pub(super) fn few_metrics(&self, range: Option<TimeRange>) -> Option<Vec<FunctionMetrics>> {
        let parts = self.parts(range.map_or(Window::All, Window::Kept))?;
        let mut metrics = vec![FunctionMetrics::default(); self.functions];
        for part in parts {
            if let Some(of) = metrics.get_mut(self.callee(part.pair).index()) {
                of.calls += part.calls;
                of.total += part.total;
                of.self_cost += part.self_cost;
            }
        }
        Some(metrics)
    }
}
