//! What objects of one stack and type add up to.

use bytemuck::{Pod, Zeroable};

/// What the objects of one cell add up to, to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CellTotals {
    pub allocations: u32,
    pub releases: u32,
    /// Bytes.
    pub allocated: u64,
    /// Bytes.
    pub released: u64,
}

impl CellTotals {
    pub fn live(&self) -> u32 {
        self.allocations.saturating_sub(self.releases)
    }

    pub fn live_bytes(&self) -> u64 {
        self.allocated.saturating_sub(self.released)
    }

    pub(super) fn take(&mut self, is_release: bool, size: u64) {
        match is_release {
            false => {
                self.allocations = self.allocations.wrapping_add(1);
                self.allocated = self.allocated.wrapping_add(size);
            }
            true => {
                self.releases = self.releases.wrapping_add(1);
                self.released = self.released.wrapping_add(size);
            }
        }
    }

    pub(super) fn untake(&mut self, is_release: bool, size: u64) {
        match is_release {
            false => {
                self.allocations = self.allocations.wrapping_sub(1);
                self.allocated = self.allocated.wrapping_sub(size);
            }
            true => {
                self.releases = self.releases.wrapping_sub(1);
                self.released = self.released.wrapping_sub(size);
            }
        }
    }

    /// The sum of both.
    pub fn add(&mut self, other: &CellTotals) {
        self.allocations = self.allocations.saturating_add(other.allocations);
        self.releases = self.releases.saturating_add(other.releases);
        self.allocated = self.allocated.saturating_add(other.allocated);
        self.released = self.released.saturating_add(other.released);
    }

    /// What came since `earlier`.
    pub fn since(&self, earlier: &CellTotals) -> CellTotals {
        CellTotals {
            allocations: self.allocations.saturating_sub(earlier.allocations),
            releases: self.releases.saturating_sub(earlier.releases),
            allocated: self.allocated.saturating_sub(earlier.allocated),
            released: self.released.saturating_sub(earlier.released),
        }
    }
}
