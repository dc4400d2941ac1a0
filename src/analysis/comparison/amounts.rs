//! What is compared: calls and costs of a function, a relation or a module on both sides.

use std::cmp::Ordering;

use callscape_facts::trace::{FunctionMetrics, Relation};

/// What a table is sorted by and a picture coloured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Cost in the function itself: where a difference arises.
    #[default]
    SelfCost,
    /// Time in which the function is open: where a difference arrives.
    Total,
    Calls,
    /// Total cost a call.
    Average,
}

impl Measure {
    pub const ALL: [Measure; 4] = [
        Measure::SelfCost,
        Measure::Total,
        Measure::Calls,
        Measure::Average,
    ];

    /// Those of which several runs tell what is noise, in the order of their columns.
    pub(super) const TOLD: [Measure; 3] = [Measure::SelfCost, Measure::Total, Measure::Calls];

    /// As the command line names it.
    pub fn name(self) -> &'static str {
        match self {
            Measure::SelfCost => "self",
            Measure::Total => "total",
            Measure::Calls => "calls",
            Measure::Average => "average",
        }
    }

    /// As a sentence names it.
    pub fn title(self) -> &'static str {
        match self {
            Measure::SelfCost => "self cost",
            Measure::Total => "total cost",
            Measure::Calls => "calls",
            Measure::Average => "cost per call",
        }
    }

    /// Whether it counts in the unit of costs, not in calls.
    pub fn is_cost(self) -> bool {
        self != Measure::Calls
    }
}

/// Which time is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timed {
    /// All that passes, waiting or not.
    #[default]
    Elapsed,
    /// What is left of it without waiting: what a program does itself, whatever else the machine does.
    Running,
}

impl Timed {
    pub const ALL: [Timed; 2] = [Timed::Running, Timed::Elapsed];

    /// As command line and documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Timed::Elapsed => "elapsed",
            Timed::Running => "running",
        }
    }
}

/// What one side shows of something: the mean of its runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amounts {
    pub calls: f64,
    /// In the unit of the recordings, as a rule nanoseconds.
    pub total: f64,
    pub self_cost: f64,
    /// The part of both that was waiting, as it was recorded; nothing where it is not known.
    pub waiting: f64,
    pub self_waiting: f64,
}

impl From<&FunctionMetrics> for Amounts {
    fn from(of: &FunctionMetrics) -> Amounts {
        Amounts {
            calls: of.calls as f64,
            total: of.total.weight() as f64,
            self_cost: of.self_cost.weight() as f64,
            waiting: of.waiting.ns() as f64,
            self_waiting: of.self_waiting.ns() as f64,
        }
    }
}

impl From<&Relation> for Amounts {
    fn from(of: &Relation) -> Amounts {
        Amounts {
            calls: of.calls as f64,
            total: of.cost.weight() as f64,
            self_cost: of.self_cost.weight() as f64,
            waiting: of.waiting.ns() as f64,
            self_waiting: of.self_waiting.ns() as f64,
        }
    }
}

impl Amounts {
    pub fn of(&self, measure: Measure) -> f64 {
        match measure {
            Measure::SelfCost => self.self_cost,
            Measure::Total => self.total,
            Measure::Calls => self.calls,
            Measure::Average if self.calls > 0.0 => self.total / self.calls,
            Measure::Average => 0.0,
        }
    }

    /// The part that was waiting; calls have none.
    pub fn waiting_of(&self, measure: Measure) -> f64 {
        match measure {
            Measure::SelfCost => self.self_waiting,
            Measure::Total => self.waiting,
            Measure::Average if self.calls > 0.0 => self.waiting / self.calls,
            Measure::Average | Measure::Calls => 0.0,
        }
    }

    pub fn add(&mut self, other: &Amounts) {
        self.calls += other.calls;
        self.total += other.total;
        self.self_cost += other.self_cost;
        self.waiting += other.waiting;
        self.self_waiting += other.self_waiting;
    }

    /// The same with costs as the time that is compared.
    pub fn timed(self, timed: Timed) -> Amounts {
        match timed {
            Timed::Elapsed => self,
            Timed::Running => Amounts {
                total: (self.total - self.waiting).max(0.0),
                self_cost: (self.self_cost - self.self_waiting).max(0.0),
                ..self
            },
        }
    }

    pub fn times(self, factor: f64) -> Amounts {
        Amounts {
            calls: self.calls * factor,
            total: self.total * factor,
            self_cost: self.self_cost * factor,
            waiting: self.waiting * factor,
            self_waiting: self.self_waiting * factor,
        }
    }

    /// Whether anything of it ran.
    pub fn is_there(&self) -> bool {
        self.calls > 0.0 || self.total != 0.0 || self.self_cost != 0.0
    }
}

/// A function, a relation or a module on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    pub a: Amounts,
    pub b: Amounts,
    /// How probable a difference as large is by chance, where several runs of each side say so; of self cost, of
    /// total cost, of calls.
    pub chance: [Option<f64>; 3],
    /// Which of these differences are more than noise; true where nothing is known of noise.
    pub is_significant: [bool; 3],
}

impl Change {
    pub fn new(a: Amounts, b: Amounts) -> Change {
        Change {
            a,
            b,
            chance: [None; 3],
            is_significant: [true; 3],
        }
    }

    /// Both with the waiting in it again that costs in this time leave out.
    pub fn elapsed(&self, timed: Timed) -> Change {
        let elapsed = |of: Amounts| match timed {
            Timed::Elapsed => of,
            Timed::Running => Amounts {
                total: of.total + of.waiting,
                self_cost: of.self_cost + of.self_waiting,
                ..of
            },
        };
        Change {
            a: elapsed(self.a),
            b: elapsed(self.b),
            ..*self
        }
    }

    /// What B has more than A; less is negative.
    pub fn delta(&self, measure: Measure) -> f64 {
        self.b.of(measure) - self.a.of(measure)
    }

    /// How many times that of A that of B is; none where A has nothing.
    pub fn ratio(&self, measure: Measure) -> Option<f64> {
        let (a, b) = (self.a.of(measure), self.b.of(measure));
        (a > 0.0).then(|| b / a)
    }

    /// Whether the difference of a measure is more than noise. A cost per call is where its total is.
    pub fn is_significant(&self, measure: Measure) -> bool {
        self.is_significant[column(measure)]
    }

    pub fn chance(&self, measure: Measure) -> Option<f64> {
        self.chance[column(measure)]
    }

    pub fn standing(&self) -> Standing {
        match (self.a.is_there(), self.b.is_there()) {
            (true, false) => Standing::Gone,
            (false, true) => Standing::Added,
            _ => Standing::Both,
        }
    }

    /// Whether anything differs of what is compared; waiting alone stands beside it.
    pub fn is_change(&self) -> bool {
        let compared = |of: &Amounts| (of.calls, of.total, of.self_cost);
        compared(&self.a) != compared(&self.b)
    }

    /// Whether it belongs in a list of what differs by a measure: calls are counted, so those that are equal are.
    pub fn differs(&self, measure: Measure) -> bool {
        match measure {
            Measure::Calls => self.a.calls != self.b.calls,
            _ => self.is_change(),
        }
    }

    /// The larger difference first: what is significant, then by the measure, then by the others.
    pub fn order(&self, other: &Change, measure: Measure) -> Ordering {
        let size = |change: &Change, measure: Measure| change.delta(measure).abs();
        let by = |measure: Measure| size(other, measure).total_cmp(&size(self, measure));
        let noise = |change: &Change| !change.is_significant(measure);
        noise(self)
            .cmp(&noise(other))
            .then_with(|| by(measure))
            .then_with(|| by(Measure::SelfCost))
            .then_with(|| by(Measure::Total))
            .then_with(|| by(Measure::Calls))
    }
}

/// Where a measure stands in the columns of chance and significance.
pub(super) fn column(measure: Measure) -> usize {
    match measure {
        Measure::SelfCost => 0,
        Measure::Total | Measure::Average => 1,
        Measure::Calls => 2,
    }
}

/// On which sides something runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    #[default]
    Both,
    /// In B alone.
    Added,
    /// In A alone.
    Gone,
}

impl Standing {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Both => "both",
            Standing::Added => "added",
            Standing::Gone => "gone",
        }
    }
}
