//! Where imports of Go lead: <https://go.dev/ref/mod#packages-imports>
//!
//! A package is a directory. Its import leads to the files that define what the importing file uses of it, and where that is
//! not known, as for an import for its effects alone, to the first of its files.

use std::collections::HashMap;

use super::paths::{self, FileId, Paths, join};
use super::tree::{Leads, Text, Tree};
use callscape_source::relations::manifests::Manifests;
use callscape_source::relations::{Family, Import};

pub(super) struct Packages<'t> {
    paths: &'t Paths<'t>,
    manifests: &'t Manifests,
    /// Without tests, by directory.
    files: HashMap<&'t str, Vec<&'t Text<'t>>>,
}

impl<'t> Packages<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Packages<'t> {
        let mut files: HashMap<&str, Vec<&Text<'_>>> = HashMap::new();
        let texts = tree.texts.iter().filter(|text| text.family == Family::Go);
        for text in texts.filter(|text| !text.path.ends_with("_test.go")) {
            files
                .entry(paths::folder(text.path))
                .or_default()
                .push(text);
        }
        Packages {
            paths: &tree.paths,
            manifests: &tree.manifests,
            files,
        }
    }

    pub(super) fn leads(&self, text: &Text<'_>, import: &Import, to: &mut Vec<FileId>) -> Leads {
        let Some(folder) = self.folder(text.path, &import.path) else {
            return Leads::Outside;
        };
        let Some(files) = self.files.get(folder.as_str()) else {
            return Leads::Nowhere;
        };
        let package = files.first().map_or("", |first| &*first.relations.package);
        let known_as = match &*import.alias {
            "" => package,
            alias => alias,
        };
        let used = used_of(text, known_as);
        for file in files {
            let definitions = &file.file.definitions;
            let defines = definitions
                .iter()
                .any(|it| it.parent.is_none() && used.contains(&it.name.as_str()));
            if defines {
                to.push(file.id);
            }
        }
        if to.is_empty() {
            to.extend(files.first().map(|first| first.id));
        }
        Leads::Inside
    }

    /// The directory of a package: below the module whose path the import begins with, or one that is kept with it.
    fn folder(&self, from: &str, path: &str) -> Option<String> {
        let modules = self.manifests.go.iter().filter_map(|(folder, module)| {
            let inside = path.strip_prefix(module.as_str())?;
            let is_whole = inside.is_empty() || inside.starts_with('/');
            is_whole.then(|| (module.len(), join(folder, inside.trim_start_matches('/'))))
        });
        let longest = modules.max_by_key(|(length, _)| *length);
        if let Some((_, Some(folder))) = longest {
            return Some(folder);
        }
        let vendored = paths::around(paths::folder(from)).map(|at| join(at, "vendor"));
        let mut vendored = vendored.filter_map(|at| join(&at?, path));
        vendored.find(|folder| self.paths.is_folder(folder))
    }
}

/// The names that a file uses of what it knows by this name.
fn used_of<'a>(text: &Text<'a>, known_as: &str) -> Vec<&'a str> {
    let relations = text.relations;
    let name = |index: u32| {
        relations
            .names
            .get(index as usize)
            .map_or("", |name| &**name)
    };
    let uses = relations.calls.iter();
    let uses = uses.filter(|call| name(call.qualifier) == known_as);
    let mut names: Vec<&str> = uses.map(|call| name(call.name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}
