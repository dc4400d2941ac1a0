//! What phases are wished for, and what is found: phases, the rows that others are gathered in, and what is around them.

use callscape_base::units::{CallId, Cost, FunctionId, ThreadId};
use callscape_facts::trace::{Floor, FunctionSets, SetId, Within};

/// What is asked for; what is left open is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// From how many triggered calls on a call is heavy.
    pub calls: Option<u64>,
    /// From what cost on.
    pub cost: Option<Cost>,
    /// What a short call costs, from which the cost follows where it is left open.
    pub short: Option<Cost>,
    /// Up to what distance phases are similar, from 0 (the same functions) to 1 (any).
    pub similarity: f64,
    pub alike: Alike,
    pub threads: Vec<ThreadId>,
    /// Only what counts in it.
    pub within: Within,
}

impl Wish {
    /// All of these threads, thresholds chosen.
    pub fn of(threads: Vec<ThreadId>) -> Wish {
        Wish {
            calls: None,
            cost: None,
            short: None,
            similarity: SIMILARITY,
            alike: Alike::Functions,
            threads,
            within: Within::default(),
        }
    }
}

/// Half of the functions of two phases may differ.
pub const SIMILARITY: f64 = 0.5;

/// The thresholds that phases were found with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    pub heavy: Floor,
    /// What a typical short call costs; none where the cost was given, or where there are no calls.
    pub short: Option<Cost>,
    /// Which of the two thresholds were chosen.
    pub chose_calls: bool,
    pub chose_cost: bool,
    pub similarity: f64,
    pub alike: Alike,
}

/// What makes phases with one caller and callee alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alike {
    /// Their functions differ by at most the threshold.
    #[default]
    Functions,
    /// They trigger the same sequence of calls.
    Calls,
}

impl Alike {
    pub fn name(self) -> &'static str {
        match self {
            Alike::Functions => "functions",
            Alike::Calls => "calls",
        }
    }
}

impl Parameters {
    /// Whether an outlier is folded with the phases around it, in whose place it is marked. Below the default threshold
    /// it breaks their repetition, as in figure 5.7 of the thesis.
    pub(super) fn folds_outliers(&self) -> bool {
        self.alike == Alike::Functions && self.similarity >= SIMILARITY
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Inner,
    Leaf,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Inner => "inner",
            Kind::Leaf => "leaf",
        }
    }
}

/// A call that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    pub thread: ThreadId,
    pub call: CallId,
    /// The last call that it triggers; itself where it triggers none.
    pub last: CallId,
    pub function: FunctionId,
    /// Of an outermost call that of a link to it, if there is one.
    pub caller: Option<FunctionId>,
    /// The enclosing phase; none at depth 1.
    pub parent: Option<u32>,
    /// The phases behind it up to this one are below it.
    pub end: u32,
    /// 1 without an enclosing phase.
    pub depth: u32,
    pub kind: Kind,
    /// Its triggered calls.
    pub calls: u64,
    pub cost: Cost,
    /// How much deeper than it the deepest of them is.
    pub levels: u32,
    /// The functions active in it, its own among them.
    pub functions: SetId,
    /// The class among its siblings, numbered in order of first member.
    pub class: u32,
    /// Its class has few members among many siblings with the same callee.
    pub is_outlier: bool,
    /// What was dropped below it.
    pub dropped: Dropped,
    /// Its node in the skeleton of its thread.
    pub(super) node: u32,
}

/// Calls on the way down from a phase that are no phases themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    pub delegating: u64,
    /// Lightweight calls, these with all that they trigger, and what they cost.
    pub light: u64,
    pub calls: u64,
    pub cost: Cost,
}

/// Lightweight calls of one callee that are heavy together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    pub thread: ThreadId,
    /// The phase that they are met on the way down from; none where no phase encloses them.
    pub phase: Option<u32>,
    pub function: FunctionId,
    pub of: u64,
    /// These and what they trigger.
    pub calls: u64,
    pub cost: Cost,
}

/// What stands for a whole thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    pub thread: ThreadId,
    pub calls: u64,
    /// Of its outermost calls.
    pub cost: Cost,
    pub dropped: Dropped,
    /// Its phases are those from here up to those of the next.
    pub first: u32,
}

/// The phases of some threads.
#[derive(Clone, Debug)]
pub struct Phases {
    pub parameters: Parameters,
    pub roots: Vec<Root>,
    /// Thread by thread, each in order of start.
    pub phases: Vec<Phase>,
    /// In order of phase, those outside of all first thread by thread; then the costliest first.
    pub gathered: Vec<Gathered>,
    pub sets: FunctionSets,
}

impl Phases {
    /// How many calls the threads have.
    pub fn calls(&self) -> u64 {
        self.roots.iter().map(|root| root.calls).sum()
    }

    /// The cost of all outermost calls.
    pub fn cost(&self) -> Cost {
        self.roots.iter().map(|root| root.cost).sum()
    }

    /// Phases and gathered rows.
    pub fn rows(&self) -> usize {
        self.phases.len() + self.gathered.len()
    }

    /// The share of the time that lies in leaf phases and gathered rows, each time counted once; 0 where there is none.
    pub fn explained(&self) -> f64 {
        let leaf = |phase: &&Phase| phase.kind == Kind::Leaf;
        let leaves = self.phases.iter().filter(leaf).map(|phase| phase.cost);
        // Calls gathered in a leaf phase are in its time already.
        let is_beside = |row: &&Gathered| {
            let phase = row.phase.and_then(|phase| self.phases.get(phase as usize));
            phase.is_none_or(|phase| phase.kind == Kind::Inner)
        };
        let beside = self.gathered.iter().filter(is_beside).map(|row| row.cost);
        let explained: Cost = leaves.chain(beside).sum();
        match self.cost().ns() {
            0 => 0.0,
            whole => (explained.ns() as f64 / whole as f64).min(1.0),
        }
    }

    /// All that phases may be right below.
    pub fn parents(&self) -> impl Iterator<Item = Parent> + use<> {
        let of_roots = (0..self.roots.len()).map(Parent::Root);
        of_roots.chain((0..self.phases.len() as u32).map(Parent::Phase))
    }

    /// The phases right below one, or those of depth 1 of a root.
    pub fn children(&self, of: Parent) -> impl Iterator<Item = u32> + '_ {
        let (mut next, end) = match of {
            Parent::Phase(phase) => {
                let end = self.phases.get(phase as usize).map_or(0, |it| it.end);
                (phase + 1, end)
            }
            Parent::Root(root) => {
                let first = |root: usize| self.roots.get(root).map(|it| it.first);
                let all = self.phases.len() as u32;
                (first(root).unwrap_or(all), first(root + 1).unwrap_or(all))
            }
        };
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.phases.get(child as usize)?.end;
            Some(child)
        })
    }

    /// The gathered rows of a phase; those outside of all phases for none.
    pub fn gathered_in(&self, phase: Option<u32>) -> &[Gathered] {
        let from = self.gathered.partition_point(|row| row.phase < phase);
        let to = self.gathered.partition_point(|row| row.phase <= phase);
        &self.gathered[from..to]
    }

    /// The innermost phase that a call is in, or is.
    pub fn around(&self, thread: ThreadId, call: CallId) -> Option<u32> {
        let root = self.roots.iter().position(|root| root.thread == thread)?;
        let mut siblings = Parent::Root(root);
        let mut found = None;
        loop {
            let is_inside = |&phase: &u32| {
                self.phases
                    .get(phase as usize)
                    .is_some_and(|phase| phase.call <= call && call <= phase.last)
            };
            let Some(inner) = self.children(siblings).find(is_inside) else {
                return found;
            };
            found = Some(inner);
            siblings = Parent::Phase(inner);
        }
    }

    /// The functions active in a phase, in order.
    pub fn functions(&self, phase: &Phase) -> &[u32] {
        self.sets.get(phase.functions)
    }
}

/// What phases are right below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parent {
    /// The root with this index.
    Root(usize),
    Phase(u32),
}
