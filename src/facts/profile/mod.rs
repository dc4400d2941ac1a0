//! A profile: weights per calling context, or per function and call relation, without times.
//!
//! A profile may hold several values, such as allocations and their bytes; one of them is shown.

mod graph;
mod runs;
mod sums;

use std::fmt;
use std::sync::OnceLock;

use super::contexts::Contexts;
use crate::trace::{FunctionMetrics, Relation, Thread};
use callscape_base::units::{Cost, Unit};
pub use graph::{Graph, GraphBuilder, GraphNode};
pub use runs::{Logs, MeanRuns, OfFunction, Spread};
pub use sums::{OfValue, Sums};

/// One of the things that a profile weighs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// As its format names it: `cpu`, `alloc_space`, `Ir`.
    pub name: String,
    pub unit: Unit,
}

impl Value {
    /// The number of the value that people call `name`: as it is written, in another spelling, as the same time is called
    /// elsewhere, or `time` for the first time.
    pub fn find(values: &[Value], name: &str) -> Result<usize, NoSuchValue> {
        let wanted = plain(name);
        let position = |is: &dyn Fn(&Value) -> bool| values.iter().position(is);
        let found = position(&|it| it.name == name)
            .or_else(|| position(&|it| plain(&it.name) == wanted))
            .or_else(|| position(&|it| wanted == "time" && it.unit.is_time()));
        found.ok_or_else(|| NoSuchValue {
            wanted: name.to_owned(),
            known: values.iter().map(|it| it.name.clone()).collect(),
        })
    }

    /// Whether another counts the same: of one unit, and called the same by people.
    pub fn is_like(&self, other: &Value) -> bool {
        self.unit == other.unit && plain(&self.name) == plain(&other.name)
    }
}

/// A name of a value without spelling; the names that formats have for one time are one.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|it| it.is_alphanumeric());
    let letters: String = letters.flat_map(char::to_lowercase).collect();
    match letters.as_str() {
        "cpu" | "cputime" | "processor" => "processortime".to_owned(),
        "wall" => "walltime".to_owned(),
        _ => letters,
    }
}

/// What the weights of a profile belong to.
#[derive(Clone, Debug)]
pub enum Weights {
    /// Each calling context has its own.
    Contexts(Contexts),
    /// Only functions and call relations have: the input tells no contexts.
    Graph(Graph),
    /// Sums of functions and call relations, as they were told.
    Sums(Sums),
}

/// Weights without times.
#[derive(Clone, Debug)]
pub struct Profile {
    /// At least one.
    values: Vec<Value>,
    shown: usize,
    weights: Weights,
    /// How many functions the recording has.
    functions: usize,
    /// Threads that the recording names; no weight belongs to one.
    threads: Vec<Thread>,
    /// Of how many runs the first value is the mean, and how far they spread; none where that is not told.
    runs: Option<MeanRuns>,
    /// What is asked of the value shown again and again, each made when it is first asked for.
    metrics: OnceLock<Vec<FunctionMetrics>>,
    relations: OnceLock<Vec<Relation>>,
}

/// A recording has no value of this name; it has those of these names, a trace none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct NoSuchValue {
    pub wanted: String,
    pub known: Vec<String>,
}

impl fmt::Display for NoSuchValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoSuchValue { wanted, known } = self;
        match known.is_empty() {
            true => f.write_str("a trace has no values to select: its calls have only times"),
            false => {
                let known = known.join(", ");
                write!(f, "no value is named '{wanted}'; expected one of: {known}")
            }
        }
    }
}

impl Profile {
    /// A profile of a recording with `functions` functions, which shows the value numbered `shown`.
    /// `values` names what `weights` holds, in the same order.
    pub fn new(values: Vec<Value>, shown: usize, weights: Weights, functions: usize) -> Profile {
        let held = match &weights {
            Weights::Contexts(contexts) => contexts.values(),
            Weights::Graph(graph) => graph.values(),
            Weights::Sums(sums) => sums.values(),
        };
        debug_assert_eq!(held, values.len());
        Profile {
            shown: shown.min(values.len().saturating_sub(1)),
            values,
            weights,
            functions,
            threads: Vec::new(),
            runs: None,
            metrics: OnceLock::new(),
            relations: OnceLock::new(),
        }
    }

    pub fn with_threads(self, threads: Vec<Thread>) -> Profile {
        Profile { threads, ..self }
    }

    /// The same as the mean of runs.
    pub fn with_runs(self, runs: Option<MeanRuns>) -> Profile {
        Profile { runs, ..self }
    }

    /// The runs of which the value shown is the mean; none where that is not told.
    pub fn mean_runs(&self) -> Option<&MeanRuns> {
        self.runs.as_ref().filter(|_| self.shown == 0)
    }

    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The number of the value shown.
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// Shows the value of this name from now on.
    pub fn show(&mut self, name: &str) -> Result<(), NoSuchValue> {
        self.shown = Value::find(&self.values, name)?;
        self.metrics = OnceLock::new();
        self.relations = OnceLock::new();
        Ok(())
    }

    /// The same with another value shown.
    pub fn showing(&self, value: usize) -> Profile {
        Profile {
            shown: value.min(self.values.len().saturating_sub(1)),
            metrics: OnceLock::new(),
            relations: OnceLock::new(),
            ..self.clone()
        }
    }

    /// What the costs of the value shown count.
    pub fn unit(&self) -> &Unit {
        static TIME: Unit = Unit::Nanoseconds;
        self.values.get(self.shown).map_or(&TIME, |it| &it.unit)
    }

    /// What the weights belong to.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The calling context tree; none where the input tells none.
    pub fn contexts(&self) -> Option<&Contexts> {
        match &self.weights {
            Weights::Contexts(contexts) => Some(contexts),
            Weights::Graph(_) | Weights::Sums(_) => None,
        }
    }

    /// Threads that the recording names.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// Whether the recording counts calls.
    pub fn counts_calls(&self) -> bool {
        match &self.weights {
            Weights::Contexts(contexts) => contexts.counts_calls(),
            Weights::Graph(_) => true,
            Weights::Sums(sums) => sums.counts_calls(),
        }
    }

    /// The number of calls; 0 where they are not counted. O(contexts), or as
    /// [`function_metrics`](Self::function_metrics) where there are none.
    pub fn calls(&self) -> u64 {
        let calls = self.calls_by_function();
        calls.into_iter().fold(0, u64::saturating_add)
    }

    /// The same of each function.
    pub fn calls_by_function(&self) -> Vec<u64> {
        match &self.weights {
            // Without what they weigh, which takes longer.
            Weights::Contexts(contexts) => contexts.calls_by_function(self.functions),
            _ => self.function_metrics().iter().map(|it| it.calls).collect(),
        }
    }

    /// Everything of the value shown.
    pub fn weight(&self) -> Cost {
        self.weight_of(self.shown)
    }

    /// Everything of the value with this number.
    pub fn weight_of(&self, value: usize) -> Cost {
        match &self.weights {
            Weights::Contexts(contexts) => contexts.weight(value),
            Weights::Graph(graph) => graph.weight(value),
            Weights::Sums(sums) => sums.weight(value),
        }
    }

    /// How many weights of the value with this number are negative, as in a difference between two profiles.
    pub fn negative(&self, value: usize) -> u64 {
        match &self.weights {
            Weights::Contexts(contexts) => contexts.negative(value),
            Weights::Graph(graph) => graph.negative(value),
            Weights::Sums(sums) => sums.negative(value),
        }
    }

    /// What shares of the value shown are shares of: everything, whatever its sign, as sums of a difference may be
    /// nothing. That is how pprof has it (`computeTotal` in `internal/report/report.go`).
    pub fn size(&self) -> u64 {
        match self.negative(self.shown) {
            0 => self.weight().ns(),
            _ => {
                let own = self.function_metrics().iter().map(|it| it.self_cost.size());
                own.fold(0, u64::saturating_add)
            }
        }
    }

    /// Calls (0 where not known), total and self weight of each function, indexed by function; costs are in
    /// the [`unit`](Self::unit). Linear in the contexts the first time.
    pub fn function_metrics(&self) -> &[FunctionMetrics] {
        self.metrics.get_or_init(|| match &self.weights {
            Weights::Contexts(contexts) => contexts.function_metrics(self.shown, self.functions),
            Weights::Graph(graph) => graph.function_metrics(self.shown, self.functions),
            Weights::Sums(sums) => sums.function_metrics(self.shown, self.functions),
        })
    }

    /// The call relations, sorted by caller, then callee; costs are in the [`unit`](Self::unit). Linear in
    /// the contexts the first time.
    pub fn relations(&self) -> &[Relation] {
        self.relations.get_or_init(|| match &self.weights {
            Weights::Contexts(contexts) => contexts.relations(self.shown),
            Weights::Graph(graph) => graph.relations(self.shown),
            Weights::Sums(sums) => sums.relations(self.shown),
        })
    }
}
