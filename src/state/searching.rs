//! What the asks of the search do.

use super::ask::SearchAsk;
use super::search::Search;
use super::state::State;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;

impl State {
    pub(super) fn on_search(&mut self, ask: SearchAsk) {
        match ask {
            SearchAsk::Query(query) => self.search_for(query),
            SearchAsk::Open => {
                if let Some(open) = &self.document {
                    open.prepare_names();
                }
                self.search.is_open = true;
                self.search.cue.focus = true;
            }
            SearchAsk::Move(by) => {
                let found = self.found().len();
                self.search.mark(by, found);
            }
            SearchAsk::Take(index) => {
                let index = index.unwrap_or(self.search.marked);
                if let Some(&module) = self.found().get(index) {
                    self.close_search();
                    self.choose(Pointed::at_module(Some(module)));
                    self.fly_there(module);
                }
            }
        }
    }

    pub(crate) fn search_for(&mut self, query: String) {
        self.search.look_for(query, self.document.as_mut());
        self.look.names += 1;
    }

    /// What the search found in what is shown.
    pub fn found(&self) -> &[ModuleId] {
        self.document.as_ref().map_or(&[], |it| &it.found)
    }

    /// Closes the list of results; the query stays for the next time.
    pub(crate) fn close_search(&mut self) {
        self.look.names += u64::from(self.search.is_open);
        self.search.is_open = false;
    }

    /// Closes the search and forgets what it was for.
    pub fn leave_search(&mut self) {
        self.search = Search::default();
        if let Some(document) = &mut self.document {
            document.found.clear();
        }
        self.look.names += 1;
    }
}
