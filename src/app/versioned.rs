//! Files of the user's own directories: JSON with a version.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use callscape_base::files;
use callscape_presentation::files::write_beside;

/// What files of this version hold; others are not read.
const VERSION: u32 = 1;

/// No such file has more bytes.
const LARGEST: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    contents: T,
}

/// What is in the file at `path`, nothing where there is no file; or what is wrong with it, in a sentence.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    let text = match files::read_text(path, LARGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let found: Versioned<T> =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    if found.version != VERSION {
        let (found, path) = (found.version, path.display());
        return Err(format!("{path}: expected version {VERSION}, found {found}"));
    }
    Ok(Some(found.contents))
}

/// Writes the file beside `path` and renames it; folders that are missing are made.
pub(crate) fn write<T: Serialize>(path: &Path, contents: &T) -> io::Result<()> {
    let version = VERSION;
    let text = serde_json::to_string_pretty(&Versioned { version, contents })?;
    write_beside(path, text.as_bytes())
}
