//! Names that tell files apart: of twenty files called `parser.c` each is known by the folder that it is in.

use std::collections::HashMap;

use super::names::NameId;

/// So many files of one name are told apart by another.
pub(crate) const COMMON: usize = 20;

/// A folder's name tells a file apart where at most this share of the files of one name have a folder of that name as
/// well.
const RARE: f32 = 0.1;

/// A word that at least this share of the telling names begin or end with is left out of them.
const SHARED: f32 = 0.8;

/// For each file whose name at least [`COMMON`] files have, a name that tells it apart: that of the nearest folder around
/// it whose name is rare among theirs, without what nearly all of these begin or end with: `julia` of
/// `tree-sitter-julia-0.23.1/src/parser.c`, where the others are `tree-sitter-ocaml-0.24.0` and so on. `files` are pairs
/// of a file and its name in any order; `folders` are the names of the folders around one, the innermost first, without
/// the root. O(files × depth).
pub(crate) fn names<'a, Folders: Iterator<Item = &'a str>>(
    files: impl Iterator<Item = (u32, NameId)>,
    folders: impl Fn(u32) -> Folders,
) -> HashMap<u32, String> {
    let mut by_name: HashMap<NameId, Vec<u32>> = HashMap::new();
    for (file, name) in files {
        by_name.entry(name).or_default().push(file);
    }
    let mut told = HashMap::new();
    for of_name in by_name.into_values().filter(|of| of.len() >= COMMON) {
        let mut telling: Vec<(u32, &str)> = Vec::new();
        let most = ((of_name.len() as f32 * RARE) as usize).max(1);
        let mut open = of_name;
        // By level upwards: which of those that are left have a rare name there.
        for level in 0.. {
            let at_level = |file: u32| folders(file).nth(level);
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for name in open.iter().filter_map(|&file| at_level(file)) {
                *counts.entry(name).or_default() += 1;
            }
            if counts.is_empty() {
                break;
            }
            open.retain(|&file| match at_level(file) {
                Some(name) if counts[name] <= most => {
                    telling.push((file, name));
                    false
                }
                Some(_) => true,
                None => false,
            });
        }
        let (before, behind) = shared(&telling);
        for (file, name) in telling {
            told.insert(file, without(name, before, behind).to_owned());
        }
    }
    told
}

fn is_joint(letter: char) -> bool {
    matches!(letter, '-' | '_' | '.' | ' ')
}

/// The beginning that nearly all names have, with the joint behind it; and whether nearly all end with a version.
fn shared<'a>(telling: &[(u32, &'a str)]) -> (&'a str, bool) {
    let enough = (telling.len() as f32 * SHARED).max(2.0);
    let mut best = "";
    loop {
        // One word more than what is shared so far.
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (_, name) in telling {
            let longer = name.strip_prefix(best);
            let end = longer.and_then(|rest| rest.find(is_joint));
            if let Some(end) = end.filter(|&end| end + 1 < name.len() - best.len()) {
                *counts.entry(&name[..best.len() + end + 1]).or_default() += 1;
            }
        }
        let most = counts
            .into_iter()
            .max_by_key(|&(name, count)| (count, name));
        match most {
            Some((name, count)) if count as f32 >= enough => best = name,
            _ => break,
        }
    }
    let versions = telling
        .iter()
        .filter(|(_, name)| version_at(name).is_some());
    (best, versions.count() as f32 >= enough)
}

/// Where a version begins at the end of a name: a joint and then nothing but digits, dots and plus signs.
fn version_at(name: &str) -> Option<usize> {
    let at = name.rfind(['-', '_'])?;
    let version = &name[at + 1..];
    let is_version = version.contains('.')
        && version.starts_with(|it: char| it.is_ascii_digit())
        && version
            .chars()
            .all(|it| it.is_ascii_digit() || matches!(it, '.' | '+'));
    (is_version && at > 0).then_some(at)
}

fn without<'a>(name: &'a str, before: &str, behind: bool) -> &'a str {
    let end = version_at(name).filter(|_| behind).unwrap_or(name.len());
    let rest = name[..end].strip_prefix(before).unwrap_or(&name[..end]);
    if rest.is_empty() { name } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Names;

    fn told(paths: &[String]) -> Vec<String> {
        let mut interned = Names::default();
        let names_of: Vec<NameId> = paths
            .iter()
            .map(|path| interned.intern(path.rsplit('/').next().unwrap_or(path)))
            .collect();
        let found = names((0..).zip(names_of), |file| {
            paths[file as usize].rsplit('/').skip(1)
        });
        let name = |file: usize| found.get(&(file as u32)).cloned().unwrap_or_default();
        (0..paths.len()).map(name).collect()
    }

    #[test]
    fn parsers_are_told_apart_by_their_languages() {
        let languages: Vec<String> = (0..20).map(|it| format!("language{it}x")).collect();
        let path = |of: &String| format!("tree-sitter-{of}-0.2{}.1/src/parser.c", of.len());
        assert_eq!(
            told(&languages.iter().map(path).collect::<Vec<_>>()),
            languages
        );
    }

    #[test]
    fn modules_are_told_apart_by_their_folders_and_few_need_no_other_name() {
        let mut paths: Vec<String> = (0..25).map(|it| format!("src/part{it}/mod.rs")).collect();
        // Of one folder's name there are too many to tell anything.
        paths.extend((0..5).map(|it| format!("crate{it}/tests/mod.rs")));
        paths.extend((0..19).map(|it| format!("{it}/main.rs")));
        let told = told(&paths);
        let parts = (0..25).map(|it| format!("part{it}"));
        let crates = (0..5).map(|it| format!("crate{it}"));
        let expected: Vec<String> = parts.chain(crates).collect();
        assert_eq!(told[..30], expected);
        assert!(told[30..].iter().all(String::is_empty));
    }

    #[test]
    fn what_cannot_be_told_apart_keeps_its_name() {
        let paths: Vec<String> = (0..30).map(|_| "src/mod.rs".to_owned()).collect();
        assert!(told(&paths).iter().all(String::is_empty));
        assert_eq!(
            without("tree-sitter-", "tree-sitter-", false),
            "tree-sitter-"
        );
        assert_eq!(version_at("zlib-1.3"), Some(4));
        assert_eq!(version_at("x86_64"), None);
    }
}
