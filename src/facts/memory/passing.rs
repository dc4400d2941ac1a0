//! Objects told apart by how long they stay: those that the next event of memory releases, those of a stretch that outlive
//! it, and those that are released in the cel at hand.

use super::cell_totals::CellTotals;
use super::events::Events;
use callscape_base::progress::{Cancelled, Progress};

/// The least number of events between two checkpoints of [`Temporary`].
const LEAST_BETWEEN: usize = 1 << 16;
/// The same for each cell: with 4 bytes a cell, checkpoints take half a byte an event.
const EVENTS_A_CELL: usize = 8;

/// How often progress is told.
const OFTEN: u32 = 1 << 16;

/// By cell, how many of its objects the next event of memory after their creation released, up to any position.
#[derive(Clone, Debug, Default)]
pub struct Temporary {
    cells: usize,
    between: usize,
    /// The counts after each `between` events, by cell.
    checkpoints: Vec<u32>,
}

/// What became of the objects of one cell that were created in a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What was created in it, and what of that was released in it too.
    pub within: CellTotals,
    /// Of those that live at its end, the ones that are never released: how many, and their bytes.
    pub stay: u64,
    pub stay_bytes: u64,
}

impl Outcome {
    /// The sum of both.
    pub fn add(&mut self, other: &Outcome) {
        self.within.add(&other.within);
        self.stay = self.stay.saturating_add(other.stay);
        self.stay_bytes = self.stay_bytes.saturating_add(other.stay_bytes);
    }
}

impl Events {
    /// Counts the objects that the next event of memory released. O(events).
    pub fn find_temporary(&self, progress: &Progress) -> Result<Temporary, Cancelled> {
        progress.start("searching for temporary objects", u64::from(self.end()));
        let cells = self.cells().len();
        let between = LEAST_BETWEEN.max(cells.saturating_mul(EVENTS_A_CELL));
        let mut now = vec![0_u32; cells];
        let mut checkpoints = Vec::new();
        for event in 0..self.end() {
            if event.is_multiple_of(OFTEN) {
                progress.set(u64::from(event))?;
            }
            self.count_temporary(event, &mut now);
            if (event as usize + 1).is_multiple_of(between) {
                checkpoints.extend_from_slice(&now);
            }
        }
        Ok(Temporary {
            cells,
            between,
            checkpoints,
        })
    }

    fn count_temporary(&self, event: u32, counts: &mut [u32]) {
        if self.is_temporary(event) {
            let (cell, _) = self.site(self.raw(event).0);
            if let Some(count) = counts.get_mut(cell as usize) {
                *count += 1;
            }
        }
    }

    /// By cell, how many temporary objects were released by the first `position` events. O(cells + events since the last
    /// checkpoint).
    pub fn temporary_at(&self, temporary: &Temporary, position: u32) -> Vec<u32> {
        let position = position.min(self.end());
        let number = position as usize / temporary.between.max(1);
        let end = number * temporary.cells;
        let known = end.checked_sub(temporary.cells);
        let known = known.and_then(|start| temporary.checkpoints.get(start..end));
        let (mut counts, from) = match known {
            Some(known) => (known.to_vec(), number * temporary.between),
            None => (vec![0; self.cells().len()], 0),
        };
        for event in from as u32..position {
            self.count_temporary(event, &mut counts);
        }
        counts
    }

    /// By cell, what became of the objects created from one position to before another. O(cells + events between).
    pub fn outcomes(
        &self,
        (from, to): (u32, u32),
        progress: &Progress,
    ) -> Result<Vec<Outcome>, Cancelled> {
        let to = to.min(self.end());
        let all = u64::from(to.saturating_sub(from));
        progress.start("searching for live objects", all);
        let mut outcomes = vec![Outcome::default(); self.cells().len()];
        for event in from..to {
            if event.is_multiple_of(OFTEN) {
                progress.set(u64::from(event - from))?;
            }
            let (site, is_release) = self.raw(event);
            if is_release {
                continue;
            }
            let (cell, size) = self.site(site);
            let Some(outcome) = outcomes.get_mut(cell as usize) else {
                continue;
            };
            outcome.within.take(false, size);
            match self.other(event) {
                Some(release) if release < to => outcome.within.take(true, size),
                Some(_) => {}
                None => {
                    outcome.stay += 1;
                    outcome.stay_bytes = outcome.stay_bytes.saturating_add(size);
                }
            }
        }
        Ok(outcomes)
    }

    /// How many objects of each group and age were released between the first two of `edges`, which are as those of
    /// [`Events::ages`], and so is what `out` holds. O(events between × log edges).
    pub fn just_released(&self, edges: &[u32], of: &[u32], out: &mut [u32]) {
        out.fill(0);
        let &[at, before, ..] = edges else {
            return;
        };
        for event in before..at.min(self.end()) {
            let (site, is_release) = self.raw(event);
            if !is_release {
                continue;
            }
            let Some(created) = self.other(event) else {
                continue;
            };
            let group = of.get(self.site(site).0 as usize);
            // The edges fall: the bin of the first of them that is not past the creation.
            let bin = edges[1..].partition_point(|&edge| edge > created);
            let place = group.map(|&group| group as usize * edges.len() + bin);
            if let Some(out) = place.and_then(|place| out.get_mut(place)) {
                *out += 1;
            }
        }
    }
}
