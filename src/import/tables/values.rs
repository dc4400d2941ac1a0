//! The values of some rows of a column, whatever their type.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;

/// What stands in a row of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    Null,
    Whole(i64),
    Real(f64),
    Text(&'a [u8]),
}

/// The values of some rows of a column.
pub(super) enum Values {
    /// The column is missing.
    None,
    /// [`NULL`] for none.
    Whole(Vec<i64>),
    Real(Vec<Option<f64>>),
    Text(Vec<Option<ByteArray>>),
}

impl Values {
    /// Bytes of all texts, as many times as they are there.
    pub(super) fn bytes_of_texts(&self) -> u64 {
        match self {
            Values::Text(texts) => texts.iter().flatten().map(|it| it.len() as u64).sum(),
            Values::None | Values::Whole(_) | Values::Real(_) => 0,
        }
    }

    /// Makes decimal numbers of whole ones: the last `scale` digits stand behind the point.
    pub(super) fn scale(&mut self, scale: i32) {
        let factor = 10_f64.powi(-scale);
        match self {
            Values::Whole(values) => {
                let real = |&value: &i64| (value != NULL).then_some(value as f64 * factor);
                *self = Values::Real(values.iter().map(real).collect());
            }
            Values::Real(values) => {
                for value in values.iter_mut().flatten() {
                    *value *= factor;
                }
            }
            Values::None | Values::Text(_) => {}
        }
    }
}

/// No table holds this number: what it counts is not negative.
pub(super) const NULL: i64 = i64::MIN;

/// Reads the next rows of a column; an error where there are fewer.
pub(super) fn read(reader: &mut ColumnReader, count: usize) -> Result<Values, ParquetError> {
    Ok(match reader {
        ColumnReader::Int32ColumnReader(of) => {
            Values::Whole(fill(of, count, NULL, |it| it.into())?)
        }
        ColumnReader::Int64ColumnReader(of) => Values::Whole(fill(of, count, NULL, |it| it)?),
        ColumnReader::FloatColumnReader(of) => {
            Values::Real(fill(of, count, None, |it| Some(it.into()))?)
        }
        ColumnReader::DoubleColumnReader(of) => Values::Real(fill(of, count, None, Some)?),
        ColumnReader::ByteArrayColumnReader(of) => Values::Text(fill(of, count, None, Some)?),
        ColumnReader::FixedLenByteArrayColumnReader(of) => {
            Values::Real(fill(of, count, None, |it| Some(big_endian(it.data())))?)
        }
        // A truth value, a time of the old kind: nothing that is asked for.
        _ => Values::None,
    })
}

/// A number of many digits, as decimal numbers are kept.
fn big_endian(bytes: &[u8]) -> f64 {
    let first = bytes.first().map_or(0.0, |&byte| f64::from(byte as i8));
    let rest = bytes.iter().skip(1);
    rest.fold(first, |sum, &byte| sum * 256.0 + f64::from(byte))
}

/// The values of the next rows, each made by `convert`, `null` where there is none.
fn fill<T: DataType, O: Clone>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    null: O,
    convert: impl Fn(T::T) -> O,
) -> Result<Vec<O>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut rows = 0;
    while rows < count {
        let (read, ..) = reader.read_records(count - rows, Some(&mut levels), None, &mut values)?;
        if read == 0 {
            let text = format!("{} rows less than its group has", count - rows);
            return Err(ParquetError::General(text));
        }
        rows += read;
    }
    if levels.is_empty() || values.len() == count {
        return Ok(values.into_iter().map(convert).collect());
    }
    let mut values = values.into_iter();
    let mut of = |level: i16| match level {
        0 => null.clone(),
        _ => values.next().map_or_else(|| null.clone(), &convert),
    };
    Ok(levels.into_iter().map(&mut of).collect())
}
