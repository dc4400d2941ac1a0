//! The lines of one file: its language and its lines of code as tokei counts them. No syntax.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

use tokei::{CodeStats, Config, LanguageType};

use super::made;
use callscape_base::encoding;
use callscape_base::progress::Progress;
use callscape_facts::kinds::Made;

/// What is known of a source file without its syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub language: LanguageType,
    /// What tokei reports as Code of the file's own language.
    pub loc: u32,
    /// What tokei reports as Comments, with those of Rust that are documentation.
    pub comment_lines: u32,
    /// From 1; 0 for an empty file.
    pub lines: u32,
    pub stamp: Stamp,
    /// Why its syntax is not read, if it is not: a kind of warning.
    pub warning: Option<&'static str>,
    /// As far as its text says.
    pub made: Made,
}

/// What tells that a file has changed, without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    pub bytes: u64,
    /// Of the content, in nanoseconds since 1970; 0 where the system does not say.
    pub modified: u64,
    /// Of name, owner or content: nobody can set it back.
    pub changed: u64,
    pub inode: u64,
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Stamp {
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.and_then(|time| u64::try_from(time.as_nanos()).ok());
        #[cfg(unix)]
        let (changed, inode) = {
            use std::os::unix::fs::MetadataExt;
            let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
            let nanoseconds = u64::try_from(metadata.ctime_nsec()).unwrap_or(0);
            let changed = seconds.saturating_mul(1_000_000_000);
            (changed.saturating_add(nanoseconds), metadata.ino())
        };
        #[cfg(not(unix))]
        let (changed, inode) = (0, 0);
        Stamp {
            bytes: metadata.len(),
            modified: modified.unwrap_or(0),
            changed,
            inode,
        }
    }
}

/// Why a file is not a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotCounted {
    /// tokei knows no language for it: a picture, an archive, a licence.
    UnknownLanguage,
    Unreadable,
    TookTooLong,
    Cancelled,
}

/// Larger files are generated or data: their syntax is not read.
pub(crate) const LARGEST_SYNTAX: u64 = 16 << 20;

/// Of larger files the lines are counted by what is blank, and they are not held in memory.
const LARGEST_COUNT: u64 = 64 << 20;

/// tokei looks at each white space up to the end of its run, where it looks at single characters at all. A
/// file whose runs add up to more than this many steps would keep it busy for seconds.
const MOST_WHITE_STEPS: u64 = 1 << 31;

/// The language of a file by its name, or by its first line where the name does not say.
pub(crate) fn language(path: &Path) -> Result<LanguageType, NotCounted> {
    LanguageType::from_path(path, &Config::default()).ok_or(NotCounted::UnknownLanguage)
}

/// Reads the file at `path` and counts its lines; gives the text too where its syntax is to be read.
pub(crate) fn count(
    path: &Path,
    language: LanguageType,
    progress: &Progress,
) -> Result<(Counted, Vec<u8>), NotCounted> {
    if progress.check().is_err() {
        return Err(NotCounted::Cancelled);
    }
    let unreadable = |_| NotCounted::Unreadable;
    let mut file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        // What stood there has become something else meanwhile.
        return Err(NotCounted::Unreadable);
    }
    let mut counted = Counted {
        language,
        loc: 0,
        comment_lines: 0,
        lines: 0,
        stamp: Stamp::of(&metadata),
        warning: None,
        made: Made::Hand,
    };
    if metadata.len() > LARGEST_COUNT {
        (counted.loc, counted.lines) = count_large(&mut file, progress)?;
        counted.warning = Some("file-too-large-to-parse");
        counted.made = Made::Data;
        return Ok((counted, Vec::new()));
    }
    let source = read(&mut file, metadata.len())?;
    let no_text = match () {
        _ if is_binary(&source) => Some("binary-file"),
        _ if is_too_sparse(&source) => Some("file-too-sparse-to-parse"),
        _ => None,
    };
    if no_text.is_some() {
        (counted.loc, counted.lines) = count_lines(&source);
        counted.warning = no_text;
        counted.made = Made::Data;
        return Ok((counted, Vec::new()));
    }
    let stats = language.parse_from_slice(&source, &Config::default());
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    counted.loc = number(stats.code);
    counted.comment_lines = number(
        stats
            .comments
            .saturating_add(documentation(language, &stats)),
    );
    let breaks = memchr::memchr_iter(b'\n', &source).count();
    let is_open = source.last().is_some_and(|&last| last != b'\n');
    counted.lines = number(breaks + usize::from(is_open));
    counted.made = made::made(language, counted.lines, &source);
    if metadata.len() > LARGEST_SYNTAX {
        counted.warning = Some("file-too-large-to-parse");
    }
    Ok((counted, source))
}

/// The text of a file whose lines were counted before; counted again where it has changed since.
pub(crate) fn text(
    path: &Path,
    before: Counted,
    progress: &Progress,
) -> Result<(Counted, Vec<u8>), NotCounted> {
    let unreadable = |_| NotCounted::Unreadable;
    let mut file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if Stamp::of(&metadata) != before.stamp {
        return count(path, before.language, progress);
    }
    Ok((before, read(&mut file, metadata.len())?))
}

/// The text of a file as tokei reads it, if it can still be read.
fn read(file: &mut File, bytes: u64) -> Result<Vec<u8>, NotCounted> {
    let mut source = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0).saturating_add(1));
    // A file that grows while it is read is read as far as it was.
    let mut file = file.take(LARGEST_COUNT);
    file.read_to_end(&mut source)
        .map_err(|_| NotCounted::Unreadable)?;
    Ok(decoded(source))
}

/// Lines of documentation in comments, which tokei counts as Markdown in Rust.
fn documentation(language: LanguageType, stats: &CodeStats) -> usize {
    if language != LanguageType::Rust {
        return 0;
    }
    let blobs = stats.blobs.iter();
    let lines = blobs.map(|(language, blob)| {
        let inside = documentation(LanguageType::Rust, blob);
        let own = match language {
            LanguageType::Markdown | LanguageType::Rust => blob.comments + blob.code,
            _ => 0,
        };
        own.saturating_add(inside)
    });
    lines.sum()
}

/// A number that tells contents apart.
pub(crate) fn hash(source: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(source);
    hasher.finish()
}

/// The text without its byte order mark, in UTF-8 where that says UTF-16, as tokei reads files, or where it is
/// Windows-1252.
pub(super) fn decoded(mut source: Vec<u8>) -> Vec<u8> {
    let unit: fn([u8; 2]) -> u16 = match source.as_slice() {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        [0xef, 0xbb, 0xbf, ..] => {
            source.drain(..3);
            return source;
        }
        _ if std::str::from_utf8(&source).is_ok() => return source,
        _ => return encoding::older(&source).map_or(source, String::into_bytes),
    };
    let units: Vec<u16> = source[2..]
        .chunks_exact(2)
        .map(|pair| unit([pair[0], pair[1]]))
        .collect();
    String::from_utf16_lossy(&units).into_bytes()
}

/// Whether so much of the beginning is neither text nor white space that no syntax is to be looked for: a grammar
/// would try for seconds.
fn is_binary(source: &[u8]) -> bool {
    const FEWEST: usize = 64;
    let start = &source[..source.len().min(1 << 16)];
    let is_white = |byte: u8| matches!(byte, 8..=13 | 0x1a | 0x1b);
    let controls = start
        .iter()
        .filter(|&&byte| byte.is_ascii_control() && !is_white(byte));
    let controls = controls.count();
    controls >= FEWEST && controls > start.len() / 20
}

/// Whether the runs of white space are so long that tokei would take seconds.
fn is_too_sparse(source: &[u8]) -> bool {
    // The sum of the squares can be so large in a file of this size only if some run is longer than twice the step.
    let longest = MOST_WHITE_STEPS * 2 / (source.len() as u64).max(1);
    let step = usize::try_from(longest / 2).unwrap_or(usize::MAX).max(1);
    let samples = source.iter().step_by(step);
    let mut neighbours = samples.clone().zip(samples.skip(1));
    neighbours.any(|(a, b)| a.is_ascii_whitespace() && b.is_ascii_whitespace())
        && white_steps(source) > MOST_WHITE_STEPS
}

/// The sum of the squares of the lengths of the runs of white space, halved.
fn white_steps(source: &[u8]) -> u64 {
    let mut steps = 0u64;
    let mut run = 0u64;
    for byte in source {
        run = if byte.is_ascii_whitespace() {
            run + 1
        } else {
            0
        };
        steps = steps.saturating_add(run);
    }
    steps
}

/// Lines that are not blank, and all lines.
fn count_lines(source: &[u8]) -> (u32, u32) {
    let mut counter = LineCounter::default();
    counter.feed(source);
    counter.finish()
}

/// Counts the lines of a file without holding it in memory.
fn count_large(file: &mut File, progress: &Progress) -> Result<(u32, u32), NotCounted> {
    let mut counter = LineCounter::default();
    let mut buffer = vec![0; 1 << 20];
    loop {
        if progress.check().is_err() {
            return Err(NotCounted::Cancelled);
        }
        let length = file.read(&mut buffer).map_err(|_| NotCounted::Unreadable)?;
        if length == 0 {
            return Ok(counter.finish());
        }
        // `read` gives back at most the length of the buffer.
        counter.feed(&buffer[..length]);
    }
}

#[derive(Default)]
struct LineCounter {
    code: u32,
    lines: u32,
    /// Whether the line under way holds anything, and anything but white space.
    is_open: bool,
    is_code: bool,
}

impl LineCounter {
    fn feed(&mut self, mut text: &[u8]) {
        while !text.is_empty() {
            let end = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
            let (part, rest) = text.split_at(end);
            text = rest;
            self.is_open = true;
            self.is_code = self.is_code || part.iter().any(|byte| !byte.is_ascii_whitespace());
            if part.last() == Some(&b'\n') {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        self.code = self.code.saturating_add(u32::from(self.is_code));
        self.lines = self.lines.saturating_add(u32::from(self.is_open));
        (self.is_open, self.is_code) = (false, false);
    }

    fn finish(mut self) -> (u32, u32) {
        self.end_line();
        (self.code, self.lines)
    }
}
