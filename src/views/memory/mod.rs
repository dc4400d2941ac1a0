//! The memory view: what lives when, whose it is, how old it gets, and the objects behind it.
//!
//! After AVID ("Visualizing dynamic software system information through high-level models"), sections 2.1 to 2.3: along
//! time what is consumed, allocated and temporary; below it a row for each module, function, context or type, with what it
//! has allocated and released to date and a histogram of ages; in the summary view when it allocated and how old its
//! objects got. A bar or bin leads to the objects behind it.

mod allocations;
mod along;
mod asking;
mod chart;
mod choice;
mod figures;
mod groups;
mod keys;
mod legend;
mod list_ui;
mod listing;
mod painting;
mod peaks;
mod saved;
mod sums;
mod table;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use serde_json::{Map, Value};

use self::choice::{By, Mode};
use self::figures::Ages;
use self::keys::{Does, KEYS};
pub(crate) use self::view::FIELD;
pub(crate) use self::view::MemoryView;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::along_time;
use crate::parts::kept::next;
use callscape_base::progress::Progress;
use callscape_facts::memory::{Known, Memory};
use callscape_state::State;
use callscape_state::ask::{Asks, CameraAsk, PlayAsk, SelectAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Function, Module, TimePoint, TimeRange as Range};
use callscape_state::panes::{Kind, Needs, Purpose, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "memory",
        title: "Memory",
        key: '*',
        about: "live memory over time, its owners and its age",
        help: "memory: live memory over time, its owners and its age",
        kind: Kind::Table,
        needs: Needs::Memory,
        offers: &[Function, Module, TimePoint, Range],
        answers: &[Function, Module, TimePoint, Range],
        purposes: &[Purpose::Memory],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(MemoryView::default()),
};

impl MemoryView {
    /// Brings what was chosen elsewhere into sight.
    fn follow(&mut self, document: &Document) {
        let stamp = document.selection.chosen_stamp();
        if std::mem::replace(&mut self.chosen, stamp) == stamp {
            return;
        }
        let chosen = document.selection.chosen;
        let is_own = self.chosen_row.is_some_and(|group| {
            let pointed = self.groups.all.get(group as usize).map(|it| it.pointed);
            pointed.is_some_and(|it| document.complete(it) == chosen)
        });
        if is_own {
            return;
        }
        self.chosen_row = None;
        let meant = document.meant(&chosen);
        let found = self.rows.iter().position(|row| {
            let group = self.groups.all.get(row.group as usize);
            group.is_some_and(|it| table::is_meant(document, &meant, &it.pointed))
        });
        self.at.to_show = found.or(self.at.to_show);
    }
}

impl View for MemoryView {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        self.exporting.tell(asks);
        let Some(document) = &state.document else {
            return;
        };
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        self.open(document);
        let Some(memory) = document.memory() else {
            return;
        };
        self.group(state, document);
        if memory.timed().is_some()
            && let Some(recording) = &self.recording
        {
            self.along.update(recording, state);
        }
        let Some(events) = memory.events() else {
            match &memory.known {
                Known::Allocations(of) => self.update_allocations(state, document, of),
                _ => self.update_sums(memory),
            }
            self.follow(document);
            return;
        };
        let edges = self.edges(document, events);
        self.look(state, events, MemoryView::range(document, events));
        if self.has_groups() {
            self.update_rows(document, events, &edges);
            if !MemoryView::is_sampled(document) {
                self.count(state, document, events, edges);
            }
            self.update_list(state, document);
        }
        self.follow(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, document: &Document, asks: &mut Asks) {
        let at = self.chosen_row.and_then(|group| self.place_of(group));
        let to = self.at.place(key, at, self.rows.len());
        let Some(row) = to.and_then(|to| self.rows.get(to)).copied() else {
            return;
        };
        let Some(group) = self.groups.all.get(row.group as usize) else {
            return;
        };
        let pointed = group.pointed;
        self.chosen_row = Some(row.group);
        self.at.to_show = to;
        asks.push(SelectAsk::Walk(pointed));
        if key == TableKey::Enter {
            self.list_row(document, row.group);
            asks.extend(pointed.module.map(CameraAsk::FlyIfSeen));
        }
    }

    fn show_all(&mut self, document: &Document) {
        if let Some(whole) = along_time::whole(document) {
            self.along.set_visible(whole);
        }
    }

    fn show_range(&mut self, document: &Document) {
        self.show_all(document);
    }

    fn by_modules(&mut self, _document: &Document) {
        self.choice.by = By::Module;
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        let (Some(does), Some(document)) = (own.action::<Does>(), &state.document) else {
            return;
        };
        match does {
            Does::Rows => self.choice.by = next(self.choice.by),
            Does::Mode => {
                let mode = match next(self.choice.mode) {
                    Mode::Peaks if self.groups.peaks.is_none() => next(Mode::Peaks),
                    mode => mode,
                };
                self.choice.set_mode(mode);
            }
            Does::Peak => {
                let events = document.memory().and_then(Memory::events);
                asks.extend(events.map(|events| PlayAsk::Seek(events.peak().1)));
            }
            Does::Living
            | Does::Created
            | Does::Released
            | Does::Temporary
            | Does::OfRange
            | Does::AtPeak => self.list_of_menu(document, does),
        }
    }

    fn field(&self) -> Option<&'static str> {
        Some(FIELD)
    }

    fn is_waiting(&self) -> bool {
        self.along.is_waiting()
            || self.owners.is_running()
            || self.grouping.is_running()
            || self.temporary.is_running()
            || self.outcomes.is_running()
            || self.ages.is_running()
            || self.patterns.is_running()
            || self.list.is_running()
            || self.exporting.is_running()
    }

    fn progress(&self) -> Option<&Progress> {
        let exporting = self.exporting.progress();
        let found = exporting.or(self.list.slow()).or(self.outcomes.slow());
        found.or(self.patterns.slow()).or(self.temporary.slow())
    }

    fn cancel(&mut self) {
        self.exporting.stop();
        self.list.stop();
        self.outcomes.stop();
        self.patterns.stop();
        self.temporary.stop();
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(&self.choice, out);
    }

    fn save_habits(&self, out: &mut SavedViews) {
        saved::save(&self.choice, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        let (choice, lost) = saved::restore(from);
        self.choice = choice;
        lost
    }

    fn log(&self, line: &mut Map<String, Value>) {
        line.insert("memory_rows".to_owned(), self.rows.len().into());
        let listed = self.list.last().map(|(_, list)| list.counted);
        line.insert("objects_listed".to_owned(), listed.into());
    }
}
