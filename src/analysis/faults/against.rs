//! What a run of the earlier revision says of changed functions: which part of the difference arises in them, whether they call
//! others as before, and how near to the first difference they ran.

use std::collections::{HashMap, HashSet};

use super::Fault;
use super::first_difference::{self, Before, FirstDifference};
use crate::comparison::Comparison;
use crate::comparison::causes::{Cause, Kind};
use callscape_base::progress::{Cancelled, Progress};

/// What the comparison of two runs says of each fault.
pub(super) struct Against<'a> {
    comparison: &'a Comparison,
    /// By fault, the rows of its functions in the comparison.
    rows: Vec<HashSet<u32>>,
    causes: Vec<Cause>,
    /// What all causes explain, whichever way.
    explained: f64,
    pub first: Option<FirstDifference>,
    /// Both runs were compared call by call.
    pub is_compared: bool,
    before: HashMap<u32, Before>,
    /// By row, what it calls: callee and calls, in A and B.
    calls: HashMap<u32, HashMap<u32, [f64; 2]>>,
    counts_calls: bool,
}

/// A part of the difference, and what it is.
pub(super) struct Explains {
    /// From 0 to 1.
    pub share: f64,
    pub kind: Kind,
    pub of: String,
}

/// How differently a function calls others.
pub(super) struct Behaviour {
    /// From 0, as before, to 1, nothing as before.
    pub difference: f64,
    /// The callee that differs most, and how often it is called by one call of the function, in A and B.
    pub callee: String,
    pub per_call: [f64; 2],
}

impl<'a> Against<'a> {
    pub(super) fn new(
        comparison: &'a Comparison,
        faults: &[Fault],
        progress: &Progress,
    ) -> Result<Against<'a>, Cancelled> {
        let causes = comparison.causes(progress)?;
        let of_b = comparison.row_of.get(comparison.runs[0]);
        let rows_of = |fault: &Fault| -> HashSet<u32> {
            let rows = fault.functions.iter();
            rows.filter_map(|it| of_b?.get(it.index()).copied())
                .collect()
        };
        let rows: Vec<HashSet<u32>> = faults.iter().map(rows_of).collect();
        let all: HashSet<u32> = rows.iter().flatten().copied().collect();
        let (first, before) = first_difference::find(comparison, &all, progress)?
            .map_or((None, HashMap::new()), |(first, before)| {
                (Some(first), before)
            });
        let mut calls: HashMap<u32, HashMap<u32, [f64; 2]>> = HashMap::new();
        for (place, resolved) in comparison.session.recordings.iter().enumerate() {
            let side = usize::from(place >= comparison.runs[0]);
            let row = |function: usize| comparison.row_of[place].get(function).copied();
            for relation in resolved.recording.relations(None) {
                if let (Some(caller), Some(callee)) =
                    (row(relation.caller.index()), row(relation.callee.index()))
                    && all.contains(&caller)
                {
                    let of = calls.entry(caller).or_default().entry(callee).or_default();
                    of[side] += relation.calls as f64;
                }
            }
        }
        let is_compared = first_difference::can_compare(comparison);
        let explained = causes.causes.iter().map(|it| it.explains.abs()).sum();
        Ok(Against {
            comparison,
            rows,
            explained,
            is_compared,
            counts_calls: causes.counts_calls,
            causes: causes.causes,
            first,
            before,
            calls,
        })
    }

    /// Which part of the difference arises in a fault, or below it: where something is called more or less often the function
    /// that calls it has it, where own time differs the function itself, and those further out less and less.
    pub(super) fn explains(&self, fault: usize) -> Option<Explains> {
        let rows = self.rows.get(fault)?;
        let mut sum = 0.0;
        let mut largest: Option<(f64, &Cause)> = None;
        for cause in &self.causes {
            let path = &cause.path;
            let own = path.len().checked_sub(1)?;
            let is_called = !matches!(cause.kind, Kind::OwnTime | Kind::Waiting);
            let weight = |at: usize| match (is_called, own - at) {
                (true, 0) => 0.6,
                (true, out) => 0.5_f64.powi(out as i32 - 1),
                (false, out) => 0.5_f64.powi(out as i32),
            };
            let weights = path
                .iter()
                .enumerate()
                .filter(|(_, row)| rows.contains(row));
            let most = weights.map(|(at, _)| weight(at)).fold(0.0, f64::max);
            let part = most * cause.explains.abs() / self.explained.max(f64::MIN_POSITIVE);
            sum += part;
            if part > 0.0 && largest.is_none_or(|(known, _)| part > known) {
                largest = Some((part, cause));
            }
        }
        let (_, cause) = largest?;
        Some(Explains {
            share: sum.min(1.0),
            kind: cause.kind,
            of: self.comparison.function(cause.row()).name.to_owned(),
        })
    }

    /// Whether a fault calls others as it did; none where calls are not counted, or it has not run before.
    pub(super) fn behaviour(&self, fault: usize) -> Option<Behaviour> {
        let rows = self.rows.get(fault).filter(|_| self.counts_calls)?;
        let mut of = [0.0; 2];
        let mut callees: HashMap<u32, [f64; 2]> = HashMap::new();
        for row in rows {
            for side in [0, 1] {
                of[side] += self.calls_of(*row, side);
            }
            for (&callee, counts) in self.calls.get(row).into_iter().flatten() {
                let sum = callees.entry(callee).or_default();
                sum[0] += counts[0];
                sum[1] += counts[1];
            }
        }
        if of.contains(&0.0) {
            return None;
        }
        let (mut differing, mut all) = (0.0, 0.0);
        let mut most: Option<(f64, u32, [f64; 2])> = None;
        for (callee, counts) in callees {
            let per_call = [counts[0] / of[0], counts[1] / of[1]];
            let delta = (per_call[1] - per_call[0]).abs();
            differing += delta;
            all += per_call[0].max(per_call[1]);
            if delta > 1e-9 && most.is_none_or(|(known, row, _)| (delta, row) > (known, callee)) {
                most = Some((delta, callee, per_call));
            }
        }
        let (_, callee, per_call) = most?;
        Some(Behaviour {
            difference: differing / all,
            callee: self.comparison.function(callee).name.to_owned(),
            per_call,
        })
    }

    fn calls_of(&self, row: u32, side: usize) -> f64 {
        let recordings = self.comparison.recordings(side);
        let first = if side == 0 {
            0
        } else {
            self.comparison.runs[0]
        };
        let mut calls = 0.0;
        for (at, resolved) in recordings.iter().enumerate() {
            let metrics = resolved.recording.function_metrics(None);
            let rows = &self.comparison.row_of[first + at];
            let own = rows.iter().zip(&metrics).filter(|(it, _)| **it == row);
            calls += own.map(|(_, it)| it.calls as f64).sum::<f64>();
        }
        calls
    }

    /// How a fault ran before the first difference; none where there is none, or it had not run by then.
    pub(super) fn before(&self, fault: usize) -> Option<Before> {
        let rows = self.rows.get(fault)?;
        let all = rows.iter().filter_map(|row| self.before.get(row).copied());
        all.max_by(|a, b| a.weight().total_cmp(&b.weight()))
    }
}
