//! What differs between two revisions of a source tree, in numbers.

use std::collections::HashMap;
use std::mem::swap;
use std::sync::Arc;

use serde::Serialize;

use super::compared::Comparison;
use super::pairing::How;
use callscape_base::units::grouped;
use callscape_facts::profile::Weights;
use callscape_facts::recording::Recording;
use callscape_facts::revised::{OUTSIDE, Revision};

/// Numbers of functions, without what files have outside of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Functions {
    pub added: usize,
    pub removed: usize,
    /// To another place, by themselves.
    pub moved: usize,
    /// Of lines of code.
    pub grown: usize,
    pub shrunk: usize,
    pub more_complex: usize,
    pub less_complex: usize,
}

/// Numbers of files with lines of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Files {
    pub added: usize,
    pub removed: usize,
    /// Or renamed.
    pub moved: usize,
    pub grown: usize,
    pub shrunk: usize,
}

/// What differs between two revisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revised {
    pub revisions: [Arc<Revision>; 2],
    pub functions: Functions,
    pub files: Files,
    /// Lines of code of all files.
    pub lines: [u64; 2],
    /// Of all functions.
    pub complexity: [u64; 2],
}

impl Revised {
    /// The same of B and A.
    fn swapped(mut self) -> Revised {
        let (functions, files) = (&mut self.functions, &mut self.files);
        swap(&mut functions.added, &mut functions.removed);
        swap(&mut functions.grown, &mut functions.shrunk);
        swap(&mut functions.more_complex, &mut functions.less_complex);
        swap(&mut files.added, &mut files.removed);
        swap(&mut files.grown, &mut files.shrunk);
        self.revisions.reverse();
        self.lines.reverse();
        self.complexity.reverse();
        self
    }

    /// The numbers that are not zero, of functions and of files, a sentence each.
    fn in_words(&self) -> Vec<String> {
        let (functions, files) = (&self.functions, &self.files);
        let of_functions = [
            (functions.added, "added"),
            (functions.removed, "removed"),
            (functions.moved, "moved"),
            (functions.grown, "grown"),
            (functions.shrunk, "shrunk"),
            (functions.more_complex, "more complex"),
            (functions.less_complex, "less complex"),
        ];
        let of_files = [
            (files.added, "added"),
            (files.removed, "removed"),
            (files.moved, "moved"),
            (files.grown, "grown"),
            (files.shrunk, "shrunk"),
        ];
        let of_both = [("functions", &of_functions[..]), ("files", &of_files[..])];
        let some = of_both.into_iter().filter_map(|(what, counts)| {
            let some = counts.iter().filter(|(count, _)| *count > 0);
            let some = some.map(|&(count, how)| format!("{} {how}", grouped(count as u64)));
            let some: Vec<String> = some.collect();
            (!some.is_empty()).then(|| format!("{what}: {}", some.join(", ")))
        });
        some.collect()
    }
}

/// Lines and complexity of each function of one side.
struct Side<'a> {
    recording: &'a Recording,
    revision: &'a Arc<Revision>,
    weights: Vec<[u64; 2]>,
}

impl Comparison {
    /// What differs, where A and B are a revision each. O(functions).
    pub fn revised(&self) -> Option<Revised> {
        let sides = [self.side(0)?, self.side(1)?];
        let sum = |side: usize, value: usize| {
            let weights = sides[side].weights.iter();
            weights.map(|it| it[value]).sum::<u64>()
        };
        let mut functions = Functions::default();
        for row in &self.rows {
            let of = [0, 1].map(|side| row.names[side].map(|(_, id)| id));
            let names = [0, 1].map(|side| {
                let id = of[side]?;
                Some(sides[side].recording.functions.get(id).name)
            });
            if names.iter().flatten().any(|&name| name == OUTSIDE) {
                continue;
            }
            match of {
                [None, _] => functions.added += 1,
                [_, None] => functions.removed += 1,
                [Some(a), Some(b)] => {
                    let [a, b] = [sides[0].weights[a.index()], sides[1].weights[b.index()]];
                    // A class that is written in two parts is two modules with one path.
                    let path = || self.session.hierarchy.path(row.module);
                    let is_moved = row.how == Some(How::Moved)
                        && row.was.as_ref().is_some_and(|was| *was != path());
                    functions.moved += usize::from(is_moved);
                    functions.grown += usize::from(a[0] < b[0]);
                    functions.shrunk += usize::from(a[0] > b[0]);
                    functions.more_complex += usize::from(a[1] < b[1]);
                    functions.less_complex += usize::from(a[1] > b[1]);
                }
            }
        }
        Some(Revised {
            functions,
            files: self.files(&sides),
            lines: [sum(0, 0), sum(1, 0)],
            complexity: [sum(0, 1), sum(1, 1)],
            revisions: sides.map(|it| Arc::clone(it.revision)),
        })
    }

    /// The same in sentences, as if A were B where `is_swapped`; none for two runs.
    pub fn revised_in_words(&self, is_swapped: bool) -> Vec<String> {
        let revised = self.revised().map(|it| match is_swapped {
            true => it.swapped(),
            false => it,
        });
        revised.map_or_else(Vec::new, |it| it.in_words())
    }

    fn side(&self, side: usize) -> Option<Side<'_>> {
        let [resolved] = self.recordings(side) else {
            return None;
        };
        let recording = &*resolved.recording;
        let revision = recording.revision.as_ref()?;
        let Weights::Sums(sums) = recording.profile.as_ref()?.weights() else {
            return None;
        };
        let of = |value: usize| sums.function_metrics(value, recording.functions.len());
        let weights = of(0).into_iter().zip(of(1));
        let weights =
            weights.map(|(lines, complexity)| [lines, complexity].map(|it| it.self_cost.ns()));
        Some(Side {
            recording,
            revision,
            weights: weights.collect(),
        })
    }

    fn files(&self, [a, b]: &[Side<'_>; 2]) -> Files {
        let moved = self.moved_files.iter();
        let moved: HashMap<&str, &str> = moved
            .map(|[old, new]| (old.as_str(), new.as_str()))
            .collect();
        let mut lines: HashMap<&str, [Option<u64>; 2]> = HashMap::new();
        for (place, side) in [a, b].into_iter().enumerate() {
            for (id, weights) in side.recording.functions.ids().zip(&side.weights) {
                let mut file = side.recording.functions.get(id).file;
                if place == 0 {
                    file = moved.get(file).copied().unwrap_or(file);
                }
                let of = &mut lines.entry(file).or_default()[place];
                *of = Some(of.unwrap_or(0) + weights[0]);
            }
        }
        let count = |is: fn([Option<u64>; 2]) -> bool| lines.values().filter(|it| is(**it)).count();
        Files {
            added: count(|it| it[0].is_none()),
            removed: count(|it| it[1].is_none()),
            moved: self.moved_files.len(),
            grown: count(|it| matches!(it, [Some(a), Some(b)] if a < b)),
            shrunk: count(|it| matches!(it, [Some(a), Some(b)] if a > b)),
        }
    }
}
