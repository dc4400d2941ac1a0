//! Pages of runs as long as it is not known whether there are calls enough for them.

use super::entries::NodeEntry;
use super::storage::Growing;

#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Where these lie in the data by now.
    written: Option<u64>,
}

/// In the offset of a page: it counts from where the held pages begin.
const HELD: u64 = 1 << 63;

impl Held {
    /// Holds a page.
    pub(super) fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> NodeEntry {
        let at = self.bytes.len();
        write(&mut self.bytes);
        NodeEntry {
            offset: HELD | at as u64,
            size: (self.bytes.len() - at) as u32,
            checksum: crc32fast::hash(&self.bytes[at..]),
        }
    }

    /// Writes the pages that have been held; there are calls enough.
    pub(super) fn settle(&mut self, data: &mut Growing) {
        if self.written.is_none() {
            let held = std::mem::take(&mut self.bytes);
            let (at, _) = data.append(|data| data.extend_from_slice(&held));
            self.written = Some(at);
        }
    }

    /// The node of a page, held or not, where it lies at last.
    pub(super) fn settled(&self, node: NodeEntry) -> NodeEntry {
        let offset = match self.written {
            Some(at) if node.offset & HELD != 0 => at + (node.offset & !HELD),
            _ => node.offset,
        };
        NodeEntry { offset, ..node }
    }
}
