//! Where in the source tree what is shown stands, and which module stands at a line of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Document;
use callscape_analysis::lines;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_filter::selection::Pointed;

/// A line that the editor is to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToEdit {
    pub file: TreeFile,
    /// From 1.
    pub line: u32,
}

/// A file of a source tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// The tree's directory, as the user named it.
    pub root: PathBuf,
    /// Relative to that.
    pub path: PathBuf,
}

/// A line of a source file: the file is a module of the structure without a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLine {
    pub file: ModuleId,
    /// From 1.
    pub line: u32,
}

/// The outermost file that a module is or lies in; none for what is outside of the source tree. A file in a file is a part
/// that a generator has put there, and has the lines of the one around it. O(depth).
pub fn file_around(hierarchy: &Hierarchy, module: ModuleId) -> Option<ModuleId> {
    let file = lines::file_around(hierarchy, module)?;
    let mut around = hierarchy.ancestors(file);
    let is_outside = around.any(|it| hierarchy.kind(it) == ModuleKind::External);
    (!is_outside).then_some(file)
}

/// The innermost module of a file that a line lies in; the file where none does. O(depth + modules on the way).
pub fn module_at(hierarchy: &Hierarchy, file: ModuleId, line: u32) -> ModuleId {
    let mut found = file;
    loop {
        let mut inside = hierarchy.children(found);
        let inner = inside.find(|&it| {
            let module = hierarchy.module(it);
            (module.line..=module.end_line).contains(&line)
        });
        match inner {
            Some(inner) => found = inner,
            None => return found,
        }
    }
}

impl Document {
    /// The module of the structure without a mapping that a displayed one is.
    pub fn without_map(&self, module: ModuleId) -> ModuleId {
        self.origins.get(module.index()).copied().unwrap_or(module)
    }

    /// Whether a module of the structure without a mapping is a file of the source tree.
    pub fn is_file(&self, module: ModuleId) -> bool {
        let hierarchy = &self.base.hierarchy;
        module.index() < hierarchy.len() && file_around(hierarchy, module) == Some(module)
    }

    /// By module of the structure without a mapping, what it is in this one; none without a mapping: then all are the same.
    /// O(modules).
    pub fn of_base(&self) -> Option<HashMap<ModuleId, ModuleId>> {
        let all = self.origins.iter().zip(0..);
        let all = all.map(|(&origin, shown)| (origin, ModuleId(shown)));
        (!self.origins.is_empty()).then(|| all.collect())
    }

    /// By displayed module the one of the structure without a mapping that it is; empty without a mapping.
    pub fn origins(&self) -> &[ModuleId] {
        &self.origins
    }

    /// The displayed module that one of the structure without a mapping is; none for what the mapping leaves out. O(modules)
    /// with a mapping.
    pub(crate) fn with_map(&self, module: ModuleId) -> Option<ModuleId> {
        if self.origins.is_empty() {
            return Some(module);
        }
        let mut places = self.session.hierarchy.modules();
        places.find(|it| self.origins.get(it.index()) == Some(&module))
    }

    /// Where the source tree lies, of the run that is shown; none where none is open as a directory.
    pub fn source_root(&self) -> Option<&Path> {
        let runs = self.runs.as_ref();
        self.source_root_of(runs.map_or(1, |runs| runs.side()))
    }

    /// The structure without a mapping at the lines that it has in the text of A (0) or B (1), where that is not the structure's
    /// own: where both have a source tree.
    pub fn structure_of(&self, side: usize) -> Option<&Arc<Hierarchy>> {
        let structure = self.runs.as_ref()?.structure_of(side)?;
        (structure.len() == self.base.hierarchy.len()).then_some(structure)
    }

    /// Where the source tree lies of A (0) or B (1).
    pub(crate) fn source_root_of(&self, side: usize) -> Option<&Path> {
        let is_swapped = self.runs.as_ref().is_some_and(|runs| runs.is_swapped());
        let of_a = self.inputs.sides.source_of_a.as_deref();
        let own = self.base.source_dir.as_deref();
        match (side == 0) != is_swapped {
            true => of_a.or(own),
            false => own,
        }
    }

    /// Whether both runs have a source tree of their own.
    pub fn has_two_sources(&self) -> bool {
        self.runs.is_some() && self.inputs.sides.source_of_a.is_some()
    }

    /// Where a file of the structure without a mapping lies, of A (0) or B (1).
    pub fn tree_file(&self, file: ModuleId, side: usize) -> Option<TreeFile> {
        let root = self.source_root_of(side)?.to_owned();
        let path = self.base.hierarchy.path(file);
        let moved = self.runs.as_ref().filter(|_| side == 0);
        let moved = moved.and_then(|runs| {
            let mut files = runs.pairs.moved_files.iter();
            files.find(|[_, of_b]| *of_b == path)
        });
        let path = moved.map_or(path, |[of_a, _]| of_a.clone());
        let path = PathBuf::from(path);
        Some(TreeFile { root, path })
    }

    /// The line that something stands at: where a function begins, of a call relation the caller, of a file its first; none
    /// for what has no source here.
    pub fn line_of(&self, of: &Pointed) -> Option<SourceLine> {
        let hierarchy = &self.base.hierarchy;
        let of_function = || self.base_module_of(of);
        let module = match of.relation {
            Some((from, _)) => self.without_map(from),
            None => of_function()?,
        };
        if module.index() >= hierarchy.len() {
            return None;
        }
        let file = file_around(hierarchy, module)?;
        let line = hierarchy.module(module).line.max(1);
        Some(SourceLine { file, line })
    }

    /// What is pointed at in the structure without a mapping: a function's own module, else that of the module.
    pub fn base_module_of(&self, of: &Pointed) -> Option<ModuleId> {
        let resolved = self.base.recordings.get(self.recording());
        let of_function = of.function.and_then(|function| {
            let modules = &resolved?.resolution.modules;
            modules.get(function.index()).copied()
        });
        of_function.or_else(|| of.module.map(|it| self.without_map(it)))
    }

    /// The file at an absolute `path` without links in the source tree of either run; none for one that is no module.
    /// O(modules).
    pub(crate) fn file_at(&self, path: &Path) -> Option<ModuleId> {
        let inside = [1, 0].into_iter().find_map(|side| {
            let root = self.source_root_of(side)?.canonicalize().ok()?;
            Some((side, path.strip_prefix(root).ok()?.to_owned()))
        });
        let (side, inside) = inside?;
        let moved = self.runs.as_ref().filter(|_| side == 0);
        let moved = moved.and_then(|runs| {
            let mut files = runs.pairs.moved_files.iter();
            files.find(|[of_a, _]| Path::new(of_a) == inside)
        });
        let inside = moved.map_or(inside, |[_, of_b]| PathBuf::from(of_b));
        let hierarchy = &self.base.hierarchy;
        let mut found = ModuleId::ROOT;
        for name in inside.iter() {
            let name = name.to_string_lossy();
            let mut inside = hierarchy.children(found);
            found = inside.find(|&it| hierarchy.name(it) == name)?;
        }
        (hierarchy.kind(found) == ModuleKind::File).then_some(found)
    }
}
