//! To which module the objects in memory belong.

use std::collections::HashMap;

use crate::metric::Metric;
use crate::moment::Moment;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, FunctionId, ModuleId, Time};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::memory::{Cell, Detail, Known, Memory, SumRow};
use callscape_facts::recording::Recording;

/// What decides to which module an object belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BelongsTo {
    /// The module of its class where the recording names one that the structure has, else its creator (AVID, sections
    /// 3.1 and 3.3).
    #[default]
    Class,
    /// The innermost function with source of the stack that created it; where none has source the innermost of all.
    Creator,
}

impl BelongsTo {
    pub const ALL: [BelongsTo; 2] = [BelongsTo::Class, BelongsTo::Creator];

    /// As a legend says it.
    pub fn title(self) -> &'static str {
        match self {
            BelongsTo::Class => "to its class's module, or its creator's",
            BelongsTo::Creator => "to the module that created it",
        }
    }
}

/// Whether a recording tells a metric of memory. O(cells + events to the nearest checkpoint).
pub fn tells(memory: &Memory, metric: Metric) -> bool {
    let of = |row: &SumRow| match metric {
        Metric::LiveBytes => row.live_bytes,
        Metric::LiveObjects => row.live,
        Metric::Allocations => row.allocations,
        _ => None,
    };
    match &memory.known {
        Known::Events(_) if memory.detail == Detail::Counters => false,
        Known::Events(_) => metric != Metric::LiveBytes || memory.sizes_known,
        Known::Allocations(allocations) => allocations.last().iter().any(|it| of(it).is_some()),
        Known::Sums(sums) => sums.last().iter().any(|it| of(it).is_some()),
    }
}

/// Whether allocations or releases may be missing in the cel of a moment, in a summary anywhere in its range: histograms of
/// objects would be wrong then (AVID with sampling, section 2.2). O(log ranges of the sampling + those in the cel).
pub fn is_sampled(recording: &Recording, moment: &Moment) -> bool {
    let memory = recording.memory.as_ref();
    if memory.is_none_or(|it| it.detail != Detail::Samples) {
        return false;
    }
    // What a profiler has sampled is sampled everywhere.
    let Some(sampling) = &recording.sampling else {
        return true;
    };
    if moment.summary {
        // Patterns are those of the whole run, whatever range is chosen.
        return sampling.samples_objects(Time::ZERO, recording.trace.range().end);
    }
    // An event at the start belongs to the cel before; before the very start there is none.
    let first = match moment.previous {
        Time::ZERO => Time::ZERO,
        start => start + Cost::from_ns(1),
    };
    sampling.samples_objects(first.min(moment.time), moment.time)
}

/// By cell of a recording's memory the module that its objects belong to; none where nothing is known of their creation.
/// O(frames of the stacks).
pub fn owners(
    session: &Session,
    resolved: &Resolved,
    memory: &Memory,
    by: BelongsTo,
) -> Vec<Option<ModuleId>> {
    let hierarchy = &session.hierarchy;
    let modules = &resolved.resolution.modules;
    // Functions without source lie in a district of their own.
    let module = |function: FunctionId| modules.get(function.index()).copied();
    let is_mapped = |module: &ModuleId| {
        let mut around = hierarchy.ancestors(*module);
        !around.any(|it| hierarchy.kind(it) == ModuleKind::External)
    };
    let creator = |cell: &Cell| {
        let functions = || memory.stacks.functions(cell.stack).filter_map(module);
        functions().find(is_mapped).or_else(|| functions().next())
    };
    let of_types: Vec<Option<ModuleId>> = match by {
        BelongsTo::Class if memory.types_are_classes => class_of_types(hierarchy, &memory.types),
        _ => Vec::new(),
    };
    let class = |cell: &Cell| of_types.get(cell.kind as usize).copied().flatten();
    let cells = memory.cells().iter();
    cells
        .map(|cell| class(cell).or_else(|| creator(cell)))
        .collect()
}

/// By type, the class of a hierarchy that it names; none where it names none, or where several could be meant.
fn class_of_types(hierarchy: &Hierarchy, types: &[String]) -> Vec<Option<ModuleId>> {
    let mut classes: HashMap<&str, Vec<ModuleId>> = HashMap::new();
    let is_class = |&id: &ModuleId| hierarchy.kind(id) == ModuleKind::Class;
    for id in hierarchy.modules().filter(is_class) {
        classes.entry(hierarchy.name(id)).or_default().push(id);
    }
    let class = |name: &String| {
        let mut parts = name.split(['.', ':', '/', '$']).filter(|it| !it.is_empty());
        let own = parts.next_back()?;
        let around: Vec<&str> = parts.collect();
        let mut fitting = classes.get(own)?.iter();
        let fits = |id: &&ModuleId| lies_in(hierarchy, **id, &around);
        let (first, second) = (fitting.by_ref().find(fits), fitting.find(fits));
        first.copied().filter(|_| second.is_none())
    };
    types.iter().map(class).collect()
}

/// Whether a class lies where the parts of a qualified name before its own say, as far as both tell: in classes and
/// namespaces of these names, then in a file that may be a module, then in directories.
fn lies_in(hierarchy: &Hierarchy, class: ModuleId, around: &[&str]) -> bool {
    let mut parts = around.iter().rev().peekable();
    for outer in hierarchy.ancestors(class).skip(1) {
        let Some(part) = parts.peek() else {
            return true;
        };
        let name = hierarchy.name(outer);
        match hierarchy.kind(outer) {
            ModuleKind::Root => return true,
            // Languages like Java do not name it.
            ModuleKind::File => {
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                if stem == **part {
                    parts.next();
                }
            }
            _ if name == **part => drop(parts.next()),
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};

    #[test]
    fn a_type_is_the_class_that_lies_where_its_name_says() {
        let mut builder = HierarchyBuilder::new("app");
        let mut add = |parent, kind, name| builder.add(parent, Module::named(kind, name));
        use ModuleKind::{Class, Directory, File, Namespace};
        let org = add(NodeId::ROOT, Directory, "org");
        let file = add(org, File, "Store.java");
        let store = add(file, Class, "Store");
        let inner = add(store, Class, "Node");
        let cc = add(NodeId::ROOT, Directory, "src");
        let file = add(cc, File, "layer.cc");
        let space = add(file, Namespace, "cc");
        let layer = add(space, Class, "Layer");
        let file = add(cc, File, "shapes.py");
        let shape = add(file, Class, "Shape");
        let other = add(org, File, "Other.java");
        let twice = [add(file, Class, "Twice"), add(other, Class, "Twice")];
        let (hierarchy, ids) = builder.build();
        for (name, expected) in [
            ("Store", Some(store)),
            ("org.Store", Some(store)),
            ("com.org.Store", Some(store)),
            ("com.Store", None),
            ("org.Store$Node", Some(inner)),
            ("java.util.HashMap$Node", None),
            ("cc::Layer", Some(layer)),
            ("gpu::Layer", None),
            ("src.shapes.Shape", Some(shape)),
            ("shapes.Shape", Some(shape)),
            ("Twice", None),
            ("org.Twice", Some(twice[1])),
            ("byte[]", None),
            ("", None),
        ] {
            let found = class_of_types(&hierarchy, &[name.to_owned()]);
            let expected = expected.map(|it: NodeId| ids[it.index()]);
            assert_eq!(found, [expected], "{name}");
        }
    }
}
