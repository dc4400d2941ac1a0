//! What a run of calls adds up to, by pair of caller and callee.

use super::columns::{self, Column, PADDING};

/// Sums over the calls of one pair. Differences of sums wrap and come out right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
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
    pub(crate) fn add(&mut self, other: &Sums) {
        self.calls = self.calls.wrapping_add(other.calls);
        self.cost = self.cost.wrapping_add(other.cost);
        self.children = self.children.wrapping_add(other.children);
        self.nested = self.nested.wrapping_add(other.nested);
        self.last_end = self.last_end.max(other.last_end);
    }
}

/// The sums of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub pair: u32,
    pub sums: Sums,
}

const FIELDS: [fn(&Entry) -> u64; 6] = [
    |entry| u64::from(entry.pair),
    |entry| entry.sums.calls,
    |entry| entry.sums.cost,
    |entry| beside(entry.sums.children, entry.sums.cost),
    |entry| entry.sums.nested,
    |entry| entry.sums.last_end,
];

/// How the cost of subcalls is kept beside the whole: mostly there are none, or little is left without them.
fn beside(children: u64, cost: u64) -> u64 {
    match children {
        0 => 0,
        _ => cost.wrapping_sub(children).wrapping_add(1),
    }
}

/// The opposite of `beside`.
#[inline]
fn of_beside(kept: u64, cost: u64) -> u64 {
    match kept {
        0 => 0,
        _ => cost.wrapping_sub(kept - 1),
    }
}

/// Appends `entries`, in order of pair, column by column, after their number. Of pairs it is kept how many are left out
/// between two.
pub(super) fn write(entries: &[Entry], values: &mut Vec<u64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    let mut before = u32::MAX;
    let pairs = entries.iter().map(|entry| {
        let left_out = entry.pair.wrapping_sub(before).wrapping_sub(1);
        before = entry.pair;
        u64::from(left_out)
    });
    columns::write(columns::gather(values, pairs), out);
    for field in &FIELDS[1..] {
        columns::write(columns::gather(values, entries.iter().map(field)), out);
    }
    out.extend_from_slice(&[0; PADDING]);
}

/// Appends the same of a block, whose pairs are kept as they are: they are read at random.
pub(super) fn write_of_block(entries: &[Entry], values: &mut Vec<u64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    for field in FIELDS {
        columns::write(columns::gather(values, entries.iter().map(field)), out);
    }
    out.extend_from_slice(&[0; PADDING]);
}

/// Appends the pairs of a block alone, as they stand in its summary.
pub(super) fn write_pairs(entries: &[Entry], values: &mut Vec<u64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    let [pair, ..] = FIELDS;
    columns::write(columns::gather(values, entries.iter().map(pair)), out);
    out.extend_from_slice(&[0; PADDING]);
}

/// A written run of entries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary<'a> {
    bytes: &'a [u8],
    len: usize,
    is_of_block: bool,
    columns: [Column; FIELDS.len()],
}

impl<'a> Summary<'a> {
    /// None when the bytes do not hold what they say.
    pub(crate) fn parse(bytes: &'a [u8], is_of_block: bool) -> Option<Summary<'a>> {
        let len = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let mut at = size_of::<u32>();
        let mut columns = [Column::default(); FIELDS.len()];
        for column in &mut columns {
            *column = Column::parse(bytes, &mut at, len)?;
        }
        Some(Summary {
            bytes,
            len,
            is_of_block,
            columns,
        })
    }

    fn pairs(self) -> impl Iterator<Item = u32> + 'a {
        let [pair, ..] = self.columns;
        let bytes = self.bytes;
        // Of a block they count from 0, else from behind the one before.
        let counted = if self.is_of_block { 0 } else { u32::MAX };
        let mut base = 0u32;
        (0..self.len).map(move |i| {
            let pair = base.wrapping_add(pair.get(bytes, i) as u32);
            base = pair.wrapping_add(1) & counted;
            pair
        })
    }

    /// The pairs, and how many calls of each start in the run.
    pub(crate) fn calls(self) -> impl Iterator<Item = (u32, u64)> + 'a {
        let [_, calls, ..] = self.columns;
        let bytes = self.bytes;
        let places = self.pairs().enumerate();
        places.map(move |(i, pair)| (pair, calls.get(bytes, i)))
    }

    /// How many calls of the pairs that are wanted start in the run.
    pub(crate) fn calls_of(self, mut is_wanted: impl FnMut(u32) -> bool) -> u64 {
        let [_, calls, ..] = self.columns;
        let wanted = self
            .pairs()
            .enumerate()
            .filter(|&(_, pair)| is_wanted(pair));
        wanted.map(|(i, _)| calls.get(self.bytes, i)).sum()
    }

    pub(crate) fn entries(self) -> impl Iterator<Item = Entry> + 'a {
        let [_, calls, cost, children, nested, last_end] = self.columns;
        let bytes = self.bytes;
        self.pairs().enumerate().map(move |(i, pair)| {
            let cost = cost.get(bytes, i);
            Entry {
                pair,
                sums: Sums {
                    calls: calls.get(bytes, i),
                    cost,
                    children: of_beside(children.get(bytes, i), cost),
                    nested: nested.get(bytes, i),
                    last_end: last_end.get(bytes, i),
                },
            }
        })
    }
}

/// Runs of entries that are to be merged. Their memory is kept from one time to the next.
#[derive(Debug, Default)]
pub(super) struct Runs {
    entries: Vec<Entry>,
    /// By run, what its times count from, and where in `entries` it ends.
    runs: Vec<(u64, usize)>,
}

/// Room to merge in: which pairs there are, a bit for each from the least on, and how many before each word.
#[derive(Debug, Default)]
pub(super) struct Present {
    words: Vec<(u64, u32)>,
}

impl Runs {
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// What the times of the first run count from.
    pub(super) fn base(&self) -> u64 {
        self.runs.first().map_or(0, |run| run.0)
    }

    /// Adds a run, in which each pair stands once. Its times count from `base`.
    pub(super) fn push(&mut self, base: u64, entries: &[Entry]) {
        self.entries.extend_from_slice(entries);
        self.runs.push((base, self.entries.len()));
    }

    /// Merges the runs into one in order of pair, whose times count from `base`, and forgets them. O(entries), and a
    /// bit for each pair between the least and the greatest.
    pub(super) fn merge(&mut self, base: u64, present: &mut Present, merged: &mut Vec<Entry>) {
        let pairs = || self.entries.iter().map(|entry| entry.pair);
        let least = pairs().min().unwrap_or(0);
        let greatest = pairs().max().unwrap_or(0);
        let place = |entry: &Entry| {
            let at = entry.pair - least;
            (at as usize / 64, at % 64)
        };
        let words = &mut present.words;
        words.clear();
        words.resize((greatest - least) as usize / 64 + 1, (0, 0));
        for entry in &self.entries {
            let (word, bit) = place(entry);
            words[word].0 |= 1 << bit;
        }
        let mut count = 0;
        for (word, before) in &mut *words {
            *before = count;
            count += word.count_ones();
        }
        merged.clear();
        merged.resize(count as usize, Entry::default());
        let mut start = 0;
        for &(run_base, end) in &self.runs {
            let shift = run_base.wrapping_sub(base);
            for entry in &self.entries[start..end] {
                let (word, bit) = place(entry);
                let (word, before) = words[word];
                let before = before + (word & ((1 << bit) - 1)).count_ones();
                let mut sums = entry.sums;
                if sums.last_end > 0 {
                    sums.last_end = sums.last_end.wrapping_add(shift);
                }
                let into = &mut merged[before as usize];
                into.pair = entry.pair;
                into.sums.add(&sums);
            }
            start = end;
        }
        self.entries.clear();
        self.runs.clear();
    }
}
