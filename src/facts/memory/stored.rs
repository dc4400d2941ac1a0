//! All that is known of memory as bytes, for the index file.
//!
//! A length, a header as JSON, then the tables of numbers, each at a multiple of eight bytes.

use std::ops::Range;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

use super::events::Events;
use super::packed::Packed;
use super::sums::{Instant, Sums};
use super::{Allocations, Cell, Counter, Detail, Frame, Known, Memory, Stacks};
use crate::trace::storage::{Bytes, Table};
use callscape_base::units::{Time, Unit};

/// What is small.
#[derive(Serialize, Deserialize)]
struct Header {
    detail: Detail,
    /// What times count; none for nanoseconds.
    clock: Option<String>,
    types: Vec<String>,
    types_are_classes: bool,
    counters: Vec<Counter>,
    end: u64,
    ages_inferred: bool,
    sizes_known: bool,
    /// None where there are events with releases.
    instants: Option<Vec<Instant>>,
    /// Whether there are events, though none of them is a release.
    of_allocations: bool,
    peak: Option<(u64, u64)>,
    events: usize,
    like_heaptrack: bool,
    /// Of the tables, in bytes.
    lengths: Vec<usize>,
}

impl Memory {
    /// The bytes, a multiple of eight of them.
    pub(crate) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let peak_of = |events: &Events| {
            let (bytes, position) = events.peak;
            Some((bytes, u64::from(position)))
        };
        let (events, instants, peak) = match &self.known {
            Known::Events(events) => (events, None, peak_of(events)),
            Known::Allocations(Allocations { events, survivors }) => {
                (events, Some(survivors.clone()), peak_of(events))
            }
            Known::Sums(sums) => {
                static NONE: std::sync::LazyLock<Events> =
                    std::sync::LazyLock::new(Events::default);
                let peak = sums.peak.map(|(bytes, time)| (bytes, time.ns()));
                (&*NONE, Some(sums.instants.clone()), peak)
            }
        };
        fn bytes<T: Pod>(rows: &[T]) -> &[u8] {
            bytemuck::cast_slice(rows)
        }
        let mut tables: Vec<&[u8]> = vec![bytes(&self.stacks.frames), bytes(self.cells())];
        for column in [
            &events.times,
            &events.sites,
            &events.others,
            &events.threads,
        ] {
            tables.push(bytes(&column.heads));
            tables.push(bytes(&column.words));
        }
        tables.push(bytes(&events.site_rows));
        tables.push(bytes(&events.checkpoints));
        tables.push(bytes(&events.checkpoint_cells));
        tables.push(bytes(&events.curve));
        let header = serde_json::to_vec(&Header {
            detail: self.detail,
            clock: match &self.clock {
                Unit::Nanoseconds => None,
                other => Some(other.name().into_owned()),
            },
            types: self.types.clone(),
            types_are_classes: self.types_are_classes,
            counters: self.counters.clone(),
            end: self.end.ns(),
            ages_inferred: self.ages_inferred,
            sizes_known: self.sizes_known,
            instants,
            of_allocations: matches!(self.known, Known::Allocations(_)),
            peak,
            events: events.times.len,
            like_heaptrack: events.like_heaptrack,
            lengths: tables.iter().map(|table| table.len()).collect(),
        })?;
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        for part in std::iter::once(header.as_slice()).chain(tables) {
            out.extend_from_slice(part);
            out.resize(out.len().next_multiple_of(8), 0);
        }
        Ok(out)
    }

    /// What lies in `range` of `bytes`; none where it does not belong together.
    pub(crate) fn from_bytes(bytes: &Bytes, range: Range<usize>) -> Option<Memory> {
        let length = bytes.get(range.clone())?.first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let start = range.start.checked_add(size_of::<u64>())?;
        let end = start.checked_add(length).filter(|&end| end <= range.end)?;
        let header: Header = serde_json::from_slice(bytes.get(start..end)?).ok()?;
        let mut tables = Tables {
            bytes,
            at: end.checked_next_multiple_of(8)?,
            end: range.end,
            lengths: header.lengths.iter(),
        };
        let frames: Vec<Frame> = tables.next::<Frame>()?.to_vec();
        // Around the first there is nothing; around every other stands one before it.
        let is_tree = |(i, frame): (usize, &Frame)| (frame.parent as usize) < i.max(1);
        if frames.is_empty() || !frames.iter().enumerate().all(is_tree) {
            return None;
        }
        let cells = tables.next::<Cell>()?;
        let mut column = || {
            Some(Packed {
                heads: tables.next()?,
                words: tables.next()?,
                len: header.events,
            })
        };
        let (times, sites, others, threads) = (column()?, column()?, column()?, column()?);
        let site_rows = tables.next()?;
        let (checkpoints, checkpoint_cells) = (tables.next()?, tables.next()?);
        let curve = tables.next()?;
        let known = match header.instants {
            Some(instants) if !header.of_allocations => Known::Sums(Sums {
                cells: cells.to_vec(),
                instants,
                peak: header.peak.map(|(bytes, at)| (bytes, Time::from_ns(at))),
            }),
            survivors => {
                let (bytes, position) = header.peak?;
                let events = Events {
                    times,
                    sites,
                    others,
                    threads,
                    site_rows,
                    cells,
                    checkpoints,
                    checkpoint_cells,
                    curve,
                    peak: (bytes, u32::try_from(position).ok()?),
                    like_heaptrack: header.like_heaptrack,
                };
                match survivors {
                    None => Known::Events(events),
                    Some(survivors) => Known::Allocations(Allocations { events, survivors }),
                }
            }
        };
        Some(Memory {
            detail: header.detail,
            clock: header.clock.map_or(Unit::Nanoseconds, Unit::Things),
            stacks: Stacks { frames },
            types: header.types,
            types_are_classes: header.types_are_classes,
            known,
            sizes_known: header.sizes_known,
            counters: header.counters,
            end: Time::from_ns(header.end),
            ages_inferred: header.ages_inferred,
        })
    }
}

/// Tables one after the other.
struct Tables<'a> {
    bytes: &'a Bytes,
    at: usize,
    end: usize,
    lengths: std::slice::Iter<'a, usize>,
}

impl Tables<'_> {
    fn next<T: Pod>(&mut self) -> Option<Table<T>> {
        let length = *self.lengths.next()?;
        let end = self.at.checked_add(length).filter(|&end| end <= self.end)?;
        let table = Table::part(self.bytes, self.at..end)?;
        self.at = end.checked_next_multiple_of(8)?;
        Some(table)
    }
}
