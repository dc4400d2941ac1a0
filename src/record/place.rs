//! Where recordings go: their names, what is there already, and how large they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::error::RecordError;
use super::program::Program;
use super::recorder::Recorder;
use super::run::Wish;
use crate::units;

/// Where a recording goes: where was asked for, else into the folder that the program runs in, named after program and
/// time. Nothing is ever written over.
pub fn output(wish: &Wish, program: &Program, by: Recorder) -> Result<PathBuf, RecordError> {
    let folder = wish.folder.as_deref().unwrap_or(Path::new(""));
    named(wish.output.as_deref(), folder, &program.name(), by)
}

/// The same for a program of this name.
pub fn named(
    wanted: Option<&Path>,
    folder: &Path,
    name: &str,
    by: Recorder,
) -> Result<PathBuf, RecordError> {
    if let Some(wanted) = wanted {
        if wanted.symlink_metadata().is_ok() {
            let reason = "expected a name that is not taken yet, found something there";
            return Err(RecordError::program(wanted, reason));
        }
        return Ok(wanted.to_path_buf());
    }
    let stamp = now();
    let name = plain(name);
    let path = |number: u32| match number {
        1 => folder.join(format!("{name}-{stamp}.{}", by.ending())),
        number => folder.join(format!("{name}-{stamp}-{number}.{}", by.ending())),
    };
    let free = (1..1000)
        .map(path)
        .find(|it| it.symlink_metadata().is_err());
    free.ok_or_else(|| {
        let reason = "expected a free name in the folder, found a thousand of this second";
        RecordError::program(&path(1), reason)
    })
}

/// The time as names of recordings have it.
pub fn now() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    stamp(now.unwrap_or_default().as_secs())
}

/// A name that is easy to type: without what shells and other systems take for something else.
fn plain(name: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "._+-".contains(it);
    let name: String = name
        .chars()
        .map(|it| if is_plain(it) { it } else { '_' })
        .collect();
    let name = name.trim_start_matches(['-', '.']);
    match name.is_empty() {
        true => "program".to_owned(),
        false => name.chars().take(80).collect(),
    }
}

/// Seconds since 1970 as `20261125-194800`, in universal time.
fn stamp(seconds: u64) -> String {
    let (day, rest) = (seconds / 86_400, seconds % 86_400);
    let date = units::date(i64::try_from(day).unwrap_or(i64::MAX)).replace('-', "");
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{date}-{hour:02}{minute:02}{second:02}")
}

/// Whether there is white space in a path, which some recorders cannot read.
pub fn has_space(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().any(u8::is_ascii_whitespace)
}

/// The bytes of a file, or of the files in a folder.
pub fn bytes(path: &Path) -> u64 {
    let Ok(metadata) = path.metadata() else {
        return 0;
    };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let sizes = entries
        .filter_map(|entry| entry.metadata().ok())
        .filter(|it| it.is_file());
    sizes.map(|it| it.len()).sum()
}

/// A folder beside the recording in which a recorder writes until it is whole; removed when this is dropped.
pub struct Workplace(pub PathBuf);

impl Workplace {
    pub fn beside(output: &Path) -> Result<Workplace, RecordError> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let mut name = std::ffi::OsString::from(".");
        name.push(output.file_name().unwrap_or_default());
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        name.push(format!("-{process}-{number}{}", crate::files::TEMPORARY));
        let folder = output.with_file_name(name);
        fs::create_dir(&folder).map_err(|error| RecordError::io(&folder, error))?;
        Ok(Workplace(folder))
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What cannot be removed is only in the way.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Puts the files of a folder with this ending where the recording was to go, the largest first: others are numbered.
pub fn collect(folder: &Path, ending: &str, output: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let entries = fs::read_dir(folder).map_err(|error| RecordError::io(folder, error))?;
    let mut found: Vec<(u64, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.len(), entry.path())))
        .filter(|(size, path)| *size > 0 && path.to_string_lossy().ends_with(ending))
        .collect();
    found.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    let mut paths = Vec::new();
    for (number, (_, from)) in (1..).zip(found) {
        let to = match number {
            1 => output.to_path_buf(),
            number => numbered(output, number),
        };
        fs::rename(&from, &to).map_err(|error| RecordError::io(&to, error))?;
        paths.push(to);
    }
    Ok(paths)
}

/// `app.cpuprofile` as `app-2.cpuprofile`.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    let dot = if ending.is_empty() { "" } else { "." };
    path.with_file_name(format!("{stem}-{number}{dot}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_399), "20000228-235959");
        assert_eq!(stamp(951_782_400), "20000229-000000");
        assert_eq!(stamp(1_795_722_480), "20261126-194800");
    }

    #[test]
    fn names_are_plain() {
        for (name, expected) in [
            ("app", "app"),
            ("my app;rm", "my_app_rm"),
            ("--help", "help"),
            ("..", "program"),
            ("libfoo-1.2+b", "libfoo-1.2+b"),
        ] {
            assert_eq!(plain(name), expected);
        }
        let numbered = numbered(Path::new("a/b.viztracer.json"), 2);
        assert_eq!(numbered, Path::new("a/b-2.viztracer.json"));
    }
}
