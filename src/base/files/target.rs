//! What the path of an output leads to.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::standard;

/// As many links as systems follow.
const MOST_LINKS: usize = 40;

/// What a path leads to, behind links.
#[derive(Debug, PartialEq)]
pub(super) enum Target {
    /// A file, or nothing yet: replaced by renaming another one over it.
    File(PathBuf),
    /// A device or a pipe, or an open file of a process: written to.
    Stream(PathBuf),
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

impl Target {
    pub(super) fn of(path: &Path) -> io::Result<Target> {
        let mut at = path.to_owned();
        for _ in 0..MOST_LINKS {
            if of_process(&at).is_some() {
                return Ok(Target::Stream(at));
            }
            let found = match fs::symlink_metadata(&at) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Target::File(at));
                }
                found => found?.file_type(),
            };
            if found.is_symlink() {
                at = folder_of(&at).join(fs::read_link(&at)?);
            } else if is_socket(found) {
                let text = "expected a file, a pipe or a device, found a socket";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            } else if found.is_file() || found.is_dir() {
                return Ok(Target::File(at));
            } else {
                return Ok(Target::Stream(at));
            }
        }
        Err(io::Error::other("too many chained links"))
    }

    /// Where a file for it is made.
    pub(super) fn folder(&self) -> PathBuf {
        match self {
            Target::File(path) => folder_of(path).to_owned(),
            Target::Stream(_) => std::env::temp_dir(),
        }
    }

    /// Opens it to be written to.
    pub(super) fn open(&self) -> io::Result<File> {
        let (Target::File(path) | Target::Stream(path)) = self;
        #[cfg(unix)]
        if let Some(Some(number)) = of_process(path) {
            use std::os::fd::BorrowedFd;
            standard::ensure_open(number)?;
            // SAFETY: a number that no file is open under is an error of cloning, and nothing here closes it meanwhile.
            let open = unsafe { BorrowedFd::borrow_raw(number) };
            // Opened anew, it would begin at its start, where something may stand already.
            return Ok(File::from(open.try_clone_to_owned()?));
        }
        File::options().write(true).open(path)
    }
}

/// Whether the path is that of an open file of a process, as `/dev/fd/3`, and under which number this process has it open;
/// no number where it is one of another process.
fn of_process(path: &Path) -> Option<Option<i32>> {
    if !cfg!(unix) {
        return None;
    }
    let number: i32 = path.file_name()?.to_str()?.parse().ok()?;
    let folder = folder_of(path).canonicalize().ok()?;
    let own = Path::new("/proc").join(std::process::id().to_string());
    let is_own = folder == Path::new("/dev/fd") || folder.starts_with(own);
    let is_of_any = folder.starts_with("/proc") && folder.ends_with("fd");
    (is_own || is_of_any).then_some((is_own && number >= 0).then_some(number))
}

#[cfg(unix)]
fn is_socket(of: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    of.is_socket()
}

#[cfg(not(unix))]
fn is_socket(_: fs::FileType) -> bool {
    false
}
