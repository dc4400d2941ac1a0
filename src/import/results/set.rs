//! What a tool has found, and how its lines are read.

use std::io::{BufRead, Read};

use callscape_base::progress::Progress;

/// More places are not kept, but counted.
pub(super) const MOST: usize = 2_000_000;

/// Longer lines are cut.
pub(super) const LONGEST: usize = 1 << 16;

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

/// So many numbers of a file are kept.
pub const MOST_COLUMNS: usize = 4;

/// So many columns of a table are read, dates of one number among them.
const MOST_READ: usize = 256;

/// What each of the numbers is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// Empty where the file says nothing of it.
    pub unit: String,
    pub more_is_worse: bool,
    /// The dates of its numbers, the latest last, if the file has it at several.
    pub dates: Vec<String>,
}

impl Column {
    /// How many numbers of a row it is.
    pub fn width(&self) -> usize {
        self.dates.len().max(1)
    }
}

/// The numbers of a file, or of a function in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub file: String,
    /// Empty, or the name of the function.
    pub function: String,
    /// A line of the function, from 1; 0 where the file says nothing of it.
    pub line: u32,
    /// By column, and by date of those that have several; no number where there is none.
    pub values: Vec<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

impl Numbers {
    /// The index of a column; none beyond those that are read.
    pub(super) fn column(&mut self, name: &str) -> Option<usize> {
        let known = self.columns.iter().position(|it| it.name == name);
        if known.is_some() || self.columns.len() >= MOST_READ {
            return known;
        }
        self.columns.push(Column {
            name: name.to_owned(),
            ..Column::default()
        });
        Some(self.columns.len() - 1)
    }
}

/// What a tool has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultSet {
    /// The name of its file.
    pub name: String,
    pub format: &'static str,
    /// In the order of the file.
    pub hits: Vec<Hit>,
    /// Numbers of files and functions, in a file that has those and no places.
    pub numbers: Option<Numbers>,
    /// Whether it says of lines how often they ran.
    pub is_coverage: bool,
    /// Results without a place, and places beyond those that are kept.
    pub left_out: u64,
    /// The file ends in the middle of something.
    pub is_cut: bool,
}

impl ResultSet {
    pub(super) fn add(&mut self, file: &str, line: u32, count: u64) {
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

/// What keeps results from being read.
pub(super) enum Failed {
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
pub(super) fn each_line(
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
pub(super) fn plain_path(path: &str) -> String {
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
