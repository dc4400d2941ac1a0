//! What tells a recording from another, and from itself before a change.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::spans::skew;
use callscape_base::files::open_regular;
use callscape_facts::fnv::Fnv;
use callscape_facts::tables::{Table, is_partition};

/// The end of an index's name.
pub(crate) const EXTENSION: &str = "callscape";
/// Bytes at the start and at the end of each file that the fingerprint depends on.
const SAMPLE: u64 = 64 << 10;

/// Adds bytes and how many they are, so that no two rows of texts are the same bytes.
pub(crate) fn add(hash: &mut Fnv, bytes: &[u8]) {
    hash.add_number(bytes.len() as u64);
    hash.add(bytes);
}

/// What tells a recording from another and from itself before a change: of each file that it is read from the name, size,
/// time of change, first and last bytes. Where it lies does not count.
pub fn fingerprint(paths: &[&Path]) -> io::Result<u64> {
    let mut hash = Fnv::START;
    // Another version may read the same recording better.
    add(&mut hash, env!("CARGO_PKG_VERSION").as_bytes());
    if skew::is_left() {
        add(&mut hash, b"clocks as they are");
    }
    paths
        .iter()
        .try_for_each(|path| add_fingerprint(path, &mut hash))?;
    Ok(hash.get())
}

fn add_fingerprint(path: &Path, hash: &mut Fnv) -> io::Result<()> {
    if !path.metadata()?.is_dir() {
        return file_fingerprint(path, hash);
    }
    let (around, folders) = folders(path);
    let mut files = Vec::new();
    for folder in &folders {
        files_below(folder, &mut files)?;
    }
    files.sort();
    for file in files {
        let name = file.strip_prefix(&around).unwrap_or(&file);
        add(hash, name.as_os_str().as_encoded_bytes());
        file_fingerprint(&file, hash)?;
    }
    Ok(())
}

/// The folders that the recording in a directory is read from, and the one that they lie in: the directory itself, but of
/// one of tables, or of a recording in a table, those of the other tables too.
fn folders(path: &Path) -> (PathBuf, Vec<PathBuf>) {
    let partition = path.file_name().filter(|_| is_partition(path));
    let table = match partition {
        Some(_) => path.parent(),
        None => Some(path),
    };
    let table = table.filter(|it| Table::of_folder(it).is_some());
    let Some(around) = table.and_then(Path::parent) else {
        return (path.to_owned(), vec![path.to_owned()]);
    };
    let folder = |table: Table| {
        let of_table = around.join(table.name());
        partition.map_or(of_table.clone(), |name| of_table.join(name))
    };
    let folders = Table::ALL.into_iter().map(folder);
    let folders = folders.filter(|it| it.is_dir()).collect();
    (around.to_owned(), folders)
}

/// The files in a directory and in those below it, without indexes. An error where there are so many that looking at them
/// takes longer than reading.
fn files_below(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    const MOST: usize = 10_000;
    for entry in dir.read_dir()? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            files_below(&path, files)?;
        } else if path.is_file() && path.extension().is_none_or(|end| end != EXTENSION) {
            files.push(path);
        }
        if files.len() > MOST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
    }
    Ok(())
}

fn file_fingerprint(path: &Path, hash: &mut Fnv) -> io::Result<()> {
    let mut file = open_regular(path)?;
    let metadata = file.metadata()?;
    hash.add_number(metadata.len());
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH);
    hash.add_number(changed.map_or(0, |time| time.as_nanos() as u64));
    for start in [0, metadata.len().saturating_sub(SAMPLE)] {
        let mut sample = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        Read::by_ref(&mut file)
            .take(SAMPLE)
            .read_to_end(&mut sample)?;
        hash.add_number(u64::from(crc32fast::hash(&sample)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_among_tables_changes_with_each_of_its_tables() {
        let name = format!("callscape-fingerprint-test-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        let write = |table: &str, id: &str, text: &str| {
            let folder = dir.join(table).join(id);
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("part-0.parquet"), text).expect("a file");
        };
        for table in ["recordings", "functions", "calls"] {
            write(table, "recording=a", "before");
        }
        let prints = || {
            let of = |place: &str| fingerprint(&[&dir.join(place)]).expect("it can be read");
            ["recordings/recording=a", "functions", ""].map(of)
        };
        let before = prints();
        write("calls", "recording=b", "of another one");
        let beside = prints();
        assert_eq!(beside[0], before[0]);
        write("calls", "recording=a", "afterwards");
        let after = prints();
        for place in 0..3 {
            assert_ne!(after[place], beside[place], "{place}");
        }
        std::fs::remove_dir_all(&dir).expect("it is there");
    }
}
