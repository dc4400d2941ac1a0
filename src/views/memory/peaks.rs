//! What two runs have in memory at their peaks, row by row.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::choice::By;
use super::groups::{Amounts, Groups, Row, Source, add_up};
use callscape_base::units::FunctionId;
use callscape_facts::memory::Events;

impl Groups {
    /// Adds what the groups of another run have at its peak, and groups for what only that has. Groups are the same whose
    /// module, function, functions of the stack or type has the same name in the same module. Nothing where one of the runs
    /// knows no bytes. O(cells + frames).
    pub(super) fn compare(&mut self, source: &Source<'_>, by: By, other: &Source<'_>) {
        if !(source.memory.sizes_known && other.memory.sizes_known) {
            return;
        }
        let (Some(events), Some(of_other)) = (source.memory.events(), other.memory.events()) else {
            return;
        };
        let known = at_peak(events, self);
        let groups = Groups::new(other, by);
        let bytes = at_peak(of_other, &groups);
        let keys = keys(source, by, self).into_iter();
        // Of several with one key the first has what the other run has.
        let mut places: HashMap<u64, usize> = HashMap::new();
        for (place, key) in keys.enumerate() {
            places.entry(key).or_insert(place);
        }
        let mut peaks: Vec<(u64, u64)> = known.into_iter().map(|bytes| (bytes, 0)).collect();
        let of_others = self::keys(other, by, &groups);
        for ((group, key), bytes) in groups.all.into_iter().zip(of_others).zip(bytes) {
            let place = *places.entry(key).or_insert_with(|| {
                // Its function has another number in this run.
                let mut group = group;
                group.pointed.function = None;
                self.all.push(group);
                peaks.push((0, 0));
                peaks.len() - 1
            });
            peaks[place].1 += bytes;
        }
        self.peaks = Some(peaks);
    }
}

/// The bytes of each group that live when most do.
fn at_peak(events: &Events, groups: &Groups) -> Vec<u64> {
    let totals = add_up(events, &events.state(events.peak_position()), groups);
    totals.iter().map(|it| it.live_bytes()).collect()
}

/// By group, what it is told from others by in any run of the session.
fn keys(source: &Source<'_>, by: By, groups: &Groups) -> Vec<u64> {
    let mut first = vec![None; groups.all.len()];
    for (cell, &group) in source.memory.cells().iter().zip(&groups.of) {
        if let Some(first) = first.get_mut(group as usize) {
            first.get_or_insert(*cell);
        }
    }
    let function = |function: FunctionId, hasher: &mut DefaultHasher| {
        source.modules.get(function.index()).hash(hasher);
        if function.index() < source.functions.len() {
            source.functions.get(function).name.hash(hasher);
        }
    };
    let key = |(place, cell): (usize, &Option<callscape_facts::memory::Cell>)| {
        let mut hasher = DefaultHasher::new();
        match (by, cell) {
            (By::Module, _) => groups.all[place].pointed.module.hash(&mut hasher),
            (By::Function, Some(cell)) => {
                let mut creator = source.memory.creator(*cell).into_iter();
                creator.by_ref().for_each(|it| function(it, &mut hasher));
            }
            (By::Context, Some(cell)) => {
                let stack = source.memory.stacks.functions(cell.stack);
                stack.for_each(|it| function(it, &mut hasher));
            }
            _ => groups.all[place].name.hash(&mut hasher),
        }
        hasher.finish()
    };
    first.iter().enumerate().map(key).collect()
}

/// The rows of both peaks.
pub(super) fn rows_of_peaks(peaks: &[(u64, u64)]) -> Vec<Row> {
    let rows = (0..).zip(peaks).map(|(group, &(bytes, other))| Row {
        group,
        amounts: Amounts {
            live_bytes: Some(bytes),
            other: Some(other),
            ..Amounts::default()
        },
    });
    rows.collect()
}
