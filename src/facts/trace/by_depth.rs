//! How many calls there are at each depth of the stack (thesis, table 5.1), counted once and kept in the index.

use super::Trace;
use super::appendix::Kind;
use super::numbers::{self, Reader, write};
use super::store::Store;
use callscape_base::progress::{Cancelled, Progress};

impl Trace {
    /// The number of calls at each depth, those without a caller first. O(n) where the index does not have it, of
    /// which the depths alone are read.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn calls_by_depth(&self, progress: &Progress) -> Result<Vec<u64>, Cancelled> {
        self.ask(|store| store.calls_by_depth(progress))
    }
}

impl Store {
    fn calls_by_depth(&self, progress: &Progress) -> Result<Vec<u64>, Cancelled> {
        let known = self.answers.get(Kind::Depths);
        if let Some(counts) = known.and_then(|bytes| self.depths_of(&bytes)) {
            return Ok(counts);
        }
        let (counts, bytes) = self.count_by_depth(progress)?;
        if let Some(bytes) = bytes.filter(|_| !self.is_damaged()) {
            self.answers.put(Kind::Depths, bytes);
        }
        Ok(counts)
    }

    /// Counts them, also as bytes for the index.
    pub(super) fn count_by_depth(
        &self,
        progress: &Progress,
    ) -> Result<(Vec<u64>, Option<Vec<u8>>), Cancelled> {
        let all = self.infos.iter().map(|it| it.calls).sum();
        progress.start("counting calls by depth", all);
        let mut counts: Vec<u64> = Vec::new();
        let mut depths = Vec::new();
        for calls in self.all_calls() {
            for index in 0..calls.tables.blocks.len() {
                let block = calls.block(index);
                block.unpack_depths(0..block.len, &mut depths);
                for &depth in &depths {
                    let depth = block.depth_base.wrapping_add(depth as u32) as usize;
                    // Deeper than there are calls is damage.
                    if depth >= counts.len() && (depth as u64) < all {
                        counts.resize(depth + 1, 0);
                    }
                    if let Some(count) = counts.get_mut(depth) {
                        *count += 1;
                    }
                }
                progress.add(block.len as u64)?;
            }
        }
        let mut out = Vec::new();
        write(&mut out, counts.len() as u64);
        counts.iter().for_each(|&count| write(&mut out, count));
        Ok((counts, numbers::pack(&out).ok()))
    }

    fn depths_of(&self, bytes: &[u8]) -> Option<Vec<u64>> {
        let bytes = numbers::unpack(bytes)?;
        let mut reader = Reader(&bytes);
        let counts = reader.each(Reader::number)?;
        let all: u64 = self.infos.iter().map(|it| it.calls).sum();
        (reader.0.is_empty() && counts.iter().sum::<u64>() == all).then_some(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Functions;
    use crate::index::{self, Beside};
    use crate::trace::random::{Shape, random_trace};
    use callscape_base::units::CallId;

    #[test]
    fn calls_are_counted_at_each_depth_and_kept_in_the_index() {
        let name = format!("callscape-depths-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        for seed in 0..40 {
            let shape = Shape {
                threads: 3,
                functions: 9,
                events: 1500,
                deepest: 1 + (seed % 30) as usize,
                step: 0..4,
            };
            let trace = random_trace(seed, &shape);
            let mut expected = vec![0; trace.max_depth() as usize];
            for (thread, info) in trace.thread_ids().zip(trace.threads()) {
                for call in 0..info.calls as u32 {
                    expected[trace.call(thread, CallId(call)).depth as usize] += 1;
                }
            }
            let counts = |trace: &Trace| {
                let found = trace.calls_by_depth(&Progress::new());
                found.expect("not cancelled")
            };
            assert_eq!(counts(&trace), expected, "seed {seed}");
            let functions = Functions::default();
            index::write(&path, &functions, &trace, Beside::default(), b"", 1)
                .expect("there is room");
            let is_kept = |trace: &Trace| trace.store.answers.get(Kind::Depths).is_some();
            let open = || index::open(&path, false).expect("intact").trace;
            assert!(is_kept(&open()), "seed {seed}");
            assert_eq!(counts(&open()), expected, "seed {seed}");
            // An index without them gets them.
            let whole = std::fs::read(&path).expect("just written");
            let appendix = trace.store.appendix().expect("it fits").len();
            std::fs::write(&path, &whole[..whole.len() - appendix]).expect("there is room");
            let opened = open();
            opened.keep_answers_in(&path);
            assert!(!is_kept(&opened));
            assert_eq!(counts(&opened), expected, "seed {seed}");
            assert!(is_kept(&open()), "seed {seed}");
        }
        let _ = std::fs::remove_file(&path);
    }
}
