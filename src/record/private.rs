//! The private folder beside a recording, in which its recorder writes until it is whole. Whoever has created it holds a lock
//! on it, so that others see whether that process lives.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::RecordError;

/// How the name of a private folder ends, after a dot and the name of the recording.
pub(crate) const PRIVATE: &str = ".record.callscape-tmp";

/// The private folder of a recording.
pub(crate) fn of(output: &Path) -> Result<PathBuf, RecordError> {
    let name = output.file_name().ok_or_else(|| {
        RecordError::program(output, "expected the name of a file, found a folder")
    })?;
    let mut private = OsString::from(".");
    private.push(name);
    private.push(PRIVATE);
    let output = std::path::absolute(output).map_err(|error| RecordError::io(output, error))?;
    Ok(output.with_file_name(private))
}

#[cfg(unix)]
pub(crate) fn create(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
pub fn create(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
}

/// Whether a folder that this process has created is its own.
pub(crate) enum Held {
    /// Locked for as long as the file is open; none where the system locks no folders: then it is never taken for abandoned.
    Yes(Option<File>),
    /// Another process has taken it for abandoned.
    Gone,
}

/// Whoever looks whether a folder is abandoned holds it for no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// Locks a folder that this process has created.
pub(crate) fn hold(folder: &Path) -> Held {
    let Ok(file) = open(folder) else {
        return match folder.exists() {
            true => Held::Yes(None),
            false => Held::Gone,
        };
    };
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) if is_same(&file, folder) => return Held::Yes(Some(file)),
            Err(fs::TryLockError::WouldBlock)
                if begin.elapsed() < PATIENCE && is_same(&file, folder) =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(fs::TryLockError::Error(_)) => return Held::Yes(None),
            _ => return Held::Gone,
        }
    }
}

/// Whether the process that made a private folder is there and holds it, as far as that can be known.
pub(crate) fn is_held(folder: &Path) -> bool {
    let Ok(file) = open(folder) else {
        return false;
    };
    !matches!(file.try_lock_shared(), Ok(()))
}

/// Opens a folder, and nothing else.
#[cfg(unix)]
pub(crate) fn open(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    File::options().read(true).custom_flags(flags).open(folder)
}

#[cfg(not(unix))]
pub fn open(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether an open folder still has this name.
#[cfg(unix)]
pub(crate) fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let id = |it: fs::Metadata| (it.dev(), it.ino());
    let found = path.symlink_metadata().map(id).ok();
    found.is_some() && found == file.metadata().map(id).ok()
}

#[cfg(not(unix))]
pub fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}
