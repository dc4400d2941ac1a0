//! Where functions go that the source does not define: new modules, each made once.

use std::collections::HashMap;

use super::{names, packages};
use crate::facts::functions::Function;
use crate::facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use crate::units::ModuleId;

/// Adds modules to a hierarchy, and finds again those that it has added.
pub struct Placing {
    builder: HierarchyBuilder,
    added: HashMap<(NodeId, ModuleKind, Box<str>), NodeId>,
    /// Whether there is no source: then the hierarchy is made of the names in the recordings alone.
    is_alone: bool,
    /// The directories that all files of the recordings share, as a text that their paths start with.
    common_directory: String,
    has_several_libraries: bool,
}

/// Names with more scopes than this keep the innermost.
const DEEPEST_SCOPE: usize = 8;

/// Paths with more directories than this, below what they all share, keep the innermost.
const DEEPEST_DIRECTORY: usize = 30;

impl Placing {
    pub fn new(builder: HierarchyBuilder, is_alone: bool) -> Placing {
        Placing {
            builder,
            added: HashMap::new(),
            is_alone,
            common_directory: String::new(),
            has_several_libraries: false,
        }
    }

    /// Looks at the functions that are to be placed: directories that hold all their files are not modules,
    /// nor is the only executable.
    pub fn look_at<'a>(&mut self, functions: impl Iterator<Item = Function<'a>>) {
        let mut common: Option<&str> = None;
        let mut library: Option<&str> = None;
        for function in functions.filter(|function| !packages::origin(*function).is_foreign) {
            if function.file.is_empty() {
                let first = *library.get_or_insert(function.library);
                self.has_several_libraries |= first != function.library;
                continue;
            }
            let directory = directory(function.file);
            common = Some(match common {
                None => directory,
                Some(common) => common_directory(common, directory),
            });
        }
        common
            .unwrap_or_default()
            .clone_into(&mut self.common_directory);
    }

    fn child(&mut self, parent: NodeId, kind: ModuleKind, name: &str) -> NodeId {
        let key = (parent, kind, Box::from(name));
        let builder = &mut self.builder;
        let add = || builder.add(parent, Module::named(kind, name));
        *self.added.entry(key).or_insert_with(add)
    }

    /// A function of a file of the source that the syntax tree does not show, in the module `around` it.
    pub fn in_source(&mut self, around: ModuleId, function: Function<'_>) -> NodeId {
        let around = NodeId::of(around);
        let node = self.child(around, ModuleKind::Function, display_name(function.name));
        let module = self.builder.get(node);
        if module.line == 0 && function.line != 0 {
            let name = module.name.to_owned();
            let language = self.builder.get(around).language.to_owned();
            let module = Module {
                line: function.line,
                end_line: function.line,
                language: &language,
                ..Module::named(ModuleKind::Function, &name)
            };
            self.builder.set(node, module);
        }
        node
    }

    /// A function that is not in the source: in the external district, or, where there is no source and the
    /// function is not of a library or a runtime, in directories, files, namespaces and classes of its own.
    pub fn outside(&mut self, function: Function<'_>) -> NodeId {
        let origin = packages::origin(function);
        if self.is_alone && !origin.is_foreign {
            return self.in_own_place(function);
        }
        let mut parent = self.child(NodeId::ROOT, ModuleKind::External, "external");
        for group in origin.groups {
            parent = self.child(parent, ModuleKind::External, &group);
        }
        self.child(parent, ModuleKind::Function, display_name(function.name))
    }

    fn in_own_place(&mut self, function: Function<'_>) -> NodeId {
        let mut parent = NodeId::ROOT;
        if !function.file.is_empty() {
            let path = function.file.strip_prefix(&self.common_directory);
            let path = path.unwrap_or(function.file).to_owned();
            let mut names: Vec<&str> = path
                .split(['/', '\\'])
                .filter(|name| !name.is_empty() && *name != ".")
                .collect();
            let file = names.pop().unwrap_or("unnamed");
            for name in last(&names, DEEPEST_DIRECTORY) {
                parent = self.child(parent, ModuleKind::Directory, name);
            }
            parent = self.child(parent, ModuleKind::File, file);
        } else if self.has_several_libraries && !function.library.is_empty() {
            let library = packages::file_name(function.library);
            parent = self.child(parent, ModuleKind::Directory, library);
        }
        let mut scopes = names::parts(function.name);
        let own_name = scopes.pop().unwrap_or_default();
        if let Some((class, namespaces)) = last(&scopes, DEEPEST_SCOPE).split_last() {
            for namespace in namespaces {
                parent = self.child(parent, ModuleKind::Namespace, namespace);
            }
            let starts_upper = class.chars().next().is_some_and(char::is_uppercase);
            let kind = if starts_upper {
                ModuleKind::Class
            } else {
                ModuleKind::Namespace
            };
            parent = self.child(parent, kind, class);
        }
        // Closures and overloads keep what tells them apart.
        let is_itself = function.name.ends_with(own_name);
        let name = if is_itself && !own_name.is_empty() {
            own_name
        } else {
            display_name(function.name)
        };
        self.child(parent, ModuleKind::Function, name)
    }

    pub fn build(self) -> (Hierarchy, Vec<ModuleId>) {
        self.builder.build()
    }
}

fn last<'a, 'b>(names: &'b [&'a str], most: usize) -> &'b [&'a str] {
    &names[names.len().saturating_sub(most)..]
}

/// A function without any name is shown as such.
fn display_name(name: &str) -> &str {
    if name.is_empty() { "(unnamed)" } else { name }
}

/// The directory of a file with its separator; empty for a bare file name.
fn directory(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |end| &path[..=end])
}

/// The longest directory, with its separator, that holds both.
fn common_directory<'a>(a: &'a str, b: &str) -> &'a str {
    let pairs = a.bytes().zip(b.bytes());
    let common = pairs.take_while(|(a, b)| a == b).count();
    // A separator is ASCII: its place is a character boundary of `a`.
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let end = a.as_bytes()[..common].iter().rposition(is_separator);
    end.map_or("", |end| &a[..=end])
}
