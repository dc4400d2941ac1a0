//! What parts of a chart are as large as and coloured by, and which calls become one part.

use crate::parts::contexts::ShownContexts;
use crate::parts::kept::{choices, named};
use callscape_facts::contexts::Merge;
use callscape_state::document::Document;

choices! {
    /// What parts are as large as.
    #[derive(Default)]
    pub(crate) enum Metric {
        #[default]
        Total = "total";
        Calls = "calls";
        Waiting = "waiting";
    }
}

choices! {
    /// What parts are coloured by.
    #[derive(Default)]
    pub(crate) enum Tint {
        /// The hue of the district.
        #[default]
        Module = "module";
        Own = "self";
        Calls = "calls";
        /// The difference of two runs.
        Difference = "difference of the runs";
    }
}

/// How contexts can be merged.
pub(crate) const MERGES: [Merge; 4] = [
    Merge::Paths,
    Merge::Recursion,
    Merge::Functions,
    Merge::CallSites,
];

fn merge_title(merge: Merge) -> &'static str {
    match merge {
        Merge::Paths => "all calls",
        Merge::Recursion => "without recursion",
        Merge::Functions => "by function",
        Merge::CallSites => "by call site",
    }
}

named! { Merge: MERGES, merge_title; }

/// What is known of contexts beside their cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    calls: bool,
    waiting: bool,
    other: bool,
}

impl Known {
    pub(crate) fn of(document: &Document, shown: Option<&ShownContexts>) -> Known {
        Known {
            calls: document.counts_calls(),
            waiting: shown.is_some_and(|it| it.knows_waiting),
            other: shown.is_some_and(ShownContexts::has_other),
        }
    }

    pub(crate) fn metrics(self) -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(move |it| match it {
            Metric::Total => true,
            Metric::Calls => self.calls,
            Metric::Waiting => self.waiting,
        })
    }

    pub(crate) fn tints(self) -> impl Iterator<Item = Tint> {
        Tint::ALL.into_iter().filter(move |it| match it {
            Tint::Module | Tint::Own => true,
            Tint::Calls => self.calls,
            Tint::Difference => self.other,
        })
    }
}
