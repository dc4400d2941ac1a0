//! Finds the calls that arguments were told of, and packs these in order of call.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::io;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::super::store::{Cursor, Store};
use super::blocks::Writer;
use super::kept::Arguments;
use super::told::{Begun, Lost, Reader, SORTED_AT_ONCE, Told};
use super::value::take_number;
use crate::hashing::BuildFast;
use crate::sorting::Sorter;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};

/// The arguments of the call with this number.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Found {
    thread: u32,
    call: u32,
    /// Where they lie among those that were told.
    at: u64,
    length: u32,
    unused: u32,
}

/// Lanes of a thread whose calls are gone through in order of time, so that lanes without a call at a time cost nothing.
#[derive(Default)]
struct Lanes {
    /// The thread as it was told.
    of: Option<u32>,
    /// By when its next call begins, each lane that has one.
    next: BinaryHeap<Reverse<(u64, u32)>>,
}

/// A call that begins when arguments say so.
struct Candidate {
    function: FunctionId,
    end: u64,
    thread: u32,
    call: u32,
}

impl Store {
    /// Takes the arguments of all calls, whose threads are at these places now, and gives back what is not kept. An error when
    /// they could be kept neither in memory nor in a file. O(a log n) for a calls with arguments, if few lanes have calls between
    /// two of them.
    pub(crate) fn learn_arguments(&mut self, told: Told, places: &[ThreadId]) -> io::Result<Lost> {
        let Told {
            names,
            begun,
            aside,
            end,
            threads,
            mut lost,
            ..
        } = told;
        let mut reader = Reader::new(aside, end)?;
        let progress = Progress::new();
        let order = |it: &Found| (it.thread, it.call);
        let mut found: Sorter<Found, (u32, u32)> = Sorter::within(order, SORTED_AT_ONCE);
        let mut begun = begun.finish(&progress)?;
        let mut cursors: Vec<Cursor<'_>> = self.all_calls().map(Cursor::new).collect();
        let mut lanes = Lanes::default();
        let mut together = Vec::new();
        let mut list = Vec::new();
        while let Some(first) = begun.next() {
            together.clear();
            together.push(first);
            let key = (first.thread, first.start);
            while let Some(next) = begun.next_if(|it| (it.thread, it.start) == key) {
                together.push(next);
            }
            let thread = threads.get(first.thread as usize);
            let thread = thread.map_or(first.thread as usize, |it| it.index());
            let Some(&place) = places.get(thread) else {
                continue;
            };
            if lanes.of != Some(first.thread) {
                lanes.of = Some(first.thread);
                lanes.next = self.firsts(place, &mut cursors);
            }
            let candidates = self.candidates(&mut lanes.next, first.start, &mut cursors);
            self.assign(&together, &candidates, |told, call| match call {
                Some(call) => found.push(Found {
                    thread: call.thread,
                    call: call.call,
                    at: told.at,
                    length: told.length,
                    unused: 0,
                }),
                None if lost.without_call.count > 0 => lost.without_call.count += 1,
                None => {
                    // That of the first tells where it was in the file.
                    list.clear();
                    let read = reader.read(told.at, told.length, &mut list);
                    let offset = read.ok().and_then(|()| take_number(&mut list.as_slice()));
                    lost.without_call.add(1, offset.unwrap_or(0) as u64);
                }
            });
        }
        begun.check()?;
        drop(cursors);
        let mut found = found.finish(&progress)?;
        let mut writer = Writer::default();
        for it in &mut found {
            list.clear();
            reader.read(it.at, it.length, &mut list)?;
            let mut rest = list.as_slice();
            take_number(&mut rest);
            // There is none where all were cut.
            if !rest.is_empty() {
                writer.push(it.thread, it.call, rest);
            }
        }
        found.check()?;
        let calls = writer.calls;
        let (data, file, blocks) = writer.finish()?;
        self.arguments = Arguments {
            data,
            _file: file.map(Arc::new),
            blocks: blocks.into(),
            names: names.into(),
            calls,
            ..Arguments::default()
        };
        Ok(lost)
    }

    /// When the first call of each lane of a thread begins.
    fn firsts(
        &self,
        thread: ThreadId,
        cursors: &mut [Cursor<'_>],
    ) -> BinaryHeap<Reverse<(u64, u32)>> {
        let first = |lane: ThreadId| {
            let calls = self.infos.get(lane.index())?.calls;
            let cursor = cursors.get_mut(lane.index()).filter(|_| calls > 0)?;
            Some(Reverse((cursor.facts(0).start, lane.0)))
        };
        self.lanes(thread).filter_map(first).collect()
    }

    /// The calls that begin at `start`, which is after that of the call before, by lane.
    fn candidates(
        &self,
        next: &mut BinaryHeap<Reverse<(u64, u32)>>,
        start: i64,
        cursors: &mut [Cursor<'_>],
    ) -> Vec<Candidate> {
        let start = start.checked_sub(self.origin);
        let Some(start) = start.and_then(|start| u64::try_from(start).ok()) else {
            return Vec::new();
        };
        let mut candidates = Vec::new();
        while let Some(&Reverse((at, thread))) = next.peek()
            && at <= start
        {
            next.pop();
            let lane = thread as usize;
            let (Some(cursor), Some(info)) = (cursors.get_mut(lane), self.infos.get(lane)) else {
                continue;
            };
            let before = start.checked_sub(1);
            let before = before.map_or(0, |before| cursor.started(before));
            let until = cursor.started(start);
            for call in before..until {
                let end = cursor.facts(call).end;
                candidates.push(Candidate {
                    function: self.callee(cursor.pair(call)),
                    end,
                    thread,
                    call,
                });
            }
            if u64::from(until) < info.calls {
                next.push(Reverse((cursor.facts(until).start, thread)));
            }
        }
        candidates.sort_unstable_by_key(|it| (it.thread, it.call));
        candidates
    }

    /// Hands each of `told`, all of which begin together, to `each` with its call: of those of its function one that ends when
    /// it does, otherwise the first that is left. Each call is taken once. O(n).
    fn assign<'c>(
        &self,
        told: &[Begun],
        candidates: &'c [Candidate],
        mut each: impl FnMut(&Begun, Option<&'c Candidate>),
    ) {
        if let ([told], [candidate]) = (told, candidates) {
            let is_it = candidate.function.0 == told.function;
            return each(told, is_it.then_some(candidate));
        }
        type Queues<K> = HashMap<K, VecDeque<usize>, BuildFast>;
        let mut by_end: Queues<(u32, u64)> = HashMap::default();
        let mut by_function: Queues<u32> = HashMap::default();
        for (at, candidate) in candidates.iter().enumerate() {
            let function = candidate.function.0;
            by_end
                .entry((function, candidate.end))
                .or_default()
                .push_back(at);
            by_function.entry(function).or_default().push_back(at);
        }
        let mut is_taken = vec![false; candidates.len()];
        let mut left = Vec::new();
        for it in told {
            let end = it.end.checked_sub(self.origin).map(|end| end as u64);
            let queue = end.and_then(|end| by_end.get_mut(&(it.function, end)));
            match queue.and_then(VecDeque::pop_front) {
                Some(at) => {
                    is_taken[at] = true;
                    each(it, Some(&candidates[at]));
                }
                None => left.push(it),
            }
        }
        for it in left {
            let queue = by_function.get_mut(&it.function);
            let first = queue.and_then(|queue| {
                std::iter::from_fn(|| queue.pop_front()).find(|&at| !is_taken[at])
            });
            each(it, first.map(|at| &candidates[at]));
        }
    }
}
