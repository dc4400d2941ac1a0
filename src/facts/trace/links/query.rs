//! What links lead to a call, and what they add to relations.

use std::collections::HashSet;

use super::super::Trace;
use super::super::call::Relation;
use super::super::entries::Pair;
use super::super::pyramid::{ByPair, SumRow};
use super::super::store::{Calls, Store};
use super::super::within::Inside;
use super::rows::{Link, LinkKind, LinkRow, ThreadLinks};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time};

impl ThreadLinks {
    /// Adds the links to calls of `from..to` but for those of `without`, which are in order.
    fn add_all_but(&self, from: u32, to: u32, without: &[u32], sums: &mut ByPair) {
        let mut next = self.before(from);
        for &call in without {
            let at = self.before(call);
            self.add(next, at, sums);
            next = at + self.to(call).len();
        }
        self.add(next, self.before(to), sums);
    }

    /// Adds the links to calls that count.
    fn add_inside(&self, calls: &Calls<'_>, inside: &Inside, sums: &mut ByPair) {
        self.add_all_but(inside.calls.start, inside.calls.end, &inside.late, sums);
        self.add_parts(calls.reaching_costs(inside), sums);
    }

    /// Adds the links to these calls, which cost that.
    fn add_parts(&self, calls: Vec<(u32, [u64; 2])>, sums: &mut ByPair) {
        for (call, [total, own]) in calls {
            for row in self.to(call) {
                sums.add(&SumRow {
                    total,
                    own,
                    ..row.sums()
                });
            }
        }
    }

    /// Adds the links to calls that start at or before `t`, costs counted up to `t`.
    fn add_started(&self, calls: &Calls<'_>, t: u64, sums: &mut ByPair) {
        let position = calls.started(t);
        let open = calls.costs_until(position, t);
        let without: Vec<u32> = open.iter().map(|(call, _)| *call).collect();
        self.add_all_but(0, position, &without, sums);
        self.add_parts(open, sums);
    }
}

impl Store {
    /// The links to a call.
    pub(crate) fn links_to(&self, thread: ThreadId, call: u32) -> impl Iterator<Item = Link> + '_ {
        let of = self.links.threads.get(thread.index());
        let rows = of.map(|of| of.to(call)).unwrap_or_default();
        rows.iter().filter_map(|row| self.link(row))
    }

    /// The link of a row, where its call is there.
    fn link(&self, row: &LinkRow) -> Option<Link> {
        let calls = self.threads.get(row.from_thread as usize)?.calls;
        (row.from_call < calls).then(|| row.link())
    }

    /// Adds what links add to relations in order of caller and callee: `add` sums them up by thread.
    fn add_link_sums(
        &self,
        relations: &mut Vec<Relation>,
        add: impl Fn(&ThreadLinks, &Calls<'_>, usize, &mut ByPair),
    ) {
        if self.links.threads.is_empty() {
            return;
        }
        let mut sums = ByPair::new(self.links.pairs.len());
        for (thread, (calls, of)) in self.all_calls().zip(&self.links.threads).enumerate() {
            add(of, &calls, thread, &mut sums);
        }
        for (index, pair) in self.links.pairs.iter().enumerate() {
            let links = sums.more[index];
            if links > 0 {
                relations.push(Relation {
                    caller: FunctionId(pair.caller),
                    callee: FunctionId(pair.callee),
                    calls: links,
                    links,
                    cost: Cost::from_ns(sums.total[index]),
                    self_cost: Cost::from_ns(sums.own[index]),
                    ..Relation::NOTHING
                });
            }
        }
        relations.sort_by_key(|it| (it.caller, it.callee));
        relations.dedup_by(|next, kept| {
            let is_same = (next.caller, next.callee) == (kept.caller, kept.callee);
            if is_same {
                kept.add(next);
            }
            is_same
        });
    }

    /// Adds to relations of the calls that count those that links make.
    pub(crate) fn add_links(&self, inside: &[(Inside, Vec<u32>)], relations: &mut Vec<Relation>) {
        self.add_link_sums(relations, |of, calls, thread, sums| {
            of.add_inside(calls, &inside[thread].0, sums);
        });
    }

    /// Adds to the relations of the running summary at `t` those that links make.
    pub(crate) fn add_links_until(&self, t: Time, relations: &mut Vec<Relation>) {
        self.add_link_sums(relations, |of, calls, _, sums| {
            of.add_started(calls, t.ns(), sums);
        });
    }

    /// Hands the functions of each link to a call to `each`.
    pub(crate) fn linked_functions(
        &self,
        thread: ThreadId,
        call: u32,
        mut each: impl FnMut(&Pair),
    ) {
        let of = self.links.threads.get(thread.index());
        for row in of.map(|of| of.to(call)).unwrap_or_default() {
            if let Some(pair) = self.links.pairs.get(row.pair as usize) {
                each(pair);
            }
        }
    }
}

/// So many links are followed outwards from a call; no request goes through as many services.
const MOST_FOLLOWED: usize = 10_000;

impl Trace {
    /// Whether the recording tells of links.
    pub fn has_links(&self) -> bool {
        !self.store.links.threads.is_empty()
    }

    /// How many links there are of each kind, those without any left out. O(links).
    pub fn links_by_kind(&self) -> Vec<(LinkKind, u64)> {
        let rows = self.store.links.threads.iter().flat_map(|of| &*of.rows);
        let mut counts = [0; LinkKind::ALL.len()];
        for row in rows {
            if let Some(count) = counts.get_mut(row.kind as usize) {
                *count += 1;
            }
        }
        let counts = LinkKind::ALL.into_iter().zip(counts);
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// The links to a call, that of its caller first where it is the outermost of its thread. O(log n).
    pub fn links_to(&self, thread: ThreadId, call: CallId) -> impl Iterator<Item = Link> + '_ {
        self.store.links_to(thread, call.0)
    }

    /// The calls of `thread` that links lead to, in order, and each once for every link.
    pub fn linked(&self, thread: ThreadId) -> impl Iterator<Item = (CallId, Link)> + '_ {
        let of = self.store.links.threads.get(thread.index());
        let rows = of.map(|of| &*of.rows).unwrap_or_default();
        rows.iter()
            .filter_map(|row| Some((CallId(row.call), self.store.link(row)?)))
    }

    /// The call that an outermost call of a thread hangs below. O(log n).
    fn caller_elsewhere(&self, thread: ThreadId, call: CallId) -> Option<(ThreadId, CallId)> {
        let mut links = self.links_to(thread, call);
        links.find(|it| it.kind.is_caller()).map(|it| it.from)
    }

    /// The calls around `call`, outermost first, as far as links lead from the outermost of its thread to one of
    /// another, into `path`; `call` itself is the last. O(links × (log n + depth)).
    pub fn path_with_links(
        &self,
        thread: ThreadId,
        call: CallId,
        path: &mut Vec<(ThreadId, CallId)>,
    ) {
        path.clear();
        let (mut seen, mut part) = (HashSet::new(), Vec::new());
        let mut at = Some((thread, call));
        while let Some((thread, call)) = at.filter(|_| seen.len() < MOST_FOLLOWED) {
            self.path_to(thread, call, &mut part);
            path.extend(part.iter().rev().map(|&call| (thread, call)));
            let outermost = part.first().copied().unwrap_or(call);
            // A circle ends where it comes back.
            let is_new = seen.insert((thread, outermost));
            at = match is_new {
                true => self.caller_elsewhere(thread, outermost),
                false => None,
            };
        }
        path.reverse();
    }
    /// The calls of `thread` that are open at `t`, outermost first, with those that led to them by links before them, into
    /// `stack`; those need not be open any more.
    pub fn stack_with_links(&self, thread: ThreadId, t: Time, stack: &mut Vec<(ThreadId, CallId)>) {
        let mut own = Vec::new();
        self.stack_at(thread, t, &mut own);
        stack.clear();
        if let Some(&outermost) = own.first().filter(|_| self.has_links()) {
            self.path_with_links(thread, outermost, stack);
            stack.pop();
        }
        stack.extend(own.into_iter().map(|call| (thread, call)));
    }
}
