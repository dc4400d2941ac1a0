//! The contexts as recorded, and which contexts of the tree without recursion they are.

use std::collections::HashMap;

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{ContextId, FunctionId};
use callscape_facts::contexts::Contexts;
use callscape_facts::hashing::BuildFast;

/// Stands for the caller of an outermost context.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// How many contexts are mapped between two looks at the wish to cancel.
const BATCH: usize = 1 << 16;

/// By caller and function, a context.
type Children = HashMap<(u32, FunctionId), u32, BuildFast>;

/// The contexts as recorded.
#[derive(Default)]
pub(super) struct Paths {
    /// By depth, how many calls there are.
    pub calls_at: Vec<u64>,
    /// The contexts with a part of the cost that is worth a look.
    pub children: Children,
    /// Context of the tree by recorded context; `None` if the call is recursive.
    pub outermost: Vec<Option<ContextId>>,
    /// By context of the tree, calls that are not recursive.
    pub entries: Vec<u64>,
    /// By context of the tree, maximum number of its calls open at once.
    pub levels: Vec<u32>,
}

fn caller(of: &Contexts, context: ContextId) -> u32 {
    of.parent(context).map_or(OUTSIDE, |it| it.0)
}

impl Paths {
    /// Maps `recorded` to `tree`, the same without recursion. Contexts that cost less than `worth` get no children.
    /// O(contexts × depth of the tree).
    pub(super) fn of(
        tree: &Contexts,
        recorded: &Contexts,
        (value, worth): (usize, u64),
        progress: &Progress,
    ) -> Result<Paths, Cancelled> {
        let child = |it: ContextId| ((caller(tree, it), tree.function(it)), it.0);
        let children: Children = tree.ids().map(child).collect();
        let mut paths = Paths {
            entries: vec![0; tree.len()],
            levels: vec![0; tree.len()],
            ..Paths::default()
        };
        let mut open = vec![0_u32; tree.len()];
        // Around the context at hand: where contexts end, with their contexts of the tree.
        let mut around: Vec<(u32, u32)> = Vec::new();
        for context in recorded.ids() {
            if context.index().is_multiple_of(BATCH) {
                progress.check()?;
            }
            while let Some((_, node)) = around.pop_if(|it| it.0 <= context.0) {
                open[node as usize] -= 1;
            }
            let function = recorded.function(context);
            let parent = around.last().map_or(OUTSIDE, |it| it.1);
            let outwards = Some(parent).filter(|&it| it != OUTSIDE).map(ContextId);
            let mut outwards = std::iter::successors(outwards, |it| tree.parent(*it));
            let same = outwards.find(|&it| tree.function(it) == function);
            let node = same.map(|it| it.0);
            let node = node.or_else(|| children.get(&(parent, function)).copied());
            // The tree has all contexts.
            let Some(node) = node else { continue };
            let at = node as usize;
            // The context is open already, perhaps below a function that was merged with another call of it.
            let is_recursive = open[at] > 0;
            let calls = recorded.calls(context).unwrap_or(0);
            paths
                .calls_at
                .resize(paths.calls_at.len().max(around.len() + 1), 0);
            let calls_at = &mut paths.calls_at[around.len()];
            *calls_at = calls_at.saturating_add(calls);
            if recorded.total(value, context).ns() >= worth {
                let key = (caller(recorded, context), function);
                paths.children.insert(key, context.0);
            }
            paths.outermost.resize(context.index(), None);
            let outermost = (!is_recursive).then_some(ContextId(node));
            paths.outermost.push(outermost);
            if !is_recursive {
                paths.entries[at] = paths.entries[at].saturating_add(calls);
            }
            open[at] += 1;
            paths.levels[at] = paths.levels[at].max(open[at]);
            around.push((recorded.subtree(context).end, node));
        }
        Ok(paths)
    }
}
