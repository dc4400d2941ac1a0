//! Recordings that know sums at a few instants, and nothing between these.

use super::choice::Mode;
use super::groups::{self, Groups};
use super::view::{MemoryView, RowsOf};
use callscape_facts::memory::{Instant, Known, Memory, Sums};

/// What is known where there are no events.
pub(super) fn sums_of(memory: &Memory) -> Option<&Sums> {
    match &memory.known {
        Known::Sums(sums) => Some(sums),
        Known::Events(_) | Known::Allocations(_) => None,
    }
}

impl MemoryView {
    /// The number of the instant shown: the one chosen, else the last that tells who.
    pub(super) fn instant(&self, sums: &Sums) -> Option<usize> {
        let tells = |it: &Instant| !it.cells.is_empty();
        let chosen = self.instant.filter(|&it| it < sums.instants.len());
        chosen.or_else(|| sums.instants.iter().rposition(tells))
    }

    /// Shows the next instant that tells who, or the one before; stays where there is none.
    pub(super) fn step_instant(&mut self, sums: &Sums, forward: bool) {
        let at = self.instant(sums).unwrap_or_default();
        let tells = |it: &usize| {
            sums.instants
                .get(*it)
                .is_some_and(|it| !it.cells.is_empty())
        };
        let found = match forward {
            true => (at + 1..sums.instants.len()).find(tells),
            false => (0..at).rev().find(tells),
        };
        self.instant = found.or(Some(at));
    }

    /// Brings the rows up to the instant shown.
    pub(super) fn update_sums(&mut self, memory: &Memory) {
        let Some(sums) = sums_of(memory).filter(|_| self.has_groups()) else {
            return;
        };
        let instant = self.instant(sums);
        let wanted = RowsOf {
            groups: self.groups_number,
            mode: Mode::Live,
            sort: self.choice.sort,
            position: 0,
            since: 0,
            range: (0, 0),
            instant: instant.unwrap_or_default(),
            has_temporary: false,
            has_outcomes: false,
        };
        if self.rows_of.as_ref() == Some(&wanted) {
            return;
        }
        let cells = instant.and_then(|it| sums.instants.get(it));
        let cells = cells.map_or(&[][..], |it| &it.cells);
        self.rows = match cells.is_empty() {
            true => Vec::new(),
            false => groups::rows_of_sums(cells, &self.groups),
        };
        groups::arrange(&mut self.rows, &self.groups, Mode::Live, self.choice.sort);
        self.rows_of = Some(wanted);
    }

    /// Which of the sums are known of any row.
    pub(super) fn known_of(groups: &Groups, sums: &Sums, instant: usize) -> [bool; 4] {
        let cells = sums.instants.get(instant).map_or(&[][..], |it| &it.cells);
        debug_assert!(cells.len() <= groups.of.len());
        let any = |known: fn(&callscape_facts::memory::SumRow) -> bool| cells.iter().any(known);
        [
            any(|it| it.allocations.is_some()),
            any(|it| it.allocated.is_some()),
            any(|it| it.live.is_some()),
            any(|it| it.live_bytes.is_some()),
        ]
    }
}

/// What of memory is known there, and what cannot be answered, in words.
pub(super) fn explanation(sums: &Sums, known: [bool; 4]) -> String {
    let names = [
        "allocations",
        "bytes allocated",
        "live objects",
        "live bytes",
    ];
    let with = |is_known: bool| -> Vec<&str> {
        let pairs = names.iter().zip(known);
        pairs
            .filter(|it| it.1 == is_known)
            .map(|it| *it.0)
            .collect()
    };
    let instants = sums.instants.len();
    let telling = sums
        .instants
        .iter()
        .filter(|it| !it.cells.is_empty())
        .count();
    let at = match (instants, telling) {
        (1, _) => "at one instant".to_owned(),
        (all, telling) if all == telling => format!("at {all} instants, all of which tell who"),
        (all, telling) => format!("at {all} instants, of which {telling} tell who"),
    };
    let mut text = format!("Sums {at}: {}.", with(true).join(", "));
    let missing = with(false);
    if !missing.is_empty() {
        text.push_str(&format!(" Not recorded: {}.", missing.join(", ")));
    }
    text.push_str(
        " What happened between instants, ages, single objects, objects left of a range and what was temporary cannot be \
         answered from sums.",
    );
    text
}
