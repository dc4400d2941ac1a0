//! Where functions occur: the next and the previous call, and when they are active.

use std::ops::Range;

use super::detail::{Columns, Walk};
use super::raw_call::BLOCK;
use super::store::{CHECKPOINT_BLOCKS, Calls, Cursor, GROUP_BLOCKS, Store, place};
use super::summary::Summary;
use callscape_base::units::{CallId, FunctionId, ThreadId, Time};

/// A row of a picture that is active in the columns `first..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveSpan {
    pub row: u32,
    pub first: u32,
    pub end: u32,
}

/// Runs of blocks that have a summary, long ones first.
const LENGTHS: [usize; 3] = [CHECKPOINT_BLOCKS, GROUP_BLOCKS, 1];

impl Calls<'_> {
    fn is_of(&self, pair: u32, function: FunctionId) -> bool {
        let pair = self.store.pairs.get(pair as usize);
        pair.is_some_and(|pair| pair.callee == function.0)
    }

    /// How many calls of `function` a summary counts.
    fn calls_in_summary(&self, summary: Summary<'_>, function: FunctionId) -> u64 {
        summary.calls_of(|pair| self.is_of(pair, function))
    }

    /// Whether a call of `function` starts in run `index` of those of `length` blocks.
    fn is_called_in(&self, length: usize, index: usize, function: FunctionId) -> bool {
        let calls = |summary| self.calls_in_summary(summary, function);
        match length {
            1 => match self.block(index).summary() {
                Some(summary) => calls(summary) > 0,
                None => self.places(function, index, 0..BLOCK).next().is_some(),
            },
            GROUP_BLOCKS => calls(self.group(index).1) > 0,
            _ => calls(self.checkpoint(index + 1).1) > calls(self.checkpoint(index).1),
        }
    }

    /// The places of the calls of `function` among `range` of a block.
    fn places(
        &self,
        function: FunctionId,
        block: usize,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = u32> {
        let first = (block * BLOCK) as u32;
        let block = self.block(block);
        let pairs = block.pairs().enumerate();
        let of_function = pairs.filter(|&(_, pair)| self.is_of(pair, function));
        let slots: Vec<usize> = of_function.map(|(slot, _)| slot).collect();
        let places = range.start.min(block.len)..range.end.min(block.len);
        let places = places.filter(move |&i| slots.contains(&block.slot(i)));
        places.map(move |i| first + i as u32)
    }

    /// The first call of `function` from call `from` on.
    fn next_call(&self, function: FunctionId, from: u32) -> Option<u32> {
        let blocks = self.tables.blocks.len();
        let (block, local) = place(from);
        if let Some(found) = self.places(function, block, local..BLOCK).next() {
            return Some(found);
        }
        let mut next = block + 1;
        while next < blocks {
            let without = |&length: &usize| {
                next.is_multiple_of(length)
                    && next + length <= blocks
                    && !self.is_called_in(length, next / length, function)
            };
            match LENGTHS.iter().find(|length| without(length)) {
                Some(length) => next += length,
                None => return self.places(function, next, 0..BLOCK).next(),
            }
        }
        None
    }

    /// The last call of `function` before call `to`.
    fn previous_call(&self, function: FunctionId, to: u32) -> Option<u32> {
        let (block, local) = place(to);
        if let Some(found) = self.places(function, block, 0..local).next_back() {
            return Some(found);
        }
        let mut end = block.min(self.tables.blocks.len());
        while end > 0 {
            let without = |&length: &usize| {
                end.is_multiple_of(length) && !self.is_called_in(length, end / length - 1, function)
            };
            match LENGTHS.iter().find(|length| without(length)) {
                Some(length) => end -= length,
                None => return self.places(function, end - 1, 0..BLOCK).next_back(),
            }
        }
        None
    }
}

/// Which rows are active in the columns gone through so far.
struct Rows<'a> {
    store: &'a Store,
    /// By function; any other number for a function without a row.
    row_of: &'a [u32],
    /// By row.
    spans: Vec<Vec<ActiveSpan>>,
}

impl Rows<'_> {
    fn see(&mut self, pair: u32, column: u32) {
        let callee = self.store.callee(pair).index();
        let Some(&row) = self.row_of.get(callee) else {
            return;
        };
        let Some(spans) = self.spans.get_mut(row as usize) else {
            return;
        };
        match spans.last_mut() {
            Some(last) if last.end > column => {}
            Some(last) if last.end == column => last.end += 1,
            _ => spans.push(ActiveSpan {
                row,
                first: column,
                end: column + 1,
            }),
        }
    }

    /// Sees the calls `range` of a thread.
    fn see_calls(&mut self, cursor: &mut Cursor<'_>, range: Range<u32>, column: u32) {
        let (mut next, to) = (range.start as usize, range.end as usize);
        while next < to {
            let spans = |blocks: usize| {
                let length = blocks * BLOCK;
                next.is_multiple_of(length) && next + length <= to
            };
            let index = next / BLOCK;
            if spans(GROUP_BLOCKS) {
                let summary = cursor.calls.group(index / GROUP_BLOCKS).1;
                self.see_summary(summary, column);
                next += GROUP_BLOCKS * BLOCK;
            } else if spans(1)
                && let Some(summary) = cursor.block(index).summary()
            {
                self.see_summary(summary, column);
                next += BLOCK;
            } else {
                let block = *cursor.block(index);
                let end = to.min((index + 1) * BLOCK);
                // A pair is looked up once, not for each of its calls.
                let mut seen = vec![false; block.pairs().len()];
                for i in next % BLOCK..(next % BLOCK + end - next).min(block.len) {
                    if let Some(seen) = seen.get_mut(block.slot(i)) {
                        *seen = true;
                    }
                }
                for (pair, _) in block.pairs().zip(seen).filter(|&(_, seen)| seen) {
                    self.see(pair, column);
                }
                next = end;
            }
        }
    }

    fn see_summary(&mut self, summary: Summary<'_>, column: u32) {
        for (pair, calls) in summary.calls() {
            if calls > 0 {
                self.see(pair, column);
            }
        }
    }
}

impl Calls<'_> {
    /// Hands the first call of each function to `see`, some of them more than once.
    fn first_calls(&self, mut see: impl FnMut(FunctionId, u32)) {
        let mut is_seen = vec![false; self.store.functions];
        let is_new = |is_seen: &[bool], pair: u32| {
            let pair = self.store.pairs.get(pair as usize)?;
            (is_seen.get(pair.callee as usize) == Some(&false)).then_some(pair.callee)
        };
        let mut cursor = Cursor::new(*self);
        let blocks = self.tables.blocks.len();
        let mut next = 0;
        while next < blocks {
            // Most runs of blocks have no function that has not been called before.
            if next.is_multiple_of(GROUP_BLOCKS) && next + GROUP_BLOCKS <= blocks {
                let mut calls = self.group(next / GROUP_BLOCKS).1.calls();
                if !calls.any(|(pair, calls)| calls > 0 && is_new(&is_seen, pair).is_some()) {
                    next += GROUP_BLOCKS;
                    continue;
                }
            }
            let block = *cursor.block(next);
            // By slot the function where it is new; a slot may be of a call that started in an earlier block.
            let mut new: Vec<Option<u32>> =
                block.pairs().map(|pair| is_new(&is_seen, pair)).collect();
            if new.iter().any(Option::is_some) {
                for i in 0..block.len {
                    if let Some(new) = new.get_mut(block.slot(i))
                        && let Some(function) = new.take()
                        && !std::mem::replace(&mut is_seen[function as usize], true)
                    {
                        see(FunctionId(function), (next * BLOCK + i) as u32);
                    }
                }
            }
            next += 1;
        }
    }
}

impl Store {
    /// By function its first call, of several threads at the same time that of the first.
    pub(crate) fn first_calls(&self) -> Vec<Option<(Time, ThreadId, CallId)>> {
        let mut first = vec![None; self.functions];
        for (calls, thread) in self.all_calls().zip((0..).map(ThreadId)) {
            let mut cursor = Cursor::new(calls);
            calls.first_calls(|function, call| {
                let start = Time::from_ns(cursor.facts(call).start);
                let found = (start, thread, CallId(call));
                if let Some(first) = first.get_mut(function.index())
                    && first.is_none_or(|first| found < first)
                {
                    *first = Some(found);
                }
            });
        }
        first
    }

    /// The first call of `function` that starts after `t`, of the first thread of several.
    pub(crate) fn next_call(&self, function: FunctionId, t: Time) -> Option<(ThreadId, CallId)> {
        let found = self.all_calls().zip(0..).filter_map(|(calls, thread)| {
            let call = calls.next_call(function, calls.started(t.ns()))?;
            Some((calls.facts(call).start, thread, call))
        });
        let (_, thread, call) = found.min()?;
        Some((ThreadId(thread), CallId(call)))
    }

    /// The last call of `function` that starts before `t`, of the last thread of several.
    pub(crate) fn previous_call(
        &self,
        function: FunctionId,
        t: Time,
    ) -> Option<(ThreadId, CallId)> {
        let found = self.all_calls().zip(0..).filter_map(|(calls, thread)| {
            let call = calls.previous_call(function, calls.started_before(t.ns()))?;
            Some((calls.facts(call).start, thread, call))
        });
        let (_, thread, call) = found.max()?;
        Some((ThreadId(thread), CallId(call)))
    }

    pub(crate) fn active(&self, columns: Columns, row_of: &[u32], rows: u32) -> Vec<ActiveSpan> {
        let mut rows = Rows {
            store: self,
            row_of,
            spans: vec![Vec::new(); rows as usize],
        };
        let threads = self.all_calls();
        let mut walks: Vec<(Walk<'_>, Cursor<'_>)> = threads
            .map(|calls| (Walk::new(calls, columns, 0), Cursor::new(calls)))
            .collect();
        for k in 0..columns.count() {
            for (walk, cursor) in &mut walks {
                let (start, started) = walk.column(k);
                for (call, facts) in walk.open() {
                    if facts.end > start {
                        rows.see(cursor.pair(*call), k);
                    }
                }
                rows.see_calls(cursor, started, k);
            }
        }
        rows.spans.concat()
    }
}
