//! All that is remarkable about one run, as sentences.

mod keys;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use self::keys::{Does, KEYS};
use self::view::FindingsView;
use super::{Entry, Pane, View};
use crate::parts::remarks;
use crate::parts::rows;
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, PaneAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Function, Module};
use callscape_state::panes::{Kind, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "findings",
        title: "Findings",
        key: '^',
        about: "findings about the run, in sentences",
        help: "findings: hot functions, repeated work and more",
        in_scenes: "Findings about one recording, in sentences.",
        kind: Kind::Table,
        // What a click opens comes to the right: the list stays to be seen.
        side: Side::Below,
        // Not in the thesis: it has no findings.
        offers: &[Function, Module],
        answers: &[],
        purposes: &[Purpose::GoingOn],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(FindingsView::default()),
};

impl View for FindingsView {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        self.remarks.update(state);
        if self.presents && !self.remarks.is_waiting() {
            self.presents = false;
            asks.push(Ask::Present(self.remarks.found.clone()));
        }
        let finding = self
            .to_click
            .take()
            .and_then(|it| self.remarks.found.get(it));
        asks.extend(finding.into_iter().flat_map(|it| remarks::show(it, state)));
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        if let Some(Does::Present) = own.action() {
            self.presents = true;
            let view = ViewId::of(&ENTRY.line);
            if !state.panes.is_visible(view) {
                asks.push(PaneAsk::Toggle(view));
            }
        }
    }

    fn press(&mut self, key: TableKey, _document: &Document, _asks: &mut Asks) {
        let rows = self.remarks.found.len();
        self.at = rows::place(key, self.at, rows, rows);
        self.to_show = self.at;
        self.to_click = self.at;
    }

    fn is_waiting(&self) -> bool {
        self.remarks.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.remarks.slow()
    }
}
