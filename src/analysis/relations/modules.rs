//! The relations of a tree by the modules of its hierarchy.

use std::collections::HashMap;
use std::path::Path;

use super::{Relations, find};
use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::progress::Progress;
use crate::source::{Scan, SourceError};
use crate::units::ModuleId;

/// Reads the tree below `dir` and finds its relations.
pub fn of_tree(dir: &Path, progress: &Progress) -> Result<Relations, SourceError> {
    let mut scan = Scan::start(dir, progress)?;
    scan.read_relations();
    scan.finish(progress)?;
    Ok(find(dir, scan.files(), progress)?)
}

impl Relations {
    /// Which file imports which, each pair once, in order; `path_of` gives a file's path below the tree. What is not in the
    /// hierarchy is left out.
    pub fn pairs(
        &self,
        hierarchy: &Hierarchy,
        path_of: impl Fn(ModuleId) -> String,
    ) -> Vec<(ModuleId, ModuleId)> {
        let mut modules: HashMap<String, ModuleId> = HashMap::new();
        let mut next = 0;
        while next < hierarchy.len() as u32 {
            let id = ModuleId(next);
            next += 1;
            if hierarchy.kind(id) == ModuleKind::File {
                // Files that are parts of this one import nothing of their own.
                next = hierarchy.subtree(id).end;
                modules.insert(path_of(id), id);
            }
        }
        let module = |file: u32| modules.get(&self.paths[file as usize]).copied();
        let pairs = self.imports.iter();
        let pairs = pairs.filter_map(|it| Some((module(it.from)?, module(it.to)?)));
        let mut pairs: Vec<(ModuleId, ModuleId)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
