//! Where the run of the later revision parts from that of the earlier one, and which changed functions ran right before.
//!
//! The calls of both are compared one by one, thread by thread. Up to the first that differs both runs are the same, so whatever
//! makes them differ has run by then: it is open there, or was not long before. Of two recordings that stop and go as the machine
//! has it, as sampled ones do, this says nothing, and it is not asked of them.

use std::collections::{HashMap, HashSet};

use crate::comparison::Comparison;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, ThreadId, Time};
use callscape_facts::recording::RecordingKind;
use callscape_facts::trace::{Call, Trace};

/// So many calls are compared at a time.
const BLOCK: u32 = 1 << 14;

/// The first call that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstDifference {
    /// Of the later run.
    pub thread: ThreadId,
    /// The number of the call; one more than there are where the later run ends first.
    pub call: CallId,
    pub at: Time,
    /// What each run calls there: of the earlier and the later one, where it goes on.
    pub calls: [Option<String>; 2],
    /// In which function, of the later run.
    pub inside: Option<String>,
}

/// How a changed function ran before the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Before {
    pub near: Near,
    /// How often it was called by then.
    pub calls: u64,
}

impl Before {
    /// From 0 to 1: higher the nearer it ran, and the less often it had run without making a difference. What is open has
    /// gone on without one since it was called.
    pub(super) fn weight(self) -> f64 {
        let seldom = 1.0 / (1.0 + (self.calls.max(1) as f64).ln());
        let seldom = match self.near {
            Near::Open(_) => seldom / 2.0,
            Near::Decides | Near::Before(_) => seldom,
        };
        0.6 * self.near.weight() + 0.4 * seldom
    }
}

/// How near to the difference a function ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    /// It calls something else than before.
    Decides,
    /// It is open there, so many calls further out.
    Open(u32),
    /// It ran before; so many of the changed functions ran after it.
    Before(u32),
}

impl Near {
    /// From 0 to 1, the nearest the highest.
    fn weight(self) -> f64 {
        match self {
            Near::Decides => 1.0,
            Near::Before(after) => 0.9 / f64::from(after + 1),
            Near::Open(out) => 0.8 / f64::from(out + 1),
        }
    }
}

/// The difference, and by row how what was asked for ran before it.
pub(super) type Found = (FirstDifference, HashMap<u32, Before>);

/// Whether both sides have a trace of every call.
pub(super) fn can_compare(comparison: &Comparison) -> bool {
    let is_trace = |side: usize| {
        let first = comparison.recordings(side).first();
        first.is_some_and(|it| it.recording.kind == RecordingKind::Trace)
    };
    is_trace(0) && is_trace(1)
}

/// The first difference, and how near to it each of `rows` ran.
pub(super) fn find(
    comparison: &Comparison,
    rows: &HashSet<u32>,
    progress: &Progress,
) -> Result<Option<Found>, Cancelled> {
    let sides = [0, 1].map(|side| comparison.recordings(side).first());
    let [Some(a), Some(b)] = sides else {
        return Ok(None);
    };
    if !can_compare(comparison) {
        return Ok(None);
    }
    let traces = [&a.recording.trace, &b.recording.trace];
    let places = [0, comparison.runs[0]];
    let row = |side: usize, call: &Call| {
        comparison.row_of[places[side]]
            .get(call.function.index())
            .copied()
    };
    let mut first: Option<(Time, ThreadId, ThreadId, u32)> = None;
    for (of_a, of_b) in threads(traces) {
        let found = differs(
            traces,
            [of_a, of_b],
            |calls| {
                let [a, b] = calls;
                a.depth == b.depth && row(0, &a) == row(1, &b)
            },
            progress,
        )?;
        if let Some((time, call)) = found
            && first.is_none_or(|(known, ..)| time < known)
        {
            first = Some((time, of_a, of_b, call));
        }
    }
    let Some((at, of_a, of_b, call)) = first else {
        return Ok(None);
    };
    let threads = [of_a, of_b];
    let calls = [0, 1].map(|side| nth(traces[side], threads[side], call));
    let parents = [0, 1].map(|side| parent(traces[side], threads[side], call));
    // Both runs are the same up to here, so that a call of A has the number that it has in B.
    let mut near: HashMap<u32, Near> = HashMap::new();
    let mut take = |row: Option<u32>, how: Near| {
        if let Some(row) = row.filter(|row| rows.contains(row)) {
            near.entry(row).or_insert(how);
        }
    };
    let of_b_call = |call: CallId| nth(traces[1], of_b, call.0);
    let row_of_b = |call: CallId| of_b_call(call).and_then(|it| row(1, &it));
    for parent in parents.into_iter().flatten() {
        take(row_of_b(parent), Near::Decides);
    }
    let mut path = Vec::new();
    let inner = parents.into_iter().flatten().max();
    if let Some(inner) = inner {
        traces[1].path_to(of_b, inner, &mut path);
    }
    for (out, &open) in (0..).zip(path.iter().rev()) {
        take(row_of_b(open), Near::Open(out));
    }
    let mut calls_of: HashMap<u32, u64> = HashMap::new();
    let mut order = 0;
    let mut end = call;
    while end > 0 {
        progress.check()?;
        let start = end.saturating_sub(BLOCK);
        for it in traces[1].calls_numbered(of_b, start..end).iter().rev() {
            let Some(row) = row(1, it).filter(|row| rows.contains(row)) else {
                continue;
            };
            *calls_of.entry(row).or_default() += 1;
            near.entry(row).or_insert_with(|| {
                order += 1;
                Near::Before(order - 1)
            });
        }
        end = start;
    }
    let before = near.into_iter().map(|(row, near)| {
        let calls = calls_of.get(&row).copied().unwrap_or(1);
        (row, Before { near, calls })
    });
    let before = before.collect();
    let name = |side: usize, call: &Call| {
        let recording = &comparison.session.recordings[places[side]].recording;
        recording.functions.get(call.function).name.to_owned()
    };
    let found = FirstDifference {
        thread: of_b,
        call: CallId(call),
        at,
        calls: [0, 1].map(|side| calls[side].as_ref().map(|it| name(side, it))),
        inside: inner.and_then(of_b_call).map(|it| name(1, &it)),
    };
    Ok(Some((found, before)))
}

/// Threads of both runs that are the same: those of one name in order, then the others in order.
fn threads(traces: [&Trace; 2]) -> Vec<(ThreadId, ThreadId)> {
    let [a, b] = traces;
    let mut left: Vec<ThreadId> = b.thread_ids().collect();
    let mut pairs = Vec::new();
    for (id, thread) in a.thread_ids().zip(a.threads()) {
        let same = left.iter().position(|it| {
            b.threads()
                .get(it.index())
                .is_some_and(|it| it.name == thread.name)
        });
        let same = same.or_else(|| (!left.is_empty()).then_some(0));
        if let Some(at) = same {
            pairs.push((id, left.remove(at)));
        }
    }
    pairs
}

fn nth(trace: &Trace, thread: ThreadId, call: u32) -> Option<Call> {
    trace
        .calls_numbered(thread, call..call.checked_add(1)?)
        .first()
        .copied()
}

fn parent(trace: &Trace, thread: ThreadId, call: u32) -> Option<CallId> {
    nth(trace, thread, call)?;
    let mut path = Vec::new();
    trace.path_to(thread, CallId(call), &mut path);
    path.len()
        .checked_sub(2)
        .and_then(|at| path.get(at))
        .copied()
}

/// The number of the first call that differs, and when it is met in B.
fn differs(
    traces: [&Trace; 2],
    threads: [ThreadId; 2],
    is_same: impl Fn([Call; 2]) -> bool,
    progress: &Progress,
) -> Result<Option<(Time, u32)>, Cancelled> {
    let count = |side: usize| {
        let thread = traces[side].threads().get(threads[side].index());
        thread.map_or(0, |it| u32::try_from(it.calls).unwrap_or(u32::MAX))
    };
    let counts = [count(0), count(1)];
    let both = counts[0].min(counts[1]);
    let mut at = 0;
    while at < both {
        progress.check()?;
        let end = both.min(at + BLOCK);
        let [a, b] = [0, 1].map(|side| traces[side].calls_numbered(threads[side], at..end));
        let mut pairs = a.iter().zip(&b);
        if let Some(more) = pairs.position(|(a, b)| !is_same([*a, *b])) {
            return Ok(b.get(more).map(|it| (it.start, at + more as u32)));
        }
        at = end;
    }
    let end = traces[1].threads().get(threads[1].index()).map(|it| it.end);
    Ok((counts[0] != counts[1]).then(|| {
        let next = nth(traces[1], threads[1], both).map(|it| it.start);
        (next.or(end).unwrap_or(Time::ZERO), both)
    }))
}
