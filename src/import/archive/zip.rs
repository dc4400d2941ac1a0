//! The directory of a zip file, and its members. Specification: APPNOTE 6.3.10,
//! <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3.
//!
//! Members are stored or deflated; those that are encrypted or compressed otherwise are left out. Archives of
//! several volumes are not read.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::read::DeflateDecoder;

/// A file in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub size: u64,
    /// Where its own header stands.
    header: u64,
    /// Bytes in the archive.
    packed: u64,
    deflated: bool,
    checksum: u32,
}

/// The end of the directory stands within so many bytes of the end of the file: its own and those of a comment.
const REACH: u64 = 22 + 0xffff;

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Little-endian numbers from the front of bytes.
struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    fn bytes(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (bytes, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self, size: usize) -> io::Result<u64> {
        let bytes = self.bytes(size)?.iter().rev();
        Ok(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }
}

/// The files in the archive, at most `most` of them. What is read is held against the length of the file.
pub fn entries(file: &mut (impl Read + Seek), most: usize) -> io::Result<Vec<Entry>> {
    let length = file.seek(SeekFrom::End(0))?;
    let reach = length.saturating_sub(REACH);
    file.seek(SeekFrom::Start(reach))?;
    let mut tail = Vec::new();
    file.take(REACH).read_to_end(&mut tail)?;
    let end = memchr::memmem::rfind(&tail, b"PK\x05\x06");
    let end = end.ok_or_else(|| damaged("no end of a zip file's directory"))?;
    let mut numbers = Numbers(tail.get(end + 10..).unwrap_or_default());
    let mut count = numbers.number(2)?;
    let mut size = numbers.number(4)?;
    let mut start = numbers.number(4)?;
    if count == 0xffff || size == 0xffff_ffff || start == 0xffff_ffff {
        // The locator of the larger form of the end stands right before it.
        let locator = end.checked_sub(20).and_then(|at| tail.get(at..end));
        if let Some(locator) = locator.filter(|locator| locator.starts_with(b"PK\x06\x07")) {
            file.seek(SeekFrom::Start(Numbers(&locator[8..]).number(8)?))?;
            let mut larger = [0; 56];
            file.read_exact(&mut larger)?;
            if larger.starts_with(b"PK\x06\x06") {
                let mut numbers = Numbers(&larger[32..]);
                count = numbers.number(8)?;
                size = numbers.number(8)?;
                start = numbers.number(8)?;
            }
        }
    }
    if start.checked_add(size).is_none_or(|end| end > length) {
        return Err(damaged("a zip file's directory beyond the end of the file"));
    }
    file.seek(SeekFrom::Start(start))?;
    let mut directory = file.take(size);
    let mut entries = Vec::new();
    for _ in 0..count {
        if entries.len() > most {
            // Told by the one who asked.
            break;
        }
        if let Some(entry) = entry(&mut directory)? {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// The next entry of the directory; none for what is no file or cannot be read.
fn entry(directory: &mut impl Read) -> io::Result<Option<Entry>> {
    let mut fixed = [0; 46];
    directory.read_exact(&mut fixed)?;
    if !fixed.starts_with(b"PK\x01\x02") {
        return Err(damaged("no entry where a zip file's directory has one"));
    }
    let mut numbers = Numbers(&fixed[8..]);
    let flags = numbers.number(2)?;
    let method = numbers.number(2)?;
    numbers.number(4)?;
    let checksum = numbers.number(4)? as u32;
    let mut packed = numbers.number(4)?;
    let mut size = numbers.number(4)?;
    let name_length = numbers.number(2)? as usize;
    let extra_length = numbers.number(2)? as usize;
    let comment_length = numbers.number(2)? as usize;
    numbers.number(8)?;
    let mut header = numbers.number(4)?;
    let mut rest = vec![0; name_length + extra_length + comment_length];
    directory.read_exact(&mut rest)?;
    let (name, extra) = rest.split_at(name_length);
    let mut extra = Numbers(&extra[..extra_length]);
    while extra.0.len() >= 4 {
        let (kind, length) = (extra.number(2)?, extra.number(2)? as usize);
        let Ok(field) = extra.bytes(length) else {
            break;
        };
        let mut field = Numbers(field);
        if kind == 1 {
            for value in [&mut size, &mut packed, &mut header] {
                if *value == 0xffff_ffff {
                    *value = field.number(8)?;
                }
            }
        }
    }
    let name = String::from_utf8_lossy(name).into_owned();
    let readable = flags & 1 == 0 && matches!(method, 0 | 8) && !name.ends_with('/');
    Ok(readable.then_some(Entry {
        name,
        size,
        header,
        packed,
        deflated: method == 8,
        checksum,
    }))
}

/// The bytes of an entry.
pub fn open<'a>(mut file: impl Read + Seek + 'a, entry: &Entry) -> io::Result<Box<dyn Read + 'a>> {
    file.seek(SeekFrom::Start(entry.header))?;
    let mut fixed = [0; 30];
    file.read_exact(&mut fixed)?;
    if !fixed.starts_with(b"PK\x03\x04") {
        return Err(damaged("no file where a zip file's directory has one"));
    }
    let mut numbers = Numbers(&fixed[26..]);
    let behind = numbers.number(2)? + numbers.number(2)?;
    file.seek(SeekFrom::Current(behind as i64))?;
    let packed = BufReader::new(file.take(entry.packed));
    let bytes: Box<dyn Read + 'a> = if entry.deflated {
        Box::new(DeflateDecoder::new(packed))
    } else {
        Box::new(packed)
    };
    Ok(Box::new(Checked {
        bytes,
        hash: crc32fast::Hasher::new(),
        expected: entry.checksum,
    }))
}

/// Bytes that are held against their checksum at their end.
struct Checked<'a> {
    bytes: Box<dyn Read + 'a>,
    hash: crc32fast::Hasher,
    expected: u32,
}

impl Read for Checked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.hash.update(&buffer[..count]);
        if count == 0 && !buffer.is_empty() && self.hash.clone().finalize() != self.expected {
            return Err(damaged("a checksum that does not fit"));
        }
        Ok(count)
    }
}
