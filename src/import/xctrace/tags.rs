//! The tags of a document in XML, as it streams by.

use crate::error::ImportError;
use crate::stream::Window;
use callscape_base::warnings::Place;

/// A tag.
#[derive(Debug, Default)]
pub(super) struct Tag {
    pub name: String,
    pub attributes: String,
    /// What stands between the tag before and this one.
    pub text: String,
    /// Whether it ends an element, and whether it begins one and ends it at once.
    pub is_end: bool,
    pub is_empty: bool,
}

pub(super) struct Tags<'a> {
    window: Window<'a>,
    /// Where the last tag begins.
    offset: u64,
}

impl<'a> Tags<'a> {
    pub(super) fn over(window: Window<'a>) -> Tags<'a> {
        let offset = window.offset();
        Tags { window, offset }
    }

    pub(super) fn place(&self) -> Place {
        self.window.place(self.offset)
    }

    /// The next tag; none at the end. Comments, declarations and instructions are passed over.
    pub(super) fn next(&mut self) -> Result<Option<Tag>, ImportError> {
        loop {
            let Some(before) =
                self.find(|data, from| Some(memchr::memchr(b'<', &data[from..])? + from))?
            else {
                return Ok(None);
            };
            let text = unescaped(&String::from_utf8_lossy(&self.window.data()[..before]));
            self.window.consume(before);
            self.offset = self.window.offset();
            self.window.have(4)?;
            let is_comment = self.window.data().starts_with(b"<!--");
            let end = match is_comment {
                true => self.find(|data, _| {
                    let inside = data.get(4..)?;
                    Some(memchr::memmem::find(inside, b"-->")? + 6)
                })?,
                false => self.find_end()?,
            };
            let Some(end) = end else {
                return Ok(None);
            };
            let inside = String::from_utf8_lossy(&self.window.data()[1..end]).into_owned();
            self.window.consume(end + 1);
            if !inside.starts_with(['!', '?']) {
                return Ok(Some(tag(&inside, text)));
            }
        }
    }

    /// Where something is in the bytes at hand, of which more are read until it is found; it is told how many were
    /// searched in vain.
    fn find(
        &mut self,
        find: impl Fn(&[u8], usize) -> Option<usize>,
    ) -> Result<Option<usize>, ImportError> {
        let mut searched = 0;
        loop {
            let data = self.window.data();
            if let Some(at) = find(data, searched) {
                return Ok(Some(at));
            }
            searched = data.len();
            if !self.window.more()? {
                return Ok(None);
            }
        }
    }

    /// The end of the tag at hand, which is in no quotes.
    fn find_end(&mut self) -> Result<Option<usize>, ImportError> {
        let (mut at, mut quote) = (1, None);
        loop {
            for &byte in self.window.data().get(at..).unwrap_or_default() {
                match (byte, quote) {
                    (b'>', None) => return Ok(Some(at)),
                    (b'"' | b'\'', None) => quote = Some(byte),
                    (byte, Some(open)) if byte == open => quote = None,
                    _ => {}
                }
                at += 1;
            }
            if !self.window.more()? {
                return Ok(None);
            }
        }
    }
}

fn tag(inside: &str, text: String) -> Tag {
    let (inside, is_end) = match inside.strip_prefix('/') {
        Some(rest) => (rest, true),
        None => (inside, false),
    };
    let (inside, is_empty) = match inside.strip_suffix('/') {
        Some(rest) => (rest, true),
        None => (inside, false),
    };
    let (name, attributes) = inside
        .split_once(char::is_whitespace)
        .unwrap_or((inside, ""));
    Tag {
        name: name.to_owned(),
        attributes: attributes.to_owned(),
        text,
        is_end,
        is_empty,
    }
}

/// The value of an attribute.
pub(super) fn attribute(attributes: &str, key: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        let (name, behind) = rest.split_once('=')?;
        let behind = behind.trim_start();
        let quote = behind
            .chars()
            .next()
            .filter(|it| matches!(it, '"' | '\''))?;
        let (value, behind) = behind[1..].split_once(quote)?;
        if name.trim() == key {
            return Some(unescaped(value));
        }
        rest = behind;
    }
}

/// A text with its entities as what they stand for; unknown ones stay.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain += &rest[..at];
        rest = &rest[at..];
        let end = rest.find(';').unwrap_or(0);
        let entity = rest.get(1..end).unwrap_or_default();
        let number = entity
            .strip_prefix('#')
            .and_then(|it| match it.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => it.parse().ok(),
            });
        let sign = match entity {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => number.and_then(char::from_u32),
        };
        match sign {
            Some(sign) => {
                plain.push(sign);
                rest = &rest[end + 1..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_entities_are_read() {
        let attributes =
            " id=\"1\" fmt = 'a &lt;b&gt; &amp;amp; &#65;&#x42; &nbsp; &'  name=\"x=y\"";
        assert_eq!(attribute(attributes, "id").as_deref(), Some("1"));
        let fmt = attribute(attributes, "fmt");
        assert_eq!(fmt.as_deref(), Some("a <b> &amp; AB &nbsp; &"));
        assert_eq!(attribute(attributes, "name").as_deref(), Some("x=y"));
        assert_eq!(attribute(attributes, "fm"), None);
        assert_eq!(attribute("id", "id"), None);
    }
}
