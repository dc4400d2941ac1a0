//! Reads a recording itself, whatever its format and compression.

use std::sync::Arc;

use super::archive::{self, Archive};
use super::error::ImportError;
use super::formats::{FORMATS, Format, Import, Kind, format_of};
use super::input::Input;
use super::{chrome, document, opened, parts, processes, stream, unread};
use callscape_base::progress::Progress;
use callscape_base::warnings::Place;
use callscape_facts::recording::Recording;

/// An error message names this many members of an archive or a document.
const NAMED: usize = 8;

/// Reads a recording itself, without its index. The format is recognised by the content.
pub fn read(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    progress.check()?;
    opened::note_read(input);
    if input.is_dir() {
        let import = FORMATS.iter().find_map(|format| match format.kind {
            Kind::Directory { sniff, import } if sniff(input) => Some(import),
            _ => None,
        });
        let place = Place::file(input.display().to_string());
        let import = import.ok_or_else(|| unknown(place, &describe_directory(input)))?;
        return import(input, progress);
    }
    let head = stream::head(input, progress)?;
    if archive::sniff(&head) {
        return read_archive(input, &head, progress);
    }
    let place = Place::offset(input.display().to_string(), 0);
    let (_, import) = known(&head).ok_or_else(|| {
        let found = match head.is_empty() {
            true if input.is_pipe() => "an empty pipe".to_owned(),
            _ => describe(input, &head),
        };
        unknown(place, &found)
    })?;
    import(input, progress)
}

/// The format of a file that begins so, and its import function.
pub(super) fn known(head: &[u8]) -> Option<(&'static Format, Import)> {
    // What other tools write is JSON too, and packed data hold texts as they are where these do not repeat.
    let is_known = |id: &str| {
        let is_other = id == chrome::FORMAT || unread::is_packed(head);
        !is_other || unread::recognise(head).is_none()
    };
    format_of(head).filter(|(format, _)| is_known(format.id))
}

/// Reads the only recording in an archive.
fn read_archive(input: &Input, head: &[u8], progress: &Progress) -> Result<Recording, ImportError> {
    let archive = Arc::new(Archive::open(input, head, progress)?);
    let found = archive.recordings()?;
    let groups = parts::groups(&found, progress)?;
    if groups.len() > 1 && processes::may_be_one(&found) {
        let read = |member: Input| read(&member, progress).map(|it| (member, Arc::new(it)));
        let opened: Result<Vec<_>, ImportError> = found.iter().cloned().map(read).collect();
        let merged =
            |_: &[Input], all: &[Arc<Recording>]| processes::merge(all, progress).map(Arc::new);
        if let Ok([(_, joined)]) = <[_; 1]>::try_from(processes::join(opened?, merged)?) {
            return Ok(in_archive(Arc::unwrap_or_clone(joined), input, &archive));
        }
    }
    let [parts] = groups.as_slice() else {
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
    let mut known: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
    known.dedup();
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
fn describe_directory(input: &Input) -> String {
    let has_tables = ["recordings", "functions"].map(|table| input.join(table).is_dir());
    if has_tables == [true; 2] && !cfg!(feature = "parquet") {
        return not_read((
            "a directory of tables in Parquet",
            "build Callscape with its feature 'parquet'",
        ));
    }
    let inside = input.entries().unwrap_or_default();
    let mut names = inside.iter().map(name).chain([name(input)]);
    let known = names.find_map(|name| unread::by_name(&name));
    known.map_or_else(|| "a directory without one".to_owned(), not_read)
}

fn name(input: &Input) -> String {
    let name = input.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A format that is known and not read, and what makes of it one that is.
fn not_read((what, remedy): (&str, &str)) -> String {
    format!("{what}, which is not read; {remedy}")
}

/// The first bytes of a file in words.
pub(super) fn describe(input: &Input, head: &[u8]) -> String {
    if head.is_empty() {
        return "an empty file".into();
    }
    // What has this name is a directory with Instruments, and a file with others.
    let by_name = || unread::by_name(&name(input)).filter(|_| !name(input).ends_with(".trace"));
    if let Some(known) = unread::recognise(head).or_else(by_name) {
        return not_read(known);
    }
    match unread::first_text(head) {
        Some(text) if text.starts_with('[') && text.contains('{') => {
            let members: Vec<String> = document::paths(head).into_iter().take(NAMED).collect();
            format!(
                "an array of objects with the members {}",
                members.join(", ")
            )
        }
        Some(text) => format!("a text that begins with '{text}'"),
        None => {
            let start = head.iter().take(16);
            let bytes: Vec<String> = start.map(|byte| format!("{byte:02x}")).collect();
            format!("a file that begins with the bytes {}", bytes.join(" "))
        }
    }
}
