//! Python's marshal format as far as statistics need it. Source:
//! <https://github.com/python/cpython/blob/3.13/Python/marshal.c>.
//!
//! Texts, numbers, tuples of these, and references to them, in versions 0 to 4. Dictionaries and tuples of more are taken
//! apart by whoever reads them, so that nothing recurses; any other kind of object is an error.

use std::rc::Rc;

use super::super::error::ImportError;
use super::super::stream::Window;
use super::super::text;
use callscape_base::warnings::{Place, Reporter};

/// Said of an object that may be referred to.
const IS_REFERRED_TO: u8 = 0x80;
/// Elements of a tuple of texts and numbers: a function has three, its costs four.
const MOST_ELEMENTS: usize = 8;
/// Digits of 15 bits that a number of 64 bits has.
const MOST_DIGITS: usize = 5;

#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(Rc<str>),
    Whole(i64),
    Real(f64),
    Tuple(Rc<[Value]>),
    /// `None`, a truth value, a number beyond 64 bits, or a reference to something else.
    Other,
}

impl Value {
    /// A number of things, of which there are never less than none.
    pub(super) fn count(&self) -> Option<u64> {
        match *self {
            Value::Whole(count) => u64::try_from(count).ok(),
            _ => None,
        }
    }

    /// Seconds in nanoseconds, rounded.
    pub(super) fn nanoseconds(&self) -> Option<i64> {
        const LARGEST: f64 = (1_u64 << 62) as f64;
        let seconds = match *self {
            Value::Whole(seconds) => seconds as f64,
            Value::Real(seconds) => seconds,
            _ => return None,
        };
        let time = (seconds * 1e9).round();
        (time.abs() <= LARGEST).then_some(time as i64)
    }
}

/// The kind of an object, and where a later reference finds it.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) kind: u8,
    slot: Option<usize>,
}

/// Why reading ends.
pub(super) enum Stop {
    /// The file ends within an object.
    Cut,
    Error(ImportError),
}

impl From<ImportError> for Stop {
    fn from(error: ImportError) -> Stop {
        Stop::Error(error)
    }
}

pub(super) struct Marshal<'a> {
    window: Window<'a>,
    reporter: &'a Reporter,
    references: Vec<Value>,
}

impl<'a> Marshal<'a> {
    pub(super) fn new(window: Window<'a>, reporter: &'a Reporter) -> Marshal<'a> {
        Marshal {
            window,
            reporter,
            references: Vec::new(),
        }
    }

    pub(super) fn place(&self) -> Place {
        self.window.place(self.window.offset())
    }

    pub(super) fn error(&self, expected: &str, kind: Kind) -> Stop {
        let found = match kind.kind {
            sign @ b'!'..=b'~' => format!("the kind '{}'", char::from(sign)),
            other => format!("the kind {other:#04x}"),
        };
        Stop::Error(ImportError::malformed(self.place(), expected, found))
    }

    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Stop> {
        if !self.window.have(count)? {
            return Err(Stop::Cut);
        }
        let bytes = self.window.data()[..count].to_vec();
        self.window.consume(count);
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        if !self.window.have(N)? {
            return Err(Stop::Cut);
        }
        let bytes = self.window.data().first_chunk().copied().ok_or(Stop::Cut)?;
        self.window.consume(N);
        Ok(bytes)
    }

    fn size(&mut self, is_short: bool) -> Result<usize, Stop> {
        if is_short {
            let [size] = self.array()?;
            return Ok(size.into());
        }
        let size = i32::from_le_bytes(self.array()?);
        usize::try_from(size).map_err(|_| {
            let found = size.to_string();
            Stop::Error(ImportError::malformed(
                self.place(),
                "a size of an object",
                found,
            ))
        })
    }

    /// The kind of the next object.
    pub(super) fn kind(&mut self) -> Result<Kind, Stop> {
        let [kind] = self.array()?;
        let is_referred_to = kind & IS_REFERRED_TO != 0;
        // Objects are numbered in the order in which they begin.
        let slot = is_referred_to.then(|| {
            self.references.push(Value::Other);
            self.references.len() - 1
        });
        Ok(Kind {
            kind: kind & !IS_REFERRED_TO,
            slot,
        })
    }

    /// How many elements a tuple has, which come next; none of another kind.
    pub(super) fn elements(&mut self, kind: Kind) -> Result<Option<usize>, Stop> {
        match kind.kind {
            b')' | b'(' => self.size(kind.kind == b')').map(Some),
            _ => Ok(None),
        }
    }

    /// The next object: a text, a number, or a tuple of these.
    pub(super) fn value(&mut self) -> Result<Value, Stop> {
        let kind = self.kind()?;
        self.value_of(kind)
    }

    /// The same of an object whose kind is read.
    pub(super) fn value_of(&mut self, kind: Kind) -> Result<Value, Stop> {
        let value = match self.elements(kind)? {
            Some(elements) if elements > MOST_ELEMENTS => {
                return Err(self.error("a tuple of a few texts and numbers", kind));
            }
            Some(elements) => {
                let mut values = Vec::with_capacity(elements);
                for _ in 0..elements {
                    let kind = self.kind()?;
                    let value = self.plain(kind)?;
                    self.keep(kind, &value);
                    values.push(value);
                }
                Value::Tuple(values.into())
            }
            None => self.plain(kind)?,
        };
        self.keep(kind, &value);
        Ok(value)
    }

    fn keep(&mut self, kind: Kind, value: &Value) {
        if let Some(slot) = kind.slot {
            self.references[slot] = value.clone();
        }
    }

    /// A text, a number, or a reference.
    fn plain(&mut self, kind: Kind) -> Result<Value, Stop> {
        Ok(match kind.kind {
            short @ (b'z' | b'Z' | b'a' | b'A' | b'u' | b't' | b's') => {
                let size = self.size(short.eq_ignore_ascii_case(&b'z'))?;
                let bytes = self.bytes(size)?;
                let (text, is_sound) = text::checked(&bytes);
                if !is_sound {
                    self.reporter.warn("invalid-text", || self.place());
                }
                Value::Text(text.as_ref().into())
            }
            b'i' => Value::Whole(i32::from_le_bytes(self.array()?).into()),
            b'I' => Value::Whole(i64::from_le_bytes(self.array()?)),
            b'l' => self.long()?,
            b'g' => Value::Real(f64::from_le_bytes(self.array()?)),
            b'f' => {
                let size = self.size(true)?;
                let digits = self.bytes(size)?;
                let number = std::str::from_utf8(&digits)
                    .ok()
                    .and_then(|it| it.parse().ok());
                number.map_or(Value::Other, Value::Real)
            }
            b'r' => {
                let number = self.size(false)?;
                let known = self.references.get(number).cloned();
                known.ok_or_else(|| self.error("a reference to an earlier object", kind))?
            }
            b'N' | b'T' | b'F' => Value::Other,
            _ => return Err(self.error("a text or a number", kind)),
        })
    }

    /// A number in digits of 15 bits, the lowest first; the sign is that of their count.
    fn long(&mut self) -> Result<Value, Stop> {
        let count = i32::from_le_bytes(self.array()?);
        let mut value = 0_i128;
        let digits = count.unsigned_abs() as usize;
        for place in 0..digits {
            let digit = u16::from_le_bytes(self.array()?);
            if place < MOST_DIGITS {
                value |= i128::from(digit & 0x7fff) << (15 * place);
            }
        }
        let value = i64::try_from(if count < 0 { -value } else { value });
        Ok(match value {
            Ok(value) if digits <= MOST_DIGITS => Value::Whole(value),
            _ => Value::Other,
        })
    }
}
