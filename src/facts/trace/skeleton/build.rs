//! Finds the skeleton of a thread in one pass over its calls, or in passes over parts of them, side by side.

use std::ops::Range;

use rayon::prelude::*;

use super::super::block::Block;
use super::super::entries::{Facts, OpenCall};
use super::super::raw_call::BLOCK;
use super::super::store::{Calls, Cursor, GROUP_BLOCKS, Store, place};
use super::super::waiting::preempted::Preempted;
use super::super::within::{Enclosing, Inside, Within};
use super::join::join;
use super::known::Known;
use super::nodes::{CostOf, Floor, Light, Node, Skeleton};
use super::sets::{FunctionSets, SetId};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};

/// A node whose calls are being gone through.
pub(super) struct Frame {
    pub(super) node: u32,
    /// The calls before this one are below it.
    pub(super) end: u64,
    /// Tells it from all others, and from itself before its rows were put together.
    mark: u32,
    /// Where its rows and functions begin in the stacks of these, and how many there were when put together.
    lights: usize,
    functions: usize,
    tidy_lights: usize,
    tidy_functions: usize,
}

/// The rows or functions of a frame are put together when they have doubled, and are this many more.
const TOGETHER: usize = 1024;

/// A part of a thread has as many blocks at least: what a part begins in is found again.
const PART_BLOCKS: usize = if cfg!(test) { 2 } else { 512 };
/// So many parts for each worker, that none waits long for another.
const PARTS: usize = 4;

/// A call as it counts: in a range, with what of it lies there.
#[derive(Clone, Copy)]
struct Counted {
    call: u32,
    function: u32,
    depth: u32,
    triggered: u32,
    cost: Cost,
    /// The calls before this one are below it.
    end: u64,
}

pub(super) struct Builder<'a> {
    calls: Calls<'a>,
    floor: Floor,
    preempted: Preempted,
    range: TimeRange,
    /// The calls that start in the range, which count but for the late ones. Of those none is inside of one that counts.
    kept: Range<u32>,
    late: &'a [u32],
    pub(super) out: Skeleton,
    pub(super) frames: Vec<Frame>,
    lights: Vec<Light>,
    functions: Vec<u32>,
    marks: u32,
    /// By function the mark of the frame that has seen it last, and of the one that has a row for it, and which.
    seen: Vec<u32>,
    row: Vec<(u32, u32)>,
    /// These calls are below a lightweight call.
    light: Range<u64>,
    /// The calls before this one are inside of one that counts.
    pub(super) inside_until: u64,
    /// By slot of a block its function.
    callees: Vec<u32>,
    columns: Unpacked,
    pub(super) known: Option<Known<'a>>,
    /// The calls before this one are taken from there.
    taken: u64,
}

/// Columns of a block.
#[derive(Default)]
struct Unpacked {
    triggered: Vec<u64>,
    costs: Vec<u64>,
    depths: Vec<u64>,
    slots: Vec<u64>,
    /// Empty where costs need no time.
    starts: Vec<u64>,
}

/// The thread, from what on its calls are nodes, and what they cost.
type Asked = (ThreadId, Floor, CostOf);

/// As [`Trace::skeleton`](super::super::Trace::skeleton), out of that of all calls where it is known.
pub(super) fn skeleton(
    store: &Store,
    of: Asked,
    within: Within,
    whole: Option<&Skeleton>,
    progress: &Progress,
) -> Result<Skeleton, Cancelled> {
    let calls = store.thread(of.0);
    if within.range.is_none()
        && let Some(skeleton) = in_parts(calls, of, progress)
    {
        return skeleton;
    }
    let mut inside = calls.inside(within);
    let first = inside.calls.start;
    let before = inside.reaching.partition_point(|&call| call < first);
    let all_late = inside.late.clone();
    inside.late.retain(|call| !inside.reaching.contains(call));
    if within.enclosing == Enclosing::Whole {
        // They enclose none that counts, so they are the last of the range.
        inside.calls.end -= inside.late.len() as u32;
        inside.late.clear();
    }
    let mut builder = Builder::new(calls, of, &inside);
    builder.known = whole.map(|it| Known::among(it, &builder.kept, all_late));
    builder.begin(&inside.reaching[..before]);
    let (from, to) = (builder.kept.start, builder.kept.end);
    builder.blocks(place(from).0..(to as usize).div_ceil(BLOCK), progress)?;
    Ok(builder.finish())
}

/// The skeleton of all calls of a thread, by several workers; none where one alone is as fast.
fn in_parts(
    calls: Calls<'_>,
    asked: Asked,
    progress: &Progress,
) -> Option<Result<Skeleton, Cancelled>> {
    let blocks = (calls.len() as usize).div_ceil(BLOCK);
    let workers = rayon::current_num_threads();
    let parts = (blocks / PART_BLOCKS).min(workers * PARTS);
    if workers == 1 || parts < 2 {
        return None;
    }
    let of_part = |part: usize| {
        let of = blocks * part / parts..blocks * (part + 1) / parts;
        let whole = calls.inside(Within::default());
        let mut builder = Builder::new(calls, asked, &whole);
        let first = (of.start * BLOCK) as u32;
        builder.begin_within(of.start);
        builder.blocks(of, progress)?;
        Ok((first, builder.finish()))
    };
    let found: Result<Vec<(u32, Skeleton)>, Cancelled> =
        (0..parts).into_par_iter().map(of_part).collect();
    found.map(join).transpose()
}

impl<'a> Builder<'a> {
    fn new(calls: Calls<'a>, (thread, floor, costs): Asked, inside: &'a Inside) -> Builder<'a> {
        let functions = calls.store.functions;
        let window = [inside.window.start, inside.window.end].map(Time::from_ns);
        Builder {
            calls,
            floor,
            preempted: calls.store.not_counted(thread, costs),
            range: TimeRange::new(window[0], window[1]),
            kept: inside.calls.clone(),
            late: &inside.late,
            out: Skeleton {
                thread,
                floor,
                nodes: Vec::new(),
                lights: Vec::new(),
                sets: FunctionSets::default(),
                linked: Vec::new(),
            },
            frames: Vec::new(),
            lights: Vec::new(),
            functions: Vec::new(),
            marks: 0,
            seen: vec![0; functions],
            row: vec![(0, 0); functions],
            light: 0..0,
            inside_until: 0,
            callees: Vec::new(),
            columns: Unpacked::default(),
            known: None,
            taken: 0,
        }
    }

    /// Goes through blocks of calls.
    fn blocks(&mut self, of: Range<usize>, progress: &Progress) -> Result<(), Cancelled> {
        for index in of {
            let first = (index * BLOCK) as u64;
            let next = first + BLOCK as u64;
            let is_light = self.light.start <= first && next <= self.light.end;
            if next <= self.taken {
                progress.add(BLOCK as u64)?;
                continue;
            }
            if is_light && u64::from(self.kept.start) <= first {
                self.pass_block(index);
            } else {
                self.block(index);
            }
            progress.add(BLOCK as u64)?;
        }
        Ok(())
    }

    /// Opens the root, and the nodes around the first call of a block; they have been counted where they begin.
    fn begin_within(&mut self, block: usize) {
        self.begin(&[]);
        let mut around: Vec<&OpenCall> = self.calls.open_before(block).collect();
        around.reverse();
        if let Some(outermost) = around.first() {
            let triggered = outermost.facts().triggered;
            self.inside_until = u64::from(outermost.call) + u64::from(triggered) + 1;
        }
        for open in around {
            let function = self.calls.store.callee(open.pair).0;
            let counted = self.counted(open.call, function, &open.facts());
            if !self.floor.keeps(u64::from(counted.triggered), counted.cost) {
                self.light = u64::from(open.call) + 1..counted.end;
                return;
            }
            self.open(counted);
        }
    }

    /// Opens the root, and the calls around the range, outermost first.
    fn begin(&mut self, around: &[u32]) {
        self.open(Counted {
            call: u32::MAX,
            function: u32::MAX,
            depth: 0,
            triggered: (self.kept.len() - self.late.len() + around.len()) as u32,
            cost: Cost::ZERO,
            end: u64::MAX,
        });
        let mut cursor = Cursor::new(self.calls);
        for (index, &call) in around.iter().enumerate() {
            let facts = cursor.facts(call);
            let function = self.calls.store.callee(cursor.pair(call)).0;
            if u64::from(call) < self.light.end {
                self.see(function);
                self.deepen(facts.depth);
                continue;
            }
            let mut counted = self.counted(call, function, &facts);
            // Those around the range that are deeper are below it.
            counted.triggered += (around.len() - index - 1) as u32;
            self.visit(counted);
        }
    }

    fn counted(&mut self, call: u32, function: u32, facts: &Facts) -> Counted {
        let end = u64::from(call) + u64::from(facts.triggered) + 1;
        let end = end.min(u64::from(self.kept.end));
        let from = (u64::from(call) + 1).max(u64::from(self.kept.start));
        let start_ns = facts.start.max(self.range.start.ns());
        let end_ns = facts.end.min(self.range.end.ns());
        Counted {
            call,
            function,
            depth: facts.depth,
            triggered: end.saturating_sub(from) as u32,
            cost: Cost::from_ns(self.preempted.less(start_ns, end_ns)),
            end,
        }
    }

    fn find_callees(&mut self, block: &Block<'_>) {
        let store = self.calls.store;
        self.callees.clear();
        let callees = block.pairs().map(|pair| store.callee(pair).0);
        self.callees.extend(callees);
    }

    fn callee(&self, slot: u64) -> u32 {
        self.callees.get(slot as usize).copied().unwrap_or(0)
    }

    /// Goes through the calls of a block.
    fn block(&mut self, index: usize) {
        let block = self.calls.block(index);
        self.find_callees(&block);
        let first = (index * BLOCK) as u32;
        let from = self.kept.start.saturating_sub(first) as usize;
        let taken = self.taken.saturating_sub(u64::from(first)) as usize;
        let from = from.max(taken.min(block.len));
        let to = (self.kept.end.saturating_sub(first) as usize).min(block.len);
        if from >= to {
            return;
        }
        let is_whole = self.preempted.is_empty()
            && self.range.start == Time::ZERO
            && self.range.end == Time::MAX
            && self.kept.end == self.calls.len();
        let mut columns = std::mem::take(&mut self.columns);
        // Of calls below a lightweight one that began before, neither cost nor calls are asked for.
        let light_end = self.light.end.saturating_sub(u64::from(first));
        let lead = (light_end.min(to as u64) as usize).max(from);
        if lead > from {
            block.unpack_depths(from..lead, &mut columns.depths);
            block.unpack_slots(from..lead, &mut columns.slots);
            self.pass(&columns.slots, &columns.depths, block.depth_base);
        }
        let from = lead;
        block.unpack_triggered(from..to, &mut columns.triggered);
        block.unpack_costs(from..to, &mut columns.costs);
        block.unpack_depths(from..to, &mut columns.depths);
        block.unpack_slots(from..to, &mut columns.slots);
        columns.starts.clear();
        if !is_whole {
            block.unpack_starts(from..to, &mut columns.starts);
        }
        let calls = self.calls;
        let mut open = calls.open_in_block(index);
        let mut i = 0;
        while i < to - from {
            let call = first + (from + i) as u32;
            if u64::from(call) < self.light.end {
                let end = (self.light.end - u64::from(first)).min(to as u64) as usize - from;
                self.pass(
                    &columns.slots[i..end],
                    &columns.depths[i..end],
                    block.depth_base,
                );
                i = end;
                continue;
            }
            if let Some(end) = self.take(call) {
                self.taken = end;
                i = end.saturating_sub(u64::from(first)) as usize - from;
                continue;
            }
            let counted = self.read(call, i, &columns, block.depth_base, &mut open);
            if self.late.binary_search(&call).is_err() {
                self.visit(counted);
            }
            i += 1;
        }
        self.columns = columns;
    }

    /// A call at place `i` of the columns. `open` are those of the block that are open at its end, from one up to this
    /// call on.
    #[inline]
    fn read(
        &mut self,
        call: u32,
        i: usize,
        columns: &Unpacked,
        depth_base: u32,
        open: &mut &[OpenCall],
    ) -> Counted {
        let function = self.callee(columns.slots[i]);
        while let [OpenCall { call: next, .. }, rest @ ..] = open
            && *next < call
        {
            *open = rest;
        }
        if let Some(of_call) = open.first().filter(|open| open.call == call) {
            return self.counted(call, function, &of_call.facts());
        }
        let depth = depth_base.wrapping_add(columns.depths[i] as u32);
        let triggered = columns.triggered[i] as u32;
        let Some(&start) = columns.starts.get(i) else {
            return Counted {
                call,
                function,
                depth,
                triggered,
                cost: Cost::from_ns(columns.costs[i]),
                end: u64::from(call) + u64::from(triggered) + 1,
            };
        };
        let facts = Facts {
            start,
            end: start.saturating_add(columns.costs[i]),
            depth,
            triggered,
        };
        self.counted(call, function, &facts)
    }

    /// Passes calls below a lightweight one.
    fn pass(&mut self, slots: &[u64], depths: &[u64], base: u32) {
        let Some(mark) = self.frames.last().map(|frame| frame.mark) else {
            return;
        };
        for &slot in slots {
            let function = self.callee(slot);
            if let Some(seen) = self.seen.get_mut(function as usize)
                && *seen != mark
            {
                *seen = mark;
                self.functions.push(function);
            }
        }
        let deepest = depths.iter().copied().max().unwrap_or(0);
        self.deepen(base.wrapping_add(deepest as u32));
    }

    /// Passes a block that lies below a lightweight call: what is asked of it is in its summary, or in that of its
    /// group.
    fn pass_block(&mut self, index: usize) {
        let calls = self.calls;
        let ends = &*calls.tables.longest_ends;
        let end = |index: usize| ends.get(index).copied().unwrap_or(0) as usize;
        let from = index.checked_sub(1).map_or(0, end);
        let longest = calls.tables.longest.get(from..end(index));
        let depths = longest.unwrap_or_default().iter().map(|call| call.depth);
        self.deepen(depths.max().unwrap_or(0));
        let group = index / GROUP_BLOCKS;
        let in_group = (GROUP_BLOCKS * BLOCK) as u64;
        let (start, end) = (group as u64 * in_group, (group as u64 + 1) * in_group);
        if self.light.start <= start && end <= self.light.end && u64::from(self.kept.start) <= start
        {
            if index.is_multiple_of(GROUP_BLOCKS) {
                let (_, summary) = calls.group(group);
                self.see_all(summary.calls());
            }
            return;
        }
        let block = calls.block(index);
        if let Some(summary) = block.summary() {
            return self.see_all(summary.calls());
        }
        self.find_callees(&block);
        let mut slots = std::mem::take(&mut self.columns.slots);
        block.unpack_slots(0..block.len, &mut slots);
        for &slot in &slots {
            self.see(self.callee(slot));
        }
        self.columns.slots = slots;
    }

    fn see_all(&mut self, calls: impl Iterator<Item = (u32, u64)>) {
        let store = self.calls.store;
        for (pair, _) in calls.filter(|&(_, calls)| calls > 0) {
            self.see(store.callee(pair).0);
        }
    }

    /// A function is active in the innermost node, but not in a node below it.
    #[inline]
    fn see(&mut self, function: u32) {
        let (Some(frame), Some(seen)) = (self.frames.last(), self.seen.get_mut(function as usize))
        else {
            return;
        };
        if *seen != frame.mark {
            *seen = frame.mark;
            self.functions.push(function);
        }
    }

    #[inline]
    fn deepen(&mut self, depth: u32) {
        if let Some(frame) = self.frames.last()
            && let Some(node) = self.out.nodes.get_mut(frame.node as usize)
        {
            node.deepest = node.deepest.max(depth);
        }
    }

    /// A call that is below no lightweight one.
    #[inline]
    fn visit(&mut self, call: Counted) {
        self.reach(call.call, call.cost, call.end);
        if self.floor.keeps(u64::from(call.triggered), call.cost) {
            return self.open(call);
        }
        self.see(call.function);
        self.deepen(call.depth);
        self.light = u64::from(call.call) + 1..call.end;
        let light = Light {
            function: FunctionId(call.function),
            of: 1,
            calls: u64::from(call.triggered) + 1,
            cost: call.cost,
        };
        self.add_light(light);
    }

    fn add_light(&mut self, light: Light) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let Some((mark, row)) = self.row.get_mut(light.function.index()) else {
            return;
        };
        if *mark == frame.mark
            && let Some(known) = self.lights.get_mut(*row as usize)
        {
            return known.add(&light);
        }
        (*mark, *row) = (frame.mark, self.lights.len() as u32);
        self.lights.push(light);
    }

    fn open(&mut self, call: Counted) {
        // A node among those of another makes it forget what it has seen, and then it sees it again.
        let frame = self.frames.last();
        if frame.is_some_and(|frame| {
            self.lights.len() - frame.lights > 2 * frame.tidy_lights + TOGETHER
                || self.functions.len() - frame.functions > 2 * frame.tidy_functions + TOGETHER
        }) {
            self.put_together();
        }
        let parent = self.frames.last().map_or(0, |frame| frame.node);
        let node = self.out.nodes.len() as u32;
        self.out.nodes.push(Node {
            call: CallId(call.call),
            last: CallId(call.end.saturating_sub(1).max(u64::from(call.call)) as u32),
            function: FunctionId(call.function),
            parent,
            end: node + 1,
            triggered: call.triggered,
            depth: call.depth,
            deepest: call.depth,
            functions: SetId::default(),
            cost: call.cost,
            lights: (0, 0),
        });
        self.marks += 1;
        self.frames.push(Frame {
            node,
            end: call.end,
            mark: self.marks,
            lights: self.lights.len(),
            functions: self.functions.len(),
            tidy_lights: 0,
            tidy_functions: 0,
        });
        self.see(call.function);
    }

    /// Puts the rows and functions of the innermost frame in order, each once.
    fn put_together(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let of_frame = &mut self.lights[frame.lights..];
        of_frame.sort_unstable_by_key(|light| light.function);
        let mut kept = frame.lights;
        for next in frame.lights..self.lights.len() {
            let light = self.lights[next];
            if kept > frame.lights && self.lights[kept - 1].function == light.function {
                self.lights[kept - 1].add(&light);
            } else {
                self.lights[kept] = light;
                kept += 1;
            }
        }
        self.lights.truncate(kept);
        self.functions[frame.functions..].sort_unstable();
        let mut kept = frame.functions;
        for next in frame.functions..self.functions.len() {
            if kept == frame.functions || self.functions[kept - 1] != self.functions[next] {
                self.functions[kept] = self.functions[next];
                kept += 1;
            }
        }
        self.functions.truncate(kept);
        frame.tidy_lights = self.lights.len() - frame.lights;
        frame.tidy_functions = self.functions.len() - frame.functions;
        self.marks += 1;
        frame.mark = self.marks;
    }

    pub(super) fn close(&mut self) {
        self.put_together();
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let first = self.out.lights.len() as u32;
        self.out
            .lights
            .extend_from_slice(&self.lights[frame.lights..]);
        self.lights.truncate(frame.lights);
        let set = self.out.sets.intern(&self.functions[frame.functions..]);
        self.functions.truncate(frame.functions);
        let end = self.out.nodes.len() as u32;
        if let Some(node) = self.out.nodes.get_mut(frame.node as usize) {
            node.end = end;
            node.functions = set;
            node.lights = (first, self.out.lights.len() as u32);
        }
    }

    fn finish(mut self) -> Skeleton {
        while !self.frames.is_empty() {
            self.close();
        }
        self.out
    }
}
