//! Fills the columns of events.

use std::collections::HashMap;

use super::cell_totals::CellTotals;
use super::events::{Checkpoint, Events, PIECE, Site, Totals};
use super::packed::Packer;
use super::{Cells, Counter, Detail, Known, Memory, StackId};
use crate::trace::storage::Table;
use callscape_base::units::{FunctionId, ThreadId, Time, Unit};

/// The least number of events between two checkpoints.
const LEAST_BETWEEN: u32 = 1 << 15;
/// The same for each cell: with 24 bytes a cell, checkpoints take two bytes an event.
const EVENTS_A_CELL: u32 = 12;
/// Events are numbered in 32 bits.
const MOST_EVENTS: usize = if cfg!(test) {
    1 << 18
} else {
    u32::MAX as usize - 1
};
const NONE: u32 = u32::MAX;

/// An object that lives: the event that created it, and its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Live {
    created: u32,
    site: u32,
}

/// Whether what `others` says of an event that created an object is the event of its release.
fn is_release_of(created: u32, other: u32) -> bool {
    other != NONE && other > created
}

/// Takes events in order of time. Repairs, each told to whoever hands the event over, who counts it: a time before the last one is raised to it
/// (`time-goes-back`); what would bring the sum of all bytes past 64 bits (`bytes-out-of-range`), or the number of
/// events past 32 (`too-many-events`), is left out; so is the release of what does not live (`free-without-allocation`).
pub struct MemoryBuilder {
    cells: Cells,
    types: Vec<String>,
    type_ids: HashMap<String, u32>,
    sites: Vec<Site>,
    site_ids: HashMap<(u64, u32), u32>,
    /// By site, the youngest object of it that lives.
    youngest: Vec<u32>,
    times: Packer,
    site_column: Packer,
    threads: Packer,
    /// By event: of a released object or its release, the other event; of a living one, the next older of its site, which
    /// stands before it.
    others: Vec<u32>,
    /// By event a bit, set for a release; 64 in a word.
    releases: Vec<u64>,
    last: u64,
    live: Vec<CellTotals>,
    checkpoints: Vec<Checkpoint>,
    checkpoint_cells: Vec<CellTotals>,
    checked_at: u32,
    totals: Totals,
    curve: Vec<Totals>,
    peak: (u64, u32),
    counters: Vec<Counter>,
    /// Which of several objects was released was chosen here.
    inferred: bool,
    like_heaptrack: bool,
    last_is_release: bool,
}

impl Default for MemoryBuilder {
    fn default() -> MemoryBuilder {
        MemoryBuilder::new()
    }
}

impl MemoryBuilder {
    pub fn new() -> MemoryBuilder {
        MemoryBuilder {
            cells: Cells::default(),
            types: vec![String::new()],
            type_ids: HashMap::from([(String::new(), 0)]),
            sites: Vec::new(),
            site_ids: HashMap::new(),
            youngest: Vec::new(),
            times: Packer::default(),
            site_column: Packer::default(),
            threads: Packer::default(),
            others: Vec::new(),
            releases: Vec::new(),
            last: 0,
            live: Vec::new(),
            checkpoints: Vec::new(),
            checkpoint_cells: Vec::new(),
            checked_at: 0,
            totals: Totals::default(),
            curve: Vec::new(),
            peak: (0, 0),
            counters: Vec::new(),
            inferred: false,
            like_heaptrack: false,
            last_is_release: false,
        }
    }

    /// Counts temporary objects as heaptrack does, which takes its first site for none: a release of an object of
    /// that counts as temporary also where another release stands before it.
    pub fn like_heaptrack(&mut self) {
        self.like_heaptrack = true;
    }

    /// The stack in which `function` is called from `parent`.
    pub fn stack(&mut self, parent: StackId, function: FunctionId) -> StackId {
        self.cells.stack(parent, function)
    }

    /// Forgets all events; stacks, types and sites stay. Counters and the time do too.
    pub fn start_anew(&mut self) {
        let old = std::mem::take(self);
        self.live = vec![CellTotals::default(); old.cells.len()];
        self.youngest = vec![NONE; old.sites.len()];
        self.types = old.types;
        self.type_ids = old.type_ids;
        self.cells = old.cells;
        self.sites = old.sites;
        self.site_ids = old.site_ids;
        self.counters = old.counters;
        self.last = old.last;
        self.like_heaptrack = old.like_heaptrack;
    }

    /// The number of a type's name.
    pub fn kind(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.type_ids.get(name) {
            return known;
        }
        let id = self.types.len() as u32;
        self.types.push(name.to_owned());
        self.type_ids.insert(name.to_owned(), id);
        id
    }

    /// The number of a site: objects of one size and type that one stack creates.
    pub fn site(&mut self, size: u64, stack: StackId, kind: u32) -> u32 {
        let cell = self.cells.cell(stack, kind);
        self.live.resize(self.cells.len(), CellTotals::default());
        let (sites, youngest) = (&mut self.sites, &mut self.youngest);
        *self.site_ids.entry((size, cell)).or_insert_with(|| {
            sites.push(Site {
                size,
                cell,
                reserved: 0,
            });
            youngest.push(NONE);
            sites.len() as u32 - 1
        })
    }

    /// The same, told apart from all others: for inputs that number them and name objects by these numbers.
    pub fn site_apart(&mut self, size: u64, stack: StackId, kind: u32) -> u32 {
        let cell = self.cells.cell(stack, kind);
        self.live.resize(self.cells.len(), CellTotals::default());
        self.sites.push(Site {
            size,
            cell,
            reserved: 0,
        });
        self.youngest.push(NONE);
        self.sites.len() as u32 - 1
    }

    /// How many events there are so far.
    pub fn events(&self) -> usize {
        self.others.len()
    }

    fn event(
        &mut self,
        time: Time,
        thread: ThreadId,
        site: u32,
        is_release: bool,
        refuse: &mut impl FnMut(&'static str),
    ) -> Option<u32> {
        if self.others.len() >= MOST_EVENTS {
            refuse("too-many-events");
            return None;
        }
        if time.ns() < self.last {
            refuse("time-goes-back");
        }
        self.last = self.last.max(time.ns());
        let event = self.others.len() as u32;
        if event.is_multiple_of(u64::BITS) {
            self.releases.push(0);
        }
        if let Some(word) = self.releases.last_mut() {
            *word |= u64::from(is_release) << (event % u64::BITS);
        }
        self.times.push(self.last);
        self.site_column
            .push(u64::from(site) << 1 | u64::from(is_release));
        self.threads.push(u64::from(thread.0));
        Some(event)
    }

    /// An object of a site is created; none where it had to be left out. O(1).
    pub fn allocate(
        &mut self,
        time: Time,
        thread: ThreadId,
        site: u32,
        mut refuse: impl FnMut(&'static str),
    ) -> Option<Live> {
        let of = *self.sites.get(site as usize)?;
        if self.totals.allocated.checked_add(of.size).is_none() {
            refuse("bytes-out-of-range");
            return None;
        }
        let event = self.event(time, thread, site, false, &mut refuse)?;
        self.others.push(self.youngest[site as usize]);
        self.youngest[site as usize] = event;
        self.live[of.cell as usize].take(false, of.size);
        self.totals.take(false, of.size, false);
        self.last_is_release = false;
        self.count(event);
        Some(Live {
            created: event,
            site,
        })
    }

    /// The object is released. O(1), but for an object that is not the youngest of its site: then the younger ones
    /// of these are no longer found by [`release_youngest`](Self::release_youngest); use one of the two.
    pub fn release(
        &mut self,
        time: Time,
        thread: ThreadId,
        object: Live,
        mut refuse: impl FnMut(&'static str),
    ) {
        let other = self.others.get(object.created as usize);
        if other.is_none_or(|&other| is_release_of(object.created, other)) {
            refuse("free-without-allocation");
            return;
        }
        self.end(time, thread, object.site, object.created, &mut refuse);
    }

    /// Reads what events of these sites will need, so that the processor waits for its memory once and not for each: what
    /// lives was created at any time before.
    pub fn fetch(&self, sites: impl Iterator<Item = u32>) {
        let read = |site: u32| {
            let of = self.sites.get(site as usize)?;
            let live = self.live.get(of.cell as usize)?;
            let youngest = self.youngest.get(site as usize)?;
            let other = self.others.get(*youngest as usize).copied();
            Some(live.allocations ^ other.unwrap_or_default())
        };
        let sum = sites.filter_map(read).fold(0, |sum: u32, it| sum ^ it);
        std::hint::black_box(sum);
    }

    /// The youngest object of a site that lives is released. O(1).
    pub fn release_youngest(
        &mut self,
        time: Time,
        thread: ThreadId,
        site: u32,
        mut refuse: impl FnMut(&'static str),
    ) {
        let youngest = self.youngest.get(site as usize).copied();
        let Some(created) = youngest.filter(|&it| it != NONE) else {
            refuse("free-without-allocation");
            return;
        };
        let next = self.others[created as usize];
        self.inferred |= next != NONE;
        if self.end(time, thread, site, created, &mut refuse) {
            self.youngest[site as usize] = next;
        }
    }

    /// An object of a site is released, and nothing is known of when it was created, as where only some events are kept.
    /// Counts among the releases to date. O(1).
    pub fn release_alone(
        &mut self,
        time: Time,
        thread: ThreadId,
        site: u32,
        mut refuse: impl FnMut(&'static str),
    ) {
        let Some(of) = self.sites.get(site as usize).copied() else {
            return;
        };
        if self.totals.released.checked_add(of.size).is_none() {
            refuse("bytes-out-of-range");
            return;
        }
        let Some(event) = self.event(time, thread, site, true, &mut refuse) else {
            return;
        };
        self.others.push(NONE);
        self.live[of.cell as usize].take(true, of.size);
        self.totals.take(true, of.size, false);
        self.last_is_release = true;
        self.count(event);
    }

    fn end(
        &mut self,
        time: Time,
        thread: ThreadId,
        site: u32,
        created: u32,
        refuse: &mut impl FnMut(&'static str),
    ) -> bool {
        let Some(event) = self.event(time, thread, site, true, refuse) else {
            return false;
        };
        self.others[created as usize] = event;
        self.others.push(created);
        let of = self.sites[site as usize];
        self.live[of.cell as usize].take(true, of.size);
        let of_first = self.like_heaptrack && site == 0 && self.last_is_release;
        let is_temporary = created + 1 == event || of_first;
        self.totals.take(true, of.size, is_temporary);
        self.last_is_release = true;
        self.count(event);
        true
    }

    /// Takes the sums after an event.
    fn count(&mut self, event: u32) {
        let (live, position) = (self.totals.live_bytes(), event + 1);
        self.totals.most = self.totals.most.max(live);
        if live > self.peak.0 {
            self.peak = (live, position);
        }
        if position.is_multiple_of(PIECE) {
            self.curve.push(self.totals);
            self.totals.most = 0;
        }
        let between = (self.cells.len() as u32).saturating_mul(EVENTS_A_CELL);
        if position - self.checked_at >= between.max(LEAST_BETWEEN) {
            self.checked_at = position;
            self.checkpoint_cells.extend_from_slice(&self.live);
            self.checkpoints.push(Checkpoint {
                position,
                reserved: 0,
                end: self.checkpoint_cells.len() as u64,
            });
        }
    }

    /// Something was measured. Times of one counter do not fall.
    pub fn counter(&mut self, name: &str, time: Time, value: u64) {
        let found = self.counters.iter().position(|it| it.name == name);
        let at = found.unwrap_or_else(|| {
            self.counters.push(Counter {
                name: name.to_owned(),
                values: Vec::new(),
            });
            self.counters.len() - 1
        });
        let values = &mut self.counters[at].values;
        let last = values.last().map_or(0, |&(time, _)| time);
        values.push((time.ns().max(last), value));
    }

    /// All of it. Times are from the start of the recording; `end` is when it ended.
    pub fn finish(self, detail: Detail, end: Time) -> Memory {
        let distance = |(event, &other): (u32, &u32)| {
            let word = self.releases.get((event / u64::BITS) as usize);
            let is_release = word.is_some_and(|word| word >> (event % u64::BITS) & 1 == 1);
            let is_known = match is_release {
                true => other != NONE,
                false => is_release_of(event, other),
            };
            match is_known {
                true => u64::from(event.abs_diff(other)),
                false => 0,
            }
        };
        let others = (0..).zip(&self.others).map(distance).collect();
        let (stacks, cells) = self.cells.finish();
        let mut curve = self.curve;
        if !(self.others.len() as u32).is_multiple_of(PIECE) {
            curve.push(self.totals);
        }
        let table = |rows: Vec<CellTotals>| Table::Rows(rows.into());
        Memory {
            detail,
            clock: Unit::Nanoseconds,
            stacks,
            types: self.types,
            types_are_classes: true,
            known: Known::Events(Events {
                times: self.times.finish(),
                sites: self.site_column.finish(),
                others,
                threads: self.threads.finish(),
                site_rows: Table::Rows(self.sites.into()),
                cells: Table::Rows(cells.into()),
                checkpoints: Table::Rows(self.checkpoints.into()),
                checkpoint_cells: table(self.checkpoint_cells),
                curve: Table::Rows(curve.into()),
                peak: self.peak,
                like_heaptrack: self.like_heaptrack,
            }),
            sizes_known: true,
            counters: self.counters,
            end: end.max(Time::from_ns(self.last)),
            ages_inferred: self.inferred,
        }
    }
}
