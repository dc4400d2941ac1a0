//! Calling contexts become stacks: those of one run, those of two runs in one tree, and the callers and callees of one
//! function.

use std::collections::HashMap;

use callscape_base::progress::{Cancelled, Progress};
use callscape_layout::stacks::NONE;

/// How many steps are done between two looks at the wish to cancel.
const BATCH: u64 = 1 << 16;

/// What a stack weighs itself, or with all below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// How wide that is.
    pub width: u64,
    /// Of the value shown, in the run that is shown and in the other.
    pub costs: [i64; 2],
}

impl Weight {
    fn add(&mut self, other: Weight) {
        self.width = self.width.saturating_add(other.width);
        for (cost, other) in self.costs.iter_mut().zip(other.costs) {
            *cost = cost.saturating_add(other);
        }
    }
}

/// Stacks as rows, parents before their children.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// By row its function.
    pub keys: Vec<u32>,
    /// [`NONE`] of an outermost one.
    pub parents: Vec<u32>,
    /// What each weighs itself.
    pub weights: Vec<Weight>,
    pub calls: Vec<u64>,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn push(&mut self, parent: u32, key: u32) -> u32 {
        let row = self.keys.len() as u32;
        self.keys.push(key);
        self.parents.push(parent);
        self.weights.push(Weight::default());
        self.calls.push(0);
        row
    }

    /// By row what it weighs with all below it. O(rows).
    pub(super) fn totals(&self) -> Vec<Weight> {
        let mut totals = self.weights.clone();
        for row in (0..self.len()).rev() {
            if self.parents[row] != NONE {
                let total = totals[row];
                totals[self.parents[row] as usize].add(total);
            }
        }
        totals
    }

    /// Adds the rows of another run: `parents` and `keys` of them, parents first, the row that each is where that is known,
    /// and what each costs and how wide that is. A row that the run shown has keeps its width; of what only the other has
    /// the width is that in the other.
    pub(super) fn add_other(&mut self, other: impl Iterator<Item = OfOther>) {
        let shown = self.len();
        let mut at: Vec<u32> = Vec::new();
        let mut made: HashMap<(u32, u32), u32> = HashMap::new();
        let mut widths = vec![0_u64; shown];
        for one in other {
            let row = one.row.unwrap_or_else(|| {
                let parent = match one.parent {
                    Some(parent) => at[parent as usize],
                    None => NONE,
                };
                let key = (parent, one.key);
                *made
                    .entry(key)
                    .or_insert_with(|| self.push(parent, one.key))
            });
            at.push(row);
            widths.resize(self.len(), 0);
            widths[row as usize] = widths[row as usize].saturating_add(one.width);
            let cost = &mut self.weights[row as usize].costs[1];
            *cost = cost.saturating_add(one.cost);
        }
        let totals = self.totals();
        for (row, total) in totals.iter().enumerate() {
            if row >= shown || total.width == 0 {
                self.weights[row].width = widths[row];
            }
        }
    }

    /// All callers of the function `key`, the nearest first, and all that it calls, each below one row of the function
    /// itself. What recurs counts once: with its outermost call. O(rows, and for each outermost call of the function its
    /// depth).
    pub(super) fn around(&self, key: u32, progress: &Progress) -> Result<[Rows; 2], Cancelled> {
        let totals = self.totals();
        let (mut callees, mut callers) = (Growing::default(), Growing::default());
        // By row what it is among the callees.
        let mut inside = vec![NONE; self.len()];
        let mut steps = 0_u64;
        let mut step = || {
            steps += 1;
            match steps % BATCH {
                0 => progress.check(),
                _ => Ok(()),
            }
        };
        for row in 0..self.len() {
            step()?;
            let around = match self.parents[row] {
                NONE => NONE,
                parent => inside[parent as usize],
            };
            if around == NONE && self.keys[row] != key {
                continue;
            }
            let callee = callees.child(around, self.keys[row]);
            inside[row] = callee;
            callees.rows.weights[callee as usize].add(self.weights[row]);
            callees.add_calls(callee, self.calls[row]);
            if around != NONE {
                continue;
            }
            let mut caller = callers.child(NONE, key);
            callers.add_calls(caller, self.calls[row]);
            let mut at = self.parents[row];
            while at != NONE {
                step()?;
                caller = callers.child(caller, self.keys[at as usize]);
                callers.add_calls(caller, self.calls[row]);
                at = self.parents[at as usize];
            }
            callers.rows.weights[caller as usize].add(totals[row]);
        }
        Ok([callees.rows, callers.rows])
    }
}

/// A stack of the other run.
pub(super) struct OfOther {
    /// The one around it, by its place among those of the other run.
    pub parent: Option<u32>,
    pub key: u32,
    /// The row with the same path.
    pub row: Option<u32>,
    pub cost: i64,
    pub width: u64,
}

/// Rows that become more.
#[derive(Default)]
struct Growing {
    rows: Rows,
    places: HashMap<(u32, u32), u32>,
}

impl Growing {
    fn child(&mut self, parent: u32, key: u32) -> u32 {
        let place = self.places.entry((parent, key));
        *place.or_insert_with(|| self.rows.push(parent, key))
    }

    fn add_calls(&mut self, row: u32, calls: u64) {
        let sum = &mut self.rows.calls[row as usize];
        *sum = sum.saturating_add(calls);
    }
}
