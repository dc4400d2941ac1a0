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
use super::graph::chart::Chart;
use super::graph::marks::Marked;
use super::graph::model::{By, Of};
use super::graph::nesting::{module_at, module_key};
use super::graph::relations::Given;
use super::graph::walk;
use super::{Entry, Pane, Picture, SavedViews, Surface, View};
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Asks, CutAsk, GraphKey, SelectAsk, ViewAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Module, TimeRange};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
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

/// Boxes and lines that are shown unless the user asks for more, and how many more each time.
const MOST: u32 = 50;
const MOST_LINES: u32 = 200;
const STEP: u32 = 25;
const MOST_OF_ALL: u32 = 500;

/// What the graph is made of, as stamps: with the same there is nothing to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    stamps: [u64; 4],
    /// Counts what was asked for here.
    revision: u64,
    is_counting: bool,
}

struct Collaboration {
    chart: Chart,
    job: Option<Job<Made>>,
    wanted: Option<Wanted>,
    seen: Option<Seen>,
    revision: u64,
    /// What is unfolded; none before anything was shown.
    open: Option<Open>,
    last: Option<ModuleId>,
    by: By,
    most: u32,
    most_lines: u32,
    /// What the modules are of.
    session: Option<Arc<Session>>,
    /// Paths of unfolded modules from a session file.
    restored: Option<Vec<String>>,
    /// The box that keys act on, where several stand for what is chosen.
    focus: Option<u64>,
    is_counting: bool,
}

impl Default for Collaboration {
    fn default() -> Collaboration {
        Collaboration {
            chart: Chart::default(),
            job: None,
            wanted: None,
            seen: None,
            revision: 0,
            open: None,
            last: None,
            by: By::Cost,
            most: MOST,
            most_lines: MOST_LINES,
            session: None,
            restored: None,
            focus: None,
            is_counting: false,
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
        self.chart.forget();
        self.chart.clear();
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
        self.chart.hold(module_key(0, module));
        self.revision += 1;
    }

    /// Unfolds all boxes by a level, or folds the innermost frames.
    fn change_level(&mut self, is_more: bool, document: &Document) {
        let (Some(laid), Some(open)) = (self.chart.laid(), &mut self.open) else {
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
        self.revision += 1;
    }

    /// What is meant by a box.
    fn pointed_at_box(&self, document: &Document, place: u32) -> Pointed {
        let laid = self.chart.laid();
        let of = laid
            .and_then(|it| it.graph.boxes.get(place as usize))
            .map(|it| it.of);
        document.complete(Pointed::at_module(of.and_then(Of::module)))
    }

    /// What is meant by a line.
    fn pointed_at_line(&self, document: &Document, place: u32) -> Pointed {
        let ends = self.chart.laid().and_then(|laid| {
            let line = laid.graph.lines.get(place as usize)?;
            let module = |place: u32| laid.graph.boxes.get(place as usize)?.of.module();
            Some((module(line.from)?, module(line.to)?))
        });
        let pointed = ends.map(|(from, to)| Pointed {
            relation: Some((from, to)),
            module: Some(to),
            ..Pointed::default()
        });
        pointed.map_or_else(Pointed::default, |it| document.complete(it))
    }

    /// The box that keys act on: the one walked to, else that of what is chosen.
    fn focused(&self, document: &Document) -> Option<u32> {
        let laid = self.chart.laid()?;
        let marked = super::graph::marks::marked(document, &laid.graph, &document.selection.chosen);
        let own = self
            .focus
            .and_then(|key| laid.graph.boxes.iter().position(|it| it.key == key));
        let own = own
            .map(|it| it as u32)
            .filter(|it| marked.boxes.contains(it));
        own.or(marked.boxes.first().copied())
    }

    /// Goes on to another box, and chooses it.
    fn walk(&mut self, key: GraphKey, document: &Document, asks: &mut Asks) {
        let from = self.focused(document);
        let Some(laid) = self.chart.laid().cloned() else {
            return;
        };
        let Some(to) = walk::next(&laid, from, key) else {
            return;
        };
        self.focus = laid.graph.boxes.get(to as usize).map(|it| it.key);
        self.chart.reveal(to);
        let pointed = self.pointed_at_box(document, to);
        if pointed != Pointed::default() {
            asks.push(SelectAsk::Walk(pointed));
        }
    }

    /// Folds or unfolds what is chosen: a frame folds, a box unfolds, or the frame around it folds.
    fn fold_chosen(&mut self, is_open: Option<bool>, document: &Document, asks: &mut Asks) {
        let selection = &document.selection;
        let module = selection.chosen.module.or(selection.pointed.module);
        let Some(module) = module else { return };
        let hierarchy = &document.session.hierarchy;
        let Some(laid) = self.chart.laid().cloned() else {
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

    /// Shows so many more boxes.
    fn show_more(&mut self) {
        self.most = (self.most + STEP).min(MOST_OF_ALL);
        self.revision += 1;
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
            return "What is left out is not counted: this is as it was before.";
        }
        match self.chart.laid() {
            None if self.is_waiting() => "Counting who calls whom …",
            None => "",
            Some(_) if self.is_counting => "Counting what is left …",
            Some(laid) if laid.graph.boxes.is_empty() => match document.is_limited() {
                true => {
                    "Nothing is called here in this range with what is left out: widen the range, or bring something back."
                }
                false => "This recording knows of no calls between functions.",
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
        if let Some(done) = self.job.as_ref().and_then(Job::poll) {
            self.job = None;
            if let (Ok(made), Some(document)) = (done, &state.document) {
                if let Some(wanted) = &mut self.wanted {
                    wanted.open = Some(made.open.clone());
                }
                self.open = Some(made.open);
                self.chart
                    .take(made.laid, state.now(), &document.session.hierarchy);
            }
        }
        let stamps = state.stamps();
        let counting = state.work.is_under_way();
        let seen = Seen {
            stamps: [stamps.document, stamps.run, stamps.left, stamps.blocks],
            revision: self.revision,
            is_counting: counting,
        };
        if self.seen == Some(seen) {
            return;
        }
        let Some(document) = &state.document else {
            self.seen = Some(seen);
            self.chart.clear();
            return;
        };
        // What filters leave has to be counted first.
        self.is_counting = counting && document.is_limited();
        self.seen = Some(seen);
        if self.is_counting {
            return;
        }
        self.follow_structure(document);
        let Some(given) = Given::of(document) else {
            self.chart.clear();
            self.wanted = None;
            return;
        };
        let wanted = Wanted {
            given,
            cut: document.cut.clone(),
            open: self.open.clone(),
            last: self.last,
            by: self.by,
            most: self.most,
            most_lines: self.most_lines,
        };
        if self.wanted.as_ref() == Some(&wanted) {
            return;
        }
        self.wanted = Some(wanted.clone());
        let known = self.chart.known();
        self.job = Some(Job::named(
            "collaboration",
            state.waker(),
            move |progress| making::make(&wanted, known, progress),
        ));
    }

    fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
        let words = self.words(state);
        let document = state.document.as_ref();
        self.chart
            .picture(state, document, surface, words, Marked::default())
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn on(&mut self, ask: ViewAsk, state: &State, asks: &mut Asks) {
        let Some(document) = &state.document else {
            return;
        };
        match ask {
            ViewAsk::ShowAll => self.chart.show_all(),
            ViewAsk::ByModules => {
                // All that the cut leaves unfolded, as far as there is room.
                let hierarchy = &document.session.hierarchy;
                let open = hierarchy
                    .modules()
                    .filter(|&it| !hierarchy.is_leaf(it) && !document.cut.is_collapsed(it));
                self.open = Some(open.collect());
                self.last = None;
                self.revision += 1;
            }
            ViewAsk::Graph(key) => match key {
                GraphKey::More => self.fold_chosen(Some(true), document, asks),
                GraphKey::Less => self.fold_chosen(Some(false), document, asks),
                GraphKey::Toggle => self.fold_chosen(None, document, asks),
                GraphKey::AllMore => self.change_level(true, document),
                GraphKey::AllLess => self.change_level(false, document),
                GraphKey::Width => {
                    self.by = match self.by {
                        By::Cost => By::Calls,
                        By::Calls => By::Cost,
                    };
                    self.revision += 1;
                }
                GraphKey::Rest => self.show_more(),
                GraphKey::Nearer => self.chart.zoom_in_the_middle(1.25),
                GraphKey::Farther => self.chart.zoom_in_the_middle(0.8),
                GraphKey::Left | GraphKey::Right | GraphKey::Up | GraphKey::Down => {
                    self.walk(key, document, asks);
                }
            },
            _ => {}
        }
    }

    fn says_called_often(&self) -> bool {
        true
    }

    fn is_waiting(&self) -> bool {
        self.job.is_some() || self.is_counting
    }

    fn progress(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    fn cancel(&mut self) {
        self.job = None;
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, state: &State) -> usize {
        saved::restore(self, from, state)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(laid) = self.chart.laid() else {
            return;
        };
        let log = serde_json::json!({
            "modules": laid.graph.boxes.len(),
            "frames": laid.graph.frames.len(),
            "relations": laid.graph.lines.len(),
            "moves": self.chart.is_moving(),
        });
        line.insert("collaboration".to_owned(), log);
    }
}
