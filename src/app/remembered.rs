//! What the window keeps from one start to the next: the arrangement of the views, in a file of the
//! user's configuration directory.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::dock::Dock;
use super::versioned;
use callscape_state::panes::Arrangement;

#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
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
        let recalled = path.as_deref().map(versioned::read).transpose();
        let (dock, notice) = match recalled {
            Ok(found) => match found.flatten() {
                Some(Remembered { views }) => arranged(&views),
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
        versioned::write(path, &Remembered { views })
    }
}

fn arranged(views: &Arrangement) -> (Dock, Option<String>) {
    let (dock, unknown) = Dock::arranged(views);
    let notice =
        (!unknown.is_empty()).then(|| format!("Unknown views are ignored: {}", unknown.join(", ")));
    (dock, notice)
}
