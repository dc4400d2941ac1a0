//! Tables of a recording kept in the user's cache: only its first query has to write them.
//!
//! Each set of tables has a folder of its own, whose name says which recording it is made from and in which state that
//! was. It is written under another name and renamed once it is complete, so that several processes may make and query
//! it at the same time. A query holds a lock on it; the least recently used folders without a lock are removed while all
//! of them take more than a limit.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{IfThere, write};
use crate::part::{ExportError, Part};
use callscape_base::files::{self, Folder};
use callscape_base::progress::Progress;
use callscape_facts::fnv::Fnv;
use callscape_facts::index::cache_dir;
use callscape_facts::tables::replacing::at;
use callscape_facts::tables::{Table, VERSION};

/// The folder of the tables, in that of the key: whoever writes tables locks their folder.
const INNER: &str = "runs";
/// Size in bytes of all files of the tables, by path relative to their folder. Written last.
const LISTING: &str = "files.json";
/// Maximum bytes of all kept tables, except for those that are just made.
const MOST_KEPT: u64 = 1 << 30;

/// Names the tables of one recording in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The recording, and the options that it is read with.
    pub recording: u64,
    /// The contents of the recording, and of the source tree if there is one.
    pub state: u64,
}

impl Key {
    fn name(self) -> String {
        // Another version has other columns.
        format!("{}-{:016x}", self.prefix(), self.state)
    }

    fn prefix(self) -> String {
        format!("{VERSION}-{:016x}", self.recording)
    }
}

/// Complete tables, which are not removed while this lives.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    /// Holds the lock; tables that are not kept are removed with their folder.
    _held: Held,
}

#[derive(Debug)]
#[expect(dead_code, reason = "held until it is dropped")]
enum Held {
    Lock(File),
    Folder(Folder),
}

impl Kept {
    /// The folder of the tables.
    pub fn folder(&self) -> PathBuf {
        self.folder.join(INNER)
    }
}

/// Where tables are kept: in the user's cache directory.
pub fn default_folder() -> io::Result<PathBuf> {
    let around = match cache_dir() {
        Some(cache) => cache,
        None => files::private_folder()?,
    };
    Ok(around.join("tables"))
}

/// Hash of everything that tables contain about modules: it changes with the source tree. O(modules + functions).
pub fn state_of_modules(part: &Part<'_>) -> u64 {
    let mut hash = Fnv::START;
    let hierarchy = part.hierarchy;
    for id in hierarchy.modules() {
        let module = hierarchy.module(id);
        for text in [module.kind.name(), module.name] {
            hash.add_number(text.len() as u64);
            hash.add(text.as_bytes());
        }
        let parent = hierarchy.parent(id).map_or(0, |it| it.0);
        for number in [parent, module.line, module.end_line, module.loc] {
            hash.add_number(number.into());
        }
    }
    for module in &part.resolution.modules {
        hash.add_number(module.0.into());
    }
    hash.get()
}

/// The tables that are kept in `folder` under this key, if they are complete.
pub fn find(folder: &Path, key: Key) -> Option<Kept> {
    let folder = folder.join(key.name());
    let lock = files::open_regular(&folder).ok()?;
    // On file systems without locks nothing is ever removed.
    let _ = lock.lock_shared();
    is_complete(&folder).then_some(())?;
    // The order in which tables are removed.
    let _ = lock.set_modified(SystemTime::now());
    Some(Kept {
        folder,
        _held: Held::Lock(lock),
    })
}

/// Writes all tables of a recording under the ID that [`super::id_of`] gives, and keeps them in `folder` under `key`;
/// for `None` they are removed with the result.
pub fn make(
    part: &Part<'_>,
    (folder, key): (&Path, Option<Key>),
    id: &str,
    progress: &Progress,
) -> Result<Kept, ExportError> {
    fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    let target = key.map_or("unkept".to_owned(), Key::name);
    let target = folder.join(target);
    let beside = Folder::beside(&target).map_err(|error| at(folder, error))?;
    fs::create_dir(beside.path().join(INNER))?;
    write(
        part,
        &beside.path().join(INNER),
        (id, IfThere::Refuse),
        &Table::ALL,
        progress,
    )?;
    let listing = sizes(beside.path()).map_err(|error| at(beside.path(), error))?;
    let listing = serde_json::to_vec(&listing).map_err(io::Error::from)?;
    files::write(&beside.path().join(LISTING), &listing)?;
    progress.check()?;
    let Some(key) = key else {
        return Ok(Kept {
            folder: beside.path().to_owned(),
            _held: Held::Folder(beside),
        });
    };
    // Nothing is removed before the new tables have their own lock.
    let entering = files::open_regular(folder).map_err(|error| at(folder, error))?;
    let _ = entering.lock_shared();
    if beside.keep_as(&target).is_err() && !is_complete(&target) {
        // What is there is left of tables that were being removed, or damaged.
        let _ = fs::remove_dir_all(&target);
        beside
            .keep_as(&target)
            .map_err(|error| at(&target, error))?;
    }
    // Its lock is exclusive.
    drop(beside);
    let kept = find(folder, key);
    drop(entering);
    prune(folder, key, MOST_KEPT);
    kept.ok_or_else(|| at(&target, io::ErrorKind::NotFound.into()).into())
}

/// Sizes of the files below a folder, by path relative to it.
fn sizes(folder: &Path) -> io::Result<BTreeMap<String, u64>> {
    let mut sizes = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(&inner)? {
            let entry = entry?;
            let (path, metadata) = (entry.path(), entry.metadata()?);
            if metadata.is_dir() {
                open.push(path);
            } else if let Ok(name) = path.strip_prefix(folder) {
                sizes.insert(name.to_string_lossy().into_owned(), metadata.len());
            }
        }
    }
    Ok(sizes)
}

/// The listing of the tables in a folder; `None` if there is none.
fn listing(folder: &Path) -> Option<BTreeMap<String, u64>> {
    let text = fs::read(folder.join(LISTING)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Whether all files of the listing are there, in their sizes.
fn is_complete(folder: &Path) -> bool {
    let is_there = |(name, &bytes): (&String, &u64)| {
        let metadata = fs::metadata(folder.join(name));
        metadata.is_ok_and(|it| it.len() == bytes)
    };
    listing(folder).is_some_and(|files| files.iter().all(is_there))
}

/// Removes tables of earlier states of the recording of `newest`, then the least recently used tables until all take at
/// most `most` bytes. Tables that are being queried stay.
fn prune(folder: &Path, newest: Key, most: u64) {
    let prefix = newest.prefix() + "-";
    let removing = files::open_regular(folder);
    if let Ok(removing) = &removing {
        let _ = removing.lock();
    }
    let mut kept: Vec<(bool, SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if !metadata.is_dir() || name.starts_with('.') || name == newest.name() {
            continue;
        }
        let bytes = listing(&entry.path()).unwrap_or_default();
        let bytes = bytes.into_values().fold(0, u64::saturating_add);
        let used = metadata.modified().unwrap_or(UNIX_EPOCH);
        kept.push((!name.starts_with(&prefix), used, bytes, entry.path()));
    }
    kept.sort();
    let own = listing(&folder.join(newest.name())).unwrap_or_default();
    let own = own.into_values().fold(0, u64::saturating_add);
    let mut total = kept
        .iter()
        .fold(own, |sum, (_, _, bytes, _)| sum.saturating_add(*bytes));
    for (is_of_other, _, bytes, path) in kept {
        if is_of_other && total <= most {
            continue;
        }
        let lock = files::open_regular(&path);
        let is_free = lock.as_ref().is_ok_and(|it| it.try_lock().is_ok());
        if is_free && fs::remove_dir_all(&path).is_ok() {
            total -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::resolve::{Resolution, resolve};
    use callscape_facts::functions::Functions;
    use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder};
    use callscape_facts::recording::Recording;
    use callscape_facts::trace::Trace;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("callscape-kept-{name}-{}", std::process::id());
            Scratch(std::env::temp_dir().join(name))
        }

        /// What is in the folder, hidden or not.
        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
            let names = entries.map(|it| it.file_name().to_string_lossy().into_owned());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn recorded() -> (Recording, Hierarchy, Resolution) {
        let calls = (Functions::default(), Trace::default());
        let recording = Recording::of_calls(Path::new("a"), "uftrace", None, calls, Vec::new());
        let source = HierarchyBuilder::new("").build().0;
        let (hierarchy, mut resolutions) = resolve(&source, &[&recording.functions]);
        (recording, hierarchy, resolutions.remove(0))
    }

    fn make_in(folder: &Path, key: Option<Key>, progress: &Progress) -> Result<Kept, ExportError> {
        let (recording, hierarchy, resolution) = recorded();
        let part = Part {
            recording: &recording,
            resolution: &resolution,
            hierarchy: &hierarchy,
            range: None,
            threads: None,
        };
        make(&part, (folder, key), "a", progress)
    }

    fn key(recording: u64, state: u64) -> Key {
        Key { recording, state }
    }

    #[test]
    fn tables_are_found_while_they_are_complete_and_made_again_otherwise() {
        let scratch = Scratch::new("found");
        let (folder, progress) = (&scratch.0, Progress::new());
        let made = make_in(folder, Some(key(1, 1)), &progress).expect("there is room");
        let file = made.folder().join("recordings/recording=a/part-0.parquet");
        drop(made);
        assert!(file.is_file() && find(folder, key(1, 1)).is_some());
        assert!(find(folder, key(1, 2)).is_none() && find(folder, key(2, 1)).is_none());
        for damage in [&b"short"[..], b""] {
            match damage {
                b"" => fs::remove_file(&file).expect("it is there"),
                bytes => fs::write(&file, bytes).expect("there is room"),
            }
            assert!(find(folder, key(1, 1)).is_none());
            make_in(folder, Some(key(1, 1)), &progress).expect("it is made anew");
            assert!(find(folder, key(1, 1)).is_some());
        }
        assert_eq!(scratch.names(), [key(1, 1).name()]);
    }

    #[test]
    fn a_cancelled_export_and_tables_without_a_key_leave_nothing() {
        let scratch = Scratch::new("nothing");
        let progress = Progress::new();
        progress.cancel();
        let made = make_in(&scratch.0, Some(key(1, 1)), &progress);
        assert!(matches!(made, Err(ExportError::Cancelled(_))));
        assert_eq!(scratch.names(), [""; 0]);
        let made = make_in(&scratch.0, None, &Progress::new()).expect("there is room");
        assert!(made.folder().join("recordings").is_dir());
        drop(made);
        assert_eq!(scratch.names(), [""; 0]);
    }

    #[test]
    fn earlier_states_and_the_least_recently_used_go_unless_they_are_queried() {
        let scratch = Scratch::new("prune");
        let (folder, progress) = (&scratch.0, Progress::new());
        let keys = [key(1, 1), key(2, 1), key(3, 1), key(4, 1)];
        let seconds = std::time::Duration::from_secs;
        for (age, key) in keys.into_iter().enumerate() {
            make_in(folder, Some(key), &progress).expect("there is room");
            let open = File::open(folder.join(key.name())).expect("a folder");
            let used = UNIX_EPOCH + seconds(1000 + age as u64);
            open.set_modified(used).expect("it is ours");
        }
        assert_eq!(scratch.names().len(), 4);
        // Its earlier state is removed, however little there is.
        make_in(folder, Some(key(1, 2)), &progress).expect("there is room");
        assert!(find(folder, key(1, 1)).is_none());
        assert_eq!(scratch.names().len(), 4);
        let queried = find(folder, key(2, 1)).expect("it is kept");
        let open = File::open(folder.join(key(2, 1).name())).expect("a folder");
        open.set_modified(UNIX_EPOCH).expect("it is ours");
        let bytes: u64 = listing(&folder.join(key(2, 1).name()))
            .expect("whole")
            .into_values()
            .sum();
        // Room for three: the oldest is being queried, so the next one goes.
        prune(folder, key(1, 2), bytes * 3 + bytes / 2);
        let left = [key(1, 2), key(2, 1), key(4, 1)];
        let mut left = left.map(Key::name);
        left.sort();
        assert_eq!(scratch.names(), left);
        drop(queried);
        prune(folder, key(1, 2), 0);
        assert_eq!(scratch.names(), [key(1, 2).name()]);
    }

    #[test]
    fn many_may_make_and_query_the_same_tables_at_once() {
        let scratch = Scratch::new("race");
        std::thread::scope(|scope| {
            for state in 0..8 {
                let folder = &scratch.0;
                scope.spawn(move || {
                    for turn in 0..10 {
                        let key = key(7, (state + turn) % 2);
                        let kept = find(folder, key);
                        let kept =
                            kept.map_or_else(|| make_in(folder, Some(key), &Progress::new()), Ok);
                        let kept = kept.expect("they are made");
                        assert!(is_complete(&kept.folder));
                    }
                });
            }
        });
    }
}
