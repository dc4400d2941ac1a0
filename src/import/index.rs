//! The index of a recording: where it is kept, whether it fits, and what happens when it does not.
//!
//! An index stands beside its recording, or in the user's cache directory where that folder cannot be
//! written. It fits when it is intact and carries the fingerprint of what the recording is now; else the
//! recording is read and the index written anew. What is wrong with an index is never an error: it is
//! counted as a warning of the recording, and the answer comes from the recording itself.

use callscape_base::clock::Instant;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::ImportError;
use super::fingerprint::{EXTENSION, add, fingerprint};
use super::formats::FORMATS;
use super::input::Input;
use super::opened;
use super::perf_data;
use super::read::read;
use callscape_base::files::disk;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter, Warning};
use callscape_facts::fnv::Fnv;
use callscape_facts::frequency::LeftOut;
use callscape_facts::gaps::Gaps;
use callscape_facts::index::{self, Beside, CHANGED, Contents, IndexError, MAGIC, VERSION};
use callscape_facts::memory::Memory;
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_facts::sampling::Sampling;
use callscape_facts::tables::is_partition;

/// What an index that is opened without its recording is called in `info`.
pub(super) const FORMAT: &str = "callscape";
/// The end of an index's name with the dot before it.
pub const SUFFIX: &str = ".callscape";
/// Recordings of fewer calls are mostly read faster than anyone waits for; no index is left beside them then unless it
/// is asked for.
const WORTH_KEEPING: u64 = 200_000;
/// Others get one too where reading them took longer.
const SLOW: Duration = Duration::from_secs(1);
/// Indexes up to this size, which take some milliseconds, are compared with their checksums as a whole. Larger ones
/// have each part compared when it is first read.
const CHECKED_WHOLE: u64 = 16 << 20;

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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    failed: Vec<(FunctionId, u64)>,
}

/// How a recording is read from the files that it is in.
pub(crate) type Reading = fn(&[Input], &Progress) -> Result<Recording, ImportError>;

/// The files of a recording.
struct Files<'a> {
    parts: &'a [Input],
    paths: Vec<&'a Path>,
    reading: Reading,
    fingerprint: u64,
}

/// Opens the recording in `input`, or the index that it is, by its index where that fits. A large
/// recording without one that fits gets one.
pub(crate) fn open(input: &Input, progress: &Progress) -> Result<Arc<Recording>, ImportError> {
    open_parts(slice::from_ref(input), read_first, progress)
}

fn read_first(parts: &[Input], progress: &Progress) -> Result<Recording, ImportError> {
    read(&parts[0], progress)
}

/// Whether what is read can be read again, and has a name to keep an index by.
pub(crate) fn is_lasting(input: &Input) -> bool {
    input.file().is_some() && !input.is_pipe()
}

/// The same of a recording in several files.
pub(crate) fn open_parts(
    parts: &[Input],
    reading: Reading,
    progress: &Progress,
) -> Result<Arc<Recording>, ImportError> {
    if !parts.iter().all(is_lasting) {
        return reading(parts, progress).map(Arc::new);
    }
    let paths: Vec<&Path> = parts.iter().filter_map(Input::file).collect();
    if let [path] = paths[..]
        && is_index(path)
    {
        return open_alone(path).map(Arc::new);
    }
    let Ok(fingerprint) = fingerprint(&paths) else {
        // The error that reading gives is the better one.
        return reading(parts, progress).map(Arc::new);
    };
    let files = Files {
        parts,
        paths,
        reading,
        fingerprint,
    };
    let name = files.name();
    let recording = match opened::find(&name, fingerprint) {
        Some((recording, None)) => return Ok(recording),
        Some((recording, Some(took))) => files.kept(Arc::unwrap_or_clone(recording), took),
        None => files.open_or_read(progress)?,
    };
    Ok(opened::share(recording, &name, fingerprint, None))
}

/// Reads a recording, of which an index can be made when it is opened.
pub(crate) fn read_ahead(
    input: &Input,
    progress: &Progress,
) -> Result<Arc<Recording>, ImportError> {
    let fingerprint = fingerprint(&[input]);
    let start = Instant::now();
    let recording = read(input, progress)?;
    Ok(match fingerprint {
        Ok(fingerprint) => opened::share(recording, input, fingerprint, Some(start.elapsed())),
        Err(_) => Arc::new(recording),
    })
}

impl Files<'_> {
    /// The path of the first file, with how many others there are.
    fn name(&self) -> PathBuf {
        named(self.paths[0].to_owned(), self.paths.len() - 1)
    }

    /// Where the index may lie, the best place first.
    fn places(&self) -> Vec<PathBuf> {
        places(self.paths[0], self.paths.len() - 1)
    }

    /// Opens the recording from its index, or reads it.
    fn open_or_read(&self, progress: &Progress) -> Result<Recording, ImportError> {
        let reporter = Reporter::new();
        for index in self.places() {
            match self.open_fitting(&index) {
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
        let start = Instant::now();
        let recording = (self.reading)(self.parts, progress)?;
        let mut recording = self.kept(recording, start.elapsed());
        recording.warnings.extend(reporter.warnings());
        Ok(recording)
    }

    /// A recording, once its index is written where it is worth one.
    fn kept(&self, mut recording: Recording, took: Duration) -> Recording {
        if is_worth(&recording, took) && !self.keep(&recording) {
            let reporter = Reporter::new();
            reporter.warn("index-not-written", || {
                Place::file(self.paths[0].display().to_string())
            });
            recording.warnings.extend(reporter.warnings());
        }
        recording
    }

    /// Writes the index of a recording where it can be written. Whether it could.
    fn keep(&self, recording: &Recording) -> bool {
        // What has changed while it was read fits nothing.
        let unchanged = || fingerprint(&self.paths).is_ok_and(|after| after == self.fingerprint);
        let write = |place: &PathBuf| write(recording, place, self.fingerprint).is_ok();
        unchanged() && self.places().iter().any(write)
    }

    /// Opens an index; none when it is missing or of something else.
    fn open_fitting(&self, index: &Path) -> Result<Option<Recording>, IndexError> {
        let Ok(metadata) = std::fs::metadata(index) else {
            return Ok(None);
        };
        let contents = index::open(index, metadata.len() <= CHECKED_WHOLE)?;
        if contents.fingerprint != self.fingerprint {
            return Ok(None);
        }
        let Some(mut recording) = recording(self.paths[0], contents) else {
            return Ok(None);
        };
        recording.trace.keep_answers_in(index);
        let (index, parts, reading) = (index.to_owned(), self.parts.to_vec(), self.reading);
        let fingerprint = self.fingerprint;
        let (functions, calls) = (recording.functions.len(), recording.trace.calls());
        recording.trace = recording.trace.with_repair(move || {
            // The next to open the recording must not meet the same damage.
            let _ = std::fs::remove_file(&index);
            let files = Files {
                parts: &parts,
                paths: parts.iter().filter_map(Input::file).collect(),
                reading,
                fingerprint,
            };
            // What is open is this one.
            let again = files.open_or_read(&Progress::new()).ok()?;
            let same = again.functions.len() == functions && again.trace.calls() == calls;
            same.then_some(again.trace)
        });
        Ok(Some(recording))
    }
}

/// A path with how many other files belong to it.
fn named(path: PathBuf, others: usize) -> PathBuf {
    if others == 0 {
        return path;
    }
    let mut name = path.into_os_string();
    name.push(format!("+{others}"));
    name.into()
}

/// Whether an index is left of a recording that took so long to read.
fn is_worth(recording: &Recording, took: Duration) -> bool {
    if perf_data::lacks_symbols(recording) {
        return false;
    }
    let events = recording.memory.as_ref().and_then(Memory::timed);
    let events = events.map_or(0, |it| u64::from(it.end()));
    let is_large = recording.trace.calls().max(events) >= WORTH_KEEPING;
    has_index(recording) && (is_large || took > SLOW)
}

/// A profile has none, and of a history the commits are kept.
fn has_index(recording: &Recording) -> bool {
    recording.played.is_none() && (recording.profile.is_none() || recording.memory.is_some())
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
        fingerprint(&[path]).map_err(|error| ImportError::io(path, error))?
    };
    let recording = read(&input, progress)?;
    if !has_index(&recording) {
        let place = Place::file(input.display().to_string());
        let expected = "a recording with times, of whose calls an index is made";
        let found = "a profile, which needs no index";
        return Err(ImportError::malformed(place, expected, found));
    }
    let places = index.map_or_else(|| places(path, 0), |index| vec![index.to_owned()]);
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
    if !has_index(recording) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    write(recording, place, 0)
}

/// Where the index of the recording at `path` and in so many other files may lie, the best place first.
fn places(path: &Path, others: usize) -> Vec<PathBuf> {
    let Ok(path) = path.canonicalize() else {
        return Vec::new();
    };
    let path = named(path, others);
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
        failed: recording.failed.clone(),
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
    let file = disk::open_regular(path);
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
    let size = disk::metadata(path)
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
    let count = functions.len();
    let failed = note.failed.into_iter();
    let failed = failed.filter(|it| it.0.index() < count).collect();
    let lasts = contents.memory.as_ref().map(Memory::end_of_events);
    let lasts = lasts.unwrap_or_default();
    let trace = contents.trace.with_origin(note.origin).lasting(lasts);
    Some(Recording {
        played: None,
        revision: None,
        path: path.to_owned(),
        format,
        kind: note.kind,
        functions,
        gaps: note.gaps.before(trace.range().end),
        failed,
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

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::functions::Functions;
    use callscape_facts::trace::Trace;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn several_files_of_one_recording_have_one_index() {
        static READ: AtomicUsize = AtomicUsize::new(0);
        let name = format!("callscape-parts-test-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).expect("a folder");
        let parts = ["a", "b"].map(|name| {
            std::fs::write(dir.join(name), name).expect("a file");
            Input::on_disk(dir.join(name))
        });
        let reading: Reading = |parts, _| {
            READ.fetch_add(1, Ordering::Relaxed);
            let trace = (Functions::default(), Trace::default());
            Ok(Recording::of_calls(
                &parts[0],
                "uftrace",
                None,
                trace,
                Vec::new(),
            ))
        };
        let open = || open_parts(&parts, reading, &Progress::new()).expect("files");
        let recording = open();
        let files = Files {
            parts: &parts,
            paths: parts.iter().filter_map(Input::file).collect(),
            reading,
            fingerprint: fingerprint(&[&parts[0], &parts[1]]).expect("files"),
        };
        assert!(files.keep(&recording) && dir.join("a+1.callscape").is_file());
        drop(recording);
        open();
        assert_eq!(READ.load(Ordering::Relaxed), 1);
        std::fs::write(&*parts[1], "changed").expect("a file");
        open();
        assert_eq!(READ.load(Ordering::Relaxed), 2);
        std::fs::remove_dir_all(&dir).expect("it is there");
    }

    #[test]
    fn what_took_long_to_read_gets_an_index_however_small_it_is() {
        let calls = (Functions::default(), Trace::default());
        let recording = Recording::of_calls(Path::new("a"), FORMAT, None, calls, Vec::new());
        assert!(!is_worth(&recording, SLOW));
        assert!(is_worth(&recording, SLOW + Duration::from_nanos(1)));
    }
}
