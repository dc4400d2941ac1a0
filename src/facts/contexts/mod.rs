//! The calling context tree: call trees merged by call path, with weights and, where known, calls of each
//! context.
//!
//! Contexts stand in preorder: those below context *i* are the contexts *i*+1 … `subtree(i).end` - 1. The
//! children of one stand in order of their first appearance in the input.

mod builder;
mod merged;
mod preorder;
mod relations;
#[cfg(test)]
mod tests;
mod ways;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use crate::trace::FunctionMetrics;
pub(crate) use builder::cut;
pub use builder::{ContextsBuilder, NodeId};
use callscape_base::units::{ContextId, Cost, FunctionId};
pub use merged::Merge;
pub use preorder::{ContextColumns, NoTree};

/// Stands for no parent.
const NONE: u32 = u32::MAX;

/// A calling context tree, or several side by side: a context without parent is an outermost call.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    functions: Vec<FunctionId>,
    /// [`NONE`] of the outermost ones; less than the context itself.
    parents: Vec<u32>,
    /// One past the last context below.
    ends: Vec<u32>,
    /// Empty where calls are not known.
    calls: Vec<u64>,
    /// Contexts that weigh something themselves, in order.
    weighted: Vec<ContextId>,
    /// By value, what each of these weighs.
    weights: Vec<Vec<i64>>,
    /// By value, made when first asked for: the sum of the self weights of all contexts before one; one
    /// entry more than contexts. What a subtree weighs is a difference of two.
    before: Vec<OnceLock<Vec<i64>>>,
    max_depth: u32,
}

impl Contexts {
    /// The number of contexts.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Bytes that it takes, with the sums that have been asked for.
    pub fn bytes(&self) -> usize {
        let sums = self.before.iter().filter_map(OnceLock::get);
        let columns = self.weights.iter().chain(sums);
        let numbers: usize = columns.map(|it| size_of_val(&**it)).sum();
        numbers
            + size_of_val(&*self.functions)
            + size_of_val(&*self.parents)
            + size_of_val(&*self.ends)
            + size_of_val(&*self.calls)
            + size_of_val(&*self.weighted)
    }

    /// How many values each context weighs.
    pub fn values(&self) -> usize {
        self.weights.len()
    }

    /// Contexts on the longest path.
    pub fn max_depth(&self) -> u32 {
        self.max_depth
    }

    /// The number of calls at each depth, those without a caller first; zeros where calls are not known. O(contexts).
    pub fn calls_by_depth(&self) -> Vec<u64> {
        let mut counts = vec![0; self.max_depth as usize];
        let mut depths: Vec<u32> = Vec::with_capacity(self.len());
        for id in self.ids() {
            let depth = self.parent(id).map_or(0, |it| depths[it.index()] + 1);
            depths.push(depth);
            counts[depth as usize] += self.calls(id).unwrap_or_default();
        }
        counts
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = ContextId> + use<> {
        (0..self.functions.len() as u32).map(ContextId)
    }

    pub fn function(&self, context: ContextId) -> FunctionId {
        self.functions[context.index()]
    }

    /// None of an outermost context.
    pub fn parent(&self, context: ContextId) -> Option<ContextId> {
        let parent = self.parents[context.index()];
        (parent != NONE).then_some(ContextId(parent))
    }

    /// The ids of a context and of all below it.
    pub fn subtree(&self, context: ContextId) -> Range<u32> {
        context.0..self.ends[context.index()]
    }

    /// By context, one past the last context below it.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// By context what all contexts before it weigh themselves, as lengths and areas show it: nothing of what weighs less
    /// than nothing. One entry more than contexts; what a subtree shows is a difference of two. O(contexts) for the first
    /// time that a value is asked for, and each time with negative weights.
    pub fn shown_before(&self, value: usize) -> Cow<'_, [u64]> {
        match self.negative(value) {
            0 => Cow::Borrowed(bytemuck::cast_slice(self.before(value))),
            _ => self.summed(value, |weight| weight.max(0).unsigned_abs()),
        }
    }

    /// The same with the sizes of all weights, whatever their signs: whether there is anything in a subtree, whose weights
    /// may add up to nothing.
    pub fn sizes_before(&self, value: usize) -> Cow<'_, [u64]> {
        match self.negative(value) {
            0 => Cow::Borrowed(bytemuck::cast_slice(self.before(value))),
            _ => self.summed(value, i64::unsigned_abs),
        }
    }

    /// By context how many contexts before it weigh less than nothing, with nothing below them that weighs more: lengths
    /// and areas do not show them. One entry more than contexts, and empty without negative weights. O(contexts) with them.
    pub fn negative_before(&self, value: usize) -> Vec<u32> {
        if self.negative(value) == 0 {
            return Vec::new();
        }
        let [shown, sizes] = [self.shown_before(value), self.sizes_before(value)];
        let is_negative = |it: ContextId| {
            let below = self.subtree(it);
            let [start, end] = [below.start as usize, below.end as usize];
            shown[start] == shown[end] && sizes[start] < sizes[end]
        };
        let counts = self.ids().scan(0, |count, it| {
            *count += u32::from(is_negative(it));
            Some(*count)
        });
        std::iter::once(0).chain(counts).collect()
    }

    fn summed(&self, value: usize, part: fn(i64) -> u64) -> Cow<'_, [u64]> {
        let weights = self.before(value).windows(2).map(|it| part(it[1] - it[0]));
        let sums = weights.scan(0, |sum, part| {
            *sum += part;
            Some(*sum)
        });
        std::iter::once(0).chain(sums).collect()
    }

    /// The direct children of a context, of none the outermost contexts. O(their number).
    pub fn children(&self, context: Option<ContextId>) -> impl Iterator<Item = ContextId> + '_ {
        let within = match context {
            Some(context) => context.0 + 1..self.ends[context.index()],
            None => 0..self.functions.len() as u32,
        };
        let mut next = within.start;
        std::iter::from_fn(move || {
            let child = next;
            (child < within.end).then(|| {
                next = self.ends[child as usize];
                ContextId(child)
            })
        })
    }

    /// How often the context was called; none where that is not known.
    pub fn calls(&self, context: ContextId) -> Option<u64> {
        self.calls.get(context.index()).copied()
    }

    /// Whether the calls are known.
    pub fn counts_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    fn before(&self, value: usize) -> &[i64] {
        self.before[value].get_or_init(|| {
            let mut before = vec![0; self.len() + 1];
            for (context, &weight) in self.weighted.iter().zip(&self.weights[value]) {
                before[context.index() + 1] = weight;
            }
            let mut sum = 0_i64;
            for entry in &mut before {
                // What builds the tree sees to it that everything together fits.
                sum = sum.saturating_add(*entry);
                *entry = sum;
            }
            before
        })
    }

    /// The weight of the context itself. `value` is less than [`values`](Self::values), as below. O(1), as
    /// [`total`](Self::total), but for the first time that a value is asked for.
    pub fn self_weight(&self, value: usize, context: ContextId) -> Cost {
        let before = self.before(value);
        Cost::signed(before[context.index() + 1] - before[context.index()])
    }

    /// The weight of the context and of all below it.
    pub fn total(&self, value: usize, context: ContextId) -> Cost {
        let before = self.before(value);
        let end = self.ends[context.index()] as usize;
        Cost::signed(before[end] - before[context.index()])
    }

    /// What all contexts weigh together.
    pub fn weight(&self, value: usize) -> Cost {
        self.weights[value].iter().map(|&it| Cost::signed(it)).sum()
    }

    /// How many contexts weigh less than nothing themselves.
    pub fn negative(&self, value: usize) -> u64 {
        let weights = self.weights[value].iter();
        weights.filter(|weight| **weight < 0).count() as u64
    }

    /// Calls of each of `functions` functions; 0 where they are not known. O(contexts).
    pub fn calls_by_function(&self, functions: usize) -> Vec<u64> {
        let mut sums = vec![0_u64; functions];
        for (function, &calls) in self.functions.iter().zip(&self.calls) {
            let sum = &mut sums[function.index()];
            *sum = sum.saturating_add(calls);
        }
        sums
    }

    /// Calls (0 where not known), total and self weight of each of `functions` functions, indexed by function.
    /// The total of a function is the weight of the contexts in which at least one call of it is open:
    /// recursion counts once. O(contexts).
    pub fn function_metrics(&self, value: usize, functions: usize) -> Vec<FunctionMetrics> {
        #[derive(Clone, Copy, Default)]
        struct Of {
            metrics: FunctionMetrics,
            /// In how many of the open contexts it is called.
            open: u32,
        }
        // By function, in one place: where functions are many, each look at one fetches it from memory.
        let mut of = vec![Of::default(); functions];
        let before = self.before(value);
        let mut path: Vec<u32> = Vec::new();
        for context in self.ids() {
            while let Some(&last) = path.last()
                && self.ends[last as usize] <= context.0
            {
                path.pop();
                of[self.functions[last as usize].index()].open -= 1;
            }
            let (at, end) = (context.index(), self.ends[context.index()]);
            let Of { metrics, open } = &mut of[self.functions[at].index()];
            let calls = self.calls(context).unwrap_or_default();
            metrics.calls = metrics.calls.saturating_add(calls);
            metrics.self_cost += Cost::signed(before[at + 1] - before[at]);
            if *open == 0 {
                metrics.total += Cost::signed(before[end as usize] - before[at]);
            }
            if end > context.0 + 1 {
                path.push(context.0);
                *open += 1;
            }
        }
        of.into_iter().map(|it| it.metrics).collect()
    }
}
