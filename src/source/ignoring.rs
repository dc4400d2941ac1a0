//! Ignore files that are no files: the walk opens them by itself, waits for the writer of a pipe, and reads a link to a
//! device for ever. What is not plain is found before it gets there, and files of its kind are not read.

use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// Longer ignore files, and configurations of git, are none.
const LONGEST: u64 = 1 << 18;

/// Kinds of ignore files that are not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Off {
    git: bool,
    exclude: bool,
    own: bool,
    tokei: bool,
}

impl Off {
    /// Those that are not plain in `dir`, each told to `tell`.
    pub(super) fn in_folder(dir: &Path, mut tell: impl FnMut(PathBuf)) -> Off {
        let mut is_off = |path: PathBuf| {
            let is_off = !is_plain(&path);
            if is_off {
                tell(path);
            }
            is_off
        };
        Off {
            git: is_off(dir.join(".gitignore")),
            exclude: excludes(dir).into_iter().any(&mut is_off),
            own: is_off(dir.join(".ignore")),
            tokei: is_off(dir.join(".tokeignore")),
        }
    }

    /// Those that are not plain in the folders around `dir`, and in it.
    pub(super) fn around(dir: &Path, mut tell: impl FnMut(PathBuf)) -> Off {
        let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
        whole.ancestors().fold(Off::default(), |off, folder| {
            off.and(Off::in_folder(folder, &mut tell))
        })
    }

    pub(super) fn and(self, more: Off) -> Off {
        Off {
            git: self.git || more.git,
            exclude: self.exclude || more.exclude,
            own: self.own || more.own,
            tokei: self.tokei || more.tokei,
        }
    }

    /// Whether anything more is off.
    pub(super) fn is_new(self, more: Off) -> bool {
        self.and(more) != self
    }

    /// A walk that reads the other kinds.
    pub(super) fn walk(self, dir: &Path) -> WalkBuilder {
        let mut walk = WalkBuilder::new(dir);
        walk.git_ignore(!self.git)
            .git_exclude(!self.exclude)
            .ignore(!self.own)
            .git_global(is_global_plain());
        if !self.tokei {
            walk.add_custom_ignore_filename(".tokeignore");
        }
        walk
    }
}

/// A walk over what git and tokei see of `dir`. Folders with ignore files that are not plain are left out.
pub fn plain_walk(dir: &Path) -> WalkBuilder {
    let off = Off::around(dir, |_| {});
    let mut walk = off.walk(dir);
    walk.filter_entry(move |entry| {
        let is_dir = entry.file_type().is_some_and(|it| it.is_dir());
        !is_dir || entry.depth() == 0 || !off.is_new(Off::in_folder(entry.path(), |_| {}))
    });
    walk
}

/// Whether there is nothing at `path`, or a file of a size that an ignore file has. Files of the system that pretend to
/// be empty are reached by a link only.
fn is_plain(path: &Path) -> bool {
    let Ok(metadata) = path.symlink_metadata() else {
        return true;
    };
    match metadata.is_symlink() {
        true => path.metadata().map_or(true, |it| {
            it.is_dir() || it.is_file() && (1..=LONGEST).contains(&it.len())
        }),
        false => metadata.is_dir() || metadata.is_file() && metadata.len() <= LONGEST,
    }
}

/// What is opened to find what the repository in `dir` excludes; in a work tree beside the first one, by way of files
/// that name other folders.
fn excludes(dir: &Path) -> Vec<PathBuf> {
    let git = dir.join(".git");
    if git.symlink_metadata().is_err() {
        return Vec::new();
    }
    if git.is_dir() {
        return vec![git.join("info/exclude")];
    }
    let mut opened = vec![git.clone()];
    let named = first_line(&git).and_then(|line| Some(line.strip_prefix("gitdir: ")?.to_owned()));
    if let Some(folder) = named.map(PathBuf::from) {
        let common = folder.join("commondir");
        let line = first_line(&common);
        opened.push(common);
        if let Some(line) = line {
            let common = match line.starts_with('.') {
                true => folder.join(line),
                false => PathBuf::from(line),
            };
            opened.push(common.join("info/exclude"));
        }
    }
    opened
}

/// The first line of a plain file.
fn first_line(path: &Path) -> Option<String> {
    let file = is_plain(path).then(|| std::fs::File::open(path).ok())??;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Whether the user's own ignore file is plain, and what git's configuration is read from to find it.
fn is_global_plain() -> bool {
    let path = |name: &str| {
        let value = std::env::var_os(name).filter(|it| !it.is_empty());
        value.map(PathBuf::from)
    };
    let home = |below: &str| path("HOME").map(|it| it.join(below));
    let config = path("XDG_CONFIG_HOME").or_else(|| home(".config"));
    let configurations = [
        path("GIT_CONFIG_GLOBAL"),
        path("GIT_CONFIG_SYSTEM").or_else(|| Some("/etc/gitconfig".into())),
        home(".gitconfig"),
        config.map(|it| it.join("git/config")),
    ];
    configurations.iter().flatten().all(|it| is_plain(it))
        && ignore::gitignore::gitconfig_excludes_path().is_none_or(|it| is_plain(&it))
}
