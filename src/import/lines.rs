//! The lines of a text, as it streams by.

use super::error::ImportError;
use super::input::Input;
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};

pub(crate) struct Lines<'a> {
    window: Window<'a>,
    file: String,
    reporter: &'a Reporter,
    /// Bytes at hand of the line that was given out, with its end and without.
    taken: usize,
    length: usize,
    /// The number of that line, from 1.
    number: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn open(
        input: &'a Input,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Result<Lines<'a>, ImportError> {
        Ok(Lines {
            window: Window::open(input, progress, reporter)?,
            file: input.display().to_string(),
            reporter,
            taken: 0,
            length: 0,
            number: 0,
        })
    }

    /// The next line without its end; none at the end of the file.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ImportError> {
        self.window.consume(self.taken);
        self.taken = 0;
        // How much was searched in vain.
        let mut searched = 0;
        self.length = loop {
            let data = self.window.data();
            if let Some(at) = memchr::memchr(b'\n', &data[searched..]) {
                self.taken = searched + at + 1;
                break searched + at;
            }
            searched = data.len();
            if !self.window.more()? {
                self.taken = searched;
                break searched;
            }
        };
        if self.taken == 0 {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(self.line()))
    }

    /// The next line of a format that ends each line. A last one without an end was cut, and may have gone on: it is counted
    /// and left out.
    pub(crate) fn next_whole(&mut self) -> Result<Option<&[u8]>, ImportError> {
        let is_there = self.next()?.is_some();
        if is_there && self.taken == self.length {
            self.warn("truncated-file");
            return Ok(None);
        }
        Ok(is_there.then(|| self.line()))
    }

    /// The line that was given out last.
    fn line(&self) -> &[u8] {
        let line = self.window.data().get(..self.length).unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// What is at hand behind the line that was given out: whole lines, and perhaps the start of one.
    pub(crate) fn at_hand(&self) -> &[u8] {
        self.window.data().get(self.taken..).unwrap_or_default()
    }

    /// Skips lines that are at hand: how many they are, and their bytes with the line ends.
    pub(crate) fn pass(&mut self, lines: u64, bytes: usize) {
        self.taken += bytes;
        self.number += lines;
    }

    /// The number of the line that was given out last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The place of the line that was given out last.
    pub(crate) fn place(&self) -> Place {
        Place::line(&self.file, self.number)
    }

    /// Counts a repair or omission, in that line.
    pub(crate) fn warn(&self, kind: &'static str) {
        self.reporter.warn(kind, || self.place());
    }
}
