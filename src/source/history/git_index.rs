//! The index of a work tree: which files git tracks, and how each looked when it was last known to be as committed. That
//! saves reading those that have not changed.
//!
//! <https://git-scm.com/docs/index-format>, versions 2 to 4. Extensions, those that would have a program asked among them, are
//! passed over; of an index that is split in two, or not read to its end, nothing is taken.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::Path;

use gix::ObjectId;

/// Larger ones are not read.
const LARGEST: u64 = 1 << 30;

/// What stands before the name of an entry: ten numbers, an id and flags.
const FIXED: usize = 40;
const ID: usize = 20;

const EXTENDED: u16 = 1 << 14;
const SKIP_WORKTREE: u16 = 1 << 14;

/// A file that git tracks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tracked {
    pub id: ObjectId,
    pub kind: Kind,
    /// It is left out of the work tree on purpose.
    pub is_skipped: bool,
    /// Seconds and nanoseconds.
    modified: (u32, u32),
    inode: u32,
    bytes: u32,
    /// It has several versions that are still to be merged.
    is_unmerged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    Submodule,
    /// A directory that is left out of the work tree on purpose.
    Folder,
}

/// The files of an index by their paths from the top of the work tree.
#[derive(Clone, Debug, Default)]
pub(super) struct GitIndex {
    pub files: HashMap<Vec<u8>, Tracked>,
    /// When it was written, in seconds and nanoseconds: what changed since may look as it did before.
    written: (u32, u32),
}

impl GitIndex {
    /// None where there is none, or it is not of a form that is known.
    pub(super) fn read(path: &Path) -> Option<GitIndex> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return None;
        }
        let files = parse(&std::fs::read(path).ok()?)?;
        let written = modified(&metadata);
        Some(GitIndex { files, written })
    }

    /// Whether a file is as it was when git last knew it, which nobody need read it for.
    pub(super) fn is_as_tracked(&self, tracked: &Tracked, metadata: &Metadata) -> bool {
        let now = modified(metadata);
        now == tracked.modified
            && now < self.written
            && metadata.len() as u32 == tracked.bytes
            && (tracked.inode == 0 || inode(metadata) == tracked.inode)
            && !tracked.is_unmerged
    }
}

#[cfg(unix)]
fn modified(metadata: &Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    (metadata.mtime() as u32, metadata.mtime_nsec() as u32)
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt;
    metadata.ino() as u32
}

#[cfg(not(unix))]
fn modified(metadata: &Metadata) -> (u32, u32) {
    let since = metadata.modified().ok();
    let since = since.and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or((0, 0), |it| (it.as_secs() as u32, it.subsec_nanos()))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u32 {
    0
}

fn parse(data: &[u8]) -> Option<HashMap<Vec<u8>, Tracked>> {
    let number = |at: usize| Some(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_be_bytes(data.get(at..at + 2)?.try_into().ok()?));
    let version = number(4)?;
    if !data.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let count = number(8)? as usize;
    // An entry has 62 bytes and a name at the least.
    let mut files: HashMap<Vec<u8>, Tracked> = HashMap::with_capacity(count.min(data.len() / 63));
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let flags = short(at + FIXED + ID)?;
        let is_extended = flags & EXTENDED != 0 && version >= 3;
        let more = match is_extended {
            true => short(at + FIXED + ID + 2)?,
            false => 0,
        };
        let mut start = at + FIXED + ID + 2 + 2 * usize::from(is_extended);
        if version == 4 {
            let removed = varint(data, &mut start)?;
            name.truncate(name.len().checked_sub(removed)?);
        } else {
            name.clear();
        }
        let length = memchr::memchr(0, data.get(start..)?)?;
        name.extend_from_slice(&data[start..start + length]);
        let stage = flags >> 12 & 3;
        let tracked = Tracked {
            id: ObjectId::try_from(data.get(at + FIXED..at + FIXED + ID)?).ok()?,
            kind: match number(at + 24)? >> 12 {
                0o12 => Kind::Link,
                0o16 => Kind::Submodule,
                0o4 => Kind::Folder,
                _ => Kind::File,
            },
            is_skipped: more & SKIP_WORKTREE != 0,
            modified: (number(at + 8)?, number(at + 12)?),
            inode: number(at + 20)?,
            bytes: number(at + 36)?,
            is_unmerged: stage != 0,
        };
        files.insert(name.clone(), tracked);
        at = match version {
            4 => start + length + 1,
            // Up to eight zeros, so that entries have a length of a multiple of eight.
            _ => at + (start - at + length + 8) / 8 * 8,
        };
    }
    let is_split = extensions(data, at)?.any(|name| name == *b"link");
    (!is_split).then_some(files)
}

/// The names of what follows the entries; none where it does not fit in.
fn extensions(data: &[u8], mut at: usize) -> Option<impl Iterator<Item = [u8; 4]>> {
    let end = data.len().checked_sub(ID)?;
    let mut names = Vec::new();
    while at < end {
        let name: [u8; 4] = data.get(at..at + 4)?.try_into().ok()?;
        let size = u32::from_be_bytes(data.get(at + 4..at + 8)?.try_into().ok()?);
        names.push(name);
        at = at.checked_add(8)?.checked_add(size as usize)?;
    }
    Some(names.into_iter())
}

/// The number that packs use for offsets: seven bits a byte, the highest first, and one more for each byte that follows.
fn varint(data: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let byte = *data.get(*at)?;
        *at += 1;
        value = value.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?.checked_mul(128)?;
    }
}
