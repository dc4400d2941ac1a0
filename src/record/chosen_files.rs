//! Functions that are chosen by the files in which a source tree has them.

use std::fs;
use std::path::{Path, PathBuf};

use super::run::Wish;
use callscape_analysis::lines::file_around;
use callscape_analysis::resolve::{Resolution, Rule, resolve};
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::Reporter;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder};
use callscape_import::demangle::demangle;

/// Whether a file or folder is meant, not a function: no name of a native function has a slash.
pub(crate) fn is_path(name: &str) -> bool {
    name.contains('/') && set(name).is_none()
}

/// The file with a set of functions that is meant, a mapping or findings: behind `@`, which begins no name of a function.
pub(crate) fn set(name: &str) -> Option<&str> {
    name.strip_prefix('@')
}

/// Whether a library is meant: `libfoo.so`, also with a version, or a `*` for one.
pub(crate) fn is_library(name: &str) -> bool {
    let rest = name.rsplit_once(".so").map(|(_, rest)| rest);
    !is_path(name)
        && set(name).is_none()
        && rest.is_some_and(|it| it.is_empty() || it.starts_with(['.', '*', '-']))
}

/// Where a path leads: from the folder that the program runs in, or else from the source tree.
pub(crate) fn place(path: &str, wish: &Wish) -> Result<PathBuf, String> {
    let folder = wish.folder.as_deref().unwrap_or(Path::new(""));
    let places = [Some(folder), wish.source.as_deref()].into_iter().flatten();
    let found = places.map(|from| fs::canonicalize(from.join(path)));
    let mut found = found.flatten();
    let missing = || format!("expected a file or folder, found none at '{path}'");
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
    let Resolved {
        ids,
        hierarchy,
        resolution,
        ..
    } = Resolved::of(symbols, Some(&tree))?;
    let wanted = place.strip_prefix(&tree).unwrap_or(Path::new(""));
    let is_wanted = |module| {
        let file = file_around(&hierarchy, module);
        file.is_some_and(|file| Path::new(&hierarchy.path(file)).starts_with(wanted))
    };
    let is_inside = ids.iter().map(|id| {
        let index = id.index();
        resolution.rules[index] != Rule::External && is_wanted(resolution.modules[index])
    });
    Ok(is_inside.collect())
}

/// Symbols, and where a source tree has their functions.
pub(crate) struct Resolved {
    pub functions: Functions,
    /// By symbol.
    pub ids: Vec<FunctionId>,
    pub hierarchy: Hierarchy,
    pub resolution: Resolution,
}

impl Resolved {
    /// Reads the syntax of a tree; without one, names are all that is known.
    pub(crate) fn of(symbols: &[String], tree: Option<&Path>) -> Result<Resolved, String> {
        let source = match tree {
            Some(tree) => callscape_source::scan(tree, &Progress::new(), &Reporter::new())
                .map_err(|error| error.to_string())?,
            None => HierarchyBuilder::new("program").build().0,
        };
        let mut functions = Functions::default();
        let ids = symbols.iter().map(|symbol| {
            functions.intern(Function {
                name: &demangle(symbol),
                file: "",
                line: 0,
                library: "",
            })
        });
        let ids = ids.collect();
        let (hierarchy, mut resolutions) = resolve(&source, &[&functions]);
        let resolution = resolutions.pop().ok_or("the program has no functions")?;
        Ok(Resolved {
            functions,
            ids,
            hierarchy,
            resolution,
        })
    }
}
