//! A recording with its calling contexts, as all kinds of findings read it.

use std::collections::HashMap;

use super::claims::{Claim, Part};
use super::finding::Certainty;
use super::limits::{LEAST_SHARE, MOSTLY};
use super::names::{self, Does};
use super::paths::Paths;
use super::series::Series;
use crate::contexts::{WAITING, contexts};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{ContextId, Cost, FunctionId, ThreadId, TimeRange};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, Merge, NodeId};
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_facts::trace::Call;

/// Calls of contexts with less than this part of the cost are not read.
const WORTH: u64 = 1000;

/// A recording with its calling contexts.
pub(super) struct Run<'a> {
    pub recording: &'a Recording,
    pub progress: &'a Progress,
    /// Without recursion.
    pub tree: Contexts,
    /// By context of the tree, what it costs itself: running, and waiting.
    pub own: Vec<[u64; 2]>,
    /// By context of the tree what all before it cost, one more than contexts.
    before: Vec<u64>,
    /// By function, what its name says that it does.
    pub does: Vec<Option<Does>>,
    /// Whether calls are counted, not merged from samples.
    pub counts_calls: bool,
    /// Whether costs are running times, since most waiting is pre-emption.
    pub is_running: bool,
    /// Whether it is recorded why most threads wait.
    pub knows_why: bool,
    /// The contexts as recorded; empty where calls are not counted.
    pub paths: Paths,
    /// The calls of the contexts with much of the cost; read after the rest is known.
    pub series: Vec<Series>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        recording: &'a Recording,
        progress: &'a Progress,
    ) -> Result<Run<'a>, Cancelled> {
        let recorded = match contexts(recording, progress)? {
            Some(found) => found.into_owned(),
            None => of_functions(recording),
        };
        let tree = recorded.merged(Merge::Recursion, |it| it, progress)?;
        let value = recording.value().min(tree.values().saturating_sub(1));
        let known = recording.trace.waiting_known();
        let known = known.filter(|_| recording.profile.is_none() && tree.values() > WAITING);
        let is_running = known.is_some_and(|it| it.preempted.ns() > it.total.ns() / 2);
        let cost = |of: usize, context| match of < tree.values() {
            true => tree.self_weight(of, context).ns(),
            false => 0,
        };
        let own: Vec<[u64; 2]> = tree
            .ids()
            .map(|context| {
                let all = cost(value, context);
                let waited = known.map_or(0, |_| cost(WAITING, context)).min(all);
                [all - waited, if is_running { 0 } else { waited }]
            })
            .collect();
        let mut sum = 0_u64;
        let sums = own.iter().map(|it| {
            sum = sum.saturating_add(it[0]).saturating_add(it[1]);
            sum
        });
        let before = std::iter::once(0).chain(sums).collect();
        let is_counted = recording.counts_calls() && recorded.counts_calls();
        let mut run = Run {
            recording,
            progress,
            own,
            before,
            tree,
            does: names::all(&recording.functions),
            counts_calls: is_counted && recording.recorded_as() != RecordingKind::Sampled,
            is_running,
            knows_why: known.is_some_and(|it| it.voluntary.ns() >= it.total.ns() / 2),
            paths: Paths::default(),
            series: Vec::new(),
        };
        if run.counts_calls {
            let worth = (run.whole() / WORTH).max(1);
            run.paths = Paths::of(&run.tree, &recorded, (value, worth), progress)?;
        }
        Ok(run)
    }

    /// What everything costs.
    pub(super) fn whole(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// What a context costs with all below it.
    pub(super) fn total(&self, context: ContextId) -> u64 {
        let below = self.tree.subtree(context);
        self.before[below.end as usize] - self.before[below.start as usize]
    }

    /// A cost as a share of everything.
    pub(super) fn share(&self, cost: u64) -> f64 {
        cost as f64 / self.whole().max(1) as f64
    }

    /// Whether a cost is too little to be remarkable.
    pub(super) fn is_little(&self, cost: u64) -> bool {
        cost == 0 || self.share(cost) < LEAST_SHARE.value
    }

    pub(super) fn calls(&self, context: ContextId) -> u64 {
        self.tree.calls(context).unwrap_or(0)
    }

    pub(super) fn function(&self, context: ContextId) -> FunctionId {
        self.tree.function(context)
    }

    pub(super) fn name_of(&self, function: FunctionId) -> &str {
        self.recording.functions.get(function).name
    }

    pub(super) fn name(&self, context: ContextId) -> &str {
        self.name_of(self.function(context))
    }

    pub(super) fn does(&self, context: ContextId) -> Option<Does> {
        self.does
            .get(self.function(context).index())
            .copied()
            .flatten()
    }

    /// The cost of a call, as its context counts it.
    pub(super) fn cost(&self, thread: ThreadId, call: &Call) -> u64 {
        let trace = &self.recording.trace;
        let cost = match self.is_running {
            true => trace.cost_without_preemption(thread, TimeRange::new(call.start, call.end)),
            false => call.cost(),
        };
        cost.ns()
    }

    /// A cost for people.
    pub(super) fn show(&self, cost: u64) -> String {
        self.recording.unit().show(Cost::from_ns(cost))
    }

    /// A context and those around it, innermost first.
    pub(super) fn outwards(&self, context: ContextId) -> impl Iterator<Item = ContextId> + '_ {
        std::iter::successors(Some(context), |it| self.tree.parent(*it))
    }

    /// Whether `is` holds for what the context or a context around it does.
    pub(super) fn lies_in(&self, context: ContextId, is: impl Fn(Does) -> bool) -> bool {
        self.outwards(context)
            .any(|it| self.does(it).is_some_and(&is))
    }

    /// The outermost contexts that do something for which `is` holds.
    pub(super) fn outermost(&self, is: impl Fn(Does) -> bool) -> Vec<ContextId> {
        let is_outermost = |it: &ContextId| {
            let around = self.tree.parent(*it);
            self.does(*it).is_some_and(&is) && !around.is_some_and(|it| self.lies_in(it, &is))
        };
        self.tree.ids().filter(is_outermost).collect()
    }

    /// How often all of these are called.
    pub(super) fn calls_of(&self, contexts: &[ContextId]) -> u64 {
        sum(contexts.iter().map(|&it| self.calls(it)))
    }

    /// All that a context and those below it cost.
    pub(super) fn subtree(&self, context: ContextId) -> Vec<Claim> {
        vec![Claim {
            contexts: self.tree.subtree(context),
            part: Part::Both,
        }]
    }

    /// The function below a context that costs most itself there, if it is much and another one.
    pub(super) fn mostly(&self, context: ContextId) -> Option<FunctionId> {
        let mut by_function: HashMap<FunctionId, u64> = HashMap::new();
        for at in self.tree.subtree(context).map(ContextId) {
            *by_function.entry(self.function(at)).or_default() += sum(self.own[at.index()]);
        }
        let most = by_function
            .into_iter()
            .max_by_key(|&(function, own)| (own, std::cmp::Reverse(function)));
        let (function, own) = most?;
        let is_much = own as f64 >= MOSTLY.value * self.total(context) as f64;
        (is_much && function != self.function(context)).then_some(function)
    }

    /// How certain costs are.
    pub(super) fn certainty(&self, share: f64) -> Certainty {
        let recording = self.recording;
        // Weights without samples are counted.
        if recording.recorded_as() == RecordingKind::Trace || recording.samples == 0 {
            return Certainty::Measured;
        }
        // Of n samples a share p varies by √(p (1 − p) / n); twice that covers 19 of 20 recordings.
        let variance = share * (1.0 - share) / recording.samples as f64;
        Certainty::Sampled(2.0 * variance.max(0.0).sqrt())
    }
}

/// A sum, which stays at the end of 64 bits.
pub(super) fn sum(of: impl IntoIterator<Item = u64>) -> u64 {
    of.into_iter().fold(0, u64::saturating_add)
}

/// The context that costs most, of equal ones the first.
pub(super) fn largest(
    contexts: &[ContextId],
    cost: impl Fn(ContextId) -> u64,
) -> Option<ContextId> {
    let contexts = contexts.iter().copied();
    contexts.max_by_key(|&it| (cost(it), std::cmp::Reverse(it)))
}

/// The functions of a profile without contexts, as contexts without callers.
fn of_functions(recording: &Recording) -> Contexts {
    let reporter = Reporter::new();
    let value = recording.value();
    let mut builder = ContextsBuilder::new(value + 1, &reporter);
    let place = || Place::file("a profile");
    for (function, of) in recording
        .functions
        .ids()
        .zip(recording.function_metrics(None))
    {
        if of.self_cost != Cost::ZERO {
            let node = builder.child(NodeId::ROOT, function, place);
            builder.add(node, value, of.self_cost, place);
        }
    }
    builder.finish()
}
