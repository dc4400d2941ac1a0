//! What of a recording lies over the landscape: call relations up to a moment, and the hyperarcs of the
//! threads.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::left::Left;
use super::{ArcMode, LandscapeSettings, Moment, NO_BLOCK};
use crate::analysis::session::{Resolved, Session};
use crate::facts::trace::Relation;
use crate::layout::arcs::{ArcColors, BlockRelation, Ground, add_hyperarc, add_relations};
use crate::layout::geometry::Arcs;
use crate::layout::spline;
use crate::render::theme::{Theme, linear};
use crate::units::{CallId, Cost, FunctionId, ModuleId, ThreadId, Time};
use crate::views::difference::difference_color;

/// More arcs than this hide the city; the most frequent and those of the last step are drawn.
const MOST_RELATIONS: usize = 240;

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
    0xC9A2F5, 0x8FB8FF, 0xF7A1CF, 0xA5E3A0, 0xE8E8E8, 0xF3CE8B, 0x8FE3F0, 0xFFA9A0,
];

/// The linear colour of a thread's hyperarc.
pub fn thread_color(theme: Theme, thread: ThreadId) -> [f32; 3] {
    let colors = match theme {
        Theme::Light => LIGHT_THREADS,
        Theme::Dark => DARK_THREADS,
    };
    linear(colors[thread.index() % colors.len()])
}

/// The number of calls of a relation that is drawn as an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Count {
    pub relation: BlockRelation,
    /// The middle of its arc.
    pub at: Vec3,
    /// Of a difference, before its size; else empty.
    pub sign: &'static str,
}

/// How two runs differ in a call relation between functions, or between modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelationDifference {
    pub from: ModuleId,
    pub to: ModuleId,
    /// What B has more than A.
    pub more: i64,
    /// Whether only one of them has it.
    pub is_one_sided: bool,
}

/// A running summary and what it is of: a recording, and a time in it.
type Summary = Option<(usize, Time, Vec<Relation>)>;

/// Call relations and hyperarcs of one moment.
#[derive(Debug, Default)]
pub(super) struct Relations {
    arcs: Arcs,
    left_out: usize,
    /// Innermost blocks of the threads' stacks, by importance.
    innermost: Vec<u32>,
    /// The running summaries of the moment shown last, of where its cel began, and of just before the range.
    now: Summary,
    before: Summary,
    base: Summary,
    /// The relations of the moment, those that are drawn last in the order of their arcs.
    between: Vec<BlockRelation>,
    stack: Vec<CallId>,
    path: Vec<u32>,
    hops: Vec<[u32; 2]>,
    /// By relation, whether it is a difference to more or to less; empty where they are no differences.
    signs: Vec<&'static str>,
    /// Of the arcs behind those of the relations, their ends and threads.
    hop_ends: Vec<([u32; 2], ThreadId)>,
}

impl Relations {
    pub fn arcs(&self) -> &Arcs {
        &self.arcs
    }

    /// Other calls are left than before: running summaries that are known are of no use.
    pub fn forget(&mut self) {
        (self.now, self.before, self.base) = (None, None, None);
    }

    /// How many call relations are too many to be drawn.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    pub fn innermost(&self) -> &[u32] {
        &self.innermost
    }

    /// The relations that are drawn, the most important first.
    pub fn counts(&self) -> impl Iterator<Item = Count> {
        let drawn = self.between.iter().zip(&self.arcs.arcs).enumerate().rev();
        drawn.map(|(index, (&relation, arc))| Count {
            relation,
            at: spline::point(&self.arcs, arc, 0.5),
            sign: self.signs.get(index).copied().unwrap_or_default(),
        })
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
        let least = most.unwrap_or(0) / LEAST_DIFFERENCE;
        self.between = between
            .iter()
            .map(|(&(from, to), (more, _))| BlockRelation {
                from,
                to,
                calls: more.unsigned_abs(),
                step_calls: more.unsigned_abs(),
            })
            .filter(|relation| relation.calls > least)
            .collect();
        let colors = ArcColors {
            caller: difference_color(settings.theme, false),
            callee: difference_color(settings.theme, true),
        };
        self.left_out = add_relations(
            &mut self.arcs,
            ground,
            &mut self.between,
            colors,
            MOST_DIFFERENCES,
            0.0,
        );
        for (arc, relation) in self.arcs.arcs.iter_mut().zip(&mut self.between) {
            let (more, is_one_sided) = between[&(relation.from, relation.to)];
            let is_more = more > 0;
            let [r, g, b] = if is_more {
                colors.callee
            } else {
                colors.caller
            };
            for color in [&mut arc.from, &mut arc.to] {
                let alpha = color[3];
                *color = [r, g, b, alpha];
            }
            arc.pulse = -1.0;
            arc.outlined = is_one_sided;
            // No step is counted beside the difference.
            relation.step_calls = 0;
            self.signs.push(if is_more { "+" } else { "−" });
        }
    }

    fn clear(&mut self) {
        self.hop_ends.clear();
        self.arcs.arcs.clear();
        self.arcs.points.clear();
        self.between.clear();
        self.innermost.clear();
        self.left_out = 0;
        self.signs.clear();
    }

    /// Brings arcs and hyperarcs to `moment`.
    pub fn show(
        &mut self,
        session: &Session,
        moment: Option<Moment>,
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        block_of: &[u32],
        left: &Left,
    ) {
        self.clear();
        let resolved = moment.and_then(|moment| session.recordings.get(moment.recording));
        let (Some(moment), Some(resolved)) = (moment, resolved) else {
            return;
        };
        if settings.arcs != ArcMode::None {
            if moment.summary && !left.is_all() {
                for relation in left.relations() {
                    let from = block(resolved, relation.caller, block_of);
                    let to = block(resolved, relation.callee, block_of);
                    self.add(from, to, relation.calls, 0);
                }
            } else if moment.summary {
                self.summarize(resolved, moment, block_of);
            } else {
                self.count(resolved, moment, settings, block_of, left);
            }
            self.add_relations(moment, settings, ground);
        }
        if !moment.summary {
            self.add_hyperarcs(resolved, moment, settings, ground, block_of, left);
        }
    }

    /// The ends of the arc with this index, and the thread of a hop of a hyperarc.
    pub fn ends(&self, arc: usize) -> Option<([u32; 2], Option<ThreadId>)> {
        match arc.checked_sub(self.between.len()) {
            None => self.between.get(arc).map(|it| ([it.from, it.to], None)),
            Some(hop) => self.hop_ends.get(hop).map(|&(ends, of)| (ends, Some(of))),
        }
    }

    /// The relations of all calls in the range; of a profile that does not count calls, their weight.
    fn summarize(&mut self, resolved: &Resolved, moment: Moment, block_of: &[u32]) {
        let counts_calls = resolved.recording.counts_calls();
        for relation in resolved.recording.relations(moment.range) {
            let from = block(resolved, relation.caller, block_of);
            let to = block(resolved, relation.callee, block_of);
            let weight = match counts_calls {
                true => relation.calls,
                false => relation.cost.ns(),
            };
            self.add(from, to, weight, 0);
        }
    }

    /// The relations from the start of the range up to the moment, and what the last step added.
    fn count(
        &mut self,
        resolved: &Resolved,
        moment: Moment,
        settings: &LandscapeSettings,
        block_of: &[u32],
        left: &Left,
    ) {
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
                || left.running_at(trace, time),
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
        for relation in &now {
            let pair = (relation.caller, relation.callee);
            let at_base = calls_of(&mut base_at, pair);
            // A step that began before the range counts from the range on.
            let at_step = calls_of(&mut before_at, pair).max(at_base);
            let step_calls = relation.calls.saturating_sub(at_step);
            let calls = match settings.arcs {
                ArcMode::Step => step_calls,
                _ => relation.calls.saturating_sub(at_base),
            };
            let from = block(resolved, relation.caller, block_of);
            let to = block(resolved, relation.callee, block_of);
            self.add(from, to, calls, step_calls);
        }
        self.now = Some((moment.recording, until, now));
        self.before = Some((moment.recording, previous, before));
        self.base =
            (start != Time::ZERO).then_some((moment.recording, start - Cost::from_ns(1), base));
    }

    fn add(&mut self, from: Option<u32>, to: Option<u32>, calls: u64, step_calls: u64) {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
            && calls > 0
        {
            self.between.push(BlockRelation {
                from,
                to,
                calls,
                step_calls,
            });
        }
    }

    fn add_relations(&mut self, moment: Moment, settings: &LandscapeSettings, ground: Ground<'_>) {
        self.between.sort_unstable_by_key(|it| (it.from, it.to));
        self.between.dedup_by(|next, kept| {
            let same = (next.from, next.to) == (kept.from, kept.to);
            if same {
                kept.calls = kept.calls.saturating_add(next.calls);
                kept.step_calls = kept.step_calls.saturating_add(next.step_calls);
            }
            same
        });
        let palette = settings.theme.palette();
        let colors = ArcColors {
            caller: palette.caller,
            callee: palette.callee,
        };
        // Follows the recording's own time: lights run with the playback, backwards too, and rest with it.
        let period = settings
            .half_life
            .ns()
            .saturating_mul(PULSE_HALF_LIVES)
            .max(1);
        let phase = (moment.time.ns() % period) as f64 / period as f64;
        self.left_out = add_relations(
            &mut self.arcs,
            ground,
            &mut self.between,
            colors,
            MOST_RELATIONS,
            phase as f32,
        );
    }

    fn add_hyperarcs(
        &mut self,
        resolved: &Resolved,
        moment: Moment,
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        block_of: &[u32],
        left: &Left,
    ) {
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
            let mut seen = BTreeSet::new();
            for hop in self.path.windows(2).rev().map(|hop| [hop[0], hop[1]]) {
                if self.hops.len() < MOST_HOPS && seen.insert(hop) {
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

/// The calls of a pair in a summary sorted by pair, of which what lies before the pair is dropped.
fn calls_of(sorted: &mut &[Relation], pair: (FunctionId, FunctionId)) -> u64 {
    while let Some((first, rest)) = sorted.split_first() {
        match (first.caller, first.callee).cmp(&pair) {
            Ordering::Less => *sorted = rest,
            Ordering::Equal => return first.calls,
            Ordering::Greater => break,
        }
    }
    0
}

/// The block that stands for a function; none for one that is hidden.
fn block(resolved: &Resolved, function: FunctionId, block_of: &[u32]) -> Option<u32> {
    let module = resolved.resolution.modules.get(function.index())?;
    let block = block_of.get(module.index()).copied();
    block.filter(|&block| block != NO_BLOCK)
}
