//! The ring chart of calling contexts: what is called lies around what calls it, as large as what it costs.

mod colors;
mod drawing;
mod keys;
mod lettering;
mod saved;
mod ui;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value};

use self::keys::{Does, KEYS};
use super::{Entry, Pane, SavedViews, View};
use crate::parts::context_query::Query;
use crate::parts::contexts::{Counted, Hits, ShownContexts};
use crate::parts::kept::choices;
use callscape_base::progress::Progress;
use callscape_base::units::ContextId;
use callscape_facts::contexts::Merge;
use callscape_layout::rings::{Of, Rings as Chart, Sizing, Tree};
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Module, TimeRange};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "rings",
        title: "Ring chart",
        key: '0',
        about: "calling contexts as rings: callees around their callers",
        help: "ring chart: callees around their callers",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Chart,
        needs: Needs::Recording,
        offers: &[Function, CallRelation],
        answers: &[Function, Module, Call, CallRelation, TimeRange],
        opens_for: &[],
        purposes: &[Purpose::TimeGoes, Purpose::Memory],
    },
    keys: KEYS,
    open: || Box::new(Rings::default()),
};

choices! {
    /// What segments are as large as.
    #[derive(Default)]
    pub(crate) enum Metric {
        #[default]
        Total = "total";
        Calls = "calls";
        Waiting = "waiting";
    }
}

choices! {
    /// What segments are coloured by.
    #[derive(Default)]
    pub(crate) enum Tint {
        /// The hue of the district.
        #[default]
        Module = "module";
        Own = "self";
        Calls = "calls";
        /// The difference of two runs.
        Difference = "difference of the runs";
    }
}

fn sizing_title(sizing: Sizing) -> &'static str {
    match sizing {
        Sizing::Alike => "alike",
        Sizing::Angle => "by angle",
        Sizing::Area => "by area",
    }
}

/// So many rings are shown at first, and at most.
const FIRST_RINGS: u32 = 12;
const MOST_RINGS: u32 = 200;

/// Segments shorter than this many pixels are drawn as lines.
const LEAST: f32 = 0.5;

/// Rings are as wide as there is room for those with a segment of at least so many points.
const SEEN: f32 = 3.0;

/// What a chart was laid out for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LaidOut {
    shown: usize,
    metric: Metric,
    of: Of,
}

pub(crate) struct Rings {
    /// The context that the menu was last opened on.
    menu_of: Option<ContextId>,
    counted: Counted,
    merge: Merge,
    metric: Metric,
    tint: Tint,
    sizing: Sizing,
    rings: u32,
    root: Option<ContextId>,
    /// The roots before, the last one last.
    roots: Vec<Option<ContextId>>,
    chart: Chart,
    laid_out: Option<LaidOut>,
    /// The chart before, and when in the window's time the way from it began.
    before: Option<(Chart, f64)>,
    /// What the wheel has turned and is no whole ring yet.
    turned: f32,
    query: String,
    /// By context whether it is found, of what, and how many are.
    found: Option<(usize, Query, Vec<bool>, usize)>,
    hits: [Hits; 2],
    /// The way to what was chosen when it was last brought into sight.
    way: Option<Arc<[u32]>>,
    /// The root from a session file, and of how many contexts, until they are counted.
    restored: Option<(ContextId, usize)>,
}

impl Default for Rings {
    fn default() -> Rings {
        Rings {
            menu_of: None,
            counted: Counted::default(),
            merge: Merge::Paths,
            metric: Metric::Total,
            tint: Tint::Module,
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
    fn set_root(&mut self, root: Option<ContextId>) {
        if self.root != root {
            self.roots.push(self.root);
            self.root = root;
        }
    }

    /// Shows the root before; nothing where there was none.
    fn back(&mut self) {
        if let Some(root) = self.roots.pop() {
            self.root = root;
        }
    }

    /// Brings the one context that was chosen elsewhere into sight: around a root of which it is no small part, or its
    /// caller.
    fn follow(&mut self, document: &Document) {
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

    fn change_rings(&mut self, by: i32) {
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
    fn lay_out(&mut self, shown: &Arc<ShownContexts>, radius: f32, least: f32, now: f64) {
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

impl View for Rings {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if self.counted.update(state, self.merge) {
            (self.root, self.found, self.way) = (None, None, None);
            self.roots.clear();
        }
        if !self.counted.is_waiting()
            && let Some(shown) = self.counted.shown()
            && let Some((root, of)) = self.restored.take()
        {
            let is_there = shown.contexts.len() == of && root.index() < of;
            self.root = is_there.then_some(root);
        }
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown()) else {
            return;
        };
        let selection = &document.selection;
        let of = [&selection.pointed, &selection.chosen];
        let ways = [None, document.chosen_way()];
        for ((hits, of), way) in self.hits.iter_mut().zip(of).zip(ways) {
            hits.find(document, shown, of, way);
        }
        let query = Query::new(&self.query);
        let key = Arc::as_ptr(shown) as usize;
        let is_known = |it: &(usize, Query, Vec<bool>, usize)| it.0 == key && it.1 == query;
        if query.is_empty() {
            self.found = None;
        } else if !self.found.as_ref().is_some_and(is_known) {
            let found = query.find(document, shown);
            let count = found.iter().filter(|it| **it).count();
            self.found = Some((key, query, found, count));
        }
        self.follow(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, _state: &State, _asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        match does {
            Does::Sizing => {
                self.sizing = match self.sizing {
                    Sizing::Alike => Sizing::Angle,
                    Sizing::Angle => Sizing::Area,
                    Sizing::Area => Sizing::Alike,
                }
            }
            Does::Out => self.back(),
            Does::Root => self.set_root(self.menu_of),
            Does::Deeper => self.change_rings(1),
            Does::Shallower => self.change_rings(-1),
        }
    }

    fn show_all(&mut self, _document: &Document) {
        self.set_root(None);
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.counted.progress()
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(shown) = self.counted.shown() else {
            return;
        };
        let log = serde_json::json!({
            "contexts": shown.contexts.len(),
            "segments": self.chart.segments.len(),
            "root": self.root.map(|it| it.0),
            "rings": self.rings,
            "sized": sizing_title(self.sizing),
            "chosen": self.hits[1].count(),
        });
        line.insert("rings".to_owned(), log);
    }
}
