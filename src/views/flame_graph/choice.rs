//! What there is to choose of a flame graph.

use crate::parts::context_chart::choice::{Metric, Tint};
use crate::parts::kept::choices;
use callscape_facts::contexts::Merge;

choices! {
    /// The order of the callees of one caller.
    #[derive(Default)]
    pub(super) enum Order {
        #[default]
        Hottest = "hottest first";
        Name = "by name";
    }
}

choices! {
    /// On which side of callers callees are. Below, as in pprof and speedscope: the first callers are in sight however
    /// deep the stacks are.
    #[derive(Default)]
    pub(super) enum Callees {
        #[default]
        Below = "below";
        Above = "above";
    }
}

/// All that there is to choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    pub metric: Metric,
    /// None until one is chosen: of two runs their difference.
    pub tint: Option<Tint>,
    pub order: Order,
    pub callees: Callees,
    pub merge: Merge,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            metric: Metric::default(),
            tint: None,
            order: Order::default(),
            callees: Callees::default(),
            merge: Merge::Paths,
        }
    }
}

impl Choice {
    pub(super) fn tint(&self, has_other: bool) -> Tint {
        match (self.tint, has_other) {
            (None, true) => Tint::Difference,
            (Some(Tint::Difference), false) => Tint::default(),
            (tint, _) => tint.unwrap_or_default(),
        }
    }
}
