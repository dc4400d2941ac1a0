//! V8's CPU profiles, `.cpuprofile`. Specification: the DevTools protocol, type `Profiler.Profile`,
//! <https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile>.
//!
//! Read are the nodes (a tree of call frames, linked by `children` or by `parent`), the samples, each a node,
//! and the time between them: `timeDeltas` from `startTime`, in microseconds, or `timestamps` as they were
//! written before 2016. In a profile without samples, the hit counts of nodes are: it has no times then, and is a
//! profile of weights. Not read are hit counts beside samples, from which they differ a little, and
//! reasons for deoptimisation. The nested `head` of before 2016 is read as nodes.
//!
//! `positionTicks` say how often each line of a node was found running: lines share the time of their node by these. In
//! the parts that Chrome writes, `lines` says it of each sample. From which line a call was made is not told.
//!
//! V8 takes samples in an order that is not always that of their times, so deltas are negative now and then:
//! samples are put in order of time, and counted. `(root)`, `(program)`, `(idle)` and `(garbage collector)`
//! are functions of V8's own and are kept as they stand in the tree. Lines are counted from 0 in the file,
//! from 1 here; a `file:` URL is a path here, and a `node:` URL belongs to the library node.

use std::collections::HashMap;

use super::decimal::Unit;
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::samples::{self, Sample, Samples, StackId, Stacks, Ticks, median};
use callscape_base::progress::Progress;
use callscape_base::units::{self, FunctionId, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;
use callscape_facts::lines::{FileId, Knows, Lines, LinesBuilder};
use callscape_facts::profile::{self, Value, Weights};
use callscape_facts::recording::Recording;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "cpuprofile";

/// Whether a file that begins with `head` is a profile of V8: nodes with call frames.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    ["", "profile.", "cpuProfile.", "result.profile."]
        .iter()
        .any(|around| {
            let inside = paths.iter().filter_map(|path| path.strip_prefix(around));
            let has = |path: &str| inside.clone().any(|found| found == path);
            has("nodes.callFrame")
                || has("timeDeltas")
                // Deeper members do not show.
                || (around.len() > 10 && has("nodes"))
                || (has("head.functionName") && has("head.children"))
        })
}

/// Reads a profile. O(nodes + samples + calls), samples in order of time.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut builder = TraceBuilder::new(&reporter);
    let mut profile = Profile::default();
    profile.members(&mut document, &mut builder, MOST_AROUND)?;
    document.close()?;
    let taken = profile.samples.take();
    let none = taken.as_ref().is_none_or(Vec::is_empty);
    if none && profile.hits.iter().any(|&hits| hits > 0) {
        return Ok(profile.weighed(input, builder, &document, &reporter));
    }
    let Some(taken) = taken else {
        let expected = "a member samples with an array, or nodes with hit counts";
        return Err(document.error(expected, "none"));
    };
    let thread = builder.thread("", "1");
    let mut samples = Samples::of(&reporter, samplers::only(FORMAT));
    samples.allow(document.offset());
    let place = || document.place();
    let (mut stacks, mut ticks) = (Stacks::default(), Ticks::default());
    let of = Handing {
        thread,
        stacks: &mut stacks,
        ticks: &mut ticks,
        samples: &mut samples,
    };
    profile.hand_on(&taken, of, &document, &mut builder);
    let sampled = samples.finish(&stacks, &mut builder, place);
    let lines = sampled.innermost_lines(&stacks, &ticks);
    let calls = builder.finish(place);
    let weighed = sampled.weighed(&stacks, (&calls.0, &calls.1));
    let warnings = reporter.warnings();
    let samples = Some(sampled.samples);
    let recording = Recording::of_calls(input, FORMAT, samples, calls, warnings);
    Ok(recording.with_lines(lines).with_weights(weighed))
}

/// What the samples of a profile are handed on to.
pub(super) struct Handing<'h, 'r> {
    pub thread: ThreadId,
    pub stacks: &'h mut Stacks,
    pub ticks: &'h mut Ticks,
    pub samples: &'h mut Samples<'r>,
}

/// How many objects may lie around a profile: what DevTools answers, and what people store, wrap it.
const MOST_AROUND: u32 = 3;

/// Where a time or an id is none.
const NO_TIME: i64 = i64::MIN;
const NO_NODE: u32 = u32::MAX;

/// The interval between samples that V8 takes unless told otherwise, in nanoseconds.
const USUAL_INTERVAL: i64 = 1_000_000;

/// A call frame in the tree.
#[derive(Clone, Copy)]
struct Node {
    function: FunctionId,
    /// The index of the node around it.
    parent: Option<usize>,
}

/// A profile, or a part of one.
#[derive(Default)]
pub(super) struct Profile {
    nodes: Vec<Node>,
    /// By id, the index of the node.
    by_id: HashMap<u32, usize, BuildFast>,
    /// The index of a node and the id of one inside it.
    children: Vec<(usize, u32)>,
    /// The index of a node and the id of the one around it.
    parents: Vec<(usize, u32)>,
    /// The ids of their nodes, or [`NO_NODE`]; none before the array.
    samples: Option<Vec<u32>>,
    /// By node, how many samples found it on top, so far as it says.
    hits: Vec<u32>,
    /// The index of a node, a line of it from 1, and how often that ran.
    ticks: Vec<(usize, u32, u32)>,
    /// By sample, the line that ran, from 1; 0 where it does not say.
    lines: Vec<u32>,
    /// These and the following may be [`NO_TIME`].
    deltas: Vec<i64>,
    timestamps: Vec<i64>,
    start: Option<i64>,
    end: Option<i64>,
}

/// A node while it is read, and where its function stands.
struct Reading {
    index: usize,
    /// Its children come next.
    in_children: bool,
    name: String,
    url: String,
    /// From 0; none where unknown.
    line: Option<u32>,
    column: Option<u32>,
}

impl Reading {
    fn function(&self, builder: &mut TraceBuilder<'_>) -> FunctionId {
        let (file, library) = match self.url.strip_prefix("file://") {
            Some(path) => (percent_decoded(path), ""),
            None if self.url.starts_with("node:") => (self.url.clone(), "node"),
            None => (self.url.clone(), ""),
        };
        let from_one = |number: Option<u32>| number.map_or(0, |number| number.saturating_add(1));
        let function = Function {
            name: match self.name.as_str() {
                "" => "(anonymous)",
                name => name,
            },
            file: &file,
            line: from_one(self.line),
            library,
        };
        builder.function_at(function, from_one(self.column))
    }

    /// Takes a member that says where the function stands; others are skipped.
    fn location(&mut self, member: Member, document: &mut Document<'_>) -> Result<(), ImportError> {
        match member {
            Member::Name => self.name = document.text()?,
            Member::Url => self.url = document.text()?,
            Member::Line => self.line = document.index()?,
            Member::Column => self.column = document.index()?,
            _ => document.skip()?,
        }
        Ok(())
    }
}

/// The members of a node and of its call frame that matter.
#[derive(Clone, Copy)]
enum Member {
    Id,
    Parent,
    Children,
    CallFrame,
    Name,
    Url,
    Line,
    Column,
    Hits,
    Ticks,
    Other,
}

impl Member {
    fn new(key: &[u8]) -> Member {
        match key {
            b"id" => Member::Id,
            b"parent" => Member::Parent,
            b"children" => Member::Children,
            b"callFrame" => Member::CallFrame,
            b"functionName" => Member::Name,
            b"url" => Member::Url,
            b"lineNumber" => Member::Line,
            b"columnNumber" => Member::Column,
            b"hitCount" => Member::Hits,
            b"positionTicks" => Member::Ticks,
            _ => Member::Other,
        }
    }
}

impl Profile {
    /// Reads the object that stands next: a part of a profile, such as Chrome writes as a row of events.
    pub(super) fn part(
        document: &mut Document<'_>,
        builder: &mut TraceBuilder<'_>,
    ) -> Result<Profile, ImportError> {
        let mut part = Profile::default();
        part.members(document, builder, 1)?;
        Ok(part)
    }

    /// Adds the part that follows.
    pub(super) fn add(&mut self, part: Profile, document: &Document<'_>) {
        let before = self.nodes.len();
        self.nodes.extend(part.nodes.iter().map(|node| Node {
            function: node.function,
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
    pub(super) fn parts_hand_on(
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
    fn hand_on(
        &mut self,
        taken: &[u32],
        to: Handing<'_, '_>,
        document: &Document<'_>,
        builder: &mut TraceBuilder<'_>,
    ) {
        let (stacks, samples) = (to.stacks, to.samples);
        let of_node = self.stacks(stacks, document);
        for &(node, line, ticks) in &self.ticks {
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

    /// Reads the object that stands next: the profile, or what lies around it in at most so many levels.
    fn members(
        &mut self,
        document: &mut Document<'_>,
        builder: &mut TraceBuilder<'_>,
        around: u32,
    ) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            match key {
                b"nodes" => {
                    if document.array()? {
                        while document.element()? {
                            self.node(document, builder)?;
                        }
                    }
                }
                b"head" => self.node(document, builder)?,
                b"samples" => {
                    if document.array()? {
                        let samples = self.samples.get_or_insert_default();
                        loop {
                            let id = |id| u32::try_from(id).unwrap_or(NO_NODE);
                            document.integers(|number| samples.push(id(number)))?;
                            if !document.element()? {
                                break;
                            }
                            samples.push(document.index()?.unwrap_or(NO_NODE));
                        }
                    }
                }
                b"lines" => {
                    if document.array()? {
                        while document.element()? {
                            self.lines.push(document.index()?.unwrap_or(0));
                        }
                    }
                }
                b"timeDeltas" => {
                    if document.array()? {
                        let deltas = &mut self.deltas;
                        loop {
                            let ns = |us: i64| us.checked_mul(1000).unwrap_or(NO_TIME);
                            document.integers(|number| deltas.push(ns(number)))?;
                            if !document.element()? {
                                break;
                            }
                            let delta = document.time(Unit::Microseconds)?;
                            deltas.push(delta.unwrap_or(NO_TIME));
                        }
                    }
                }
                b"timestamps" => {
                    if document.array()? {
                        while document.element()? {
                            let time = document.time(Unit::Microseconds)?;
                            self.timestamps.push(time.unwrap_or(NO_TIME));
                        }
                    }
                }
                // Seconds where the times of samples are `timestamps`, but those are not relative to it.
                b"startTime" => self.start = document.time(Unit::Microseconds)?,
                b"endTime" => self.end = document.time(Unit::Microseconds)?,
                b"profile" | b"cpuProfile" | b"result" if around > 0 => {
                    if document.next()? == Next::Object {
                        self.members(document, builder, around - 1)?;
                    } else {
                        document.skip()?;
                    }
                }
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn start_node(&mut self, parent: Option<usize>) -> Reading {
        self.nodes.push(Node {
            // Known when the node has been read.
            function: FunctionId(0),
            parent,
        });
        self.hits.push(0);
        Reading {
            index: self.nodes.len() - 1,
            in_children: false,
            name: String::new(),
            url: String::new(),
            line: None,
            column: None,
        }
    }

    /// Reads the node that stands next, with all that are nested in it.
    fn node(
        &mut self,
        document: &mut Document<'_>,
        builder: &mut TraceBuilder<'_>,
    ) -> Result<(), ImportError> {
        let mut open = Vec::new();
        if document.object()? {
            open.push(self.start_node(None));
        }
        while let Some(node) = open.last_mut() {
            if node.in_children {
                if !document.element()? {
                    node.in_children = false;
                } else if document.next()? == Next::Object {
                    document.object()?;
                    let parent = node.index;
                    open.push(self.start_node(Some(parent)));
                } else if let Some(id) = document.index()? {
                    self.children.push((node.index, id));
                }
                continue;
            }
            let Some(member) = document.member()?.map(Member::new) else {
                self.nodes[node.index].function = node.function(builder);
                open.pop();
                continue;
            };
            match member {
                Member::Id => {
                    if let Some(id) = document.index()? {
                        let index = node.index;
                        // The first of an id keeps it.
                        if *self.by_id.entry(id).or_insert(index) != index {
                            document.warn("duplicate-id");
                        }
                    }
                }
                Member::Parent => {
                    if let Some(id) = document.index()? {
                        self.parents.push((node.index, id));
                    }
                }
                Member::Hits => self.hits[node.index] = document.index()?.unwrap_or(0),
                Member::Ticks => {
                    let index = node.index;
                    self.ticks_of(index, document)?;
                }
                Member::Children => node.in_children = document.array()?,
                Member::CallFrame => {
                    if document.object()? {
                        while let Some(member) = document.member()?.map(Member::new) {
                            node.location(member, document)?;
                        }
                    }
                }
                other => node.location(other, document)?,
            }
        }
        Ok(())
    }

    /// Reads how often each line of a node ran.
    fn ticks_of(&mut self, node: usize, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            let (mut line, mut ticks) = (0, 0);
            if document.object()? {
                while let Some(key) = document.member()? {
                    match key {
                        b"line" => line = document.index()?.unwrap_or(0),
                        b"ticks" => ticks = document.index()?.unwrap_or(0),
                        _ => document.skip()?,
                    }
                }
            }
            self.ticks.push((node, line, ticks));
        }
        Ok(())
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
    fn weighed(
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
        let mut samples = 0;
        for (stack, &hits) in of_node.iter().zip(&self.hits) {
            // Nodes without a hit have their contexts all the same.
            contexts.add(of_stack[stack.index()], 0, u64::from(hits), place);
            samples += u64::from(hits);
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
        let mut left: Vec<u32> = self.hits.clone();
        for &(node, line, ticks) in &self.ticks {
            let place = lines.place(self.nodes[node].function, FileId::OWN, line);
            lines.add(place, 0, u64::from(ticks));
            left[node] = left[node].saturating_sub(ticks);
        }
        for (node, hits) in self.nodes.iter().zip(left) {
            let place = lines.place(node.function, FileId::OWN, 0);
            lines.add(place, 0, u64::from(hits));
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
        // By id, the stack of its node; V8 numbers them without gaps.
        let mut by_id: Vec<Option<StackId>> = Vec::new();
        let gaps = |&id: &u32| id as usize > 2 * self.nodes.len() + 16;
        if !self.by_id.keys().any(gaps) {
            by_id.resize(2 * self.nodes.len() + 17, None);
            for (&id, &node) in &self.by_id {
                by_id[id as usize] = Some(of_node[node]);
            }
        }
        let stack_of = |id: u32| match by_id.get(id as usize) {
            Some(&known) => known,
            None => self.by_id.get(&id).map(|&node| of_node[node]),
        };
        let times = self.times(taken.len(), document);
        let lines = self.lines.iter().copied().chain(std::iter::repeat(0));
        let mut sampled = Vec::with_capacity(taken.len());
        for ((time, &id), line) in times.zip(taken).zip(lines) {
            match stack_of(id) {
                Some(stack) if line == 0 => sampled.push((time, stack)),
                Some(stack) => sampled.push((time, stacks.with_line(stack, line))),
                None => document.warn("unknown-node"),
            }
        }
        let backwards = samples::sort_by_time(&mut sampled);
        document.warn_many("out-of-order", backwards);
        sampled
    }
}

/// A path from a URL: `%20` is a space.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_become_paths() {
        for (url, path) in [
            ("/src/a.js", "/src/a.js"),
            ("/my%20dir/%C3%A9.js", "/my dir/é.js"),
            ("/100%", "/100%"),
            ("/%+1", "/%+1"),
            ("/%ff", "/\u{fffd}"),
        ] {
            assert_eq!(percent_decoded(url), path);
        }
    }
}
