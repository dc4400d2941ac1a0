//! Which time of one run is which of another: a rising, piecewise linear map between two clocks.

use std::collections::HashMap;

use super::phases::Phases;
use super::phases::apart::of_both;
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::trace::{Trace, Within};

/// What two clocks are linked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// The same share of both runs.
    #[default]
    Share,
    /// The same time since the first event.
    WallTime,
    /// The same number of events before it.
    Events,
    /// The same number of calls of a function before it, by row of a comparison.
    CallsOf(u32),
    /// Calls at the top of the stacks of functions that both runs call equally often.
    Calls,
    /// Phases of one callee and depth, in their order.
    Phases,
}

/// A map of the times of A to those of B, and back. Swapping A and B turns it around.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// Times of A and B that are the same, none before an earlier one; the first and the last are the ends of both.
    points: Vec<[u64; 2]>,
    /// How many calls of A were found again in B.
    pub matched: usize,
}

/// Calls looked at while a depth is sought that says enough.
const MOST_CALLS: usize = 200_000;

/// A trace, and by function the row that it is of in the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    pub trace: &'a Trace,
    pub row_of: &'a [u32],
}

impl Alignment {
    /// Links the clocks of two runs. Does not depend on the runs' lengths but for [`Link::Events`], the calls that are
    /// matched, a few hundred thousand at most, and [`Link::Phases`], for which every call is looked at.
    pub fn new(a: Run<'_>, b: Run<'_>, link: &Link) -> Alignment {
        let ends = [a.trace.duration().ns(), b.trace.duration().ns()];
        let (anchors, matched) = match link {
            Link::Share => (Vec::new(), 0),
            Link::WallTime => return by_wall_time(ends),
            Link::Events => (by_events(a.trace, b.trace), 0),
            Link::CallsOf(row) => {
                let pick = |run: Run<'_>| calls_of(run, *row);
                by_calls(&pick(a), &pick(b))
            }
            Link::Calls => {
                let pick = |run: Run<'_>| top_calls(run);
                by_calls(&pick(a), &pick(b))
            }
            Link::Phases => by_phases(a, b),
        };
        Alignment {
            points: rising(anchors, ends),
            matched,
        }
    }

    /// The map through these points, which rise in both.
    pub fn through(points: &[[u64; 2]]) -> Alignment {
        let ends = points.last().copied().unwrap_or_default();
        Alignment {
            points: rising(points.to_vec(), ends),
            matched: 0,
        }
    }

    /// The time of B (`from` 0) or of A (`from` 1) that is `t` of the other. Past the end as far past the end.
    /// O(log n) in the points.
    pub fn map(&self, from: usize, t: Time) -> Time {
        let (x, y) = (from.min(1), 1 - from.min(1));
        let t = t.ns();
        let after = self.points.partition_point(|point| point[x] <= t);
        let Some(&right) = self.points.get(after) else {
            let last = self.points.last().copied().unwrap_or_default();
            return Time::from_ns(last[y].saturating_add(t - last[x]));
        };
        let left = match after.checked_sub(1) {
            Some(before) => self.points[before],
            None => return Time::from_ns(right[y]),
        };
        if t == left[x] {
            return Time::from_ns(left[y]);
        }
        let share = (t - left[x]) as f64 / (right[x] - left[x]).max(1) as f64;
        Time::from_ns(left[y] + ((right[y] - left[y]) as f64 * share).round() as u64)
    }

    /// The stretches of the map: where each starts in A and B, and how many times as long it takes in B; none
    /// where it takes no time in A.
    pub fn stretches(&self) -> impl Iterator<Item = ([Time; 2], Option<f64>)> + '_ {
        self.points.windows(2).map(|pair| {
            let [a, b] = [0, 1].map(|side| pair[1][side] - pair[0][side]);
            let stretch = (a > 0).then(|| b as f64 / a as f64);
            (pair[0].map(Time::from_ns), stretch)
        })
    }

    /// How many times as long B takes where A is at `t`; none where A takes no time, and past the ends. O(log n).
    pub fn stretch_at(&self, t: Time) -> Option<f64> {
        let after = self.points.partition_point(|point| point[0] <= t.ns());
        let (left, right) = (
            self.points.get(after.checked_sub(1)?)?,
            self.points.get(after)?,
        );
        let [a, b] = [0, 1].map(|side| right[side] - left[side]);
        (a > 0).then(|| b as f64 / a as f64)
    }

    /// The same with A and B exchanged.
    pub fn swapped(&self) -> Alignment {
        Alignment {
            points: self.points.iter().map(|&[a, b]| [b, a]).collect(),
            matched: self.matched,
        }
    }

    /// The points of the map, as times of A and B.
    pub fn points(&self) -> impl Iterator<Item = [Time; 2]> + '_ {
        self.points.iter().map(|point| point.map(Time::from_ns))
    }
}

/// What lasts longer goes on alone: the other one stands at its end.
fn by_wall_time(ends: [u64; 2]) -> Alignment {
    let common = ends[0].min(ends[1]);
    let mut points = vec![[0, 0], [common, common], ends];
    points.dedup();
    Alignment { points, matched: 0 }
}

/// How many times on the way are linked by events; between them a straight line.
const EVENT_POINTS: u64 = 512;

fn by_events(a: &Trace, b: &Trace) -> Vec<[u64; 2]> {
    let common = a.events().min(b.events());
    let steps = EVENT_POINTS.min(common);
    let point = |step: u64| {
        let number = (u128::from(common - 1) * u128::from(step) / u128::from(steps.max(1))) as u64;
        Some([a.event(number)?.time.ns(), b.event(number)?.time.ns()])
    };
    let numbers = if common == 0 { 0..0 } else { 0..steps + 1 };
    numbers.filter_map(point).collect()
}

/// A call, as far as it is matched: its function by row, on which thread, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    start: u64,
    end: u64,
    thread: u32,
    row: u32,
}

/// The calls of a function, in order of start; of very many the first.
fn calls_of(run: Run<'_>, row: u32) -> Vec<Seen> {
    let functions: Vec<FunctionId> = (0u32..)
        .map(FunctionId)
        .zip(run.row_of)
        .filter(|(_, of)| **of == row)
        .map(|(id, _)| id)
        .collect();
    let mut seen = Vec::new();
    for function in functions {
        // The first call may start with the trace.
        let mut after = None;
        while seen.len() < MOST_CALLS {
            let next = match after {
                None => first_call(run.trace, function),
                Some(time) => run.trace.next_call(function, time),
            };
            let Some((thread, call)) = next else {
                break;
            };
            let call = run.trace.call(thread, call);
            after = Some(call.start);
            seen.push(Seen {
                start: call.start.ns(),
                end: call.end.ns(),
                // Threads are numbered as they come: a run of its own may have others.
                thread: 0,
                row,
            });
        }
    }
    seen.sort_unstable();
    seen
}

/// The first call of a function, at time zero too.
fn first_call(trace: &Trace, function: FunctionId) -> Option<(ThreadId, CallId)> {
    for thread in trace.thread_ids() {
        let mut found = None;
        let at_start = TimeRange::new(Time::ZERO, Time::ZERO);
        trace.calls_in(thread, at_start, u32::MAX, |id, call| {
            if found.is_none() && call.function == function && call.start == Time::ZERO {
                found = Some((thread, id));
            }
        });
        if found.is_some() {
            return found;
        }
    }
    trace.next_call(function, Time::ZERO)
}

/// The calls at the top of the stacks, as deep as there are no more than a number that is quickly looked at.
fn top_calls(run: Run<'_>) -> Vec<Seen> {
    let trace = run.trace;
    let mut best = Vec::new();
    for depth in 1..=trace.max_depth().min(64) {
        let mut seen = Vec::new();
        for thread in trace.thread_ids() {
            if seen.len() > MOST_CALLS {
                break;
            }
            // A trace of many short calls at the top is looked at piece by piece, and left where it gets long.
            const PIECES: u64 = 64;
            let duration = trace.duration().ns();
            for piece in 0..PIECES {
                let at = |piece: u64| {
                    (u128::from(duration) * u128::from(piece) / u128::from(PIECES)) as u64
                };
                let range = TimeRange::new(Time::from_ns(at(piece)), Time::from_ns(at(piece + 1)));
                if seen.len() > MOST_CALLS {
                    break;
                }
                trace.calls_in(thread, range, depth, |_, call| {
                    let is_new = call.start >= range.start
                        && (call.start < range.end || piece + 1 == PIECES);
                    if is_new {
                        seen.push(Seen {
                            start: call.start.ns(),
                            end: call.end.ns(),
                            thread: thread.0,
                            row: run
                                .row_of
                                .get(call.function.index())
                                .copied()
                                .unwrap_or(u32::MAX),
                        });
                    }
                });
            }
        }
        if seen.len() > MOST_CALLS || seen.len() == best.len() {
            break;
        }
        best = seen;
    }
    best.sort_unstable();
    best
}

/// Pairs the first call of a function with the first, the second with the second, where both sides have as many
/// calls of it; or, where only one function is looked at, as far as both go. Starts and ends become points.
fn by_calls(a: &[Seen], b: &[Seen]) -> (Vec<[u64; 2]>, usize) {
    let mut rows: HashMap<u32, [Vec<Seen>; 2]> = HashMap::new();
    for (side, calls) in [a, b].into_iter().enumerate() {
        for call in calls {
            rows.entry(call.row).or_default()[side].push(*call);
        }
    }
    let is_one = rows.len() == 1;
    let mut pairs: Vec<(Seen, Seen)> = Vec::new();
    for [a, b] in rows.into_values() {
        if a.len() == b.len() || is_one {
            pairs.extend(std::iter::zip(a, b));
        }
    }
    let matched = pairs.len();
    let mut anchors: Vec<[u64; 2]> = Vec::with_capacity(2 * pairs.len());
    for (x, y) in pairs {
        anchors.push([x.start, y.start]);
        anchors.push([x.end, y.end]);
    }
    (anchors, matched)
}

/// Pairs the first phase of a callee and depth with the first, the second with the second, as far as both go; those that
/// cross others drop out with the anchors. Both runs are pruned alike: as the one with fewer phases would be by itself.
fn by_phases(a: Run<'_>, b: Run<'_>) -> (Vec<[u64; 2]>, usize) {
    // Nobody cancels it, so it comes to an end.
    let progress = Progress::new();
    let Ok([(of_a, _), (of_b, _)]) =
        of_both([a, b].map(|it| (it.trace, Within::default())), &progress)
    else {
        return (Vec::new(), 0);
    };
    let mut rows: HashMap<(u32, u32), [Vec<Seen>; 2]> = HashMap::new();
    for (side, (run, of)) in [(a, &of_a), (b, &of_b)].into_iter().enumerate() {
        for (depth, seen) in phases_seen(run, of) {
            rows.entry((seen.row, depth)).or_default()[side].push(seen);
        }
    }
    let mut anchors = Vec::new();
    for [a, b] in rows.into_values() {
        for (x, y) in std::iter::zip(a, b) {
            anchors.push([x.start, y.start]);
            anchors.push([x.end, y.end]);
        }
    }
    let matched = anchors.len() / 2;
    (anchors, matched)
}

/// The phases with their depths, in order of start; those of functions that the other run lacks are left out.
fn phases_seen(run: Run<'_>, phases: &Phases) -> Vec<(u32, Seen)> {
    let seen = phases.phases.iter().filter_map(|phase| {
        let call = run.trace.call(phase.thread, phase.call);
        let row = run.row_of.get(phase.function.index()).copied()?;
        let seen = Seen {
            start: call.start.ns(),
            end: call.end.ns(),
            thread: 0,
            row,
        };
        Some((phase.depth, seen))
    });
    let mut seen: Vec<(u32, Seen)> = seen.collect();
    seen.sort_by_key(|(_, seen)| seen.start);
    seen
}

/// The longest chain of anchors that rises in both, with the ends of both runs. O(n log n).
fn rising(mut anchors: Vec<[u64; 2]>, ends: [u64; 2]) -> Vec<[u64; 2]> {
    anchors.retain(|point| (0..2).all(|side| 0 < point[side] && point[side] < ends[side]));
    // Of several at one time of A no two are in a rising chain: they stand falling.
    anchors.sort_unstable_by_key(|&[a, b]| (a, std::cmp::Reverse(b)));
    anchors.dedup();
    // The last anchor of the best chain of each length, and for each anchor the one before it.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(anchors.len());
    for (index, anchor) in anchors.iter().enumerate() {
        let length = tails.partition_point(|&tail| anchors[tail][1] < anchor[1]);
        before.push(length.checked_sub(1).map(|shorter| tails[shorter]));
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut points = vec![ends];
    let mut at = tails.last().copied();
    while let Some(index) = at {
        points.push(anchors[index]);
        at = before[index];
    }
    points.push([0, 0]);
    points.reverse();
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(points: &[[u64; 2]], from: usize, t: u64) -> u64 {
        let alignment = Alignment {
            points: points.to_vec(),
            matched: 0,
        };
        alignment.map(from, Time::from_ns(t)).ns()
    }

    #[test]
    fn times_are_mapped_along_straight_lines_and_back() {
        let points = [[0, 0], [100, 10], [200, 210]];
        assert_eq!(map(&points, 0, 50), 5);
        assert_eq!(map(&points, 0, 100), 10);
        assert_eq!(map(&points, 0, 150), 110);
        assert_eq!(map(&points, 0, 250), 260);
        for t in (0..=200).step_by(10) {
            assert!(map(&points, 1, map(&points, 0, t)).abs_diff(t) <= 10);
        }
    }

    #[test]
    fn anchors_that_cross_are_left_out() {
        let points = rising(
            vec![[30, 70], [10, 20], [20, 90], [40, 80], [0, 5]],
            [100, 100],
        );
        assert_eq!(points, [[0, 0], [10, 20], [30, 70], [40, 80], [100, 100]]);
        assert_eq!(rising(Vec::new(), [0, 0]), [[0, 0]]);
        assert_eq!(rising(Vec::new(), [7, 0]), [[0, 0], [7, 0]]);
    }

    /// The longest chain of random anchors, against trying every length.
    #[test]
    fn the_chain_is_as_long_as_can_be() {
        let mut state = 9u64;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % limit
        };
        for _ in 0..50 {
            let anchors: Vec<[u64; 2]> = (0..30).map(|_| [1 + below(40), 1 + below(40)]).collect();
            let points = rising(anchors.clone(), [100, 100]);
            assert!(
                points
                    .windows(2)
                    .all(|it| it[0][0] < it[1][0] && it[0][1] < it[1][1])
            );
            let mut sorted = anchors;
            sorted.sort_unstable();
            let mut longest = vec![1usize; sorted.len()];
            for i in 0..sorted.len() {
                for j in 0..i {
                    if sorted[j][0] < sorted[i][0] && sorted[j][1] < sorted[i][1] {
                        longest[i] = longest[i].max(longest[j] + 1);
                    }
                }
            }
            let best = longest.into_iter().max().unwrap_or(0);
            assert_eq!(points.len(), best + 2);
        }
    }
}
