//! What the view knows, and what it does with that.

use crate::parts::context_chart::choice::{Metric, Tint};
use crate::parts::context_query::Query;
use crate::parts::contexts::{Counted, Hits, ShownContexts};
use crate::parts::kept::named;
use callscape_base::units::ContextId;
use callscape_facts::contexts::Merge;
use callscape_layout::hues::Hues;
use callscape_layout::rings::{Of, Rings as Chart, Sizing, Tree};
use callscape_state::document::Document;
use std::borrow::Cow;
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

/// Rings are as wide as there is room for those with a segment of at least so many points.
pub(super) const SEEN: f32 = 3.0;

/// What a chart was laid out for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LaidOut {
    pub(super) shown: usize,
    pub(super) metric: Metric,
    pub(super) of: Of,
}

pub(crate) struct Rings {
    /// The context that the menu was last opened on.
    pub(super) menu_of: Option<ContextId>,
    pub(super) counted: Counted,
    pub(super) merge: Merge,
    pub(super) metric: Metric,
    pub(super) tint: Tint,
    pub(super) hues: Hues,
    pub(super) sizing: Sizing,
    pub(super) rings: u32,
    pub(super) root: Option<ContextId>,
    /// The roots before, the last one last.
    pub(super) roots: Vec<Option<ContextId>>,
    pub(super) chart: Chart,
    pub(super) laid_out: Option<LaidOut>,
    /// The chart before, and when in the window's time the way from it began.
    pub(super) before: Option<(Chart, f64)>,
    /// What the wheel has turned and is no whole ring yet.
    pub(super) turned: f32,
    pub(super) query: String,
    /// By context whether it is found, of what, and how many are.
    pub(super) found: Option<(usize, Query, Vec<bool>, usize)>,
    pub(super) hits: [Hits; 2],
    /// The way to what was chosen when it was last brought into sight.
    pub(super) way: Option<Arc<[u32]>>,
    /// The root from a session file, and of how many contexts, until they are counted.
    pub(super) restored: Option<(ContextId, usize)>,
}

impl Default for Rings {
    fn default() -> Rings {
        Rings {
            menu_of: None,
            counted: Counted::default(),
            merge: Merge::Paths,
            metric: Metric::Total,
            tint: Tint::Module,
            hues: Hues::default(),
            sizing: Sizing::Angle,
            rings: FIRST_RINGS,
            root: None,
            roots: Vec::new(),
            chart: Chart::default(),
            laid_out: None,
            before: None,
            turned: 0.0,
            query: String::new(),
            found: None,
            hits: Default::default(),
            way: None,
            restored: None,
        }
    }
}

impl Rings {
    /// Shows another root, from which the way back leads here.
    pub(super) fn set_root(&mut self, root: Option<ContextId>) {
        if self.root != root {
            self.roots.push(self.root);
            self.root = root;
        }
    }

    /// Shows the root before; nothing where there was none.
    pub(super) fn back(&mut self) {
        if let Some(root) = self.roots.pop() {
            self.root = root;
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
            metric: self.metric,
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
        let waiting = callscape_analysis::contexts::WAITING;
        let before = match self.metric {
            Metric::Calls => Cow::Borrowed(shown.calls_before()),
            Metric::Waiting if shown.knows_waiting => shown.contexts.shown_before(waiting),
            Metric::Total | Metric::Waiting => shown.contexts.shown_before(shown.value),
        };
        let ends = shown.contexts.ends();
        let negative = match self.metric {
            Metric::Total => &*shown.negative_before,
            Metric::Calls | Metric::Waiting => &[],
        };
        let before = &*before;
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
