//! Which added files are removed ones that were renamed, as git finds them: those with the same contents, then those with
//! the same name that are alike in three quarters, then those most alike, at least in half.
//!
//! <https://git-scm.com/docs/gitdiffcore>, *diffcore-rename*; likeness is the share of the larger file's bytes in stretches,
//! of a line or 64 bytes at most, that both files have.

use std::cell::OnceCell;
use std::collections::HashMap;

use gix::ObjectId;

use super::contents::{Content, Pair};
use super::numstat::is_binary;
use super::repository::Found;

/// More pairs are not compared: only those with the same contents or the same name are found.
const MOST_PAIRS: usize = 1_000_000;
/// Larger files are renamed only where they have the same contents, in bytes.
const LARGEST: u64 = 64 << 20;
/// Likeness is told in parts of this.
const WHOLE: u64 = 60_000;
const LEAST: u64 = WHOLE / 2;
const LEAST_OF_SAME_NAME: u64 = LEAST + LEAST / 2;
/// So many removed files are kept for each added one.
const CANDIDATES: usize = 4;
/// Of more files with the same contents the first ones are looked at.
const MOST_SAME: usize = 100;

/// A file that has come or gone.
pub(super) struct Side<'a> {
    pub path: &'a str,
    pub content: &'a Content,
    pub is_link: bool,
}

/// Makes one of each removed file and the added one that it has become.
pub(super) fn pair(found: &Found, pairs: &mut Vec<Pair>) {
    let places = |which: usize| -> Vec<usize> {
        let is_meant =
            |pair: &Pair| pair.contents[which].is_some() && pair.contents[1 - which].is_none();
        (0..pairs.len())
            .filter(|&at| is_meant(&pairs[at]))
            .collect()
    };
    let (gone, come) = (places(0), places(1));
    let sides = |places: &[usize], which: usize| -> Vec<Side> {
        let of = |&at: &usize| {
            let content = pairs[at].contents[which].as_ref();
            content.map(|content| Side {
                path: &pairs[at].path,
                content,
                is_link: false,
            })
        };
        places.iter().filter_map(of).collect()
    };
    let renamed = find(found, &sides(&gone, 0), &sides(&come, 1));
    let mut dropped: Vec<usize> = Vec::new();
    for (new, old) in renamed {
        let (at, earlier) = (come[new], gone[old]);
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

/// The added files among `come` that were renamed, and what they were among `gone`; both are in order of path. Linear where
/// contents are the same, otherwise O(gone × come).
pub(super) fn find(found: &Found, gone: &[Side], come: &[Side]) -> Vec<(usize, usize)> {
    if gone.is_empty() || come.is_empty() {
        return Vec::new();
    }
    let mut search = Search {
        found,
        gone: gone.iter().map(Looked::new).collect(),
        come: come.iter().map(Looked::new).collect(),
        renamed: Vec::new(),
    };
    search.same_contents();
    search.same_names();
    search.most_alike();
    search.renamed
}

struct Looked<'a> {
    side: &'a Side<'a>,
    is_taken: bool,
    size: OnceCell<Option<u64>>,
    spans: OnceCell<Vec<(u32, u32)>>,
}

impl<'a> Looked<'a> {
    fn new(side: &'a Side<'a>) -> Looked<'a> {
        Looked {
            side,
            is_taken: false,
            size: OnceCell::new(),
            spans: OnceCell::new(),
        }
    }

    /// None where it cannot be compared.
    fn size(&self, found: &Found) -> Option<u64> {
        *self.size.get_or_init(|| match self.side.content {
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Object(id) => found.repository.find_header(*id).ok().map(|it| it.size()),
        })
    }

    fn spans(&self, found: &Found) -> &[(u32, u32)] {
        self.spans.get_or_init(|| match self.side.content {
            Content::Bytes(bytes) => spans(bytes),
            Content::Object(id) => spans(&found.blob(*id, LARGEST).unwrap_or_default()),
        })
    }

    fn name(&self) -> &'a str {
        self.side.path.rsplit('/').next().unwrap_or(self.side.path)
    }
}

struct Search<'a> {
    found: &'a Found,
    gone: Vec<Looked<'a>>,
    come: Vec<Looked<'a>>,
    renamed: Vec<(usize, usize)>,
}

impl Search<'_> {
    fn take(&mut self, new: usize, old: usize) {
        self.come[new].is_taken = true;
        self.gone[old].is_taken = true;
        self.renamed.push((new, old));
    }

    fn same_contents(&mut self) {
        let mut by_id: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (at, old) in self.gone.iter().enumerate() {
            if let Content::Object(id) = old.side.content {
                by_id.entry(*id).or_default().push(at);
            }
        }
        for new in 0..self.come.len() {
            let side = self.come[new].side;
            let Content::Object(id) = side.content else {
                continue;
            };
            let same = by_id.get(id).map_or(&[][..], Vec::as_slice);
            let fits = |&&old: &&usize| {
                !self.gone[old].is_taken && self.gone[old].side.is_link == side.is_link
            };
            let mut same = same.iter().filter(fits).take(MOST_SAME).copied();
            let first = same.clone().next();
            let named = same.find(|&old| self.gone[old].name() == self.come[new].name());
            if let Some(old) = named.or(first) {
                self.take(new, old);
            }
        }
    }

    fn same_names(&mut self) {
        let news = once_by_name(&self.come);
        let mut olds: Vec<(usize, usize)> = Vec::new();
        for (name, old) in once_by_name(&self.gone) {
            olds.extend(news.get(name).map(|&new| (old, new)));
        }
        olds.sort_unstable();
        for (old, new) in olds {
            if self.likeness(old, new) >= LEAST_OF_SAME_NAME {
                self.take(new, old);
            }
        }
    }

    fn most_alike(&mut self) {
        let left = |sides: &[Looked]| -> Vec<usize> {
            (0..sides.len()).filter(|&at| !sides[at].is_taken).collect()
        };
        let (gone, come) = (left(&self.gone), left(&self.come));
        if gone.len().saturating_mul(come.len()) > MOST_PAIRS {
            return;
        }
        // Of those equally alike the first place wins, so the places are taken as git takes them: by any file at first, then
        // each time that of the least alike.
        let mut all: Vec<(u64, bool, usize, usize)> = Vec::new();
        for &new in &come {
            let mut best: Vec<(u64, bool, usize, usize)> = Vec::with_capacity(CANDIDATES);
            for &old in &gone {
                let is_same_name = self.gone[old].name() == self.come[new].name();
                let candidate = (self.likeness(old, new), is_same_name, new, old);
                let key = |it: &(u64, bool, usize, usize)| (it.0, it.1);
                let worst = (0..best.len()).min_by_key(|&at| key(&best[at]));
                match worst.filter(|_| best.len() == CANDIDATES) {
                    None => best.push(candidate),
                    Some(worst) if key(&best[worst]) < key(&candidate) => best[worst] = candidate,
                    Some(_) => {}
                }
            }
            all.append(&mut best);
        }
        all.retain(|it| it.0 >= LEAST);
        all.sort_by_key(|&(likeness, is_same_name, ..)| {
            std::cmp::Reverse((likeness, is_same_name))
        });
        for (_, _, new, old) in all {
            if !self.come[new].is_taken && !self.gone[old].is_taken {
                self.take(new, old);
            }
        }
    }

    /// In parts of [`WHOLE`].
    fn likeness(&self, old: usize, new: usize) -> u64 {
        let (old, new) = (&self.gone[old], &self.come[new]);
        if old.side.is_link || new.side.is_link {
            return 0;
        }
        let (Some(before), Some(after)) = (old.size(self.found), new.size(self.found)) else {
            return 0;
        };
        let (smaller, larger) = (before.min(after), before.max(after));
        if larger > LARGEST || smaller == 0 || larger * (WHOLE - LEAST) < (larger - smaller) * WHOLE
        {
            return 0;
        }
        common(old.spans(self.found), new.spans(self.found)) * WHOLE / larger
    }
}

/// The files whose names no other has, by name.
fn once_by_name<'a>(sides: &[Looked<'a>]) -> HashMap<&'a str, usize> {
    let mut by_name: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, side) in sides.iter().enumerate().filter(|(_, it)| !it.is_taken) {
        let place = by_name.entry(side.name());
        place.and_modify(|it| *it = None).or_insert(Some(at));
    }
    let once = by_name.into_iter();
    once.filter_map(|(name, at)| Some((name, at?))).collect()
}

/// The stretches of a file by hash, in order, with the bytes in each. git's own hash, so that the same stretches are taken
/// for equal.
fn spans(bytes: &[u8]) -> Vec<(u32, u32)> {
    const HASHES: u32 = 107_927;
    const LONGEST: u32 = 64;
    let is_text = !is_binary(bytes);
    let mut all: Vec<(u32, u32)> = Vec::new();
    let (mut high, mut low, mut length) = (0u32, 0u32, 0u32);
    let mut end = |high: u32, low: u32, length: u32| {
        let hash = high.wrapping_add(low.wrapping_mul(0x61)) % HASHES;
        all.push((hash, length));
    };
    for (at, &byte) in bytes.iter().enumerate() {
        if is_text && byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
            continue;
        }
        let was = high;
        high = (high << 7) ^ (low >> 25);
        low = (low << 7) ^ (was >> 25);
        high = high.wrapping_add(u32::from(byte));
        length += 1;
        if length == LONGEST || byte == b'\n' {
            end(high, low, length);
            (high, low, length) = (0, 0, 0);
        }
    }
    if length > 0 {
        end(high, low, length);
    }
    all.sort_unstable();
    all.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    all
}

/// Bytes in stretches that both have.
fn common(before: &[(u32, u32)], after: &[(u32, u32)]) -> u64 {
    let (mut bytes, mut at) = (0, 0);
    for &(hash, length) in before {
        while after.get(at).is_some_and(|it| it.0 < hash) {
            at += 1;
        }
        let same = after.get(at).filter(|it| it.0 == hash);
        bytes += same.map_or(0, |it| u64::from(it.1.min(length)));
    }
    bytes
}
