//! A column of numbers, packed: blocks of [`BLOCK`] numbers as differences to the least of the block, each in as few
//! bits as the largest of them needs. Any number is found in O(1).

use bytemuck::{Pod, Zeroable};

use crate::trace::storage::Table;

/// Numbers in a block.
const BLOCK: usize = 128;
/// Bits of a head's second word that hold the width.
const WIDTH_BITS: u32 = 8;

/// Where a block lies: the least of its numbers, then the number of its first word and the width of a number in bits.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Head {
    base: u64,
    place: u64,
}

/// The column, to be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    pub heads: Table<Head>,
    pub words: Table<u64>,
    pub len: usize,
}

impl Packed {
    /// The number at `i`; 0 past the end, or where the tables do not belong together.
    #[inline]
    pub(super) fn get(&self, i: usize) -> u64 {
        let Some(head) = self.heads.get(i / BLOCK) else {
            return 0;
        };
        let width = (head.place & ((1 << WIDTH_BITS) - 1)) as usize;
        if width == 0 {
            return head.base;
        }
        let bit = i % BLOCK * width;
        let at = (head.place >> WIDTH_BITS) as usize + bit / 64;
        let words: &[u64] = &self.words;
        let low = words.get(at).copied().unwrap_or_default() >> (bit % 64);
        let high = match bit % 64 + width > 64 {
            true => words.get(at + 1).copied().unwrap_or_default() << (64 - bit % 64),
            false => 0,
        };
        let mask = u64::MAX >> (64 - width.min(64));
        head.base.wrapping_add((low | high) & mask)
    }

    /// How many of the numbers, which must not fall, are at most `limit`. O(log n).
    pub(super) fn up_to(&self, limit: u64) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle) <= limit {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// What it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val::<[Head]>(&self.heads) + size_of_val::<[u64]>(&self.words)
    }
}

/// The column, to be filled.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    heads: Vec<Head>,
    words: Vec<u64>,
    open: Vec<u64>,
    len: usize,
}

impl Packer {
    #[inline]
    pub(super) fn push(&mut self, number: u64) {
        self.open.push(number);
        self.len += 1;
        if self.open.len() == BLOCK {
            self.close();
        }
    }

    fn close(&mut self) {
        let (mut base, mut most) = (u64::MAX, 0);
        for &number in &self.open {
            (base, most) = (base.min(number), most.max(number));
        }
        let width = 64 - (most - base).leading_zeros() as usize;
        self.heads.push(Head {
            base,
            place: (self.words.len() as u64) << WIDTH_BITS | width as u64,
        });
        let start = self.words.len();
        self.words
            .resize(start + (self.open.len() * width).div_ceil(64), 0);
        for (i, &number) in self.open.iter().enumerate().filter(|_| width > 0) {
            let (bit, value) = (i * width, number - base);
            let at = start + bit / 64;
            self.words[at] |= value << (bit % 64);
            if bit % 64 + width > 64 {
                self.words[at + 1] |= value >> (64 - bit % 64);
            }
        }
        self.open.clear();
    }

    pub(super) fn finish(mut self) -> Packed {
        if !self.open.is_empty() {
            self.close();
        }
        Packed {
            heads: Table::Rows(self.heads.into()),
            words: Table::Rows(self.words.into()),
            len: self.len,
        }
    }
}

impl FromIterator<u64> for Packed {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Packed {
        let mut packer = Packer::default();
        numbers.into_iter().for_each(|number| packer.push(number));
        packer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_come_back() {
        for width in 0..=64_u32 {
            let mask = u64::MAX.checked_shr(64 - width).unwrap_or_default();
            let mut state = 0x9e37_79b9_7f4a_7c15_u64;
            let numbers: Vec<u64> = (0..300)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state & mask
                })
                .collect();
            let packed: Packed = numbers.iter().copied().collect();
            let found: Vec<u64> = (0..packed.len).map(|i| packed.get(i)).collect();
            assert_eq!(found, numbers, "width {width}");
            assert_eq!(packed.get(100_000), 0);
        }
    }
}
