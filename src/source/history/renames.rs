//! Which added files are removed ones that were moved: those with the same contents, then those with the most lines in
//! common, at least half of the longer one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use gix::ObjectId;

use super::contents::{Content, Pair};
use super::repository::Found;

/// Of more files that have come or gone only those with the same contents are paired.
const MOST: usize = 1000;
/// Larger files are paired where they have the same contents alone.
const LARGEST: u64 = 1 << 20;
/// The share of the lines of the longer file that both have.
const LEAST_SAME: f64 = 0.5;

/// Makes one of each removed file and the added one that it has become.
pub(super) fn pair(found: &Found, pairs: &mut Vec<Pair>) {
    let gone: Vec<usize> = sides(pairs, |[before, after]| before && !after);
    let come: Vec<usize> = sides(pairs, |[before, after]| !before && after);
    let mut was: HashMap<usize, usize> = HashMap::new();
    let mut by_id: HashMap<ObjectId, usize> = HashMap::new();
    for &at in gone.iter().rev() {
        if let Some(Content::Object(id)) = &pairs[at].contents[0] {
            by_id.insert(*id, at);
        }
    }
    for &at in &come {
        let earlier = match &pairs[at].contents[1] {
            Some(Content::Object(id)) => by_id.remove(id),
            _ => None,
        };
        was.extend(earlier.map(|earlier| (at, earlier)));
    }
    let taken: Vec<usize> = was.values().copied().collect();
    let gone: Vec<usize> = gone.into_iter().filter(|at| !taken.contains(at)).collect();
    let come: Vec<usize> = come
        .into_iter()
        .filter(|at| !was.contains_key(at))
        .collect();
    if !gone.is_empty() && !come.is_empty() && gone.len().max(come.len()) <= MOST {
        by_lines(found, pairs, &gone, &come, &mut was);
    }
    let mut dropped: Vec<usize> = Vec::new();
    for (at, earlier) in was {
        pairs[at].contents[0] = pairs[earlier].contents[0].take();
        pairs[at].was = Some(pairs[earlier].path.clone());
        dropped.push(earlier);
    }
    let mut at = 0;
    pairs.retain(|_| {
        at += 1;
        !dropped.contains(&(at - 1))
    });
}

fn sides(pairs: &[Pair], is_meant: impl Fn([bool; 2]) -> bool) -> Vec<usize> {
    let has = |pair: &Pair| [pair.contents[0].is_some(), pair.contents[1].is_some()];
    (0..pairs.len())
        .filter(|&at| is_meant(has(&pairs[at])))
        .collect()
}

fn by_lines(
    found: &Found,
    pairs: &[Pair],
    gone: &[usize],
    come: &[usize],
    was: &mut HashMap<usize, usize>,
) {
    let lines = |content: Option<&Content>| match content {
        Some(Content::Bytes(bytes)) => counted(bytes),
        Some(Content::Object(id)) => counted(&found.blob(*id, LARGEST).unwrap_or_default()),
        None => HashMap::new(),
    };
    let old: Vec<HashMap<u64, u32>> = gone
        .iter()
        .map(|&at| lines(pairs[at].contents[0].as_ref()))
        .collect();
    let mut alike: Vec<(f64, usize, usize)> = Vec::new();
    for &new in come {
        let new_lines = lines(pairs[new].contents[1].as_ref());
        for (old_lines, &earlier) in old.iter().zip(gone) {
            let share = same(old_lines, &new_lines);
            if share >= LEAST_SAME && ending(&pairs[new].path) == ending(&pairs[earlier].path) {
                alike.push((share, new, earlier));
            }
        }
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken: Vec<usize> = Vec::new();
    for (_, new, earlier) in alike {
        if !was.contains_key(&new) && !taken.contains(&earlier) {
            was.insert(new, earlier);
            taken.push(earlier);
        }
    }
}

fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// How often each line stands in a text, by its hash; blank ones left out.
fn counted(bytes: &[u8]) -> HashMap<u64, u32> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if !line.is_empty() {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            *counts.entry(hasher.finish()).or_default() += 1;
        }
    }
    counts
}

/// The share of the lines of the longer one that both have.
fn same(old: &HashMap<u64, u32>, new: &HashMap<u64, u32>) -> f64 {
    let total =
        |lines: &HashMap<u64, u32>| lines.values().map(|&count| u64::from(count)).sum::<u64>();
    let longer = total(old).max(total(new));
    let common = new
        .iter()
        .map(|(line, &count)| u64::from(old.get(line).map_or(0, |&it| it.min(count))));
    match longer {
        0 => 0.0,
        longer => common.sum::<u64>() as f64 / longer as f64,
    }
}
