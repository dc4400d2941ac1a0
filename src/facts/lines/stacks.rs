//! Stacks of places with weights, which places and the calls between them are added up from.

use std::collections::HashMap;

use super::builder::{LinesBuilder, fitting};
use super::call_sites::CallSitesBuilder;
use super::place_id::PlaceId;
use crate::contexts::ContextColumns;

/// A stack of places: its place in a [`LineStacks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineStackId(u32);

impl LineStackId {
    /// The stack without frames. It has no weight.
    pub const EMPTY: LineStackId = LineStackId(0);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place on top of another stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row {
    below: u32,
    place: PlaceId,
}

/// Stacks as a tree, each with what weighs while it is the whole stack. The outermost frame lies lowest.
#[derive(Debug)]
pub struct LineStacks {
    /// Below before above, without the empty stack: that of index *i* stands at *i* - 1.
    rows: Vec<Row>,
    ids: HashMap<Row, u32>,
    /// By value, by stack.
    weights: Vec<Vec<i64>>,
    /// By stack: samples that found it, and calls of its top that began on it.
    samples: Vec<u64>,
    calls: Vec<u64>,
}

impl LineStacks {
    pub fn new(values: usize) -> LineStacks {
        LineStacks {
            rows: Vec::new(),
            ids: HashMap::new(),
            weights: vec![Vec::new(); values],
            samples: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The stack that has `place` on top of `below`. O(1). `below` where there are as many as can be numbered.
    pub fn push(&mut self, below: LineStackId, place: PlaceId) -> LineStackId {
        let row = Row {
            below: below.0,
            place,
        };
        if let Some(&known) = self.ids.get(&row) {
            return LineStackId(known);
        }
        if self.rows.len() >= u32::MAX as usize - 1 {
            return below;
        }
        self.rows.push(row);
        for column in &mut self.weights {
            column.push(0);
        }
        self.samples.push(0);
        self.calls.push(0);
        let id = self.rows.len() as u32;
        self.ids.insert(row, id);
        LineStackId(id)
    }

    /// Adds to what weighs of `value` while this is the whole stack.
    pub fn add(&mut self, stack: LineStackId, value: usize, weight: impl Into<i128>) {
        if let Some(sum) = at(self.weights.get_mut(value), stack) {
            *sum = sum.saturating_add(fitting(weight));
        }
    }

    /// Adds samples that found this stack.
    pub fn add_samples(&mut self, stack: LineStackId, samples: u64) {
        if let Some(sum) = at(Some(&mut self.samples), stack) {
            *sum = sum.saturating_add(samples);
        }
    }

    /// Adds calls of the function on top that were made from the place below it.
    pub fn add_calls(&mut self, stack: LineStackId, calls: u64) {
        if let Some(sum) = at(Some(&mut self.calls), stack) {
            *sum = sum.saturating_add(calls);
        }
    }

    /// Adds everything to the places, and to the calls between them. O(stacks), without recursion however deep they are.
    pub fn finish(mut self, lines: &mut LinesBuilder) {
        self.ids = HashMap::new();
        let mut totals = self.weights.clone();
        for (index, row) in self.rows.iter().enumerate().rev() {
            let Some(below) = row.below.checked_sub(1) else {
                continue;
            };
            for column in &mut totals {
                column[below as usize] = column[below as usize].saturating_add(column[index]);
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            for (value, column) in self.weights.iter().enumerate() {
                lines.add(row.place, value, column[index]);
            }
            lines.add_samples(row.place, self.samples[index]);
            if let Some(below) = row.below.checked_sub(1) {
                let callee = lines.place_of(row.place).function();
                let weights = totals.iter().enumerate();
                let weights = weights.map(|(value, column)| (value, column[index]));
                let from = self.rows[below as usize].place;
                lines.add_calls(from, callee, self.calls[index], weights);
            }
        }
        if lines.has_call_sites() {
            lines.take_call_sites(self.by_call_site(lines));
        }
        outermost(&self.rows, |index| {
            for (value, column) in totals.iter().enumerate() {
                lines.add_total(self.rows[index].place, value, column[index]);
            }
        });
    }

    /// The stacks as contexts by call site: of a place that is not on top only the call that it makes counts. Left out is what
    /// weighs nothing and was never called. O(stacks × values).
    fn by_call_site(&self, lines: &LinesBuilder) -> CallSitesBuilder {
        // By stack, the empty one first.
        let mut is_found = vec![false; self.rows.len() + 1];
        for (index, row) in self.rows.iter().enumerate().rev() {
            let weighs = self.weights.iter().any(|it| it[index] != 0);
            is_found[index + 1] |= weighs || self.calls[index] > 0;
            is_found[row.below as usize] |= is_found[index + 1];
        }
        let mut contexts = CallSitesBuilder::new(self.weights.len());
        let mut of = vec![ContextColumns::OUTERMOST; is_found.len()];
        for (index, row) in self.rows.iter().enumerate() {
            if !is_found[index + 1] {
                continue;
            }
            let below = row.below.checked_sub(1);
            let site = below.map(|below| self.rows[below as usize].place);
            let function = lines.place_of(row.place).function();
            let context = contexts.child(of[row.below as usize], function, site);
            of[index + 1] = context;
            let weights = self.weights.iter().map(|it| it[index]);
            contexts.add(context, weights, self.calls[index]);
        }
        contexts
    }
}

/// The entry of a stack in a column; the empty stack has none.
fn at<T>(column: Option<&mut Vec<T>>, stack: LineStackId) -> Option<&mut T> {
    column?.get_mut(stack.index().checked_sub(1)?)
}

/// Hands the stacks to `take` whose place does not lie below them too. O(stacks).
fn outermost(rows: &[Row], mut take: impl FnMut(usize)) {
    const NONE: u32 = u32::MAX;
    // The last stack on top of each, which comes first, and by stack the next one beside it.
    let mut first = vec![NONE; rows.len() + 1];
    let mut beside = vec![NONE; rows.len()];
    for (index, row) in rows.iter().enumerate() {
        beside[index] = std::mem::replace(&mut first[row.below as usize], index as u32);
    }
    let places = rows.iter().map(|row| row.place.index() + 1).max();
    let mut open = vec![0_u32; places.unwrap_or(0)];
    let mut path: Vec<u32> = Vec::new();
    let mut at = first[0];
    loop {
        while at != NONE {
            let place = rows[at as usize].place.index();
            if open[place] == 0 {
                take(at as usize);
            }
            open[place] += 1;
            path.push(at);
            at = first[at as usize + 1];
        }
        let Some(last) = path.pop() else {
            return;
        };
        open[rows[last as usize].place.index()] -= 1;
        at = beside[last as usize];
    }
}
