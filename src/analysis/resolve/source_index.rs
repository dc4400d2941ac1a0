//! The functions of a source tree by name.

use std::collections::HashMap;

use super::names;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// Functions by their own name (the last of its parts).
pub(super) struct SourceIndex<'a> {
    hierarchy: &'a Hierarchy,
    /// In order of module, so that the functions of one file stand together.
    by_name: HashMap<&'a str, Vec<ModuleId>>,
    /// The same by the name before it too, of what is defined around the function in its file; empty where
    /// nothing is.
    by_scope: HashMap<(&'a str, &'a str), Vec<ModuleId>>,
    /// Classes by name, in order of module: running the body of a Python class is a call of that name.
    classes: HashMap<&'a str, Vec<ModuleId>>,
}

impl<'a> SourceIndex<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy) -> SourceIndex<'a> {
        let mut by_name: HashMap<&str, Vec<ModuleId>> = HashMap::new();
        let mut by_scope: HashMap<(&str, &str), Vec<ModuleId>> = HashMap::new();
        let mut classes: HashMap<&str, Vec<ModuleId>> = HashMap::new();
        for id in hierarchy.modules() {
            match hierarchy.kind(id) {
                ModuleKind::Function => {}
                ModuleKind::Class => {
                    let class = classes.entry(hierarchy.name(id));
                    class.or_default().push(id);
                    continue;
                }
                _ => continue,
            }
            let (scope, name) = last_two(hierarchy.name(id));
            let Some(name) = name else { continue };
            let around = hierarchy.parent(id).filter(|&around| {
                let kind = hierarchy.kind(around);
                matches!(kind, ModuleKind::Class | ModuleKind::Namespace)
            });
            let scope = scope.or_else(|| last_two(hierarchy.name(around?)).1);
            by_name.entry(name).or_default().push(id);
            let scoped = by_scope.entry((scope.unwrap_or_default(), name));
            scoped.or_default().push(id);
        }
        SourceIndex {
            hierarchy,
            by_name,
            by_scope,
            classes,
        }
    }

    /// Whether a file defines a function or a class of that own name. O(log n).
    pub(super) fn is_defined(&self, file: ModuleId, name: &str) -> bool {
        let classes = self.classes.get(name).map_or(&[][..], Vec::as_slice);
        !self.in_file(file, name).is_empty() || !self.inside(file, classes).is_empty()
    }

    /// The functions that a recorded name with a scope may mean: all whose [`SourceIndex::agreement`] is more
    /// than 0 are among them.
    pub(super) fn scoped<'s>(
        &'s self,
        scope: &'s str,
        name: &'s str,
    ) -> impl Iterator<Item = ModuleId> + Clone + use<'a, 's> {
        let of = |scope: &'s str| self.by_scope.get(&(scope, name)).into_iter().flatten();
        of(scope).chain(of("")).copied()
    }

    /// The functions of that own name, in order of module.
    pub(super) fn named(&self, name: &str) -> &[ModuleId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The functions of that own name in one file. O(log n).
    pub(super) fn in_file(&self, file: ModuleId, name: &str) -> &[ModuleId] {
        self.inside(file, self.named(name))
    }

    /// Those of `modules`, which are in order, that lie inside `outer`.
    fn inside<'m>(&self, outer: ModuleId, modules: &'m [ModuleId]) -> &'m [ModuleId] {
        let subtree = self.hierarchy.subtree(outer);
        let start = modules.partition_point(|id| id.0 < subtree.start);
        let end = modules.partition_point(|id| id.0 < subtree.end);
        &modules[start..end]
    }

    /// How many parts of a recorded name, from the last backwards, `function` and the modules around it
    /// bear out; 0 when a class or namespace stands around it that the recorded name does not mention.
    ///
    /// Files and directories need not be mentioned; where they are, they count: `json.decoder.decode` is
    /// `decode` in `json/decoder.py`.
    pub(super) fn agreement(&self, function: ModuleId, recorded: &[&str]) -> usize {
        let mut left = recorded;
        for id in self.hierarchy.ancestors(function) {
            let name = self.hierarchy.name(id);
            match self.hierarchy.kind(id) {
                ModuleKind::Function | ModuleKind::Class | ModuleKind::Namespace => {
                    for part in names::parts(name).into_iter().rev() {
                        match left.split_last() {
                            Some((last, before)) if *last == part => left = before,
                            _ => return 0,
                        }
                    }
                }
                kind => {
                    let stem = match kind {
                        ModuleKind::File => name.split('.').next().unwrap_or(name),
                        _ => name,
                    };
                    if let Some((last, before)) = left.split_last()
                        && (same_module(stem, last)
                            // Functions outside of classes in Kotlin: `UtilKt.f` in `Util.kt`.
                            || last.strip_suffix("Kt").is_some_and(|last| last == stem))
                    {
                        left = before;
                    }
                }
            }
        }
        recorded.len() - left.len()
    }
}

/// Packages are named with hyphens where the modules of the language may not have any.
fn same_module(a: &str, b: &str) -> bool {
    a.len() == b.len()
        && a.bytes()
            .zip(b.bytes())
            .all(|(a, b)| a == b || (a == b'-' && b == b'_'))
}

/// The last part of a name.
pub(super) fn own_name(name: &str) -> Option<&str> {
    last_two(name).1
}

/// The last part of a name and the one before it.
fn last_two(name: &str) -> (Option<&str>, Option<&str>) {
    if names::is_plain(name) {
        return (None, Some(name));
    }
    let mut parts = names::parts(name);
    let last = parts.pop();
    (parts.pop(), last)
}
