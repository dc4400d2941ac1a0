//! What a tooltip over a sheet says.

use egui::{Label, Ui};

use super::hatching::NOT_RECORDED;
use super::style;
use callscape_analysis::session::Session;
use callscape_base::escape;
use callscape_base::units::{CallId, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::trace::Trace;
use callscape_model::threads::thread_names;

/// A heading and lines below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tip {
    pub title: String,
    pub lines: Vec<String>,
}

impl Tip {
    /// Says it, no wider than this.
    pub fn show(&self, ui: &mut Ui, width: f32) {
        ui.set_max_width(width);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add(Label::new(style::title(escape::name(&self.title))).wrap());
        for line in &self.lines {
            ui.add(Label::new(style::weak(escape::name(line)).small()).wrap());
        }
    }
}

/// More lines would cover the view: how many threads are named, and how many of the innermost rows of all of them.
const THREADS: usize = 4;
const ROWS: usize = 14;

/// A function that called itself on and on is one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackRow {
    pub function: FunctionId,
    /// The innermost of its calls, and how many there are.
    pub call: CallId,
    pub calls: usize,
}

/// The rows of a call stack, in its order: outermost call first. O(depth).
pub fn stack_rows(trace: &Trace, thread: ThreadId, stack: &[CallId]) -> Vec<StackRow> {
    let mut rows: Vec<StackRow> = Vec::new();
    for &call in stack {
        let function = trace.call(thread, call).function;
        match rows.last_mut() {
            Some(row) if row.function == function => {
                row.call = call;
                row.calls += 1;
            }
            _ => rows.push(StackRow {
                function,
                call,
                calls: 1,
            }),
        }
    }
    rows
}

/// The name of a row's function, with how often it is on the stack if more than once.
pub fn row_name(name: &str, row: StackRow) -> String {
    if row.calls > 1 {
        format!("{name} × {}", row.calls)
    } else {
        name.to_owned()
    }
}

/// What is said of a gap in which nothing was recorded.
pub(crate) fn of_gap(gap: TimeRange) -> String {
    format!("{NOT_RECORDED} from {} to {}", gap.start, gap.end)
}

/// Adds the call stacks of the threads at `time`, or that none were recorded, innermost call first. O(threads × (log n + depth)).
pub(crate) fn add_stacks(tip: &mut Tip, session: &Session, at: usize, time: Time) {
    let Some(resolved) = session.recordings.get(at) else {
        return;
    };
    let recording = &resolved.recording;
    if let Some(gap) = recording.gaps.at(time) {
        return tip.lines.push(of_gap(gap));
    }
    let trace = &recording.trace;
    let mut stack = Vec::new();
    let mut shown = Vec::new();
    let mut running = 0;
    for (thread, info) in trace.thread_ids().zip(trace.threads()) {
        if time < info.start || info.end < time {
            continue;
        }
        trace.stack_at(thread, time, &mut stack);
        if stack.is_empty() {
            continue;
        }
        running += 1;
        if shown.len() < THREADS {
            shown.push((thread, stack_rows(trace, thread, &stack)));
        }
    }
    let most = ROWS / shown.len().max(1);
    let names = match trace.threads().len() {
        ..=1 => Vec::new(),
        _ => thread_names(trace),
    };
    for (thread, rows) in &shown {
        if let Some(name) = names.get(thread.index()) {
            tip.lines.push(format!("{name}:"));
        }
        for &row in rows.iter().rev().take(most) {
            let name = session.function_name(at, row.function);
            tip.lines.push(row_name(name, row));
        }
        let outer = rows.iter().rev().skip(most).map(|row| row.calls);
        let outer: usize = outer.sum();
        if outer > 0 {
            let calls = if outer == 1 { "call" } else { "calls" };
            tip.lines.push(format!("… {outer} outer {calls}"));
        }
    }
    if running > shown.len() {
        tip.lines
            .push(format!("and {} more threads", running - shown.len()));
    }
    if running == 0 {
        tip.lines.push("nothing runs".to_owned());
    }
}
