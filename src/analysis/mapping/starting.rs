//! A starting mapping, derived from directories or packages, to be edited.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::session::Session;
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// What becomes an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Directories of the source, by the files in them.
    Directory,
    /// Packages, namespaces and libraries, by the names of functions.
    Package,
}

/// An entry under construction: its pattern, and how many functions it is for.
struct Entry {
    name: String,
    condition: String,
    functions: usize,
}

/// The text of a mapping file with an entity for each directory or package, `depth` levels of them told apart;
/// none where there are no such. `of` says what it is the architecture of. Linear in modules and functions.
pub fn starting_mapping(session: &Session, by: By, depth: u16, of: &str) -> Option<String> {
    let entries = match by {
        By::Directory => by_directory(&session.hierarchy, depth),
        By::Package => by_package(session, depth),
    };
    (!entries.is_empty()).then(|| text(of, &entries))
}

fn text(of: &str, entries: &[Entry]) -> String {
    let of = of.replace(escape::steers, " ");
    let mut text = format!("# The architecture of {of}.\n");
    text += "# A function belongs to the first entry that matches it; join entities by giving them the same name.\n\n";
    let width = |of: fn(&Entry) -> &str| {
        let widths = entries.iter().map(|entry| of(entry).chars().count());
        widths.max().unwrap_or(0)
    };
    let (names, conditions) = (width(|it| &it.name), width(|it| &it.condition));
    for entry in entries {
        let Entry {
            name,
            condition,
            functions,
        } = entry;
        let plural = if *functions == 1 { "" } else { "s" };
        // Never fails on a string.
        let _ = writeln!(
            text,
            "# {functions} function{plural}\ncategory {name:names$} {condition:conditions$}"
        );
    }
    text += "\n# Functions that match nothing above are excluded, unless you uncomment this line:\n# category REST \
             class *\n";
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// A word of a mapping file: in quotes where it has to be; `*` stands for what cannot be written in one, or should not.
fn word(text: &str) -> String {
    let text = text.replace(|c| c == '"' || escape::steers(c), "*");
    let is_marked = text.starts_with('~') || text.starts_with("regex:");
    if text.contains(char::is_whitespace) || text.starts_with('#') || is_marked || text.is_empty() {
        format!("\"{text}\"")
    } else {
        text
    }
}

/// Where the tree branches first: chains of only children say nothing.
fn first_branching(hierarchy: &Hierarchy) -> ModuleId {
    let is_directory = |id: &ModuleId| hierarchy.kind(*id) == ModuleKind::Directory;
    let mut at = ModuleId::ROOT;
    loop {
        let mut children = hierarchy
            .children(at)
            .filter(|&id| !matches!(hierarchy.kind(id), ModuleKind::External));
        match (children.next(), children.next()) {
            (Some(only), None) if is_directory(&only) => at = only,
            _ => return at,
        }
    }
}

/// One entity a directory of a depth, deeper ones first so that they win, and one for the files beside them.
fn by_directory(hierarchy: &Hierarchy, depth: u16) -> Vec<Entry> {
    let top = first_branching(hierarchy);
    let base = hierarchy.depth(top);
    let mut entries = Vec::new();
    for id in hierarchy.subtree(top).map(ModuleId) {
        let level = hierarchy.depth(id) - base;
        let is_district = hierarchy.kind(id) == ModuleKind::Directory && level >= 1;
        if !is_district || level > depth {
            continue;
        }
        let path = hierarchy.path(id);
        let inside = hierarchy.subtree(id).map(ModuleId);
        let functions = inside.filter(|&id| hierarchy.is_leaf(id)).count();
        let name = hierarchy.path(id);
        let top_path = hierarchy.path(top);
        let short = match top {
            ModuleId::ROOT => name.as_str(),
            _ => name.strip_prefix(&format!("{top_path}/")).unwrap_or(&name),
        };
        entries.push((
            level,
            Entry {
                name: word(short),
                condition: format!("file {}", word(&format!("/{path}/*"))),
                functions,
            },
        ));
    }
    // Stable: those of one depth stay in the order of the tree.
    entries.sort_by_key(|(level, _)| std::cmp::Reverse(*level));
    let mut entries: Vec<Entry> = entries.into_iter().map(|(_, entry)| entry).collect();
    for id in hierarchy.children(top) {
        if hierarchy.kind(id) == ModuleKind::File {
            let inside = hierarchy.subtree(id).map(ModuleId);
            let name = hierarchy.name(id);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            entries.push(Entry {
                name: word(stem),
                condition: format!("file {}", word(&format!("/{}", hierarchy.path(id)))),
                functions: inside.filter(|&id| hierarchy.is_leaf(id)).count(),
            });
        }
    }
    if entries.is_empty() {
        return entries;
    }
    let external = hierarchy.children(ModuleId::ROOT);
    for district in external.filter(|&id| hierarchy.kind(id) == ModuleKind::External) {
        for id in hierarchy.children(district) {
            let inside = hierarchy.subtree(id).map(ModuleId);
            let package = format!("{}.{}", hierarchy.name(district), hierarchy.name(id));
            if !hierarchy.is_leaf(id) {
                entries.push(Entry {
                    name: word(hierarchy.name(id)),
                    condition: format!("package {}", word(&package)),
                    functions: inside.filter(|&id| hierarchy.is_leaf(id)).count(),
                });
            }
        }
    }
    entries
}

/// One entity a package: the first parts of qualified names, below those that all have.
fn by_package(session: &Session, depth: u16) -> Vec<Entry> {
    let mut counts: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut count = |name: &str| {
        let name = name.replace("::", ".");
        // What is qualified by brackets has no plain package.
        let plain = name.split(['<', '(', '{', '[']).next().unwrap_or("");
        let mut parts: Vec<String> = plain.split('.').map(str::to_owned).collect();
        // The function itself, and what is left of a bracket.
        parts.pop();
        parts.retain(|part| !part.is_empty());
        if !parts.is_empty() {
            *counts.entry(parts).or_default() += 1;
        }
    };
    for resolved in &session.recordings {
        let functions = &resolved.recording.functions;
        for id in functions.ids() {
            count(functions.get(id).name);
        }
    }
    let hierarchy = &session.hierarchy;
    for id in hierarchy.modules().filter(|&id| hierarchy.is_leaf(id)) {
        let is_scope = |id: &ModuleId| {
            matches!(
                hierarchy.kind(*id),
                ModuleKind::Namespace | ModuleKind::Class
            )
        };
        let scopes = hierarchy.ancestors(id).skip(1).take_while(is_scope);
        let mut names: Vec<&str> = scopes.map(|id| hierarchy.name(id)).collect();
        names.reverse();
        if !names.is_empty() && session.recordings.is_empty() {
            count(&format!("{}.f", names.join(".")));
        }
    }
    let common = counts.keys().cloned().reduce(|mut common, parts| {
        let same = common
            .iter()
            .zip(&parts)
            .take_while(|(a, b)| a == b)
            .count();
        common.truncate(same);
        common
    });
    let common = common.map_or(0, |common| common.len());
    let mut packages: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for (mut parts, count) in counts {
        parts.truncate(common + usize::from(depth));
        *packages.entry(parts).or_default() += count;
    }
    // Longer ones first, so that they win over those that they are part of.
    let mut packages: Vec<(Vec<String>, usize)> = packages.into_iter().collect();
    packages.sort_by_key(|(parts, _)| std::cmp::Reverse(parts.len()));
    let entry = |(parts, functions): (Vec<String>, usize)| {
        let package = parts.join(".");
        let name = &parts[common.min(parts.len() - 1)..];
        Entry {
            name: word(&name.join(".")),
            condition: format!("package {}", word(&package)),
            functions,
        }
    };
    packages.into_iter().map(entry).collect()
}
