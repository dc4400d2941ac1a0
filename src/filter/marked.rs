//! Functions marked in every view because they changed or another tool reported something in them.

use std::sync::Arc;

use callscape_base::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};

/// The first call of a marked function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    pub time: Time,
    pub function: FunctionId,
    pub module: ModuleId,
    pub thread: ThreadId,
    pub call: CallId,
}

/// Marked functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// What they have in common.
    pub title: String,
    /// In order, each once.
    pub modules: Arc<[ModuleId]>,
    /// All functions of the recording that they are.
    pub functions: Arc<[FunctionId]>,
    /// In order of time; empty where the recording has no times.
    pub firsts: Arc<[First]>,
    /// The same by thread: thread and time, in order.
    on_threads: Arc<[(ThreadId, Time)]>,
}

impl Marked {
    /// `modules` and `functions` are in order, `firsts` may come in any. O(n log n).
    pub fn new(
        title: String,
        modules: Arc<[ModuleId]>,
        functions: Arc<[FunctionId]>,
        mut firsts: Vec<First>,
    ) -> Marked {
        firsts.sort_by_key(|it| (it.time, it.function));
        let on_threads = firsts.iter().map(|it| (it.thread, it.time));
        let mut on_threads: Vec<(ThreadId, Time)> = on_threads.collect();
        on_threads.sort_unstable();
        Marked {
            title,
            modules,
            functions,
            firsts: firsts.into(),
            on_threads: on_threads.into(),
        }
    }

    /// Whether a module is one of them. O(log n).
    pub fn has(&self, module: ModuleId) -> bool {
        self.modules.binary_search(&module).is_ok()
    }

    /// Whether a function of the recording is one of them. O(log n).
    pub fn has_function(&self, function: FunctionId) -> bool {
        self.functions.binary_search(&function).is_ok()
    }

    /// The first calls that begin within `range`. O(log n).
    pub fn within(&self, range: TimeRange) -> &[First] {
        let from = self.firsts.partition_point(|it| it.time < range.start);
        let to = self.firsts.partition_point(|it| it.time <= range.end);
        self.firsts.get(from..to).unwrap_or_default()
    }

    /// How many of them begin on `thread` within `range`. O(log n).
    pub fn count_within(&self, thread: ThreadId, range: TimeRange) -> usize {
        let all = &self.on_threads;
        let from = all.partition_point(|it| *it < (thread, range.start));
        let to = all.partition_point(|it| *it <= (thread, range.end));
        to.saturating_sub(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_calls_are_found_by_time_and_thread() {
        let first = |(ns, thread): (u64, u32)| First {
            time: Time::from_ns(ns),
            function: FunctionId(0),
            module: ModuleId(1),
            thread: ThreadId(thread),
            call: CallId(0),
        };
        let calls = [(7, 1), (3, 0), (20, 0), (7, 0), (7, 1)];
        let marked = Marked::new(
            String::new(),
            [ModuleId(1), ModuleId(4)].into(),
            Arc::default(),
            calls.map(first).into(),
        );
        let times = [3, 7, 7, 7, 20];
        for start in 0..25 {
            for end in start..25 {
                let range = TimeRange::new(Time::from_ns(start), Time::from_ns(end));
                let found = marked.within(range).iter().map(|it| it.time.ns());
                let expected = times.into_iter().filter(|it| (start..=end).contains(it));
                assert!(found.eq(expected), "{start} to {end}");
                for thread in 0..3 {
                    let is_in = |it: &&(u64, u32)| (start..=end).contains(&it.0) && it.1 == thread;
                    let found = marked.count_within(ThreadId(thread), range);
                    assert_eq!(found, calls.iter().filter(is_in).count());
                }
            }
        }
        let has = [0, 1, 2, 4].map(|it| marked.has(ModuleId(it)));
        assert_eq!(has, [false, true, false, true]);
    }
}
