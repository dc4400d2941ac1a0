//! What the view knows, and what it does with that.

use super::roots::Roots;
use crate::parts::context_chart::amount::Amount;
use crate::parts::context_chart::choice::Tint;
use crate::parts::context_query::Query;
use crate::parts::contexts::{Counted, ShownContexts};
use crate::parts::hits::Hits;
use crate::parts::kept::named;
use callscape_base::units::{ContextId, FunctionId};
use callscape_facts::contexts::Merge;
use callscape_facts::recording::Recording;
use callscape_layout::hues::Hues;
use callscape_layout::rings::{Of, Rings as Chart, Sizing, Tree};
use callscape_state::document::Document;
use std::sync::Arc;

pub(super) fn sizing_title(sizing: Sizing) -> &'static str {
    match sizing {
        Sizing::Alike => "alike",
        Sizing::Angle => "by angle",
        Sizing::Area => "by area",
    }
}

named! { Sizing: Sizing::ALL, sizing_title; }

/// So many rings are shown at first, and at most.
pub(super) const FIRST_RINGS: u32 = 12;

pub(super) const MOST_RINGS: u32 = 200;

/// Segments shorter than this many pixels are drawn as lines.
pub(super) const LEAST: f32 = 0.5;

/// How far a key scrolls a stack, in points.
pub(super) const STACK_PAGE: f32 = 200.0;

/// Rings are as wide as there is room for those with a segment of at least so many points.
pub(super) const SEEN: f32 = 3.0;

/// What a chart was laid out for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LaidOut {
    pub(super) shown: usize,
    pub(super) size: Amount,
    pub(super) of: Of,
}

/// A root and of how many contexts; the ways of the root, of those before and of those after, and of how many functions.
pub(super) type Restored = (
    Option<(ContextId, usize)>,
    Option<([Vec<Vec<u32>>; 3], usize)>,
);

pub(crate) struct Rings {
    /// The context that the menu was last opened on.
    pub(super) menu_of: Option<ContextId>,
    pub(super) counted: Counted,
    pub(super) merge: Merge,
    /// What segments are as large as and coloured by, as people call it: of another recording these may mean nothing.
    pub(super) size: String,
    pub(super) colour: String,
    pub(super) hues: Hues,
    pub(super) sizing: Sizing,
    pub(super) rings: u32,
    pub(super) roots: Roots,
    /// Where the root is in what is shown.
    pub(super) root: Option<ContextId>,
    pub(super) chart: Chart,
    pub(super) laid_out: Option<LaidOut>,
    /// The chart before, and when in the window's time the way from it began.
    pub(super) before: Option<(Chart, f64)>,
    /// The context whose stack is scrolled, and how far, in points.
    pub(super) stack: (Option<ContextId>, f32),
    /// What the wheel has turned and is no whole ring yet.
    pub(super) turned: f32,
    pub(super) query: String,
    /// By context whether it is found, of what, and how many are.
    pub(super) found: Option<(usize, Query, Vec<bool>, usize)>,
    pub(super) hits: [Hits; 2],
    /// The way to what was chosen when it was last brought into sight.
    pub(super) way: Option<Arc<[u32]>>,
    /// What ways are of.
    pub(super) recording: Option<Arc<Recording>>,
    /// From a session file, until there are contexts: the root and of how many, and the ways of roots.
    pub(super) restored: Restored,
}

impl Default for Rings {
    fn default() -> Rings {
        Rings {
            menu_of: None,
            counted: Counted::default(),
            merge: Merge::Paths,
            size: "total".to_owned(),
            colour: Tint::Module.title().to_owned(),
            hues: Hues::default(),
            sizing: Sizing::Angle,
            rings: FIRST_RINGS,
            roots: Roots::default(),
            root: None,
            chart: Chart::default(),
            laid_out: None,
            before: None,
            stack: (None, 0.0),
            turned: 0.0,
            query: String::new(),
            found: None,
            hits: Default::default(),
            way: None,
            recording: None,
            restored: Restored::default(),
        }
    }
}

/// What the colour of a segment says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shade {
    Module,
    Difference,
    Amount(Amount),
}

impl Rings {
    /// What segments are as large as.
    pub(super) fn size(&self, shown: &ShownContexts) -> Amount {
        let found = Amount::find(shown, &self.size).filter(|it| !matches!(it, Amount::Own(_)));
        found.unwrap_or(Amount::Total(shown.value))
    }

    pub(super) fn shade(&self, shown: &ShownContexts) -> Shade {
        if self.colour == Tint::Difference.title() && shown.has_other() {
            return Shade::Difference;
        }
        Amount::find(shown, &self.colour).map_or(Shade::Module, Shade::Amount)
    }

    /// Shows another root, from which the way back leads here. What is merged by function has nothing around it.
    pub(super) fn set_root(&mut self, root: Option<ContextId>) {
        let Some(shown) = self.counted.shown().cloned() else {
            return;
        };
        if root.is_none() || shown.merge != Merge::Functions {
            let way = root.map(|it| shown.contexts.way(it));
            let by_site = root.filter(|_| shown.merge == Merge::CallSites);
            self.roots.go(way.unwrap_or_default().into(), by_site);
            self.root = self.roots.place(&shown);
        }
    }

    /// Shows the root before, or the one after it again; nothing where there was none.
    pub(super) fn step(&mut self, is_back: bool) {
        self.roots.step(is_back);
        let shown = self.counted.shown();
        self.root = shown.and_then(|it| self.roots.place(it));
    }

    /// The function in the middle; none where that is everything.
    pub(super) fn middle(&self, shown: &ShownContexts) -> Option<FunctionId> {
        let root = self.root.map(|it| shown.contexts.function(it));
        root.or_else(|| shown.below.as_ref()?.last().copied())
    }

    /// Takes roots from a session file, and forgets those of another recording, whose functions have other numbers.
    pub(super) fn take_recording(&mut self, document: Option<&Document>) {
        let now = document.and_then(|it| it.resolved());
        let now = now.map(|it| &it.recording);
        let is_same = match (&self.recording, now) {
            (Some(before), Some(now)) => Arc::ptr_eq(before, now),
            (before, now) => before.is_none() && now.is_none(),
        };
        if !is_same {
            let functions = now.map_or(0, |it| it.functions.len());
            let kept = self.restored.1.take().filter(|it| it.1 == functions);
            let roots = kept.and_then(|it| Roots::of_kept(it.0, functions));
            self.roots = roots.unwrap_or_default();
            self.recording = now.cloned();
        }
    }

    /// Brings the one context that was chosen elsewhere into sight: around a root of which it is no small part, or its
    /// caller.
    pub(super) fn follow(&mut self, document: &Document) {
        /// As share of the root's total.
        const SEEN: u64 = 50;
        let way = document.chosen_way();
        if self.way.as_ref() == way {
            return;
        }
        let Some(shown) = self.counted.shown().cloned() else {
            return;
        };
        self.way = way.cloned();
        if shown.merge == Merge::Functions {
            return;
        }
        let Some(context) = way.and_then(|_| self.hits[1].largest(&shown)) else {
            return;
        };
        let path = shown.path(context);
        // As the root everything, or what stands at a place of the path.
        let around = |roots: usize| match roots.checked_sub(1).and_then(|it| path.get(it)) {
            Some(&root) => shown.total(root),
            None => shown.whole,
        };
        let total = shown.total(context).ns().saturating_mul(SEEN);
        let is_seen = |roots: &usize| {
            let ring = path.len() - roots;
            ring <= self.rings as usize && total >= around(*roots).ns()
        };
        let place = |root: ContextId| path.iter().position(|it| *it == root);
        let now = self.root.map_or(Some(0), |it| Some(place(it)? + 1));
        if now.is_some_and(|roots| roots < path.len() && is_seen(&roots)) {
            return;
        }
        let roots = (0..path.len()).find(is_seen).unwrap_or(path.len() - 1);
        let root = roots.checked_sub(1).map(|it| path[it]);
        self.set_root(root);
    }

    pub(super) fn change_rings(&mut self, by: i32) {
        // Beyond the deepest ring there is nothing to show.
        let deepest = self
            .counted
            .shown()
            .map_or(MOST_RINGS, |it| it.contexts.max_depth());
        let most = deepest.clamp(1, MOST_RINGS);
        self.rings = self
            .rings
            .min(most)
            .saturating_add_signed(by)
            .clamp(1, most);
    }

    /// Lays the chart out in a circle of `radius` where something has changed; segments shorter than `least` are lines.
    /// From the chart before a way leads to it from `now` on, in seconds.
    pub(super) fn lay_out(
        &mut self,
        shown: &Arc<ShownContexts>,
        radius: f32,
        least: f32,
        now: f64,
    ) {
        let deepest = shown.contexts.max_depth().max(1);
        let of = Of {
            root: self.root.map(|it| it.0),
            sizing: self.sizing,
            rings: self.rings.min(deepest),
            radius,
            least,
        };
        let wanted = LaidOut {
            shown: Arc::as_ptr(shown) as usize,
            size: self.size(shown),
            of,
        };
        if self.laid_out == Some(wanted) {
            return;
        }
        let is_way = self
            .laid_out
            .is_some_and(|it| it.shown == wanted.shown && it.of.radius == radius);
        self.laid_out = Some(wanted);
        let old = is_way.then(|| self.chart.clone());
        let ends = shown.contexts.ends();
        let (before, negative) = wanted.size.before(shown);
        let (before, negative) = (&*before, &*negative);
        let tree = Tree {
            ends,
            before,
            negative,
        };
        self.chart.lay_out(tree, &of);
        let rings = self.chart.outermost(SEEN);
        if rings < of.rings {
            self.chart.lay_out(tree, &Of { rings, ..of });
        }
        self.before = old.map(|old| (old, now));
    }
}
