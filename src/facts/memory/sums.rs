//! Sums at a few instants: what profilers tell that keep no events.

use serde::{Deserialize, Serialize};

use super::Cell;
use super::cell_totals::CellTotals;
use callscape_base::units::Time;

/// What is known of the objects of one cell at one instant. What a recording does not tell is none, not zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SumRow {
    /// To date.
    pub allocations: Option<u64>,
    /// Bytes to date.
    pub allocated: Option<u64>,
    pub live: Option<u64>,
    pub live_bytes: Option<u64>,
}

impl SumRow {
    pub fn of(totals: &CellTotals) -> SumRow {
        SumRow {
            allocations: Some(u64::from(totals.allocations)),
            allocated: Some(totals.allocated),
            live: Some(u64::from(totals.live())),
            live_bytes: Some(totals.live_bytes()),
        }
    }

    /// The sum of two; unknown where one is. Past 64 bits it stays at their end.
    pub fn plus(self, other: SumRow) -> SumRow {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        SumRow {
            allocations: sum(self.allocations, other.allocations),
            allocated: sum(self.allocated, other.allocated),
            live: sum(self.live, other.live),
            live_bytes: sum(self.live_bytes, other.live_bytes),
        }
    }

    /// Nothing of anything, all of it known.
    pub const NOTHING: SumRow = SumRow {
        allocations: Some(0),
        allocated: Some(0),
        live: Some(0),
        live_bytes: Some(0),
    };
}

/// What is known of some cells at an instant.
#[derive(Clone, Debug, Default)]
pub struct FewCells {
    /// Of the other cells.
    pub nothing: SumRow,
    /// By the number of the cell, which may come more than once.
    pub rows: Vec<(u32, SumRow)>,
}

impl FewCells {
    /// The rows of all `cells` at each instant. A small file can tell many cells apart and name a few of them at each of
    /// many instants: where there were more rows than `MOST_ROWS`, those of the earlier instants are left out, so that
    /// who had what is not known of them.
    pub fn of_all(instants: &[FewCells], cells: usize) -> Vec<Vec<SumRow>> {
        let mut spare = MOST_ROWS;
        let rows = instants.iter().rev().map(|few| {
            if few.rows.is_empty() || cells > spare {
                return Vec::new();
            }
            spare -= cells;
            let mut rows = vec![few.nothing; cells];
            for &(cell, row) in &few.rows {
                if let Some(sum) = rows.get_mut(cell as usize) {
                    *sum = sum.plus(row);
                }
            }
            rows
        });
        let mut rows: Vec<Vec<SumRow>> = rows.collect();
        rows.reverse();
        rows
    }
}

/// No more rows than this are kept of all instants together.
const MOST_ROWS: usize = 1 << 21;

/// An instant for which something is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instant {
    /// Nanoseconds, or what else the recording's clock counts.
    pub time: u64,
    /// By cell; empty where only the whole is known.
    pub cells: Vec<SumRow>,
    pub whole: SumRow,
}

impl Instant {
    /// An instant at which cells are known, and the whole is their sum.
    pub fn new(time: u64, cells: Vec<SumRow>) -> Instant {
        let whole = match cells.is_empty() {
            true => SumRow::default(),
            false => cells.iter().fold(SumRow::NOTHING, |sum, &of| sum.plus(of)),
        };
        Instant { time, cells, whole }
    }

    pub fn time(&self) -> Time {
        Time::from_ns(self.time)
    }
}

/// Sums at instants, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    pub cells: Vec<Cell>,
    pub instants: Vec<Instant>,
    /// The most bytes that lived at once, and when, as the recording says; none where it does not.
    pub peak: Option<(u64, Time)>,
}

impl Sums {
    /// By cell, what is known at the last instant that tells cells apart.
    pub fn last(&self) -> &[SumRow] {
        let known = self.instants.iter().rev().find(|it| !it.cells.is_empty());
        known.map_or(&[], |it| &it.cells)
    }

    /// The instant at exactly `t`; none where nothing is known of that time.
    pub fn at(&self, t: Time) -> Option<&Instant> {
        self.instants.iter().find(|it| it.time == t.ns())
    }
}
