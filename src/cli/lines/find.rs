//! Which module a file or a function on the command line means.

use std::collections::BTreeSet;

use anyhow::bail;

use callscape_analysis::lines::file_around;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// An error message names this many.
const NAMED: usize = 8;

/// A file that is meant.
pub(super) enum Meant {
    /// A file, or what represents one outside the source tree.
    Module(ModuleId),
    /// A file that only the recording names, by its path there.
    Recorded(String),
}

/// File whose path is `wanted` or ends with it; a file outside the source tree is represented by its module, or is one that
/// the recording names.
pub(super) fn file(session: &Session, wanted: &str) -> anyhow::Result<Meant> {
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
            (Some(&id), _) | (None, &[id]) => return Ok(Meant::Module(id)),
            (None, []) => {}
            (None, several) => bail!(
                "{wanted}: expected the end of one file's path, found {} matching files: {}",
                several.len(),
                names(several.iter().map(|&id| hierarchy.path(id)), several.len())
            ),
        }
    }
    let recorded = recorded(session, &parts);
    match recorded.iter().copied().collect::<Vec<_>>()[..] {
        [one] => Ok(meant(session, one)),
        [] => bail!(
            "{wanted}: expected a file in the source tree or the recording, found no path with this end"
        ),
        ref several => bail!(
            "{wanted}: expected the end of one file's path, found {} matching files: {}",
            several.len(),
            names(several.iter().map(|&it| it.to_owned()), several.len())
        ),
    }
}

/// What a path in the recording means: the file that its functions are in, if they are in one.
fn meant(session: &Session, path: &str) -> Meant {
    let file = session.recordings.first().and_then(|it| {
        let functions = &it.recording.functions;
        let function = functions.ids().find(|id| functions.get(*id).file == path)?;
        let module = *it.resolution.modules.get(function.index())?;
        file_around(&session.hierarchy, module)
    });
    file.map_or_else(|| Meant::Recorded(path.to_owned()), Meant::Module)
}

/// The paths in the recording that end with `parts`.
fn recorded<'a>(session: &'a Session, parts: &[&str]) -> BTreeSet<&'a str> {
    let Some(resolved) = session.recordings.first() else {
        return BTreeSet::new();
    };
    let recording = &resolved.recording;
    let functions = recording.functions.ids();
    let files = functions.map(|it| recording.functions.get(it).file);
    let places = recording.lines.iter();
    let places = places.flat_map(|lines| (0..lines.len()).map(move |at| (lines, lines.place(at))));
    let others = places.filter_map(|(lines, place)| lines.other_file(place));
    let ends = |path: &&str| {
        let mut own = path
            .rsplit(['/', '\\'])
            .filter(|it| !matches!(*it, "" | "."));
        !parts.is_empty() && parts.iter().rev().all(|part| own.next() == Some(part))
    };
    files.chain(others).filter(ends).collect()
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
