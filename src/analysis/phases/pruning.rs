//! The skeletons that phases are found from.

use std::sync::Arc;

use callscape_base::units::{Cost, ThreadId};
use callscape_facts::trace::{Floor, Skeleton};

/// The skeletons of threads, from which the phases are found for any thresholds above their floor.
#[derive(Clone, Debug)]
pub struct Pruning {
    /// Shared, since they are of the size of the calls and asked for again with each change.
    pub skeletons: Arc<[Skeleton]>,
    /// What a typical short call costs; none where there is no call.
    pub short: Option<Cost>,
    /// The same of each thread alone, where it is known.
    pub(super) short_by_thread: Vec<Option<Cost>>,
}

impl Pruning {
    /// Whether phases for these thresholds can be told from it.
    pub fn reaches(&self, heavy: &Floor) -> bool {
        self.skeletons.iter().all(|it| it.floor.is_below(heavy))
    }

    /// What a typical short call of these threads costs, where it is known.
    pub(super) fn short_of(&self, threads: &[ThreadId]) -> Option<Option<Cost>> {
        match *threads {
            [thread] => self.short_by_thread.get(thread.index()).copied(),
            _ => {
                let all = self.skeletons.iter().map(|it| it.thread);
                all.eq(threads.iter().copied()).then_some(self.short)
            }
        }
    }

    /// What is known of these threads; none where one is missing.
    pub(super) fn of_threads(&self, threads: &[ThreadId]) -> Option<Pruning> {
        let all = self.skeletons.iter().map(|it| it.thread);
        let skeletons = if all.eq(threads.iter().copied()) {
            self.skeletons.clone()
        } else {
            let of = |thread: &ThreadId| self.skeletons.iter().find(|it| it.thread == *thread);
            let of_threads = threads.iter().map(|it| of(it).cloned());
            of_threads.collect::<Option<_>>()?
        };
        Some(Pruning {
            skeletons,
            short: None,
            short_by_thread: Vec::new(),
        })
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.skeletons.iter().map(Skeleton::bytes).sum()
    }
}
