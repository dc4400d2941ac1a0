//! Less detail: a node merges with what calls it or stands beside it, and then nodes that they call merge.
//!
//! First it is found which nodes merge, without looking at contexts, and whether that is allowed. Then it is done.

use super::{
    Blocked, Change, Compaction, NONE, Name, Node, NodeId, Tree, each_member, listed, runs,
};

/// Nodes that become one.
struct Merge {
    into: u32,
    name: Name,
    deepest: u16,
    /// The node with that name.
    longest: u32,
    /// Their highest contexts become some of its highest.
    joined: Vec<u32>,
    /// They lie below it and become parts of it.
    absorbed: Vec<u32>,
    /// What it calls then.
    children: Vec<u32>,
}

impl Compaction {
    pub(super) fn compact(&mut self, tree: Tree<'_>, node: NodeId) -> Result<Change, Blocked> {
        let of = self.nodes[node];
        if of.deepest <= 1 {
            return Err(Blocked::Compacted);
        }
        let name = tree.names.without_last(of.name);
        if let Some(parent) = self.nodes.get(of.parent)
            && tree.names.length(name) < tree.names.length(parent.name)
        {
            return Err(Blocked::BelowParent {
                node: of.name,
                parent: parent.name,
            });
        }
        let merges = self.plan(tree, node, name)?;
        let levels = &mut self.levels;
        each_member(tree, &self.top, &self.next, of.head, |context| {
            let level = &mut levels[context as usize];
            *level = (*level - 1).max(1);
        });
        let mut change = Change::default();
        let mut gone = Vec::new();
        // Only the first stays in a list of siblings that is not made anew.
        if let Some(first) = merges.first() {
            first.joined.iter().for_each(|&it| self.unlink(it));
        }
        for merge in &merges {
            self.apply(merge, &mut change, &mut gone);
        }
        for merged in &mut change.merged {
            merged.1 = self.nodes[merged.1].head;
        }
        self.free.append(&mut gone);
        Ok(change)
    }

    /// What merges when the name of `node` becomes `name`, callers first.
    fn plan(&self, tree: Tree<'_>, node: u32, name: Name) -> Result<Vec<Merge>, Blocked> {
        let of = self.nodes[node];
        let deepest = of.deepest - 1;
        let names = tree.names;
        let around = self.nodes.get(of.parent);
        let parent = self.parent(node);
        let mut first = match around.filter(|it| names.is_prefix(it.name, name)) {
            Some(around) => Merge {
                into: of.parent,
                name: around.name,
                deepest: around.deepest,
                longest: of.parent,
                joined: Vec::new(),
                absorbed: vec![node],
                children: self.children(parent).filter(|it| *it != node).collect(),
            },
            None => Merge {
                into: node,
                name,
                deepest,
                longest: node,
                joined: self
                    .children(parent)
                    .filter(|&it| it != node && names.is_prefix(name, self.name(it)))
                    .collect(),
                absorbed: Vec::new(),
                children: Vec::new(),
            },
        };
        first.children.extend(self.children(Some(node)));
        if deepest > first.deepest {
            (first.deepest, first.longest) = (deepest, node);
        }
        for &it in &first.joined {
            first.children.extend(self.children(Some(it)));
        }
        let mut merges = vec![first];
        let mut at = 0;
        while at < merges.len() {
            let mut more = self.settle(tree, node, &mut merges[at])?;
            merges.append(&mut more);
            at += 1;
        }
        Ok(merges)
    }

    /// Completes a merge by what it absorbs of its children; the merges among the others.
    fn settle(
        &self,
        tree: Tree<'_>,
        lowered: u32,
        merge: &mut Merge,
    ) -> Result<Vec<Merge>, Blocked> {
        let names = tree.names;
        let mut open = std::mem::take(&mut merge.children);
        let mut kept: Vec<(Name, u32)> = Vec::new();
        while let Some(node) = open.pop() {
            let name = self.name(node);
            if names.is_prefix(merge.name, name) {
                merge.absorbed.push(node);
                open.extend(self.children(Some(node)));
            } else {
                kept.push((name, node));
            }
        }
        for &node in merge.joined.iter().chain(&merge.absorbed) {
            let deepest = self.nodes[node].deepest;
            if node != lowered && deepest > merge.deepest {
                (merge.deepest, merge.longest) = (deepest, node);
            }
        }
        if merge.deepest > names.length(merge.name) + 1 {
            let inner = self.deepest_name(tree, merge.longest);
            return Err(Blocked::AcrossLevels {
                outer: merge.name,
                inner: match merge.longest == lowered {
                    true => names.without_last(inner),
                    false => inner,
                },
            });
        }
        // Of nodes with one name the one with most contexts to be told of it stays.
        let most = |node: u32| u32::MAX - self.nodes[node].highest;
        kept.sort_unstable_by_key(|&(name, node)| (name, most(node), node));
        let mut merges = Vec::new();
        for run in runs(names, &kept) {
            let (name, into) = run[0];
            merge.children.push(into);
            if run.len() > 1 {
                let joined: Vec<u32> = run[1..].iter().map(|it| it.1).collect();
                let all = run.iter().flat_map(|it| self.children(Some(it.1)));
                merges.push(Merge {
                    into,
                    name,
                    deepest: self.nodes[into].deepest,
                    longest: into,
                    children: all.collect(),
                    joined,
                    absorbed: Vec::new(),
                });
            }
        }
        Ok(merges)
    }

    fn apply(&mut self, merge: &Merge, change: &mut Change, gone: &mut Vec<u32>) {
        let into = merge.into;
        let first = self.nodes[into].head;
        for &node in &merge.joined {
            let Node {
                head,
                weight,
                highest,
                contexts,
                ..
            } = self.nodes[node];
            let mut last = head;
            let mut at = head;
            while at != NONE {
                self.top[at as usize] = into;
                last = at;
                at = self.next[at as usize];
            }
            let of = &mut self.nodes[into];
            of.weight = of.weight.saturating_add(weight);
            of.highest += highest;
            of.contexts += contexts;
            // The smaller of both heads stays the first.
            let own = of.head;
            of.head = own.min(head);
            if head < own {
                self.next[last as usize] = own;
            } else {
                self.next[last as usize] = self.next[own as usize];
                self.next[own as usize] = head;
            }
            change.merged.push((head, into));
        }
        for &node in &merge.absorbed {
            let Node { head, contexts, .. } = self.nodes[node];
            let highest: Vec<u32> = listed(&self.next, head).collect();
            for context in highest {
                self.top[context as usize] = NONE;
            }
            self.nodes[into].contexts += contexts;
            change.merged.push((head, into));
        }
        if self.nodes[into].head != first {
            change.merged.push((first, into));
        }
        gone.extend(merge.joined.iter().chain(&merge.absorbed));
        let of = &mut self.nodes[into];
        (of.name, of.deepest, of.child) = (merge.name, merge.deepest, NONE);
        for &child in &merge.children {
            self.link(into, child);
        }
    }
}
