//! The one way to write an output. Files appear under their name when they are whole: written beside, on the disk, then
//! renamed. Until then, and where that fails, what had the name stays. Devices and pipes are written to. And where programs
//! are.

mod abandoned;
pub mod disk;
mod folder;
#[cfg(any(test, target_arch = "wasm32"))]
pub mod held;
mod limit;
mod private;
mod regular;
mod standard;
mod target;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use target::{Target, folder_of};

pub use abandoned::{TEMPORARY, remove as remove_abandoned};
pub use folder::Folder;
pub use limit::{fail_at_limit, start_with_limit};
pub use private::{RUNTIME_FOLDER, has_own_runtime_folder, private_folder, set_runtime_folder};
pub use regular::open_regular;
pub use standard::output as standard_output;

/// All of the file at `path`, which may be a pipe; an error where there is more than `most`, as of a device.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = disk::open(path)?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let text = format!("expected at most {most} bytes, found more");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// The same as text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Writes `bytes` to the file at `path`.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, |out| out.write_all(bytes))
}

/// Writes what `write` gives to the file at `path`.
pub fn write_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = Temporary::beside(path)?;
    let mut out = BufWriter::new(&temporary.file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    temporary.keep_as(path)
}

/// A file under construction. It is locked for as long as its writer lives and removed unless it is
/// kept; what a killed writer left has no lock, and the next writer in that folder removes it.
#[derive(Debug)]
pub struct Temporary {
    pub file: File,
    path: PathBuf,
    kept: bool,
}

impl Temporary {
    /// Makes a new file to be kept as `path`: in the folder of that, or of what it links to; among the temporary files
    /// where it is a device or a pipe, which is written to and not replaced. An error where nothing can be written there.
    pub fn beside(path: &Path) -> io::Result<Temporary> {
        let folder = Target::of(path)?.folder();
        let made = Temporary::new(&folder)?;
        abandoned::remove_once(&folder);
        Ok(made)
    }

    /// Makes a new file in `dir`, and removes those that killed writers left there.
    pub fn create(dir: &Path) -> io::Result<Temporary> {
        let made = Temporary::new(dir)?;
        abandoned::remove(dir);
        Ok(made)
    }

    fn new(dir: &Path) -> io::Result<Temporary> {
        loop {
            let path = dir.join(abandoned::name());
            let mut options = File::options();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            if dir == std::env::temp_dir() {
                // Others use that folder too.
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            }
            let file = match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            // Where files cannot be locked, nothing is ever found abandoned.
            let _ = file.lock();
            let kept = false;
            // Before it was locked, another process may have taken it for abandoned.
            if path.exists() {
                return Ok(Temporary { file, path, kept });
            }
        }
    }

    /// Gives the finished file its name, replacing what had it; a link stays, and what it leads to is replaced. Into a
    /// device or a pipe the bytes are copied: a pipe is waited for until somebody reads it.
    pub fn keep_as(mut self, path: &Path) -> io::Result<()> {
        let path = match Target::of(path)? {
            Target::File(path) => path,
            stream => {
                self.file.seek(SeekFrom::Start(0))?;
                return io::copy(&mut self.file, &mut stream.open()?).map(|_| ());
            }
        };
        self.file.sync_all()?;
        std::fs::rename(&self.path, &path)?;
        self.kept = true;
        sync_folder(&path);
        Ok(())
    }

    /// Gives the finished file a name that nothing has; an error of the kind `AlreadyExists` where something has it.
    pub fn keep_as_new(&mut self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        match std::fs::hard_link(&self.path, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) => {}
            // There are file systems without links: there the name is taken first.
            Err(_) => {
                File::create_new(path)?;
                std::fs::rename(&self.path, path)?;
                self.kept = true;
            }
        }
        sync_folder(path);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Has the names in the folder of `path` survive a power failure; the contents do already.
fn sync_folder(path: &Path) {
    if let Ok(dir) = File::open(folder_of(path)) {
        let _ = dir.sync_all();
    }
}

/// Whether writing `path` would replace a file: a device or a pipe is written to and stays.
pub fn is_taken(path: &Path) -> bool {
    match Target::of(path) {
        Ok(Target::File(path)) => path.symlink_metadata().is_ok(),
        _ => false,
    }
}

/// The program of a name, on the search path, or at a path from the root. What the search path names relative to the current
/// directory is left out: that may be a tree of somebody else.
pub fn program(name: &OsStr) -> Option<PathBuf> {
    find(name, std::env::var_os("PATH"))
}

fn find(name: &OsStr, search: Option<OsString>) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return is_program(path).then(|| path.to_owned());
    }
    if name.is_empty() || path.components().count() != 1 {
        return None;
    }
    let search = search?;
    let mut folders = std::env::split_paths(&search).filter(|it| it.is_absolute());
    folders.find_map(|folder| {
        let endings = if cfg!(windows) {
            &["exe", "cmd", "bat"][..]
        } else {
            &[]
        };
        let plain = folder.join(path);
        let with_endings = endings.iter().map(|ending| plain.with_extension(ending));
        let mut all = std::iter::once(plain.clone()).chain(with_endings);
        all.find(|it| is_program(it))
    })
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = path.metadata();
    metadata.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.extension().is_some() && path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let name = format!("callscape-files-test-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder among the temporary files");
        let path = folder.join("kept.txt");
        write(&path, b"first").expect("there is room");
        let failed = write_with(&path, |out| {
            out.write_all(b"half of it")?;
            Err(io::ErrorKind::Other.into())
        });
        assert!(failed.is_err());
        let read = || std::fs::read(&path).expect("it is there");
        assert_eq!(read(), b"first");
        write(&path, b"second").expect("there is room");
        assert_eq!(read(), b"second");
        let left = std::fs::read_dir(&folder).expect("it is there").count();
        assert_eq!(left, 1, "nothing else stays behind");
        std::fs::remove_dir_all(&folder).expect("it is there");
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_on_the_search_path_and_not_in_the_current_folder() {
        use std::os::unix::fs::PermissionsExt;
        let name = format!("callscape-programs-test-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let path = folder.join("a program");
        std::fs::create_dir_all(folder.join("tree")).expect("a folder");
        for (path, mode) in [(&path, 0o755), (&folder.join("text"), 0o644)] {
            std::fs::write(path, "#!/bin/sh\n").expect("a file");
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).expect("its mode");
        }
        std::fs::copy(&path, folder.join("tree/a program")).expect("a file");
        let find = |name: &str, search: &str| find(OsStr::new(name), Some(search.into()));
        let here = folder.to_str().expect("text");
        assert_eq!(find("a program", here), Some(path.clone()));
        assert_eq!(find("text", here), None);
        assert_eq!(find("a program", "/no/such"), None);
        assert_eq!(find("a program", "tree:.:"), None);
        assert_eq!(find("./a program", here), None);
        assert_eq!(find("tree/a program", here), None);
        assert_eq!(find("", here), None);
        assert_eq!(find(path.to_str().expect("text"), ""), Some(path));
        std::fs::remove_dir_all(&folder).expect("it is there");
    }
}
