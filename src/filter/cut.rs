//! The cut through the hierarchy: which modules are displayed as one block because they are collapsed, and in which order
//! the user put districts.

use std::collections::BTreeSet;

use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

/// The collapsed modules, and those that are not shown at all. A module is *visible* when neither it nor an
/// ancestor of it is hidden, and no ancestor of it is collapsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    collapsed: BTreeSet<ModuleId>,
    hidden: BTreeSet<ModuleId>,
    /// Children of one module in the order that the user gave them; empty for none. Those that are not in it stay where
    /// they are.
    order: Vec<ModuleId>,
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
            ..Cut::default()
        }
    }

    /// The same with `module` hidden, and all that lies below it.
    pub fn hiding(mut self, module: Option<ModuleId>) -> Cut {
        self.hidden.extend(module);
        self
    }

    /// The same with nothing collapsed.
    pub fn only_hidden(&self) -> Cut {
        Cut {
            collapsed: BTreeSet::new(),
            ..self.clone()
        }
    }

    /// The same with nothing hidden.
    pub fn without_hidden(&self) -> Cut {
        Cut {
            hidden: BTreeSet::new(),
            ..self.clone()
        }
    }

    /// The hidden modules in preorder.
    pub fn hidden(&self) -> impl Iterator<Item = ModuleId> + '_ {
        self.hidden.iter().copied()
    }

    /// The hidden modules of an interval of ids, in preorder.
    pub fn hidden_in(&self, ids: std::ops::Range<u32>) -> impl Iterator<Item = ModuleId> + '_ {
        let ids = ModuleId(ids.start)..ModuleId(ids.end);
        self.hidden.range(ids).copied()
    }

    /// Collapses everything below the modules of depth `level`, and expands what lies above; what is hidden stays
    /// so.
    pub fn set_level(&mut self, hierarchy: &Hierarchy, level: u16) {
        self.collapsed = Cut::at_level(hierarchy, level).collapsed;
    }

    /// The depth down to which everything is expanded: that of the least deep collapsed module; none where
    /// nothing is collapsed.
    pub fn level(&self, hierarchy: &Hierarchy) -> Option<u16> {
        let depths = self.collapsed.iter().map(|&id| hierarchy.depth(id));
        depths.min()
    }

    pub fn expand_all(&mut self) {
        self.collapsed.clear();
    }

    /// Collapses `module`; nothing for a leaf.
    pub fn collapse(&mut self, hierarchy: &Hierarchy, module: ModuleId) {
        if !hierarchy.is_leaf(module) {
            self.collapsed.insert(module);
        }
    }

    /// Expands `module` and what it lies in, so that its children can be seen.
    pub fn expand(&mut self, hierarchy: &Hierarchy, module: ModuleId) {
        for id in hierarchy.ancestors(module) {
            self.collapsed.remove(&id);
        }
    }

    /// Expands `module`, what it lies in and everything in it.
    pub fn expand_whole(&mut self, hierarchy: &Hierarchy, module: ModuleId) {
        self.expand(hierarchy, module);
        let subtree = hierarchy.subtree(module);
        let inside = self
            .collapsed
            .range(ModuleId(subtree.start)..ModuleId(subtree.end));
        let inside: Vec<ModuleId> = inside.copied().collect();
        for id in inside {
            self.collapsed.remove(&id);
        }
    }

    /// Children of one module in the order that the user gave them; empty for none.
    pub fn order(&self) -> &[ModuleId] {
        &self.order
    }

    /// Puts children of one module in this order; what is a child of another than the first, or named before, is left
    /// out.
    pub fn set_order(&mut self, hierarchy: &Hierarchy, order: impl IntoIterator<Item = ModuleId>) {
        self.order.clear();
        let mut parent = None;
        let mut known = BTreeSet::new();
        for module in order {
            let of = (module.index() < hierarchy.len()).then(|| hierarchy.parent(module));
            let of = of.flatten();
            if of.is_some() && (parent.is_none() || parent == of) && known.insert(module) {
                parent = of;
                self.order.push(module);
            }
        }
    }

    /// The module whose children are the districts that can be put in order: the outermost one with more than one
    /// visible child, where none around it is collapsed.
    pub fn around_districts(&self, hierarchy: &Hierarchy) -> Option<ModuleId> {
        let mut around = ModuleId::ROOT;
        loop {
            if self.is_collapsed(around) {
                return None;
            }
            let mut shown = self.districts_in(hierarchy, around);
            match (shown.next(), shown.next()) {
                (Some(_), Some(_)) => return Some(around),
                (Some(only), None) => around = only,
                (None, _) => return None,
            }
        }
    }

    /// The visible children of a module.
    pub fn districts_in<'a>(
        &'a self,
        hierarchy: &'a Hierarchy,
        around: ModuleId,
    ) -> impl Iterator<Item = ModuleId> + 'a {
        let children = hierarchy.children(around);
        children.filter(|it| !self.hidden.contains(it))
    }

    /// How many modules are visible. O(n).
    pub fn visible(&self, hierarchy: &Hierarchy) -> usize {
        let mut visible = 0;
        self.walk(hierarchy, |_| visible += 1);
        visible
    }

    /// Hands over every visible module, in preorder.
    fn walk(&self, hierarchy: &Hierarchy, mut take: impl FnMut(ModuleId)) {
        let mut next = 0;
        while (next as usize) < hierarchy.len() {
            let module = ModuleId(next);
            let end = hierarchy.subtree(module).end;
            if self.hidden.contains(&module) {
                next = end;
                continue;
            }
            take(module);
            next = match self.collapsed.contains(&module) {
                true => end,
                false => next + 1,
            };
        }
    }

    /// The same with the smallest modules collapsed, so that no more than `most` are visible; none where no more are
    /// as it is. `sizes` are by module; the root is never collapsed. O(n log n).
    pub fn within(&self, hierarchy: &Hierarchy, sizes: &[f64], most: usize) -> Option<Cut> {
        let mut visible = self.visible(hierarchy);
        if visible <= most {
            return None;
        }
        // Of each module, how many before it are visible, then how many of those below it.
        let mut below = vec![0usize; hierarchy.len() + 1];
        let mut open = Vec::new();
        self.walk(hierarchy, |module| {
            below[module.index() + 1] = 1;
            if module != ModuleId::ROOT && !hierarchy.is_leaf(module) && !self.is_collapsed(module)
            {
                open.push(module);
            }
        });
        for at in 1..below.len() {
            below[at] += below[at - 1];
        }
        for module in hierarchy.modules() {
            let end = hierarchy.subtree(module).end as usize;
            below[module.index()] = below[end] - below[module.index() + 1];
        }
        let size = |module: ModuleId| sizes.get(module.index()).copied().unwrap_or(0.0);
        // What lies in another comes before it, also where it is all of it.
        open.sort_by(|&a, &b| size(a).total_cmp(&size(b)).then(b.cmp(&a)));
        let mut cut = self.clone();
        for module in open {
            if visible <= most {
                break;
            }
            let gone = std::mem::take(&mut below[module.index()]);
            visible -= gone;
            for above in hierarchy.ancestors(module).filter(|&above| above != module) {
                below[above.index()] -= gone;
            }
            cut.collapsed.insert(module);
        }
        Some(cut)
    }

    /// The same cut through another hierarchy: `to` says which module there is which of here.
    pub fn moved(&self, to: impl Fn(ModuleId) -> Option<ModuleId>) -> Cut {
        let moved = |set: &BTreeSet<ModuleId>| set.iter().filter_map(|&id| to(id)).collect();
        Cut {
            collapsed: moved(&self.collapsed),
            hidden: moved(&self.hidden),
            order: self.order.iter().filter_map(|&id| to(id)).collect(),
        }
    }

    pub fn is_collapsed(&self, module: ModuleId) -> bool {
        self.collapsed.contains(&module)
    }

    /// The collapsed modules in preorder, those inside of others too.
    pub fn collapsed(&self) -> impl ExactSizeIterator<Item = ModuleId> + '_ {
        self.collapsed.iter().copied()
    }

    pub fn toggle(&mut self, module: ModuleId) {
        if !self.collapsed.remove(&module) {
            self.collapsed.insert(module);
        }
    }

    /// For each module the one that stands for it: itself, or its outermost collapsed ancestor, whether they are
    /// hidden or not. O(n).
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
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

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
        assert_eq!(cut.level(&hierarchy), Some(2));
        cut.set_level(&hierarchy, 1);
        assert_eq!(displayed(&cut), [0, 1, 1, 1, 4]);
        cut.collapse(&hierarchy, ModuleId(2));
        cut.collapse(&hierarchy, ModuleId(3));
        cut.expand(&hierarchy, ModuleId(1));
        assert!(
            cut.collapsed().eq([ModuleId(2)]),
            "a leaf has nothing to collapse"
        );
        cut.collapse(&hierarchy, ModuleId(1));
        cut.expand_whole(&hierarchy, ModuleId(1));
        assert_eq!(cut, Cut::all());
        assert_eq!(cut.level(&hierarchy), None);
    }

    #[test]
    fn districts_are_the_children_of_the_outermost_module_with_several() {
        let mut builder = HierarchyBuilder::new("root");
        let only = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "only"));
        for name in ["a", "b", "c"] {
            let district = builder.add(only, Module::named(ModuleKind::Directory, name));
            builder.add(district, Module::named(ModuleKind::File, "f"));
        }
        let (hierarchy, _) = builder.build();
        let [only, a, b, c] = [1, 2, 4, 6].map(ModuleId);
        let mut cut = Cut::all();
        assert_eq!(cut.around_districts(&hierarchy), Some(only));
        assert!(cut.districts_in(&hierarchy, only).eq([a, b, c]));
        // The file in a district, what is unknown, and what is named twice are left out.
        cut.set_order(&hierarchy, [c, ModuleId(5), a, ModuleId(99), c]);
        assert_eq!(cut.order(), [c, a]);
        let moved = cut.moved(|id| (id != c).then_some(ModuleId(id.0 + 10)));
        assert_eq!(moved.order(), [ModuleId(12)]);
        assert_eq!(cut.without_hidden().order(), cut.only_hidden().order());
        assert_ne!(cut, Cut::all());
        cut.collapse(&hierarchy, only);
        assert_eq!(cut.around_districts(&hierarchy), None);
    }

    #[test]
    fn too_many_modules_are_collapsed_the_smallest_first() {
        let mut seed = 7u64;
        let mut below = |limit: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % limit
        };
        for round in 0..40 {
            let mut builder = HierarchyBuilder::new("root");
            let mut nodes = vec![NodeId::ROOT];
            for _ in 0..200 {
                let parent = nodes[below(nodes.len() as u64) as usize];
                nodes.push(builder.add(parent, Module::named(ModuleKind::Directory, "m")));
            }
            let (hierarchy, _) = builder.build();
            let mut sizes: Vec<f64> = hierarchy.modules().map(|_| below(9) as f64).collect();
            for id in hierarchy.modules().collect::<Vec<_>>().into_iter().rev() {
                if let Some(parent) = hierarchy.parent(id) {
                    sizes[parent.index()] += sizes[id.index()];
                }
            }
            let mut cut = Cut::all();
            let module = |at: u64| ModuleId(at as u32);
            for _ in 0..4 {
                cut.collapse(&hierarchy, module(1 + below(200)));
            }
            cut = cut.hiding(Some(module(1 + below(200))));
            let shown: std::collections::BTreeSet<ModuleId> =
                cut.displayed(&hierarchy).into_iter().collect();
            let hidden: Vec<ModuleId> = cut.hidden().collect();
            let is_hidden = |id: &ModuleId| hierarchy.ancestors(*id).any(|it| hidden.contains(&it));
            let visible = shown.iter().filter(|id| !is_hidden(id)).count();
            assert_eq!(cut.visible(&hierarchy), visible, "round {round}");
            assert_eq!(cut.within(&hierarchy, &sizes, visible), None);
            let first = hierarchy.children(ModuleId::ROOT).count();
            for most in [visible - 1, visible / 2, first + 1] {
                let Some(less) = cut.within(&hierarchy, &sizes, most) else {
                    assert!(visible <= most);
                    continue;
                };
                assert!(
                    less.visible(&hierarchy) <= most.max(first + 1),
                    "round {round}"
                );
                assert!(cut.collapsed().all(|id| less.is_collapsed(id)));
                assert!(less.hidden().eq(cut.hidden()));
                // Every other that holds something is as large as the largest that was collapsed.
                let new = less.collapsed().filter(|id| !cut.is_collapsed(*id));
                let largest = new.map(|id| sizes[id.index()]).fold(0.0, f64::max);
                let mut open = Vec::new();
                less.walk(&hierarchy, |id| open.push(id));
                open.retain(|&id| !hierarchy.is_leaf(id) && !less.is_collapsed(id));
                assert!(
                    open.iter().all(|id| sizes[id.index()] >= largest),
                    "round {round}"
                );
            }
        }
    }
}
