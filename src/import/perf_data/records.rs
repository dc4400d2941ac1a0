//! The records of a recording as they follow each other in the file, decompressed.
//!
//! What ends before its length says was cut (`truncated-file`). A length below that of a header is damage: nothing tells where
//! the next record begins, and the rest is left out (`damaged-records`). Compressed records (`perf record -z`) are one stream
//! of Zstandard, cut anywhere.

use super::super::error::ImportError;
use super::super::stream::Window;
use super::bytes::{Bytes, Order};
use super::header::Header;
use callscape_base::warnings::Reporter;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

/// Kinds of records: those of `include/uapi/linux/perf_event.h`, and of `tools/lib/perf/include/perf/event.h` from
/// [`kind::FIRST_OF_PERF`].
pub(super) mod kind {
    pub(in super::super) const MAP: u32 = 1;
    pub(in super::super) const LOST: u32 = 2;
    pub(in super::super) const COMMAND: u32 = 3;
    pub(in super::super) const EXIT: u32 = 4;
    pub(in super::super) const FORK: u32 = 7;
    pub(in super::super) const SAMPLE: u32 = 9;
    pub(in super::super) const MAP2: u32 = 10;
    pub(in super::super) const LOST_SAMPLES: u32 = 13;
    pub(in super::super) const SYMBOL: u32 = 17;
    pub(in super::super) const FIRST_OF_PERF: u32 = 64;
    pub(in super::super) const ATTRIBUTE: u32 = 64;
    pub(in super::super) const TRACING_DATA: u32 = 66;
    pub(in super::super) const BUILD_ID: u32 = 67;
    pub(in super::super) const ROUND: u32 = 68;
    pub(in super::super) const AUX_TRACE: u32 = 71;
    pub(in super::super) const EVENT_UPDATE: u32 = 78;
    pub(in super::super) const FEATURE: u32 = 80;
    pub(in super::super) const COMPRESSED: u32 = 81;
    pub(in super::super) const COMPRESSED2: u32 = 83;
}

/// What stands before the body of a record: its kind, a word about it and its length.
const HEADER: usize = 8;

/// How much one compressed record may be: perf cuts what it compresses at the size of its buffers.
const LARGEST: usize = 64 << 20;

/// How many bytes may come of one that is compressed, and how many always may.
const MAX_RATIO: u64 = 200;
const FREE_BYTES: u64 = 64 << 20;

/// A record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub kind: u32,
    pub misc: u16,
    pub body: &'a [u8],
    /// Where it is in the file; of a compressed one, where that is that holds it.
    pub at: u64,
}

pub(super) struct Records<'w, 'a> {
    window: &'w mut Window<'a>,
    reporter: &'a Reporter,
    order: Order,
    /// Where the data end; `None` up to the end of the file.
    end: Option<u64>,
    /// How many bytes of the window the record given out takes.
    taken: usize,
    stream: Option<Decoder<'static>>,
    /// What was decompressed, of which so much was given out.
    unpacked: Vec<u8>,
    given: usize,
    /// Where the compressed record is.
    at: u64,
    /// How much went into the stream and came out.
    volume: (u64, u64),
}

impl<'w, 'a> Records<'w, 'a> {
    /// The records behind the header and attributes, which `window` has passed.
    pub(super) fn new(
        window: &'w mut Window<'a>,
        header: &Header,
        reporter: &'a Reporter,
    ) -> Records<'w, 'a> {
        Records {
            window,
            reporter,
            order: header.order,
            end: header.data_end(),
            taken: 0,
            stream: None,
            unpacked: Vec::new(),
            given: 0,
            at: 0,
            volume: (0, 0),
        }
    }

    /// The next record; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>, ImportError> {
        loop {
            if let Some((kind, misc, length)) = self.unpacked_header() {
                let start = self.given + HEADER;
                self.given += length;
                let body = &self.unpacked[start..self.given];
                let at = self.at;
                return Ok(Some(Record {
                    kind,
                    misc,
                    body,
                    at,
                }));
            }
            self.window.consume(std::mem::take(&mut self.taken));
            let at = self.window.offset();
            if self.end.is_some_and(|end| at >= end) {
                return Ok(None);
            }
            let Some((kind, misc, length)) = self.header(at)? else {
                return Ok(None);
            };
            if !self.window.have(length)? {
                self.warn("truncated-file", at);
                self.window.consume(self.window.data().len());
                return Ok(None);
            }
            self.taken = length;
            match kind {
                kind::COMPRESSED | kind::COMPRESSED2 => {
                    if !self.unpack(kind, length, at) {
                        return Ok(None);
                    }
                }
                kind::AUX_TRACE | kind::TRACING_DATA => self.pass(kind, length)?,
                _ => {
                    return Ok(Some(Record {
                        kind,
                        misc,
                        body: &self.window.data()[HEADER..length],
                        at,
                    }));
                }
            }
        }
    }

    fn warn(&self, kind: &'static str, at: u64) {
        self.reporter.warn(kind, || self.window.place(at));
    }

    /// The kind, the word and the length of the record that comes next; `None` where no other comes.
    fn header(&mut self, at: u64) -> Result<Option<(u32, u16, usize)>, ImportError> {
        let is_whole = self.window.have(HEADER)?;
        if self.window.data().is_empty() {
            if self.end.is_some() {
                self.warn("truncated-file", at);
            }
            return Ok(None);
        }
        let header = header(self.window.data(), self.order).filter(|_| is_whole);
        let Some(header) = header else {
            self.warn("truncated-file", at);
            return Ok(None);
        };
        if header.2 < HEADER {
            self.warn("damaged-records", at);
            return Ok(None);
        }
        Ok(Some(header))
    }

    /// The same of what was decompressed, if all of the record is there.
    fn unpacked_header(&mut self) -> Option<(u32, u16, usize)> {
        let rest = &self.unpacked[self.given..];
        let header = header(rest, self.order)?;
        if header.2 < HEADER {
            self.warn("damaged-records", self.at);
            self.unpacked.clear();
            self.given = 0;
            return None;
        }
        (header.2 <= rest.len()).then_some(header)
    }

    /// Passes over what follows a record that has a length of its own.
    fn pass(&mut self, kind: u32, length: usize) -> Result<(), ImportError> {
        let mut body = Bytes::new(&self.window.data()[HEADER..length], self.order);
        let more = match kind {
            kind::AUX_TRACE => body.u64(),
            // simpleperf has them inside.
            _ if body.rest().len() > HEADER => None,
            // Padded to whole words.
            _ => body
                .u32()
                .map(|size| u64::from(size).next_multiple_of(HEADER as u64)),
        };
        self.window.consume(std::mem::take(&mut self.taken));
        let mut left = more.unwrap_or(0);
        let at = self.window.offset();
        while left > 0 {
            let here = self.window.data().len() as u64;
            let passed = here.min(left);
            self.window.consume(passed as usize);
            left -= passed;
            if left > 0 && !self.window.more()? {
                self.warn("truncated-file", at);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Decompresses a record; false where the stream is damaged.
    fn unpack(&mut self, kind: u32, length: usize, at: u64) -> bool {
        self.at = at;
        self.unpacked.drain(..self.given);
        self.given = 0;
        let body = &self.window.data()[HEADER..length];
        let packed = match kind {
            kind::COMPRESSED => Some(body),
            _ => {
                let mut body = Bytes::new(body, self.order);
                body.u64().and_then(|size| body.take(size))
            }
        };
        let is_sound = packed.is_some_and(|packed| {
            let stream = match &mut self.stream {
                Some(stream) => Some(stream),
                none => Decoder::new().ok().map(|stream| none.insert(stream)),
            };
            self.volume.0 += packed.len() as u64;
            stream.is_some_and(|it| inflate(it, packed, &mut self.unpacked, &mut self.volume))
        });
        if !is_sound {
            self.warn("damaged-compression", at);
        }
        is_sound
    }
}

/// The kind, the word and the length in the header of a record.
fn header(bytes: &[u8], order: Order) -> Option<(u32, u16, usize)> {
    let mut bytes = Bytes::new(bytes, order);
    Some((bytes.u32()?, bytes.u16()?, usize::from(bytes.u16()?)))
}

/// Appends what a part of the stream holds; whether it is sound, and no bomb. `volume` is how much went in and came out.
fn inflate(
    stream: &mut Decoder<'static>,
    packed: &[u8],
    unpacked: &mut Vec<u8>,
    volume: &mut (u64, u64),
) -> bool {
    const STEP: usize = 64 << 10;
    let mut input = InBuffer::around(packed);
    let mut step = vec![0; STEP];
    loop {
        let mut output = OutBuffer::around(step.as_mut_slice());
        if stream.run(&mut input, &mut output).is_err() {
            return false;
        }
        let came = output.as_slice();
        unpacked.extend_from_slice(came);
        volume.1 += came.len() as u64;
        let is_bomb = volume.1 > FREE_BYTES && volume.1 / MAX_RATIO > volume.0;
        if is_bomb || unpacked.len() > LARGEST {
            return false;
        }
        if input.pos() == packed.len() && came.len() < STEP {
            return true;
        }
    }
}
