//! Another document in place of the one that is shown: the one way to it, so that nothing made of the one before is
//! read as if it were of the new one.

use super::document::Document;
use super::made::Generation;
use super::message::Message;
use super::state::State;
use callscape_base::escape;

impl State {
    /// Shows a document. What was made of the one before is gone with it, or out of reach ([`super::made`]).
    pub(super) fn put(&mut self, document: Document) {
        let before = self.document.replace(document);
        self.tell_gone(before.as_ref());
        self.opening.replace(before);
        self.errands.forget_ids();
        self.look.detail_seen = None;
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
            let title =
                "Excluded modules no longer exist; they are excluded again once they return";
            self.told.messages.push(Message::note(title, lines));
        }
    }

    /// What `of` makes of the state as it was when `shown` was the document; nothing where that is gone.
    pub fn with_replaced<T>(
        &mut self,
        shown: Option<Generation>,
        of: impl FnOnce(&State) -> T,
    ) -> Option<T> {
        let replaced = self.opening.take_replaced(shown)?;
        let now = self.document.replace(replaced);
        let made = of(self);
        self.document = now;
        Some(made)
    }
}
