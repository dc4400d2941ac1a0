//! The bytes of a Parquet file, and its pages, checked before anything is made of them.
//!
//! The decoder trusts some sizes in a page; a forged one must not fill the memory.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::thrift::{unzigzag, varint, zigzag};

/// Unpacked pages are smaller: writers aim at one megabyte.
const LARGEST_PAGE: u64 = 256 << 20;

/// A file may unpack to this many bytes whatever its size, and to this many more for each byte. Each text of a row counts
/// again where rows share it, for each is looked at.
const FREE_BYTES: u64 = 512 << 20;
const UNPACKED_A_BYTE: u64 = 256;

/// The header of a page is shorter, statistics included.
const LONGEST_HEADER: u64 = 64 << 10;

/// Where the bytes lie.
enum Place {
    Disk(File),
    Memory(Bytes),
}

/// The bytes of a file, read at any place.
pub(super) struct Source {
    place: Place,
    size: u64,
    /// From now on what is read from a place on begins with the header of a page.
    reads_pages: AtomicBool,
    /// Bytes that were unpacked so far.
    unpacked: AtomicU64,
}

impl Source {
    pub(super) fn of_file(file: File) -> io::Result<Source> {
        let size = file.metadata()?.len();
        Ok(Source::new(Place::Disk(file), size))
    }

    pub(super) fn of_bytes(bytes: Vec<u8>) -> Source {
        let size = bytes.len() as u64;
        Source::new(Place::Memory(bytes.into()), size)
    }

    fn new(place: Place, size: u64) -> Source {
        Source {
            place,
            size,
            reads_pages: AtomicBool::new(false),
            unpacked: AtomicU64::new(0),
        }
    }

    /// The size of the file.
    pub(super) fn bytes_in_all(&self) -> u64 {
        self.size
    }

    pub(super) fn reads_pages(&self) {
        self.reads_pages.store(true, Ordering::Relaxed);
    }

    /// Counts what is about to be unpacked, or looked at; an error where it is more than such a file holds.
    pub(super) fn unpack(&self, bytes: u64) -> Result<()> {
        let most = FREE_BYTES.saturating_add(self.size.saturating_mul(UNPACKED_A_BYTE));
        let before = self.unpacked.fetch_add(bytes, Ordering::Relaxed);
        match before.saturating_add(bytes) > most {
            true => Err(wrong(&format!("more than {most} bytes once unpacked"))),
            false => Ok(()),
        }
    }

    /// The bytes there, no more than the file has.
    pub(super) fn bytes(&self, start: u64, length: u64) -> io::Result<Bytes> {
        let start = start.min(self.size);
        let length = length.min(self.size - start);
        match &self.place {
            Place::Memory(bytes) => Ok(bytes.slice(start as usize..(start + length) as usize)),
            Place::Disk(file) => {
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
            self.unpack(check_header(&bytes)?)?;
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

/// How many bytes a page has unpacked: the second field of its header, in Thrift's compact protocol as its type,
/// which stands before. <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>
fn check_header(bytes: &[u8]) -> Result<u64> {
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
    let size = unpacked.ok_or_else(|| wrong("a page without a header"))?;
    let fitting = u64::try_from(size).ok().filter(|it| *it <= LARGEST_PAGE);
    fitting.ok_or_else(|| wrong(&format!("a page of {size} bytes")))
}

/// The pages of one column of a group of rows.
pub(super) struct Pages {
    inner: SerializedPageReader<Source>,
    source: Arc<Source>,
    physical: Physical,
    is_optional: bool,
    has_dictionary: bool,
    /// Values that the group of rows has and that have not come yet.
    left: u64,
}

impl Pages {
    /// The pages of a column, in a group with this number of rows.
    pub(super) fn new(
        source: &Arc<Source>,
        column: &ColumnChunkMetaData,
        rows: u64,
    ) -> Result<Pages> {
        let count = usize::try_from(rows)?;
        let described = column.column_descr();
        Ok(Pages {
            inner: SerializedPageReader::new(source.clone(), column, count, None)?,
            source: source.clone(),
            physical: described.physical_type(),
            is_optional: described.max_def_level() > 0,
            has_dictionary: false,
            left: rows,
        })
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
                let bytes = u64::from(*num_values) * self.width();
                check_dictionary(u64::from(*num_values), self.left)?;
                if bytes > buf.len() as u64 {
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
                check_differences(values, count, None).map(|_| ())
            }
            Encoding::DELTA_BYTE_ARRAY => self.source.unpack(check_prefixes(values, count)?),
            _ => Ok(()),
        }
    }
}

/// A dictionary is of values that its group of rows has, each once; the decoder unpacks them all.
fn check_dictionary(values: u64, rows: u64) -> Result<()> {
    match values > rows {
        true => Err(wrong("a dictionary of more values than rows")),
        false => Ok(()),
    }
}

/// How many bytes of texts are the same as in the one before: their lengths, and behind them those of the rest. The decoder
/// makes each text anew.
/// <https://github.com/apache/parquet-format/blob/master/Encodings.md>, DELTA_BYTE_ARRAY.
fn check_prefixes(bytes: &[u8], count: u32) -> Result<u64> {
    let mut same = 0;
    let length = check_differences(bytes, count, Some(&mut same))?;
    let rest = bytes.get(length..).unwrap_or_default();
    check_differences(rest, count, None)?;
    let unpacked = same.saturating_add(rest.len() as u64);
    match unpacked > LARGEST_PAGE {
        true => Err(wrong(&format!("a page of {unpacked} bytes once unpacked"))),
        false => Ok(same),
    }
}

/// The number of so many bits, no more than 32, from a bit on.
fn bits(bytes: &[u8], at: u64, width: u8) -> i32 {
    let start = usize::try_from(at / 8).unwrap_or(usize::MAX);
    let there = bytes.get(start..).unwrap_or_default();
    let mut word = [0; 8];
    let length = there.len().min(word.len());
    word[..length].copy_from_slice(&there[..length]);
    let number = u64::from_le_bytes(word) >> (at % 8);
    (number & ((1 << width) - 1)) as i32
}

/// Looks at how many numbers differences are of, and gives back how many bytes they take. `sum` is of numbers of 32 bits,
/// and gets those added that are positive; the decoder refuses others where it matters.
/// <https://github.com/apache/parquet-format/blob/master/Encodings.md>, DELTA_BINARY_PACKED.
fn check_differences(bytes: &[u8], most: u32, mut sum: Option<&mut u64>) -> Result<usize> {
    let short = || wrong("differences that end too early");
    let mut rest = bytes;
    let mut number = || varint(&mut rest).ok_or_else(short);
    let (block, pieces, count) = (number()?, number()?, number()?);
    let mut value = unzigzag(number()?) as i32;
    let is_summed = sum.is_some();
    let mut add = |value: i32| {
        if let Some(sum) = &mut sum {
            **sum = sum.saturating_add(u64::try_from(value).unwrap_or(0));
        }
    };
    if count > u64::from(most) {
        return Err(wrong("more differences than values"));
    }
    if pieces == 0 || !block.is_multiple_of(pieces) || block > LARGEST_PAGE {
        return Err(wrong("differences in blocks that do not fit"));
    }
    let of_piece = block / pieces;
    if count > 0 {
        add(value);
    }
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let least = zigzag(&mut rest).ok_or_else(short)?;
        let widths = usize::try_from(pieces).map_err(|_| short())?;
        let (widths, mut behind) = rest.split_at_checked(widths).ok_or_else(short)?;
        for &width in widths {
            if left == 0 {
                break;
            }
            if width > 64 || of_piece == 0 {
                return Err(wrong("differences that are too wide"));
            }
            if is_summed {
                if width > 32 {
                    return Err(wrong("lengths that are too wide"));
                }
                for index in 0..of_piece.min(left) {
                    let more = bits(behind, index * u64::from(width), width);
                    value = value.wrapping_add(least as i32).wrapping_add(more);
                    add(value);
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::memory::random::Random;

    fn vlq(bytes: &mut Vec<u8>, mut number: u64) {
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    }

    fn signed(bytes: &mut Vec<u8>, number: i64) {
        vlq(bytes, (number << 1 ^ number >> 63) as u64);
    }

    /// Numbers as differences, in blocks of 128 of four pieces, as the specification says.
    fn differences(numbers: &[i32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [128, 4, numbers.len() as u64] {
            vlq(&mut bytes, number);
        }
        signed(&mut bytes, numbers.first().copied().unwrap_or(0).into());
        let steps: Vec<i64> = numbers
            .windows(2)
            .map(|it| i64::from(it[1]) - i64::from(it[0]))
            .collect();
        for block in steps.chunks(128) {
            let least = block.iter().copied().min().unwrap_or(0);
            signed(&mut bytes, least);
            let pieces: Vec<&[i64]> = block.chunks(32).collect();
            let width = |piece: &[i64]| {
                let most = piece.iter().map(|it| it - least).max().unwrap_or(0);
                64 - most.leading_zeros() as u8
            };
            for at in 0..4 {
                bytes.push(pieces.get(at).map_or(0, |it| width(it)));
            }
            for piece in pieces {
                let width = width(piece);
                let mut packed = vec![0_u8; 4 * usize::from(width)];
                for (index, step) in piece.iter().enumerate() {
                    for bit in 0..usize::from(width) {
                        let at = index * usize::from(width) + bit;
                        packed[at / 8] |= (((step - least) >> bit & 1) as u8) << (at % 8);
                    }
                }
                bytes.extend(packed);
            }
        }
        bytes
    }

    #[test]
    fn differences_add_up_to_their_numbers() {
        let mut random = Random(5);
        for most in [1, 2, 300, 1 << 20, i32::MAX as u64] {
            for count in [0, 1, 2, 32, 33, 128, 129, 130, 1000] {
                let number = |_| random.below(most) as i32;
                let numbers: Vec<i32> = (0..count).map(number).collect();
                let bytes = differences(&numbers);
                let mut sum = 0;
                let length = check_differences(&bytes, count, Some(&mut sum)).expect("they fit");
                assert_eq!(length, bytes.len());
                let expected: u64 = numbers.iter().map(|&it| it as u64).sum();
                assert_eq!(sum, expected, "{count} below {most}");
            }
        }
    }

    #[test]
    fn texts_that_begin_alike_fill_no_memory() {
        const MEGABYTE: i32 = 1 << 20;
        let page = |count: usize| {
            let mut same = vec![MEGABYTE; count];
            same[0] = 0;
            let mut rest = vec![0; count];
            rest[0] = MEGABYTE;
            [differences(&same), differences(&rest)].concat()
        };
        assert!(check_prefixes(&page(200), 200).is_ok());
        let error = check_prefixes(&page(300), 300).expect_err("it is too much");
        assert!(error.to_string().contains("once unpacked"), "{error}");
    }

    #[test]
    fn a_dictionary_has_no_more_values_than_there_are_rows() {
        assert!(check_dictionary(5, 5).is_ok());
        assert!(check_dictionary(6, 5).is_err());
    }
}
