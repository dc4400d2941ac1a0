//! Relations of a source tree without a recording: which file imports which, calls by name, and cycles.
//!
//! What a text says (`source::relations`) is looked up in the tree by the rules of its language, one file here for each
//! family of languages. An import leads to the file that the longest part of its path names. Nothing is executed, nothing
//! is installed and no path outside the tree is opened: what a build would find elsewhere counts as outside.

mod c;
mod calls;
pub mod cycles;
mod found;
mod go;
mod inherits;
mod javascript;
mod modules;
mod names;
mod other;
mod paths;
mod python;
mod rust;
mod rust_modules;
mod standard;
mod tree;

use std::path::Path;

pub use found::{CallsByName, FileImport, FunctionCalls, Globals, Inherits, Relations, Unresolved};
pub use modules::of_tree;
pub use paths::FileId;
use paths::Paths;
use tree::{Leads, STEP, Text, Tree};

use callscape_base::progress::{Cancelled, Progress};
use callscape_source::SourceFile;
use callscape_source::relations::manifests::Manifests;
use callscape_source::relations::{Family, Import};

/// The relations among the files of a tree, whose imports have been read. About linear in imports and calls.
pub fn find(dir: &Path, files: &[SourceFile], progress: &Progress) -> Result<Relations, Cancelled> {
    progress.start("looking up imports", files.len() as u64);
    let paths: Vec<String> = files.iter().map(|file| with_slashes(&file.path)).collect();
    let manifests = Manifests::read(dir, paths.iter().map(String::as_str));
    let root = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let root_name = root.file_name().unwrap_or_default();
    let mut relations = Relations::default();
    let tree = Tree {
        paths: Paths::new(&paths),
        texts: texts(files, &paths, &mut relations),
        manifests,
        root_name: root_name.to_string_lossy().into_owned(),
    };
    let lookup = Lookup::new(&tree);
    let mut to: Vec<FileId> = Vec::new();
    for (at, text) in tree.texts.iter().enumerate() {
        if at.is_multiple_of(STEP) {
            progress.set(u64::from(text.id))?;
        }
        for import in &text.relations.imports {
            to.clear();
            let leads = lookup.leads(text, import, &mut to);
            relations.count(text, import, leads, &to);
        }
    }
    relations.imports.sort_unstable();
    relations.imports.dedup();
    relations.unresolved.sort();
    calls::find(&tree, &mut relations, progress)?;
    inherits::find(&tree, &mut relations, progress)?;
    relations.paths = paths;
    Ok(relations)
}

fn texts<'a>(
    files: &'a [SourceFile],
    paths: &'a [String],
    relations: &mut Relations,
) -> Vec<Text<'a>> {
    let mut texts = Vec::new();
    for (id, (file, path)) in (0..).zip(files.iter().zip(paths)) {
        let Some(family) = Family::of(file.counted.language) else {
            continue;
        };
        match &file.relations {
            Some(relations) => texts.push(Text {
                id,
                path,
                family,
                file,
                relations,
            }),
            None => relations.unread += 1,
        }
    }
    texts
}

fn with_slashes(path: &Path) -> String {
    let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

impl Relations {
    fn count(&mut self, text: &Text<'_>, import: &Import, leads: Leads, to: &[FileId]) {
        match leads {
            Leads::Inside => {
                self.inside += 1;
                let others = to.iter().filter(|&&to| to != text.id);
                self.imports.extend(others.map(|&to| FileImport {
                    from: text.id,
                    to,
                    line: import.line,
                }));
            }
            Leads::Outside => {
                self.outside += 1;
                *self.outside_paths.entry(written(import)).or_default() += 1;
            }
            Leads::Nowhere => self.unresolved.push(Unresolved {
                from: text.id,
                line: import.line,
                path: written(import),
            }),
        }
    }
}

/// An import as a person would name it.
fn written(import: &Import) -> String {
    match &*import.name {
        "" => import.path.to_string(),
        name => format!("{} {name}", import.path),
    }
}

/// What is worked out once for all files of a family.
struct Lookup<'t> {
    tree: &'t Tree<'t>,
    c: c::Headers<'t>,
    python: python::Modules<'t>,
    rust: rust::Crates<'t>,
    javascript: javascript::Packages<'t>,
    names: names::Names<'t>,
    go: go::Packages<'t>,
}

impl<'t> Lookup<'t> {
    fn new(tree: &'t Tree<'t>) -> Lookup<'t> {
        Lookup {
            tree,
            c: c::Headers::new(tree),
            python: python::Modules::new(tree),
            rust: rust::Crates::new(tree),
            javascript: javascript::Packages::new(tree),
            names: names::Names::new(tree),
            go: go::Packages::new(tree),
        }
    }

    fn leads(&self, text: &Text<'t>, import: &Import, to: &mut Vec<FileId>) -> Leads {
        match text.family {
            Family::C => self.c.leads(text, import, to),
            Family::Python => self.python.leads(text, import, to),
            Family::Rust => self.rust.leads(text, import, to),
            Family::JavaScript => self.javascript.leads(text, import, to),
            Family::Go => self.go.leads(text, import, to),
            Family::Jvm | Family::CSharp | Family::Swift => self.names.leads(text, import, to),
            Family::Php => self.names.leads_in_php(text, import, to),
            Family::Ruby => other::in_ruby(&self.tree.paths, text, import, to),
            Family::Lua => other::in_lua(&self.tree.paths, text, import, to),
            Family::Shell => other::in_shell(&self.tree.paths, text, import, to),
        }
    }
}

#[cfg(test)]
mod tests;
