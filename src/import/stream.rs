//! Files as streams of bytes: decompressed where they are compressed, through a window of bounded size.
//!
//! Compression is recognised by its first bytes: gzip (RFC 1952, several members read as one) and
//! Zstandard (RFC 8878).

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::rc::Rc;

use flate2::bufread::GzDecoder;

use super::ImportError;
use super::input::Input;
use crate::progress::Progress;
use crate::warnings::{Place, Reporter};

/// How much is read at once: fits the second-level cache, and bounds the time until a wish to cancel is
/// noticed.
const CHUNK: usize = 256 << 10;

/// The longest piece (one event, one token) that the window grows for.
const LONGEST: usize = 64 << 20;

/// What a decompressor may produce before its ratio to the input is looked at.
const FREE_BYTES: u64 = 1 << 30;

/// More bytes out than this for one byte in is a decompression bomb: traces reach 10 to 50.
const MAX_RATIO: u64 = 1000;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of `input`, decompressed, without a byte order mark.
pub fn head(input: &Input, progress: &Progress) -> Result<Vec<u8>, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::open(input, progress, &reporter)?;
    window.more()?;
    Ok(window.data().to_vec())
}

/// A part of a file's bytes, moved along from its start to its end.
pub struct Window<'a> {
    reader: Box<dyn Read + 'a>,
    /// An error of the reader that stands behind the bytes at hand.
    error: Option<io::Error>,
    path: PathBuf,
    name: String,
    /// Bytes of the file itself, compressed or not, that were read so far.
    taken: Taken,
    compressed: bool,
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

type Taken = Rc<Cell<u64>>;

impl<'a> Window<'a> {
    /// The window at the start of the file, behind a byte order mark. Progress counts the bytes of the file.
    pub fn open(
        input: &'a Input,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Result<Window<'a>, ImportError> {
        let io = |error| match progress.check() {
            Ok(()) => ImportError::io(input, error),
            Err(cancelled) => cancelled.into(),
        };
        let file = input.open(progress).map_err(io)?;
        let size = input.size().map_err(io)?;
        let name = input.display().to_string();
        progress.start(format!("reading {name}"), size);
        let taken = Taken::default();
        let mut file = Counted {
            file,
            taken: taken.clone(),
        };
        let mut magic = [0; 4];
        let (got, error) = read_full(&mut file, &mut magic);
        if let Some(error) = error {
            return Err(io(error));
        }
        let magic = &magic[..got];
        let whole = io::Cursor::new(magic.to_vec()).chain(file);
        let compressed = magic.starts_with(GZIP) || magic.starts_with(ZSTD);
        let reader: Box<dyn Read + 'a> = if magic.starts_with(GZIP) {
            Box::new(Gzip {
                member: Some(GzDecoder::new(BufReader::with_capacity(CHUNK / 4, whole))),
                name: name.clone(),
                taken: taken.clone(),
                reporter,
            })
        } else if magic.starts_with(ZSTD) {
            Box::new(zstd::stream::read::Decoder::new(whole).map_err(io)?)
        } else {
            Box::new(whole)
        };
        let mut window = Window {
            reader,
            error: None,
            path: input.to_path_buf(),
            name,
            taken,
            compressed,
            progress,
            reporter,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            offset: 0,
            at_end: false,
        };
        window.more()?;
        if window.data().starts_with(b"\xef\xbb\xbf") {
            window.consume(3);
        }
        Ok(window)
    }

    /// The bytes at hand.
    pub fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Offset in the decompressed file of the first byte at hand.
    pub fn offset(&self) -> u64 {
        self.offset + self.start as u64
    }

    /// Moves past the first `count` bytes at hand.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    /// Whether the file is compressed.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// The place of the byte at `offset`.
    pub fn place(&self, offset: u64) -> Place {
        Place::offset(&self.name, offset)
    }

    /// Reads further bytes behind those at hand; false at the end of the file.
    pub fn more(&mut self) -> Result<bool, ImportError> {
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
        let taken = self.taken.get();
        if self.compressed && produced > FREE_BYTES.max(taken.saturating_mul(MAX_RATIO)) {
            return Err(ImportError::malformed(
                self.place(produced),
                format!("at most {MAX_RATIO} bytes for each compressed byte"),
                format!("{produced} bytes from {taken}, a decompression bomb"),
            ));
        }
        Ok(true)
    }

    /// What an error of the reader means: a compressed file that was cut ends there.
    fn fail(&mut self, error: io::Error) -> Result<bool, ImportError> {
        // A reader that waits gives up with an error once the user has cancelled.
        self.progress.check()?;
        let taken = self.taken.get();
        match error.kind() {
            io::ErrorKind::UnexpectedEof if self.compressed => {
                self.reporter
                    .warn("truncated-compression", || Place::offset(&self.name, taken));
                self.at_end = true;
                Ok(false)
            }
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other
                if self.compressed =>
            {
                Err(ImportError::malformed(
                    Place::offset(&self.name, taken),
                    "sound compressed data",
                    error.to_string(),
                ))
            }
            _ => Err(ImportError::io(&self.path, error)),
        }
    }
}

/// Counts the bytes that are taken from a file.
struct Counted<'a> {
    file: Box<dyn Read + 'a>,
    taken: Taken,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.taken.set(self.taken.get() + count as u64);
        Ok(count)
    }
}

/// The members of a gzip file as one stream; what follows the last member is left out and counted.
struct Gzip<'a, R> {
    member: Option<GzDecoder<BufReader<R>>>,
    name: String,
    taken: Taken,
    reporter: &'a Reporter,
}

impl<R: Read> Read for Gzip<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(member) = self.member.take() else {
                break;
            };
            let mut rest = member.into_inner();
            let next = rest.fill_buf()?;
            // One byte may be all that is at hand of the two.
            if !next.is_empty() && GZIP.starts_with(&next[..next.len().min(GZIP.len())]) {
                self.member = Some(GzDecoder::new(rest));
            } else if !next.is_empty() {
                let offset = self.taken.get() - rest.buffer().len() as u64;
                self.reporter
                    .warn("trailing-garbage", || Place::offset(&self.name, offset));
            }
        }
        Ok(0)
    }
}

/// Reads until `buffer` is full, the input ends or fails; gives the error behind what was read.
fn read_full(reader: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}
