//! Which function of B each function of A is: by place and name, by file, by similarity, or as the user says.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::resolve::Rule;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// A function of one side, in all of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// In the structure of both sides.
    pub module: ModuleId,
    pub name: String,
    /// As the recordings give it; empty where they do not.
    pub file: String,
    /// 0 where unknown.
    pub line: u32,
    /// How it was found in the source.
    pub rule: Rule,
}

/// Why two functions are taken for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    /// They have one name in one place.
    Same,
    /// They have one name in files of one name, or that name is theirs alone.
    Moved,
    /// They stand in one place, are named alike, and call and are called by the same; how much so, up to 1.
    Renamed(f64),
    /// The user says so.
    Given,
}

impl How {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            How::Same => "same",
            How::Moved => "moved",
            How::Renamed(_) => "renamed",
            How::Given => "given",
        }
    }
}

/// What the user says of a function: which one of the other side it is, or that it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// Name or path of a function of A; empty: that of B is none of them.
    pub old: String,
    /// Of a function of B; empty: that of A is none of them.
    pub new: String,
}

impl std::str::FromStr for Correction {
    type Err = String;

    /// `OLD=NEW`, `OLD=` or `=NEW`; with blanks around the sign, names may hold it: `operator== = equals`.
    fn from_str(text: &str) -> Result<Correction, String> {
        let parts = text.split_once(" = ").or_else(|| {
            let bare = text.trim_end().strip_suffix(" =");
            bare.map(|old| (old, ""))
        });
        let (old, new) = parts.or_else(|| text.split_once('=')).ok_or_else(|| {
            format!("expected OLD=NEW, two names or paths of functions, found '{text}'")
        })?;
        let (old, new) = (old.trim().to_owned(), new.trim().to_owned());
        if old.is_empty() && new.is_empty() {
            return Err(format!("expected a function next to the =, found '{text}'"));
        }
        Ok(Correction { old, new })
    }
}

/// Reads a file of corrections: one `OLD = NEW` a line; empty lines and those that start with # are left out.
/// The error names the line.
pub fn corrections(text: &str) -> Result<Vec<Correction>, String> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let parsed = line.parse::<Correction>();
            parsed.map_err(|error| format!("line {}: {error}", number + 1))
        })
        .collect()
}

/// What is known beside the functions themselves.
pub struct Evidence<'a> {
    pub hierarchy: &'a Hierarchy,
    /// By side, the pairs of caller and callee, as places in the entries.
    pub relations: [&'a [(u32, u32)]; 2],
    pub corrections: &'a [Correction],
    /// Whether functions may be taken for others than those of their name in their place.
    pub guess: bool,
    /// Whether each side has its own source tree: then it is known which functions it has that did not run.
    pub has_both_sources: bool,
    /// Whether all functions of two source trees are compared, not those that ran. Then a name in one file is too little:
    /// methods of many classes share it.
    pub are_revisions: bool,
}

/// Which function is which.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairing {
    /// In order of A, then of B.
    pub pairs: Vec<(u32, u32, How)>,
    /// Corrections that speak of no function, or of several.
    pub unclear: Vec<String>,
}

/// Names and neighbourhoods that agree less than this, on average, are not a renamed function.
const RENAMED: f64 = 0.6;

/// A renamed function's name has at least this in common with the old one.
const NAMED_ALIKE: f64 = 0.4;

/// The best match has to be so much better than the second.
const AHEAD: f64 = 0.05;

/// In one place no more than so many pairs are held against each other.
const MOST_PAIRS: usize = 40_000;

/// Pairs the functions of A and B. First as the user says, then, each among what is left:
///
/// 1. one name in one module; of several there those of one line, then in order of line;
/// 2. one name in files of one name; of several the longest common end of their paths;
/// 3. one name that only one function of each side has, not in two libraries;
/// 4. different names in one module, which is not external: where the mean of the likeness of names (shared pairs
///    of letters, Dice) and of neighbourhoods (shared callers and callees, Jaccard) is the best of both functions,
///    and at least 0.6. Where only one source tree is known, not what still stands there.
///
/// 2 to 4 only where `guess` says so. Swapping A and B swaps the pairs. Near linear but for 4.
pub fn pair(a: &[Entry], b: &[Entry], evidence: &Evidence<'_>) -> Pairing {
    let mut state = State {
        entries: [a, b],
        partner: [vec![None; a.len()], vec![None; b.len()]],
        apart: [vec![false; a.len()], vec![false; b.len()]],
        pairs: Vec::new(),
    };
    let mut unclear = Vec::new();
    for correction in evidence.corrections {
        if let Err(error) = state.correct(evidence.hierarchy, correction) {
            unclear.push(error);
        }
    }
    state.by_module();
    if evidence.guess {
        if !evidence.are_revisions {
            state.by_file();
        }
        state.by_unique_name(evidence.hierarchy);
        state.by_likeness(evidence);
    }
    state.pairs.sort_by_key(|&(a, b, _)| (a, b));
    Pairing {
        pairs: state.pairs,
        unclear,
    }
}

struct State<'a> {
    entries: [&'a [Entry]; 2],
    partner: [Vec<Option<u32>>; 2],
    /// What the user has said to be without partner.
    apart: [Vec<bool>; 2],
    pairs: Vec<(u32, u32, How)>,
}

/// Entries of both sides that have something in common.
type Group = [Vec<u32>; 2];

impl<'a> State<'a> {
    fn join(&mut self, a: u32, b: u32, how: How) {
        self.partner[0][a as usize] = Some(b);
        self.partner[1][b as usize] = Some(a);
        self.pairs.push((a, b, how));
    }

    fn is_free(&self, side: usize, entry: u32) -> bool {
        let entry = entry as usize;
        self.partner[side][entry].is_none() && !self.apart[side][entry]
    }

    fn free(&self, side: usize) -> impl Iterator<Item = (u32, &'a Entry)> + '_ {
        let entries = self.entries[side].iter().enumerate();
        let entries = entries.map(|(place, entry)| (place as u32, entry));
        entries.filter(move |&(place, _)| self.is_free(side, place))
    }

    /// The free entries of both sides by a key of side and entry; those without are left out. In order of key.
    fn groups<K: Ord>(&self, key: impl Fn(usize, &'a Entry) -> Option<K>) -> Vec<Group> {
        let mut groups: BTreeMap<K, Group> = BTreeMap::new();
        for side in [0, 1] {
            for (place, entry) in self.free(side) {
                if let Some(key) = key(side, entry) {
                    groups.entry(key).or_default()[side].push(place);
                }
            }
        }
        let groups = groups.into_values();
        groups
            .filter(|[a, b]| !a.is_empty() && !b.is_empty())
            .collect()
    }

    fn correct(&mut self, hierarchy: &Hierarchy, correction: &Correction) -> Result<(), String> {
        if correction.old.is_empty() {
            let new = self.named(1, hierarchy, &correction.new)?;
            self.apart[1][new as usize] = true;
            return Ok(());
        }
        let old = self.named(0, hierarchy, &correction.old)?;
        if correction.new.is_empty() {
            self.apart[0][old as usize] = true;
            return Ok(());
        }
        let new = self.named(1, hierarchy, &correction.new)?;
        if self.is_free(0, old) && self.is_free(1, new) {
            self.join(old, new, How::Given);
            Ok(())
        } else {
            Err(format!(
                "{} = {}: one of them is already in another pair",
                correction.old, correction.new
            ))
        }
    }

    /// The only function of a side with this name or path.
    fn named(&self, side: usize, hierarchy: &Hierarchy, text: &str) -> Result<u32, String> {
        let side_name = ["A", "B"][side];
        let entries = self.entries[side];
        let all = (0u32..).zip(entries);
        let all = all.map(|(place, entry)| (place, entry.name.as_str(), entry.module));
        let mut found = named(hierarchy, text, all);
        let is_whole = |place: &u32| entries[*place as usize].name == text;
        if found.iter().filter(|&place| is_whole(place)).count() == 1 {
            found.retain(is_whole);
        }
        match found[..] {
            [one] => Ok(one),
            [] => Err(format!(
                "{text}: {side_name} has no function with that name"
            )),
            [first, ..] => {
                let path = hierarchy.path(self.entries[side][first as usize].module);
                let count = found.len();
                Err(format!(
                    "{text}: {side_name} has {count} functions with that name; give the path of one, such as {path}"
                ))
            }
        }
    }

    fn by_module(&mut self) {
        for group in self.groups(|_, entry| Some((entry.module, entry.name.as_str()))) {
            self.in_order_of_line(&group, How::Same);
        }
    }

    /// Those of one line first, the others in order of line.
    fn in_order_of_line(&mut self, group: &Group, how: How) {
        if let ([a], [b]) = (&group[0][..], &group[1][..]) {
            self.join(*a, *b, how);
            return;
        }
        let line = |side: usize, place: u32| self.entries[side][place as usize].line;
        let lines_b: BTreeMap<u32, u32> = group[1].iter().map(|&b| (line(1, b), b)).collect();
        let same = group[0].iter();
        let same = same.filter_map(|&a| Some((line(0, a), (a, *lines_b.get(&line(0, a))?))));
        let same: BTreeMap<u32, (u32, u32)> = same.collect();
        let mut rest: Group = group.clone();
        rest[0].retain(|a| !same.values().any(|pair| pair.0 == *a));
        rest[1].retain(|b| !same.values().any(|pair| pair.1 == *b));
        rest[0].sort_by_key(|&a| line(0, a));
        rest[1].sort_by_key(|&b| line(1, b));
        for (a, b) in same.into_values() {
            self.join(a, b, how);
        }
        for (a, b) in std::iter::zip(&rest[0], &rest[1]) {
            self.join(*a, *b, how);
        }
    }

    fn by_file(&mut self) {
        let key = |_, entry: &'a Entry| {
            let file = file_name(&entry.file);
            (!file.is_empty()).then_some((entry.name.as_str(), file))
        };
        for group in self.groups(key) {
            if group[0].len() * group[1].len() > MOST_PAIRS {
                continue;
            }
            // By the end that the paths have in common, the longest first.
            let mut ends: BTreeMap<std::cmp::Reverse<usize>, Vec<(u32, u32)>> = BTreeMap::new();
            for &a in &group[0] {
                for &b in &group[1] {
                    let common = common_end(
                        &self.entries[0][a as usize].file,
                        &self.entries[1][b as usize].file,
                    );
                    ends.entry(std::cmp::Reverse(common))
                        .or_default()
                        .push((a, b));
                }
            }
            for pairs in ends.into_values() {
                let free = pairs
                    .iter()
                    .filter(|(a, b)| self.is_free(0, *a) && self.is_free(1, *b));
                // Files that agree as far stand for each other: what they hold is paired in order of line.
                let mut files: BTreeMap<(&str, &str), [BTreeSet<u32>; 2]> = BTreeMap::new();
                for &(a, b) in free {
                    let file_a = self.entries[0][a as usize].file.as_str();
                    let file_b = self.entries[1][b as usize].file.as_str();
                    let of_files = files.entry((file_a, file_b)).or_default();
                    of_files[0].insert(a);
                    of_files[1].insert(b);
                }
                let is_alone = |side: usize, file: &str| {
                    let name =
                        |pair: &(&str, &str)| if side == 0 { pair.0 } else { pair.1 } == file;
                    files.keys().filter(|pair| name(pair)).count() == 1
                };
                let clear: Vec<Group> = files
                    .iter()
                    .filter(|((file_a, file_b), _)| is_alone(0, file_a) && is_alone(1, file_b))
                    .map(|(_, [a, b])| [a.iter().copied().collect(), b.iter().copied().collect()])
                    .collect();
                for group in clear {
                    self.in_order_of_line(&group, How::Moved);
                }
            }
        }
    }

    fn by_unique_name(&mut self, hierarchy: &Hierarchy) {
        let mut counts: HashMap<&str, [u32; 2]> = HashMap::new();
        for side in [0, 1] {
            for entry in self.entries[side] {
                counts.entry(&entry.name).or_default()[side] += 1;
            }
        }
        let key = |_, entry: &'a Entry| {
            let name = entry.name.as_str();
            let is_unique = counts.get(name) == Some(&[1, 1]) && !is_nameless(name);
            is_unique.then_some(name)
        };
        for group in self.groups(key) {
            if let ([a], [b]) = (&group[0][..], &group[1][..]) {
                let entries = [&self.entries[0][*a as usize], &self.entries[1][*b as usize]];
                // One library may well have a function that another has too. That a file is known on one side alone
                // is of what was recorded.
                if !entries.iter().all(|it| is_external(hierarchy, it.module)) {
                    self.join(*a, *b, How::Moved);
                }
            }
        }
    }

    fn by_likeness(&mut self, evidence: &Evidence<'_>) {
        let hierarchy = evidence.hierarchy;
        // What a recording knows by a file of the one source tree still stands there, or did: it has run on one
        // side only.
        let is_gone = |entry: &Entry| {
            evidence.has_both_sources || matches!(entry.rule, Rule::External | Rule::InFile)
        };
        let moved = self.moved(hierarchy);
        let key = |side: usize, entry: &'a Entry| {
            let parent = hierarchy.parent(entry.module)?;
            let can_be = is_gone(entry) && !is_external(hierarchy, entry.module);
            let parent = match side {
                0 => moved.get(&parent).copied().unwrap_or(parent),
                _ => parent,
            };
            can_be.then_some(parent)
        };
        let groups = self.groups(key);
        if groups.is_empty() {
            return;
        }
        let around = [self.neighbours(0, evidence), self.neighbours(1, evidence)];
        let mut found = Vec::new();
        for group in groups {
            if group[0].len() * group[1].len() > MOST_PAIRS {
                continue;
            }
            let mut scores: Vec<(f64, u32, u32)> = Vec::new();
            for &a in &group[0] {
                for &b in &group[1] {
                    let (from, to) = (&around[0][a as usize], &around[1][b as usize]);
                    let (old, new) = (
                        &self.entries[0][a as usize].name,
                        &self.entries[1][b as usize].name,
                    );
                    let names = likeness(old, new);
                    let common = from.intersection(to).count();
                    let all = from.len() + to.len() - common;
                    let score = 0.5 * names + 0.5 * common as f64 / all.max(1) as f64;
                    if names >= NAMED_ALIKE && common > 0 && score >= RENAMED {
                        scores.push((score, a, b));
                    }
                }
            }
            for &(score, a, b) in &scores {
                let is_best = scores.iter().all(|&(other, x, y)| {
                    (x, y) == (a, b) || (x != a && y != b) || other + AHEAD <= score
                });
                if is_best {
                    found.push((a, b, score));
                }
            }
        }
        for (a, b, score) in found {
            self.join(a, b, How::Renamed(score));
        }
    }

    /// By module of A that nothing has stayed in, the one of B that holds all that has been found of it: what is left of
    /// it is likely there too.
    fn moved(&self, hierarchy: &Hierarchy) -> BTreeMap<ModuleId, ModuleId> {
        let mut moved: BTreeMap<ModuleId, Option<ModuleId>> = BTreeMap::new();
        for &(a, b, _) in &self.pairs {
            let [from, to] = [(0, a), (1, b)].map(|(side, entry): (usize, u32)| {
                hierarchy.parent(self.entries[side][entry as usize].module)
            });
            if let (Some(from), Some(to)) = (from, to) {
                let known = moved.entry(from).or_insert(Some(to));
                *known = known.filter(|known| *known == to);
            }
        }
        let all = moved.into_iter();
        all.filter_map(|(from, to)| Some((from, to?))).collect()
    }

    /// By entry of a side, which functions it calls (true) and is called by, as places in A; only those that have
    /// a partner.
    fn neighbours(&self, side: usize, evidence: &Evidence<'_>) -> Vec<BTreeSet<(bool, u32)>> {
        let mut around = vec![BTreeSet::new(); self.entries[side].len()];
        let common = |entry: u32| match side {
            0 => self.partner[0][entry as usize].map(|_| entry),
            _ => self.partner[1][entry as usize],
        };
        for &(caller, callee) in evidence.relations[side] {
            if let Some(callee) = common(callee) {
                around[caller as usize].insert((true, callee));
            }
            if let Some(caller) = common(caller) {
                around[callee as usize].insert((false, caller));
            }
        }
        around
    }
}

/// Whether a name is none of its own, such as `<module>`, `f.<locals>.<lambda>`, `(anonymous)` and `[unknown]`.
pub fn is_nameless(name: &str) -> bool {
    let is_within = |open: char, close: char| name.starts_with(open) && name.ends_with(close);
    // `<A as B>::f<C>` is a name.
    let is_signed = is_within('<', '>') && !name.contains("::");
    let last = name.rsplit_once(".<").map(|(_, last)| last);
    name.is_empty()
        || is_signed
        || is_within('(', ')')
        || is_within('[', ']')
        || last.is_some_and(|last| last.ends_with('>') && !last.contains('.'))
}

/// Whether `text` is the path of a module, or an end of it.
pub fn is_path_of(hierarchy: &Hierarchy, module: ModuleId, text: &str) -> bool {
    if !text.ends_with(hierarchy.name(module)) {
        return false;
    }
    let path = hierarchy.path(module);
    let before = path.strip_suffix(text);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The functions, given with their names and modules, that have this name or path. What stands in a function's module
/// without being that function, such as a lambda in it, counts only where the function is not among them.
pub fn named<'a>(
    hierarchy: &Hierarchy,
    text: &str,
    functions: impl Iterator<Item = (u32, &'a str, ModuleId)>,
) -> Vec<u32> {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (number, name, module) in functions {
        if name == text {
            own.push(number);
        } else if is_path_of(hierarchy, module, text) {
            match is_last_of(hierarchy.name(module), name) {
                true => own.push(number),
                false => others.push(number),
            }
        }
    }
    if own.is_empty() { others } else { own }
}

/// Whether a name, or its last part, is what the last module of a path is called.
pub fn is_last_of(path: &str, name: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or(path);
    let before = name.strip_suffix(last);
    before.is_some_and(|before| !before.ends_with(|it: char| it.is_alphanumeric() || it == '_'))
}

/// Whether a module stands in the external district.
fn is_external(hierarchy: &Hierarchy, module: ModuleId) -> bool {
    hierarchy
        .ancestors(module)
        .any(|id| hierarchy.kind(id) == ModuleKind::External)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// How many components two paths have in common at their ends.
fn common_end(a: &str, b: &str) -> usize {
    let parts =
        |path: &'_ str| -> Vec<String> { path.rsplit(['/', '\\']).map(str::to_owned).collect() };
    let (a, b) = (parts(a), parts(b));
    std::iter::zip(a, b).take_while(|(a, b)| a == b).count()
}

/// Twice the pairs of letters that two names share, as a share of all of theirs (L. R. Dice, "Measures of the
/// amount of ecologic association between species", Ecology 26, 1945); letters of either case are the same.
pub fn likeness(a: &str, b: &str) -> f64 {
    let pairs = |name: &str| {
        let letters: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
        let mut counts: BTreeMap<(char, char), usize> = BTreeMap::new();
        for pair in letters.windows(2) {
            *counts.entry((pair[0], pair[1])).or_default() += 1;
        }
        counts
    };
    let (a, b) = (pairs(a), pairs(b));
    let shared: usize = a
        .iter()
        .map(|(pair, &count)| count.min(b.get(pair).copied().unwrap_or(0)))
        .sum();
    let all: usize = a.values().chain(b.values()).sum();
    2.0 * shared as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests;
