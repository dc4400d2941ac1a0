//! The names that compaction shortens: the way through the module hierarchy down to each function.
//!
//! A name is a number. Names are in preorder, so that a name is a prefix of an interval of them.

use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// A name of one element or more. A function that is a module by itself has the name of that module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub(super) u32);

impl Name {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Stands for no function.
const NONE: u32 = u32::MAX;

/// All names of a program, with all their prefixes.
///
/// No function's full name is a strict prefix of another's: where modules lie within the module of a function, the
/// function has an element of its own in that.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By name, one past the last name that it is a prefix of.
    ends: Vec<u32>,
    /// By name, how many elements it has; the root, which is no function's name, has none.
    lengths: Vec<u16>,
    /// By name, the one without its last element; the root stands for its own.
    parents: Vec<u32>,
    modules: Vec<ModuleId>,
    /// By name, the function whose own element it ends with.
    functions: Vec<u32>,
    /// By function, where its prefixes begin in `paths`, the shortest first.
    starts: Vec<u32>,
    /// By function, how many elements its full name has; at least 1.
    full: Vec<u16>,
    paths: Vec<Name>,
}

impl Names {
    /// The names of functions of which `modules` tells their modules. O(modules + functions × depth).
    pub fn new(hierarchy: &Hierarchy, modules: &[ModuleId]) -> Names {
        let module_of = |function: usize| match modules[function] {
            module if module.index() < hierarchy.len() => module,
            _ => ModuleId::ROOT,
        };
        // A function that is a module without others in it needs no element of its own.
        let has_own = |module: ModuleId| {
            hierarchy.kind(module) != ModuleKind::Function || !hierarchy.is_leaf(module)
        };
        let mut own: Vec<(ModuleId, u32)> = (0..modules.len())
            .map(|it| (module_of(it), it as u32))
            .filter(|it| has_own(it.0))
            .collect();
        own.sort_unstable();
        // Own elements stand right behind their module.
        let before = |module: u32| own.partition_point(|it| it.0.0 < module) as u32;
        let name_of = |module: ModuleId| Name(module.0 + before(module.0));
        let mut names = Names::default();
        let mut own_name = vec![NONE; modules.len()];
        let mut inside = own.iter().copied().peekable();
        for module in hierarchy.modules() {
            let end = hierarchy.subtree(module).end;
            let depth = hierarchy.depth(module);
            let around = name_of(hierarchy.parent(module).unwrap_or(module));
            let of_module = Name(names.ends.len() as u32);
            names.add(end + before(end), depth, around, module, NONE);
            while let Some((_, function)) = inside.next_if(|it| it.0 == module) {
                let name = names.ends.len() as u32;
                own_name[function as usize] = name;
                let length = depth.saturating_add(1);
                names.add(name + 1, length, of_module, module, function);
            }
        }
        let mut start_of = vec![NONE; names.ends.len()];
        for (function, &own) in own_name.iter().enumerate() {
            let module = module_of(function);
            let name = if own == NONE {
                name_of(module)
            } else {
                Name(own)
            };
            if start_of[name.index()] == NONE {
                start_of[name.index()] = names.paths.len() as u32;
                let around = hierarchy
                    .ancestors(module)
                    .filter(|it| *it != ModuleId::ROOT);
                let mut path: Vec<Name> = around.map(name_of).collect();
                path.reverse();
                path.extend((own != NONE).then_some(name));
                names.paths.extend(path);
            }
            names.starts.push(start_of[name.index()]);
            names.full.push(names.lengths[name.index()].max(1));
        }
        names
    }

    fn add(&mut self, end: u32, length: u16, parent: Name, module: ModuleId, function: u32) {
        self.ends.push(end);
        self.lengths.push(length);
        self.parents.push(parent.0);
        self.modules.push(module);
        self.functions.push(function);
    }

    /// How many elements a name has.
    pub fn length(&self, name: Name) -> u16 {
        self.lengths[name.index()]
    }

    /// How many elements the full name of a function has, at least 1.
    pub fn full_length(&self, function: FunctionId) -> u16 {
        self.full[function.index()]
    }

    /// The first elements of a function's name, at least one: `level` of them, as far as there are so many. O(1).
    pub fn shortened(&self, function: FunctionId, level: u16) -> Name {
        let most = level.clamp(1, self.full[function.index()]);
        self.paths[self.starts[function.index()] as usize + usize::from(most) - 1]
    }

    /// Whether a name is a prefix of another, or the same. O(1).
    pub fn is_prefix(&self, name: Name, of: Name) -> bool {
        (name.0..self.ends[name.index()]).contains(&of.0)
    }

    /// The name without its last element; a name of one element stays. O(1).
    pub fn without_last(&self, name: Name) -> Name {
        match self.lengths[name.index()] {
            ..=1 => name,
            _ => Name(self.parents[name.index()]),
        }
    }

    /// The module that a name stands for, or that the function with an element of its own is in.
    pub fn module(&self, name: Name) -> ModuleId {
        self.modules[name.index()]
    }

    /// The function that a name with an element of its own stands for.
    pub fn function(&self, name: Name) -> Option<FunctionId> {
        let function = self.functions[name.index()];
        (function != NONE).then_some(FunctionId(function))
    }
}
