//! A table as one Parquet file, written row group by row group.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::columns::{Column, Kind, Table};

/// So many rows are in a group, which an engine reads or leaves out as a whole by what its statistics say.
pub const GROUP: usize = 1_000_000;

/// Version of the tables. Another one has other columns.
pub const VERSION: u32 = 1;

/// Of zstd: 3 is its default, and higher ones gain little on packed numbers.
const LEVEL: i32 = 3;

/// Values of a column that are not written yet.
enum Values {
    Long(Vec<i64>),
    Int(Vec<i32>),
    Text(Vec<ByteArray>),
}

struct Cells {
    values: Values,
    /// By row 1 where there is a value; empty where there always is one.
    defined: Vec<i16>,
}

/// A table that is being written.
pub struct TableWriter<W: Write + Send> {
    table: Table,
    file: SerializedFileWriter<W>,
    cells: Vec<Cells>,
    rows: usize,
    /// The next column of the row.
    at: usize,
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
    let fields = table.columns().iter().map(field);
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
    let about = table.columns().iter().map(|column| KeyValue {
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
        .set_max_row_group_row_count(Some(GROUP))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some([kind, version, of].into_iter().chain(about).collect()));
    for column in table.columns() {
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
    pub fn new(table: Table, id: &str, out: W) -> io::Result<TableWriter<W>> {
        let schema = schema(table).map_err(failed)?;
        let properties = Arc::new(properties(table, id).map_err(failed)?);
        let cells = table.columns().iter().map(|column| Cells {
            values: match column.kind {
                Kind::Long => Values::Long(Vec::new()),
                Kind::Int => Values::Int(Vec::new()),
                Kind::Text => Values::Text(Vec::new()),
            },
            defined: Vec::new(),
        });
        Ok(TableWriter {
            file: SerializedFileWriter::new(out, schema, properties).map_err(failed)?,
            cells: cells.collect(),
            table,
            rows: 0,
            at: 0,
        })
    }

    /// The next number of the row. What does not fit its column is the largest that does.
    pub fn number(&mut self, value: u64) {
        match &mut self.cells[self.at].values {
            Values::Long(values) => values.push(i64::try_from(value).unwrap_or(i64::MAX)),
            Values::Int(values) => values.push(i32::try_from(value).unwrap_or(i32::MAX)),
            Values::Text(_) => unreachable!("{}: a number in a column of texts", self.table),
        }
        self.next(true);
    }

    /// The same, which may be null.
    pub fn number_or_null(&mut self, value: Option<u64>) {
        match value {
            Some(value) => self.number(value),
            None => self.next(false),
        }
    }

    /// The next text of the row.
    pub fn text(&mut self, value: &str) {
        match &mut self.cells[self.at].values {
            Values::Text(values) => values.push(ByteArray::from(value)),
            _ => unreachable!("{}: a text in a column of numbers", self.table),
        }
        self.next(true);
    }

    fn next(&mut self, is_defined: bool) {
        if self.table.columns()[self.at].is_optional {
            self.cells[self.at].defined.push(i16::from(is_defined));
        }
        self.at += 1;
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        debug_assert_eq!(
            self.at,
            self.cells.len(),
            "{}: every column has a cell",
            self.table
        );
        self.at = 0;
        self.rows += 1;
    }

    /// How many rows wait for their group.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Changes a number of a row that waits.
    pub fn set_number(&mut self, column: usize, row: usize, value: u64) {
        if let Values::Long(values) = &mut self.cells[column].values
            && let Some(of) = values.get_mut(row)
        {
            *of = i64::try_from(value).unwrap_or(i64::MAX);
        }
    }

    /// Writes the rows that wait where they make a whole group, and says whether they did.
    pub fn end_group_if_full(&mut self) -> io::Result<bool> {
        let is_full = self.rows >= GROUP;
        if is_full {
            self.end_group()?;
        }
        Ok(is_full)
    }

    /// Writes the rows that wait as a group.
    pub fn end_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(failed)?;
        for cells in &mut self.cells {
            write(&mut group, cells).map_err(failed)?;
        }
        group.close().map_err(failed)?;
        self.rows = 0;
        Ok(())
    }

    /// Writes what is left, and the end of the file; gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_group()?;
        self.file.into_inner().map_err(failed)
    }
}

fn write<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    cells: &mut Cells,
) -> Result<(), ParquetError> {
    let column = group.next_column()?;
    let mut column: SerializedColumnWriter<'_> =
        column.ok_or_else(|| ParquetError::General("a column too many".to_owned()))?;
    let defined = (!cells.defined.is_empty()).then_some(&cells.defined[..]);
    match &mut cells.values {
        Values::Long(values) => {
            column
                .typed::<Int64Type>()
                .write_batch(values, defined, None)?;
            values.clear();
        }
        Values::Int(values) => {
            column
                .typed::<Int32Type>()
                .write_batch(values, defined, None)?;
            values.clear();
        }
        Values::Text(values) => {
            column
                .typed::<ByteArrayType>()
                .write_batch(values, defined, None)?;
            values.clear();
        }
    }
    cells.defined.clear();
    column.close()
}
