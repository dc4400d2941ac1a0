//! Numbers one after the other, each in as many bytes as it needs, seven bits a byte; and all of them packed.

use std::io;

/// Unpacked bytes that are read at most.
const MOST: usize = 1 << 31;

/// Appends a number.
pub(super) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads numbers; none where they end or are none.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn short(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// As many as come first say; each takes a byte at least.
    pub(super) fn each<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        if count > self.0.len() {
            return None;
        }
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            all.push(read(self)?);
        }
        Some(all)
    }
}

/// Packs what was written.
pub(super) fn pack(numbers: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = (numbers.len() as u64).to_le_bytes().to_vec();
    bytes.extend(zstd::bulk::compress(numbers, 1)?);
    Ok(bytes)
}

/// What was packed.
pub(super) fn unpack(bytes: &[u8]) -> Option<Vec<u8>> {
    let (length, packed) = bytes.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let length = Some(length).filter(|&it| it <= MOST)?;
    zstd::bulk::decompress(packed, length).ok()
}
