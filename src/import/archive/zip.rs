//! The directory of a zip file, and its members. Specification: APPNOTE 6.3.10,
//! <https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT>, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3.
//!
//! Members are stored or deflated; those that are encrypted or compressed otherwise are left out. Archives of
//! several volumes are not read. Of one that was cut before its directory, the members are found by their own headers.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use crate::gzip::Inflate;

/// Longer names, and deeper ones, are no file's.
pub(super) const LONGEST_NAME: usize = 4096;

/// A file in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub size: u64,
    /// Where its own header stands.
    header: u64,
    /// Bytes in the archive.
    pub packed: u64,
    deflated: bool,
    /// None where the archive was cut before it.
    checksum: Option<u32>,
}

/// The end of the directory stands within so many bytes of the end of the file: its own and those of a comment.
const REACH: u64 = 22 + 0xffff;

/// The header before each file.
const HEADER: &[u8] = b"PK\x03\x04";

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
pub(super) fn entries(file: &mut (impl Read + Seek), most: usize) -> io::Result<Vec<Entry>> {
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
        return Err(damaged(
            "no entry at a place named by the zip file's directory",
        ));
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
    larger(
        &extra[..extra_length],
        [&mut size, &mut packed, &mut header],
    )?;
    let name = name_of(name);
    let readable = flags & 1 == 0 && matches!(method, 0 | 8) && !name.ends_with('/');
    Ok(readable.then_some(Entry {
        name,
        size,
        header,
        packed,
        deflated: method == 8,
        checksum: Some(checksum),
    }))
}

/// A name as text, of which no more is kept than tells that it is too long.
fn name_of(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(LONGEST_NAME + 1)]).into_owned()
}

/// Puts numbers of 64 bits in the place of those that do not fit into 32.
fn larger<const N: usize>(extra: &[u8], values: [&mut u64; N]) -> io::Result<()> {
    let mut extra = Numbers(extra);
    let mut values = Some(values);
    while extra.0.len() >= 4 {
        let (kind, length) = (extra.number(2)?, extra.number(2)? as usize);
        let Ok(field) = extra.bytes(length) else {
            break;
        };
        let mut field = Numbers(field);
        if kind == 1 {
            for value in values.take().into_iter().flatten() {
                if *value == 0xffff_ffff {
                    *value = field.number(8)?;
                }
            }
        }
    }
    Ok(())
}

/// The files in an archive without its directory, at most `most` of them, as far as it goes. O(size) where writers put
/// sizes behind what they are of.
pub(super) fn entries_found(
    file: &mut (impl BufRead + Seek),
    most: usize,
) -> io::Result<Vec<Entry>> {
    /// Says that checksum and sizes stand behind the data.
    const BEHIND: u64 = 1 << 3;
    let length = file.seek(SeekFrom::End(0))?;
    let (mut entries, mut at) = (Vec::new(), 0);
    while entries.len() <= most {
        file.seek(SeekFrom::Start(at))?;
        let mut fixed = [0; 30];
        if file.read_exact(&mut fixed).is_err() || !fixed.starts_with(HEADER) {
            break;
        }
        let mut numbers = Numbers(&fixed[6..]);
        let flags = numbers.number(2)?;
        let method = numbers.number(2)?;
        numbers.number(4)?;
        let mut checksum = Some(numbers.number(4)? as u32);
        let mut packed = numbers.number(4)?;
        let mut size = numbers.number(4)?;
        let name_length = numbers.number(2)? as usize;
        let extra_length = numbers.number(2)? as usize;
        let mut rest = vec![0; name_length + extra_length];
        if file.read_exact(&mut rest).is_err() {
            break;
        }
        let (name, extra) = rest.split_at(name_length);
        larger(extra, [&mut size, &mut packed])?;
        let data = at + 30 + rest.len() as u64;
        let mut end = data.saturating_add(packed);
        if flags & BEHIND != 0 {
            if method != 8 {
                break;
            }
            let mut content = Inflate::new(&mut *file);
            let (copied, error) = match io::copy(&mut content, &mut io::sink()) {
                Ok(copied) => (copied, false),
                Err(_) => (0, true),
            };
            size = copied;
            end = if error {
                length
            } else {
                data + content.taken()
            };
            packed = end - data;
            let mut behind = Vec::new();
            file.seek(SeekFrom::Start(end))?;
            file.take(28).read_to_end(&mut behind)?;
            let marked = usize::from(behind.starts_with(b"PK\x07\x08")) * 4;
            let found = behind.get(marked..marked + 4);
            checksum = found.map(|bytes| Numbers(bytes).number(4).unwrap_or(0) as u32);
            // Sizes of 32 or 64 bits; the next header tells.
            let next = [8, 16].map(|sizes| marked + 4 + sizes);
            let next = next.into_iter().find(|&next| {
                behind
                    .get(next..)
                    .is_some_and(|rest| rest.starts_with(HEADER))
            });
            end = next.map_or(length, |next| end + next as u64);
        }
        let cut = data.saturating_add(packed) > length;
        let name = name_of(name);
        if flags & 1 == 0 && matches!(method, 0 | 8) && !name.ends_with('/') {
            entries.push(Entry {
                name,
                size,
                header: at,
                packed,
                deflated: method == 8,
                checksum: checksum.filter(|_| !cut),
            });
        }
        if cut || end >= length {
            break;
        }
        at = end;
    }
    Ok(entries)
}

/// The bytes of an entry.
pub(super) fn open<'a>(
    mut file: impl Read + Seek + 'a,
    entry: &Entry,
) -> io::Result<Box<dyn Read + 'a>> {
    file.seek(SeekFrom::Start(entry.header))?;
    let mut fixed = [0; 30];
    file.read_exact(&mut fixed)?;
    if !fixed.starts_with(HEADER) {
        return Err(damaged(
            "no file at a place named by the zip file's directory",
        ));
    }
    let mut numbers = Numbers(&fixed[26..]);
    let behind = numbers.number(2)? + numbers.number(2)?;
    file.seek(SeekFrom::Current(behind as i64))?;
    let packed = BufReader::new(file.take(entry.packed));
    let bytes: Box<dyn Read + 'a> = if entry.deflated {
        Box::new(Inflate::new(packed))
    } else {
        Box::new(packed)
    };
    Ok(Box::new(Checked {
        bytes,
        left: entry.size,
        hash: crc32fast::Hasher::new(),
        expected: entry.checksum,
    }))
}

/// Bytes that are held against their checksum at their end.
struct Checked<'a> {
    bytes: Box<dyn Read + 'a>,
    /// How many are missing of what they should be.
    left: u64,
    hash: crc32fast::Hasher,
    expected: Option<u32>,
}

impl Read for Checked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.hash.update(&buffer[..count]);
        self.left = self.left.saturating_sub(count as u64);
        if count > 0 || buffer.is_empty() {
            return Ok(count);
        }
        match self.expected {
            // Cut: what is missing has no checksum.
            _ if self.left > 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            Some(expected) if self.hash.clone().finalize() != expected => {
                Err(damaged("a checksum that does not fit"))
            }
            _ => Ok(0),
        }
    }
}
