//! Keeping the end of what has run so far, when somebody asks for it: for programs of which only the end is recorded.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::RecordError;
use super::{private, signals};

/// In the environment of a program of which only the end is kept: the folder that its recorder works in.
pub(crate) const KEEP: &str = "CALLSCAPE_KEEP";

/// The file in it by which that is asked for: when, in nanoseconds of the monotonic clock.
const REQUEST: &str = "keep";

/// The folder in it for what is kept.
pub(super) const KEPT: &str = "kept";

/// The file in it that says that the end is kept.
const ANSWER: &str = "is-kept";

/// Whoever records looks several times a second whether something is asked for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Keeps what was recorded last of process `pid` until now; the program goes on. Gives back when it is kept. An error where
/// only the end is recorded of no such process, where it is kept already, and where nobody is there who keeps it.
pub fn keep(pid: u32) -> Result<(), RecordError> {
    let process = Path::new("/proc").join(pid.to_string());
    let refuse = |why: &str| {
        Err(RecordError::Recorder(format!(
            "process {pid}: {why}; use `callscape record --last 10s -- CMD` to run a program for --keep. With --pid, \
             Ctrl + C keeps the end"
        )))
    };
    if !process.exists() {
        return refuse("no such process");
    }
    let Some(folder) = signals::path_in_environment(&process, KEEP) else {
        return refuse("not started with --last, or owned by another user");
    };
    if folder.exists() && !private::is_held(&folder) {
        return refuse("its recorder was killed");
    }
    let request = folder.join(REQUEST);
    match fs::File::create_new(&request) {
        Ok(mut file) => {
            writeln!(file, "{}", signals::monotonic())
                .map_err(|error| RecordError::io(&request, error))?;
            match is_answered(&folder) {
                true => Ok(()),
                false => {
                    let _ = fs::remove_file(&request);
                    refuse(
                        "its recorder does not respond: its recording has ended, or its recorder was killed",
                    )
                }
            }
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(RecordError::Recorder(
            format!("process {pid}: its end is already saved"),
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => refuse("its recording has ended"),
        Err(error) => Err(RecordError::io(&request, error)),
    }
}

/// Waits for the answer of whoever records, for as long as that is there.
fn is_answered(folder: &Path) -> bool {
    let begin = Instant::now();
    let is_kept = || folder.join(ANSWER).exists();
    while !is_kept() && begin.elapsed() < PATIENCE && private::is_held(folder) {
        std::thread::sleep(Duration::from_millis(5));
    }
    is_kept()
}

/// Waits for the request while perf records, and then keeps the files that perf would remove.
pub(crate) struct Keeper {
    folder: PathBuf,
    asked: Option<Asked>,
}

struct Asked {
    /// When, since the monotonic clock began.
    at: Duration,
    /// The files that were complete by then.
    before: Vec<PathBuf>,
    /// A file that reaches beyond the request is kept too.
    is_whole: bool,
}

impl Keeper {
    pub(crate) fn new(folder: &Path) -> Keeper {
        Keeper {
            folder: folder.to_path_buf(),
            asked: None,
        }
    }

    /// Looks whether there is something to do. To be called a few times in a second.
    pub(crate) fn look(&mut self) {
        // A folder that cannot be read now may be next time.
        let Ok(parts) = parts(&self.folder) else {
            return;
        };
        if self.asked.is_none() {
            let text = fs::read_to_string(self.folder.join(REQUEST)).unwrap_or_default();
            // Without the end of the line it is not written yet.
            let time = text.strip_suffix('\n').and_then(|it| it.parse().ok());
            self.asked = time.map(|time| Asked {
                at: Duration::from_nanos(time),
                before: parts.clone(),
                is_whole: false,
            });
        }
        let Some(asked) = self.asked.as_mut().filter(|it| !it.is_whole) else {
            return;
        };
        let kept = self.folder.join(KEPT);
        let _ = fs::create_dir(&kept);
        let mut are_kept = true;
        for part in &parts {
            let copy = kept.join(part.file_name().unwrap_or_default());
            are_kept &= copy.exists()
                || fs::hard_link(part, &copy).is_ok()
                || fs::copy(part, &copy).is_ok();
        }
        if are_kept {
            let _ = fs::File::create(self.folder.join(ANSWER));
        }
        asked.is_whole = are_kept && parts.iter().any(|it| !asked.before.contains(it));
    }

    /// The files that hold what was asked for, and until when; none where nobody asked. Of a recorder that has ended.
    pub(crate) fn kept(mut self) -> Result<Option<(Vec<PathBuf>, Duration)>, RecordError> {
        self.look();
        match self.asked {
            Some(asked) => Ok(Some((parts(&self.folder.join(KEPT))?, asked.at))),
            None => Ok(None),
        }
    }
}

/// The files that `perf record --switch-output` has completed in `folder`, in order of time.
pub(crate) fn parts(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let entries = fs::read_dir(folder).map_err(|error| RecordError::io(folder, error))?;
    let names = entries.flatten().map(|it| it.path());
    let mut files: Vec<PathBuf> = names
        .filter(|it| it.file_stem().is_some_and(|it| it == "perf.data"))
        .collect();
    // Their names end with the time.
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_complete_when_that_is_asked_for_is_kept_with_the_file_after_it() {
        let folder = std::env::temp_dir().join(format!("callscape-keep-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let part = |number: u32| folder.join(format!("perf.data.{number}"));
        let write = |number: u32| fs::write(part(number), number.to_string()).expect("writable");
        let mut keeper = Keeper::new(&folder);
        write(1);
        write(2);
        keeper.look();
        // Asked for, but not wholly written.
        fs::write(folder.join(REQUEST), "12").expect("writable");
        keeper.look();
        fs::write(folder.join(REQUEST), "1234\n").expect("writable");
        keeper.look();
        fs::remove_file(part(1)).expect("it is there");
        write(3);
        keeper.look();
        for number in [2, 3] {
            fs::remove_file(part(number)).expect("it is there");
        }
        write(4);
        keeper.look();
        let (files, until) = keeper.kept().expect("readable").expect("it was asked for");
        let texts: Vec<String> = files.iter().flat_map(fs::read_to_string).collect();
        assert_eq!(texts, ["1", "2", "3"]);
        assert_eq!(until, Duration::from_nanos(1234));
        fs::remove_file(folder.join(REQUEST)).expect("it is there");
        assert!(Keeper::new(&folder).kept().expect("readable").is_none());
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn a_process_of_which_nothing_is_kept_is_refused() {
        let refused = keep(std::process::id()).expect_err("it is recorded by nobody");
        assert!(refused.to_string().contains("--last 10s"), "{refused}");
    }
}
