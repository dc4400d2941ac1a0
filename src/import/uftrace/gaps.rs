//! When no process was recorded: the times at which recording of at least one was switched off and no other was recorded.

use std::collections::BTreeMap;

use super::tasks::Tasks;
use callscape_base::units::{Time, TimeRange};
use callscape_facts::gaps::Gaps;

/// What was recorded of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Recorded {
    pub tid: u32,
    /// How many records there are.
    pub records: u64,
    /// The first and the last record of each part between times in which recording was off, on the recording's own clock.
    pub parts: Vec<(u64, u64)>,
}

/// The gaps of a recording whose clock shows `origin` at its first event. A process was recorded from its first record to
/// its last, but for when it was switched off; a record that came after that still counts.
pub(super) fn find(recorded: &[Recorded], tasks: &Tasks, origin: i64) -> Gaps {
    let time = |ns: u64| Time::from_ns(ns.saturating_sub(u64::try_from(origin).unwrap_or(0)));
    let range = |&(from, until): &(u64, u64)| TimeRange::new(time(from), time(until));
    let mut processes: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
    for task in recorded {
        let parts = processes.entry(tasks.process(task.tid)).or_default();
        parts.extend(&task.parts);
    }
    let (mut off, mut on) = (Vec::new(), Vec::new());
    for (process, parts) in processes {
        let (switched_off, since) = tasks.off(process);
        let mut switched_off = switched_off.to_vec();
        switched_off.extend(since.map(|since| (since, u64::MAX)));
        let switched_off = Gaps::of(switched_off.iter().map(range).collect());
        let first = parts.iter().map(|it| it.0).min().unwrap_or(0);
        let last = parts.iter().map(|it| it.1).max().unwrap_or(0);
        let lives = Gaps::of(vec![range(&(first, last))]);
        on.extend(lives.without(&switched_off).all());
        on.extend(parts.iter().map(range));
        off.extend(switched_off.all());
    }
    Gaps::of(off).without(&Gaps::of(on))
}
