//! The session kept aside while one works, so that a crash takes little with it: every half minute in which something was
//! done, in a file of the user's own that goes when the window is closed. What a crash left is offered at the next start.
//!
//! Each window holds a lock beside its file for as long as it lives. A file whose lock is free was left by a crash; who
//! offers it holds that lock, so that two windows do not offer the same.

use callscape_base::clock::Instant;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::saved::SavedSession;
use super::versioned;
use callscape_state::job::{Job, take};

/// How long after something was done the session is kept.
const INTERVAL: Duration = Duration::from_secs(30);

const SESSION: &str = "json";
const LOCK: &str = "lock";

/// What a file keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// What was open, by name.
    pub title: String,
    /// The session file that was open.
    pub session_file: Option<PathBuf>,
    /// Its paths are absolute.
    pub session: SavedSession,
}

/// A session that a crash left.
#[derive(Debug)]
pub struct Left {
    kept: Kept,
    path: PathBuf,
    /// Held until it is opened or discarded.
    _lock: File,
}

impl Left {
    pub fn title(&self) -> &str {
        &self.kept.title
    }

    pub fn bookmarks(&self) -> usize {
        self.kept.session.bookmarks.len()
    }

    fn remove(self) {
        for path in [&self.path, &self.path.with_extension(LOCK)] {
            // What cannot be removed is offered once more.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// What is kept of this window, and what crashes left of others.
#[derive(Debug, Default)]
pub struct Rescue {
    /// The file of this window and its lock; none where nothing can be kept.
    own: Option<(PathBuf, File)>,
    /// Those that crashes left, the latest last.
    left: Vec<Left>,
    /// Opened in this window: theirs until it is kept itself.
    opened: Vec<Left>,
    last: Option<Kept>,
    /// Since when something has been done that is not kept.
    touched: Option<Instant>,
    keeping: Option<Job<()>>,
}

impl Rescue {
    /// Takes a file for this window, and finds what crashes left.
    pub fn begin() -> Rescue {
        let folder = dirs::state_dir().or_else(dirs::cache_dir);
        match folder.map(|it| it.join("callscape").join("unsaved")) {
            Some(folder) => Rescue::within(&folder).unwrap_or_default(),
            None => Rescue::default(),
        }
    }

    fn within(folder: &Path) -> io::Result<Rescue> {
        make_private(folder)?;
        let left = left_in(folder);
        Ok(Rescue {
            own: own_in(folder).ok(),
            left,
            ..Rescue::default()
        })
    }

    /// The latest session that a crash left.
    pub fn offered(&self) -> Option<&Left> {
        self.left.last()
    }

    /// Something was done.
    pub fn touch(&mut self) {
        self.touched.get_or_insert_with(Instant::now);
    }

    /// How long it is until the session is to be kept; none while nothing was done.
    pub fn due(&self) -> Option<Duration> {
        let touched = self.touched.filter(|_| self.own.is_some())?;
        Some(INTERVAL.saturating_sub(touched.elapsed()))
    }

    /// Whether the session is to be kept now.
    pub fn is_due(&mut self) -> bool {
        take(&mut self.keeping);
        let is_due = self.due() == Some(Duration::ZERO) && self.keeping.is_none();
        if is_due {
            self.touched = None;
        }
        is_due
    }

    /// Keeps it on another thread, where it is another than the one kept last.
    pub fn keep(&mut self, kept: Kept, wake: impl FnOnce() + Send + 'static) {
        let Some((path, _)) = &self.own else {
            return;
        };
        if self.last.as_ref() == Some(&kept) {
            return;
        }
        self.last = Some(kept.clone());
        let (path, opened) = (path.clone(), std::mem::take(&mut self.opened));
        self.keeping = Some(Job::named("rescue", wake, move |_| {
            // Where it cannot be kept, what was opened from a crash stays until the next start.
            if versioned::write(&path, &kept).is_ok() {
                opened.into_iter().for_each(Left::remove);
            }
            Ok(())
        }));
    }

    /// Takes the latest session that a crash left. Its file stays until this window has kept its own, or closes.
    pub fn open(&mut self) -> Option<Kept> {
        let left = self.left.pop()?;
        let kept = left.kept.clone();
        self.opened.push(left);
        Some(kept)
    }

    /// Forgets the latest session that a crash left.
    pub fn discard(&mut self) {
        if let Some(left) = self.left.pop() {
            left.remove();
        }
    }

    /// The window closes as it should: nothing of it is left.
    pub fn finish(mut self) {
        // What is being written would come after it is removed.
        while let Some(job) = &self.keeping
            && job.poll().is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some((path, _lock)) = self.own.take() {
            let _ = std::fs::remove_file(&path);
            let _ = std::fs::remove_file(path.with_extension(LOCK));
        }
        self.opened.into_iter().for_each(Left::remove);
    }
}

/// Makes a folder that nobody else can look into.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut private = std::fs::DirBuilder::new();
    private.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut private, 0o700);
    private.create(folder)
}

/// A new file for this window, with its lock.
fn own_in(folder: &Path) -> io::Result<(PathBuf, File)> {
    for number in 0.. {
        let path = folder.join(format!("{}-{number}.{SESSION}", std::process::id()));
        let at = path.with_extension(LOCK);
        match File::create_new(&at) {
            Ok(lock) => {
                lock.try_lock()?;
                // Before it was locked, another window may have taken it for left.
                if at.exists() {
                    return Ok((path, lock));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The sessions in `folder` whose windows are gone, the latest last. Locks without a session go.
fn left_in(folder: &Path) -> Vec<Left> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let locks = entries.map(|entry| entry.path());
    let locks = locks.filter(|path| path.extension().is_some_and(|end| end == LOCK));
    let mut left = Vec::new();
    for at in locks {
        let Ok(lock) = File::open(&at) else { continue };
        if lock.try_lock().is_err() {
            continue;
        }
        let path = at.with_extension(SESSION);
        match versioned::read(&path) {
            Ok(Some(kept)) => {
                let written = path.metadata().and_then(|it| it.modified()).ok();
                let _lock = lock;
                left.push((written, Left { kept, path, _lock }));
            }
            // There is none: it crashed before anything was done.
            Ok(None) => drop(std::fs::remove_file(&at)),
            // Of another version of the program, which may want it.
            Err(_) => {}
        }
    }
    left.sort_by_key(|(written, _)| *written);
    left.into_iter().map(|(_, left)| left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::BookmarkAsk;
    use crate::driven::{Driven, Files, inputs};

    fn window(files: &Files) -> Driven {
        let recording = files.recording("one.json", 0..9);
        let mut driven = Driven::new(&inputs(None, &[recording]));
        driven.desk.rescue = Rescue::within(&files.0.join("unsaved")).expect("a folder");
        driven.settle();
        driven
    }

    fn keep(driven: &mut Driven) {
        driven.desk.keep_aside_now();
        while driven.desk.rescue.keeping.is_some() {
            driven.desk.rescue.is_due();
            std::thread::yield_now();
        }
    }

    /// The process is gone: its locks are free, and its files are there.
    fn crash(driven: Driven) {
        drop(driven.desk.rescue);
    }

    fn kept(files: &Files) -> usize {
        let entries = std::fs::read_dir(files.0.join("unsaved")).expect("a folder");
        entries.count()
    }

    #[test]
    fn a_crash_leaves_the_bookmarks_and_the_next_start_offers_them() {
        let files = Files::new("rescue");
        let mut first = window(&files);
        first.execute(BookmarkAsk::Add);
        first.settle();
        keep(&mut first);
        let second = window(&files);
        assert!(second.desk.rescue.offered().is_none(), "the first is open");
        crash(first);
        let mut third = window(&files);
        let offered = third.desk.rescue.offered().expect("what the first kept");
        assert_eq!((offered.title(), offered.bookmarks()), ("one.json", 1));
        assert!(window(&files).desk.rescue.offered().is_none(), "once");
        third.desk.open_left();
        third.settle();
        assert_eq!(third.desk.talk.bookmarks.len(), 1);
        assert_eq!(third.desk.session_file, None, "it was saved nowhere");
        let there = kept(&files);
        keep(&mut third);
        assert_eq!(
            kept(&files),
            there - 1,
            "its own in place of both of the first"
        );
        crash(third);
        let mut fourth = window(&files);
        assert_eq!(fourth.desk.rescue.left.len(), 1);
        fourth.desk.rescue.discard();
        assert!(window(&files).desk.rescue.offered().is_none());
    }

    #[test]
    fn nothing_is_left_of_a_window_that_was_closed() {
        let files = Files::new("rescue-closed");
        let mut window = window(&files);
        window.execute(BookmarkAsk::Add);
        window.settle();
        keep(&mut window);
        assert_eq!(kept(&files), 2);
        std::mem::take(&mut window.desk.rescue).finish();
        assert_eq!(kept(&files), 0);
    }

    #[test]
    fn what_has_not_changed_is_not_written_again() {
        let files = Files::new("rescue-same");
        let mut window = window(&files);
        assert_eq!(window.desk.rescue.due(), None, "nothing was done");
        window.desk.rescue.touch();
        assert!(window.desk.rescue.due().is_some());
        keep(&mut window);
        window.desk.keep_aside_now();
        assert!(window.desk.rescue.keeping.is_none());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look_into_the_folder() {
        use std::os::unix::fs::PermissionsExt;

        let files = Files::new("rescue-private");
        let folder = files.0.join("unsaved");
        make_private(&folder).expect("a folder");
        let mode = folder.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
