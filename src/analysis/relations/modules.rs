//! The relations of a tree by the modules of its hierarchy.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::{Relations, find};
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_source::{Scan, SourceError};

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
        let modules = self.files(hierarchy, path_of);
        let module = |file: u32| modules[file as usize];
        let pairs = self.imports.iter();
        let pairs = pairs.filter_map(|it| Some((module(it.from)?, module(it.to)?)));
        let mut pairs: Vec<(ModuleId, ModuleId)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Calls by name from one function to another, or from a file's own code: caller, callee and how many, in order. What
    /// is not in the hierarchy is left out.
    pub fn calls_of_functions(
        &self,
        hierarchy: &Hierarchy,
        path_of: impl Fn(ModuleId) -> String,
    ) -> Vec<(ModuleId, ModuleId, u64)> {
        let modules = self.files(hierarchy, path_of);
        let functions = parts(hierarchy, &modules, |kind| kind == ModuleKind::Function);
        let function = |file: u32, line: Option<u32>| {
            let file = modules[file as usize]?;
            match line {
                None => Some(file),
                Some(line) => functions.get(&(file, line)).copied(),
            }
        };
        let mut counts: BTreeMap<(ModuleId, ModuleId), u64> = BTreeMap::new();
        for calls in &self.function_calls {
            let from = function(calls.from_file, calls.from);
            let to = function(calls.to_file, Some(calls.to));
            if let (Some(from), Some(to)) = (from, to) {
                *counts.entry((from, to)).or_default() += calls.count;
            }
        }
        let counts = counts.into_iter();
        counts
            .map(|((from, to), count)| (from, to, count))
            .collect()
    }

    /// Which class inherits from which, each pair once, in order. Modules outside the hierarchy are ignored.
    pub fn bases_of_classes(
        &self,
        hierarchy: &Hierarchy,
        path_of: impl Fn(ModuleId) -> String,
    ) -> Vec<(ModuleId, ModuleId)> {
        let modules = self.files(hierarchy, path_of);
        let classes = parts(hierarchy, &modules, |kind| kind == ModuleKind::Class);
        let class = |file: u32, line: u32| classes.get(&(modules[file as usize]?, line)).copied();
        let pairs = self.inherits.iter();
        let pairs =
            pairs.filter_map(|it| Some((class(it.from_file, it.from)?, class(it.to_file, it.to)?)));
        let mut pairs: Vec<(ModuleId, ModuleId)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// By module, how many global variables it and all that lies in it declare. What is not in the hierarchy is left out.
    pub fn globals_of_modules(
        &self,
        hierarchy: &Hierarchy,
        path_of: impl Fn(ModuleId) -> String,
    ) -> Vec<u32> {
        let modules = self.files(hierarchy, path_of);
        let owners = parts(hierarchy, &modules, |kind| kind != ModuleKind::Function);
        let mut counts = vec![0_u32; hierarchy.len()];
        for globals in &self.globals {
            let Some(file) = modules[globals.file as usize] else {
                continue;
            };
            let owner = globals.owner.and_then(|line| owners.get(&(file, line)));
            for module in hierarchy.ancestors(owner.copied().unwrap_or(file)) {
                let count = &mut counts[module.index()];
                *count = count.saturating_add(globals.count);
            }
        }
        counts
    }

    /// By file the module of the hierarchy that stands for it. Files that are parts of others import nothing of their own.
    fn files(
        &self,
        hierarchy: &Hierarchy,
        path_of: impl Fn(ModuleId) -> String,
    ) -> Vec<Option<ModuleId>> {
        let files = hierarchy.outermost_files();
        let modules: HashMap<String, ModuleId> = files.map(|id| (path_of(id), id)).collect();
        let module = |path: &String| modules.get(path).copied();
        self.paths.iter().map(module).collect()
    }
}

/// What lies in files, by file and the line at which it begins; of several the outermost.
fn parts(
    hierarchy: &Hierarchy,
    files: &[Option<ModuleId>],
    is_one: impl Fn(ModuleKind) -> bool,
) -> HashMap<(ModuleId, u32), ModuleId> {
    let mut parts = HashMap::new();
    for &file in files.iter().flatten() {
        for id in hierarchy
            .subtree(file)
            .map(ModuleId)
            .filter(|it| *it != file)
        {
            let module = hierarchy.module(id);
            if is_one(module.kind) {
                parts.entry((file, module.line)).or_insert(id);
            }
        }
    }
    parts
}
