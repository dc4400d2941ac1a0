//! The definitions, evaluated directly over a list of events.

use std::collections::HashMap;

use super::{Cell, CellTotals};

/// What happened, in order.
#[derive(Clone, Copy, Debug)]
pub struct RawEvent {
    pub time: u64,
    /// Who created the object.
    pub cell: Cell,
    pub size: u64,
    /// The number of the object among all.
    pub object: u32,
    pub is_release: bool,
}

/// The sums of all cells after the first so many events.
pub fn sums(events: &[RawEvent], position: usize) -> HashMap<Cell, CellTotals> {
    let mut sums: HashMap<Cell, CellTotals> = HashMap::new();
    for event in &events[..position] {
        let of = sums.entry(event.cell).or_default();
        if event.is_release {
            of.releases += 1;
            of.released += event.size;
        } else {
            of.allocations += 1;
            of.allocated += event.size;
        }
    }
    sums
}

/// Living and released objects of a cell by age at a position; `edges` as [`super::Events::ages`] takes them.
pub fn ages(events: &[RawEvent], edges: &[u32], cell: Cell) -> Vec<(u32, u32)> {
    let at = edges[0] as usize;
    let mut bins = vec![(0, 0); edges.len()];
    for (number, event) in events[..at].iter().enumerate() {
        if event.is_release || event.cell != cell {
            continue;
        }
        let is_gone = |other: &RawEvent| other.is_release && other.object == event.object;
        let bin = edges[1..].iter().position(|&edge| number >= edge as usize);
        let bin = &mut bins[bin.unwrap_or(edges.len() - 1)];
        match events[..at].iter().any(is_gone) {
            true => bin.1 += 1,
            false => bin.0 += 1,
        }
    }
    bins
}

/// The most bytes that lived at once, and after how many events first.
pub fn peak(events: &[RawEvent]) -> (u64, usize) {
    let (mut live, mut peak) = (0, (0, 0));
    for (number, event) in events.iter().enumerate() {
        match event.is_release {
            true => live -= event.size,
            false => live += event.size,
        }
        if live > peak.0 {
            peak = (live, number + 1);
        }
    }
    peak
}
