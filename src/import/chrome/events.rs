//! The events of a Chrome trace: the members of one that matter, taken from its JSON object in place.

use crate::import::json::{Cursor, Stop, Value, packed};

/// An event as it is written; what it lacks is none. Texts are the content of JSON strings, escapes not
/// resolved; numbers and texts are told apart nowhere, since writers mix them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'a> {
    pub phase: Option<&'a [u8]>,
    pub name: Option<&'a [u8]>,
    pub pid: Option<&'a [u8]>,
    pub tid: Option<&'a [u8]>,
    /// Microseconds.
    pub ts: Option<&'a [u8]>,
    /// Microseconds.
    pub dur: Option<&'a [u8]>,
    pub location: Location<'a>,
    /// `args.name`, which names the process or thread in a metadata event.
    pub args_name: Option<&'a [u8]>,
}

/// Where an event says that its function stands, in the dialect of its writer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Location<'a> {
    pub file: Option<&'a [u8]>,
    pub line: Option<u32>,
    /// `file:line` in one.
    pub joined: Option<&'a [u8]>,
    /// The line is the one that was running, not the one where the function begins (py-spy).
    pub line_runs: bool,
}

/// Reads the event whose `{` is the byte at the cursor.
#[inline]
pub fn event<'a>(cursor: &mut Cursor<'a>) -> Result<Event<'a>, Stop> {
    const PH: u64 = packed(b"ph");
    const NAME: u64 = packed(b"name");
    const PID: u64 = packed(b"pid");
    const TID: u64 = packed(b"tid");
    const TS: u64 = packed(b"ts");
    const DUR: u64 = packed(b"dur");
    const ARGS: u64 = packed(b"args");
    const CAT: u64 = packed(b"cat");
    let mut event = Event::default();
    cursor.expect(b'{')?;
    while cursor.next(b'}')? {
        let (word, key) = cursor.key()?;
        match word {
            PH => event.phase = cursor.value()?.bytes(),
            NAME => event.name = cursor.value()?.bytes(),
            PID => event.pid = cursor.value()?.bytes(),
            TID => event.tid = cursor.value()?.bytes(),
            TS => event.ts = cursor.value()?.bytes(),
            DUR => event.dur = cursor.value()?.bytes(),
            ARGS if cursor.peek()? == b'{' => args(cursor, &mut event)?,
            CAT => drop(cursor.value()?),
            _ => {
                let value = cursor.value()?;
                location(&mut event.location, key, value);
            }
        }
    }
    Ok(event)
}

fn args<'a>(cursor: &mut Cursor<'a>, event: &mut Event<'a>) -> Result<(), Stop> {
    cursor.expect(b'{')?;
    while cursor.next(b'}')? {
        let key = cursor.text()?;
        cursor.expect(b':')?;
        let value = cursor.value()?;
        match key {
            b"name" => event.args_name = value.bytes(),
            _ => location(&mut event.location, key, value),
        }
    }
    Ok(())
}

/// Takes a member that says where a function stands, in whatever dialect.
#[inline]
fn location<'a>(location: &mut Location<'a>, key: &[u8], value: Value<'a>) {
    match key {
        // tracing-chrome; Chrome's own `base::Location`; py-spy.
        b".file" | b"file" | b"src_file" => location.file = value.bytes(),
        b".line" | b"line" | b"lineno" | b"src_line" => location.line = value.unsigned(),
        b"filename" => {
            location.file = value.bytes();
            location.line_runs = true;
        }
        // llvm and others; uftrace.
        b"loc" | b"srcline" => location.joined = value.bytes(),
        _ => {}
    }
}
