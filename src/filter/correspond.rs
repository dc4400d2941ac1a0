//! Which module of one hierarchy is which of another.

use std::collections::HashMap;

use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// By module of `from`, the module of `to` with the same path; of several of one kind and name in one place the
/// one that comes as many places after the first. O(n).
pub fn by_path(from: &Hierarchy, to: &Hierarchy) -> Vec<Option<ModuleId>> {
    let mut found: Vec<Option<ModuleId>> = vec![None; from.len()];
    found[0] = Some(ModuleId::ROOT);
    let mut children: HashMap<(ModuleKind, &str), Vec<ModuleId>> = HashMap::new();
    for parent in from.modules() {
        let Some(there) = found[parent.index()] else {
            continue;
        };
        if from.is_leaf(parent) {
            continue;
        }
        children.clear();
        for child in to.children(there) {
            let key = (to.kind(child), to.name(child));
            children.entry(key).or_default().push(child);
        }
        for same in children.values_mut() {
            same.reverse();
        }
        for child in from.children(parent) {
            let same = children.get_mut(&(from.kind(child), from.name(child)));
            found[child.index()] = same.and_then(Vec::pop);
        }
    }
    found
}

/// Whether two hierarchies say the same of the same modules. O(n).
pub fn are_equal(a: &Hierarchy, b: &Hierarchy) -> bool {
    a.len() == b.len()
        && a.modules()
            .all(|id| a.module(id) == b.module(id) && a.subtree(id) == b.subtree(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};

    fn tree(paths: &[&str]) -> Hierarchy {
        let mut builder = HierarchyBuilder::new("root");
        for path in paths {
            let mut node = NodeId::ROOT;
            let mut names = path.split('/').peekable();
            while let Some(name) = names.next() {
                let kind = ModuleKind::Directory;
                let known = builder
                    .find(node, kind, name)
                    .filter(|_| names.peek().is_some());
                node = known.unwrap_or_else(|| builder.add(node, Module::named(kind, name)));
            }
        }
        builder.build().0
    }

    #[test]
    fn modules_are_found_again_by_their_paths() {
        let old = tree(&["a/x", "a/y", "a/y", "b/z", "c"]);
        let new = tree(&["b/z", "a/new", "a/y", "a/y", "a/x"]);
        for (id, found) in old.modules().zip(by_path(&old, &new)) {
            match found {
                Some(found) => assert_eq!(old.path(id), new.path(found)),
                None => assert_eq!(old.path(id), "c"),
            }
        }
        let mut found: Vec<_> = by_path(&old, &new).into_iter().flatten().collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), old.len() - 1, "each once");
        assert!(are_equal(&old, &old.clone()) && !are_equal(&old, &new));
    }
}
