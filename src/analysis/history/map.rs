//! The map of a history: all files that were ever there, so that nothing moves while it plays.

use std::collections::HashMap;
use std::sync::Arc;

use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_facts::recording::Recording;

/// The source with the files of the histories among `recordings` that it lacks, as large as they ever were; none where no
/// recording is a history. Linear.
pub(crate) fn with_files(source: &Hierarchy, recordings: &[Arc<Recording>]) -> Option<Hierarchy> {
    let mut missing: Vec<(&str, u32)> = Vec::new();
    for recording in recordings {
        let Some(played) = &recording.played else {
            continue;
        };
        let files = played.timeline.files.iter();
        missing.extend(files.map(|file| (file.path.as_str(), file.most_lines)));
    }
    if missing.is_empty() {
        return None;
    }
    let known = source.modules().filter(|&id| match source.kind(id) {
        ModuleKind::Root | ModuleKind::Directory | ModuleKind::File => true,
        ModuleKind::Entity
        | ModuleKind::Namespace
        | ModuleKind::Class
        | ModuleKind::Function
        | ModuleKind::External => false,
    });
    let mut places: HashMap<String, NodeId> =
        known.map(|id| (source.path(id), NodeId::of(id))).collect();
    places.insert(String::new(), NodeId::ROOT);
    let mut builder = HierarchyBuilder::from_hierarchy(source);
    // Of several with one path, the largest.
    missing.sort_unstable_by(|a, b| a.0.cmp(b.0).then(b.1.cmp(&a.1)));
    let mut added: Vec<NodeId> = Vec::new();
    for (path, lines) in missing {
        if places.contains_key(path) {
            continue;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = place(&mut builder, &mut places, folder);
        let file = Module {
            loc: lines.max(1),
            ..Module::named(ModuleKind::File, name)
        };
        let file = builder.add(folder, file);
        places.insert(path.to_owned(), file);
        added.push(file);
    }
    let (grown, modules) = builder.build();
    let added = added.into_iter().map(|file| modules[file.index()]);
    Some(with_sums(&grown, added))
}

/// The same with the lines of some of its files in the sums of what is around them.
fn with_sums(grown: &Hierarchy, files: impl Iterator<Item = ModuleId>) -> Hierarchy {
    let mut lines: Vec<u32> = grown.modules().map(|id| grown.module(id).loc).collect();
    for file in files {
        for around in grown.ancestors(file).skip(1) {
            let sum = &mut lines[around.index()];
            *sum = sum.saturating_add(grown.module(file).loc);
        }
    }
    let mut builder = HierarchyBuilder::from_hierarchy(grown);
    for (id, loc) in grown.modules().zip(lines) {
        let module = grown.module(id);
        builder.set(NodeId::of(id), Module { loc, ..module });
    }
    builder.build().0
}

/// The module of a folder, made with those around it where it is not there.
fn place(
    builder: &mut HierarchyBuilder,
    places: &mut HashMap<String, NodeId>,
    path: &str,
) -> NodeId {
    if let Some(known) = places.get(path) {
        return *known;
    }
    let (around, name) = path.rsplit_once('/').unwrap_or(("", path));
    let around = place(builder, places, around);
    let folder = builder.add(around, Module::named(ModuleKind::Directory, name));
    places.insert(path.to_owned(), folder);
    folder
}
