//! `callscape --goto FILE:LINE`: has the window that shows the source tree of a file show a line of it, so that an editor can
//! lead here as we lead to it.
//!
//! Each window listens at a local socket of its own in the user's runtime folder, which nobody else may enter. A message is
//! one line of JSON, `{"file": "/src/a.c", "line": 12}`, the answer another, `{}` or `{"error": "…"}`. Both are bounded; what
//! is not understood is refused and changes nothing.

#[cfg(unix)]
mod listen;
#[cfg(unix)]
mod tell;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[cfg(unix)]
pub use self::listen::Listener;

/// No message is longer, in bytes: paths are no longer than 4096, and each byte of one may take six.
const LONGEST: u64 = 32 << 10;

/// What one side waits for the other to write or read; in tests as long as a busy machine may take.
const PATIENCE: std::time::Duration =
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
struct Answer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
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

/// Has an open window show a line: the one opened last that shows the file's source tree.
#[cfg(unix)]
pub fn go_to(place: &Place) -> anyhow::Result<()> {
    tell::tell(&listen::folder()?, place)
}

/// Has an open window show a line.
#[cfg(not(unix))]
pub fn go_to(_: &Place) -> anyhow::Result<()> {
    anyhow::bail!("on this system windows do not listen: --goto needs local sockets")
}

/// Where there are no local sockets, nobody asks.
#[cfg(not(unix))]
pub struct Listener;

#[cfg(not(unix))]
impl Listener {
    pub fn start(_: impl Fn() + Send + 'static) -> anyhow::Result<Listener> {
        anyhow::bail!("this system has no local sockets")
    }

    pub fn answer(&self, _: impl FnMut(&Place) -> Result<(), String>) {}
}

#[cfg(all(test, unix))]
mod tests;
