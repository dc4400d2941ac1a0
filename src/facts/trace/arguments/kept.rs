//! Arguments as they are kept, and read.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::super::storage::Bytes;
use super::blocks::{BlockEntry, LARGEST, Lists};
use super::value::{Argument, Value, take_small};
use crate::names::{NameId, Names};
use callscape_base::files::Temporary;
use callscape_base::units::{CallId, ThreadId};

/// Unpacked blocks that are kept: those of the calls on a stack, which are asked for together.
const UNPACKED: usize = 8;

type Block = Arc<Vec<u8>>;

/// The arguments of all calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    pub(super) data: Bytes,
    /// The file that the data lies in, when it is not an index yet.
    pub(super) _file: Option<Arc<Temporary>>,
    /// In order of thread and call.
    pub(super) blocks: Arc<Vec<BlockEntry>>,
    pub(super) names: Arc<Names>,
    /// The number of calls with arguments.
    pub(super) calls: u64,
    /// The last blocks that were asked for, the latest first.
    pub(super) unpacked: Arc<Mutex<Vec<(usize, Block)>>>,
    pub(super) damaged: Arc<AtomicBool>,
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    names: &'a Names,
    rest: &'a [u8],
}

impl<'a> Iterator for List<'a> {
    type Item = Argument<'a>;

    fn next(&mut self) -> Option<Argument<'a>> {
        let name = take_small(&mut self.rest)?;
        let value = Value::take(&mut self.rest)?;
        // A number past the last name is damage.
        let name = ((name as usize) < self.names.len()).then(|| self.names.get(NameId(name)))?;
        Some(Argument {
            name: Cow::Borrowed(name),
            value,
        })
    }
}

impl Arguments {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// The names of all arguments, in order of their first appearance.
    pub(crate) fn names(&self) -> Vec<String> {
        let ids = 1..self.names.len() as u32;
        ids.map(|id| self.names.get(NameId(id)).to_owned())
            .collect()
    }

    pub(crate) fn bytes_used(&self) -> u64 {
        let data = self.blocks.iter().map(|block| u64::from(block.size));
        data.sum::<u64>() + size_of_val(self.blocks.as_slice()) as u64
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Compares all blocks with their checksums.
    pub(crate) fn check_all(&self) {
        for block in self.blocks.iter() {
            self.packed(block);
        }
    }

    /// The bytes of a block; none when they are not those that were written.
    fn packed(&self, block: &BlockEntry) -> Option<&[u8]> {
        let start = usize::try_from(block.at).ok();
        let end = start.and_then(|start| start.checked_add(block.size as usize));
        let bytes = start.zip(end);
        let bytes = bytes.and_then(|(start, end)| self.data.get(start..end));
        let bytes = bytes.filter(|bytes| crc32fast::hash(bytes) == block.checksum);
        if bytes.is_none() {
            self.damaged.store(true, Ordering::Relaxed);
        }
        bytes
    }

    /// A block unpacked.
    fn unpack(&self, block: &BlockEntry) -> Option<Vec<u8>> {
        let packed = self.packed(block)?;
        if block.unpacked == 0 {
            return Some(packed.to_vec());
        }
        let length = (block.unpacked as usize).min(LARGEST);
        let unpacked = zstd::bulk::decompress(packed, length).ok();
        if unpacked.is_none() {
            self.damaged.store(true, Ordering::Relaxed);
        }
        unpacked
    }

    /// The first block of `thread` whose last call is not before `call`.
    fn find(&self, thread: u32, call: u32) -> usize {
        self.blocks
            .partition_point(|block| (block.thread, block.last) < (thread, call))
    }

    /// The arguments of a call. O(log n + a block).
    pub(crate) fn of(&self, thread: ThreadId, call: CallId) -> Vec<Argument<'static>> {
        let index = self.find(thread.0, call.0);
        let found = self.blocks.get(index);
        let Some(entry) = found.filter(|it| it.thread == thread.0 && it.first <= call.0) else {
            return Vec::new();
        };
        let Some(block) = self.recent(index, entry) else {
            return Vec::new();
        };
        let mut lists = Lists::new(&block, entry.first);
        let list = lists.find(|&(of, _)| of >= call.0);
        let list = list.filter(|&(of, _)| of == call.0);
        list.map_or_else(Vec::new, |(_, list)| {
            let owned = |argument: Argument<'_>| Argument {
                name: Cow::Owned(argument.name.into_owned()),
                value: argument.value.into_owned(),
            };
            self.list(list).map(owned).collect()
        })
    }

    fn list<'a>(&'a self, list: &'a [u8]) -> List<'a> {
        List {
            names: &self.names,
            rest: list,
        }
    }

    /// A block, unpacked before or now.
    fn recent(&self, index: usize, entry: &BlockEntry) -> Option<Block> {
        // What is kept survives a panic elsewhere: every change below leaves it whole.
        let lock = || self.unpacked.lock().unwrap_or_else(|it| it.into_inner());
        {
            let mut kept = lock();
            if let Some(place) = kept.iter().position(|(of, _)| *of == index) {
                kept[..=place].rotate_right(1);
                return Some(kept[0].1.clone());
            }
        }
        let block: Block = Arc::new(self.unpack(entry)?);
        let mut kept = lock();
        kept.truncate(UNPACKED - 1);
        kept.insert(0, (index, block.clone()));
        Some(block)
    }

    /// Hands the calls of `thread` with these numbers that have arguments to `visit`, in order, until it says no.
    /// O(log n + blocks visited).
    pub(crate) fn visit(
        &self,
        thread: ThreadId,
        calls: Range<u32>,
        mut visit: impl FnMut(CallId, List<'_>) -> bool,
    ) {
        let from = self.find(thread.0, calls.start);
        let blocks = self.blocks.get(from..).unwrap_or_default();
        for entry in blocks {
            if entry.thread != thread.0 || entry.first >= calls.end {
                return;
            }
            let Some(block) = self.unpack(entry) else {
                return;
            };
            for (call, list) in Lists::new(&block, entry.first) {
                if calls.contains(&call) && !visit(CallId(call), self.list(list)) {
                    return;
                }
            }
        }
    }
}
