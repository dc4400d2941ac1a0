//! The table of kinds: one row for each.

use super::candidate::Candidate;
use super::kind::Kind;
use super::run::Run;
use super::{
    care, collection, errors, growing, hot, memory, one_at_a_time, one_slow, recursion, repeated,
    start_up, waiting,
};
use callscape_base::progress::Cancelled;

/// What proposes the candidates of a kind.
type Propose = fn(&Run<'_>, &mut Vec<Candidate>) -> Result<(), Cancelled>;

/// A kind with everything that is known of it.
pub struct Row {
    pub kind: Kind,
    /// As JSON and `--fail-if` name it.
    pub name: &'static str,
    pub title: &'static str,
    /// Why it matters, as half a sentence.
    pub why: &'static str,
    /// The id of the view that shows more.
    pub view: &'static str,
    pub(super) propose: Propose,
}

/// All kinds, in the order in which they are listed.
#[rustfmt::skip]
pub const KINDS: [Row; 12] = [
    Row { kind: Kind::Repeated, name: "repeated", title: "Repeated work", why: "its cost grows with the number of calls", view: "rings", propose: repeated::propose },
    Row { kind: Kind::Hot, name: "hot", title: "Hot function", why: "none of its callees explains it", view: "flame-graph", propose: hot::propose },
    Row { kind: Kind::Waiting, name: "waiting", title: "Waiting", why: "a faster processor would not shorten it", view: "flame", propose: waiting::propose },
    Row { kind: Kind::StartUp, name: "start-up", title: "Start-up", why: "a longer run pays it only once", view: "flame", propose: start_up::propose },
    Row { kind: Kind::OneSlow, name: "one-slow", title: "One of many is slow", why: "the mean of all calls hides it", view: "calls", propose: one_slow::propose },
    Row { kind: Kind::Growing, name: "growing", title: "Growing", why: "a longer run would be slower than in proportion", view: "calls", propose: growing::propose },
    Row { kind: Kind::OneAtATime, name: "one-at-a-time", title: "One at a time", why: "more threads would not help", view: "flame", propose: one_at_a_time::propose },
    Row { kind: Kind::Recursion, name: "recursion", title: "Recursion", why: "its cost depends on the shape of the data", view: "flame-graph", propose: recursion::propose },
    Row { kind: Kind::Memory, name: "memory", title: "Memory", why: "memory in use is not free for others", view: "memory", propose: memory::propose },
    Row { kind: Kind::Collection, name: "collection", title: "Garbage collection and runtime", why: "it depends on what the program allocates", view: "flame", propose: collection::propose },
    Row { kind: Kind::Care, name: "care", title: "Measured with care", why: "the numbers of this recording are less certain", view: "functions", propose: care::propose },
    Row { kind: Kind::Errors, name: "errors", title: "Errors", why: "work that ends with an error is wasted", view: "calls", propose: errors::propose },
];

impl Kind {
    fn row(self) -> &'static Row {
        // Each kind has its row: a test looks.
        let row = KINDS.iter().find(|it| it.kind == self);
        row.unwrap_or(&KINDS[0])
    }

    /// As JSON and `--fail-if` name it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// For people.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Why it matters, as half a sentence.
    pub fn why(self) -> &'static str {
        self.row().why
    }

    /// The id of the view that shows more, of a recording with times.
    pub(super) fn view(self) -> &'static str {
        self.row().view
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kind> {
        let row = KINDS.iter().find(|it| it.name == name);
        row.map(|it| it.kind)
    }
}
