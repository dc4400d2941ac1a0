//! Which files change together: in the same commits, more often than by chance.
//!
//! Association rules between pairs, with support, confidence and lift. T. Zimmermann, P. Weißgerber, S. Diehl, A. Zeller,
//! *Mining Version Histories to Guide Software Changes*, 2004, section 3; lift after S. Brin, R. Motwani, J. D. Ullman,
//! S. Tsur, *Dynamic Itemset Counting and Implication Rules for Market Basket Data*, 1997, where it is called interest.

use super::Span;
use callscape_facts::history::Timeline;

/// A commit of more files says little about pairs of them.
pub const LARGE: u32 = 30;

/// Pairs that are gathered before equal ones are made one.
const AT_ONCE: usize = 1 << 22;

/// Which pairs count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Commits that changed more files are left out.
    pub most_files: u32,
    /// The least number of commits that changed both.
    pub least_together: u32,
    /// And at least in this share of the commits of one of them.
    pub least_confidence: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            most_files: LARGE,
            least_together: 5,
            least_confidence: 0.3,
        }
    }
}

/// Two files that change together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupled {
    /// The one that was changed less often.
    pub a: u32,
    pub b: u32,
    /// In how many commits both were changed: the support of the pair.
    pub together: u32,
    /// In how many commits each was changed.
    pub of: [u32; 2],
    /// The share of the commits with `a` that have `b` too.
    pub confidence: f64,
    /// How many times as often as by chance, if files were changed independently of each other.
    pub lift: f64,
}

/// The pairs of files that change together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Couplings {
    /// The most certain first, then those most often together.
    pub pairs: Vec<Coupled>,
    /// How many commits were looked at: those that changed files, and not too many.
    pub commits: u32,
    /// How many changed too many files.
    pub large: u32,
}

/// The pairs of files that the commits of `span` changed together more often than by chance. O(p log p) for p pairs of files
/// in a commit.
pub fn coupled(timeline: &Timeline, span: &Span, limits: &Limits) -> Couplings {
    let mut found = Couplings::default();
    let mut changes: Vec<u32> = vec![0; timeline.files.len()];
    let mut pairs = Pairs::default();
    let mut files: Vec<u32> = Vec::new();
    let mut add = |files: &mut Vec<u32>| {
        files.sort_unstable();
        files.dedup();
        let count = files.len() as u32;
        if count > limits.most_files {
            found.large += 1;
        } else if count > 0 {
            found.commits += 1;
            files.iter().for_each(|&file| changes[file as usize] += 1);
            pairs.add(files);
        }
        files.clear();
    };
    let mut commit = 0;
    for change in &timeline.changes {
        if change.commit != commit {
            add(&mut files);
            commit = change.commit;
        }
        if change.is_counted() && span.has(commit) {
            files.push(change.file);
        }
    }
    add(&mut files);
    for (pair, together) in pairs.counted() {
        let of = [pair.0, pair.1].map(|file| changes[file as usize]);
        let is_less = of[0] <= of[1];
        let (a, b) = if is_less { pair } else { (pair.1, pair.0) };
        let of = if is_less { of } else { [of[1], of[0]] };
        let confidence = f64::from(together) / f64::from(of[0]);
        let lift = confidence * f64::from(found.commits) / f64::from(of[1]);
        if together >= limits.least_together && confidence >= limits.least_confidence && lift > 1.0
        {
            found.pairs.push(Coupled {
                a,
                b,
                together,
                of,
                confidence,
                lift,
            });
        }
    }
    let end = span.end();
    let path = |file: u32| timeline.path(file, end);
    found.pairs.sort_by(|x, y| {
        let by_certainty = y.confidence.total_cmp(&x.confidence);
        let by_support = by_certainty.then(y.together.cmp(&x.together));
        by_support.then_with(|| (path(x.a), path(x.b)).cmp(&(path(y.a), path(y.b))))
    });
    found
}

/// Pairs of files, and how often each was met.
#[derive(Default)]
struct Pairs {
    met: Vec<u64>,
    counted: Vec<(u64, u32)>,
}

impl Pairs {
    /// All pairs of some files, which are in rising order.
    fn add(&mut self, files: &[u32]) {
        for (at, &a) in files.iter().enumerate() {
            let pairs = files[at + 1..].iter();
            self.met
                .extend(pairs.map(|&b| u64::from(a) << 32 | u64::from(b)));
        }
        if self.met.len() >= AT_ONCE {
            self.count();
        }
    }

    fn count(&mut self) {
        self.met.sort_unstable();
        let met = self.met.chunk_by(|a, b| a == b);
        let mut new = met.map(|same| (same[0], same.len() as u32)).peekable();
        let mut merged: Vec<(u64, u32)> = Vec::with_capacity(self.counted.len());
        for &(pair, count) in &self.counted {
            while let Some(earlier) = new.next_if(|it| it.0 < pair) {
                merged.push(earlier);
            }
            let more = new.next_if(|it| it.0 == pair).map_or(0, |it| it.1);
            merged.push((pair, count + more));
        }
        merged.extend(new);
        self.counted = merged;
        self.met.clear();
    }

    fn counted(mut self) -> impl Iterator<Item = ((u32, u32), u32)> {
        self.count();
        let counted = self.counted.into_iter();
        counted.map(|(pair, count)| (((pair >> 32) as u32, pair as u32), count))
    }
}
