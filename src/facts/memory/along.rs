//! Memory along time: what a picture needs of each of its columns, in time that grows with columns and not with events.

use super::events::{Events, PIECE};
use callscape_base::progress::{Cancelled, Progress};

/// What happens between two positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// The most bytes that lived before its first event or after one of its events.
    pub most: u64,
    /// Bytes that live after its last event.
    pub live: u64,
    /// Objects created.
    pub allocations: u64,
    /// Their bytes.
    pub allocated: u64,
    /// Objects released by the next event of memory after their creation.
    pub temporary: u64,
}

impl Events {
    /// What happens between each of `edges`, which are positions that do not fall, and the next: one less than there are
    /// edges. O(edges + the fewer of events between and edges × events of a piece of the curve).
    pub fn along(&self, edges: &[u32], progress: &Progress) -> Result<Vec<Stretch>, Cancelled> {
        let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else {
            return Ok(Vec::new());
        };
        let pieces = edges.len() as u64 * u64::from(PIECE);
        match u64::from(last.saturating_sub(first)) <= pieces {
            true => self.walk_along(edges, progress),
            false => self.jump_along(edges, progress),
        }
    }

    /// By looking at each event.
    fn walk_along(&self, edges: &[u32], progress: &Progress) -> Result<Vec<Stretch>, Cancelled> {
        let mut totals = self.totals(edges[0]);
        let mut found = Vec::with_capacity(edges.len() - 1);
        for pair in edges.windows(2) {
            progress.check()?;
            let before = totals;
            let mut most = totals.live_bytes();
            for event in pair[0]..pair[1].min(self.end()) {
                let (site, is_release) = self.raw(event);
                let (_, size) = self.site(site);
                totals.take(is_release, size, self.is_temporary(event));
                most = most.max(totals.live_bytes());
            }
            found.push(Stretch {
                most,
                live: totals.live_bytes(),
                allocations: totals.allocations.saturating_sub(before.allocations),
                allocated: totals.allocated.saturating_sub(before.allocated),
                temporary: totals.temporary.saturating_sub(before.temporary),
            });
        }
        Ok(found)
    }

    /// From the sums of whole pieces.
    fn jump_along(&self, edges: &[u32], progress: &Progress) -> Result<Vec<Stretch>, Cancelled> {
        let mut before = self.totals(edges[0]);
        let mut found = Vec::with_capacity(edges.len() - 1);
        for pair in edges.windows(2) {
            progress.check()?;
            let after = self.totals(pair[1]);
            found.push(Stretch {
                most: self.most_between(pair[0], pair[1]),
                live: after.live_bytes(),
                allocations: after.allocations.saturating_sub(before.allocations),
                allocated: after.allocated.saturating_sub(before.allocated),
                temporary: after.temporary.saturating_sub(before.temporary),
            });
            before = after;
        }
        Ok(found)
    }
}
