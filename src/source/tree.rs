//! Files and their definitions put together to a hierarchy, with sums for the directories.

use std::path::Path;

use super::measure::Measured;
use crate::facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};

/// A directory that is open while its files are added.
struct Open {
    node: NodeId,
    name: String,
    loc: u64,
    bytes: u64,
    /// The language of all its files so far; none before the first, empty when they differ.
    language: Option<&'static str>,
}

/// The hierarchy of `files`, which stand in order of their path's components. Linear.
pub fn hierarchy(root: &str, files: Vec<(&Path, Measured)>) -> Hierarchy {
    let mut builder = HierarchyBuilder::new(root);
    let mut open = vec![Open::new(NodeId::ROOT, root.to_owned())];
    for (path, file) in files {
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        let Some((file_name, directories)) = names.split_last() else {
            continue;
        };
        let common = open[1..]
            .iter()
            .zip(directories)
            .take_while(|(open, name)| open.name == **name)
            .count();
        close_to(&mut open, common + 1, &mut builder);
        for name in &directories[common..] {
            let parent = open.last().map_or(NodeId::ROOT, |parent| parent.node);
            let node = builder.add(parent, Module::named(ModuleKind::Directory, name));
            open.push(Open::new(node, name.to_string()));
        }
        if let Some(directory) = open.last_mut() {
            let node = add_file(&mut builder, directory.node, file_name, &file);
            add_definitions(&mut builder, node, &file);
            directory.count(u64::from(file.loc), file.bytes, file.language);
        }
    }
    close_to(&mut open, 1, &mut builder);
    if let Some(root) = open.pop() {
        root.close(ModuleKind::Root, &mut builder);
    }
    builder.build().0
}

impl Open {
    fn new(node: NodeId, name: String) -> Open {
        Open {
            node,
            name,
            loc: 0,
            bytes: 0,
            language: None,
        }
    }

    fn count(&mut self, loc: u64, bytes: u64, language: &'static str) {
        self.loc += loc;
        self.bytes = self.bytes.saturating_add(bytes);
        self.language = match self.language {
            None => Some(language),
            Some(same) if same == language => Some(same),
            Some(_) => Some(""),
        };
    }

    fn close(&self, kind: ModuleKind, builder: &mut HierarchyBuilder) {
        builder.set(
            self.node,
            Module {
                language: self.language.unwrap_or_default(),
                loc: u32::try_from(self.loc).unwrap_or(u32::MAX),
                bytes: self.bytes,
                ..Module::named(kind, &self.name)
            },
        );
    }
}

/// Closes directories until `depth` are open, and counts each to the one around it.
fn close_to(open: &mut Vec<Open>, depth: usize, builder: &mut HierarchyBuilder) {
    while open.len() > depth
        && let Some(directory) = open.pop()
    {
        directory.close(ModuleKind::Directory, builder);
        if let Some(parent) = open.last_mut() {
            let language = directory.language.unwrap_or_default();
            parent.count(directory.loc, directory.bytes, language);
        }
    }
}

fn add_file(builder: &mut HierarchyBuilder, parent: NodeId, name: &str, file: &Measured) -> NodeId {
    builder.add(
        parent,
        Module {
            language: file.language,
            loc: file.loc,
            line: file.lines.min(1),
            end_line: file.lines,
            bytes: file.bytes,
            ..Module::named(ModuleKind::File, name)
        },
    )
}

fn add_definitions(builder: &mut HierarchyBuilder, file_node: NodeId, file: &Measured) {
    let mut nodes: Vec<NodeId> = Vec::with_capacity(file.definitions.len());
    for definition in &file.definitions {
        // Parents stand before their children.
        let parent = definition.parent.and_then(|parent| nodes.get(parent));
        let node = builder.add(
            parent.copied().unwrap_or(file_node),
            Module {
                language: file.language,
                loc: definition.loc,
                line: definition.line,
                end_line: definition.end_line,
                ..Module::named(definition.kind, &definition.name)
            },
        );
        nodes.push(node);
    }
}
