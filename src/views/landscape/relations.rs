//! What of a recording lies over the landscape: call relations up to a moment, and the hyperarcs of the
//! threads.

use std::collections::BTreeSet;

use super::{ArcMode, LandscapeSettings, Moment};
use crate::analysis::session::{Resolved, Session};
use crate::facts::trace::Relation;
use crate::layout::arcs::{ArcColors, BlockRelation, Ground, add_hyperarc, add_relations};
use crate::layout::geometry::Arcs;
use crate::render::theme::{Theme, linear};
use crate::units::{CallId, FunctionId, ThreadId, Time};

/// More arcs than this hide the city; the most frequent and those of the last step are drawn.
const MOST_RELATIONS: usize = 240;

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

/// The running summary of a recording at a time.
type Summary = (usize, Time, Vec<Relation>);

/// The calls of a summary, asked for in order of caller and callee.
struct Counts<'a> {
    left: std::slice::Iter<'a, Relation>,
}

impl<'a> Counts<'a> {
    fn new(summary: &'a [Relation]) -> Counts<'a> {
        Counts {
            left: summary.iter(),
        }
    }

    fn of(&mut self, pair: (FunctionId, FunctionId)) -> u64 {
        while let Some(relation) = self.left.as_slice().first() {
            let next = (relation.caller, relation.callee);
            if next > pair {
                break;
            }
            self.left.next();
            if next == pair {
                return relation.calls;
            }
        }
        0
    }
}

/// Call relations and hyperarcs of one moment.
#[derive(Debug, Default)]
pub(super) struct Relations {
    arcs: Arcs,
    left_out: usize,
    /// Innermost blocks of the threads' stacks, by importance.
    innermost: Vec<u32>,
    /// The running summary of the moment shown last.
    summary: Option<Summary>,
    /// The same at the start of the range.
    base: Option<Summary>,
    between: Vec<BlockRelation>,
    stack: Vec<CallId>,
    path: Vec<u32>,
    hops: Vec<[u32; 2]>,
}

impl Relations {
    pub fn arcs(&self) -> &Arcs {
        &self.arcs
    }

    /// How many call relations are too many to be drawn.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    pub fn innermost(&self) -> &[u32] {
        &self.innermost
    }

    /// Brings arcs and hyperarcs to `moment`.
    pub fn show(
        &mut self,
        session: &Session,
        moment: Option<Moment>,
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        block_of: &[u32],
    ) {
        self.arcs.arcs.clear();
        self.arcs.points.clear();
        self.innermost.clear();
        self.left_out = 0;
        let resolved = moment.and_then(|moment| session.recordings.get(moment.recording));
        let (Some(moment), Some(resolved)) = (moment, resolved) else {
            return;
        };
        if settings.arcs != ArcMode::None {
            self.add_relations(resolved, moment, settings, ground, block_of);
        }
        self.add_hyperarcs(resolved, moment, settings, ground, block_of);
    }

    fn add_relations(
        &mut self,
        resolved: &Resolved,
        moment: Moment,
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        block_of: &[u32],
    ) {
        let trace = &resolved.recording.trace;
        let Some((start, until)) = moment.window() else {
            return;
        };
        let summary_at = |time: Time, known: Option<Summary>| match known {
            Some((recording, at, relations)) if (recording, at) == (moment.recording, time) => {
                relations
            }
            _ => trace.running(time),
        };
        let previous = moment.previous.clamp(start, until);
        let before = summary_at(previous, self.summary.take());
        let now = summary_at(until, None);
        // What happened before the range does not count.
        let base = match moment.range {
            Some(_) => summary_at(start, self.base.take()),
            None => Vec::new(),
        };

        // All summaries are sorted by caller and callee.
        let mut earlier = Counts::new(&before);
        let mut outside = Counts::new(&base);
        self.between.clear();
        for relation in &now {
            let pair = (relation.caller, relation.callee);
            let calls = relation.calls.saturating_sub(outside.of(pair));
            let step_calls = relation.calls.saturating_sub(earlier.of(pair));
            let from = block(resolved, relation.caller, block_of);
            let to = block(resolved, relation.callee, block_of);
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            let calls = match settings.arcs {
                ArcMode::Step => step_calls,
                _ => calls,
            };
            if from != to && calls > 0 {
                self.between.push(BlockRelation {
                    from,
                    to,
                    calls,
                    step_calls,
                });
            }
        }
        self.summary = Some((moment.recording, until, now));
        self.base = Some((moment.recording, start, base)).filter(|_| moment.range.is_some());

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
    ) {
        let trace = &resolved.recording.trace;
        let mut shown = 0;
        for thread in trace.thread_ids() {
            if shown == MOST_THREADS {
                break;
            }
            trace.stack_at(thread, moment.time, &mut self.stack);
            let functions = self
                .stack
                .iter()
                .map(|&call| trace.call(thread, call).function);
            self.path.clear();
            self.path
                .extend(functions.filter_map(|function| block(resolved, function, block_of)));
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
        }
    }
}

/// The block that stands for a function.
fn block(resolved: &Resolved, function: FunctionId, block_of: &[u32]) -> Option<u32> {
    let module = resolved.resolution.modules.get(function.index())?;
    block_of.get(module.index()).copied()
}
