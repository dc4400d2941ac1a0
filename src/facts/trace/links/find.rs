//! Finds the calls that links mean, and makes their rows.

use super::super::call::Thread;
use super::super::entries::Pair;
use super::super::pyramid;
use super::super::storage::Table;
use super::super::store::{Cursor, Store};
use super::rows::{LinkEnd, LinkKind, LinkRow, Links, RawLink, ThreadLinks};
use crate::timestamp::Timestamp;
use callscape_base::units::{FunctionId, ThreadId};

/// Links that are none, by where in the file they stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lost {
    /// No call is where an end lies.
    pub without_call: Vec<u64>,
    /// Both ends are one call.
    pub to_itself: Vec<u64>,
}

impl Store {
    /// Takes the links of all threads, which are at these places now, and gives back those that are none.
    /// O(l × (log n + depth)) for l links.
    pub(crate) fn learn_links(&mut self, raw: &[RawLink], places: &[ThreadId]) -> Lost {
        let mut lost = Lost::default();
        let mut found: Vec<(u32, LinkRow, Pair)> = Vec::with_capacity(raw.len());
        // Links come in order of time as a rule: most ends are in the block of the end before.
        let mut cursors: Vec<Cursor<'_>> = self.all_calls().map(Cursor::new).collect();
        for link in raw {
            let end = |end| self.end(end, |thread| places[thread.index()]);
            let (Some(from), Some(to)) = (end(link.from), end(link.to)) else {
                // A thread on which nothing is open has begun what was begun on it.
                if link.kind != LinkKind::AsyncBegin {
                    lost.without_call.push(link.offset);
                }
                continue;
            };
            if from == to {
                lost.to_itself.push(link.offset);
                continue;
            }
            let mut function =
                |(thread, call): (ThreadId, u32)| self.callee(cursors[thread.index()].pair(call)).0;
            let pair = Pair {
                caller: function(from),
                callee: function(to),
            };
            let calls = &mut cursors[to.0.index()];
            let facts = calls.facts(to.1);
            let cost = facts.end.saturating_sub(facts.start);
            let row = LinkRow {
                cost,
                own: cost.saturating_sub(calls.children(to.1)),
                call: to.1,
                from_thread: from.0.0,
                from_call: from.1,
                pair: 0,
                kind: link.kind as u32,
                unused: 0,
            };
            found.push((to.0.0, row, pair));
        }
        drop(cursors);
        if !found.is_empty() {
            self.links = links(found, self.threads.len());
        }
        lost
    }

    /// The thread and the number of the call that an end of a link means.
    fn end(&self, end: LinkEnd, place: impl Fn(ThreadId) -> ThreadId) -> Option<(ThreadId, u32)> {
        let since = |time: Timestamp| u64::try_from(time.ns().checked_sub(self.origin)?).ok();
        match end {
            LinkEnd::Call(thread, call) => {
                let thread = place(thread);
                let calls = self.threads.get(thread.index())?.calls;
                (call.0 < calls).then_some((thread, call.0))
            }
            LinkEnd::Open(thread, time) => self.open_at(place(thread), since(time)?),
            LinkEnd::Next(thread, time) => {
                let (thread, t) = (place(thread), since(time)?);
                let next = self.next_at(thread, t);
                next.or_else(|| self.open_at(thread, t))
            }
            LinkEnd::Waits(thread, time) => {
                let (thread, t) = (place(thread), since(time)?);
                let open = self.open_at(thread, t);
                open.or_else(|| self.next_at(thread, t))
            }
            LinkEnd::Begun(thread, time, function) => {
                self.begun_at(place(thread), since(time)?, function)
            }
        }
    }

    /// A thread and its lanes.
    pub(crate) fn lanes(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> + use<> {
        let rest = self.infos.get(thread.index() + 1..).unwrap_or_default();
        let lanes = rest.iter().take_while(|info: &&Thread| info.lane > 0);
        (thread.0..=thread.0 + lanes.count() as u32).map(ThreadId)
    }

    /// The innermost call that is open at `t`; where there is none, that which ends then.
    fn open_at(&self, thread: ThreadId, t: u64) -> Option<(ThreadId, u32)> {
        let mut found: Option<(bool, u64, ThreadId, u32)> = None;
        for thread in self.lanes(thread) {
            let mut cursor = Cursor::new(self.thread(thread));
            let position = cursor.started(t);
            cursor.visit_stack(position, |call, facts| {
                let is_open = t < facts.end || facts.start == t;
                let candidate = (is_open, facts.start, thread, call.0);
                if (is_open || facts.end == t)
                    && found.is_none_or(|best| (best.0, best.1) < (is_open, facts.start))
                {
                    found = Some(candidate);
                }
                !is_open
            });
        }
        found.map(|(_, _, thread, call)| (thread, call))
    }

    fn next_at(&self, thread: ThreadId, t: u64) -> Option<(ThreadId, u32)> {
        let next = self.lanes(thread).filter_map(|thread| {
            let calls = self.thread(thread);
            let next = calls.started_before(t);
            (next < calls.len()).then(|| (calls.facts(next).start, (thread, next)))
        });
        // Of equals the first.
        next.min_by_key(|(start, _)| *start).map(|(_, call)| call)
    }

    fn begun_at(&self, thread: ThreadId, t: u64, function: FunctionId) -> Option<(ThreadId, u32)> {
        self.lanes(thread).find_map(|thread| {
            let calls = self.thread(thread);
            let mut begun = calls.started_before(t)..calls.started(t);
            let found = begun.find(|&call| self.callee(calls.pair(call)) == function);
            found.map(|call| (thread, call))
        })
    }
}

/// The tables of links with the thread that each leads to. O(l log l).
fn links(mut found: Vec<(u32, LinkRow, Pair)>, threads: usize) -> Links {
    let mut pairs: Vec<Pair> = found.iter().map(|(_, _, pair)| *pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    for (_, row, pair) in &mut found {
        row.pair = pairs.binary_search(pair).map_or(0, |at| at as u32);
    }
    // Stable: links of a kind stay as they were told.
    found.sort_by_key(|(thread, row, _)| (*thread, row.call, row.kind));
    let mut rest = found.as_slice();
    let threads = (0..threads as u32).map(|thread| {
        let (own, others) = rest.split_at(rest.partition_point(|it| it.0 <= thread));
        rest = others;
        let rows: Vec<LinkRow> = own.iter().map(|(_, row, _)| *row).collect();
        let leaves: Vec<_> = rows.iter().map(LinkRow::sums).collect();
        let (sums, ends) = pyramid::build(&leaves, pairs.len());
        ThreadLinks {
            rows: Table::Rows(rows.into()),
            sums: Table::Rows(sums.into()),
            sum_ends: Table::Rows(ends.into()),
        }
    });
    let threads = threads.collect();
    Links {
        pairs: Table::Rows(pairs.into()),
        threads,
    }
}
