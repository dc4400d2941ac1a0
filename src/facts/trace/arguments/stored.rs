//! Arguments in an index: their blocks, which lie behind the calls, and the directory of these.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::super::storage::{Bytes, Table};
use super::super::store::ThreadTables;
use super::blocks::{BlockEntry, LARGEST};
use super::kept::Arguments;
use crate::names::{NameId, Names};

/// The start of the directory, which the blocks, the lengths of the names and their text follow.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    calls: u64,
    blocks: u32,
    names: u32,
}

impl Arguments {
    /// The blocks, one after the other.
    pub(crate) fn blocks(&self) -> &[u8] {
        let place =
            |block: &BlockEntry| (block.at as usize, block.at as usize + block.size as usize);
        let range = self.blocks.first().zip(self.blocks.last());
        let range = range.map(|(first, last)| place(first).0..place(last).1);
        range
            .and_then(|range| self.data.get(range))
            .unwrap_or_default()
    }

    /// The directory of the blocks where the first begins `at`; empty where there are none.
    pub(crate) fn directory(&self, at: u64) -> Vec<u8> {
        let Some(first) = self.blocks.first() else {
            return Vec::new();
        };
        let header = Header {
            calls: self.calls,
            blocks: self.blocks.len() as u32,
            names: self.names.len() as u32,
        };
        let mut out = bytemuck::bytes_of(&header).to_vec();
        for block in self.blocks.iter() {
            let moved = BlockEntry {
                at: block.at - first.at + at,
                ..*block
            };
            out.extend_from_slice(bytemuck::bytes_of(&moved));
        }
        let names = || (0..header.names).map(|id| self.names.get(NameId(id)));
        for name in names() {
            out.extend_from_slice(&(name.len() as u32).to_le_bytes());
        }
        names().for_each(|name| out.extend_from_slice(name.as_bytes()));
        out
    }

    /// The arguments whose directory lies in `range` of `bytes` and whose blocks lie in `data`, of calls of these threads;
    /// none when they do not belong together.
    pub(crate) fn read(
        (bytes, range): (&Bytes, Range<usize>),
        data: &Bytes,
        threads: &[ThreadTables],
    ) -> Option<Arguments> {
        if range.is_empty() {
            return Some(Arguments::default());
        }
        let mut at = range.start;
        let mut next = |length: usize| {
            let end = at.checked_add(length).filter(|&end| end <= range.end)?;
            Some(std::mem::replace(&mut at, end)..end)
        };
        let header = Table::<Header>::part(bytes, next(size_of::<Header>())?)?;
        let header = *header.first()?;
        let blocks = next((header.blocks as usize).checked_mul(size_of::<BlockEntry>())?)?;
        let blocks = Table::<BlockEntry>::part(bytes, blocks)?;
        let lengths = next((header.names as usize).checked_mul(size_of::<u32>())?)?;
        let mut names = Names::default();
        for (id, &length) in Table::<u32>::part(bytes, lengths)?.iter().enumerate() {
            let name = std::str::from_utf8(bytes.get(next(length as usize)?)?).ok()?;
            if names.intern(name) != NameId(id as u32) {
                return None;
            }
        }
        let is_there = |block: &BlockEntry| {
            let calls = threads.get(block.thread as usize).map(|it| it.calls);
            let end = block.at.checked_add(block.size.into());
            block.first <= block.last
                && calls.is_some_and(|calls| block.last < calls)
                && end.is_some_and(|end| end <= data.len() as u64)
                && block.unpacked as usize <= LARGEST
        };
        let is_next = |pair: &[BlockEntry]| {
            (pair[0].thread, pair[0].last) < (pair[1].thread, pair[1].first)
                && pair[0].at + u64::from(pair[0].size) == pair[1].at
        };
        let fits = blocks.iter().all(is_there) && blocks.windows(2).all(is_next);
        fits.then(|| Arguments {
            data: data.clone(),
            blocks: blocks.to_vec().into(),
            names: names.into(),
            calls: header.calls,
            ..Arguments::default()
        })
    }
}
