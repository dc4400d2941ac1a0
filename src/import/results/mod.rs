//! What other tools have found, as places in files: entry points into a recording (section 7.1 of the thesis).
//!
//! | format | written by | specification |
//! |---|---|---|
//! | `sarif` | linters, CodeQL, clippy-sarif | <https://docs.oasis-open.org/sarif/sarif/v2.1.0/> |
//! | `lcov` | gcov, grcov, coverage.py, nyc | geninfo(1) |
//! | `cobertura` | coverage.py, gcovr, tarpaulin | <https://cobertura.github.io/cobertura/> |
//! | `ripgrep` | `rg --json` | grep_printer's documentation |
//! | `numbers` | SonarQube, CodeCharta, tables | see `numbers` |
//! | `lines` | `grep -n`, compilers, pasted stack traces | none: `file:line`, and what each language writes of a frame |
//!
//! Everything is read once and in order, a line or a result at a time: memory grows with what is kept. Paths are data; none of
//! them is opened.

mod cobertura;
mod dates;
mod lcov;
mod lines;
mod numbers;
mod ripgrep;
mod sarif;
mod set;
#[cfg(test)]
mod tests;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::error::ImportError;
use super::input::{Input, STANDARD_INPUT};
use callscape_base::progress::Progress;
use callscape_base::warnings::Place;
use set::Failed;
pub use set::{Column, Hit, MOST_COLUMNS, Numbers, ResultSet, Row};

/// Reads what a tool has written into the file at `path`, `-` for standard input, whatever the format. Linear.
///
/// # Errors
/// When it cannot be read, or has no place in it.
pub fn read(path: &Path, progress: &Progress) -> Result<ResultSet, ImportError> {
    let io = |error| ImportError::io(path, error);
    if path.as_os_str() == STANDARD_INPUT {
        return read_from(std::io::stdin().lock(), "standard input", progress);
    }
    let input = Input::new(path).map_err(io)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    read_from(
        input.open(progress).map_err(io)?,
        &name.to_string_lossy(),
        progress,
    )
}

/// The same from anywhere; `name` is for messages.
pub fn read_from(
    from: impl Read,
    name: &str,
    progress: &Progress,
) -> Result<ResultSet, ImportError> {
    let mut from = BufReader::with_capacity(1 << 16, from);
    let mut set = ResultSet {
        name: name.to_owned(),
        ..ResultSet::default()
    };
    let head = from
        .fill_buf()
        .map_err(|error| ImportError::io(Path::new(name), error))?;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = head.trim_ascii_start();
    let is_ripgrep = |head: &[u8]| {
        let kinds = ["begin", "match", "context", "end", "summary"];
        kinds
            .iter()
            .any(|kind| head.starts_with(format!("{{\"type\":\"{kind}\"").as_bytes()))
    };
    let is_sarif = |head: &[u8]| {
        let of = [b"sarif".as_slice(), b"\"runs\"", b"2.1.0"];
        of.iter().any(|it| memchr::memmem::find(head, it).is_some())
    };
    let read = match head.first() {
        Some(b'{') if is_ripgrep(head) => ripgrep::read(from, &mut set, progress),
        Some(b'{') if !is_sarif(head) => numbers::read_json(from, &mut set, progress),
        Some(b'{') => sarif::read(from, &mut set, progress),
        Some(b'[') => numbers::read_json(from, &mut set, progress),
        Some(b'<') => cobertura::read(from, &mut set, progress),
        _ if head.starts_with(b"TN:") || head.starts_with(b"SF:") => {
            lcov::read(from, &mut set, progress)
        }
        _ => {
            let line = head.split(|&it| it == b'\n').next().unwrap_or_default();
            match numbers::separator(line) {
                Some(separator) => numbers::read_table(from, separator, &mut set, progress),
                None => lines::read(from, &mut set, progress),
            }
        }
    };
    read.map_err(|error| match error {
        Failed::Io(error) => ImportError::io(Path::new(name), error),
        Failed::Cancelled(cancelled) => cancelled.into(),
        Failed::Form(found) => {
            ImportError::malformed(Place::file(name), "results of another tool", found)
        }
    })?;
    if set.hits.is_empty() && set.left_out == 0 && set.format == "lines" {
        let expected = "SARIF, lcov, Cobertura, ripgrep's JSON, file:line or a stack trace";
        return Err(ImportError::malformed(
            Place::file(name),
            expected,
            "no place in a file",
        ));
    }
    Ok(set)
}
