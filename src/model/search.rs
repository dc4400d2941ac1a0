//! Search: modules by name or path as one types.

use std::ops::Range;

use memchr::memchr;
use memchr::memmem::Finder;
use rayon::prelude::*;

use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

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

/// Between names; no letter of UTF-8.
const END: u8 = 0xff;

/// The names of all modules of a structure, made ready to be searched as one types.
#[derive(Debug)]
pub struct Names {
    /// In small letters, each followed by [`END`].
    lower: Vec<u8>,
    /// By module, where its name ends in `lower`.
    ends: Vec<usize>,
    /// By module, which letters its name has, as [`letters`] gives them.
    letters: Vec<u32>,
}

/// Which letters a text in small letters has: a bit for each from a to z, and for kinds of others.
fn letters(lower: &[u8]) -> u32 {
    let bit = |letter: &u8| match letter {
        b'a'..=b'z' => u32::from(letter - b'a'),
        b'0'..=b'9' => 26,
        b'_' => 27,
        b'.' | b':' | b'/' => 28,
        128.. => 29,
        _ => 30,
    };
    lower
        .iter()
        .fold(0, |letters, letter| letters | 1 << bit(letter))
}

/// At most `limit` modules whose names fit `query`: see [`Names::search`], which is faster where one searches again.
pub fn search(
    hierarchy: &Hierarchy,
    query: &str,
    limit: usize,
    preferred: impl Fn(ModuleId) -> bool + Sync,
) -> Vec<ModuleId> {
    Names::of(hierarchy).search(hierarchy, query, limit, preferred)
}

impl Names {
    /// Linear in the length of all names.
    pub fn of(hierarchy: &Hierarchy) -> Names {
        let modules = hierarchy.len();
        let mut names = Names {
            lower: Vec::with_capacity(modules * 16),
            ends: Vec::with_capacity(modules),
            letters: Vec::with_capacity(modules),
        };
        for id in hierarchy.modules() {
            let name = hierarchy.name(id).as_bytes();
            let start = names.lower.len();
            names.lower.extend(name.iter().map(u8::to_ascii_lowercase));
            names.ends.push(names.lower.len());
            names.letters.push(letters(&names.lower[start..]));
            names.lower.push(END);
        }
        names
    }

    /// At most `limit` modules of `hierarchy`, of which the names are, whose names fit `query`, whatever the case of ASCII
    /// letters: whole names before prefixes, starts of words, parts, and letters in order; then what is `preferred`, then
    /// the shorter name, then the higher module. A query with `/` is looked for in paths: what precedes the last `/` ends
    /// the parent's path. Where no name holds a query such as `Class.method` or `space::function`, its last part is looked
    /// for in modules whose path ends with the part before, and where there is none, as a mapping may have no class,
    /// anywhere.
    ///
    /// All names are one text, in which the query is looked for; letters in order with others between are looked for only
    /// where too few names hold the query, in names that have all its letters. On all cores.
    pub fn search(
        &self,
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
        let looking = |parents, name| Looking {
            hierarchy,
            names: self,
            parents,
            finder: Finder::new(name),
            limit,
            preferred: &preferred,
        };
        let mut found = looking(parents, name).find();
        let is_held = found.first().is_some_and(|it| it.0 != Fit::Subsequence);
        if !is_held && let Some((parent, name)) = qualified(&query) {
            let mut better = looking(parent, name).holding();
            if better.is_empty() {
                better = looking("", name).holding();
                better.retain(|it| it.0 == Fit::Whole);
            }
            found.retain(|it| better.iter().all(|better| better.3 != it.3));
            better.append(&mut found);
            found = better;
            found.truncate(limit);
        }
        found.into_iter().map(|(.., id)| id).collect()
    }

    /// Where the name of a module stands.
    fn place(&self, id: ModuleId) -> Range<usize> {
        let start = match id.index().checked_sub(1) {
            Some(before) => self.ends[before] + 1,
            None => 0,
        };
        start..self.ends[id.index()]
    }
}

/// What stands before and behind the last mark of a qualified name, as far as the mark before.
fn qualified(query: &str) -> Option<(&str, &str)> {
    const MARKS: [char; 3] = ['.', ':', '#'];
    let at = query.rfind(MARKS)?;
    let (before, name) = (query[..at].trim_end_matches(MARKS), &query[at + 1..]);
    let parent = before.rsplit(MARKS).next()?;
    (!parent.is_empty() && !name.is_empty()).then_some((parent, name))
}

/// What is looked for: a name in modules whose path ends with `parents`, both in small letters.
struct Looking<'a, P> {
    hierarchy: &'a Hierarchy,
    names: &'a Names,
    parents: &'a str,
    finder: Finder<'a>,
    limit: usize,
    preferred: &'a P,
}

impl<P: Fn(ModuleId) -> bool + Sync> Looking<'_, P> {
    /// The best, in order.
    fn find(&self) -> Vec<Found> {
        let mut found = self.holding();
        if found.len() < self.limit {
            let held: Vec<ModuleId> = found.iter().map(|it| it.3).collect();
            let letters = letters(self.finder.needle());
            let others = self.each(|id, best| self.scattered(id, letters, &held, best));
            found.extend(others);
            found.truncate(self.limit);
        }
        found
    }

    /// The best of those that hold the name as it is, in order.
    fn holding(&self) -> Vec<Found> {
        if self.finder.needle().is_empty() {
            return self.each(|id, best| self.take(Fit::Inside, id, best));
        }
        self.all(|ids, best| self.hold(ids, best))
    }

    /// The best of what `look` finds in intervals of modules, in order.
    fn all(&self, look: impl Fn(Range<u32>, &mut Best) + Sync) -> Vec<Found> {
        let modules = self.names.ends.len() as u32;
        let chunks = (0..modules.div_ceil(CHUNK)).into_par_iter();
        let best = chunks.map(|chunk| {
            let mut best = Best::new(self.limit);
            look(chunk * CHUNK..modules.min((chunk + 1) * CHUNK), &mut best);
            best.found
        });
        let mut best = Best {
            found: best.flatten_iter().collect(),
            ..Best::new(self.limit)
        };
        best.keep();
        best.found.sort_unstable();
        best.found
    }

    fn each(&self, look: impl Fn(ModuleId, &mut Best) + Sync) -> Vec<Found> {
        self.all(|ids, best| ids.map(ModuleId).for_each(|id| look(id, best)))
    }

    /// Finds the modules among `ids` whose names hold what is looked for.
    fn hold(&self, ids: Range<u32>, best: &mut Best) {
        let (Some(first), Some(last)) = (ids.clone().next(), ids.clone().next_back()) else {
            return;
        };
        let [start, end] = [
            self.names.place(ModuleId(first)).start,
            self.names.place(ModuleId(last)).end,
        ];
        let (mut at, mut id) = (start, first);
        while at < end {
            let Some(hit) = self.finder.find(&self.names.lower[at..end]) else {
                return;
            };
            let hit = at + hit;
            while self.names.ends[id as usize] < hit {
                id += 1;
            }
            let place = self.names.place(ModuleId(id));
            at = place.end + 1;
            let fit = match hit == place.start {
                true if place.len() == self.finder.needle().len() => Fit::Whole,
                true => Fit::Prefix,
                // What is worse than enough others need not be told apart.
                false if best.worst.is_some_and(|worst| worst < Fit::Word) => continue,
                false => self.inside(ModuleId(id), hit - place.start, &place),
            };
            self.take(fit, ModuleId(id), best);
        }
    }

    /// How well a name fits that holds what is looked for first at `first`, which is not its start.
    fn inside(&self, id: ModuleId, first: usize, place: &Range<usize>) -> Fit {
        let name = self.hierarchy.name(id).as_bytes();
        let starts_word = |at: usize| {
            let (before, at) = (name[at - 1], name[at]);
            !before.is_ascii_alphanumeric() && before.is_ascii()
                || before.is_ascii_lowercase() && at.is_ascii_uppercase()
        };
        // Places may overlap.
        let (lower, mut at) = (&self.names.lower[place.clone()], first);
        loop {
            if starts_word(at) {
                return Fit::Word;
            }
            match self.finder.find(&lower[at + 1..]) {
                Some(next) => at += 1 + next,
                None => return Fit::Inside,
            }
        }
    }

    /// Takes a module whose name has the letters in order with others between; `held` are those that hold it whole.
    fn scattered(&self, id: ModuleId, letters: u32, held: &[ModuleId], best: &mut Best) {
        let has_all = self.names.letters[id.index()] & letters == letters;
        if has_all
            && is_subsequence(
                &self.names.lower[self.names.place(id)],
                self.finder.needle(),
            )
            && !held.contains(&id)
        {
            self.take(Fit::Subsequence, id, best);
        }
    }

    fn take(&self, fit: Fit, id: ModuleId, best: &mut Best) {
        if best.worst.is_some_and(|worst| worst < fit) || !self.is_below(id, best) {
            return;
        }
        let length = self.names.place(id).len();
        best.add((fit, !(self.preferred)(id), length, id));
    }

    /// Whether the path of the module's parent ends with `parents`.
    fn is_below(&self, id: ModuleId, best: &mut Best) -> bool {
        if self.parents.is_empty() {
            return true;
        }
        let Some(parent) = self.hierarchy.parent(id) else {
            return false;
        };
        // Modules of one parent follow one another.
        match best.parent {
            Some((of, is_below)) if of == parent => is_below,
            _ => {
                let is_below = self.ends_with_parents(parent);
                best.parent = Some((parent, is_below));
                is_below
            }
        }
    }

    fn ends_with_parents(&self, module: ModuleId) -> bool {
        // Its name says so of most.
        let last = self.parents.rsplit('/').next().unwrap_or_default();
        let name = &self.names.lower[self.names.place(module)];
        if !name.ends_with(last.as_bytes()) && !last.as_bytes().ends_with(name) {
            return false;
        }
        let mut path = self.hierarchy.path(module);
        path.make_ascii_lowercase();
        path.ends_with(self.parents)
    }
}

/// The best that were found so far.
struct Best {
    limit: usize,
    found: Vec<Found>,
    /// What fits worse than this is none of them; nothing while there are too few.
    worst: Option<Fit>,
    /// The parent that was looked at last, and whether its path ends as it should.
    parent: Option<(ModuleId, bool)>,
}

impl Best {
    fn new(limit: usize) -> Best {
        Best {
            limit,
            found: Vec::new(),
            worst: None,
            parent: None,
        }
    }

    fn add(&mut self, found: Found) {
        self.found.push(found);
        if self.found.len() >= self.limit.saturating_mul(4).max(64) {
            self.keep();
        }
    }

    fn keep(&mut self) {
        if self.found.len() > self.limit {
            let (_, worst, _) = self.found.select_nth_unstable(self.limit - 1);
            self.worst = Some(worst.0);
            self.found.truncate(self.limit);
        }
    }
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
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

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

    /// How well a name fits, by the definition.
    fn fit(name: &str, query: &str) -> Option<Fit> {
        let lower = name.to_ascii_lowercase();
        if lower == query {
            return Some(Fit::Whole);
        }
        if lower.starts_with(query) {
            return Some(Fit::Prefix);
        }
        let name = name.as_bytes();
        let starts =
            (1..name.len()).filter(|&at| lower.as_bytes()[at..].starts_with(query.as_bytes()));
        let fits = starts.map(|at| {
            let [before, at] = [name[at - 1], name[at]];
            let is_sign = before.is_ascii() && !before.is_ascii_alphanumeric();
            match is_sign || before.is_ascii_lowercase() && at.is_ascii_uppercase() {
                true => Fit::Word,
                false => Fit::Inside,
            }
        });
        let mut rest = lower.bytes();
        let in_order = query.bytes().all(|letter| rest.any(|it| it == letter));
        fits.min().or(in_order.then_some(Fit::Subsequence))
    }

    #[test]
    fn what_is_found_is_what_the_definition_says_whatever_the_names() {
        let mut number = 1_u64;
        let mut below = |most: u64| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (number >> 33) % most
        };
        const PARTS: [&str; 12] = [
            "a", "b", "ab", "Ba", "_", "B", "0", ".", "ü", "abab", "Aab", "bb",
        ];
        for round in 0..40 {
            let mut builder = HierarchyBuilder::new("ab");
            let mut parents = vec![NodeId::ROOT];
            // Also more than one thread looks through at a time.
            let modules = if round == 0 { 40_000 } else { 1 + below(60) };
            for _ in 0..modules {
                let name: String = (0..1 + below(4))
                    .map(|_| PARTS[below(12) as usize])
                    .collect();
                let parent = parents[below(parents.len() as u64) as usize];
                let id = builder.add(parent, Module::named(ModuleKind::Directory, &name));
                if parents.len() < 10 {
                    parents.push(id);
                }
            }
            let (hierarchy, _) = builder.build();
            let names = Names::of(&hierarchy);
            let preferred = |id: ModuleId| id.0.is_multiple_of(3);
            for query in [
                "a", "b", "ab", "bab", "_a", "aa", "ba0", "ü", "abc", "ab/b", "a/",
            ] {
                let (above, name) = query.rsplit_once('/').unwrap_or(("", query));
                let mut expected: Vec<Found> = hierarchy
                    .modules()
                    .filter(|&id| {
                        let parent = hierarchy.parent(id).map(|it| hierarchy.path(it));
                        above.is_empty()
                            || parent.is_some_and(|it| it.to_ascii_lowercase().ends_with(above))
                    })
                    .filter_map(|id| {
                        let of = hierarchy.name(id);
                        let fit = match name.is_empty() {
                            true => Fit::Inside,
                            false => fit(of, name)?,
                        };
                        Some((fit, !preferred(id), of.len(), id))
                    })
                    .collect();
                expected.sort();
                for limit in [1, 7, 100] {
                    let expected = expected.iter().take(limit).map(|it| it.3);
                    let found = names.search(&hierarchy, query, limit, preferred);
                    assert_eq!(
                        found,
                        expected.collect::<Vec<_>>(),
                        "{query}, {limit}, {round}"
                    );
                }
            }
        }
    }
}
