//! Sorting more records than memory should hold: what is too much is sorted a part at a time, put aside in a
//! file, and merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::ops::Range;

use bytemuck::Pod;

use crate::facts::aside::{Aside, Bytes};

/// Bytes of records that are sorted at once.
const AT_ONCE: usize = if cfg!(test) { 4 << 10 } else { 32 << 20 };

/// Records on their way to be sorted by `key`; those of equal keys stay in the order in which they came.
pub struct Sorter<T, K> {
    key: fn(&T) -> K,
    /// What may bring records into order with less work, and says whether it did.
    shortcut: fn(&mut Vec<T>) -> bool,
    /// The last records that came.
    records: Vec<T>,
    /// Sorted runs of the others, as bytes.
    runs: Vec<Range<usize>>,
    aside: Aside,
}

impl<T: Pod, K: Ord> Sorter<T, K> {
    pub fn new(key: fn(&T) -> K) -> Sorter<T, K> {
        Sorter::with_shortcut(key, |_| false)
    }

    /// Before records are sorted, `shortcut` may bring them into the same order, and says whether it did. Where it did
    /// not, those of equal keys must still stand in the order in which they came.
    pub fn with_shortcut(key: fn(&T) -> K, shortcut: fn(&mut Vec<T>) -> bool) -> Sorter<T, K> {
        Sorter {
            key,
            shortcut,
            records: Vec::new(),
            runs: Vec::new(),
            aside: Aside::default(),
        }
    }

    /// How many records came since some were put aside.
    #[inline]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    pub fn push(&mut self, record: T) {
        if self.records.len() >= AT_ONCE / size_of::<T>() {
            self.put_aside();
        }
        self.records.push(record);
    }

    /// The records in the order in which they came, as long as none was put aside; else none.
    pub fn take_all(&mut self) -> Option<Vec<T>> {
        self.runs
            .is_empty()
            .then(|| std::mem::take(&mut self.records))
    }

    fn sort(&mut self) {
        if !(self.shortcut)(&mut self.records) {
            self.records.sort_by_key(self.key);
        }
    }

    #[inline(never)]
    fn put_aside(&mut self) {
        self.sort();
        let (start, bytes) = self.aside.append(|bytes| {
            bytes.extend_from_slice(bytemuck::cast_slice(&self.records));
        });
        let start = start as usize;
        self.runs.push(start..start + bytes.len());
        self.records.clear();
    }

    /// All records in order. An error when they could be kept neither in memory nor in a file.
    pub fn finish(mut self) -> io::Result<Sorted<T, K>> {
        self.sort();
        let bytes = self.aside.finish()?;
        let mut sorted = Sorted {
            key: self.key,
            records: self.records,
            next: 0,
            bytes,
            runs: self.runs,
            heads: BinaryHeap::new(),
        };
        for run in 0..=sorted.runs.len() {
            sorted.advance(run);
        }
        Ok(sorted)
    }
}

/// Records in order.
pub struct Sorted<T, K> {
    key: fn(&T) -> K,
    /// The last run, in memory; its number is that behind the others'.
    records: Vec<T>,
    next: usize,
    bytes: Bytes,
    /// What is left of the other runs.
    runs: Vec<Range<usize>>,
    /// By run, the key of its next record.
    heads: BinaryHeap<Reverse<(K, usize)>>,
}

impl<T: Pod, K: Ord> Sorted<T, K> {
    fn head(&self, run: usize) -> Option<T> {
        match self.runs.get(run) {
            Some(rest) if rest.is_empty() => None,
            Some(rest) => {
                let bytes = self.bytes.get(rest.start..rest.start + size_of::<T>())?;
                Some(bytemuck::pod_read_unaligned(bytes))
            }
            None => self.records.get(self.next).copied(),
        }
    }

    fn advance(&mut self, run: usize) {
        if let Some(record) = self.head(run) {
            self.heads.push(Reverse(((self.key)(&record), run)));
        }
    }
}

impl<T: Pod, K: Ord> Iterator for Sorted<T, K> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.runs.is_empty() {
            let record = self.records.get(self.next).copied();
            self.next += 1;
            return record;
        }
        let Reverse((_, run)) = self.heads.pop()?;
        let record = self.head(run)?;
        match self.runs.get_mut(run) {
            Some(rest) => rest.start += size_of::<T>(),
            None => self.next += 1,
        }
        self.advance(run);
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_in_order_however_many() {
        for count in [0, 1, 2, 511, 512, 513, 5000, 20_000_u64] {
            let mut sorter = Sorter::new(|record: &[u64; 2]| record[0]);
            let mut state = count;
            let mut expected = Vec::new();
            for number in 0..count {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let record = [state >> 54, number];
                sorter.push(record);
                expected.push(record);
            }
            expected.sort_unstable();
            let found: Vec<[u64; 2]> = sorter.finish().expect("memory").collect();
            assert_eq!(found, expected, "{count}");
        }
    }
}
