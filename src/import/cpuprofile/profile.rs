//! A profile once it is read: its nodes as stacks, and its samples in order of time.

use std::collections::HashMap;
use std::rc::Rc;

use crate::document::Document;
use crate::input::Input;
use crate::samples::{self, Sample, Samples, StackId, Stacks, Ticks, median};
use crate::source_map::SourceMaps;
use callscape_base::units::{self, FunctionId, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::hashing::BuildFast;
use callscape_facts::lines::{FileId, Knows, Lines, LinesBuilder};
use callscape_facts::profile::{self, Value, Weights};
use callscape_facts::recording::Recording;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "cpuprofile";

/// What the samples of a profile are handed on to.
pub(crate) struct Handing<'h, 'r> {
    pub thread: ThreadId,
    pub stacks: &'h mut Stacks,
    pub ticks: &'h mut Ticks,
    pub samples: &'h mut Samples<'r>,
}

/// Where a time or an id is none.
pub(super) const NO_TIME: i64 = i64::MIN;
pub(super) const NO_NODE: u32 = u32::MAX;

/// The interval between samples that V8 takes unless told otherwise, in nanoseconds.
const USUAL_INTERVAL: i64 = 1_000_000;

/// A call frame in the tree.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub function: FunctionId,
    /// Its place is that of a source map, where the lines that ran are others.
    pub is_mapped: bool,
    /// The index of the node around it.
    pub parent: Option<usize>,
}

/// A profile, or a part of one.
#[derive(Default)]
pub(crate) struct Profile {
    /// Where its scripts come from.
    pub(super) maps: Rc<SourceMaps>,
    pub(super) nodes: Vec<Node>,
    /// By id, the index of the node.
    pub(super) by_id: HashMap<u32, usize, BuildFast>,
    /// The index of a node and the id of one inside it.
    pub(super) children: Vec<(usize, u32)>,
    /// The index of a node and the id of the one around it.
    pub(super) parents: Vec<(usize, u32)>,
    /// The ids of their nodes, or [`NO_NODE`]; none before the array.
    pub(super) samples: Option<Vec<u32>>,
    /// By node, how many samples found it on top, so far as it says.
    pub(super) hits: Vec<i64>,
    /// The index of a node, a line of it from 1, and how often that ran.
    pub(super) ticks: Vec<(usize, u32, u32)>,
    /// By sample, the line that ran, from 1; 0 where it does not say.
    pub(super) lines: Vec<u32>,
    /// These and the following may be [`NO_TIME`].
    pub(super) deltas: Vec<i64>,
    pub(super) timestamps: Vec<i64>,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
}

impl Profile {
    /// Adds the part that follows.
    pub(crate) fn add(&mut self, part: Profile, document: &Document<'_>) {
        let before = self.nodes.len();
        self.nodes.extend(part.nodes.iter().map(|node| Node {
            function: node.function,
            is_mapped: node.is_mapped,
            parent: node.parent.map(|parent| parent + before),
        }));
        // In order of index, so that the same file gives the same answer.
        let mut ids: Vec<(usize, u32)> = part.by_id.iter().map(|(&id, &at)| (at, id)).collect();
        ids.sort_unstable();
        for (index, id) in ids {
            let index = index + before;
            if *self.by_id.entry(id).or_insert(index) != index {
                document.warn("duplicate-id");
            }
        }
        let moved = |&(index, id): &(usize, u32)| (index + before, id);
        self.children.extend(part.children.iter().map(moved));
        self.parents.extend(part.parents.iter().map(moved));
        self.hits.extend(part.hits);
        let moved = |&(index, line, ticks): &(usize, u32, u32)| (index + before, line, ticks);
        self.ticks.extend(part.ticks.iter().map(moved));
        if let Some(samples) = part.samples {
            let all = self.samples.get_or_insert_default();
            // A part need not say it of all its samples.
            self.lines.resize(all.len(), 0);
            self.lines.extend(part.lines);
            all.extend(samples);
        }
        self.deltas.extend(part.deltas);
        self.start = self.start.or(part.start);
        // A part may have its own clock, as where V8's answer is put into an event: its length is that of any clock.
        let starts = self.start.zip(part.start);
        let shift = starts.map_or(0, |(of_all, of_part)| of_all.saturating_sub(of_part));
        let end = part.end.map(|end| end.saturating_add(shift));
        self.end = end.or(self.end);
    }

    /// Hands on the samples of a profile of parts; whether there are any.
    pub(crate) fn parts_hand_on(
        &mut self,
        to: Handing<'_, '_>,
        document: &Document<'_>,
        builder: &mut TraceBuilder<'_>,
    ) -> bool {
        let taken = self.samples.take().unwrap_or_default();
        self.hand_on(&taken, to, document, builder);
        !taken.is_empty()
    }

    /// Hands on the samples `taken`.
    pub(super) fn hand_on(
        &mut self,
        taken: &[u32],
        to: Handing<'_, '_>,
        document: &Document<'_>,
        builder: &mut TraceBuilder<'_>,
    ) {
        let (stacks, samples) = (to.stacks, to.samples);
        let of_node = self.stacks(stacks, document);
        let ticks = self.ticks.iter();
        for &(node, line, ticks) in ticks.filter(|it| !self.nodes[it.0].is_mapped) {
            let lines = to.ticks.entry(of_node[node]).or_default();
            lines.push((line, u64::from(ticks)));
        }
        let sampled = self.sampled(taken, &of_node, stacks, document);
        let track = samples.track(to.thread);
        let place = || document.place();
        for &(time, stack) in &sampled {
            samples.stack(track, Sample::at(time, stack), stacks, builder, place);
        }
        let last = sampled.last().map(|&(time, _)| time);
        let end = self.end.filter(|_| self.timestamps.is_empty());
        let end = end.filter(|&end| {
            let after = last.is_none_or(|last| end >= last);
            if !after {
                document.warn("end-before-start");
            }
            after
        });
        samples.end(track, end.map(Timestamp::from_ns), builder, place);
    }

    /// Links the nodes: one that several claim stays with the first.
    fn link(&mut self, document: &Document<'_>) {
        for &(index, id) in &self.children {
            match self.by_id.get(&id) {
                None => document.warn("unknown-node"),
                Some(&child) => match &mut self.nodes[child].parent {
                    Some(parent) if *parent != index => document.warn("duplicate-parent"),
                    parent => *parent = Some(index),
                },
            }
        }
        for &(index, id) in &self.parents {
            match self.by_id.get(&id) {
                None => document.warn("unknown-node"),
                Some(&parent) => {
                    self.nodes[index].parent.get_or_insert(parent);
                }
            }
        }
    }

    /// The stack of each node; a circle of nodes is cut. O(nodes).
    fn stacks(&mut self, stacks: &mut Stacks, document: &Document<'_>) -> Vec<StackId> {
        self.link(document);
        let mut of_node: Vec<Option<StackId>> = vec![None; self.nodes.len()];
        let mut on_way = vec![false; self.nodes.len()];
        let mut way = Vec::new();
        for node in 0..self.nodes.len() {
            // Outwards to a node whose stack is known, then back.
            let mut at = Some(node);
            let mut stack = StackId::EMPTY;
            while let Some(index) = at {
                if let Some(known) = of_node[index] {
                    stack = known;
                    break;
                }
                if on_way[index] {
                    document.warn("cycle");
                    break;
                }
                on_way[index] = true;
                way.push(index);
                at = self.nodes[index].parent;
            }
            while let Some(index) = way.pop() {
                stack = stacks.push_at(stack, self.nodes[index].function, 0);
                of_node[index] = Some(stack);
            }
        }
        let of_node = of_node.into_iter();
        let of_node = of_node.map(|stack| stack.unwrap_or(StackId::EMPTY));
        of_node.collect()
    }

    /// The profile of a file that tells only how often each node was found on top.
    pub(super) fn weighed(
        &mut self,
        input: &Input,
        builder: TraceBuilder<'_>,
        document: &Document<'_>,
        reporter: &Reporter,
    ) -> Recording {
        let mut stacks = Stacks::default();
        let of_node = self.stacks(&mut stacks, document);
        let place = || document.place();
        let mut contexts = ContextsBuilder::new(1, reporter);
        // By stack; the empty one is the root.
        let mut of_stack = vec![NodeId::ROOT];
        for (below, function) in stacks.all() {
            of_stack.push(contexts.child(of_stack[below.index()], function, place));
        }
        let mut samples = 0_u64;
        for (stack, &hits) in of_node.iter().zip(&self.hits) {
            // Nodes without a hit have their contexts all the same.
            contexts.add(of_stack[stack.index()], 0, hits, place);
            samples = hits.unsigned_abs().saturating_add(samples);
        }
        let value = Value {
            name: "hits".to_owned(),
            unit: units::Unit::Things("samples".to_owned()),
        };
        let (functions, trace) = builder.finish(place);
        let weights = Weights::Contexts(contexts.finish());
        let profile = profile::Profile::new(vec![value], 0, weights, functions.len());
        let lines = self.lines_by_ticks();
        let warnings = reporter.warnings();
        Recording {
            trace,
            lines,
            ..Recording::of_profile(input, FORMAT, samples, (functions, profile), warnings)
        }
    }

    /// What hits and ticks say of lines where there is nothing else.
    fn lines_by_ticks(&self) -> Option<Lines> {
        let mut lines = LinesBuilder::new(1, Knows::default());
        let mut left = self.hits.clone();
        for &(node, line, ticks) in &self.ticks {
            let place = lines.place(self.nodes[node].function, FileId::OWN, line);
            lines.add(place, 0, u64::from(ticks));
            let rest = left[node].saturating_sub(i64::from(ticks));
            left[node] = rest.max(left[node].min(0));
        }
        for (node, hits) in self.nodes.iter().zip(left) {
            let place = lines.place(node.function, FileId::OWN, 0);
            lines.add(place, 0, hits);
        }
        lines.finish()
    }

    /// The time of each sample, as far as it is known, else a usual interval after the one before it.
    fn times<'p>(
        &'p self,
        samples: usize,
        document: &Document<'_>,
    ) -> impl Iterator<Item = i64> + Clone + use<'p> {
        let absolute = !self.timestamps.is_empty();
        let given = if absolute {
            &self.timestamps
        } else {
            &self.deltas
        };
        let missing = samples.saturating_sub(given.len());
        let extra = given.len().saturating_sub(samples);
        document.warn_many("missing-time", missing as u64);
        document.warn_many("extra-time", extra as u64);
        let mut usual = 0;
        if missing > 0 || given.contains(&NO_TIME) {
            let known = given.iter().copied().filter(|&time| time != NO_TIME);
            let mut intervals: Vec<i64> = known.collect();
            if absolute {
                let pairs = intervals.windows(2);
                intervals = pairs.map(|pair| pair[1].saturating_sub(pair[0])).collect();
            }
            usual = median(&mut intervals).unwrap_or(USUAL_INTERVAL).max(0);
        }
        let mut now = self.start.filter(|_| !absolute).unwrap_or(0);
        let given = given.iter().copied().chain(std::iter::repeat(NO_TIME));
        given.take(samples).map(move |given| {
            now = match given {
                NO_TIME => now.saturating_add(usual),
                time if absolute => time,
                delta => now.saturating_add(delta),
            };
            now
        })
    }

    /// The samples in order of time, with their stacks.
    fn sampled(
        &self,
        taken: &[u32],
        of_node: &[StackId],
        stacks: &mut Stacks,
        document: &Document<'_>,
    ) -> Vec<(i64, StackId)> {
        // By id, its node; V8 numbers them without gaps.
        let mut by_id: Vec<Option<usize>> = Vec::new();
        let gaps = |&id: &u32| id as usize > 2 * self.nodes.len() + 16;
        if !self.by_id.keys().any(gaps) {
            by_id.resize(2 * self.nodes.len() + 17, None);
            for (&id, &node) in &self.by_id {
                by_id[id as usize] = Some(node);
            }
        }
        let node_of = |id: u32| match by_id.get(id as usize) {
            Some(&known) => known,
            None => self.by_id.get(&id).copied(),
        };
        let times = self.times(taken.len(), document);
        let lines = self.lines.iter().copied().chain(std::iter::repeat(0));
        let mut sampled = Vec::with_capacity(taken.len());
        for ((time, &id), line) in times.zip(taken).zip(lines) {
            match node_of(id) {
                Some(node) if line == 0 || self.nodes[node].is_mapped => {
                    sampled.push((time, of_node[node]));
                }
                Some(node) => sampled.push((time, stacks.with_line(of_node[node], line))),
                None => document.warn("unknown-node"),
            }
        }
        let backwards = samples::sort_by_time(&mut sampled);
        document.warn_many("out-of-order", backwards);
        sampled
    }
}
