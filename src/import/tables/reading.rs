//! Reads Parquet files a batch of rows at a time, where large on a thread of its own, while what came before is taken in.
//! Whoever takes rows sees what it would see without: each error where it stands.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use parquet::column::reader::ColumnReader;

use super::file::{Ask, Parquet};
use super::values::Values;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;

/// How many rows are read at once.
const BATCH: usize = if cfg!(test) { 16 } else { 1 << 14 };

/// Files from this size on, all together, are worth a thread.
const WORTH: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Batches that wait.
const WAITING: usize = 2;

/// Some rows: of each column that is asked for, its values.
#[derive(Default)]
pub(super) struct Batch {
    pub values: Vec<Values>,
    /// How many they are; 0 at the end.
    pub rows: usize,
    /// How many files have been begun, that of these rows included.
    pub files: usize,
}

/// The rows of several files, one after the other.
pub(super) struct Reading {
    pub files: Vec<Input>,
    pub asks: Vec<Ask>,
    /// The table that files are to say they are of, where they say it.
    table: &'static str,
    progress: Progress,
    /// Bytes of all files.
    bytes: u64,
    next_file: usize,
    file: Option<Open>,
    /// Bytes of the files before the one at hand.
    done: u64,
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

impl Reading {
    pub(super) fn new(
        files: Vec<Input>,
        table: &'static str,
        asks: Vec<Ask>,
        progress: &Progress,
    ) -> Reading {
        let bytes = files.iter().map(size).sum();
        progress.start(format!("reading {table}"), bytes);
        Reading {
            bytes,
            files,
            asks,
            table,
            progress: progress.clone(),
            next_file: 0,
            file: None,
            done: 0,
        }
    }

    /// Begins with a file that is open, the first of [`files`](Self::files).
    pub(super) fn begin(&mut self, file: Parquet) -> Result<(), ImportError> {
        self.file = Some(Open::of(file, &self.asks)?);
        self.next_file = 1;
        Ok(())
    }

    /// Reads the next rows.
    fn next(&mut self, batch: &mut Batch) -> Result<(), ImportError> {
        // What it held goes on the thread that it came from, which alone counts who holds the bytes of a page.
        batch.values.clear();
        batch.rows = 0;
        loop {
            self.progress.check()?;
            batch.files = self.next_file;
            let Some(open) = &mut self.file else {
                let Some(input) = self.files.get(self.next_file) else {
                    return Ok(());
                };
                self.next_file += 1;
                self.file = Some(Open::new(input, self.table, &self.asks, &self.progress)?);
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
            open.read(&self.asks, count, &mut batch.values)?;
            batch.rows = count;
            let bytes = open.file.bytes_up_to(open.read);
            self.progress.set(self.done.saturating_add(bytes))?;
            return Ok(());
        }
    }

    fn is_large(&self) -> bool {
        self.bytes >= WORTH && self.files.iter().all(|it| it.file().is_some())
    }
}

/// Where batches come from.
pub(super) enum Batches {
    Here(Box<Reading>),
    Thread(Ahead),
}

impl Batches {
    pub(super) fn of(reading: Reading) -> Batches {
        match reading.is_large() && rayon::current_num_threads() > 1 {
            true => Batches::ahead(reading),
            false => Batches::Here(Box::new(reading)),
        }
    }

    fn ahead(reading: Reading) -> Batches {
        let (to, coming) = mpsc::sync_channel(WAITING);
        let (back, spare) = mpsc::channel();
        let (begin, what) = mpsc::sync_channel(1);
        let run = move || {
            if let Ok(reading) = what.recv() {
                read(reading, &to, &spare);
            }
        };
        let thread = thread::Builder::new().name("reading".to_owned());
        // Without one it is read here.
        let Ok(thread) = thread.spawn(run) else {
            return Batches::Here(Box::new(reading));
        };
        // It waits for it.
        let _ = begin.send(reading);
        Batches::Thread(Ahead {
            coming: Some(coming),
            back,
            thread: Some(thread),
        })
    }

    /// The next rows in place of those before.
    pub(super) fn next(&mut self, batch: &mut Batch) -> Result<(), ImportError> {
        match self {
            Batches::Here(reading) => reading.next(batch),
            Batches::Thread(ahead) => ahead.next(batch),
        }
    }
}

/// A thread that reads ahead.
pub(super) struct Ahead {
    /// None once the thread is to end.
    coming: Option<Receiver<Result<Batch, ImportError>>>,
    back: Sender<Batch>,
    thread: Option<JoinHandle<()>>,
}

impl Ahead {
    fn next(&mut self, batch: &mut Batch) -> Result<(), ImportError> {
        // Where the thread has ended it is of no use.
        let _ = self.back.send(std::mem::take(batch));
        let next = self.coming.as_ref().and_then(|coming| coming.recv().ok());
        let Some(next) = next else {
            // Nothing comes from a thread that has panicked, or has told the end already.
            if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                std::panic::resume_unwind(panic);
            }
            return Ok(());
        };
        *batch = next?;
        Ok(())
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.coming = None;
        if let Some(thread) = self.thread.take() {
            // What it panicked of, nobody waits for.
            let _ = thread.join();
        }
    }
}

/// Reads until the files end or one fails, or nobody takes any more.
fn read(
    mut reading: Reading,
    to: &SyncSender<Result<Batch, ImportError>>,
    spare: &Receiver<Batch>,
) {
    loop {
        let mut batch = spare.try_recv().unwrap_or_default();
        let result = reading.next(&mut batch);
        let is_last = result.is_err() || batch.rows == 0;
        if to.send(result.map(|()| batch)).is_err() || is_last {
            return;
        }
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

    /// Reads the next rows of the group, no more than are left.
    fn read(
        &mut self,
        asks: &[Ask],
        count: usize,
        to: &mut Vec<Values>,
    ) -> Result<(), ImportError> {
        self.left -= count as u64;
        self.read += count as u64;
        for ((ask, reader), column) in asks.iter().zip(&mut self.readers).zip(&self.columns) {
            let mut values = match reader {
                None => Values::None,
                Some(reader) => self.file.values(reader, count, ask)?,
            };
            let scale = column.map_or(0, |at| self.file.scale(at));
            if scale > 0 {
                values.scale(scale);
            }
            to.push(values);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use parquet::data_type::Int64Type;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    /// A file of one column of numbers from `first` on; `groups` says how many numbers each group of rows holds.
    fn write(path: &Path, first: i64, groups: &[i64]) {
        let schema = parse_message_type("message table { required int64 number; }");
        let schema = Arc::new(schema.expect("a schema"));
        let file = std::fs::File::create(path).expect("a file");
        let properties = Arc::new(WriterProperties::default());
        let writer = SerializedFileWriter::new(file, schema, properties);
        let mut writer = writer.expect("a writer");
        let mut next = first;
        for &count in groups {
            let numbers: Vec<i64> = (next..next + count).collect();
            next += count;
            let mut group = writer.next_row_group().expect("a group");
            let mut column = group.next_column().expect("a column").expect("one");
            let typed = column.typed::<Int64Type>();
            typed.write_batch(&numbers, None, None).expect("numbers");
            column.close().expect("a column");
            group.close().expect("a group");
        }
        writer.close().expect("a file");
    }

    /// By batch how many files were begun and which numbers came, and what was wrong at the end.
    type Seen = (Vec<(usize, Vec<i64>)>, Option<String>);

    fn all(mut batches: Batches) -> Seen {
        let (mut batch, mut seen) = (Batch::default(), Vec::new());
        loop {
            if let Err(error) = batches.next(&mut batch) {
                return (seen, Some(error.to_string()));
            }
            if batch.rows == 0 {
                // Nothing comes behind the end, however often it is asked for.
                assert!(batches.next(&mut batch).is_ok() && batch.rows == 0);
                return (seen, None);
            }
            let [Values::Whole(numbers)] = &batch.values[..] else {
                panic!("a column of numbers");
            };
            assert_eq!(numbers.len(), batch.rows);
            seen.push((batch.files, numbers.clone()));
        }
    }

    #[test]
    fn a_thread_gives_the_same_rows_and_the_same_error_at_the_same_place() {
        let dir = std::env::temp_dir().join(format!("callscape-reading-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let paths = [0, 1, 2].map(|it| dir.join(format!("part-{it}.parquet")));
        write(&paths[0], 0, &[40, 0, 7]);
        write(&paths[1], 47, &[]);
        write(&paths[2], 47, &[100]);
        let reading = || {
            let files = paths.iter().map(|it| Input::on_disk(it.clone()));
            let asks = vec![Ask::number("number")];
            Reading::new(files.collect(), "numbers", asks, &Progress::new())
        };
        let both = || {
            let [here, thread] = [
                Batches::Here(Box::new(reading())),
                Batches::ahead(reading()),
            ];
            (all(here), all(thread))
        };
        assert!(reading().is_large());
        let (here, thread) = both();
        let numbers = here.0.iter().flat_map(|(_, numbers)| numbers);
        assert!(numbers.copied().eq(0..147), "{here:?}");
        assert_eq!((&here, here.0.last().map(|it| it.0)), (&thread, Some(3)));

        let bytes = std::fs::read(&paths[2]).expect("its bytes");
        std::fs::write(&paths[2], &bytes[..bytes.len() - 1]).expect("room");
        let (here, thread) = both();
        assert!(here.1.as_ref().is_some_and(|it| it.contains("part-2")));
        assert_eq!((here.0.len(), &here), (4, &thread));

        // Nobody takes the rest.
        let mut ahead = Batches::ahead(reading());
        assert!(matches!(ahead, Batches::Thread(_)));
        assert!(ahead.next(&mut Batch::default()).is_ok());
        drop(ahead);
        std::fs::remove_dir_all(&dir).expect("what was made");
    }
}
