//! The bytes of a Parquet file, and its pages, checked before anything is made of them.
//!
//! The crate that decodes them takes some sizes as they stand in a page; a file that lies there must not fill the memory.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::thrift::{varint, zigzag};

/// Unpacked pages are smaller: writers aim at one megabyte.
const LARGEST_PAGE: u64 = 256 << 20;

/// The header of a page is shorter, statistics included.
const LONGEST_HEADER: u64 = 64 << 10;

/// Where the bytes lie.
enum Lies {
    Disk(File),
    Memory(Bytes),
}

/// The bytes of a file, read at any place.
pub struct Source {
    lies: Lies,
    size: u64,
    /// From now on what is read from a place on begins with the header of a page.
    reads_pages: AtomicBool,
}

impl Source {
    pub fn of_file(file: File) -> io::Result<Source> {
        let size = file.metadata()?.len();
        Ok(Source::new(Lies::Disk(file), size))
    }

    pub fn of_bytes(bytes: Vec<u8>) -> Source {
        let size = bytes.len() as u64;
        Source::new(Lies::Memory(bytes.into()), size)
    }

    fn new(lies: Lies, size: u64) -> Source {
        Source {
            lies,
            size,
            reads_pages: AtomicBool::new(false),
        }
    }

    /// The size of the file.
    pub fn bytes_in_all(&self) -> u64 {
        self.size
    }

    pub fn reads_pages(&self) {
        self.reads_pages.store(true, Ordering::Relaxed);
    }

    /// The bytes there, no more than the file has.
    pub fn bytes(&self, start: u64, length: u64) -> io::Result<Bytes> {
        let start = start.min(self.size);
        let length = length.min(self.size - start);
        match &self.lies {
            Lies::Memory(bytes) => Ok(bytes.slice(start as usize..(start + length) as usize)),
            Lies::Disk(file) => {
                let mut file = file;
                file.seek(SeekFrom::Start(start))?;
                let mut bytes = Vec::with_capacity(length as usize);
                file.take(length).read_to_end(&mut bytes)?;
                Ok(bytes.into())
            }
        }
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Source {
    type T = Cursor<Bytes>;

    fn get_read(&self, start: u64) -> Result<Cursor<Bytes>> {
        let bytes = self.bytes(start, LONGEST_HEADER)?;
        if self.reads_pages.load(Ordering::Relaxed) {
            check_header(&bytes)?;
        }
        Ok(Cursor::new(bytes))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.bytes(start, length as u64)?;
        match bytes.len() == length {
            true => Ok(bytes),
            false => Err(wrong("a file that ends within a page")),
        }
    }
}

fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// Looks at how many bytes a page has unpacked: the second field of its header, in Thrift's compact protocol as its type,
/// which stands before. <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>
fn check_header(bytes: &[u8]) -> Result<()> {
    /// The next field, a number of 32 bits.
    const NEXT_I32: u8 = 0x15;
    let mut rest = bytes;
    let mut number = || {
        let (field, behind) = rest.split_first()?;
        rest = behind;
        (*field == NEXT_I32).then_some(())?;
        zigzag(&mut rest)
    };
    let unpacked = number().and_then(|_| number());
    let is_fit = |size: i64| u64::try_from(size).is_ok_and(|size| size <= LARGEST_PAGE);
    match unpacked {
        Some(size) if is_fit(size) => Ok(()),
        Some(size) => Err(wrong(&format!("a page of {size} bytes"))),
        None => Err(wrong("a page without a header")),
    }
}

/// The pages of one column of a group of rows.
pub struct Pages {
    inner: SerializedPageReader<Source>,
    physical: Physical,
    is_optional: bool,
    has_dictionary: bool,
    /// Values that the group of rows has and that have not come yet.
    left: u64,
}

impl Pages {
    pub fn new(
        inner: SerializedPageReader<Source>,
        physical: Physical,
        is_optional: bool,
        rows: u64,
    ) -> Pages {
        Pages {
            inner,
            physical,
            is_optional,
            has_dictionary: false,
            left: rows,
        }
    }

    /// Bytes that a value takes at least where it is not packed.
    fn width(&self) -> u64 {
        match self.physical {
            Physical::BOOLEAN => 0,
            Physical::INT32 | Physical::FLOAT | Physical::BYTE_ARRAY => 4,
            Physical::INT64 | Physical::DOUBLE => 8,
            Physical::INT96 => 12,
            Physical::FIXED_LEN_BYTE_ARRAY => 1,
        }
    }

    fn check(&mut self, page: &Page) -> Result<()> {
        match page {
            Page::DictionaryPage {
                buf, num_values, ..
            } => {
                if u64::from(*num_values) * self.width() > buf.len() as u64 {
                    return Err(wrong("a dictionary that is longer than its page"));
                }
                self.has_dictionary = true;
                Ok(())
            }
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                ..
            } => {
                let mut values = &buf[..];
                if self.is_optional {
                    #[expect(deprecated)]
                    let is_old = *def_level_encoding == Encoding::BIT_PACKED;
                    if is_old {
                        return Err(wrong("levels that are BIT_PACKED, which is not read"));
                    }
                    let length = values.first_chunk().map(|it| u32::from_le_bytes(*it));
                    let length = length.ok_or_else(|| wrong("a page without levels"))?;
                    let behind = values.get(4..).and_then(|it| it.get(length as usize..));
                    values =
                        behind.ok_or_else(|| wrong("levels that are longer than their page"))?;
                }
                self.check_values(values, *num_values, *encoding)
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let at = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                let values = usize::try_from(at).ok().and_then(|at| buf.get(at..));
                let values =
                    values.ok_or_else(|| wrong("levels that are longer than their page"))?;
                self.check_values(values, *num_values, *encoding)
            }
        }
    }

    fn check_values(&mut self, values: &[u8], count: u32, encoding: Encoding) -> Result<()> {
        let left = self.left.checked_sub(u64::from(count));
        self.left = left.ok_or_else(|| wrong("more values than rows"))?;
        match encoding {
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY if !self.has_dictionary => {
                Err(wrong("a page of a dictionary that is missing"))
            }
            Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BINARY_PACKED => {
                check_differences(values, count).map(|_| ())
            }
            Encoding::DELTA_BYTE_ARRAY => {
                // Lengths of what is the same as before, and behind them those of the rest.
                let length = check_differences(values, count)?;
                let rest = values.get(length..).unwrap_or_default();
                check_differences(rest, count).map(|_| ())
            }
            _ => Ok(()),
        }
    }
}

/// Looks at how many numbers differences are of, and gives back how many bytes they take.
/// <https://github.com/apache/parquet-format/blob/master/Encodings.md>, DELTA_BINARY_PACKED.
fn check_differences(bytes: &[u8], most: u32) -> Result<usize> {
    let short = || wrong("differences that end too early");
    let mut rest = bytes;
    let mut number = || varint(&mut rest).ok_or_else(short);
    let (block, pieces, count) = (number()?, number()?, number()?);
    let _first = number()?;
    if count > u64::from(most) {
        return Err(wrong("more differences than values"));
    }
    if pieces == 0 || !block.is_multiple_of(pieces) || block > LARGEST_PAGE {
        return Err(wrong("differences in blocks that do not fit"));
    }
    let of_piece = block / pieces;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        varint(&mut rest).ok_or_else(short)?;
        let widths = usize::try_from(pieces).map_err(|_| short())?;
        let (widths, mut behind) = rest.split_at_checked(widths).ok_or_else(short)?;
        for &width in widths {
            if left == 0 {
                break;
            }
            if width > 64 || of_piece == 0 {
                return Err(wrong("differences that are too wide"));
            }
            let length = usize::try_from(of_piece * u64::from(width) / 8).map_err(|_| short())?;
            // The last piece may be cut where its values end.
            behind = behind.get(length.min(behind.len())..).unwrap_or_default();
            left = left.saturating_sub(of_piece);
        }
        rest = behind;
    }
    Ok(bytes.len() - rest.len())
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.inner.get_next_page()?;
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }
}
