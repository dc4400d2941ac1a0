//! Facts from recorded executions: one file per format, registered in one table.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use archive::Archive;
use input::Input;
pub use several::{are_one, open as open_all};

use crate::facts::recording::Recording;
use crate::progress::{Cancelled, Progress};
use crate::warnings::Place;

mod archive;
mod callgrind;
mod chrome;
mod cpuprofile;
mod decimal;
pub mod demangle;
mod document;
mod firefox;
mod folded;
mod gzip;
mod hashing;
mod hprof;
pub mod index;
pub mod input;
mod jaeger;
mod jfr;
mod json;
mod lines;
mod literal;
mod otlp;
mod perf_script;
mod perfetto;
mod pipe;
mod pprof;
mod processes;
mod protobuf;
mod samples;
mod several;
mod sorting;
mod spans;
mod speedscope;
mod stream;
mod uftrace;
mod unread;
mod utf16;
mod zstandard;

/// Why a recording could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{path}: {error}")]
    Io {
        path: PathBuf,
        // Not named source: the message holds it already, and a chain of causes would show it again.
        error: std::io::Error,
    },
    /// What was expected, and what was found, where.
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        place: Place,
        expected: String,
        found: String,
    },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl ImportError {
    fn malformed(
        place: Place,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ImportError {
        ImportError::Malformed {
            place,
            expected: expected.into(),
            found: found.into(),
        }
    }

    fn io(path: &Path, error: std::io::Error) -> ImportError {
        ImportError::Io {
            path: path.to_owned(),
            error,
        }
    }
}

/// A format of recordings.
struct Format {
    /// Its identifier in `info`.
    id: &'static str,
    kind: Kind,
}

/// How a format is recognised and read.
enum Kind {
    /// A file: recognised by its first bytes, after decompression.
    File {
        sniff: fn(&[u8]) -> bool,
        import: Import,
    },
    /// A directory: recognised by the files in it.
    Directory {
        sniff: fn(&Input) -> bool,
        import: Import,
    },
}

type Import = fn(&Input, &Progress) -> Result<Recording, ImportError>;

/// The formats, in the order in which they are asked. An importer's file begins with the link to its
/// specification.
const FORMATS: &[Format] = &[
    Format {
        id: speedscope::FORMAT,
        kind: Kind::File {
            sniff: speedscope::sniff,
            import: speedscope::import,
        },
    },
    Format {
        id: cpuprofile::FORMAT,
        kind: Kind::File {
            sniff: cpuprofile::sniff,
            import: cpuprofile::import,
        },
    },
    Format {
        id: firefox::FORMAT,
        kind: Kind::File {
            sniff: firefox::sniff,
            import: firefox::import,
        },
    },
    Format {
        id: otlp::FORMAT,
        kind: Kind::File {
            sniff: otlp::sniff,
            import: otlp::import,
        },
    },
    Format {
        id: jaeger::FORMAT,
        kind: Kind::File {
            sniff: jaeger::sniff,
            import: jaeger::import,
        },
    },
    Format {
        id: chrome::FORMAT,
        kind: Kind::File {
            sniff: chrome::sniff,
            import: chrome::import,
        },
    },
    Format {
        id: jfr::FORMAT,
        kind: Kind::File {
            sniff: jfr::sniff,
            import: jfr::import,
        },
    },
    Format {
        id: pprof::FORMAT,
        kind: Kind::File {
            sniff: pprof::sniff,
            import: pprof::import,
        },
    },
    Format {
        id: perfetto::FORMAT,
        kind: Kind::File {
            sniff: perfetto::sniff,
            import: perfetto::import,
        },
    },
    Format {
        id: perf_script::FORMAT,
        kind: Kind::File {
            sniff: perf_script::sniff,
            import: perf_script::import,
        },
    },
    Format {
        id: hprof::FORMAT,
        kind: Kind::File {
            sniff: hprof::sniff,
            import: hprof::import,
        },
    },
    Format {
        id: callgrind::FORMAT,
        kind: Kind::File {
            sniff: callgrind::sniff,
            import: callgrind::import,
        },
    },
    // Without a mark of its own: after all others.
    Format {
        id: folded::FORMAT,
        kind: Kind::File {
            sniff: folded::sniff,
            import: folded::import,
        },
    },
    Format {
        id: uftrace::FORMAT,
        kind: Kind::Directory {
            sniff: uftrace::sniff,
            import: uftrace::import,
        },
    },
];

/// Opens the recording at `path`, a file or a directory, whatever its format and compression: its index
/// where one fits, else the recording itself.
pub fn open(path: &Path, progress: &Progress) -> Result<Recording, ImportError> {
    let input = Input::new(path).map_err(|error| ImportError::io(path, error))?;
    index::open(&input, progress)
}

/// Reads the recording at `path` as one of the format with this id, without looking at what it is, nor for an
/// index; none where no format has it. For tests.
pub fn read_as(
    format: &str,
    path: &Path,
    progress: &Progress,
) -> Option<Result<Recording, ImportError>> {
    let format = FORMATS.iter().find(|known| known.id == format)?;
    let (Kind::File { import, .. } | Kind::Directory { import, .. }) = format.kind;
    Some(import(&Input::on_disk(path.to_owned()), progress))
}

/// Reads a recording itself, without its index. The format is recognised by the content.
pub fn read(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    progress.check()?;
    if input.is_dir() {
        let import = FORMATS.iter().find_map(|format| match format.kind {
            Kind::Directory { sniff, import } if sniff(input) => Some(import),
            _ => None,
        });
        let place = Place::file(input.display().to_string());
        let import = import.ok_or_else(|| unknown(place, "a directory without one"))?;
        return import(input, progress);
    }
    let head = stream::head(input, progress)?;
    if archive::sniff(&head) {
        return read_archive(input, &head, progress);
    }
    let place = Place::offset(input.display().to_string(), 0);
    let (_, import) = format_of(&head).ok_or_else(|| {
        let found = match head.is_empty() {
            true if input.is_pipe() => "an empty pipe".to_owned(),
            _ => describe(&head),
        };
        unknown(place, &found)
    })?;
    import(input, progress)
}

/// The format that a file with these first bytes is in, and its import function.
fn format_of(head: &[u8]) -> Option<(&'static Format, Import)> {
    FORMATS.iter().find_map(|format| match format.kind {
        Kind::File { sniff, import } if sniff(head) => Some((format, import)),
        _ => None,
    })
}

/// Whether a file with these first bytes is a recording. JSON is not taken for one because it is JSON.
fn is_recording_head(head: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    format_of(head).is_some_and(|(format, _)| {
        format.id != chrome::FORMAT || has(b"\"ph\"") || has(b"\"traceEvents\"")
    })
}

/// Reads the only recording in an archive.
fn read_archive(input: &Input, head: &[u8], progress: &Progress) -> Result<Recording, ImportError> {
    let archive = Arc::new(Archive::open(input, head, progress)?);
    let found = archive.recordings()?;
    let groups = several::groups(&found, progress)?;
    if groups.len() > 1 && processes::may_be_one(&found) {
        let read = |member: Input| read(&member, progress).map(|it| (member, it));
        let opened: Result<Vec<_>, ImportError> = found.iter().cloned().map(read).collect();
        if let Ok([(_, joined)]) = <[_; 1]>::try_from(processes::join(opened?, progress)?) {
            return Ok(in_archive(joined, input, &archive));
        }
    }
    let [parts] = groups.as_slice() else {
        /// An error message names this many.
        const NAMED: usize = 8;
        let names = found
            .iter()
            .take(NAMED)
            .map(|found| found.display().to_string());
        let mut names: Vec<String> = names.collect();
        if found.len() > NAMED {
            names.push(format!("and {} more", found.len() - NAMED));
        }
        let place = Place::file(input.display().to_string());
        let found = match names.len() {
            0 => "an archive without one".to_owned(),
            _ => format!("several: {}", names.join(", ")),
        };
        return Err(ImportError::malformed(
            place,
            "an archive of one recording",
            found,
        ));
    };
    let recording = match parts.as_slice() {
        [alone] => read(alone, progress)?,
        parts => several::join(parts, progress)?,
    };
    Ok(in_archive(recording, input, &archive))
}

/// A recording that was read from an archive.
fn in_archive(mut recording: Recording, input: &Input, archive: &Archive) -> Recording {
    recording.path = input.to_path_buf();
    recording.warnings.extend(archive.warnings());
    recording
}

/// Whether `path` is a directory that holds a recording, or recordings and nothing else.
pub fn is_recording(path: &Path) -> bool {
    path.is_dir()
        && (is_recording_directory(&Input::on_disk(path.to_owned())) || several::is_folder(path))
}

/// Whether a directory holds a recording.
fn is_recording_directory(input: &Input) -> bool {
    FORMATS.iter().any(|format| match format.kind {
        Kind::Directory { sniff, .. } => sniff(input),
        Kind::File { .. } => false,
    })
}

fn unknown(place: Place, found: &str) -> ImportError {
    let known: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
    ImportError::malformed(
        place,
        format!(
            "a recording in a known format ({}, callscape)",
            known.join(", ")
        ),
        found,
    )
}

/// The first bytes of a file in words.
fn describe(head: &[u8]) -> String {
    if head.is_empty() {
        return "an empty file".into();
    }
    if let Some((what, remedy)) = unread::recognise(head) {
        return format!("{what}, which is not read; {remedy}");
    }
    let start = &head[..head.len().min(16)];
    let text = std::str::from_utf8(start).ok();
    match text.filter(|text| !text.chars().any(char::is_control)) {
        Some(text) => format!("a file that begins with '{text}'"),
        None => {
            let bytes: Vec<String> = start.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("a file that begins with the bytes {}", bytes.join(" "))
        }
    }
}
