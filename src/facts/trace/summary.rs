//! What a run of calls adds up to, by pair of caller and callee.

use super::columns::{self, Column, PADDING};

/// Sums over the calls of one pair. Differences of sums wrap and come out right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::facts) struct Sums {
    /// Calls that start in the run.
    pub calls: u64,
    /// Of the calls that end in the run, as all fields below.
    pub cost: u64,
    /// The cost of their direct subcalls.
    pub children: u64,
    /// The cost of those that a call of the same function encloses.
    pub nested: u64,
    /// When the last of them ended: one more than the nanoseconds since the run's base; 0 for none.
    pub last_end: u64,
}

impl Sums {
    /// Adds the sums of a run that follows.
    pub fn add(&mut self, other: &Sums) {
        self.calls = self.calls.wrapping_add(other.calls);
        self.cost = self.cost.wrapping_add(other.cost);
        self.children = self.children.wrapping_add(other.children);
        self.nested = self.nested.wrapping_add(other.nested);
        self.last_end = self.last_end.max(other.last_end);
    }
}

/// The sums of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::facts) struct Entry {
    pub pair: u32,
    pub sums: Sums,
}

const FIELDS: [fn(&Entry) -> u64; 6] = [
    |entry| u64::from(entry.pair),
    |entry| entry.sums.calls,
    |entry| entry.sums.cost,
    |entry| entry.sums.children,
    |entry| entry.sums.nested,
    |entry| entry.sums.last_end,
];

/// Appends `entries` column by column, after their number.
pub(super) fn write(entries: &[Entry], values: &mut Vec<u64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    for field in FIELDS {
        values.clear();
        values.extend(entries.iter().map(field));
        columns::write(values, out);
    }
    out.extend_from_slice(&[0; PADDING]);
}

/// A written run of entries.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::facts) struct Summary<'a> {
    bytes: &'a [u8],
    len: usize,
    columns: [Column; FIELDS.len()],
}

impl<'a> Summary<'a> {
    /// None when the bytes do not hold what they say.
    pub fn parse(bytes: &'a [u8]) -> Option<Summary<'a>> {
        let len = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let mut at = size_of::<u32>();
        let mut columns = [Column::default(); FIELDS.len()];
        for column in &mut columns {
            *column = Column::parse(bytes, &mut at, len)?;
        }
        Some(Summary {
            bytes,
            len,
            columns,
        })
    }

    /// The pairs, and how many calls of each start in the run.
    pub fn calls(self) -> impl Iterator<Item = (u32, u64)> + 'a {
        let [pair, calls, ..] = self.columns;
        let bytes = self.bytes;
        (0..self.len).map(move |i| (pair.get(bytes, i) as u32, calls.get(bytes, i)))
    }

    pub fn entries(self) -> impl Iterator<Item = Entry> + 'a {
        let [pair, calls, cost, children, nested, last_end] = self.columns;
        let bytes = self.bytes;
        (0..self.len).map(move |i| Entry {
            pair: pair.get(bytes, i) as u32,
            sums: Sums {
                calls: calls.get(bytes, i),
                cost: cost.get(bytes, i),
                children: children.get(bytes, i),
                nested: nested.get(bytes, i),
                last_end: last_end.get(bytes, i),
            },
        })
    }
}

/// Merges runs of entries, each in order of pair, into one. A run's times count from its `base`, the
/// result's from `base`.
pub(super) fn merge(runs: &[(u64, &[Entry])], base: u64, merged: &mut Vec<Entry>) {
    merged.clear();
    for (run_base, entries) in runs {
        let shift = run_base.wrapping_sub(base);
        merged.extend(entries.iter().map(|entry| {
            let mut entry = *entry;
            if entry.sums.last_end > 0 {
                entry.sums.last_end = entry.sums.last_end.wrapping_add(shift);
            }
            entry
        }));
    }
    // Stable, and runs of sorted entries are what this sort is quick at.
    merged.sort_by_key(|entry| entry.pair);
    merged.dedup_by(|next, kept| {
        let same = next.pair == kept.pair;
        if same {
            kept.sums.add(&next.sums);
        }
        same
    });
}
