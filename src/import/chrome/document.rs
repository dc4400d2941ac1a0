//! The document around the events: an array of them, or an object with `traceEvents` among its members.
//! Walked through a window of the file, so neither has to fit in memory.

use std::ops::ControlFlow;

use super::events::{self, Event};
use crate::import::ImportError;
use crate::import::json::{Cursor, Skip, Stop, unescape};
use crate::import::stream::Window;
use crate::warnings::Reporter;

/// Hands the events of the document to `take`, each with its offset in the file, until it breaks off.
/// What is no event, or ends too early, is counted.
pub fn walk(
    window: &mut Window<'_>,
    reporter: &Reporter,
    mut take: impl FnMut(&Event<'_>, u64) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, ImportError> {
    let end = match peek(window)? {
        Some(b'[') => array(window, reporter, &mut take)?,
        Some(b'{') => object(window, reporter, &mut take)?,
        other => {
            let found = match other {
                Some(byte) => format!("the byte {byte:#04x}"),
                None => "the end of the file".into(),
            };
            let place = window.place(window.offset());
            return Err(ImportError::malformed(
                place,
                "a JSON object or array",
                found,
            ));
        }
    };
    Ok(match end {
        End::BrokenOff => ControlFlow::Break(()),
        End::Closed | End::Cut => ControlFlow::Continue(()),
    })
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
    window: &mut Window<'_>,
    reporter: &Reporter,
    take: &mut impl FnMut(&Event<'_>, u64) -> ControlFlow<()>,
) -> Result<End, ImportError> {
    /// An error message names this many members.
    const NAMED: usize = 8;
    window.consume(1);
    let mut keys: Vec<String> = Vec::new();
    let mut found = false;
    loop {
        match peek(window)? {
            Some(b',') => {
                window.consume(1);
                continue;
            }
            Some(b'}') => break,
            _ => {}
        }
        let Some(key) = key(window)? else {
            reporter.warn("truncated-file", || window.place(window.offset()));
            break;
        };
        if key == "traceEvents" && peek(window)? == Some(b'[') {
            match array(window, reporter, take)? {
                End::Closed => found = true,
                end => return Ok(end),
            }
        } else if !skip_value(window)? {
            reporter.warn("truncated-file", || window.place(window.offset()));
            break;
        }
        if keys.len() < NAMED {
            keys.push(key);
        }
    }
    if found {
        return Ok(End::Closed);
    }
    let members = match keys.len() {
        0 => "no members".to_owned(),
        _ => format!("the members {}", keys.join(", ")),
    };
    let place = window.place(window.offset());
    Err(ImportError::malformed(
        place,
        "a member traceEvents with an array",
        members,
    ))
}

/// The events up to the `]`, or to the end of the file: the format allows it to come without.
fn array(
    window: &mut Window<'_>,
    reporter: &Reporter,
    take: &mut impl FnMut(&Event<'_>, u64) -> ControlFlow<()>,
) -> Result<End, ImportError> {
    window.consume(1);
    loop {
        let base = window.offset();
        let mut cursor = Cursor::new(window.data());
        let mut done;
        let stop = loop {
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
                    if take(&event, offset).is_break() {
                        return Ok(End::BrokenOff);
                    }
                }
                Err(stop) => break stop,
            }
        };
        window.consume(done);
        match stop {
            Stop::Incomplete => {
                if !window.more()? {
                    let kind = match window.data() {
                        [] => "unterminated-array",
                        _ => "truncated-file",
                    };
                    reporter.warn(kind, || window.place(window.offset()));
                    return Ok(End::Cut);
                }
            }
            Stop::Malformed(at) => {
                let offset = base + at as u64;
                reporter.warn("malformed-event", || window.place(offset));
                window.consume(at.saturating_sub(done).max(1));
                if !resynchronise(window)? {
                    return Ok(End::Cut);
                }
            }
        }
    }
}

/// The next byte that is no white space; none at the end of the file.
fn peek(window: &mut Window<'_>) -> Result<Option<u8>, ImportError> {
    loop {
        let data = window.data();
        let space = data.iter().position(|byte| !byte.is_ascii_whitespace());
        let found = space.map(|at| data[at]);
        window.consume(space.unwrap_or(data.len()));
        if found.is_some() || !window.more()? {
            return Ok(found);
        }
    }
}

/// The key of an object's next member and the colon behind it; none when the file ends there.
fn key(window: &mut Window<'_>) -> Result<Option<String>, ImportError> {
    loop {
        let mut cursor = Cursor::new(window.data());
        let key = cursor.text().and_then(|key| {
            cursor.expect(b':')?;
            Ok(unescape(key).0)
        });
        match key {
            Ok(key) => {
                let length = cursor.at();
                window.consume(length);
                return Ok(Some(key));
            }
            Err(Stop::Incomplete) => {
                if !window.more()? {
                    return Ok(None);
                }
            }
            Err(Stop::Malformed(at)) => {
                let found = window.data().get(at).copied().unwrap_or_default();
                let place = window.place(window.offset() + at as u64);
                let found = format!("the byte {found:#04x}");
                return Err(ImportError::malformed(
                    place,
                    "a member of a JSON object",
                    found,
                ));
            }
        }
    }
}

/// Skips a value of whatever length; false when the file ends inside it.
fn skip_value(window: &mut Window<'_>) -> Result<bool, ImportError> {
    let mut skip = Skip::default();
    loop {
        let data = window.data();
        match skip.over(data) {
            Some(length) => {
                window.consume(length);
                return Ok(true);
            }
            None => {
                let length = data.len();
                window.consume(length);
                if !window.more()? {
                    return Ok(false);
                }
            }
        }
    }
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
