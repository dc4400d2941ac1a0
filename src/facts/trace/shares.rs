//! How much of the time functions have, by run of calls: for how long each is on top of the stack while the
//! calls of a run start, and how long the calls of it last that end there.
//!
//! A run of calls *i*.. *k* stands for what happens from the start of call *i* up to the start of call *k*;
//! what ends right at the start of a call ends before it. The runs are of 256 calls, of four times that,
//! of blocks and of runs of blocks, so that the sums between any two starts are those of a few runs, and no more
//! than 256 calls at either end of a column have to be gone through one by one.

use std::ops::Range;

use super::block::BLOCK;
use super::columns::{self, Column, PADDING};

/// Calls in the shortest runs.
pub(super) const SHORTEST: usize = LENGTHS[LEVELS - 1];

/// Calls in the runs of each level of a block.
pub(super) const LENGTHS: [usize; LEVELS] = if cfg!(test) {
    [BLOCK, 8, 4]
} else {
    [BLOCK, 1024, 256]
};
pub(super) const LEVELS: usize = 3;

/// What a function has of a run. Differences wrap and come out right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub function: u32,
    /// The cost of its calls that end in the run and that no other call of it encloses.
    pub open: u64,
    /// For how long a call of it is the innermost open one.
    pub top: u64,
}

impl Share {
    fn is_nothing(&self) -> bool {
        self.open == 0 && self.top == 0
    }

    fn add(&mut self, other: &Share) {
        self.open = self.open.wrapping_add(other.open);
        self.top = self.top.wrapping_add(other.top);
    }
}

/// The shares of the runs of a block under construction: one run after the other, and where each ends. A
/// function may stand several times in a run.
#[derive(Debug, Default)]
pub(super) struct RunShares {
    shares: Vec<Share>,
    ends: Vec<u32>,
}

impl RunShares {
    /// Adds to what a function has of the run under construction.
    #[inline]
    pub fn add(&mut self, share: Share) {
        if !share.is_nothing() {
            self.shares.push(share);
        }
    }

    /// The number of whole runs so far of the block.
    pub fn runs(&self) -> usize {
        self.ends.len()
    }

    /// Ends the run under construction.
    pub fn end_run(&mut self) {
        self.ends.push(self.shares.len() as u32);
    }

    fn clear(&mut self) {
        self.shares.clear();
        self.ends.clear();
    }
}

/// The functions of a block, in order of the first share.
#[derive(Debug, Default)]
struct Places {
    /// Open addressing: function, place, and the number of the block that it belongs to. A power of two, at most
    /// half full.
    table: Vec<(u32, u32, u32)>,
    block: u32,
}

const FEWEST_PLACES: usize = 64;

impl Places {
    /// The place of a function among `functions`, a new one where it has none.
    fn of(&mut self, function: u32, functions: &mut Vec<Share>) -> u32 {
        let mask = self.table.len().wrapping_sub(1);
        let mut at = function as usize;
        while let Some(&(known, place, block)) = self.table.get(at & mask) {
            if block != self.block {
                break;
            }
            if known == function {
                return place;
            }
            at = (at & mask) + 1;
        }
        let place = functions.len() as u32;
        functions.push(Share {
            function,
            ..Share::default()
        });
        if functions.len() * 2 > self.table.len() {
            let places = (self.table.len() * 2).max(FEWEST_PLACES);
            self.table.clear();
            self.table.resize(places, (0, 0, 0));
            self.block = 1;
            for (place, known) in (0..).zip(&*functions) {
                self.put(known.function, place);
            }
        } else {
            self.put(function, place);
        }
        place
    }

    fn put(&mut self, function: u32, place: u32) {
        let mask = self.table.len() - 1;
        let mut at = function as usize & mask;
        while self.table[at].2 == self.block {
            at = (at + 1) & mask;
        }
        self.table[at] = (function, place, self.block);
    }

    /// Begins the next block.
    fn clear(&mut self) {
        self.block = self.block.wrapping_add(1);
        if self.block == 0 {
            // What is left from four thousand million blocks ago would look new.
            self.table.fill((0, 0, 0));
            self.block = 1;
        }
    }
}

/// Space to work in that is kept from block to block.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    places: Places,
    /// By place what the function has of the block.
    whole: Vec<Share>,
    /// The lists of the level under construction and of the one below; functions by place.
    level: Vec<Share>,
    level_ends: Vec<u32>,
    below: Vec<Share>,
    below_ends: Vec<u32>,
    /// By place, and which are taken.
    sums: Vec<Share>,
    taken: Vec<u32>,
    values: Vec<u64>,
}

impl Scratch {
    /// Appends the shares of the runs of a block, which it takes; the functions of the block with all they
    /// have of it are left in `whole`.
    pub fn write(&mut self, runs: &mut RunShares, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend_from_slice(&[0; LEVELS * size_of::<u32>()]);
        self.below.clear();
        self.below_ends.clone_from(&runs.ends);
        self.whole.clear();
        for share in &runs.shares {
            let place = self.places.of(share.function, &mut self.whole);
            self.below.push(Share {
                function: place,
                ..*share
            });
        }
        self.places.clear();
        runs.clear();
        self.sums.clear();
        self.sums.resize(self.whole.len(), Share::default());
        for level in (0..LEVELS).rev() {
            // At the lowest level a function may stand several times in a list.
            let below = LENGTHS.get(level + 1).unwrap_or(&SHORTEST);
            self.join(LENGTHS[level] / below);
            if level == 0 {
                // One list, in order of place.
                for share in &self.below {
                    let whole = &mut self.whole[share.function as usize];
                    (whole.open, whole.top) = (share.open, share.top);
                }
                self.below.clone_from(&self.whole);
                self.below_ends.clear();
                self.below_ends.push(self.whole.len() as u32);
            }
            let at = (out.len() - begin) as u32;
            let places = begin + level * size_of::<u32>();
            out[places..places + size_of::<u32>()].copy_from_slice(&at.to_le_bytes());
            write_lists(&self.below, &self.below_ends, &mut self.values, out);
        }
    }

    /// The functions of the block written last.
    pub fn whole(&self) -> &[Share] {
        &self.whole
    }

    /// Makes every so many lists one.
    fn join(&mut self, fan: usize) {
        self.level.clear();
        self.level_ends.clear();
        let mut start = 0;
        for ends in self.below_ends.chunks(fan) {
            let end = ends.last().map_or(start, |&end| end as usize);
            for share in &self.below[start..end] {
                let sum = &mut self.sums[share.function as usize];
                if sum.is_nothing() {
                    self.taken.push(share.function);
                }
                sum.add(share);
            }
            for place in self.taken.drain(..) {
                let sum = std::mem::take(&mut self.sums[place as usize]);
                if !sum.is_nothing() {
                    self.level.push(Share {
                        function: place,
                        ..sum
                    });
                }
            }
            self.level_ends.push(self.level.len() as u32);
            start = end;
        }
        std::mem::swap(&mut self.level, &mut self.below);
        std::mem::swap(&mut self.level_ends, &mut self.below_ends);
    }
}

/// Appends one list, behind what is there, with its place at the very end.
pub(super) fn write_behind(
    shares: &[Share],
    values: &mut Vec<u64>,
    begin: usize,
    out: &mut Vec<u8>,
) {
    let at = (out.len() - begin) as u32;
    write_lists(shares, &[shares.len() as u32], values, out);
    out.extend_from_slice(&at.to_le_bytes());
}

fn write_lists(shares: &[Share], ends: &[u32], values: &mut Vec<u64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&(ends.len() as u32).to_le_bytes());
    out.extend_from_slice(&(shares.len() as u32).to_le_bytes());
    columns::write(ends, out);
    let mut column = |field: fn(&Share) -> u64| {
        values.clear();
        values.extend(shares.iter().map(field));
        columns::write(values, out);
    };
    column(|share| u64::from(share.function));
    column(|share| share.open);
    column(|share| share.top);
    out.extend_from_slice(&[0; PADDING]);
}

/// Joins lists of whole functions into one, in order of function.
pub(super) fn merge(shares: &mut Vec<Share>) {
    shares.sort_unstable_by_key(|share| share.function);
    shares.dedup_by(|next, kept| {
        let same = next.function == kept.function;
        if same {
            kept.add(next);
        }
        same
    });
}

/// Lists as they were written.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::facts) struct Lists<'a> {
    bytes: &'a [u8],
    lists: usize,
    shares: usize,
    ends: Column,
    functions: Column,
    open: Column,
    top: Column,
}

/// Space to unpack lists into.
#[derive(Debug, Default)]
pub(in crate::facts) struct Unpacked {
    functions: Vec<u64>,
    open: Vec<u64>,
    top: Vec<u64>,
}

impl<'a> Lists<'a> {
    /// None when the bytes at `at` do not hold what they say.
    pub fn parse(bytes: &'a [u8], at: usize) -> Option<Lists<'a>> {
        let number = |at: usize| {
            let bytes = bytes.get(at..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes) as usize)
        };
        let (lists, shares) = (number(at)?, number(at + 4)?);
        let mut at = at + 8;
        let mut column = |len: usize| Column::parse(bytes, &mut at, len);
        Some(Lists {
            bytes,
            lists,
            shares,
            ends: column(lists)?,
            functions: column(shares)?,
            open: column(shares)?,
            top: column(shares)?,
        })
    }

    /// The lists of a level of a block's shares.
    pub fn of_level(bytes: &'a [u8], level: usize) -> Option<Lists<'a>> {
        let at = bytes.get(level * size_of::<u32>()..)?.first_chunk()?;
        Lists::parse(bytes, u32::from_le_bytes(*at) as usize)
    }

    /// The list behind something else.
    pub fn behind(bytes: &'a [u8]) -> Option<Lists<'a>> {
        let at = u32::from_le_bytes(*bytes.last_chunk()?);
        Lists::parse(bytes, at as usize)
    }

    /// Hands what the lists `range` hold to `see`: functions, for how long open, and on top.
    #[inline]
    pub fn visit(
        &self,
        range: Range<usize>,
        unpacked: &mut Unpacked,
        mut see: impl FnMut(u64, u64, u64),
    ) {
        let end = |list: usize| {
            if list < self.lists {
                (self.ends.get(self.bytes, list) as usize).min(self.shares)
            } else {
                self.shares
            }
        };
        let start = range.start.checked_sub(1).map_or(0, end);
        let Some(last) = range.end.checked_sub(1) else {
            return;
        };
        let shares = start..end(last).max(start);
        if shares.is_empty() {
            return;
        }
        self.functions
            .unpack(self.bytes, shares.clone(), &mut unpacked.functions);
        self.open
            .unpack(self.bytes, shares.clone(), &mut unpacked.open);
        self.top.unpack(self.bytes, shares, &mut unpacked.top);
        let costs = unpacked.open.iter().zip(&unpacked.top);
        for (&function, (&open, &top)) in unpacked.functions.iter().zip(costs) {
            see(function, open, top);
        }
    }
}
