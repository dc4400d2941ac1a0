//! What calls, functions and relations have waited.

use std::ops::Range;

use super::super::call::{FunctionMetrics, Relation};
use super::super::entries::Pair;
use super::super::pyramid::{ByPair, SumRow};
use super::super::store::{Calls, Store};
use super::super::within::Inside;
use super::{
    RawWait, ThreadWaiting, Wait, Waited, Waiter, Waiting, WaitingKnown, Why, clean, find,
};
use callscape_base::units::{Cost, ThreadId, Time, TimeRange};

impl Store {
    /// Takes the waits of all threads, and gives back how many overlapped one before them.
    pub(crate) fn learn_waiting(&mut self, threads: Vec<Vec<RawWait>>) -> u64 {
        let mut waiting = Waiting::default();
        let mut overlapping = 0;
        for (calls, raw) in self.all_calls().zip(threads) {
            let (waits, overlaps) = clean::clean(raw, self.origin);
            overlapping += overlaps;
            waiting
                .threads
                .push(find::of_thread(calls, waits, self.pairs.len()));
        }
        self.waiting = Some(waiting);
        overlapping
    }

    /// What is known of waiting as a whole; none where nothing is.
    pub(crate) fn waiting_known(&self) -> Option<WaitingKnown> {
        let mut known = WaitingKnown::default();
        for thread in &self.waiting.as_ref()?.threads {
            known.waits += thread.waits.len() as u64;
            for row in thread.waits.iter() {
                let waited = Cost::from_ns(row.waited());
                known.total += waited;
                match row.why() {
                    Why::Preempted => known.preempted += waited,
                    Why::Voluntary => known.voluntary += waited,
                    Why::Unknown => {}
                }
            }
        }
        Some(known)
    }

    fn waiting_of_thread(&self, thread: ThreadId) -> Option<&ThreadWaiting> {
        self.waiting.as_ref()?.threads.get(thread.index())
    }

    /// How long a thread has waited up to `t`.
    pub(crate) fn waited_until(&self, thread: ThreadId, t: Time) -> Cost {
        let of = self.waiting_of_thread(thread);
        Cost::from_ns(of.map_or(0, |of| of.until(t.ns())))
    }

    /// The wait of a thread at `t`; none where it runs.
    pub(crate) fn wait_at(&self, thread: ThreadId, t: Time) -> Option<Wait> {
        let of = self.waiting_of_thread(thread)?;
        let last = of.before(t.ns().saturating_add(1)).checked_sub(1)?;
        let wait = of.waits.get(last)?.wait();
        (t < wait.end).then_some(wait)
    }

    /// Since when a thread waits and does nothing else; none where it runs at `t`.
    pub(crate) fn waits_since(&self, thread: ThreadId, t: Time) -> Option<Time> {
        let wait = self.wait_at(thread, t)?;
        (wait.waited == wait.end.since(wait.start)).then_some(wait.start)
    }

    /// What a call has waited.
    pub(crate) fn waited(&self, thread: ThreadId, call: u32) -> Waited {
        let waiter = self
            .waiting_of_thread(thread)
            .and_then(|of| of.waiter(call));
        waiter.map_or(Waited::default(), |waiter| Waited {
            total: Cost::from_ns(waiter.total),
            own: Cost::from_ns(waiter.own),
        })
    }

    /// Hands the waits of a thread that overlap `range` to `visit`, in order, until it says no.
    pub(crate) fn waits_in(
        &self,
        thread: ThreadId,
        range: TimeRange,
        mut visit: impl FnMut(Wait) -> bool,
    ) {
        let Some(of) = self.waiting_of_thread(thread) else {
            return;
        };
        let first = of
            .before(range.start.ns().saturating_add(1))
            .saturating_sub(1);
        for row in of.waits.get(first..).unwrap_or_default() {
            if row.start >= range.end.ns() {
                return;
            }
            if row.end > range.start.ns() && !visit(row.wait()) {
                return;
            }
        }
    }

    /// What the calls that count have waited, by pair.
    fn waiting_inside(&self, all: &[(Inside, Vec<u32>)]) -> Option<ByPair> {
        let waiting = self.waiting.as_ref()?;
        let mut sums = ByPair::new(self.pairs.len());
        let threads = self.all_calls().zip(&waiting.threads).zip(all);
        for ((calls, of), (inside, outermost)) in threads {
            of.add_inside(&calls, inside, outermost, &mut sums);
        }
        Some(sums)
    }

    /// What the calls that have started at or before `t` have waited up to then, by pair.
    fn waiting_started(&self, t: u64) -> Option<ByPair> {
        let waiting = self.waiting.as_ref()?;
        let mut sums = ByPair::new(self.pairs.len());
        for (calls, of) in self.all_calls().zip(&waiting.threads) {
            of.add_started(&calls, t, &mut sums);
        }
        Some(sums)
    }

    /// Adds to relations of the calls that count what they have waited.
    pub(crate) fn add_waiting(&self, inside: &[(Inside, Vec<u32>)], relations: &mut [Relation]) {
        if let Some(sums) = self.waiting_inside(inside) {
            self.add_to_relations(&sums, relations);
        }
    }

    /// Adds to the relations of the running summary at `t` what they have waited.
    pub(crate) fn add_waiting_until(&self, t: Time, relations: &mut [Relation]) {
        if let Some(sums) = self.waiting_started(t.ns()) {
            self.add_to_relations(&sums, relations);
        }
    }

    /// Adds to metrics of the calls that count what functions have waited.
    pub(crate) fn add_waiting_to_metrics(
        &self,
        inside: &[(Inside, Vec<u32>)],
        metrics: &mut [FunctionMetrics],
    ) {
        let Some(sums) = self.waiting_inside(inside) else {
            return;
        };
        for (index, pair) in self.pairs.iter().enumerate() {
            if sums.total[index] == 0 {
                continue;
            }
            if let Some(of) = metrics.get_mut(pair.callee as usize) {
                of.waiting += Cost::from_ns(sums.more[index]);
                of.self_waiting += Cost::from_ns(sums.own[index]);
            }
        }
    }

    fn add_to_relations(&self, sums: &ByPair, relations: &mut [Relation]) {
        let order = self.pair_order();
        for relation in relations {
            let wanted = Pair {
                caller: relation.caller.0,
                callee: relation.callee.0,
            };
            let of = |&index: &u32| self.pairs.get(index as usize).copied();
            let found = order.binary_search_by(|index| of(index).unwrap_or_default().cmp(&wanted));
            if let Ok(found) = found {
                let pair = order[found] as usize;
                relation.waiting += Cost::from_ns(sums.total[pair]);
                relation.self_waiting += Cost::from_ns(sums.own[pair]);
            }
        }
    }
}

impl ThreadWaiting {
    /// How many waiters there are before `call`.
    fn waiters_before(&self, call: u32) -> usize {
        self.waiters.partition_point(|waiter| waiter.call < call)
    }

    fn waiter(&self, call: u32) -> Option<&Waiter> {
        let waiter = self.waiters.get(self.waiters_before(call))?;
        (waiter.call == call).then_some(waiter)
    }

    /// Adds the waiters among `from..to` but for those of `without`, which are in order of call.
    fn add_all_but(&self, from: u32, to: u32, without: &[u32], sums: &mut ByPair) {
        let mut next = self.waiters_before(from);
        for &call in without {
            let at = self.waiters_before(call);
            self.add_waiters(next, at, sums);
            let is_waiter = self
                .waiters
                .get(at)
                .is_some_and(|waiter| waiter.call == call);
            next = at + usize::from(is_waiter);
        }
        self.add_waiters(next, self.waiters_before(to), sums);
    }

    /// Adds what the calls that count have waited, and of those of `outermost` that no call of their function is around them.
    fn add_inside(&self, calls: &Calls<'_>, inside: &Inside, outermost: &[u32], sums: &mut ByPair) {
        self.add_all_but(inside.calls.start, inside.calls.end, &inside.late, sums);
        let Range { start, end } = inside.window;
        for &call in &inside.reaching {
            let Some(waiter) = self.waiter(call) else {
                continue;
            };
            let facts = calls.facts(call);
            let total = self.between(facts.start.max(start), facts.end.min(end));
            let own = self.own_until(call, end);
            sums.add(&SumRow {
                total,
                own: own.saturating_sub(self.own_until(call, start)),
                more: if waiter.nested != 0 { 0 } else { total },
                ..waiter.sums()
            });
        }
        for waiter in outermost.iter().filter_map(|&call| self.waiter(call)) {
            sums.add(&SumRow {
                total: 0,
                own: 0,
                more: waiter.total,
                ..waiter.sums()
            });
        }
    }

    fn add_started(&self, calls: &Calls<'_>, t: u64, sums: &mut ByPair) {
        let position = calls.started(t);
        let mut open: Vec<(u32, u64)> = Vec::new();
        calls.visit_stack(position, |call, facts| {
            if facts.end > t {
                open.push((call.0, facts.start));
            }
            true
        });
        open.reverse();
        let without: Vec<u32> = open.iter().map(|&(call, _)| call).collect();
        self.add_all_but(0, position, &without, sums);
        for (call, start) in open {
            if let Some(waiter) = self.waiter(call) {
                sums.add(&SumRow {
                    total: self.between(start, t),
                    own: self.own_until(call, t),
                    more: 0,
                    ..waiter.sums()
                });
            }
        }
    }

    /// What a call has waited in itself up to `t`.
    fn own_until(&self, call: u32, t: u64) -> u64 {
        let at = self.waiters_before(call);
        let end = |at: usize| self.waiters.get(at).map_or(0, |it| it.pieces_end as usize);
        let first = at.checked_sub(1).map_or(0, end);
        let pieces = self.pieces.get(first..end(at)).unwrap_or_default();
        let last = pieces.partition_point(|piece| piece.start < t);
        let last = last.checked_sub(1).map(|last| pieces[last]);
        last.map_or(0, |piece| {
            let waited = self.between(piece.start, piece.end.min(t));
            piece.before.saturating_add(waited)
        })
    }
}
