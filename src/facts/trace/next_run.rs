//! The run of calls under construction: what happens in it, as calls start and end.

use super::runs::{AtDepth, SHORTEST, Share};

/// A call that was open before the run in which it ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlived {
    pub call: u32,
    pub function: u32,
}

/// Times are on the recording's clock; differences wrap and come out right.
#[derive(Debug, Default)]
pub(super) struct NextRun {
    start: u64,
    number: u32,
    lowest: u32,
    /// By depth, nothing below the lowest and from `deepest` on.
    depths: Vec<AtDepth>,
    deepest: usize,
    outlived: Vec<Outlived>,
}

/// Adds what a function has of a run to its shares.
#[inline]
pub(super) fn share(shares: &mut Vec<Share>, function: u32, open: u64, top: u64) {
    if open > 0 || top > 0 {
        shares.push(Share {
            function,
            open,
            top,
        });
    }
}

impl NextRun {
    /// The first call of the thread starts.
    pub(super) fn begin(&mut self, start: u64) {
        self.start = start;
        self.lowest = u32::MAX;
    }

    /// When the run begins.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// For how long a call from `start` to `end` is open in the run.
    #[inline]
    pub(super) fn open_in_run(&self, start: u64, end: u64) -> u64 {
        end.wrapping_sub(start).min(end.wrapping_sub(self.start))
    }

    /// The first call of the run.
    #[inline]
    pub(super) fn first(&self) -> u32 {
        self.number * SHORTEST
    }

    #[inline]
    fn at(&mut self, depth: usize) -> &mut AtDepth {
        if depth >= self.deepest {
            self.deepest = depth + 1;
            if depth >= self.depths.len() {
                self.depths.resize(depth + 1, AtDepth::NOTHING);
            }
        }
        &mut self.depths[depth]
    }

    /// A call starts.
    #[inline]
    pub(super) fn enter(&mut self, depth: usize, function: u32) {
        self.lowest = self.lowest.min(depth as u32);
        let at = self.at(depth);
        at.started += 1;
        at.last = function;
    }

    /// A call at `depth` has been open for so long in the run.
    #[inline]
    pub(super) fn open(&mut self, depth: usize, open: u64) {
        self.at(depth).open += open;
    }

    /// A call ends that started before the run, and that no other call of its function encloses.
    pub(super) fn outlived(&mut self, call: u32, function: u32) {
        self.outlived.push(Outlived { call, function });
    }

    /// The least depth at which a call of the run starts, or the one behind it, which starts inside of `around`.
    pub(super) fn lowest(&self, around: usize) -> usize {
        self.lowest.min(around as u32) as usize
    }

    /// Ends the run at the start of a call inside of `around` others: appends what depths have of it, from its lowest
    /// on, and the calls that outlived the run they started in. The next begins.
    pub(super) fn take(
        &mut self,
        end: u64,
        around: usize,
        depths: &mut Vec<AtDepth>,
        outlived: &mut Vec<Outlived>,
    ) {
        let lowest = self.lowest(around);
        let deepest = self.deepest.max(lowest);
        let of_run = &mut self.depths[lowest.min(self.deepest)..self.deepest];
        debug_assert_eq!(of_run.len(), deepest - lowest);
        depths.extend_from_slice(of_run);
        of_run.fill(AtDepth::NOTHING);
        outlived.append(&mut self.outlived);
        (self.deepest, self.lowest) = (0, u32::MAX);
        (self.start, self.number) = (end, self.number + 1);
    }
}
