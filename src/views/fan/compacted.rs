//! The calling contexts that the fan shows, and how far they are compacted.

use std::sync::Arc;

use crate::parts::contexts::ShownContexts;
use callscape_analysis::compaction::{Compaction, Names, Tree};

/// What is compacted, and how far.
pub(super) struct Compacted {
    pub shown: Arc<ShownContexts>,
    pub names: Arc<Names>,
    pub compaction: Arc<Compaction>,
}

impl Compacted {
    /// Its contexts and their names.
    pub(super) fn tree(&self) -> Tree<'_> {
        tree(&self.shown, &self.names)
    }
}

/// Contexts and their names, to be compacted.
pub(super) fn tree<'a>(shown: &'a ShownContexts, names: &'a Names) -> Tree<'a> {
    Tree {
        contexts: &shown.contexts,
        value: shown.value,
        names,
    }
}
