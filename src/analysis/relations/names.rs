//! Where imports lead that name what a file defines: Java, Kotlin, C#, Swift and PHP.
//!
//! A file says which package or namespace it belongs to, and defines classes and functions in it. A package or a namespace
//! by itself is no file: an import of one that the tree has counts as not resolved, unless one file alone makes it up.

use std::collections::HashMap;

use super::paths::{FileId, Paths, join};
use super::tree::{Leads, Text, Tree, one};
use callscape_facts::hierarchy::ModuleKind;
use callscape_source::relations::{Family, Import, ImportKind};

pub(super) struct Names<'t> {
    paths: &'t Paths<'t>,
    /// The files that define a name, with its package: `a.b.C`.
    defined: HashMap<(Family, String), Vec<FileId>>,
    /// The files of a package.
    packages: HashMap<(Family, &'t str), Vec<FileId>>,
}

/// Whether a family is looked up here.
fn has_names(family: Family) -> bool {
    matches!(
        family,
        Family::Jvm | Family::CSharp | Family::Php | Family::Swift
    )
}

impl<'t> Names<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Names<'t> {
        let mut names = Names {
            paths: &tree.paths,
            defined: HashMap::new(),
            packages: HashMap::new(),
        };
        for text in tree.texts.iter().filter(|text| has_names(text.family)) {
            let package = &*text.relations.package;
            let of_package = names.packages.entry((text.family, package)).or_default();
            of_package.push(text.id);
            for definition in &text.file.definitions {
                let is_outermost = definition.parent.is_none_or(|parent| {
                    let parent = text.file.definitions.get(parent);
                    parent.is_some_and(|parent| parent.kind == ModuleKind::Namespace)
                });
                if is_outermost && definition.kind != ModuleKind::Namespace {
                    let name = match package {
                        "" => definition.name.clone(),
                        package => format!("{package}.{}", definition.name),
                    };
                    let files = names.defined.entry((text.family, name)).or_default();
                    if files.last() != Some(&text.id) {
                        files.push(text.id);
                    }
                }
            }
        }
        names
    }

    pub(super) fn leads(&self, text: &Text<'_>, import: &Import, to: &mut Vec<FileId>) -> Leads {
        let mut path = &*import.path;
        loop {
            if let Some(files) = self.defined.get(&(text.family, path.to_owned())) {
                let found = match files.as_slice() {
                    [only] => Some(*only),
                    files => self.paths.nearest(text.path, files.iter().copied()),
                };
                return one(found, to, Leads::Nowhere);
            }
            match self.packages.get(&(text.family, path)).map(Vec::as_slice) {
                Some([only]) if text.family == Family::CSharp => {
                    return one(Some(*only), to, Leads::Nowhere);
                }
                Some(_) => return Leads::Nowhere,
                None => {}
            }
            match path.rsplit_once('.') {
                Some((before, _)) => path = before,
                None => return Leads::Outside,
            }
        }
    }

    /// PHP also includes files.
    pub(super) fn leads_in_php(
        &self,
        text: &Text<'_>,
        import: &Import,
        to: &mut Vec<FileId>,
    ) -> Leads {
        if import.kind != ImportKind::Path {
            return self.leads(text, import, to);
        }
        let own = super::paths::folder(text.path);
        let Some(beside) = join(own, &import.path) else {
            return Leads::Outside;
        };
        let found = self.paths.file(&beside);
        let found = found.or_else(|| self.paths.file(&join("", &import.path)?));
        one(found, to, Leads::Nowhere)
    }
}
