//! Where inputs lie: on the disk, and in a browser in memory.

#[cfg(not(target_arch = "wasm32"))]
mod own {
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    pub use std::fs::{File, Metadata};

    /// What is known of the file or folder at `path`.
    pub fn metadata(path: &Path) -> io::Result<Metadata> {
        fs::metadata(path)
    }

    /// The path of a file or folder without links and `..`.
    pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    /// Opens a file to be read.
    pub fn open(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    /// Opens a regular file or a folder to be read.
    pub fn open_regular(path: &Path) -> io::Result<File> {
        crate::files::open_regular(path)
    }

    /// A new file in a folder that is made where it is missing.
    pub fn create_new(path: &Path) -> io::Result<File> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        File::create_new(path)
    }
}

#[cfg(target_arch = "wasm32")]
use super::held as own;

pub use own::{File, Metadata, canonicalize, create_new, metadata, open, open_regular};

use std::path::Path;

/// Whether a file is at `path`.
pub fn is_file(path: &Path) -> bool {
    metadata(path).is_ok_and(|it| it.is_file())
}

/// Whether a folder is at `path`.
pub fn is_dir(path: &Path) -> bool {
    metadata(path).is_ok_and(|it| it.is_dir())
}

/// Whether anything is at `path`.
pub fn exists(path: &Path) -> bool {
    metadata(path).is_ok()
}
