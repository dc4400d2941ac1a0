//! Mapping files in AVID's form: which functions make up which entity of the architecture one has in mind.
//!
//! One entry a line, `category NAME MATCHER PATTERN [MATCHER PATTERN]`; the first entry that matches a
//! function takes it, `*` matches any run of characters, and a function that no entry matches is left
//! out. Source: Murphy et al., *Visualizing and animating sampled dynamic information*, section 2.1
//! and figures 1 and 4.

use crate::facts::functions::Functions;
use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::units::{FunctionId, ModuleId};
use crate::warnings::Place;

/// What part of a function a pattern is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matcher {
    /// The qualified name of the module that the function is in; of the function where it is in none.
    Class,
    /// The function's own name, with or without its qualification.
    Method,
    /// The path of its file, whole or the last part of it.
    File,
    /// The package, namespace, directory or library that it is in.
    Package,
}

impl Matcher {
    fn from_word(word: &str) -> Option<Matcher> {
        match word {
            "class" => Some(Matcher::Class),
            "method" => Some(Matcher::Method),
            "file" => Some(Matcher::File),
            "package" => Some(Matcher::Package),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    entity: usize,
    line: u64,
    text: String,
    /// All must match.
    conditions: Vec<(Matcher, String)>,
}

/// A mapping file, read.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Names of the entities in order of their first entry.
    entities: Vec<String>,
    entries: Vec<Entry>,
}

/// A line of a mapping file that is not an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}, found '{found}'")]
pub struct MappingError {
    pub place: Place,
    pub expected: &'static str,
    pub found: String,
}

/// A mapping applied to the functions of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// By function: its entity as an index into [`Mapping::entities`]; none where no entry matches.
    pub entities: Vec<Option<usize>>,
    /// The functions that no entry matches.
    pub unmatched: Vec<FunctionId>,
    /// Line and text of each entry that took no function.
    pub unused: Vec<(u64, String)>,
}

impl Mapping {
    /// Reads the text of a mapping file; `file` names it in errors. Empty lines and lines that start
    /// with `#` are skipped, and the word `category` may be left out, as in the papers' figures.
    pub fn read(text: &str, file: &str) -> Result<Mapping, MappingError> {
        let mut mapping = Mapping::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let number = index as u64 + 1;
            let wrong = |expected, found: &str| MappingError {
                place: Place::line(file, number),
                expected,
                found: found.to_owned(),
            };
            let mut words = line.split_whitespace().peekable();
            words.next_if_eq(&"category");
            let Some(name) = words.next() else {
                return Err(wrong("a name behind 'category'", line));
            };
            let mut conditions = Vec::new();
            while let Some(word) = words.next() {
                let matcher = Matcher::from_word(word)
                    .ok_or_else(|| wrong("class, method, file or package", word))?;
                let pattern = words.next().ok_or_else(|| wrong("a pattern", line))?;
                conditions.push((matcher, normalized(pattern)));
            }
            if conditions.is_empty() {
                return Err(wrong("class, method, file or package and a pattern", line));
            }
            let known = mapping.entities.iter().position(|entity| entity == name);
            let entity = known.unwrap_or(mapping.entities.len());
            if known.is_none() {
                mapping.entities.push(name.to_owned());
            }
            mapping.entries.push(Entry {
                entity,
                line: number,
                text: line.to_owned(),
                conditions,
            });
        }
        Ok(mapping)
    }

    /// Names of the entities in order of their first entry.
    pub fn entities(&self) -> &[String] {
        &self.entities
    }

    /// The entity of each function; `modules` are the functions' modules in `hierarchy`.
    /// O(functions × entries).
    pub fn apply(
        &self,
        functions: &Functions,
        hierarchy: &Hierarchy,
        modules: &[ModuleId],
    ) -> Mapped {
        let mut used = vec![false; self.entries.len()];
        let mut mapped = Mapped {
            entities: Vec::with_capacity(functions.len()),
            unmatched: Vec::new(),
            unused: Vec::new(),
        };
        for (id, &module) in functions.ids().zip(modules) {
            let names = MatchedNames::of(functions, id, hierarchy, module);
            let entry = self.entries.iter().position(|entry| {
                let mut conditions = entry.conditions.iter();
                conditions.all(|(matcher, pattern)| names.matches(*matcher, pattern))
            });
            match entry {
                Some(entry) => used[entry] = true,
                None => mapped.unmatched.push(id),
            }
            mapped
                .entities
                .push(entry.map(|entry| self.entries[entry].entity));
        }
        let unused = self.entries.iter().zip(used).filter(|(_, used)| !used);
        mapped.unused = unused
            .map(|(entry, _)| (entry.line, entry.text.clone()))
            .collect();
        mapped
    }
}

/// Everything of one function that a pattern may be held against, separators normalized.
struct MatchedNames {
    class: Vec<String>,
    method: Vec<String>,
    file: Vec<String>,
    package: Vec<String>,
}

impl MatchedNames {
    fn of(
        functions: &Functions,
        id: FunctionId,
        hierarchy: &Hierarchy,
        module: ModuleId,
    ) -> MatchedNames {
        let function = functions.get(id);
        let name = normalized(function.name);
        let (qualifier, own) = match name.rsplit_once('.') {
            Some((qualifier, own)) if !qualifier.is_empty() && !own.is_empty() => (qualifier, own),
            _ => ("", name.as_str()),
        };
        let mut names = MatchedNames {
            class: vec![if qualifier.is_empty() { own } else { qualifier }.to_owned()],
            method: vec![own.to_owned(), name.clone()],
            file: path_and_ends(function.file),
            package: Vec::new(),
        };
        names.package.extend(prefixes(qualifier));
        if !function.library.is_empty() {
            names.package.push(function.library.to_owned());
        }
        // The module's place in the hierarchy as dotted names: packaging/version.py/Version is
        // packaging.version.Version.
        let mut path: Vec<ModuleId> = hierarchy.ancestors(module).collect();
        path.pop();
        path.reverse();
        let mut dotted = String::new();
        let mut file_path = String::new();
        for &module in path.iter().take(path.len().saturating_sub(1)) {
            let name = hierarchy.name(module);
            let kind = hierarchy.kind(module);
            if !dotted.is_empty() {
                dotted.push('.');
            }
            if kind == ModuleKind::File {
                names
                    .file
                    .extend(path_and_ends(&format!("{file_path}{name}")));
                dotted.push_str(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
            } else {
                file_path.push_str(name);
                file_path.push('/');
                dotted.push_str(name);
            }
            if kind != ModuleKind::Class {
                names.package.push(dotted.clone());
            }
        }
        if !dotted.is_empty() {
            names.class.push(dotted);
        }
        names
    }

    fn matches(&self, matcher: Matcher, pattern: &str) -> bool {
        let names = match matcher {
            Matcher::Class => &self.class,
            Matcher::Method => &self.method,
            Matcher::File => &self.file,
            Matcher::Package => &self.package,
        };
        names.iter().any(|name| wildcard(pattern, name))
    }
}

/// `a::b` and `a.b` are the same qualified name.
fn normalized(name: &str) -> String {
    name.replace("::", ".")
}

/// `a`, `a.b` and `a.b.c` of `a.b.c`.
fn prefixes(dotted: &str) -> impl Iterator<Item = String> + '_ {
    let dots = dotted.match_indices('.').map(|(at, _)| at);
    let ends = dots.chain((!dotted.is_empty()).then_some(dotted.len()));
    ends.map(|end| dotted[..end].to_owned())
}

/// `/a/b.c`, `a/b.c` and `b.c` of `/a/b.c`.
fn path_and_ends(path: &str) -> Vec<String> {
    if path.is_empty() {
        return Vec::new();
    }
    let slashes = path
        .match_indices('/')
        .map(|(at, _)| path[at + 1..].to_owned());
    std::iter::once(path.to_owned()).chain(slashes).collect()
}

/// Whether `name` is what `pattern` says, `*` standing for any run of characters. Linear for each star.
fn wildcard(pattern: &str, name: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    // The first place at which a middle part fits leaves the most for those behind it.
    while let Some((part, behind)) = rest.split_once('*') {
        let Some(at) = name.find(part) else {
            return false;
        };
        name = &name[at + part.len()..];
        rest = behind;
    }
    name.len() >= rest.len() && name.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::functions::Function;
    use crate::facts::hierarchy::{HierarchyBuilder, Module, NodeId};

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        for (pattern, name, expected) in [
            ("java.*", "java.util.List", true),
            ("java.*", "javax.swing", false),
            ("*.List", "java.util.List", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("*", "", true),
            ("", "", true),
            ("exact", "exactly", false),
        ] {
            assert_eq!(wildcard(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn the_first_entry_that_matches_takes_the_function() {
        let text = "category JAVA-PROJECT class org.eclipse.jdt.internal.core.JavaProject\n\
                    category JDT-CORE class org.eclipse.jdt.core.*\n\
                    # the rest of the platform\n\
                    category JDT-CORE class org.eclipse.jdt.internal.*\n\
                    JDK class java.* method get*\n\
                    category NEVER class com.*\n";
        let mapping = Mapping::read(text, "map").expect("a mapping");
        assert_eq!(
            mapping.entities(),
            ["JAVA-PROJECT", "JDT-CORE", "JDK", "NEVER"]
        );
        let mut functions = Functions::default();
        for name in [
            "org.eclipse.jdt.internal.core.JavaProject.open",
            "org.eclipse.jdt.internal.core.Other::close",
            "java.util.HashMap.get",
            "java.util.HashMap.put",
        ] {
            functions.intern(Function {
                name,
                ..Function::default()
            });
        }
        let (hierarchy, _) = HierarchyBuilder::new("root").build();
        let mapped = mapping.apply(&functions, &hierarchy, &[ModuleId::ROOT; 4]);
        assert_eq!(mapped.entities, [Some(0), Some(1), Some(2), None]);
        assert_eq!(mapped.unmatched, [FunctionId(3)]);
        let unused: Vec<u64> = mapped.unused.iter().map(|entry| entry.0).collect();
        assert_eq!(unused, [2, 6]);
    }

    #[test]
    fn the_place_in_the_hierarchy_matches_as_a_dotted_name() {
        let mut builder = HierarchyBuilder::new("root");
        let package = builder.add(
            NodeId::ROOT,
            Module::named(ModuleKind::Directory, "packaging"),
        );
        let file = builder.add(package, Module::named(ModuleKind::File, "version.py"));
        let class = builder.add(file, Module::named(ModuleKind::Class, "Version"));
        let method = builder.add(class, Module::named(ModuleKind::Function, "__init__"));
        let (hierarchy, modules) = builder.build();
        let mut functions = Functions::default();
        functions.intern(Function {
            name: "Version.__init__",
            file: "/src/py/packaging/version.py",
            line: 3,
            library: "",
        });
        for (entry, matches) in [
            ("class packaging.version.*", true),
            ("class Version", true),
            ("package packaging", true),
            ("file version.py", true),
            ("file packaging/*.py", true),
            ("method __init__", true),
            ("method Version.*", true),
            ("class packaging.other.*", false),
            ("package pack", false),
        ] {
            let mapping = Mapping::read(&format!("category X {entry}"), "map").expect("a mapping");
            let mapped = mapping.apply(&functions, &hierarchy, &[modules[method.index()]]);
            assert_eq!(mapped.entities == [Some(0)], matches, "{entry}");
        }
    }

    #[test]
    fn a_line_that_is_no_entry_is_refused_with_its_place() {
        for (text, message) in [
            (
                "category A class\n",
                "map, line 1: expected a pattern, found 'category A class'",
            ),
            (
                "\ncategory A klass x",
                "map, line 2: expected class, method, file or package, found 'klass'",
            ),
            (
                "category A",
                "map, line 1: expected class, method, file or package and a pattern, found 'category A'",
            ),
        ] {
            let error = Mapping::read(text, "map").expect_err("no entry");
            assert_eq!(error.to_string(), message);
        }
    }
}
