//! The rows of Parquet files, some thousand at a time and of the columns that are asked for.
//! Specification: <https://parquet.apache.org/docs/file-format/>. Statistics are never looked at.

use std::cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};

use parquet::basic::{Compression, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

use super::source::{Pages, Source};
use super::thrift;
use super::values::{Cell, NULL, Values, read};
use crate::import::error::ImportError;
use crate::import::input::Input;
use crate::progress::Progress;
use crate::warnings::{Place, Reporter};

/// How many rows are read at once.
const BATCH: usize = 1 << 14;

/// The version of the tables that Callscape writes.
const VERSION: &str = "1";

/// So many rows a file may have, however few bytes it takes, and so many more for each byte.
const FREE_ROWS: u64 = 1 << 24;
const ROWS_A_BYTE: u64 = 1000;

/// An error message names so many columns.
const NAMED: usize = 16;

/// What a column is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Number,
    Text,
    /// Either, or numbers with fractions.
    Any,
}

/// A column that is asked for.
#[derive(Clone, Debug)]
pub struct Ask {
    pub name: String,
    pub kind: Kind,
    /// Whether there is nothing to be read without it.
    pub is_needed: bool,
}

impl Ask {
    pub fn number(name: &str) -> Ask {
        Ask {
            name: name.to_owned(),
            kind: Kind::Number,
            is_needed: true,
        }
    }

    pub fn text(name: &str) -> Ask {
        Ask {
            kind: Kind::Text,
            ..Ask::number(name)
        }
    }

    /// The same, which may be missing.
    pub fn or_none(self) -> Ask {
        Ask {
            is_needed: false,
            ..self
        }
    }
}

/// One file.
pub struct Parquet {
    name: String,
    source: Arc<Source>,
    metadata: ParquetMetaData,
}

impl Parquet {
    pub fn open(input: &Input, progress: &Progress) -> Result<Parquet, ImportError> {
        let io = |error| ImportError::io(input, error);
        let source = match input.file() {
            Some(path) => Source::of_file(std::fs::File::open(path).map_err(io)?),
            None => {
                let mut bytes = Vec::new();
                let mut reader = input.open(progress).map_err(io)?;
                std::io::copy(&mut reader, &mut bytes).map_err(io)?;
                Ok(Source::of_bytes(bytes))
            }
        };
        let source = Arc::new(source.map_err(io)?);
        let name = input.display().to_string();
        refuse_others(&name, &source).map_err(|error| match error {
            Refused::Io(error) => io(error),
            Refused::Other(error) => error,
        })?;
        check_depth(&source).map_err(|found| {
            let expected = "a Parquet file with a schema that is not deep";
            ImportError::malformed(Place::file(&name), expected, found)
        })?;
        let parsed = || ParquetMetaDataReader::new().parse_and_finish(&*source);
        let metadata = guarded(parsed).map_err(|error| {
            ImportError::malformed(Place::file(&name), "a whole Parquet file", error)
        })?;
        source.reads_pages();
        let file = Parquet {
            name,
            source,
            metadata,
        };
        file.check()?;
        Ok(file)
    }

    fn wrong(&self, expected: impl Into<String>, found: impl Into<String>) -> ImportError {
        ImportError::malformed(Place::file(&self.name), expected, found)
    }

    /// Sizes and places of all columns lie in the file.
    fn check(&self) -> Result<(), ImportError> {
        let size = self.source.bytes_in_all();
        let mut rows = 0_u64;
        for group in self.metadata.row_groups() {
            let of_group = u64::try_from(group.num_rows()).unwrap_or(u64::MAX);
            rows = rows.saturating_add(of_group);
            for column in group.columns() {
                let start = column
                    .dictionary_page_offset()
                    .unwrap_or(column.data_page_offset());
                let end = start.checked_add(column.compressed_size());
                let end = end.and_then(|end| u64::try_from(end).ok());
                if start < 0 || column.compressed_size() < 0 || end.is_none_or(|end| end > size) {
                    let found = format!(
                        "column '{}' of {} bytes from byte {start}",
                        column.column_path().string(),
                        column.compressed_size()
                    );
                    return Err(self.wrong(format!("columns within its {size} bytes"), found));
                }
            }
        }
        let most = FREE_ROWS.saturating_add(size.saturating_mul(ROWS_A_BYTE));
        if rows > most {
            let expected = format!("no more than {most} rows in {size} bytes");
            return Err(self.wrong(expected, format!("{rows}")));
        }
        if let Some(version) = self.note("callscape.version")
            && version != VERSION
        {
            let expected = format!("tables of version {VERSION}, which this version reads");
            return Err(self.wrong(expected, format!("version {version}")));
        }
        Ok(())
    }

    /// What a key of the file's own metadata says.
    pub fn note(&self, key: &str) -> Option<&str> {
        let notes = self.metadata.file_metadata().key_value_metadata()?;
        let note = notes.iter().find(|note| note.key == key)?;
        note.value.as_deref()
    }

    /// How many digits of a decimal number stand behind the point.
    fn scale(&self, at: usize) -> i32 {
        let column = self.metadata.file_metadata().schema_descr().column(at);
        match is_decimal(&column) {
            true => column.type_scale(),
            false => 0,
        }
    }

    /// The names of its columns, those with columns of their own left out.
    pub fn columns(&self) -> Vec<&str> {
        let schema = self.metadata.file_metadata().schema_descr();
        let flat = schema.columns().iter().filter(|it| is_flat(it));
        flat.map(|column| column.name()).collect()
    }

    /// By column of [`columns`](Self::columns), whether it is of text.
    pub fn texts(&self) -> Vec<bool> {
        let schema = self.metadata.file_metadata().schema_descr();
        let flat = schema.columns().iter().filter(|it| is_flat(it));
        let is_text = |column: &ColumnDescriptor| {
            column.physical_type() == Physical::BYTE_ARRAY && !is_decimal(column)
        };
        flat.map(|column| is_text(column)).collect()
    }

    /// The number of a column that is asked for; none where it may be missing and is.
    fn find(&self, ask: &Ask) -> Result<Option<usize>, ImportError> {
        let schema = self.metadata.file_metadata().schema_descr();
        let named = |column: &ColumnDescriptor| {
            column.path().parts().first().map(String::as_str) == Some(&ask.name)
        };
        let what = match ask.kind {
            Kind::Number => " of whole numbers (INT32 or INT64)",
            Kind::Text => " of text (BYTE_ARRAY, String)",
            Kind::Any => "",
        };
        let expected = format!("a column '{}'{what}", ask.name);
        let Some(at) = schema.columns().iter().position(|it| named(it)) else {
            if !ask.is_needed {
                return Ok(None);
            }
            let columns = self.columns();
            let mut names = columns[..columns.len().min(NAMED)].join(", ");
            if columns.len() > NAMED {
                names.push_str(&format!(" and {} more", columns.len() - NAMED));
            }
            return Err(self.wrong(expected, format!("columns {names}")));
        };
        let column = schema.column(at);
        let fits = match ask.kind {
            Kind::Number => is_whole(&column),
            Kind::Text => column.physical_type() == Physical::BYTE_ARRAY && !is_decimal(&column),
            Kind::Any => true,
        };
        match fits && is_flat(&column) {
            true => Ok(Some(at)),
            false => Err(self.wrong(expected, format!("one of {}", describe(&column)))),
        }
    }

    /// Starts to read a column of a group of rows.
    fn column(&self, group: usize, at: usize) -> Result<ColumnReader, ImportError> {
        let group = &self.metadata.row_groups()[group];
        let column = group.column(at);
        let name = column.column_path().string();
        if column.compression() != Compression::UNCOMPRESSED
            && !matches!(column.compression(), Compression::ZSTD(_))
        {
            let codec = column.compression().to_string();
            let codec = codec.split('(').next().unwrap_or_default();
            return Err(self.wrong(
                "columns compressed with ZSTD or not at all, as DuckDB writes them with COMPRESSION zstd and Spark with \
                 compression=zstd",
                format!("column '{name}' compressed with {codec}, which is not built in"),
            ));
        }
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        let made = guarded(|| {
            let rows_here = usize::try_from(rows)?;
            let pages = SerializedPageReader::new(self.source.clone(), column, rows_here, None)?;
            let described = column.column_descr_ptr();
            let is_optional = described.max_def_level() > 0;
            let pages = Pages::new(pages, described.physical_type(), is_optional, rows);
            Ok(get_column_reader(described, Box::new(pages)))
        });
        made.map_err(|error| self.wrong(format!("a column '{name}' that can be read"), error))
    }
}

/// Why a file is none that can be read.
enum Refused {
    Io(std::io::Error),
    Other(ImportError),
}

/// Files that are half written, encrypted, or something else.
fn refuse_others(name: &str, source: &Source) -> Result<(), Refused> {
    const MAGIC: &[u8] = b"PAR1";
    const ENCRYPTED: &[u8] = b"PARE";
    let size = source.bytes_in_all();
    let read = |at| source.bytes(at, MAGIC.len() as u64).map_err(Refused::Io);
    let (head, tail) = (read(0)?, read(size.saturating_sub(MAGIC.len() as u64))?);
    let found = match (&head[..], &tail[..]) {
        (ENCRYPTED, _) | (_, ENCRYPTED) => "an encrypted one, which is not read",
        (MAGIC, MAGIC) if size >= 12 => return Ok(()),
        (MAGIC, _) => "one without its end, as of a writer that has not finished",
        _ if size == 0 => "an empty file",
        _ => "another file",
    };
    let place = Place::file(name);
    let error = ImportError::malformed(place, "a Parquet file", found);
    Err(Refused::Other(error))
}

/// Looks at the metadata of a file that ends with their length and a mark.
fn check_depth(source: &Source) -> Result<(), &'static str> {
    /// The length, and behind it the mark.
    const TAIL: u64 = 8;
    let end = source.bytes_in_all().saturating_sub(TAIL);
    let tail = source.bytes(end, TAIL).unwrap_or_default();
    let length = tail.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
    let start = end.checked_sub(length.into());
    let start = start.ok_or("metadata that are longer than the file")?;
    let metadata = source.bytes(start, length.into()).unwrap_or_default();
    match thrift::is_flat_enough(&metadata) {
        true => Ok(()),
        false => Err("damaged metadata, or groups in many groups"),
    }
}

thread_local! {
    /// Whether this thread decodes: a panic is then damage, and told as such.
    static DECODES: cell::Cell<bool> = const { cell::Cell::new(false) };
}

/// Has panics of decoding say nothing by themselves, from the first file on.
static SILENCED: Once = Once::new();

/// What is decoded, or why it cannot be. The crate checks much of what it reads, and some of it by panicking.
fn guarded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    SILENCED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !DECODES.try_with(cell::Cell::get).unwrap_or(false) {
                usual(panic);
            }
        }));
    });
    let was_decoding = DECODES.replace(true);
    let decoded = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODES.set(was_decoding);
    match decoded {
        Ok(Ok(decoded)) => Ok(decoded),
        Ok(Err(error)) => Err(match error {
            ParquetError::General(text) | ParquetError::NYI(text) | ParquetError::EOF(text) => text,
            other => other.to_string(),
        }),
        Err(_) => Err("damage that its decoder does not expect".to_owned()),
    }
}

fn is_flat(column: &ColumnDescriptor) -> bool {
    column.path().parts().len() == 1 && column.max_rep_level() == 0 && column.max_def_level() <= 1
}

fn is_decimal(column: &ColumnDescriptor) -> bool {
    matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }))
        || column.converted_type() == parquet::basic::ConvertedType::DECIMAL
}

fn is_whole(column: &ColumnDescriptor) -> bool {
    matches!(column.physical_type(), Physical::INT32 | Physical::INT64)
        && (!is_decimal(column) || column.type_scale() == 0)
}

fn describe(column: &ColumnDescriptor) -> String {
    let physical = column.physical_type();
    match is_flat(column) {
        false => format!("lists or groups of {physical}"),
        true if is_decimal(column) => format!("{physical}, DECIMAL"),
        true => physical.to_string(),
    }
}

/// The rows of several files, one after the other, a batch at a time.
pub struct Rows<'a> {
    files: Vec<Input>,
    next_file: usize,
    asks: Vec<Ask>,
    progress: &'a Progress,
    reporter: &'a Reporter,
    file: Option<Open>,
    /// The table that files are to say they are of, where they say it.
    table: &'static str,
    values: Vec<Values>,
    length: usize,
}

/// The file that is read.
struct Open {
    file: Parquet,
    /// By column asked for, which it is of the file.
    columns: Vec<Option<usize>>,
    next_group: usize,
    readers: Vec<Option<ColumnReader>>,
    /// Rows of the group that have not come yet.
    left: u64,
}

impl<'a> Rows<'a> {
    /// No more than a batch of the columns in `asks` is in memory.
    pub fn new(
        files: Vec<Input>,
        table: &'static str,
        asks: Vec<Ask>,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Rows<'a> {
        progress.start(format!("reading {table}"), files.len() as u64);
        Rows {
            files,
            next_file: 0,
            values: asks.iter().map(|_| Values::None).collect(),
            asks,
            progress,
            reporter,
            file: None,
            table,
            length: 0,
        }
    }

    /// Reads the next rows; their number, 0 at the end.
    pub fn next(&mut self) -> Result<usize, ImportError> {
        loop {
            self.progress.check()?;
            let Some(open) = &mut self.file else {
                let Some(input) = self.files.get(self.next_file) else {
                    self.length = 0;
                    return Ok(0);
                };
                self.next_file += 1;
                self.file = Some(Open::new(input, self.table, &self.asks, self.progress)?);
                continue;
            };
            if open.left == 0 && !open.next_group()? {
                self.file = None;
                self.progress.add(1)?;
                continue;
            }
            if open.left == 0 {
                continue;
            }
            let count = usize::try_from(open.left).map_or(BATCH, |left| left.min(BATCH));
            open.left -= count as u64;
            let columns = self.asks.iter().zip(&mut open.readers);
            for ((ask, reader), values) in columns.zip(&mut self.values) {
                *values = match reader {
                    None => Values::None,
                    Some(reader) => guarded(|| read(reader, count)).map_err(|error| {
                        let expected = format!("a column '{}' that can be read", ask.name);
                        open.file.wrong(expected, error)
                    })?,
                };
            }
            for (values, column) in self.values.iter_mut().zip(&open.columns) {
                let scale = column.map_or(0, |at| open.file.scale(at));
                if scale > 0 {
                    values.scale(scale);
                }
            }
            self.length = count;
            return Ok(count);
        }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    /// What stands in a row of the column asked for with this number.
    pub fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        match &self.values[column] {
            Values::None => Cell::Null,
            Values::Whole(values) => match values.get(row) {
                None | Some(&NULL) => Cell::Null,
                Some(&value) => Cell::Whole(value),
            },
            Values::Real(values) => {
                let value = values.get(row).copied().flatten();
                value.map_or(Cell::Null, Cell::Real)
            }
            Values::Text(values) => {
                let value = values.get(row).and_then(Option::as_ref);
                value.map_or(Cell::Null, |it| Cell::Text(it.data()))
            }
        }
    }

    /// The number in a row; none where it is null. What is negative counts as 0 (`negative-number`).
    #[inline]
    pub fn number(&self, column: usize, row: usize) -> Option<u64> {
        let Values::Whole(values) = &self.values[column] else {
            return None;
        };
        let value = *values.get(row)?;
        match u64::try_from(value) {
            Ok(value) => Some(value),
            Err(_) if value == NULL => None,
            Err(_) => {
                self.reporter.warn("negative-number", || self.place());
                Some(0)
            }
        }
    }

    /// The same in 32 bits: what is larger is the largest.
    #[inline]
    pub fn small(&self, column: usize, row: usize) -> Option<u32> {
        let number = self.number(column, row)?;
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The text in a row; empty where it is null.
    pub fn text(&self, column: usize, row: usize) -> std::borrow::Cow<'_, str> {
        match self.cell(column, row) {
            Cell::Text(bytes) => String::from_utf8_lossy(bytes),
            _ => "".into(),
        }
    }

    /// The file at hand, or the last one.
    pub fn place(&self) -> Place {
        let file = self
            .next_file
            .checked_sub(1)
            .and_then(|at| self.files.get(at));
        Place::file(file.map_or(String::new(), |file| file.display().to_string()))
    }

    pub fn reporter(&self) -> &'a Reporter {
        self.reporter
    }
}

impl Open {
    fn new(
        input: &Input,
        table: &'static str,
        asks: &[Ask],
        progress: &Progress,
    ) -> Result<Open, ImportError> {
        let file = Parquet::open(input, progress)?;
        if let Some(other) = file.note("callscape.table")
            && !table.is_empty()
            && other != table
        {
            return Err(file.wrong(format!("the table '{table}'"), format!("'{other}'")));
        }
        let columns: Result<Vec<_>, _> = asks.iter().map(|ask| file.find(ask)).collect();
        Ok(Open {
            file,
            columns: columns?,
            next_group: 0,
            readers: Vec::new(),
            left: 0,
        })
    }

    /// Goes on to the next group of rows; whether there is one.
    fn next_group(&mut self) -> Result<bool, ImportError> {
        let groups = self.file.metadata.row_groups();
        let Some(group) = groups.get(self.next_group) else {
            return Ok(false);
        };
        self.left = u64::try_from(group.num_rows()).unwrap_or(0);
        let of = |column: &Option<usize>| match *column {
            Some(at) if at < group.num_columns() => self.file.column(self.next_group, at).map(Some),
            Some(at) => {
                let expected = format!("a column {at} in each group of rows");
                Err(self
                    .file
                    .wrong(expected, format!("{}", group.num_columns())))
            }
            None => Ok(None),
        };
        let readers: Result<Vec<_>, _> = self.columns.iter().map(of).collect();
        self.readers = readers?;
        self.next_group += 1;
        Ok(true)
    }
}
