//! The events of a Chrome trace: the members of one that matter, taken from its JSON object in place.

use crate::decimal::{self, NoTime, Unit};
use crate::json::{Cursor, Stop, Value, packed};

/// An event as it is written; what it lacks is none. Texts are the content of JSON strings, escapes not
/// resolved; numbers and texts are told apart nowhere, since writers mix them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event<'a> {
    pub phase: Phase,
    pub name: Option<&'a [u8]>,
    pub pid: Option<&'a [u8]>,
    pub tid: Option<&'a [u8]>,
    /// The place of its thread where that is known already.
    pub thread: Option<usize>,
    /// Nanoseconds.
    pub ts: Option<Result<i64, NoTime>>,
    /// Nanoseconds.
    pub dur: Option<Result<i64, NoTime>>,
    /// The clock of its thread, and how far it goes on, in nanoseconds.
    pub tts: Option<Result<i64, NoTime>>,
    pub tdur: Option<Result<i64, NoTime>>,
    pub location: Location<'a>,
    /// Of an asynchronous event what it belongs to, together with its id.
    pub category: Option<&'a [u8]>,
    pub id: Option<&'a [u8]>,
    /// Of the end of a flow what it is bound to.
    pub binding: Option<&'a [u8]>,
    /// Of a call the flow that it is a part of, and which ends of it it is.
    pub flow: Option<&'a [u8]>,
    pub flow_in: Option<&'a [u8]>,
    pub flow_out: Option<&'a [u8]>,
    /// `args.name`, which names the process or thread in a metadata event.
    pub args_name: Option<&'a [u8]>,
    /// All of `args`, where it has members that say nothing about the function.
    pub args: Option<&'a [u8]>,
    /// `args.sort_index`, which says where the process or thread stands among the others.
    pub sort_index: Option<&'a [u8]>,
}

/// The kind of an event, a single character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    #[default]
    Missing,
    Is(u8),
    /// Another text than one character.
    Unknown,
}

/// Where an event says that its function stands, in the dialect of its writer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Location<'a> {
    pub file: Option<&'a [u8]>,
    pub line: Option<u32>,
    /// `file:line` in one.
    pub joined: Option<&'a [u8]>,
    /// `library:column`, as Callscape writes it.
    pub own: Option<&'a [u8]>,
    /// The line is the one that was running, not the one where the function begins (py-spy).
    pub line_runs: bool,
}

impl Location<'_> {
    /// Whether it says nothing that tells functions of one name apart.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.file.is_none() && self.joined.is_none() && self.own.is_none()
    }
}

/// What a member of an event, or of its `args`, says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Phase,
    Name,
    Pid,
    Tid,
    Ts,
    Dur,
    ThreadTime,
    ThreadDuration,
    File,
    /// The file in which a line runs.
    RunningFile,
    Line,
    Joined,
    Own,
    ArgsName,
    SortIndex,
    Category,
    Id,
    Binding,
    Flow,
    FlowIn,
    FlowOut,
    /// Where `args` begins, and where it ends if something in it is an argument.
    ArgsBegin,
    ArgsEnd,
    /// Nothing about calls.
    Other,
}

impl Field {
    /// The field of a member of the event itself.
    #[inline]
    fn of(word: u64, key: &[u8]) -> Field {
        const PH: u64 = packed(b"ph");
        const NAME: u64 = packed(b"name");
        const PID: u64 = packed(b"pid");
        const TID: u64 = packed(b"tid");
        const TS: u64 = packed(b"ts");
        const DUR: u64 = packed(b"dur");
        const CAT: u64 = packed(b"cat");
        const ID: u64 = packed(b"id");
        const TTS: u64 = packed(b"tts");
        const TDUR: u64 = packed(b"tdur");
        const BP: u64 = packed(b"bp");
        const BIND_ID: u64 = packed(b"bind_id");
        const FLOW_IN: u64 = packed(b"flow_in");
        const FLOW_OUT: u64 = packed(b"flow_out");
        match word {
            PH => Field::Phase,
            NAME => Field::Name,
            PID => Field::Pid,
            TID => Field::Tid,
            TS => Field::Ts,
            DUR => Field::Dur,
            CAT => Field::Category,
            ID => Field::Id,
            TTS => Field::ThreadTime,
            TDUR => Field::ThreadDuration,
            BP => Field::Binding,
            BIND_ID => Field::Flow,
            FLOW_IN => Field::FlowIn,
            FLOW_OUT => Field::FlowOut,
            _ => Field::of_location(key),
        }
    }

    /// The field of a member of `id2`, which says how far an id reaches.
    fn of_id(key: &[u8]) -> Field {
        match key {
            b"local" | b"global" => Field::Id,
            _ => Field::Other,
        }
    }

    /// The field of a member of `args`.
    fn of_args(key: &[u8]) -> Field {
        match key {
            b"name" => Field::ArgsName,
            b"sort_index" => Field::SortIndex,
            b"callscape" => Field::Own,
            _ => Field::of_location(key),
        }
    }

    /// That of a member that says where a function stands, in whatever dialect.
    fn of_location(key: &[u8]) -> Field {
        match key {
            // tracing-chrome; Chrome's own `base::Location`; clang, which adds a line to a file.
            b".file" | b"file" | b"src_file" => Field::File,
            b".line" | b"line" | b"lineno" | b"src_line" => Field::Line,
            // py-spy.
            b"filename" => Field::RunningFile,
            // Tracy, llvm and others; uftrace.
            b"loc" | b"srcline" => Field::Joined,
            _ => Field::Other,
        }
    }
}

impl<'a> Event<'a> {
    /// Takes the value of a member.
    #[inline]
    pub(super) fn set(&mut self, field: Field, value: Value<'a>) {
        let bytes = value.bytes();
        match field {
            Field::Phase => {
                self.phase = match bytes {
                    None => Phase::Missing,
                    Some([phase]) => Phase::Is(*phase),
                    Some(_) => Phase::Unknown,
                }
            }
            Field::Name => self.name = bytes,
            Field::Pid => self.pid = bytes,
            Field::Tid => self.tid = bytes,
            Field::Ts => self.ts = bytes.map(nanoseconds),
            Field::Dur => self.dur = bytes.map(nanoseconds),
            Field::ThreadTime => self.tts = bytes.map(nanoseconds),
            Field::ThreadDuration => self.tdur = bytes.map(nanoseconds),
            Field::File => self.location.file = bytes,
            Field::RunningFile => {
                self.location.file = bytes;
                self.location.line_runs = true;
            }
            Field::Line => self.location.line = value.unsigned(),
            Field::Joined => self.location.joined = bytes,
            Field::Own => self.location.own = bytes,
            Field::ArgsName => self.args_name = bytes,
            Field::SortIndex => self.sort_index = bytes,
            Field::Category => self.category = bytes,
            Field::Id => self.id = bytes,
            Field::Binding => self.binding = bytes,
            Field::Flow => self.flow = bytes,
            Field::FlowIn => self.flow_in = bytes,
            Field::FlowOut => self.flow_out = bytes,
            Field::ArgsBegin | Field::ArgsEnd | Field::Other => {}
        }
    }
}

/// Whether a member of `args` is an argument of the call, and not about its function.
pub(super) fn is_argument(key: &[u8]) -> bool {
    !matches!(
        Field::of_args(key),
        Field::File | Field::RunningFile | Field::Line | Field::Joined | Field::Own
    )
}

/// A time of an event, whose unit is the microsecond.
#[inline]
fn nanoseconds(number: &[u8]) -> Result<i64, NoTime> {
    decimal::nanoseconds(number, Unit::Microseconds)
}

/// Reads the event whose `{` is the byte at the cursor.
#[inline]
pub(super) fn event<'a>(cursor: &mut Cursor<'a>) -> Result<Event<'a>, Stop> {
    let mut event = Event::default();
    let bytes = cursor.bytes();
    members(cursor, |field, value, start, end| match field {
        Field::ArgsEnd => event.args = bytes.get(start..end),
        field => event.set(field, value),
    })?;
    Ok(event)
}

/// Hands the members of the event whose `{` is the byte at the cursor, and those of its `args` and `id2`, to `take`:
/// what each says, its value, and where its value begins and ends. Before those of `args` comes its begin, and behind them
/// where all of it is.
#[inline]
pub(super) fn members<'a>(
    cursor: &mut Cursor<'a>,
    mut take: impl FnMut(Field, Value<'a>, usize, usize),
) -> Result<(), Stop> {
    const ARGS: u64 = packed(b"args");
    const ID2: u64 = packed(b"id2");
    cursor.expect(b'{')?;
    while cursor.next(b'}')? {
        let (word, key) = cursor.key()?;
        let first = cursor.peek()?;
        if (word == ARGS || word == ID2) && first == b'{' {
            let of = if word == ARGS {
                Field::of_args
            } else {
                Field::of_id
            };
            let begin = cursor.at();
            let mut has_arguments = false;
            if word == ARGS {
                take(Field::ArgsBegin, Value::Nested, begin, begin);
            }
            cursor.expect(b'{')?;
            while cursor.next(b'}')? {
                let key = cursor.text()?;
                has_arguments |= word == ARGS && is_argument(key);
                cursor.expect(b':')?;
                cursor.peek()?;
                let start = cursor.at();
                let value = cursor.value()?;
                take(of(key), value, start, cursor.at());
            }
            if has_arguments {
                take(Field::ArgsEnd, Value::Nested, begin, cursor.at());
            }
            continue;
        }
        let start = cursor.at();
        let value = cursor.value()?;
        take(Field::of(word, key), value, start, cursor.at());
    }
    Ok(())
}
