//! One file: its language, its lines of code as tokei counts them, its definitions.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tokei::{Config, LanguageType};

use super::definitions::{Definition, Reader, Unparsed};
use super::languages::{self, Language};
use crate::progress::Progress;

/// What is known of one source file.
#[derive(Debug, PartialEq, Eq)]
pub struct Measured {
    /// As tokei names it.
    pub language: &'static str,
    pub loc: u32,
    /// From 1; 0 for an empty file.
    pub lines: u32,
    pub bytes: u64,
    pub definitions: Vec<Definition>,
    /// What was left out, if anything: a kind of warning.
    pub warning: Option<&'static str>,
}

/// Why a file is not a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotMeasured {
    /// tokei knows no language for it: a picture, an archive, a licence.
    UnknownLanguage,
    Unreadable,
    TookTooLong,
    Cancelled,
}

/// Larger files are generated or data: their lines are counted, their syntax is not read.
const LARGEST_SYNTAX: u64 = 16 << 20;

/// tokei looks at each white space up to the end of its run, where it looks at single characters at all. A
/// file whose runs add up to more than this many steps would keep it busy for seconds.
const MOST_WHITE_STEPS: u64 = 1 << 31;

/// Reads and measures the file at `path`.
pub fn measure(
    path: &Path,
    reader: &mut Reader,
    progress: &Progress,
) -> Result<Measured, NotMeasured> {
    if progress.check().is_err() {
        return Err(NotMeasured::Cancelled);
    }
    let language =
        LanguageType::from_path(path, &Config::default()).ok_or(NotMeasured::UnknownLanguage)?;
    let bytes = std::fs::metadata(path)
        .map_err(|_| NotMeasured::Unreadable)?
        .len();
    let mut measured = Measured {
        language: language.name(),
        loc: 0,
        lines: 0,
        bytes,
        definitions: Vec::new(),
        warning: None,
    };
    if bytes > LARGEST_SYNTAX {
        let (code, lines) = count_large(path, progress)?;
        (measured.loc, measured.lines) = (code, lines);
        measured.warning = Some("file-too-large-to-parse");
        return Ok(measured);
    }
    let source = std::fs::read(path).map_err(|_| NotMeasured::Unreadable)?;
    let source = decoded(source);
    if white_steps(&source) > MOST_WHITE_STEPS {
        let (code, lines) = count_lines(&source);
        (measured.loc, measured.lines) = (code, lines);
        measured.warning = Some("file-too-sparse-to-parse");
        return Ok(measured);
    }
    let counted = language.parse_from_slice(&source, &Config::default());
    measured.loc = u32::try_from(counted.code).unwrap_or(u32::MAX);
    measured.lines = count_lines(&source).1;
    let languages = candidates(language);
    if !languages.is_empty() {
        match reader.read(&languages, &source, measured.loc, progress) {
            Ok(definitions) => measured.definitions = definitions,
            Err(Unparsed::Cancelled) => return Err(NotMeasured::Cancelled),
            Err(Unparsed::TookTooLong) => measured.warning = Some("file-took-too-long-to-parse"),
            Err(Unparsed::NoGrammar) => measured.warning = Some("grammar-does-not-fit"),
        }
    }
    Ok(measured)
}

/// The languages whose grammars may read a file; a header `.h` may be C or C++.
fn candidates(language: LanguageType) -> Vec<&'static Language> {
    let or_cpp = (language == LanguageType::CHeader).then_some(LanguageType::Cpp);
    [Some(language), or_cpp]
        .into_iter()
        .flatten()
        .filter_map(languages::of)
        .collect()
}

/// The text without its byte order mark, in UTF-8 where that says UTF-16: so does tokei read files.
fn decoded(mut source: Vec<u8>) -> Vec<u8> {
    let unit: fn([u8; 2]) -> u16 = match source.as_slice() {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        [0xef, 0xbb, 0xbf, ..] => {
            source.drain(..3);
            return source;
        }
        _ => return source,
    };
    let units: Vec<u16> = source[2..]
        .chunks_exact(2)
        .map(|pair| unit([pair[0], pair[1]]))
        .collect();
    String::from_utf16_lossy(&units).into_bytes()
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
fn count_large(path: &Path, progress: &Progress) -> Result<(u32, u32), NotMeasured> {
    let mut file = File::open(path).map_err(|_| NotMeasured::Unreadable)?;
    let mut counter = LineCounter::default();
    let mut buffer = vec![0; 1 << 20];
    loop {
        if progress.check().is_err() {
            return Err(NotMeasured::Cancelled);
        }
        let length = file
            .read(&mut buffer)
            .map_err(|_| NotMeasured::Unreadable)?;
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
    fn feed(&mut self, text: &[u8]) {
        for part in text.split_inclusive(|&byte| byte == b'\n') {
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
