//! Where functions go that the source does not define: new modules, each made once.

use std::collections::{BTreeSet, HashMap};

use super::directories::Directories;
use super::{names, packages};
use callscape_base::units::ModuleId;
use callscape_facts::functions::Function;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};

/// Adds modules to a hierarchy, and finds again those that it has added.
pub(super) struct Placing<'a> {
    builder: HierarchyBuilder,
    added: HashMap<(NodeId, ModuleKind, Box<str>), NodeId>,
    /// Whether there is no source: then the hierarchy is made of the names in the recordings alone.
    is_alone: bool,
    directories: Directories<'a>,
    /// Of functions that have no file: the name of an only executable says nothing.
    has_several_libraries: bool,
    /// Where most functions have a file, those without are built into the runtime.
    is_without_file_foreign: bool,
    /// Beginnings of names, `luaV_`, and how many functions of one recording without file and scope have them.
    prefixes: HashMap<&'a str, u32>,
}

/// This many functions whose names begin alike, as C has it for want of namespaces, make one.
const FAMILY: u32 = 3;

/// Names with more scopes than this keep the innermost.
const DEEPEST_SCOPE: usize = 8;

impl<'a> Placing<'a> {
    /// `outside` are the functions of each recording that will be placed outside of the source. Two runs of one program are
    /// grouped as each is alone.
    pub(super) fn new(
        builder: HierarchyBuilder,
        is_alone: bool,
        outside: impl Iterator<Item = impl Iterator<Item = Function<'a>>>,
    ) -> Placing<'a> {
        let mut files: Vec<&str> = Vec::new();
        let mut prefixes: HashMap<&str, u32> = HashMap::new();
        let (mut without_file, mut has_several_libraries) = (0, false);
        for outside in outside {
            let mut libraries: BTreeSet<&str> = BTreeSet::new();
            let mut own: HashMap<&str, u32> = HashMap::new();
            let outside = outside.map(by_package);
            for function in outside.filter(|function| !packages::origin(*function).is_foreign) {
                if function.file.is_empty() {
                    libraries.insert(function.library);
                    without_file += 1;
                    if let Some(prefix) = prefix(function.name) {
                        *own.entry(prefix).or_default() += 1;
                    }
                } else {
                    files.push(function.file);
                }
            }
            has_several_libraries |= libraries.len() > 1;
            for (prefix, count) in own {
                let most = prefixes.entry(prefix).or_default();
                *most = count.max(*most);
            }
        }
        Placing {
            builder,
            added: HashMap::new(),
            is_alone,
            is_without_file_foreign: files.len() > without_file,
            directories: Directories::new(files.into_iter()),
            has_several_libraries,
            prefixes,
        }
    }

    fn child(&mut self, parent: NodeId, kind: ModuleKind, name: &str) -> NodeId {
        let key = (parent, kind, Box::from(name));
        let builder = &mut self.builder;
        let add = || builder.add(parent, Module::named(kind, name));
        *self.added.entry(key).or_insert_with(add)
    }

    /// A function of a file of the source that the syntax tree does not show, in the module `around` it.
    pub(super) fn in_source(&mut self, around: ModuleId, function: Function<'_>) -> NodeId {
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
    pub(super) fn outside(&mut self, function: Function<'_>) -> NodeId {
        let function = by_package(function);
        let origin = packages::origin(function);
        let is_foreign =
            origin.is_foreign || function.file.is_empty() && self.is_without_file_foreign;
        if self.is_alone && !is_foreign {
            return self.in_own_place(function);
        }
        let mut parent = self.child(NodeId::ROOT, ModuleKind::External, "external");
        let directories = match function.file {
            file if !origin.is_foreign && !file.is_empty() => self.directories.names(file),
            _ => Vec::new(),
        };
        let name = within(function.name, &origin.groups);
        for group in directories.into_iter().chain(origin.groups) {
            parent = self.child(parent, ModuleKind::External, &group);
        }
        self.child(parent, ModuleKind::Function, display_name(name))
    }

    fn in_own_place(&mut self, function: Function<'_>) -> NodeId {
        let mut parent = NodeId::ROOT;
        if !function.file.is_empty() {
            for name in self.directories.names(function.file) {
                parent = self.child(parent, ModuleKind::Directory, &name);
            }
            let file = packages::file_name(function.file);
            parent = self.child(parent, ModuleKind::File, file);
        } else if self.has_several_libraries && !function.library.is_empty() {
            let library = packages::file_name(function.library);
            parent = self.child(parent, ModuleKind::Directory, library);
        }
        // A closure stands beside the function that it is in, under its full name.
        let mut scopes = names::parts(function.name);
        let own_name = scopes.pop().filter(|_| names::has_own_name(function.name));
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
        } else if let Some(prefix) = prefix(function.name)
            && function.file.is_empty()
            && self
                .prefixes
                .get(prefix)
                .is_some_and(|&count| count >= FAMILY)
        {
            parent = self.child(parent, ModuleKind::Namespace, prefix);
        }
        let name = own_name.unwrap_or(display_name(function.name));
        self.child(parent, ModuleKind::Function, name)
    }

    pub(super) fn build(self) -> (Hierarchy, Vec<ModuleId>) {
        self.builder.build()
    }
}

/// Profilers of the JVM give a file without its folder and a name with its package: the name says more.
fn by_package(function: Function<'_>) -> Function<'_> {
    let is_of_jvm = [".java", ".kt", ".scala", ".groovy"]
        .iter()
        .any(|end| function.file.ends_with(end));
    let is_alone = !function.file.contains(['/', '\\']);
    if is_of_jvm && is_alone && names::parts(function.name).len() > 2 {
        return Function {
            file: "",
            line: 0,
            ..function
        };
    }
    function
}

/// `name` without the scopes that it stands in as `groups`, with one at least: `java.io.File.read` in `java` and `io` is
/// `File.read`, and `std::sort` in `std` is itself.
fn within<'a>(name: &'a str, groups: &[String]) -> &'a str {
    let mut rest = name;
    for group in groups {
        let inner = rest.strip_prefix(group.as_str()).and_then(|inner| {
            let dotted = inner.strip_prefix('.');
            dotted.or_else(|| inner.strip_prefix("::"))
        });
        rest = inner
            .filter(|inner| names::parts(inner).len() > 1)
            .unwrap_or(rest);
    }
    rest
}

/// What stands up to the first underscore in a name without scopes, and the underscore.
fn prefix(name: &str) -> Option<&str> {
    let end = name.find('_').filter(|&end| end > 0)?;
    names::is_plain(name).then(|| &name[..=end])
}

fn last<'a, 'b>(names: &'b [&'a str], most: usize) -> &'b [&'a str] {
    &names[names.len().saturating_sub(most)..]
}

/// A function without any name is shown as such.
fn display_name(name: &str) -> &str {
    if name.is_empty() { "(unnamed)" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::functions::Functions;

    #[test]
    fn a_name_leaves_out_the_scopes_that_it_stands_in_but_one() {
        let check = |name: &str, groups: &[&str], expected: &str| {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            assert_eq!(within(name, &groups), expected);
        };
        check("java.io.File.read", &["java", "io"], "File.read");
        check(
            "std::vector<int>::push_back",
            &["libstdc++.so.6", "std"],
            "vector<int>::push_back",
        );
        check(
            "core::ptr::drop_in_place<a::B>",
            &["core", "ptr"],
            "ptr::drop_in_place<a::B>",
        );
        check("std::sort", &["std"], "std::sort");
        check("list.append", &["builtins", "list"], "list.append");
        check(
            "json.loads",
            &["python3.11", "json", "decoder.py"],
            "json.loads",
        );
        check("javac.Main.run", &["java", "io"], "javac.Main.run");
    }

    #[test]
    fn two_runs_of_a_program_are_grouped_as_one() {
        let mut run = Functions::default();
        for name in ["lua_newstate", "lua_close", "luaV_execute", "main"] {
            run.intern(Function {
                name,
                ..Function::default()
            });
        }
        let nothing = HierarchyBuilder::new("app").build().0;
        let paths = |runs: &[&Functions]| -> Vec<String> {
            let (hierarchy, resolved) = super::super::resolve(&nothing, runs);
            let modules = resolved[0].modules.iter();
            modules.map(|&it| hierarchy.path(it)).collect()
        };
        assert_eq!(paths(&[&run, &run]), paths(&[&run]));
        assert_eq!(paths(&[&run])[0], "lua_newstate");
    }
}
