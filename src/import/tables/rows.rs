//! The rows of Parquet files, some thousand at a time and of the columns that are asked for.

use parquet::column::reader::ColumnReader;

use super::file::{Ask, Parquet};
use super::values::{Cell, NULL, Values};
use crate::import::error::ImportError;
use crate::import::input::Input;
use crate::progress::Progress;
use crate::warnings::{Place, Reporter};

/// How many rows are read at once.
const BATCH: usize = 1 << 14;

/// The rows of several files, one after the other, a batch at a time.
pub struct Rows<'a> {
    files: Vec<Input>,
    next_file: usize,
    asks: Vec<Ask>,
    progress: &'a Progress,
    reporter: &'a Reporter,
    file: Option<Open>,
    /// Bytes of the files before the one at hand.
    done: u64,
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
    /// Rows of the file that have come.
    read: u64,
}

/// The bytes of a file, where they are known.
fn size(input: &Input) -> u64 {
    input.size().unwrap_or_default()
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
        let bytes = files.iter().map(size);
        progress.start(format!("reading {table}"), bytes.sum());
        Rows {
            files,
            next_file: 0,
            values: asks.iter().map(|_| Values::None).collect(),
            asks,
            progress,
            reporter,
            file: None,
            done: 0,
            table,
            length: 0,
        }
    }

    /// The rows of a file that is open, of any table.
    pub fn of_one(
        input: &Input,
        file: Parquet,
        asks: Vec<Ask>,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Result<Rows<'a>, ImportError> {
        let open = Open::of(file, &asks)?;
        let mut rows = Rows::new(vec![input.clone()], "rows", asks, progress, reporter);
        rows.file = Some(open);
        rows.next_file = 1;
        Ok(rows)
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
                let read = self.files.get(self.next_file.saturating_sub(1));
                self.done += read.map_or(0, size);
                self.progress.set(self.done)?;
                continue;
            }
            if open.left == 0 {
                continue;
            }
            let count = usize::try_from(open.left).map_or(BATCH, |left| left.min(BATCH));
            open.left -= count as u64;
            open.read += count as u64;
            let bytes = open.file.bytes_up_to(open.read);
            self.progress.set(self.done.saturating_add(bytes))?;
            let columns = self.asks.iter().zip(&mut open.readers);
            for ((ask, reader), values) in columns.zip(&mut self.values) {
                *values = match reader {
                    None => Values::None,
                    Some(reader) => open.file.values(reader, count, ask)?,
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
            && other != table
        {
            return Err(file.wrong(format!("the table '{table}'"), format!("'{other}'")));
        }
        Open::of(file, asks)
    }

    fn of(file: Parquet, asks: &[Ask]) -> Result<Open, ImportError> {
        let columns: Result<Vec<_>, _> = asks.iter().map(|ask| file.find(ask)).collect();
        Ok(Open {
            file,
            columns: columns?,
            next_group: 0,
            readers: Vec::new(),
            left: 0,
            read: 0,
        })
    }

    /// Goes on to the next group of rows; whether there is one.
    fn next_group(&mut self) -> Result<bool, ImportError> {
        let groups = self.file.groups();
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
