//! The table of calls: thread by thread in order of start, as the trace numbers them.

use std::io::{self, Write};

use super::writer::{BATCH, TableWriter};
use crate::part::ExportError;
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, ThreadId};
use callscape_facts::recording::Recording;

/// How many calls are read at once.
const READ: u32 = 1 << 14;

/// The place of `self_ns` among the columns.
const SELF: usize = 7;

/// A call that is open at the one at hand.
struct Open {
    number: u32,
    /// The number of the last call inside it.
    last: u64,
    cost: u64,
    /// The cost of its direct subcalls so far.
    below: u64,
    /// Its row, where that waits to be written.
    row: Option<usize>,
}

/// Writes the calls of all threads. O(calls), and a packed group of rows in memory.
pub(super) fn write<W: Write + Send>(
    recording: &Recording,
    rows: &mut TableWriter<W>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let trace = &recording.trace;
    progress.start(
        format!("writing the calls of {}", recording.name()),
        trace.calls(),
    );
    for thread in trace.thread_ids() {
        thread_calls(recording, thread, rows, progress)?;
    }
    Ok(())
}

fn thread_calls<W: Write + Send>(
    recording: &Recording,
    thread: ThreadId,
    rows: &mut TableWriter<W>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let trace = &recording.trace;
    let knows_waiting = trace.knows_waiting();
    let calls = trace.threads()[thread.index()].calls as u32;
    let mut open: Vec<Open> = Vec::new();
    let mut next = 0;
    while next < calls {
        let end = calls.min(next.saturating_add(READ));
        for (call, number) in trace.calls_numbered(thread, next..end).iter().zip(next..) {
            while let Some(done) = open.pop_if(|it| it.last < u64::from(number)) {
                close(done, rows);
            }
            let cost = call.cost().ns();
            let row = rows.rows();
            rows.number(thread.0.into());
            rows.number(number.into());
            rows.number_or_null(open.last().map(|it| it.number.into()));
            rows.number(call.function.0.into());
            rows.number(call.depth.into());
            rows.number(call.start.ns());
            rows.number(call.end.ns());
            // Of those that end later it is set then.
            rows.number(cost);
            let waited = || trace.waited(thread, CallId(number)).own.ns();
            rows.number_or_null(knows_waiting.then(waited));
            rows.end_row();
            if let Some(around) = open.last_mut() {
                around.below = around.below.saturating_add(cost);
            }
            if call.triggered > 0 {
                open.push(Open {
                    number,
                    last: u64::from(number) + u64::from(call.triggered),
                    cost,
                    below: 0,
                    row: Some(row),
                });
            }
            if rows.rows() == BATCH {
                flush(recording, thread, &mut open, rows)?;
            }
        }
        progress.add(u64::from(end - next))?;
        next = end;
    }
    while let Some(done) = open.pop() {
        close(done, rows);
    }
    Ok(())
}

/// A call has ended: its row, where it still waits, has what its subcalls left of its cost.
fn close<W: Write + Send>(done: Open, rows: &mut TableWriter<W>) {
    if let Some(row) = done.row {
        rows.set_number(SELF, row, done.cost.saturating_sub(done.below));
    }
}

/// Packs the rows. Of the calls that are still open the self cost is looked up: what they call is not known yet.
fn flush<W: Write + Send>(
    recording: &Recording,
    thread: ThreadId,
    open: &mut [Open],
    rows: &mut TableWriter<W>,
) -> Result<(), ExportError> {
    for call in open {
        if let Some(row) = call.row.take() {
            let own = recording.trace.self_cost(thread, CallId(call.number));
            rows.set_number(SELF, row, own.ns());
        }
    }
    Ok(rows.end_batch()?)
}

/// The links, in order of the call that they lead to.
pub(super) fn links<W: Write + Send>(
    recording: &Recording,
    rows: &mut TableWriter<W>,
) -> io::Result<()> {
    let trace = &recording.trace;
    for thread in trace.thread_ids() {
        for (call, link) in trace.linked(thread) {
            for (thread, call) in [(thread, call), link.from] {
                rows.number(thread.0.into());
                rows.number(call.0.into());
            }
            rows.text(link.kind.name());
            rows.end_row();
            rows.end_batch_if_full()?;
        }
    }
    Ok(())
}
