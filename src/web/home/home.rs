//! The user's home folder; none in a browser.

use std::path::PathBuf;

/// The home folder, as the standard library finds it.
#[must_use]
pub fn home_dir() -> Option<PathBuf> {
    std::env::home_dir()
}
