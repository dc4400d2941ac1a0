//! What is done to discs, as the list of changes has it.

use std::sync::Arc;

use super::compacted::tree;
use super::discs::Disc;
use super::saved;
use super::view::{AT_ONCE, Changing, Fan, displayed};
use callscape_analysis::compaction::{Blocked, Compaction, Direction, NodeId};
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::job::Job;

impl Fan {
    /// Does something to discs, and notes it in words for the list of changes.
    fn note(&mut self, words: String, asks: &mut Asks, does: impl FnOnce(&mut Fan)) {
        let before = saved::numbers(self);
        does(self);
        let both = [before, saved::numbers(self)];
        let words = format!("{words} in the compacted call tree");
        self.noted.note(words, both, asks);
    }

    /// Shows one disc in more or less detail, which can be undone.
    pub(super) fn change_noted(
        &mut self,
        node: NodeId,
        direction: Direction,
        document: &Document,
        asks: &mut Asks,
    ) {
        let words = match direction {
            Direction::Expand => "Expanded",
            Direction::Compact => "Compacted",
        };
        let words = format!("{words} {}", self.name(node, document));
        self.note(words, asks, |it| it.change(node, direction, document));
    }

    fn name(&self, node: NodeId, document: &Document) -> String {
        let of = self.compacted.as_ref();
        of.map_or_else(String::new, |of| {
            displayed(document, &of.names, of.compaction.name(node))
        })
    }

    /// Collapses the branch below a disc, or opens it again, which can be undone.
    pub(super) fn toggle_noted(&mut self, disc: &Disc, document: &Document, asks: &mut Asks) {
        let words = if disc.hidden > 0 {
            "Opened"
        } else {
            "Collapsed"
        };
        let words = format!("{words} {}", self.name(disc.node, document));
        self.note(words, asks, |it| it.toggle(disc));
    }

    pub(super) fn change_all(
        &mut self,
        direction: Direction,
        state: &State,
        document: &Document,
        asks: &mut Asks,
    ) {
        let Some(of) = &self.compacted else {
            return;
        };
        if self.changing.is_some() {
            return;
        }
        if of.shown.contexts.len() <= AT_ONCE {
            let done = of.compaction.all_changed(of.tree(), direction);
            self.take_all(done, direction, document, asks);
            return;
        }
        let (shown, names) = (Arc::clone(&of.shown), Arc::clone(&of.names));
        let compaction = Arc::clone(&of.compaction);
        let job = Job::named("compaction", state.waker(), move |progress| {
            progress.start("compacting the call tree", 0);
            let done = compaction.all_changed(tree(&shown, &names), direction);
            progress.check()?;
            Ok(done)
        });
        self.changing = Some(Changing { job, direction });
    }

    pub(super) fn take_all(
        &mut self,
        done: Result<Compaction, Blocked>,
        direction: Direction,
        document: &Document,
        asks: &mut Asks,
    ) {
        let words = match direction {
            Direction::Expand => "Expanded all",
            Direction::Compact => "Compacted all",
        };
        self.note(words.to_owned(), asks, |it| {
            it.show_changed(done, direction, document)
        });
    }
}
