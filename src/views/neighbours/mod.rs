//! The call neighbourhood of a function: who calls it at its left, whom it calls at its right, in their modules (thesis,
//! section 6.3.3).

mod making;
mod saved;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use serde_json::{Map, Value};

use self::making::Wanted;
use self::view::{NAME, Neighbourhood};
use super::{Entry, Pane, Picture, SavedViews, Surface, View};
use crate::parts::graph::relations::Given;
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::ask::{Asks, GraphKey};
use callscape_state::document::Document;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, Neighbours as OfNeighbours, TimePoint, TimeRange,
};
use callscape_state::panes::{Kind, Purpose, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "neighbours",
        title: "Call neighbourhood",
        key: '&',
        about: "a function with its callers and callees in their modules",
        help: "call neighbourhood: callers and callees of a function",
        kind: Kind::Graph,
        // The call neighbourhood view.
        offers: &[Function, Module, CallRelation],
        answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
        opens_for: &[OfNeighbours],
        purposes: &[Purpose::WhoCalls],
        ..ViewLine::USUAL
    },
    keys: &[],
    open: || Box::new(Neighbourhood::default()),
};

impl View for Neighbourhood {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if let (Some(laid), Some(document)) = (self.base.take(), &state.document) {
            let hierarchy = &document.session.hierarchy;
            self.base.chart.take(laid, state.now(), hierarchy);
        }
        self.base.bring_boxes(ViewId::of(&ENTRY.line), state);
        let stamps = state.stamps();
        let chosen = state.document.as_ref();
        let chosen = chosen.map_or(0, |it| it.selection.chosen_stamp());
        let seen = [stamps.document, stamps.run, stamps.left, chosen];
        let Some(document) = self.base.anew(seen, state) else {
            return;
        };
        if std::mem::replace(&mut self.run, stamps.run) != stamps.run {
            // Functions have other numbers.
            self.middle = None;
            self.further.clear();
            self.chosen = 0;
            self.base.chart.forget();
        }
        self.follow(document);
        let (Some(given), Some(middle)) = (Given::of(document), self.middle) else {
            self.base.clear();
            return;
        };
        let wanted = Wanted {
            given,
            middle,
            steps: self.steps,
            further: self.further.clone(),
            by: self.base.by,
            most: self.base.most,
            is_by_itself: self.is_by_itself,
            has_times: document.playback.is_some(),
        };
        self.base.want(wanted, ("neighbours", state), making::make);
    }

    fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
        let words = self.words(state);
        self.find_running(state);
        let document = state.document.as_ref();
        let running = self.running.marked.clone();
        self.base
            .chart
            .picture(state, document, surface, words, running)
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn show_all(&mut self, _document: &Document) {
        self.base.chart.show_all();
    }

    fn graph_key(&mut self, key: GraphKey, document: &Document, asks: &mut Asks) {
        match key {
            GraphKey::More | GraphKey::Less | GraphKey::Toggle => self.press(key, document),
            GraphKey::AllMore => self.change_steps(1),
            GraphKey::AllLess => self.change_steps(-1),
            key if self.base.press_to_move(key, (document, NAME), asks) => {}
            key => {
                if let Some(pointed) = self.base.press(key, document) {
                    self.choose(pointed, true, asks);
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

    fn save(&self, state: &State, out: &mut SavedViews) {
        saved::save(self, state, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(laid) = self.base.chart.laid() else {
            return;
        };
        let middle = laid.graph.boxes.iter().find(|it| it.is_middle);
        let log = serde_json::json!({
            "middle": middle.map(|it| it.title.as_str()),
            "functions": laid.graph.boxes.len(),
            "relations": laid.graph.lines.len(),
            "steps": self.steps,
            "moves": self.base.chart.is_moving(),
        });
        line.insert("neighbours".to_owned(), log);
    }
}
