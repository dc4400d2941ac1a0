//! The rows of Parquet files, some thousand at a time and of the columns that are asked for.

use super::file::{Ask, Parquet};
use super::reading::{Batch, Batches, Reading};
use super::values::{Cell, NULL, Values};
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};

/// The rows of several files, one after the other, a batch at a time.
pub(super) struct Rows<'a> {
    files: Vec<Input>,
    reporter: &'a Reporter,
    progress: &'a Progress,
    batches: Batches,
    batch: Batch,
}

impl<'a> Rows<'a> {
    /// No more than a few batches of the columns in `asks` are in memory.
    pub(super) fn new(
        files: Vec<Input>,
        table: &'static str,
        asks: Vec<Ask>,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Rows<'a> {
        Rows::of(
            Reading::new(files, table, asks, progress),
            progress,
            reporter,
        )
    }

    /// The rows of a file that is open, of any table.
    pub(super) fn of_one(
        input: &Input,
        file: Parquet,
        asks: Vec<Ask>,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Result<Rows<'a>, ImportError> {
        let mut reading = Reading::new(vec![input.clone()], "rows", asks, progress);
        reading.begin(file)?;
        Ok(Rows::of(reading, progress, reporter))
    }

    fn of(reading: Reading, progress: &'a Progress, reporter: &'a Reporter) -> Rows<'a> {
        Rows {
            files: reading.files.clone(),
            reporter,
            progress,
            batch: Batch {
                values: reading.asks.iter().map(|_| Values::None).collect(),
                ..Batch::default()
            },
            batches: Batches::of(reading),
        }
    }

    /// Reads the next rows; their number, 0 at the end.
    pub(super) fn next(&mut self) -> Result<usize, ImportError> {
        self.progress.check()?;
        self.batches.next(&mut self.batch)?;
        Ok(self.batch.rows)
    }

    pub(super) fn len(&self) -> usize {
        self.batch.rows
    }

    /// The values of a column that is asked for; none of them at the end.
    #[inline]
    fn values(&self, column: usize) -> &Values {
        static NONE: Values = Values::None;
        self.batch.values.get(column).unwrap_or(&NONE)
    }

    /// What stands in a row of the column asked for with this number.
    pub(super) fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        match self.values(column) {
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
    pub(super) fn number(&self, column: usize, row: usize) -> Option<u64> {
        let Values::Whole(values) = self.values(column) else {
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

    /// The number in a row with its sign, as weights have it (`negative-number`); none where it is null.
    #[inline]
    pub(super) fn weight(&self, column: usize, row: usize) -> Option<i64> {
        let Values::Whole(values) = self.values(column) else {
            return None;
        };
        let value = values.get(row).copied().filter(|&value| value != NULL)?;
        if value < 0 {
            self.reporter.warn("negative-number", || self.place());
        }
        Some(value)
    }

    /// The number as [`number`](Self::number) in 32 bits: what is larger is the largest.
    #[inline]
    pub(super) fn small(&self, column: usize, row: usize) -> Option<u32> {
        let number = self.number(column, row)?;
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The text in a row; empty where it is null.
    pub(super) fn text(&self, column: usize, row: usize) -> std::borrow::Cow<'_, str> {
        match self.cell(column, row) {
            // The one is quicker than the other to see that nothing is to be replaced.
            Cell::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => crate::text::decode(bytes).0,
            },
            _ => "".into(),
        }
    }

    /// The file at hand, or the last one.
    pub(super) fn place(&self) -> Place {
        let at = self.batch.files.checked_sub(1);
        let file = at.and_then(|at| self.files.get(at));
        Place::file(file.map_or(String::new(), |file| file.display().to_string()))
    }

    pub(super) fn reporter(&self) -> &'a Reporter {
        self.reporter
    }
}
