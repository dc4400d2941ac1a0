//! Files as streams of bytes: decompressed where they are compressed, through a window of bounded size.
//!
//! Compression is recognised by its first bytes: gzip (RFC 1952, several members read as one) and
//! Zstandard (RFC 8878). Text in UTF-16 comes as UTF-8.

use std::io::{self, Read};
use std::path::PathBuf;

use super::ahead::Ahead;
use super::error::ImportError;
use super::input::Input;
use super::unpacked::{Taken, Unpacked, read_full, unpacked};
use super::utf16;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};

/// How much is read at once: fits the second-level cache, and bounds the time until a wish to cancel is
/// noticed.
const CHUNK: usize = 64 << 10;

/// The longest piece (one event, one token) that the window grows for.
const LONGEST: usize = 64 << 20;

/// What a decompressor may produce before its ratio to the input is looked at.
const FREE_BYTES: u64 = 256 << 20;

/// More bytes out than this for one byte in is a decompression bomb: traces reach 10 to 50.
const MAX_RATIO: u64 = 200;

/// Names the number of bytes that a compressed file may be unpacked to, with `K`, `M`, `G` or `T` behind it where
/// it counts those; in place of the limits above.
pub(crate) const LIMIT: &str = "CALLSCAPE_MAX_UNPACKED";

/// The limit that the user has set.
fn limit() -> Option<u64> {
    number_of_bytes(&std::env::var(LIMIT).ok()?)
}

/// A number of bytes as the variable for the limit has it, such as `64G`.
pub fn number_of_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].trim().chars().next() {
        None => 0,
        Some('k' | 'K') => 10,
        Some('m' | 'M') => 20,
        Some('g' | 'G') => 30,
        Some('t' | 'T') => 40,
        Some(_) => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// The first bytes of `input`, decompressed, without a byte order mark.
pub(crate) fn head(input: &Input, progress: &Progress) -> Result<Vec<u8>, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::start(input, progress, &reporter, false)?.behind_mark()?;
    window.more()?;
    Ok(window.data().to_vec())
}

/// A part of a file's bytes, moved along from its start to its end.
pub(crate) struct Window<'a> {
    reader: Box<dyn Read + 'a>,
    /// An error of the reader that stands behind the bytes at hand.
    error: Option<io::Error>,
    path: PathBuf,
    name: String,
    /// Bytes of the file itself, compressed or not, that were read so far.
    taken: Taken,
    compressed: bool,
    /// How many bytes are a member of a zip file there, which comes unpacked and checked.
    packed: Option<u64>,
    /// Bytes that may come of compressed ones, where the user has set it.
    limit: Option<u64>,
    progress: &'a Progress,
    reporter: &'a Reporter,
    buffer: Vec<u8>,
    /// The unread bytes are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Offset of `buffer[0]` in the decompressed file.
    offset: u64,
    at_end: bool,
}

impl<'a> Window<'a> {
    /// The window at the start of the file, behind a byte order mark. Progress counts the bytes of the file. A large
    /// file is read ahead on a thread of its own.
    pub(crate) fn open(
        input: &'a Input,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Result<Window<'a>, ImportError> {
        Window::start(input, progress, reporter, true)?.behind_mark()
    }

    /// The same of a file that is no text: what looks like a mark there is data.
    pub(crate) fn open_binary(
        input: &'a Input,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Result<Window<'a>, ImportError> {
        Window::start(input, progress, reporter, true)
    }

    fn start(
        input: &'a Input,
        progress: &'a Progress,
        reporter: &'a Reporter,
        ahead: bool,
    ) -> Result<Window<'a>, ImportError> {
        let io = |error| match progress.check() {
            Ok(()) => ImportError::io(input, error),
            Err(cancelled) => cancelled.into(),
        };
        let size = input.size().map_err(io)?;
        let name = input.display().to_string();
        progress.start(format!("reading {name}"), size);
        let taken = Taken::default();
        let ahead = match ahead {
            true => Ahead::open(input, progress, &taken, reporter).map_err(io)?,
            false => None,
        };
        let unpacked = match ahead {
            Some((ahead, is_compressed)) => Unpacked {
                reader: Box::new(ahead),
                is_compressed,
            },
            None => unpacked(input, progress, &taken, reporter).map_err(io)?,
        };
        let packed = input.packed();
        let (reader, compressed) = (unpacked.reader, unpacked.is_compressed || packed.is_some());
        let mut window = Window {
            reader,
            error: None,
            path: input.to_path_buf(),
            name,
            taken,
            compressed,
            packed,
            limit: limit(),
            progress,
            reporter,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            offset: 0,
            at_end: false,
        };
        window.more()?;
        Ok(window)
    }

    /// The window behind the byte order mark that a text may begin with, over the text in UTF-8.
    fn behind_mark(mut self) -> Result<Window<'a>, ImportError> {
        if let Some(order) = utf16::order(self.data()) {
            let read = io::Cursor::new(self.data().to_vec());
            let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
            self.reader = Box::new(utf16::Utf8::new(read.chain(reader), order));
            self.consume(self.data().len());
            // Offsets are those of the text in UTF-8.
            (self.start, self.end, self.offset) = (0, 0, 0);
            self.more()?;
        }
        if self.data().starts_with(b"\xef\xbb\xbf") {
            self.consume(3);
        }
        Ok(self)
    }

    /// The window over bytes that are all at hand, which begin at `offset` of the file `name`.
    pub(crate) fn over(
        bytes: Vec<u8>,
        name: &str,
        offset: u64,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Window<'a> {
        Window {
            reader: Box::new(io::empty()),
            error: None,
            path: PathBuf::from(name),
            name: name.to_owned(),
            taken: Taken::default(),
            compressed: false,
            packed: None,
            limit: None,
            progress,
            reporter,
            start: 0,
            end: bytes.len(),
            buffer: bytes,
            offset,
            at_end: true,
        }
    }

    /// All bytes of a window made by [`Window::over`].
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.buffer
    }

    /// What the file is called in places and errors.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The bytes at hand.
    pub(crate) fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Offset in the decompressed file of the first byte at hand.
    pub(crate) fn offset(&self) -> u64 {
        self.offset + self.start as u64
    }

    /// Moves past the first `count` bytes at hand.
    pub(crate) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    /// Whether the file is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// The place of the byte at `offset`.
    pub(crate) fn place(&self, offset: u64) -> Place {
        Place::offset(&self.name, offset)
    }

    /// Reads further bytes behind those at hand; false at the end of the file.
    pub(crate) fn more(&mut self) -> Result<bool, ImportError> {
        if self.at_end {
            return Ok(false);
        }
        self.progress.set(self.taken.get())?;
        self.buffer.copy_within(self.start..self.end, 0);
        self.offset += self.start as u64;
        (self.start, self.end) = (0, self.end - self.start);
        if self.end * 2 > self.buffer.len() {
            if self.buffer.len() >= LONGEST {
                return Err(ImportError::malformed(
                    self.place(self.offset),
                    format!("nothing longer than {} MiB", LONGEST >> 20),
                    "a longer event",
                ));
            }
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let count = match self.error.take() {
            Some(error) => return self.fail(error),
            None => {
                let (count, error) = read_full(&mut self.reader, &mut self.buffer[self.end..]);
                self.error = error;
                count
            }
        };
        self.end += count;
        if count == 0 {
            return match self.error.take() {
                Some(error) => self.fail(error),
                None => {
                    self.at_end = true;
                    Ok(false)
                }
            };
        }
        let produced = self.offset + self.end as u64;
        let taken = self.packed.unwrap_or(self.taken.get());
        let limit = self
            .limit
            .unwrap_or_else(|| FREE_BYTES.max(taken.saturating_mul(MAX_RATIO)));
        if self.compressed && produced > limit {
            let found = format!(
                "{produced} bytes from {taken}, as in a decompression bomb (the variable {LIMIT} sets another limit, \
                 such as 64G)"
            );
            return Err(ImportError::malformed(
                self.place(produced),
                format!("at most {limit} bytes in compressed data"),
                found,
            ));
        }
        Ok(true)
    }

    /// Reads on until `count` bytes are at hand; false when the file ends before.
    pub(crate) fn have(&mut self, count: usize) -> Result<bool, ImportError> {
        while self.data().len() < count {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Passes over what is left of a compressed file, whose checksum stands at its end: whoever has all that is
    /// needed before there knows then whether it is sound.
    pub(crate) fn finish(&mut self) -> Result<(), ImportError> {
        while self.compressed && !self.at_end {
            self.consume(self.data().len());
            self.more()?;
        }
        Ok(())
    }

    /// What an error of the reader means: a compressed file that was cut ends there.
    fn fail(&mut self, error: io::Error) -> Result<bool, ImportError> {
        // A reader that waits gives up with an error once the user has cancelled.
        self.progress.check()?;
        let taken = self.taken.get();
        let read = self.offset + self.end as u64;
        match error.kind() {
            io::ErrorKind::UnexpectedEof if self.compressed && read == 0 => {
                Err(ImportError::malformed(
                    Place::offset(&self.name, taken),
                    "sound compressed data",
                    "an empty file or a truncated stream",
                ))
            }
            io::ErrorKind::UnexpectedEof if self.compressed => {
                self.reporter
                    .warn("truncated-compression", || Place::offset(&self.name, taken));
                self.at_end = true;
                Ok(false)
            }
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other
                if self.compressed =>
            {
                let message = error.to_string();
                // Of data that lacks its checksum nobody knows where it is wrong; what cannot be decompressed ends
                // there, like what was cut.
                if read > 0 && !message.contains("checksum") {
                    self.reporter
                        .warn("damaged-compression", || Place::offset(&self.name, taken));
                    self.at_end = true;
                    return Ok(false);
                }
                Err(ImportError::malformed(
                    Place::offset(&self.name, taken),
                    "sound compressed data",
                    message,
                ))
            }
            _ => Err(ImportError::io(&self.path, error)),
        }
    }
}
