//! Which commits between two revisions touched some lines: as `git log -L` does, the lines are followed back from the later
//! revision, commit by commit, and grow to what a commit replaced.
//!
//! What a merge takes over from one of its parents is looked for there; only what it has from none is its own.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use gix::ObjectId;

use super::change::{Changes, Hunk, Region, Touched};
use super::changes::hunks;
use super::contents::{Content, LARGEST, Pair};
use super::record::{HistoryError, MOST_COMMITS};
use super::renames;
use super::repository::{Change, Found};
use crate::text::SourceText;
use callscape_base::progress::Progress;

/// Regions and their lines, as they lie in one commit.
type Lines = Vec<(u32, Range<u32>)>;

/// The same by path.
type Held = BTreeMap<Rc<str>, Lines>;

/// See [`super::touched`].
pub(super) fn touched(
    dir: &Path,
    changes: &Changes,
    regions: &[Region],
    progress: &Progress,
) -> Result<Touched, HistoryError> {
    let found = Found::new(dir)?;
    let mut touched = Touched {
        by_region: vec![Vec::new(); regions.len()],
        uncommitted: vec![false; regions.len()],
        ..Touched::default()
    };
    let good = found.commit_named(&changes.good.id)?;
    let bad = match &changes.bad {
        Some(bad) => found.commit_named(&bad.id)?,
        None => found.head,
    };
    let held = begin(&found, changes, regions, &mut touched);
    let between = Between::walk(&found, good, bad, &mut touched, progress)?;
    let mut by_commit = between.follow(&found, bad, held, progress)?;
    for id in &between.order {
        let Some(of) = by_commit.remove(id) else {
            continue;
        };
        let commit = touched.commits.len() as u32;
        touched.commits.push(found.commit(*id));
        for region in of {
            touched.by_region[region as usize].push(commit);
        }
    }
    Ok(touched)
}

/// The regions in the commit that the later revision is, or that the work tree is at.
fn begin(found: &Found, changes: &Changes, regions: &[Region], touched: &mut Touched) -> Held {
    let mut by_file: BTreeMap<u32, Lines> = BTreeMap::new();
    for (region, at) in (0..).zip(regions) {
        by_file
            .entry(at.file)
            .or_default()
            .push((region, at.lines.clone()));
    }
    let tree = found.tree_of(found.head);
    let mut held = Held::new();
    for (file, lines) in by_file {
        let Some(file) = changes.files.get(file as usize) else {
            continue;
        };
        if changes.bad.is_some() {
            held.insert(file.path.as_str().into(), lines);
            continue;
        }
        let mut paths = [Some(&file.path), file.was.as_ref()].into_iter().flatten();
        let in_head = paths.find_map(|path| Some((path, found.file_in(tree?, path)?)));
        let text = in_head.and_then(|(path, id)| Some((path, found.source_text(id)?)));
        let mut is_touched = |region: u32| touched.uncommitted[region as usize] = true;
        match text {
            None => lines.iter().for_each(|(region, _)| is_touched(*region)),
            Some((path, text)) => {
                let hunks = hunks(&text, &file.texts[1]);
                let lines = lines.into_iter().map(|(region, lines)| {
                    let back = back(&hunks, &lines);
                    if back.is_touched {
                        is_touched(region);
                    }
                    (region, back.lines)
                });
                held.insert(path.as_str().into(), lines.collect());
            }
        }
    }
    held
}

/// Where lines were before a change, and whether it touched them.
struct Back {
    lines: Range<u32>,
    is_touched: bool,
}

/// `lines` of the text after `hunks` as they were in the one before.
fn back(hunks: &[Hunk], lines: &Range<u32>) -> Back {
    let is_place = lines.is_empty();
    let touches = |hunk: &Hunk| match (is_place, hunk.after.is_empty()) {
        (true, _) => hunk.after.start <= lines.start && lines.start <= hunk.after.end,
        (false, true) => lines.start < hunk.after.start && hunk.after.start < lines.end,
        (false, false) => hunk.after.start < lines.end && lines.start < hunk.after.end,
    };
    // Hunks do not overlap and stand in order: the last before a line says how far it has moved.
    let first = hunks.partition_point(|hunk| hunk.after.end < lines.start);
    let moved = |line: u32| {
        let before = hunks.partition_point(|hunk| hunk.after.end <= line);
        let last = before.checked_sub(1).and_then(|last| hunks.get(last));
        last.map_or(line, |hunk| line - hunk.after.end + hunk.before.end)
    };
    let mut found: Option<Range<u32>> = None;
    for hunk in hunks[first..]
        .iter()
        .take_while(|hunk| hunk.after.start <= lines.end)
    {
        if touches(hunk) {
            let start = found.as_ref().map_or(hunk.before.start, |it| it.start);
            found = Some(start..hunk.before.end);
        }
    }
    let is_inside = |line: u32| {
        hunks[first..]
            .iter()
            .any(|it| touches(it) && it.after.start <= line && line < it.after.end)
    };
    match found {
        None => Back {
            lines: moved(lines.start)..moved(lines.start) + (lines.end - lines.start),
            is_touched: false,
        },
        Some(hit) => {
            let start = if is_place || is_inside(lines.start) {
                hit.start
            } else {
                moved(lines.start).min(hit.start)
            };
            let is_end_inside = lines.end.checked_sub(1).is_some_and(is_inside);
            let end = if is_place || is_end_inside {
                hit.end
            } else {
                moved(lines.end.saturating_sub(1)) + 1
            };
            Back {
                lines: start..end.max(hit.end),
                is_touched: true,
            }
        }
    }
}

/// The commits between two revisions.
struct Between {
    /// The newest first: none before one that it is a parent of.
    order: Vec<ObjectId>,
    parents: HashMap<ObjectId, Vec<ObjectId>>,
    /// Their parents are missing.
    shallow: HashSet<ObjectId>,
}

impl Between {
    fn walk(
        found: &Found,
        good: ObjectId,
        bad: ObjectId,
        touched: &mut Touched,
        progress: &Progress,
    ) -> Result<Between, HistoryError> {
        progress.start("reading commits", 0);
        let newest_first = gix::revision::walk::Sorting::ByCommitTime(
            gix::traverse::commit::simple::CommitTimeOrder::NewestFirst,
        );
        let walk = found.repository.rev_walk([bad]).with_hidden([good]);
        let walk = walk.sorting(newest_first).all();
        let walk = walk.map_err(|error| found.unreadable(error))?;
        let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        let mut met = Vec::new();
        for commit in walk {
            progress.add(1)?;
            let Ok(commit) = commit else {
                touched.is_cut_off = true;
                continue;
            };
            if touched.between == MOST_COMMITS {
                touched.is_cut_off = true;
                break;
            }
            touched.between += 1;
            met.push(commit.id);
            parents.insert(commit.id, commit.parent_ids.iter().copied().collect());
        }
        let shallow: HashSet<ObjectId> = match found.repository.shallow_commits() {
            Ok(Some(commits)) => commits.iter().copied().collect(),
            _ => HashSet::new(),
        };
        touched.is_cut_off |= met.iter().any(|id| shallow.contains(id));
        Ok(Between {
            order: in_order(&met, &parents),
            parents,
            shallow,
        })
    }

    /// By commit the regions that it touched.
    fn follow(
        &self,
        found: &Found,
        bad: ObjectId,
        held: Held,
        progress: &Progress,
    ) -> Result<HashMap<ObjectId, Vec<u32>>, HistoryError> {
        let mut at: HashMap<ObjectId, Held> = HashMap::from([(bad, held)]);
        let mut touched: HashMap<ObjectId, Vec<u32>> = HashMap::new();
        for commit in &self.order {
            progress.check()?;
            let Some(held) = at.remove(commit) else {
                continue;
            };
            let parents = self.parents.get(commit).map_or(&[][..], Vec::as_slice);
            if self.shallow.contains(commit) {
                continue;
            }
            let step = Step::new(found, *commit, parents);
            let mut hand_on = |parent: ObjectId, held: Held| {
                if self.parents.contains_key(&parent) {
                    add(at.entry(parent).or_default(), held);
                }
            };
            let (same, changed) = step.apart(held);
            for (parent, held) in same {
                hand_on(parent, held);
            }
            for (path, lines) in changed {
                let of = step.take(found, &path, lines, |parent, path, lines| {
                    hand_on(parent, Held::from([(path, lines)]));
                });
                touched.entry(*commit).or_default().extend(of);
            }
            if let Some(of) = touched.get_mut(commit) {
                of.sort_unstable();
                of.dedup();
            }
            if touched.get(commit).is_some_and(Vec::is_empty) {
                touched.remove(commit);
            }
        }
        Ok(touched)
    }
}

/// Regions that come to a commit on several ways are followed once where they lie in the same place.
fn add(all: &mut Held, held: Held) {
    if all.is_empty() {
        *all = held;
        return;
    }
    for (path, lines) in held {
        let known = all.entry(path).or_default();
        for line in lines {
            if !known.contains(&line) {
                known.push(line);
            }
        }
    }
}

/// The commits in an order in which each stands before its parents, as near to `met` as that allows. Linear.
fn in_order(met: &[ObjectId], parents: &HashMap<ObjectId, Vec<ObjectId>>) -> Vec<ObjectId> {
    let mut children: HashMap<ObjectId, u32> = met.iter().map(|&id| (id, 0)).collect();
    for parent in parents.values().flatten() {
        if let Some(count) = children.get_mut(parent) {
            *count += 1;
        }
    }
    let free = met
        .iter()
        .copied()
        .filter(|id| children.get(id) == Some(&0));
    let mut free: VecDeque<ObjectId> = free.collect();
    let mut order = Vec::with_capacity(met.len());
    while let Some(id) = free.pop_front() {
        order.push(id);
        for parent in parents.get(&id).into_iter().flatten() {
            if let Some(count) = children.get_mut(parent) {
                *count -= 1;
                if *count == 0 {
                    free.push_back(*parent);
                }
            }
        }
    }
    order
}

/// A commit, and what it changes of each of its parents.
struct Step {
    parents: Vec<(ObjectId, HashMap<String, Change>)>,
}

impl Step {
    fn new(found: &Found, commit: ObjectId, parents: &[ObjectId]) -> Step {
        let tree = found.tree_of(commit);
        let parents = parents.iter().map(|&parent| {
            let mut changes = Vec::new();
            found.compare(
                found.tree_of(parent),
                tree,
                &mut String::new(),
                0,
                &mut changes,
            );
            let changes = changes.into_iter().map(|it| (it.path.clone(), it));
            (parent, changes.collect())
        });
        Step {
            parents: parents.collect(),
        }
    }

    /// What is as it was in a parent, by the first such parent, and the rest.
    fn apart(&self, held: Held) -> (Vec<(ObjectId, Held)>, Held) {
        let mut same: Vec<(ObjectId, Held)> = Vec::new();
        let mut rest = held;
        for (parent, changes) in &self.parents {
            let (other, as_it_was) = rest
                .into_iter()
                .partition(|(path, _)| changes.contains_key(&**path));
            rest = other;
            same.push((*parent, as_it_was));
        }
        (same, rest)
    }

    /// Hands on to the parents what the commit holds of a file that it changes; the regions that it touched.
    fn take(
        &self,
        found: &Found,
        path: &str,
        lines: Lines,
        mut hand_on: impl FnMut(ObjectId, Rc<str>, Lines),
    ) -> Vec<u32> {
        let all = || lines.iter().map(|(region, _)| *region);
        if self.parents.is_empty() {
            return all().collect();
        }
        let mut touched: Option<HashSet<u32>> = None;
        for (parent, changes) in &self.parents {
            let mut of_parent = HashSet::new();
            match self.earlier(found, path, changes) {
                None => of_parent.extend(all()),
                Some((was, hunks)) => {
                    let mut earlier = Lines::with_capacity(lines.len());
                    for (region, at) in &lines {
                        let back = back(&hunks, at);
                        if back.is_touched {
                            of_parent.insert(*region);
                        }
                        earlier.push((*region, back.lines));
                    }
                    hand_on(*parent, was, earlier);
                }
            }
            touched = Some(match touched {
                None => of_parent,
                Some(before) => before.intersection(&of_parent).copied().collect(),
            });
        }
        touched.unwrap_or_default().into_iter().collect()
    }

    /// What a file was called in a parent, and what was changed of it; none where it was not there, or cannot be read.
    fn earlier(
        &self,
        found: &Found,
        path: &str,
        changes: &HashMap<String, Change>,
    ) -> Option<(Rc<str>, Vec<Hunk>)> {
        let change = changes.get(path)?;
        let after = found.source_text(change.after?)?;
        let (was, before) = match change.before {
            Some(before) => (path.to_owned(), before),
            None => renamed(found, path, changes)?,
        };
        let before = found.source_text(before)?;
        Some((was.as_str().into(), hunks(&before, &after)))
    }
}

/// What a file that has come was called before.
fn renamed(
    found: &Found,
    path: &str,
    changes: &HashMap<String, Change>,
) -> Option<(String, ObjectId)> {
    let mut gone: Vec<&Change> = changes.values().filter(|it| it.after.is_none()).collect();
    gone.sort_by(|a, b| a.path.cmp(&b.path));
    let pair = |path: &str, before: Option<ObjectId>, after: Option<ObjectId>| Pair {
        path: path.to_owned(),
        was: None,
        contents: [before.map(Content::Object), after.map(Content::Object)],
    };
    let mut pairs: Vec<Pair> = gone
        .iter()
        .map(|it| pair(&it.path, it.before, None))
        .collect();
    let come = changes.values().filter(|it| it.before.is_none());
    pairs.extend(come.map(|it| pair(&it.path, None, it.after)));
    pairs.sort_by(|a, b| a.path.cmp(&b.path));
    renames::pair(found, &mut pairs);
    let found = pairs.into_iter().find(|it| it.path == path)?;
    let [Some(Content::Object(before)), _] = found.contents else {
        return None;
    };
    Some((found.was?, before))
}

impl Found {
    fn source_text(&self, id: ObjectId) -> Option<SourceText> {
        SourceText::of(self.blob(id, LARGEST)?)
    }

    /// The file at a path of a tree.
    fn file_in(&self, tree: ObjectId, path: &str) -> Option<ObjectId> {
        let mut at = tree;
        for name in path.split('/') {
            let entries = self.entries(Some(at));
            at = entries.iter().find(|it| it.name == name.as_bytes())?.id;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back_of(hunks: &[(Range<u32>, Range<u32>)], lines: Range<u32>) -> (Range<u32>, bool) {
        let hunks: Vec<Hunk> = hunks
            .iter()
            .map(|(before, after)| Hunk {
                before: before.clone(),
                after: after.clone(),
            })
            .collect();
        let back = back(&hunks, &lines);
        (back.lines, back.is_touched)
    }

    #[test]
    fn lines_are_found_where_they_were_before_a_change() {
        // Two lines come before 5, one goes at 10 (12 of the text after), 20 to 21 are replaced by one.
        let hunks = [(5..5, 5..7), (10..11, 12..12), (20..22, 21..22)];
        assert_eq!(back_of(&hunks, 1..3), (1..3, false));
        assert_eq!(back_of(&hunks, 8..10), (6..8, false));
        assert_eq!(back_of(&hunks, 5..6), (5..5, true));
        assert_eq!(back_of(&hunks, 4..9), (4..7, true));
        assert_eq!(back_of(&hunks, 11..14), (9..13, true));
        assert_eq!(back_of(&hunks, 12..12), (10..11, true));
        assert_eq!(back_of(&hunks, 21..22), (20..22, true));
        assert_eq!(back_of(&hunks, 22..25), (22..25, false));
        assert_eq!(back_of(&hunks, 30..30), (30..30, false).clone());
    }
}
