//! Which modules a layout makes blocks of, as columns: what every pass over a million of them reads.

use crate::geometry::BlockKind;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;

/// The displayed modules in preorder. Nothing is kept where every module is displayed: then the columns of the
/// hierarchy say it all.
#[derive(Clone, Debug, Default)]
pub(super) struct Displayed {
    is_part: bool,
    modules: Vec<ModuleId>,
    kinds: Vec<BlockKind>,
    ends: Vec<u32>,
}

/// The displayed modules by block.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    /// One past the last block of each block's subtree.
    pub ends: &'a [u32],
    part: Option<(&'a [ModuleId], &'a [BlockKind])>,
}

impl Columns<'_> {
    pub(super) fn module(&self, at: usize) -> ModuleId {
        match self.part {
            Some((modules, _)) => modules[at],
            None => ModuleId(at as u32),
        }
    }

    pub(super) fn kind(&self, at: usize) -> BlockKind {
        match self.part {
            Some((_, kinds)) => kinds[at],
            None if self.ends[at] as usize == at + 1 => BlockKind::Leaf,
            None => BlockKind::Terrace,
        }
    }

    /// Whether every module has a block, so that blocks and modules have the same numbers.
    pub(super) fn is_whole(&self) -> bool {
        self.part.is_none()
    }
}

impl Displayed {
    pub(super) fn columns<'a>(&'a self, hierarchy: &'a Hierarchy) -> Columns<'a> {
        if self.is_part {
            Columns {
                ends: &self.ends,
                part: Some((&self.modules, &self.kinds)),
            }
        } else {
            Columns {
                ends: hierarchy.ends(),
                part: None,
            }
        }
    }

    /// Finds out what is displayed, and puts for each block the one that it stands on into `parents`; the root
    /// stands for its own. O(n).
    pub(super) fn find(&mut self, hierarchy: &Hierarchy, cut: &Cut, parents: &mut Vec<u32>) {
        self.is_part = cut.collapsed().next().is_some() || cut.hidden().next().is_some();
        self.modules.clear();
        self.kinds.clear();
        self.ends.clear();
        parents.clear();
        if !self.is_part {
            parents.extend_from_slice(hierarchy.parents());
            return;
        }
        // The blocks whose subtrees are being filled, and the ids at which these end.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut collapsed = cut.collapsed().peekable();
        let mut hidden = cut.hidden().peekable();
        let mut next = 0;
        while next < hierarchy.len() as u32 {
            let module = ModuleId(next);
            while let Some(&(block, end)) = open.last()
                && end <= next
            {
                self.ends[block as usize] = self.ends.len() as u32;
                open.pop();
            }
            let end = hierarchy.subtree(module).end;
            while hidden.next_if(|&id| id < module).is_some() {}
            if hidden.peek() == Some(&module) && module != ModuleId::ROOT {
                next = end;
                continue;
            }
            while collapsed.next_if(|&id| id < module).is_some() {}
            let kind = if end == next + 1 {
                BlockKind::Leaf
            } else if collapsed.peek() == Some(&module) {
                BlockKind::Collapsed
            } else {
                BlockKind::Terrace
            };
            let block = self.ends.len() as u32;
            parents.push(open.last().map_or(0, |&(block, _)| block));
            self.modules.push(module);
            self.kinds.push(kind);
            self.ends.push(block + 1);
            if kind == BlockKind::Terrace {
                open.push((block, end));
                next += 1;
            } else {
                next = end;
            }
        }
        for (block, _) in open {
            self.ends[block as usize] = self.ends.len() as u32;
        }
        for (at, (kind, &end)) in self.kinds.iter_mut().zip(&self.ends).enumerate() {
            // All that stood on it is hidden.
            if *kind == BlockKind::Terrace && end as usize == at + 1 {
                *kind = BlockKind::Leaf;
            }
        }
    }
}
