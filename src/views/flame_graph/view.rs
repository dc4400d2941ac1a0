//! The flame graph: what it is to the window.

use serde_json::{Map, Value};

use super::choice::{Callees, Order};
use super::functions::Functions;
use super::graph::FlameGraph;
use super::keys::{Does, KEYS};
use super::making::At;
use super::marks::{Marks, meant};
use super::saved;
use super::searching::Search;
use super::ui;
use crate::parts::context_chart::amount::Amount;
use crate::parts::context_query::Query;
use crate::parts::kept;
use crate::{Entry, Pane, SavedViews, View};
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::Function;
use callscape_state::panes::{Purpose, Side as Place, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "flame-graph",
        title: "Flame graph",
        key: '!',
        about: "merged stacks of calling contexts, as wide as what they cost",
        help: "flame graph: merged stacks",
        side: Place::Below,
        offers: &[Function],
        purposes: &[Purpose::Memory],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(FlameGraph::default()),
};

impl View for FlameGraph {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        let is_other = self.counted.update(state, self.choice.merge);
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown().cloned()) else {
            self.making.clear();
            return;
        };
        if is_other {
            self.before.clear();
            self.sides.iter_mut().for_each(|it| it.set(None));
            let functions = Functions::new(document);
            let made = self.making.made();
            if made.is_some_and(|it| !it.functions.is_alike(&functions)) {
                self.focus = None;
                self.making.clear();
            }
        }
        let is_new = self
            .making
            .update(state, document, &shown, &self.choice, self.focus);
        self.take_made(is_new);
        if is_new && !self.making.is_waiting() {
            self.take_restored();
        }
        let Some(made) = self.making.made() else {
            return;
        };
        let chosen = &document.selection.chosen;
        let way = document.chosen_way();
        if !self.chosen.is_of(made, chosen, way) {
            let context = way.and_then(|_| {
                self.hits.find(document, &made.shown, chosen, way);
                (self.hits.count() == 1).then(|| self.hits.largest(&made.shown))?
            });
            self.chosen = Marks::new(made, (chosen, way), |side, node| {
                match context.filter(|_| made.focus.is_none()) {
                    Some(context) => made.context(side, node) == Some(context),
                    None => meant(made, chosen, (side, node)),
                }
            });
            let is_chosen = |at: At| self.chosen.holds(at.0, at.1);
            self.cursor = self.cursor.filter(|it| is_chosen(*it));
            self.follow(document);
        }
        let known = Amount::of_stacks(&shown);
        let query = Query::new(&self.query, &known);
        let Some(made) = self.making.made() else {
            return;
        };
        if query.is_empty() {
            self.search = None;
        } else if !self
            .search
            .as_ref()
            .is_some_and(|it| it.is_of(made, &query))
        {
            self.search = Some(Search::new(made, query));
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, _state: &State, asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        let outwards = match self.choice.callees {
            Callees::Below => -1,
            Callees::Above => 1,
        };
        let of = self.menu_of.take().or_else(|| self.cursor());
        match does {
            Does::Up => self.step(outwards, 0, asks),
            Does::Down => self.step(-outwards, 0, asks),
            Does::Left => self.step(0, -1, asks),
            Does::Right => self.step(0, 1, asks),
            Does::Zoom => of.into_iter().for_each(|of| self.zoom_to(of)),
            Does::Back => self.back(),
            Does::Larger => self.zoom(0, self.last.0 * 0.5, 1.5),
            Does::Smaller => self.zoom(0, self.last.0 * 0.5, 1.0 / 1.5),
            Does::Around => {
                let made = self.making.made();
                let key = of
                    .zip(made)
                    .map(|((side, node), made)| made.sides[side].key(node));
                self.set_focus(key.filter(|_| self.focus != key));
            }
            Does::Everything => self.set_focus(None),
            Does::Order => self.choice.order = kept::next::<Order>(self.choice.order),
            Does::Turn => self.choice.callees = kept::next::<Callees>(self.choice.callees),
        }
    }

    fn show_all(&mut self, _document: &Document) {
        self.show_whole();
        self.set_focus(None);
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting() || self.making.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.counted.progress().or(self.making.progress())
    }

    crate::parts::kept::by_saved!();

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(made) = self.making.made() else {
            return;
        };
        let bars = || self.sides.iter().map(|it| &it.bars);
        let name = |key: u32| made.functions.title(key).into_owned();
        let cursor = self
            .cursor
            .map(|(side, node)| name(made.sides[side].key(node)));
        let log = serde_json::json!({
            "contexts": made.shown.contexts.len(),
            "stacks": made.sides[0].forest.len(),
            "bars": bars().map(|it| it.bars.len()).sum::<usize>(),
            "too_small": bars().map(|it| it.too_small).sum::<u64>(),
            "seen": self.sides[0].range(),
            "function": made.focus.map(name),
            "cursor": cursor,
            "found": self.search.as_ref().map(Search::count),
            "chosen": self.chosen.count(),
            "order": self.choice.order.title(),
            "callees": self.choice.callees.title(),
        });
        line.insert(ENTRY.line.id.to_owned(), log);
    }
}
