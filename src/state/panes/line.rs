//! What the rest of the program knows of a view, whether it is open or not.

use std::cmp::Ordering;
use std::fmt;

use crate::purpose::Purpose;

/// What can be selected: the columns of tables 6.3 and 6.4 of Bohnet's thesis, section 6.5, and what another program can ask
/// to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Artifact {
    Function,
    Module,
    Call,
    CallRelation,
    TimePoint,
    TimeRange,
    /// A line of a source file; no column of the tables.
    Line,
    /// What calls a module and what it calls; no column of the tables.
    Neighbours,
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
    /// A recording that knows something of memory.
    Memory,
    /// Two runs.
    TwoRuns,
    /// Two runs with times.
    TwoRunsWithTimes,
}

/// What the keys mean while the pointer is over a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What they mean anywhere.
    Plain,
    /// What lies along time.
    AlongTime,
    Table,
    /// A chart of calling contexts.
    Chart,
    /// A graph of who calls whom.
    Graph,
}

/// What the rest of the program knows of a view.
#[derive(Debug)]
pub struct ViewLine {
    /// In session files and on the command line.
    pub id: &'static str,
    pub title: &'static str,
    /// Opens and closes it.
    pub key: char,
    pub about: &'static str,
    /// Beside its key on the help page.
    pub help: &'static str,
    /// Beside its id in the schema of scene files; empty where the id says enough.
    pub in_scenes: &'static str,
    pub side: Side,
    /// How wide it opens at the right at least, in points, where that is no more than half.
    pub wide: f32,
    pub kind: Kind,
    /// Without this there is nothing to see in it.
    pub needs: Needs,
    /// What can be selected in it: table 6.3.
    pub offers: &'static [Artifact],
    /// What it shows of a selection made elsewhere: table 6.4.
    pub answers: &'static [Artifact],
    /// What it is opened for together with others.
    pub purposes: &'static [Purpose],
    /// It opens by itself when such a thing is chosen: it has what that is chosen for.
    pub opens_for: &'static [Artifact],
}

impl ViewLine {
    /// What most views have in common; their names and keys are their own.
    pub const USUAL: ViewLine = ViewLine {
        id: "",
        title: "",
        key: ' ',
        about: "",
        help: "",
        in_scenes: "",
        side: Side::Right,
        wide: 0.0,
        kind: Kind::Chart,
        needs: Needs::Recording,
        offers: &[],
        answers: &[
            Artifact::Function,
            Artifact::Module,
            Artifact::Call,
            Artifact::CallRelation,
            Artifact::TimeRange,
        ],
        purposes: &[],
        opens_for: &[],
    };

    /// Whether what it shows depends on the time that all views show, so that its pictures may follow one another.
    pub fn plays(&self) -> bool {
        let is_graph_of_time =
            self.kind == Kind::Graph && self.answers.contains(&Artifact::TimePoint);
        self.kind == Kind::AlongTime || self.needs == Needs::Memory || is_graph_of_time
    }
}

/// A view, known by its line. In the order of their keys.
#[derive(Clone, Copy)]
pub struct ViewId(&'static ViewLine);

impl ViewId {
    pub const fn of(line: &'static ViewLine) -> ViewId {
        ViewId(line)
    }

    pub const fn line(self) -> &'static ViewLine {
        self.0
    }

    pub const fn id(self) -> &'static str {
        self.0.id
    }

    pub const fn title(self) -> &'static str {
        self.0.title
    }
}

impl PartialEq for ViewId {
    fn eq(&self, other: &ViewId) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for ViewId {}

impl PartialOrd for ViewId {
    fn partial_cmp(&self, other: &ViewId) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ViewId {
    fn cmp(&self, other: &ViewId) -> Ordering {
        // As on a keyboard: 0 stands behind 9, and what is no digit behind that.
        let place = |key: char| match key {
            '0' => (1, key),
            '1'..='9' => (0, key),
            _ => (2, key),
        };
        (place(self.0.key), self.0.id).cmp(&(place(other.0.key), other.0.id))
    }
}

impl fmt::Debug for ViewId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.id)
    }
}
