//! How large a sampled recording will be, before it is made.

use callscape_base::units::{FunctionId, Time};
use callscape_facts::memory::Memory;
use callscape_facts::recording::Recording;
use callscape_facts::sampling::{Flow, Objects, Plan, Stretch};
use callscape_facts::trace::Trace;

/// At how many places the difference from one stack to the next is measured.
const LOOKS: u64 = 64;

/// What a recording takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Size {
    pub calls: u64,
    /// Allocations and releases.
    pub memory_events: u64,
    /// Of its calls with their summaries, and of its events of memory, as an index holds them.
    pub bytes: u64,
}

impl Size {
    /// What a recording takes. O(threads).
    pub fn of(recording: &Recording) -> Size {
        let memory = recording.memory.as_ref();
        let events = memory.and_then(Memory::events);
        Size {
            calls: recording.trace.calls(),
            memory_events: events.map_or(0, |it| u64::from(it.end())),
            bytes: recording.trace.bytes() + memory.map_or(0, |it| it.bytes() as u64),
        }
    }

    /// The part of `whole` that it takes, from 0; 0 of nothing.
    pub fn share_of(&self, whole: &Size) -> f64 {
        match whole.bytes {
            0 => 0.0,
            whole => self.bytes as f64 / whole as f64,
        }
    }
}

/// How large a recording will be: events and times are counted, and how many calls begin from one stack to the next is
/// estimated from 64 places of each stretch. Calls that are always kept come on top.
/// O(ranges × log² n + stacks looked at).
pub fn predict(recording: &Recording, plan: &Plan) -> Size {
    let trace = &recording.trace;
    let whole = Size::of(recording);
    let (mut calls, mut memory_events) = (0.0, 0);
    for stretch in plan.stretches() {
        if whole.calls > 0 {
            calls += calls_in(trace, stretch);
        }
        let events = recording.memory.as_ref().and_then(Memory::events);
        if let Some(events) = events {
            let until = |t: Time| {
                let before = t.ns().checked_sub(1);
                before.map_or(0, |t| u64::from(events.position(Time::from_ns(t))))
            };
            let end = recording.memory.as_ref().map_or(Time::ZERO, |it| it.end);
            let count = until(stretch.end) - until(stretch.start);
            memory_events += match stretch.rule.objects {
                Objects::All => count,
                Objects::Off => 0,
                Objects::Events(n) => count / n.max(1),
                Objects::Every(step) => {
                    let length = stretch.end.min(end).since(stretch.start).ns();
                    count.min(length / step.ns().max(1))
                }
            };
        }
    }
    let memory_bytes = recording.memory.as_ref().map_or(0, |it| it.bytes() as u64);
    let part = |bytes: u64, part: f64, whole: u64| match whole {
        0 => 0.0,
        whole => bytes as f64 * part / whole as f64,
    };
    let bytes = part(trace.bytes(), calls, whole.calls)
        + part(memory_bytes, memory_events as f64, whole.memory_events);
    Size {
        calls: calls.round() as u64,
        memory_events,
        bytes: bytes.round() as u64,
    }
}

fn calls_in(trace: &Trace, stretch: Stretch) -> f64 {
    let before = |t: Time| {
        let before = t.ns().checked_sub(1);
        before.map_or(0, |t| trace.events_until(Time::from_ns(t)))
    };
    let (first, behind) = (before(stretch.start), before(stretch.end));
    let count = behind.saturating_sub(first);
    let end = stretch.end.min(trace.range().end);
    match stretch.rule.flow {
        Flow::Off => 0.0,
        Flow::All => count as f64 / 2.0,
        Flow::Events(n) => (count / n.max(1)) as f64,
        Flow::Stacks(n) => {
            let n = n.max(1);
            let time = |k: u64| trace.event(first + k * n - 1).map(|event| event.time);
            between(trace, count / n, time)
        }
        Flow::StacksEvery(step) => {
            let step = step.ns().max(1);
            let count = end.since(stretch.start).ns() / step;
            let time = |k: u64| {
                let passed = k.checked_mul(step);
                passed
                    .and_then(|it| stretch.start.ns().checked_add(it))
                    .map(Time::from_ns)
            };
            between(trace, count, time)
        }
    }
}

/// How many calls begin from one of `count` stacks to the next, in all, stack `k` from 1 being that at `time(k)`.
fn between(trace: &Trace, count: u64, time: impl Fn(u64) -> Option<Time>) -> f64 {
    let looks = count.min(LOOKS);
    let (mut begun, mut looked) = (0, 0);
    for look in 0..looks {
        let k = 1 + (u128::from(count - 1) * u128::from(look) / u128::from(looks)) as u64;
        let (Some(from), Some(to)) = (time(k), time(k + 1)) else {
            continue;
        };
        looked += 1;
        for thread in trace.thread_ids() {
            let stack = |t: Time| {
                let mut stack = Vec::new();
                trace.stack_at(thread, t, &mut stack);
                let functions = stack.iter().map(|&id| trace.call(thread, id).function);
                functions.collect::<Vec<FunctionId>>()
            };
            let (from, to) = (stack(from), stack(to));
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            begun += to.len() - common;
        }
    }
    match looked {
        0 => 0.0,
        looked => begun as f64 / f64::from(looked) * count as f64,
    }
}
