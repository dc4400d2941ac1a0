//! The value of an argument: how it is kept, shown and compared.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// The value of an argument, as exact as the recording has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    Integer(i128),
    /// Shown in hexadecimal.
    Address(u64),
    Real(f64),
    Flag(bool),
    Text(Cow<'a, str>),
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument<'a> {
    pub name: Cow<'a, str>,
    pub value: Value<'a>,
}

/// A number that values are compared by.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Integer(i128),
    Real(f64),
}

impl Number {
    /// The nearest number of 64 bits.
    pub fn real(self) -> f64 {
        match self {
            Number::Integer(number) => number as f64,
            Number::Real(number) => number,
        }
    }

    /// The order of two numbers, exact between integers; `None` if one is no number at all.
    pub fn order(self, other: Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
            (a, b) => a.real().partial_cmp(&b.real()),
        }
    }

    /// The number that a text is: decimal, or hexadecimal behind `0x`.
    pub fn parse(text: &str) -> Option<Number> {
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        if let Some(digits) = digits.strip_prefix("0x") {
            let number = u64::from_str_radix(digits, 16).ok()?;
            return Some(Number::Integer(sign * i128::from(number)));
        }
        if let Ok(number) = text.parse() {
            return Some(Number::Integer(number));
        }
        // Not the words `inf` and `nan`, which may be names.
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let number = text.parse::<f64>().ok().filter(|_| is_number)?;
        number.is_finite().then_some(Number::Real(number))
    }
}

impl Value<'_> {
    /// The number that it is, or that its text is: some tracers write all values as text.
    pub fn number(&self) -> Option<Number> {
        match self {
            Value::Integer(number) => Some(Number::Integer(*number)),
            Value::Address(address) => Some(Number::Integer((*address).into())),
            Value::Real(number) => Some(Number::Real(*number)),
            Value::Flag(_) => None,
            Value::Text(text) => Number::parse(text),
        }
    }

    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Integer(number) => Value::Integer(number),
            Value::Address(address) => Value::Address(address),
            Value::Real(number) => Value::Real(number),
            Value::Flag(is) => Value::Flag(is),
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(number) => number.fmt(f),
            Value::Address(address) => write!(f, "{address:#x}"),
            Value::Real(number) => number.fmt(f),
            Value::Flag(is) => is.fmt(f),
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => serializer.serialize_i64(number),
                (_, Ok(number)) => serializer.serialize_u64(number),
                _ => serializer.collect_str(number),
            },
            Value::Real(number) if number.is_finite() => serializer.serialize_f64(*number),
            Value::Flag(is) => serializer.serialize_bool(*is),
            Value::Address(_) | Value::Real(_) => serializer.collect_str(self),
            Value::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// Appends a number, seven bits a byte, the lowest first.
pub(super) fn put_number(mut number: u128, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the start of `bytes`; none when there is no whole one.
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0u128;
    for shift in (0..128).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u128::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Takes a number of 32 bits from the start of `bytes`.
pub(super) fn take_small(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take_number(bytes)?).ok()
}

impl<'a> Value<'a> {
    /// Appends the value: a tag, then what it is.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Value::Integer(number) => {
                out.push(0);
                // Small ones of both signs as small numbers.
                put_number((number << 1 ^ number >> 127) as u128, out);
            }
            Value::Address(address) => {
                out.push(1);
                put_number((*address).into(), out);
            }
            Value::Real(number) => {
                out.push(2);
                out.extend_from_slice(&number.to_le_bytes());
            }
            Value::Flag(is) => out.push(3 + u8::from(*is)),
            Value::Text(text) => {
                out.push(5);
                put_number(text.len() as u128, out);
                out.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// Takes a value from the start of `bytes`; none when there is none.
    pub(super) fn take(bytes: &mut &'a [u8]) -> Option<Value<'a>> {
        let (&tag, rest) = bytes.split_first()?;
        *bytes = rest;
        Some(match tag {
            0 => {
                let number = take_number(bytes)?;
                Value::Integer((number >> 1) as i128 ^ -((number & 1) as i128))
            }
            1 => Value::Address(u64::try_from(take_number(bytes)?).ok()?),
            2 => {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Value::Real(f64::from_le_bytes(*number))
            }
            3 => Value::Flag(false),
            4 => Value::Flag(true),
            5 => {
                let length = take_small(bytes)? as usize;
                let (text, rest) = bytes.split_at_checked(length)?;
                *bytes = rest;
                Value::Text(Cow::Borrowed(std::str::from_utf8(text).ok()?))
            }
            _ => return None,
        })
    }
}
