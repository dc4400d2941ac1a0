//! A folder under construction.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::abandoned;
use super::target::Target;

/// A folder under construction: locked for as long as its writer lives, where folders can be locked, and removed unless
/// it is kept.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Holds the lock.
    _file: Option<File>,
}

impl Folder {
    /// Makes a new folder beside `path`, where a file for it would be made.
    pub fn beside(path: &Path) -> io::Result<Folder> {
        let around = Target::of(path)?.folder();
        loop {
            let path = around.join(abandoned::name());
            match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            let file = File::open(&path).ok();
            if let Some(file) = &file {
                let _ = file.lock();
                abandoned::remove(&around);
            }
            // Before it was locked, another process may have taken it for abandoned.
            if path.exists() {
                return Ok(Folder { path, _file: file });
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the finished folder its name, which nothing may have but an empty folder.
    pub fn keep_as(&self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is gone already where it was renamed; what cannot be removed is removed by the next writer.
        let _ = fs::remove_dir_all(&self.path);
    }
}
