//! What other tools have found, as places in files: entry points into a recording (section 7.1 of the thesis).
//!
//! | format | written by | specification |
//! |---|---|---|
//! | `sarif` | linters, CodeQL, clippy-sarif | <https://docs.oasis-open.org/sarif/sarif/v2.1.0/> |
//! | `lcov` | gcov, grcov, coverage.py, nyc | geninfo(1) |
//! | `cobertura` | coverage.py, gcovr, tarpaulin | <https://cobertura.github.io/cobertura/> |
//! | `ripgrep` | `rg --json` | grep_printer's documentation |
//! | `lines` | `grep -n`, compilers, pasted stack traces | none: `file:line`, and what each language writes of a frame |
//!
//! Everything is read once and in order, a line or a result at a time: memory grows with what is kept. Paths are data; none of
//! them is opened.

mod cobertura;
mod lcov;
mod lines;
mod ripgrep;
mod sarif;
#[cfg(test)]
mod tests;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::error::ImportError;
use super::input::{Input, STANDARD_INPUT};
use callscape_base::progress::Progress;
use callscape_base::warnings::Place;

/// More places are not kept, but counted.
const MOST: usize = 2_000_000;
/// Longer lines are cut.
const LONGEST: usize = 1 << 16;
/// Longer paths lead nowhere.
const LONGEST_PATH: usize = 4096;

/// A place that a tool has something to say of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hit {
    /// As the tool writes it, without the scheme of an address.
    pub file: Box<str>,
    /// From 1; 0 where the tool says nothing of it.
    pub line: u32,
    /// How often it ran, in a report of coverage; otherwise 1.
    pub count: u64,
}

/// What a tool has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultSet {
    /// The name of its file.
    pub name: String,
    pub format: &'static str,
    /// In the order of the file.
    pub hits: Vec<Hit>,
    /// Whether it says of lines how often they ran.
    pub is_coverage: bool,
    /// Results without a place, and places beyond those that are kept.
    pub left_out: u64,
    /// The file ends in the middle of something.
    pub is_cut: bool,
}

impl ResultSet {
    fn add(&mut self, file: &str, line: u32, count: u64) {
        let file = plain_path(file);
        if file.is_empty() || file.len() > LONGEST_PATH || self.hits.len() >= MOST {
            self.left_out += 1;
            return;
        }
        self.hits.push(Hit {
            file: file.into(),
            line,
            count,
        });
    }
}

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
    let read = match head.first() {
        Some(b'{') if is_ripgrep(head) => ripgrep::read(from, &mut set, progress),
        Some(b'{') => sarif::read(from, &mut set, progress),
        Some(b'<') => cobertura::read(from, &mut set, progress),
        _ if head.starts_with(b"TN:") || head.starts_with(b"SF:") => {
            lcov::read(from, &mut set, progress)
        }
        _ => lines::read(from, &mut set, progress),
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

/// What keeps results from being read.
enum Failed {
    Io(std::io::Error),
    Cancelled(callscape_base::progress::Cancelled),
    Form(String),
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Failed {
        Failed::Io(error)
    }
}

impl From<callscape_base::progress::Cancelled> for Failed {
    fn from(cancelled: callscape_base::progress::Cancelled) -> Failed {
        Failed::Cancelled(cancelled)
    }
}

/// Hands each line to `take`, without its end; of one that is too long its beginning.
fn each_line(
    mut from: impl BufRead,
    progress: &Progress,
    mut take: impl FnMut(&[u8]),
) -> Result<(), Failed> {
    let mut line: Vec<u8> = Vec::new();
    loop {
        line.clear();
        let read = from
            .by_ref()
            .take(LONGEST as u64)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        progress.check()?;
        let is_whole = line.ends_with(b"\n");
        while line.last().is_some_and(|it| matches!(it, b'\n' | b'\r')) {
            line.pop();
        }
        take(&line);
        if !is_whole && read == LONGEST {
            skip_line(&mut from)?;
        }
    }
}

fn skip_line(from: &mut impl BufRead) -> Result<(), Failed> {
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = memchr::memchr(b'\n', buffer);
        let used = end.map_or(buffer.len(), |it| it + 1);
        from.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// A path of an address: without `file://`, what is written as `%20` as it is meant, `\` as `/`.
fn plain_path(path: &str) -> String {
    let (path, is_address) = match path.strip_prefix("file://") {
        Some(path) => (path, true),
        None => (path, path.contains('%')),
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let meant = digits.and_then(|it| u8::from_str_radix(it, 16).ok());
        match meant.filter(|_| is_address && first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(if first == b'\\' { b'/' } else { first });
                rest = after;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    path.trim_start_matches("./").to_owned()
}
