//! Numbers and texts of a trace, taken from the front of its bytes. What is not there is none.

#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub(super) fn two(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn four(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn eight(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of seven bits a byte, the lowest first.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let [byte] = self.array()?;
            number |= u64::from(byte & 0x7f).unbounded_shl(7 * place);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A text of two bytes a unit that ends with zero.
    pub(super) fn text(&mut self) -> Option<String> {
        let mut units = Vec::new();
        loop {
            match self.two()? {
                0 => return Some(String::from_utf16_lossy(&units)),
                unit => units.push(unit),
            }
        }
    }
}
