//! The cut through the hierarchy: which modules are displayed as one block because they are collapsed.

use std::collections::BTreeSet;

use crate::facts::hierarchy::Hierarchy;
use crate::units::ModuleId;

/// The collapsed modules. A module is *visible* when no ancestor of it is collapsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    collapsed: BTreeSet<ModuleId>,
}

impl Cut {
    /// Everything expanded.
    pub fn all() -> Cut {
        Cut::default()
    }

    /// Everything below the modules of depth `level` collapsed into them; the root has depth 0.
    pub fn at_level(hierarchy: &Hierarchy, level: u16) -> Cut {
        let at_level = hierarchy
            .modules()
            .filter(|&id| hierarchy.depth(id) == level);
        Cut {
            collapsed: at_level.filter(|&id| !hierarchy.is_leaf(id)).collect(),
        }
    }

    pub fn is_collapsed(&self, module: ModuleId) -> bool {
        self.collapsed.contains(&module)
    }

    /// The collapsed modules in preorder, those inside of others too.
    pub fn collapsed(&self) -> impl Iterator<Item = ModuleId> + '_ {
        self.collapsed.iter().copied()
    }

    pub fn toggle(&mut self, module: ModuleId) {
        if !self.collapsed.remove(&module) {
            self.collapsed.insert(module);
        }
    }

    /// For each module the one that stands for it: itself, or its outermost collapsed ancestor. O(n).
    pub fn displayed(&self, hierarchy: &Hierarchy) -> Vec<ModuleId> {
        let mut displayed: Vec<ModuleId> = hierarchy.modules().collect();
        let mut next = 0;
        for &module in &self.collapsed {
            let subtree = hierarchy.subtree(module);
            if subtree.start >= next {
                next = subtree.end;
                displayed[subtree.start as usize..subtree.end as usize].fill(module);
            }
        }
        displayed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

    #[test]
    fn the_outermost_collapsed_module_stands_for_what_it_holds() {
        let mut builder = HierarchyBuilder::new("root");
        let a = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "a"));
        let b = builder.add(a, Module::named(ModuleKind::File, "b"));
        builder.add(b, Module::named(ModuleKind::Function, "f"));
        builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "c"));
        let (hierarchy, _) = builder.build();
        let displayed = |cut: &Cut| -> Vec<u32> {
            let displayed = cut.displayed(&hierarchy);
            displayed.into_iter().map(|module| module.0).collect()
        };
        assert_eq!(displayed(&Cut::all()), [0, 1, 2, 3, 4]);
        assert_eq!(displayed(&Cut::at_level(&hierarchy, 2)), [0, 1, 2, 2, 4]);
        let mut cut = Cut::at_level(&hierarchy, 2);
        cut.toggle(ModuleId(1));
        assert_eq!(displayed(&cut), [0, 1, 1, 1, 4]);
        assert!(cut.collapsed().eq([ModuleId(1), ModuleId(2)]));
        cut.toggle(ModuleId(1));
        assert_eq!(cut, Cut::at_level(&hierarchy, 2));
    }
}
