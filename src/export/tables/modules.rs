//! Modules in tables: what the functions of a recording are called in the hierarchy, and the source tree.

use std::io::{self, Write};

use super::writer::TableWriter;
use crate::part::Part;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::hierarchy::Hierarchy;

/// The path of the module that a function is; empty where it is none.
pub(super) fn path_of(part: &Part<'_>, function: FunctionId) -> String {
    let module = part.resolution.modules.get(function.index());
    let path = module.map(|&module| part.hierarchy.path(module));
    path.unwrap_or_default()
}

/// The names that the path is made of, with a tab between: names may hold `/`. A tab in a name is a space there.
pub(super) fn levels_of(part: &Part<'_>, function: FunctionId) -> String {
    let Some(&module) = part.resolution.modules.get(function.index()) else {
        return String::new();
    };
    let hierarchy = part.hierarchy;
    let names = hierarchy.ancestors(module).map(|id| hierarchy.name(id));
    let mut names: Vec<String> = names.map(|name| name.replace('\t', " ")).collect();
    if names.len() > 1 {
        // The root is not in paths.
        names.pop();
    }
    names.reverse();
    names.join("\t")
}

/// Whether a hierarchy comes from a source tree, and not from the names in a recording alone.
pub(super) fn are_of_source(hierarchy: &Hierarchy) -> bool {
    hierarchy.module(ModuleId::ROOT).functions > 0
}

/// One row a module. O(modules × depth).
pub(super) fn modules<W: Write + Send>(
    part: &Part<'_>,
    rows: &mut TableWriter<W>,
) -> io::Result<()> {
    let hierarchy = part.hierarchy;
    let mut ran: Vec<Option<FunctionId>> = vec![None; hierarchy.len()];
    let functions = part.recording.functions.ids();
    for (function, module) in functions.zip(&part.resolution.modules) {
        if let Some(of) = ran.get_mut(module.index()) {
            of.get_or_insert(function);
        }
    }
    for (id, function) in hierarchy.modules().zip(ran) {
        let module = hierarchy.module(id);
        rows.number(id.0.into());
        rows.number_or_null(hierarchy.parent(id).map(|it| it.0.into()));
        rows.number(hierarchy.depth(id).into());
        rows.text(module.kind.name());
        rows.text(module.name);
        rows.text(&hierarchy.path(id));
        rows.number(module.line.into());
        rows.number(module.end_line.into());
        rows.number(module.loc.into());
        rows.number_or_null(function.map(|it| it.0.into()));
        rows.end_row();
        rows.end_batch_if_full()?;
    }
    Ok(())
}
