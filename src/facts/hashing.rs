//! A hash for short byte strings and small keys: a folded multiplication for each eight bytes, seeded anew
//! in each run so that no input can be made to collide.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

/// Builds [`Fast`] hashers that share one seed.
#[derive(Clone, Debug)]
pub struct BuildFast(u64);

impl Default for BuildFast {
    fn default() -> BuildFast {
        static SEED: OnceLock<u64> = OnceLock::new();
        BuildFast(*SEED.get_or_init(|| RandomState::new().hash_one(0)))
    }
}

impl BuildFast {
    /// The hash of a byte string. One of up to 32 bytes takes two multiplications that do not wait for each
    /// other, and no loop.
    #[inline]
    pub fn of_bytes(&self, bytes: &[u8]) -> u64 {
        let seed = self.0;
        let length = bytes.len() as u64;
        let Some([a, b, c, d]) = words(bytes) else {
            if bytes.len() < 8 {
                return fold(tail(bytes, bytes) ^ seed, 0x9e37_79b9_7f4a_7c15 ^ length);
            }
            let mut hasher = self.build_hasher();
            hasher.write(bytes);
            return hasher.finish();
        };
        let first = fold(a ^ seed, b ^ seed.rotate_left(17));
        let last = fold(c ^ seed.rotate_left(31), d ^ seed.rotate_left(47) ^ length);
        fold(first ^ last ^ length, 0x9e37_79b9_7f4a_7c15)
    }
}

/// Both halves of a product.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// All of 8 to 32 bytes in four words, which overlap where they are fewer than 32.
#[inline]
fn words(bytes: &[u8]) -> Option<[u64; 4]> {
    let last = bytes.len().checked_sub(8).filter(|&last| last <= 24)?;
    let step = last.min(8);
    let word = |at: usize| {
        let word = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>);
        word.map_or(0, |word| u64::from_le_bytes(*word))
    };
    Some([word(0), word(step), word(last - step), word(last)])
}

impl BuildHasher for BuildFast {
    type Hasher = Fast;

    #[inline]
    fn build_hasher(&self) -> Fast {
        Fast(self.0)
    }
}

/// The state of a hash.
pub struct Fast(u64);

impl Fast {
    #[inline]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for Fast {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.mix(tail(bytes, rest) ^ ((bytes.len() as u64) << 56));
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // The table takes its tag from the top bits and its place from the low ones.
        self.0 ^ self.0.rotate_left(32)
    }
}

/// The bytes of `all` behind its last whole word, which `rest` are, as a number without a copy of variable
/// length. Of eight bytes or more it is the last eight, some of which were in the word before.
#[inline]
fn tail(all: &[u8], rest: &[u8]) -> u64 {
    if let Some(last) = all.last_chunk::<8>() {
        return u64::from_le_bytes(*last);
    }
    match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => rest
            .iter()
            .fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Whether two byte strings are the same. Quicker than `==` for the short ones that names are.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let (Some(last_a), Some(last_b)) = (a.last_chunk::<8>(), b.last_chunk::<8>()) else {
        return tail(a, a) == tail(b, b);
    };
    if let (Some(a), Some(b)) = (words(a), words(b)) {
        return (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) == 0;
    }
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    words.fold(last_a == last_b, |same, (a, b)| same & (a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_the_same_when_all_their_bytes_are() {
        let build = BuildFast::default();
        let text: Vec<u8> = (1..40).collect();
        for length in 0..text.len() {
            let a = &text[..length];
            // Every byte counts, at whatever place.
            let words = words(a).map(|words| words.map(u64::to_le_bytes).concat());
            assert!(words.is_none_or(|words| a.iter().all(|byte| words.contains(byte))));
            let mut copy = a.to_vec();
            assert!(same(a, &copy), "{length}");
            assert_eq!(build.of_bytes(a), build.of_bytes(&copy), "{length}");
            copy.push(0);
            assert!(!same(a, &copy), "{length}");
            assert!(!same(a, &text[..length + 1]), "{length}");
            for changed in 0..length {
                let mut b = a.to_vec();
                b[changed] ^= 0x80;
                assert!(!same(a, &b), "{length}, {changed}");
                assert_ne!(build.hash_one(a), build.hash_one(&b), "{length}, {changed}");
                assert_ne!(build.of_bytes(a), build.of_bytes(&b), "{length}, {changed}");
            }
        }
    }
}
