//! Lines that lie in another file than their function, or in the file of a function that the source does not define there
//! any more: which file of the hierarchy that is.
//!
//! Paths are all there is: the file of a function with this path; a file beside those of functions recorded in the same
//! directory; or the only file whose path ends alike, its directory included.

use std::collections::HashMap;

use crate::session::Resolved;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::lines::{Lines, Place};

/// The places that are not in the file that their function is in as a module, as far as theirs is a module: by file, in
/// order. Linear in places, functions and modules where there are any.
pub(super) fn places(
    hierarchy: &Hierarchy,
    resolved: &Resolved,
    lines: &Lines,
) -> Vec<(ModuleId, usize)> {
    let functions = &resolved.recording.functions;
    let own_file = |place: Place| {
        let module = resolved.resolution.modules.get(place.function().index())?;
        let is_external = file_around(hierarchy, *module).is_none();
        let file = functions.get(place.function()).file;
        (is_external && !file.is_empty()).then_some(file)
    };
    let named = (0..lines.len()).filter_map(|at| {
        let place = lines.place(at);
        Some((at, lines.other_file(place).or_else(|| own_file(place))?))
    });
    let named: Vec<(usize, &str)> = named.collect();
    if named.is_empty() {
        return Vec::new();
    }
    let paths = Paths::new(hierarchy, resolved);
    let mut known: HashMap<&str, Option<ModuleId>> = HashMap::new();
    let mut found: Vec<(ModuleId, usize)> = Vec::new();
    for (at, path) in named {
        let module = *known.entry(path).or_insert_with(|| paths.find(path));
        found.extend(module.map(|module| (module, at)));
    }
    found.sort_unstable();
    found
}

/// The outermost file that a module is in.
pub fn file_around(hierarchy: &Hierarchy, module: ModuleId) -> Option<ModuleId> {
    let around = hierarchy.ancestors(module);
    around
        .filter(|&id| hierarchy.kind(id) == ModuleKind::File)
        .last()
}

struct Paths<'a> {
    hierarchy: &'a Hierarchy,
    /// Files of functions by their recorded paths, and the directories of these.
    files: HashMap<&'a str, ModuleId>,
    directories: HashMap<&'a str, ModuleId>,
    /// All files by name.
    by_name: HashMap<&'a str, Vec<ModuleId>>,
}

impl<'a> Paths<'a> {
    fn new(hierarchy: &'a Hierarchy, resolved: &'a Resolved) -> Paths<'a> {
        let mut paths = Paths {
            hierarchy,
            files: HashMap::new(),
            directories: HashMap::new(),
            by_name: HashMap::new(),
        };
        let functions = &resolved.recording.functions;
        for (id, &module) in functions.ids().zip(&resolved.resolution.modules) {
            let path = functions.get(id).file;
            if !path.is_empty()
                && !paths.files.contains_key(path)
                && let Some(file) = file_around(hierarchy, module)
            {
                paths.files.insert(path, file);
                if let Some(parent) = hierarchy.parent(file) {
                    paths.directories.insert(split(path).0, parent);
                }
            }
        }
        for file in hierarchy.outermost_files() {
            let of_name = paths.by_name.entry(hierarchy.name(file)).or_default();
            of_name.push(file);
        }
        paths
    }

    fn find(&self, path: &str) -> Option<ModuleId> {
        if let Some(&file) = self.files.get(path) {
            return Some(file);
        }
        let (directory, name) = split(path);
        let files = self.by_name.get(name)?;
        if let Some(&beside) = self.directories.get(directory)
            && let Some(&file) = files
                .iter()
                .find(|&&file| self.hierarchy.parent(file) == Some(beside))
        {
            return Some(file);
        }
        let ends: Vec<(usize, ModuleId)> = files
            .iter()
            .map(|&it| (self.common(it, path), it))
            .collect();
        let longest = ends.iter().map(|it| it.0).max()?;
        let mut best = ends.iter().filter(|it| it.0 == longest);
        let &(_, file) = best.next()?;
        let is_told = longest > 1 || directory.is_empty();
        (is_told && best.next().is_none()).then_some(file)
    }

    /// How many components the ends of the path of a file and of a recorded one have in common.
    fn common(&self, file: ModuleId, path: &str) -> usize {
        let recorded = path
            .rsplit(['/', '\\'])
            .filter(|part| !part.is_empty() && *part != ".");
        let names = self.hierarchy.ancestors(file);
        let names = names.map(|id| self.hierarchy.name(id));
        names.zip(recorded).take_while(|(a, b)| a == b).count()
    }
}

/// The directory, without the separator behind it, and the name of a file.
fn split(path: &str) -> (&str, &str) {
    match path.rfind(['/', '\\']) {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => ("", path),
    }
}
