//! Files that others may have put in the place of a regular one.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens a regular file or a folder. A pipe or a device is an error, and is not opened: that may wait for ever, and may do
/// something.
pub fn open_regular(path: &Path) -> io::Result<File> {
    ensure_regular(&path.metadata()?)?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    // It may be another one by now.
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    ensure_regular(&file.metadata()?)?;
    Ok(file)
}

fn ensure_regular(of: &Metadata) -> io::Result<()> {
    match of.is_file() || of.is_dir() {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected a file, found a pipe or a device",
        )),
    }
}
