//! Functions that are marked in every view for what is known of them from elsewhere: that they changed, or that another tool
//! has found something in them.

use std::sync::Arc;

use crate::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};

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
}

impl Marked {
    /// Whether a module is one of them. O(log n).
    pub fn has(&self, module: ModuleId) -> bool {
        self.modules.binary_search(&module).is_ok()
    }

    /// The first calls that begin within `range`. O(log n).
    pub fn within(&self, range: TimeRange) -> &[First] {
        let from = self.firsts.partition_point(|it| it.time < range.start);
        let to = self.firsts.partition_point(|it| it.time <= range.end);
        self.firsts.get(from..to).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_calls_are_found_by_time() {
        let first = |ns: u64| First {
            time: Time::from_ns(ns),
            function: FunctionId(0),
            module: ModuleId(1),
            thread: ThreadId(0),
            call: CallId(0),
        };
        let times = [3, 7, 7, 20];
        let marked = Marked {
            modules: [ModuleId(1), ModuleId(4)].into(),
            firsts: times.map(first).into(),
            ..Marked::default()
        };
        for start in 0..25 {
            for end in start..25 {
                let range = TimeRange::new(Time::from_ns(start), Time::from_ns(end));
                let found = marked.within(range).iter().map(|it| it.time.ns());
                let expected = times.into_iter().filter(|it| (start..=end).contains(it));
                assert!(found.eq(expected), "{start} to {end}");
            }
        }
        let has = [0, 1, 2, 4].map(|it| marked.has(ModuleId(it)));
        assert_eq!(has, [false, true, false, true]);
    }
}
