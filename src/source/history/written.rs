//! Two revisions of a source tree, to be compared like two runs over two trees.
//!
//! The files of both are written to the user's cache directory, from objects alone, and read there like any other tree. Beside
//! them lies a recording of each: its functions, and what each counts in lines and in complexity.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use gix::ObjectId;
use serde::Serialize;
use tokei::{Config, LanguageType};

use super::change::Commit;
use super::contents::{LARGEST, Pair};
use super::record::{HistoryError, Written};
use super::renames;
use super::repository::{EntryKind, Found};
use crate::count;
use crate::scan::Scan;
use callscape_base::files;
use callscape_base::progress::Progress;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::index::cache_dir;
use callscape_facts::revised::{FORMAT, OUTSIDE};

/// What is written changes with the program and with this number.
const VERSION: u32 = 1;
/// So many comparisons are kept; the oldest go first.
const MOST_KEPT: usize = 8;
/// Of one revision no more is written, in bytes.
const MOST_WRITTEN: u64 = 2 << 30;
/// Where all of it lies, and the file in each place that names the tree.
const FOLDER: &str = "revisions";
const SOURCE: &str = "source";
/// Of one revision alone, the file that names the commit.
const COMMIT: &str = "commit";
const LONGEST_PATH: u64 = 1 << 16;
/// Files that say of others how they are read.
const SAYING: [&str; 4] = [".gitattributes", ".gitignore", ".ignore", ".tokeignore"];

/// See [`super::written`].
pub(super) fn written(
    dir: &Path,
    names: [&str; 2],
    progress: &Progress,
) -> Result<Written, HistoryError> {
    let found = Found::new(dir)?;
    let names = names.map(|name| match name.trim() {
        "" => "HEAD",
        name => name,
    });
    let commits = [found.commit_named(names[0])?, found.commit_named(names[1])?];
    if commits[0] == commits[1] {
        return Err(HistoryError::SameCommit {
            path: dir.to_path_buf(),
            revisions: names.map(str::to_owned),
            commit: commits[0].to_hex_with_len(12).to_string(),
        });
    }
    progress.start("looking for a common commit", 0);
    let is_shallow = found.repository.is_shallow().unwrap_or(false);
    if !is_shallow && !found.are_related(commits, progress)? {
        return Err(HistoryError::Unrelated {
            path: dir.to_path_buf(),
            revisions: names.map(str::to_owned),
        });
    }
    let mut trees = [ObjectId::null(commits[0].kind()); 2];
    for side in [0, 1] {
        trees[side] = found
            .tree_of(commits[side])
            .ok_or_else(|| HistoryError::NotThere {
                path: dir.to_path_buf(),
                revision: names[side].to_owned(),
            })?;
    }
    let whole = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let root = whole.file_name().unwrap_or("root".as_ref());
    let place = found.place_of(root, names, commits)?;
    let folders = ["a", "b"].map(|side| place.join(side));
    let written = Written {
        source_dirs: folders.each_ref().map(|it| it.join("files").join(root)),
        recordings: [0, 1].map(|side| folders[side].join(file_name(names[side]))),
    };
    if written.recordings.iter().all(|it| it.is_file()) {
        is_used(&place);
        return Ok(written);
    }
    begin(&place, &whole)?;
    let renamed = found.renamed_between(trees);
    for side in [0, 1] {
        let left_out = found.write_out(trees[side], &written.source_dirs[side], progress)?;
        let commit = found.commit(commits[side]);
        let document = Document {
            format: FORMAT,
            version: VERSION,
            name: names[side],
            commit: &commit.id,
            time: commit.time,
            renamed: if side == 1 { &renamed } else { &[] },
            left_out,
            functions: Vec::new(),
        };
        document.write(
            &written.source_dirs[side],
            &written.recordings[side],
            progress,
        )?;
    }
    prune(&place);
    Ok(written)
}

/// See [`super::written_at`].
pub(super) fn written_at(
    dir: &Path,
    name: &str,
    progress: &Progress,
) -> Result<PathBuf, HistoryError> {
    let found = Found::new(dir)?;
    let commit = found.commit_named(name)?;
    let tree = found
        .tree_of(commit)
        .ok_or_else(|| HistoryError::NotThere {
            path: dir.to_path_buf(),
            revision: name.to_owned(),
        })?;
    let whole = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let root = whole.file_name().unwrap_or("root".as_ref());
    let id = commit.to_string();
    let place = found.place_of(root, [&id, ""], [commit; 2])?;
    let to = place.join("a").join("files").join(root);
    if to.is_dir() {
        is_used(&place);
        return Ok(to);
    }
    begin(&place, &whole)?;
    let noted = files::write(&place.join(COMMIT), id.as_bytes());
    noted.map_err(|error| unwritten(&place, error))?;
    found.write_out(tree, &to, progress)?;
    prune(&place);
    Ok(to)
}

/// See [`super::written_commit`].
pub(super) fn written_commit(dir: &Path) -> Option<Commit> {
    let source = written_of(dir)?;
    let id = files::read_text(&dir.ancestors().nth(3)?.join(COMMIT), LONGEST_PATH).ok()?;
    let found = Found::new(&source).ok()?;
    let id = ObjectId::from_hex(id.trim().as_bytes()).ok()?;
    Some(found.commit(id))
}

/// Makes a place with the name of the tree in it.
fn begin(place: &Path, whole: &Path) -> Result<(), HistoryError> {
    fs::create_dir_all(place).map_err(|error| unwritten(place, error))?;
    let source = place.join(SOURCE);
    let noted = files::write(&source, whole.as_os_str().as_encoded_bytes());
    noted.map_err(|error| unwritten(&source, error))
}

/// Marks a place as just used: the longest unused are removed first.
fn is_used(place: &Path) {
    let now = std::time::SystemTime::now();
    let _ = fs::File::open(place).and_then(|it| it.set_modified(now));
}

/// See [`super::written_of`].
pub(super) fn written_of(dir: &Path) -> Option<PathBuf> {
    // The tree lies in a folder of files, in that of its side.
    let place = dir.ancestors().nth(3)?;
    let is_written = place.parent()? == cache_dir()?.join(FOLDER);
    let source = is_written.then(|| files::read_text(&place.join(SOURCE), LONGEST_PATH));
    Some(PathBuf::from(source?.ok()?)).filter(|it| it.is_dir())
}

/// A recording of a revision, as it is written.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    name: &'a str,
    commit: &'a str,
    time: i64,
    renamed: &'a [[String; 2]],
    /// Files that are not looked into.
    left_out: u64,
    /// Name, file, line, lines of code and complexity of each.
    functions: Vec<(String, String, u32, u32, u32)>,
}

impl Document<'_> {
    /// Writes it with the functions of the tree at `source`.
    fn write(
        mut self,
        source: &Path,
        recording: &Path,
        progress: &Progress,
    ) -> Result<(), HistoryError> {
        let mut scan = Scan::start(source, progress)?;
        scan.finish(progress)?;
        self.functions = functions(&scan.hierarchy());
        let json = serde_json::to_vec(&self).map_err(|error| unwritten(recording, error))?;
        files::write(recording, &json).map_err(|error| unwritten(recording, error))
    }
}

/// The functions of a tree, and for each file what is outside of them.
fn functions(hierarchy: &Hierarchy) -> Vec<(String, String, u32, u32, u32)> {
    let mut all = Vec::new();
    let is_file = |&id: &_| hierarchy.kind(id) == ModuleKind::File;
    for file in hierarchy.modules().filter(is_file) {
        let (path, mut outside) = (hierarchy.path(file), hierarchy.module(file).loc);
        let at = all.len();
        for id in hierarchy.subtree(file).map(callscape_base::units::ModuleId) {
            let of = hierarchy.module(id);
            if of.kind == ModuleKind::Function {
                outside = outside.saturating_sub(of.loc);
                let name = of.name.to_owned();
                all.push((name, path.clone(), of.line, of.loc, of.complexity));
            }
        }
        if outside > 0 {
            all.insert(at, (OUTSIDE.to_owned(), path, 0, outside, 0));
        }
    }
    all
}

/// A name of a file that people know the revision by.
fn file_name(revision: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "._-~^+@".contains(it);
    let plain = revision.chars().take(100);
    let plain: String = plain
        .map(|it| if is_plain(it) { it } else { '-' })
        .collect();
    match plain.trim_matches('.') {
        "" | "files" => format!("{plain}-"),
        _ => plain,
    }
}

fn unwritten(path: &Path, error: impl std::fmt::Display) -> HistoryError {
    HistoryError::Unwritten {
        path: path.to_path_buf(),
        reason: error.to_string(),
    }
}

impl Found {
    /// The folder of two revisions of the directory.
    fn place_of(
        &self,
        root: &OsStr,
        names: [&str; 2],
        commits: [ObjectId; 2],
    ) -> Result<PathBuf, HistoryError> {
        let common = fs::canonicalize(self.repository.common_dir());
        let common = common.map_err(|error| self.unreadable(error))?;
        let mut key = common.into_os_string().into_encoded_bytes();
        key.push(0);
        key.extend(self.prefix.join(&b'/'));
        key.extend(root.as_encoded_bytes());
        let program = env!("CARGO_PKG_VERSION");
        let [a, b] = names;
        let [from, to] = commits;
        key.extend(format!("\0{a}\0{b}\0{from}\0{to}\0{VERSION}\0{program}").into_bytes());
        let cache = cache_dir().unwrap_or_else(|| std::env::temp_dir().join("callscape"));
        Ok(cache
            .join(FOLDER)
            .join(format!("{:016x}", count::hash(&key))))
    }

    /// Whether some commit is before both or one of them. Looks at the newest first, and at no more than it has to.
    fn are_related(
        &self,
        commits: [ObjectId; 2],
        progress: &Progress,
    ) -> Result<bool, HistoryError> {
        let mut seen: HashMap<ObjectId, u8> = HashMap::new();
        let mut next: BinaryHeap<(i64, Reverse<ObjectId>, u8)> = BinaryHeap::new();
        for (commit, side) in commits.into_iter().zip([1, 2]) {
            next.push((i64::MAX, Reverse(commit), side));
        }
        while let Some((_, Reverse(id), sides)) = next.pop() {
            progress.add(1)?;
            let known = seen.entry(id).or_default();
            if *known | sides == *known {
                continue;
            }
            *known |= sides;
            if *known == 3 {
                return Ok(true);
            }
            let Ok(commit) = self.repository.find_commit(id) else {
                continue;
            };
            let time = commit.time().map_or(0, |it| it.seconds);
            for parent in commit.parent_ids() {
                next.push((time, Reverse(parent.detach()), sides));
            }
        }
        Ok(false)
    }

    /// Files that git takes for renamed between two trees, as their paths in both.
    fn renamed_between(&self, [before, after]: [ObjectId; 2]) -> Vec<[String; 2]> {
        let mut changes = Vec::new();
        let path = &mut String::new();
        self.compare(Some(before), Some(after), path, 0, &mut changes);
        changes.retain(|change| change.kind == EntryKind::File);
        let mut pairs: Vec<Pair> = changes.into_iter().map(Pair::of).collect();
        renames::pair(self, &mut pairs);
        let renamed = pairs.into_iter();
        let mut renamed: Vec<_> = renamed.filter_map(|it| Some([it.was?, it.path])).collect();
        renamed.sort();
        renamed
    }

    /// Writes the files of a tree that may hold source to `to`, all of them or none; and how many were left out.
    fn write_out(
        &self,
        tree: ObjectId,
        to: &Path,
        progress: &Progress,
    ) -> Result<u64, HistoryError> {
        let mut listed = Vec::new();
        self.list_files(tree, &mut String::new(), 0, &mut listed);
        let shown = self.dir.display();
        progress.start(
            format!("reading a revision of {shown}"),
            listed.len() as u64,
        );
        let parent = to.parent().unwrap_or(to);
        let beside = parent.with_extension(format!("{}", std::process::id()));
        let refused = |error: io::Error| unwritten(&beside, error);
        let _ = fs::remove_dir_all(&beside);
        let inside = beside.join(to.file_name().unwrap_or_default());
        // What ignores a file in a folder around the cache has no say in it.
        fs::create_dir_all(inside.join(".git")).map_err(refused)?;
        let written = self.write_files(listed, &inside, progress);
        let done = written.and_then(|left_out| {
            let _ = fs::remove_dir_all(parent);
            match fs::rename(&beside, parent) {
                // Another process has written the same meanwhile.
                Err(_) if to.is_dir() => Ok(left_out),
                done => done.map(|()| left_out).map_err(refused),
            }
        });
        if done.is_err() {
            let _ = fs::remove_dir_all(&beside);
        }
        done
    }

    fn write_files(
        &self,
        listed: Vec<(String, ObjectId)>,
        inside: &Path,
        progress: &Progress,
    ) -> Result<u64, HistoryError> {
        let (mut left_out, mut bytes) = (0, 0u64);
        for (path, id) in listed {
            progress.add(1)?;
            let below = Path::new(&path);
            let is_known = has_known_name(below);
            if !is_known && below.extension().is_some() {
                continue;
            }
            let blob = self.blob(id, LARGEST).filter(|_| is_inside(below));
            // Without an ending it may say in its first line what it is.
            if !is_known && blob.as_ref().is_some_and(|it| !it.starts_with(b"#!")) {
                continue;
            }
            let file = inside.join(below);
            match blob {
                None => left_out += 1,
                Some(blob) => match write_file(&file, &blob) {
                    Ok(()) => bytes += blob.len() as u64,
                    Err(error) if is_of_name(&error) => left_out += 1,
                    Err(error) => return Err(unwritten(&file, error)),
                },
            }
            if bytes > MOST_WRITTEN {
                let reason = format!(
                    "expected at most {MOST_WRITTEN} bytes of source files in a revision, found more"
                );
                return Err(self.unreadable(reason));
            }
        }
        Ok(left_out)
    }

    /// The files of a tree that are neither links nor submodules.
    fn list_files(
        &self,
        tree: ObjectId,
        path: &mut String,
        depth: usize,
        listed: &mut Vec<(String, ObjectId)>,
    ) {
        if depth > super::repository::DEEPEST {
            return;
        }
        let length = path.len();
        for entry in self.entries(Some(tree)) {
            super::repository::push_name(path, &entry.name);
            match entry.kind {
                EntryKind::Tree => self.list_files(entry.id, path, depth + 1, listed),
                EntryKind::File => listed.push((path.clone(), entry.id)),
                EntryKind::Link | EntryKind::Submodule => {}
            }
            path.truncate(length);
        }
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::File::create_new(path)?.write_all(bytes)
}

/// Whether it is the name that cannot be written here: one that is too long, or the same as another to this file system.
fn is_of_name(error: &io::Error) -> bool {
    use io::ErrorKind::{
        AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory,
    };
    matches!(
        error.kind(),
        AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory
    )
}

/// Whether a file has a name of source code, or says of others how they are read.
fn has_known_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    SAYING.iter().any(|it| name == *it)
        || LanguageType::from_path(path, &Config::default()).is_some()
}

/// Whether a path leads nowhere but below the folder that it is joined to.
fn is_inside(path: &Path) -> bool {
    let is_plain = |it: Component<'_>| match it {
        Component::Normal(name) => {
            let name = name.to_string_lossy();
            !name.eq_ignore_ascii_case(".git") && !name.contains(['\\', ':', '\0'])
        }
        _ => false,
    };
    path.components().all(is_plain)
}

/// Removes what was not used for longest; what is at `newest` stays.
fn prune(newest: &Path) {
    let entries = newest.parent().and_then(|it| fs::read_dir(it).ok());
    let mut kept: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| {
            let used = entry.metadata().and_then(|it| it.modified());
            (Reverse(used.unwrap_or(UNIX_EPOCH)), entry.path())
        })
        .filter(|(_, path)| path != newest)
        .collect();
    kept.sort();
    for (_, path) in kept.into_iter().skip(MOST_KEPT - 1) {
        let _ = fs::remove_dir_all(path);
    }
}
