//! What a recording says of memory, by module.

use std::sync::{Arc, OnceLock};

use crate::memory::{self, BelongsTo};
use crate::metric::Metric;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, ModuleId};
use callscape_facts::memory::{CellTotals, Detail, Events, Known, Memory, SumRow};
use callscape_facts::recording::Recording;

/// What a recording says of memory: sums over all modules before one, as of calls; none of what it does not tell.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryColumns {
    live_bytes: Option<Vec<u64>>,
    live: Option<Vec<u64>>,
    allocations: Option<Vec<u64>>,
    /// What is soon released takes a look at every event: only who asks for it waits for that.
    churn: OnceLock<Vec<u64>>,
    /// The recording with events and the owners of its cells; none where what lives is not known at every time.
    events_of: Option<(Arc<Recording>, Vec<Option<ModuleId>>)>,
}

/// What does not outlive this part of the run is soon released.
const SOON: u64 = 300;

impl MemoryColumns {
    /// Nothing where counters alone are known. O(stacks + modules + events to the nearest checkpoint).
    pub(crate) fn new(session: &Session, resolved: &Resolved, memory: &Memory) -> MemoryColumns {
        if memory.detail == Detail::Counters {
            return MemoryColumns::default();
        }
        let owners = memory::owners(session, resolved, memory, BelongsTo::default());
        let modules = session.hierarchy.len();
        let column =
            |values: &dyn Fn(usize) -> Option<u64>| sums_by_module(&owners, modules, values);
        // Of sums by cell at one instant.
        let of_rows = |rows: &[SumRow]| {
            let of = |cell: usize| rows.get(cell);
            MemoryColumns {
                live_bytes: column(&|cell| of(cell)?.live_bytes),
                live: column(&|cell| of(cell)?.live),
                allocations: column(&|cell| of(cell)?.allocations),
                churn: OnceLock::new(),
                events_of: None,
            }
        };
        match &memory.known {
            Known::Events(events) => {
                let peak = events.state(events.peak_position());
                let peak = |cell: usize| peak.cells().get(cell);
                let end = events.state(events.end());
                let end = |cell: usize| end.cells().get(cell);
                let bytes = |cell: usize| peak(cell).map(CellTotals::live_bytes);
                MemoryColumns {
                    live_bytes: column(&bytes).filter(|_| memory.sizes_known),
                    live: column(&|cell| peak(cell).map(|it| u64::from(it.live()))),
                    allocations: column(&|cell| end(cell).map(|it| u64::from(it.allocations))),
                    churn: OnceLock::new(),
                    events_of: Some((Arc::clone(&resolved.recording), owners)),
                }
            }
            Known::Allocations(allocations) => of_rows(&allocations.last()),
            Known::Sums(sums) => of_rows(sums.last()),
        }
    }

    /// Whether there are values of a metric. O(1).
    pub(crate) fn knows(&self, metric: Metric) -> bool {
        match metric {
            Metric::Churn => self.events_of.is_some(),
            _ => self.of(metric).is_some(),
        }
    }

    /// The sums of a metric; none where it is not known.
    pub(crate) fn of(&self, metric: Metric) -> Option<&Vec<u64>> {
        match metric {
            Metric::LiveBytes => self.live_bytes.as_ref(),
            Metric::LiveObjects => self.live.as_ref(),
            Metric::Allocations => self.allocations.as_ref(),
            Metric::Churn => self.churn(),
            _ => None,
        }
    }

    /// Whether what lives is known at every time.
    pub(crate) fn plays(&self) -> bool {
        self.events_of.is_some()
    }

    /// O(events) the first time.
    fn churn(&self) -> Option<&Vec<u64>> {
        let (recording, owners) = self.events_of.as_ref()?;
        let memory = recording.memory.as_ref()?;
        let events = memory.events()?;
        let modules = self.live.as_ref()?.len() - 1;
        Some(self.churn.get_or_init(|| {
            let counts = soon_released(events, memory.duration());
            let sums = sums_by_module(owners, modules, &|cell| counts.get(cell).copied());
            sums.unwrap_or_default()
        }))
    }
}

/// Sums over all modules before one of what cells have; none where one is not known.
fn sums_by_module(
    owners: &[Option<ModuleId>],
    modules: usize,
    values: &dyn Fn(usize) -> Option<u64>,
) -> Option<Vec<u64>> {
    let mut sums = vec![0_u64; modules + 1];
    for (cell, owner) in owners.iter().enumerate() {
        let value = values(cell)?;
        if let Some(sum) = owner.and_then(|owner| sums.get_mut(owner.index() + 1)) {
            *sum = sum.saturating_add(value);
        }
    }
    for index in 1..sums.len() {
        sums[index] = sums[index].saturating_add(sums[index - 1]);
    }
    Some(sums)
}

/// By cell, how many objects were released within a [`SOON`]th of a run. O(events).
fn soon_released(events: &Events, duration: Cost) -> Vec<u64> {
    let soon = Cost::from_ns(duration.ns() / SOON);
    let mut counts = vec![0; events.cells().len()];
    for event in (0..events.end()).filter(|&event| events.is_release(event)) {
        let Some(object) = events.object(event) else {
            continue;
        };
        let lived = object.release.map(|release| release.since(object.creation));
        if lived.is_some_and(|lived| lived <= soon)
            && let Some(count) = counts.get_mut(object.cell as usize)
        {
            *count += 1;
        }
    }
    counts
}
