//! Members of JSON objects as arguments of spans: those of nested objects have joined names, down to a depth.

use super::document::{Document, Next};
use super::error::ImportError;
use super::json::unescape;
use super::words::word;
use callscape_facts::trace::Value;

/// What is nested more deeply is left out.
const DEEPEST: usize = 4;

/// Arguments with their names.
pub(crate) type Members = Vec<(String, Value<'static>)>;

/// Takes the members of the object that stands next, named behind `around`.
pub(crate) fn take(
    document: &mut Document<'_>,
    around: &str,
    into: &mut Members,
) -> Result<(), ImportError> {
    nested(document, around, 0, into)
}

fn nested(
    document: &mut Document<'_>,
    around: &str,
    depth: usize,
    into: &mut Members,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    while let Some(key) = document.member()? {
        let key = unescape(key).0;
        let name = match around {
            "" => key,
            around => format!("{around}.{key}"),
        };
        match document.next()? {
            Next::Object if depth + 1 < DEEPEST => nested(document, &name, depth + 1, into)?,
            Next::Text => into.push((name, Value::Text(document.text()?.into()))),
            Next::Word => {
                let text = document.text()?;
                if !text.is_empty() {
                    into.push((name, word(&text).into_owned()));
                }
            }
            Next::Object | Next::Array | Next::Nothing => document.skip()?,
        }
    }
    Ok(())
}
