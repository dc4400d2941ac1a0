//! Which entry of a mapping takes a function: the names that patterns are held against.

use super::pattern::{Entry, Matcher, Pattern, normalized, wildcard};
use callscape_base::units::ModuleId;
use callscape_facts::functions::Function;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// A mapping being applied to the functions of one hierarchy. Functions of one module one after the other are
/// quickest: what the module says is found out once.
pub struct Matching<'a> {
    entries: &'a [Entry],
    hierarchy: &'a Hierarchy,
    /// The module of which the next two speak.
    place: Option<ModuleId>,
    names: Names,
    /// By entry and condition: whether the module's names match it.
    place_matches: Vec<Vec<bool>>,
}

/// What a pattern may be held against, separators normalized.
#[derive(Default)]
struct Names {
    class: Vec<String>,
    method: Vec<String>,
    file: Vec<String>,
    package: Vec<String>,
}

/// Below these, directories name packages: `src/main/java/org/eclipse` is `org.eclipse`.
const SOURCE_ROOTS: [&str; 6] = ["src", "lib", "source", "sources", "Sources", "include"];
const LANGUAGE_ROOTS: [&str; 4] = ["java", "kotlin", "scala", "groovy"];

impl<'a> Matching<'a> {
    pub fn new(entries: &'a [Entry], hierarchy: &'a Hierarchy) -> Matching<'a> {
        Matching {
            entries,
            hierarchy,
            place: None,
            names: Names::default(),
            place_matches: Vec::new(),
        }
    }

    /// The first entry that matches a recorded function, whose module is `module`.
    pub fn of_function(&mut self, function: Function<'_>, module: ModuleId) -> Option<usize> {
        self.go_to(self.hierarchy.parent(module).unwrap_or(ModuleId::ROOT));
        self.first(&Names::of_function(function))
    }

    /// The first entry that matches a class of objects by its qualified name alone; none for a name without letters.
    pub fn of_class(&self, name: &str) -> Option<usize> {
        if name.is_empty() {
            return None;
        }
        let names = Names::of_class(name);
        let matches = |entry: &Entry| {
            let mut conditions = entry.conditions.iter();
            conditions.all(|(matcher, pattern)| names.match_any(*matcher, pattern))
        };
        self.entries.iter().position(matches)
    }

    /// The first entry that matches a module that no recording speaks of, by its name and place.
    pub fn of_module(&mut self, module: ModuleId) -> Option<usize> {
        if self.hierarchy.kind(module) == ModuleKind::File {
            // A file without functions is all that it holds.
            self.go_to(module);
            return self.first(&Names::default());
        }
        self.go_to(self.hierarchy.parent(module).unwrap_or(ModuleId::ROOT));
        let mut scopes: Vec<&str> = Vec::new();
        for id in self.hierarchy.ancestors(module) {
            let kind = self.hierarchy.kind(id);
            if id != module && !matches!(kind, ModuleKind::Namespace | ModuleKind::Class) {
                break;
            }
            scopes.push(self.hierarchy.name(id));
        }
        scopes.reverse();
        let name = scopes.join(".");
        self.first(&Names::of_function(Function {
            name: &name,
            ..Function::default()
        }))
    }

    fn go_to(&mut self, place: ModuleId) {
        if self.place == Some(place) {
            return;
        }
        self.place = Some(place);
        self.names = Names::of_place(self.hierarchy, place);
        let names = &self.names;
        self.place_matches.clear();
        for entry in self.entries {
            let conditions = entry.conditions.iter();
            let matches = conditions.map(|(matcher, pattern)| names.match_any(*matcher, pattern));
            self.place_matches.push(matches.collect());
        }
    }

    fn first(&self, names: &Names) -> Option<usize> {
        let entries = self.entries.iter().zip(&self.place_matches);
        let mut entries = entries.enumerate().filter(|(_, (entry, place))| {
            let mut conditions = entry.conditions.iter().zip(*place);
            conditions
                .all(|((matcher, pattern), place)| *place || names.match_any(*matcher, pattern))
        });
        entries.next().map(|(index, _)| index)
    }
}

impl Names {
    fn match_any(&self, matcher: Matcher, pattern: &Pattern) -> bool {
        let names = match matcher {
            Matcher::Class => &self.class,
            Matcher::Method => &self.method,
            Matcher::File => &self.file,
            Matcher::Package => &self.package,
        };
        names.iter().any(|name| match pattern {
            Pattern::Wildcard(pattern) => wildcard(pattern, name),
            Pattern::Regex(regex) => regex.is_match(name),
        })
    }

    /// What the function says itself.
    fn of_function(function: Function<'_>) -> Names {
        let name = normalized(function.name);
        let (qualifier, own) = split_qualified(&name);
        let mut names = Names {
            class: vec![if qualifier.is_empty() { own } else { qualifier }.to_owned()],
            method: vec![own.to_owned()],
            file: path_and_ends(function.file),
            package: prefixes(qualifier).collect(),
        };
        if !function.library.is_empty() {
            names.package.push(function.library.to_owned());
        }
        if !qualifier.is_empty() {
            names.method.push(name);
        }
        names
    }

    /// What the name of a class says: it has neither a method nor a file.
    fn of_class(name: &str) -> Names {
        let name = normalized(name);
        let (qualifier, _) = split_qualified(&name);
        Names {
            package: prefixes(qualifier).collect(),
            class: vec![name],
            ..Names::default()
        }
    }

    /// What the place in the hierarchy says: `packaging/version.py/Version` is the class
    /// `packaging.version.Version`, and `src/main/java/org/A.java/A` the class `org.A`.
    fn of_place(hierarchy: &Hierarchy, place: ModuleId) -> Names {
        let mut path: Vec<ModuleId> = hierarchy.ancestors(place).collect();
        path.pop();
        path.reverse();
        let mut names = Names::default();
        let mut file_path = String::new();
        // Each part as a dotted name has it, and whether it is a file's, which languages like Java leave out.
        let mut parts: Vec<(&str, ModuleKind)> = Vec::new();
        let mut root = 0;
        for (index, &module) in path.iter().enumerate() {
            let name = hierarchy.name(module);
            let kind = hierarchy.kind(module);
            if kind == ModuleKind::File {
                // From the top of the tree with a slash before it, to tell it from the end of another path.
                let whole = format!("/{file_path}{name}");
                names.file.extend(path_and_ends(&whole));
                parts.push((name.rsplit_once('.').map_or(name, |(stem, _)| stem), kind));
                continue;
            }
            file_path.push_str(name);
            file_path.push('/');
            parts.push((name, kind));
            let is_language =
                LANGUAGE_ROOTS.contains(&name) && index >= 2 && parts[index - 2].0 == "src";
            if kind == ModuleKind::Directory && (SOURCE_ROOTS.contains(&name) || is_language) {
                root = index + 1;
            }
        }
        names.add_parts(&parts);
        names.add_parts(&parts[if root < parts.len() { root } else { 0 }..]);
        names
    }

    fn add_parts(&mut self, parts: &[(&str, ModuleKind)]) {
        let mut with_file = String::new();
        let mut without_file = String::new();
        for &(name, kind) in parts {
            push_dotted(&mut with_file, name);
            if kind != ModuleKind::File {
                push_dotted(&mut without_file, name);
            }
            if kind != ModuleKind::Class {
                push_new(&mut self.package, &with_file);
            }
            if kind == ModuleKind::Namespace {
                push_new(&mut self.package, &without_file);
            }
        }
        push_new(&mut self.class, &with_file);
        if parts
            .last()
            .is_some_and(|(_, kind)| *kind != ModuleKind::File)
        {
            push_new(&mut self.class, &without_file);
        }
    }
}

fn push_dotted(dotted: &mut String, name: &str) {
    if !dotted.is_empty() {
        dotted.push('.');
    }
    dotted.push_str(&normalized(name));
}

fn push_new(names: &mut Vec<String>, name: &str) {
    if !name.is_empty() && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The qualifier and the own name of a normalized name; the qualifier is empty where there is none. Dots within
/// brackets, as those of parameters and template arguments, separate nothing.
fn split_qualified(name: &str) -> (&str, &str) {
    let mut depth = 0usize;
    let mut split = None;
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            // Behind the parameters nothing qualifies any more, but `(anonymous namespace).f`.
            b'(' if depth == 0 && at > 0 && !name[..at].ends_with('.') => {
                let rest = &name[at..];
                let closed = rest.find(')').map_or("", |end| &rest[end + 1..]);
                if !closed.starts_with('.') {
                    break;
                }
                depth += 1;
            }
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'.' if depth == 0 && at > 0 && at + 1 < name.len() => split = Some(at),
            _ => {}
        }
    }
    match split {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => ("", name),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_outside_of_brackets() {
        for (name, qualifier, own) in [
            ("f", "", "f"),
            ("a.b.f", "a.b", "f"),
            ("ns.f(std.string, int)", "ns", "f(std.string, int)"),
            ("a.Map<a.K, b.V>.get", "a.Map<a.K, b.V>", "get"),
            ("(anonymous namespace).f", "(anonymous namespace)", "f"),
            ("a.(anonymous namespace).f", "a.(anonymous namespace)", "f"),
            ("<a.T as b.U>.call", "<a.T as b.U>", "call"),
            ("a.{closure#0}", "a", "{closure#0}"),
            ("a.operator()", "a", "operator()"),
            (".text", "", ".text"),
            ("a.", "", "a."),
            ("", "", ""),
        ] {
            assert_eq!(split_qualified(name), (qualifier, own), "{name}");
        }
    }
}
