//! Columns of integers in few bits each, read at random.
//!
//! A column holds the low bits of all its values packed side by side and, for the few values that need
//! more, their high bits in a second packed run that a bitmap and its running counts lead to. The
//! split is chosen a column so that the whole is smallest. A column of steps, where neighbours are mostly
//! equal, has a bitmap of the places where the value changes, and each value once. Reading never fails and
//! never reads past the bytes given: what lies outside counts as zero.

use std::ops::Range;

/// Values a running count stands for.
const RANK: usize = 64;
const DESCRIPTOR: usize = size_of::<Descriptor>();
/// A value takes 0 to 64 bits.
const WIDTHS: usize = u64::BITS as usize + 1;

/// Where a column lies in the bytes that it is read from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Column {
    low_bits: u32,
    high_bits: u32,
    low: usize,
    /// The bitmap tells where the value changes, and all bits are high.
    is_stepped: bool,
    /// Zero when no value has high bits.
    bitmap: usize,
    ranks: usize,
    rank_bytes: usize,
    high: usize,
}

fn bits(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

fn packed_bytes(len: usize, width: u32) -> usize {
    (len * width as usize).div_ceil(8)
}

fn mask(width: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0)
}

/// The `width` (at most 64) bits that start at bit `bit`.
#[inline]
fn read_bits(bytes: &[u8], bit: usize, width: u32) -> u64 {
    let at = bit / 8;
    let shift = bit as u32 % 8;
    let word = match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => return 0,
    };
    let mut value = word >> shift;
    if width + shift > u64::BITS {
        let next = bytes.get(at + 8).copied().unwrap_or(0);
        value |= u64::from(next) << (u64::BITS - shift);
    }
    value & mask(width)
}

/// Appends numbers of few bits to bytes.
struct Packer<'a> {
    out: &'a mut Vec<u8>,
    word: u64,
    filled: u32,
}

impl Packer<'_> {
    #[inline]
    fn push(&mut self, value: u64, width: u32) {
        if width == 0 {
            return;
        }
        self.word |= value << self.filled;
        let filled = self.filled + width;
        if filled >= u64::BITS {
            self.out.extend_from_slice(&self.word.to_le_bytes());
            let taken = u64::BITS - self.filled;
            self.word = value.checked_shr(taken).unwrap_or(0);
            self.filled = filled - u64::BITS;
        } else {
            self.filled = filled;
        }
    }

    fn finish(self) {
        let bytes = self.filled.div_ceil(8) as usize;
        self.out
            .extend_from_slice(&self.word.to_le_bytes()[..bytes]);
    }
}

fn pack(out: &mut Vec<u8>, values: impl Iterator<Item = u64>, width: u32) {
    let mut packer = Packer {
        out,
        word: 0,
        filled: 0,
    };
    for value in values {
        packer.push(value & mask(width), width);
    }
    packer.finish();
}

/// Packs the lowest `width` bits of `values`, several at a time where they are few.
fn pack_all<T: Copy + Into<u64>>(out: &mut Vec<u8>, values: &[T], width: u32) {
    const AT_ONCE: usize = 4;
    if width == 0 {
        return;
    }
    out.reserve(packed_bytes(values.len(), width) + size_of::<u64>());
    if width > u64::BITS / AT_ONCE as u32 {
        return pack(out, values.iter().map(|&value| value.into()), width);
    }
    let mut packer = Packer {
        out,
        word: 0,
        filled: 0,
    };
    let (fours, rest) = values.as_chunks::<AT_ONCE>();
    let mask = mask(width);
    for four in fours {
        let [a, b, c, d] = four.map(|value| value.into() & mask);
        let (low, high) = (a | b << width, c | d << width);
        packer.push(low | high << (2 * width), 4 * width);
    }
    for &value in rest {
        packer.push(value.into() & mask, width);
    }
    packer.finish();
}

/// Room that has to follow the last column of a run of bytes, so that every value is read in one load.
pub(super) const PADDING: usize = 8;

/// What tells how a column is packed; it stands before the column or with those of others.
pub(super) type Descriptor = [u8; 8];

/// Puts the values of a column into `values`, which held something else.
pub(super) fn gather(values: &mut Vec<u64>, column: impl Iterator<Item = u64>) -> &[u64] {
    values.clear();
    values.extend(column);
    values
}

/// Appends `values` as one column without high bits: quicker, where no value stands out. Gives back its
/// descriptor.
pub(super) fn encode_even<T: Copy + Into<u64>>(values: &[T], out: &mut Vec<u8>) -> Descriptor {
    let width = bits(values.iter().fold(0, |all, &value| all | value.into()));
    pack_all(out, values, width);
    [width as u8, 0, 0, 0, 0, 0, 0, 0]
}

/// Appends `values`, fewer than 2^32, as one column behind its descriptor.
pub(super) fn write<T: Copy + Into<u64>>(values: &[T], out: &mut Vec<u8>) {
    let at = out.len();
    out.extend_from_slice(&[0; DESCRIPTOR]);
    let descriptor = encode(values, out);
    out[at..at + DESCRIPTOR].copy_from_slice(&descriptor);
}

/// How many of `values` need how many bits.
fn count_by_bits<T: Copy + Into<u64>>(values: &[T]) -> [usize; WIDTHS] {
    // Neighbours are often alike: counted apart, none waits for the count of the one before.
    let mut apart = [[0u32; WIDTHS]; 4];
    let (fours, rest) = values.as_chunks::<4>();
    for four in fours {
        for (counts, &value) in apart.iter_mut().zip(four) {
            counts[bits(value.into()) as usize] += 1;
        }
    }
    for &value in rest {
        apart[0][bits(value.into()) as usize] += 1;
    }
    std::array::from_fn(|width| apart.iter().map(|counts| counts[width] as usize).sum())
}

/// Stands in the descriptor of a column of steps.
const STEPPED: u8 = 1;

/// Appends `values` as a column of steps: smaller where most are equal to the one before. Gives back its descriptor.
pub(super) fn encode_steps(values: &[u64], out: &mut Vec<u8>) -> Descriptor {
    let width = bits(values.iter().fold(0, |all, value| all | value));
    let mut steps = Vec::new();
    let mut ranks = Vec::new();
    let mut before = None;
    for chunk in values.chunks(RANK) {
        ranks.extend_from_slice(&(steps.len() as u32).to_le_bytes()[..rank_bytes(values.len())]);
        let mut word = 0u64;
        for (place, &value) in chunk.iter().enumerate() {
            if before != Some(value) {
                word |= 1 << place;
                steps.push(value);
                before = Some(value);
            }
        }
        out.extend_from_slice(&word.to_le_bytes()[..chunk.len().div_ceil(8)]);
    }
    out.extend_from_slice(&ranks);
    pack_all(out, &steps, width);
    let [b0, b1, b2, b3] = (steps.len() as u32).to_le_bytes();
    [0, width as u8, STEPPED, 0, b0, b1, b2, b3]
}

/// Appends `values`, fewer than 2^32, as one column. Gives back its descriptor.
pub(super) fn encode<T: Copy + Into<u64>>(values: &[T], out: &mut Vec<u8>) -> Descriptor {
    let by_bits = count_by_bits(values);
    let widest = by_bits.iter().rposition(|&count| count > 0).unwrap_or(0);
    let bitmap_bits = values.len() + values.len().div_ceil(RANK) * rank_bytes(values.len()) * 8;
    let (mut low_bits, mut best) = (widest, widest * values.len());
    let mut above = 0;
    for width in (0..widest).rev() {
        above += by_bits[width + 1];
        let size = width * values.len() + above * (widest - width) + bitmap_bits;
        if size < best {
            (low_bits, best) = (width, size);
        }
    }
    let high_bits = (widest - low_bits) as u32;
    let bigs: usize = by_bits[low_bits + 1..].iter().sum();
    let low_bits = low_bits as u32;
    let [b0, b1, b2, b3] = (bigs as u32).to_le_bytes();
    let descriptor = [low_bits as u8, high_bits as u8, 0, 0, b0, b1, b2, b3];
    pack_all(out, values, low_bits);
    if bigs == 0 {
        return descriptor;
    }
    // Fewer than all bits, for some values need more.
    let is_big = |value: u64| value >> low_bits != 0;
    let mut ranks = Vec::with_capacity(values.len().div_ceil(RANK) * rank_bytes(values.len()));
    let mut highs = Vec::with_capacity(bigs);
    for chunk in values.chunks(RANK) {
        let (eights, rest) = chunk.as_chunks::<8>();
        let eights = eights.iter().zip((0..).step_by(8));
        let mut word = eights.fold(0u64, |word, (eight, place)| {
            let bits = eight.iter().zip(0..);
            let byte = bits.fold(0u8, |byte, (&value, i)| {
                byte | u8::from(is_big(value.into())) << i
            });
            word | u64::from(byte) << place
        });
        for (&value, place) in rest.iter().zip(chunk.len() / 8 * 8..) {
            word |= u64::from(is_big(value.into())) << place;
        }
        out.extend_from_slice(&word.to_le_bytes()[..chunk.len().div_ceil(8)]);
        let rank = highs.len() as u32;
        ranks.extend_from_slice(&rank.to_le_bytes()[..rank_bytes(values.len())]);
        while word != 0 {
            // Below 64 as there are bits, of which none stands behind the chunk.
            highs.push(chunk[word.trailing_zeros() as usize].into() >> low_bits);
            word &= word - 1;
        }
    }
    out.extend_from_slice(&ranks);
    pack_all(out, &highs, high_bits);
    descriptor
}

/// Bytes of a running count in a column of `len` values.
fn rank_bytes(len: usize) -> usize {
    if len <= usize::from(u16::MAX) { 2 } else { 4 }
}

impl Column {
    /// The column of `len` values that stands behind its descriptor at `*at` of `bytes`; moves `*at`
    /// behind it. None when it would not lie within `bytes`.
    pub(super) fn parse(bytes: &[u8], at: &mut usize, len: usize) -> Option<Column> {
        let descriptor = *bytes.get(*at..)?.first_chunk()?;
        *at += DESCRIPTOR;
        Column::described(&descriptor, bytes, at, len)
    }

    /// The same of a column whose descriptor stands elsewhere.
    pub(super) fn described(
        descriptor: &Descriptor,
        bytes: &[u8],
        at: &mut usize,
        len: usize,
    ) -> Option<Column> {
        let [low_bits, high_bits, kind, _, b0, b1, b2, b3] = *descriptor;
        let (low_bits, high_bits) = (u32::from(low_bits), u32::from(high_bits));
        let bigs = u32::from_le_bytes([b0, b1, b2, b3]) as usize;
        if low_bits + high_bits > u64::BITS || bigs > len || len > bytes.len() * 64 {
            return None;
        }
        let mut column = Column {
            low_bits,
            high_bits,
            low: *at,
            is_stepped: kind == STEPPED,
            ..Column::default()
        };
        let mut end = column.low + packed_bytes(len, low_bits);
        if bigs > 0 {
            column.bitmap = end;
            column.ranks = end + len.div_ceil(8);
            column.rank_bytes = rank_bytes(len);
            column.high = column.ranks + len.div_ceil(RANK) * column.rank_bytes;
            end = column.high + packed_bytes(bigs, high_bits);
        }
        *at = end;
        (end <= bytes.len()).then_some(column)
    }

    /// The values at `indices`, which are less than the column's length, into `out`.
    pub(super) fn unpack(&self, bytes: &[u8], indices: Range<usize>, out: &mut Vec<u64>) {
        out.clear();
        if self.is_stepped {
            return self.unpack_steps(bytes, indices, out);
        }
        let width = self.low_bits;
        let first = self.low * 8 + indices.start * width as usize;
        if width > u64::BITS - 7 {
            out.extend(indices.map(|index| self.get(bytes, index)));
            return;
        }
        let mask = mask(width);
        let low = (0..indices.len()).map(|i| {
            let bit = first + i * width as usize;
            let chunk = bytes.get(bit / 8..).and_then(|rest| rest.first_chunk());
            chunk.map_or(0, |chunk| u64::from_le_bytes(*chunk) >> (bit % 8) & mask)
        });
        out.extend(low);
        if self.bitmap == 0 {
            return;
        }
        let word_of = |index: usize| {
            let bit = self.bitmap * 8 + index / RANK * RANK;
            read_bits(bytes, bit, RANK as u32)
        };
        let mut index = indices.start;
        // The high bits of one value stand behind those of the one before.
        let mut high =
            self.high * 8 + self.rank(bytes, index, word_of(index)) * self.high_bits as usize;
        while index < indices.end {
            let end = ((index / RANK + 1) * RANK).min(indices.end);
            let mut bigs = word_of(index) >> (index % RANK);
            while bigs != 0 {
                let big = index + bigs.trailing_zeros() as usize;
                if big >= end {
                    break;
                }
                let bits = read_bits(bytes, high, self.high_bits);
                out[big - indices.start] |= bits.checked_shl(self.low_bits).unwrap_or(0);
                high += self.high_bits as usize;
                bigs &= bigs - 1;
            }
            index = end;
        }
    }

    /// How many values before `index` have high bits. `word` is that of the bitmap that `index` lies in.
    #[inline]
    fn rank(&self, bytes: &[u8], index: usize, word: u64) -> usize {
        let at = (self.ranks + index / RANK * self.rank_bytes) * 8;
        let before = read_bits(bytes, at, self.rank_bytes as u32 * 8);
        let below = word & !(u64::MAX << (index % RANK));
        before as usize + below.count_ones() as usize
    }

    /// The same of a column of steps.
    fn unpack_steps(&self, bytes: &[u8], indices: Range<usize>, out: &mut Vec<u64>) {
        let mut index = indices.start;
        while index < indices.end {
            let value = self.get(bytes, index);
            let word = read_bits(bytes, self.bitmap * 8 + index / RANK * RANK, RANK as u32);
            let later = word.checked_shr((index % RANK) as u32 + 1).unwrap_or(0);
            let left = RANK - 1 - index % RANK;
            let equal = (later.trailing_zeros() as usize).min(left) + 1;
            let end = (index + equal).min(indices.end);
            out.resize(end - indices.start, value);
            index = end;
        }
    }

    /// The value at `index`, which is less than the column's length.
    #[inline]
    pub(super) fn get(&self, bytes: &[u8], index: usize) -> u64 {
        let low = read_bits(
            bytes,
            self.low * 8 + index * self.low_bits as usize,
            self.low_bits,
        );
        if self.bitmap == 0 {
            return low;
        }
        let word = read_bits(bytes, self.bitmap * 8 + index / RANK * RANK, RANK as u32);
        if word >> (index % RANK) & 1 == 0 && !self.is_stepped {
            return low;
        }
        let mut rank = self.rank(bytes, index, word);
        if self.is_stepped && word >> (index % RANK) & 1 == 0 {
            // It is still that of the last step.
            rank = rank.saturating_sub(1);
        }
        let high = read_bits(
            bytes,
            self.high * 8 + rank * self.high_bits as usize,
            self.high_bits,
        );
        low | high.checked_shl(self.low_bits).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_again(values: &[u64], write: fn(&[u64], &mut Vec<u8>)) -> Vec<u64> {
        let mut bytes = vec![7; 3];
        write(values, &mut bytes);
        let end = bytes.len();
        bytes.extend([0xff; PADDING]);
        let mut at = 3;
        let column = Column::parse(&bytes, &mut at, values.len()).expect("just written");
        assert_eq!(at, end);
        let read: Vec<u64> = (0..values.len()).map(|i| column.get(&bytes, i)).collect();
        let mut unpacked = Vec::new();
        for start in [0, 1, 63, 64, 100, values.len()] {
            for end in [values.len(), start + 1, start + 64, start + 130] {
                let range =
                    start.min(values.len())..end.clamp(start.min(values.len()), values.len());
                column.unpack(&bytes, range.clone(), &mut unpacked);
                assert_eq!(unpacked, read[range]);
            }
        }
        read
    }

    fn write_even(values: &[u64], out: &mut Vec<u8>) {
        let at = out.len();
        out.extend_from_slice(&[0; DESCRIPTOR]);
        let descriptor = encode_even(values, out);
        out[at..at + DESCRIPTOR].copy_from_slice(&descriptor);
    }

    fn write_steps(values: &[u64], out: &mut Vec<u8>) {
        let at = out.len();
        out.extend_from_slice(&[0; DESCRIPTOR]);
        let descriptor = encode_steps(values, out);
        out[at..at + DESCRIPTOR].copy_from_slice(&descriptor);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for values in [
            vec![],
            vec![0; 100],
            vec![5],
            vec![u64::MAX; 70],
            vec![0, u64::MAX, 1, 1 << 63],
            (0..5000).map(|i| i * i % 77).collect(),
            (0..5000)
                .map(|i| if i % 97 == 0 { i << 40 } else { i % 8 })
                .collect(),
            (0..70_000)
                .map(|i| if i % 9000 == 1 { u64::MAX - i } else { 0 })
                .collect(),
        ] {
            assert_eq!(read_again(&values, write), values);
            assert_eq!(read_again(&values, write_even), values);
            assert_eq!(read_again(&values, write_steps), values);
        }
    }

    #[test]
    fn values_that_rarely_change_are_kept_once() {
        let values: Vec<u64> = (0..4096).map(|i| (i / 64) << 30).collect();
        let mut bytes = Vec::new();
        write_steps(&values, &mut bytes);
        assert!(bytes.len() < 4096 * 2 / 8, "{} bytes", bytes.len());
    }

    #[test]
    fn a_few_large_values_do_not_widen_the_rest() {
        let values: Vec<u64> = (0..4096)
            .map(|i| if i % 512 == 0 { 1 << 50 } else { i % 16 })
            .collect();
        let mut bytes = Vec::new();
        write(&values, &mut bytes);
        assert!(bytes.len() < 4096 * 6 / 8, "{} bytes", bytes.len());
    }

    #[test]
    fn damaged_bytes_are_refused_or_read_as_some_number() {
        let values: Vec<u64> = (0..300)
            .map(|i| if i % 50 == 0 { i << 33 } else { i / 7 })
            .collect();
        for write in [write, write_steps] {
            are_refused_or_read(&values, write);
        }
    }

    fn are_refused_or_read(values: &[u64], write: fn(&[u64], &mut Vec<u8>)) {
        let mut bytes = Vec::new();
        write(values, &mut bytes);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            if let Some(column) = Column::parse(&damaged, &mut 0, values.len()) {
                for i in 0..values.len() {
                    column.get(&damaged, i);
                }
                column.unpack(&damaged, 0..values.len(), &mut Vec::new());
            }
        }
    }
}
