//! The definitions, evaluated directly over lists of all events.

use callscape_base::units::{FunctionId, ThreadId, Time};
use callscape_facts::sampling::{Flow, Objects, Plan};
use callscape_facts::trace::{Call, Event, Trace};

/// A call by its thread, function, start and end.
pub(super) type Plain = (ThreadId, FunctionId, Time, Time);

/// All events in order.
pub(super) fn events(trace: &Trace) -> Vec<(Event, Call)> {
    let of = |n| {
        let event = trace.event(n).expect("it is not past the last");
        (event, trace.call(event.thread, event.call))
    };
    (0..trace.events()).map(of).collect()
}

/// The calls of a trace.
pub(super) fn calls(trace: &Trace) -> Vec<Plain> {
    let mut calls = Vec::new();
    for thread in trace.thread_ids() {
        let count = trace.threads()[thread.index()].calls as u32;
        let found = trace.calls_numbered(thread, 0..count);
        calls.extend(
            found
                .iter()
                .map(|it| (thread, it.function, it.start, it.end)),
        );
    }
    calls
}

/// What C-1 leaves of the events in one range of times: every `n`th, paired where both events of a call are among them.
pub(super) fn nth_events(all: &[(Event, Call)], (from, to): (Time, Time), n: usize) -> Vec<Plain> {
    let inside: Vec<_> = all
        .iter()
        .filter(|(it, _)| from <= it.time && it.time < to)
        .collect();
    let kept: Vec<_> = inside.iter().skip(n - 1).step_by(n).collect();
    let mut calls = Vec::new();
    for (event, call) in &kept {
        let is_same = |(other, _): &(Event, Call)| {
            other.thread == event.thread && other.call == event.call && other.enter != event.enter
        };
        let is_pair = kept.iter().any(|other| is_same(other));
        if !is_pair {
            calls.push((event.thread, call.function, event.time, event.time));
        } else if event.enter {
            calls.push((event.thread, call.function, call.start, call.end));
        }
    }
    calls
}

/// What is shown of each thread, outermost first, at every time from 0 to `end`, where ranges keep everything, nothing or
/// stacks.
pub(super) fn shown(
    trace: &Trace,
    all: &[(Event, Call)],
    plan: &Plan,
    end: u64,
) -> Vec<Vec<Vec<FunctionId>>> {
    let threads = trace.threads().len();
    let stretches = plan.stretches();
    let mut open: Vec<Vec<FunctionId>> = vec![Vec::new(); threads];
    let mut shown = open.clone();
    let mut answer = Vec::new();
    let (mut next, mut seen) = (0, 0);
    for now in 0..=end {
        let t = Time::from_ns(now);
        let is_at = |it: &&callscape_facts::sampling::Stretch| it.start <= t && t < it.end;
        let stretch = stretches.iter().find(is_at).expect("there are no gaps");
        if stretch.start == t {
            seen = 0;
            match stretch.rule.flow {
                Flow::All => shown.clone_from(&open),
                Flow::Off | Flow::Events(_) => shown.iter_mut().for_each(Vec::clear),
                Flow::Stacks(_) | Flow::StacksEvery(_) => {}
            }
        }
        while let Some((event, call)) = all.get(next).filter(|(it, _)| it.time == t) {
            next += 1;
            seen += 1;
            let of = &mut open[event.thread.index()];
            match event.enter {
                true => of.push(call.function),
                false => drop(of.pop()),
            }
            match stretch.rule.flow {
                Flow::All => shown.clone_from(&open),
                Flow::Stacks(n) if seen % n == 0 => shown.clone_from(&open),
                _ => {}
            }
        }
        if let Flow::StacksEvery(step) = stretch.rule.flow
            && t > stretch.start
            && t.since(stretch.start).ns().is_multiple_of(step.ns())
        {
            shown.clone_from(&open);
        }
        answer.push(shown.clone());
    }
    answer
}

/// The numbers of the events of memory that are kept, by the times of all.
pub(super) fn kept_objects(times: &[u64], plan: &Plan) -> Vec<u32> {
    let mut kept = Vec::new();
    for stretch in plan.stretches() {
        let inside = (0..times.len()).filter(|&it| {
            let t = Time::from_ns(times[it]);
            stretch.start <= t && t < stretch.end
        });
        let inside: Vec<usize> = inside.collect();
        match stretch.rule.objects {
            Objects::All => kept.extend(inside),
            Objects::Off => {}
            Objects::Events(n) => {
                let n = n as usize;
                kept.extend(inside.into_iter().skip(n - 1).step_by(n));
            }
            Objects::Every(step) => {
                let last = inside.last().map_or(0, |&it| times[it]);
                let mut due = stretch.start.ns() + step.ns();
                while due <= last {
                    let first = inside.iter().find(|&&it| times[it] >= due);
                    kept.extend(first);
                    due += step.ns();
                }
            }
        }
    }
    kept.dedup();
    kept.into_iter().map(|it| it as u32).collect()
}
