//! What the history of a source tree says about its files over some commits: how they changed, by whom, and together.

mod coupling;
mod files;
mod map;
mod questions;
#[cfg(test)]
mod tests;

pub use coupling::{Coupled, Couplings, LARGE, Limits, coupled};
pub use files::{OfFile, brought, by_file};
pub(crate) use map::with_files;
pub use questions::{Answer, Beside, Question, answers};

use std::ops::Range;

use callscape_facts::history::Timeline;

/// Some commits of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    is_in: Vec<bool>,
}

impl Span {
    /// Those at some places of the history.
    pub fn of(timeline: &Timeline, commits: Range<u32>) -> Span {
        let places = 0..timeline.commits.len() as u32;
        Span {
            is_in: places.map(|at| commits.contains(&at)).collect(),
        }
    }

    /// Without the commits that `other` has too: what `git log OTHER..` lists. Linear.
    pub fn without(mut self, timeline: &Timeline, other: &Timeline) -> Span {
        let known: std::collections::HashSet<&str> =
            other.commits.iter().map(|it| it.id.as_str()).collect();
        for (is_in, commit) in self.is_in.iter_mut().zip(&timeline.commits) {
            *is_in &= !known.contains(commit.id.as_str());
        }
        self
    }

    /// Those that are in both.
    pub fn within(mut self, other: &Span) -> Span {
        for (is_in, also) in self.is_in.iter_mut().zip(&other.is_in) {
            *is_in &= also;
        }
        self
    }

    pub fn has(&self, commit: u32) -> bool {
        self.is_in.get(commit as usize).copied().unwrap_or(false)
    }

    /// Their places, in order.
    pub fn commits(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        (0..self.is_in.len() as u32).filter(|&at| self.has(at))
    }

    /// How many commits of the history come no later than the last of them.
    pub fn end(&self) -> u32 {
        self.is_in
            .iter()
            .rposition(|&it| it)
            .map_or(0, |at| at as u32 + 1)
    }
}
