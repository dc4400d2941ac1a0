//! What tells two phases apart: the functions that only one of them has; and the phases of two runs, pruned alike.

use super::{Phases, Pruning, Wish};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::FunctionId;
use callscape_facts::trace::{Trace, Within};

/// Two phases of one run, by the functions active in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Those of the first alone and those of the second alone, in order.
    pub only: [Vec<FunctionId>; 2],
    /// How many are active in both.
    pub both: usize,
}

impl Phases {
    /// Which functions only one of two phases has; none where there are no such phases. O(functions of both).
    pub fn apart(&self, a: u32, b: u32) -> Option<Apart> {
        let phase = |index: u32| self.phases.get(index as usize);
        let [a, b] = [phase(a)?, phase(b)?].map(|phase| self.functions(phase));
        let only = |of: &[u32], other: &[u32]| -> Vec<FunctionId> {
            let is_missing = |function: &&u32| other.binary_search(function).is_err();
            let missing = of.iter().filter(is_missing);
            missing.map(|&function| FunctionId(function)).collect()
        };
        let only = [only(a, b), only(b, a)];
        let both = a.len() - only[0].len();
        Some(Apart { only, both })
    }
}

/// Which functions only one of two sets has, each of a run of its own; `row` says by side which function of both runs one
/// is, and those that are none of both are alone. O(n log n).
pub fn apart_in_two_runs(of: [&[u32]; 2], row: impl Fn(usize, FunctionId) -> Option<u32>) -> Apart {
    let rows = [0, 1].map(|side| {
        let rows = of[side].iter().filter_map(|&it| row(side, FunctionId(it)));
        let mut rows: Vec<u32> = rows.collect();
        rows.sort_unstable();
        rows
    });
    let only = [0, 1].map(|side| {
        let is_alone = |&function: &FunctionId| {
            let row = row(side, function);
            row.is_none_or(|row| rows[1 - side].binary_search(&row).is_err())
        };
        let functions = of[side].iter().map(|&it| FunctionId(it));
        functions.filter(is_alone).collect::<Vec<FunctionId>>()
    });
    let both = of[0].len() - only[0].len();
    Apart { only, both }
}

/// The phases of two runs, or of what of each is within a range, pruned alike: as the run with fewer phases would be by itself.
///
/// # Errors
/// When it is cancelled.
pub fn of_both(
    runs: [(&Trace, Within); 2],
    progress: &Progress,
) -> Result<[(Phases, Pruning); 2], Cancelled> {
    let open = runs.map(|(trace, within)| Wish {
        within,
        ..Wish::of(trace.thread_ids().collect())
    });
    let prune = |side: usize, wish: &Wish| Pruning::new(runs[side].0, wish, progress);
    let own = [prune(0, &open[0])?, prune(1, &open[1])?];
    let heavy = [0, 1].map(|side| own[side].parameters(&open[side]).heavy);
    let alike = open.map(|wish| Wish {
        calls: Some(heavy[0].triggered.max(heavy[1].triggered)),
        cost: Some(heavy[0].cost.max(heavy[1].cost)),
        ..wish
    });
    let find = |side: usize, pruning: Pruning| {
        let parameters = pruning.parameters(&alike[side]);
        let pruning = match pruning.reaches(&parameters.heavy) {
            true => pruning,
            false => prune(side, &alike[side])?,
        };
        Ok((pruning.phases(parameters), pruning))
    };
    let [a, b] = own;
    Ok([find(0, a)?, find(1, b)?])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::phases;
    use super::*;
    use callscape_base::units::Cost;
    use callscape_facts::trace::random::{Shape, random_trace};

    fn shape(seed: u64) -> Shape {
        Shape {
            threads: 2,
            functions: 2 + seed % 9,
            events: 120,
            deepest: 6,
            step: 0..9,
        }
    }

    #[test]
    fn functions_of_one_phase_alone_are_those_of_the_definition() {
        let progress = Progress::new();
        let mut apart = 0;
        for seed in 0..40 {
            let trace = random_trace(seed, &shape(seed));
            let wish = Wish {
                calls: Some(2),
                cost: Some(Cost::from_ns(40)),
                ..Wish::of(trace.thread_ids().collect())
            };
            let found = phases(&trace, &wish, &progress).expect("not cancelled");
            // Every call from a phase's own to its last one is in it.
            let functions = |index: usize| -> BTreeSet<u32> {
                let phase = &found.phases[index];
                let calls = (phase.call.0..=phase.last.0).map(callscape_base::units::CallId);
                let function = |call| trace.call(phase.thread, call).function.0;
                calls.map(function).collect()
            };
            let count = found.phases.len();
            for (a, b) in (0..count).flat_map(|a| (0..count.min(12)).map(move |b| (a, b))) {
                let is = found.apart(a as u32, b as u32).expect("two phases");
                let sets = [functions(a), functions(b)];
                let only = |side: usize| -> Vec<FunctionId> {
                    let of = sets[side].difference(&sets[1 - side]);
                    of.map(|&id| FunctionId(id)).collect()
                };
                let expected = Apart {
                    only: [only(0), only(1)],
                    both: sets[0].intersection(&sets[1]).count(),
                };
                assert_eq!(is, expected, "seed {seed}, {a} and {b}");
                // The same of two runs, of which one numbers its functions the other way round.
                let phase = |index: usize| found.functions(&found.phases[index]);
                let mut turned: Vec<u32> = phase(b).iter().map(|it| 100 - it).collect();
                turned.sort_unstable();
                let row = |side: usize, it: FunctionId| Some([it.0, 100 - it.0.min(100)][side]);
                let in_two = apart_in_two_runs([phase(a), &turned], row);
                let mut back: Vec<_> = in_two.only[1].iter().map(|it| 100 - it.0).collect();
                back.sort_unstable();
                let alone: Vec<u32> = expected.only[1].iter().map(|it| it.0).collect();
                assert_eq!(back, alone, "seed {seed}, {a} and {b}");
                assert_eq!((&in_two.only[0], in_two.both), (&is.only[0], is.both));
                apart += is.only[0].len();
            }
            assert_eq!(found.apart(0, count as u32), None);
        }
        assert!(apart > 100, "{apart}");
    }

    #[test]
    fn both_runs_are_pruned_by_the_same_thresholds() {
        for seed in 0..20 {
            let traces = [seed, seed + 100].map(|seed| random_trace(seed, &shape(seed)));
            let runs = traces.each_ref().map(|it| (it, Within::default()));
            let found = of_both(runs, &Progress::new()).expect("not cancelled");
            let heavy = found.each_ref().map(|(phases, _)| phases.parameters.heavy);
            assert_eq!(heavy[0], heavy[1]);
            for ((found, _), trace) in found.iter().zip(&traces) {
                let wish = Wish {
                    calls: Some(heavy[0].triggered),
                    cost: Some(heavy[0].cost),
                    ..Wish::of(trace.thread_ids().collect())
                };
                let direct = phases(trace, &wish, &Progress::new()).expect("not cancelled");
                let calls = |of: &Phases| -> Vec<_> {
                    let of = of.phases.iter();
                    of.map(|it| (it.thread, it.call, it.class)).collect()
                };
                assert_eq!(calls(found), calls(&direct), "seed {seed}");
            }
        }
    }
}
