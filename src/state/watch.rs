//! Watching the source tree and the mapping file: says when they have changed, once for a burst of changes.

use callscape_base::clock::Instant;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::job::Job;
use callscape_base::progress::Progress;
use callscape_source::plain_walk;

/// A burst of changes is over when nothing has changed for this long, and is told of after `LONGEST_BURST` at the latest.
const QUIET: Duration = Duration::from_millis(150);
const LONGEST_BURST: Duration = Duration::from_millis(900);

/// How often files are looked at where the system does not tell of changes; less often where a look takes long.
const POLL: Duration = Duration::from_secs(1);

/// How often the thread looks whether it is still wanted.
const CHECK: Duration = Duration::from_secs(5);

/// What has changed since it was told of last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub sources: bool,
    pub mapping: bool,
    /// Something that the user should know, once.
    pub notice: Option<String>,
}

impl Changed {
    fn is_any(&self) -> bool {
        self.sources || self.mapping || self.notice.is_some()
    }
}

/// What is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watched {
    pub source_dir: Option<PathBuf>,
    pub mapping: Option<PathBuf>,
}

impl Watched {
    fn folder_of_mapping(&self) -> Option<PathBuf> {
        Some(existing(self.mapping.as_deref()?.parent()?))
    }

    /// The folders that say when what is watched itself is moved or removed, and when it is back.
    fn around(&self) -> Vec<PathBuf> {
        let of_mapping = self.folder_of_mapping();
        let all = self.source_dir.iter().chain(&of_mapping);
        all.filter_map(|dir| dir.parent().map(existing)).collect()
    }
}

/// Tells the window to look; used up by one look.
pub(crate) type Wake = Box<dyn FnOnce() + Send>;

/// A watcher on a thread of its own, which ends with this.
pub(crate) struct Watch {
    changes: Receiver<Changed>,
    /// The thread needs a new one for each time that it has something to tell.
    wakes: Sender<Wake>,
    /// Has no outcome of its own: the thread ends when this has gone.
    _watching: Job<()>,
}

impl Watch {
    /// Starts to watch.
    pub(crate) fn start(watched: Watched, wake: Wake) -> Watch {
        let (sender, changes) = channel();
        let (wakes, wake_receiver) = channel();
        // The receiver is there still.
        let _ = wakes.send(wake);
        // The system tells of absolute paths, also where `callscape src` was typed.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let watched = Watched {
            source_dir: watched.source_dir.map(absolute),
            mapping: watched.mapping.map(absolute),
        };
        let work = move |progress: &Progress| {
            watch(&watched, &sender, &wake_receiver, progress);
            Ok(())
        };
        // Without a thread nothing is watched; everything else goes on. The window is woken by each change, not by the
        // end.
        let watching = Job::named("watching", || (), work);
        Watch {
            changes,
            wakes,
            _watching: watching,
        }
    }

    /// What has changed since the last time; `wake` makes what calls the window the next time.
    pub(crate) fn poll(&self, wake: impl FnOnce() -> Wake) -> Option<Changed> {
        let changed = self.changes.try_recv().ok()?;
        // A thread that has ended needs none.
        let _ = self.wakes.send(wake());
        Some(changed)
    }
}

/// Tells of changes until nobody listens any more.
fn watch(watched: &Watched, told: &Sender<Changed>, wakes: &Receiver<Wake>, progress: &Progress) {
    let (events, received) = channel();
    let mut eyes = Eyes::open(watched, events);
    loop {
        let mut changed = Changed {
            notice: eyes.notice.take(),
            ..Changed::default()
        };
        let mut first: Option<Instant> = None;
        while !changed.is_any() || first.is_some_and(|first| first.elapsed() < LONGEST_BURST) {
            let patience = if changed.is_any() {
                QUIET
            } else {
                eyes.interval
            };
            match received.recv_timeout(patience) {
                Ok(event) => eyes.see(event, watched, &mut changed),
                Err(RecvTimeoutError::Timeout) if changed.is_any() => break,
                Err(RecvTimeoutError::Timeout) => {
                    if progress.check().is_err() {
                        return;
                    }
                    eyes.look(watched, &mut changed);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(eyes.interval);
                    if progress.check().is_err() {
                        return;
                    }
                    eyes.look(watched, &mut changed);
                }
            }
            changed.notice = changed.notice.take().or(eyes.notice.take());
            if changed.is_any() {
                first.get_or_insert_with(Instant::now);
            }
        }
        let Ok(wake) = wakes.recv() else {
            return;
        };
        if told.send(changed).is_err() {
            return;
        }
        wake();
    }
}

/// How changes are seen: told by the system, or looked for.
struct Eyes {
    watcher: Option<RecommendedWatcher>,
    /// What the last look saw; none where the system tells.
    seen: Option<u64>,
    interval: Duration,
    notice: Option<String>,
}

type Event = notify::Result<notify::Event>;

impl Eyes {
    fn open(watched: &Watched, events: Sender<Event>) -> Eyes {
        let mut eyes = Eyes {
            watcher: None,
            seen: None,
            interval: CHECK,
            notice: None,
        };
        let send = move |event: Event| {
            // Whoever has ended does not want to know.
            let _ = events.send(event);
        };
        let opened = notify::recommended_watcher(send).and_then(|watcher| {
            eyes.watcher = Some(watcher);
            if let Some(dir) = &watched.source_dir {
                eyes.watch_below(dir)?;
            }
            // Editors write beside and rename: the folder is what stays.
            for folder in watched.folder_of_mapping().iter().chain(&watched.around()) {
                eyes.watch_one(folder)?;
            }
            Ok(())
        });
        if let Err(error) = opened {
            eyes.look_instead(watched, &error);
        }
        eyes
    }

    /// Watches a directory and all below it that git would not ignore.
    fn watch_below(&mut self, dir: &Path) -> notify::Result<()> {
        let entries = plain_walk(dir).build();
        let is_dir = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|it| it.is_dir());
        for entry in entries.filter_map(Result::ok).filter(is_dir) {
            self.watch_one(entry.path())?;
        }
        Ok(())
    }

    fn watch_one(&mut self, dir: &Path) -> notify::Result<()> {
        let Some(watcher) = &mut self.watcher else {
            return Ok(());
        };
        // Watching what is watched changes nothing. One of this name that was moved or removed, and is back, has to be
        // watched again.
        match watcher.watch(dir, RecursiveMode::NonRecursive) {
            Err(error) if is_exhausted(&error) => Err(error),
            // It may be gone again, or not be ours to read.
            _ => Ok(()),
        }
    }

    /// From now on looks for changes itself.
    fn look_instead(&mut self, watched: &Watched, error: &notify::Error) {
        self.watcher = None;
        let start = Instant::now();
        self.seen = Some(look(watched));
        self.interval = POLL.max(start.elapsed() * 10);
        self.notice = Some(format!(
            "The system cannot report changes in the source tree ({error}), so Callscape checks it every {:.1} s \
             instead. On Linux, `sysctl fs.inotify.max_user_watches` is the limit.",
            self.interval.as_secs_f32()
        ));
    }

    /// Takes in what the system tells.
    fn see(&mut self, event: Event, watched: &Watched, changed: &mut Changed) {
        let event = match event {
            Ok(event) => event,
            Err(error) if is_exhausted(&error) => {
                self.look_instead(watched, &error);
                changed.sources = true;
                return;
            }
            Err(_) => return,
        };
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        // Something has been lost: everything may have changed.
        if event.need_rescan() {
            changed.sources = true;
            changed.mapping = watched.mapping.is_some();
        }
        for path in &event.paths {
            let is_mapping = |mapping: &PathBuf| mapping.file_name() == path.file_name();
            changed.mapping |= watched.mapping.as_ref().is_some_and(is_mapping);
            if watched.folder_of_mapping().as_ref() == Some(path) {
                changed.mapping = true;
                if let Err(error) = self.watch_one(path) {
                    self.look_instead(watched, &error);
                }
            }
            let is_source =
                |dir: &PathBuf| path == dir || (path.starts_with(dir) && is_of_interest(path));
            if !watched.source_dir.as_ref().is_some_and(is_source) {
                continue;
            }
            changed.sources = true;
            if path.is_dir()
                && let Err(error) = self.watch_below(path)
            {
                self.look_instead(watched, &error);
            }
        }
    }

    /// Looks for changes where the system does not tell.
    fn look(&mut self, watched: &Watched, changed: &mut Changed) {
        let Some(seen) = self.seen else {
            return;
        };
        let start = Instant::now();
        let now = look(watched);
        self.interval = POLL.max(start.elapsed() * 10);
        if now != seen {
            self.seen = Some(now);
            changed.sources = watched.source_dir.is_some();
            changed.mapping = watched.mapping.is_some();
        }
    }
}

fn existing(folder: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_path_buf()
    }
}

/// Whether the system has no more watches to give.
fn is_exhausted(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => true,
        // ENOSPC and EMFILE of inotify.
        notify::ErrorKind::Io(error) => matches!(error.raw_os_error(), Some(24 | 28)),
        _ => false,
    }
}

/// What editors and Callscape write for themselves is nothing of the tree.
fn is_of_interest(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_temporary = name.ends_with('~')
        || [".callscape", ".part", ".tmp", ".swp"]
            .iter()
            .any(|end| name.ends_with(end));
    let is_ignore_file = matches!(&*name, ".gitignore" | ".ignore" | ".tokeignore");
    !is_temporary && (is_ignore_file || !name.starts_with('.'))
}

/// What can be seen of all files without reading them: a number that changes when one of them does.
fn look(watched: &Watched) -> u64 {
    let mut sum = 0u64;
    let mut add = |path: &Path, metadata: Option<std::fs::Metadata>| {
        let modified = metadata.as_ref().and_then(|it| it.modified().ok());
        let since = modified.and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
        let text = format!(
            "{}\0{}\0{}",
            path.display(),
            since.unwrap_or_default().as_nanos(),
            metadata.map_or(0, |it| it.len())
        );
        // Summed, so that the order of the walk does not matter.
        let (low, high) = (crc32fast::hash(text.as_bytes()), text.len() as u64);
        sum = sum.wrapping_add(u64::from(low).wrapping_mul(high | 1));
    };
    if let Some(dir) = &watched.source_dir {
        for entry in plain_walk(dir).build().filter_map(Result::ok) {
            let is_file = entry.file_type().is_some_and(|it| it.is_file());
            if is_file && is_of_interest(entry.path()) {
                add(entry.path(), entry.metadata().ok());
            }
        }
    }
    if let Some(mapping) = &watched.mapping {
        add(mapping, std::fs::metadata(mapping).ok());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a watch tells of within a minute: a busy machine may take so long.
    fn changed(watch: &Watch) -> Changed {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            let changed = watch.poll(|| Box::new(|| ()));
            if let Some(changed) = changed.filter(Changed::is_any) {
                return changed;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Changed::default()
    }

    /// Starts to watch, and returns once the thread has its watches: when it tells of what changes in `dir`, and no more of
    /// it comes.
    fn started(watched: Watched, dir: &Path) -> Watch {
        let watch = Watch::start(watched, Box::new(|| ()));
        let probe = dir.join("probe.c");
        let start = Instant::now();
        let sees = || watch.poll(|| Box::new(|| ())).is_some();
        while !sees() {
            assert!(start.elapsed() < Duration::from_secs(60), "it watches");
            std::fs::write(&probe, "int probe;").expect("a file");
            std::thread::sleep(Duration::from_millis(20));
        }
        while {
            std::thread::sleep(2 * QUIET);
            sees()
        } {}
        watch
    }

    #[test]
    fn a_burst_of_changes_is_told_of_once_and_new_directories_are_watched() {
        let dir = std::env::temp_dir().join(format!("callscape-watch-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(dir.join("src/inner")).expect("a folder");
        let mapping = dir.join("a.map");
        std::fs::write(&mapping, "A class *\n").expect("a file");
        let watched = Watched {
            source_dir: Some(dir.join("src")),
            mapping: Some(mapping.clone()),
        };
        let watch = started(watched, &dir.join("src"));
        for index in 0..20 {
            std::fs::write(dir.join(format!("src/inner/{index}.c")), "int a;").expect("a file");
        }
        let sources = Changed {
            sources: true,
            ..Changed::default()
        };
        assert_eq!(changed(&watch), sources);
        std::fs::write(dir.join("src/.hidden"), "").expect("a file");
        std::fs::write(dir.join("src/a.c~"), "").expect("a file");
        let beside = dir.join("beside");
        std::fs::write(&beside, "A class x\n").expect("a file");
        std::fs::rename(&beside, &mapping).expect("renamed");
        let only_mapping = Changed {
            mapping: true,
            ..Changed::default()
        };
        assert_eq!(changed(&watch), only_mapping);
        std::fs::create_dir_all(dir.join("src/new/deep")).expect("a folder");
        assert_eq!(changed(&watch), sources);
        std::fs::write(dir.join("src/new/deep/x.c"), "int b;").expect("a file");
        assert_eq!(changed(&watch), sources);
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn folders_that_were_moved_or_removed_are_watched_again_when_they_are_back() {
        let dir = std::env::temp_dir().join(format!("callscape-watch-back-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let (tree, beside) = (dir.join("tree"), dir.join("beside"));
        let inner = tree.join("inner");
        std::fs::create_dir_all(&inner).expect("a folder");
        let watched = Watched {
            source_dir: Some(tree.clone()),
            mapping: None,
        };
        let watch = started(watched, &tree);
        for folder in [&inner, &tree] {
            std::fs::rename(folder, &beside).expect("moved");
            assert!(changed(&watch).sources, "{folder:?} is gone");
            std::fs::rename(&beside, folder).expect("moved back");
            assert!(changed(&watch).sources, "{folder:?} is back");
            std::fs::write(inner.join("a.c"), "int a;").expect("a file");
            assert!(changed(&watch).sources, "{folder:?} is watched");
            std::fs::remove_dir_all(folder).expect("removed");
            assert!(changed(&watch).sources, "{folder:?} is removed");
            std::fs::create_dir_all(&inner).expect("made again");
            assert!(changed(&watch).sources, "{folder:?} is made again");
            std::fs::write(inner.join("b.c"), "int b;").expect("a file");
            assert!(changed(&watch).sources, "{folder:?} is watched again");
        }
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[cfg(unix)]
    #[test]
    fn a_tree_is_watched_by_its_path_from_the_working_directory() {
        let name = format!("callscape-watch-relative-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).expect("a folder");
        let here = std::env::current_dir().expect("a working directory");
        let mut relative: PathBuf = here.components().skip(1).map(|_| "..").collect();
        relative.push(dir.strip_prefix("/").expect("an absolute path"));
        let watched = Watched {
            source_dir: Some(relative),
            mapping: None,
        };
        let watch = started(watched, &dir);
        std::fs::write(dir.join("a.c"), "int a;").expect("a file");
        assert!(changed(&watch).sources);
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn a_look_sees_what_has_changed_and_nothing_else() {
        let dir = std::env::temp_dir().join(format!("callscape-look-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a folder");
        std::fs::write(dir.join("a.c"), "int a;").expect("a file");
        let watched = Watched {
            source_dir: Some(dir.clone()),
            mapping: None,
        };
        let first = look(&watched);
        assert_eq!(look(&watched), first);
        std::fs::write(dir.join("a.c~"), "").expect("a file");
        assert_eq!(look(&watched), first);
        std::fs::write(dir.join("a.c"), "int a, b;").expect("a file");
        assert_ne!(look(&watched), first);
        let _ = std::fs::remove_dir_all(&dir);
    }
}
