//! The module tree of each crate: <https://doc.rust-lang.org/reference/items/modules.html>

use std::collections::HashMap;

use super::paths::{self, FileId, Paths, join};
use super::tree::{Text, Tree};
use callscape_source::relations::{Family, Import, ImportKind};

/// A module: a file, or one that stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node(u32);

struct Module {
    file: FileId,
    parent: Option<Node>,
}

/// The modules of all crates of a tree.
pub(super) struct ModuleTree<'t> {
    paths: &'t Paths<'t>,
    modules: Vec<Module>,
    by_file: HashMap<FileId, Node>,
    children: HashMap<(Node, Box<str>), Node>,
    /// Where `mod a;` of a file leads: by file, the modules around it in the file, and name.
    declared: HashMap<(FileId, &'t str, &'t str, &'t str), FileId>,
}

impl<'t> ModuleTree<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> ModuleTree<'t> {
        let mut modules = ModuleTree {
            paths: &tree.paths,
            modules: Vec::new(),
            by_file: HashMap::new(),
            children: HashMap::new(),
            declared: HashMap::new(),
        };
        let texts = tree.texts.iter();
        let texts: Vec<&Text<'_>> = texts.filter(|text| text.family == Family::Rust).collect();
        for text in &texts {
            modules.add(text.id, None);
        }
        let is_declaration = |import: &&Import| import.kind == ImportKind::Module;
        // Where several claim one file, one that is found by its name counts before one that names a path.
        for by_path in [false, true] {
            for text in &texts {
                let declarations = text.relations.imports.iter().filter(is_declaration);
                for import in declarations.filter(|it| it.name.is_empty() != by_path) {
                    modules.declare(text, import);
                }
            }
        }
        for text in &texts {
            modules.place_orphan(text);
            for import in &text.relations.imports {
                modules.inside(text.id, &import.scope);
            }
        }
        modules
    }

    fn add(&mut self, file: FileId, parent: Option<Node>) -> Node {
        let node = Node(self.modules.len() as u32);
        self.modules.push(Module { file, parent });
        self.by_file.entry(file).or_insert(node);
        node
    }

    /// The module of these names in a file, made where it is not known.
    fn inside(&mut self, file: FileId, scope: &str) -> Option<Node> {
        let mut node = *self.by_file.get(&file)?;
        for name in scope.split("::").filter(|name| !name.is_empty()) {
            node = match self.children.get(&(node, name.into())) {
                Some(&child) => child,
                None => {
                    let child = Node(self.modules.len() as u32);
                    self.modules.push(Module {
                        file,
                        parent: Some(node),
                    });
                    self.children.insert((node, name.into()), child);
                    child
                }
            };
        }
        Some(node)
    }

    fn declare(&mut self, text: &Text<'t>, import: &'t Import) {
        let Some(file) = self.declared_file(text, import) else {
            return;
        };
        let key = (text.id, &*import.scope, &*import.path, &*import.name);
        self.declared.insert(key, file);
        let parent = self.inside(text.id, &import.scope);
        let Some((&child, parent)) = self.by_file.get(&file).zip(parent) else {
            return;
        };
        // Files that declare each other are in no order.
        if !self.is_around(child, parent) {
            let of_child = &mut self.modules[child.0 as usize];
            of_child.parent.get_or_insert(parent);
        }
        self.children
            .entry((parent, import.path.clone()))
            .or_insert(child);
    }

    /// Which file `mod a;` loads.
    fn declared_file(&self, text: &Text<'_>, import: &Import) -> Option<FileId> {
        let folder = paths::folder(text.path);
        let scope = import.scope.replace("::", "/");
        let in_scope = |base: &str| match (base, scope.as_str()) {
            (base, "") => base.to_owned(),
            ("", scope) => scope.to_owned(),
            (base, scope) => format!("{base}/{scope}"),
        };
        let own = match folder {
            "" => paths::stem(text.path).to_owned(),
            folder => format!("{folder}/{}", paths::stem(text.path)),
        };
        let bases = match self.begins_here(text.path) {
            true => [folder, own.as_str()],
            false => [own.as_str(), folder],
        };
        if !import.name.is_empty() {
            // Inside of a module of the file the path begins where its own files would lie.
            let mut bases = match scope.is_empty() {
                true => vec![folder],
                false => bases.to_vec(),
            };
            bases.push(folder);
            let mut found = bases.iter().filter_map(|base| {
                let path = join(&in_scope(base), &import.name)?;
                self.paths.file(&path)
            });
            return found.next();
        }
        let name = &import.path;
        bases.iter().find_map(|base| {
            let base = in_scope(base);
            let file = self.paths.in_folder(&base, &format!("{name}.rs"));
            file.or_else(|| self.paths.in_folder(&base, &format!("{name}/mod.rs")))
        })
    }

    /// Whether the files of a file's modules lie beside it: it is the root of a crate or a `mod.rs`.
    fn begins_here(&self, path: &str) -> bool {
        if matches!(
            paths::name(path),
            "mod.rs" | "lib.rs" | "main.rs" | "build.rs"
        ) {
            return true;
        }
        self.is_root_by_place(path)
    }

    /// Whether cargo takes a file for a crate by the directory that it lies in.
    fn is_root_by_place(&self, path: &str) -> bool {
        let folder = paths::folder(path);
        let is_place = matches!(
            paths::name(folder),
            "tests" | "benches" | "examples" | "bin"
        );
        is_place
            && self.paths.in_folder(folder, "mod.rs").is_none()
            && self.paths.file(&format!("{folder}.rs")).is_none()
    }

    /// Files that nothing declares, as a macro might, are where their names say.
    fn place_orphan(&mut self, text: &Text<'_>) {
        let Some(&node) = self.by_file.get(&text.id) else {
            return;
        };
        let is_claimed = self.modules[node.0 as usize].parent.is_some();
        if is_claimed || self.is_root(text.path) {
            return;
        }
        let (folder, name) = match paths::name(text.path) {
            "mod.rs" => {
                let own = paths::folder(text.path);
                (paths::folder(own), paths::name(own))
            }
            _ => (paths::folder(text.path), paths::stem(text.path)),
        };
        let beside = self.paths.in_folder(folder, "mod.rs");
        let before = self.paths.file(&format!("{folder}.rs"));
        let root = || {
            let is_source = paths::name(folder) == "src" || folder.is_empty();
            let roots = ["lib.rs", "main.rs"];
            let mut roots = roots.iter().filter(|_| is_source);
            roots.find_map(|root| self.paths.in_folder(folder, root))
        };
        let parent = beside.or(before).or_else(root);
        let parent = parent.filter(|&parent| parent != text.id);
        let parent = parent.and_then(|parent| self.by_file.get(&parent));
        if let Some(&parent) = parent.filter(|parent| !self.is_around(node, **parent)) {
            self.modules[node.0 as usize].parent = Some(parent);
            self.children.entry((parent, name.into())).or_insert(node);
        }
    }

    /// Whether a crate begins with a file, by its name and place.
    pub(super) fn is_root(&self, path: &str) -> bool {
        matches!(paths::name(path), "lib.rs" | "main.rs" | "build.rs")
            || self.is_root_by_place(path)
    }

    /// Where a declaration of a file leads.
    pub(super) fn declared(&self, file: FileId, import: &Import) -> Option<FileId> {
        let key = (file, &*import.scope, &*import.path, &*import.name);
        self.declared.get(&key).copied()
    }

    /// The module in which an import of a file stands.
    pub(super) fn at(&self, file: FileId, scope: &str) -> Option<Node> {
        let names = scope.split("::").filter(|name| !name.is_empty());
        let first = *self.by_file.get(&file)?;
        names
            .into_iter()
            .try_fold(first, |node, name| self.child(node, name))
    }

    pub(super) fn child(&self, node: Node, name: &str) -> Option<Node> {
        self.children.get(&(node, name.into())).copied()
    }

    pub(super) fn parent(&self, node: Node) -> Option<Node> {
        self.modules[node.0 as usize].parent
    }

    pub(super) fn file(&self, node: Node) -> FileId {
        self.modules[node.0 as usize].file
    }

    /// Whether `node` is `outer` or stands in it.
    fn is_around(&self, outer: Node, node: Node) -> bool {
        let mut around = std::iter::successors(Some(node), |&at| self.parent(at));
        around.any(|at| at == outer)
    }

    /// The module that the crate begins with.
    pub(super) fn root(&self, node: Node) -> Node {
        let around = std::iter::successors(Some(node), |&at| self.parent(at));
        around.last().unwrap_or(node)
    }
}
