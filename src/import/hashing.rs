//! A hash for short byte strings and small keys: a folded multiplication for each eight bytes, seeded anew
//! in each run so that no input can be made to collide.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Builds [`Fast`] hashers that share one seed.
#[derive(Clone)]
pub struct BuildFast(u64);

impl Default for BuildFast {
    fn default() -> BuildFast {
        BuildFast(RandomState::new().hash_one(0))
    }
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
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            // A chunk of eight bytes.
            self.mix(word.try_into().map_or(0, u64::from_le_bytes));
        }
        let mut last = [0; 8];
        let rest = words.remainder();
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ ((bytes.len() as u64) << 56));
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
