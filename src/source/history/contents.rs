//! What two revisions have of a file.

use gix::ObjectId;

use super::repository::Change;

/// Larger files are data; nobody looks for a fault in them line by line.
pub(super) const LARGEST: u64 = 16 << 20;

/// What one side has of a file.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Object(ObjectId),
    /// In the work tree, other than what git knows of it.
    Bytes(Vec<u8>),
}

/// A file with other contents on both sides.
pub(super) struct Pair {
    pub path: String,
    pub was: Option<String>,
    pub contents: [Option<Content>; 2],
}

impl Pair {
    pub(super) fn of(change: Change) -> Pair {
        let contents = [change.before, change.after];
        Pair {
            path: change.path,
            was: None,
            contents: contents.map(|id| id.map(Content::Object)),
        }
    }
}
