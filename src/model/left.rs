//! What the filters leave of a recording for the landscape to show.

use std::sync::Arc;

use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, Time};
use callscape_facts::trace::{Call, FunctionMetrics, Recent, Relation, Trace};
use callscape_filter::filters::FilterRules;
use callscape_filter::running::Running;
use callscape_filter::selection::CallOf;
use callscape_filter::summary::Summary;

/// What is left of a recording.
///
/// Which calls are left is found out by looking at all of them, not while it plays: before that nothing of
/// them is shown.
#[derive(Clone, Debug, Default)]
pub struct Left {
    rules: FilterRules,
    /// By function, what is left of it; empty before that has been counted.
    metrics: Vec<FunctionMetrics>,
    relations: Vec<Relation>,
    running: Option<Arc<Running>>,
}

impl Left {
    /// What `rules` leave before the calls have been counted; running sums that are of the same are kept.
    pub fn uncounted(&self, rules: FilterRules) -> Left {
        let running = self.running.clone();
        Left {
            running: running.filter(|it| it.is_of(&rules)),
            rules,
            ..Left::default()
        }
    }

    /// Takes what looking at every call has found.
    pub fn count(&mut self, summary: &Summary) {
        self.metrics = summary.functions.iter().map(|it| it.metrics).collect();
        self.relations.clone_from(&summary.relations);
    }

    /// Takes the running sums of what is left.
    pub fn run(&mut self, running: Arc<Running>) {
        if running.is_of(&self.rules) {
            self.running = Some(running);
        }
    }

    pub fn running(&self) -> Option<&Arc<Running>> {
        self.running.as_ref()
    }

    /// Who has called whom how often up to `t`, of what is left.
    pub fn running_at(&self, trace: &Trace, t: Time) -> Vec<Relation> {
        match &self.running {
            _ if self.is_all() => trace.running(t),
            Some(running) => running.at(trace, t),
            None => Vec::new(),
        }
    }

    /// Which functions were open within `horizon` before `t`, and when last, of what is left; found in `recent`.
    pub fn activity(&self, trace: &Trace, t: Time, horizon: Cost, recent: &mut Recent) {
        match &self.running {
            _ if self.is_all() => trace.activity_within(t, horizon, recent),
            Some(running) => recent.find(running.activity(trace, t, horizon)),
            None => recent.find([]),
        }
    }

    /// Nothing is left out.
    pub fn is_all(&self) -> bool {
        self.rules.is_empty()
    }

    /// The call relations of all that is left in the range.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// By function, what is left of it in the range; nothing before that has been counted.
    pub fn metrics(&self) -> &[FunctionMetrics] {
        &self.metrics
    }

    /// Whether anything of a function can be seen.
    pub fn shows(&self, function: FunctionId) -> bool {
        // Not all profiles count calls.
        let is_left = |of: &FunctionMetrics| of.calls > 0 || of.total != Cost::ZERO;
        self.is_all() || self.metrics.get(function.index()).is_some_and(is_left)
    }

    /// The open calls `stack` of a thread without those left out.
    pub fn stack<'a>(
        &'a self,
        trace: &'a Trace,
        thread: ThreadId,
        stack: &'a [CallId],
    ) -> impl Iterator<Item = Call> + 'a {
        let stack = if self.rules.hides(thread) { &[] } else { stack };
        let mut is_cut = false;
        let calls = stack.iter().map_while(move |&id| {
            let call = trace.call(thread, id);
            let of = CallOf { thread, call: id };
            let was_cut = is_cut;
            is_cut = self.rules.cuts_below(call.function, of);
            (!was_cut).then_some(call)
        });
        calls.filter(|call| !self.rules.removes(call.function))
    }
}
