//! The files of a tree, as their imports are looked up.

use super::paths::{FileId, Paths};
use callscape_source::SourceFile;
use callscape_source::relations::manifests::Manifests;
use callscape_source::relations::{Family, FileRelations};

/// Where an import leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To the files that were added to the list.
    Inside,
    /// To what is not in the tree.
    Outside,
    /// It should lead into the tree.
    Nowhere,
}

/// A file of the tree, as its imports are looked up.
pub(super) struct Text<'a> {
    pub id: FileId,
    /// Relative to the root, with `/`.
    pub path: &'a str,
    pub family: Family,
    pub file: &'a SourceFile,
    pub relations: &'a FileRelations,
}

/// Everything that imports are looked up in.
pub(super) struct Tree<'a> {
    pub paths: Paths<'a>,
    pub texts: Vec<Text<'a>>,
    pub manifests: Manifests,
    /// The name of the tree's own directory.
    pub root_name: String,
}

/// How often it is looked whether one wants to stop.
pub(super) const STEP: usize = 256;

/// The one file that was found, or `otherwise`.
pub(super) fn one(found: Option<FileId>, to: &mut Vec<FileId>, otherwise: Leads) -> Leads {
    match found {
        Some(file) => {
            to.push(file);
            Leads::Inside
        }
        None => otherwise,
    }
}
