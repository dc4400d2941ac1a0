//! A column of a group of rows: packed as it is filled, so that of a million rows only the packed pages are held.
//!
//! Parquet wants the columns of a group one behind the other, while rows come one by one.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use parquet::column::writer::{ColumnWriter, get_column_writer, get_typed_column_writer_mut};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use super::columns::Kind;

/// Values of some rows of a column.
pub(super) enum Values {
    Long(Vec<i64>),
    Int(Vec<i32>),
    Text(Vec<ByteArray>),
}

impl Values {
    pub(super) fn new(kind: Kind) -> Values {
        match kind {
            Kind::Long => Values::Long(Vec::new()),
            Kind::Int => Values::Int(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
        }
    }
}

/// The packed pages, shared with what writes them.
#[derive(Clone, Default)]
struct Packed(Arc<Mutex<Vec<u8>>>);

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Pages(TrackedWrite<Packed>);

impl PageWriter for Pages {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec, ParquetError> {
        let checksum = crc32fast::hash(page.data());
        let mut plain = TrackedWrite::new(Vec::new());
        let mut spec = SerializedPageWriter::new(&mut plain).write_page(page)?;
        let plain = plain.into_inner()?;
        let checked = with_checksum(&plain, checksum)
            .ok_or_else(|| ParquetError::General("a page without a header".to_owned()))?;
        let added = checked.len() - plain.len();
        spec.offset = self.0.bytes_written() as u64;
        spec.uncompressed_size += added;
        spec.compressed_size += added;
        spec.bytes_written += added as u64;
        self.0.write_all(&checked)?;
        Ok(spec)
    }

    fn close(&mut self) -> Result<(), ParquetError> {
        Ok(self.0.flush()?)
    }
}

/// A page with its checksum, which the crate checks but does not write: the fourth field of the header, a number of 32 bits
/// in Thrift's compact protocol, behind three of the same kind. None where these are not there.
/// <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>
fn with_checksum(page: &[u8], checksum: u32) -> Option<Vec<u8>> {
    /// The next field, a number of 32 bits.
    const NEXT_I32: u8 = 0x15;
    /// What the high half of a field's first byte counts: fields since the one before.
    const ONE_FIELD: u8 = 0x10;
    let mut at = 0;
    for _ in 0..3 {
        (*page.get(at)? == NEXT_I32).then_some(())?;
        let number = page.get(at + 1..)?;
        at += 2 + number.iter().position(|it| it & 0x80 == 0)?;
    }
    let (before, behind) = page.split_at(at);
    let (next, behind) = behind.split_first()?;
    let mut checked = Vec::with_capacity(page.len() + 6);
    checked.extend_from_slice(before);
    checked.push(NEXT_I32);
    let signed = checksum as i32;
    let mut number = ((signed << 1) ^ (signed >> 31)) as u32;
    while number >= 0x80 {
        checked.push(number as u8 | 0x80);
        number >>= 7;
    }
    checked.push(number as u8);
    checked.push(next.checked_sub(ONE_FIELD).filter(|it| it >> 4 > 0)?);
    checked.extend_from_slice(behind);
    Some(checked)
}

/// A column of one group.
pub(super) struct Chunk {
    writer: ColumnWriter<'static>,
    packed: Packed,
}

impl Chunk {
    pub(super) fn new(column: ColumnDescPtr, properties: WriterPropertiesPtr) -> Chunk {
        let packed = Packed::default();
        let pages = Pages(TrackedWrite::new(packed.clone()));
        Chunk {
            writer: get_column_writer(column, properties, Box::new(pages)),
            packed,
        }
    }

    /// Takes the values of some rows; `defined` holds 1 for each row that has one, and nothing where all have.
    pub(super) fn take(
        &mut self,
        values: &mut Values,
        defined: &mut Vec<i16>,
    ) -> Result<(), ParquetError> {
        let defined_now = (!defined.is_empty()).then_some(&defined[..]);
        match values {
            Values::Long(values) => self.pack::<Int64Type>(values, defined_now)?,
            Values::Int(values) => self.pack::<Int32Type>(values, defined_now)?,
            Values::Text(values) => self.pack::<ByteArrayType>(values, defined_now)?,
        }
        defined.clear();
        Ok(())
    }

    fn pack<T: DataType>(
        &mut self,
        values: &mut Vec<T::T>,
        defined: Option<&[i16]>,
    ) -> Result<(), ParquetError> {
        let writer = get_typed_column_writer_mut::<T>(&mut self.writer);
        writer.write_batch(values, defined, None)?;
        values.clear();
        Ok(())
    }

    /// Puts the column behind those that the group has.
    pub(super) fn append<W: Write + Send>(
        self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        let close = self.writer.close()?;
        let mut packed = self.packed.0.lock().unwrap_or_else(PoisonError::into_inner);
        group.append_column(&Bytes::from(std::mem::take(&mut *packed)), close)
    }
}
