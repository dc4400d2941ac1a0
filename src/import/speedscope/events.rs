//! The events of an evented profile: read one by one, or, as long as they look like the one before, by where its
//! values stood.

use super::super::decimal::{self, NoTime, Unit};
use super::super::document::index_of;
use super::super::json::{Cursor, Stop, Value, packed};
use super::super::literal::Literal;

/// An open or close event, as far as it can be read.
#[derive(Clone, Copy, Default)]
pub(super) struct Event {
    pub kind: Option<u8>,
    pub frame: Option<u32>,
    pub at: Option<Result<i64, NoTime>>,
}

/// What stands next in an array of events.
pub(super) enum Item {
    Event(Event),
    /// Something else, which stays there.
    Other,
    End,
}

/// A value of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Kind,
    Frame,
    At,
    /// Nothing about calls.
    Other,
}

/// Hands the members of the event that stands next to `take`: what each says, its value, and where its value begins
/// and ends.
#[inline]
fn members<'a>(
    cursor: &mut Cursor<'a>,
    mut take: impl FnMut(Slot, Value<'a>, usize, usize),
) -> Result<(), Stop> {
    const TYPE: u64 = packed(b"type");
    const FRAME: u64 = packed(b"frame");
    const AT: u64 = packed(b"at");
    cursor.expect(b'{')?;
    while cursor.next(b'}')? {
        let (word, _) = cursor.key()?;
        cursor.peek()?;
        let start = cursor.at();
        let value = cursor.value()?;
        let slot = match word {
            TYPE => Slot::Kind,
            FRAME => Slot::Frame,
            AT => Slot::At,
            _ => Slot::Other,
        };
        take(slot, value, start, cursor.at());
    }
    Ok(())
}

/// The next event of an array.
#[inline]
pub(super) fn next(cursor: &mut Cursor<'_>, unit: Unit) -> Result<Item, Stop> {
    if !cursor.next(b']')? {
        return Ok(Item::End);
    }
    if cursor.peek()? != b'{' {
        return Ok(Item::Other);
    }
    let mut event = Event::default();
    members(cursor, |slot, value, _, _| {
        let bytes = value.bytes();
        match slot {
            Slot::Kind => event.kind = bytes.and_then(|kind| kind.first().copied()),
            Slot::Frame => event.frame = bytes.and_then(index_of),
            Slot::At => event.at = bytes.map(|number| decimal::nanoseconds(number, unit)),
            Slot::Other => {}
        }
    })?;
    Ok(Item::Event(event))
}

/// What an event looks like, from the end of the one before it on: which bytes stand around its values. One that is
/// read by it is read as [`next`] would.
pub(super) struct Layout {
    parts: [(Literal, Slot); 3],
    close: Literal,
}

impl Layout {
    /// That of the event that ends `bytes`; none for one that has other members, or not all.
    pub(super) fn of(bytes: &[u8]) -> Option<Layout> {
        let mut cursor = Cursor::new(bytes, 0);
        if !cursor.next(b']').ok()? {
            return None;
        }
        let mut values = Vec::new();
        members(&mut cursor, |slot, value, start, end| {
            match (slot, value) {
                // The quotes belong to the literals.
                (Slot::Kind, Value::Text([_])) => values.push((slot, start + 1, end - 1)),
                (Slot::Frame | Slot::At, Value::Word(_)) => values.push((slot, start, end)),
                _ => values.push((Slot::Other, start, end)),
            }
        })
        .ok()?;
        let close = cursor.at();
        let [first, second, third] = values.try_into().ok()?;
        let mut from = 0;
        let mut part = |(slot, start, end): (Slot, usize, usize)| {
            let literal = Literal::new(bytes.get(from..start)?);
            from = end;
            (slot != Slot::Other).then_some((literal, slot))
        };
        let parts = [part(first)?, part(second)?, part(third)?];
        let is_there = |slot| parts.iter().any(|(_, other)| *other == slot);
        let complete = is_there(Slot::Kind) && is_there(Slot::Frame) && is_there(Slot::At);
        let close = Literal::new(bytes.get(from..close)?);
        complete.then_some(Layout { parts, close })
    }

    /// The event behind the one that ends at `at`: its kind, frame and time, and where it ends. None where it looks
    /// otherwise, or where the bytes at hand end soon.
    #[inline]
    pub(super) fn read(
        &self,
        bytes: &[u8],
        mut at: usize,
        unit: Unit,
    ) -> Option<(u8, u32, i64, usize)> {
        let (mut kind, mut frame, mut time) = (0, 0, 0);
        for (literal, slot) in &self.parts {
            at = literal.end(bytes, at)?;
            match slot {
                Slot::Kind => {
                    kind = *bytes.get(at)?;
                    at += 1;
                }
                Slot::Frame => {
                    let (number, count) = decimal::digits(bytes, at)?;
                    // Behind eight digits may be more.
                    if count == 0 || count == 8 {
                        return None;
                    }
                    frame = number as u32;
                    at += count;
                }
                Slot::At => (time, at) = decimal::scan(bytes, at, unit)?,
                Slot::Other => return None,
            }
        }
        let end = self.close.end(bytes, at)?;
        // A quote or backslash is no kind that stands alone.
        let whole = !matches!(kind, b'"' | b'\\') && kind >= b' ';
        whole.then_some((kind, frame, time, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_layout_are_read_by_it() {
        let first = br#", {"at" : 7, "type":"O","frame":3 }"#;
        let layout = Layout::of(first).expect("an event");
        let after = "            ";
        let same = format!(r#", {{"at" : 12345678901, "type":"C","frame":65 }}{after}"#);
        let read = layout.read(same.as_bytes(), 0, Unit::Nanoseconds);
        let end = same.trim_end().len();
        assert_eq!(read, Some((b'C', 65, 12_345_678_901, end)));
        for other in [
            r#", {"at" : 1e3, "type":"C","frame":65 }"#,
            r#", {"at" : 1, "type":"C","frame":65, "x":1 }"#,
            r#", {"at" : 1, "type":"C","frame":-1 }"#,
            r#", {"at" : 1, "type":"CC","frame":1 }"#,
            r#", {"at" : 1, "type":"","frame":1 }"#,
            r#", {"at" : , "type":"C","frame":1 }"#,
            r#", {"at" : 1, "frame":1, "type":"C" }"#,
            r#", {"at" : 1, "type":"C","frame":4294967296 }"#,
        ] {
            let text = format!("{other}{after}");
            let read = layout.read(text.as_bytes(), 0, Unit::Nanoseconds);
            assert_eq!(read, None, "{other}");
        }
        for none in [
            "",
            ",",
            "]",
            r#"{"at":1,"type":"C"}"#,
            r#"{"at":1,"at":1,"type":"C"}"#,
            r#"{"at":1,"frame":2,"type":"C","x":1}"#,
        ] {
            assert!(Layout::of(none.as_bytes()).is_none(), "{none}");
        }
    }
}
