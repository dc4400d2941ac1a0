//! Which file of the source tree a recorded path means, whatever directory it was built in.

use std::collections::{BTreeMap, HashMap};

use super::packages;
use super::source_index::SourceIndex;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// What a recording says of one of its files.
#[derive(Debug, Default)]
pub(super) struct RecordedFile {
    /// The own names of the functions that it places there, those that have one.
    pub functions: Vec<String>,
}

/// A file of an installed package: its path, the names recorded there, and files of its name in the source.
type Installed<'a> = (&'a str, &'a [String], Vec<ModuleId>);

/// What a recording's files of one directory are in the source.
type Found<'a> = Vec<(&'a str, ModuleId)>;

/// Finds files by the ends of their paths.
pub(super) struct SourceFiles<'a> {
    hierarchy: &'a Hierarchy,
    index: &'a SourceIndex<'a>,
    /// The components of each file's path from the last to the first, the root's name included; sorted.
    reversed: Vec<(Vec<&'a str>, ModuleId)>,
}

/// So many names that a directory of an installed package and one of the source have in common, and so large a part of
/// those recorded, tell that they are the same.
const SAME_NAMES: usize = 5;
const SAME_PART: (usize, usize) = (4, 5);

/// More files than this with equally long common paths are not told apart.
const MOST_CANDIDATES: usize = 200;

impl<'a> SourceFiles<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy, index: &'a SourceIndex<'a>) -> SourceFiles<'a> {
        let is_file = |id: &ModuleId| hierarchy.kind(*id) == ModuleKind::File;
        let mut reversed: Vec<(Vec<&str>, ModuleId)> = hierarchy
            .modules()
            .filter(is_file)
            .map(|id| {
                let names = hierarchy.ancestors(id).map(|id| hierarchy.name(id));
                (names.collect(), id)
            })
            .collect();
        reversed.sort();
        SourceFiles {
            hierarchy,
            index,
            reversed,
        }
    }

    /// The source file of each of the recorded `files`, by path; those that have none are left out.
    ///
    /// The longest common end of the paths wins, which for a file of a standard library or an installed package
    /// must be more than its own name. One of the names recorded there must be defined in the
    /// source file; when the common end is no more than the file's own name (a standard library also has its
    /// `utils.py`), half of them must be. Among equals the file that defines the most wins; where none does,
    /// the path means no file. A file without such evidence goes with the other files of its directory, or
    /// is found when nothing speaks against it and no other file has so long a common end. Files of an installed package
    /// that lies in the source under another name (`src` for `objprint`) are found together, when nearly all that is
    /// recorded in them is defined in files of those names in one directory.
    pub(super) fn find(&self, files: &[(&str, RecordedFile)]) -> HashMap<String, ModuleId> {
        let mut found: HashMap<String, ModuleId> = HashMap::new();
        // Directories as recorded, and the modules that they were seen to be.
        let mut directories: HashMap<&str, ModuleId> = HashMap::new();
        let mut unproven: Vec<(&str, bool, Vec<ModuleId>)> = Vec::new();
        let mut installed: BTreeMap<&str, Vec<Installed>> = BTreeMap::new();
        for (path, recorded) in files {
            let components = reversed_components(path);
            let (common, candidates) = self.candidates(&components);
            if common <= 1 && packages::package(path).is_some() {
                let file = (*path, recorded.functions.as_slice(), candidates);
                installed.entry(directory(path)).or_default().push(file);
                continue;
            }
            if common == 0 || candidates.len() > MOST_CANDIDATES {
                continue;
            }
            let names = &recorded.functions;
            let needed = match common {
                1 => names.len().div_ceil(2).max(1),
                _ => 1,
            };
            match self.best(&candidates, names) {
                Some((file, defined)) if defined >= needed => {
                    found.insert((*path).to_owned(), file);
                    if let Some(parent) = self.hierarchy.parent(file) {
                        directories.insert(directory(path), parent);
                    }
                }
                _ => unproven.push((path, names.is_empty(), candidates)),
            }
        }
        for (directory, files) in installed {
            let Some((parent, same)) = self.same_directory(&files) else {
                continue;
            };
            found.extend(same.iter().map(|&(path, file)| (path.to_owned(), file)));
            directories.insert(directory, parent);
            unproven.extend(files.into_iter().map(|(path, _, all)| (path, false, all)));
        }
        for (path, is_likely, candidates) in unproven {
            if found.contains_key(path) {
                continue;
            }
            let beside = directories.get(directory(path));
            let is_beside = |file: &&ModuleId| self.hierarchy.parent(**file).as_ref() == beside;
            let is_exact = |file: &&ModuleId| is_likely && self.hierarchy.path(**file) == path;
            let exact = candidates.iter().find(is_exact);
            let file = match (
                exact.or_else(|| candidates.iter().find(is_beside)),
                candidates.as_slice(),
            ) {
                (Some(file), _) => *file,
                (None, [file]) if is_likely => *file,
                _ => continue,
            };
            found.insert(path.to_owned(), file);
        }
        found
    }

    /// The directory of the source that the one with these files of an installed package is, and which of its files they
    /// are, as far as names tell.
    fn same_directory<'f>(&self, files: &[Installed<'f>]) -> Option<(ModuleId, Found<'f>)> {
        let recorded: usize = files.iter().map(|(_, names, _)| names.len()).sum();
        let mut same: BTreeMap<ModuleId, (usize, Found<'f>)> = BTreeMap::new();
        for (path, names, candidates) in files {
            let best = match candidates.len() {
                0..=MOST_CANDIDATES => self.best(candidates, names),
                _ => None,
            };
            if let Some((file, defined)) = best.filter(|&(_, defined)| defined > 0)
                && let Some(parent) = self.hierarchy.parent(file)
            {
                let (names, files) = same.entry(parent).or_default();
                *names += defined;
                files.push((path, file));
            }
        }
        let (part, of) = SAME_PART;
        let (parent, (names, files)) = same.into_iter().max_by_key(|(_, (names, _))| *names)?;
        (names >= SAME_NAMES && names * of >= recorded * part).then_some((parent, files))
    }

    /// The files that share the longest end with a path, and how many components that is. O(log n) and the
    /// number of candidates.
    fn candidates(&self, path: &[&str]) -> (usize, Vec<ModuleId>) {
        let common = |(components, _): &(Vec<&str>, ModuleId)| {
            let pairs = components.iter().zip(path);
            pairs.take_while(|(a, b)| a == b).count()
        };
        // The longest common end belongs to a neighbour of the place where the path would be inserted.
        let place = self
            .reversed
            .partition_point(|(components, _)| components.as_slice() < path);
        let before = self.reversed[..place].iter().rev();
        let after = self.reversed[place..].iter();
        let longest = [before.clone().next(), after.clone().next()]
            .into_iter()
            .flatten()
            .map(common)
            .max()
            .unwrap_or(0);
        if longest == 0 {
            return (0, Vec::new());
        }
        let as_long = |file: &&(Vec<&str>, ModuleId)| common(file) == longest;
        let mut files: Vec<ModuleId> = before
            .take_while(as_long)
            .chain(after.take_while(as_long))
            .take(MOST_CANDIDATES + 1)
            .map(|(_, id)| *id)
            .collect();
        files.sort();
        (longest, files)
    }

    /// The one candidate that defines the most of `functions`; none when two do.
    fn best(&self, candidates: &[ModuleId], functions: &[String]) -> Option<(ModuleId, usize)> {
        let mut best: Option<(ModuleId, usize)> = None;
        let mut is_tie = false;
        for &file in candidates {
            let is_defined = |name: &&String| self.index.is_defined(file, name);
            let defined = functions.iter().filter(is_defined).count();
            match best {
                Some((_, most)) if defined < most => {}
                Some((_, most)) if defined == most => is_tie = true,
                _ => {
                    best = Some((file, defined));
                    is_tie = false;
                }
            }
        }
        best.filter(|_| !is_tie)
    }
}

fn directory(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |end| &path[..end])
}

/// The components of a path as recorded, last first; `file:` URLs and Windows paths too.
fn reversed_components(path: &str) -> Vec<&str> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let components = path.rsplit(['/', '\\']);
    components
        .filter(|component| !component.is_empty() && *component != ".")
        .collect()
}
