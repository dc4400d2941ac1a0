//! All tables of a recording replaced at once. Each is a file in a folder of its own, and no system renames several files
//! together: first all new ones stand beside the old ones, then a file says so, then the old ones go. Whoever opens the
//! folder after a writer was killed goes on from there: until that file appears there is the old recording, from then on
//! the new one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{PARTITION, Table};
use callscape_base::files::{self, Temporary};

/// The name of the file in the partition of a recording.
pub const FILE: &str = "part-0.parquet";
/// The new one, while the old one is there too. Engines pass over what begins with a dot.
const NEW: &str = ".part-0.parquet.callscape-new";
/// The end of the name of the file that says which tables are new, a line for each.
const REPLACED: &str = ".callscape-replaced";

/// The folder of a recording in that of a table.
pub fn partition(dir: &Path, table: Table, id: &str) -> PathBuf {
    dir.join(table.name()).join(format!("{PARTITION}{id}"))
}

/// The Parquet files in a partition, whoever has written them.
fn files_in(partition: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(partition).into_iter().flatten().flatten();
    let is_table = |path: &PathBuf| path.extension().is_some_and(|it| it == "parquet");
    entries.map(|it| it.path()).filter(is_table).collect()
}

/// Whether the recording stands in the tables, or something in its place that no export of Callscape has written.
/// Without a row in the table of recordings, which was written last, files are what a killed export has left.
pub fn is_there(dir: &Path, id: &str) -> bool {
    let files = |table| files_in(&partition(dir, table, id));
    let is_of_others = |path: &PathBuf| !path.ends_with(FILE);
    !files(Table::Recordings).is_empty()
        || Table::ALL
            .into_iter()
            .any(|it| files(it).iter().any(is_of_others))
}

/// The right to replace recordings in a folder of tables, of which one writer at a time has it.
pub struct Replacing<'a> {
    dir: &'a Path,
    /// Holds the lock, where folders can be locked.
    _lock: Option<File>,
}

impl Replacing<'_> {
    /// Waits for the right to replace recordings in `dir`, and ends what killed writers have begun there.
    pub fn begin(dir: &Path) -> io::Result<Replacing<'_>> {
        let lock = files::open_regular(dir).ok();
        if let Some(lock) = &lock {
            let _ = lock.lock();
        }
        let replacing = Replacing { dir, _lock: lock };
        for id in begun(dir) {
            replacing.end(&id)?;
        }
        Ok(replacing)
    }

    /// Puts these files in the place of all tables of a recording. Tables that are not among them go.
    pub fn replace(&self, id: &str, tables: Vec<(Table, Temporary)>) -> io::Result<()> {
        let names: Vec<&str> = tables.iter().map(|(table, _)| table.name()).collect();
        let put = || {
            for (table, file) in tables {
                let folder = partition(self.dir, table, id);
                make(&folder).map_err(|error| at(&folder, error))?;
                files::remove_abandoned(&folder);
                let old = folder.join(FILE);
                if old.is_dir() {
                    // Nothing can take its place, and later nobody could go back.
                    return Err(at(&old, io::ErrorKind::IsADirectory.into()));
                }
                let path = folder.join(NEW);
                file.keep_as(&path).map_err(|error| at(&path, error))?;
            }
            let path = replaced(self.dir, id);
            files::write(&path, names.join("\n").as_bytes()).map_err(|error| at(&path, error))
        };
        put().inspect_err(|_| {
            for table in Table::ALL {
                let _ = fs::remove_file(partition(self.dir, table, id).join(NEW));
            }
        })?;
        self.end(id)
    }

    /// Ends what was begun: can be done again where it was stopped.
    fn end(&self, id: &str) -> io::Result<()> {
        let path = replaced(self.dir, id);
        let names = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
        for table in Table::ALL {
            let folder = partition(self.dir, table, id);
            if !is_folder(&folder) {
                continue;
            }
            let file = folder.join(FILE);
            let is_new = names.lines().any(|it| it == table.name());
            match fs::rename(folder.join(NEW), &file) {
                // It was renamed before, or is none of the new ones.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                renamed => renamed.map_err(|error| at(&file, error))?,
            }
            for old in files_in(&folder) {
                if !is_new || old != file {
                    fs::remove_file(&old).map_err(|error| at(&old, error))?;
                }
            }
            // So that the names survive a power failure before what tells of them goes.
            let _ = File::open(&folder).and_then(|it| it.sync_all());
        }
        fs::remove_file(&path).map_err(|error| at(&path, error))
    }
}

/// Ends what killed writers have begun in a folder of tables. The recordings for which that cannot be done: some of their
/// tables are old and some new.
pub fn recover(dir: &Path) -> Vec<String> {
    match begun(dir) {
        none if none.is_empty() => none,
        _ => match Replacing::begin(dir) {
            Ok(_) => Vec::new(),
            Err(_) => begun(dir),
        },
    }
}

/// The recordings whose replacing was begun.
fn begun(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let id = name.strip_prefix('.')?.strip_suffix(REPLACED)?;
        let is_plain = !id.is_empty() && !id.contains(['/', '\\']);
        (is_plain && entry.file_type().is_ok_and(|it| it.is_file())).then(|| id.to_owned())
    });
    ids.collect()
}

fn replaced(dir: &Path, id: &str) -> PathBuf {
    dir.join(format!(".{id}{REPLACED}"))
}

/// Whether a partition is a folder in a folder: what links lead to belongs to somebody else.
fn is_folder(partition: &Path) -> bool {
    let is_plain = |path: &Path| path.symlink_metadata().is_ok_and(|it| it.is_dir());
    is_plain(partition) && partition.parent().is_some_and(is_plain)
}

/// Makes a folder. Another export may remove that of the table while it is empty: then it is made again.
pub fn make(folder: &Path) -> io::Result<()> {
    const TRIES: usize = 1000;
    for _ in 1..TRIES {
        match fs::create_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            made => return made,
        }
    }
    fs::create_dir_all(folder)
}

/// An error with the file that it is about.
pub fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// One export removes the folder of a table that another one is about to fill.
    #[test]
    fn a_folder_is_made_although_that_around_it_goes() {
        let name = format!("callscape-tables-test-{}", std::process::id());
        let table = std::env::temp_dir().join(name);
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let _ = std::fs::remove_dir(&table);
                    // Without a pause, a thread that gets little of a processor would find the folder gone each time.
                    std::thread::sleep(std::time::Duration::from_micros(20));
                }
            });
            let made = (0..5000).try_for_each(|_| {
                let partition = table.join("recording=x");
                make(&partition)?;
                std::fs::remove_dir(&partition)
            });
            is_done.store(true, Ordering::Relaxed);
            made.expect("the folder is made each time");
        });
        let _ = std::fs::remove_dir(&table);
    }

    /// A folder with the recording `x` in two tables, whose replacing was stopped before, between or after renaming.
    fn stopped(name: &str, renamed: usize) -> PathBuf {
        let name = format!(
            "callscape-replacing-{name}-{renamed}-{}",
            std::process::id()
        );
        let dir = std::env::temp_dir().join(name);
        for (number, table) in [Table::Recordings, Table::Calls, Table::Threads]
            .into_iter()
            .enumerate()
        {
            let folder = partition(&dir, table, "x");
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join(FILE), "old").expect("a file");
            let new = folder.join(if number < renamed { FILE } else { NEW });
            if table != Table::Threads {
                fs::write(new, "new").expect("a file");
            }
        }
        fs::write(
            partition(&dir, Table::Calls, "x").join("other.parquet"),
            "old",
        )
        .expect("a file");
        fs::write(replaced(&dir, "x"), "recordings\ncalls").expect("a file");
        dir
    }

    #[test]
    fn what_was_begun_is_ended_wherever_it_was_stopped() {
        for renamed in 0..3 {
            let dir = stopped("begun", renamed);
            assert_eq!(recover(&dir), Vec::<String>::new());
            for table in [Table::Recordings, Table::Calls] {
                let files = files_in(&partition(&dir, table, "x"));
                assert_eq!(files.len(), 1, "{table}");
                assert_eq!(fs::read(&files[0]).expect("a file"), b"new");
            }
            assert!(files_in(&partition(&dir, Table::Threads, "x")).is_empty());
            assert!(begun(&dir).is_empty());
            fs::remove_dir_all(&dir).expect("it is there");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_links_lead_to_stays() {
        let dir = stopped("links", 0);
        let outside = dir.with_extension("outside");
        fs::rename(dir.join("threads"), &outside).expect("it is there");
        std::os::unix::fs::symlink(&outside, dir.join("threads")).expect("a link");
        recover(&dir);
        let left = outside.join(format!("{PARTITION}x")).join(FILE);
        assert!(left.is_file());
        for folder in [dir, outside] {
            fs::remove_dir_all(&folder).expect("it is there");
        }
    }
}
