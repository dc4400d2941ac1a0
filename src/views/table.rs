//! The table of views: to add a view is to add a line.
//!
//! What a view offers and what it answers are tables 6.3 and 6.4 of Bohnet's thesis, section 6.5. Where
//! Callscape's views show more than the thesis has them show, it says so beside the line.

use serde::{Deserialize, Serialize};

/// A view of the window, of a session file and of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewId {
    Landscape,
    Mural,
    Flame,
    Functions,
    Calls,
    Differences,
    Timelines,
}

/// What can be selected: the columns of tables 6.3 and 6.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Artifact {
    Function,
    Module,
    Call,
    CallRelation,
    TimePoint,
    TimeRange,
}

/// Where a view opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In the middle.
    Centre,
    /// Below, as wide as the window: for what runs along time.
    Below,
    /// At the right: for tables.
    Right,
}

/// What a view needs to show something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Recording,
    /// A recording with times: a profile has none.
    Times,
    /// Two runs; with times for what lies along time.
    Comparison,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct ViewLine {
    /// In session files and on the command line.
    pub id: &'static str,
    pub title: &'static str,
    /// Opens and closes it.
    pub key: char,
    pub about: &'static str,
    /// Beside its key on the help page.
    pub help: &'static str,
    pub side: Side,
    /// Without this there is nothing to see in it.
    pub needs: Needs,
    /// What can be selected in it: table 6.3.
    pub offers: &'static [Artifact],
    /// What it shows of a selection made elsewhere: table 6.4.
    pub answers: &'static [Artifact],
}

use Artifact::{Call, CallRelation, Function, Module, TimePoint, TimeRange};

impl ViewId {
    /// In the order of their keys.
    pub const ALL: [ViewId; 7] = [
        ViewId::Landscape,
        ViewId::Mural,
        ViewId::Flame,
        ViewId::Functions,
        ViewId::Calls,
        ViewId::Differences,
        ViewId::Timelines,
    ];

    pub const fn line(self) -> ViewLine {
        match self {
            ViewId::Landscape => ViewLine {
                id: "landscape",
                title: "Landscape",
                key: '1',
                about: "modules, what runs in them, and who calls whom",
                help: "landscape",
                side: Side::Centre,
                needs: Needs::Nothing,
                // The structure overview. Call relations and time are AVID's arcs and cels over it.
                offers: &[Function, Module, CallRelation],
                answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
            },
            ViewId::Mural => ViewLine {
                id: "mural",
                title: "Overview",
                key: '2',
                about: "which functions are active when, over the whole recording",
                help: "overview: what is active when",
                side: Side::Below,
                needs: Needs::Times,
                // The temporal overview. What a row is can be chosen too.
                offers: &[Function, Module, TimePoint, TimeRange],
                answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
            },
            ViewId::Flame => ViewLine {
                id: "flame",
                title: "Call stacks",
                key: '3',
                about: "every call of every thread along time",
                help: "call stacks of every thread",
                side: Side::Below,
                needs: Needs::Times,
                // The call stack view.
                offers: &[Function, Call, TimePoint, TimeRange],
                answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
            },
            ViewId::Functions => ViewLine {
                id: "functions",
                title: "Functions",
                key: '4',
                about: "calls and costs of every function, its callers and callees",
                help: "functions: calls, costs",
                side: Side::Right,
                needs: Needs::Recording,
                // Not in the thesis: a table of what the neighbourhood view draws.
                offers: &[Function, CallRelation],
                answers: &[Function, Module, Call, CallRelation, TimeRange],
            },
            ViewId::Calls => ViewLine {
                id: "calls",
                title: "Calls",
                key: '5',
                about: "the calls behind what is chosen",
                help: "calls behind what is chosen",
                side: Side::Right,
                needs: Needs::Times,
                // Not in the thesis: details on demand, by the calls themselves.
                offers: &[Function, Call, TimePoint],
                answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
            },
            ViewId::Differences => ViewLine {
                id: "differences",
                title: "Differences",
                key: '6',
                about: "what two runs have more and less, in numbers",
                help: "what differs, in numbers; and which function is which, to be corrected",
                side: Side::Right,
                needs: Needs::Comparison,
                // Not in the thesis: it has one run.
                offers: &[Module, CallRelation],
                answers: &[Function, Module, Call, CallRelation],
            },
            ViewId::Timelines => ViewLine {
                id: "timelines",
                title: "Both along time",
                key: '7',
                about: "two runs along one time axis, one over the other",
                help: "both along one time axis",
                side: Side::Below,
                needs: Needs::Comparison,
                offers: &[Function, Module, Call, TimePoint, TimeRange],
                answers: &[Function, Module, Call, TimePoint, TimeRange],
            },
        }
    }

    pub fn title(self) -> &'static str {
        self.line().title
    }

    /// The view with this id.
    pub fn from_id(id: &str) -> Option<ViewId> {
        ViewId::ALL.into_iter().find(|view| view.line().id == id)
    }

    /// The view that this key opens.
    pub fn from_key(key: char) -> Option<ViewId> {
        ViewId::ALL.into_iter().find(|view| view.line().key == key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_and_keys_name_one_view() {
        let ids: BTreeSet<_> = ViewId::ALL.iter().map(|view| view.line().id).collect();
        let keys: BTreeSet<_> = ViewId::ALL.iter().map(|view| view.line().key).collect();
        assert_eq!(
            (ids.len(), keys.len()),
            (ViewId::ALL.len(), ViewId::ALL.len())
        );
        for view in ViewId::ALL {
            assert_eq!(ViewId::from_id(view.line().id), Some(view));
            assert_eq!(ViewId::from_key(view.line().key), Some(view));
        }
    }
}
