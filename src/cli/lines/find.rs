//! Which module a file or a function on the command line means.

use anyhow::bail;

use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// An error message names this many.
const NAMED: usize = 8;

/// File whose path is `wanted` or ends with it; a file outside the source tree is represented by its module.
pub(super) fn file(session: &Session, wanted: &str) -> anyhow::Result<ModuleId> {
    let hierarchy = &session.hierarchy;
    // As an absolute path, it may begin with that of the tree.
    let root = session
        .source_dir
        .as_ref()
        .and_then(|it| it.canonicalize().ok());
    let root = root.map(|it| it.to_string_lossy().replace('\\', "/"));
    let wanted = wanted.replace('\\', "/");
    let below = root.and_then(|root| wanted.strip_prefix(&root).map(str::to_owned));
    let parts: Vec<&str> = below
        .as_deref()
        .unwrap_or(&wanted)
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    for kind in [ModuleKind::File, ModuleKind::External] {
        let modules = hierarchy.modules();
        let of_kind = modules.filter(|&id| hierarchy.kind(id) == kind);
        let found: Vec<ModuleId> = of_kind
            .filter(|&id| ends_with(hierarchy, id, &parts))
            .collect();
        let whole = found
            .iter()
            .find(|&&id| usize::from(hierarchy.depth(id)) == parts.len());
        match (whole, found.as_slice()) {
            (Some(&id), _) | (None, &[id]) => return Ok(id),
            (None, []) => {}
            (None, several) => bail!(
                "{wanted}: expected the end of one file's path, found {} matching files: {}",
                several.len(),
                names(several.iter().map(|&id| hierarchy.path(id)), several.len())
            ),
        }
    }
    bail!(
        "{wanted}: expected a file in the source tree or the recording, found no path with this end"
    )
}

fn ends_with(hierarchy: &Hierarchy, id: ModuleId, parts: &[&str]) -> bool {
    let mut around = hierarchy.ancestors(id);
    let matches = |part: &&str| around.next().is_some_and(|it| hierarchy.name(it) == *part);
    !parts.is_empty() && parts.iter().rev().all(matches)
}

fn names(all: impl Iterator<Item = String>, count: usize) -> String {
    let mut names: Vec<String> = all.take(NAMED).collect();
    if count > NAMED {
        names.push(format!("and {} more", count - NAMED));
    }
    names.join(", ")
}

/// Functions of a file whose name or last name part is this; several if it is overloaded.
pub(super) fn functions(
    session: &Session,
    file: ModuleId,
    wanted: &str,
) -> anyhow::Result<Vec<ModuleId>> {
    let hierarchy = &session.hierarchy;
    let modules = hierarchy.subtree(file).map(ModuleId);
    let all: Vec<ModuleId> = modules
        .filter(|&id| hierarchy.kind(id) == ModuleKind::Function)
        .collect();
    let is_end = |id: ModuleId| {
        // `A::f` is f in A, and a nested function stands beside its outer one under a qualified name.
        let below = hierarchy.path(id);
        let before = below.strip_suffix(wanted);
        before.is_some_and(|it| it.is_empty() || it.ends_with(['/', '.', ':']))
    };
    let scoped = wanted.replace("::", "/");
    let is_meant = |id: &ModuleId| {
        let path = hierarchy.path(*id);
        let of_path = path.strip_suffix(&scoped);
        is_end(*id) || of_path.is_some_and(|it| it.ends_with('/'))
    };
    let exact = |id: &ModuleId| hierarchy.name(*id) == wanted;
    let mut found: Vec<ModuleId> = all.iter().copied().filter(exact).collect();
    if found.is_empty() {
        found = all.iter().copied().filter(is_meant).collect();
    }
    if found.is_empty() {
        bail!(
            "{wanted}: expected a function of {}, which has {}",
            hierarchy.path(file),
            match all.len() {
                0 => "none".to_owned(),
                count => names(all.iter().map(|&id| hierarchy.name(id).to_owned()), count),
            }
        );
    }
    Ok(found)
}
