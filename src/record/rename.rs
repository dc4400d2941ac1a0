//! Giving something a name that is free, in one step: never looking first.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::error::RecordError;

/// So many names are tried.
const MOST: usize = 10_000;

/// Gives a file or folder a name beside it that is free: `to`, or the first numbered one.
pub(crate) fn to_free(from: &Path, to: &Path, ending: &str) -> Result<PathBuf, RecordError> {
    for number in 1..MOST {
        let to = numbered(to, ending, number);
        match to_new(from, &to) {
            Ok(()) => return Ok(to),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(RecordError::io(&to, error)),
        }
    }
    let reason = "expected a free name, found ten thousand recordings";
    Err(RecordError::program(to, reason))
}

/// `app.cpuprofile` as `app-2.cpuprofile`; the first is not numbered.
pub(crate) fn numbered(path: &Path, ending: &str, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_path_buf();
    }
    let name = path.file_name().unwrap_or_default();
    let Some(text) = name.to_str() else {
        let mut name = name.to_owned();
        name.push(format!("-{number}"));
        return path.with_file_name(name);
    };
    let own = text
        .strip_suffix(ending)
        .and_then(|it| it.strip_suffix('.'));
    let (stem, ending) = match own {
        Some(stem) => (stem, ending),
        None => text.rsplit_once('.').unwrap_or((text, "")),
    };
    let dot = if ending.is_empty() { "" } else { "." };
    path.with_file_name(format!("{stem}-{number}{dot}{ending}"))
}

/// Renames a file or folder; an error of the kind `AlreadyExists` where something has that name, which stays as it is.
pub(crate) fn to_new(from: &Path, to: &Path) -> io::Result<()> {
    match at_once(from, to) {
        // Not every file system can.
        Err(error) if error.kind() == ErrorKind::Unsupported => by_creating(from, to),
        done => done,
    }
}

/// Creates the name, which nobody else can then, and renames over it.
fn by_creating(from: &Path, to: &Path) -> io::Result<()> {
    match from.is_dir() {
        true => fs::create_dir(to)?,
        false => drop(File::create_new(to)?),
    }
    fs::rename(from, to)
}

#[cfg(target_os = "linux")]
fn at_once(from: &Path, to: &Path) -> io::Result<()> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;

    let [from, to] = [from, to].map(|it| CString::new(it.as_os_str().as_bytes()));
    let (from, to) = (from?, to?);
    let here = libc::AT_FDCWD;
    let flags = libc::RENAME_NOREPLACE;
    // SAFETY: both names end with a zero and live until it returns.
    let done = unsafe { libc::renameat2(here, from.as_ptr(), here, to.as_ptr(), flags) };
    if done == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    Err(match error.raw_os_error() {
        Some(libc::EINVAL | libc::ENOSYS) => ErrorKind::Unsupported.into(),
        _ => error,
    })
}

#[cfg(not(target_os = "linux"))]
fn at_once(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_names_are_numbered() {
        for (path, ending, expected) in [
            (
                "a/b.viztracer.json",
                "viztracer.json",
                "a/b-2.viztracer.json",
            ),
            (
                "a/json.tool.viztracer.json",
                "viztracer.json",
                "a/json.tool-2.viztracer.json",
            ),
            ("b", "uftrace", "b-2"),
            ("b.json", "viztracer.json", "b-2.json"),
        ] {
            assert_eq!(numbered(Path::new(path), ending, 2), Path::new(expected));
        }
    }

    #[test]
    fn what_has_the_name_stays() {
        let name = format!("callscape-rename-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for rename in [to_new, by_creating] {
            for inner in ["tree", "taken tree"] {
                fs::create_dir_all(folder.join(inner)).expect("a folder");
            }
            for (file, text) in [("file", "new"), ("taken", "old"), ("tree/inner", "new")] {
                fs::write(folder.join(file), text).expect("writable");
            }
            let try_it = |from: &str, to: &str| rename(&folder.join(from), &folder.join(to));
            for (from, to) in [("file", "taken"), ("tree", "taken"), ("tree", "taken tree")] {
                let refused = try_it(from, to).expect_err("it is taken");
                assert_eq!(refused.kind(), ErrorKind::AlreadyExists, "{from} {to}");
            }
            try_it("file", "free").expect("it is free");
            try_it("tree", "free tree").expect("it is free");
            let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
            let all = ["taken", "free", "free tree/inner"].map(read);
            assert_eq!(all, ["old", "new", "new"]);
            assert!(!folder.join("file").exists() && !folder.join("tree").exists());
            fs::remove_dir_all(&folder).expect("it can be removed");
        }
    }
}
