//! The roots that the chart is and was shown around, by their ways: these stay what they are while ranges and merging make
//! other trees of the same recording.

use std::sync::Arc;

use crate::parts::contexts::ShownContexts;
use callscape_base::units::{ContextId, FunctionId};

/// The functions from an outermost context to a root; empty for everything.
pub(super) type Way = Arc<[FunctionId]>;

/// More functions on all ways would make a session file larger than what it keeps is worth.
const MOST_KEPT: usize = 100_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Roots {
    now: Way,
    /// The roots before, the last one last.
    before: Vec<Way>,
    /// Those that the way back came from, the last one last.
    after: Vec<Way>,
}

impl Roots {
    pub(super) fn now(&self) -> &Way {
        &self.now
    }

    /// Goes to another root, from which the way back leads to this one.
    pub(super) fn go(&mut self, to: Way) {
        if self.now != to {
            self.before.push(std::mem::replace(&mut self.now, to));
            self.after.clear();
        }
    }

    /// Goes to the root before, or forth again; nowhere where there was none.
    pub(super) fn step(&mut self, is_back: bool) {
        let [from, to] = match is_back {
            true => [&mut self.before, &mut self.after],
            false => [&mut self.after, &mut self.before],
        };
        if let Some(way) = from.pop() {
            to.push(std::mem::replace(&mut self.now, way));
        }
    }

    /// How many roots the way leads back and forth to.
    pub(super) fn count(&self) -> [usize; 2] {
        [self.before.len(), self.after.len()]
    }

    /// As numbers for a session file: the root, those before and those after.
    pub(super) fn kept(&self) -> [Vec<Vec<u32>>; 3] {
        let now = std::slice::from_ref(&self.now);
        let mut left = MOST_KEPT;
        [now, &self.before, &self.after].map(|ways| {
            // The last ones are gone to first.
            let ways = ways.iter().rev().map_while(|way| {
                left = left.checked_sub(way.len())?;
                Some(way.iter().map(|it| it.0).collect())
            });
            let mut ways: Vec<Vec<u32>> = ways.collect();
            ways.reverse();
            ways
        })
    }

    /// From what was kept, of a recording with so many functions; none of another one.
    pub(super) fn of_kept(
        [now, before, after]: [Vec<Vec<u32>>; 3],
        functions: usize,
    ) -> Option<Roots> {
        let way = |way: Vec<u32>| {
            let is_there = way.iter().all(|it| (*it as usize) < functions);
            is_there.then(|| way.into_iter().map(FunctionId).collect::<Way>())
        };
        let ways = |of: Vec<Vec<u32>>| of.into_iter().map(way).collect::<Option<Vec<Way>>>();
        Some(Roots {
            now: ways(now)?.pop().unwrap_or_default(),
            before: ways(before)?,
            after: ways(after)?,
        })
    }

    /// Where the root is in a tree, or as much of the way to it as there is; none for everything, and in a tree that is
    /// made of what is below the root.
    pub(super) fn place(&self, shown: &ShownContexts) -> Option<ContextId> {
        match shown.below {
            Some(_) => None,
            None => shown.contexts.at_way(&self.now, shown.merge, shown.value),
        }
    }
}
