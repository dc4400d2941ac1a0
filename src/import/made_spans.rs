//! Recordings that tests make in memory, and what every importer must bear.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::ImportError;
use super::formats::{FORMATS, Import, format_of};
use super::input::{Container, Input};
use callscape_base::progress::Progress;
use callscape_base::units::CallId;
use callscape_facts::recording::Recording;

#[derive(Debug)]
struct Held(Vec<u8>);

impl Container for Held {
    fn open_member<'a>(&'a self, _: &str, _: &'a Progress) -> io::Result<Box<dyn Read + 'a>> {
        Ok(Box::new(self.0.as_slice()))
    }

    fn size(&self, _: &str) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn packed(&self, _: &str) -> Option<u64> {
        None
    }

    fn is_dir(&self, _: &str) -> bool {
        false
    }

    fn entries(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

/// An input with these bytes.
pub(crate) fn input(bytes: &[u8]) -> Input {
    Input::member(
        Path::new("made"),
        &Arc::new(Held(bytes.to_vec())),
        "recording",
    )
}

/// The recording that these bytes are, by the importer that the table of formats chooses, which must be `format`.
pub(crate) fn read(format: &str, bytes: &[u8]) -> Result<Recording, ImportError> {
    let head = &bytes[..bytes.len().min(64 << 10)];
    let (found, import) = format_of(head).expect("a known format");
    assert_eq!(found.id, format);
    import(&input(bytes), &Progress::new())
}

/// Reads every beginning of a file, and the file with every byte changed: no panic, no endless loop.
pub(crate) fn survives(format: &str, bytes: &[u8], import: Import) {
    assert!(FORMATS.iter().any(|it| it.id == format));
    for end in 0..bytes.len() {
        let _ = import(&input(&bytes[..end]), &Progress::new());
        let mut damaged = bytes.to_vec();
        damaged[end] ^= [1_u8, 0x80, 0xff][end % 3];
        let _ = import(&input(&damaged), &Progress::new());
    }
}

/// The calls of a recording, one a line: thread, function, start since the first
/// one and duration in nanoseconds, depth, and what links to it.
pub(crate) fn calls(recording: &Recording) -> Vec<String> {
    let trace = &recording.trace;
    let mut lines = Vec::new();
    for (thread, id) in trace.threads().iter().zip(trace.thread_ids()) {
        for number in (0..thread.calls as u32).map(CallId) {
            let call = trace.call(id, number);
            let name = recording.functions.get(call.function).name;
            let mut line = format!(
                "{}: {name} {}+{} ^{}",
                thread.name,
                call.start.ns(),
                call.cost().ns(),
                call.depth
            );
            for link in trace.links_to(id, number) {
                let from = trace.call(link.from.0, link.from.1);
                let from = recording.functions.get(from.function).name;
                let _ = write!(line, " <{from}");
            }
            lines.push(line);
        }
    }
    lines
}

/// The kinds of a recording's warnings.
pub(crate) fn kinds(recording: &Recording) -> Vec<&str> {
    let warnings = recording.warnings.iter();
    warnings.map(|it| it.kind.as_ref()).collect()
}
