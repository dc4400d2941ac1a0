//! The entities of objects in memory: that of an object's class, else that of who created it. Source: Walker et al.,
//! *Visualizing Dynamic Software System Information through High-Level Models*, sections 3.1 and 3.3.

use super::Mapping;
use super::matching::Matching;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::functions::Functions;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::memory::{Cell, Memory};

/// A mapping applied to the objects of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedObjects {
    /// By cell of the memory: the entity of its objects as an index into [`Mapping::entities`]; none where no entry
    /// matches.
    pub entities: Vec<Option<usize>>,
    /// Line and text of each entry that matches no function, and if classes count no class.
    pub unused: Vec<(u64, String)>,
}

impl Mapping {
    /// The entity of the objects of each cell: with `by_class` that of the first entry that matches their class, where
    /// the recording names it; else that of the innermost function of the stack that created them which an entry
    /// matches. `modules` are the functions' modules in `hierarchy`. O((functions + classes) × entries + frames).
    pub fn apply_to_objects(
        &self,
        memory: &Memory,
        (functions, modules): (&Functions, &[ModuleId]),
        hierarchy: &Hierarchy,
        by_class: bool,
    ) -> MappedObjects {
        let of_functions = self.apply(functions, hierarchy, modules);
        let mut unused = of_functions.unused;
        let matching = Matching::new(&self.entries, hierarchy);
        let types = match by_class && memory.types_are_classes {
            true => memory.types.as_slice(),
            false => &[],
        };
        let of_types: Vec<Option<usize>> = types
            .iter()
            .map(|name| {
                let entry = matching.of_class(name).map(|entry| &self.entries[entry])?;
                unused.retain(|(line, _)| *line != entry.line);
                Some(entry.entity)
            })
            .collect();
        let of_function = |function: FunctionId| {
            let entity = of_functions.entities.get(function.index());
            entity.copied().flatten()
        };
        let entity = |cell: &Cell| {
            let of_class = of_types.get(cell.kind as usize).copied().flatten();
            of_class.or_else(|| memory.stacks.functions(cell.stack).find_map(of_function))
        };
        MappedObjects {
            entities: memory.cells().iter().map(entity).collect(),
            unused,
        }
    }
}
