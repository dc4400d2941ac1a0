//! The compacted call tree: packages, classes and functions as discs of a fan, each as detailed as is asked for.

mod saved;
mod ui;

use std::collections::HashMap;
use std::sync::Arc;

use glam::Vec2;

use super::contexts::{Counted, Hits, ShownContexts};
use super::{Entry, Pane, SavedViews, View};
use crate::analysis::compaction::{Blocked, Compaction, Tree};
use crate::facts::contexts::Merge;
use crate::layout::fan::{self, Place};
use crate::progress::Progress;
use crate::state::State;
use crate::state::action::{Action, Chord, Line, Scope};
use crate::state::ask::{Ask, Asks, ViewAsk};
use crate::state::document::Document;
use crate::state::job::Job;
use crate::state::panes::Artifact::{Call, CallRelation, Function, Module, TimeRange};
use crate::state::panes::{Kind, Needs, Side, ViewId, ViewLine};
use crate::units::ModuleId;

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "fan",
        title: "Compacted call tree",
        key: '#',
        about: "the call tree between packages, classes or functions, each expanded in place",
        help: "compacted call tree: packages, classes or functions, expanded in place",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Chart,
        needs: Needs::Recording,
        offers: &[Function, Module],
        answers: &[Function, Module, Call, CallRelation, TimeRange],
        opens_for: &[],
    },
    keys: &KEYS,
    open: || Box::new(Fan::default()),
};

const MORE: &str = "fan.more";
const LESS: &str = "fan.less";
const NEARER: &str = "fan.nearer";
const FARTHER: &str = "fan.farther";

fn is_over(state: &State) -> bool {
    let under = state.panes.under_pointer;
    under.is_some_and(|(view, _)| view == ViewId::of(&ENTRY.line))
}

const fn own(
    id: &'static str,
    title: &'static str,
    about: &'static str,
    chords: &'static [Chord],
    ask: fn() -> Ask,
) -> Action {
    Action::new(id, title, about, chords, ask)
        .within(Scope::Chart)
        .repeating()
        .when(is_over)
}

fn ask(id: &'static str) -> Ask {
    Ask::View(Some(ViewId::of(&ENTRY.line)), ViewAsk::Do(id))
}

static KEYS: [Line; 2] = [
    Line {
        keys: "→ ←",
        text: "compacted call tree: all of it in one level more detail, or less; click, right click: one node",
        actions: &[
            own(
                MORE,
                "Expand everything",
                "Shows all of the compacted call tree in one level more detail.",
                &[Chord::key("Right")],
                || ask(MORE),
            ),
            own(
                LESS,
                "Compact everything",
                "Shows all of the compacted call tree in one level less detail.",
                &[Chord::key("Left")],
                || ask(LESS),
            ),
        ],
    },
    Line {
        keys: "↑ ↓",
        text: "compacted call tree: nearer, and farther away; as the wheel",
        actions: &[
            own(
                NEARER,
                "Nearer",
                "Shows the compacted call tree larger.",
                &[Chord::key("Up")],
                || ask(NEARER),
            ),
            own(
                FARTHER,
                "Farther",
                "Shows the compacted call tree smaller.",
                &[Chord::key("Down")],
                || ask(FARTHER),
            ),
        ],
    },
];

/// More contexts than these would take longer to compact than anyone waits: those with the least costs are left out.
const MOST_CONTEXTS: usize = 400_000;

/// A disc as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Disc {
    node: u32,
    parent: Option<u32>,
    place: Place,
    /// Where it comes from, and how large it was.
    from: Vec2,
    was: f32,
}

/// What is compacted: a tree made of the contexts, and which contexts its own are.
struct Compacted {
    compaction: Compaction,
    /// By context of the tree, the one shown elsewhere.
    contexts: Vec<u32>,
    /// How many were left out.
    left_out: usize,
}

#[derive(Default)]
pub struct Fan {
    counted: Counted,
    compacted: Option<Compacted>,
    making: Option<Job<Compacted>>,
    discs: Vec<Disc>,
    /// By context of the compacted tree, where its disc is and how large.
    places: Vec<(Vec2, f32)>,
    /// When the way to these places began, in the window's time; none before it is drawn.
    begun: Option<f64>,
    is_moving: bool,
    /// Why the last action was blocked.
    said: Option<String>,
    /// Times the size at which all is seen, and what lies in the middle, from where that is without.
    zoom: f32,
    pan: Vec2,
    hits: [Hits; 2],
    /// How often all was expanded: what a session file keeps.
    level: u16,
}

impl Fan {
    /// Begins to make the tree of what was counted.
    fn begin(&mut self, state: &State, document: &Document, shown: &Arc<ShownContexts>) {
        let shown = Arc::clone(shown);
        let session = Arc::clone(&document.session);
        let modules: Vec<ModuleId> = document
            .resolved()
            .map(|it| it.resolution.modules.clone())
            .unwrap_or_default();
        let level = self.level.max(1);
        self.making = Some(Job::named("compaction", state.waker(), move |progress| {
            let compacted = make(&shown, &modules, &session.hierarchy, level);
            progress.check()?;
            Ok(compacted)
        }));
    }

    /// Lays the nodes out anew; those that were there before come from where they were.
    fn lay_out(&mut self) {
        let Some(Compacted { compaction, .. }) = &self.compacted else {
            self.discs.clear();
            return;
        };
        let nodes = compaction.nodes();
        let number: HashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
        let parents: Vec<Option<u32>> = nodes
            .iter()
            .map(|&it| compaction.node(it).parent.map(|it| number[&it]))
            .collect();
        let weights: Vec<u64> = nodes.iter().map(|&it| compaction.node(it).weight).collect();
        let mut places = Vec::new();
        fan::lay_out(&parents, &weights, &mut places);
        let discs = nodes.iter().zip(&parents).zip(places);
        let discs: Vec<Disc> = discs
            .map(|((&node, &parent), place)| {
                let first = compaction.node(node).highest.first();
                // What splits comes from what it was in, what merges from its first context.
                let old = first.and_then(|&it| self.places.get(it as usize));
                let (from, was) = old.copied().unwrap_or((place.at, 0.0));
                Disc {
                    node,
                    parent,
                    place,
                    from,
                    was,
                }
            })
            .collect();
        self.is_moving = !self.discs.is_empty();
        self.begun = None;
        self.places
            .resize(compaction.tree().modules.len(), (Vec2::ZERO, 0.0));
        for disc in &discs {
            for context in compaction.contexts(disc.node) {
                self.places[context as usize] = (disc.place.at, disc.place.radius);
            }
        }
        self.discs = discs;
    }

    fn change(&mut self, document: &Document, node: u32, is_more: bool) {
        let hierarchy = &document.session.hierarchy;
        let Some(Compacted { compaction, .. }) = &mut self.compacted else {
            return;
        };
        let name = hierarchy.path(compaction.node(node).module);
        let done = compaction.change(hierarchy, node, is_more);
        self.said = done.err().map(|reason| said(&name, is_more, reason));
        if self.said.is_none() {
            self.lay_out();
        }
    }

    fn change_all(&mut self, document: &Document, is_more: bool) {
        let hierarchy = &document.session.hierarchy;
        let Some(Compacted { compaction, .. }) = &mut self.compacted else {
            return;
        };
        match compaction.change_all(hierarchy, is_more) {
            Ok(()) => {
                self.said = None;
                self.level = match is_more {
                    true => self.level.max(1).saturating_add(1),
                    false => self.level.saturating_sub(1).max(1),
                };
                self.lay_out();
            }
            Err(reason) => self.said = Some(said("All of it", is_more, reason)),
        }
    }
}

fn said(name: &str, is_more: bool, reason: Blocked) -> String {
    let what = if is_more { "expanded" } else { "compacted" };
    format!("{name} cannot be {what}: {reason}")
}

/// The tree of contexts with what compaction needs; of very many those that cost the most.
fn make(
    shown: &ShownContexts,
    modules: &[ModuleId],
    hierarchy: &crate::facts::hierarchy::Hierarchy,
    level: u16,
) -> Compacted {
    let contexts = &shown.contexts;
    // A context costs no more than what it is called in, so those with most are a tree.
    let least = match contexts.len() > MOST_CONTEXTS {
        true => {
            let mut totals: Vec<u64> = contexts.ids().map(|it| shown.total(it).ns()).collect();
            let place = totals.len() - MOST_CONTEXTS;
            *totals.select_nth_unstable(place).1 + 1
        }
        false => 0,
    };
    let mut tree = Tree::default();
    let (mut kept, mut place_of) = (Vec::new(), vec![u32::MAX; contexts.len()]);
    for context in contexts.ids() {
        let total = shown.total(context).ns();
        if total < least {
            continue;
        }
        place_of[context.index()] = kept.len() as u32;
        kept.push(context.0);
        let module = modules.get(contexts.function(context).index());
        tree.modules.push(module.copied().unwrap_or(ModuleId::ROOT));
        let parent = contexts.parent(context).map(|it| place_of[it.index()]);
        tree.parents.push(parent);
        tree.totals.push(total);
    }
    tree.ends = (1..=kept.len() as u32).collect();
    for at in (0..kept.len()).rev() {
        if let Some(parent) = tree.parents[at] {
            tree.ends[parent as usize] = tree.ends[parent as usize].max(tree.ends[at]);
        }
    }
    Compacted {
        left_out: contexts.len() - kept.len(),
        contexts: kept,
        compaction: Compaction::new(tree, hierarchy, level),
    }
}

impl View for Fan {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if self.zoom == 0.0 {
            self.zoom = 1.0;
        }
        let is_new = self.counted.update(state, Merge::Paths);
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown().cloned()) else {
            self.compacted = None;
            return;
        };
        if is_new {
            self.compacted = None;
            self.discs.clear();
            self.begin(state, document, &shown);
        }
        if let Some(done) = self.making.as_ref().and_then(Job::poll) {
            self.making = None;
            if let Ok(compacted) = done {
                self.compacted = Some(compacted);
                self.discs.clear();
                self.places.clear();
                self.lay_out();
            }
        }
        let selection = &document.selection;
        let of = [&selection.pointed, &selection.chosen];
        for (hits, of) in self.hits.iter_mut().zip(of) {
            hits.find(document, &shown, of);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn on(&mut self, ask: ViewAsk, state: &State, _asks: &mut Asks) {
        let Some(document) = &state.document else {
            return;
        };
        match ask {
            ViewAsk::Do(MORE) => self.change_all(document, true),
            ViewAsk::Do(LESS) => self.change_all(document, false),
            ViewAsk::Do(NEARER) => self.zoom = (self.zoom * 1.25).min(400.0),
            ViewAsk::Do(FARTHER) => self.zoom = (self.zoom / 1.25).max(0.1),
            _ => {}
        }
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting() || self.making.is_some()
    }

    fn progress(&self) -> Option<&Progress> {
        let making = self.making.as_ref().and_then(Job::slow);
        self.counted.progress().or(making)
    }

    fn reset(&mut self) {
        *self = Fan::default();
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from);
        0
    }
}
