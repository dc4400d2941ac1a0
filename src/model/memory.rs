//! To which module the objects in memory belong.

use std::collections::HashMap;

use crate::analysis::session::{Resolved, Session};
use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::facts::memory::{Cell, Memory};
use crate::units::{FunctionId, ModuleId};

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
            BelongsTo::Class => "to the module of its class, else of its creator",
            BelongsTo::Creator => "to the module that created it",
        }
    }
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
    let classes = match by {
        BelongsTo::Class => classes(hierarchy),
        BelongsTo::Creator => HashMap::new(),
    };
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
    let class = |cell: &Cell| {
        let name = memory.types.get(cell.kind as usize)?;
        *classes.get(last_part(name))?
    };
    let cells = memory.cells().iter();
    cells
        .map(|cell| class(cell).or_else(|| creator(cell)))
        .collect()
}

/// The classes of a hierarchy by their names; none for a name that several have.
fn classes(hierarchy: &Hierarchy) -> HashMap<&str, Option<ModuleId>> {
    let mut classes: HashMap<&str, Option<ModuleId>> = HashMap::new();
    let is_class = |&id: &ModuleId| hierarchy.kind(id) == ModuleKind::Class;
    for id in hierarchy.modules().filter(is_class) {
        let class = classes.entry(hierarchy.name(id)).or_insert(Some(id));
        if *class != Some(id) {
            *class = None;
        }
    }
    classes
}

/// `Name` of `org.package.Name` and of `space::Name`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '/', '$']).next().unwrap_or(name)
}
