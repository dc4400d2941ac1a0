//! Where recordings go: a recording has its name from the start, and is put there when it is whole.
//!
//! A name is taken by creating the private folder beside it, so that any number of recorders can start at once. Whoever has
//! created it holds a lock on it; a folder without one is what a killed process has left (`super::sweep`).

use std::cell::Cell;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::error::RecordError;
use super::private::{self, Held};
use super::recorder::Recorder;
use super::{rename, sweep};
use callscape_base::units;

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
    // Of names the system takes 255 bytes; time and endings need some of them.
    let end = name.floor_char_boundary(120);
    match name.get(..end) {
        None | Some("") => "program".to_owned(),
        Some(name) => name.to_owned(),
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
    let sizes = entries.filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        match metadata.is_dir() {
            true => Some(bytes(&entry.path())),
            false => metadata.is_file().then_some(metadata.len()),
        }
    });
    sizes.sum()
}

/// A name that is taken, and the private folder beside it in which recorders write until the recording is whole. The folder
/// is removed when this is dropped.
#[derive(Debug)]
pub struct Place {
    /// As an absolute path: programs may change the folder that they are in.
    pub folder: PathBuf,
    output: PathBuf,
    by: Recorder,
    /// The folder, open and locked.
    _lock: Option<File>,
    is_kept: Cell<bool>,
}

impl Place {
    /// Takes the name that is wanted, or one in `folder` after `program` and the time. Nothing is ever written over.
    pub fn take(
        wanted: Option<&Path>,
        folder: &Path,
        program: &str,
        by: Recorder,
    ) -> Result<Place, RecordError> {
        let place = match wanted {
            Some(wanted) => {
                Place::claim(wanted, by)?.map_err(|reason| RecordError::program(wanted, reason))?
            }
            None => Place::named(folder, program, by)?,
        };
        sweep::around(&place.folder);
        Ok(place)
    }

    fn named(folder: &Path, program: &str, by: Recorder) -> Result<Place, RecordError> {
        let (name, stamp, ending) = (plain(program), now(), by.ending());
        let first = folder.join(format!("{name}-{stamp}.{ending}"));
        for number in 1..MOST {
            if let Ok(place) = Place::claim(&rename::numbered(&first, ending, number), by)? {
                return Ok(place);
            }
        }
        let reason = "expected a free name in the folder, found a thousand from this second";
        Err(RecordError::program(&first, reason))
    }

    /// Takes this name, or says why it is not free.
    fn claim(output: &Path, by: Recorder) -> Result<Result<Place, &'static str>, RecordError> {
        let folder = private::of(output)?;
        // Without a separator at its end, which no file can have.
        let output: PathBuf = output.components().collect();
        // A folder may be taken for abandoned before it is locked.
        for _ in 0..MOST {
            match private::create(&folder) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    if sweep::remove_abandoned(&folder) {
                        continue;
                    }
                    return Ok(Err(
                        "expected an unused name, found another recording in progress",
                    ));
                }
                Err(error) => return Err(RecordError::io(&folder, error)),
            }
            let lock = match private::hold(&folder) {
                Held::Yes(lock) => lock,
                Held::Gone => continue,
            };
            let is_taken = output.symlink_metadata().is_ok();
            let place = Place {
                folder,
                output,
                by,
                _lock: lock,
                is_kept: Cell::new(false),
            };
            // It was looked for under the lock: no other process of ours creates it from here on.
            return Ok(match is_taken {
                true => Err("expected an unused name, found an existing file or folder"),
                false => Ok(place),
            });
        }
        let reason = "another process keeps removing it";
        Err(RecordError::program(&folder, reason))
    }

    /// The name that the recording was to have.
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// Gives what a recorder has left in the private folder its name, and tells it; further files are numbered.
    pub fn put(&self, from: &Path, by: Recorder) -> Result<PathBuf, RecordError> {
        // Another recorder may have stood in for the one that the name was taken for.
        let to = match by == self.by {
            true => self.output.clone(),
            false => self.output.with_extension(by.ending()),
        };
        self.put_as(from, &to, by.ending())
    }

    /// Puts data that only their recorder can read beside the recording that was to be.
    pub fn put_data(&self, from: &Path) -> Result<PathBuf, RecordError> {
        self.put_as(from, &self.output.with_extension("data"), "data")
    }

    fn put_as(&self, from: &Path, to: &Path, ending: &str) -> Result<PathBuf, RecordError> {
        rename::to_free(from, to, ending).inspect_err(|_| {
            // It is all there is of the run.
            self.is_kept.set(true);
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_kept.get() {
            // What cannot be removed is only in the way.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// So many names are tried.
const MOST: usize = 1000;

/// What a recorder has left in `folder`: files with this ending that hold something, the largest first.
/// A recorder that found no room has not put them there yet: then those in folders of its own.
pub fn left(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, RecordError> {
    let entries = fs::read_dir(folder).map_err(|error| RecordError::io(folder, error))?;
    let all: Vec<fs::DirEntry> = entries.flatten().collect();
    let inner = |it: &fs::DirEntry| fs::read_dir(it.path()).into_iter().flatten().flatten();
    let inner: Vec<fs::DirEntry> = all.iter().flat_map(inner).collect();
    let found = not_empty(all, ending);
    Ok(match found.is_empty() {
        true => not_empty(inner, ending),
        false => found,
    })
}

fn not_empty(entries: Vec<fs::DirEntry>, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<(u64, PathBuf)> = entries
        .into_iter()
        .filter_map(|entry| Some((entry.metadata().ok()?.len(), entry.path())))
        .filter(|(size, path)| *size > 0 && path.to_string_lossy().ends_with(ending))
        .collect();
    found.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
    found.into_iter().map(|it| it.1).collect()
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
        assert!(plain(&"ä".repeat(300)).len() <= 120);
    }

    fn folder(name: &str) -> PathBuf {
        let name = format!("callscape-place-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn a_name_is_taken_once_however_many_want_it() {
        let folder = folder("once");
        let take = || Place::take(None, &folder, "app", Recorder::Jfr).expect("a name is free");
        let places: Vec<Place> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..16).map(|_| scope.spawn(take)).collect();
            all.into_iter()
                .map(|it| it.join().expect("no panic"))
                .collect()
        });
        let put = |place: &Place| {
            let from = place.folder.join("of recorder");
            fs::write(&from, place.folder.as_os_str().as_encoded_bytes()).expect("writable");
            place.put(&from, Recorder::Jfr).expect("it is free")
        };
        let mut paths: Vec<PathBuf> = places.iter().map(put).collect();
        drop(places);
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), 16);
        let left = fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, 16, "the recordings alone");
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn what_has_a_name_is_never_written_over() {
        let folder = folder("over");
        let output = folder.join("out.jfr");
        let take = || Place::take(Some(&output), Path::new(""), "app", Recorder::Jfr);
        let place = take().expect("it is free");
        let refused = take().expect_err("it is taken").to_string();
        assert!(
            refused.contains("another recording in progress"),
            "{refused}"
        );
        // A stranger does not ask.
        fs::write(&output, "of a stranger").expect("writable");
        let from = place.folder.join("of recorder");
        for name in ["out-2.jfr", "out-3.jfr"] {
            fs::write(&from, "recorded").expect("writable");
            assert_eq!(
                place.put(&from, Recorder::Jfr).ok(),
                Some(folder.join(name))
            );
        }
        drop(place);
        let text = fs::read_to_string(&output);
        assert_eq!(text.ok().as_deref(), Some("of a stranger"));
        let refused = take().expect_err("it is taken").to_string();
        assert!(
            refused.contains("found an existing file or folder"),
            "{refused}"
        );
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 3);
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
