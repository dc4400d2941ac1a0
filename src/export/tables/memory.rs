//! The tables of memory: the objects that were created, and the stacks that created them.

use std::io::Write;

use super::writer::TableWriter;
use crate::part::ExportError;
use callscape_base::progress::Progress;
use callscape_facts::memory::{Events, StackId};
use callscape_facts::recording::Recording;

/// How many events are read between two looks at the wish to cancel.
const OFTEN: u32 = 1 << 16;

/// The events of memory of a recording that has any.
pub(super) fn events(recording: &Recording) -> Option<&Events> {
    recording.memory.as_ref()?.timed()
}

/// One row an object, in order of creation. O(events).
pub(super) fn objects<W: Write + Send>(
    recording: &Recording,
    rows: &mut TableWriter<W>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let (Some(memory), Some(events)) = (&recording.memory, events(recording)) else {
        return Ok(());
    };
    progress.start("writing objects", u64::from(events.end()));
    for event in 0..events.end() {
        if event.is_multiple_of(OFTEN) {
            progress.set(u64::from(event))?;
        }
        if events.is_release(event) {
            continue;
        }
        let Some(object) = events.object(event) else {
            continue;
        };
        let function = memory.stacks.function(object.stack);
        let kind = memory.types.get(object.kind as usize);
        rows.number(object.created.into());
        rows.number(object.thread.0.into());
        rows.number(object.stack.0.into());
        rows.number_or_null(function.map(|it| it.0.into()));
        rows.text(kind.map_or("", String::as_str));
        rows.number(object.size);
        rows.number(object.creation.ns());
        rows.number_or_null(object.release.map(|it| it.ns()));
        rows.end_row();
        rows.end_batch_if_full()?;
    }
    Ok(())
}

/// One row a stack, behind the one around it.
pub(super) fn stacks<W: Write + Send>(
    recording: &Recording,
    rows: &mut TableWriter<W>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let Some(memory) = &recording.memory else {
        return Ok(());
    };
    let stacks = &memory.stacks;
    for number in 0..u32::try_from(stacks.len()).unwrap_or(u32::MAX) {
        let stack = StackId(number);
        let function = stacks.function(stack);
        rows.number(number.into());
        rows.number_or_null(stacks.parent(stack).map(|it| it.0.into()));
        rows.number_or_null(function.map(|it| it.0.into()));
        rows.end_row();
        if rows.end_batch_if_full()? {
            progress.check()?;
        }
    }
    Ok(())
}
