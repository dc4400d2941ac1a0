//! Gzip (RFC 1952): the members of a file as one stream, each checked against its checksum. What a member says
//! of its size is not believed: it is counted where it is wrong, for writers cut it to 32 bits and tools
//! change it. What follows the last member is left out and counted.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::{Decompress, FlushDecompress, Status};

use callscape_base::warnings::{Place, Reporter};

/// The first bytes of each member.
pub(crate) const MAGIC: &[u8] = &[0x1f, 0x8b];

/// The bytes of a gzip file, decompressed.
pub(crate) struct Gzip<'a, R: Read> {
    /// None between members, and behind the last.
    member: Option<Inflate<BufReader<R>>>,
    /// Where the first member begins, until it is read.
    start: Option<BufReader<R>>,
    checksum: crc32fast::Hasher,
    /// Of the member so far.
    size: u64,
    name: String,
    /// Bytes that were taken from the file so far.
    taken: Rc<Cell<u64>>,
    reporter: &'a Reporter,
}

/// Deflated bytes (RFC 1951), decompressed, and what follows them.
pub(crate) struct Inflate<R> {
    content: Decompress,
    rest: R,
    ended: bool,
}

impl<R: BufRead> Inflate<R> {
    pub(crate) fn new(rest: R) -> Inflate<R> {
        Inflate {
            content: Decompress::new(false),
            rest,
            ended: false,
        }
    }

    /// How many deflated bytes were taken.
    pub(crate) fn taken(&self) -> u64 {
        self.content.total_in()
    }
}

impl<R: BufRead> Read for Inflate<R> {
    /// Decompresses into `buffer`; zero at the end. What comes before damage is given out, and the error with the
    /// next call.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.ended || buffer.is_empty() {
                return Ok(0);
            }
            let input = self.rest.fill_buf()?;
            let cut = input.is_empty();
            let (taken, given) = (self.content.total_in(), self.content.total_out());
            let flush = match cut {
                true => FlushDecompress::Finish,
                false => FlushDecompress::None,
            };
            let status = self.content.decompress(input, buffer, flush);
            let (taken, given) = (
                (self.content.total_in() - taken) as usize,
                (self.content.total_out() - given) as usize,
            );
            self.rest.consume(taken);
            self.ended = matches!(status, Ok(Status::StreamEnd));
            if given > 0 {
                return Ok(given);
            }
            if status.is_err() || (taken == 0 && !cut && !self.ended) {
                let message = "corrupt deflate stream";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            if cut && !self.ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl<'a, R: Read> Gzip<'a, R> {
    /// The file `name`, of whose bytes `taken` says how many were read.
    pub(crate) fn new(
        reader: BufReader<R>,
        name: String,
        taken: Rc<Cell<u64>>,
        reporter: &'a Reporter,
    ) -> Gzip<'a, R> {
        Gzip {
            member: None,
            start: Some(reader),
            checksum: crc32fast::Hasher::new(),
            size: 0,
            name,
            taken,
            reporter,
        }
    }

    fn warn(&self, kind: &'static str, rest: &BufReader<R>) {
        let offset = self.taken.get() - rest.buffer().len() as u64;
        self.reporter
            .warn(kind, || Place::offset(&self.name, offset));
    }

    /// Checks the end of a member, and goes on to the next where there is one.
    fn end(&mut self, mut rest: BufReader<R>) -> io::Result<()> {
        let mut end = [0; 8];
        rest.read_exact(&mut end)?;
        let [a, b, c, d, size @ ..] = end;
        let checksum = std::mem::take(&mut self.checksum).finalize();
        if u32::from_le_bytes([a, b, c, d]) != checksum {
            let message = "corrupt gzip data, which does not have its checksum";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        if u32::from_le_bytes(size) != self.size as u32 {
            self.warn("wrong-size-field", &rest);
        }
        self.size = 0;
        let next = rest.fill_buf()?;
        if next.is_empty() {
            return Ok(());
        }
        // One byte may be all that is at hand of the two.
        let begins = MAGIC.starts_with(&next[..next.len().min(MAGIC.len())]);
        let another = begins
            && match skip_header(&mut rest) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => false,
                Err(error) => return Err(error),
            };
        if another {
            self.member = Some(Inflate::new(rest));
        } else {
            self.warn("trailing-garbage", &rest);
        }
        Ok(())
    }
}

impl<R: Read> Read for Gzip<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(mut start) = self.start.take() {
            skip_header(&mut start)?;
            self.member = Some(Inflate::new(start));
        }
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                self.checksum.update(&buffer[..count]);
                self.size += count as u64;
                return Ok(count);
            }
            if let Some(member) = self.member.take() {
                self.end(member.rest)?;
            }
        }
        Ok(0)
    }
}

/// Moves past the header of a member.
fn skip_header(reader: &mut impl BufRead) -> io::Result<()> {
    const DEFLATE: u8 = 8;
    const CHECKSUM: u8 = 1 << 1;
    const EXTRA: u8 = 1 << 2;
    const NAME: u8 = 1 << 3;
    const COMMENT: u8 = 1 << 4;
    let mut header = [0; 10];
    reader.read_exact(&mut header)?;
    if !header.starts_with(MAGIC) || header[2] != DEFLATE {
        let message = "corrupt gzip data: no header";
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let flags = header[3];
    if flags & EXTRA != 0 {
        let mut length = [0; 2];
        reader.read_exact(&mut length)?;
        skip(reader, u64::from(u16::from_le_bytes(length)))?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            reader.skip_until(0)?;
        }
    }
    if flags & CHECKSUM != 0 {
        skip(reader, 2)?;
    }
    Ok(())
}

fn skip(reader: &mut impl Read, count: u64) -> io::Result<()> {
    io::copy(&mut reader.take(count), &mut io::sink()).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack(bytes: &[u8]) -> (io::Result<Vec<u8>>, Vec<String>) {
        let reporter = Reporter::new();
        let taken = Rc::new(Cell::new(bytes.len() as u64));
        let mut out = Vec::new();
        let mut gzip = Gzip::new(BufReader::new(bytes), "a".into(), taken, &reporter);
        let read = gzip.read_to_end(&mut out);
        let kinds = reporter.warnings();
        let kinds = kinds.iter().map(|warning| warning.kind.to_string());
        (read.map(|_| out), kinds.collect())
    }

    #[test]
    fn members_are_read_with_every_part_of_their_headers() {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for content in [&b"one"[..], b"", b"two"] {
            let builder = flate2::GzBuilder::new()
                .filename("name")
                .comment("about")
                .extra([1, 2, 3]);
            let mut encoder = builder.read(content, flate2::Compression::fast());
            encoder.read_to_end(&mut bytes).expect("memory");
            ends.push(bytes.len());
        }
        let (read, warnings) = unpack(&bytes);
        assert_eq!(read.expect("sound"), b"onetwo");
        assert!(warnings.is_empty());
        // The size of the last member, and what follows it.
        let size = bytes.len() - 4;
        bytes[size] ^= 1;
        bytes.extend(b"\x1f\x8brest of it");
        let (read, warnings) = unpack(&bytes);
        assert_eq!(read.expect("sound"), b"onetwo");
        assert_eq!(warnings, ["trailing-garbage", "wrong-size-field"]);
        bytes[size - 1] ^= 1;
        let error = unpack(&bytes).0.expect_err("a wrong checksum");
        assert!(error.to_string().contains("checksum"));
        // Between two members a file may end.
        for length in (0..size).filter(|length| !ends.contains(length)) {
            unpack(&bytes[..length]).0.expect_err("cut or damaged");
        }
    }
}
