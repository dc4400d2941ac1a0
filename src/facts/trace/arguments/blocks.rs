//! Blocks of arguments: those of some calls of one thread, packed.
//!
//! For each call its distance from the one before, how many bytes its list takes, and the list: names by number, and
//! values.

use std::io;

use bytemuck::{Pod, Zeroable};

use super::super::storage::{Bytes, Growing};
use super::value::{put_number, take_small};
use callscape_base::files::Temporary;

/// Bytes of a block before it is packed, as soon as which it ends.
const LARGE: usize = if cfg!(test) { 64 } else { 16 << 10 };
/// No block is larger: it ends with the list of one call.
pub(super) const LARGEST: usize = 1 << 20;

/// Where a block lies, and which calls it has the arguments of.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct BlockEntry {
    pub at: u64,
    pub size: u32,
    /// What it takes unpacked; 0 where it is not packed.
    pub unpacked: u32,
    pub thread: u32,
    pub first: u32,
    pub last: u32,
    pub checksum: u32,
}

/// Packs lists of arguments, which come in order of thread and call.
#[derive(Default)]
pub(super) struct Writer {
    data: Growing,
    /// Those of the block at hand, of calls from the first to the last of this thread.
    block: Vec<u8>,
    thread: u32,
    first: u32,
    last: u32,
    pub blocks: Vec<BlockEntry>,
    pub calls: u64,
}

impl Writer {
    pub(super) fn push(&mut self, thread: u32, call: u32, list: &[u8]) {
        if self.block.len() >= LARGE || self.thread != thread {
            self.pack();
        }
        if self.block.is_empty() {
            (self.thread, self.first, self.last) = (thread, call, call);
        }
        put_number(call.wrapping_sub(self.last).into(), &mut self.block);
        put_number(list.len() as u128, &mut self.block);
        self.block.extend_from_slice(list);
        self.last = call;
        self.calls += 1;
    }

    fn pack(&mut self) {
        if self.block.is_empty() {
            return;
        }
        let packed = zstd::bulk::compress(&self.block, 1).unwrap_or_default();
        let is_smaller = !packed.is_empty() && packed.len() < self.block.len();
        let bytes = if is_smaller { &packed } else { &self.block };
        let (at, bytes) = self.data.append(|data| data.extend_from_slice(bytes));
        self.blocks.push(BlockEntry {
            at,
            size: bytes.len() as u32,
            unpacked: if is_smaller {
                self.block.len() as u32
            } else {
                0
            },
            thread: self.thread,
            first: self.first,
            last: self.last,
            checksum: crc32fast::hash(bytes),
        });
        self.block.clear();
    }

    /// The blocks, and the file that they lie in.
    pub(super) fn finish(mut self) -> io::Result<(Bytes, Option<Temporary>, Vec<BlockEntry>)> {
        self.pack();
        let (bytes, file) = self.data.finish()?;
        Ok((bytes, file, self.blocks))
    }
}

/// The calls of a block with their lists.
pub(super) struct Lists<'a> {
    rest: &'a [u8],
    call: u32,
}

impl<'a> Lists<'a> {
    pub(super) fn new(block: &'a [u8], first: u32) -> Lists<'a> {
        Lists {
            rest: block,
            call: first,
        }
    }
}

impl<'a> Iterator for Lists<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<(u32, &'a [u8])> {
        self.call = self.call.checked_add(take_small(&mut self.rest)?)?;
        let length = take_small(&mut self.rest)? as usize;
        let (list, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some((self.call, list))
    }
}
