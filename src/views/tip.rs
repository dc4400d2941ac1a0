//! What a tooltip over a sheet says.

use crate::facts::recording::Recording;
use crate::units::Time;

/// A heading and lines below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    pub title: String,
    pub lines: Vec<String>,
}

/// More lines would cover the view: so many threads, and so many of the innermost calls of each.
const THREADS: usize = 4;
const CALLS: usize = 10;

/// Adds the call stacks of the threads at `time`, innermost call first. O(threads × (log n + depth)).
pub fn add_stacks(tip: &mut Tip, recording: &Recording, time: Time) {
    let trace = &recording.trace;
    let mut stack = Vec::new();
    let (mut shown, mut running) = (0, 0);
    for (thread, info) in trace.thread_ids().zip(trace.threads()) {
        if time < info.start || info.end < time {
            continue;
        }
        trace.stack_at(thread, time, &mut stack);
        if stack.is_empty() {
            continue;
        }
        running += 1;
        if shown == THREADS {
            continue;
        }
        shown += 1;
        if trace.threads().len() > 1 {
            let name = if info.name.is_empty() {
                &info.id
            } else {
                &info.name
            };
            tip.lines.push(format!("thread {name}:"));
        }
        for &call in stack.iter().rev().take(CALLS) {
            let function = trace.call(thread, call).function;
            tip.lines
                .push(recording.functions.get(function).name.to_owned());
        }
        if stack.len() > CALLS {
            let outer = stack.len() - CALLS;
            let calls = if outer == 1 { "call" } else { "calls" };
            tip.lines.push(format!("… {outer} outer {calls}"));
        }
    }
    if running > shown {
        tip.lines
            .push(format!("and {} more threads", running - shown));
    }
    if running == 0 {
        tip.lines.push("nothing runs".to_owned());
    }
}
