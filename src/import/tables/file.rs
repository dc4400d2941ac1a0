//! One Parquet file: what its metadata say, checked, and its columns.
//! Specification: <https://parquet.apache.org/docs/file-format/>. Statistics are never looked at.

use std::cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};

use parquet::basic::{Compression, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::schema::types::ColumnDescriptor;

use super::source::{Pages, Source};
use super::thrift;
use super::values::{Values, read};
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::files::open_regular;
use callscape_base::progress::Progress;
use callscape_base::warnings::Place;
use callscape_facts::tables::VERSION;

/// A file may have this many rows whatever its size, and this many more for each byte.
const FREE_ROWS: u64 = 1 << 24;
const ROWS_A_BYTE: u64 = 1000;

/// Columns named in an error message, at most.
const NAMED: usize = 16;

/// What a column is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole numbers.
    Number,
    Text,
    /// Either, or numbers with fractions.
    Any,
}

/// A column that is asked for.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub name: String,
    pub kind: Kind,
    /// Whether there is nothing to be read without it.
    pub is_needed: bool,
}

impl Ask {
    pub(super) fn number(name: &str) -> Ask {
        Ask {
            name: name.to_owned(),
            kind: Kind::Number,
            is_needed: true,
        }
    }

    pub(super) fn text(name: &str) -> Ask {
        Ask {
            kind: Kind::Text,
            ..Ask::number(name)
        }
    }

    /// The same, which may be missing.
    pub(super) fn or_none(self) -> Ask {
        Ask {
            is_needed: false,
            ..self
        }
    }
}

/// One file.
pub(super) struct Parquet {
    name: String,
    source: Arc<Source>,
    metadata: ParquetMetaData,
}

impl Parquet {
    pub(super) fn open(input: &Input, progress: &Progress) -> Result<Parquet, ImportError> {
        let io = |error| ImportError::io(input, error);
        let source = match input.file() {
            Some(path) => Source::of_file(open_regular(path).map_err(io)?),
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

    /// An error in this file.
    pub(super) fn wrong(
        &self,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ImportError {
        ImportError::malformed(Place::file(&self.name), expected, found)
    }

    /// Sizes and places of all columns lie in the file.
    fn check(&self) -> Result<(), ImportError> {
        let size = self.source.bytes_in_all();
        let mut packed = 0_u64;
        for group in self.groups() {
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
                packed = packed.saturating_add(column.compressed_size().unsigned_abs());
            }
        }
        if packed > size {
            let expected = format!("adjacent columns in its {size} bytes");
            return Err(self.wrong(expected, format!("columns of {packed} bytes")));
        }
        self.check_rows(FREE_ROWS, ROWS_A_BYTE)?;
        if let Some(version) = self.note("callscape.version")
            && version != VERSION.to_string()
        {
            let expected = format!("tables of version {VERSION}, which this version reads");
            return Err(self.wrong(expected, format!("version {version}")));
        }
        Ok(())
    }

    /// An error where there are more rows than `free`, and `a_byte` for each byte of the file: they would take long.
    pub(super) fn check_rows(&self, free: u64, a_byte: u64) -> Result<(), ImportError> {
        let size = self.source.bytes_in_all();
        let groups = self.groups().iter();
        let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
        let rows = rows.fold(0, u64::saturating_add);
        let most = free.saturating_add(size.saturating_mul(a_byte));
        match rows > most {
            true => {
                let expected = format!("no more than {most} rows in {size} bytes");
                Err(self.wrong(expected, format!("{rows}")))
            }
            false => Ok(()),
        }
    }

    /// About how many bytes its first rows take.
    pub(super) fn bytes_up_to(&self, rows: u64) -> u64 {
        let all = u64::try_from(self.metadata.file_metadata().num_rows()).unwrap_or(0);
        let bytes = u128::from(self.source.bytes_in_all()) * u128::from(rows.min(all));
        (bytes / u128::from(all.max(1))) as u64
    }

    /// What a key of the file's own metadata says.
    pub(super) fn note(&self, key: &str) -> Option<&str> {
        let notes = self.metadata.file_metadata().key_value_metadata()?;
        let note = notes.iter().find(|note| note.key == key)?;
        note.value.as_deref()
    }

    /// How many digits of a decimal number stand behind the point.
    pub(super) fn scale(&self, at: usize) -> i32 {
        let column = self.metadata.file_metadata().schema_descr().column(at);
        match is_decimal(&column) {
            true => column.type_scale(),
            false => 0,
        }
    }

    /// The columns of numbers or text, those with columns of their own left out.
    fn readable(&self) -> impl Iterator<Item = &ColumnDescriptor> {
        let schema = self.metadata.file_metadata().schema_descr();
        let columns = schema.columns().iter().map(|it| &**it);
        columns.filter(|it| is_flat(it) && holds_numbers_or_text(it))
    }

    /// The names of its columns of numbers or text, those with columns of their own left out.
    pub(super) fn columns(&self) -> Vec<&str> {
        self.readable().map(ColumnDescriptor::name).collect()
    }

    /// By column of [`columns`](Self::columns), whether it is of text.
    pub(super) fn texts(&self) -> Vec<bool> {
        let is_text = |column: &ColumnDescriptor| {
            column.physical_type() == Physical::BYTE_ARRAY && !is_decimal(column)
        };
        self.readable().map(is_text).collect()
    }

    /// The number of a column that is asked for; none where it may be missing and is.
    pub(super) fn find(&self, ask: &Ask) -> Result<Option<usize>, ImportError> {
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
            Kind::Any => holds_numbers_or_text(&column),
        };
        match fits && is_flat(&column) {
            true => Ok(Some(at)),
            false => Err(self.wrong(expected, format!("one of {}", describe(&column)))),
        }
    }

    /// Starts to read a column of a group of rows.
    pub(super) fn column(&self, group: usize, at: usize) -> Result<ColumnReader, ImportError> {
        let group = &self.groups()[group];
        let column = group.column(at);
        let name = column.column_path().string();
        let is_built_in = matches!(
            column.compression(),
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_)
        );
        if !is_built_in {
            let codec = column.compression().to_string();
            let codec = codec.split('(').next().unwrap_or_default();
            return Err(self.wrong(
                "columns compressed with ZSTD, SNAPPY or not at all",
                format!("column '{name}' compressed with {codec}, which is not built in"),
            ));
        }
        let rows = u64::try_from(group.num_rows()).unwrap_or(0);
        let made = guarded(|| {
            let pages = Pages::new(&self.source, column, rows)?;
            Ok(get_column_reader(
                column.column_descr_ptr(),
                Box::new(pages),
            ))
        });
        made.map_err(|error| self.unreadable(&name, error))
    }

    fn unreadable(&self, column: &str, error: String) -> ImportError {
        self.wrong(format!("a column '{column}' that can be read"), error)
    }

    /// The groups of rows.
    pub(super) fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.row_groups()
    }

    /// Reads the next values of a column.
    pub(super) fn values(
        &self,
        reader: &mut ColumnReader,
        count: usize,
        ask: &Ask,
    ) -> Result<Values, ImportError> {
        let values = guarded(|| {
            let values = read(reader, count)?;
            self.source.unpack(values.bytes_of_texts())?;
            Ok(values)
        });
        values.map_err(|error| self.unreadable(&ask.name, error))
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

/// Truth values, times of the old kind and bytes that are no decimal number are neither.
fn holds_numbers_or_text(column: &ColumnDescriptor) -> bool {
    /// Bytes of the largest decimal number that engines know, of 256 bits.
    const MOST: i32 = 32;
    match column.physical_type() {
        Physical::BOOLEAN | Physical::INT96 => false,
        Physical::FIXED_LEN_BYTE_ARRAY => is_decimal(column) && column.type_length() <= MOST,
        _ => true,
    }
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
