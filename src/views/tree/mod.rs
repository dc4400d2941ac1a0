//! The calling contexts as a table whose rows open: what is called in what, the hottest first; or the other way round,
//! who calls what costs; or all callers above one function and all callees below it.

mod forest;
mod keys;
mod saved;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use serde_json::{Map, Value};

use self::forest::Mode;
use self::keys::{Does, KEYS};
pub(crate) use self::view::FIELD;
use self::view::Opened;
pub(crate) use self::view::Tree;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::hits::Hits;
use callscape_base::progress::Progress;
use callscape_base::units::ContextId;
use callscape_facts::contexts::Merge;
use callscape_state::State;
use callscape_state::ask::{Asks, CameraAsk, SelectAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{CallRelation, Function};
use callscape_state::panes::{Kind, Purpose, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "tree",
        title: "Call tree",
        key: '9',
        about: "calling contexts as a table: callees and callers",
        help: "call tree as a table: the hottest first, callers, callees",
        kind: Kind::Table,
        offers: &[Function, CallRelation],
        purposes: &[Purpose::TimeGoes],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(Tree::default()),
};

impl View for Tree {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        let merge = match (self.by_call_site, self.merges_recursion) {
            (true, _) => Merge::CallSites,
            (false, true) => Merge::Recursion,
            (false, false) => Merge::Paths,
        };
        let is_new = self.counted.update(state, merge);
        if is_new {
            self.make();
        }
        if let Some(own) = self.noted.brought(ViewId::of(&ENTRY.line), state)
            && let [of, contexts @ ..] = own.kept()
        {
            self.restored = Some(Opened {
                of: *of as usize,
                contexts: contexts.to_vec(),
            });
        }
        if !self.counted.is_waiting()
            && let Some(forest) = self.forest.as_mut()
            && let Some(opened) = self.restored.take()
            && forest.shown().contexts.len() == opened.of
        {
            let contexts: Vec<ContextId> = opened.contexts.into_iter().map(ContextId).collect();
            forest.open_alone(&contexts);
        }
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown()) else {
            return;
        };
        Hits::find_both(&mut self.hits, document, shown);
        if is_new {
            self.chosen = 0;
        }
        self.follow(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, document: &Document, asks: &mut Asks) {
        let Some(forest) = &self.forest else {
            return;
        };
        let at = self.place();
        if key == TableKey::Enter && !self.query.is_empty() {
            return self.find_next(document, asks);
        }
        let rows = forest.rows().len();
        let to = self.at.place(key, at, rows);
        let Some(node) = to.and_then(|to| forest.at(to)) else {
            return;
        };
        let function = forest.node(node).function;
        self.choose(node, SelectAsk::Walk, document, asks);
        if key == TableKey::Enter {
            asks.extend(document.module_of(function).map(CameraAsk::FlyTo));
        }
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        let (Some(does), Some(document)) = (own.action::<Does>(), &state.document) else {
            return;
        };
        let at = self.place().unwrap_or(0);
        let Some(node) = self.forest.as_ref().and_then(|it| it.at(at)) else {
            return;
        };
        let to = match does {
            Does::Open => self.note(("Opened", node), document, asks, |it| {
                match it.change(node, true) {
                    true => Some(node),
                    false => it.at(at + 1),
                }
            }),
            Does::Close => self.note(("Closed", node), document, asks, |it| {
                match it.change(node, false) {
                    true => Some(node),
                    false => it.parent(node),
                }
            }),
            Does::Hottest => {
                let words = "Opened the hottest way below";
                self.note((words, node), document, asks, |it| {
                    Some(it.open_hottest(node))
                })
            }
            Does::Invert => {
                return self.set_mode(match self.mode {
                    Mode::Callers => Mode::Calls,
                    _ => Mode::Callers,
                });
            }
            Does::Sandwich => {
                let chosen = document.selection.chosen.function;
                let own = self.forest.as_ref().map(|it| it.node(node).function);
                let Some(function) = chosen.or(own) else {
                    return;
                };
                return self.set_mode(match self.mode {
                    Mode::Sandwich(_) => Mode::Calls,
                    _ => Mode::Sandwich(function),
                });
            }
        };
        if let Some(to) = to.flatten() {
            self.choose(to, SelectAsk::Walk, document, asks);
        }
    }

    fn field(&self) -> Option<&'static str> {
        Some(FIELD)
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.counted.progress()
    }

    crate::parts::kept::by_saved!();

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(forest) = &self.forest else { return };
        let context = self.row.and_then(|row| forest.context(row));
        let log = serde_json::json!({
            "rows": forest.rows().len(),
            "place": self.place(),
            "context": context.map(|it| it.0),
            "chosen": self.hits[1].count(),
        });
        line.insert("tree".to_owned(), log);
    }
}
