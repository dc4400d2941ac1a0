//! The definitions evaluated directly, call by call.

use std::collections::{BTreeMap, BTreeSet};

use super::{Alike, Kind, Parameters};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::trace::{Call, Enclosing, Trace, Why, Within};

/// A phase as the definitions have it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DirectPhase {
    pub thread: ThreadId,
    pub call: u32,
    pub parent: Option<u32>,
    pub depth: u32,
    pub kind: Kind,
    pub calls: u64,
    pub cost: Cost,
    pub levels: u32,
    pub functions: BTreeSet<u32>,
    pub class: u32,
}

/// By thread, call of the phase (none outside) and callee: how many, calls and cost.
pub(super) type DirectGathered = BTreeMap<(u32, Option<u32>, u32), (u64, u64, Cost)>;

#[derive(Clone, Debug, Default)]
pub(super) struct DirectPhases {
    pub phases: Vec<DirectPhase>,
    pub gathered: DirectGathered,
    pub total: Cost,
}

struct Thread<'a> {
    trace: &'a Trace,
    id: ThreadId,
    /// With what they are called by.
    calls: Vec<(u32, Call, Option<usize>)>,
    within: Within,
}

impl Thread<'_> {
    fn cost(&self, call: usize) -> Cost {
        let call = &self.calls[call].1;
        let (mut start, mut end) = (call.start, call.end);
        if let (Some(range), Enclosing::Parts) = (self.within.range, self.within.enclosing) {
            start = start.max(range.start);
            end = end.min(range.end);
        }
        let mut cost = end.since(start);
        let whole = TimeRange::new(Time::ZERO, Time::MAX);
        self.trace.waits_in(self.id, whole, |wait| {
            if wait.why == Why::Preempted {
                let part = |t: Time| {
                    let t = t.ns().clamp(wait.start.ns(), wait.end.ns()) - wait.start.ns();
                    let length = wait.end.since(wait.start).ns();
                    u128::from(wait.waited.ns()) * u128::from(t) / u128::from(length)
                };
                cost = cost.saturating_sub(Cost::from_ns((part(end) - part(start)) as u64));
            }
            true
        });
        cost
    }

    fn below(&self, call: usize) -> Vec<usize> {
        let mut below = Vec::new();
        for other in call + 1..self.calls.len() {
            let mut around = self.calls[other].2;
            while around.is_some_and(|around| around > call) {
                around = around.and_then(|around| self.calls[around].2);
            }
            if around == Some(call) {
                below.push(other);
            }
        }
        below
    }
}

/// The calls of a thread that count.
fn thread(trace: &Trace, id: ThreadId, within: Within) -> Thread<'_> {
    let count = trace.threads()[id.index()].calls as u32;
    let all: Vec<Call> = (0..count)
        .map(|call| trace.call(id, CallId(call)))
        .collect();
    let counts = |index: usize, call: &Call| {
        let Some(range) = within.range else {
            return true;
        };
        let (start, end) = (range.start, range.end);
        let overlaps = call.start < end && (start < call.end || start <= call.start) && start < end;
        let inside = &all[index..=index + call.triggered as usize];
        match within.enclosing {
            Enclosing::Parts => overlaps,
            Enclosing::None => overlaps && start <= call.start && call.end <= end,
            Enclosing::Whole => inside.iter().any(|it| start < it.start && it.end < end),
        }
    };
    let mut calls: Vec<(u32, Call, Option<usize>)> = Vec::new();
    let mut around: Vec<usize> = Vec::new();
    for (index, call) in all.iter().enumerate() {
        if !counts(index, call) {
            continue;
        }
        while around.last().is_some_and(|&last| {
            let (number, outer, _) = calls[last];
            number + outer.triggered < index as u32
        }) {
            around.pop();
        }
        calls.push((index as u32, *call, around.last().copied()));
        around.push(calls.len() - 1);
    }
    Thread {
        trace,
        id,
        calls,
        within,
    }
}

/// All by the definitions, in time that grows with the square of the calls and worse.
pub(super) fn direct(
    trace: &Trace,
    threads: &[ThreadId],
    within: Within,
    parameters: &Parameters,
) -> DirectPhases {
    let mut out = DirectPhases::default();
    for &id in threads {
        of_thread(&thread(trace, id, within), parameters, &mut out);
    }
    out
}

fn of_thread(thread: &Thread<'_>, parameters: &Parameters, out: &mut DirectPhases) {
    let calls = &thread.calls;
    let below: Vec<Vec<usize>> = (0..calls.len()).map(|call| thread.below(call)).collect();
    let costs: Vec<Cost> = (0..calls.len()).map(|call| thread.cost(call)).collect();
    let is_heavy = |call: usize| {
        below[call].len() as u64 >= parameters.heavy.triggered
            || costs[call] >= parameters.heavy.cost
    };
    let subcalls = |call: Option<usize>| (0..calls.len()).filter(move |&it| calls[it].2 == call);
    let n = |call: usize| subcalls(Some(call)).filter(|&it| is_heavy(it)).count();
    let kind = |call: usize| match n(call) {
        0 if is_heavy(call) => Some(Kind::Leaf),
        0 | 1 => None,
        _ => Some(Kind::Inner),
    };
    // The nearest enclosing phase.
    let enclosing = |call: usize| {
        let mut around = calls[call].2;
        while let Some(it) = around
            && kind(it).is_none()
        {
            around = calls[it].2;
        }
        around
    };
    let first = out.phases.len() as u32;
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    for call in 0..calls.len() {
        if calls[call].2.is_none() {
            out.total += costs[call];
        }
        let Some(kind) = kind(call) else { continue };
        let parent = enclosing(call).map(|parent| numbers[&parent]);
        let depth = parent.map_or(1, |parent| out.phases[(first + parent) as usize].depth + 1);
        numbers.insert(call, numbers.len() as u32);
        let all = below[call].iter().chain([&call]);
        let levels = all.clone().map(|&it| calls[it].1.depth).max().unwrap_or(0);
        out.phases.push(DirectPhase {
            thread: thread.id,
            call: calls[call].0,
            parent: parent.map(|parent| parent + first),
            depth,
            kind,
            calls: below[call].len() as u64,
            cost: costs[call],
            levels: levels - calls[call].1.depth,
            functions: all.map(|&it| calls[it].1.function.0).collect(),
            class: 0,
        });
    }
    gather(thread, &costs, &below, &is_heavy, &kind, parameters, out);
    classify(thread, first as usize, parameters, out);
}

/// Lightweight calls whose caller is heavy, or the root.
fn gather(
    thread: &Thread<'_>,
    costs: &[Cost],
    below: &[Vec<usize>],
    is_heavy: &dyn Fn(usize) -> bool,
    kind: &dyn Fn(usize) -> Option<Kind>,
    parameters: &Parameters,
    out: &mut DirectPhases,
) {
    let calls = &thread.calls;
    let mut rows: DirectGathered = BTreeMap::new();
    for call in 0..calls.len() {
        if is_heavy(call) || calls[call].2.is_some_and(|around| !is_heavy(around)) {
            continue;
        }
        let mut phase = calls[call].2;
        while let Some(it) = phase
            && kind(it).is_none()
        {
            phase = calls[it].2;
        }
        let phase = phase.map(|phase| calls[phase].0);
        let key = (thread.id.0, phase, calls[call].1.function.0);
        let row = rows.entry(key).or_default();
        row.0 += 1;
        row.1 += 1 + below[call].len() as u64;
        row.2 += costs[call];
    }
    let heavy = parameters.heavy;
    rows.retain(|_, (_, calls, cost)| *calls >= heavy.triggered || *cost >= heavy.cost);
    out.gathered.append(&mut rows);
}

/// The calls below a phase as functions and the functions that call them, in order of start.
fn sequence(thread: &Thread<'_>, position: usize) -> Vec<(Option<FunctionId>, FunctionId)> {
    let mut below = thread.below(position);
    below.sort_unstable();
    let function = |call: usize| thread.calls[call].1.function;
    let step = |&call: &usize| (thread.calls[call].2.map(function), function(call));
    below.iter().map(step).collect()
}

fn classify(thread: &Thread<'_>, first: usize, parameters: &Parameters, out: &mut DirectPhases) {
    type Founder = (Option<FunctionId>, FunctionId, BTreeSet<u32>, usize);
    let mut classes: BTreeMap<Option<u32>, Vec<Founder>> = BTreeMap::new();
    for phase in &mut out.phases[first..] {
        let position = thread.calls.iter().position(|it| it.0 == phase.call);
        let position = position.unwrap_or(0);
        let (_, call, around) = thread.calls[position];
        let caller = around.map(|around| thread.calls[around].1.function);
        let of_siblings = classes.entry(phase.parent).or_default();
        let found = of_siblings.iter().position(|(of, callee, set, founder)| {
            let only_one = set.symmetric_difference(&phase.functions).count() as f64;
            let any = set.union(&phase.functions).count() as f64;
            let is_alike = match parameters.alike {
                Alike::Functions => only_one / any <= parameters.similarity,
                Alike::Calls => sequence(thread, *founder) == sequence(thread, position),
            };
            (*of, *callee) == (caller, call.function) && is_alike
        });
        phase.class = found.unwrap_or(of_siblings.len()) as u32;
        if found.is_none() {
            of_siblings.push((caller, call.function, phase.functions.clone(), position));
        }
    }
}
