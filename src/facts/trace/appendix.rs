//! The end of an index file, behind all that a recording cannot be shown without: what has been found out about all of its
//! calls, in sections that are added as they are asked for.
//!
//! A section has a header with its kind, its length and checksums. One that is damaged or unknown counts as missing: it
//! is found out again and added, and of several of one kind the last counts. A section that is not whole, since its
//! writer was stopped, ends the file; the next one takes its place.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::storage::Bytes;

/// The first bytes of each section.
const MAGIC: [u8; 8] = *b"CSADDED\n";
/// Bytes of the header of the index.
const OF_INDEX: usize = 64;
/// Sections start at multiples of this.
const ALIGN: usize = 8;

/// What a section holds. Each kind has a number of its own, and so has each change of how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(crate) enum Kind {
    /// Calling contexts by thread.
    Paths = 1,
    /// Skeletons that phases are found from. Those with the number 2 had nothing of each thread's short calls.
    Skeletons = 3,
    /// Numbers of calls by depth.
    Depths = 4,
}

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [Kind::Paths, Kind::Skeletons, Kind::Depths];
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    bytes: u64,
    kind: u32,
    checksum: u32,
    unused: u32,
    /// Of all before it.
    own_checksum: u32,
}

impl Header {
    fn of(kind: Kind, bytes: &[u8]) -> Header {
        let mut header = Header {
            magic: MAGIC,
            bytes: bytes.len() as u64,
            kind: kind as u32,
            checksum: crc32fast::hash(bytes),
            unused: 0,
            own_checksum: 0,
        };
        header.own_checksum = header.sum();
        header
    }

    fn sum(&self) -> u32 {
        crc32fast::hash(&bytemuck::bytes_of(self)[..size_of::<Header>() - size_of::<u32>()])
    }

    /// The section of `bytes` that starts at `at`, and where it ends.
    fn read(bytes: &[u8], at: usize) -> Option<(Header, usize)> {
        let header = bytes.get(at..)?.get(..size_of::<Header>())?;
        let header: Header = bytemuck::pod_read_unaligned(header);
        let length = usize::try_from(header.bytes).ok()?;
        let end = at.checked_add(size_of::<Header>())?.checked_add(length)?;
        let is_whole = header.magic == MAGIC && header.own_checksum == header.sum();
        (is_whole && end <= bytes.len()).then_some((header, end))
    }
}

/// The sections of an index by kind.
#[derive(Debug, Default)]
pub(crate) struct Appendix {
    sections: BTreeMap<Kind, Arc<Vec<u8>>>,
    /// The index, the place of its first section, and where sections lie that have not been asked for.
    file: Option<(Bytes, usize)>,
}

impl Appendix {
    /// The sections behind `at` of an index.
    pub(crate) fn read(bytes: &Bytes, at: usize) -> Appendix {
        Appendix {
            sections: BTreeMap::new(),
            file: Some((bytes.clone(), at.next_multiple_of(ALIGN))),
        }
    }

    pub(crate) fn get(&self, kind: Kind) -> Option<Arc<Vec<u8>>> {
        if let Some(known) = self.sections.get(&kind) {
            return Some(Arc::clone(known));
        }
        let (file, first) = self.file.as_ref()?;
        let (mut at, mut found) = (*first, None);
        while let Some((header, end)) = Header::read(file, at) {
            let bytes = file.get(at + size_of::<Header>()..end)?;
            if header.kind == kind as u32 && header.checksum == crc32fast::hash(bytes) {
                found = Some(bytes);
            }
            at = end.next_multiple_of(ALIGN);
        }
        found.map(|bytes| Arc::new(bytes.to_vec()))
    }

    pub(crate) fn put(&mut self, kind: Kind, bytes: Arc<Vec<u8>>) {
        self.sections.insert(kind, bytes);
    }

    /// Adds a section to the index at `path`, where that is still the one that was read.
    pub(crate) fn add(&self, path: &Path, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let Some((read, first)) = &self.file else {
            return Ok(());
        };
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        file.lock()?;
        let now = Bytes::map(&file)?;
        // The header has checksums of all else, which tell one index from another.
        if now.get(..OF_INDEX) != read.get(..OF_INDEX) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut at = *first;
        while let Some((_, end)) = Header::read(&now, at) {
            at = end.next_multiple_of(ALIGN);
        }
        file.seek(SeekFrom::Start(at as u64))?;
        file.write_all(&section(kind, bytes))
    }

    /// All sections, to be written where a multiple of eight bytes are before.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let sections = self.sections.iter();
        sections
            .flat_map(|(&kind, bytes)| section(kind, bytes))
            .collect()
    }
}

fn section(kind: Kind, bytes: &[u8]) -> Vec<u8> {
    let mut out = bytemuck::bytes_of(&Header::of(kind, bytes)).to_vec();
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(ALIGN), 0);
    out
}
