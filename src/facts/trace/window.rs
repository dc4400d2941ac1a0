//! The calls of a thread in a window.

use super::Call;
use super::store::{Calls, Cursor, Facts};
use crate::units::{CallId, Time, TimeRange};

impl Calls<'_> {
    pub fn call(&self, facts: Facts) -> Call {
        Call {
            function: self.store.callee(facts.pair),
            start: Time::from_ns(facts.start),
            end: Time::from_ns(facts.end),
            depth: facts.depth,
            triggered: facts.triggered,
        }
    }

    /// Hands the calls that overlap `range` and lie at most `deepest` deep to `visit` in order of start,
    /// until it says no.
    pub fn calls_in(
        &self,
        range: TimeRange,
        deepest: u32,
        mut visit: impl FnMut(CallId, Call) -> bool,
    ) {
        let mut cursor = Cursor::new(*self);
        let first = self.started(range.start.ns());
        let last = self.started(range.end.ns());
        let mut open = Vec::new();
        self.visit_stack(first, |call, end, depth| {
            if depth <= deepest && range.start.ns() < end {
                open.push(call);
            }
            true
        });
        for &call in open.iter().rev() {
            if !visit(call, self.call(cursor.facts(call.0))) {
                return;
            }
        }
        let mut next = first;
        if next < last && cursor.facts(next).depth > deepest {
            // Inside of a call at the limit: go on behind it.
            self.visit_stack(next + 1, |call, _, depth| {
                if depth == deepest {
                    let behind = u64::from(call.0) + u64::from(cursor.facts(call.0).triggered) + 1;
                    next = u32::try_from(behind).unwrap_or(u32::MAX).max(next + 1);
                }
                depth > deepest
            });
        }
        while next < last {
            let facts = cursor.facts(next);
            if !visit(CallId(next), self.call(facts)) {
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
