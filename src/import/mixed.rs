//! The formats of the files in a folder, by how they begin.

use std::path::Path;

use serde::Serialize;

use super::error::ImportError;
use super::formats::{FORMATS, Kind};
use super::input::Input;
use super::parts::groups;
use super::{archive, index, read, stream};
use callscape_base::progress::Progress;
use callscape_facts::index::MAGIC;

/// More entries of a folder are counted.
const MOST: usize = 10_000;

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    pub file: String,
    /// None for a folder.
    pub bytes: Option<u64>,
    /// The identifier of its format; none for what is not read.
    pub format: Option<&'static str>,
    /// What is not read, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Mixed {
    /// In order of name; hidden ones, and the indexes of recordings that are here too, are left out.
    pub files: Vec<Listed>,
    /// Files that are one recording, by their names.
    pub together: Vec<Vec<String>>,
    /// Entries beyond those that are listed.
    pub left_out: usize,
}

/// What is in a folder, not in those below it.
///
/// # Errors
/// When it is no folder, or cannot be read.
pub fn list(folder: &Path, progress: &Progress) -> Result<Mixed, ImportError> {
    let input = Input::new(folder).map_err(|error| ImportError::io(folder, error))?;
    let mut entries = input
        .entries()
        .map_err(|error| ImportError::io(folder, error))?;
    let names: Vec<String> = entries.iter().map(name).collect();
    entries.retain(|entry| {
        let name = name(entry);
        let of = name.strip_suffix(index::SUFFIX);
        let has_recording = of.is_some_and(|of| names.iter().any(|it| it == of));
        !name.starts_with('.') && !has_recording
    });
    let mut mixed = Mixed {
        left_out: entries.len().saturating_sub(MOST),
        ..Mixed::default()
    };
    entries.truncate(MOST);
    progress.start(
        format!("looking at {}", folder.display()),
        entries.len() as u64,
    );
    let mut recordings = Vec::new();
    for entry in entries {
        progress.check()?;
        let listed = tell(&entry, progress)?;
        if listed.format.is_some_and(|it| it != index::FORMAT) {
            recordings.push(entry);
        }
        mixed.files.push(listed);
    }
    for group in groups(&recordings, progress)? {
        if group.len() > 1 {
            mixed.together.push(group.iter().map(name).collect());
        }
    }
    Ok(mixed)
}

fn name(input: &Input) -> String {
    let name = input.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn tell(entry: &Input, progress: &Progress) -> Result<Listed, ImportError> {
    let mut listed = Listed {
        file: name(entry),
        bytes: None,
        format: None,
        found: None,
    };
    if entry.is_dir() {
        let format = FORMATS.iter().find(|format| match format.kind {
            Kind::Directory { sniff, .. } => sniff(entry),
            Kind::File { .. } => false,
        });
        listed.format = format.map(|it| it.id);
        listed.found = listed.format.is_none().then(|| "a folder".to_owned());
        return Ok(listed);
    }
    listed.bytes = entry.size().ok();
    if !entry.is_file() {
        listed.found = Some("a pipe or device".to_owned());
        return Ok(listed);
    }
    let head = match stream::head(entry, progress) {
        Ok(head) => head,
        Err(ImportError::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(error) => {
            listed.found = Some(error.to_string());
            return Ok(listed);
        }
    };
    if head.starts_with(&MAGIC) {
        listed.format = Some(index::FORMAT);
    } else if archive::sniff(&head) {
        listed.found = Some("an archive; name it alone to open the recording in it".to_owned());
    } else if let Some(format) = read::known(&head) {
        listed.format = Some(format.0.id);
    } else {
        listed.found = Some(read::describe(entry, &head));
    }
    Ok(listed)
}
