//! The hash FNV-1a of 64 bits: stable across machines and versions, which the standard library's is not.
//! G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, *The FNV Non-Cryptographic Hash Algorithm*, RFC 9923.

/// A hash of what was added so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

impl Fnv {
    /// The hash of nothing.
    pub const START: Fnv = Fnv(0xcbf2_9ce4_8422_2325);

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds the bytes of a number, the lowest first.
    pub fn add_number(&mut self, number: u64) {
        self.add(&number.to_le_bytes());
    }

    pub fn get(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers from the appendix of the RFC.
    #[test]
    fn known_texts_have_their_hashes() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325_u64),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            let mut found = Fnv::START;
            found.add(text.as_bytes());
            assert_eq!(found.get(), hash, "{text}");
        }
    }
}
