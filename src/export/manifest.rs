//! The manifest of a pack: what the pack is of, and the names and sizes of its files. Nothing in it is trusted.

use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use callscape_base::progress::Cancelled;

pub(crate) const FORMAT: &str = "callscape-pack";
/// What packs of this version hold; others are not read.
pub(crate) const VERSION: u32 = 1;
pub(crate) const MANIFEST: &str = "callscape-pack.json";
/// More files than any source tree has that people share.
pub(crate) const MOST_FILES: usize = 500_000;

/// Why a pack could not be written or opened.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{place}: expected {expected}, found {found}")]
    Malformed {
        place: String,
        expected: String,
        found: String,
    },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What a pack is of, by the names of its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// The structure, or the folder of the source tree.
    pub source: Option<String>,
    pub recordings: Vec<String>,
    /// Of two sides that are compared; 0 where nothing is said of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub runs_of_a: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_of_a: Option<String>,
    pub mapping: Option<String>,
    pub session: Option<String>,
    pub scenes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub format: String,
    pub version: u32,
    #[serde(flatten)]
    pub parts: Parts,
    pub files: Vec<Listed>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub name: String,
    pub bytes: u64,
}

pub(crate) fn malformed(
    place: impl Into<String>,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> PackError {
    PackError::Malformed {
        place: place.into(),
        expected: expected.into(),
        found: found.into(),
    }
}

/// The manifest in `text`, unless it says something that cannot be.
pub(crate) fn checked(shown: &str, text: &[u8], limit: u64) -> Result<Manifest, PackError> {
    let place = |of: &str| format!("{shown}, {MANIFEST}{of}");
    let manifest: Manifest = serde_json::from_slice(text)
        .map_err(|error| malformed(place(""), "a manifest", error.to_string()))?;
    if manifest.format != FORMAT || manifest.version != VERSION {
        let found = format!("{} of version {}", manifest.format, manifest.version);
        let expected = format!("{FORMAT} of version {VERSION}");
        return Err(malformed(place(""), expected, found));
    }
    if manifest.files.len() > MOST_FILES {
        let expected = format!("at most {MOST_FILES} files");
        return Err(malformed(
            place(""),
            expected,
            manifest.files.len().to_string(),
        ));
    }
    let mut total: u64 = 0;
    let mut names = BTreeSet::new();
    for file in &manifest.files {
        total = total.saturating_add(file.bytes);
        if !is_plain(&file.name) || file.name == MANIFEST {
            let expected = "names inside of the pack";
            return Err(malformed(place(""), expected, format!("'{}'", file.name)));
        }
        if !names.insert(&file.name) {
            let found = format!("two files named '{}'", file.name);
            return Err(malformed(place(""), "a name for each file", found));
        }
    }
    if total > limit {
        let expected = format!("at most {limit} bytes for a pack of this size");
        return Err(malformed(place(""), expected, format!("{total}")));
    }
    let parts = &manifest.parts;
    let single = [
        &parts.source,
        &parts.source_of_a,
        &parts.mapping,
        &parts.session,
    ];
    let named = single.into_iter().flatten();
    for name in named.chain(&parts.recordings).chain(&parts.scenes) {
        // A source tree, and a recording that is a folder, are named by the folder.
        let inside = format!("{name}/");
        let next = names.range::<String, _>(&inside..).next();
        let is_there = names.contains(name) || next.is_some_and(|it| it.starts_with(&inside));
        if !is_plain(name) || !is_there {
            let found = format!("'{name}'");
            return Err(malformed(place(""), "parts that are in the pack", found));
        }
    }
    Ok(manifest)
}

/// Whether a name leads to a file below the folder that it is joined to, on every system.
fn is_plain(name: &str) -> bool {
    let path = Path::new(name);
    let is_odd = |part: &str| {
        // Names that Windows reads as something else.
        let stem = part
            .split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        let is_device = matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL")
            || (stem.len() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")));
        part.is_empty() || part == "." || (cfg!(windows) && is_device)
    };
    name.len() <= 4096
        && !name.contains(['\0', '\\', ':'])
        && name.split('/').all(|part| !is_odd(part))
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}
