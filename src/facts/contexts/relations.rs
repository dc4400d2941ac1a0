//! What contexts add up to by pairs of functions.

use std::ops::Range;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::{Contexts, NONE};
use crate::trace::Relation;
use callscape_base::units::{ContextId, Cost, FunctionId};

/// Contexts that are added up together, at least.
const PIECE: usize = if cfg!(test) { 4 } else { 1 << 16 };

/// A context in the order of its callers: its function and its number.
type Called = (FunctionId, ContextId);

/// Callers that follow each other, where their calls begin, and these calls.
struct Piece<'a> {
    callers: Range<usize>,
    start: usize,
    calls: &'a mut [Called],
}

impl Contexts {
    /// The call relations between functions, sorted by caller, then callee: calls (0 where not known), the
    /// weight of the callee's contexts with all below them, and their self weight. O(contexts + functions), times the
    /// logarithm of the contexts that one function calls; on several threads.
    pub fn relations(&self, value: usize) -> Vec<Relation> {
        let (mut calls, ends) = self.by_caller();
        let before = self.before(value);
        let pieces = pieces(&mut calls, &ends);
        let of_piece = |piece: Piece<'_>| {
            let mut relations = Vec::new();
            let (mut rest, mut start) = (piece.calls, piece.start);
            for caller in piece.callers {
                let end = ends[caller] as usize;
                let (of_caller, behind) = rest.split_at_mut(end - start);
                (rest, start) = (behind, end);
                of_caller.par_sort_unstable();
                for called in of_caller.chunk_by(|a, b| a.0 == b.0) {
                    relations.push(self.relation(caller, called, before));
                }
            }
            relations
        };
        let found: Vec<Vec<Relation>> = pieces.into_par_iter().map(of_piece).collect();
        // Room before more is taken.
        drop((calls, ends));
        let mut relations = Vec::with_capacity(found.iter().map(Vec::len).sum());
        for of_piece in found {
            relations.extend(of_piece);
        }
        relations
    }

    /// All contexts but the outermost ones, and by function where those called from it end among them.
    fn by_caller(&self) -> (Vec<Called>, Vec<u32>) {
        let functions = self.functions.iter().map(|it| it.index() + 1).max();
        let mut next = vec![0_u32; functions.unwrap_or_default()];
        let callers = || {
            let parents = self.parents.iter().filter(|parent| **parent != NONE);
            parents.map(|&parent| self.functions[parent as usize].index())
        };
        for caller in callers() {
            next[caller] += 1;
        }
        let mut start = 0;
        for next in &mut next {
            start += std::mem::replace(next, start);
        }
        let mut calls = vec![(FunctionId(0), ContextId(0)); start as usize];
        let called = self.ids().filter(|id| self.parents[id.index()] != NONE);
        for (caller, id) in callers().zip(called) {
            calls[next[caller] as usize] = (self.function(id), id);
            next[caller] += 1;
        }
        (calls, next)
    }

    /// The sums of contexts of one function called from another.
    fn relation(&self, caller: usize, called: &[Called], before: &[i64]) -> Relation {
        let mut sum = Relation {
            caller: FunctionId(caller as u32),
            ..Relation::NOTHING
        };
        for &(callee, id) in called {
            let (at, end) = (id.index(), self.ends[id.index()] as usize);
            sum.callee = callee;
            sum.calls = sum.calls.saturating_add(self.calls(id).unwrap_or_default());
            sum.cost += Cost::signed(before[end] - before[at]);
            sum.self_cost += Cost::signed(before[at + 1] - before[at]);
        }
        sum
    }
}

/// Parts of all calls, each of whole callers.
fn pieces<'a>(mut calls: &'a mut [Called], ends: &[u32]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut first, mut start) = (0, 0);
    for (caller, &end) in ends.iter().enumerate() {
        let (end, is_last) = (end as usize, caller + 1 == ends.len());
        if end - start < PIECE && !is_last {
            continue;
        }
        let (of_piece, behind) = calls.split_at_mut(end - start);
        pieces.push(Piece {
            callers: first..caller + 1,
            start,
            calls: of_piece,
        });
        (calls, first, start) = (behind, caller + 1, end);
    }
    pieces
}
