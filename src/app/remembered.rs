//! What the window keeps from one start to the next: the arrangement of the views, in a file of the
//! user's configuration directory.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dock::Dock;
use crate::presentation::files::write_beside;
use crate::state::panes::Arrangement;

/// What files of this version hold; others are not read.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    version: u32,
    views: Arrangement,
}

/// The file, and what it was last known to hold.
pub struct Memory {
    /// None where the user has no configuration directory.
    path: Option<PathBuf>,
    views: Arrangement,
}

impl Memory {
    /// Reads what is remembered: the memory, the dock, and what could not be read. Without a file the
    /// dock is the default one.
    pub fn recall() -> (Memory, Dock, Option<String>) {
        let path = dirs::config_dir().map(|dir| dir.join("callscape").join("window.json"));
        let recalled = path.as_deref().map(read).transpose();
        let (dock, notice) = match recalled {
            Ok(found) => match found.flatten() {
                Some(views) => arranged(&views),
                None => (Dock::default(), None),
            },
            Err(reason) => (Dock::default(), Some(reason)),
        };
        let views = dock.arrangement();
        (Memory { path, views }, dock, notice)
    }

    /// Keeps the arrangement of `dock` when it is another than the last one. An error is told once: it is
    /// not tried again before the arrangement changes.
    pub fn keep(&mut self, dock: &Dock) -> io::Result<()> {
        let views = dock.arrangement();
        let Some(path) = self.path.as_deref().filter(|_| views != self.views) else {
            return Ok(());
        };
        self.views.clone_from(&views);
        let version = VERSION;
        let text = serde_json::to_string_pretty(&Remembered { version, views })?;
        write_beside(path, text.as_bytes())
    }
}

fn arranged(views: &Arrangement) -> (Dock, Option<String>) {
    let (dock, unknown) = Dock::arranged(views);
    let notice = (!unknown.is_empty()).then(|| {
        format!(
            "Views that are not known are left out: {}",
            unknown.join(", ")
        )
    });
    (dock, notice)
}

/// The arrangement in the file at `path`, none where there is no file.
fn read(path: &Path) -> Result<Option<Arrangement>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let found: Remembered =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    if found.version != VERSION {
        let (found, path) = (found.version, path.display());
        return Err(format!("{path}: expected version {VERSION}, found {found}"));
    }
    Ok(Some(found.views))
}
