//! A block: up to 4096 calls of one thread in preorder, in packed columns, with their summary.

use super::columns::{self, Column, PADDING};
use super::summary::{self, Entry, Summary};

/// Calls in every block of a thread but the last.
pub(in crate::facts) const BLOCK: usize = 1 << BLOCK_BITS;
/// Few in unit tests, so that a small trace has many blocks, summaries and checkpoints.
pub(super) const BLOCK_BITS: u32 = if cfg!(test) { 4 } else { 12 };
/// Calls whose starts count from one group base.
const GROUP: usize = if cfg!(test) { 4 } else { 64 };
/// Stands in the column of triggered calls for a call that is open at the end of its block. A call that
/// is not triggers less than a block.
const OPEN: u64 = BLOCK as u64;

/// A call on its way into a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawCall {
    pub caller: u32,
    pub callee: u32,
    /// Nanoseconds on the recording's own clock.
    pub start: u64,
    /// Cost and the cost of the direct subcalls, once the call has ended.
    pub cost: u64,
    pub children: u64,
    pub depth: u32,
    pub triggered: u32,
    /// A call of the same function encloses it.
    pub nested: bool,
    pub ended: bool,
}

/// The place of each call's pair among the entries of its block, and the entries.
pub(super) struct Encoded<'a> {
    pub calls: &'a [RawCall],
    pub slots: &'a [u32],
    pub entries: &'a [Entry],
}

/// Appends a block. `values` is scratch space.
pub(super) fn write(block: &Encoded<'_>, values: &mut Vec<u64>, out: &mut Vec<u8>) {
    let Encoded {
        calls,
        slots,
        entries,
    } = block;
    let base = calls.first().map_or(0, |call| call.start);
    let depth_base = calls.iter().map(|call| call.depth).min().unwrap_or(0);
    let begin = out.len();
    out.extend_from_slice(&(calls.len() as u32).to_le_bytes());
    out.extend_from_slice(&depth_base.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    let mut column = |values: &mut dyn Iterator<Item = u64>, scratch: &mut Vec<u64>| {
        scratch.clear();
        scratch.extend(values);
        columns::write(scratch, out);
    };
    let groups = calls.chunks(GROUP);
    column(
        &mut groups
            .clone()
            .map(|group| group[0].start.wrapping_sub(base)),
        values,
    );
    let deltas = groups.flat_map(|group| {
        group
            .iter()
            .map(|call| call.start.wrapping_sub(group[0].start))
    });
    column(&mut { deltas }, values);
    column(
        &mut calls
            .iter()
            .map(|call| if call.ended { call.cost } else { 0 }),
        values,
    );
    let triggered = |call: &RawCall| {
        if call.ended {
            u64::from(call.triggered)
        } else {
            OPEN
        }
    };
    column(&mut calls.iter().map(triggered), values);
    column(
        &mut calls.iter().map(|call| u64::from(call.depth - depth_base)),
        values,
    );
    column(&mut slots.iter().map(|&slot| u64::from(slot)), values);
    column(&mut calls.iter().map(|call| u64::from(call.nested)), values);
    out.extend_from_slice(&[0; PADDING]);
    let summary_at = (out.len() - begin) as u32;
    out[begin + 8..begin + 12].copy_from_slice(&summary_at.to_le_bytes());
    summary::write(entries, values, out);
}

/// A block as it was written.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::facts) struct Block<'a> {
    bytes: &'a [u8],
    /// When its first call starts.
    base: u64,
    pub len: usize,
    /// The depth of its least deep call.
    pub depth_base: u32,
    summary_at: usize,
    groups: Column,
    deltas: Column,
    costs: Column,
    triggered: Column,
    depths: Column,
    slots: Column,
    nested: Column,
    pairs: Option<PairColumn>,
}

/// Where the pairs of the entries stand.
type PairColumn = (Column, usize);

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl<'a> Block<'a> {
    /// The block in `bytes`, whose first call starts at `base`. None when the bytes do not hold what
    /// they say.
    pub fn parse(bytes: &'a [u8], base: u64) -> Option<Block<'a>> {
        let len = number(bytes, 0)? as usize;
        let depth_base = number(bytes, 4)?;
        let summary_at = number(bytes, 8)? as usize;
        if len > BLOCK {
            return None;
        }
        let mut at = 12;
        let mut column = |len| Column::parse(bytes, &mut at, len);
        let mut block = Block {
            bytes,
            base,
            len,
            depth_base,
            summary_at,
            groups: column(len.div_ceil(GROUP))?,
            deltas: column(len)?,
            costs: column(len)?,
            triggered: column(len)?,
            depths: column(len)?,
            slots: column(len)?,
            nested: column(len)?,
            pairs: None,
        };
        let entries = number(bytes, summary_at)? as usize;
        let mut at = summary_at + size_of::<u32>();
        block.pairs = Some((Column::parse(bytes, &mut at, entries)?, entries));
        Some(block)
    }

    #[inline]
    pub fn start(&self, i: usize) -> u64 {
        let group = self.groups.get(self.bytes, i / GROUP);
        let delta = self.deltas.get(self.bytes, i);
        self.base.wrapping_add(group).wrapping_add(delta)
    }

    /// Cost and number of triggered calls; none for a call that is open at the end of the block.
    #[inline]
    pub fn ended(&self, i: usize) -> Option<(u64, u32)> {
        let triggered = self.triggered.get(self.bytes, i);
        (triggered < OPEN).then(|| (self.costs.get(self.bytes, i), triggered as u32))
    }

    #[inline]
    pub fn depth(&self, i: usize) -> u32 {
        self.depth_base
            .wrapping_add(self.depths.get(self.bytes, i) as u32)
    }

    #[inline]
    pub fn slot(&self, i: usize) -> usize {
        self.slots.get(self.bytes, i) as usize
    }

    /// The pair of caller and callee of call `i`.
    #[inline]
    pub fn pair(&self, i: usize) -> u32 {
        match self.pairs {
            Some((pairs, entries)) if self.slot(i) < entries => {
                pairs.get(self.bytes, self.slot(i)) as u32
            }
            _ => u32::MAX,
        }
    }

    /// Whether a call of the same function encloses call `i`.
    #[inline]
    pub fn nested(&self, i: usize) -> bool {
        self.nested.get(self.bytes, i) != 0
    }

    /// The number of calls that start at or before `t`; `t` is not before the first of them.
    pub fn started(&self, t: u64) -> usize {
        let group = partition(self.len.div_ceil(GROUP), |group| {
            self.start(group * GROUP) <= t
        });
        let first = group.saturating_sub(1) * GROUP;
        first
            + partition(GROUP.min(self.len - first.min(self.len)), |i| {
                self.start(first + i) <= t
            })
    }

    pub fn summary(&self) -> Summary<'a> {
        let bytes = self.bytes.get(self.summary_at..).unwrap_or_default();
        Summary::parse(bytes).unwrap_or_default()
    }
}

/// How many of `0..len` hold `before`, which holds for a prefix of them.
pub(super) fn partition(len: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
