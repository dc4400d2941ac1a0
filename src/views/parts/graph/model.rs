//! What a graph shows: boxes in frames, and lines between boxes.

use crate::parts::kept::choices;
use callscape_analysis::comparison::amounts::{Change, Measure};
use callscape_base::units::{Cost, FunctionId, ModuleId};
use callscape_layout::layered::Key;
use callscape_model::difference::Amount;

/// What calls add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    pub calls: f64,
    /// In the unit of the recording, as a rule nanoseconds.
    pub cost: f64,
    pub own: f64,
    /// Of two runs what A and B have. What is above is then the larger of both.
    pub change: Option<Change>,
}

impl Sum {
    pub(crate) fn add(&mut self, other: &Sum) {
        match (&mut self.change, &other.change) {
            (Some(change), Some(other)) => {
                change.a.add(&other.a);
                change.b.add(&other.b);
                *self = Sum::of_both(*change);
            }
            (None, Some(_)) => *self = *other,
            _ => {
                self.calls += other.calls;
                self.cost += other.cost;
                self.own += other.own;
            }
        }
    }

    /// Of one run.
    pub(crate) fn of(calls: u64, cost: Cost, own: Cost) -> Sum {
        Sum {
            calls: calls as f64,
            cost: cost.weight() as f64,
            own: own.weight() as f64,
            change: None,
        }
    }

    /// Of two runs.
    pub(crate) fn of_both(change: Change) -> Sum {
        Sum {
            calls: change.a.calls.max(change.b.calls),
            cost: change.a.total.max(change.b.total),
            own: change.a.self_cost.max(change.b.self_cost),
            change: Some(change),
        }
    }

    pub(crate) fn by(&self, by: By) -> f64 {
        match by {
            By::Cost => self.cost,
            By::Calls => self.calls,
        }
    }
}

choices! {
    /// What the width of lines says.
    #[derive(Default)]
    pub(crate) enum By {
        #[default]
        Cost = "cost";
        Calls = "calls";
    }
}

impl By {
    /// What amounts of two runs are compared by.
    pub(crate) fn measure(self) -> Measure {
        match self {
            By::Cost => Measure::Total,
            By::Calls => Measure::Calls,
        }
    }
}

choices! {
    /// What the colour of lines says.
    #[derive(Default)]
    pub(crate) enum Tint {
        /// Which end calls.
        #[default]
        Direction = "direction";
        /// What B has more than A.
        Difference = "difference of the runs";
    }
}

choices! {
    /// How boxes are placed.
    #[derive(Default)]
    pub(crate) enum Arrangement {
        /// Callers left of callees.
        #[default]
        Layered = "layered";
        /// As far apart as in the graph, with straight lines.
        Distance = "by distance";
    }
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// A module with all in it.
    Module(ModuleId),
    /// What a module does itself, beside what is in it.
    Itself(ModuleId),
    /// A function; none of the run that is shown where only the other one has it.
    Function(Option<FunctionId>, ModuleId),
    /// So many more that there was no room for.
    More(u32),
}

impl Of {
    pub(crate) fn module(self) -> Option<ModuleId> {
        match self {
            Of::Module(module) | Of::Itself(module) | Of::Function(_, module) => Some(module),
            Of::More(_) => None,
        }
    }

    pub(crate) fn function(self) -> Option<FunctionId> {
        match self {
            Of::Function(function, _) => function,
            _ => None,
        }
    }
}

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GraphBox {
    pub key: Key,
    pub of: Of,
    /// The innermost frame around it.
    pub frame: Option<u32>,
    pub title: String,
    /// A second line; empty for none.
    pub detail: String,
    /// Whether more can be shown in its place, or beside it, and what the sign on it is.
    pub sign: Option<Sign>,
    /// It stands in the middle of all.
    pub is_middle: bool,
    /// The self cost of its functions, whoever calls them; empty if not known.
    pub own: String,
    /// What its calls of itself add up to.
    pub inner: Sum,
}

impl GraphBox {
    /// A box with a title alone.
    pub(crate) fn new(key: Key, of: Of, title: String) -> GraphBox {
        GraphBox {
            key,
            of,
            frame: None,
            title,
            detail: String::new(),
            sign: None,
            is_middle: false,
            own: String::new(),
            inner: Sum::default(),
        }
    }
}

/// A sign on a box, which a click on it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Shows more.
    More,
    /// Shows less.
    Less,
}

/// A module around others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub key: Key,
    pub module: ModuleId,
    /// A frame that stands before it.
    pub parent: Option<u32>,
    pub title: String,
    /// Whether it can be folded.
    pub folds: bool,
}

/// Calls from one box to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub from: u32,
    pub to: u32,
    pub sum: Sum,
    /// How long its calls go on, each moment counted once, while their costs are a sum; of two runs in A and B. Empty if not
    /// known.
    pub moments: Vec<Cost>,
    /// What stands beside it; empty for nothing.
    pub label: String,
    /// Whether that stands at the caller.
    pub label_at_caller: bool,
}

/// What is shown, without places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Graph {
    pub boxes: Vec<GraphBox>,
    /// Parents before children.
    pub frames: Vec<Frame>,
    pub lines: Vec<Line>,
    /// Boxes that stand left of others whatever calls whom.
    pub order: Vec<(u32, u32)>,
    pub by: By,
    pub arrangement: Arrangement,
    /// How amounts of two runs are written.
    pub amount: Option<Amount>,
    /// What was left out for want of room, and what happened by itself, as sentences.
    pub notes: Vec<String>,
}

impl Graph {
    /// Whether lines go straight from box to box.
    pub(crate) fn is_straight(&self) -> bool {
        self.arrangement == Arrangement::Distance
    }

    /// The most that a line has of what widths say.
    pub(crate) fn most(&self) -> f64 {
        let all = self.lines.iter().map(|it| it.sum.by(self.by));
        all.fold(0.0, f64::max)
    }
}
