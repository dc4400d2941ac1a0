//! More detail: a node splits, and with it those nodes that it calls from different parts.
//!
//! Longer names take over less, so that nothing merges. What a node's parts call stays one node where all of its highest
//! contexts are called by one part: then it moves there as it is.

use super::{
    Blocked, Change, Compaction, NONE, Name, Node, NodeId, Tree, each_member, listed, runs,
};

/// Contexts whose callers are all in `parent`, and the node whose parts they are, by its first context.
struct Called {
    parent: u32,
    contexts: Vec<u32>,
    of: u32,
}

impl Compaction {
    pub(super) fn expand(&mut self, tree: Tree<'_>, node: NodeId) -> Result<Change, Blocked> {
        let Node { head, parent, .. } = self.nodes[node];
        let (levels, mut is_other) = (&mut self.levels, false);
        each_member(tree, &self.top, &self.next, head, |context| {
            let level = &mut levels[context as usize];
            if *level < tree.full_length(context) {
                *level += 1;
                is_other = true;
            }
        });
        if !is_other {
            return Err(Blocked::Expanded);
        }
        let highest: Vec<u32> = listed(&self.next, head).collect();
        self.nodes[node].is_split = true;
        let mut change = Change::default();
        self.grow(tree, parent, highest, &mut change);
        Ok(change)
    }

    /// Makes the nodes of contexts whose callers are all in `parent`, and those below them as far as there are none yet.
    pub(super) fn grow(
        &mut self,
        tree: Tree<'_>,
        parent: u32,
        contexts: Vec<u32>,
        change: &mut Change,
    ) {
        let mut gone = Vec::new();
        let mut open = vec![Called {
            parent,
            contexts,
            of: NONE,
        }];
        while let Some(called) = open.pop() {
            let contexts = called.contexts.iter();
            let mut named: Vec<(Name, u32)> = contexts
                .map(|&it| (tree.name(it, self.levels[it as usize]), it))
                .collect();
            named.sort_unstable();
            for run in runs(tree.names, &named) {
                if let Some(whole) = self.whole_node(run) {
                    self.unlink(whole);
                    self.link(called.parent, whole);
                    continue;
                }
                let (first, mut of) = (run[0].1, called.of);
                if self.top[first as usize] != NONE {
                    of = self.nodes[self.top[first as usize]].head;
                }
                let (node, inside) = self.make(tree, called.parent, run, &mut gone);
                if of != NONE {
                    change.split.push((self.nodes[node].head, of));
                }
                if !inside.is_empty() {
                    open.push(Called {
                        parent: node,
                        contexts: inside,
                        of,
                    });
                }
            }
        }
        // Nodes below those that are gone have moved by now.
        for &node in &gone {
            self.unlink(node);
        }
        self.free.append(&mut gone);
    }

    /// The node that has exactly these highest contexts.
    fn whole_node(&self, run: &[(Name, u32)]) -> Option<u32> {
        let node = self.top[run[0].1 as usize];
        let of = self.nodes.get(node)?;
        let is_whole = !of.is_split
            && of.highest as usize == run.len()
            && run.iter().all(|it| self.top[it.1 as usize] == node);
        is_whole.then_some(node)
    }

    /// Makes the node of these highest contexts, sorted by name; it, and the contexts that it calls. Nodes that have lost
    /// all of theirs are `gone`.
    fn make(
        &mut self,
        tree: Tree<'_>,
        parent: u32,
        highest: &[(Name, u32)],
        gone: &mut Vec<u32>,
    ) -> (u32, Vec<u32>) {
        let name = highest[0].0;
        let node = self.add(Node {
            weight: 0,
            name,
            parent: NONE,
            child: NONE,
            before: NONE,
            after: NONE,
            head: NONE,
            highest: highest.len() as u32,
            contexts: 0,
            deepest: 0,
            is_split: false,
        });
        for &(_, context) in highest {
            let before = std::mem::replace(&mut self.top[context as usize], node);
            if let Some(of) = self.nodes.get_mut(before) {
                of.is_split = true;
                of.highest -= 1;
                if of.highest == 0 {
                    gone.push(before);
                }
            }
        }
        let (mut inside, mut head) = (Vec::new(), NONE);
        let (mut contexts, mut deepest, mut weight) = (0, 0, 0_u64);
        for &(_, context) in highest {
            // The smallest one is the first of the list.
            match head {
                NONE => (head, self.next[context as usize]) = (context, NONE),
                _ if context < head => {
                    self.next[context as usize] = head;
                    head = context;
                }
                _ => {
                    self.next[context as usize] = self.next[head as usize];
                    self.next[head as usize] = context;
                }
            }
            weight = weight.saturating_add(tree.total(context));
            contexts += 1;
            deepest = deepest.max(self.levels[context as usize]);
            let end = tree.end(context);
            let mut at = context + 1;
            while at < end {
                let level = self.levels[at as usize];
                let is_inside = self.top[at as usize] == NONE
                    && tree.names.is_prefix(name, tree.name(at, level));
                if is_inside {
                    contexts += 1;
                    deepest = deepest.max(level);
                    at += 1;
                } else {
                    inside.push(at);
                    at = tree.end(at);
                }
            }
        }
        let of = &mut self.nodes[node];
        (of.weight, of.head) = (weight, head);
        (of.contexts, of.deepest) = (contexts, deepest);
        self.link(parent, node);
        (node, inside)
    }
}
