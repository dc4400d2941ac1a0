//! Files that appear under their name when they are whole: written beside, on the disk, then renamed. Until then, and
//! where that fails, what had the name stays. And where programs are.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

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

/// What a file under construction is called: it ends in this.
pub const TEMPORARY: &str = ".callscape-tmp";

/// A file under construction. It is locked for as long as its writer lives and removed unless it is
/// kept; what a killed writer left is told by its missing lock.
#[derive(Debug)]
pub struct Temporary {
    pub file: File,
    path: PathBuf,
    kept: bool,
}

impl Temporary {
    /// Makes a new file in the folder of `path`, to be kept as that.
    pub fn beside(path: &Path) -> io::Result<Temporary> {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        // What killed writers left stays: to look for it each time is slow where a thousand pictures follow each other.
        Temporary::new(folder.unwrap_or(Path::new(".")))
    }

    /// Makes a new file in `dir`, and removes those that killed writers left there.
    pub fn create(dir: &Path) -> io::Result<Temporary> {
        remove_abandoned(dir);
        Temporary::new(dir)
    }

    fn new(dir: &Path) -> io::Result<Temporary> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!(".{}-{number}{TEMPORARY}", std::process::id());
            let path = dir.join(name);
            let mut options = File::options();
            let file = match options.read(true).write(true).create_new(true).open(&path) {
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

    /// Gives the finished file its name, replacing what had it.
    pub fn keep_as(mut self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(&self.path, path)?;
        self.kept = true;
        sync_folder(path);
        Ok(())
    }

    /// Gives the file a name that nothing has; an error of the kind `AlreadyExists` where something does. It stays open, to be
    /// written on.
    pub fn name_as(&self, path: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        match std::fs::hard_link(&self.path, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                // Not every file system has links. The name is taken by this, and then by the file.
                File::create_new(path)?;
                std::fs::rename(&self.path, path)?;
            }
            linked => linked?,
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

/// Lets the name of a file survive a power failure, as its content does already.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

fn remove_abandoned(dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().ends_with(TEMPORARY)
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
        }
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
