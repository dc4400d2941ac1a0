//! What events look like: a program that writes a trace writes the same members in the same order again and
//! again, so an event is first taken for one like those before it. Each literal piece between two values is
//! compared at once, and only the values are taken apart. Whatever differs is left to the ordinary reading,
//! which gives the same.

use super::events::{Event, Field, Phase, members};
use crate::decimal;
use crate::json::{Cursor, DELIMITERS, Value, find_quote_or_escape};
use crate::literal::Literal;

/// The bytes of an event up to and behind a value.
#[derive(Debug, PartialEq)]
struct Part {
    /// What stands before the value.
    literal: Literal,
    value: Kind,
}

/// How a value is written, and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One byte; the quotes around it belong to the literals.
    Phase,
    /// Up to the closing quote; the opening one belongs to the literal.
    Text(Field),
    /// A number that is a time.
    Ts,
    Dur,
    /// Any value that begins like this one: a list, an object, or neither. Only of an object in `args` are members read.
    Any(Field, Option<u8>),
    /// Here `args` begins, and here it ends.
    ArgsBegin,
    ArgsEnd,
    /// The event is complete.
    End,
}

/// What an event looks like, from the end of the event before it on.
#[derive(Debug, PartialEq)]
struct Shape {
    /// How many bytes stand before its `{`.
    gap: usize,
    parts: Vec<Part>,
    /// Where process and thread belong to the literals: the thread.
    thread: Option<usize>,
}

/// The shapes of the last events.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// By shape, the one that followed it the last time.
    followers: [usize; MOST],
    last: usize,
    /// The one of which all that the event holds is.
    filled: Option<usize>,
    /// The place for the next shape.
    next: usize,
    learned: u64,
    read: u64,
}

/// How many shapes are tried before the ordinary reading.
const MOST: usize = 4;

/// Past this many learned shapes, process and thread no longer belong to them.
const LEARNED_WITH_THREADS: u64 = 32;

/// Past this many, learning goes on only while at least as many events for each are read by shape.
const LEARNED_FREELY: u64 = 256;
const WORTH: u64 = 8;

impl Shapes {
    /// Reads the event behind the one that ends at `at`, where it has one of the shapes, and gives its first byte
    /// and its end.
    #[inline]
    pub(super) fn event<'a>(
        &mut self,
        bytes: &'a [u8],
        at: usize,
        event: &mut Event<'a>,
    ) -> Option<(usize, usize)> {
        let guess = self.followers[self.last % MOST];
        let shape = self.shapes.get(guess)?;
        if self.filled != Some(guess) {
            shape.clear(event);
            self.filled = Some(guess);
        }
        let end = match shape.read(bytes, at, event) {
            Some(end) => {
                self.last = guess;
                end
            }
            None => self.another(guess, bytes, at, event)?,
        };
        self.read += 1;
        Some((at + self.shapes[self.last].gap, end))
    }

    #[inline(never)]
    fn another<'a>(
        &mut self,
        guess: usize,
        bytes: &'a [u8],
        at: usize,
        event: &mut Event<'a>,
    ) -> Option<usize> {
        for (index, shape) in self.shapes.iter().enumerate() {
            if index == guess {
                continue;
            }
            shape.clear(event);
            self.filled = Some(index);
            if let Some(end) = shape.read(bytes, at, event) {
                self.follow(index);
                return Some(end);
            }
        }
        None
    }

    /// The next event is read into another place than those before it.
    pub(super) fn forget_event(&mut self) {
        self.filled = None;
    }

    fn follow(&mut self, shape: usize) {
        self.followers[self.last % MOST] = shape;
        self.last = shape;
    }

    /// Keeps the shape of the event whose `{` stands at `brace`, behind the one that ends at `from`, and which is of
    /// the thread at this place.
    pub(super) fn learn(&mut self, bytes: &[u8], from: usize, brace: usize, thread: usize) {
        if self.learned > LEARNED_FREELY && self.read / WORTH < self.learned {
            return;
        }
        let thread = (self.learned < LEARNED_WITH_THREADS).then_some(thread);
        let Some(shape) = Shape::of(bytes, from, brace, thread) else {
            return;
        };
        if self.shapes.contains(&shape) {
            // Only that the bytes at hand ended soon.
            return;
        }
        self.learned += 1;
        self.filled = None;
        if self.learned == LEARNED_WITH_THREADS {
            self.shapes.clear();
            self.next = 0;
        }
        let place = self.next % MOST;
        self.next += 1;
        if place < self.shapes.len() {
            self.shapes[place] = shape;
        } else {
            self.shapes.push(shape);
        }
        self.follow(place);
    }
}

/// The bracket that a value begins with; none for others.
fn opening(bytes: &[u8], at: usize) -> Option<u8> {
    bytes
        .get(at)
        .copied()
        .filter(|it| matches!(it, b'{' | b'['))
}

impl Shape {
    fn of(bytes: &[u8], from: usize, brace: usize, thread: Option<usize>) -> Option<Shape> {
        /// Events with more members than this are rare.
        const MEMBERS: usize = 32;
        let mut cursor = Cursor::new(bytes, brace);
        let mut values: Vec<(Kind, usize, usize)> = Vec::new();
        members(&mut cursor, |field, value, start, end| {
            let text = matches!(value, Value::Text(_));
            // What only asynchronous events are asked for, which are read in the ordinary way.
            let field = match field {
                Field::Category | Field::Id | Field::Binding => Field::Other,
                field => field,
            };
            match (field, value) {
                (Field::Phase, Value::Text([_])) => {
                    values.push((Kind::Phase, start + 1, start + 2))
                }
                (Field::Pid | Field::Tid, Value::Text(_) | Value::Word(_)) if thread.is_some() => {}
                (Field::Ts, Value::Word(_)) => values.push((Kind::Ts, start, end)),
                (Field::Dur, Value::Word(_)) => values.push((Kind::Dur, start, end)),
                (Field::ArgsBegin, _) => values.push((Kind::ArgsBegin, start, start)),
                (Field::ArgsEnd, _) => values.push((Kind::ArgsEnd, end, end)),
                (field, _) if text => values.push((Kind::Text(field), start + 1, end)),
                (field, _) => values.push((Kind::Any(field, opening(bytes, start)), start, end)),
            }
        })
        .ok()?;
        if values.len() > MEMBERS {
            return None;
        }
        values.push((Kind::End, cursor.at(), cursor.at()));
        let mut literal = from;
        let parts = values.into_iter().map(|(value, start, end)| {
            let part = Literal::new(bytes.get(literal..start)?);
            literal = end;
            Some(Part {
                literal: part,
                value,
            })
        });
        Some(Shape {
            gap: brace - from,
            parts: parts.collect::<Option<Vec<Part>>>()?,
            thread,
        })
    }

    /// Takes out of `event` what no event of this shape says.
    fn clear(&self, event: &mut Event<'_>) {
        *event = Event {
            thread: self.thread,
            ..Event::default()
        };
    }

    /// Reads the event behind the one that ends at `at`, and gives its end; none where it looks otherwise, or
    /// where the bytes at hand end soon. `event` holds nothing but what another of this shape said.
    #[inline]
    fn read<'a>(&self, bytes: &'a [u8], mut at: usize, event: &mut Event<'a>) -> Option<usize> {
        let mut args = at;
        for part in &self.parts {
            at = part.literal.end(bytes, at)?;
            match part.value {
                Kind::Phase => {
                    let phase = *bytes.get(at)?;
                    // Metadata is rare, and has other members; what is no text is left to the ordinary reading.
                    if !matches!(phase, b'B' | b'E' | b'X') {
                        return None;
                    }
                    event.phase = Phase::Is(phase);
                    at += 1;
                }
                Kind::Text(field) => {
                    let end = find_quote_or_escape(bytes, at)?;
                    if bytes[end] != b'"' {
                        return None;
                    }
                    if field == Field::Name {
                        event.name = Some(&bytes[at..end]);
                    } else if field != Field::Other {
                        event.set(field, Value::Text(&bytes[at..end]));
                    }
                    at = end + 1;
                }
                Kind::Ts => match quick_time(bytes, at) {
                    Some((time, end)) => (event.ts, at) = (Some(Ok(time)), end),
                    None => (event.ts, at) = time(bytes, at)?,
                },
                Kind::Dur => match quick_time(bytes, at) {
                    Some((time, end)) => (event.dur, at) = (Some(Ok(time)), end),
                    None => (event.dur, at) = time(bytes, at)?,
                },
                Kind::Any(field, begins) => {
                    if opening(bytes, at) != begins {
                        return None;
                    }
                    let mut cursor = Cursor::new(bytes, at);
                    // White space before a value belongs to the literal.
                    event.set(field, cursor.value().ok()?);
                    at = cursor.at();
                }
                Kind::ArgsBegin => args = at,
                Kind::ArgsEnd => event.args = Some(&bytes[args..at]),
                Kind::End => return Some(at),
            }
        }
        None
    }
}

/// The time that begins at `at`, in nanoseconds, and where it ends; none where it is not written in the usual way.
#[inline]
fn quick_time(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let (time, end) = decimal::scan(bytes, at, decimal::Unit::Microseconds)?;
    DELIMITERS[usize::from(*bytes.get(end)?)].then_some((time, end))
}

/// The time that begins at `at`, and where it ends.
#[cold]
fn time(bytes: &[u8], at: usize) -> Option<(Option<Result<i64, decimal::NoTime>>, usize)> {
    let mut cursor = Cursor::new(bytes, at);
    let Value::Word(number) = cursor.value().ok()? else {
        return None;
    };
    let time = decimal::nanoseconds(number, decimal::Unit::Microseconds);
    Some((Some(time), cursor.at()))
}
