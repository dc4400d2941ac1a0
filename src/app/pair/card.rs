//! The card in which one chooses the recordings of A and of B.

use std::path::{Path, PathBuf};

use super::revisions::RevisionsCard;
use callscape_state::job::Job;

/// More files next to a recording would not be read.
const MOST_BESIDE: usize = 8;

/// The card, and what is chosen in it.
#[derive(Debug, Default)]
pub struct PairCard {
    pub is_open: bool,
    /// Of A and of B.
    pub sides: [Vec<PathBuf>; 2],
    /// The path that is typed.
    pub path: String,
    /// Files that are probably other runs of the same program.
    pub(super) beside: Vec<PathBuf>,
    pub(super) looking: Option<Job<Vec<PathBuf>>>,
    /// Where two revisions are chosen, while that is open.
    pub revisions: Option<RevisionsCard>,
}

impl PairCard {
    /// The side to which a recording is added that is not said to be of either: B once there is an A.
    pub fn side_to_fill(&self) -> usize {
        usize::from(!self.sides[0].is_empty())
    }

    /// Whether both sides have something.
    pub fn can_compare(&self) -> bool {
        self.sides.iter().all(|it| !it.is_empty())
    }

    /// Files next to those chosen that are not chosen, the most alike first.
    pub fn beside(&self) -> impl Iterator<Item = &PathBuf> {
        let taken = |path: &&PathBuf| !self.sides.iter().flatten().any(|it| is_same(it, path));
        self.beside.iter().filter(taken).take(MOST_BESIDE)
    }

    pub fn is_looking(&self) -> bool {
        let of_revisions = self.revisions.as_ref();
        self.looking.is_some() || of_revisions.is_some_and(RevisionsCard::is_working)
    }

    pub(super) fn add(&mut self, side: usize, paths: Vec<PathBuf>) {
        for path in paths {
            if !self.sides.iter().flatten().any(|it| is_same(it, &path)) {
                self.sides[side.min(1)].push(path);
            }
        }
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    std::path::absolute(a).ok() == std::path::absolute(b).ok()
}
