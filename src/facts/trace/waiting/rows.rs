//! The waits of a thread and the calls that have waited, as they are kept.

use bytemuck::{Pod, Zeroable};

use super::super::block::partition;
use super::super::pyramid::{ByPair, Pyramid, SumRow};
use super::super::storage::Table;
use callscape_base::units::{Cost, Time};

/// Why a thread waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// The recording does not say.
    #[default]
    Unknown,
    /// It could go on, and its processor was given to another.
    Preempted,
    /// It waits for something: time, a lock, a device, another thread.
    Voluntary,
}

/// An interval of a thread in which it waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub start: Time,
    pub end: Time,
    /// How much of it: all, where the recording has the interval from the scheduler; less, where it only knows how much
    /// the thread has run in between.
    pub waited: Cost,
    pub why: Why,
}

/// How much of something was waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    pub total: Cost,
    /// Without what its direct subcalls have waited.
    pub own: Cost,
}

/// What a recording knows of waiting as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingKnown {
    /// How often threads have waited, and for how long.
    pub waits: u64,
    pub total: Cost,
    /// What of it they could have gone on, and what they waited for something; the rest nobody knows.
    pub preempted: Cost,
    pub voluntary: Cost,
}

/// The row of a wait. Those of a thread do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WaitRow {
    pub(super) start: u64,
    /// After the start.
    pub(super) end: u64,
    /// How long the thread has waited before.
    pub(super) before: u64,
    /// How much of it was waiting, times four, and why.
    pub(super) waited_and_why: u64,
}

impl WaitRow {
    pub(super) fn waited(&self) -> u64 {
        self.waited_and_why >> 2
    }

    pub(super) fn why(&self) -> Why {
        match self.waited_and_why & 3 {
            1 => Why::Preempted,
            2 => Why::Voluntary,
            _ => Why::Unknown,
        }
    }

    pub(super) fn wait(&self) -> Wait {
        Wait {
            start: Time::from_ns(self.start),
            end: Time::from_ns(self.end),
            waited: Cost::from_ns(self.waited()),
            why: self.why(),
        }
    }

    /// How much of it was waiting up to `t`.
    pub(super) fn until(&self, t: u64) -> u64 {
        if t >= self.end {
            return self.waited();
        }
        let part = t.saturating_sub(self.start);
        let length = self.end.saturating_sub(self.start).max(1);
        if self.waited() >= length {
            return part;
        }
        (u128::from(self.waited()) * u128::from(part) / u128::from(length)) as u64
    }
}

/// A call that has waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Waiter {
    pub(super) total: u64,
    pub(in super::super) own: u64,
    pub(in super::super) call: u32,
    pub(super) pair: u32,
    /// 1 when a call of the same function encloses it.
    pub(super) nested: u32,
    /// Where its pieces end in the table of these.
    pub(in super::super) pieces_end: u32,
}

impl Waiter {
    pub(super) fn sums(&self) -> SumRow {
        SumRow {
            total: self.total,
            own: self.own,
            more: if self.nested != 0 { 0 } else { self.total },
            pair: self.pair,
            unused: 0,
        }
    }
}

/// A part of a wait with one call on top of the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Piece {
    pub(in super::super) start: u64,
    pub(in super::super) end: u64,
    /// How long the call has waited in itself before.
    pub(super) before: u64,
}

/// What is known of the waiting of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadWaiting {
    pub waits: Table<WaitRow>,
    /// In order of call.
    pub waiters: Table<Waiter>,
    /// By waiter, then in order of time.
    pub pieces: Table<Piece>,
    /// The nodes of the pyramid, one level after the other, and where each ends among them.
    pub sums: Table<SumRow>,
    pub sum_ends: Table<u32>,
}

impl ThreadWaiting {
    /// The number of waits that start before `t`.
    pub(super) fn before(&self, t: u64) -> usize {
        let waits = &*self.waits;
        partition(waits.len(), |index| waits[index].start < t)
    }

    /// How long the thread has waited up to `t`.
    pub(crate) fn until(&self, t: u64) -> u64 {
        let last = self.before(t).checked_sub(1);
        let last = last.and_then(|last| self.waits.get(last));
        last.map_or(0, |wait| wait.before.saturating_add(wait.until(t)))
    }

    /// How long it has waited from `start` to `end`.
    pub(crate) fn between(&self, start: u64, end: u64) -> u64 {
        self.until(end).saturating_sub(self.until(start))
    }

    /// Adds waiters `from..to` by their places. O(log n) nodes.
    pub(super) fn add_waiters(&self, from: usize, to: usize, sums: &mut ByPair) {
        let of = Pyramid {
            count: self.waiters.len(),
            leaf: |at: usize| self.waiters[at].sums(),
            sums: &self.sums,
            ends: &self.sum_ends,
        };
        of.add(from, to, sums);
    }

    pub(crate) fn bytes_used(&self) -> usize {
        size_of_val(&*self.waits)
            + size_of_val(&*self.waiters)
            + size_of_val(&*self.pieces)
            + size_of_val(&*self.sums)
            + size_of_val(&*self.sum_ends)
    }
}

impl ThreadWaiting {
    pub(crate) fn lengths(&self) -> Lengths {
        Lengths {
            waits: self.waits.len() as u32,
            waiters: self.waiters.len() as u32,
            pieces: self.pieces.len() as u32,
            sums: self.sums.len() as u32,
            sum_ends: self.sum_ends.len() as u32,
        }
    }
}

/// What a recording knows of waiting, by thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    pub threads: Vec<ThreadWaiting>,
}

/// How many rows the tables of a thread have, as an index file holds it.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Lengths {
    pub waits: u32,
    pub waiters: u32,
    pub pieces: u32,
    pub sums: u32,
    pub sum_ends: u32,
}
