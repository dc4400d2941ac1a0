//! A source file and what has been read of it.

use std::path::PathBuf;

use super::count::Counted;
use super::definitions::Definition;
use super::relations::FileRelations;
use callscape_facts::kinds::FileKind;

/// A source file and what is known of it so far.
#[derive(Debug)]
pub struct SourceFile {
    /// Relative to the tree's root.
    pub path: PathBuf,
    pub counted: Counted,
    /// Of its content; 0 while that has not been read.
    pub hash: u64,
    /// By its text, its name and git's attributes.
    pub kind: FileKind,
    pub definitions: Vec<Definition>,
    /// What it says of other files; none where that was not asked for, or the file has no grammar or could not be read.
    pub relations: Option<FileRelations>,
}
