//! A table as one Parquet file, written row group by row group.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::chunk::{Chunk, Values};
use super::columns::{Column, Kind, columns_of};
use callscape_base::units::Cost;
use callscape_facts::tables::{Table, VERSION};

/// Rows in a group; engines skip whole groups by their statistics.
pub const GROUP: usize = 1_000_000;

/// Of zstd: 3 is its default, and higher ones gain little on packed numbers.
const LEVEL: i32 = 3;

/// Rows that wait before they are packed. A group is a whole number of batches.
pub(super) const BATCH: usize = GROUP / 64;

/// A column that is being written.
struct Cells {
    /// Of the rows that wait.
    values: Values,
    /// By row 1 where there is a value; empty where there always is one.
    defined: Vec<i16>,
    /// What is packed of the group; none before its first batch.
    chunk: Option<Chunk>,
}

/// A table that is being written.
pub(super) struct TableWriter<W: Write + Send> {
    table: Table,
    file: SerializedFileWriter<W>,
    properties: WriterPropertiesPtr,
    cells: Vec<Cells>,
    /// How many rows wait.
    rows: usize,
    /// How many rows of the group are packed.
    packed: usize,
    /// The next column of the row.
    at: usize,
    /// The first number of a row that its column cannot hold, with that.
    misfit: Option<(&'static str, u64)>,
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => io::Error::other(inner),
        error => io::Error::other(error),
    }
}

/// The schema of a table.
fn schema(table: Table) -> Result<TypePtr, ParquetError> {
    let field = |column: &Column| {
        let repetition = match column.is_optional {
            true => Repetition::OPTIONAL,
            false => Repetition::REQUIRED,
        };
        let (physical, logical) = match column.kind {
            Kind::Long => (Physical::INT64, None),
            Kind::Int => (Physical::INT32, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(column.name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    };
    let fields = columns_of(table).iter().map(field);
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder(table.name()).with_fields(fields);
    schema.build().map(Arc::new)
}

/// How the values of a column are packed, before they are compressed.
enum Packing {
    Dictionary,
    /// What differs little from the value before it.
    Differences,
    /// What comes again after a while, as parents and costs do: compressing finds that, but not in differences. Of
    /// recordings of uftrace and VizTracer, costs take two thirds of what they take as differences.
    Plain,
}

fn packing(column: &Column) -> Packing {
    match column.name {
        _ if column.kind == Kind::Text => Packing::Dictionary,
        "function" | "caller" | "callee" | "depth" => Packing::Dictionary,
        "parent" | "self_ns" | "waiting_ns" | "path" => Packing::Plain,
        _ => Packing::Differences,
    }
}

/// How it is packed, with the meaning of each column.
fn properties(table: Table, id: &str) -> Result<WriterProperties, ParquetError> {
    let about = columns_of(table).iter().map(|column| KeyValue {
        key: format!("callscape.column.{}", column.name),
        value: Some(column.about.to_owned()),
    });
    let version = KeyValue {
        key: "callscape.version".to_owned(),
        value: Some(VERSION.to_string()),
    };
    let kind = KeyValue {
        key: "callscape.table".to_owned(),
        value: Some(table.name().to_owned()),
    };
    let of = KeyValue {
        key: "callscape.recording".to_owned(),
        value: Some(id.to_owned()),
    };
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("callscape {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some([kind, version, of].into_iter().chain(about).collect()));
    for column in columns_of(table) {
        let path = ColumnPath::from(column.name);
        let encoding = match packing(column) {
            Packing::Dictionary => continue,
            Packing::Differences => Encoding::DELTA_BINARY_PACKED,
            Packing::Plain => Encoding::PLAIN,
        };
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, encoding);
    }
    Ok(properties.build())
}

impl<W: Write + Send> TableWriter<W> {
    pub(super) fn new(table: Table, id: &str, out: W) -> io::Result<TableWriter<W>> {
        let schema = schema(table).map_err(failed)?;
        let properties = Arc::new(properties(table, id).map_err(failed)?);
        let cells = columns_of(table).iter().map(|column| Cells {
            values: Values::new(column.kind),
            defined: Vec::new(),
            chunk: None,
        });
        Ok(TableWriter {
            file: SerializedFileWriter::new(out, schema, properties.clone()).map_err(failed)?,
            properties,
            cells: cells.collect(),
            table,
            rows: 0,
            packed: 0,
            at: 0,
            misfit: None,
        })
    }

    /// The next number of the row. An amount that does not fit its column is the largest that does; a number of a row that
    /// does not is an error of the batch.
    pub(super) fn number(&mut self, value: u64) {
        let column = &columns_of(self.table)[self.at];
        match &mut self.cells[self.at].values {
            Values::Long(values) => values.push(i64::try_from(value).unwrap_or(i64::MAX)),
            Values::Int(values) => {
                let fitting = i32::try_from(value);
                if column.is_id && fitting.is_err() {
                    self.misfit.get_or_insert((column.name, value));
                }
                values.push(fitting.unwrap_or(i32::MAX));
            }
            Values::Text(_) => unreachable!("{}: a number in a column of texts", self.table),
        }
        self.next(true);
    }

    /// The same, which may be null.
    pub(super) fn number_or_null(&mut self, value: Option<u64>) {
        match value {
            Some(value) => self.number(value),
            None => self.next(false),
        }
    }

    /// The next number of the row, which may be negative.
    pub(super) fn weight(&mut self, value: Cost) {
        if let Values::Long(values) = &mut self.cells[self.at].values {
            values.push(value.weight());
        }
        self.next(true);
    }

    /// The next text of the row.
    pub(super) fn text(&mut self, value: &str) {
        match &mut self.cells[self.at].values {
            Values::Text(values) => values.push(ByteArray::from(value)),
            _ => unreachable!("{}: a text in a column of numbers", self.table),
        }
        self.next(true);
    }

    fn next(&mut self, is_defined: bool) {
        if columns_of(self.table)[self.at].is_optional {
            self.cells[self.at].defined.push(i16::from(is_defined));
        }
        self.at += 1;
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self) {
        debug_assert_eq!(
            self.at,
            self.cells.len(),
            "{}: every column has a cell",
            self.table
        );
        self.at = 0;
        self.rows += 1;
    }

    /// How many rows wait to be packed.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Changes a number of a row that waits.
    pub(super) fn set_number(&mut self, column: usize, row: usize, value: u64) {
        if let Values::Long(values) = &mut self.cells[column].values
            && let Some(of) = values.get_mut(row)
        {
            *of = i64::try_from(value).unwrap_or(i64::MAX);
        }
    }

    /// Packs the rows that wait where they are a whole batch, and says whether they were.
    pub(super) fn end_batch_if_full(&mut self) -> io::Result<bool> {
        let is_full = self.rows >= BATCH;
        if is_full {
            self.end_batch()?;
        }
        Ok(is_full)
    }

    /// Packs the rows that wait, and writes the group where they fill it.
    pub(super) fn end_batch(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        if let Some((column, value)) = self.misfit {
            return Err(io::Error::other(format!(
                "expected a number of 31 bits in column '{column}', found {value}"
            )));
        }
        let schema = self.file.schema_descr();
        for (number, cells) in self.cells.iter_mut().enumerate() {
            let properties = &self.properties;
            let chunk = cells
                .chunk
                .get_or_insert_with(|| Chunk::new(schema.column(number), properties.clone()));
            let taken = chunk.take(&mut cells.values, &mut cells.defined);
            taken.map_err(failed)?;
        }
        self.packed += self.rows;
        self.rows = 0;
        match self.packed >= GROUP {
            true => self.end_group(),
            false => Ok(()),
        }
    }

    fn end_group(&mut self) -> io::Result<()> {
        if self.packed == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(failed)?;
        for cells in &mut self.cells {
            if let Some(chunk) = cells.chunk.take() {
                chunk.append(&mut group).map_err(failed)?;
            }
        }
        group.close().map_err(failed)?;
        self.packed = 0;
        Ok(())
    }

    /// Writes what is left, and the end of the file; gives back what it was written to.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.end_batch()?;
        self.end_group()?;
        self.file.into_inner().map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row of relations with this caller and these calls.
    fn written(caller: u64, calls: u64) -> io::Result<Vec<u8>> {
        let mut rows = TableWriter::new(Table::Relations, "x", Vec::new())?;
        for number in [caller, 0, calls, 0, 0] {
            rows.number(number);
        }
        rows.number_or_null(None);
        rows.number_or_null(None);
        rows.end_row();
        rows.finish()
    }

    #[test]
    fn no_number_of_a_row_stands_for_another_one() {
        assert!(written(i32::MAX as u64, u64::MAX).is_ok());
        let error = written(1 << 31, 0).expect_err("it does not fit");
        let said = error.to_string();
        assert!(said.contains("'caller', found 2147483648"), "{said}");
    }
}
