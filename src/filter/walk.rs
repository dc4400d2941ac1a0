//! The calls that a range and the filters leave of a trace, one after the other: the trace filtering
//! operations of Bohnet's thesis, section 6.1.1, in its order (time range constraint, call tree removal,
//! module removal), without holding the calls in memory. Of calls that reach out of the range their parts in it count.

use super::filters::FilterRules;
use super::selection::CallOf;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::trace::{Call, Inside, Trace, Waited};

/// So many calls are walked through between two looks at whether to go on.
const STRETCH: u64 = 200_000;

/// A call that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftCall {
    pub thread: ThreadId,
    pub id: CallId,
    pub call: Call,
    /// What of it lies in the range.
    pub part: TimeRange,
    /// The innermost call around it that is left, and its function.
    pub caller: Option<(CallId, FunctionId)>,
    /// The cost of its part minus that of its direct subcalls. The subcalls of a removed call count as its own; what
    /// happened below a call whose tree is removed counts as its own time.
    pub self_cost: Cost,
    /// What of its cost and of its own was waiting.
    pub waited: Waited,
    /// A call of the same function that is left encloses it.
    pub is_nested: bool,
}

impl LeftCall {
    /// What it costs in the range.
    pub fn cost(&self) -> Cost {
        self.part.length()
    }
}

/// A call on the way.
struct Open {
    id: CallId,
    call: Call,
    /// What of it counts; `None` if it is only around others.
    part: Option<TimeRange>,
    is_removed: bool,
    is_cut: bool,
    /// The costs of its direct subcalls.
    subcalls: u64,
    /// What removed subcalls leave to it.
    absorbed: u64,
    /// What it waited, its direct subcalls waited, and removed subcalls leave to it of that.
    waited: Cost,
    subcalls_waited: Cost,
    absorbed_waited: Cost,
}

/// One thread on the way.
struct Walk<'a, F> {
    trace: &'a Trace,
    knows_waiting: bool,
    thread: ThreadId,
    inside: Inside,
    rules: &'a FilterRules,
    stack: Vec<Open>,
    /// By function, how many open calls of it are not removed.
    open: Vec<u32>,
    visit: F,
}

/// Hands the calls of `thread` that `range` and `rules` leave to `visit`, in order of their end. Tells
/// `progress` how many calls it went through. O(calls in the range).
pub fn walk(
    trace: &Trace,
    thread: ThreadId,
    range: Option<TimeRange>,
    rules: &FilterRules,
    progress: &Progress,
    visit: impl FnMut(&LeftCall),
) -> Result<(), Cancelled> {
    let Some(info) = trace.threads().get(thread.index()) else {
        return Ok(());
    };
    if rules.hides(thread) {
        return Ok(());
    }
    let mut walk = Walk {
        trace,
        knows_waiting: trace.knows_waiting(),
        thread,
        inside: trace.inside(thread, range),
        rules,
        stack: Vec::new(),
        open: Vec::new(),
        visit,
    };
    let whole = range.unwrap_or_else(|| TimeRange::new(info.start, info.end));
    let stretches = (info.calls / STRETCH + 1).min(4096);
    let mut next = 0u64;
    for stretch in 0..stretches {
        progress.check()?;
        let at = |stretch: u64| {
            let length = u128::from(whole.length().ns()) * u128::from(stretch);
            let offset = (length / u128::from(stretches)) as u64;
            Time::from_ns(whole.start.ns().saturating_add(offset))
        };
        let end = if stretch + 1 == stretches {
            whole.end
        } else {
            at(stretch + 1)
        };
        let part = TimeRange::new(at(stretch), end);
        let before = next;
        trace.calls_in(thread, part, u32::MAX, |id, call| {
            // Calls that are open from one stretch to the next are handed out again.
            if u64::from(id.0) >= next {
                next = u64::from(id.0) + 1;
                walk.enter(id, call);
            }
        });
        progress.add(next - before)?;
    }
    walk.leave(0);
    Ok(())
}

impl<F: FnMut(&LeftCall)> Walk<'_, F> {
    fn enter(&mut self, id: CallId, call: Call) {
        self.leave(call.depth as usize);
        if self.stack.last().is_some_and(|last| last.is_cut) {
            return;
        }
        let part = self.inside.part(id, &call);
        let waited = match (part, self.knows_waiting) {
            (Some(part), true) => {
                let until = |t| self.trace.waited_until(self.thread, t);
                until(part.end).saturating_sub(until(part.start))
            }
            _ => Cost::ZERO,
        };
        if let Some(last) = self.stack.last_mut() {
            last.subcalls += part.map_or(0, |part| part.length().ns());
            last.subcalls_waited += waited;
        }
        let of = CallOf {
            thread: self.thread,
            call: id,
        };
        let is_removed = self.rules.removes(call.function);
        if !is_removed {
            let index = call.function.index();
            if self.open.len() <= index {
                self.open.resize(index + 1, 0);
            }
            self.open[index] += 1;
        }
        self.stack.push(Open {
            id,
            call,
            part,
            is_removed,
            is_cut: self.rules.cuts_below(call.function, of),
            subcalls: 0,
            absorbed: 0,
            waited,
            subcalls_waited: Cost::ZERO,
            absorbed_waited: Cost::ZERO,
        });
    }

    /// Leaves the calls that lie at least `depth` deep.
    fn leave(&mut self, depth: usize) {
        while let Some(open) = self.stack.pop_if(|open| open.call.depth as usize >= depth) {
            let cost = open.part.map_or(0, |part| part.length().ns());
            let (own, own_waited) = match open.is_cut {
                true => (cost, open.waited),
                false => (
                    cost.saturating_sub(open.subcalls),
                    open.waited.saturating_sub(open.subcalls_waited),
                ),
            };
            let own = own.saturating_add(open.absorbed);
            let waited = Waited {
                total: open.waited,
                own: own_waited + open.absorbed_waited,
            };
            if let Some(outer) = self.stack.last_mut()
                && open.is_removed
            {
                outer.absorbed += own;
                outer.absorbed_waited += waited.own;
            }
            if open.is_removed {
                continue;
            }
            let count = &mut self.open[open.call.function.index()];
            *count -= 1;
            let is_nested = *count > 0;
            if let Some(part) = open.part {
                let caller = self.stack.iter().rev().find(|outer| !outer.is_removed);
                (self.visit)(&LeftCall {
                    thread: self.thread,
                    id: open.id,
                    call: open.call,
                    part,
                    caller: caller.map(|outer| (outer.id, outer.call.function)),
                    self_cost: Cost::from_ns(own),
                    waited,
                    is_nested,
                });
            }
        }
    }
}
