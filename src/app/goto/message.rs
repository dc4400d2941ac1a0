//! What is sent: the place of a line, and the answer to it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// No message is longer, in bytes: paths are no longer than 4096, and each byte of one may take six.
pub(super) const LONGEST: u64 = 32 << 10;

/// What one side waits for the other to write or read; in tests as long as a busy machine may take.
pub(super) const PATIENCE: std::time::Duration =
    std::time::Duration::from_secs(if cfg!(test) { 60 } else { 2 });

/// A line to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// From the root, without links.
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// Reads `FILE:LINE`, also with a column behind it, as compilers write it; without a line the first one.
pub fn place(text: &str) -> anyhow::Result<Place> {
    use anyhow::Context;
    let number = |text: &str| text.parse::<u32>().ok().filter(|&it| it > 0);
    let (mut file, mut line) = (text, 1);
    // As often as there are numbers at the end: the first of two is the line.
    for _ in 0..2 {
        if std::path::Path::new(file).exists() {
            break;
        }
        if let Some((before, last)) = file.rsplit_once(':')
            && let Some(found) = number(last)
        {
            (file, line) = (before, found);
        }
    }
    let file = std::fs::canonicalize(file).with_context(|| {
        format!("{text}: expected an existing file and a line, as in src/a.c:12")
    })?;
    Ok(Place { file, line })
}
