//! The module hierarchy: nodes in preorder, so that a subtree is an interval of ids.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::kinds::FileKind;
use super::names::{NameId, Names};
use super::telling;
use callscape_base::units::ModuleId;

/// What a module is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum ModuleKind {
    Root,
    Directory,
    File,
    Namespace,
    Class,
    Function,
    /// The synthetic district of functions without source, and its subdivisions by library or package.
    External,
    /// An entity of a mapping file: a district of its own.
    Entity,
}

impl ModuleKind {
    pub fn name(self) -> &'static str {
        match self {
            ModuleKind::Root => "root",
            ModuleKind::Directory => "directory",
            ModuleKind::File => "file",
            ModuleKind::Namespace => "namespace",
            ModuleKind::Class => "class",
            ModuleKind::Function => "function",
            ModuleKind::External => "external",
            ModuleKind::Entity => "entity",
        }
    }
}

/// The facts of one module as a builder takes them and [`Hierarchy::module`] gives them back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Module<'a> {
    pub kind: ModuleKind,
    pub name: &'a str,
    /// The language's name as tokei gives it; empty where it has none or holds several.
    pub language: &'a str,
    /// Lines of code of the whole subtree, counted as tokei does.
    pub loc: u32,
    /// First line in its file, from 1; 0 where a module has no line.
    pub line: u32,
    /// Last line in its file, included; 0 where a module has no line.
    pub end_line: u32,
    /// Size in bytes of the whole subtree's files; 0 for what lies inside a file.
    pub bytes: u64,
    /// Lines of the whole subtree on which comments stand and no code.
    pub comment_lines: u32,
    /// Functions in the whole subtree; 1 for a function of the source, 0 for one that only a recording knows.
    pub functions: u32,
    /// Cyclomatic complexity, summed over the functions of the whole subtree: divided by `functions` it is
    /// their mean. Of one function 1 and its decision points, which `assets/languages` lists for each language.
    ///
    /// T. J. McCabe, A Complexity Measure, IEEE Transactions on Software Engineering 2(4), 1976.
    pub complexity: u32,
    /// Of the file that it is or is in; what all files of a directory agree on.
    pub file_kind: FileKind,
}

impl<'a> Module<'a> {
    /// A module of which only kind and name are known.
    pub fn named(kind: ModuleKind, name: &'a str) -> Module<'a> {
        Module {
            kind,
            name,
            language: "",
            loc: 0,
            line: 0,
            end_line: 0,
            bytes: 0,
            comment_lines: 0,
            functions: 0,
            complexity: 0,
            file_kind: FileKind::default(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    kind: ModuleKind,
    file_kind: FileKind,
    depth: u16,
    name: NameId,
    language: NameId,
    loc: u32,
    line: u32,
    end_line: u32,
    comment_lines: u32,
    functions: u32,
    complexity: u32,
    bytes: u64,
}

/// Modules in preorder. There is always a root; the root is module 0.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    names: Names,
    rows: Vec<Row>,
    /// Apart from the rows: layouts read these two of every module, and nothing else.
    /// One past the last module of the subtree.
    ends: Vec<u32>,
    /// The root stands for its own.
    parents: Vec<u32>,
    /// Of files whose name many have, one that tells them apart.
    telling: HashMap<u32, String>,
}

impl Hierarchy {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The same modules at other first and last lines, given by module: as another version of the text has them. O(modules).
    pub fn with_lines(&self, lines: &[(u32, u32)]) -> Hierarchy {
        let mut other = self.clone();
        for (row, &(line, end_line)) in other.rows.iter_mut().zip(lines) {
            (row.line, row.end_line) = (line, end_line);
        }
        other
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn modules(&self) -> impl ExactSizeIterator<Item = ModuleId> + use<> {
        (0..self.rows.len() as u32).map(ModuleId)
    }

    /// The files, without those that are parts of other files, in preorder. O(modules outside of files + files).
    pub fn outermost_files(&self) -> impl Iterator<Item = ModuleId> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            while next < self.len() as u32 {
                let id = ModuleId(next);
                if self.kind(id) == ModuleKind::File {
                    next = self.subtree(id).end;
                    return Some(id);
                }
                next += 1;
            }
            None
        })
    }

    pub fn module(&self, id: ModuleId) -> Module<'_> {
        let row = &self.rows[id.index()];
        Module {
            kind: row.kind,
            name: self.names.get(row.name),
            language: self.names.get(row.language),
            loc: row.loc,
            line: row.line,
            end_line: row.end_line,
            bytes: row.bytes,
            comment_lines: row.comment_lines,
            functions: row.functions,
            complexity: row.complexity,
            file_kind: row.file_kind,
        }
    }

    pub fn name(&self, id: ModuleId) -> &str {
        self.names.get(self.rows[id.index()].name)
    }

    /// The name to write on a map: its own, but for a file of a name that twenty and more have, such as `mod.rs`, that of
    /// the folder that tells it apart.
    pub fn telling_name(&self, id: ModuleId) -> &str {
        let telling = self.telling.get(&id.0);
        telling.map_or_else(|| self.name(id), String::as_str)
    }

    pub fn kind(&self, id: ModuleId) -> ModuleKind {
        self.rows[id.index()].kind
    }

    /// The kind of the file that a module is or is in.
    pub fn file_kind(&self, id: ModuleId) -> FileKind {
        self.rows[id.index()].file_kind
    }

    /// Steps from the root, which has depth 0.
    pub fn depth(&self, id: ModuleId) -> u16 {
        self.rows[id.index()].depth
    }

    /// The parent; none for the root.
    pub fn parent(&self, id: ModuleId) -> Option<ModuleId> {
        (id != ModuleId::ROOT).then(|| ModuleId(self.parents[id.index()]))
    }

    /// The ids of the subtree, the module itself first.
    pub fn subtree(&self, id: ModuleId) -> std::ops::Range<u32> {
        id.0..self.ends[id.index()]
    }

    /// One past the last module of each module's subtree, in preorder.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Each module's parent, in preorder; the root stands for its own.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    pub fn is_leaf(&self, id: ModuleId) -> bool {
        self.ends[id.index()] == id.0 + 1
    }

    /// Whether `inner` is `outer` or lies inside it.
    pub fn contains(&self, outer: ModuleId, inner: ModuleId) -> bool {
        self.subtree(outer).contains(&inner.0)
    }

    pub fn children(&self, id: ModuleId) -> impl Iterator<Item = ModuleId> + '_ {
        let end = self.ends[id.index()];
        let mut next = id.0 + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = ModuleId(next);
                next = self.ends[child.index()];
                child
            })
        })
    }

    /// The module, its parent, and so on to the root.
    pub fn ancestors(&self, id: ModuleId) -> impl Iterator<Item = ModuleId> + '_ {
        std::iter::successors(Some(id), |&id| self.parent(id))
    }

    /// The names from below the root down to the module, joined by `/`; the root's own name for the root.
    pub fn path(&self, id: ModuleId) -> String {
        if id == ModuleId::ROOT {
            return self.name(id).to_owned();
        }
        let mut names: Vec<&str> = self.ancestors(id).map(|id| self.name(id)).collect();
        names.pop();
        names.reverse();
        names.join("/")
    }
}

/// A module under construction: an index in order of insertion, not yet a place in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

impl NodeId {
    pub const ROOT: NodeId = NodeId(0);

    /// The node of a module in a builder made by [`HierarchyBuilder::from_hierarchy`].
    pub const fn of(module: ModuleId) -> NodeId {
        NodeId(module.0)
    }

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

struct Node {
    row: Row,
    /// Itself for the root.
    parent: NodeId,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
}

/// Collects modules in any order with parents before children; children keep their order of insertion.
pub struct HierarchyBuilder {
    names: Names,
    nodes: Vec<Node>,
}

impl HierarchyBuilder {
    /// A hierarchy of nothing but its root.
    pub fn new(root_name: &str) -> HierarchyBuilder {
        let mut builder = HierarchyBuilder {
            names: Names::default(),
            nodes: Vec::new(),
        };
        builder.push(NodeId::ROOT, 0, Module::named(ModuleKind::Root, root_name));
        builder
    }

    /// A builder that holds all of `hierarchy`, the node of module *i* being node *i*, to be added to.
    pub fn from_hierarchy(hierarchy: &Hierarchy) -> HierarchyBuilder {
        let mut builder = HierarchyBuilder::new(hierarchy.name(ModuleId::ROOT));
        builder.set(NodeId::ROOT, hierarchy.module(ModuleId::ROOT));
        for id in hierarchy.modules().skip(1) {
            let parent = NodeId(hierarchy.parents[id.index()]);
            builder.add(parent, hierarchy.module(id));
        }
        builder
    }

    fn row(&mut self, depth: u16, module: Module<'_>) -> Row {
        Row {
            kind: module.kind,
            depth,
            name: self.names.intern(module.name),
            language: self.names.intern(module.language),
            loc: module.loc,
            line: module.line,
            end_line: module.end_line,
            bytes: module.bytes,
            comment_lines: module.comment_lines,
            functions: module.functions,
            complexity: module.complexity,
            file_kind: module.file_kind,
        }
    }

    fn push(&mut self, parent: NodeId, depth: u16, module: Module<'_>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let row = self.row(depth, module);
        self.nodes.push(Node {
            row,
            parent,
            first_child: None,
            last_child: None,
            next_sibling: None,
        });
        id
    }

    /// Adds a module as the last child of `parent`.
    pub fn add(&mut self, parent: NodeId, module: Module<'_>) -> NodeId {
        let depth = self.nodes[parent.index()].row.depth.saturating_add(1);
        let id = self.push(parent, depth, module);
        match self.nodes[parent.index()].last_child.replace(id) {
            Some(previous) => self.nodes[previous.index()].next_sibling = Some(id),
            None => self.nodes[parent.index()].first_child = Some(id),
        }
        id
    }

    /// Replaces the facts of a module; its place stays.
    pub fn set(&mut self, id: NodeId, module: Module<'_>) {
        let depth = self.nodes[id.index()].row.depth;
        self.nodes[id.index()].row = self.row(depth, module);
    }

    pub fn get(&self, id: NodeId) -> Module<'_> {
        let row = &self.nodes[id.index()].row;
        Module {
            kind: row.kind,
            name: self.names.get(row.name),
            language: self.names.get(row.language),
            loc: row.loc,
            line: row.line,
            end_line: row.end_line,
            bytes: row.bytes,
            comment_lines: row.comment_lines,
            functions: row.functions,
            complexity: row.complexity,
            file_kind: row.file_kind,
        }
    }

    /// The child of `parent` with this kind and name. Linear in the number of children.
    pub fn find(&self, parent: NodeId, kind: ModuleKind, name: &str) -> Option<NodeId> {
        let name = self.names.find(name)?;
        let first = self.nodes[parent.index()].first_child;
        std::iter::successors(first, |id| self.nodes[id.index()].next_sibling).find(|id| {
            let row = &self.nodes[id.index()].row;
            row.kind == kind && row.name == name
        })
    }

    /// The hierarchy in preorder, and for each node in order of insertion the module it became.
    pub fn build(self) -> (Hierarchy, Vec<ModuleId>) {
        let mut modules = vec![ModuleId::ROOT; self.nodes.len()];
        let mut rows: Vec<Row> = Vec::with_capacity(self.nodes.len());
        let mut ends: Vec<u32> = Vec::with_capacity(self.nodes.len());
        let mut parents: Vec<u32> = Vec::with_capacity(self.nodes.len());
        // An explicit stack: a source tree may nest deeper than the program's own stack would bear.
        let mut stack = vec![NodeId::ROOT];
        while let Some(id) = stack.pop() {
            let node = &self.nodes[id.index()];
            let module = ModuleId(rows.len() as u32);
            modules[id.index()] = module;
            rows.push(node.row);
            ends.push(module.0 + 1);
            parents.push(modules[node.parent.index()].0);
            let first_child = stack.len();
            stack.extend(std::iter::successors(node.first_child, |id| {
                self.nodes[id.index()].next_sibling
            }));
            stack[first_child..].reverse();
        }
        for index in (1..rows.len()).rev() {
            let parent = parents[index] as usize;
            ends[parent] = ends[parent].max(ends[index]);
        }
        let mut hierarchy = Hierarchy {
            names: self.names,
            rows,
            ends,
            parents,
            telling: HashMap::new(),
        };
        let files = (0..).zip(&hierarchy.rows);
        let files = files.filter(|(_, row)| row.kind == ModuleKind::File);
        let folders = |file: u32| {
            let around = hierarchy.ancestors(ModuleId(file)).skip(1);
            let inside = around.filter(|&of| of != ModuleId::ROOT);
            inside.map(|of| hierarchy.name(of))
        };
        hierarchy.telling = telling::names(files.map(|(file, row)| (file, row.name)), folders);
        (hierarchy, modules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_stand_in_preorder_whatever_the_order_of_insertion() {
        let mut builder = HierarchyBuilder::new("app");
        let a = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "a"));
        let b = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, "b.c"));
        let f = builder.add(b, Module::named(ModuleKind::Function, "f"));
        let c = builder.add(a, Module::named(ModuleKind::File, "c.c"));
        let (hierarchy, modules) = builder.build();
        let paths: Vec<String> = hierarchy.modules().map(|id| hierarchy.path(id)).collect();
        assert_eq!(paths, ["app", "a", "a/c.c", "b.c", "b.c/f"]);
        assert_eq!(modules[f.index()], ModuleId(4));
        assert_eq!(hierarchy.subtree(modules[a.index()]), 1..3);
        assert!(hierarchy.contains(modules[a.index()], modules[c.index()]));
        assert!(!hierarchy.contains(modules[a.index()], modules[b.index()]));
        assert_eq!(hierarchy.depth(modules[f.index()]), 2);
        let children: Vec<_> = hierarchy.children(ModuleId::ROOT).collect();
        assert_eq!(children, [ModuleId(1), ModuleId(3)]);
    }

    #[test]
    fn a_hierarchy_taken_apart_and_built_again_is_the_same() {
        let mut builder = HierarchyBuilder::new("app");
        let a = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "a"));
        builder.add(
            a,
            Module {
                loc: 7,
                comment_lines: 3,
                functions: 2,
                complexity: 5,
                ..Module::named(ModuleKind::File, "c.c")
            },
        );
        let (hierarchy, _) = builder.build();
        let (again, modules) = HierarchyBuilder::from_hierarchy(&hierarchy).build();
        assert_eq!(modules, again.modules().collect::<Vec<_>>());
        for id in hierarchy.modules() {
            assert_eq!(hierarchy.module(id), again.module(id));
            assert_eq!(hierarchy.subtree(id), again.subtree(id));
        }
    }
}
