//! What the window keeps from one start to the next: the arrangement of the views, in a file of the
//! user's configuration directory.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::versioned;
use callscape_state::panes::{Arrangement, Panes};

#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    views: Arrangement,
}

/// The file, and what it was last known to hold.
pub(crate) struct Memory {
    /// None where the user has no configuration directory.
    path: Option<PathBuf>,
    views: Arrangement,
}

impl Memory {
    /// Reads the remembered state and arranges `panes` by it. Also returns why it could not be read; if there is no file,
    /// `panes` are unchanged.
    pub(crate) fn recall(panes: &mut Panes) -> (Memory, Option<String>) {
        let path = dirs::config_dir().map(|dir| dir.join("callscape").join("window.json"));
        let recalled = path.as_deref().map(versioned::read).transpose();
        let notice = match recalled {
            Ok(found) => match found.flatten() {
                Some(Remembered { views }) => not_known(&panes.arrange(&views)),
                None => None,
            },
            Err(reason) => Some(reason),
        };
        let views = panes.arrangement().clone();
        (Memory { path, views }, notice)
    }

    /// Keeps an arrangement when it is another than the last one. An error is told once: it is not tried again before
    /// the arrangement changes.
    pub(crate) fn keep(&mut self, views: &Arrangement) -> io::Result<()> {
        let Some(path) = self.path.as_deref().filter(|_| *views != self.views) else {
            return Ok(());
        };
        self.views.clone_from(views);
        let views = views.clone();
        versioned::write(path, &Remembered { views })
    }
}

fn not_known(unknown: &[String]) -> Option<String> {
    (!unknown.is_empty()).then(|| format!("Unknown views are ignored: {}", unknown.join(", ")))
}
