//! Where imports of Python lead: <https://docs.python.org/3/reference/import.html>

use std::collections::BTreeMap;

use super::paths::{self, FileId, Paths};
use super::standard;
use super::tree::{Leads, Text, Tree, one};
use callscape_source::relations::{Family, Import, ImportKind};

/// Where the modules of a tree are looked for.
pub(super) struct Modules<'t> {
    paths: &'t Paths<'t>,
    /// Set where the tree is a package itself: then imports name it.
    own_name: Option<&'t str>,
    /// Where packages begin that are in no other, by name.
    packages: BTreeMap<&'t str, Vec<&'t str>>,
}

impl<'t> Modules<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Modules<'t> {
        let mut modules = Modules {
            paths: &tree.paths,
            own_name: None,
            packages: BTreeMap::new(),
        };
        modules.own_name = modules.is_package("").then_some(&*tree.root_name);
        for text in &tree.texts {
            let folder = paths::folder(text.path);
            let begins = text.family == Family::Python && paths::stem(text.path) == "__init__";
            if begins && !folder.is_empty() && !modules.is_package(paths::folder(folder)) {
                let same = modules.packages.entry(paths::name(folder)).or_default();
                same.push(paths::folder(folder));
            }
        }
        modules
    }

    fn is_package(&self, folder: &str) -> bool {
        ["__init__.py", "__init__.pyi"]
            .iter()
            .any(|name| self.paths.in_folder(folder, name).is_some())
    }

    pub(super) fn leads(&self, text: &Text<'_>, import: &Import, to: &mut Vec<FileId>) -> Leads {
        let names = import.path.trim_start_matches('.');
        let level = import.path.len() - names.len();
        let mut parts: Vec<&str> = names.split('.').filter(|part| !part.is_empty()).collect();
        if import.kind == ImportKind::From && &*import.name != "*" {
            parts.push(&import.name);
        }
        if level == 0 {
            return self.absolute(text, &parts, to);
        }
        let mut base = paths::folder(text.path);
        for _ in 1..level {
            if base.is_empty() {
                return Leads::Outside;
            }
            base = paths::folder(base);
        }
        let found = self.longest(base, &parts);
        // Nothing of a package but its name: what it begins with.
        let is_own = names.is_empty();
        let found = found.or_else(|| is_own.then(|| self.begins(base)).flatten());
        one(found, to, Leads::Nowhere)
    }

    fn absolute(&self, text: &Text<'_>, parts: &[&str], to: &mut Vec<FileId>) -> Leads {
        let Some(&first) = parts.first() else {
            return Leads::Nowhere;
        };
        let folder = paths::folder(text.path);
        // Programs see what is beside them; modules of a package what is beside the outermost one around them.
        let top = paths::around(folder).find(|at| !self.is_package(at));
        if let Some(found) = top.and_then(|top| self.longest(top, parts)) {
            return one(Some(found), to, Leads::Nowhere);
        }
        if self.own_name == Some(first) {
            let found = self.longest("", &parts[1..]).or_else(|| self.begins(""));
            return one(found, to, Leads::Nowhere);
        }
        if standard::PYTHON.binary_search(&first).is_ok() {
            return Leads::Outside;
        }
        let folders = paths::around(folder).filter(|at| !self.is_package(at));
        let mut found = None;
        let mut is_here = false;
        for base in folders {
            for inside in ["", "src", "lib", "python"] {
                let base = match (base, inside) {
                    (base, "") => base.to_owned(),
                    ("", inside) => inside.to_owned(),
                    (base, inside) => format!("{base}/{inside}"),
                };
                found = found.or_else(|| self.longest(&base, parts));
                is_here |= self.is_namespace(&base, first);
            }
        }
        let found = found.or_else(|| match self.packages.get(first).map(Vec::as_slice) {
            Some([only]) => self.longest(only, parts),
            _ => None,
        });
        let otherwise = match is_here {
            true => Leads::Nowhere,
            false => Leads::Outside,
        };
        one(found, to, otherwise)
    }

    /// Whether a directory of this name holds Python without being a package of its own.
    fn is_namespace(&self, base: &str, name: &str) -> bool {
        let path = match base {
            "" => name.to_owned(),
            base => format!("{base}/{name}"),
        };
        self.is_package(&path)
    }

    /// The file of a package or a module.
    fn begins(&self, folder: &str) -> Option<FileId> {
        let names = ["__init__.py", "__init__.pyi"];
        names
            .iter()
            .find_map(|name| self.paths.in_folder(folder, name))
    }

    /// The module that most of these names lead to, from a directory.
    fn longest(&self, base: &str, parts: &[&str]) -> Option<FileId> {
        (1..=parts.len()).rev().find_map(|length| {
            let path = parts[..length].join("/");
            ["/__init__.py", ".py", ".pyi", "/__init__.pyi", ".pyw"]
                .iter()
                .find_map(|end| self.paths.in_folder(base, &format!("{path}{end}")))
        })
    }
}
