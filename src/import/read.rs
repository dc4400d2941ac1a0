//! Reads a recording itself, whatever its format and compression.

use std::sync::Arc;

use super::archive::{self, Archive};
use super::error::ImportError;
use super::formats::{FORMATS, Kind, format_of};
use super::input::Input;
use super::{parts, processes, stream, unread};
use callscape_base::progress::Progress;
use callscape_base::warnings::Place;
use callscape_facts::recording::Recording;

/// Reads a recording itself, without its index. The format is recognised by the content.
pub fn read(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    progress.check()?;
    if input.is_dir() {
        let import = FORMATS.iter().find_map(|format| match format.kind {
            Kind::Directory { sniff, import } if sniff(input) => Some(import),
            _ => None,
        });
        let place = Place::file(input.display().to_string());
        let import = import.ok_or_else(|| unknown(place, describe_directory(input)))?;
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

/// Reads the only recording in an archive.
fn read_archive(input: &Input, head: &[u8], progress: &Progress) -> Result<Recording, ImportError> {
    let archive = Arc::new(Archive::open(input, head, progress)?);
    let found = archive.recordings()?;
    let groups = parts::groups(&found, progress)?;
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
        parts => parts::join(parts, progress)?,
    };
    Ok(in_archive(recording, input, &archive))
}

/// A recording that was read from an archive.
fn in_archive(mut recording: Recording, input: &Input, archive: &Archive) -> Recording {
    recording.path = input.to_path_buf();
    recording.warnings.extend(archive.warnings());
    recording
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

/// A directory that is no recording in words.
fn describe_directory(input: &Input) -> &'static str {
    let has_tables = ["recordings", "functions"].map(|table| input.join(table).is_dir());
    match has_tables == [true; 2] && !cfg!(feature = "parquet") {
        true => {
            "a directory of tables in Parquet, which are not read; build Callscape with its feature 'parquet'"
        }
        false => "a directory without one",
    }
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
