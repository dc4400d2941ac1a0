//! What a recording knows of an instant, and what it refuses to be asked.

use std::borrow::Cow;

use anyhow::bail;

use super::args::ObjectsArgs;
use crate::progress::with_progress;
use callscape_base::units::{Cost, Time, TimeSpec};
use callscape_facts::memory::{Allocations, Detail, Events, Instant, Known, Memory, SumRow, Sums};
use callscape_facts::recording::Recording;

/// What is known of an instant.
pub struct Answer<'a> {
    pub at: Time,
    /// By cell.
    pub rows: Cow<'a, [SumRow]>,
    pub whole: SumRow,
    pub temporary: Option<u64>,
    /// The most that lived, bytes or where sizes are not known objects, and when.
    pub peak: Option<(u64, Time)>,
}

impl Answer<'_> {
    /// What the arguments ask for, or why that cannot be told.
    pub fn find<'a>(
        args: &ObjectsArgs,
        recording: &Recording,
        memory: &'a Memory,
    ) -> anyhow::Result<Answer<'a>> {
        if memory.detail == Detail::Counters {
            let names = memory.counters.iter().map(|it| it.name.as_str());
            bail!(
                "{}: it holds no allocations, only what was measured from time to time: {}",
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

    /// Leaves out what are no bytes.
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

/// What is asked, and of what.
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

    /// The positions that the range asked for lies between.
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
                peak,
            });
        }
        let (rows, temporary) = created_in(events, self.range(events)?, position)?;
        Ok(Answer {
            at,
            whole: sum(&rows),
            rows: rows.into(),
            temporary: Some(temporary),
            peak,
        })
    }

    /// What was allocated is known of any time, what lived of an instant at which that was looked for.
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
            peak: None,
        })
    }

    fn of_sums<'a>(&self, sums: &'a Sums) -> anyhow::Result<Answer<'a>> {
        let name = &self.name;
        if self.has_range() {
            bail!(
                "{name}: it holds sums and no events, so nothing is known of what was allocated in a range"
            );
        }
        let known = sums.instants.iter().filter(|it| !it.cells.is_empty());
        let found = match self.args.at {
            None => sums.instants.last(),
            Some(at) => sums.at(self.resolve(at)),
        };
        let Some(instant) = found else {
            bail!(
                "{name}: it holds sums at a few instants and nothing between them; those with objects are {}",
                times(known)
            );
        };
        Ok(Answer {
            at: instant.time(),
            rows: Cow::Borrowed(&instant.cells),
            whole: instant.whole,
            temporary: None,
            peak: sums.peak,
        })
    }
}

/// By cell what was created between two positions, and what of it lives at a third; and how much was temporary.
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

/// Why what lives at an instant is not known where there are no releases.
fn no_releases(survivors: &[Instant]) -> String {
    let reason = "it holds allocations and no releases, so what lives at an instant is not known; --from and --to tell \
                  what was allocated between them";
    match survivors {
        [] => reason.to_owned(),
        _ => format!(
            "{reason}, and what of it lived was looked for at {}",
            times(survivors.iter())
        ),
    }
}

/// Instants as `--at` takes them.
fn times<'a>(instants: impl Iterator<Item = &'a Instant>) -> String {
    let times: Vec<String> = instants.map(|it| it.time.to_string()).collect();
    times.join(", ")
}
