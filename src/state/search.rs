//! The search field and its results.

use super::document::Document;
use callscape_base::units::ModuleId;

/// Search shows no more results than one reads.
const MAX_RESULTS: usize = 50;

/// What a frame is to do once with a list that has a field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cue {
    /// The field gets the keyboard.
    pub focus: bool,
    /// The marked row comes into sight.
    pub reveal: bool,
}

/// The search field.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub is_open: bool,
    pub query: String,
    pub marked: usize,
    /// Taken by the frame that does it.
    pub cue: Cue,
}

impl Search {
    /// Looks for names in `document`; what ran is found first.
    pub(super) fn look_for(&mut self, query: String, document: Option<&mut Document>) {
        if let Some(open) = document {
            let (hierarchy, metrics) = (&open.session.hierarchy, open.city.metrics());
            let is_known = open.calls_of(ModuleId::ROOT).is_some();
            let ran = |module| !is_known || metrics.calls(hierarchy, module) > 0;
            open.found = open.names().search(hierarchy, &query, MAX_RESULTS, ran);
        }
        self.query = query;
        self.marked = 0;
        self.is_open = true;
    }

    pub(super) fn mark(&mut self, by: i32, found: usize) {
        let marked = self.marked.saturating_add_signed(by as isize);
        self.marked = marked.min(found.saturating_sub(1));
        self.cue.reveal = true;
    }
}
