//! What is known of the memory of a recording.

use std::io::{self, Write};

use serde::Serialize;

use callscape_base::escape;
use callscape_base::units::{Cost, Time, Unit, counted};
use callscape_facts::memory::{Detail, Known, Memory};

/// How much is known of memory, and how many events or instants there are.
#[derive(Serialize)]
pub(super) struct MemoryKnown<'a> {
    /// Every event, samples, snapshots, or only counters.
    detail: Detail,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instants: Option<usize>,
    /// Whether releases are recorded; otherwise live objects are known only at the snapshots.
    releases_known: bool,
    sizes_known: bool,
    peak_bytes: Option<u64>,
    duration: Time,
    /// What times count.
    clock: Unit,
    /// Which of several objects of a size and stack was released is not in the recording.
    ages_inferred: bool,
    /// Names of the counters.
    counters: Vec<&'a str>,
}

impl<'a> From<&'a Memory> for MemoryKnown<'a> {
    fn from(memory: &'a Memory) -> MemoryKnown<'a> {
        let has_objects = memory.detail != Detail::Counters;
        let (events, instants, peak) = match &memory.known {
            Known::Events(events) => (Some(events.end()), None, Some(events.peak())),
            Known::Allocations(allocations) => {
                let lived = Some(allocations.survivors.len()).filter(|&it| it > 0);
                (Some(allocations.events.end()), lived, None)
            }
            Known::Sums(sums) => (None, Some(sums.instants.len()), sums.peak),
        };
        let peak = peak.filter(|_| memory.sizes_known && has_objects);
        MemoryKnown {
            detail: memory.detail,
            events: events.filter(|_| has_objects),
            instants,
            releases_known: has_objects && memory.events().is_some(),
            sizes_known: memory.sizes_known,
            peak_bytes: peak.map(|(bytes, _)| bytes),
            duration: memory.end,
            clock: memory.clock.clone(),
            ages_inferred: memory.ages_inferred,
            counters: memory.counters.iter().map(|it| it.name.as_str()).collect(),
        }
    }
}

impl MemoryKnown<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let what = match (self.detail, self.events, self.instants) {
            (Detail::Counters, ..) => "only counters".to_owned(),
            (Detail::Events, Some(events), _) => format!("every event: {events}"),
            (Detail::Samples, Some(events), lived) if !self.releases_known => {
                let lived = match lived {
                    None => "no live objects",
                    Some(1) => "samples of live objects at one instant",
                    Some(_) => "samples of live objects at a few instants",
                };
                format!("samples of allocations: {events}, no releases, {lived}")
            }
            (Detail::Samples, Some(events), _) => {
                format!("samples: {}", counted(u64::from(events), "event", "events"))
            }
            (Detail::Samples, None, _) => "samples of what lives at the end".to_owned(),
            (_, _, Some(instants)) => {
                format!(
                    "sums at {}",
                    counted(instants as u64, "instant", "instants")
                )
            }
            _ => "nothing".to_owned(),
        };
        let peak = self
            .peak_bytes
            .map(|it| Unit::Bytes.show(Cost::from_ns(it)));
        let peak = peak.map_or(String::new(), |it| format!(", peak {it}"));
        let sizes = match self.sizes_known {
            true => "",
            false => ", sizes not recorded",
        };
        let ages = match self.ages_inferred {
            true => ", ages inferred",
            false => "",
        };
        writeln!(out, "memory     {what}{peak}{sizes}{ages}")?;
        if self.counters.is_empty() {
            return Ok(());
        }
        let names = self.counters.join(", ");
        writeln!(out, "measured   {}", escape::name(&names))
    }
}
