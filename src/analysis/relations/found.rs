//! The relations of a source tree: what imports and calls what.

use std::collections::BTreeMap;

use super::cycles;
use super::paths::{self, FileId};

/// An import that leads from one file of the tree to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileImport {
    pub from: FileId,
    pub to: FileId,
    /// Of the statement in `from`.
    pub line: u32,
}

/// An import that leads to no file of the tree, though it should.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unresolved {
    pub from: FileId,
    pub line: u32,
    pub path: String,
}

/// The relations of a source tree.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    /// By file, its path relative to the tree's root, with `/`.
    pub paths: Vec<String>,
    /// One for each pair of files and line, sorted. No file imports itself.
    pub imports: Vec<FileImport>,
    /// Calls from one file to a function of another, sorted by the two.
    pub calls: Vec<CallsByName>,
    /// The same from function to function, those within a file too.
    pub function_calls: Vec<FunctionCalls>,
    /// Imports that lead to a file of the tree, be it the importing file.
    pub inside: u64,
    /// Imports of what is not in the tree.
    pub outside: u64,
    /// By path, how many imports of what is not in the tree.
    pub outside_paths: BTreeMap<String, u64>,
    pub unresolved: Vec<Unresolved>,
    /// Which class inherits from which, sorted.
    pub inherits: Vec<Inherits>,
    /// Bases whose name several classes have, and those whose name none has that could be meant.
    pub ambiguous_bases: u64,
    pub outside_bases: u64,
    /// Global variables of files and of classes and namespaces in them, in order of the file.
    pub globals: Vec<Globals>,
    /// Files in a grammar's language whose imports could not be read.
    pub unread: u64,
}

impl Relations {
    /// The share of the imports that are meant for the tree, by their form, whose file was found; 1 where there are
    /// none.
    pub fn share_resolved(&self) -> f64 {
        let meant = self.inside + self.unresolved.len() as u64;
        match meant {
            0 => 1.0,
            _ => self.inside as f64 / meant as f64,
        }
    }

    /// The cycles among files, each in order of path, the largest first.
    pub fn cycles(&self) -> Vec<Vec<FileId>> {
        let edges = self.imports.iter().map(|it| (it.from, it.to));
        cycles::components(self.paths.len(), edges)
    }

    /// The cycles among directories, by the files that stand directly in them; each sorted, the largest first.
    pub fn directory_cycles(&self) -> Vec<Vec<&str>> {
        let mut names: Vec<&str> = self.paths.iter().map(|path| paths::folder(path)).collect();
        let of_file = names.clone();
        names.sort_unstable();
        names.dedup();
        let directory = |file: FileId| {
            let name = of_file[file as usize];
            names.binary_search(&name).unwrap_or(0) as u32
        };
        let edges = self.imports.iter();
        let edges = edges.map(|it| (directory(it.from), directory(it.to)));
        let found = cycles::components(names.len(), edges);
        let named = found.into_iter().map(|cycle| {
            let names = cycle.into_iter().map(|it| names[it as usize]);
            names.collect()
        });
        named.collect()
    }
}

/// A class that inherits from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inherits {
    pub from_file: FileId,
    /// The line at which the class begins.
    pub from: u32,
    pub class: String,
    pub to_file: FileId,
    pub to: u32,
    pub base: String,
    /// At which it says so.
    pub line: u32,
}

/// How many global variables a file, or a class or namespace in it, declares directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Globals {
    pub file: FileId,
    /// The line at which the class or namespace begins; none for the file itself.
    pub owner: Option<u32>,
    pub count: u32,
}

/// Calls from one file to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallsByName {
    pub from: FileId,
    pub to: FileId,
    pub count: u64,
}

/// Calls from one function to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionCalls {
    pub from_file: FileId,
    /// The line at which it begins; none for code in no function.
    pub from: Option<u32>,
    pub to_file: FileId,
    pub to: u32,
    pub count: u64,
}
