//! How often displayed blocks call each other up to a moment, and how often in its cel.
//!
//! While it plays, one moment follows the other: only what the time between adds is looked at. After a jump all is summed
//! up anew.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use super::ends::EndsOf;
use callscape_analysis::session::Resolved;
use callscape_base::units::{Cost, FunctionId, Time};
use callscape_facts::trace::{Relation, StackRoom, Trace};
use callscape_layout::block_relation::BlockRelation;
use callscape_model::arcs::ArcMode;
use callscape_model::left::Left;
use callscape_model::moment::Moment;

/// More calls than this in a step are not looked at one by one.
const MOST_IN_STEP: u32 = 4_096;

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

/// What the amounts of pairs are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holds {
    #[default]
    Nothing,
    /// All calls from the start of a range on, up to a time.
    Since { start: Time, until: Time },
    /// Those of a cel alone.
    Step,
    /// All of the recording, and those of a cel.
    Whole,
}

impl Holds {
    /// Where not all calls up to a time are held, but a cel.
    fn of_cel(arcs: ArcMode) -> Option<Holds> {
        match arcs {
            ArcMode::Step => Some(Holds::Step),
            ArcMode::Whole => Some(Holds::Whole),
            _ => None,
        }
    }
}

/// Which calls are counted, and between which blocks.
#[derive(Clone, Debug)]
pub(super) struct Calls<'a> {
    pub left: &'a Left,
    pub ends: EndsOf<'a>,
    /// Whether those of the cel alone are meant, or those of the whole recording.
    pub arcs: ArcMode,
}

/// Amounts by pair of blocks.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// Every pair of blocks with calls in the recording that is known, and what is shown of it.
    pub pairs: Vec<BlockRelation>,
    /// The pairs whose amounts the last count changed, some of them more than once; none where that may be any.
    pub changed: Option<Vec<u32>>,
    /// The largest amounts of pairs over the whole recording: widths are to one scale while it plays.
    pub most_calls: u64,
    pub(crate) most_cost: u64,
    /// In order of functions, so that a summary in that order is counted by walking along.
    known: Vec<Known>,
    known_of: Option<(usize, (u32, Range<u32>))>,
    holds: Holds,
    /// Calls and cost of each pair over the whole recording.
    whole: Vec<[u64; 2]>,
    /// The pairs that have calls in the cel.
    stepped: Vec<u32>,
    /// The running summaries of the moment summed up last, of where its cel began, and of just before the range.
    now: Summary,
    before: Summary,
    base: Summary,
    room: StackRoom,
    spare: Vec<u32>,
}

impl Counting {
    /// Other calls are left than before: what is known of them is of no use.
    pub(super) fn forget(&mut self) {
        (self.now, self.before, self.base) = (None, None, None);
        self.known_of = None;
        self.holds = Holds::Nothing;
    }

    /// Finds out which blocks call which over the whole recording, once. Whether it was not known yet.
    pub(crate) fn learn(&mut self, resolved: &Resolved, moment: Moment, of: &Calls<'_>) -> bool {
        let known_of = Some((moment.recording, of.ends.key()));
        if self.known_of == known_of {
            return false;
        }
        self.known_of = known_of;
        self.holds = Holds::Nothing;
        let of_recording;
        let relations = match of.left.is_all() {
            true => {
                of_recording = resolved.recording.relations(None);
                of_recording.as_slice()
            }
            false => of.left.relations(),
        };
        self.known.clear();
        self.pairs.clear();
        // Pairs in order of functions as well, so that counting walks along both.
        let mut sorted: Vec<&Relation> = relations.iter().collect();
        sorted.sort_unstable_by_key(|relation| (relation.caller, relation.callee));
        let mut found: HashMap<(u32, u32), u32> = HashMap::new();
        for relation in sorted {
            let pair = of.ends.of(resolved, relation).map(|(from, to)| {
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
        self.whole = self.pairs.iter().map(|it| [it.calls, it.cost]).collect();
        let most = |of: fn(&BlockRelation) -> u64| self.pairs.iter().map(of).max().unwrap_or(0);
        (self.most_calls, self.most_cost) = (most(|it| it.calls), most(|it| it.cost));
        true
    }

    /// Brings the amounts to a moment of the recording that is known.
    pub(super) fn count(&mut self, resolved: &Resolved, moment: Moment, of: &Calls<'_>) {
        self.spare = self
            .changed
            .take()
            .unwrap_or(std::mem::take(&mut self.spare));
        if self.step(resolved, moment, of) {
            if of.arcs == ArcMode::Whole {
                for at in 0..self.spare.len() {
                    self.show_whole(self.spare[at] as usize);
                }
            }
            self.changed = Some(std::mem::take(&mut self.spare));
            return;
        }
        for pair in &mut self.pairs {
            (pair.calls, pair.step_calls, pair.cost) = (0, 0, 0);
        }
        self.holds = Holds::Nothing;
        if moment.summary && !moment.so_far {
            return self.summarize(resolved, moment, of);
        }
        if moment.summary {
            // What is left of a range is known only as a whole; up to a time there are running sums.
            let all = Calls {
                arcs: ArcMode::All,
                ..of.clone()
            };
            return self.count_all(resolved, moment, &all);
        }
        self.count_all(resolved, moment, of);
        if let Some((start, until)) = moment.window()
            && of.left.is_all()
        {
            let of_cel = Holds::of_cel(of.arcs);
            self.holds = of_cel.unwrap_or(Holds::Since { start, until });
            let stepped = (0u32..).zip(&self.pairs);
            let stepped = stepped
                .filter(|(_, pair)| pair.step_calls > 0 || of_cel.is_some() && pair.cost > 0);
            self.stepped.clear();
            self.stepped.extend(stepped.map(|(index, _)| index));
        }
        if of.arcs == ArcMode::Whole {
            (0..self.pairs.len()).for_each(|pair| self.show_whole(pair));
        }
    }

    /// In place of the calls of the cel those of the whole recording.
    fn show_whole(&mut self, pair: usize) {
        if let (Some(pair), Some(&[calls, cost])) = (self.pairs.get_mut(pair), self.whole.get(pair))
        {
            (pair.calls, pair.cost) = (calls, cost);
        }
    }

    /// Brings amounts from the moment that they are of to one close by, where that can be done; which changed is in
    /// `spare`. Otherwise they may be of neither.
    fn step(&mut self, resolved: &Resolved, moment: Moment, of: &Calls<'_>) -> bool {
        let Some((start, until)) = moment.window() else {
            return false;
        };
        if moment.summary || !of.left.is_all() {
            return false;
        }
        // Of a step that began before the range what is in the range counts.
        let mut from = moment.previous.min(until);
        if start != Time::ZERO {
            from = from.max(start - Cost::from_ns(1));
        }
        let of_cel = Holds::of_cel(of.arcs);
        let is_step = of_cel.is_some();
        let at = match (of_cel, self.holds) {
            (Some(wanted), holds) if wanted == holds => None,
            (None, Holds::Since { start: of, until }) if of == start => Some(until),
            _ => return false,
        };
        self.spare.clear();
        self.spare.extend_from_slice(&self.stepped);
        for pair in self.stepped.drain(..) {
            let pair = &mut self.pairs[pair as usize];
            pair.step_calls = 0;
            if is_step {
                (pair.calls, pair.cost) = (0, 0);
            }
        }
        let trace = &resolved.recording.trace;
        let known = Stepping {
            known: &self.known,
            pairs: &mut self.pairs,
            changed: &mut self.spare,
            stepped: &mut self.stepped,
            is_unknown: false,
        };
        let room = &mut self.room;
        let is_told = known.take(trace, (from, until), at, room);
        if is_told && !is_step {
            self.holds = Holds::Since { start, until };
        }
        is_told
    }

    /// The relations of all calls in the range; of a profile that does not count calls, their weight.
    fn summarize(&mut self, resolved: &Resolved, moment: Moment, of: &Calls<'_>) {
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
            self.add(&mut walked, resolved, relation, amounts, &of.ends);
        }
    }

    /// The relations from the start of the range up to the moment, and what the last step added.
    fn count_all(&mut self, resolved: &Resolved, moment: Moment, of: &Calls<'_>) {
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
            let [calls, cost] = match of.arcs {
                // What is shown of the whole recording is known.
                ArcMode::Step | ArcMode::Whole => [step_calls, step_cost],
                _ => since(at_base),
            };
            let amounts = [calls, step_calls, cost];
            self.add(&mut walked, resolved, relation, amounts, &of.ends);
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
        ends: &EndsOf<'_>,
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
                let mut pair = NO_PAIR;
                if let Some((from, to)) = ends.of(resolved, relation) {
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
}

/// The pairs that the calls of a step are added to.
struct Stepping<'a> {
    known: &'a [Known],
    pairs: &'a mut [BlockRelation],
    changed: &'a mut Vec<u32>,
    stepped: &'a mut Vec<u32>,
    is_unknown: bool,
}

impl Stepping<'_> {
    /// The pair of blocks of two functions, noted as one that changes; none within a block.
    fn pair(&mut self, functions: (FunctionId, FunctionId)) -> Option<(u32, &mut BlockRelation)> {
        let found = self
            .known
            .binary_search_by_key(&functions, |it| it.functions);
        let Ok(found) = found else {
            self.is_unknown = true;
            return None;
        };
        let index = self.known[found].pair;
        let pair = self.pairs.get_mut(index as usize)?;
        self.changed.push(index);
        Some((index, pair))
    }

    /// Counts the step `from` to `until`, and brings the amounts along from where they are `at`; without that they are
    /// those of the step. Whether that could be done.
    fn take(
        mut self,
        trace: &Trace,
        (from, until): (Time, Time),
        at: Option<Time>,
        room: &mut StackRoom,
    ) -> bool {
        let mut is_told = true;
        if let Some(at) = at.filter(|&at| at != until && at != from) {
            let (first, last) = (at.min(until), at.max(until));
            let is_back = until < at;
            is_told =
                trace.running_between(first, last, MOST_IN_STEP, room, |a, b, calls, cost| {
                    let Some((_, pair)) = self.pair((a, b)) else {
                        return;
                    };
                    if is_back {
                        pair.calls = pair.calls.saturating_sub(calls);
                        pair.cost = pair.cost.saturating_sub(cost.ns());
                    } else {
                        pair.calls = pair.calls.saturating_add(calls);
                        pair.cost = pair.cost.saturating_add(cost.ns());
                    }
                });
        }
        // Playing on, the step begins where the last moment was.
        let goes_on = at.is_none_or(|at| at == from);
        is_told &= trace.running_between(from, until, MOST_IN_STEP, room, |a, b, calls, cost| {
            let Some((index, pair)) = self.pair((a, b)) else {
                return;
            };
            pair.step_calls = pair.step_calls.saturating_add(calls);
            if goes_on {
                pair.calls = pair.calls.saturating_add(calls);
                pair.cost = pair.cost.saturating_add(cost.ns());
            }
            self.stepped.push(index);
        });
        is_told && !self.is_unknown
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
