//! Sorting more records than memory should hold: what is too much is sorted a part at a time, put aside in a
//! file, and merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;
use std::ops::Range;

use bytemuck::Pod;

use super::aside::{Aside, Bytes};
use callscape_base::progress::{Cancelled, Progress};

/// Bytes of records that are kept before any are put aside: most recordings have no more.
const AT_FIRST: usize = if cfg!(test) { 16 << 10 } else { 32 << 20 };
/// Bytes of records that are sorted at once from then on: less fresh memory is touched for each.
const AT_ONCE: usize = if cfg!(test) { 4 << 10 } else { 8 << 20 };

/// Records on their way to be sorted by `key`; those of equal keys stay in the order in which they came.
pub struct Sorter<T, K> {
    key: fn(&T) -> K,
    /// Bytes of records that are kept before any are put aside.
    first: usize,
    /// The last records that came.
    records: Vec<T>,
    /// Sorted runs of the others, as bytes.
    runs: Vec<Range<u64>>,
    aside: Aside,
}

impl<T: Pod, K: Ord> Sorter<T, K> {
    pub fn new(key: fn(&T) -> K) -> Sorter<T, K> {
        Sorter::within(key, AT_FIRST)
    }

    /// One that keeps so many bytes of records before any are put aside.
    pub fn within(key: fn(&T) -> K, first: usize) -> Sorter<T, K> {
        Sorter {
            key,
            first,
            records: Vec::new(),
            runs: Vec::new(),
            aside: Aside::default(),
        }
    }

    #[inline]
    pub fn push(&mut self, record: T) {
        let most = match self.runs.is_empty() {
            true => self.first,
            false => AT_ONCE,
        };
        if self.records.len() >= most / size_of::<T>() {
            self.put_aside();
        }
        self.records.push(record);
    }

    fn sort(&mut self) {
        self.records.sort_by_key(self.key);
    }

    #[inline(never)]
    fn put_aside(&mut self) {
        self.sort();
        let (start, bytes) = self.aside.append(|bytes| {
            bytes.extend_from_slice(bytemuck::cast_slice(&self.records));
        });
        self.runs.push(start..start + bytes.len() as u64);
        // Not the memory of the first part, which was larger.
        self.records = Vec::with_capacity(AT_ONCE / size_of::<T>());
    }

    /// How many records came at all.
    pub fn total(&self) -> u64 {
        let aside: u64 = self.runs.iter().map(|run| run.end - run.start).sum();
        aside / size_of::<T>() as u64 + self.records.len() as u64
    }

    /// All records in order, which are added to `progress` as they are taken; they end early where it is cancelled.
    /// An error when they could be kept neither in memory nor in a file.
    pub fn finish(mut self, progress: &Progress) -> io::Result<Sorted<T, K>> {
        self.sort();
        let stored = self.aside.finish()?;
        let share = READ_AHEAD / self.runs.len().max(1) / size_of::<T>();
        let runs = self.runs.into_iter().map(|rest| Run {
            rest,
            records: vec![T::zeroed(); share.clamp(64, 8 << 10)],
            next: 0,
            filled: 0,
        });
        let mut sorted = Sorted {
            key: self.key,
            records: self.records,
            next: 0,
            runs: runs.collect(),
            stored,
            heads: BinaryHeap::new(),
            error: None,
            progress: progress.clone(),
            taken: 0,
        };
        if !sorted.runs.is_empty() {
            for run in 0..=sorted.runs.len() {
                if let Some(record) = sorted.head(run) {
                    sorted.heads.push(Reverse(((sorted.key)(&record), run)));
                }
            }
        }
        Ok(sorted)
    }
}

/// Bytes of the runs that were put aside which are in memory at once while they are merged.
const READ_AHEAD: usize = 16 << 20;

/// A sorted run that was put aside.
struct Run<T> {
    /// Where the part of it lies that has not been read, in bytes.
    rest: Range<u64>,
    /// `records[next..filled]` have been read and not given out.
    records: Vec<T>,
    next: usize,
    filled: usize,
}

impl<T: Pod> Run<T> {
    #[inline(never)]
    fn fill(&mut self, stored: &Bytes) -> io::Result<()> {
        let size = size_of::<T>() as u64;
        let left = (self.rest.end - self.rest.start) / size;
        let count = left.min(self.records.len() as u64);
        (self.next, self.filled) = (0, 0);
        let into = &mut self.records[..count as usize];
        stored.read(self.rest.start, bytemuck::cast_slice_mut(into))?;
        self.rest.start += count * size;
        self.filled = count as usize;
        Ok(())
    }
}

/// Records that are taken between two times that progress is told.
const TOLD: u64 = if cfg!(test) { 1 << 8 } else { 1 << 16 };

/// Records in order.
pub struct Sorted<T, K> {
    key: fn(&T) -> K,
    /// The last run, in memory; its number is that behind the others'.
    records: Vec<T>,
    next: usize,
    runs: Vec<Run<T>>,
    stored: Bytes,
    /// By run, the key of its next record; of more than one run.
    heads: BinaryHeap<Reverse<(K, usize)>>,
    /// Why a run ended early.
    error: Option<io::Error>,
    progress: Progress,
    /// Records since `progress` was told.
    taken: u64,
}

impl<T: Pod, K: Ord> Sorted<T, K> {
    /// The next record of a run.
    #[inline]
    fn head(&mut self, run: usize) -> Option<T> {
        let Some(of) = self.runs.get_mut(run) else {
            return self.records.get(self.next).copied();
        };
        if of.next == of.filled
            && let Err(error) = of.fill(&self.stored)
        {
            self.error = Some(error);
        }
        of.records[..of.filled].get(of.next).copied()
    }

    /// The next record, which stays.
    #[inline]
    pub fn peek(&self) -> Option<&T> {
        match self.heads.peek() {
            None => self.records.get(self.next),
            Some(&Reverse((_, run))) => match self.runs.get(run) {
                // That of every run in the heap has been read.
                Some(run) => run.records[..run.filled].get(run.next),
                None => self.records.get(self.next),
            },
        }
    }

    /// The next record, if it is one that `wanted` says.
    #[inline]
    pub fn next_if(&mut self, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        if self.peek().is_some_and(wanted) {
            return self.next();
        }
        None
    }

    #[cold]
    fn end(&mut self) {
        self.heads.clear();
        self.runs.clear();
        self.records.clear();
        self.error = Some(io::Error::other(Cancelled));
    }

    /// An error when records could not be read back, and some are missing, or when it was cancelled.
    pub fn check(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }
}

impl<T: Pod, K: Ord> Iterator for Sorted<T, K> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let record = *self.peek()?;
        self.taken += 1;
        if self.taken == TOLD {
            self.taken = 0;
            if self.progress.add(TOLD).is_err() {
                self.end();
                return None;
            }
        }
        let Some(&Reverse((_, run))) = self.heads.peek() else {
            self.next += 1;
            return Some(record);
        };
        match self.runs.get_mut(run) {
            Some(of) => of.next += 1,
            None => self.next += 1,
        }
        let following = self.head(run);
        if let Some(mut top) = self.heads.peek_mut() {
            match following {
                Some(following) => *top = Reverse(((self.key)(&following), run)),
                None => {
                    PeekMut::pop(top);
                }
            }
        }
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
            let progress = Progress::new();
            let mut sorted = sorter.finish(&progress).expect("memory");
            let mut found: Vec<[u64; 2]> = Vec::new();
            while let Some(&next) = sorted.peek() {
                assert_eq!(sorted.next_if(|record| record != &next), None);
                assert_eq!(sorted.next(), Some(next));
                found.push(next);
            }
            assert_eq!(sorted.next(), None);
            sorted.check().expect("a file that stays");
            assert_eq!(found, expected, "{count}");
        }
    }

    #[test]
    fn records_end_early_once_it_is_cancelled() {
        for count in [300, 20_000_u64] {
            let mut sorter = Sorter::new(|record: &[u64; 2]| record[0]);
            (0..count).for_each(|number| sorter.push([number % 7, number]));
            assert_eq!(sorter.total(), count);
            let progress = Progress::new();
            let mut sorted = sorter.finish(&progress).expect("memory");
            assert!(sorted.next().is_some());
            progress.cancel();
            let taken = sorted.by_ref().count() as u64;
            assert!(taken < TOLD, "{taken}");
            assert!(sorted.peek().is_none());
            sorted.check().expect_err("it was cancelled");
        }
    }
}
