//! What a recording knows of an instant, and what it refuses to be asked.

use std::borrow::Cow;

use anyhow::bail;

use super::args::ObjectsArgs;
use crate::progress::with_progress;
use callscape_base::units::{Cost, Time, TimeSpec};
use callscape_facts::memory::{Allocations, Detail, Events, Instant, Known, Memory, SumRow, Sums};
use callscape_facts::recording::Recording;

/// Objects at an instant.
pub(super) struct Answer<'a> {
    pub at: Time,
    /// By cell.
    pub rows: Cow<'a, [SumRow]>,
    pub whole: SumRow,
    pub temporary: Option<u64>,
    /// Positions between which objects were created, and that of the instant; none if releases are not recorded.
    pub within: Option<((u32, u32), u32)>,
    /// Peak of live bytes, or of live objects if sizes are unknown, and its time.
    pub peak: Option<(u64, Time)>,
}

impl Answer<'_> {
    /// Objects for the arguments, or why they are not available.
    pub(super) fn find<'a>(
        args: &ObjectsArgs,
        recording: &Recording,
        memory: &'a Memory,
    ) -> anyhow::Result<Answer<'a>> {
        if memory.detail == Detail::Counters {
            let names = memory.counters.iter().map(|it| it.name.as_str());
            bail!(
                "{}: contains no allocations, only these counters: {}",
                recording.name(),
                names.collect::<Vec<_>>().join(", ")
            );
        }
        let asked = Asked {
            args,
            name: recording.name(),
            duration: memory.duration().max(recording.trace.duration()),
        };
        let mut answer = match &memory.known {
            Known::Events(events) => asked.of_events(events)?,
            Known::Allocations(allocations) => asked.of_allocations(allocations)?,
            Known::Sums(sums) => asked.of_sums(sums)?,
        };
        if !memory.sizes_known {
            answer.forget_sizes();
        }
        Ok(answer)
    }

    /// Removes byte counts, which are unknown.
    fn forget_sizes(&mut self) {
        let without = |row: &SumRow| SumRow {
            allocated: None,
            live_bytes: None,
            ..*row
        };
        self.rows = self.rows.iter().map(without).collect();
        self.whole = without(&self.whole);
    }
}

/// A request and its recording.
struct Asked<'a> {
    args: &'a ObjectsArgs,
    name: String,
    /// The duration that shares of times are of.
    duration: Cost,
}

impl Asked<'_> {
    fn resolve(&self, time: TimeSpec) -> Time {
        time.resolve(self.duration)
    }

    /// The instant asked for, the end by default.
    fn at(&self) -> Time {
        let end = Time::ZERO + self.duration;
        self.args.at.map_or(end, |at| self.resolve(at))
    }

    fn has_range(&self) -> bool {
        self.args.from.is_some() || self.args.to.is_some()
    }

    /// Positions of the requested range.
    fn range(&self, events: &Events) -> anyhow::Result<(u32, u32)> {
        let at = self.at();
        let from = self.args.from.map_or(Time::ZERO, |it| self.resolve(it));
        let to = self.args.to.map_or(at, |it| self.resolve(it));
        if from > to || to > at {
            bail!("expected --from before --to, and that before --at; found {from}, {to} and {at}");
        }
        let before = from.ns().checked_sub(1);
        let first = before.map_or(0, |before| events.position(Time::from_ns(before)));
        let last = match self.args.to.is_none() && self.args.at.is_some() {
            true => events.instant(to),
            false => events.position(to),
        };
        Ok((first, last))
    }

    fn of_events(&self, events: &Events) -> anyhow::Result<Answer<'static>> {
        let at = self.at();
        let position = match self.args.at {
            Some(_) => events.instant(at),
            None => events.position(at),
        };
        let peak = Some(events.peak());
        if !self.has_range() {
            let state = events.state(position);
            let totals = events.totals(position);
            return Ok(Answer {
                at,
                rows: state.cells().iter().map(SumRow::of).collect(),
                whole: SumRow {
                    allocations: Some(totals.allocations),
                    allocated: Some(totals.allocated),
                    live: Some(totals.live()),
                    live_bytes: Some(totals.live_bytes()),
                },
                temporary: Some(totals.temporary),
                within: Some(((0, position), position)),
                peak,
            });
        }
        let range = self.range(events)?;
        let (rows, temporary) = created_in(events, range, position)?;
        Ok(Answer {
            at,
            whole: sum(&rows),
            rows: rows.into(),
            temporary: Some(temporary),
            within: Some((range, position)),
            peak,
        })
    }

    /// Allocations are known at any time, live objects only at the snapshots.
    fn of_allocations(&self, allocations: &Allocations) -> anyhow::Result<Answer<'static>> {
        let Allocations { events, survivors } = allocations;
        let at = self.at();
        if self.has_range() {
            let (mut rows, _) = created_in(events, self.range(events)?, events.position(at))?;
            for row in &mut rows {
                (row.live, row.live_bytes) = (None, None);
            }
            return Ok(Answer {
                at,
                whole: sum(&rows),
                rows: rows.into(),
                temporary: None,
                within: None,
                peak: None,
            });
        }
        let instant = match self.args.at {
            None => survivors.last(),
            Some(_) => match survivors.iter().find(|it| it.time() == at) {
                None => bail!("{}: {}", self.name, no_releases(survivors)),
                found => found,
            },
        };
        let position = events.position(at);
        let totals = events.totals(position);
        let lived = instant.map_or(SumRow::default(), |it| it.whole);
        Ok(Answer {
            at,
            rows: allocations.rows(position, instant).into(),
            whole: SumRow {
                allocations: Some(totals.allocations),
                allocated: Some(totals.allocated),
                live: lived.live,
                live_bytes: lived.live_bytes,
            },
            temporary: None,
            within: None,
            peak: None,
        })
    }

    fn of_sums<'a>(&self, sums: &'a Sums) -> anyhow::Result<Answer<'a>> {
        let name = &self.name;
        if self.has_range() {
            bail!(
                "{name}: contains snapshots without events, so allocations within a range are unknown; use --at"
            );
        }
        let known = sums.instants.iter().filter(|it| !it.cells.is_empty());
        let found = match self.args.at {
            None => sums.instants.last(),
            Some(at) => sums.at(self.resolve(at)),
        };
        let Some(instant) = found else {
            bail!(
                "{name}: contains only snapshots; those with objects are at {}",
                times(known)
            );
        };
        Ok(Answer {
            at: instant.time(),
            rows: Cow::Borrowed(&instant.cells),
            whole: instant.whole,
            temporary: None,
            within: None,
            peak: sums.peak,
        })
    }
}

/// Objects by cell that were created between two positions, how many are live at a third, and how many were temporary.
fn created_in(
    events: &Events,
    range: (u32, u32),
    position: u32,
) -> anyhow::Result<(Vec<SumRow>, u64)> {
    let mut rows = vec![SumRow::NOTHING; events.cells().len()];
    let mut temporary = 0;
    with_progress(|progress| {
        events.visit(range, progress, |object| {
            let released = object.released.filter(|&it| it < position);
            temporary += u64::from(released == Some(object.created + 1));
            let lives = u64::from(released.is_none());
            if let Some(row) = rows.get_mut(object.cell as usize) {
                *row = row.plus(SumRow {
                    allocations: Some(1),
                    allocated: Some(object.size),
                    live: Some(lives),
                    live_bytes: Some(object.size * lives),
                });
            }
        })
    })??;
    Ok((rows, temporary))
}

fn sum(rows: &[SumRow]) -> SumRow {
    rows.iter().fold(SumRow::NOTHING, |sum, &row| sum.plus(row))
}

/// Explains why live objects at an instant are unknown without releases.
fn no_releases(survivors: &[Instant]) -> String {
    let reason = "contains allocations without releases, so live objects at an instant are unknown; --from and --to \
                  show the allocations between them";
    match survivors {
        [] => reason.to_owned(),
        _ => format!(
            "{reason}, and live objects were recorded at {}",
            times(survivors.iter())
        ),
    }
}

/// Instants in the notation of `--at`.
fn times<'a>(instants: impl Iterator<Item = &'a Instant>) -> String {
    let times: Vec<String> = instants.map(|it| it.time.to_string()).collect();
    times.join(", ")
}
