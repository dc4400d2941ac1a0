//! The files of scenes: paths as seen from the folder of a file, and how files are written.

use std::io;
use std::path::{Component, Path, PathBuf};

use anyhow::Context;

use super::scene::Scene;
use callscape_base::files;

/// `path` as seen from `folder`; as it is where they have nothing in common.
pub fn relative(path: &Path, folder: &Path) -> PathBuf {
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (path, folder) = (whole(path), whole(folder));
    let names = |path: &'_ Path| -> Vec<PathBuf> {
        path.components()
            .map(|part| PathBuf::from(part.as_os_str()))
            .collect()
    };
    let (to, from) = (names(&path), names(&folder));
    let common = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let shares_root = path.components().next().is_some_and(|first| {
        matches!(first, Component::Prefix(_) | Component::RootDir) && common > 0
    });
    if !shares_root {
        return path;
    }
    let up = std::iter::repeat_n(PathBuf::from(".."), from.len() - common);
    let relative: PathBuf = up.chain(to[common..].iter().cloned()).collect();
    if relative.as_os_str().is_empty() {
        return PathBuf::from(".");
    }
    relative
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes a file beside `path` and renames it into place; makes the folder when there is none.
pub fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    files::write(path, bytes)
}

/// Writes a scene beside and renames it.
pub fn write_scene(path: &Path, scene: &Scene) -> anyhow::Result<()> {
    let text = toml::to_string(scene)?;
    write_beside(path, text.as_bytes()).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_folder_of_the_file() {
        let at = |path: &str| PathBuf::from(path);
        let seen = |path: &str, folder: &str| relative(&at(path), &at(folder));
        assert_eq!(seen("/no/such/a/run.json", "/no/such/a"), at("run.json"));
        assert_eq!(
            seen("/no/such/a/run.json", "/no/such/b/c"),
            at("../../a/run.json")
        );
        assert_eq!(seen("/no/such/a", "/no/such/a"), at("."));
    }
}
