//! Whether a repository is made of plain files: git's own library opens them by itself, and waits for the writer of a pipe,
//! or reads a device for ever.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files of a repository that are read as a whole, in bytes.
const LARGEST: u64 = 1 << 28;
/// What names another folder.
const LONGEST_LINE: u64 = 1 << 16;
/// Folders that others name: those of a work tree, and those of objects that are shared.
const MOST_FOLDERS: usize = 16;

/// Folders in which nothing is looked at.
const NOT_READ: [&str; 5] = ["hooks", "logs", "modules", "lfs", "worktrees"];

/// What stands in the repository around `dir`, or where a file there leads, and is neither folder nor plain file; none if
/// there is nothing of the kind. O(files of the repository).
pub(super) fn not_plain(dir: &Path) -> Option<PathBuf> {
    for folder in dir.ancestors() {
        let (git, head) = (folder.join(".git"), folder.join("HEAD"));
        let is_bare = ["objects", "refs"]
            .iter()
            .all(|it| folder.join(it).is_dir());
        let found = match git.symlink_metadata() {
            Ok(_) => in_repository(&git),
            Err(_) if is_bare => in_repository(folder),
            // It is looked for in each folder.
            Err(_) => Some(head.clone()).filter(|it| !is_plain(it)),
        };
        if found.is_some() {
            return found;
        }
        if git.is_file() || git.join("HEAD").exists() || is_bare && head.exists() {
            return None;
        }
    }
    None
}

/// Why git's own library does not read the repository around `dir`; none where it is not known to be of a kind that is not
/// read.
pub(super) fn not_read(dir: &Path) -> Option<&'static str> {
    let mut gits = dir.ancestors().map(|folder| folder.join(".git"));
    let git = gits.find(|git| git.symlink_metadata().is_ok())?;
    let folder = folder_of(&git)?;
    let common = line(&folder.join("commondir")).map(|named| folder.join(named.trim_end()));
    let config = text(&common.unwrap_or(folder).join("config"))?;
    let config = config.to_lowercase();
    let mut settings = config.lines().filter_map(|line| line.split_once('='));
    settings.find_map(|(name, value)| match (name.trim(), value.trim()) {
        ("objectformat", "sha256") => Some("it names its objects by SHA-256, which is not read"),
        ("refstorage", "reftable") => {
            Some("it keeps its branches in a reftable, which is not read")
        }
        _ => None,
    })
}

/// The folder of a repository: `.git` itself, or what it names.
fn folder_of(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_path_buf());
    }
    let around = git.parent().unwrap_or(git);
    Some(around.join(line(git)?.strip_prefix("gitdir: ")?.trim_end()))
}

fn in_repository(git: &Path) -> Option<PathBuf> {
    if !git.is_dir() && !is_plain(git) {
        return Some(git.to_path_buf());
    }
    let folder = folder_of(git)?;
    if let Some(found) = in_folder(&folder) {
        return Some(found);
    }
    let mut folders = vec![folder.join("objects")];
    if let Some(named) = line(&folder.join("commondir")) {
        let common = folder.join(named.trim_end());
        folders.extend([common.join("objects"), common]);
    }
    let mut at = 0;
    while at < folders.len().min(MOST_FOLDERS) {
        let folder = folders[at].clone();
        // The objects of a work tree are looked at twice where they lie in it.
        if let Some(found) = in_folder(&folder) {
            return Some(found);
        }
        let lines = text(&folder.join("info/alternates")).unwrap_or_default();
        folders.extend(lines.lines().map(|line| folder.join(line)));
        at += 1;
    }
    None
}

/// The first one in a folder and those below it.
fn in_folder(folder: &Path) -> Option<PathBuf> {
    let mut left = vec![folder.to_path_buf()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                let name = entry.file_name();
                if !NOT_READ.iter().any(|it| name.as_os_str() == *it) {
                    left.push(entry.path());
                }
            } else if !kind.is_file() && !is_plain(&entry.path()) {
                return Some(entry.path());
            }
        }
    }
    let read_whole = ["HEAD", "config", "packed-refs", "shallow"];
    let files = read_whole.into_iter().map(|name| folder.join(name));
    files.into_iter().find(|it| !is_plain(it))
}

/// Whether there is nothing, a folder, or a file that can be read as a whole.
fn is_plain(path: &Path) -> bool {
    path.metadata().map_or(true, |it| {
        it.is_dir() || it.is_file() && it.len() <= LARGEST
    })
}

fn text(path: &Path) -> Option<String> {
    let file = path.is_file().then(|| File::open(path).ok())??;
    let mut bytes = Vec::new();
    file.take(LONGEST_LINE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn line(path: &Path) -> Option<String> {
    Some(text(path)?.lines().next()?.to_owned())
}
