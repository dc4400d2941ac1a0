//! Localised compaction of a calling context tree: S. Lin, F. Taïani, T. C. Ormerod, L. J. Ball, "Towards anomaly
//! comprehension: using structural compression to navigate profiling call-trees", SOFTVIS 2010, section 3.
//!
//! Each context has a granularity level: how many elements of the path of its function stay in its compacted name.
//! Contexts that are close to each other both in the tree and in the hierarchy of modules merge into one compacted node,
//! so that packages, classes and functions stand side by side, each where it says something.

#[cfg(test)]
mod tests;

use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::units::ModuleId;

/// A calling context tree as compaction reads it; contexts in preorder.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// By context, the module of its function.
    pub modules: Vec<ModuleId>,
    /// By context, the one it is called in; less than its own number.
    pub parents: Vec<Option<u32>>,
    /// By context, one past the last context below it.
    pub ends: Vec<u32>,
    /// By context, what it weighs with all below it.
    pub totals: Vec<u64>,
}

impl Tree {
    fn children(&self, context: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.ends[context as usize];
        let mut next = context + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.ends[child as usize].max(child + 1);
                child
            })
        })
    }

    fn outermost(&self) -> impl Iterator<Item = u32> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let context = next;
            (context < self.ends.len() as u32).then(|| {
                next = self.ends[context as usize].max(context + 1);
                context
            })
        })
    }
}

/// Contexts that have merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The compacted name of the highest of them.
    pub module: ModuleId,
    pub parent: Option<u32>,
    pub children: Vec<u32>,
    /// The highest contexts: those whose callers are not of this node. What they weigh together it weighs.
    pub highest: Vec<u32>,
    pub weight: u64,
    /// How many contexts have merged.
    pub contexts: u32,
    /// Calls nodes that are not of this node, as contexts.
    outer: Vec<u32>,
}

/// Why something cannot be expanded or compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    #[error("every function in it is shown as it is")]
    Expanded,
    #[error("it is as compact as it can be")]
    Compacted,
    #[error("it would be less detailed than what calls it: compact that first")]
    BelowParent,
    #[error(
        "something in it would merge across more than one level of modules: compact that first"
    )]
    AcrossLevels,
}

/// A tree with some of it compacted.
#[derive(Clone, Debug)]
pub struct Compaction {
    tree: Tree,
    /// By context, how many elements of the path of its function stay, at least 1.
    levels: Vec<u16>,
    /// By context, its node.
    node_of: Vec<u32>,
    /// Those that are gone have no contexts.
    nodes: Vec<Node>,
    free: Vec<u32>,
    roots: Vec<u32>,
}

/// By a context, the node that it is in; of none.
const NONE: u32 = u32::MAX;

impl Compaction {
    /// All contexts at one level: 1 is as compact as it can be. O(n log n).
    pub fn new(tree: Tree, hierarchy: &Hierarchy, level: u16) -> Compaction {
        let levels = vec![level.max(1); tree.modules.len()];
        Compaction::with(tree, hierarchy, levels)
    }

    /// Each context at a level of its own.
    pub fn with(tree: Tree, hierarchy: &Hierarchy, levels: Vec<u16>) -> Compaction {
        let count = tree.modules.len();
        let mut compaction = Compaction {
            tree,
            levels,
            node_of: vec![NONE; count],
            nodes: Vec::new(),
            free: Vec::new(),
            roots: Vec::new(),
        };
        let outermost = compaction.tree.outermost().collect();
        compaction.grow(hierarchy, None, outermost);
        compaction
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The outermost nodes, in order of their first contexts.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The node of a context.
    pub fn node_of(&self, context: u32) -> u32 {
        self.node_of[context as usize]
    }

    /// All nodes, callers before what they call.
    pub fn nodes(&self) -> Vec<u32> {
        let mut all = Vec::new();
        let mut open: Vec<u32> = self.roots.iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            all.push(node);
            open.extend(self.node(node).children.iter().rev());
        }
        all
    }

    /// The contexts of a node.
    pub fn contexts(&self, node: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = self.node(node).highest.clone();
        while let Some(context) = open.pop() {
            found.push(context);
            let below = self.tree.children(context);
            open.extend(below.filter(|&it| self.node_of(it) == node));
        }
        found.sort_unstable();
        found
    }

    /// Shows a node in one level more detail, or less: the levels of all its contexts change by one. Only what is
    /// called in it, and what stands beside it and merges with it, is made anew.
    pub fn change(
        &mut self,
        hierarchy: &Hierarchy,
        node: u32,
        is_more: bool,
    ) -> Result<(), Blocked> {
        let contexts = self.contexts(node);
        let before: Vec<u16> = contexts
            .iter()
            .map(|&it| self.levels[it as usize])
            .collect();
        let is_changed = self.set_levels(hierarchy, &contexts, is_more);
        let undo = |it: &mut Compaction| {
            for (&context, &level) in contexts.iter().zip(&before) {
                it.levels[context as usize] = level;
            }
        };
        if !is_changed {
            undo(self);
            return Err(match is_more {
                true => Blocked::Expanded,
                false => Blocked::Compacted,
            });
        }
        let parent = self.node(node).parent;
        let depth = |module: ModuleId| hierarchy.depth(module);
        if let Some(parent) = parent.filter(|_| !is_more) {
            let of_parent = depth(self.node(parent).module);
            let mut named = contexts.iter().map(|&it| self.name(hierarchy, it));
            if named.any(|it| depth(it) < of_parent) {
                undo(self);
                return Err(Blocked::BelowParent);
            }
        }
        let made = self.remake(hierarchy, node);
        if made.iter().any(|&it| self.is_across_levels(hierarchy, it)) {
            undo(self);
            self.remake_around(hierarchy, parent);
            return Err(Blocked::AcrossLevels);
        }
        Ok(())
    }

    /// Shows everything in one level more detail, or less. O(n log n).
    pub fn change_all(&mut self, hierarchy: &Hierarchy, is_more: bool) -> Result<(), Blocked> {
        let all: Vec<u32> = (0..self.levels.len() as u32).collect();
        if !self.set_levels(hierarchy, &all, is_more) {
            return Err(match is_more {
                true => Blocked::Expanded,
                false => Blocked::Compacted,
            });
        }
        self.remake_around(hierarchy, None);
        Ok(())
    }

    /// Changes levels by one; whether any name changes. Levels stay within what functions have.
    fn set_levels(&mut self, hierarchy: &Hierarchy, contexts: &[u32], is_more: bool) -> bool {
        let mut is_changed = false;
        for &context in contexts {
            let full = hierarchy.depth(self.tree.modules[context as usize]).max(1);
            let level = &mut self.levels[context as usize];
            let now = (*level).min(full);
            let next = match is_more {
                true => (now + 1).min(full),
                false => (now - 1).max(1),
            };
            is_changed |= next != now;
            *level = next;
        }
        is_changed
    }

    /// The compacted name of a context.
    fn name(&self, hierarchy: &Hierarchy, context: u32) -> ModuleId {
        let module = self.tree.modules[context as usize];
        let level = self.levels[context as usize];
        let mut around = hierarchy.ancestors(module);
        let found = around.find(|&it| hierarchy.depth(it) <= level);
        found.unwrap_or(module)
    }

    /// Whether contexts of a node lie more than one level below its name.
    fn is_across_levels(&self, hierarchy: &Hierarchy, node: u32) -> bool {
        let most = hierarchy.depth(self.node(node).module) + 1;
        let contexts = self.contexts(node);
        contexts
            .iter()
            .any(|&it| hierarchy.depth(self.name(hierarchy, it)) > most)
    }

    /// Makes a node anew, whose contexts have other names now, with what it merges with; the nodes made in its place.
    fn remake(&mut self, hierarchy: &Hierarchy, node: u32) -> Vec<u32> {
        let of = self.node(node).clone();
        let names: Vec<ModuleId> = of
            .highest
            .iter()
            .map(|&it| self.name(hierarchy, it))
            .collect();
        if let Some(parent) = of.parent {
            let around = self.node(parent).module;
            if names.iter().any(|&it| is_prefix(hierarchy, around, it)) {
                // It becomes a part of what calls it.
                return self.remake(hierarchy, parent);
            }
        }
        let siblings = match of.parent {
            Some(parent) => self.node(parent).children.clone(),
            None => self.roots.clone(),
        };
        let touches = |it: &u32| {
            let module = self.node(*it).module;
            let touch = |&name: &ModuleId| {
                is_prefix(hierarchy, module, name) || is_prefix(hierarchy, name, module)
            };
            *it == node || names.iter().any(touch)
        };
        let gone: Vec<u32> = siblings.into_iter().filter(touches).collect();
        let mut highest: Vec<u32> = Vec::new();
        for &it in &gone {
            highest.extend(&self.node(it).highest);
        }
        for &it in &gone {
            self.remove(it);
        }
        match of.parent {
            Some(parent) => self.nodes[parent as usize]
                .children
                .retain(|it| !gone.contains(it)),
            None => self.roots.retain(|it| !gone.contains(it)),
        }
        highest.sort_unstable();
        self.grow(hierarchy, of.parent, highest)
    }

    /// Makes all below a node anew, or all there is.
    fn remake_around(&mut self, hierarchy: &Hierarchy, parent: Option<u32>) {
        let (children, outer) = match parent {
            Some(parent) => {
                let of = &mut self.nodes[parent as usize];
                (std::mem::take(&mut of.children), of.outer.clone())
            }
            None => {
                let outermost = self.tree.outermost().collect();
                (std::mem::take(&mut self.roots), outermost)
            }
        };
        for child in children {
            self.remove(child);
        }
        self.grow(hierarchy, parent, outer);
    }

    /// Takes a node away with all below it.
    fn remove(&mut self, node: u32) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let of = &mut self.nodes[node as usize];
            open.append(&mut of.children);
            (of.highest, of.outer) = (Vec::new(), Vec::new());
            (of.contexts, of.weight) = (0, 0);
            self.free.push(node);
        }
    }

    /// Makes the nodes of contexts whose callers are all of `parent`, and all below them; those right below it.
    ///
    /// What two contexts have in common with callers that one context takes over is as if they were called by one: of
    /// these, a name takes over those that it is a prefix of. What a node's name is a prefix of below it belongs to it.
    fn grow(&mut self, hierarchy: &Hierarchy, parent: Option<u32>, called: Vec<u32>) -> Vec<u32> {
        let mut made = Vec::new();
        let mut open: Vec<(Option<u32>, Vec<u32>)> = vec![(parent, called)];
        while let Some((around, called)) = open.pop() {
            let mut named: Vec<(ModuleId, u32)> = called
                .into_iter()
                .map(|it| (self.name(hierarchy, it), it))
                .collect();
            // Modules around others stand before them.
            named.sort_unstable();
            let mut groups: Vec<(ModuleId, Vec<u32>)> = Vec::new();
            for (name, context) in named {
                match groups.last_mut() {
                    Some((module, group)) if is_prefix(hierarchy, *module, name) => {
                        group.push(context);
                    }
                    _ => groups.push((name, vec![context])),
                }
            }
            groups.sort_by_key(|(_, group)| group.iter().min().copied());
            for (module, highest) in groups {
                let node = self.add(hierarchy, around, module, highest);
                if around == parent {
                    made.push(node);
                }
                let outer = self.node(node).outer.clone();
                if !outer.is_empty() {
                    open.push((Some(node), outer));
                }
            }
        }
        made
    }

    /// Adds a node with all contexts that belong to it.
    fn add(
        &mut self,
        hierarchy: &Hierarchy,
        parent: Option<u32>,
        module: ModuleId,
        mut highest: Vec<u32>,
    ) -> u32 {
        highest.sort_unstable();
        let next = self.nodes.len() as u32;
        let id = self.free.pop().unwrap_or(next);
        let (mut contexts, mut outer) = (0, Vec::new());
        let mut open = highest.clone();
        while let Some(context) = open.pop() {
            contexts += 1;
            self.node_of[context as usize] = id;
            for child in self.tree.children(context) {
                match is_prefix(hierarchy, module, self.name(hierarchy, child)) {
                    true => open.push(child),
                    false => outer.push(child),
                }
            }
        }
        outer.sort_unstable();
        let weights = highest.iter().map(|&it| self.tree.totals[it as usize]);
        let node = Node {
            module,
            parent,
            children: Vec::new(),
            weight: weights.fold(0, u64::saturating_add),
            highest,
            contexts,
            outer,
        };
        match self.nodes.get_mut(id as usize) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        match parent {
            Some(parent) => self.nodes[parent as usize].children.push(id),
            None => self.roots.push(id),
        }
        id
    }
}

/// Whether a compacted name is a prefix of another. A function is none of what is defined in it: it is a name in full.
fn is_prefix(hierarchy: &Hierarchy, name: ModuleId, of: ModuleId) -> bool {
    name == of || (hierarchy.kind(name) != ModuleKind::Function && hierarchy.contains(name, of))
}
