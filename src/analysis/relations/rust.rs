//! Where imports of Rust lead: <https://doc.rust-lang.org/reference/paths.html>
//!
//! `use a::b::C` leads to the file of the innermost module that it names. Re-exports are not followed.

use std::collections::HashMap;

use super::paths::{self, FileId, Paths, around, join};
use super::rust_modules::{ModuleTree, Node};
use super::tree::{Leads, Text, Tree, one};
use callscape_source::relations::manifests::{Cargo, Manifests};
use callscape_source::relations::{Import, ImportKind};

/// Names of a file stand for others no deeper than this: `use a::b; use b::c;`.
const DEEPEST_ALIAS: usize = 4;

/// The crates of a tree.
pub(super) struct Crates<'t> {
    modules: ModuleTree<'t>,
    manifests: &'t Manifests,
    paths: &'t Paths<'t>,
    /// Packages with a library in the tree, by the crate's name: directory and first file.
    libraries: HashMap<&'t str, Vec<(&'t str, FileId)>>,
    /// Files that a manifest says a crate begins with.
    targets: Vec<FileId>,
}

/// Crates that come with the compiler.
const WITH_COMPILER: [&str; 6] = ["std", "core", "alloc", "proc_macro", "test", "std_detect"];

impl<'t> Crates<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Crates<'t> {
        let mut libraries: HashMap<&str, Vec<(&str, FileId)>> = HashMap::new();
        let mut targets = Vec::new();
        for (folder, cargo) in &tree.manifests.cargo {
            let file = |path: &str| tree.paths.file(&join(folder, path)?);
            if let Some(library) = file(&cargo.library) {
                let same = libraries.entry(&cargo.crate_name).or_default();
                same.push((folder, library));
                targets.push(library);
            }
            targets.extend(cargo.targets.iter().filter_map(|path| file(path)));
        }
        targets.sort_unstable();
        Crates {
            modules: ModuleTree::new(tree),
            manifests: &tree.manifests,
            paths: &tree.paths,
            libraries,
            targets,
        }
    }

    pub(super) fn leads(&self, text: &Text<'t>, import: &Import, to: &mut Vec<FileId>) -> Leads {
        if import.kind == ImportKind::Module {
            return one(self.modules.declared(text.id, import), to, Leads::Nowhere);
        }
        let Some(start) = self.modules.at(text.id, &import.scope) else {
            return Leads::Nowhere;
        };
        let parts: Vec<&str> = import.path.split("::").collect();
        match self.look_up(text, start, &parts, &import.scope, 0) {
            Ok(node) => one(Some(self.modules.file(node)), to, Leads::Nowhere),
            Err(leads) => leads,
        }
    }

    /// The innermost module that a path names, from the module `start`.
    fn look_up(
        &self,
        text: &Text<'t>,
        start: Node,
        parts: &[&str],
        scope: &str,
        depth: usize,
    ) -> Result<Node, Leads> {
        let (&first, rest) = parts.split_first().ok_or(Leads::Nowhere)?;
        match first {
            "crate" | "$crate" => {
                let root = self.modules.root(start);
                let file = self.modules.file(root);
                let is_known = self.targets.binary_search(&file).is_ok()
                    || self.modules.is_root(self.paths.path(file));
                // Nobody knows which crate a file belongs to that nothing declares.
                match is_known || file != text.id {
                    true => Ok(self.descend(root, rest)),
                    false => Err(Leads::Nowhere),
                }
            }
            "self" => Ok(self.descend(start, rest)),
            "super" => {
                let mut at = self.modules.parent(start).ok_or(Leads::Nowhere)?;
                let mut rest = rest;
                while let [first, more @ ..] = rest
                    && *first == "super"
                {
                    at = self.modules.parent(at).ok_or(Leads::Nowhere)?;
                    rest = more;
                }
                Ok(self.descend(at, rest))
            }
            "" => self.in_crate(text, rest),
            _ => self.in_sight(text, start, parts, scope, depth),
        }
    }

    fn descend(&self, from: Node, parts: &[&str]) -> Node {
        let mut at = from;
        for part in parts {
            match self.modules.child(at, part) {
                Some(child) => at = child,
                None => break,
            }
        }
        at
    }

    /// A path that begins with a name in sight: a module, something imported, something defined, or a crate.
    fn in_sight(
        &self,
        text: &Text<'t>,
        start: Node,
        parts: &[&str],
        scope: &str,
        depth: usize,
    ) -> Result<Node, Leads> {
        let first = parts[0];
        if let Some(child) = self.modules.child(start, first) {
            return Ok(self.descend(child, &parts[1..]));
        }
        let imports = text.relations.imports.iter();
        let mut same_scope =
            imports.filter(|it| it.kind == ImportKind::Name && &*it.scope == scope);
        let bound = same_scope.find(|it| {
            let end = it.path.rsplit("::").next().unwrap_or_default();
            let name = if it.alias.is_empty() { end } else { &it.alias };
            // `use a;` says what a is by itself.
            name == first && &*it.path != first
        });
        if let Some(bound) = bound.filter(|_| depth < DEEPEST_ALIAS) {
            let whole: Vec<&str> = bound
                .path
                .split("::")
                .chain(parts[1..].iter().copied())
                .collect();
            return self.look_up(text, start, &whole, scope, depth + 1);
        }
        let definitions = text.file.definitions.iter();
        if definitions.into_iter().any(|it| it.name == first) {
            return Ok(start);
        }
        self.in_crate(text, parts).or_else(|leads| {
            let cargo = self.cargo(text.path).map(|(_, cargo)| cargo);
            let root = self.modules.root(start);
            match self.modules.child(root, first) {
                Some(child) if cargo.is_none_or(|it| it.is_2015) => {
                    Ok(self.descend(child, &parts[1..]))
                }
                _ => Err(leads),
            }
        })
    }

    /// A path that begins with the name of a crate.
    fn in_crate(&self, text: &Text<'t>, parts: &[&str]) -> Result<Node, Leads> {
        let (&name, rest) = parts.split_first().ok_or(Leads::Outside)?;
        let cargo = self.cargo(text.path);
        // Before 2018 a leading `::` began at the root of the own crate.
        if let Some((_, own)) = cargo
            && own.is_2015
            && let Some(node) = self.modules.at(text.id, "")
            && let Some(child) = self.modules.child(self.modules.root(node), name)
        {
            return Ok(self.descend(child, rest));
        }
        if WITH_COMPILER.contains(&name) {
            return Err(Leads::Outside);
        }
        let library = self.library(text, name, cargo).ok_or(Leads::Outside)?;
        let node = self.modules.at(library, "").ok_or(Leads::Outside)?;
        Ok(self.descend(node, rest))
    }

    /// The first file of the crate that a file knows by this name.
    fn library(
        &self,
        text: &Text<'t>,
        name: &str,
        cargo: Option<(&'t str, &'t Cargo)>,
    ) -> Option<FileId> {
        let Some((folder, cargo)) = cargo else {
            let all = self.libraries.get(name)?.iter().map(|&(_, file)| file);
            return self.paths.nearest(text.path, all);
        };
        if name == cargo.crate_name {
            let own = self.libraries.get(name)?.iter();
            let mut own = own.filter(|(of, _)| *of == folder);
            return own.next().map(|&(_, file)| file);
        }
        let (package, version) = cargo.dependencies.get(name)?;
        let all = self.libraries.get(package.as_str())?;
        let fits = |folder: &str| {
            let found = self.manifests.cargo.get(folder);
            found.is_some_and(|found| is_compatible(version, &found.version))
        };
        let fitting = all.iter().filter(|(folder, _)| fits(folder));
        let fitting: Vec<FileId> = fitting.map(|&(_, file)| file).collect();
        match (fitting.as_slice(), all.as_slice()) {
            (&[only], _) => Some(only),
            ([], &[(_, only)]) => Some(only),
            ([], _) => self
                .paths
                .nearest(text.path, all.iter().map(|&(_, file)| file)),
            _ => self.paths.nearest(text.path, fitting.iter().copied()),
        }
    }

    /// The package that a file belongs to, and its directory.
    fn cargo(&self, path: &str) -> Option<(&'t str, &'t Cargo)> {
        let mut folders = around(paths::folder(path));
        let found = folders.find_map(|folder| self.manifests.cargo.get_key_value(folder));
        found.map(|(folder, cargo)| (folder.as_str(), cargo))
    }
}

/// Whether cargo would take `version` where `asked` is asked for without more signs: the same up to the first number that
/// is not zero.
fn is_compatible(asked: &str, version: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let text = text.trim_start_matches(['^', '=', '~', '>', ' ', 'v']);
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let parts = text[..end.unwrap_or(text.len())].split('.');
        parts.filter_map(|part| part.parse().ok()).collect()
    };
    let (asked, version) = (numbers(asked), numbers(version));
    let leading = asked.iter().position(|&number| number != 0);
    let known = leading.map_or(asked.len(), |at| at + 1);
    asked.iter().take(known).eq(version.iter().take(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compatible_up_to_the_first_that_is_not_zero() {
        for (asked, version, fits) in [
            ("1", "1.4.2", true),
            ("1.2", "1.4.2", true),
            ("^1.2.3", "2.0.0", false),
            ("0.4", "0.4.9", true),
            ("0.4", "0.5.0", false),
            ("=0.4.1", "0.4.1", true),
            ("0", "0.9.1", true),
            ("", "3.1.0", true),
        ] {
            assert_eq!(is_compatible(asked, version), fits, "{asked} {version}");
        }
    }
}
