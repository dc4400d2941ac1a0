//! What the rows of a picture have gathered in a column.

use super::super::entries::NONE;
use super::super::store::Store;
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId};

/// For how long the functions of a row were open and on top in a column, summed over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    pub row: u32,
    pub column: u32,
    /// The time during which at least one call of a function of the row was open on a thread.
    pub open: Cost,
    /// The time during which the innermost open call of a thread was one of the row: its self cost.
    pub top: Cost,
}

/// What coverage leaves out (Bohnet's thesis, section 6.1.1).
#[derive(Clone, Copy)]
pub struct Without<'a> {
    /// Whether all calls of a thread are left out.
    pub hides: &'a (dyn Fn(ThreadId) -> bool + Sync),
    /// Module removal: whether the calls of a function are. The call around one then is on top in its place.
    pub removes: &'a (dyn Fn(FunctionId) -> bool + Sync),
    /// Call tree removal: whether all that a call triggered is. It then is on top itself.
    pub cuts_below: &'a (dyn Fn(FunctionId, ThreadId, CallId) -> bool + Sync),
}

/// What a row has gathered in the column gone through.
#[derive(Clone, Copy, Default)]
pub(super) struct Shares {
    open: u64,
    top: u64,
}

/// The rows, and what they have gathered in one column.
pub(super) struct Rows<'a> {
    pub(super) store: &'a Store,
    /// By function; any other number for a function without a row.
    row_of: &'a [u32],
    shares: Vec<Shares>,
    seen: Vec<u32>,
    pub(super) without: Option<&'a Without<'a>>,
    /// Functions count one by one, whatever row they are of: what runs know of them adds up to what the row has. So
    /// it is where no row has several functions, too.
    pub(super) by_function: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        store: &'a Store,
        row_of: &'a [u32],
        rows: u32,
        without: Option<&'a Without<'a>>,
        is_sum: bool,
    ) -> Rows<'a> {
        let mut shares = vec![Shares::default(); rows as usize];
        let mut single = true;
        for &row in row_of.iter().take(store.functions) {
            if let Some(shares) = shares.get_mut(row as usize) {
                single &= std::mem::replace(&mut shares.open, 1) == 0;
            }
        }
        shares.fill(Shares::default());
        Rows {
            store,
            row_of,
            shares,
            seen: Vec::new(),
            without,
            by_function: (single || is_sum) && without.is_none(),
        }
    }

    /// The row of the callee of `pair`; NONE for a function without one.
    #[inline]
    pub(super) fn row(&self, pair: u32) -> u32 {
        self.row_of(self.store.callee(pair).index())
    }

    /// Among calls of the same key the outermost alone counts: the row, or the function.
    #[inline]
    pub(super) fn key(&self, function: u32, row: u32) -> u32 {
        if self.by_function { function } else { row }
    }

    /// The number of keys.
    pub(super) fn keys(&self) -> usize {
        if self.by_function {
            self.store.functions
        } else {
            self.shares.len()
        }
    }

    #[inline]
    pub(super) fn row_of(&self, function: usize) -> u32 {
        let row = self.row_of.get(function).copied().unwrap_or(NONE);
        if (row as usize) < self.shares.len() {
            row
        } else {
            NONE
        }
    }

    #[inline]
    pub(super) fn add(&mut self, row: u32, open: u64, top: u64) {
        if let Some(shares) = self.shares.get_mut(row as usize)
            && open | top > 0
        {
            if shares.open | shares.top == 0 {
                self.seen.push(row);
            }
            shares.open = shares.open.saturating_add(open);
            shares.top = shares.top.saturating_add(top);
        }
    }

    /// Hands out what the column gathered, and forgets it.
    pub(super) fn take(&mut self, column: u32, out: &mut Vec<Coverage>) {
        for row in self.seen.drain(..) {
            let shares = std::mem::take(&mut self.shares[row as usize]);
            if shares.open > 0 {
                out.push(Coverage {
                    row,
                    column,
                    open: Cost::from_ns(shares.open),
                    top: Cost::from_ns(shares.top),
                });
            }
        }
    }
}
