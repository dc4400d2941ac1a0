//! The collaboration view: which modules call which in what is shown (thesis, section 6.3.2).
//!
//! A clustered graph of the call relations that range and filters leave, between modules: folded ones are boxes, unfolded
//! ones frames around what is in them.

mod folding;
mod making;
mod saved;
#[cfg(test)]
mod tests;
mod ui;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::folding::Open;
use self::making::{Made, Wanted};
use super::{Entry, Pane, Picture, SavedViews, Surface, View};
use crate::parts::graph::marks::Marked;
use crate::parts::graph::nesting::{module_at, module_key};
use crate::parts::graph::relations::Given;
use crate::parts::graph::view::GraphView;
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_state::State;
use callscape_state::ask::{Asks, CutAsk, GraphKey, SelectAsk};
use callscape_state::document::Document;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Module, TimeRange};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "collaboration",
        title: "Collaboration",
        key: '%',
        about: "which modules call which, as a graph that unfolds in place",
        help: "collaboration: which modules call which",
        in_scenes: "",
        side: Side::Centre,
        kind: Kind::Graph,
        needs: Needs::Recording,
        // The collaboration view; the thesis has it answer what is selected elsewhere, too.
        offers: &[Function, Module, CallRelation],
        answers: &[Function, Module, Call, CallRelation, TimeRange],
        opens_for: &[],
        purposes: &[Purpose::WhoCalls],
    },
    keys: &[],
    open: || Box::new(Collaboration::default()),
};

/// Lines that are shown unless the user asks for more.
const MOST_LINES: u32 = 200;

/// What the graph is made of, as stamps: with the same there is nothing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    stamps: [u64; 4],
    /// Counts what was asked for here.
    revision: u64,
    is_counting: bool,
}

struct Collaboration {
    base: GraphView<Wanted, Made>,
    seen: Option<Seen>,
    /// What is unfolded; none before anything was shown.
    open: Option<Open>,
    last: Option<ModuleId>,
    most_lines: u32,
    /// What the modules are of.
    session: Option<Arc<Session>>,
    /// Paths of unfolded modules from a session file.
    restored: Option<Vec<String>>,
}

impl Default for Collaboration {
    fn default() -> Collaboration {
        Collaboration {
            base: GraphView::default(),
            seen: None,
            open: None,
            last: None,
            most_lines: MOST_LINES,
            session: None,
            restored: None,
        }
    }
}

impl Collaboration {
    /// Takes what is unfolded over to another structure, or from a session file.
    fn follow_structure(&mut self, document: &Document) {
        let hierarchy = &document.session.hierarchy;
        let find = |paths: &[String]| -> Open {
            let found = paths.iter().filter_map(|it| module_at(hierarchy, it));
            found.collect()
        };
        if let Some(paths) = self.restored.take() {
            self.open = Some(find(&paths));
            self.session = Some(Arc::clone(&document.session));
            return;
        }
        let is_same = |it: &Arc<Session>| Arc::ptr_eq(it, &document.session);
        if self.session.as_ref().is_some_and(is_same) {
            return;
        }
        let before = self.session.replace(Arc::clone(&document.session));
        if let (Some(before), Some(open)) = (before, &self.open) {
            self.open = Some(find(&paths_of(&before, open)));
            self.last = None;
        }
        // Keys are numbers of modules.
        self.base.chart.forget();
        self.base.chart.clear();
    }

    /// Unfolds a module, or folds it.
    fn set_open(&mut self, module: ModuleId, is_open: bool, document: &Document, asks: &mut Asks) {
        let Some(open) = &mut self.open else {
            return;
        };
        let hierarchy = &document.session.hierarchy;
        if module == ModuleId::ROOT
            || module.index() >= hierarchy.len()
            || hierarchy.is_leaf(module)
        {
            return;
        }
        if is_open {
            open.extend(hierarchy.ancestors(module));
            self.last = Some(module);
            // Collapsed in every view: here it is to be seen.
            if hierarchy
                .ancestors(module)
                .any(|it| document.cut.is_collapsed(it))
            {
                asks.push(CutAsk::CollapseOrExpand(Some(module)));
            }
        } else {
            open.remove(&module);
            self.last = None;
        }
        self.base.chart.hold(module_key(0, module));
        self.base.revision += 1;
    }

    /// Unfolds all boxes by a level, or folds the innermost frames.
    fn change_level(&mut self, is_more: bool, document: &Document) {
        let (Some(laid), Some(open)) = (self.base.chart.laid(), &mut self.open) else {
            return;
        };
        let hierarchy = &document.session.hierarchy;
        if is_more {
            let folded = laid.graph.boxes.iter().filter(|it| it.sign.is_some());
            open.extend(folded.filter_map(|it| it.of.module()));
            // All are alike.
            self.last = None;
        } else {
            let frames = laid.graph.frames.iter().map(|it| it.module);
            let deepest = frames.clone().map(|it| hierarchy.depth(it)).max();
            let all: Vec<ModuleId> = frames
                .filter(|it| Some(hierarchy.depth(*it)) == deepest)
                .collect();
            all.into_iter().for_each(|it| {
                open.remove(&it);
            });
        }
        self.base.revision += 1;
    }

    /// Folds or unfolds what is chosen: a frame folds, a box unfolds, or the frame around it folds.
    fn fold_chosen(&mut self, is_open: Option<bool>, document: &Document, asks: &mut Asks) {
        let selection = &document.selection;
        let module = selection.chosen.module.or(selection.pointed.module);
        let Some(module) = module else { return };
        let hierarchy = &document.session.hierarchy;
        let Some(laid) = self.base.chart.laid().cloned() else {
            return;
        };
        let is_frame = |module: ModuleId| laid.graph.frames.iter().any(|it| it.module == module);
        // What stands for it is what unfolds.
        let boxes = laid.graph.boxes.iter().filter(|it| it.sign.is_some());
        let mut boxes = boxes.filter_map(|it| it.of.module());
        let folded = boxes.find(|&it| hierarchy.contains(it, module));
        match (is_open, folded) {
            (Some(true), Some(folded)) => self.set_open(folded, true, document, asks),
            (Some(true), None) => {}
            (None, Some(folded)) if !is_frame(module) => {
                self.set_open(folded, true, document, asks);
            }
            _ => {
                let around = hierarchy.ancestors(module).find(|&it| is_frame(it));
                if let Some(frame) = around {
                    self.set_open(frame, false, document, asks);
                }
            }
        }
    }

    /// What stands in place of the graph, or over it.
    fn words(&self, state: &State) -> &'static str {
        let Some(document) = &state.document else {
            return "";
        };
        if document.resolved().is_none() {
            return "Open a recording to see which modules call which.";
        }
        if state.work.counting_is_stopped && !document.filters.is_empty() {
            return "Excluded calls are not counted yet: this is the previous result.";
        }
        match self.base.chart.laid() {
            None if self.is_waiting() => "Counting who calls whom …",
            None => "",
            Some(_) if self.base.is_counting => "Counting the remaining calls …",
            Some(laid) if laid.graph.boxes.is_empty() => match document.is_limited() {
                true => {
                    "No calls remain here in this range: widen the range, or include something again."
                }
                false => "This recording has no calls between functions.",
            },
            Some(laid) if laid.graph.lines.is_empty() => {
                "All calls stay within one module: unfold it."
            }
            Some(_) => "",
        }
    }
}

fn paths_of(session: &Session, open: &Open) -> Vec<String> {
    let hierarchy = &session.hierarchy;
    let open = open
        .iter()
        .filter(|it| **it != ModuleId::ROOT && it.index() < hierarchy.len());
    open.map(|&it| hierarchy.path(it)).collect()
}

impl View for Collaboration {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if let (Some(made), Some(document)) = (self.base.take(), &state.document) {
            if let Some(wanted) = &mut self.base.wanted {
                wanted.open = Some(made.open.clone());
            }
            self.open = Some(made.open);
            let hierarchy = &document.session.hierarchy;
            self.base.chart.take(made.laid, state.now(), hierarchy);
        }
        let stamps = state.stamps();
        let counting = state.work.is_under_way();
        let seen = Seen {
            stamps: [stamps.document, stamps.run, stamps.left, stamps.blocks],
            revision: self.base.revision,
            is_counting: counting,
        };
        if self.seen == Some(seen) {
            return;
        }
        let Some(document) = &state.document else {
            self.seen = Some(seen);
            self.base.chart.clear();
            return;
        };
        // What filters leave has to be counted first.
        self.base.is_counting = counting && document.is_limited();
        self.seen = Some(seen);
        if self.base.is_counting {
            return;
        }
        self.follow_structure(document);
        let Some(given) = Given::of(document) else {
            self.base.clear();
            return;
        };
        let wanted = Wanted {
            given,
            cut: document.cut.clone(),
            open: self.open.clone(),
            last: self.last,
            by: self.base.by,
            most: self.base.most,
            most_lines: self.most_lines,
        };
        self.base
            .want(wanted, ("collaboration", state), making::make);
    }

    fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
        let words = self.words(state);
        let document = state.document.as_ref();
        self.base
            .chart
            .picture(state, document, surface, words, Marked::default())
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn show_all(&mut self, _document: &Document) {
        self.base.chart.show_all();
    }

    fn by_modules(&mut self, document: &Document) {
        // All that the cut leaves unfolded, as far as there is room.
        let hierarchy = &document.session.hierarchy;
        let open = hierarchy
            .modules()
            .filter(|&it| !hierarchy.is_leaf(it) && !document.cut.is_collapsed(it));
        self.open = Some(open.collect());
        self.last = None;
        self.base.revision += 1;
    }

    fn graph_key(&mut self, key: GraphKey, document: &Document, asks: &mut Asks) {
        match key {
            GraphKey::More => self.fold_chosen(Some(true), document, asks),
            GraphKey::Less => self.fold_chosen(Some(false), document, asks),
            GraphKey::Toggle => self.fold_chosen(None, document, asks),
            GraphKey::AllMore => self.change_level(true, document),
            GraphKey::AllLess => self.change_level(false, document),
            GraphKey::Width => self.base.change_width(),
            GraphKey::Rest => self.base.show_more(),
            GraphKey::Nearer => self.base.chart.zoom_in_the_middle(1.25),
            GraphKey::Farther => self.base.chart.zoom_in_the_middle(0.8),
            GraphKey::Left | GraphKey::Right | GraphKey::Up | GraphKey::Down => {
                if let Some(pointed) = self.base.walk(key, document) {
                    asks.push(SelectAsk::Walk(pointed));
                }
            }
        }
    }

    fn says_called_often(&self) -> bool {
        true
    }

    fn is_waiting(&self) -> bool {
        self.base.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.base.progress()
    }

    fn cancel(&mut self) {
        self.base.cancel();
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(laid) = self.base.chart.laid() else {
            return;
        };
        let log = serde_json::json!({
            "modules": laid.graph.boxes.len(),
            "frames": laid.graph.frames.len(),
            "relations": laid.graph.lines.len(),
            "moves": self.base.chart.is_moving(),
        });
        line.insert("collaboration".to_owned(), log);
    }
}
