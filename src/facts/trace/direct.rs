//! Sums over the calls of a window, one call after the other: quicker than the summaries where the calls
//! are few, and right where sums of costs are beyond all numbers.

use super::call::{FunctionMetrics, Relation};
use super::entries::NONE;
use super::store::{Calls, Store};
use super::within::Inside;
use callscape_base::units::{Cost, FunctionId, Time};

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
    depth: u32,
    pair: u32,
    start: u64,
    end: u64,
    /// The cost of its direct subcalls gone through.
    children: u64,
    nested: bool,
}

/// Which calls count, and how.
#[derive(Clone, Copy)]
enum Window<'a> {
    /// Those that count in a range, by thread.
    Inside(&'a [(Inside, Vec<u32>)]),
    /// Those that start at or before a time, with what they cost up to it.
    Until(Time),
}

/// The calls of one thread to go through.
enum Through<'a> {
    Inside(&'a Inside, &'a [u32]),
    Until(Time),
}

impl Calls<'_> {
    /// Adds the parts of the calls that count.
    fn add_parts(&self, of: &Through<'_>, parts: &mut Vec<Part>) {
        let range = match of {
            Through::Inside(inside, _) => inside.calls.clone(),
            Through::Until(t) => 0..self.started(t.ns()),
        };
        if let Through::Inside(inside, _) = of {
            for (call, [cost, own]) in self.reaching_costs(inside) {
                parts.push(Part {
                    pair: self.pair(call),
                    calls: 1,
                    cost: Cost::from_ns(cost),
                    self_cost: Cost::from_ns(own),
                    total: Cost::from_ns(if self.is_nested(call) { 0 } else { cost }),
                });
            }
        }
        let mut stack: Vec<Frame> = Vec::new();
        let leave = |stack: &mut Vec<Frame>, parts: &mut Vec<Part>| {
            let Some(frame) = stack.pop() else { return };
            let end = match of {
                Through::Until(t) => frame.end.min(t.ns()),
                Through::Inside(..) => frame.end,
            };
            let cost = end.saturating_sub(frame.start);
            let (is_late, is_outermost) = match of {
                Through::Inside(inside, outermost) => {
                    let is_in = |of: &[u32]| of.binary_search(&frame.call).is_ok();
                    (is_in(&inside.late), is_in(outermost))
                }
                Through::Until(_) => (false, false),
            };
            if !is_late {
                let is_nested = frame.nested && !is_outermost;
                parts.push(Part {
                    pair: frame.pair,
                    calls: 1,
                    cost: Cost::from_ns(cost),
                    self_cost: Cost::from_ns(cost.saturating_sub(frame.children)),
                    total: Cost::from_ns(if is_nested { 0 } else { cost }),
                });
            }
            if let Some(parent) = stack.last_mut() {
                parent.children = parent.children.saturating_add(cost);
            }
        };
        let mut cursor = super::store::Cursor::new(*self);
        for call in range {
            let facts = cursor.facts(call);
            while stack.last().is_some_and(|last| last.depth >= facts.depth) {
                leave(&mut stack, parts);
            }
            let (index, local) = super::store::place(call);
            let block = cursor.block(index);
            stack.push(Frame {
                call,
                depth: facts.depth,
                pair: block.pair(local),
                start: facts.start,
                end: facts.end,
                children: 0,
                nested: block.nested(local),
            });
        }
        while !stack.is_empty() {
            leave(&mut stack, parts);
        }
    }
}

impl Store {
    /// The sums of a window by pair; none where its calls are many and their sums are numbers.
    fn parts(&self, window: Window<'_>) -> Option<Vec<Part>> {
        let through: Vec<Through<'_>> = match window {
            Window::Inside(all) => {
                let all = all.iter();
                all.map(|(inside, outermost)| Through::Inside(inside, outermost))
                    .collect()
            }
            Window::Until(t) => self.all_calls().map(|_| Through::Until(t)).collect(),
        };
        let calls = self.all_calls().zip(&through).map(|(calls, of)| match of {
            Through::Inside(inside, _) => inside.calls.len() as u64,
            Through::Until(t) => u64::from(calls.started(t.ns())),
        });
        if calls.sum::<u64>() > u64::from(FEW) && !self.overflows {
            return None;
        }
        let mut parts = Vec::new();
        for (calls, of) in self.all_calls().zip(&through) {
            calls.add_parts(of, &mut parts);
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
    pub(super) fn few_relations(&self, inside: &[(Inside, Vec<u32>)]) -> Option<Vec<Relation>> {
        let parts = self.parts(Window::Inside(inside))?;
        Some(self.relations_of(parts))
    }

    /// As [`Store::running`]; none where the summaries are to be asked.
    pub(super) fn few_running(&self, t: Time) -> Option<Vec<Relation>> {
        let parts = self.parts(Window::Until(t))?;
        Some(self.relations_of(parts))
    }

    /// As [`Store::function_metrics`]; none where the summaries are to be asked.
    pub(super) fn few_metrics(
        &self,
        inside: &[(Inside, Vec<u32>)],
    ) -> Option<Vec<FunctionMetrics>> {
        let parts = self.parts(Window::Inside(inside))?;
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
