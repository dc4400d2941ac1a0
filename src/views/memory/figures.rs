//! The figures of the rows: objects by age at the time shown, and of the whole run when they were allocated and how old
//! they got.
//!
//! After AVID ("Visualizing dynamic software system information through high-level models"), sections 2.1 and 2.2.

use std::time::Duration;

use super::choice::Tenths;
use super::groups::Groups;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, Time};
use callscape_facts::all_events::AllEvents;
use callscape_facts::memory::{AgeBin, Events, INTERVALS, Pattern, State};
use callscape_state::playback::Playback;

/// Objects of all groups by age, at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ages {
    /// Positions: the instant, then the ends of the cels before it.
    pub edges: Vec<u32>,
    /// By group, as many as there are edges.
    pub bins: Vec<AgeBin>,
    /// Of those released, how many were in this cel.
    pub just_released: Vec<u32>,
}

impl Ages {
    /// Counts. O(cells + events of the cels).
    pub(super) fn new(events: &Events, edges: Vec<u32>, groups: &Groups, now: &State) -> Ages {
        let count = groups.all.len() * edges.len();
        let mut ages = Ages {
            bins: vec![AgeBin::default(); count],
            just_released: vec![0; count],
            edges,
        };
        events.ages(&ages.edges, &groups.of, now, &mut ages.bins);
        events.just_released(&ages.edges, &groups.of, &mut ages.just_released);
        ages
    }

    /// The bins of a group.
    pub(super) fn of(&self, group: u32) -> &[AgeBin] {
        let start = group as usize * self.edges.len();
        let range = start..start + self.edges.len();
        self.bins.get(range).unwrap_or_default()
    }

    /// How many of each bin were released in this cel.
    pub(super) fn just_released(&self, group: u32) -> &[u32] {
        let start = group as usize * self.edges.len();
        let range = start..start + self.edges.len();
        self.just_released.get(range).unwrap_or_default()
    }

    /// The positions between which the objects of a bin were created.
    pub(super) fn created(&self, bin: usize) -> (u32, u32) {
        let to = self.edges.get(bin).copied().unwrap_or_default();
        let from = self.edges.get(bin + 1).copied().unwrap_or_default();
        (from, to)
    }
}

/// The ends of the cel shown and of those before it, as positions, so many of them.
pub(super) fn edges(
    playback: &Playback,
    all: AllEvents<'_>,
    events: &Events,
    count: usize,
) -> Vec<u32> {
    let mut clock = playback.clone();
    clock.pause();
    clock.limit(None, all);
    let mut edges = vec![events.instant(clock.time())];
    while edges.len() < count.max(2) {
        let start = clock.cel(all).start;
        // What happens at the very start belongs to the first cel.
        edges.push(match start {
            Time::ZERO => 0,
            start => events.position(start),
        });
        clock.seek(start, Duration::ZERO, all);
    }
    edges
}

/// Of the whole run, for all groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Patterns {
    /// The first position of each interval, and the end of the last.
    pub edges: [u32; INTERVALS + 1],
    /// By group, how many objects were created in each interval.
    pub created: Vec<Pattern>,
    /// By group, how many objects were released at which age; in the last bin those never released.
    pub released: Vec<Pattern>,
    /// The greatest age at which one was released: nine bins of equal length lead up to it.
    pub oldest: Cost,
}

impl Patterns {
    /// Counts. O(events).
    pub(super) fn find(
        (all, events): (AllEvents<'_>, &Events),
        tenths: Tenths,
        groups: &Groups,
        progress: &Progress,
    ) -> Result<Patterns, Cancelled> {
        progress.start("looking at the whole run", 0);
        let edges = match tenths {
            Tenths::Events => all.tenths(),
            Tenths::Time => events.tenths_of_time(all.trace.duration()),
        };
        let mut created = vec![Pattern::default(); groups.all.len()];
        let mut released = created.clone();
        events.allocation_pattern(&edges, &groups.of, &mut created, progress)?;
        let oldest = events.release_ages(&groups.of, &mut released, progress)?;
        Ok(Patterns {
            edges,
            created,
            released,
            oldest,
        })
    }
}
