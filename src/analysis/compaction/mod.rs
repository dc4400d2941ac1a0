//! Localised compaction of a calling context tree: S. Lin, F. Taïani, T. C. Ormerod, L. J. Ball, "Towards anomaly
//! comprehension: using structural compression to navigate profiling call-trees", SOFTVIS 2010, section 3.
//!
//! Each context has a granularity level: how many elements of its name stay in its compacted name. A context *takes over*
//! another when both are one (1), or when its compacted name is a prefix of the other's and it takes over the parent of
//! that one (2), or something takes over the parents of both (3). What is connected by this is one node.
//!
//! Outermost contexts count as called by one that takes over nothing else. A level is never so low that a context's name
//! is a strict prefix of the name of what calls it: the paper blocks that ("a child cannot take over its parent"), and
//! [`Compaction::with`] raises it. Then a node consists of its highest contexts, whose callers are all in one other node
//! and whose names begin with the shortest of them, and of all contexts that are reached from these through names that
//! begin with it. Nodes are a tree, and an action changes the node acted on, those beside it and those below it that
//! merge or split, and nothing else.

mod expanding;
mod merging;
mod names;
mod nodes;
#[cfg(test)]
mod tests;

pub use self::names::{Name, Names};
use callscape_base::units::ContextId;
use callscape_facts::contexts::Contexts;
use nodes::{Node, Nodes};

/// What is compacted.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    pub contexts: &'a Contexts,
    /// The value that contexts weigh, less than [`Contexts::values`].
    pub value: usize,
    pub names: &'a Names,
}

impl Tree<'_> {
    fn len(&self) -> u32 {
        self.contexts.len() as u32
    }

    fn end(&self, context: u32) -> u32 {
        self.contexts.ends()[context as usize]
    }

    fn parent(&self, context: u32) -> Option<u32> {
        self.contexts.parent(ContextId(context)).map(|it| it.0)
    }

    fn full_length(&self, context: u32) -> u16 {
        let function = self.contexts.function(ContextId(context));
        self.names.full_length(function)
    }

    fn name(&self, context: u32, level: u16) -> Name {
        let function = self.contexts.function(ContextId(context));
        self.names.shortened(function, level)
    }

    fn total(&self, context: u32) -> u64 {
        self.contexts.total(self.value, ContextId(context)).ns()
    }
}

/// A compacted node. Stays the same number until an action merges or splits it.
pub type NodeId = u32;

/// Stands for no context and no node.
const NONE: u32 = u32::MAX;

/// More detail or less, by one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Expand,
    Compact,
}

/// Why an action changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// Everything in it has its full name.
    Expanded,
    /// Everything in it has a name of one element.
    Compacted,
    /// Its name would be shorter than that of what calls it.
    BelowParent { node: Name, parent: Name },
    /// A name would take over one that is more than one level longer.
    AcrossLevels { outer: Name, inner: Name },
}

/// What an action has done, for those who show how nodes merge and split. Nodes are known by their first contexts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// A node made, and the one before that it was a part of.
    pub split: Vec<(u32, u32)>,
    /// A node that is gone, and the one that it is a part of now.
    pub merged: Vec<(u32, u32)>,
}

/// A tree with some of it compacted. About 10 bytes a context and 48 a node.
#[derive(Clone, Debug)]
pub struct Compaction {
    /// By context, how many elements of its name stay: from 1 to all there are.
    levels: Vec<u16>,
    /// By context, the node that it is one of the highest of; [`NONE`] of the others.
    top: Vec<u32>,
    /// By context that is one of the highest, the next one of its node.
    next: Vec<u32>,
    nodes: Nodes,
    free: Vec<u32>,
    /// The first of the outermost nodes.
    first: u32,
}

impl Compaction {
    /// All contexts at one level: 1 is as compact as it can be. O(n log n).
    pub fn new(tree: Tree<'_>, level: u16) -> Compaction {
        Compaction::with(tree, vec![level; tree.contexts.len()])
    }

    /// Each context at a level of its own, raised to 1 and, where its name would be a strict prefix of its caller's, to
    /// the level of that. Without a level a context has that of the most compact. O(n log n).
    pub fn with(tree: Tree<'_>, mut levels: Vec<u16>) -> Compaction {
        let count = tree.contexts.len();
        levels.resize(count, 1);
        for context in 0..count as u32 {
            let full = tree.full_length(context);
            let mut level = levels[context as usize].clamp(1, full);
            if let Some(parent) = tree.parent(context) {
                let around = levels[parent as usize];
                if level < around && is_undercut(tree, (parent, around), (context, level)) {
                    level = around.min(full);
                }
            }
            levels[context as usize] = level;
        }
        let mut compaction = Compaction {
            levels,
            top: vec![NONE; count],
            next: vec![NONE; count],
            nodes: Nodes::default(),
            free: Vec::new(),
            first: NONE,
        };
        let outermost = tree.contexts.children(None).map(|it| it.0).collect();
        compaction.grow(tree, NONE, outermost, &mut Change::default());
        compaction
    }

    /// By context, how many elements of its name stay.
    pub fn levels(&self) -> &[u16] {
        &self.levels
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes that a node calls, of none the outermost ones, in no order that means anything.
    pub fn children(&self, node: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        let first = node.map_or(self.first, |it| self.nodes[it].child);
        let some = |it: u32| (it != NONE).then_some(it);
        std::iter::successors(some(first), move |it| some(self.nodes[*it].after))
    }

    /// The node that calls it.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.nodes[node].parent;
        (parent != NONE).then_some(parent)
    }

    /// Its compacted name: the shortest in it.
    pub fn name(&self, node: NodeId) -> Name {
        self.nodes[node].name
    }

    /// What its highest contexts weigh, with all below them.
    pub fn weight(&self, node: NodeId) -> u64 {
        self.nodes[node].weight
    }

    /// How many contexts have merged.
    pub fn contexts(&self, node: NodeId) -> u32 {
        self.nodes[node].contexts
    }

    /// The smallest of its contexts, which no other node has.
    pub fn first_context(&self, node: NodeId) -> ContextId {
        ContextId(self.nodes[node].head)
    }

    /// Its highest contexts: those whose callers are not in it. In no order.
    pub fn highest(&self, node: NodeId) -> impl Iterator<Item = ContextId> + '_ {
        listed(&self.next, self.nodes[node].head).map(ContextId)
    }

    /// The node of a context. O(depth of it within its node).
    pub fn node_of(&self, tree: Tree<'_>, context: ContextId) -> NodeId {
        let mut at = context.0;
        loop {
            let top = self.top[at as usize];
            if top != NONE {
                return top;
            }
            // An outermost context is always one of the highest.
            at = tree.parent(at).unwrap_or(0);
        }
    }

    /// The node that a context is one of the highest of.
    pub fn topped_by(&self, context: ContextId) -> Option<NodeId> {
        let top = self.top[context.index()];
        (top != NONE).then_some(top)
    }

    /// Changes the levels of all contexts of a node by one. Expanding is O(contexts of the node, and of those that it
    /// calls and that split), compacting O(contexts of the node, and nodes beside and below that merge).
    pub fn change(
        &mut self,
        tree: Tree<'_>,
        node: NodeId,
        direction: Direction,
    ) -> Result<Change, Blocked> {
        match direction {
            Direction::Expand => self.expand(tree, node),
            Direction::Compact => self.compact(tree, node),
        }
    }

    /// The same tree with the levels of all contexts changed by one. A context whose shorter name would be a strict prefix
    /// of the name of what calls it keeps its level. O(n log n).
    pub fn all_changed(&self, tree: Tree<'_>, direction: Direction) -> Result<Compaction, Blocked> {
        let mut levels = self.levels.clone();
        let mut kept = None;
        for context in 0..tree.len() {
            let level = self.levels[context as usize];
            let next = match direction {
                Direction::Expand => (level + 1).min(tree.full_length(context)),
                Direction::Compact => (level - 1).max(1),
            };
            let caller = tree.parent(context).map(|it| (it, levels[it as usize]));
            let around = caller.filter(|&(_, around)| next < level && next < around);
            match around.filter(|&around| is_undercut(tree, around, (context, next))) {
                Some(around) => kept = kept.or(Some((around, (context, level)))),
                None => levels[context as usize] = next,
            }
        }
        if levels == self.levels {
            return Err(match (direction, kept) {
                (Direction::Expand, _) => Blocked::Expanded,
                (Direction::Compact, None) => Blocked::Compacted,
                (Direction::Compact, Some((around, of))) => Blocked::BelowParent {
                    node: tree.name(of.0, of.1),
                    parent: tree.name(around.0, around.1),
                },
            });
        }
        let changed = Compaction::with(tree, levels);
        for node in changed.all() {
            let of = changed.nodes[node];
            if of.deepest > tree.names.length(of.name) + 1 {
                return Err(Blocked::AcrossLevels {
                    outer: of.name,
                    inner: changed.deepest_name(tree, node),
                });
            }
        }
        Ok(changed)
    }

    /// All nodes, callers before what they call.
    pub fn all(&self) -> Vec<NodeId> {
        self.called(None)
    }

    /// All that a node calls, and what these call, callers first. O(their number).
    pub fn below(&self, node: NodeId) -> Vec<NodeId> {
        self.called(Some(node))
    }

    fn called(&self, by: Option<NodeId>) -> Vec<NodeId> {
        let mut all: Vec<NodeId> = self.children(by).collect();
        let mut seen = 0;
        while let Some(&node) = all.get(seen) {
            all.extend(self.children(Some(node)));
            seen += 1;
        }
        all
    }

    /// Visits the contexts of a node. O(their number, and that of contexts called by them).
    pub fn members(&self, tree: Tree<'_>, node: NodeId, mut visit: impl FnMut(ContextId)) {
        let head = self.nodes[node].head;
        each_member(tree, &self.top, &self.next, head, |it| visit(ContextId(it)));
    }

    /// The first name in a node of those that are longest.
    fn deepest_name(&self, tree: Tree<'_>, node: NodeId) -> Name {
        let of = self.nodes[node];
        let mut found = of.name;
        each_member(tree, &self.top, &self.next, of.head, |context| {
            let level = self.levels[context as usize];
            if level == of.deepest && level > tree.names.length(found) {
                found = tree.name(context, level);
            }
        });
        found
    }

    fn link(&mut self, parent: u32, node: u32) {
        let first = match parent {
            NONE => &mut self.first,
            _ => &mut self.nodes[parent].child,
        };
        let after = std::mem::replace(first, node);
        if after != NONE {
            self.nodes[after].before = node;
        }
        let of = &mut self.nodes[node];
        (of.parent, of.before, of.after) = (parent, NONE, after);
    }

    fn unlink(&mut self, node: u32) {
        let Node {
            parent,
            before,
            after,
            ..
        } = self.nodes[node];
        match (before, parent) {
            (NONE, NONE) => self.first = after,
            (NONE, _) => self.nodes[parent].child = after,
            _ => self.nodes[before].after = after,
        }
        if after != NONE {
            self.nodes[after].before = before;
        }
    }

    fn add(&mut self, node: Node) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.nodes[place] = node;
                place
            }
            None => self.nodes.push(node),
        }
    }
}

/// Whether the name of a context at `level` is a strict prefix of that of its caller, each given with its level.
fn is_undercut(tree: Tree<'_>, parent: (u32, u16), context: (u32, u16)) -> bool {
    let [outer, inner] = [parent, context].map(|(it, level)| tree.name(it, level));
    inner != outer && tree.names.is_prefix(inner, outer)
}

/// The contexts of a list.
fn listed(next: &[u32], head: u32) -> impl Iterator<Item = u32> + '_ {
    let some = |it: u32| (it != NONE).then_some(it);
    std::iter::successors(some(head), move |it| some(next[*it as usize]))
}

/// Visits the contexts of the node whose list of highest contexts begins with `head`.
fn each_member(tree: Tree<'_>, top: &[u32], next: &[u32], head: u32, mut visit: impl FnMut(u32)) {
    for highest in listed(next, head) {
        visit(highest);
        let end = tree.end(highest);
        let mut at = highest + 1;
        while at < end {
            at = match top[at as usize] {
                NONE => {
                    visit(at);
                    at + 1
                }
                _ => tree.end(at),
            };
        }
    }
}

/// Runs of names of which the first is a prefix of all others, of entries sorted by name: what a name is a prefix of
/// stands right behind it.
fn runs<'a, T>(names: &'a Names, sorted: &'a [(Name, T)]) -> impl Iterator<Item = &'a [(Name, T)]> {
    let mut rest = sorted;
    std::iter::from_fn(move || {
        let (first, _) = rest.first()?;
        let end = rest.partition_point(|it| names.is_prefix(*first, it.0));
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}
