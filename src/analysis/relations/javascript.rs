//! Where imports of JavaScript and TypeScript lead, as Node.js and TypeScript's compiler look them up:
//! <https://nodejs.org/api/modules.html#all-together>
//! <https://www.typescriptlang.org/docs/handbook/modules/reference.html>

use std::collections::BTreeMap;

use super::paths::{self, FileId, Paths, around, join};
use super::tree::{Leads, Text, Tree, one};
use callscape_source::relations::Import;
use callscape_source::relations::manifests::Manifests;

/// Endings that an import may leave out, in the order in which they are tried.
const ENDINGS: [&str; 10] = [
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json",
];

/// What TypeScript writes for files that it will be compiled to.
const COMPILED: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts"]),
    (".jsx", &[".tsx", ".d.ts"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];

/// The packages of a tree.
pub(super) struct Packages<'t> {
    paths: &'t Paths<'t>,
    manifests: &'t Manifests,
    /// By name, the directories of those that are not installed by others.
    by_name: BTreeMap<&'t str, Vec<&'t str>>,
}

impl<'t> Packages<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Packages<'t> {
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let is_own = |folder: &str| folder.split('/').all(|part| part != "node_modules");
        let own = tree
            .manifests
            .npm
            .iter()
            .filter(|(folder, _)| is_own(folder));
        for (folder, npm) in own {
            by_name.entry(&npm.name).or_default().push(folder);
        }
        Packages {
            paths: &tree.paths,
            manifests: &tree.manifests,
            by_name,
        }
    }

    pub(super) fn leads(&self, text: &Text<'_>, import: &Import, to: &mut Vec<FileId>) -> Leads {
        // What loaders of bundlers are told behind it.
        let path = import.path.split(['?', '#']).next().unwrap_or_default();
        let folder = paths::folder(text.path);
        let is_relative =
            matches!(path, "." | "..") || path.starts_with("./") || path.starts_with("../");
        if is_relative {
            let Some(path) = join(folder, path) else {
                return Leads::Outside;
            };
            return one(self.module(&path), to, Leads::Nowhere);
        }
        let found = self.by_settings(folder, path);
        let found = found.or_else(|| self.in_package(text.path, path));
        one(found, to, Leads::Outside)
    }

    /// The file that a path without an ending names, or the one that a directory begins with.
    fn module(&self, path: &str) -> Option<FileId> {
        if let Some(file) = self.paths.file(path) {
            return Some(file);
        }
        for (ending, sources) in COMPILED {
            if let Some(stem) = path.strip_suffix(ending) {
                let mut sources = sources.iter();
                let found = sources.find_map(|end| self.paths.file(&format!("{stem}{end}")));
                if found.is_some() {
                    return found;
                }
            }
        }
        let mut endings = ENDINGS.iter();
        let found = endings.find_map(|end| self.paths.file(&format!("{path}{end}")));
        found.or_else(|| self.begins(path))
    }

    fn begins(&self, folder: &str) -> Option<FileId> {
        if !self.paths.is_folder(folder) {
            return None;
        }
        let entries = self.manifests.npm.get(folder).map(|npm| &npm.entries);
        let index = |folder: &str| {
            let mut endings = ENDINGS.iter();
            endings.find_map(|end| self.paths.in_folder(folder, &format!("index{end}")))
        };
        let by_package = entries.into_iter().flatten().find_map(|entry| {
            let path = join(folder, entry)?;
            let exact = self.paths.file(&path);
            let mut endings = ENDINGS.iter();
            let found =
                exact.or_else(|| endings.find_map(|end| self.paths.file(&format!("{path}{end}"))));
            found.or_else(|| index(&path))
        });
        by_package.or_else(|| index(folder))
    }

    /// By `paths` and `baseUrl` of the nearest settings.
    fn by_settings(&self, folder: &str, path: &str) -> Option<FileId> {
        let mut folders = around(folder);
        let (at, settings) =
            folders.find_map(|folder| self.manifests.typescript.get_key_value(folder))?;
        let base = join(at, settings.base.as_deref().unwrap_or("."))?;
        for (pattern, targets) in &settings.paths {
            let (before, behind) = pattern.split_once('*').unwrap_or((pattern, ""));
            let star = path.strip_prefix(before);
            let star = star.and_then(|star| star.strip_suffix(behind));
            let Some(star) = star.filter(|star| pattern.contains('*') || star.is_empty()) else {
                continue;
            };
            let found = targets.iter().find_map(|target| {
                let target = target.replacen('*', star, 1);
                self.module(&join(&base, &target)?)
            });
            if found.is_some() {
                return found;
            }
        }
        settings.base.as_ref()?;
        self.module(&join(&base, path)?)
    }

    /// A package of the tree, or a file in one.
    fn in_package(&self, from: &str, path: &str) -> Option<FileId> {
        let parts = 1 + usize::from(path.starts_with('@'));
        let end = path.match_indices('/').nth(parts - 1).map(|(at, _)| at);
        let (name, inside) = path.split_at(end.unwrap_or(path.len()));
        let mut installed = around(paths::folder(from)).filter_map(|folder| {
            let path = join(folder, &format!("node_modules/{name}"))?;
            self.paths.is_folder(&path).then_some(path)
        });
        let nearest = installed.next().or_else(|| {
            let folders = self.by_name.get(name)?.iter();
            let nearest = folders
                .max_by_key(|folder| (paths::shared(from, &format!("{folder}/x")), folder.len()));
            nearest.map(|&folder| folder.to_owned())
        })?;
        if inside.is_empty() {
            let source = || self.begins(&join(&nearest, "src")?);
            return self.begins(&nearest).or_else(source);
        }
        let inside = inside.trim_start_matches('/');
        let direct = self.module(&join(&nearest, inside)?);
        direct.or_else(|| self.module(&join(&join(&nearest, "src")?, inside)?))
    }
}
