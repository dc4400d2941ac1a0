//! The roots that the chart is and was shown around, by their ways: these stay what they are while ranges and merging make
//! other trees of the same recording.

use std::sync::Arc;

use crate::parts::contexts::ShownContexts;
use callscape_base::units::{ContextId, FunctionId};
use callscape_facts::contexts::Merge;

/// The functions from an outermost context to a root; empty for everything.
pub(super) type Way = Arc<[FunctionId]>;

/// A root by its way, and which of several contexts of this way it is, where call sites tell them apart.
#[derive(Clone, Debug, Default, PartialEq)]
struct Root {
    way: Way,
    by_site: Option<ContextId>,
}

/// More functions on all ways would make a session file larger than what it keeps is worth.
const MOST_KEPT: usize = 100_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Roots {
    now: Root,
    /// The roots before, the last one last.
    before: Vec<Root>,
    /// Those that the way back came from, the last one last.
    after: Vec<Root>,
}

impl Roots {
    pub(super) fn now(&self) -> &Way {
        &self.now.way
    }

    /// Goes to another root, from which the way back leads to this one; `by_site` is that root in a tree by call site.
    pub(super) fn go(&mut self, way: Way, by_site: Option<ContextId>) {
        let to = Root { way, by_site };
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
        if let Some(root) = from.pop() {
            to.push(std::mem::replace(&mut self.now, root));
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
        [now, &self.before, &self.after].map(|roots| {
            // The last ones are gone to first.
            let ways = roots.iter().rev().map_while(|root| {
                left = left.checked_sub(root.way.len())?;
                Some(root.way.iter().map(|it| it.0).collect())
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
            is_there.then(|| Root {
                way: way.into_iter().map(FunctionId).collect(),
                by_site: None,
            })
        };
        let ways = |of: Vec<Vec<u32>>| of.into_iter().map(way).collect::<Option<Vec<Root>>>();
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
            None => {
                let by_site = self.now.by_site.filter(|it| {
                    let is_there =
                        shown.merge == Merge::CallSites && it.index() < shown.contexts.len();
                    is_there && *shown.contexts.way(*it) == *self.now.way
                });
                by_site.or_else(|| (shown.contexts).at_way(&self.now.way, shown.merge, shown.value))
            }
        }
    }
}
