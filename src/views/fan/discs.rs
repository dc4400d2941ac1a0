//! The discs of the fan: which nodes are drawn, where, and where they come from when nodes merge and split.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use glam::Vec2;

use crate::parts::hits::Hits;
use callscape_analysis::compaction::{Change, Compaction, NodeId, Tree};
use callscape_base::units::ContextId;
use callscape_filter::marked::Marked;
use callscape_layout::fan::{self, Place};

/// So many nodes are drawn, those that weigh most: more could not be told apart.
const MOST: usize = 6_000;

/// What weighs less than this share of the heaviest has a disc of less than half a pixel, where that has one of 1000.
const LEAST: f64 = 0.25e-6;

/// A node as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disc {
    pub node: NodeId,
    /// The first of its contexts, by which it is known again.
    pub first: ContextId,
    /// The disc of what calls it.
    pub parent: Option<u32>,
    pub weight: u64,
    /// Whether it calls others, and how many are hidden below it: it is collapsed where there are any.
    pub has_callees: bool,
    pub hidden: u32,
    pub place: Place,
    /// Where it was, and how large, when the way to its place began.
    pub from: (Vec2, f32),
    /// Whether it holds what is pointed at, and what is chosen.
    pub is_marked: [bool; 2],
    /// Whether something is known from elsewhere of a function in it.
    pub has_findings: bool,
}

/// A disc that has merged, on its way into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leaving {
    pub from: (Vec2, f32),
    /// The disc that it is a part of now.
    pub into: u32,
}

/// All that is drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Discs {
    /// Callers before what they call, and what one calls in the order of its first contexts.
    pub all: Vec<Disc>,
    pub leaving: Vec<Leaving>,
    /// The branches that are not shown, by the first contexts of the nodes around them.
    pub collapsed: BTreeSet<ContextId>,
    /// How many nodes are too light to be drawn.
    pub left_out: usize,
    /// How many of them weigh less than nothing.
    pub negative: usize,
    /// The box around all, and that from which it is on its way.
    bounds: [(Vec2, Vec2); 2],
    by_first: HashMap<ContextId, u32>,
    /// How far discs are on their way, 0 to 1.
    pub share: f32,
    /// Whether they are on their way.
    pub is_moving: bool,
    /// When that began, in the window's time; none before it was drawn.
    pub begun: Option<f64>,
    /// Counts changes.
    pub revision: u64,
}

impl Discs {
    /// The discs of a tree that comes from nowhere. `revision` is that of those before.
    pub(super) fn new(
        compaction: &Compaction,
        collapsed: BTreeSet<ContextId>,
        revision: u64,
    ) -> Discs {
        let mut discs = Discs {
            share: 1.0,
            revision: revision + 1,
            collapsed,
            ..Discs::default()
        };
        discs.lay_out(compaction);
        discs.bounds[1] = discs.bounds[0];
        discs
    }

    /// Where a disc is now, and how large.
    pub(super) fn now(&self, disc: &Disc) -> (Vec2, f32) {
        let (at, radius) = disc.from;
        let to = disc.place;
        (
            at.lerp(to.at, self.share),
            radius + (to.radius - radius) * self.share,
        )
    }

    /// Where a disc that has merged is now, and how large.
    pub(super) fn leaving_now(&self, leaving: &Leaving) -> Option<(Vec2, f32)> {
        let into = self.all.get(leaving.into as usize)?;
        let (at, radius) = leaving.from;
        Some((
            at.lerp(into.place.at, self.share),
            radius * (1.0 - self.share),
        ))
    }

    /// The box around all, as it is now; none of nothing.
    pub(super) fn bounds_now(&self) -> Option<(Vec2, Vec2)> {
        let [to, from] = self.bounds;
        let min = from.0.lerp(to.0, self.share);
        let max = from.1.lerp(to.1, self.share);
        (!self.all.is_empty()).then_some((min, max))
    }

    /// The disc of the node whose first context this is.
    pub(super) fn of_first(&self, first: ContextId) -> Option<usize> {
        self.by_first.get(&first).map(|it| *it as usize)
    }

    /// The largest disc that holds what is chosen.
    pub(super) fn largest_chosen(&self) -> Option<usize> {
        let marked = (0..self.all.len()).filter(|&it| self.all[it].is_marked[1]);
        marked.max_by_key(|&it| (self.all[it].weight, Reverse(it)))
    }

    /// Brings the discs to their places.
    pub(super) fn arrive(&mut self) {
        self.share = 1.0;
        self.is_moving = false;
        self.leaving.clear();
    }

    /// After some nodes merged or split.
    pub(super) fn follow(&mut self, compaction: &Compaction, tree: Tree<'_>, change: &Change) {
        let split: HashMap<u32, u32> = change.split.iter().copied().collect();
        let merged: HashMap<u32, u32> = change.merged.iter().copied().collect();
        let came_from = |first: ContextId| split.get(&first.0).map(|it| ContextId(*it));
        let went_to = |first: ContextId| {
            let found = merged.get(&first.0).map(|it| ContextId(*it));
            found.map(|it| compaction.first_context(compaction.node_of(tree, it)))
        };
        self.go_on(compaction, came_from, went_to);
    }

    /// After all nodes did, from how they were `before`.
    pub(super) fn follow_all(
        &mut self,
        before: &Compaction,
        compaction: &Compaction,
        tree: Tree<'_>,
    ) {
        let node_in = |of: &Compaction, first: ContextId| of.first_context(of.node_of(tree, first));
        self.go_on(
            compaction,
            |first| Some(node_in(before, first)),
            |first| Some(node_in(compaction, first)),
        );
    }

    /// Collapses the branch below a node, or opens it again.
    pub(super) fn toggle(&mut self, compaction: &Compaction, first: ContextId) {
        if !self.collapsed.remove(&first) {
            self.collapsed.insert(first);
        }
        self.go_on(compaction, |_| None, |_| Some(first));
    }

    /// Lays out what is there now, and has discs go to it from where they are: also in the middle of a way.
    fn go_on(
        &mut self,
        compaction: &Compaction,
        came_from: impl Fn(ContextId) -> Option<ContextId>,
        went_to: impl Fn(ContextId) -> Option<ContextId>,
    ) {
        let now = |it: &Disc| (it.first, self.now(it));
        let before: HashMap<ContextId, (Vec2, f32)> = self.all.iter().map(now).collect();
        let bounds = self.bounds_now();
        let order: Vec<ContextId> = self.all.iter().map(|it| it.first).collect();
        self.lay_out(compaction);
        for at in 0..self.all.len() {
            let Disc { first, parent, .. } = self.all[at];
            let known = before.get(&first).copied();
            let of = known.or_else(|| before.get(&came_from(first)?).copied());
            // What was too light to be drawn grows where it is called.
            let around = parent.map(|it| self.all[it as usize].from.0);
            let from = of.or(around.map(|it| (it, 0.0)));
            self.all[at].from = from.unwrap_or((self.all[at].place.at, 0.0));
        }
        let gone = order
            .into_iter()
            .filter(|it| !self.by_first.contains_key(it));
        let leaving = gone.filter_map(|first| {
            let into = *self.by_first.get(&went_to(first)?)?;
            let from = *before.get(&first)?;
            Some(Leaving { from, into })
        });
        self.leaving = leaving.collect();
        self.bounds[1] = bounds.unwrap_or(self.bounds[0]);
        self.is_moving = !before.is_empty();
        self.share = if self.is_moving { 0.0 } else { 1.0 };
        self.begun = None;
        self.revision += 1;
    }

    fn lay_out(&mut self, compaction: &Compaction) {
        self.all = chosen(compaction, &self.collapsed);
        let hidden: usize = self.all.iter().map(|it| it.hidden as usize).sum();
        self.left_out = compaction.len() - self.all.len() - hidden;
        let parents: Vec<Option<u32>> = self.all.iter().map(|it| it.parent).collect();
        let weights: Vec<u64> = self.all.iter().map(|it| it.weight).collect();
        let mut places = Vec::new();
        fan::lay_out(&parents, &weights, &mut places);
        for (disc, place) in self.all.iter_mut().zip(&places) {
            disc.place = *place;
            disc.from = (place.at, place.radius);
        }
        self.bounds[0] = fan::bounds(places).unwrap_or_default();
        let by_first = self.all.iter().map(|it| it.first).zip(0..);
        self.by_first = by_first.collect();
    }

    /// Notes which discs hold contexts that are meant. O(contexts) where there are any.
    pub(super) fn mark(&mut self, compaction: &Compaction, tree: Tree<'_>, hits: &[Hits; 2]) {
        for (number, hits) in hits.iter().enumerate() {
            for disc in &mut self.all {
                disc.is_marked[number] = false;
            }
            if hits.count() > 0 {
                let is_meant = |context| hits.holds(context);
                self.each_holding(compaction, tree, is_meant, |it| it.is_marked[number] = true);
            }
        }
    }

    /// Notes which discs hold contexts of functions that are marked for what is known of them from elsewhere.
    /// O(contexts × log functions) where there are any.
    pub(super) fn mark_findings(
        &mut self,
        compaction: &Compaction,
        tree: Tree<'_>,
        marked: Option<&Marked>,
    ) {
        for disc in &mut self.all {
            disc.has_findings = false;
        }
        if let Some(functions) = marked.map(|it| &it.functions) {
            let function = |context| tree.contexts.function(context);
            let is_one = |context| functions.binary_search(&function(context)).is_ok();
            self.each_holding(compaction, tree, is_one, |it| it.has_findings = true);
        }
    }

    /// Hands each disc that holds one of the contexts to `see`, once for each of them.
    fn each_holding(
        &mut self,
        compaction: &Compaction,
        tree: Tree<'_>,
        is_one: impl Fn(ContextId) -> bool,
        mut see: impl FnMut(&mut Disc),
    ) {
        // The node of a context is that of its caller unless it is one of the highest of its own.
        let mut nodes: Vec<NodeId> = Vec::with_capacity(tree.contexts.len());
        for context in tree.contexts.ids() {
            let parent = tree.contexts.parent(context);
            let around = parent.map(|it| nodes[it.index()]);
            let node = compaction.topped_by(context).or(around);
            // An outermost context is one of the highest of its node.
            let node = node.unwrap_or_default();
            nodes.push(node);
            if is_one(context) {
                let place = |it: &NodeId| self.by_first.get(&compaction.first_context(*it));
                // What is hidden is seen where its branch is collapsed.
                let around = std::iter::successors(Some(node), |it| compaction.parent(*it));
                let most = if self.collapsed.is_empty() {
                    1
                } else {
                    usize::MAX
                };
                if let Some(at) = around.take(most).find_map(|it| place(&it)) {
                    see(&mut self.all[*at as usize]);
                }
            }
        }
    }
}

/// The heaviest nodes, with those that call them: a node weighs no more than what calls it.
fn chosen(compaction: &Compaction, collapsed: &BTreeSet<ContextId>) -> Vec<Disc> {
    let weights = compaction.children(None).map(|it| compaction.weight(it));
    let most = weights.max().unwrap_or_default();
    let least = ((most as f64 * LEAST) as u64).max(1);
    let mut found: Vec<(NodeId, Option<u32>)> = Vec::new();
    let mut open: BinaryHeap<(u64, Reverse<ContextId>, NodeId, Option<u32>)> = BinaryHeap::new();
    let mut at: Option<u32> = None;
    loop {
        let node = at.map(|it| found[it as usize].0);
        let is_collapsed = |it: NodeId| collapsed.contains(&compaction.first_context(it));
        let is_open = node.is_none_or(|it| !is_collapsed(it));
        for child in compaction.children(node).filter(|_| is_open) {
            let weight = compaction.weight(child);
            if weight >= least {
                open.push((weight, Reverse(compaction.first_context(child)), child, at));
            }
        }
        match open.pop() {
            Some((_, _, node, parent)) if found.len() < MOST => {
                at = Some(found.len() as u32);
                found.push((node, parent));
            }
            _ => break,
        }
    }
    // Siblings in the order of their first contexts: a place that does not change with what they weigh.
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); found.len()];
    let mut ready: Vec<(u32, Option<u32>)> = Vec::new();
    for (number, &(_, parent)) in (0..).zip(&found) {
        match parent {
            Some(parent) => children[parent as usize].push(number),
            None => ready.push((number, None)),
        }
    }
    let order = |number: &u32| compaction.first_context(found[*number as usize].0);
    ready.sort_by_key(|it| Reverse(order(&it.0)));
    let mut discs: Vec<Disc> = Vec::with_capacity(found.len());
    while let Some((number, parent)) = ready.pop() {
        let node = found[number as usize].0;
        let at = discs.len() as u32;
        let first = compaction.first_context(node);
        let hidden = match collapsed.contains(&first) {
            true => compaction.below(node).len() as u32,
            false => 0,
        };
        discs.push(Disc {
            node,
            first,
            has_callees: compaction.children(Some(node)).next().is_some(),
            hidden,
            parent,
            weight: compaction.weight(node),
            place: Place::default(),
            from: (Vec2::ZERO, 0.0),
            is_marked: [false; 2],
            has_findings: false,
        });
        let inside = &mut children[number as usize];
        inside.sort_by_key(|it| Reverse(order(it)));
        ready.extend(inside.iter().map(|it| (*it, Some(at))));
    }
    discs
}
