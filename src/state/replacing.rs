//! Another document in place of the one that is shown: the one way to it, so that nothing made of the one before is
//! read as if it were of the new one.

use super::State;
use super::ask::ViewAsk;
use super::document::Document;
use super::made::Generation;
use super::message::Message;
use callscape_base::escape;

impl State {
    /// Shows a document. What was made of the one before is gone with it, or out of reach ([`super::made`]).
    pub(super) fn put(&mut self, document: Document) {
        let before = self.document.replace(document);
        self.tell_gone(before.as_ref());
        // Where two follow each other in one frame, views are of the first still.
        self.replaced = self.replaced.take().or(before);
        self.stamps.document += 1;
        self.view_asks.retain(|(_, ask)| !ask.names_ids());
        self.detail_seen = None;
        if self.search.is_open {
            let query = std::mem::take(&mut self.search.query);
            self.search_for(query);
        }
        self.show_chosen();
    }

    /// Tells what steps of leaving out are about that is no longer there.
    fn tell_gone(&mut self, before: Option<&Document>) {
        let known = before.map_or(&[][..], |it| it.filters.gone());
        let Some(document) = &self.document else {
            return;
        };
        let gone = document.filters.gone().iter();
        let gone = gone.filter(|it| !known.iter().any(|known| known.name == it.name));
        let lines: Vec<String> = gone
            .map(|it| match it.name.as_str() {
                "" => "descendant calls of one call".to_owned(),
                name => escape::name(name).into_owned(),
            })
            .collect();
        if !lines.is_empty() {
            self.messages.push(Message {
                is_error: false,
                is_open: false,
                title: "Excluded modules no longer exist; they are excluded again once they return"
                    .to_owned(),
                lines,
            });
        }
    }

    /// What `of` makes of the state as it was when `shown` was the document; nothing where that is gone.
    pub fn with_replaced<T>(
        &mut self,
        shown: Option<Generation>,
        of: impl FnOnce(&State) -> T,
    ) -> Option<T> {
        let replaced = self.replaced.take()?;
        if Some(replaced.generation()) != shown {
            return None;
        }
        let now = self.document.replace(replaced);
        let made = of(self);
        self.document = now;
        Some(made)
    }
}

impl ViewAsk {
    /// Whether it speaks of something by its id.
    fn names_ids(&self) -> bool {
        match self {
            ViewAsk::Fit(_) | ViewAsk::Reveal(_) | ViewAsk::ShowLine(_) => true,
            ViewAsk::Zoom { .. }
            | ViewAsk::Pan(_)
            | ViewAsk::ShowAll
            | ViewAsk::ByModules
            | ViewAsk::ShowRange
            | ViewAsk::Along(_)
            | ViewAsk::Press(_)
            | ViewAsk::Graph(_)
            | ViewAsk::Do(_) => false,
        }
    }
}
