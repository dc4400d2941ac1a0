//! What Java Flight Recorder tells of memory: samples of allocations, which of other samples lived when that was looked for,
//! and how much of the heap was in use.
//!
//! Read are `jdk.ObjectAllocationInNewTLAB`, which stands for the new buffer that its thread goes on to allocate from
//! (`tlabSize`), and `jdk.ObjectAllocationOutsideTLAB` (`allocationSize`); `jdk.ObjectAllocationSample` with its `weight`,
//! which is a choice among the same events and left out of chunks that have those (`allocation-counted-already`);
//! `jdk.OldObjectSample`, objects that lived when it was written; `jdk.GCHeapSummary` and `jdk.ResidentSetSize`. Classes are
//! types. Releases are not recorded. Not read: paths to the roots of the garbage collector, and how old the sampled objects
//! are.

use std::collections::{BTreeMap, HashMap};

use super::pools::Pools;
use super::types::{Class, Role, Types, Value};
use super::wire::Bytes;
use callscape_base::units::{FunctionId, ThreadId, Time};
use callscape_facts::hashing::BuildFast;
use callscape_facts::memory::{
    Cell, Detail, FewCells, Instant, Memory, MemoryBuilder, StackId, SumRow,
};
use callscape_facts::trace::Trace;

/// What an event of memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Sample,
    /// In a buffer of the thread, or outside of one.
    Buffered,
    Outside,
    Old,
    Heap,
    Resident,
}

const EVENTS: [(&str, What); 6] = [
    ("jdk.ObjectAllocationSample", What::Sample),
    ("jdk.ObjectAllocationInNewTLAB", What::Buffered),
    ("jdk.ObjectAllocationOutsideTLAB", What::Outside),
    ("jdk.OldObjectSample", What::Old),
    ("jdk.GCHeapSummary", What::Heap),
    ("jdk.ResidentSetSize", What::Resident),
];

/// An event as it stands in its chunk, in which its keys hold.
#[derive(Clone, Copy, Debug)]
struct Raw {
    what: What,
    time: i64,
    thread: u64,
    stack: u64,
    /// Of the class, of an old object of the object.
    class: u64,
    /// Bytes; none where that is not told.
    size: Option<u64>,
    offset: u64,
}

/// The events of memory of a chunk.
pub(super) struct OfChunk<'t> {
    types: &'t Types,
    classes: HashMap<u64, (&'t Class, What), BuildFast>,
    events: Vec<Raw>,
}

impl<'t> OfChunk<'t> {
    pub(super) fn new(types: &'t Types) -> OfChunk<'t> {
        let of_memory = |(id, class): (u64, &'t Class)| {
            let known = EVENTS.iter().find(|(name, _)| *name == class.name);
            known.map(|&(_, what)| (id, (class, what)))
        };
        OfChunk {
            types,
            classes: types.all().filter_map(of_memory).collect(),
            events: Vec::new(),
        }
    }

    /// Takes an event of type `kind`, whose content it is given; none where it is not of memory, else whether it was
    /// whole. `time` is that of a number of ticks.
    pub(super) fn take(
        &mut self,
        kind: u64,
        mut content: Bytes<'_>,
        time: impl Fn(u64) -> i64,
        offset: u64,
    ) -> Option<bool> {
        let &(class, what) = self.classes.get(&kind)?;
        let mut raw = Raw {
            what,
            time: 0,
            thread: 0,
            stack: 0,
            class: 0,
            size: None,
            offset,
        };
        let whole = self.types.value(class, &mut content, &mut |role, value| {
            let Value::Number(number) = value else {
                return;
            };
            match (role, what) {
                (Role::StartTime, _) => raw.time = time(number),
                (Role::Thread, _) => raw.thread = number,
                (Role::StackTrace, _) => raw.stack = number,
                (Role::ObjectClass | Role::Object, _) => raw.class = number,
                (Role::Weight, What::Sample)
                | (Role::BufferSize, What::Buffered)
                | (Role::AllocationSize, What::Outside)
                | (Role::ObjectSize, What::Old)
                | (Role::HeapUsed, What::Heap)
                | (Role::Size, What::Resident) => raw.size = Some(number),
                _ => {}
            }
        });
        if whole.is_some() {
            self.events.push(raw);
        }
        Some(whole.is_some())
    }

    /// The keys of the stacks of its events, in their order.
    pub(super) fn stacks(&self) -> impl Iterator<Item = u64> + '_ {
        let has_stack = |it: &&Raw| !matches!(it.what, What::Heap | What::Resident);
        self.events.iter().filter(has_stack).map(|it| it.stack)
    }
}

/// An allocation by what holds in all chunks.
#[derive(Clone, Copy, Debug)]
struct Allocated {
    time: i64,
    /// A place among the threads.
    thread: u32,
    cell: Cell,
    bytes: u64,
    offset: u64,
}

/// By the time at which they were looked for, objects that lived, with their size where it is told.
type Old = BTreeMap<i64, Vec<(Cell, Option<u64>)>>;

/// What a file tells of memory.
#[derive(Default)]
pub(super) struct Gathered {
    builder: MemoryBuilder,
    allocated: Vec<Allocated>,
    old: Old,
    /// Time, name and bytes.
    measured: Vec<(i64, &'static str, u64)>,
    threads: Vec<String>,
    thread_ids: HashMap<String, u32>,
}

impl Gathered {
    /// Takes the events of a chunk, `functions` being those of the methods in their stacks. `warn` counts what is left
    /// out, by where it stands.
    pub(super) fn take(
        &mut self,
        chunk: &OfChunk<'_>,
        pools: &Pools,
        functions: &HashMap<u64, FunctionId, BuildFast>,
        warn: &dyn Fn(&'static str, u64),
    ) {
        let is_counted = |it: &Raw| matches!(it.what, What::Buffered | What::Outside);
        let has_counted = chunk.events.iter().any(is_counted);
        let mut stacks: HashMap<u64, StackId, BuildFast> = HashMap::default();
        let mut kinds: HashMap<u64, u32, BuildFast> = HashMap::default();
        for event in &chunk.events {
            let refuse = |kind| warn(kind, event.offset);
            let counter = match event.what {
                What::Heap => Some("heap used"),
                What::Resident => Some("resident set"),
                What::Sample if has_counted => {
                    refuse("allocation-counted-already");
                    continue;
                }
                _ => None,
            };
            // What is past half of 64 bits is negative, and no size.
            let size = event.size.filter(|&size| i64::try_from(size).is_ok());
            if let Some(name) = counter {
                match size {
                    Some(bytes) => self.measured.push((event.time, name, bytes)),
                    None => refuse("negative-counter"),
                }
                continue;
            }
            match pools.stack(event.stack) {
                None => refuse("missing-stack"),
                Some((_, true)) => refuse("truncated-stack"),
                Some((_, false)) => {}
            }
            let builder = &mut self.builder;
            let stack = *stacks.entry(event.stack).or_insert_with(|| {
                let frames = pools.stack(event.stack).map_or(&[][..], |it| it.0);
                let frames = frames.iter().rev();
                let functions = frames.filter_map(|frame| functions.get(&frame.method));
                functions.fold(StackId::EMPTY, |stack, &function| {
                    builder.stack(stack, function)
                })
            });
            let class = match event.what {
                What::Old => pools.old_object(event.class).unwrap_or(0),
                _ => event.class,
            };
            let kind = *kinds
                .entry(class)
                .or_insert_with(|| builder.kind(&pools.class(class)));
            let cell = Cell { stack, kind };
            if event.what == What::Old {
                let old = self.old.entry(event.time).or_default();
                old.push((cell, size));
                continue;
            }
            let (id, _) = pools.thread(event.thread);
            let threads = &mut self.threads;
            let thread = *self.thread_ids.entry(id).or_insert_with_key(|id| {
                threads.push(id.clone());
                threads.len() as u32 - 1
            });
            if size.is_none() {
                refuse("size-out-of-range");
            }
            self.allocated.push(Allocated {
                time: event.time,
                thread,
                cell,
                bytes: size.unwrap_or_default(),
                offset: event.offset,
            });
        }
    }

    /// When the first of it happened, in nanoseconds on the recording's own clock; none of nothing.
    pub(super) fn began(&self) -> Option<i64> {
        let allocated = self.allocated.iter().map(|it| it.time);
        let measured = self.measured.iter().map(|it| it.0);
        let times = allocated.chain(measured);
        times.chain(self.old.keys().copied()).min()
    }

    /// All of it, as it belongs to a trace of the same recording; none of nothing. O(n log n).
    pub(super) fn finish(
        mut self,
        trace: &Trace,
        warn: &dyn Fn(&'static str, u64),
    ) -> Option<Memory> {
        let has_objects = !self.allocated.is_empty() || !self.old.is_empty();
        if !has_objects && self.measured.is_empty() {
            return None;
        }
        let since = |time: i64| {
            let since = i128::from(time) - i128::from(trace.origin());
            Time::from_ns(u64::try_from(since).unwrap_or(0))
        };
        // Past the last is one that was not sampled while it ran.
        let without = ThreadId(trace.threads().len() as u32);
        let known = trace.threads().iter().zip(trace.thread_ids());
        let known: HashMap<&str, ThreadId> = known.map(|(it, id)| (it.id.as_str(), id)).collect();
        let threads = self.threads.iter();
        let threads = threads.map(|id| known.get(id.as_str()).copied().unwrap_or(without));
        let threads: Vec<ThreadId> = threads.collect();
        let builder = &mut self.builder;
        self.allocated.sort_by_key(|it| it.time);
        for of in &self.allocated {
            let site = builder.site(of.bytes, of.cell.stack, of.cell.kind);
            let thread = threads.get(of.thread as usize).copied();
            let thread = thread.unwrap_or(without);
            builder.allocate(since(of.time), thread, site, |kind| warn(kind, of.offset));
        }
        for (cell, _) in self.old.values().flatten() {
            // They are counted with the cells of allocations.
            builder.site(0, cell.stack, cell.kind);
        }
        self.measured.sort_by_key(|&(time, ..)| time);
        let mut end = trace.range().end;
        for &(time, name, bytes) in &self.measured {
            builder.counter(name, since(time), bytes);
            end = end.max(since(time));
        }
        end = self.old.keys().fold(end, |end, &time| end.max(since(time)));
        if !has_objects {
            return Some(self.builder.finish(Detail::Counters, end));
        }
        let memory = self.builder.finish(Detail::Samples, end);
        let survivors = survivors(&self.old, memory.cells(), since);
        // Of too many instants only the last are kept.
        let (kept, out): (Vec<Instant>, Vec<Instant>) =
            survivors.into_iter().partition(|it| !it.cells.is_empty());
        out.iter().for_each(|_| warn("too-many-rows", 0));
        Some(memory.without_releases(kept))
    }
}

/// What is known of the cells at each time at which objects were looked for.
fn survivors(old: &Old, cells: &[Cell], since: impl Fn(i64) -> Time) -> Vec<Instant> {
    let places = cells.iter().zip(0..);
    let places: HashMap<Cell, u32> = places.map(|(&cell, at)| (cell, at)).collect();
    let few = |old: &Vec<(Cell, Option<u64>)>| {
        let sizes_known = old.iter().all(|(_, size)| size.is_some());
        let row = |live, bytes: Option<u64>| SumRow {
            live: Some(live),
            live_bytes: bytes.filter(|_| sizes_known),
            ..SumRow::default()
        };
        let rows = old.iter().filter_map(|(cell, size)| {
            let place = places.get(cell)?;
            Some((*place, row(1, *size)))
        });
        FewCells {
            nothing: row(0, Some(0)),
            rows: rows.collect(),
        }
    };
    let few: Vec<FewCells> = old.values().map(few).collect();
    let rows = FewCells::of_all(&few, cells.len());
    let times = old.keys().zip(rows);
    times
        .map(|(&time, rows)| Instant::new(since(time).ns(), rows))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_cells_at_many_instants_take_bounded_memory() {
        let cells: Vec<Cell> = (0..5000)
            .map(|kind| Cell {
                stack: StackId::EMPTY,
                kind,
            })
            .collect();
        let old: Old = (0..5000)
            .map(|time| (time, vec![(cells[time as usize], Some(7))]))
            .collect();
        let found = survivors(&old, &cells, |time| Time::from_ns(time as u64));
        assert_eq!(found.len(), 5000);
        let rows: usize = found.iter().map(|it| it.cells.len()).sum();
        assert!(rows <= 1 << 21, "{rows}");
        // The last are known, whole; of the first only that they were.
        assert!(found[0].cells.is_empty() && found[0].whole.live.is_none());
        for instant in &found[4900..] {
            let known: Vec<&SumRow> = instant
                .cells
                .iter()
                .filter(|it| it.live != Some(0))
                .collect();
            assert_eq!(known.len(), 1);
            assert_eq!((known[0].live, known[0].live_bytes), (Some(1), Some(7)));
            assert_eq!(instant.whole.live_bytes, Some(7));
        }
    }
}
