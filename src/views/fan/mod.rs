//! The compacted call tree: packages, classes and functions as discs of a fan, each as detailed as is asked for.

mod compacted;
mod differences;
mod discs;
mod keys;
mod noting;
mod painting;
mod saved;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_branches;
mod ui;
mod view;

use std::sync::Arc;

use compacted::{Compacted, tree};
use discs::Discs;
use glam::Vec2;
use serde_json::{Map, Value};

use self::keys::{Does, KEYS};
use self::view::Colour;
pub(crate) use self::view::Fan;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::contexts::ShownContexts;
use callscape_analysis::compaction::{Compaction, Direction, Names};
use callscape_base::progress::Progress;
use callscape_facts::contexts::Merge;
use callscape_layout::hue_ranges;
use callscape_layout::hues::Hues;
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Function, Module};
use callscape_state::panes::{ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "fan",
        title: "Compacted call tree",
        key: '#',
        about: "the call tree between packages, classes or functions, each expanded in place",
        help: "compacted call tree: packages, classes or functions, expanded in place",
        offers: &[Function, Module],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(Fan::default()),
};

impl Fan {
    /// Begins to compact what was counted.
    fn begin(&mut self, state: &State, document: &Document, shown: &Arc<ShownContexts>) {
        let shown = Arc::clone(shown);
        let session = Arc::clone(&document.session);
        let recording = document.recording();
        let levels = self
            .restored
            .take()
            .and_then(|runs| saved::levels(&runs, shown.contexts.len()));
        self.hues = Hues::new(&session.hierarchy);
        self.changing = None;
        self.making = Some(Job::named("compaction", state.waker(), move |progress| {
            progress.start("compacting the call tree", 0);
            let resolved = session.recordings.get(recording);
            let modules = resolved.map_or(&[][..], |it| &it.resolution.modules);
            let called = |it| resolved.map_or("", |of| of.recording.functions.get(it).name);
            let names = Names::new(&session.hierarchy, modules, called);
            progress.check()?;
            let of = tree(&shown, &names);
            // The paper's tool starts fully compacted.
            let compaction = match levels {
                Some(levels) => Compaction::with(of, levels),
                None => Compaction::new(of, 1),
            };
            progress.check()?;
            Ok(Compacted {
                compaction: Arc::new(compaction),
                hues: hue_ranges::of_tree(names.parents()),
                names: Arc::new(names),
                shown,
            })
        }));
    }
}

impl View for Fan {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if self.zoom == 0.0 {
            self.zoom = 1.0;
        }
        let is_new = self.counted.update(state, Merge::Paths);
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown().cloned()) else {
            (self.compacted, self.making, self.changing) = (None, None, None);
            return;
        };
        if let Some(own) = self.noted.brought(ViewId::of(&ENTRY.line), state) {
            saved::bring(self, own.kept());
        }
        let is_asked = self.restored.is_some() && self.making.is_none();
        if is_new || is_asked {
            self.begin(state, document, &shown);
        }
        if let Some(done) = self.making.as_ref().and_then(Job::poll) {
            self.making = None;
            if let Ok(compacted) = done {
                self.said = None;
                let collapsed = std::mem::take(&mut self.collapsed);
                match &self.compacted {
                    Some(before) if Arc::ptr_eq(&before.shown, &compacted.shown) => {
                        self.discs.collapsed = collapsed;
                        let (old, new) = (&before.compaction, &compacted.compaction);
                        self.discs.follow_all(old, new, compacted.tree());
                    }
                    _ => {
                        self.discs =
                            Discs::new(&compacted.compaction, collapsed, self.discs.revision)
                    }
                }
                self.compacted = Some(compacted);
            }
        }
        if let Some(changing) = &self.changing
            && let Some(done) = changing.job.poll()
        {
            let direction = changing.direction;
            self.changing = None;
            if let Ok(done) = done {
                self.take_all(done, direction, document, asks);
            }
        }
        if let Some(of) = self
            .compacted
            .as_ref()
            .filter(|_| self.colour == Colour::Difference)
        {
            self.differences.find(of, &self.discs, document);
        }
        self.mark(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        let (Some(does), Some(document)) = (own.action::<Does>(), &state.document) else {
            return;
        };
        let mut change_one = |direction: Direction, asks: &mut Asks| {
            if let Some(at) = self.chosen_disc() {
                let disc = &self.discs.all[at];
                let (node, first) = (disc.node, disc.first);
                self.focus = Some(first);
                self.change_noted(node, direction, document, asks);
            }
        };
        match does {
            Does::MoreOfOne => change_one(Direction::Expand, asks),
            Does::LessOfOne => change_one(Direction::Compact, asks),
            Does::Collapse | Does::Open => {
                let at = self.chosen_disc();
                let disc = at.map(|it| self.discs.all[it]);
                if let Some(disc) = disc.filter(|it| (it.hidden == 0) == (does == Does::Collapse)) {
                    self.toggle_noted(&disc, document, asks);
                }
            }
            Does::More => self.change_all(Direction::Expand, state, document, asks),
            Does::Less => self.change_all(Direction::Compact, state, document, asks),
            Does::Next => self.walk(1, document, asks),
            Does::Previous => self.walk(-1, document, asks),
            Does::Nearer => self.zoom_by(1.25),
            Does::Farther => self.zoom_by(1.0 / 1.25),
        }
    }

    fn show_all(&mut self, _document: &Document) {
        (self.zoom, self.pan) = (1.0, Vec2::ZERO);
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting() || self.making.is_some() || self.changing.is_some()
    }

    fn progress(&self) -> Option<&Progress> {
        let making = self.making.as_ref().and_then(Job::slow);
        let changing = self.changing.as_ref().and_then(|it| it.job.slow());
        self.counted.progress().or(making).or(changing)
    }

    fn cancel(&mut self) {
        self.changing = None;
    }

    crate::parts::kept::by_saved!();

    fn log(&self, line: &mut Map<String, Value>) {
        if self.compacted.is_none() {
            return;
        }
        let marked = self.discs.all.iter().filter(|it| it.is_marked[1]);
        let log = serde_json::json!({
            "discs": self.discs.all.len(),
            "zoom": self.zoom,
            "colour": self.colour.title(),
            "collapsed": self.discs.all.iter().filter(|it| it.hidden > 0).count(),
            "hidden": self.discs.all.iter().map(|it| it.hidden).sum::<u32>(),
            "chosen": marked.count(),
            "said": self.said,
        });
        line.insert("fan".to_owned(), log);
    }
}
