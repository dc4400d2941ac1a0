//! Which file of a source tree imports which, and which of them import each other round in a circle.

use callscape_analysis::relations::cycles::components;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// The imports between the files of a hierarchy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imports {
    /// From a file to one that it imports: each pair once, in order.
    pairs: Vec<(ModuleId, ModuleId)>,
    /// From a file that is imported to one that imports it, in order.
    reversed: Vec<(ModuleId, ModuleId)>,
    /// The files that lead to each other by imports: each group in order, the largest first.
    cycles: Vec<Vec<ModuleId>>,
    /// Calls by name from one function to another, or from a file's own code, and how many; in order of the caller.
    calls: Vec<Call>,
    /// The same in order of the callee.
    calls_to: Vec<Call>,
    /// From a class to one that it inherits from, in order; and the other way round.
    bases: Vec<(ModuleId, ModuleId)>,
    derived: Vec<(ModuleId, ModuleId)>,
    /// By module, how many global variables it and all in it declare; empty where that is not known.
    globals: Vec<u32>,
}

/// Calls told by name: who calls, whom, and how many.
type Call = (ModuleId, ModuleId, u64);

impl Imports {
    /// Of `pairs` in order, each once. O(n + pairs log pairs).
    pub fn new(hierarchy: &Hierarchy, pairs: Vec<(ModuleId, ModuleId)>) -> Imports {
        let edges = pairs.iter().map(|(from, to)| (from.0, to.0));
        let cycles = components(hierarchy.len(), edges).into_iter();
        let cycles = cycles.map(|cycle| cycle.into_iter().map(ModuleId).collect());
        let reversed = pairs.iter().map(|&(from, to)| (to, from));
        let mut reversed: Vec<_> = reversed.collect();
        reversed.sort_unstable();
        Imports {
            cycles: cycles.collect(),
            pairs,
            reversed,
            calls: Vec::new(),
            calls_to: Vec::new(),
            bases: Vec::new(),
            derived: Vec::new(),
            globals: Vec::new(),
        }
    }

    /// The same with classes and what they inherit from, told by name: in order and each pair once. O(pairs log pairs).
    pub fn with_bases(mut self, bases: Vec<(ModuleId, ModuleId)>) -> Imports {
        self.derived = bases.iter().map(|&(from, to)| (to, from)).collect();
        self.derived.sort_unstable();
        self.bases = bases;
        self
    }

    /// The same with the number of global variables by module.
    pub fn with_globals(self, globals: Vec<u32>) -> Imports {
        Imports { globals, ..self }
    }

    /// From a class to one that it inherits from: each pair once, in order.
    pub fn bases(&self) -> &[(ModuleId, ModuleId)] {
        &self.bases
    }

    /// Whether a class inherits from another directly.
    pub fn inherits(&self, class: ModuleId, base: ModuleId) -> bool {
        self.bases.binary_search(&(class, base)).is_ok()
    }

    /// The classes that a module, or a class in it, inherits from and that are not in it, in order.
    pub fn bases_of(&self, hierarchy: &Hierarchy, module: ModuleId) -> Vec<ModuleId> {
        others(hierarchy, module, &self.bases)
    }

    /// The classes outside of a module that inherit from it, or from a class in it, in order.
    pub fn derived_from(&self, hierarchy: &Hierarchy, module: ModuleId) -> Vec<ModuleId> {
        others(hierarchy, module, &self.derived)
    }

    /// By module, how many global variables it and all in it declare; empty where that is not known.
    pub fn globals(&self) -> &[u32] {
        &self.globals
    }

    /// The same with calls told by name, which are in order and each pair once. O(calls log calls).
    pub fn with_calls(mut self, calls: Vec<Call>) -> Imports {
        self.calls_to = calls.clone();
        self.calls_to.sort_by_key(|&(from, to, _)| (to, from));
        self.calls = calls;
        self
    }

    /// Calls told by name that leave a module or enter it. O(log calls + found).
    pub fn calls_of(&self, hierarchy: &Hierarchy, module: ModuleId) -> impl Iterator<Item = Call> {
        let inside = hierarchy.subtree(module);
        let part = |calls: &[Call], of: fn(&Call) -> ModuleId| {
            let first = calls.partition_point(|call| of(call).0 < inside.start);
            let end = calls.partition_point(|call| of(call).0 < inside.end);
            first..end
        };
        let leaving = part(&self.calls, |call| call.0);
        let entering = part(&self.calls_to, |call| call.1);
        let is_inside = move |of: ModuleId| inside.contains(&of.0);
        let entering = self.calls_to[entering].iter().copied();
        let leaving = self.calls[leaving].iter().copied();
        let outside = is_inside.clone();
        let leaving = leaving.filter(move |call| !outside(call.1));
        leaving.chain(entering.filter(move |call| !is_inside(call.0)))
    }

    pub fn pairs(&self) -> &[(ModuleId, ModuleId)] {
        &self.pairs
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The files that lead to each other by imports, each group in order, the largest first.
    pub fn cycles(&self) -> &[Vec<ModuleId>] {
        &self.cycles
    }

    /// The group of the cycles that a file is in. O(files in cycles).
    pub fn cycle_of(&self, file: ModuleId) -> Option<&[ModuleId]> {
        let mut cycles = self.cycles.iter();
        let found = cycles.find(|cycle| cycle.binary_search(&file).is_ok());
        found.map(Vec::as_slice)
    }

    /// The pairs both of which are among `files`, which are in order. O(pairs of the files).
    pub fn within<'a>(
        &'a self,
        files: &'a [ModuleId],
    ) -> impl Iterator<Item = (ModuleId, ModuleId)> + 'a {
        let of = move |&file: &ModuleId| {
            let first = self.pairs.partition_point(|&(from, _)| from < file);
            let pairs = self.pairs[first..].iter().copied();
            pairs.take_while(move |&(from, _)| from == file)
        };
        let pairs = files.iter().flat_map(of);
        pairs.filter(|(_, to)| files.binary_search(to).is_ok())
    }

    /// The files outside of a module that it imports, in order. O(imports of the files in it).
    pub fn imported_by(&self, hierarchy: &Hierarchy, module: ModuleId) -> Vec<ModuleId> {
        others(hierarchy, module, &self.pairs)
    }

    /// The files outside of a module that import it, in order. O(imports of the files in it).
    pub fn importing(&self, hierarchy: &Hierarchy, module: ModuleId) -> Vec<ModuleId> {
        others(hierarchy, module, &self.reversed)
    }
}

/// The second ones, outside of `module`, of pairs in order whose first one is inside.
fn others(
    hierarchy: &Hierarchy,
    module: ModuleId,
    pairs: &[(ModuleId, ModuleId)],
) -> Vec<ModuleId> {
    let inside = hierarchy.subtree(module);
    let first = pairs.partition_point(|(of, _)| of.0 < inside.start);
    let end = pairs.partition_point(|(of, _)| of.0 < inside.end);
    let others = pairs[first..end].iter().map(|&(_, other)| other);
    let mut others: Vec<ModuleId> = others.filter(|it| !inside.contains(&it.0)).collect();
    others.sort_unstable();
    others.dedup();
    others
}

/// Whether a module lies in a file and is none itself.
pub fn is_part_of_file(hierarchy: &Hierarchy, module: ModuleId) -> bool {
    file_of(hierarchy, module) != module
}

/// The file that a module is or lies in; the module itself where it is no part of one.
pub fn file_of(hierarchy: &Hierarchy, module: ModuleId) -> ModuleId {
    let files = hierarchy
        .ancestors(module)
        .filter(|&it| hierarchy.kind(it) == ModuleKind::File);
    files.last().unwrap_or(module)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};

    #[test]
    fn imports_are_counted_by_module_and_cycles_are_found() {
        let mut builder = HierarchyBuilder::new("app");
        let folder = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "lib"));
        for name in ["a", "b", "c"] {
            let file = builder.add(folder, Module::named(ModuleKind::File, name));
            builder.add(file, Module::named(ModuleKind::Function, "f"));
        }
        builder.add(NodeId::ROOT, Module::named(ModuleKind::File, "main"));
        let hierarchy = builder.build().0;
        // 1 lib, 2 a, 3 a/f, 4 b, 6 c, 8 main.
        let [lib, a, f, b, c, main] = [1, 2, 3, 4, 6, 8].map(ModuleId);
        let pairs = vec![(a, b), (b, c), (c, a), (main, a), (main, c)];
        let imports = Imports::new(&hierarchy, pairs);
        assert_eq!(imports.cycles(), [vec![a, b, c]]);
        assert_eq!(imports.cycle_of(b), Some(&[a, b, c][..]));
        assert_eq!(imports.cycle_of(main), None);
        for (of, imported, importing) in [
            (a, vec![b], vec![c, main]),
            (lib, vec![], vec![main]),
            (main, vec![a, c], vec![]),
        ] {
            assert_eq!(imports.imported_by(&hierarchy, of), imported);
            assert_eq!(imports.importing(&hierarchy, of), importing);
        }
        let within: Vec<_> = imports.within(&[a, c]).collect();
        assert_eq!(within, [(c, a)]);
        let calls = vec![(f, ModuleId(5), 2), (main, f, 1), (main, ModuleId(7), 9)];
        let imports = imports.with_calls(calls);
        let of = |module| {
            let calls = imports.calls_of(&hierarchy, module);
            calls.map(|(_, _, count)| count).collect::<Vec<_>>()
        };
        assert_eq!(of(f), [2, 1]);
        assert_eq!(of(lib), [1, 9], "those within it are its own affair");
        assert_eq!(of(b), [2]);
        assert_eq!(file_of(&hierarchy, f), a);
        assert_eq!(file_of(&hierarchy, lib), lib);
    }
}
