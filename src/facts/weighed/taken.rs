//! The samples of a recording one by one, for what they weigh in a range of time or on some threads.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::trace::storage::{Bytes, Table};
use callscape_base::units::{ThreadId, TimeRange};

/// What one sample adds to one value.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TakenSample {
    /// The time that it covers, in nanoseconds since the first event.
    pub start: u64,
    pub length: u64,
    pub weight: i64,
    pub context: u32,
    /// The number of its value.
    pub value: u16,
    /// [`ENDS`](Self::ENDS), [`COUNTS`](Self::COUNTS), [`IS_TIME`](Self::IS_TIME).
    pub flags: u16,
}

impl TakenSample {
    /// It was taken at the end of the time that it covers, not at the start.
    pub const ENDS: u16 = 1;
    /// It is one of the samples, not only a part of one.
    pub const COUNTS: u16 = 2;
    /// Its weight is spread over the time that it covers.
    pub const IS_TIME: u16 = 4;
    /// The value of a sample that weighs nothing.
    pub const NO_VALUE: u16 = u16::MAX;

    fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }

    /// The instant at which it counts: the last or the first of those that it covers.
    pub(super) fn at(&self) -> u64 {
        match self.flags & TakenSample::ENDS {
            0 => self.start,
            _ => self.end().saturating_sub(1),
        }
    }

    /// How much of its weight is in `range`. The parts of ranges that meet add up to all.
    fn part(&self, range: &Range<u64>) -> i64 {
        if self.flags & TakenSample::IS_TIME == 0 || self.length == 0 {
            return match range.contains(&self.at()) {
                true => self.weight,
                false => 0,
            };
        }
        let before = |t: u64| {
            let passed = t.clamp(self.start, self.end()) - self.start;
            i128::from(self.weight) * i128::from(passed) / i128::from(self.length)
        };
        // No more than the weight.
        (before(range.end) - before(range.start)) as i64
    }
}

/// All samples, by thread in order of the instant at which they count.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// By thread how many samples it has, and the longest time that one covers. Those of no thread come last.
    threads: Vec<(u64, u64)>,
    samples: Table<TakenSample>,
}

impl Taken {
    /// The samples of each thread, in any order; the last are those of no thread.
    pub fn new(threads: Vec<Vec<TakenSample>>) -> Taken {
        let mut samples = Vec::new();
        let of_thread = |mut of_thread: Vec<TakenSample>| {
            of_thread.sort_by_key(TakenSample::at);
            let longest = of_thread.iter().map(|it| it.length).max();
            let counts = (of_thread.len() as u64, longest.unwrap_or(0));
            samples.append(&mut of_thread);
            counts
        };
        Taken {
            threads: threads.into_iter().map(of_thread).collect(),
            samples: Table::Rows(Arc::new(samples)),
        }
    }

    /// The same as it is kept.
    pub(super) fn stored(
        threads: Vec<(u64, u64)>,
        bytes: &Bytes,
        range: Range<usize>,
    ) -> Option<Taken> {
        let samples = Table::part(bytes, range)?;
        let all = threads
            .iter()
            .try_fold(0_u64, |sum, of| sum.checked_add(of.0));
        (all == Some(samples.len() as u64)).then_some(Taken { threads, samples })
    }

    pub(super) fn threads(&self) -> &[(u64, u64)] {
        &self.threads
    }

    pub(super) fn samples(&self) -> &[TakenSample] {
        &self.samples
    }

    /// By value, by context, what samples weigh in `range` on `threads`, of all if `None`; and the contexts that any of
    /// them found. O(samples in the range).
    pub(super) fn sums(
        &self,
        range: TimeRange,
        threads: Option<&[ThreadId]>,
        (values, contexts): (usize, usize),
    ) -> (Vec<Vec<i64>>, Vec<bool>) {
        let range = range.start.ns()..range.end.ns();
        let mut sums = vec![vec![0_i64; contexts]; values];
        let mut is_found = vec![false; contexts];
        let mut rest = &self.samples[..];
        for (thread, &(count, longest)) in self.threads.iter().enumerate() {
            let (of_thread, behind) = rest.split_at((count as usize).min(rest.len()));
            rest = behind;
            let is_asked = |threads: &[ThreadId]| threads.iter().any(|it| it.index() == thread);
            if !threads.is_none_or(is_asked) {
                continue;
            }
            // What covers an end of the range was taken no further from it than the longest covers.
            let first = range.start.saturating_sub(longest);
            let last = range.end.saturating_add(longest);
            let first = of_thread.partition_point(|it| it.at() < first);
            let last = of_thread.partition_point(|it| it.at() <= last);
            for sample in of_thread.get(first..last).unwrap_or_default() {
                let context = sample.context as usize;
                let mut add = |value: u16, weight: i64| {
                    let columns = sums.get_mut(usize::from(value));
                    if let Some(sum) = columns.and_then(|it| it.get_mut(context)) {
                        *sum = sum.saturating_add(weight);
                        is_found[context] = true;
                    }
                };
                match sample.part(&range) {
                    0 => {}
                    weight => add(sample.value, weight),
                }
                if sample.flags & TakenSample::COUNTS != 0 && range.contains(&sample.at()) {
                    add(SAMPLES, 1);
                }
            }
        }
        (sums, is_found)
    }
}

/// The number of the value that counts samples.
const SAMPLES: u16 = 1;
