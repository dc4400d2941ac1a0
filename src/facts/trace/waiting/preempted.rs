//! Time that threads lost to others: what of a call is elapsed less pre-empted.

use super::super::skeleton::CostOf;
use super::super::storage::Table;
use super::super::store::Store;
use super::{ThreadWaiting, WaitRow, Why};
use callscape_base::units::ThreadId;

/// The waits in which a thread could have gone on, in order, and how far one has come among them.
#[derive(Debug, Default)]
pub(in crate::trace) struct Preempted {
    waiting: ThreadWaiting,
    next: usize,
}

impl Preempted {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.waits.is_empty()
    }

    /// What of `start..end` the thread was not pre-empted in. O(1) where no such wait begins in between and the
    /// starts asked for rise; else O(log waits).
    #[inline]
    pub(crate) fn less(&mut self, start: u64, end: u64) -> u64 {
        let elapsed = end.saturating_sub(start);
        let waits = &*self.waiting.waits;
        let before = self.next.checked_sub(1).and_then(|last| waits.get(last));
        if before.is_some_and(|wait| wait.end > start) {
            self.next = waits.partition_point(|wait| wait.end <= start);
        }
        while waits.get(self.next).is_some_and(|wait| wait.end <= start) {
            self.next += 1;
        }
        match waits.get(self.next) {
            Some(wait) if wait.start < end => {
                elapsed.saturating_sub(self.waiting.between(start, end))
            }
            _ => elapsed,
        }
    }
}

impl Store {
    /// What of the time of calls of `thread` is no cost of theirs.
    pub(in crate::trace) fn not_counted(&self, thread: ThreadId, costs: CostOf) -> Preempted {
        match costs {
            CostOf::Running => self.preempted(thread),
            CostOf::Elapsed => Preempted::default(),
        }
    }

    /// When `thread` was pre-empted; never where the recording does not know. O(waits).
    pub(in crate::trace) fn preempted(&self, thread: ThreadId) -> Preempted {
        let of = self.waiting.as_ref();
        let of = of.and_then(|waiting| waiting.threads.get(thread.index()));
        let rows = of.map(|of| &*of.waits).unwrap_or_default();
        let mut before = 0u64;
        let rows = rows.iter().filter(|row| row.why() == Why::Preempted);
        let rows: Vec<WaitRow> = rows
            .map(|row| {
                let row = WaitRow { before, ..*row };
                before = before.saturating_add(row.waited());
                row
            })
            .collect();
        Preempted {
            waiting: ThreadWaiting {
                waits: Table::Rows(rows.into()),
                ..ThreadWaiting::default()
            },
            next: 0,
        }
    }
}
