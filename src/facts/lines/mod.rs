//! Source lines: what each line of a function costs itself, and what the calls made in it cost.
//!
//! A [`Place`] is a line of a function, in the function's own file or, where a compiler has put code of another file into
//! it, in that. Its own weight is what ran in the line itself. A [`Site`] is a place together with a function that is
//! called from it: with the number of these calls where the recording counts them, and what they weigh with all below them.
//! As in a call relation every call counts, also one inside another. The total of a place is what weighs while it is on the
//! stack at all, so recursion counts once.
//!
//! Line 0 stands for what the recording knows of a function without a line.

mod builder;
mod call_sites;
mod place_id;
mod stacks;
mod stored;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::trace::storage::Table;
pub use builder::{FileId, LinesBuilder};
pub use call_sites::CallSites;
use callscape_base::units::{Cost, FunctionId};
pub use place_id::PlaceId;
pub use stacks::{LineStackId, LineStacks};

/// A line of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    function: u32,
    file: u32,
    line: u32,
}

impl Place {
    /// The function whose code the line is.
    pub fn function(self) -> FunctionId {
        FunctionId(self.function)
    }

    /// From 1; 0 where the recording does not say.
    pub fn line(self) -> u32 {
        self.line
    }
}

/// Calls of a function from a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
struct SiteRow {
    place: u32,
    callee: u32,
}

/// What the calls of one function from one place come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub callee: FunctionId,
    /// None where the recording does not count calls.
    pub calls: Option<u64>,
    pub cost: Cost,
}

/// Whether a recording knows something of its lines, besides what they cost themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knows {
    /// From which line a call was made.
    pub sites: bool,
    /// How many calls were made.
    pub calls: bool,
    /// What weighs while a line is on the stack.
    pub totals: bool,
    /// How many samples found a line running.
    pub samples: bool,
}

impl Knows {
    /// What both know.
    pub fn and(self, other: Knows) -> Knows {
        Knows {
            sites: self.sites && other.sites,
            calls: self.calls && other.calls,
            totals: self.totals && other.totals,
            samples: self.samples && other.samples,
        }
    }
}

/// What a recording knows of the lines of its functions.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    knows: Knows,
    values: usize,
    /// Other files than those of the functions; the first, without letters, stands for these.
    files: Vec<String>,
    /// Sorted.
    places: Table<Place>,
    /// By value, by place; totals and samples only where known.
    own: Table<i64>,
    totals: Table<i64>,
    samples: Table<u64>,
    /// Sorted.
    sites: Table<SiteRow>,
    /// By site where known, and by value, by site.
    calls: Table<u64>,
    costs: Table<i64>,
    /// Empty where call paths are not known with their sites.
    call_sites: CallSites,
}

impl Lines {
    pub fn knows(&self) -> Knows {
        self.knows
    }

    /// How many values it weighs, as many as the profile has that it belongs to; 1 where the recording has times.
    pub fn values(&self) -> usize {
        self.values
    }

    /// How many places there are; they are numbered from 0, in order of function, file and line.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The place with this number, which is less than [`len`](Self::len), as below.
    pub fn place(&self, number: usize) -> Place {
        self.places[number]
    }

    /// The file that a place is in, where it is not the function's own.
    pub fn other_file(&self, place: Place) -> Option<&str> {
        match place.file {
            0 => None,
            file => self.files.get(file as usize).map(String::as_str),
        }
    }

    /// The places of a function. O(log n).
    pub fn of_function(&self, function: FunctionId) -> Range<usize> {
        let start = self.places.partition_point(|it| it.function() < function);
        let end = self.places.partition_point(|it| it.function() <= function);
        start..end
    }

    fn column(table: &[i64], value: usize, rows: usize, row: usize) -> Cost {
        let index = value.checked_mul(rows).and_then(|at| at.checked_add(row));
        let weight = index.and_then(|at| table.get(at)).copied();
        Cost::signed(weight.unwrap_or(0))
    }

    /// What a place itself weighs of `value`.
    pub fn own(&self, value: usize, number: usize) -> Cost {
        Lines::column(&self.own, value, self.len(), number)
    }

    /// What weighs of `value` while the place is on the stack; none where that is not known.
    pub fn total(&self, value: usize, number: usize) -> Option<Cost> {
        let total = || Lines::column(&self.totals, value, self.len(), number);
        self.knows.totals.then(total)
    }

    /// How many samples found the place running; none where that is not known.
    pub fn samples(&self, number: usize) -> Option<u64> {
        let samples = self.samples.get(number).copied();
        samples.filter(|_| self.knows.samples)
    }

    /// What was called from a place, in order of function. O(log n + their number).
    pub fn sites(&self, value: usize, number: usize) -> impl Iterator<Item = Site> + '_ {
        let place = number as u32;
        let start = self.sites.partition_point(|it| it.place < place);
        let rows = self.sites[start..].iter().enumerate();
        rows.take_while(move |(_, row)| row.place == place)
            .map(move |(at, row)| {
                let at = start + at;
                Site {
                    callee: FunctionId(row.callee),
                    calls: self.calls.get(at).copied().filter(|_| self.knows.calls),
                    cost: Lines::column(&self.costs, value, self.sites.len(), at),
                }
            })
    }

    /// Whether a function has two lines: where none has, lines are those at which functions begin.
    pub fn some_function_has_two(&self) -> bool {
        let known = self.places.iter().filter(|it| it.line > 0);
        let mut pairs = known.clone().zip(known.skip(1));
        pairs.any(|(a, b)| a.function == b.function)
    }

    /// The calling contexts by call site, whose sites are numbers of places; none where call paths are not known with the
    /// places of their calls. Contexts that weigh nothing and were never called are left out.
    pub fn call_sites(&self) -> Option<&CallSites> {
        Some(&self.call_sites).filter(|it| !it.is_empty())
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.places)
            + size_of_val(&*self.own)
            + size_of_val(&*self.totals)
            + size_of_val(&*self.samples)
            + size_of_val(&*self.sites)
            + size_of_val(&*self.calls)
            + size_of_val(&*self.costs)
            + self.call_sites.bytes()
    }
}
