//! Which contexts of a tree that is shown are meant by something that is pointed at or chosen.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::contexts::ShownContexts;
use callscape_base::units::{ContextId, Cost, FunctionId};
use callscape_facts::contexts::Contexts;
use callscape_filter::selection::{Meant, Pointed};
use callscape_state::document::Document;

/// Which contexts are meant by something that is pointed at or chosen.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    /// What is meant, and in which tree: this keeps its place in memory, so that no other tree is taken for it.
    of: Option<(Pointed, Weak<ShownContexts>, Option<Way>)>,
    /// By context, how many of those before it are meant; one entry more than contexts. Empty where none is.
    before: Vec<u32>,
}

/// The rows of the comparison on the way to a context, outermost first.
type Way = Arc<[u32]>;

impl Hits {
    /// Finds the contexts meant, of a way that one alone; O(contexts) where something else is meant than before.
    pub(crate) fn find(
        &mut self,
        document: &Document,
        shown: &Arc<ShownContexts>,
        of: &Pointed,
        way: Option<&Way>,
    ) {
        let of_nothing_else = Pointed { time: None, ..*of };
        if let Some((before, tree, along)) = &self.of
            && *before == of_nothing_else
            && std::ptr::eq(tree.as_ptr(), Arc::as_ptr(shown))
            && along.as_ref() == way
        {
            return;
        }
        self.of = Some((of_nothing_else, Arc::downgrade(shown), way.cloned()));
        self.before.clear();
        let one = way.and_then(|way| on_way(shown, document, way));
        if let Some(one) = one {
            let count = shown.contexts.len() as u32;
            self.before
                .extend((0..=count).map(|it| u32::from(it > one.0)));
            return;
        }
        let meant = document.meant(of);
        if meant.is_nothing() {
            return;
        }
        let contexts = &shown.contexts;
        let functions = document
            .resolved()
            .map_or(0, |it| it.recording.functions.len());
        let callee = by_function(functions, |it| is_end(document, &meant, of, it, 1));
        let caller = by_function(functions, |it| is_end(document, &meant, of, it, 0));
        let mut count = 0;
        self.before.reserve(contexts.len() + 1);
        self.before.push(0);
        for context in contexts.ids() {
            let mut is_hit = callee[contexts.function(context).index()];
            if is_hit && of.relation.is_some() {
                let parent = contexts.parent(context);
                is_hit = parent.is_some_and(|it| caller[contexts.function(it).index()]);
            }
            count += u32::from(is_hit);
            self.before.push(count);
        }
        if count == 0 {
            self.before.clear();
        }
    }

    /// Finds those of what is pointed at and of what is chosen.
    pub(crate) fn find_both(both: &mut [Hits; 2], document: &Document, shown: &Arc<ShownContexts>) {
        let selection = &document.selection;
        let of = [&selection.pointed, &selection.chosen];
        let ways = [None, document.chosen_way()];
        for ((hits, of), way) in both.iter_mut().zip(of).zip(ways) {
            hits.find(document, shown, of, way);
        }
    }

    /// How many contexts are meant.
    pub(crate) fn count(&self) -> u32 {
        self.before.last().copied().unwrap_or_default()
    }

    /// Whether a context is meant.
    pub(crate) fn holds(&self, context: ContextId) -> bool {
        self.within(context.0..context.0 + 1)
    }

    /// Whether one of a range of contexts is.
    pub(crate) fn within(&self, range: std::ops::Range<u32>) -> bool {
        let at = |it: u32| self.before.get(it as usize).copied().unwrap_or_default();
        at(range.end) > at(range.start)
    }

    /// The one with the largest total. O(contexts).
    pub(crate) fn largest(&self, shown: &ShownContexts) -> Option<ContextId> {
        if self.before.is_empty() {
            return None;
        }
        let hits = shown.contexts.ids().filter(|&it| self.holds(it));
        hits.max_by_key(|&it| (shown.total(it), std::cmp::Reverse(it)))
    }
}

/// The context at the end of a way through the trees of both runs merged over recursion: the one with the largest total of
/// those that are merged there; where the run that is shown has none, that of the last on the way that it has. O(contexts).
fn on_way(shown: &ShownContexts, document: &Document, way: &[u32]) -> Option<ContextId> {
    let runs = document.runs.as_ref()?;
    let places: HashMap<u32, u32> = way.iter().copied().zip(0..).collect();
    let functions = document.resolved()?.recording.functions.len();
    // By function its place on the way.
    let places: Vec<Option<u32>> = (0..functions as u32)
        .map(|function| places.get(&runs.row(FunctionId(function))?).copied())
        .collect();
    let place = |function: FunctionId| places.get(function.index()).copied().flatten();
    end_of_way(&shown.contexts, place, |it| shown.total(it))
}

/// The same by the place of each function on the way.
fn end_of_way(
    contexts: &Contexts,
    place: impl Fn(FunctionId) -> Option<u32>,
    total: impl Fn(ContextId) -> Cost,
) -> Option<ContextId> {
    let place = |context| place(contexts.function(context));
    if contexts.max_depth() <= 1 {
        // By function there are no ways.
        let all = contexts.ids().filter_map(|it| Some((place(it)?, it)));
        return all.max_by_key(|it| it.0).map(|(_, context)| context);
    }
    let mut steps: Vec<Step> = Vec::with_capacity(contexts.len());
    let mut found: Option<(u32, Cost, ContextId)> = None;
    for context in contexts.ids() {
        let around = contexts.parent(context).map(|it| steps[it.index()]);
        let step = around.unwrap_or_default().to(place(context));
        steps.push(step);
        let is_further =
            |(taken, most, _): (u32, Cost, _)| (step.taken, total(context)) > (taken, most);
        if step.is_on_way && found.is_none_or(is_further) {
            found = Some((step.taken, total(context), context));
        }
    }
    found.map(|(.., context)| context)
}

/// How far along a way one is, where what calls itself again is where it was before.
#[derive(Clone, Copy)]
struct Step {
    taken: u32,
    is_on_way: bool,
}

impl Default for Step {
    fn default() -> Step {
        Step {
            taken: 0,
            is_on_way: true,
        }
    }
}

impl Step {
    /// After a call of a function that stands at a place of the way.
    fn to(self, place: Option<u32>) -> Step {
        match place {
            Some(place) if place < self.taken => Step {
                taken: place + 1,
                is_on_way: true,
            },
            Some(place) if place == self.taken && self.is_on_way => Step {
                taken: place + 1,
                is_on_way: true,
            },
            _ => Step {
                is_on_way: false,
                ..self
            },
        }
    }
}

/// By function, whether something holds of it.
fn by_function(functions: usize, holds: impl Fn(FunctionId) -> bool) -> Vec<bool> {
    (0..functions as u32)
        .map(|it| holds(FunctionId(it)))
        .collect()
}

/// Whether a function is the caller (0) or the callee (1) of the relation meant; without one, whether it is meant.
fn is_end(
    document: &Document,
    meant: &Meant<'_>,
    of: &Pointed,
    function: FunctionId,
    end: usize,
) -> bool {
    match of.relation {
        Some((from, to)) => {
            let outer = [from, to][end];
            let module = document.module_of(function);
            module.is_some_and(|it| document.session.hierarchy.contains(outer, it))
        }
        None => meant.holds_function(function),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::progress::Progress;
    use callscape_facts::trace::random::{Shape, random_trace};

    #[test]
    fn a_way_ends_where_merging_recursion_leads() {
        let (mut whole, mut parts) = (0, 0);
        for seed in 0..60_u64 {
            let shape = Shape {
                threads: 2,
                functions: 2 + seed % 4,
                events: 160,
                deepest: 9,
                step: 1..9,
            };
            let trace = random_trace(seed, &shape);
            let contexts =
                callscape_analysis::contexts::of_trace(&trace, trace.range(), &Progress::new());
            let contexts = contexts.expect("not cancelled");
            let total = |it: ContextId| contexts.total(0, it);
            // By context the path that merging recursion (figure 8 of CCRC) makes of its own.
            let mut merged: Vec<Vec<FunctionId>> = Vec::new();
            for context in contexts.ids() {
                let around = contexts.parent(context);
                let mut path = around.map_or_else(Vec::new, |it| merged[it.index()].clone());
                let function = contexts.function(context);
                match path.iter().position(|it| *it == function) {
                    Some(at) => path.truncate(at + 1),
                    None => path.push(function),
                }
                merged.push(path);
            }
            for of in contexts.ids() {
                // One more function that nothing has makes the last on the way the end.
                let mut way = merged[of.index()].clone();
                if of.0 % 3 == 0 {
                    way.push(FunctionId(99));
                }
                let place = |it: FunctionId| Some(way.iter().position(|at| *at == it)? as u32);
                let found = end_of_way(&contexts, place, total).expect("one is on the way");
                let path = &merged[found.index()];
                assert_eq!(*path, merged[of.index()], "seed {seed}");
                let all = contexts.ids().filter(|it| merged[it.index()] == *path);
                let most = all.map(total).max().expect("itself");
                assert_eq!(total(found), most, "seed {seed}");
                whole += usize::from(way.len() == path.len());
                parts += usize::from(way.len() > path.len());
            }
        }
        assert!(whole > 500 && parts > 200, "{whole} and {parts}");
    }
}
