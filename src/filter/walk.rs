//! The calls that a range and the filters leave of a trace, one after the other: the trace filtering
//! operations of Bohnet's thesis, section 6.1.1, in its order (time range constraint, call tree removal,
//! module removal), without holding the calls in memory.

use super::filters::FilterRules;
use super::selection::CallOf;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::trace::{Call, Trace, Waited};

/// So many calls are walked through between two looks at whether to go on.
const STRETCH: u64 = 200_000;

/// A call that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftCall {
    pub thread: ThreadId,
    pub id: CallId,
    pub call: Call,
    /// The innermost call around it that is left, and its function.
    pub caller: Option<(CallId, FunctionId)>,
    /// Its cost minus that of its direct subcalls. The subcalls of a removed call count as its own; what
    /// happened below a call whose tree is removed counts as its own time.
    pub self_cost: Cost,
    /// The part of its cost and of its own in which it waited.
    pub waited: Waited,
    /// A call of the same function that is left encloses it.
    pub is_nested: bool,
}

/// A call on the way.
struct Open {
    id: CallId,
    call: Call,
    is_removed: bool,
    is_cut: bool,
    /// It, or a call that it triggered, lies in the range.
    is_kept: bool,
    /// The costs of its direct subcalls.
    subcalls: u64,
    /// What removed subcalls leave to it.
    absorbed: u64,
    /// What it waited, its direct subcalls waited, and removed subcalls leave to it of that.
    waited: Waited,
    subcalls_waited: Cost,
    absorbed_waited: Cost,
}

/// One thread on the way.
struct Walk<'a, F> {
    trace: &'a Trace,
    knows_waiting: bool,
    thread: ThreadId,
    range: Option<TimeRange>,
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
        range,
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
        // The thesis leaves out both ends of the range.
        let in_range = self
            .range
            .is_none_or(|range| call.start > range.start && call.end < range.end);
        if let Some(last) = self.stack.last_mut() {
            if last.is_cut {
                last.is_kept |= in_range;
                return;
            }
            last.subcalls += call.cost().ns();
        }
        let mut waited = Waited::default();
        if self.knows_waiting {
            waited = self.trace.waited(self.thread, id);
            if let Some(last) = self.stack.last_mut() {
                last.subcalls_waited += waited.total;
            }
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
            is_removed,
            is_cut: self.rules.cuts_below(call.function, of),
            is_kept: in_range,
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
            let is_whole = self
                .range
                .is_none_or(|range| range.start <= open.call.start && open.call.end <= range.end);
            let own = if open.is_cut {
                open.call.cost().ns()
            } else if is_whole {
                open.call.cost().ns().saturating_sub(open.subcalls)
            } else {
                // Its subcalls outside of the range count as they are.
                self.trace.self_cost(self.thread, open.id).ns()
            };
            let own = own.saturating_add(open.absorbed);
            let own_waited = if open.is_cut {
                open.waited.total
            } else if is_whole {
                open.waited.total.saturating_sub(open.subcalls_waited)
            } else {
                open.waited.own
            };
            let waited = Waited {
                total: open.waited.total,
                own: own_waited + open.absorbed_waited,
            };
            if let Some(outer) = self.stack.last_mut() {
                outer.is_kept |= open.is_kept;
                if open.is_removed {
                    outer.absorbed += own;
                    outer.absorbed_waited += waited.own;
                }
            }
            if open.is_removed {
                continue;
            }
            let count = &mut self.open[open.call.function.index()];
            *count -= 1;
            let is_nested = *count > 0;
            if open.is_kept {
                let caller = self.stack.iter().rev().find(|outer| !outer.is_removed);
                (self.visit)(&LeftCall {
                    thread: self.thread,
                    id: open.id,
                    call: open.call,
                    caller: caller.map(|outer| (outer.id, outer.call.function)),
                    self_cost: Cost::from_ns(own),
                    waited,
                    is_nested,
                });
            }
        }
    }
}
