//! The ring chart of calling contexts: what is called lies around what calls it, as large as what it costs.

mod drawing;
mod keys;
mod lettering;
mod roots;
mod saved;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::keys::{Does, KEYS};
pub(crate) use self::view::Rings;
use self::view::{STACK_PAGE, sizing_title};
use super::{Entry, Pane, SavedViews, View};
use crate::parts::context_chart::amount::Amount;
use crate::parts::context_query::Query;
use crate::parts::hits::Hits;
use crate::parts::kept;
use callscape_base::progress::Progress;
use callscape_layout::hues::Hues;
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{CallRelation, Function};
use callscape_state::panes::{Purpose, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "rings",
        title: "Ring chart",
        key: '0',
        about: "calling contexts as rings: callees around their callers",
        help: "ring chart: callees around their callers",
        offers: &[Function, CallRelation],
        purposes: &[Purpose::TimeGoes, Purpose::Memory],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(Rings::default()),
};

impl View for Rings {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        self.take_recording(state.document.as_ref());
        if self
            .counted
            .update_below(state, self.merge, self.roots.now())
        {
            let of = state.document.as_ref().map(|it| &it.session.hierarchy);
            self.hues = of.map(Hues::new).unwrap_or_default();
            (self.root, self.found, self.way) = (None, None, None);
            if let Some(shown) = self.counted.shown() {
                self.root = self.roots.place(shown);
            }
        }
        if !self.counted.is_waiting()
            && let Some(shown) = self.counted.shown()
            && let Some((root, of)) = self.restored.0.take()
            && (self.roots.now().is_empty() && shown.contexts.len() == of && root.index() < of)
        {
            self.set_root(Some(root));
        }
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown()) else {
            return;
        };
        Hits::find_both(&mut self.hits, document, shown);
        let query = Query::new(&self.query, &Amount::named(shown));
        let key = Arc::as_ptr(shown) as usize;
        let is_known = |it: &(usize, Query, Vec<bool>, usize)| it.0 == key && it.1 == query;
        if query.is_empty() {
            self.found = None;
        } else if !self.found.as_ref().is_some_and(is_known) {
            let found = query.find(document, shown);
            let count = found.iter().filter(|it| **it).count();
            self.found = Some((key, query, found, count));
        }
        self.follow(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, _state: &State, _asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        match does {
            Does::Sizing => self.sizing = kept::next(self.sizing),
            Does::Out => self.step(true),
            Does::In => self.step(false),
            Does::Root => self.set_root(self.menu_of),
            Does::Deeper => self.change_rings(1),
            Does::Shallower => self.change_rings(-1),
            Does::StackDown => self.stack.1 += STACK_PAGE,
            Does::StackUp => self.stack.1 -= STACK_PAGE,
        }
    }

    fn show_all(&mut self, _document: &Document) {
        self.set_root(None);
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.counted.progress()
    }

    crate::parts::kept::by_saved!();

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(shown) = self.counted.shown() else {
            return;
        };
        let log = serde_json::json!({
            "contexts": shown.contexts.len(),
            "segments": self.chart.segments.len(),
            "root": self.root.map(|it| it.0),
            "roots": self.roots.count(),
            "middle": self.middle(shown).map(|it| it.0),
            "rings": self.rings,
            "sized": sizing_title(self.sizing),
            "size": self.size(shown).title(shown),
            "found": self.found.as_ref().map(|it| it.3),
            "chosen": self.hits[1].count(),
        });
        line.insert("rings".to_owned(), log);
    }
}
