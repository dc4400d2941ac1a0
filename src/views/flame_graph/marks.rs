//! Which stacks are meant by what is chosen or pointed at.

use std::ops::Range;
use std::sync::Arc;

use super::making::{At, Made};
use callscape_filter::selection::Pointed;

/// The rows of the comparison on the way to a context.
type Way = Arc<[u32]>;

/// The stacks that are meant by what is chosen.
#[derive(Debug, Default)]
pub(super) struct Marks {
    of: Option<(u64, Pointed, Option<Way>)>,
    /// By side, by node how many before it are meant; empty where none is.
    before: [Vec<u32>; 2],
}

impl Marks {
    /// Whether these are of that, but for its time.
    pub(super) fn is_of(&self, made: &Made, chosen: &Pointed, way: Option<&Way>) -> bool {
        self.of.as_ref() == Some(&key(made, chosen, way))
    }

    /// Asks of each node whether it is meant. O(nodes); O(1) where nothing is chosen.
    pub(super) fn new(
        made: &Made,
        (chosen, way): (&Pointed, Option<&Way>),
        is_meant: impl Fn(usize, u32) -> bool,
    ) -> Marks {
        let before = |side: usize| {
            let nodes = made.sides[side].forest.len() as u32;
            let sums = (0..nodes).scan(0, |sum, node| {
                *sum += u32::from(is_meant(side, node));
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        };
        let is_nothing = chosen.module.or(chosen.relation.map(|it| it.0)).is_none();
        let before = match is_nothing && chosen.function.is_none() {
            true => Default::default(),
            false => [before(0), before(1)],
        };
        Marks {
            of: Some(key(made, chosen, way)),
            before,
        }
    }

    pub(super) fn count(&self) -> u64 {
        let counts = self.before.iter().filter_map(|it| it.last());
        counts.map(|&it| u64::from(it)).sum()
    }

    pub(super) fn holds(&self, side: usize, node: u32) -> bool {
        self.within(side, node..node + 1)
    }

    /// Whether one of these nodes is meant.
    pub(super) fn within(&self, side: usize, nodes: Range<u32>) -> bool {
        let at = |it: u32| self.before[side].get(it as usize).copied();
        at(nodes.end).unwrap_or_default() > at(nodes.start).unwrap_or_default()
    }
}

fn key(made: &Made, chosen: &Pointed, way: Option<&Way>) -> (u64, Pointed, Option<Way>) {
    let of_nothing_else = Pointed {
        time: None,
        ..*chosen
    };
    (made.stamp, of_nothing_else, way.cloned())
}

/// Whether a node is meant by something.
pub(super) fn meant(made: &Made, of: &Pointed, (side, node): At) -> bool {
    let stacks = &made.sides[side];
    let functions = &made.functions;
    let hierarchy = &functions.session().hierarchy;
    let is_in = |outer, node| {
        let module = functions.module(stacks.key(node));
        module.is_some_and(|it| hierarchy.contains(outer, it))
    };
    match (of.relation, of.function, of.module) {
        (Some((from, to)), ..) => stacks.forest.parent(node).is_some_and(|around| {
            // Callers lie below what they call.
            let [caller, callee] = if side == 0 {
                [around, node]
            } else {
                [node, around]
            };
            is_in(from, caller) && is_in(to, callee)
        }),
        (None, Some(function), _) => functions.shown(stacks.key(node)) == Some(function),
        (None, None, Some(module)) => is_in(module, node),
        (None, None, None) => false,
    }
}
