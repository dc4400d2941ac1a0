//! Links as they are told, and as they are kept.

use bytemuck::{Pod, Zeroable};

use super::super::entries::Pair;
use super::super::pyramid::{ByPair, Pyramid, SumRow};
use super::super::storage::Table;
use crate::timestamp::Timestamp;
use callscape_base::units::{CallId, FunctionId, ThreadId};

/// Why a call is the cause of another; of several links to a call the first kind comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// The span was started by another, which waits for it as a rule.
    SpanParent,
    /// An asynchronous operation began in the call.
    AsyncBegin,
    /// The span goes on with what another has begun, which does not wait for it.
    FollowsFrom,
    /// An arrow that the recording draws.
    Flow,
    /// The thread has waited, and goes on.
    WakeUp,
}

impl LinkKind {
    pub const ALL: [LinkKind; 5] = [
        LinkKind::SpanParent,
        LinkKind::AsyncBegin,
        LinkKind::FollowsFrom,
        LinkKind::Flow,
        LinkKind::WakeUp,
    ];

    /// As `info` names it.
    pub fn name(self) -> &'static str {
        match self {
            LinkKind::SpanParent => "span-parent",
            LinkKind::AsyncBegin => "asynchronous-begin",
            LinkKind::FollowsFrom => "follows-from",
            LinkKind::Flow => "flow",
            LinkKind::WakeUp => "wake-up",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<LinkKind> {
        LinkKind::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether the call that it leads to hangs below the one that it comes from: what is woken is called by nobody else
    /// than before.
    pub fn is_caller(self) -> bool {
        self != LinkKind::WakeUp
    }
}

/// A link to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub kind: LinkKind,
    /// The call that it comes from.
    pub from: (ThreadId, CallId),
}

/// Which call an end of a link means.
#[derive(Clone, Copy, Debug)]
pub enum LinkEnd {
    Call(ThreadId, CallId),
    /// The innermost that is open on a thread or its lanes.
    Open(ThreadId, Timestamp),
    /// The first that starts then or later; that which is open where there is none.
    Next(ThreadId, Timestamp),
    /// The innermost that is open; the first that starts later where there is none.
    Waits(ThreadId, Timestamp),
    /// That of this function which starts then, on a thread or its lanes.
    Begun(ThreadId, Timestamp, FunctionId),
}

/// A link as an importer tells it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLink {
    pub kind: LinkKind,
    pub from: LinkEnd,
    pub to: LinkEnd,
    /// In the file.
    pub offset: u64,
}

/// The row of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LinkRow {
    /// What the call that it leads to costs, with and without its direct subcalls.
    pub(super) cost: u64,
    pub(super) own: u64,
    pub(super) call: u32,
    pub(super) from_thread: u32,
    pub(super) from_call: u32,
    /// Of the functions of both calls, among the pairs of links.
    pub(super) pair: u32,
    pub(super) kind: u32,
    pub(super) unused: u32,
}

impl LinkRow {
    pub(super) fn sums(&self) -> SumRow {
        SumRow {
            total: self.cost,
            own: self.own,
            more: 1,
            pair: self.pair,
            unused: 0,
        }
    }

    pub(super) fn link(&self) -> Link {
        let kind = LinkKind::ALL.get(self.kind as usize).copied();
        Link {
            kind: kind.unwrap_or(LinkKind::Flow),
            from: (ThreadId(self.from_thread), CallId(self.from_call)),
        }
    }
}

/// The links to the calls of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadLinks {
    /// In order of the call that they lead to, then of kind, then as they were told.
    pub rows: Table<LinkRow>,
    /// The nodes of the pyramid, one level after the other, and where each ends among them.
    pub sums: Table<SumRow>,
    pub sum_ends: Table<u32>,
}

/// All links, by the thread that they lead to; no thread where the recording has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// In order of caller, then callee.
    pub pairs: Table<Pair>,
    pub threads: Vec<ThreadLinks>,
}

impl ThreadLinks {
    /// How many links lead to calls before `call`.
    pub(super) fn before(&self, call: u32) -> usize {
        self.rows.partition_point(|row| row.call < call)
    }

    /// The links to a call.
    pub(crate) fn to(&self, call: u32) -> &[LinkRow] {
        let first = self.before(call);
        let rest = self.rows.get(first..).unwrap_or_default();
        &rest[..rest.partition_point(|row| row.call <= call)]
    }

    /// Adds links `from..to` by their places. O(log n) nodes.
    pub(super) fn add(&self, from: usize, to: usize, sums: &mut ByPair) {
        let of = Pyramid {
            count: self.rows.len(),
            leaf: |at: usize| self.rows[at].sums(),
            sums: &self.sums,
            ends: &self.sum_ends,
        };
        of.add(from, to, sums);
    }

    pub(crate) fn bytes_used(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.sums) + size_of_val(&*self.sum_ends)
    }
}

/// How many rows the tables of a thread have, as an index file holds it.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LinkLengths {
    pub rows: u32,
    pub sums: u32,
    pub sum_ends: u32,
}

impl ThreadLinks {
    pub(crate) fn lengths(&self) -> LinkLengths {
        LinkLengths {
            rows: self.rows.len() as u32,
            sums: self.sums.len() as u32,
            sum_ends: self.sum_ends.len() as u32,
        }
    }
}
