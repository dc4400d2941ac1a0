//! What the view knows, and what it does with that.

use super::folding::Open;
use super::making::{Made, Wanted};
use crate::parts::graph::model::Arrangement;
use crate::parts::graph::nesting::{module_at, module_key};
use crate::parts::graph::view::GraphView;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_state::State;
use callscape_state::ask::{Asks, CutAsk};
use callscape_state::document::Document;
use std::sync::Arc;

/// What the list of changes calls the graph.
pub(super) const NAME: &str = "collaboration graph";

/// Lines that are shown unless the user asks for more.
pub(super) const MOST_LINES: u32 = 200;

pub(super) struct Collaboration {
    pub(super) base: GraphView<Wanted, Made>,
    /// What is unfolded; none before anything was shown.
    pub(super) open: Option<Open>,
    pub(super) last: Option<ModuleId>,
    pub(super) most_lines: u32,
    pub(super) arrangement: Arrangement,
    /// What the modules are of.
    pub(super) session: Option<Arc<Session>>,
    /// Paths of unfolded modules from a session file.
    pub(super) restored: Option<Vec<String>>,
}

impl Default for Collaboration {
    fn default() -> Collaboration {
        Collaboration {
            base: GraphView::default(),
            open: None,
            last: None,
            most_lines: MOST_LINES,
            arrangement: Arrangement::default(),
            session: None,
            restored: None,
        }
    }
}

impl Collaboration {
    /// Takes what is unfolded over to another structure, or from a session file.
    pub(super) fn follow_structure(&mut self, document: &Document) {
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
    pub(super) fn set_open(
        &mut self,
        module: ModuleId,
        is_open: bool,
        document: &Document,
        asks: &mut Asks,
    ) {
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
    pub(super) fn change_level(&mut self, is_more: bool, document: &Document) {
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
    pub(super) fn fold_chosen(
        &mut self,
        is_open: Option<bool>,
        document: &Document,
        asks: &mut Asks,
    ) {
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
    pub(super) fn words(&self, state: &State) -> &'static str {
        let words = [
            "Open a recording to see which modules call which.",
            "Counting who calls whom …",
        ];
        self.base.words(state, words, |document, graph| match graph {
            Some(graph) if graph.boxes.is_empty() => match document.is_limited() {
                true => {
                    "No calls remain here in this range: widen the range, or include something again."
                }
                false => "This recording has no calls between functions.",
            },
            Some(graph) if graph.lines.is_empty() => "All calls stay within one module: unfold it.",
            _ => "",
        })
    }
}

pub(super) fn paths_of(session: &Session, open: &Open) -> Vec<String> {
    let hierarchy = &session.hierarchy;
    let open = open
        .iter()
        .filter(|it| **it != ModuleId::ROOT && it.index() < hierarchy.len());
    open.map(|&it| hierarchy.path(it)).collect()
}
