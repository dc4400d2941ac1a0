//! The document around the events: an array of them, an object with `traceEvents` among its members, or nothing but
//! events one behind the other.

use std::ops::{ControlFlow, Range};

use super::batch::Batch;
use super::events::{self, Event, Phase};
use super::shape::Shapes;
use super::{Reader, SAMPLE_NOT_SHOWN};
use crate::document::{Document, Next};
use crate::error::ImportError;
use crate::json::{Cursor, Stop, unescape};
use crate::stream::Window;
use callscape_base::warnings::Reporter;

/// Hands the events of the document to `reader`, each with its offset in the file, until it breaks off.
/// What is no event, or ends too early, is counted.
pub(super) fn walk(
    document: &mut Document<'_>,
    reporter: &Reporter,
    reader: &mut Reader<'_>,
) -> Result<ControlFlow<()>, ImportError> {
    if document.next()? == Next::Array {
        document.array()?;
    } else if !is_event(document.window().data()) {
        return object(document, reporter, reader);
    }
    Ok(match array(document.window(), reporter, reader)? {
        End::BrokenOff => ControlFlow::Break(()),
        End::Closed | End::Cut => ControlFlow::Continue(()),
    })
}

/// Whether an event stands there, in no array: a line each, as some write them.
fn is_event(bytes: &[u8]) -> bool {
    let event = events::event(&mut Cursor::new(bytes, 0));
    event.is_ok_and(|event| matches!(event.phase, Phase::Is(_)))
}

/// How an array of events ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Closed,
    /// By the end of the file.
    Cut,
    BrokenOff,
}

/// The object form: `traceEvents` among other members.
fn object(
    document: &mut Document<'_>,
    reporter: &Reporter,
    reader: &mut Reader<'_>,
) -> Result<ControlFlow<()>, ImportError> {
    /// An error message names this many members.
    const NAMED: usize = 8;
    if document.next()? != Next::Object {
        return Err(document.error("a JSON object or array", "something else"));
    }
    document.object()?;
    let mut members: Vec<String> = Vec::new();
    let mut found = false;
    while let Some(key) = document.member()? {
        let events = key == b"traceEvents";
        if members.len() < NAMED {
            members.push(unescape(key).0);
        }
        let (samples, system) = (key == b"samples", key == b"systemTraceEvents");
        let metadata = key == b"metadata";
        if samples && document.next()? == Next::Array {
            document.pass_over(SAMPLE_NOT_SHOWN)?;
            continue;
        }
        if system && document.next()? == Next::Text {
            document.warn("system-trace-not-shown");
        }
        if metadata && document.next()? == Next::Object {
            document.object()?;
            while let Some(key) = document.member()? {
                reader.has_source_maps |= key == b"sourceMaps";
                document.skip()?;
            }
            continue;
        }
        if !events || document.next()? != Next::Array {
            document.skip()?;
            continue;
        }
        document.array()?;
        match array(document.window(), reporter, reader)? {
            End::BrokenOff => return Ok(ControlFlow::Break(())),
            End::Cut => return Ok(ControlFlow::Continue(())),
            End::Closed => found = true,
        }
    }
    if found {
        return Ok(ControlFlow::Continue(()));
    }
    let members = match members.len() {
        0 => "no members".to_owned(),
        _ => format!("the members {}", members.join(", ")),
    };
    Err(document.error("a member traceEvents with an array", members))
}

/// The events up to the `]`, or to the end of the file: the format allows it to come without.
fn array(
    window: &mut Window<'_>,
    reporter: &Reporter,
    reader: &mut Reader<'_>,
) -> Result<End, ImportError> {
    let mut shapes = Shapes::default();
    loop {
        let base = window.offset();
        let bytes = window.data();
        let mut cursor = Cursor::new(bytes, 0);
        let (mut from, mut done);
        let mut event = Event::default();
        shapes.forget_event();
        let mut batch = Batch::new();
        let stop = loop {
            from = cursor.at();
            if let Some((start, end)) = shapes.event(bytes, from, &mut event) {
                let offset = base + start as u64;
                cursor = Cursor::new(bytes, end);
                let plain = reader.plain(&event, offset);
                if let Some(plain) = plain
                    && !batch.push(plain)
                {
                    continue;
                }
                if reader.take_all(&mut batch).is_break()
                    || (plain.is_none()
                        && reader.take(&event, &bytes[start..end], offset).is_break())
                {
                    return Ok(End::BrokenOff);
                }
                continue;
            }
            if reader.take_all(&mut batch).is_break() {
                return Ok(End::BrokenOff);
            }
            let next = cursor.next(b']');
            // White space and commas are done with, however much of them there is.
            done = cursor.at();
            match next {
                Ok(true) => {}
                Ok(false) => {
                    window.consume(done);
                    return Ok(End::Closed);
                }
                Err(stop) => break stop,
            }
            let offset = base + done as u64;
            if cursor.peek() != Ok(b'{') {
                match cursor.value() {
                    Ok(_) => reporter.warn("not-an-event", || window.place(offset)),
                    Err(stop) => break stop,
                }
                continue;
            }
            match events::event(&mut cursor) {
                Ok(event) => {
                    let raw = &bytes[done..cursor.at()];
                    let ControlFlow::Continue(thread) = reader.take_any(&event, raw, offset) else {
                        return Ok(End::BrokenOff);
                    };
                    // The first event has no comma before it: no other looks like it.
                    if let Some(thread) = thread
                        && done > from
                    {
                        shapes.learn(bytes, from, done, thread);
                    }
                }
                Err(stop) => break stop,
            }
        };
        if go_on(window, reporter, stop, from..done)?.is_break() {
            return Ok(End::Cut);
        }
    }
}

/// Goes on behind what could not be read at once: what stands in `gap`, white space and commas, is done with. Breaks at
/// the end of the file.
fn go_on(
    window: &mut Window<'_>,
    reporter: &Reporter,
    stop: Stop,
    gap: Range<usize>,
) -> Result<ControlFlow<()>, ImportError> {
    /// Commas and white space of this length are looked at again when more of the file is at hand.
    const LONGEST_GAP: usize = 64;
    match stop {
        Stop::Incomplete => {
            // The comma stays, which belongs to the shape of the event behind it, unless it is a comma of many.
            let kept = if gap.len() > LONGEST_GAP {
                0
            } else {
                gap.len()
            };
            window.consume(gap.end - kept);
            if !window.more()? {
                window.consume(kept);
                let kind = match window.data() {
                    [] => "unterminated-array",
                    _ => "truncated-file",
                };
                reporter.warn(kind, || window.place(window.offset()));
                window.consume(window.data().len());
                return Ok(ControlFlow::Break(()));
            }
        }
        Stop::Malformed(at) => {
            let offset = window.offset() + at as u64;
            window.consume(gap.end);
            reporter.warn("malformed-event", || window.place(offset));
            window.consume(at.saturating_sub(gap.end).max(1));
            if !resynchronise(window)? {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Goes on to the next `{` that a comma stands before; false at the end of the file.
fn resynchronise(window: &mut Window<'_>) -> Result<bool, ImportError> {
    let mut comma = false;
    loop {
        let data = window.data();
        let found = data.iter().position(|&byte| {
            let found = comma && byte == b'{';
            comma = byte == b',' || (comma && byte.is_ascii_whitespace());
            found
        });
        let length = found.unwrap_or(data.len());
        window.consume(length);
        if found.is_some() {
            return Ok(true);
        }
        if !window.more()? {
            return Ok(false);
        }
    }
}
