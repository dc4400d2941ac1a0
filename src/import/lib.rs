//! Facts from recorded executions: one file per format, registered in one table.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

use std::path::Path;
use std::sync::Arc;

use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;
pub use error::ImportError;
pub use fingerprint::fingerprint;
use formats::{FORMATS, Kind, is_recording_directory};
use input::Input;
pub use opened::{hold, reads};
pub use read::read;
pub use several::{are_parts, are_processes, open as open_all};
pub use spans::skew;

mod ahead;
mod archive;
mod atrace;
mod austin;
mod base64;
mod bpf_stacks;
mod callgrind;
mod chrome;
mod cpuprofile;
mod dart;
mod datadog;
mod decimal;
pub mod demangle;
mod dhat;
mod document;
mod empty;
mod error;
mod fingerprint;
mod firefox;
mod flows;
mod folded;
mod formats;
mod frame_text;
mod function_graph;
mod gathered;
#[cfg(feature = "git")]
mod git_history;
mod go_trace;
mod gprof;
mod gprof2dot;
mod gzip;
mod heapprofile;
mod heapsnapshot;
mod heaptrack;
mod hprof;
pub mod index;
pub mod input;
mod instruments_copy;
mod jaeger;
mod jfr;
mod json;
mod kernel;
pub mod known;
mod lines;
mod literal;
mod macos_sample;
#[cfg(test)]
mod made;
mod massif;
mod measureme;
mod members;
mod memray;
pub mod mixed;
mod nettrace;
pub mod note;
mod opened;
pub mod otlp;
mod parts;
mod perf_data;
mod perf_samples;
pub mod perf_script;
mod perf_trace;
mod perfetto;
mod pipe;
mod pprof;
mod processes;
mod protobuf;
mod pstats;
mod pyinstrument;
mod rbspy;
mod read;
pub mod results;
mod revision;
pub mod samplers;
mod samples;
mod scalene;
mod sentry;
mod several;
mod skywalking;
mod source_map;
mod spans;
mod speedscope;
mod stackprof;
mod stream;
pub mod switches;
mod systrace;
#[cfg(feature = "parquet")]
mod tables;
mod text;
mod uftrace;
mod unpacked;
mod unread;
mod utf16;
mod wakeups;
mod words;
mod xctrace;
mod xray;
mod zipkin;
mod zstandard;

/// Opens the recording at `path`, a file or a directory, whatever its format and compression: its index
/// where one fits, else the recording itself.
pub fn open(path: &Path, progress: &Progress) -> Result<Recording, ImportError> {
    open_shared(path, progress).map(Arc::unwrap_or_clone)
}

/// The same, shared with whoever opens it while it is open.
pub fn open_shared(path: &Path, progress: &Progress) -> Result<Arc<Recording>, ImportError> {
    let input = Input::new(path).map_err(|error| ImportError::io(path, error))?;
    empty::refused(index::open(&input, progress)?, progress)
}

/// Reads the recording at `path` without looking for an index or leaving one, and [holds](hold) it.
pub fn read_ahead(path: &Path, progress: &Progress) -> Result<Arc<Recording>, ImportError> {
    let recording = index::read_ahead(&Input::on_disk(path.to_owned()), progress)?;
    let recording = empty::refused(recording, progress)?;
    hold(&recording);
    Ok(recording)
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

/// Whether `path` is a directory that holds a recording, or recordings and nothing else.
pub fn is_recording(path: &Path) -> bool {
    path.is_dir()
        && (is_recording_directory(&Input::on_disk(path.to_owned())) || several::is_folder(path))
}
