//! The source tree of a recording, from what it says of its functions' files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use callscape_facts::functions::Functions;

/// Where the sources of others lie.
const SYSTEM: [&str; 6] = ["/usr", "/lib", "/rustc", "/build", "/opt", "/nix"];

/// Folders inside of which packages of others lie.
const PACKAGES: [&str; 5] = [
    "site-packages",
    "dist-packages",
    "node_modules",
    ".cargo",
    ".rustup",
];

/// So many folders around the program are looked at.
const AROUND: usize = 4;

/// So many files are looked for.
const MOST_FILES: usize = 2000;

/// The folder that most of the files of `functions` lie in: the innermost one around those named in full, else the folder
/// around the program, or the current one, in which most of the others are found. None where none is.
pub fn find(functions: &Functions, program: &Path) -> Option<PathBuf> {
    let mut files: Vec<&str> = functions.ids().map(|id| functions.get(id).file).collect();
    files.retain(|file| !file.is_empty());
    files.sort_unstable();
    files.dedup();
    files.truncate(MOST_FILES);
    let is_own = |path: &Path| {
        let is_system = SYSTEM.iter().any(|it| path.starts_with(it));
        let mut names = path.components();
        let is_package = names.any(|it| PACKAGES.iter().any(|name| it.as_os_str() == *name));
        !is_system && !is_package
    };
    let plain = files
        .iter()
        .map(|it| Path::new(it.strip_prefix("file://").unwrap_or(it)));
    let (full, short): (Vec<&Path>, Vec<&Path>) = plain.partition(|it| it.is_absolute());
    let mut around: Option<PathBuf> = None;
    for file in full.into_iter().filter(|it| is_own(it) && it.is_file()) {
        let folder = file.parent().unwrap_or(file);
        around = Some(match around {
            None => folder.to_path_buf(),
            Some(before) => common(&before, folder),
        });
    }
    // All of a disk is no source tree.
    let around = around.filter(|it| it.components().count() > 2);
    around.or_else(|| with_most(&short, program))
}

/// The innermost folder around both.
fn common(a: &Path, b: &Path) -> PathBuf {
    let both = a.components().zip(b.components());
    both.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

/// Of the current folder, that of the program and those around it, the one in which most files are found.
fn with_most(files: &[&Path], program: &Path) -> Option<PathBuf> {
    let program = std::fs::canonicalize(program).ok();
    let around = program
        .iter()
        .flat_map(|it| it.ancestors().skip(1).take(AROUND));
    let mut folders: Vec<PathBuf> = std::env::current_dir().into_iter().collect();
    folders.extend(
        around
            .filter(|it| it.components().count() > 2)
            .map(Path::to_path_buf),
    );
    let mut found: BTreeMap<usize, PathBuf> = BTreeMap::new();
    for folder in folders {
        let count = files
            .iter()
            .filter(|file| folder.join(file).is_file())
            .count();
        found.entry(count).or_insert(folder);
    }
    let (count, folder) = found.pop_last()?;
    (count > 0).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::functions::Function;

    #[test]
    fn the_folder_around_the_files_is_the_source_tree() {
        let folder = std::env::temp_dir().join(format!("callscape-source-{}", std::process::id()));
        for inner in ["src/a", "src/b", "bin"] {
            std::fs::create_dir_all(folder.join(inner)).expect("a folder");
        }
        for file in ["src/a/a.c", "src/b/b.c", "main.c", "bin/app"] {
            std::fs::write(folder.join(file), "").expect("it can be written");
        }
        let of = |files: &[&str]| {
            let mut functions = Functions::default();
            for file in files {
                functions.intern(Function {
                    name: file,
                    file,
                    ..Function::default()
                });
            }
            find(&functions, &folder.join("bin/app"))
        };
        let full = |file: &str| folder.join(file).to_string_lossy().into_owned();
        let (a, b) = (full("src/a/a.c"), full("src/b/b.c"));
        assert_eq!(
            of(&[&a, &b, "/usr/include/stdio.h"]),
            Some(folder.join("src"))
        );
        let there = std::fs::canonicalize(&folder).expect("it is there");
        assert_eq!(of(&["main.c", "src/a/a.c", "gone.c"]), Some(there));
        assert_eq!(of(&["gone.c", ""]), None);
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
}
