//! The calls of the selected item, listed.

mod list;
mod ui;
mod view;

use std::sync::Arc;

use serde_json::{Map, Value};

pub use self::list::{CallList, CallRow, MOST};
pub use self::view::Calls;
use self::view::pointed_at;
use super::{Entry, Pane, View};
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_model::calls::CallsOf;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, CameraAsk, PlayAsk, SelectAsk, TableKey, ViewAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, TimePoint, TimeRange as Range,
};
use callscape_state::panes::{Kind, Needs, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "calls",
        title: "Calls",
        key: '5',
        about: "the calls of the selected item",
        help: "calls of the selected item",
        kind: Kind::Table,
        needs: Needs::Times,
        // Not in the thesis: details on demand, by the calls themselves.
        offers: &[Function, Call, TimePoint],
        answers: &[Function, Module, Call, CallRelation, TimePoint, Range],
        // The calls behind an arc are what people click it for.
        opens_for: &[CallRelation],
        ..ViewLine::USUAL
    },
    keys: &[],
    open: || Box::new(Calls::default()),
};

impl View for Calls {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        self.exporting.tell(asks);
        if std::mem::replace(&mut self.run, state.stamps().run) != state.stamps().run {
            // What was found out is of the calls of the other run.
            self.list = None;
            self.list_of = None;
            self.listing = None;
            self.listed_for = None;
        }
        if let Some(listed) = self.listing.as_ref().and_then(Job::poll) {
            self.listing = None;
            if let Ok(list) = listed {
                self.list = Some(Arc::new(list));
                let document = state.document.as_ref();
                self.show_chosen(document.and_then(|it| it.selection.chosen.call));
            }
        }
        let Some(document) = &state.document else {
            return;
        };
        self.follow(document);
        if state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            self.begin(state, document);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, document: &Document, asks: &mut Asks) {
        let Some(list) = self.list.clone() else {
            return;
        };
        let chosen = document.selection.chosen;
        let at = chosen.call.and_then(|call| list.place_of(call));
        let to = self.at.place(key, at, list.len());
        let Some(row) = to.and_then(|to| list.row(to)) else {
            return;
        };
        let pointed = pointed_at(document, row);
        self.choose(pointed, SelectAsk::Walk, asks);
        asks.push(PlayAsk::Seek(row.start));
        if key == TableKey::Enter {
            asks.push(Ask::View(None, ViewAsk::Fit(row.of())));
            asks.extend(pointed.module.map(CameraAsk::FlyIfSeen));
        } else {
            asks.push(Ask::View(None, ViewAsk::Reveal(row.of())));
        }
    }

    fn show_all(&mut self, _document: &Document) {
        self.list_of = self.list_of.or(Some(CallsOf::Module(ModuleId::ROOT)));
    }

    fn is_waiting(&self) -> bool {
        self.listing.is_some() || self.exporting.is_running()
    }

    fn progress(&self) -> Option<&Progress> {
        self.exporting.progress()
    }

    fn cancel(&mut self) {
        self.exporting.stop();
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let listed = self.list.as_ref().map(|list| list.counted());
        line.insert("listed".to_owned(), listed.into());
    }
}
