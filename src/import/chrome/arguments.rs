//! The `args` of calls: all members that say nothing about where a function stands. Names of nested objects and arrays are
//! joined with dots, down to a depth.

use std::borrow::Cow;

use super::events::is_argument;
use crate::json::{Cursor, Stop, Value as Json, unescape};
use crate::words::word;
use callscape_facts::trace::{Told, Value};

/// What is nested more deeply is one text.
const DEEPEST: usize = 4;

/// Tells all members of `args`, an object; what is not JSON ends it.
pub(super) fn tell(args: &[u8], told: &mut Told) {
    let mut arguments = Arguments {
        bytes: args,
        name: String::new(),
        told,
    };
    // It has been passed over as a whole before, so it is one.
    let _ = arguments.nested(&mut Cursor::new(args, 0), 0);
}

struct Arguments<'a, 't> {
    bytes: &'a [u8],
    /// That of the value at hand.
    name: String,
    told: &'t mut Told,
}

impl<'a> Arguments<'a, '_> {
    /// The object or array at the cursor.
    fn nested(&mut self, cursor: &mut Cursor<'a>, depth: usize) -> Result<(), Stop> {
        let is_object = cursor.peek()? == b'{';
        let (open, close) = if is_object {
            (b'{', b'}')
        } else {
            (b'[', b']')
        };
        // VizTracer's arguments of functions are in an object of their own.
        if depth == 1 && self.name == "func_args" {
            self.name.clear();
        }
        let around = self.name.len();
        cursor.expect(open)?;
        let mut number = 0;
        while cursor.next(close)? {
            self.name.truncate(around);
            let mut is_kept = true;
            if is_object {
                let key = cursor.text()?;
                cursor.expect(b':')?;
                is_kept = depth > 0 || is_argument(key);
                self.append(&text(key), depth);
            } else {
                self.append(&number.to_string(), depth);
                number += 1;
            }
            let first = cursor.peek()?;
            let start = cursor.at();
            if is_kept && matches!(first, b'{' | b'[') && depth < DEEPEST {
                self.nested(cursor, depth + 1)?;
                continue;
            }
            let value = cursor.value()?;
            if is_kept {
                self.add(value, self.bytes.get(start..cursor.at()));
            }
        }
        self.name.truncate(around);
        Ok(())
    }

    /// Names a member; VizTracer's `return_value` is what it says.
    fn append(&mut self, member: &str, depth: usize) {
        if !self.name.is_empty() {
            self.name.push('.');
        }
        match (member, depth) {
            ("return_value", 0) => self.name.push_str("return"),
            _ => self.name.push_str(member),
        }
    }

    fn add(&mut self, value: Json<'_>, raw: Option<&[u8]>) {
        let value = match value {
            Json::Text(content) => Value::Text(text(content)),
            Json::Word(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                return self.told.add(&self.name, &word(&text));
            }
            Json::Nested => Value::Text(text(raw.unwrap_or_default())),
        };
        self.told.add(&self.name, &value);
    }
}

fn text(content: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(content) {
        Ok(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        _ => Cow::Owned(unescape(content).0),
    }
}
