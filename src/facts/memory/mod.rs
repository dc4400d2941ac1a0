//! Memory: what was allocated and released, when, by whom, and what lives at any instant.
//!
//! A recording knows one of three things. Every event of memory, or samples of them, in order ([`Events`]): objects
//! with creation, release, size, type and the stack that created them, so that every question has an answer. Or
//! allocations without releases ([`Allocations`]), so that what lives is known at a few instants at most. Or sums at a few
//! instants ([`Sums`]), and nothing between these.
//!
//! Who created an object is a [`StackId`], a path of functions; objects of one stack and type form a [`Cell`], the finest
//! thing that is counted. Modules, functions and types are sums of cells ([`Events::add_up`]).

mod ages;
mod along;
#[cfg(test)]
mod along_tests;
mod builder;
mod cell_totals;
mod cells;
mod events;
#[cfg(any(test, feature = "testing"))]
pub mod oracle;
mod packed;
mod passing;
#[cfg(any(test, feature = "testing"))]
pub mod random;
mod state;
mod stored;
mod sums;
#[cfg(test)]
mod tests;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::contexts::{Contexts, ContextsBuilder, NodeId};
use super::functions::{Functions, NO_FRAMES};
use super::profile::{Profile, Value, Weights};
pub use ages::{AgeBin, INTERVALS, Pattern};
pub use along::Stretch;
pub use builder::{Live, MemoryBuilder};
use callscape_base::units::{Cost, FunctionId, Time, TimeRange, Unit};
use callscape_base::warnings::{Place, Reporter};
pub use cell_totals::CellTotals;
pub use cells::Cells;
pub use events::{Events, Object, Sequence, Totals};
pub use passing::{Outcome, Temporary};
pub use state::State;
pub use sums::{FewCells, Instant, SumRow, Sums};

/// A stack of functions: its place in [`Stacks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct StackId(pub u32);

impl StackId {
    /// The stack without frames.
    pub const EMPTY: StackId = StackId(0);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A stack as the stack around it and its innermost function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
struct Frame {
    parent: u32,
    function: u32,
}

/// The function of [`StackId::EMPTY`].
const NONE: u32 = u32::MAX;

/// Stacks that created objects: a tree, in which a stack stands behind the one around it.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// That of the empty stack first.
    frames: Vec<Frame>,
}

impl Default for Stacks {
    fn default() -> Stacks {
        let empty = Frame {
            parent: 0,
            function: NONE,
        };
        Stacks {
            frames: vec![empty],
        }
    }
}

impl Stacks {
    /// The number of stacks, the empty one included.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none but the empty one.
    pub fn is_empty(&self) -> bool {
        self.frames.len() <= 1
    }

    /// The stack in which `function` is called from `parent`; told from no other, so ask once for each. `parent` where
    /// there are as many as can be numbered.
    pub fn push(&mut self, parent: StackId, function: FunctionId) -> StackId {
        let number = self.frames.len();
        if number >= NONE as usize {
            return parent;
        }
        self.frames.push(Frame {
            parent: parent.0.min(number as u32 - 1),
            function: function.0,
        });
        StackId(number as u32)
    }

    /// The innermost function; none of the empty stack.
    pub fn function(&self, stack: StackId) -> Option<FunctionId> {
        let frame = self.frames.get(stack.index())?;
        (frame.function != NONE).then_some(FunctionId(frame.function))
    }

    /// The stack around the innermost function; none of the empty stack.
    pub fn parent(&self, stack: StackId) -> Option<StackId> {
        let frame = self.frames.get(stack.index())?;
        (frame.function != NONE).then_some(StackId(frame.parent))
    }

    /// The same ids without the frames of some functions: what these created belongs to who called them. O(frames).
    #[must_use]
    pub fn without(&self, is_out: impl Fn(FunctionId) -> bool) -> Stacks {
        let mut frames: Vec<Frame> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let is_gone = frame.function != NONE && is_out(FunctionId(frame.function));
            let around = frames.get(frame.parent as usize).copied();
            frames.push(around.filter(|_| is_gone).unwrap_or(*frame));
        }
        Stacks { frames }
    }

    /// The functions of a stack, innermost first. O(their number).
    pub fn functions(&self, stack: StackId) -> impl Iterator<Item = FunctionId> + '_ {
        let mut at = stack;
        std::iter::from_fn(move || {
            let function = self.function(at)?;
            at = StackId(self.frames[at.index()].parent);
            Some(function)
        })
    }
}

/// What objects have in common that are counted together: the stack that created them, and their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Cell {
    pub stack: StackId,
    /// The number of its name among [`Memory::types`]; 0, a name without letters, where it is not known.
    pub kind: u32,
}

/// How much a recording tells of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// Every allocation and every release.
    Events,
    /// Some of the events.
    Samples,
    /// Sums at a few instants.
    Sums,
    /// Only what was measured from time to time, and nothing of objects.
    Counters,
}

/// Something that was measured from time to time, such as the resident set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    pub name: String,
    /// In order of time: nanoseconds and bytes.
    pub values: Vec<(u64, u64)>,
}

impl Counter {
    /// The value measured last at or before `t`; none before the first. O(log n).
    pub fn at(&self, t: Time) -> Option<u64> {
        let until = self.values.partition_point(|&(time, _)| time <= t.ns());
        until.checked_sub(1).map(|last| self.values[last].1)
    }
}

/// Allocations whose releases are not recorded: what was allocated is known at any time, what lived at instants alone.
#[derive(Clone, Debug, Default)]
pub struct Allocations {
    /// Without releases.
    pub events: Events,
    /// In order of time, by the cells of the events. Often none, or one at the end.
    pub survivors: Vec<Instant>,
}

/// What the events or the sums are.
#[derive(Clone, Debug)]
pub enum Known {
    Events(Events),
    Allocations(Allocations),
    Sums(Sums),
}

/// All that a recording knows of memory.
#[derive(Clone, Debug)]
pub struct Memory {
    pub detail: Detail,
    /// What times count: nanoseconds, or where a tool counts something else instead, that.
    pub clock: Unit,
    pub stacks: Stacks,
    /// Names of classes or allocators; the first has no letters.
    pub types: Vec<String>,
    /// Types are classes of objects, and not the functions that allocated them.
    pub types_are_classes: bool,
    pub known: Known,
    /// Where sizes of objects are not recorded each counts as 1 in all sums of bytes, which are sums of objects then.
    pub sizes_known: bool,
    pub counters: Vec<Counter>,
    /// The last time that anything was known, on the clock of the recording.
    pub end: Time,
    /// Which of several objects of equal size and stack was released is not in the recording: the youngest was taken.
    pub ages_inferred: bool,
}

/// The values of a profile made of a recording of memory.
const ALLOCATED: usize = 0;
const ALLOCATIONS: usize = 1;
const LIVE_BYTES: usize = 2;
const LIVE: usize = 3;

impl Memory {
    /// Sums at instants, whose types are not known.
    pub fn of_sums(detail: Detail, clock: Unit, stacks: Stacks, sums: Sums) -> Memory {
        Memory {
            detail,
            clock,
            stacks,
            types: vec![String::new()],
            types_are_classes: true,
            end: sums.instants.last().map_or(Time::ZERO, Instant::time),
            known: Known::Sums(sums),
            sizes_known: true,
            counters: Vec::new(),
            ages_inferred: false,
        }
    }

    /// The events, where what lives at any time is known from them.
    pub fn events(&self) -> Option<&Events> {
        match &self.known {
            Known::Events(events) => Some(events),
            Known::Allocations(_) | Known::Sums(_) => None,
        }
    }

    /// All that happened at a time of its own: events, or allocations alone.
    pub fn timed(&self) -> Option<&Events> {
        match &self.known {
            Known::Events(events) => Some(events),
            Known::Allocations(allocations) => Some(&allocations.events),
            Known::Sums(_) => None,
        }
    }

    /// The cells.
    pub fn cells(&self) -> &[Cell] {
        match &self.known {
            Known::Events(events) => events.cells(),
            Known::Allocations(allocations) => allocations.events.cells(),
            Known::Sums(sums) => &sums.cells,
        }
    }

    /// What sums of sizes count: bytes, or objects where no sizes are recorded.
    pub fn unit(&self) -> Unit {
        match self.sizes_known {
            true => Unit::Bytes,
            false => Unit::Things("objects".into()),
        }
    }

    /// The same of a recording that tells no releases, with what is known to have lived at instants, in order of time.
    pub fn without_releases(mut self, survivors: Vec<Instant>) -> Memory {
        if let Known::Events(events) = self.known {
            self.known = Known::Allocations(Allocations { events, survivors });
        }
        self
    }

    /// Who created the objects of a cell: the innermost function of their stack; none where it is empty.
    pub fn creator(&self, cell: Cell) -> Option<FunctionId> {
        self.stacks.function(cell.stack)
    }

    /// The profile of a recording without calls: bytes allocated, allocations, and bytes and objects that live at the
    /// end, by the stack that created them. What has no stack belongs to [`NO_FRAMES`], added to the functions where it is
    /// needed. O(stacks + events since the last checkpoint).
    pub fn profile(&self, functions: &mut Functions) -> Profile {
        let is_bare = |cell: &Cell| self.creator(*cell).is_none();
        let without = self.cells().iter().any(is_bare);
        let without = without.then(|| functions.intern(NO_FRAMES));
        let totals: Vec<SumRow> = match &self.known {
            Known::Events(events) => {
                let end = events.state(events.end());
                let cells = end.cells().iter();
                cells.map(SumRow::of).collect()
            }
            Known::Allocations(allocations) => allocations.last(),
            Known::Sums(sums) => sums.last().to_vec(),
        };
        self.weighing(&totals, without, functions.len())
    }

    /// The same of a range of time: what is allocated from its start until before its end, and what lives there. The last
    /// moment of all belongs to a range that ends with it. `None` where events have no times.
    pub fn profile_within(&self, range: TimeRange, functions: &Functions) -> Option<Profile> {
        let events = self.timed()?;
        let before = |t: Time| {
            t.ns()
                .checked_sub(1)
                .map_or(0, |it| events.position(Time::from_ns(it)))
        };
        let end = match range.end < self.end {
            true => before(range.end),
            false => events.end(),
        };
        let start = events.state(before(range.start).min(end));
        let end = events.state(end);
        let totals = end.cells().iter().zip(start.cells());
        let totals = totals.map(|(end, start)| {
            let (live, made) = (SumRow::of(end), SumRow::of(&end.since(start)));
            SumRow {
                allocations: made.allocations,
                allocated: made.allocated,
                ..live
            }
        });
        let totals: Vec<SumRow> = totals.collect();
        let without = functions.ids().find(|&it| functions.get(it) == NO_FRAMES);
        Some(self.weighing(&totals, without, functions.len()))
    }

    /// The profile of what is known of each cell; `without` has what has no stack.
    fn weighing(
        &self,
        totals: &[SumRow],
        without: Option<FunctionId>,
        functions: usize,
    ) -> Profile {
        let values = [
            ("allocated", Unit::Bytes),
            ("allocations", Unit::Things("allocations".into())),
            ("live", Unit::Bytes),
            ("objects", Unit::Things("objects".into())),
        ];
        let amounts = |row: &SumRow| {
            let mut of = [None; 4];
            of[ALLOCATED] = row.allocated;
            of[ALLOCATIONS] = row.allocations;
            of[LIVE_BYTES] = row.live_bytes;
            of[LIVE] = row.live;
            of
        };
        let is_of_sizes = |value: usize| matches!(value, ALLOCATED | LIVE_BYTES);
        let is_known = |value: usize| {
            if is_of_sizes(value) && !self.sizes_known {
                return false;
            }
            totals.is_empty() || totals.iter().any(|row| amounts(row)[value].is_some())
        };
        let kept: Vec<usize> = (0..values.len()).filter(|&value| is_known(value)).collect();
        let reporter = Reporter::new();
        let place = || Place::file("memory");
        let mut builder = ContextsBuilder::new(kept.len(), &reporter);
        let nodes = self.nodes(&mut builder);
        for (cell, row) in self.cells().iter().zip(totals) {
            let node = match nodes.get(cell.stack.index()) {
                Some(&node) if node != NodeId::ROOT => node,
                _ => match without {
                    Some(without) => builder.child(NodeId::ROOT, without, place),
                    None => continue,
                },
            };
            for (value, &of) in kept.iter().enumerate() {
                builder.add(node, value, amounts(row)[of].unwrap_or_default(), place);
            }
        }
        let contexts: Contexts = builder.finish();
        let values = kept.iter().map(|&value| Value {
            name: values[value].0.to_owned(),
            unit: values[value].1.clone(),
        });
        Profile::new(values.collect(), 0, Weights::Contexts(contexts), functions)
    }

    fn nodes(&self, builder: &mut ContextsBuilder<'_>) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = Vec::with_capacity(self.stacks.len());
        for frame in &self.stacks.frames {
            let node = match frame.function {
                NONE => NodeId::ROOT,
                function => {
                    let parent = nodes.get(frame.parent as usize).copied();
                    let parent = parent.unwrap_or(NodeId::ROOT);
                    builder.child(parent, FunctionId(function), || Place::file("memory"))
                }
            };
            nodes.push(node);
        }
        nodes
    }

    /// How long it lasts, from 0 to the last that is known.
    pub fn duration(&self) -> Cost {
        self.end.since(Time::ZERO)
    }

    /// When the events end; the start where there are sums alone.
    pub fn end_of_events(&self) -> Time {
        self.timed().map_or(Time::ZERO, |_| self.end)
    }

    /// What the columns take beside one another, in bytes.
    pub fn bytes(&self) -> usize {
        self.timed().map_or(0, Events::bytes)
    }
}

impl Allocations {
    /// By cell, what the first `position` events allocated, and what lived at an instant at which that was looked for.
    /// O(cells + events to the nearest checkpoint).
    pub fn rows(&self, position: u32, lived: Option<&Instant>) -> Vec<SumRow> {
        let state = self.events.state(position);
        let cells = state.cells().iter().enumerate();
        let rows = cells.map(|(cell, totals)| {
            let lived = lived.and_then(|it| it.cells.get(cell).copied());
            let lived = lived.unwrap_or_default();
            SumRow {
                live: lived.live,
                live_bytes: lived.live_bytes,
                ..SumRow::of(totals)
            }
        });
        rows.collect()
    }

    /// The same of the whole recording, and of what lived when that was looked for last.
    pub fn last(&self) -> Vec<SumRow> {
        self.rows(self.events.end(), self.survivors.last())
    }
}
