//! Search: modules by name or path as one types.

use memchr::memchr;
use memchr::memmem::Finder;
use rayon::prelude::*;

use crate::facts::hierarchy::Hierarchy;
use crate::units::ModuleId;

/// How well a name fits a query, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Prefix,
    /// At the start of a word: after `_`, `.`, `:` … or at a capital after a small letter.
    Word,
    Inside,
    /// The letters in order with others between.
    Subsequence,
}

/// A name that fits: how well, whether it stands behind others, its length, and whose it is. The least is the best.
type Found = (Fit, bool, usize, ModuleId);

/// How many modules one thread looks through at a time.
const CHUNK: u32 = 1 << 14;

/// At most `limit` modules whose names fit `query`, whatever the case of ASCII letters: whole names
/// before prefixes, starts of words, parts, and letters in order; then what is `preferred`, then the shorter name,
/// then the higher module. A query with `/` is looked for in paths: what precedes the last `/` ends the parent's path.
/// Where no name holds a query such as `Class.method` or `space::function`, its last part is looked for in modules whose
/// path ends with the part before, and where there is none, as a mapping may have no class, anywhere.
///
/// Linear in the number of modules, on all cores; a million take some tens of milliseconds.
pub fn search(
    hierarchy: &Hierarchy,
    query: &str,
    limit: usize,
    preferred: impl Fn(ModuleId) -> bool + Sync,
) -> Vec<ModuleId> {
    let query = query.trim().to_ascii_lowercase();
    let (parents, name) = match query.rsplit_once('/') {
        Some((parents, name)) => (parents, name),
        None => ("", query.as_str()),
    };
    if (name.is_empty() && parents.is_empty()) || limit == 0 {
        return Vec::new();
    }
    let mut found = find(hierarchy, parents, name, limit, &preferred);
    let is_held = found.first().is_some_and(|it| it.0 != Fit::Subsequence);
    if !is_held && let Some((parent, name)) = qualified(&query) {
        let within = |parent: &str| {
            let mut better = find(hierarchy, parent, name, limit, &preferred);
            better.retain(|it| it.0 != Fit::Subsequence);
            better
        };
        let mut better = within(parent);
        if better.is_empty() {
            better = within("");
            better.retain(|it| it.0 == Fit::Whole);
        }
        found.retain(|it| better.iter().all(|better| better.3 != it.3));
        better.append(&mut found);
        found = better;
        found.truncate(limit);
    }
    found.into_iter().map(|(.., id)| id).collect()
}

/// What stands before and behind the last mark of a qualified name, as far as the mark before.
fn qualified(query: &str) -> Option<(&str, &str)> {
    const MARKS: [char; 3] = ['.', ':', '#'];
    let at = query.rfind(MARKS)?;
    let (before, name) = (query[..at].trim_end_matches(MARKS), &query[at + 1..]);
    let parent = before.rsplit(MARKS).next()?;
    (!parent.is_empty() && !name.is_empty()).then_some((parent, name))
}

/// The best that fit a name, in modules whose path ends with `parents`; both in small letters.
fn find(
    hierarchy: &Hierarchy,
    parents: &str,
    name: &str,
    limit: usize,
    preferred: &(impl Fn(ModuleId) -> bool + Sync),
) -> Vec<Found> {
    let finder = Finder::new(name);
    let modules = hierarchy.len() as u32;
    let chunks = (0..modules.div_ceil(CHUNK)).into_par_iter();
    let found = chunks.map(|chunk| {
        let mut found: Vec<Found> = Vec::new();
        let mut lower = Vec::new();
        for id in (chunk * CHUNK..modules.min((chunk + 1) * CHUNK)).map(ModuleId) {
            let name = hierarchy.name(id);
            if let Some(fit) = fit(name.as_bytes(), &finder, &mut lower)
                && is_below(hierarchy, id, parents)
            {
                found.push((fit, !preferred(id), name.len(), id));
            }
        }
        keep_best(&mut found, limit);
        found
    });
    let mut found: Vec<Found> = found.flatten_iter().collect();
    keep_best(&mut found, limit);
    found.sort_unstable();
    found
}

fn keep_best(found: &mut Vec<Found>, limit: usize) {
    if found.len() > limit {
        found.select_nth_unstable(limit - 1);
        found.truncate(limit);
    }
}

/// Whether the path of the module's parent ends with `parents`, which is in small letters.
fn is_below(hierarchy: &Hierarchy, id: ModuleId, parents: &str) -> bool {
    parents.is_empty()
        || hierarchy.parent(id).is_some_and(|parent| {
            let mut path = hierarchy.path(parent);
            path.make_ascii_lowercase();
            path.ends_with(parents)
        })
}

/// How well `name` fits what `finder` looks for, which is in small letters; `lower` is scratch.
fn fit(name: &[u8], finder: &Finder<'_>, lower: &mut Vec<u8>) -> Option<Fit> {
    let query = finder.needle();
    if query.is_empty() {
        return Some(Fit::Inside);
    }
    if name.len() < query.len() {
        return None;
    }
    lower.clear();
    lower.extend(name.iter().map(u8::to_ascii_lowercase));
    let Some(first) = finder.find(lower) else {
        return is_subsequence(lower, query).then_some(Fit::Subsequence);
    };
    if first == 0 {
        let whole = name.len() == query.len();
        return Some(if whole { Fit::Whole } else { Fit::Prefix });
    }
    let mut starts = finder.find_iter(lower);
    let starts_word = |at: usize| {
        let (before, at) = (name[at - 1], name[at]);
        !before.is_ascii_alphanumeric() && before.is_ascii()
            || before.is_ascii_lowercase() && at.is_ascii_uppercase()
    };
    // `first` is the first start, so none of them is 0.
    Some(if starts.any(starts_word) {
        Fit::Word
    } else {
        Fit::Inside
    })
}

fn is_subsequence(name: &[u8], query: &[u8]) -> bool {
    let mut left = name;
    query.iter().all(|&wanted| match memchr(wanted, left) {
        Some(at) => {
            left = &left[at + 1..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

    fn names(query: &str) -> Vec<String> {
        let mut builder = HierarchyBuilder::new("app");
        let lib = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "lib"));
        let core = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "core"));
        for name in [
            "reparse",
            "luaParse",
            "parse_args",
            "Parse",
            "p_a_r_s_e",
            "über",
        ] {
            builder.add(lib, Module::named(ModuleKind::Function, name));
        }
        builder.add(core, Module::named(ModuleKind::Function, "parse"));
        let (hierarchy, _) = builder.build();
        let found = search(&hierarchy, query, 10, |_| true);
        found.into_iter().map(|id| hierarchy.path(id)).collect()
    }

    #[test]
    fn names_are_ranked_by_how_well_they_fit() {
        assert_eq!(
            names("PARSE"),
            [
                "lib/Parse",
                "core/parse",
                "lib/parse_args",
                "lib/luaParse",
                "lib/reparse",
                "lib/p_a_r_s_e"
            ]
        );
        assert_eq!(names("args"), ["lib/parse_args"]);
        assert_eq!(names("ÜBER"), Vec::<String>::new());
        assert_eq!(names("übe"), ["lib/über"]);
        assert_eq!(names("  "), Vec::<String>::new());
    }

    #[test]
    fn a_query_with_a_slash_is_looked_for_in_paths() {
        assert_eq!(names("core/par"), ["core/parse"]);
        assert_eq!(names("core/"), ["core/parse"]);
        assert_eq!(names("nowhere/"), Vec::<String>::new());
    }

    #[test]
    fn a_qualified_name_is_found_by_its_last_two_parts() {
        for query in [
            "core.parse",
            "App::Core::parse",
            "Core#par",
            "a.b.core.parse",
        ] {
            assert_eq!(names(query), ["core/parse"], "{query}");
        }
        for query in ["nowhere.pars", ".parse", "core.", "::", "."] {
            assert_eq!(names(query), Vec::<String>::new(), "{query}");
        }
        // A class that the structure does not have: what is called so.
        assert_eq!(names("Nowhere.parse"), ["lib/Parse", "core/parse"]);
    }

    #[test]
    fn only_the_best_are_given_when_there_are_more() {
        let mut builder = HierarchyBuilder::new("root");
        for length in (0..50usize).rev() {
            let name = format!("a{}", "x".repeat(length));
            builder.add(NodeId::ROOT, Module::named(ModuleKind::Function, &name));
        }
        let (hierarchy, _) = builder.build();
        let found = search(&hierarchy, "a", 3, |_| true);
        let names: Vec<&str> = found.iter().map(|&id| hierarchy.name(id)).collect();
        assert_eq!(names, ["a", "ax", "axx"]);
    }
}
