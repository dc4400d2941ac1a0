//! What of a recording lies over the landscape: call relations up to a moment, and the hyperarcs of the
//! threads.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use glam::Vec3;

use super::left::Left;
use super::{ArcMode, LandscapeSettings, Moment, NO_BLOCK};
use crate::analysis::session::{Resolved, Session};
use crate::facts::trace::Relation;
use crate::layout::arcs::{
    ArcMeasure, ArcStyle, BlockRelation, Drawn, add_hyperarc, add_relations, emphasize,
};
use crate::layout::bundles::{Bundler, Ground, Path};
use crate::layout::emphasis::Emphasis;
use crate::layout::geometry::Arcs;
use crate::layout::spline;
use crate::render::theme::{Theme, linear};
use crate::units::{CallId, Cost, FunctionId, ModuleId, ThreadId, Time};
use crate::views::difference::{RelationDifference, difference_color};

/// While blocks move, their arcs are made anew in every frame: only so many.
const MOST_ON_THE_WAY: usize = 800;

/// Control points that are kept of arcs that are not drawn now: beyond that all are made again.
const MOST_POINTS: usize = 4_000_000;

/// Of differences fewer are drawn, and none that is not so many times smaller than the largest.
const MOST_DIFFERENCES: usize = 60;
const LEAST_DIFFERENCE: u64 = 200;

/// A light runs along an arc in so many half-lives of the glow.
const PULSE_HALF_LIVES: u64 = 16;

/// Hyperarcs are drawn for so many threads, and so many hops of each: enough to follow, and a bound.
const MOST_THREADS: usize = 8;
const MOST_HOPS: usize = 64;

/// So many of the innermost open functions of a thread are named.
const NAMED_OF_STACK: usize = 3;

/// One strong colour a thread, far from those of relations and activity; light ones on dark ground.
const LIGHT_THREADS: [u32; 8] = [
    0x5B2A86, 0x1F4E9E, 0x8C1D5B, 0x2E6B34, 0x3B3B3B, 0x7A4B12, 0x0E6E83, 0x9B2226,
];
const DARK_THREADS: [u32; 8] = [
    0xC48DFF, 0x8FB8FF, 0xF7A1CF, 0xA5E3A0, 0xE8E8E8, 0xF3CE8B, 0x8FE3F0, 0xFFA9A0,
];

/// The linear colour of a thread's hyperarc.
pub fn thread_color(theme: Theme, thread: ThreadId) -> [f32; 3] {
    let colors = match theme {
        Theme::Light => LIGHT_THREADS,
        Theme::Dark => DARK_THREADS,
    };
    linear(colors[thread.index() % colors.len()])
}

/// A relation that is drawn as an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Count {
    pub relation: BlockRelation,
    /// The index of its arc.
    pub arc: usize,
    /// Of a difference, before its size; else empty.
    pub sign: &'static str,
}

/// Which relation between blocks the calls of a function by a function belong to.
#[derive(Clone, Copy, Debug)]
struct Known {
    functions: (FunctionId, FunctionId),
    /// [`NO_PAIR`] within a block, and where one is hidden.
    pair: u32,
}

const NO_PAIR: u32 = u32::MAX;

/// A running summary and what it is of: a recording, and a time in it.
type Summary = Option<(usize, Time, Vec<Relation>)>;

/// Call relations and hyperarcs of one moment.
#[derive(Debug, Default)]
pub(super) struct Relations {
    arcs: Arcs,
    /// Innermost blocks of the threads' stacks, by importance.
    innermost: Vec<u32>,
    /// The running summaries of the moment shown last, of where its cel began, and of just before the range.
    now: Summary,
    before: Summary,
    base: Summary,
    /// Every pair of blocks with calls in the recording that is known, and what is shown of it.
    pairs: Vec<BlockRelation>,
    /// In order of functions, so that a summary in that order is counted by walking along.
    known: Vec<Known>,
    known_of: Option<usize>,
    /// The largest amounts of pairs over the whole recording: widths are to one scale while it plays.
    most_calls: u64,
    most_cost: u64,
    bundler: Bundler,
    drawn: Drawn,
    /// Control points from here on are of hyperarcs.
    paths_end: usize,
    stack: Vec<CallId>,
    path: Vec<u32>,
    hops: Vec<[u32; 2]>,
    /// By arc, whether it is a difference to more or to less; empty where they are no differences.
    signs: Vec<&'static str>,
    /// Of the arcs behind those of the relations, their ends and threads.
    hop_ends: Vec<([u32; 2], ThreadId)>,
}

/// What relations are shown of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub session: &'a Session,
    pub settings: &'a LandscapeSettings,
    pub ground: Ground<'a>,
    pub block_of: &'a [u32],
    pub left: &'a Left,
    /// The blocks of what is pointed at and of what is chosen; empty for nothing.
    pub wanted: &'a [Range<u32>; 2],
    /// Blocks are on their way.
    pub is_moving: bool,
}

impl Relations {
    pub fn arcs(&self) -> &Arcs {
        &self.arcs
    }

    pub fn arcs_mut(&mut self) -> &mut Arcs {
        &mut self.arcs
    }

    /// Other calls are left than before: what is known of them is of no use.
    pub fn forget(&mut self) {
        (self.now, self.before, self.base) = (None, None, None);
        self.known_of = None;
    }

    /// Blocks are elsewhere than before.
    pub fn forget_paths(&mut self) {
        for pair in &mut self.pairs {
            pair.path = Path::default();
        }
        self.arcs.points.clear();
        self.paths_end = 0;
    }

    /// How many call relations are too many to be drawn.
    pub fn left_out(&self) -> usize {
        self.drawn.left_out
    }

    /// The amount that is drawn widest.
    pub fn most(&self, measure: ArcMeasure) -> u64 {
        match measure {
            ArcMeasure::Calls => self.most_calls,
            ArcMeasure::Cost => self.most_cost,
        }
    }

    /// The arcs of some blocks, shown alone.
    pub fn emphasize(&self, ground: Ground<'_>, blocks: Range<u32>) -> Emphasis {
        if blocks.is_empty() {
            return Emphasis::default();
        }
        emphasize(ground, &self.pairs, &self.drawn, blocks)
    }

    pub fn innermost(&self) -> &[u32] {
        &self.innermost
    }

    /// The relations that are drawn, the most important first.
    pub fn counts(&self) -> impl Iterator<Item = Count> {
        let drawn = self.drawn.relations.iter().enumerate().rev();
        drawn.map(|(arc, &index)| Count {
            relation: self.pairs[index as usize],
            arc,
            sign: self.signs.get(arc).copied().unwrap_or_default(),
        })
    }

    /// The middle of an arc whose ends have risen so far.
    pub fn middle(&self, arc: usize, rises: [f32; 2]) -> Vec3 {
        let arc = self.arcs.arcs.get(arc);
        arc.map_or(Vec3::ZERO, |arc| spline::point(&self.arcs, arc, rises, 0.5))
    }

    /// Arcs for the largest differences in place of those of a moment: less in the colour of less, more in that of
    /// more; outlined where only one run has the relation.
    pub fn show_differences(
        &mut self,
        relations: &[RelationDifference],
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        block_of: &[u32],
    ) {
        self.clear();
        if settings.arcs == ArcMode::None {
            return;
        }
        let block = |module: ModuleId| {
            let block = block_of.get(module.index()).copied();
            block.filter(|&block| block != NO_BLOCK)
        };
        // By pair of blocks: the difference, and whether all of it is on one side.
        let mut between: BTreeMap<(u32, u32), (i64, bool)> = BTreeMap::new();
        for relation in relations {
            if let (Some(from), Some(to)) = (block(relation.from), block(relation.to))
                && from != to
            {
                let sum = between.entry((from, to)).or_insert((0, true));
                sum.0 = sum.0.saturating_add(relation.more);
                sum.1 &= relation.is_one_sided;
            }
        }
        // One list, so that widths of less and more are to one scale.
        let most = between.values().map(|(more, _)| more.unsigned_abs()).max();
        let most = most.unwrap_or(0);
        let least = most / LEAST_DIFFERENCE;
        self.forget();
        self.pairs.clear();
        self.pairs.extend(
            between
                .iter()
                .map(|(&(from, to), (more, _))| BlockRelation {
                    from,
                    to,
                    calls: more.unsigned_abs(),
                    step_calls: more.unsigned_abs(),
                    ..BlockRelation::default()
                }),
        );
        self.pairs.retain(|relation| relation.calls > least);
        self.forget_paths();
        self.bundler.strength = settings.bundling;
        let [less, more] = [false, true].map(|is_more| difference_color(settings.theme, is_more));
        let style = ArcStyle {
            ink: [less; 2],
            most,
            limit: MOST_DIFFERENCES,
            ..ArcStyle::default()
        };
        add_relations(
            &mut self.arcs,
            ground,
            &mut self.bundler,
            &mut self.pairs,
            &mut self.drawn,
            &style,
        );
        self.paths_end = self.arcs.points.len();
        let ink_of_more = self.arcs.inks.len() as u32;
        self.arcs.inks.push([more; 2]);
        for (arc, &index) in self.arcs.arcs.iter_mut().zip(&self.drawn.relations) {
            let relation = &mut self.pairs[index as usize];
            let (more, is_one_sided) = between[&(relation.from, relation.to)];
            let is_more = more > 0;
            if is_more {
                arc.ink = ink_of_more;
            }
            arc.is_lit = false;
            arc.outlined = is_one_sided;
            // No step is counted beside the difference.
            relation.step_calls = 0;
            self.signs.push(if is_more { "+" } else { "−" });
        }
    }

    fn clear(&mut self) {
        self.hop_ends.clear();
        self.arcs.arcs.clear();
        self.arcs.inks.clear();
        self.arcs.points.truncate(self.paths_end);
        self.drawn.clear();
        self.innermost.clear();
        self.signs.clear();
    }

    /// Brings arcs and hyperarcs to `moment`. O(relations), and no more memory than the first time.
    pub fn show(&mut self, moment: Option<Moment>, of: Shown<'_>) {
        self.clear();
        let resolved = moment.and_then(|moment| of.session.recordings.get(moment.recording));
        let (Some(moment), Some(resolved)) = (moment, resolved) else {
            return;
        };
        if of.settings.arcs != ArcMode::None {
            self.learn(resolved, moment, of);
            for pair in &mut self.pairs {
                (pair.calls, pair.step_calls, pair.cost) = (0, 0, 0);
            }
            if moment.summary {
                self.summarize(resolved, moment, of);
            } else {
                self.count(resolved, moment, of);
            }
            self.add_relations(moment, of);
        }
        if !moment.summary {
            self.add_hyperarcs(resolved, moment, of);
        }
    }

    /// Finds out which blocks call which over the whole recording, once.
    fn learn(&mut self, resolved: &Resolved, moment: Moment, of: Shown<'_>) {
        if self.known_of == Some(moment.recording) {
            return;
        }
        self.known_of = Some(moment.recording);
        let of_recording;
        let relations = match of.left.is_all() {
            true => {
                of_recording = resolved.recording.relations(None);
                of_recording.as_slice()
            }
            false => of.left.relations(),
        };
        let ends = |relation: &Relation| {
            let from = block(resolved, relation.caller, of.block_of)?;
            let to = block(resolved, relation.callee, of.block_of)?;
            (from != to).then_some((from, to))
        };
        self.known.clear();
        self.pairs.clear();
        self.forget_paths();
        // Pairs in order of functions as well, so that counting walks along both.
        let mut sorted: Vec<&Relation> = relations.iter().collect();
        sorted.sort_unstable_by_key(|relation| (relation.caller, relation.callee));
        let mut found: HashMap<(u32, u32), u32> = HashMap::new();
        for relation in sorted {
            let pair = ends(relation).map(|(from, to)| {
                *found.entry((from, to)).or_insert_with(|| {
                    self.pairs.push(BlockRelation {
                        from,
                        to,
                        ..BlockRelation::default()
                    });
                    self.pairs.len() as u32 - 1
                })
            });
            if let Some(pair) = pair.and_then(|pair| self.pairs.get_mut(pair as usize)) {
                let weight = amount(resolved, relation);
                pair.calls = pair.calls.saturating_add(weight);
                pair.cost = pair.cost.saturating_add(relation.cost.ns());
            }
            self.known.push(Known {
                functions: (relation.caller, relation.callee),
                pair: pair.unwrap_or(NO_PAIR),
            });
        }
        let most = |of: fn(&BlockRelation) -> u64| self.pairs.iter().map(of).max().unwrap_or(0);
        (self.most_calls, self.most_cost) = (most(|it| it.calls), most(|it| it.cost));
    }

    /// The ends of the arc with this index, and the thread of a hop of a hyperarc.
    pub fn ends(&self, arc: usize) -> Option<([u32; 2], Option<ThreadId>)> {
        match arc.checked_sub(self.drawn.relations.len()) {
            None => {
                let index = *self.drawn.relations.get(arc)?;
                let pair = self.pairs.get(index as usize)?;
                Some(([pair.from, pair.to], None))
            }
            Some(hop) => self.hop_ends.get(hop).map(|&(ends, of)| (ends, Some(of))),
        }
    }

    /// The relations of all calls in the range; of a profile that does not count calls, their weight.
    fn summarize(&mut self, resolved: &Resolved, moment: Moment, of: Shown<'_>) {
        let of_range;
        let relations = match of.left.is_all() {
            true => {
                of_range = resolved.recording.relations(moment.range);
                of_range.as_slice()
            }
            false => of.left.relations(),
        };
        let mut walked = 0;
        for relation in relations {
            let calls = amount(resolved, relation);
            let amounts = [calls, 0, relation.cost.ns()];
            self.add(&mut walked, resolved, relation, amounts, of.block_of);
        }
    }

    /// The relations from the start of the range up to the moment, and what the last step added.
    fn count(&mut self, resolved: &Resolved, moment: Moment, of: Shown<'_>) {
        let trace = &resolved.recording.trace;
        let Some((start, until)) = moment.window() else {
            return;
        };
        // Playing forward the cel begins where the last one ended, playing backward it ends where that began.
        let mut known = [self.now.take(), self.before.take(), self.base.take()];
        let mut summary_at = |time: Time| {
            let wanted = (moment.recording, time);
            let mut known = known.iter_mut();
            let found = known.find(|it| matches!(it, Some((of, at, _)) if (*of, *at) == wanted));
            let found = found.and_then(Option::take);
            found.map_or_else(
                || of.left.running_at(trace, time),
                |(_, _, relations)| relations,
            )
        };
        // Calls that started before the range do not count.
        let base = match start {
            Time::ZERO => Vec::new(),
            _ => summary_at(start - Cost::from_ns(1)),
        };
        let previous = moment.previous.min(until);
        let before = summary_at(previous);
        let now = summary_at(until);
        let (mut base_at, mut before_at) = (base.as_slice(), before.as_slice());
        let mut walked = 0;
        for relation in &now {
            let pair = (relation.caller, relation.callee);
            let at_base = sums_of(&mut base_at, pair);
            // A step that began before the range counts from the range on.
            let at_step = sums_of(&mut before_at, pair);
            let at_step = [0, 1].map(|sum| at_step[sum].max(at_base[sum]));
            let since = |[calls, cost]: [u64; 2]| {
                let cost = relation.cost.ns().saturating_sub(cost);
                [relation.calls.saturating_sub(calls), cost]
            };
            let [step_calls, step_cost] = since(at_step);
            let [calls, cost] = match of.settings.arcs {
                ArcMode::Step => [step_calls, step_cost],
                _ => since(at_base),
            };
            let amounts = [calls, step_calls, cost];
            self.add(&mut walked, resolved, relation, amounts, of.block_of);
        }
        self.now = Some((moment.recording, until, now));
        self.before = Some((moment.recording, previous, before));
        self.base =
            (start != Time::ZERO).then_some((moment.recording, start - Cost::from_ns(1), base));
    }

    /// Counts calls, those of the step, and cost of a relation between functions. `walked` is how far summaries in
    /// order of functions have come.
    fn add(
        &mut self,
        walked: &mut usize,
        resolved: &Resolved,
        relation: &Relation,
        [calls, step_calls, cost]: [u64; 3],
        block_of: &[u32],
    ) {
        let functions = (relation.caller, relation.callee);
        while let Some(known) = self.known.get(*walked)
            && known.functions < functions
        {
            *walked += 1;
        }
        let here = self.known.get(*walked);
        let pair = match here.filter(|known| known.functions == functions) {
            Some(known) => known.pair,
            None => {
                // Of a recording that has grown since.
                let from = block(resolved, relation.caller, block_of);
                let to = block(resolved, relation.callee, block_of);
                let mut pair = NO_PAIR;
                if let (Some(from), Some(to)) = (from, to)
                    && from != to
                {
                    let mut pairs = self.pairs.iter();
                    let found = pairs.position(|it| (it.from, it.to) == (from, to));
                    pair = found.unwrap_or(self.pairs.len()) as u32;
                    if found.is_none() {
                        self.pairs.push(BlockRelation {
                            from,
                            to,
                            ..BlockRelation::default()
                        });
                    }
                }
                self.known.insert(*walked, Known { functions, pair });
                pair
            }
        };
        if let Some(pair) = self.pairs.get_mut(pair as usize) {
            pair.calls = pair.calls.saturating_add(calls);
            pair.step_calls = pair.step_calls.saturating_add(step_calls);
            pair.cost = pair.cost.saturating_add(cost);
        }
    }

    fn add_relations(&mut self, moment: Moment, of: Shown<'_>) {
        let settings = of.settings;
        if settings.arcs == ArcMode::Selection {
            let [_, chosen] = of.wanted;
            for pair in &mut self.pairs {
                if !chosen.contains(&pair.from) && !chosen.contains(&pair.to) {
                    (pair.calls, pair.step_calls, pair.cost) = (0, 0, 0);
                }
            }
        }
        if self.bundler.strength != settings.bundling
            || self.arcs.points.len() > MOST_POINTS
            || of.is_moving
        {
            self.forget_paths();
            self.bundler.strength = settings.bundling;
        }
        let palette = settings.theme.palette();
        // Follows the recording's own time: lights run with the playback, backwards too, and rest with it.
        let period = settings
            .half_life
            .ns()
            .saturating_mul(PULSE_HALF_LIVES)
            .max(1);
        self.arcs.phase = ((moment.time.ns() % period) as f64 / period as f64) as f32;
        let limit = match of.is_moving {
            true => settings.most_arcs.min(MOST_ON_THE_WAY),
            false => settings.most_arcs,
        };
        let style = ArcStyle {
            ink: [palette.caller, palette.callee],
            measure: settings.arc_measure,
            most: self.most(settings.arc_measure),
            limit,
            wanted: of.wanted.clone(),
        };
        add_relations(
            &mut self.arcs,
            of.ground,
            &mut self.bundler,
            &mut self.pairs,
            &mut self.drawn,
            &style,
        );
        self.paths_end = self.arcs.points.len();
    }

    fn add_hyperarcs(&mut self, resolved: &Resolved, moment: Moment, of: Shown<'_>) {
        let Shown {
            settings,
            ground,
            block_of,
            left,
            ..
        } = of;
        let trace = &resolved.recording.trace;
        let mut shown = 0;
        for thread in trace.thread_ids() {
            if shown == MOST_THREADS {
                break;
            }
            trace.stack_at(thread, moment.time, &mut self.stack);
            let calls = left.stack(trace, thread, &self.stack);
            self.path.clear();
            self.path
                .extend(calls.filter_map(|call| block(resolved, call.function, block_of)));
            self.path.dedup();
            let Some(&innermost) = self.path.last() else {
                continue;
            };
            shown += 1;
            self.innermost.push(innermost);
            let named = self.path.iter().rev().skip(1).take(NAMED_OF_STACK - 1);
            self.innermost.extend(named);
            if settings.arcs == ArcMode::None {
                continue;
            }
            let color = thread_color(settings.theme, thread);
            // Recursion goes the same ways again and again: each is drawn once. The innermost count.
            self.hops.clear();
            for hop in self.path.windows(2).rev().map(|hop| [hop[0], hop[1]]) {
                if self.hops.len() < MOST_HOPS && !self.hops.contains(&hop) {
                    self.hops.push(hop);
                }
            }
            self.hops.reverse();
            add_hyperarc(&mut self.arcs, ground, &self.hops, color);
            self.hop_ends
                .extend(self.hops.iter().map(|&hop| (hop, thread)));
        }
    }
}

/// Calls and cost of a pair in a summary sorted by pair, of which what lies before the pair is dropped.
fn sums_of(sorted: &mut &[Relation], pair: (FunctionId, FunctionId)) -> [u64; 2] {
    while let Some((first, rest)) = sorted.split_first() {
        match (first.caller, first.callee).cmp(&pair) {
            Ordering::Less => *sorted = rest,
            Ordering::Equal => return [first.calls, first.cost.ns()],
            Ordering::Greater => break,
        }
    }
    [0; 2]
}

/// The calls of a relation; of a profile that does not count calls, their weight.
fn amount(resolved: &Resolved, relation: &Relation) -> u64 {
    match resolved.recording.counts_calls() {
        true => relation.calls,
        false => relation.cost.ns(),
    }
}

/// The block that stands for a function; none for one that is hidden.
fn block(resolved: &Resolved, function: FunctionId, block_of: &[u32]) -> Option<u32> {
    let module = resolved.resolution.modules.get(function.index())?;
    let block = block_of.get(module.index()).copied();
    block.filter(|&block| block != NO_BLOCK)
}
