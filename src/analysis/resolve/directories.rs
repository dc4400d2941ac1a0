//! The directories of recorded paths, without those that say nothing.

use std::collections::HashMap;

/// A directory as the recordings name it.
#[derive(Default)]
struct Directory {
    children: u32,
    has_files: bool,
}

/// A tree of directories in which chains, `src/main/java/org`, count as one, and what all files share does
/// not count at all.
pub(super) struct Directories<'a> {
    directories: Vec<Directory>,
    /// By parent and name; the root is directory 0.
    by_name: HashMap<(usize, &'a str), usize>,
}

/// Paths are followed this deep.
const DEEPEST: usize = 60;

impl<'a> Directories<'a> {
    /// The directories of all `files`. Linear in the length of the paths.
    pub(super) fn new(files: impl Iterator<Item = &'a str>) -> Directories<'a> {
        let mut all = Directories {
            directories: vec![Directory::default()],
            by_name: HashMap::new(),
        };
        for file in files {
            let mut at = 0;
            for name in directory_names(file) {
                let next = all.directories.len();
                let directory = *all.by_name.entry((at, name)).or_insert(next);
                if directory == next {
                    all.directories.push(Directory::default());
                    all.directories[at].children += 1;
                }
                at = directory;
            }
            all.directories[at].has_files = true;
        }
        all
    }

    /// The names of the modules that stand for the directories around `file`, which is one of those that the tree
    /// was made of; outermost first.
    pub(super) fn names(&self, file: &str) -> Vec<String> {
        let is_fork = |directory: &Directory| directory.has_files || directory.children > 1;
        let mut names: Vec<String> = Vec::new();
        let mut chain: Vec<&str> = Vec::new();
        let mut at = 0;
        let mut is_shared = !is_fork(&self.directories[0]);
        for name in directory_names(file) {
            let Some(&directory) = self.by_name.get(&(at, name)) else {
                break;
            };
            at = directory;
            chain.push(name);
            if is_fork(&self.directories[at]) {
                if !is_shared {
                    names.push(chain.join("/"));
                }
                is_shared = false;
                chain.clear();
            }
        }
        names
    }
}

fn directory_names(file: &str) -> impl Iterator<Item = &str> {
    let end = file.rfind(['/', '\\']).unwrap_or(0);
    let names = file[..end].split(['/', '\\']);
    names
        .filter(|name| !matches!(*name, "" | "." | "file:"))
        .take(DEEPEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_one_and_what_all_share_is_none() {
        let files = [
            "/src/py/main.py",
            "/src/py/site/a/b/c/x.py",
            "/src/py/site/a/b/c/d/y.py",
            "/src/py/site/e/z.py",
        ];
        let directories = Directories::new(files.into_iter());
        let names = files.map(|file| directories.names(file).join(" "));
        assert_eq!(names, ["", "site a/b/c", "site a/b/c d", "site e"]);
        assert!(directories.names("/elsewhere/w.py").is_empty());
    }

    #[test]
    fn files_without_directory_stand_at_the_top() {
        let directories = Directories::new(["a.c", "lib/b.c"].into_iter());
        assert!(directories.names("a.c").is_empty());
        assert_eq!(directories.names("lib/b.c"), ["lib"]);
    }
}
