//! The stacks that a flame graph shows, made on another thread.

use std::sync::Arc;

use super::choice::{Choice, Order};
use super::functions::Functions;
use super::merging::{OfOther, Rows};
use super::stacks::Stacks;
use crate::parts::context_chart::choice::Metric;
use crate::parts::contexts::ShownContexts;
use callscape_analysis::contexts::WAITING;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::ContextId;
use callscape_facts::contexts::Contexts;
use callscape_layout::hues::Hues;
use callscape_layout::stacks::NONE;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::Job;

/// A bar: the side that it is on, and its node.
pub(super) type At = (usize, u32);

/// What is shown.
#[derive(Debug)]
pub(super) struct Made {
    pub shown: Arc<ShownContexts>,
    pub functions: Functions,
    /// Everything, or one function with all that it calls; and its callers.
    pub sides: [Stacks; 2],
    /// The function whose callers and callees these are.
    pub focus: Option<u32>,
    pub hues: Hues,
    /// Rows before this one are contexts of the run shown, where there is no focus.
    contexts: u32,
    /// Changes with what is shown.
    pub stamp: u64,
}

impl Made {
    /// The context of the run shown that a node is; none where several are merged, and of the other run.
    pub(super) fn context(&self, side: usize, node: u32) -> Option<ContextId> {
        let row = self.sides[side].row(node);
        (self.focus.is_none() && row < self.contexts).then_some(ContextId(row))
    }

    /// Whether there is nothing to see.
    pub(super) fn is_empty(&self) -> bool {
        self.sides[0].forest.whole() == 0
    }
}

/// What stacks are made of.
#[derive(Clone, Debug, PartialEq)]
struct Of {
    shown: usize,
    metric: Metric,
    order: Order,
    focus: Option<u32>,
}

/// The stacks shown, and the work on others.
#[derive(Debug, Default)]
pub(super) struct Making {
    made: Option<Made>,
    of: Option<Of>,
    job: Option<Job<Made>>,
    stamp: u64,
}

impl Making {
    pub(super) fn made(&self) -> Option<&Made> {
        self.made.as_ref()
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.job.is_some()
    }

    pub(super) fn progress(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    /// Forgets what is shown: it is of other recordings.
    pub(super) fn clear(&mut self) {
        (self.made, self.of, self.job) = (None, None, None);
    }

    /// Takes what was made, and begins where something else is wanted. Whether something else is shown.
    pub(super) fn update(
        &mut self,
        state: &State,
        document: &Document,
        shown: &Arc<ShownContexts>,
        choice: &Choice,
        focus: Option<u32>,
    ) -> bool {
        let done = self.job.as_ref().and_then(Job::poll);
        let is_new = done.is_some();
        if let Some(done) = done {
            self.job = None;
            self.made = done.ok().or(self.made.take());
        }
        let of = Of {
            shown: Arc::as_ptr(shown) as usize,
            metric: choice.metric,
            order: choice.order,
            focus,
        };
        if self.of.as_ref() != Some(&of) {
            self.of = Some(of.clone());
            self.stamp += 1;
            let stamp = self.stamp;
            let functions = Functions::new(document);
            let of_other = document.runs.as_ref().map(|it| functions.of_other(it));
            let shown = Arc::clone(shown);
            self.job = Some(Job::named("flame-graph", state.waker(), move |progress| {
                make(
                    shown,
                    functions,
                    &of_other.unwrap_or_default(),
                    &of,
                    progress,
                )
                .map(|made| Made { stamp, ..made })
            }));
        }
        is_new
    }
}

/// Whether contexts say how much of their cost was waiting.
fn is_known(metric: Metric, shown: &ShownContexts) -> Metric {
    match metric {
        Metric::Waiting if !shown.knows_waiting => Metric::Total,
        Metric::Calls if !shown.contexts.counts_calls() => Metric::Total,
        metric => metric,
    }
}

/// How wide a context is itself.
fn width(contexts: &Contexts, value: usize, metric: Metric, context: ContextId) -> u64 {
    let of = |value: usize| {
        let own = contexts.self_weight(value, context).weight();
        own.max(0).unsigned_abs()
    };
    match metric {
        Metric::Total => of(value),
        Metric::Calls => contexts.calls(context).unwrap_or_default(),
        Metric::Waiting if contexts.values() > WAITING => of(WAITING),
        Metric::Waiting => 0,
    }
}

/// All contexts as rows: those of the run shown by their numbers, then those that only the other has.
fn rows(
    shown: &ShownContexts,
    of_other: &[u32],
    metric: Metric,
    progress: &Progress,
) -> Result<Rows, Cancelled> {
    let contexts = &shown.contexts;
    let mut rows = Rows::default();
    for context in contexts.ids() {
        let parent = contexts.parent(context).map_or(NONE, |it| it.0);
        rows.push(parent, contexts.function(context).0);
        let weight = &mut rows.weights[context.index()];
        weight.width = width(contexts, shown.value, metric, context);
        weight.costs[0] = shown.own(context).weight();
        rows.calls[context.index()] = shown.calls(context);
    }
    progress.check()?;
    let Some((other, value, pairs)) = shown.other() else {
        return Ok(rows);
    };
    let mut rows_of_other = vec![None; other.len()];
    for (row, &pair) in (0..).zip(pairs) {
        if let Some(place) = rows_of_other.get_mut(pair as usize) {
            *place = Some(row);
        }
    }
    rows.add_other(other.ids().map(|context| OfOther {
        parent: other.parent(context).map(|it| it.0),
        key: of_other[other.function(context).index()],
        row: rows_of_other[context.index()],
        cost: other.self_weight(value, context).weight(),
        width: width(other, value, metric, context),
    }));
    progress.check()?;
    Ok(rows)
}

fn make(
    shown: Arc<ShownContexts>,
    functions: Functions,
    of_other: &[u32],
    of: &Of,
    progress: &Progress,
) -> Result<Made, Cancelled> {
    let all = rows(&shown, of_other, is_known(of.metric, &shown), progress)?;
    let sides = match of.focus {
        Some(key) => all.around(key, progress)?,
        None => [all, Rows::default()],
    };
    let ranks = (of.order == Order::Name).then(|| functions.ranks());
    progress.check()?;
    Ok(Made {
        contexts: shown.contexts.len() as u32,
        sides: sides.map(|rows| Stacks::new(rows, ranks.as_deref())),
        focus: of.focus,
        hues: Hues::new(&functions.session().hierarchy),
        shown,
        functions,
        stamp: 0,
    })
}
