//! Values of attributes (`AnyValue` of `common/v1/common.proto`), in JSON and binary. Those in arrays and lists are named
//! after their place or key, behind a dot, down to a depth.

use std::borrow::Cow;

use super::pairs::{attribute, hexadecimal};
use crate::base64::bytes;
use crate::document::Document;
use crate::error::ImportError;
use crate::protobuf::{Fields, Value as Field};
use crate::words::word;
use callscape_facts::trace::Value;

/// Lists that are nested more deeply are shown as `…`.
const DEEPEST: usize = 4;

const OMITTED: Value<'static> = Value::Text(Cow::Borrowed("…"));

/// Values with what is behind the name of the attribute in theirs.
pub(super) type Found = Vec<(String, Value<'static>)>;

/// Reads the value that stands next.
pub(super) fn read(
    document: &mut Document<'_>,
    name: &mut String,
    depth: usize,
    found: &mut Found,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    while let Some(key) = document.member()? {
        let is_list = matches!(key, b"kvlistValue" | b"kvlist_value");
        match key {
            b"bytesValue" | b"bytes_value" => {
                let text = document.text()?;
                // As the binary form has it; what is no base 64 stays as it is.
                let text = bytes(&text).map_or(text, |bytes| hexadecimal(&bytes));
                found.push((name.clone(), Value::Text(text.into())));
            }
            b"stringValue" | b"string_value" => {
                let text = document.text()?;
                found.push((name.clone(), Value::Text(text.into())));
            }
            b"intValue" | b"int_value" | b"doubleValue" | b"double_value" | b"boolValue"
            | b"bool_value" => {
                let text = document.text()?;
                found.push((name.clone(), word(&text).into_owned()));
            }
            b"arrayValue" | b"array_value" | b"kvlistValue" | b"kvlist_value"
                if depth < DEEPEST =>
            {
                nested(document, is_list, (name, depth), found)?;
            }
            b"arrayValue" | b"array_value" | b"kvlistValue" | b"kvlist_value" => {
                document.skip()?;
                found.push((name.clone(), OMITTED));
            }
            _ => document.skip()?,
        }
    }
    Ok(())
}

/// Reads the values of an array, or of a list of keys with values.
fn nested(
    document: &mut Document<'_>,
    is_list: bool,
    (name, depth): (&mut String, usize),
    found: &mut Found,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    let length = name.len();
    while let Some(key) = document.member()? {
        if key != b"values" {
            document.skip()?;
            continue;
        }
        let mut number = 0;
        if !document.array()? {
            continue;
        }
        while document.element()? {
            let first = found.len();
            let mut own = number.to_string();
            match is_list {
                false => read(document, name, depth + 1, found)?,
                true if document.object()? => {
                    while let Some(key) = document.member()? {
                        match key {
                            b"key" => document.text_into(&mut own)?,
                            b"value" => read(document, name, depth + 1, found)?,
                            _ => document.skip()?,
                        }
                    }
                }
                true => {}
            }
            // The key may come behind the value.
            for (of, _) in &mut found[first..] {
                of.insert_str(length, &format!(".{own}"));
            }
            number += 1;
        }
    }
    Ok(())
}

/// Takes the value that a message is.
pub(super) fn take(any: &[u8], name: &mut String, depth: usize, found: &mut Found) {
    for (number, field) in Fields::new(any) {
        let value = match (number, field) {
            (1, Field::Bytes(text)) => Value::Text(String::from_utf8_lossy(text)),
            (2, Field::Number(is)) => Value::Flag(is != 0),
            (3, Field::Number(number)) => Value::Integer((number as i64).into()),
            (4, Field::Number(bits)) => Value::Real(f64::from_bits(bits)),
            (7, Field::Bytes(bytes)) => Value::Text(hexadecimal(bytes).into()),
            (5 | 6, Field::Bytes(list)) if depth < DEEPEST => {
                take_nested(list, number == 6, (name, depth), found);
                continue;
            }
            (5 | 6, Field::Bytes(_)) => OMITTED,
            _ => continue,
        };
        found.push((name.clone(), value.into_owned()));
    }
}

fn take_nested(list: &[u8], is_list: bool, (name, depth): (&mut String, usize), found: &mut Found) {
    let length = name.len();
    let values = Fields::new(list).filter(|(number, _)| *number == 1);
    for (number, (_, value)) in values.enumerate() {
        name.push('.');
        match is_list {
            false => {
                name.push_str(&number.to_string());
                take(value.bytes().unwrap_or_default(), name, depth + 1, found);
            }
            true => {
                if let Some((key, value)) = attribute(value) {
                    name.push_str(key);
                    take(value, name, depth + 1, found);
                }
            }
        }
        name.truncate(length);
    }
}
