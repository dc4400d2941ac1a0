//! Where in the text of a scene something stands, for errors that can be followed.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A step on the way to a field: a key of a table, or the number of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Key(String),
    Number(usize),
}

/// A field, as one would name it: `shot 3, play.from`.
pub fn name(path: &[Step]) -> String {
    let mut name = String::new();
    for step in path {
        match step {
            // People count from one.
            Step::Number(number) => name += &format!(" {}", number + 1),
            Step::Key(key) => {
                let after_number = name.rsplit(' ').next().is_some_and(|last| {
                    !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
                });
                name += match (name.is_empty(), after_number) {
                    (true, _) => "",
                    (_, true) => ", ",
                    _ => ".",
                };
                name += key;
            }
        }
    }
    name
}

/// Line and column, both from 1, of a byte of `text`.
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}

/// The same of many bytes, in rising order; one that lies before the one before it counts as that. O(size of the text).
pub fn lines_and_columns(text: &str, offsets: &[usize]) -> Vec<(usize, usize)> {
    let (mut line, mut start, mut counted) = (1, 0, 0);
    let found = offsets.iter().map(|&offset| {
        let offset = offset.clamp(counted, text.len());
        for (at, _) in text[counted..offset].match_indices('\n') {
            line += 1;
            start = counted + at + 1;
        }
        counted = offset;
        (line, text[start..offset].chars().count() + 1)
    });
    found.collect()
}

/// The fields of a scene and where they stand.
pub struct Places<'a> {
    root: Spanned<DeTable<'a>>,
}

impl<'a> Places<'a> {
    /// None for what is not TOML.
    pub fn of(text: &'a str) -> Option<Places<'a>> {
        let root = DeTable::parse(text).ok()?;
        Some(Places { root })
    }

    /// The byte at which the value at `path` begins; of what is not there, where it would be.
    pub fn offset(&self, path: &[Step]) -> usize {
        let mut at = 0;
        let mut value: Option<&Spanned<DeValue<'a>>> = None;
        for (depth, step) in path.iter().enumerate() {
            let next = match (value.map(|it| it.get_ref()), step) {
                (None, Step::Key(key)) if depth == 0 => self.root.get_ref().get(key.as_str()),
                (Some(DeValue::Table(table)), Step::Key(key)) => table.get(key.as_str()),
                (Some(DeValue::Array(array)), Step::Number(number)) => array.get(*number),
                _ => None,
            };
            let Some(next) = next else { break };
            at = next.span().start;
            value = Some(next);
        }
        at
    }

    /// The innermost field whose key or value holds `span`.
    pub fn path_of(&self, span: &Range<usize>) -> Vec<Step> {
        let mut path = Vec::new();
        in_table(self.root.get_ref(), span, &mut path);
        path
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.start < outer.end.max(outer.start + 1)
}

fn in_table(table: &DeTable<'_>, span: &Range<usize>, path: &mut Vec<Step>) {
    // The span of a table written as [a.b] does not hold its fields, so all of them are looked at.
    for (key, value) in table {
        path.push(Step::Key(key.get_ref().to_string()));
        if holds(&key.span(), span) || in_value(value, span, path) {
            return;
        }
        let before = path.len();
        in_nested(value, span, path);
        if path.len() > before {
            return;
        }
        path.pop();
    }
}

fn in_nested(value: &Spanned<DeValue<'_>>, span: &Range<usize>, path: &mut Vec<Step>) {
    match value.get_ref() {
        DeValue::Table(table) => in_table(table, span, path),
        DeValue::Array(array) => {
            for (number, element) in array.iter().enumerate() {
                path.push(Step::Number(number));
                let before = path.len();
                in_nested(element, span, path);
                if path.len() > before {
                    return;
                }
                path.pop();
            }
        }
        _ => {}
    }
}

/// Whether the value itself, which holds no others, is what stands there.
fn in_value(value: &Spanned<DeValue<'_>>, span: &Range<usize>, path: &mut Vec<Step>) -> bool {
    match value.get_ref() {
        DeValue::Table(_) => false,
        DeValue::Array(array) => {
            let place = array.iter().position(|element| {
                !matches!(element.get_ref(), DeValue::Table(_)) && holds(&element.span(), span)
            });
            path.extend(place.map(Step::Number));
            place.is_some()
        }
        _ => holds(&value.span(), span),
    }
}

/// The path to a field of a shot.
pub fn of_shot(shot: usize, field: &[&str]) -> Vec<Step> {
    let mut path = vec![Step::Key("shot".to_owned()), Step::Number(shot)];
    path.extend(field.iter().map(|key| match key.parse() {
        Ok(number) => Step::Number(number),
        Err(_) => Step::Key((*key).to_owned()),
    }));
    path
}
