//! Events of memory in columns: time, thread, what was created, and which event released it.

use bytemuck::{Pod, Zeroable};

use super::cell_totals::CellTotals;
use super::packed::Packed;
use super::{Cell, StackId};
use crate::trace::storage::Table;
use callscape_base::units::{Cost, ThreadId, Time};

/// Events in a piece of the curve.
pub(super) const PIECE: u32 = 1024;

/// What allocations of one size in one cell have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Site {
    pub size: u64,
    pub cell: u32,
    pub reserved: u32,
}

/// The whole after some events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Totals {
    pub allocations: u64,
    pub releases: u64,
    /// Bytes.
    pub allocated: u64,
    /// Bytes.
    pub released: u64,
    /// Objects that the next event of memory after their creation released.
    pub temporary: u64,
    /// Of a piece of the curve, the most bytes that lived after one of its events.
    pub most: u64,
}

impl Totals {
    pub fn live(&self) -> u64 {
        self.allocations.saturating_sub(self.releases)
    }

    pub fn live_bytes(&self) -> u64 {
        self.allocated.saturating_sub(self.released)
    }
}

/// A checkpoint: after how many events, and where its cells end among those of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Checkpoint {
    pub position: u32,
    pub reserved: u32,
    pub end: u64,
}

/// An object: what was created by one event and, perhaps, released by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The number of the event that created it.
    pub created: u32,
    /// That of the event that released it; none of what lives at the end.
    pub released: Option<u32>,
    pub creation: Time,
    pub release: Option<Time>,
    pub thread: ThreadId,
    /// Bytes.
    pub size: u64,
    pub cell: u32,
    pub stack: StackId,
    /// The number of its type.
    pub kind: u32,
}

impl Object {
    /// How long it lived, until `end` where it was not released.
    pub fn age(&self, end: Time) -> Cost {
        self.release.unwrap_or(end).since(self.creation)
    }
}

/// In what order objects are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    Creation,
    /// The largest first.
    Size,
    /// The one that lived longest first.
    Age,
}

/// All events, in order. A *position* is a number of events: the instant after the first so many.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// By event, in order.
    pub(super) times: Packed,
    /// By event, its site twice, and one more where it is a release.
    pub(super) sites: Packed,
    /// By event, how far it is to the other event of its object; 0 for what is never released.
    pub(super) others: Packed,
    pub(super) threads: Packed,
    pub(super) site_rows: Table<Site>,
    pub(super) cells: Table<Cell>,
    pub(super) checkpoints: Table<Checkpoint>,
    pub(super) checkpoint_cells: Table<CellTotals>,
    /// The whole at the end of each events of a piece of the curve of events.
    pub(super) curve: Table<Totals>,
    /// The most bytes that lived at once, and the position after the event at which they first did.
    pub(super) peak: (u64, u32),
    /// See [`MemoryBuilder::like_heaptrack`](super::MemoryBuilder::like_heaptrack).
    pub(super) like_heaptrack: bool,
}

impl Events {
    /// The position after the last event: how many there are.
    pub fn end(&self) -> u32 {
        self.times.len as u32
    }

    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The time of an event.
    pub fn time(&self, event: u32) -> Time {
        Time::from_ns(self.times.get(event as usize))
    }

    /// How many events happen at or before `t`. O(log n).
    pub fn position(&self, t: Time) -> u32 {
        self.times.up_to(t.ns()) as u32
    }

    /// The position to show at `t`: at the time of the peak right after its event, at other times after all events up to
    /// `t`. Coarse clocks give many events one time, and after the last of these the peak may be over. O(log n).
    pub fn instant(&self, t: Time) -> u32 {
        let (bytes, peak) = self.peak();
        match t == peak && bytes > 0 {
            true => self.peak_position(),
            false => self.position(t),
        }
    }

    /// The most bytes that lived at once, and when first.
    pub fn peak(&self) -> (u64, Time) {
        let (bytes, position) = self.peak;
        (
            bytes,
            position
                .checked_sub(1)
                .map_or(Time::ZERO, |event| self.time(event)),
        )
    }

    /// The position after the event at which most bytes lived first; 0 without events.
    pub fn peak_position(&self) -> u32 {
        self.peak.1
    }

    #[inline]
    pub(super) fn raw(&self, event: u32) -> (u32, bool) {
        let raw = self.sites.get(event as usize);
        ((raw >> 1) as u32, raw & 1 != 0)
    }

    /// The cell and the size of a site.
    #[inline]
    pub(super) fn site(&self, site: u32) -> (u32, u64) {
        let row = self.site_rows.get(site as usize);
        row.map_or((u32::MAX, 0), |row| (row.cell, row.size))
    }

    /// The other event of the object of an event: of a creation the release, of a release the creation.
    pub fn other(&self, event: u32) -> Option<u32> {
        let distance = self.others.get(event as usize) as u32;
        if distance == 0 {
            return None;
        }
        let (_, is_release) = self.raw(event);
        match is_release {
            true => event.checked_sub(distance),
            false => event.checked_add(distance).filter(|&it| it < self.end()),
        }
    }

    /// Whether an event releases an object.
    pub fn is_release(&self, event: u32) -> bool {
        self.raw(event).1
    }

    /// The cell and the size in bytes of the object of an event, also where it is not known which object that was.
    pub fn kind_of(&self, event: u32) -> Option<(Cell, u64)> {
        let (site, _) = self.raw(event);
        let (cell, size) = self.site(site);
        Some((*self.cells.get(cell as usize)?, size))
    }

    /// The thread in which an event happened.
    pub fn thread(&self, event: u32) -> ThreadId {
        ThreadId(self.threads.get(event as usize) as u32)
    }

    /// The object that an event creates or releases; none past the last event. O(1).
    pub fn object(&self, event: u32) -> Option<Object> {
        if event >= self.end() {
            return None;
        }
        let created = match self.is_release(event) {
            true => self.other(event)?,
            false => event,
        };
        let (site, _) = self.raw(created);
        let (cell, size) = self.site(site);
        let of = self.cells.get(cell as usize)?;
        let released = self.other(created);
        Some(Object {
            created,
            released,
            creation: self.time(created),
            release: released.map(|event| self.time(event)),
            thread: self.thread(created),
            size,
            cell,
            stack: of.stack,
            kind: of.kind,
        })
    }

    /// The whole after the first `position` events. O(events of a piece of the curve).
    pub fn totals(&self, position: u32) -> Totals {
        let position = position.min(self.end());
        let piece = position / PIECE;
        let before = piece.checked_sub(1);
        let before = before.and_then(|piece| self.curve.get(piece as usize));
        let mut totals = before.copied().unwrap_or_default();
        for event in piece * PIECE..position {
            let (site, is_release) = self.raw(event);
            let (_, size) = self.site(site);
            totals.take(is_release, size, self.is_temporary(event));
        }
        totals
    }

    /// Whether an event releases what the event before it created; of heaptrack's recordings what that counts as such.
    pub fn is_temporary(&self, event: u32) -> bool {
        let (site, is_release) = self.raw(event);
        let of_first = self.like_heaptrack && site == 0 && event > 0;
        is_release
            && (self.others.get(event as usize) == 1 || (of_first && self.is_release(event - 1)))
    }

    /// The most bytes that lived after one of the events from the first to before the second position, or before the
    /// first of them. O(events of a piece of the curve + pieces between).
    pub fn most_between(&self, from: u32, to: u32) -> u64 {
        let (mut at, to) = (from, to.min(self.end()));
        let mut totals = self.totals(at);
        let mut most = totals.live_bytes();
        while at < to {
            if at.is_multiple_of(PIECE) && to - at >= PIECE {
                if let Some(piece) = self.curve.get((at / PIECE) as usize) {
                    most = most.max(piece.most);
                    totals = *piece;
                }
                at += PIECE;
                continue;
            }
            let (site, is_release) = self.raw(at);
            totals.take(is_release, self.site(site).1, false);
            most = most.max(totals.live_bytes());
            at += 1;
        }
        most
    }

    /// The number and the position of the checkpoint nearest to a position. The first is at 0.
    pub(super) fn nearest_checkpoint(&self, position: u32) -> (usize, u32) {
        let after = self
            .checkpoints
            .partition_point(|it| it.position <= position);
        let before = after
            .checked_sub(1)
            .and_then(|it| self.checkpoints.get(it))
            .map_or(0, |it| it.position);
        match self.checkpoints.get(after) {
            Some(next) if next.position - position < position - before => {
                (after + 1, next.position)
            }
            _ => (after, before),
        }
    }

    /// The cells of the checkpoint with this number, those known then; none of number 0.
    pub(super) fn checkpoint(&self, number: usize) -> &[CellTotals] {
        let end = |number: usize| {
            let checkpoint = number
                .checked_sub(1)
                .and_then(|it| self.checkpoints.get(it));
            checkpoint.map_or(0, |it| it.end as usize)
        };
        let range = end(number.saturating_sub(1))..end(number);
        self.checkpoint_cells.get(range).unwrap_or_default()
    }

    /// What the columns take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.times.bytes()
            + self.sites.bytes()
            + self.others.bytes()
            + self.threads.bytes()
            + size_of_val::<[CellTotals]>(&self.checkpoint_cells)
            + size_of_val::<[Totals]>(&self.curve)
    }
}

impl Totals {
    pub(super) fn take(&mut self, is_release: bool, size: u64, is_temporary: bool) {
        match is_release {
            false => {
                self.allocations = self.allocations.wrapping_add(1);
                self.allocated = self.allocated.wrapping_add(size);
            }
            true => {
                self.releases = self.releases.wrapping_add(1);
                self.released = self.released.wrapping_add(size);
                self.temporary = self.temporary.wrapping_add(u64::from(is_temporary));
            }
        }
    }
}
