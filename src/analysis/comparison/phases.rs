//! The phases of two runs beside each other.
//!
//! Phases are paired from the outside inwards: those without enclosing phase, then those right below two that are a
//! pair. Among such siblings the phases of one callee that are alike are a class. A class of A and one of B are the same
//! where the same functions run in their first members; of the others the first is the first, the second the second. In
//! two such classes the first phase is the first, and so on, as far as both go.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::Comparison;
use crate::phases::apart::of_both;
use crate::phases::names::Labels;
use crate::phases::{Parent, Phase, Phases};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ThreadId};

/// A phase of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseAmounts {
    /// Its triggered calls.
    pub calls: u64,
    /// Elapsed, less what other programs took of it where that is known.
    pub cost: Cost,
}

/// A phase of both runs, or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhasePair {
    /// That of B, or of A where B has none.
    pub name: String,
    /// 1 without an enclosing phase.
    pub depth: u32,
    /// Of A and B.
    pub sides: [Option<PhaseAmounts>; 2],
}

impl PhasePair {
    /// By how much it costs more in B than in A, in nanoseconds; what is missing costs nothing.
    pub fn cost_difference(&self) -> i128 {
        let [a, b] = self
            .sides
            .map(|of| of.map_or(0, |of| i128::from(of.cost.ns())));
        b - a
    }

    /// The same in calls.
    pub fn call_difference(&self) -> i128 {
        let [a, b] = self.sides.map(|of| of.map_or(0, |of| i128::from(of.calls)));
        b - a
    }

    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        self.sides[0] != self.sides[1]
    }
}

impl Comparison {
    /// The phases of the first run of A and the first of B, both pruned by the same thresholds and as far as they are in
    /// the ranges that count; in the order of A, what only B has behind its siblings. None where one of them has no
    /// times. Looks at every call.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn phases(&self, progress: &Progress) -> Result<Option<Vec<PhasePair>>, Cancelled> {
        let run = |side: usize| {
            let place = self.runs_of(side).next()?;
            let recording = &self.session.recordings.get(place)?.recording;
            let has_times = recording.profile.is_none();
            has_times.then_some((place, recording))
        };
        let (Some(a), Some(b)) = (run(0), run(1)) else {
            return Ok(None);
        };
        let runs = [a, b].map(|(place, recording)| (&recording.trace, self.within(place)));
        let found = of_both(runs, progress)?;
        let side = |side: usize, (place, _): (usize, _)| Side {
            phases: &found[side].0,
            row_of: &self.row_of[place],
        };
        let sides = [side(0, a), side(1, b)];
        let labels = [0, 1].map(|side| {
            let (phases, pruning) = &found[side];
            Labels::new(phases, &[a, b][side].1.functions, pruning)
        });
        let pair = |of: [Option<u32>; 2]| {
            let phase = |side: usize| Some((of[side]?, sides[side].get(of[side]?)?));
            let named = |side: usize| {
                let (index, phase) = phase(side)?;
                Some((labels[side].phase(index, phase).to_owned(), phase.depth))
            };
            let (name, depth) = named(1).or_else(|| named(0))?;
            let sides = [0, 1].map(|side| {
                phase(side).map(|(_, phase)| PhaseAmounts {
                    calls: phase.calls,
                    cost: phase.cost,
                })
            });
            Some(PhasePair { name, depth, sides })
        };
        Ok(Some(
            pairs_of(&sides).into_iter().filter_map(pair).collect(),
        ))
    }
}

/// The phases of a run, and by function the row that it is of in the comparison.
struct Side<'a> {
    phases: &'a Phases,
    row_of: &'a [u32],
}

/// Phases of one callee among siblings that are alike.
struct Class {
    /// The rows of the functions of its first member, in order.
    rows: Vec<u32>,
    members: Vec<u32>,
}

impl Side<'_> {
    fn get(&self, index: u32) -> Option<&Phase> {
        self.phases.phases.get(index as usize)
    }

    fn row(&self, function: usize) -> u32 {
        self.row_of.get(function).copied().unwrap_or(u32::MAX)
    }

    /// The phases that no phase encloses, thread by thread.
    fn outermost(&self) -> Vec<u32> {
        let roots = (0..self.phases.roots.len()).map(Parent::Root);
        roots.flat_map(|root| self.phases.children(root)).collect()
    }

    /// Those right below one.
    fn below(&self, phase: Option<u32>) -> Vec<u32> {
        let phase = phase.map(Parent::Phase);
        phase.map_or_else(Vec::new, |phase| self.phases.children(phase).collect())
    }

    /// The classes of siblings by the row of their callee, in order of first member.
    fn classes(&self, siblings: &[u32]) -> BTreeMap<u32, Vec<Class>> {
        let mut classes: BTreeMap<u32, Vec<Class>> = BTreeMap::new();
        let mut known: HashMap<(ThreadId, u32), (u32, usize)> = HashMap::new();
        for &index in siblings {
            let Some(phase) = self.get(index) else {
                continue;
            };
            let place = known.entry((phase.thread, phase.class)).or_insert_with(|| {
                let row = self.row(phase.function.index());
                let functions = self.phases.functions(phase).iter();
                let mut rows: Vec<u32> = functions.map(|&it| self.row(it as usize)).collect();
                rows.sort_unstable();
                rows.dedup();
                let of_row = classes.entry(row).or_default();
                of_row.push(Class {
                    rows,
                    members: Vec::new(),
                });
                (row, of_row.len() - 1)
            });
            if let Some(of_row) = classes.get_mut(&place.0) {
                of_row[place.1].members.push(index);
            }
        }
        classes
    }
}

/// Which class of B each class of A is, of one callee: first those in which the same functions run, then in order.
fn same_classes(a: &[Class], b: &[Class]) -> Vec<Option<usize>> {
    let mut by_rows: HashMap<&[u32], VecDeque<usize>> = HashMap::new();
    for (number, class) in b.iter().enumerate() {
        by_rows.entry(&class.rows).or_default().push_back(number);
    }
    let equal = |class: &Class| by_rows.get_mut(class.rows.as_slice())?.pop_front();
    let mut same: Vec<Option<usize>> = a.iter().map(equal).collect();
    let mut is_left = vec![true; b.len()];
    for &number in same.iter().flatten() {
        is_left[number] = false;
    }
    let mut left = (0..b.len()).filter(|&number| is_left[number]);
    for of in same.iter_mut().filter(|of| of.is_none()) {
        *of = left.next();
    }
    same
}

/// Siblings of A and of B, each with the one that it is; in the order of A, then what only B has.
fn pair_siblings(sides: &[Side<'_>; 2], of: [&[u32]; 2]) -> Vec<[Option<u32>; 2]> {
    let classes = [0, 1].map(|side| sides[side].classes(of[side]));
    let mut other: HashMap<u32, u32> = HashMap::new();
    for (row, of_a) in &classes[0] {
        let of_b = classes[1].get(row).map_or(&[][..], Vec::as_slice);
        for (class, same) in of_a.iter().zip(same_classes(of_a, of_b)) {
            let Some(same) = same.and_then(|number| of_b.get(number)) else {
                continue;
            };
            other.extend(std::iter::zip(&class.members, &same.members));
        }
    }
    let mut is_paired: Vec<u32> = other.values().copied().collect();
    is_paired.sort_unstable();
    let of_a = of[0].iter().map(|&a| [Some(a), other.get(&a).copied()]);
    let of_b = of[1].iter();
    let alone = of_b.filter(|b| is_paired.binary_search(b).is_err());
    of_a.chain(alone.map(|&b| [None, Some(b)])).collect()
}

/// The phases of A and of B as [`Comparison::phases`] pairs them, by function of each the row of the comparison; in the
/// order of A, what only B has behind its siblings.
pub fn paired(sides: [(&Phases, &[u32]); 2]) -> Vec<[Option<u32>; 2]> {
    pairs_of(&sides.map(|(phases, row_of)| Side { phases, row_of }))
}

/// All phases of both, paired, those below a pair right behind it. O(phases, and functions of the first of each class).
fn pairs_of(sides: &[Side<'_>; 2]) -> Vec<[Option<u32>; 2]> {
    let mut pairs = Vec::new();
    let outermost = sides.each_ref().map(Side::outermost);
    // The next one last.
    let mut open = pair_siblings(sides, [&outermost[0], &outermost[1]]);
    open.reverse();
    while let Some(pair) = open.pop() {
        pairs.push(pair);
        let below = [0, 1].map(|side| sides[side].below(pair[side]));
        let of_pair = pair_siblings(sides, [&below[0], &below[1]]);
        open.extend(of_pair.into_iter().rev());
    }
    pairs
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::phases::{Wish, phases};
    use callscape_facts::trace::Trace;
    use callscape_facts::trace::random::{Shape, random_numbers, random_trace};

    fn found(trace: &Trace, similarity: f64) -> Phases {
        let wish = Wish {
            calls: Some(2),
            cost: Some(Cost::from_ns(50)),
            similarity,
            ..Wish::of(trace.thread_ids().collect())
        };
        phases(trace, &wish, &Progress::new()).expect("not cancelled")
    }

    fn shape(seed: u64) -> Shape {
        Shape {
            threads: 3,
            functions: 1 + seed % 6,
            events: 200,
            deepest: 7,
            step: 0..9,
        }
    }

    /// The class that a phase is of among its siblings, and its number in it, from the definition: by looking at all.
    fn place(side: &Side<'_>, siblings: &[u32], index: u32) -> (Vec<u32>, usize, usize) {
        let phases = &side.phases.phases;
        let class = |index: u32| {
            let phase = &phases[index as usize];
            (phase.thread, phase.class)
        };
        let callee = |index: u32| side.row(phases[index as usize].function.index());
        let first = |index: u32| {
            *siblings
                .iter()
                .find(|&&it| class(it) == class(index))
                .unwrap()
        };
        let rows = |index: u32| -> Vec<u32> {
            let functions = side.phases.functions(&phases[index as usize]).iter();
            let rows: BTreeSet<u32> = functions.map(|&it| side.row(it as usize)).collect();
            rows.into_iter().collect()
        };
        let own = first(index);
        // Among the classes of its callee before it, those with the same functions.
        let before = siblings.iter().take_while(|&&it| it != own);
        let founders = before.filter(|&&it| first(it) == it && callee(it) == callee(own));
        let equal = founders.filter(|&&it| rows(it) == rows(own)).count();
        let members = siblings.iter().filter(|&&it| class(it) == class(index));
        let number = members.take_while(|&&it| it != index).count();
        (rows(own), equal, number)
    }

    #[test]
    fn every_phase_stands_once_and_pairs_keep_callee_nesting_and_order() {
        let mut pairs_seen = 0;
        for seed in 0..120 {
            let mut below = random_numbers(seed);
            let traces = [seed, seed + below(3)].map(|seed| random_trace(seed, &shape(seed)));
            let found = traces
                .each_ref()
                .map(|it| found(it, [0.0, 0.5, 1.0][seed as usize % 3]));
            // Two functions of B may be each other's.
            let of_b = [[0, 1, 2, 3, 4, 5], [1, 0, 2, 3, 4, 5]][seed as usize % 2];
            let row_of = [(0..6).collect::<Vec<u32>>(), of_b.to_vec()];
            let sides = [0, 1].map(|side| Side {
                phases: &found[side],
                row_of: &row_of[side],
            });
            let pairs = pairs_of(&sides);
            let of_side = |side: usize| pairs.iter().filter_map(move |pair| pair[side]);
            for side in [0, 1] {
                let mut seen: Vec<u32> = of_side(side).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..found[side].phases.len() as u32));
            }
            assert!(of_side(0).is_sorted(), "in the order of A");
            let other: HashMap<u32, u32> =
                pairs.iter().filter_map(|&[a, b]| Some((a?, b?))).collect();
            pairs_seen += other.len();
            for (&a, &b) in &other {
                let [of_a, of_b] = [(0, a), (1, b)].map(|(side, it)| sides[side].get(it).unwrap());
                let callee = |side: usize, of: &Phase| sides[side].row(of.function.index());
                assert_eq!(callee(0, of_a), callee(1, of_b));
                let parent = of_a.parent.map(|it| other.get(&it).copied());
                assert_eq!(parent, of_b.parent.map(Some), "seed {seed}");
                let siblings = [(0, of_a), (1, of_b)].map(|(side, of)| match of.parent {
                    None => sides[side].outermost(),
                    parent => sides[side].below(parent),
                });
                let [(_, _, x), (_, _, y)] =
                    [(0, a), (1, b)].map(|(side, it)| place(&sides[side], &siblings[side], it));
                assert_eq!(x, y, "the same number in its class, seed {seed}");
            }
            // What is the same class by its functions, and has as many members, is never left alone.
            for &[a, b] in &pairs {
                let (Some(a), None) = (a, b) else { continue };
                let phase = sides[0].get(a).unwrap();
                let parent = phase.parent.map(|it| other.get(&it).copied());
                let siblings_b = match parent {
                    None => sides[1].outermost(),
                    Some(None) => continue,
                    Some(parent) => sides[1].below(parent),
                };
                let siblings_a = match phase.parent {
                    None => sides[0].outermost(),
                    parent => sides[0].below(parent),
                };
                let own = place(&sides[0], &siblings_a, a);
                let row = sides[0].row(phase.function.index());
                for &b in &siblings_b {
                    let is_callee = sides[1].row(sides[1].get(b).unwrap().function.index()) == row;
                    let same = is_callee && place(&sides[1], &siblings_b, b) == own;
                    assert!(!same, "seed {seed}: {a} of A is {b} of B");
                }
            }
        }
        assert!(pairs_seen > 250, "{pairs_seen}");
    }

    #[test]
    fn a_run_is_paired_with_itself() {
        for seed in 0..40 {
            let trace = random_trace(seed, &shape(seed));
            let found = found(&trace, 0.5);
            let row_of: Vec<u32> = (0..6).collect();
            let side = || Side {
                phases: &found,
                row_of: &row_of,
            };
            let pairs = pairs_of(&[side(), side()]);
            assert!(pairs.iter().all(|[a, b]| a == b), "seed {seed}");
            assert_eq!(pairs.len(), found.phases.len());
        }
    }
}
