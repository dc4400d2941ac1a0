//! Where includes of C and C++ lead.
//!
//! The directories that a compiler searches are not known. A path in quotes is looked up from the file's own directory, then
//! from those around it and the folders in these where headers are kept; then it leads to the file whose path ends so,
//! the nearest of several. In angle brackets a name of the standard library is always outside.

use super::paths::{self, FileId, Paths, around, join};
use super::standard;
use super::tree::{Leads, Text, Tree, one};
use callscape_source::relations::{Import, ImportKind};

pub(super) struct Headers<'t> {
    paths: &'t Paths<'t>,
}

/// Where headers are kept in a directory.
const KEPT_IN: [&str; 5] = ["", "include", "inc", "src", "lib"];

impl<'t> Headers<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Headers<'t> {
        Headers { paths: &tree.paths }
    }

    pub(super) fn leads(&self, text: &Text<'_>, import: &Import, to: &mut Vec<FileId>) -> Leads {
        let is_quoted = import.kind == ImportKind::Path;
        let otherwise = match is_quoted {
            true => Leads::Nowhere,
            false => Leads::Outside,
        };
        let folder = paths::folder(text.path);
        if is_quoted {
            match join(folder, &import.path) {
                // Absolute, or out of the tree.
                None => return Leads::Outside,
                Some(path) => {
                    if let Some(file) = self.paths.file(&path) {
                        return one(Some(file), to, otherwise);
                    }
                }
            }
        } else if !import.path.contains('.') || standard::C.binary_search(&&*import.path).is_ok() {
            // `<vector>` and `<stdio.h>`.
            return Leads::Outside;
        }
        let found = around(folder).find_map(|folder| {
            KEPT_IN.iter().find_map(|kept| {
                let path = join(&join(folder, kept)?, &import.path)?;
                self.paths.file(&path)
            })
        });
        let found = found.or_else(|| {
            let path = join("", &import.path)?;
            self.paths.nearest(text.path, self.paths.ending_with(&path))
        });
        one(found, to, otherwise)
    }
}
