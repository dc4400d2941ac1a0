//! Smaller trees of the same weights: without recursion, by function, or with several functions taken for one.

use super::Contexts;
use super::builder::{ContextsBuilder, NodeId};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};

/// Which contexts become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// Those of one path of functions.
    #[default]
    Paths,
    /// A call of a function that is open already is that of the open one: figure 8 of P. Moret, W. Binder, A. Villazón,
    /// D. Ansaloni, A. Heydarnoori, "Visualizing and exploring profiles with calling context ring charts", 2010.
    Recursion,
    /// All contexts of one function; they have no parents.
    Functions,
    /// Those of one path of functions and of the lines that make the calls. A tree either has them or not: they cannot be made
    /// of another one, and merging takes them for paths.
    CallSites,
}

/// How many contexts are merged between two looks at the wish to cancel.
const BATCH: usize = 1 << 16;

impl Contexts {
    /// The same weights and calls with contexts merged, where a function is taken for `key` of it. Calls and self
    /// weights are added up, totals follow from these.
    ///
    /// O(contexts) times the logarithm of the depth where functions recur; needs no stack of its own, however deep the
    /// tree. Keys are small numbers: memory grows with the largest.
    pub fn merged(
        &self,
        merge: Merge,
        key: impl Fn(FunctionId) -> FunctionId,
        progress: &Progress,
    ) -> Result<Contexts, Cancelled> {
        // Nothing is repaired: what has fitted once fits again.
        let reporter = Reporter::new();
        let place = || Place::file("a calling context tree");
        let mut builder = ContextsBuilder::new(self.values(), &reporter);
        let mut ancestry = Ancestry::new();
        let mut open: Vec<Open> = Vec::new();
        // By function, where the innermost open context of it went.
        let mut latest: Vec<NodeId> = Vec::new();
        let mut weighted = self.weighted.iter().enumerate().peekable();
        for context in self.ids() {
            if context.index().is_multiple_of(BATCH) {
                progress.check()?;
            }
            while let Some(last) = open.pop_if(|last| last.end <= context.0) {
                latest[last.function] = last.before;
            }
            let function = key(self.function(context));
            if latest.len() <= function.index() {
                latest.resize(function.index() + 1, NodeId::ROOT);
            }
            let around = open.last().map_or(NodeId::ROOT, |it| it.node);
            let before = latest[function.index()];
            let node = match merge {
                Merge::Functions => builder.child(NodeId::ROOT, function, place),
                Merge::Recursion
                    if before != NodeId::ROOT && ancestry.is_around(before, around) =>
                {
                    before
                }
                _ => builder.child(around, function, place),
            };
            ancestry.take(node, around);
            open.push(Open {
                end: self.subtree(context).end,
                function: function.index(),
                node,
                before,
            });
            latest[function.index()] = node;
            if let Some(calls) = self.calls(context) {
                builder.add_calls(node, calls, place);
            }
            if let Some((row, _)) = weighted.next_if(|(_, it)| **it == context) {
                for (value, weights) in self.weights.iter().enumerate() {
                    builder.add(node, value, weights[row], place);
                }
            }
        }
        Ok(builder.finish())
    }
}

/// A context that is open at the one being read.
struct Open {
    /// One past the last context below it.
    end: u32,
    function: usize,
    /// Where it went.
    node: NodeId,
    /// Where the next one outwards of the same function went.
    before: NodeId,
}

/// Says which nodes of a growing tree are around which, in the logarithm of the depth: E. W. Myers, "An applicative
/// random-access stack", Information Processing Letters 17, 1983. By node, its depth, its parent, and an ancestor so
/// far up that few jumps reach any other.
struct Ancestry {
    of: Vec<Ancestors>,
}

#[derive(Clone, Copy)]
struct Ancestors {
    depth: u32,
    parent: u32,
    jump: u32,
}

impl Ancestry {
    fn new() -> Ancestry {
        let root = Ancestors {
            depth: 0,
            parent: 0,
            jump: 0,
        };
        Ancestry { of: vec![root] }
    }

    /// Takes `node` below `around` where it is new; nodes come in the order of their numbers.
    fn take(&mut self, node: NodeId, around: NodeId) {
        if node.number() != self.of.len() {
            return;
        }
        let parent = self.of[around.number()];
        let jump = self.of[parent.jump as usize];
        let far = self.of[jump.jump as usize];
        let is_even = parent.depth - jump.depth == jump.depth - far.depth;
        self.of.push(Ancestors {
            depth: parent.depth + 1,
            parent: around.number() as u32,
            jump: if is_even {
                parent.jump
            } else {
                around.number() as u32
            },
        });
    }

    /// Whether `outer` is `inner` or around it.
    fn is_around(&self, outer: NodeId, inner: NodeId) -> bool {
        let depth = self.of[outer.number()].depth;
        let mut at = inner.number();
        while self.of[at].depth > depth {
            let here = self.of[at];
            at = match self.of[here.jump as usize].depth < depth {
                true => here.parent as usize,
                false => here.jump as usize,
            };
        }
        at == outer.number()
    }
}
