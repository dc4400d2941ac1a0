//! Calls of one thread that overlap without nesting: they go to further lanes of it, so that each keeps its duration.

use std::cmp::Reverse;
use std::io;

use super::complete::Complete;
use callscape_base::progress::Progress;
use callscape_facts::sorting::{Sorted, Sorter};

/// By thread, start, and end from the latest on.
type Order = (u32, i64, Reverse<i64>);

/// What has no place on a lane, in order of start.
pub(crate) struct Overlapping {
    calls: Sorter<Complete, Order>,
    /// Start and end of those that are still open and not enclosed by one that starts later: starts rise, and ends fall.
    open: Vec<(i64, i64)>,
}

impl Overlapping {
    pub(crate) fn boxed() -> Box<Overlapping> {
        Box::new(Overlapping {
            calls: Sorter::new(Complete::key),
            open: Vec::new(),
        })
    }

    pub(crate) fn push(&mut self, call: &Complete) {
        while self.open.last().is_some_and(|(_, end)| *end <= call.end) {
            self.open.pop();
        }
        self.open.push((call.start, call.end));
        self.calls.push(*call);
    }

    /// The calls, in order of start. Fails if that takes a file that cannot be written, or `progress` is cancelled.
    pub(crate) fn calls(self, progress: &Progress) -> io::Result<Sorted<Complete, Order>> {
        self.calls.finish(progress)
    }

    /// Whether one of these encloses a call and is nearer to it than one that starts at `around`.
    pub(crate) fn encloses(&mut self, call: &Complete, around: Option<i64>) -> bool {
        while self.open.last().is_some_and(|(_, end)| *end <= call.start) {
            self.open.pop();
        }
        let longer = self.open.partition_point(|(_, end)| *end >= call.end);
        let nearest = longer.checked_sub(1).map(|last| self.open[last].0);
        nearest.is_some_and(|start| around.is_none_or(|around| around <= start))
    }
}
