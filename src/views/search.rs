//! Search: modules by name or path as one types.

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

/// At most `limit` modules whose names fit `query`, whatever the case of ASCII letters: whole names
/// before prefixes, starts of words, parts, and letters in order; then the shorter name, then the higher
/// module. A query with `/` is looked for in paths: what precedes the last `/` in those of the parents.
///
/// Linear in the number of modules; a million take some tens of milliseconds.
pub fn search(hierarchy: &Hierarchy, query: &str, limit: usize) -> Vec<ModuleId> {
    let query = query.trim().to_ascii_lowercase();
    let (parents, name) = match query.rsplit_once('/') {
        Some((parents, name)) => (parents, name),
        None => ("", query.as_str()),
    };
    if (name.is_empty() && parents.is_empty()) || limit == 0 {
        return Vec::new();
    }
    let found = hierarchy.modules().filter_map(|id| {
        let candidate = hierarchy.name(id);
        let fit = fit(candidate.as_bytes(), name.as_bytes())?;
        if !parents.is_empty() {
            let parent = hierarchy.parent(id)?;
            let mut path = hierarchy.path(parent);
            path.make_ascii_lowercase();
            if !path.ends_with(parents) {
                return None;
            }
        }
        Some((fit, candidate.len(), id))
    });
    let mut found: Vec<(Fit, usize, ModuleId)> = found.collect();
    if found.len() > limit {
        found.select_nth_unstable(limit - 1);
        found.truncate(limit);
    }
    found.sort_unstable();
    found.into_iter().map(|(_, _, id)| id).collect()
}

/// `query` is in small letters.
fn fit(name: &[u8], query: &[u8]) -> Option<Fit> {
    let Some((&first, rest)) = query.split_first() else {
        return Some(Fit::Inside);
    };
    let last_start = name.len().checked_sub(query.len())?;
    let mut best = None;
    for start in 0..=last_start {
        if name[start].to_ascii_lowercase() != first
            || !name[start + 1..start + query.len()].eq_ignore_ascii_case(rest)
        {
            continue;
        }
        if start == 0 {
            let whole = name.len() == query.len();
            return Some(if whole { Fit::Whole } else { Fit::Prefix });
        }
        let (before, at) = (name[start - 1], name[start]);
        let starts_word = !before.is_ascii_alphanumeric() && before < 0x80
            || before.is_ascii_lowercase() && at.is_ascii_uppercase();
        if starts_word {
            return Some(Fit::Word);
        }
        best = Some(Fit::Inside);
    }
    best.or_else(|| is_subsequence(name, query).then_some(Fit::Subsequence))
}

fn is_subsequence(name: &[u8], query: &[u8]) -> bool {
    let mut wanted = query.iter();
    let mut next = wanted.next();
    for letter in name {
        match next {
            Some(letter_wanted) if letter.to_ascii_lowercase() == *letter_wanted => {
                next = wanted.next();
            }
            Some(_) => {}
            None => return true,
        }
    }
    next.is_none()
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
        let found = search(&hierarchy, query, 10);
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
    fn only_the_best_are_given_when_there_are_more() {
        let mut builder = HierarchyBuilder::new("root");
        for length in (0..50usize).rev() {
            let name = format!("a{}", "x".repeat(length));
            builder.add(NodeId::ROOT, Module::named(ModuleKind::Function, &name));
        }
        let (hierarchy, _) = builder.build();
        let found = search(&hierarchy, "a", 3);
        let names: Vec<&str> = found.iter().map(|&id| hierarchy.name(id)).collect();
        assert_eq!(names, ["a", "ax", "axx"]);
    }
}
