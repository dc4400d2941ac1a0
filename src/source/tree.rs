//! Files and their definitions put together to a hierarchy, with sums for the directories.

use super::file::SourceFile;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_facts::kinds::FileKind;

/// A directory that is open while its files are added.
struct Open {
    node: NodeId,
    name: String,
    sums: Sums,
    /// The language of all its files so far; none before the first, empty when they differ.
    language: Option<&'static str>,
    /// What all its files so far agree on; none before the first.
    kind: Option<FileKind>,
}

/// What directories add up.
#[derive(Clone, Copy, Default)]
struct Sums {
    loc: u32,
    comment_lines: u32,
    functions: u32,
    complexity: u32,
    bytes: u64,
}

/// The hierarchy of `files`, which stand in order of their path's components. Linear.
pub(crate) fn hierarchy(root: &str, files: &[SourceFile]) -> Hierarchy {
    let mut builder = HierarchyBuilder::new(root);
    let mut open = vec![Open::new(NodeId::ROOT, root.to_owned())];
    for file in files {
        let names: Vec<_> = file
            .path
            .iter()
            .map(|name| name.to_string_lossy())
            .collect();
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
            let sums = sums_of(file);
            let node = add_file(&mut builder, directory.node, file_name, file, sums);
            add_definitions(&mut builder, node, file);
            directory.count(sums, file.counted.language.name(), file.kind);
        }
    }
    close_to(&mut open, 1, &mut builder);
    if let Some(root) = open.pop() {
        root.close(ModuleKind::Root, &mut builder);
    }
    builder.build().0
}

fn sums_of(file: &SourceFile) -> Sums {
    let outermost = file
        .definitions
        .iter()
        .filter(|definition| definition.parent.is_none());
    let mut sums = Sums {
        loc: file.counted.loc,
        comment_lines: file.counted.comment_lines,
        bytes: file.counted.stamp.bytes,
        ..Sums::default()
    };
    for definition in outermost {
        sums.functions = sums.functions.saturating_add(definition.functions);
        sums.complexity = sums.complexity.saturating_add(definition.complexity);
    }
    sums
}

impl Open {
    fn new(node: NodeId, name: String) -> Open {
        Open {
            node,
            name,
            sums: Sums::default(),
            language: None,
            kind: None,
        }
    }

    fn count(&mut self, of: Sums, language: &'static str, kind: FileKind) {
        let sums = &mut self.sums;
        sums.loc = sums.loc.saturating_add(of.loc);
        sums.comment_lines = sums.comment_lines.saturating_add(of.comment_lines);
        sums.functions = sums.functions.saturating_add(of.functions);
        sums.complexity = sums.complexity.saturating_add(of.complexity);
        sums.bytes = sums.bytes.saturating_add(of.bytes);
        self.language = match self.language {
            None => Some(language),
            Some(same) if same == language => Some(same),
            Some(_) => Some(""),
        };
        self.kind = Some(self.kind.map_or(kind, |before| before.common(kind)));
    }

    fn close(&self, kind: ModuleKind, builder: &mut HierarchyBuilder) {
        let module = Module {
            language: self.language.unwrap_or_default(),
            file_kind: self.kind.unwrap_or_default(),
            ..Module::named(kind, &self.name)
        };
        builder.set(self.node, with_sums(module, self.sums));
    }
}

fn with_sums(module: Module<'_>, sums: Sums) -> Module<'_> {
    Module {
        loc: sums.loc,
        comment_lines: sums.comment_lines,
        functions: sums.functions,
        complexity: sums.complexity,
        bytes: sums.bytes,
        ..module
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
            parent.count(directory.sums, language, directory.kind.unwrap_or_default());
        }
    }
}

fn add_file(
    builder: &mut HierarchyBuilder,
    parent: NodeId,
    name: &str,
    file: &SourceFile,
    sums: Sums,
) -> NodeId {
    let module = Module {
        language: file.counted.language.name(),
        line: file.counted.lines.min(1),
        end_line: file.counted.lines,
        file_kind: file.kind,
        ..Module::named(ModuleKind::File, name)
    };
    builder.add(parent, with_sums(module, sums))
}

fn add_definitions(builder: &mut HierarchyBuilder, file_node: NodeId, file: &SourceFile) {
    let mut nodes: Vec<NodeId> = Vec::with_capacity(file.definitions.len());
    for definition in &file.definitions {
        // Parents stand before their children.
        let parent = definition.parent.and_then(|parent| nodes.get(parent));
        let node = builder.add(
            parent.copied().unwrap_or(file_node),
            Module {
                language: file.counted.language.name(),
                loc: definition.loc,
                line: definition.line,
                end_line: definition.end_line,
                comment_lines: definition.comment_lines,
                functions: definition.functions,
                complexity: definition.complexity,
                file_kind: file.kind,
                ..Module::named(definition.kind, &definition.name)
            },
        );
        nodes.push(node);
    }
}
