//! What a short stretch of time adds to running summaries, call by call: playback shows one moment after the other.

use super::entries::{NONE, Pair};
use super::store::{Cursor, StackRoom, Store};
use callscape_base::units::{Cost, FunctionId, ThreadId, Time};

impl Store {
    /// As [`Trace::running_between`](super::Trace::running_between).
    pub(crate) fn running_between(
        &self,
        from: Time,
        to: Time,
        most: u32,
        room: &mut StackRoom,
        mut each: impl FnMut(FunctionId, FunctionId, u64, Cost),
    ) -> bool {
        if self.overflows {
            return false;
        }
        let mut left = most;
        for calls in self.all_calls() {
            let started =
                calls.started(to.ns()) - calls.started(from.ns()).min(calls.started(to.ns()));
            match left.checked_sub(started) {
                Some(rest) => left = rest,
                None => return false,
            }
        }
        let mut add = |(thread, call): (u32, u32), pair: u32, starts: u64, cost: u64| {
            let mut each = |ends: &Pair| {
                let (caller, callee) = (FunctionId(ends.caller), FunctionId(ends.callee));
                each(caller, callee, starts, Cost::from_ns(cost));
            };
            let ends = self.pairs.get(pair as usize);
            ends.filter(|ends| ends.caller != NONE)
                .into_iter()
                .for_each(&mut each);
            self.linked_functions(ThreadId(thread), call, each);
        };
        for (calls, thread) in self.all_calls().zip(0..) {
            let mut cursor = Cursor::within(calls, room);
            let (first, last) = (cursor.started(from.ns()), cursor.started(to.ns()));
            cursor.visit_stack(first, |call, facts| {
                let cost = facts.end.min(to.ns()).saturating_sub(from.ns());
                if cost > 0 {
                    add((thread, call.0), calls.pair(call.0), 0, cost);
                }
                true
            });
            for call in first..last {
                let facts = cursor.facts(call);
                let cost = facts.end.min(to.ns()).saturating_sub(facts.start);
                add((thread, call), cursor.pair(call), 1, cost);
            }
            cursor.leave(room);
        }
        true
    }
}
