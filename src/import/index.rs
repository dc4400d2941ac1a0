//! The index of a recording: where it is kept, whether it fits, and what happens when it does not.
//!
//! An index stands beside its recording, or in the user's cache directory where that folder cannot be
//! written. It fits when it is intact and carries the fingerprint of what the recording is now; else the
//! recording is read and the index written anew. What is wrong with an index is never an error: it is
//! counted as a warning of the recording, and the answer comes from the recording itself.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::error::ImportError;
use super::formats::FORMATS;
use super::input::Input;
use super::read::read;
use super::spans::skew;
use callscape_base::files::open_regular;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter, Warning};
use callscape_facts::fnv::Fnv;
use callscape_facts::frequency::LeftOut;
use callscape_facts::gaps::Gaps;
use callscape_facts::index::{self, Beside, CHANGED, Contents, IndexError, MAGIC, VERSION};
use callscape_facts::memory::Memory;
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_facts::sampling::Sampling;
use callscape_facts::tables::{Table, is_partition};

/// What an index that is opened without its recording is called in `info`.
const FORMAT: &str = "callscape";
/// The end of an index's name.
const EXTENSION: &str = "callscape";
/// The same with the dot before it.
pub const SUFFIX: &str = ".callscape";
/// Recordings of fewer calls are read faster than anyone waits for; no index is left beside them unless
/// it is asked for.
const WORTH_KEEPING: u64 = 200_000;
/// Indexes up to this size, which take some milliseconds, are compared with their checksums as a whole. Larger ones
/// have each part compared when it is first read.
const CHECKED_WHOLE: u64 = 16 << 20;
/// Bytes at the start and at the end of each file that the fingerprint depends on.
const SAMPLE: u64 = 64 << 10;

/// What an index remembers of its recording besides functions and calls.
#[derive(Serialize, Deserialize)]
struct Note {
    format: String,
    kind: RecordingKind,
    samples: u64,
    /// The time of the first event on the recording's own clock.
    origin: i64,
    warnings: Vec<Warning>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sampling: Option<Sampling>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
    #[serde(default, skip_serializing_if = "Gaps::is_empty")]
    gaps: Gaps,
}

/// Opens the recording in `input`, or the index that it is, by its index where that fits. A large
/// recording without one that fits gets one.
pub fn open(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let Some(path) = input.file().filter(|_| !input.is_pipe()) else {
        return read(input, progress);
    };
    if is_index(path) {
        return open_alone(path);
    }
    let reporter = Reporter::new();
    let Ok(fingerprint) = fingerprint(path) else {
        // The error that reading gives is the better one.
        return read(input, progress);
    };
    for index in places(path) {
        match open_fitting(&index, path, fingerprint) {
            Ok(Some(mut recording)) => {
                recording.warnings.extend(reporter.warnings());
                return Ok(recording);
            }
            Ok(None) => {}
            Err(IndexError::Io(_) | IndexError::Other) => {}
            Err(IndexError::Version(_)) => {
                reporter.warn("index-of-other-version", || {
                    Place::file(index.display().to_string())
                });
            }
            Err(IndexError::Damaged(_)) => {
                reporter.warn("index-damaged", || Place::file(index.display().to_string()));
            }
        }
    }
    let mut recording = read(input, progress)?;
    let events = recording.memory.as_ref().and_then(Memory::timed);
    let events = events.map_or(0, |it| u64::from(it.end()));
    let is_worth = recording.trace.calls().max(events) >= WORTH_KEEPING;
    if is_worth && !keep(&recording, path, fingerprint) {
        reporter.warn("index-not-written", || {
            Place::file(path.display().to_string())
        });
    }
    recording.warnings.extend(reporter.warnings());
    Ok(recording)
}

/// Reads the recording at `path` and writes its index to `index`; beside the recording or into the
/// cache directory without one. Gives back where it lies.
pub fn build(
    path: &Path,
    index: Option<&Path>,
    progress: &Progress,
) -> Result<PathBuf, ImportError> {
    let input = Input::new(path).map_err(|error| ImportError::io(path, error))?;
    let fingerprint = if input.is_pipe() {
        // Nothing that it could fit comes again.
        0
    } else {
        fingerprint(path).map_err(|error| ImportError::io(path, error))?
    };
    let recording = read(&input, progress)?;
    if recording.profile.is_some() && recording.memory.is_none() {
        let place = Place::file(input.display().to_string());
        let expected = "a recording with times, of whose calls an index is made";
        let found = "a profile, which needs no index";
        return Err(ImportError::malformed(place, expected, found));
    }
    let places = index.map_or_else(|| places(path), |index| vec![index.to_owned()]);
    let mut result = Err(ImportError::io(
        path,
        io::ErrorKind::PermissionDenied.into(),
    ));
    for place in places {
        match write(&recording, &place, fingerprint) {
            Ok(()) => return Ok(place),
            Err(error) => result = Err(ImportError::io(&place, error)),
        }
    }
    result
}

/// Writes the index of a recording to `place`, to be opened by itself. An error for a profile, which has none.
pub fn save(recording: &Recording, place: &Path) -> io::Result<()> {
    if recording.profile.is_some() && recording.memory.is_none() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    write(recording, place, 0)
}

/// Where the index of the recording at `path` may lie, the best place first.
fn places(path: &Path) -> Vec<PathBuf> {
    let Ok(path) = path.canonicalize() else {
        return Vec::new();
    };
    let mut places = Vec::new();
    // A folder that nobody may write to is left alone even by those whom the system would let.
    let folder = path.parent().and_then(|folder| folder.metadata().ok());
    let may_write = folder.is_some_and(|folder| !folder.permissions().readonly());
    // What engines read as a table is left alone too.
    let name = path.file_name().filter(|_| !is_partition(&path));
    if let Some(name) = name.filter(|_| may_write) {
        let mut name = name.to_owned();
        name.push(".");
        name.push(EXTENSION);
        places.push(path.with_file_name(name));
    }
    if let Some(dir) = index::cache_dir() {
        let mut hash = Fnv::START;
        add(&mut hash, path.as_os_str().as_encoded_bytes());
        places.push(dir.join(format!("{:016x}.{EXTENSION}", hash.get())));
    }
    places
}

/// Writes the index of a recording where it can be written. Whether it could.
fn keep(recording: &Recording, path: &Path, before: u64) -> bool {
    // What has changed while it was read fits nothing.
    let unchanged = || fingerprint(path).is_ok_and(|after| after == before);
    unchanged()
        && places(path)
            .iter()
            .any(|place| write(recording, place, before).is_ok())
}

fn write(recording: &Recording, place: &Path, fingerprint: u64) -> io::Result<()> {
    let note = serde_json::to_vec(&Note {
        format: recording.format.to_owned(),
        kind: recording.kind,
        samples: recording.samples,
        origin: recording.trace.origin(),
        warnings: recording.warnings.clone(),
        sampling: recording.sampling.clone(),
        left_out: recording.left_out.clone(),
        gaps: recording.gaps.clone(),
    })?;
    if Some(place.parent().unwrap_or(Path::new(""))) == index::cache_dir().as_deref() {
        std::fs::create_dir_all(place.parent().unwrap_or(Path::new("")))?;
    }
    index::write(
        place,
        &recording.functions,
        &recording.trace,
        Beside {
            memory: recording.memory.as_ref(),
            lines: recording.lines.as_ref(),
            weighed: recording.weighed.as_ref(),
        },
        &note,
        fingerprint,
    )
}

/// Whether `path` is an index file, by its first bytes.
fn is_index(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    let file = open_regular(path);
    file.and_then(|mut file| file.read_exact(&mut magic))
        .is_ok()
        && magic == MAGIC
}

/// Opens an index without the recording that it was made from. Nothing can stand in for what turns out to be damaged
/// later, so whoever meets it fails with [`Recording::damage`].
fn open_alone(path: &Path) -> Result<Recording, ImportError> {
    let malformed = |expected: &str, found: String| {
        ImportError::malformed(Place::file(path.display().to_string()), expected, found)
    };
    let size = std::fs::metadata(path)
        .map_err(|error| ImportError::io(path, error))?
        .len();
    let contents = index::open(path, size <= CHECKED_WHOLE).map_err(|error| match error {
        IndexError::Io(error) => ImportError::io(path, error),
        IndexError::Version(found) => malformed(
            &format!("an index of version {VERSION} ({CHANGED}), made anew from its recording"),
            format!("one of version {found}"),
        ),
        IndexError::Other => malformed("a Callscape index", "other bytes".into()),
        IndexError::Damaged(place) => malformed(
            "an intact Callscape index",
            format!("damage in its {place}"),
        ),
    })?;
    let recording = recording(path, contents).ok_or_else(|| {
        malformed(
            "an index of this version of Callscape",
            "an unknown format".into(),
        )
    })?;
    recording.trace.keep_answers_in(path);
    Ok(Recording {
        format: FORMAT,
        ..recording
    })
}

/// Opens the index at `index` of the recording at `path`; none when it is missing or of something else.
fn open_fitting(
    index: &Path,
    path: &Path,
    fingerprint: u64,
) -> Result<Option<Recording>, IndexError> {
    let Ok(metadata) = std::fs::metadata(index) else {
        return Ok(None);
    };
    let contents = index::open(index, metadata.len() <= CHECKED_WHOLE)?;
    if contents.fingerprint != fingerprint {
        return Ok(None);
    }
    let Some(mut recording) = recording(path, contents) else {
        return Ok(None);
    };
    recording.trace.keep_answers_in(index);
    let (index, path) = (index.to_owned(), path.to_owned());
    let (functions, calls) = (recording.functions.len(), recording.trace.calls());
    recording.trace = recording.trace.with_repair(move || {
        // The next to open the recording must not meet the same damage.
        let _ = std::fs::remove_file(&index);
        let input = Input::new(&path).ok()?;
        let again = open(&input, &Progress::new()).ok()?;
        let same = again.functions.len() == functions && again.trace.calls() == calls;
        same.then_some(again.trace)
    });
    Ok(Some(recording))
}

fn recording(path: &Path, contents: Contents) -> Option<Recording> {
    let note: Note = serde_json::from_slice(&contents.note).ok()?;
    // What was made of an index alone no longer knows the format before that.
    let mut formats = FORMATS.iter().map(|format| format.id).chain([FORMAT]);
    let format = formats.find(|&id| id == note.format)?;
    // A recording of memory alone is shown as a profile, which is made of it.
    let mut functions = contents.functions;
    let memory = contents.memory.as_ref();
    let profile = memory.filter(|_| note.kind == RecordingKind::Profile);
    let profile = profile.map(|memory| memory.profile(&mut functions));
    let lasts = contents.memory.as_ref().map(Memory::end_of_events);
    let lasts = lasts.unwrap_or_default();
    let trace = contents.trace.with_origin(note.origin).lasting(lasts);
    Some(Recording {
        path: path.to_owned(),
        format,
        kind: note.kind,
        functions,
        gaps: note.gaps.before(trace.range().end),
        trace,
        profile,
        memory: contents.memory,
        lines: contents.lines,
        weighed: contents.weighed,
        sampling: note.sampling,
        left_out: note.left_out,
        samples: note.samples,
        warnings: note.warnings,
    })
}

/// Adds bytes and how many they are, so that no two rows of texts are the same bytes.
fn add(hash: &mut Fnv, bytes: &[u8]) {
    hash.add_number(bytes.len() as u64);
    hash.add(bytes);
}

/// What tells a recording from another and from itself before a change: of each file that it is read from the name, size,
/// time of change, first and last bytes. Where it lies does not count.
fn fingerprint(path: &Path) -> io::Result<u64> {
    let mut hash = Fnv::START;
    // Another version may read the same recording better.
    add(&mut hash, env!("CARGO_PKG_VERSION").as_bytes());
    if skew::is_left() {
        add(&mut hash, b"clocks as they are");
    }
    if !path.metadata()?.is_dir() {
        file_fingerprint(path, &mut hash)?;
        return Ok(hash.get());
    }
    let (around, folders) = folders(path);
    let mut files = Vec::new();
    for folder in &folders {
        files_below(folder, &mut files)?;
    }
    files.sort();
    for file in files {
        let name = file.strip_prefix(&around).unwrap_or(&file);
        add(&mut hash, name.as_os_str().as_encoded_bytes());
        file_fingerprint(&file, &mut hash)?;
    }
    Ok(hash.get())
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
            let of = |place: &str| fingerprint(&dir.join(place)).expect("it can be read");
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
