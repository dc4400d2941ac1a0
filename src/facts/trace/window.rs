//! The calls of a thread in a window.

use std::ops::Range;

use super::call::Call;
use super::entries::Facts;
use super::store::{Calls, Cursor};
use callscape_base::units::{CallId, Time, TimeRange};

impl Calls<'_> {
    pub(crate) fn at(&self, id: CallId) -> Call {
        let mut cursor = Cursor::new(*self);
        self.call(cursor.facts(id.0), cursor.pair(id.0))
    }

    /// The calls with these numbers, those past the last left out. O(n).
    pub(crate) fn numbered(&self, numbers: Range<u32>) -> Vec<Call> {
        let mut cursor = Cursor::new(*self);
        let numbers = numbers.start..numbers.end.min(self.len());
        let call = |number| self.call(cursor.facts(number), cursor.pair(number));
        numbers.map(call).collect()
    }

    fn call(&self, facts: Facts, pair: u32) -> Call {
        Call {
            function: self.store.callee(pair),
            start: Time::from_ns(facts.start),
            end: Time::from_ns(facts.end),
            depth: facts.depth,
            triggered: facts.triggered,
        }
    }

    /// Hands the calls that overlap `range` and lie at most `deepest` deep to `visit` in order of start,
    /// until it says no.
    pub(crate) fn calls_in(
        &self,
        range: TimeRange,
        deepest: u32,
        mut visit: impl FnMut(CallId, Call) -> bool,
    ) {
        let mut cursor = Cursor::new(*self);
        let first = self.started_before(range.start.ns());
        let last = self.started(range.end.ns()).max(first);
        // The calls around one that starts right at the start are handed out with it.
        let around = if first < last {
            let facts = cursor.facts(first);
            if facts.start == range.start.ns() {
                facts.depth
            } else {
                0
            }
        } else {
            0
        };
        let mut open = Vec::new();
        cursor.visit_stack(first, |call, facts| {
            let overlaps = range.start.ns() < facts.end || facts.depth < around;
            if facts.depth <= deepest && overlaps {
                open.push((call, facts));
            }
            true
        });
        for &(call, facts) in open.iter().rev() {
            if !visit(call, self.call(facts, self.pair(call.0))) {
                return;
            }
        }
        let mut next = first;
        if next < last && cursor.facts(next).depth > deepest {
            // Inside of a call at the limit: go on behind it.
            self.visit_stack(next + 1, |call, facts| {
                if facts.depth == deepest {
                    let behind = u64::from(call.0) + u64::from(facts.triggered) + 1;
                    next = u32::try_from(behind).unwrap_or(u32::MAX).max(next + 1);
                }
                facts.depth > deepest
            });
        }
        while next < last {
            let facts = cursor.facts(next);
            if !visit(CallId(next), self.call(facts, cursor.pair(next))) {
                return;
            }
            let skipped = if facts.depth == deepest {
                facts.triggered
            } else {
                0
            };
            next = next.saturating_add(skipped).saturating_add(1);
        }
    }
}
