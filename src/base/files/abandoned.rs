//! Files and folders under construction that a killed writer left: told by their name and their missing lock.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::regular::open_regular;

/// The end of the name of a file under construction.
pub const TEMPORARY: &str = ".callscape-tmp";

/// A name for something under construction that nothing else in this process has.
pub(super) fn name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!(".{}-{number}{TEMPORARY}", std::process::id())
}

/// Whether [`name`] gives such names.
fn is_ours(name: &str) -> bool {
    let inner = name
        .strip_prefix('.')
        .and_then(|it| it.strip_suffix(TEMPORARY));
    let parts = inner.and_then(|it| it.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    parts.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// As [`remove`], but once a folder: looking each time is slow where a thousand pictures follow each other.
pub(super) fn remove_once(dir: &Path) {
    static LOOKED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let Ok(dir) = dir.canonicalize() else {
        return;
    };
    let mut looked = LOOKED.lock().unwrap_or_else(PoisonError::into_inner);
    if looked.insert(dir.clone()) {
        remove(&dir);
    }
}

/// Removes what killed writers of this user left in `dir`.
pub fn remove(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // Of the entry itself, not of what a link leads to; a pipe must not be opened.
        let is_left = is_ours(&entry.file_name().to_string_lossy())
            && entry.metadata().is_ok_and(|of| is_of_user(&of))
            && open_regular(&path).is_ok_and(|file| file.try_lock().is_ok());
        if is_left {
            let _ = match path.is_dir() {
                true => fs::remove_dir_all(&path),
                false => fs::remove_file(&path),
            };
        }
    }
}

#[cfg(unix)]
fn is_of_user(of: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: a plain call, which cannot fail.
    let own = unsafe { libc::geteuid() };
    (of.is_file() || of.is_dir()) && of.uid() == own
}

#[cfg(not(unix))]
fn is_of_user(of: &Metadata) -> bool {
    of.is_file() || of.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn pipes_and_links_of_such_a_name_are_left_alone() {
        let name = format!("callscape-abandoned-test-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(dir.join(".1-1.callscape-tmp/in")).expect("a folder");
        fs::write(dir.join(".1-2.callscape-tmp"), "").expect("a file");
        let (pipe, link) = (
            dir.join(".1-3.callscape-tmp"),
            dir.join(".1-4.callscape-tmp"),
        );
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo is there").success());
        std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
        remove(&dir);
        let left = fs::read_dir(&dir).expect("a folder").flatten();
        let mut left: Vec<PathBuf> = left.map(|it| it.path()).collect();
        left.sort();
        assert_eq!(left, [pipe, link]);
        fs::remove_dir_all(&dir).expect("it is there");
    }

    #[test]
    fn own_names_are_told_from_those_of_others() {
        assert!(is_ours(&name()));
        for other in [
            ".callscape-tmp",
            "1-2.callscape-tmp",
            ".1-.callscape-tmp",
            ".-2.callscape-tmp",
            ".mine-1-2.callscape-tmp",
            ".1-2.callscape-tmp.json",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
