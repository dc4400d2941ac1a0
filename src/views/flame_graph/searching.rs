//! Which stacks are found by a search, and what share of everything they are.

use super::making::Made;
use crate::parts::context_chart::amount::Amount;
use crate::parts::context_query::Query;

/// What was found on one side.
#[derive(Debug, Default)]
struct Found {
    /// By node how many before it are found; one entry more than nodes.
    before: Vec<u32>,
    /// What is below one that is found counts once.
    width: u64,
}

/// What is searched for in stacks, and found.
#[derive(Debug)]
pub(super) struct Search {
    query: Query,
    stamp: u64,
    sides: [Found; 2],
}

impl Search {
    /// Whether it is of this query and these stacks.
    pub(super) fn is_of(&self, made: &Made, query: &Query) -> bool {
        (self.stamp, &self.query) == (made.stamp, query)
    }

    /// Searches. O(functions + nodes).
    pub(super) fn new(made: &Made, query: Query) -> Search {
        let functions = &made.functions;
        let named: Vec<bool> = (0..functions.len() as u32)
            .map(|it| query.is_named(functions.name(it), &functions.path(it)))
            .collect();
        let find = |side: usize| {
            let stacks = &made.sides[side];
            let mut found = Found {
                before: vec![0],
                width: 0,
            };
            let (mut count, mut end) = (0, 0);
            for node in 0..stacks.forest.len() as u32 {
                let value = |of: Amount| match of {
                    Amount::Total(_) => (stacks.totals(node)[0].size(), made.shown.size),
                    Amount::Own(_) => (stacks.own(node).size(), made.shown.size),
                    Amount::Calls => {
                        let all = made.shown.calls_before().last().copied();
                        (stacks.calls(node), all.unwrap_or_default())
                    }
                };
                if named[stacks.key(node) as usize] && query.holds(value) {
                    count += 1;
                    if node >= end {
                        end = stacks.forest.subtree(node).end;
                        found.width += stacks.forest.total(node);
                    }
                }
                found.before.push(count);
            }
            found
        };
        Search {
            stamp: made.stamp,
            sides: [0, 1].map(find),
            query,
        }
    }

    /// How many stacks are found.
    pub(super) fn count(&self) -> u64 {
        let counts = self.sides.iter().filter_map(|it| it.before.last());
        counts.map(|&it| u64::from(it)).sum()
    }

    /// The share of the whole of a side that the stacks found there are.
    pub(super) fn share(&self, made: &Made, side: usize) -> f64 {
        let whole = made.sides[side].forest.whole();
        self.sides[side].width as f64 / whole.max(1) as f64
    }

    /// Whether one of these nodes is found.
    pub(super) fn within(&self, side: usize, nodes: std::ops::Range<u32>) -> bool {
        let at = |it: u32| self.sides[side].before.get(it as usize).copied();
        at(nodes.end).unwrap_or_default() > at(nodes.start).unwrap_or_default()
    }
}
