//! Functions that are chosen by the files in which a source tree has them.

use std::fs;
use std::path::{Path, PathBuf};

use super::run::Wish;
use callscape_analysis::lines::file_around;
use callscape_analysis::resolve::{Rule, resolve};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::functions::{Function, Functions};
use callscape_import::demangle::demangle;

/// Whether a file or folder is meant, not a function: no name of a native function has a slash.
pub(crate) fn is_path(name: &str) -> bool {
    name.contains('/')
}

/// Whether a library is meant: `libfoo.so`, also with a version, or a `*` for one.
pub(crate) fn is_library(name: &str) -> bool {
    let rest = name.rsplit_once(".so").map(|(_, rest)| rest);
    !is_path(name) && rest.is_some_and(|it| it.is_empty() || it.starts_with(['.', '*', '-']))
}

/// Where a path leads: from the folder that the program runs in, or else from the source tree.
pub(crate) fn place(path: &str, wish: &Wish) -> Result<PathBuf, String> {
    let folder = wish.folder.as_deref().unwrap_or(Path::new(""));
    let places = [Some(folder), wish.source.as_deref()].into_iter().flatten();
    let found = places.map(|from| fs::canonicalize(from.join(path)));
    let mut found = found.flatten();
    let missing = || format!("expected a file or folder with source code, found none at '{path}'");
    found.next().ok_or_else(missing)
}

/// By symbol, whether its function lies in the file or folder at `path`. The tree of the wish tells functions of the same name
/// apart; without one, what is at `path` is all that is known. Reads the syntax of that.
pub(crate) fn of_path(symbols: &[String], path: &str, wish: &Wish) -> Result<Vec<bool>, String> {
    let place = place(path, wish)?;
    let tree = wish.source.as_ref();
    let tree = tree.and_then(|it| fs::canonicalize(it).ok());
    let folder = match place.is_dir() {
        true => Some(place.as_path()),
        false => place.parent(),
    };
    let tree = match tree.filter(|it| place.starts_with(it)) {
        Some(tree) => tree,
        None => folder.unwrap_or(Path::new("/")).to_owned(),
    };
    let source = callscape_source::scan(&tree, &Progress::new(), &Reporter::new());
    let source = source.map_err(|error| error.to_string())?;
    let mut functions = Functions::default();
    let ids = symbols.iter().map(|symbol| {
        functions.intern(Function {
            name: &demangle(symbol),
            file: "",
            line: 0,
            library: "",
        })
    });
    let ids: Vec<_> = ids.collect();
    let (hierarchy, mut resolutions) = resolve(&source, &[&functions]);
    let Some(resolved) = resolutions.pop() else {
        return Ok(vec![false; symbols.len()]);
    };
    let wanted = place.strip_prefix(&tree).unwrap_or(Path::new(""));
    let is_wanted = |module| {
        let file = file_around(&hierarchy, module);
        file.is_some_and(|file| Path::new(&hierarchy.path(file)).starts_with(wanted))
    };
    let is_inside = ids.iter().map(|id| {
        let index = id.index();
        resolved.rules[index] != Rule::External && is_wanted(resolved.modules[index])
    });
    Ok(is_inside.collect())
}
