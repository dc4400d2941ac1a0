//! Where imports of Ruby, Lua and shell scripts lead.

use super::paths::{self, FileId, Paths, around, join};
use super::tree::{Leads, Text, one};
use callscape_source::relations::{Import, ImportKind};

/// `require_relative` from the file's directory; `require` from the directories that libraries are kept in.
pub(super) fn in_ruby(
    paths: &Paths<'_>,
    text: &Text<'_>,
    import: &Import,
    to: &mut Vec<FileId>,
) -> Leads {
    let folder = paths::folder(text.path);
    let with_ending = |path: &str| {
        let exact = paths.file(path).filter(|_| path.ends_with(".rb"));
        exact.or_else(|| paths.file(&format!("{path}.rb")))
    };
    let is_relative = import.kind == ImportKind::Path || import.path.starts_with('.');
    if is_relative {
        let found = join(folder, &import.path).map(|path| with_ending(&path));
        return found.map_or(Leads::Outside, |found| one(found, to, Leads::Nowhere));
    }
    let found = around(folder).find_map(|folder| {
        ["lib", "", "test", "spec", "app"]
            .iter()
            .find_map(|kept| with_ending(&join(&join(folder, kept)?, &import.path)?))
    });
    let found = found.or_else(|| {
        let path = format!("lib/{}.rb", import.path.trim_end_matches(".rb"));
        paths.nearest(text.path, paths.ending_with(&path))
    });
    one(found, to, Leads::Outside)
}

/// `require "a.b"` from the directories around the file and those that libraries are kept in.
pub(super) fn in_lua(
    paths: &Paths<'_>,
    text: &Text<'_>,
    import: &Import,
    to: &mut Vec<FileId>,
) -> Leads {
    let folder = paths::folder(text.path);
    if import.kind == ImportKind::Path {
        let found = join(folder, &import.path).map(|path| paths.file(&path));
        return found.map_or(Leads::Outside, |found| one(found, to, Leads::Nowhere));
    }
    let path = import.path.replace('.', "/");
    let found = around(folder).find_map(|folder| {
        ["", "lua", "src", "lib"].iter().find_map(|kept| {
            let base = join(&join(folder, kept)?, &path)?;
            let file = paths.file(&format!("{base}.lua"));
            file.or_else(|| paths.file(&format!("{base}/init.lua")))
        })
    });
    one(found, to, Leads::Outside)
}

/// `source a.sh` from the file's directory, then from those around it.
pub(super) fn in_shell(
    paths: &Paths<'_>,
    text: &Text<'_>,
    import: &Import,
    to: &mut Vec<FileId>,
) -> Leads {
    let folder = paths::folder(text.path);
    if join(folder, &import.path).is_none() || import.path.starts_with('~') {
        return Leads::Outside;
    }
    let found = around(folder).find_map(|folder| paths.file(&join(folder, &import.path)?));
    one(found, to, Leads::Nowhere)
}
