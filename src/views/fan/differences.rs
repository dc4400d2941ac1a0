//! How much more each disc has in one of two runs than in the other.

use std::collections::HashMap;
use std::sync::Arc;

use super::compacted::Compacted;
use super::discs::{Disc, Discs};
use crate::parts::context_chart::colors::difference;
use callscape_base::units::{ContextId, Cost};
use callscape_state::document::Document;

/// What a node is known by again: its first context, how many it has, and what it weighs.
type Key = (ContextId, u32, u64);

/// What nodes have in the other run, kept while they stay as they are.
#[derive(Default)]
pub(super) struct Differences {
    /// What is known is of these contexts, and of these discs.
    of: Option<(usize, u64)>,
    known: HashMap<Key, Cost>,
    /// The largest difference.
    most: f64,
}

fn key(of: &Compacted, disc: &Disc) -> Key {
    (disc.first, of.compaction.contexts(disc.node), disc.weight)
}

/// What a node has in the other run: that of the highest contexts merged, which its weight is of too.
pub(super) fn other_total(of: &Compacted, node: callscape_analysis::compaction::NodeId) -> Cost {
    let highest = of.compaction.highest(node);
    highest.map(|it| of.shown.other_total(it)).sum()
}

impl Differences {
    /// Looks at the discs that are new. O(contexts of these).
    pub(super) fn find(&mut self, of: &Compacted, discs: &Discs, document: &Document) {
        let shown = Arc::as_ptr(&of.shown) as usize;
        let is_of = (shown, discs.revision);
        if self.of == Some(is_of) {
            return;
        }
        if self.of.is_none_or(|(known, _)| known != shown) {
            self.known.clear();
        }
        self.of = Some(is_of);
        let before = std::mem::take(&mut self.known);
        let known = discs.all.iter().map(|disc| {
            let key = key(of, disc);
            let total = before.get(&key).copied();
            (key, total.unwrap_or_else(|| other_total(of, disc.node)))
        });
        self.known = known.collect();
        let sizes = discs.all.iter().map(|it| self.of(of, it, document).abs());
        self.most = sizes.fold(0.0, f64::max);
    }

    /// How much more B has.
    pub(super) fn of(&self, of: &Compacted, disc: &Disc, document: &Document) -> f64 {
        let other = self.known.get(&key(of, disc)).copied().unwrap_or_default();
        difference(document, [disc.weight as f64, other.ns() as f64])
    }

    /// The largest difference.
    pub(super) fn most(&self) -> f64 {
        self.most
    }
}
