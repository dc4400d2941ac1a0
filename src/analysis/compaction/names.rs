//! The names that compaction shortens: packages, classes, and the function itself, or, of a source tree without packages,
//! the way down to the function.
//!
//! A name is a number. Names are in preorder, so that a name is a prefix of an interval of them.

use std::collections::HashMap;

use crate::resolve::names::{has_own_name, parts};
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// A name of one element or more. A function that is a module by itself has the name of that module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub(super) u32);

impl Name {
    /// Its place in [`Names::parents`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Stands for no function.
const NONE: u32 = u32::MAX;

/// All names of a program, with all their prefixes.
///
/// No function's full name is a strict prefix of another's: where names lie within the name of a function, the function has
/// an element of its own in that.
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
    /// Last elements that are not the names of their modules: the classes of functions without source.
    texts: HashMap<u32, Box<str>>,
    /// By function, where its prefixes begin in `paths`, the shortest first.
    starts: Vec<u32>,
    /// By function, how many elements its full name has; at least 1.
    full: Vec<u16>,
    paths: Vec<Name>,
}

/// An element on its way into a name, and what it is told apart by: packages and classes by what they are called, wherever
/// they are; functions, of which several may be called alike, by their modules too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key<'a> {
    around: u32,
    text: &'a str,
    function: Option<ModuleId>,
}

/// A prefix before names are in order.
struct Prefix<'a> {
    around: u32,
    module: ModuleId,
    text: &'a str,
    /// The function whose own element it is.
    function: u32,
    children: Vec<u32>,
    /// Whether functions have own elements in it.
    has_own: bool,
}

/// All prefixes; the first one is the root.
struct Prefixes<'a> {
    all: Vec<Prefix<'a>>,
    places: HashMap<Key<'a>, u32>,
}

impl<'a> Prefixes<'a> {
    fn add(&mut self, around: u32, text: &'a str, module: ModuleId, function: u32) -> u32 {
        let number = self.all.len() as u32;
        self.all.push(Prefix {
            around,
            module,
            text,
            function,
            children: Vec::new(),
            has_own: false,
        });
        self.all[around as usize].children.push(number);
        number
    }

    fn child(&mut self, key: Key<'a>, module: ModuleId) -> u32 {
        if let Some(known) = self.places.get(&key) {
            return *known;
        }
        let number = self.add(key.around, key.text, module, NONE);
        self.places.insert(key, number);
        number
    }
}

/// The elements of a name from its module, each with the module that it stands for: what has no source begins with its
/// package or library, not with the district that all of these are in, and ends with its classes and itself; what has source
/// and is called by its package begins with that, not with the directories around it.
fn elements<'a>(
    hierarchy: &'a Hierarchy,
    module: ModuleId,
    called: &str,
) -> Vec<(&'a str, ModuleId)> {
    let around = hierarchy.ancestors(module);
    let mut path: Vec<ModuleId> = around.filter(|it| *it != ModuleId::ROOT).collect();
    path.reverse();
    let kind = |place: usize| path.get(place).map(|it| hierarchy.kind(*it));
    let is_external = kind(0) == Some(ModuleKind::External);
    let first = match is_external && kind(1) == Some(ModuleKind::External) {
        true => 1,
        false => package(hierarchy, &path, called),
    };
    let mut elements: Vec<(&str, ModuleId)> = Vec::with_capacity(path.len());
    for (place, &module) in path.iter().enumerate().skip(first) {
        let name = hierarchy.name(module);
        if is_external && hierarchy.kind(module) == ModuleKind::Function && has_own_name(name) {
            let mut scopes = parts(name);
            let own = scopes.pop().unwrap_or(name);
            let around = path[place.saturating_sub(1)];
            elements.extend(scopes.into_iter().map(|it| (it, around)));
            elements.push((own, module));
        } else {
            elements.push((name, module));
        }
    }
    elements
}

/// Where the package of a function begins in the directories around it: those up to its file are the first scopes of what it
/// is called. 0 where they are not.
fn package(hierarchy: &Hierarchy, path: &[ModuleId], called: &str) -> usize {
    let is_directory = |it: &&ModuleId| hierarchy.kind(**it) == ModuleKind::Directory;
    let directories = path.iter().take_while(is_directory).count();
    if directories == 0 {
        return 0;
    }
    let mut scopes = parts(called);
    scopes.pop();
    let is_package = |from: &usize| {
        let names = path[*from..directories]
            .iter()
            .map(|it| hierarchy.name(*it));
        directories - from <= scopes.len() && names.zip(&scopes).all(|(a, b)| a == *b)
    };
    (0..directories).find(is_package).unwrap_or(0)
}

impl Names {
    /// The names of functions of which `modules` tells their modules, and `called` what they are called where they were
    /// recorded. O(modules + functions × depth).
    pub fn new<'a>(
        hierarchy: &Hierarchy,
        modules: &[ModuleId],
        called: impl Fn(FunctionId) -> &'a str,
    ) -> Names {
        let module_of = |function: usize| match modules[function] {
            module if module.index() < hierarchy.len() => module,
            _ => ModuleId::ROOT,
        };
        // A function that is a module without others in it needs no element of its own.
        let needs_own = |module: ModuleId| {
            hierarchy.kind(module) != ModuleKind::Function || !hierarchy.is_leaf(module)
        };
        let mut prefixes = Prefixes {
            all: Vec::new(),
            places: HashMap::new(),
        };
        prefixes.all.push(Prefix {
            around: 0,
            module: ModuleId::ROOT,
            text: "",
            function: NONE,
            children: Vec::new(),
            has_own: false,
        });
        let mut ends: Vec<u32> = Vec::with_capacity(modules.len());
        for function in 0..modules.len() {
            let module = module_of(function);
            let called = called(FunctionId(function as u32));
            let mut at = 0;
            for (text, of) in elements(hierarchy, module, called) {
                let is_function = hierarchy.kind(of) == ModuleKind::Function;
                let key = Key {
                    around: at,
                    text,
                    function: is_function.then_some(of),
                };
                at = prefixes.child(key, of);
            }
            prefixes.all[at as usize].has_own |= needs_own(module) || at == 0;
            ends.push(at);
        }
        let inner: Vec<bool> = prefixes
            .all
            .iter()
            .map(|it| it.has_own || !it.children.is_empty())
            .collect();
        for (function, end) in (0..).zip(&mut ends) {
            if inner[*end as usize] {
                *end = prefixes.add(*end, "", module_of(function as usize), function);
            }
        }
        Names::in_order(hierarchy, &prefixes.all, &ends)
    }

    /// In preorder, with the prefixes of each function, of which `ends` has the full name.
    fn in_order(hierarchy: &Hierarchy, all: &[Prefix<'_>], ends: &[u32]) -> Names {
        let mut names = Names::default();
        let mut number = vec![NONE; all.len()];
        let mut open = vec![0_u32];
        while let Some(&at) = open.last() {
            let of = &all[at as usize];
            if number[at as usize] != NONE {
                // Its children are done.
                open.pop();
                names.ends[number[at as usize] as usize] = names.parents.len() as u32;
                continue;
            }
            let name = names.parents.len() as u32;
            number[at as usize] = name;
            let around = match at {
                0 => 0,
                _ => number[of.around as usize],
            };
            let length = match at {
                0 => 0,
                _ => names.lengths[around as usize].saturating_add(1),
            };
            names.ends.push(0);
            names.lengths.push(length);
            names.parents.push(around);
            names.modules.push(of.module);
            names.functions.push(of.function);
            if of.function == NONE && at != 0 && hierarchy.name(of.module) != of.text {
                names.texts.insert(name, of.text.into());
            }
            open.extend(of.children.iter().rev());
        }
        let mut start_of = vec![NONE; all.len()];
        for &end in ends {
            if start_of[end as usize] == NONE {
                start_of[end as usize] = names.paths.len() as u32;
                let around = std::iter::successors(Some(end), |it| Some(all[*it as usize].around));
                let around = around.take_while(|it| *it != 0);
                let mut path: Vec<Name> = around.map(|it| Name(number[it as usize])).collect();
                path.reverse();
                names.paths.extend(path);
            }
            names.starts.push(start_of[end as usize]);
            names
                .full
                .push(names.lengths[number[end as usize] as usize].max(1));
        }
        names
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

    /// By name, in preorder, the number of the one without its last element; the first is the root, which stands for its own.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// The module that a name stands for, or that the function with an element of its own, or the class without a module, is
    /// in. The packages of several modules that are called alike are one: then that of the first function.
    pub fn module(&self, name: Name) -> ModuleId {
        self.modules[name.index()]
    }

    /// The function that a name with an element of its own stands for.
    pub fn function(&self, name: Name) -> Option<FunctionId> {
        let function = self.functions[name.index()];
        (function != NONE).then_some(FunctionId(function))
    }

    /// The last element of a name; of one that ends with a function's own element the one before. Empty of the root.
    pub fn text<'a>(&'a self, hierarchy: &'a Hierarchy, name: Name) -> &'a str {
        let name = match self.functions[name.index()] {
            NONE => name,
            _ => Name(self.parents[name.index()]),
        };
        match self.texts.get(&name.0) {
            Some(text) => text,
            None if name.0 == 0 => "",
            None => hierarchy.name(self.modules[name.index()]),
        }
    }

    /// All elements of a name without a function's own one, joined by dots. O(elements).
    pub fn path(&self, hierarchy: &Hierarchy, name: Name) -> String {
        let around = std::iter::successors(Some(name), |it| Some(Name(self.parents[it.index()])));
        let around = around.take_while(|it| it.0 != 0);
        let own = around.filter(|it| self.functions[it.index()] == NONE);
        let mut elements: Vec<&str> = own.map(|it| self.text(hierarchy, it)).collect();
        elements.reverse();
        elements.join(".")
    }
}
