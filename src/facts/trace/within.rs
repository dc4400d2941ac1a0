//! Which calls count in a range of time, and with what of them. Every sum over a range is a sum over these.
//!
//! In a range [t0, t1) a call counts with the part of it that lies inside: from the later of its start and t0 to the
//! earlier of its end and t1. A call without length counts if it starts in the range. The self cost of a part is its cost
//! minus that of the parts of its direct subcalls, so the self costs of a thread add up to at most the length of the range.

use std::ops::Range;

use super::Trace;
use super::call::Call;
use super::store::Calls;
use callscape_base::units::{CallId, ThreadId, Time, TimeRange};

/// How calls count that are open at an end of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enclosing {
    /// With their part in the range.
    #[default]
    Parts,
    /// With all their cost, by the time range constraint of the thesis (6.1.1): the calls that start after the start and
    /// end before the end of the range, and the calls that enclose one of these.
    Whole,
    /// Not at all.
    None,
}

/// A range of time, or all of it, and how calls count that reach out of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Within {
    pub range: Option<TimeRange>,
    pub enclosing: Enclosing,
}

impl From<Option<TimeRange>> for Within {
    fn from(range: Option<TimeRange>) -> Within {
        let enclosing = Enclosing::Parts;
        Within { range, enclosing }
    }
}

impl From<TimeRange> for Within {
    fn from(range: TimeRange) -> Within {
        Within::from(Some(range))
    }
}

/// The calls of a thread that count within a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// Those that start in the range.
    pub(super) calls: Range<u32>,
    /// Those of them that end after it, in order: each is around the next.
    pub(super) late: Vec<u32>,
    /// The calls before or among them that reach out of the range and count, in order.
    pub(super) reaching: Vec<u32>,
    /// What of a call counts lies between these times.
    pub(super) window: Range<u64>,
}

impl Inside {
    /// What of a call counts; `None` if it does not count. O(log depth).
    pub fn part(&self, id: CallId, call: &Call) -> Option<TimeRange> {
        let is_whole = self.calls.contains(&id.0) && self.late.binary_search(&id.0).is_err();
        let clip = |t: Time| Time::from_ns(t.ns().clamp(self.window.start, self.window.end));
        match is_whole {
            true => Some(TimeRange::new(call.start, call.end)),
            false => {
                let part = TimeRange::new(clip(call.start), clip(call.end));
                self.reaches_out(id).then_some(part)
            }
        }
    }

    /// Whether a call reaches out of the range and counts.
    pub fn reaches_out(&self, id: CallId) -> bool {
        self.reaching.binary_search(&id.0).is_ok()
    }
}

impl Calls<'_> {
    /// The calls that count in a range. O(log n + depth).
    pub(super) fn inside(&self, within: Within) -> Inside {
        let Some(range) = within.range else {
            return Inside {
                calls: 0..self.len(),
                window: 0..u64::MAX,
                ..Inside::default()
            };
        };
        let (start, end) = (range.start.ns(), range.end.ns());
        // The thesis leaves out both ends of the range.
        let is_thesis = within.enclosing == Enclosing::Whole;
        let from = match is_thesis {
            true => self.started(start),
            false => self.started_before(start),
        };
        let to = self.started_before(end).max(from);
        let mut inside = Inside {
            calls: from..to,
            window: if is_thesis { 0..u64::MAX } else { start..end },
            ..Inside::default()
        };
        if start >= end || is_thesis && from == to {
            inside.calls.end = from;
            return inside;
        }
        // Of the calls from..to those that end too late are on the stack at `to`, each around the next.
        for (call, facts) in self.stack(to) {
            if call >= from && (facts.end > end || is_thesis && facts.end == end) {
                inside.late.push(call);
            }
        }
        let late = &inside.late;
        match within.enclosing {
            Enclosing::None => {}
            Enclosing::Parts => {
                let before = self.stack(from).into_iter();
                let open = before.filter(|(_, facts)| facts.end > start);
                inside.reaching.extend(open.map(|(call, _)| call));
                inside.reaching.extend(late);
            }
            Enclosing::Whole => {
                for (call, facts) in self.stack(from) {
                    let end = u64::from(call) + u64::from(facts.triggered) + 1;
                    let end = end.min(u64::from(to)) as u32;
                    let late = late.partition_point(|&late| late < end);
                    if end > from && (end - from) as usize > late {
                        inside.reaching.push(call);
                    }
                }
                // One of the late calls counts if it encloses a call that ends in time.
                let others = |&(i, &call): &(usize, &u32)| {
                    let triggered = (to - 1).saturating_sub(call) as usize;
                    triggered > late.len() - 1 - i
                };
                let enclosing = late.iter().enumerate().filter(others);
                inside.reaching.extend(enclosing.map(|(_, call)| call));
            }
        }
        inside
    }

    /// The calls that reach out of the range, with what they cost inside: all of it, and their own part.
    pub(super) fn reaching_costs(&self, inside: &Inside) -> Vec<(u32, [u64; 2])> {
        if inside.reaching.is_empty() {
            return Vec::new();
        }
        let Range { start, end } = inside.window;
        let [before, until] = match end {
            u64::MAX => [Vec::new(), Vec::new()],
            _ => [
                self.costs_until(inside.calls.start, start),
                self.costs_until(inside.calls.end, end),
            ],
        };
        let of = |costs: &[(u32, [u64; 2])], call| {
            let found = costs.binary_search_by_key(&call, |it| it.0).ok()?;
            Some(costs[found].1)
        };
        let cost = |&call: &u32| {
            let until = of(&until, call).unwrap_or_else(|| {
                let sums = self.whole(call).sums;
                [sums.cost, sums.cost.saturating_sub(sums.children)]
            });
            let before = of(&before, call).unwrap_or_default();
            let [total, own] = [0, 1].map(|it| until[it].saturating_sub(before[it]));
            (call, [total, own])
        };
        inside.reaching.iter().map(cost).collect()
    }

    /// The calls that count whole and of which only calls that do not count enclose one of the same function, though the
    /// store counts them as nested. Where calls around the range count there are none. O(the calls in the range).
    pub(super) fn outermost(&self, inside: &Inside) -> Vec<u32> {
        let mut cursor = super::store::Cursor::new(*self);
        // By function, the call before which calls are inside of one that counts.
        let mut open = vec![0_u64; self.store.functions];
        let mut found = Vec::new();
        for call in inside.calls.clone() {
            if inside.late.binary_search(&call).is_ok() {
                continue;
            }
            let facts = cursor.facts(call);
            let function = self.store.callee(cursor.pair(call)).index();
            let Some(open) = open.get_mut(function).filter(|it| **it <= u64::from(call)) else {
                continue;
            };
            *open = u64::from(call) + u64::from(facts.triggered) + 1;
            if self.is_nested(call) {
                found.push(call);
            }
        }
        found
    }

    /// Whether a call of the same function encloses a call.
    pub(super) fn is_nested(&self, call: u32) -> bool {
        let (index, local) = super::store::place(call);
        match self.open_call(call) {
            Some(open) => open.nested != 0,
            None => self.block(index).nested(local),
        }
    }
}

impl Trace {
    /// The calls of `thread` that count within a range. O(log n + depth).
    pub fn inside(&self, thread: ThreadId, within: impl Into<Within>) -> Inside {
        let within = within.into();
        self.ask(|store| store.thread(thread).inside(within))
    }
}
