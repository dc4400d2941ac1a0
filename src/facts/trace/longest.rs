//! The longest calls of a block, by depth: found when it is written, so that pictures of wide ranges need not read all.

use super::raw_call::{GROUP, RUN, RawCall};

/// The longest calls of each depth of a block, longest first, of equals the first; but for those that
/// are open at its end.
#[derive(Debug, Default)]
pub(super) struct Top {
    /// By depth above the least: `TOP` places for cost and call, and how many are taken.
    lists: Vec<([(u64, u32); TOP], usize)>,
    /// One list after the other, and where each ends.
    pub found: Vec<(u64, u32)>,
    pub ends: Vec<u32>,
}

impl Top {
    pub(super) fn find(&mut self, calls: &[RawCall], depth_base: u32) {
        self.lists.clear();
        for (id, call) in (0..).zip(calls) {
            let depth = (call.depth - depth_base) as usize;
            if self.lists.len() <= depth {
                self.lists.resize(depth + 1, ([(0, 0); TOP], 0));
            }
            let (list, len) = &mut self.lists[depth];
            if !call.ended() || (*len == TOP && list[TOP - 1].0 >= call.cost) {
                continue;
            }
            let mut at = (*len).min(TOP - 1);
            *len = (*len + 1).min(TOP);
            while at > 0 && list[at - 1].0 < call.cost {
                list[at] = list[at - 1];
                at -= 1;
            }
            list[at] = (call.cost, id);
        }
        self.found.clear();
        self.ends.clear();
        for (list, len) in &self.lists {
            self.found.extend_from_slice(&list[..*len]);
            self.ends.push(self.found.len() as u32);
        }
    }
}

/// The longest calls by depth in runs of a block; of equals the first. Calls that are open at the end
/// of the block do not count: how long they are is not known yet.
#[derive(Debug, Default)]
pub(super) struct Longest {
    /// By group a bit for each of its calls that is the longest of its depth there.
    pub masks: Vec<u64>,
    /// By run of groups, one run after the other: the calls that are the longest of their depth there.
    pub in_runs: Vec<u32>,
    pub run_ends: Vec<u32>,
    /// The same of the whole block.
    pub in_block: Vec<u32>,
    /// By depth above the least: the longest so far, with the number of the search it belongs to.
    best: Vec<(u32, u32)>,
    search: u32,
    found: Vec<u32>,
}

impl Longest {
    pub(super) fn find(&mut self, calls: &[RawCall]) {
        let depth_base = calls.iter().map(|call| call.depth).min().unwrap_or(0);
        self.masks.clear();
        self.in_runs.clear();
        self.run_ends.clear();
        let mut in_group = Vec::new();
        for run in (0..calls.len()).step_by(RUN) {
            in_group.clear();
            let end = calls.len().min(run + RUN);
            for group in (run..end).step_by(GROUP) {
                let ids = group as u32..calls.len().min(group + GROUP) as u32;
                self.search(calls, depth_base, ids);
                let bits = self.found.iter().map(|&id| 1u64 << (id as usize - group));
                self.masks.push(bits.fold(0, |mask, bit| mask | bit));
                in_group.extend_from_slice(&self.found);
            }
            self.search(calls, depth_base, in_group.iter().copied());
            self.found.sort_unstable();
            self.in_runs.extend_from_slice(&self.found);
            self.run_ends.push(self.in_runs.len() as u32);
        }
        let in_runs = std::mem::take(&mut self.in_runs);
        self.search(calls, depth_base, in_runs.iter().copied());
        self.found.sort_unstable();
        self.in_runs = in_runs;
        self.in_block.clone_from(&self.found);
    }

    /// Finds the longest by depth among `ids`, into `found`.
    fn search(&mut self, calls: &[RawCall], depth_base: u32, ids: impl Iterator<Item = u32>) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.best.clear();
            self.search = 1;
        }
        self.found.clear();
        for id in ids {
            let call = &calls[id as usize];
            if !call.ended() {
                continue;
            }
            let depth = (call.depth - depth_base) as usize;
            if self.best.len() <= depth {
                self.best.resize(depth + 1, (0, 0));
            }
            let (search, place) = &mut self.best[depth];
            if *search != self.search {
                (*search, *place) = (self.search, self.found.len() as u32);
                self.found.push(id);
            } else if calls[self.found[*place as usize] as usize].cost < call.cost {
                self.found[*place as usize] = id;
            }
        }
    }
}

/// How many of the longest calls of a depth are known by themselves.
pub(super) const TOP: usize = if cfg!(test) { 3 } else { 16 };
