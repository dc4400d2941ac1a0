//! The calling contexts that the fan shows, and how far they are compacted.

use std::sync::Arc;

use crate::parts::contexts::ShownContexts;
use callscape_analysis::compaction::{Compaction, Names, NodeId, Tree};

/// What is compacted, and how far.
pub(super) struct Compacted {
    pub shown: Arc<ShownContexts>,
    pub names: Arc<Names>,
    pub compaction: Arc<Compaction>,
    /// By name, in degrees.
    pub hues: Vec<f32>,
}

impl Compacted {
    /// Its contexts and their names.
    pub(super) fn tree(&self) -> Tree<'_> {
        tree(&self.shown, &self.names)
    }

    /// How many discs are drawn as nothing, for they weigh less than that. O(discs) with negative weights.
    pub(super) fn negative(&self) -> usize {
        if self.shown.negative_before.is_empty() {
            return 0;
        }
        let is_negative = |node: &NodeId| {
            let mut highest = self.compaction.highest(*node);
            self.compaction.weight(*node) == 0 && highest.any(|it| self.shown.is_negative(it))
        };
        let all = self.compaction.all();
        all.iter().filter(|it| is_negative(it)).count()
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
