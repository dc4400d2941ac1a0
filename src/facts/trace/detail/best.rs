//! The longest calls of a column.

use super::super::entries::{LongestCall, NONE};

/// The longest call found so far at one depth.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) cost: u64,
    pub(super) call: u32,
    /// Nothing in the part of a block that is searched next can take its place.
    pub(super) settled: bool,
}

impl Found {
    /// Every call takes its place.
    pub(super) const NOTHING: Found = Found {
        cost: 0,
        call: NONE,
        settled: false,
    };

    /// Whether a call of `cost` takes its place: of equals the first does.
    #[inline]
    pub(super) fn yields_to(&self, cost: u64, call: impl FnOnce() -> u32) -> bool {
        self.cost < cost || (self.cost == cost && call() < self.call)
    }

    /// Sees a call, whose number is asked for where it matters only.
    #[inline]
    pub(super) fn see(&mut self, cost: u64, call: impl Fn() -> u32) {
        if self.yields_to(cost, &call) {
            (self.cost, self.call) = (cost, call());
        }
    }
}

/// The longest calls of one column by depth.
pub(super) struct Best {
    pub(super) deepest: u32,
    /// Depths less than this have one call in the whole column, which has been found.
    pub(super) covered: u32,
    /// By depth.
    pub(super) found: Vec<Found>,
}

impl Best {
    /// The place of the calls of `depth`; none where they are too deep to matter.
    #[inline]
    pub(super) fn at(&mut self, depth: u32) -> Option<&mut Found> {
        if depth > self.deepest {
            return None;
        }
        let depth = depth as usize;
        if self.found.len() <= depth {
            self.found.resize(depth + 1, Found::NOTHING);
        }
        self.found.get_mut(depth)
    }

    #[inline]
    pub(super) fn see(&mut self, depth: u32, cost: u64, call: u32) {
        if let Some(found) = self.at(depth) {
            found.see(cost, || call);
        }
    }

    pub(super) fn see_all(&mut self, calls: &[LongestCall]) {
        for call in calls {
            self.see(call.depth, call.cost, call.call);
        }
    }
}
