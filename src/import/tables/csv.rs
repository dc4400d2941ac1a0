//! Records of CSV (RFC 4180), and what their fields hold.

use super::values::Cell;
use crate::decimal;
use crate::error::ImportError;
use crate::input::Input;
use crate::lines::Lines;
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};

/// Bytes of a record of CSV.
const LONGEST_RECORD: usize = 1 << 20;

/// Hands on the fields of each record, with its place.
pub(super) fn each_record(
    input: &Input,
    progress: &Progress,
    reporter: &Reporter,
    mut take: impl FnMut(&[String], &dyn Fn() -> Place) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut lines = Lines::open(input, progress, reporter)?;
    let file = input.display().to_string();
    let mut record: Vec<u8> = Vec::new();
    // Quotation marks in the record, and the line that it begins in.
    let (mut marks, mut start) = (0, 1);
    let mut between = None;
    while let Some(line) = lines.next()? {
        marks += quotes(line);
        let is_first = record.is_empty();
        if !is_first {
            record.push(b'\n');
        }
        record.extend_from_slice(line);
        if is_first {
            start = lines.number();
        }
        let place = || Place::line(&file, start);
        if !is_whole(marks) {
            if record.len() > LONGEST_RECORD {
                let expected = "the end of what a quotation mark begins";
                return Err(ImportError::malformed(place(), expected, "more text"));
            }
            continue;
        }
        marks = 0;
        if !record.is_empty() {
            let between = *between.get_or_insert_with(|| separator(&record));
            let mut fields = fields(&record, between);
            if between != b',' {
                fields.iter_mut().for_each(with_point);
            }
            take(&fields, &place)?;
        }
        record.clear();
    }
    if record.is_empty() {
        return Ok(());
    }
    let expected = "the end of what a quotation mark begins";
    let place = Place::line(&file, start);
    Err(ImportError::malformed(
        place,
        expected,
        "the end of the file",
    ))
}

/// The fields of a line; none where a quotation mark in it is open.
pub(super) fn fields_of_line(line: &[u8]) -> Option<Vec<String>> {
    is_whole(quotes(line)).then(|| fields(line, separator(line)))
}

/// What stands between the fields of a table with this line of names: a comma, or where there are more of them a semicolon,
/// as in countries with decimal commas, or a tab.
fn separator(names: &[u8]) -> u8 {
    let count = |&sign: &u8| memchr::memchr_iter(sign, names).count();
    // Of as many the last.
    [b'\t', b';', b',']
        .into_iter()
        .max_by_key(count)
        .unwrap_or(b',')
}

/// Spells a number with a decimal comma as others do.
fn with_point(field: &mut String) {
    if field.contains(',')
        && let Some(plain) = decimal::plain(field, false)
    {
        *field = plain;
    }
}

/// How many quotation marks there are.
fn quotes(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'"', bytes).count()
}

/// Whether a record with this number of quotes is complete. Quotes come in pairs: one on either side of a field, two for one
/// within it.
fn is_whole(quotes: usize) -> bool {
    quotes.is_multiple_of(2)
}

/// The fields of a whole record.
fn fields(record: &[u8], separator: u8) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = Vec::new();
    let (mut quoted, mut bytes) = (false, record.iter().copied().peekable());
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if quoted && bytes.peek() == Some(&b'"') => {
                field.push(byte);
                bytes.next();
            }
            b'"' => quoted = !quoted,
            byte if byte == separator && !quoted => {
                fields.push(text(&field));
                field.clear();
            }
            byte => field.push(byte),
        }
    }
    fields.push(text(&field));
    fields
}

/// A field as the one who wrote it had it.
fn text(field: &[u8]) -> String {
    escape::undata(&crate::text::decode(field).0, |_| false).into_owned()
}

/// What a field holds: a text stays as it is, whatever it looks like.
pub(super) fn cell(field: &str, is_text: bool) -> Cell<'_> {
    match is_text {
        true => Cell::Text(escape::uncell(field).as_bytes()),
        false => number(field),
    }
}

/// A field of CSV as a number, where it is one.
fn number(field: &str) -> Cell<'_> {
    if field.is_empty() || field.eq_ignore_ascii_case("null") {
        return Cell::Null;
    }
    if let Ok(whole) = field.parse() {
        return Cell::Whole(whole);
    }
    if let Ok(real) = field.parse() {
        return Cell::Real(real);
    }
    // With signs between its thousands, or a decimal comma.
    match decimal::plain(field, true) {
        Some(plain) if plain != field => match (plain.parse(), plain.parse()) {
            (Ok(whole), _) => Cell::Whole(whole),
            (_, Ok(real)) => Cell::Real(real),
            _ => Cell::Text(field.as_bytes()),
        },
        _ => Cell::Text(field.as_bytes()),
    }
}
