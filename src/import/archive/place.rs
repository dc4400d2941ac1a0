//! Where members of an archive are found again.

use std::sync::Arc;

use super::zip::Entry;

/// Where the bytes of a member are.
pub(super) enum Where {
    /// Here, compressed with Zstandard.
    Kept(Arc<[u8]>),
    /// At this offset of the file.
    Plain(u64),
    /// At this offset of the decompressed archive.
    Tar(u64, Looks),
    Zip(Entry),
}

/// What a member looks like that is not kept.
pub(super) enum Looks {
    /// Like a recording; its first bytes are here, compressed with Zstandard.
    Recording(Arc<[u8]>),
    /// Like none that is a file.
    Other,
    /// Nobody has room for its first bytes.
    Unknown,
}
