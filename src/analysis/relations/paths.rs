//! The paths of a tree's files, to be looked up by name, and what `..` means in one.

use std::collections::{HashMap, HashSet};

/// A file, as an index in order of path.
pub type FileId = u32;

/// The files and directories of a tree by their paths.
pub(super) struct Paths<'a> {
    files: HashMap<&'a str, FileId>,
    folders: HashSet<&'a str>,
    /// By file name, in order of path.
    by_name: HashMap<&'a str, Vec<FileId>>,
    all: &'a [String],
}

impl<'a> Paths<'a> {
    pub(super) fn new(all: &'a [String]) -> Paths<'a> {
        let mut paths = Paths {
            files: HashMap::with_capacity(all.len()),
            folders: HashSet::from([""]),
            by_name: HashMap::new(),
            all,
        };
        for (id, path) in (0..).zip(all) {
            paths.files.insert(path, id);
            paths.by_name.entry(name(path)).or_default().push(id);
            let mut at = folder(path);
            while !at.is_empty() && paths.folders.insert(at) {
                at = folder(at);
            }
        }
        paths
    }

    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        self.files.get(path).copied()
    }

    /// The file `path` in the directory `base`.
    pub(super) fn in_folder(&self, base: &str, path: &str) -> Option<FileId> {
        match base {
            "" => self.file(path),
            base => self.file(&format!("{base}/{path}")),
        }
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub(super) fn path(&self, file: FileId) -> &'a str {
        &self.all[file as usize]
    }

    /// The files whose paths end with these components, in order of path.
    pub(super) fn ending_with<'s>(&'s self, end: &'s str) -> impl Iterator<Item = FileId> + 's {
        let same = self.by_name.get(name(end)).into_iter().flatten().copied();
        same.filter(move |&file| {
            let path = self.path(file);
            path.strip_suffix(end)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// Of several files the one that shares most of its directories with `from`; none where that is true of two.
    pub(super) fn nearest(
        &self,
        from: &str,
        files: impl Iterator<Item = FileId>,
    ) -> Option<FileId> {
        let mut best: Option<(usize, FileId)> = None;
        let mut is_tie = false;
        for file in files {
            let shared = shared(from, self.path(file));
            match best {
                Some((most, _)) if shared < most => {}
                Some((most, _)) if shared == most => is_tie = true,
                _ => (best, is_tie) = (Some((shared, file)), false),
            }
        }
        best.filter(|_| !is_tie).map(|(_, file)| file)
    }
}

/// How many directories two paths begin with that are the same.
pub(super) fn shared(a: &str, b: &str) -> usize {
    let (a, b) = (folder(a).split('/'), folder(b).split('/'));
    a.zip(b)
        .take_while(|(a, b)| a == b && !a.is_empty())
        .count()
}

/// The directory of a path; empty for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last component of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// A file name without its last ending.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The directory itself, the one around it, and so on to the root.
pub(super) fn around(folder_path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder_path), |path| {
        (!path.is_empty()).then(|| folder(path))
    })
}

/// `path` from the directory `base`, without `.` and `..`; none where it leaves the tree or is absolute.
pub(super) fn join(base: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.starts_with('\\') || path.contains('\0') {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            // A drive of Windows.
            part if part.ends_with(':') => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
