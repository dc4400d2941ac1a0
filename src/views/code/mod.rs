//! The code view: the text of what is chosen with what its lines cost, beside its miniature.
//!
//! Source: section 6.4.1 of Bohnet's thesis, the enriched code view. A line is coloured where executed calls stand in it, by
//! what they cost; on demand it says which calls these are. Beyond the thesis lines are coloured by their own cost where the
//! recording knows which line ran, functions that never ran are pale, and two versions of a text stand beside each other.

mod actions;
mod behind;
mod column_ui;
mod columns;
mod compared;
mod following;
mod keys;
mod marks;
mod miniature;
mod miniature_ui;
mod names_ui;
mod numbers;
mod page;
mod pointing;
mod reading;
mod saved;
mod scrolling;
#[cfg(test)]
mod tests;
mod touched;
mod ui;
mod view;

use serde_json::{Map, Value};

use self::keys::Does;
use self::numbers::Counting;
use self::reading::Reading;
pub use self::view::CodeView;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::kept;
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::ask::{Asks, EditAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::document::source::SourceLine;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{CallRelation, Function, Line};
use callscape_state::panes::{Kind, Needs, Purpose, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "code",
        title: "Code",
        key: '$',
        about: "the source of the selected item, with the cost of each line",
        help: "code: the source of the selected item, with the cost of each line",
        // 80 letters with their costs and the miniature.
        wide: 780.0,
        kind: Kind::Table,
        needs: Needs::Nothing,
        offers: &[Function, CallRelation],
        opens_for: &[Line],
        purposes: &[Purpose::WhatRuns],
        ..ViewLine::USUAL
    },
    keys: keys::KEYS,
    open: || Box::new(CodeView::default()),
};

impl View for CodeView {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        let Some(document) = &state.document else {
            return;
        };
        self.open(document);
        self.own = document.runs.as_ref().map_or(1, |runs| runs.side());
        self.follow(document);
        self.read(state, document);
        self.mark(document);
        let key = self.readings[self.own].key();
        self.touched.update(state, key);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, _document: &Document, asks: &mut Asks) {
        match key {
            TableKey::Enter => asks.extend(self.to_edit().map(EditAsk::Line)),
            key => self.walk(key),
        }
    }

    fn show_line(&mut self, line: SourceLine) {
        self.go_to_line(line);
    }

    fn act(&mut self, own: Own, state: &State, _asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        match does {
            Does::Next => self.step(true),
            Does::Previous => self.step(false),
            Does::Hottest => self.go_to_hottest(),
            Does::Tint => {
                let other = kept::next(self.tint());
                if let Some(document) = &state.document {
                    self.set_tint(other, self.compares, document);
                }
            }
        }
    }

    fn is_waiting(&self) -> bool {
        let reads = self.readings.iter().any(Reading::is_waiting);
        let counts = self.countings.iter().any(Counting::is_waiting);
        reads || counts || self.alignment.is_running()
    }

    fn progress(&self) -> Option<&Progress> {
        let reads = self.readings.iter().find_map(Reading::slow);
        let counts = || self.countings.iter().find_map(Counting::slow);
        reads.or_else(counts).or_else(|| self.alignment.slow())
    }

    fn cancel(&mut self) {
        self.readings.iter_mut().for_each(Reading::stop);
        self.countings.iter_mut().for_each(Counting::stop);
        self.alignment.stop();
    }

    fn save(&self, state: &State, out: &mut SavedViews) {
        saved::save(self, state, out);
    }

    fn save_habits(&self, out: &mut SavedViews) {
        saved::save_habits(self, out);
    }

    fn restore(&mut self, from: &SavedViews, state: &State) -> usize {
        saved::restore(self, from, state)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        if self.file.is_none() {
            return;
        }
        let log = serde_json::json!({
            "lines": self.page(self.own).map(|page| page.text.lines()),
            "caret": self.caret.map(|(_, line)| line),
            "top": self.scroll.top().round(),
            "colours": self.tint().title(),
            "marked": self.marks[1].lines.len(),
        });
        line.insert("code".to_owned(), log);
    }
}
