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
mod view;

use serde_json::{Map, Value};

use self::making::Wanted;
use self::view::{Collaboration, NAME};
use super::{Entry, Pane, Picture, SavedViews, Surface, View};
use crate::parts::graph::marks::Marked;
use crate::parts::graph::relations::Given;
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::ask::{Asks, GraphKey, SelectAsk};
use callscape_state::document::Document;
use callscape_state::panes::Artifact::{CallRelation, Function, Module};
use callscape_state::panes::{Kind, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "collaboration",
        title: "Collaboration",
        key: '%',
        about: "which modules call which, as a graph that unfolds in place",
        help: "collaboration: which modules call which",
        side: Side::Centre,
        kind: Kind::Graph,
        // The collaboration view; the thesis has it answer what is selected elsewhere, too.
        offers: &[Function, Module, CallRelation],
        purposes: &[Purpose::WhoCalls],
        ..ViewLine::USUAL
    },
    keys: &[],
    open: || Box::new(Collaboration::default()),
};

impl View for Collaboration {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if let (Some(made), Some(document)) = (self.base.take(), &state.document) {
            if let Some(wanted) = &mut self.base.wanted {
                (wanted.open, wanted.most) = (Some(made.open.clone()), made.most);
            }
            if self.open.is_none() {
                self.base.most = made.most;
            }
            self.open = Some(made.open);
            let hierarchy = &document.session.hierarchy;
            self.base.chart.take(made.laid, state.now(), hierarchy);
        }
        self.base.bring_boxes(ViewId::of(&ENTRY.line), state);
        let stamps = state.stamps();
        let stamps = [stamps.document, stamps.run, stamps.left, stamps.blocks];
        let Some(document) = self.base.anew(stamps, state) else {
            return;
        };
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
            arrangement: self.arrangement,
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
            key if self.base.press_to_move(key, (document, NAME), asks) => {}
            key => {
                let walked = self.base.press(key, document);
                asks.extend(walked.map(SelectAsk::Walk));
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

    crate::parts::kept::by_saved!();

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(laid) = self.base.chart.laid() else {
            return;
        };
        let log = serde_json::json!({
            "modules": laid.graph.boxes.len(),
            "frames": laid.graph.frames.len(),
            "relations": laid.graph.lines.len(),
            "layout": laid.graph.arrangement.title(),
            "moves": self.base.chart.is_moving(),
        });
        line.insert("collaboration".to_owned(), log);
    }
}
