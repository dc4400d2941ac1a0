//! Flows: arrows that a recording draws from event to event, by the id that those of one flow share.
//!
//! Steps of a flow are linked in order of time, each with the one before it. Where it starts once, the start is the first
//! whatever the clocks say. A step that is linked to nothing is counted (`link-without-call`).

use std::collections::HashMap;

use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::hashing::BuildFast;
use callscape_facts::trace::{LinkEnd, LinkKind};

/// What an event is in its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Start,
    Step,
    End,
}

/// Which call of its thread a step means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// The one that is open.
    Open,
    /// The next to begin.
    Next,
    /// The one that begins with it.
    Begun(FunctionId),
}

/// An event of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub role: Role,
    pub at: At,
    /// What the link that leads to it is.
    pub kind: LinkKind,
    /// The importer's own number of its thread.
    pub thread: u64,
    pub time: i64,
    /// In the file.
    pub offset: u64,
}

/// The flows of a recording while it is read.
#[derive(Default)]
pub(crate) struct Flows {
    flows: HashMap<Box<[u8]>, u32, BuildFast>,
    /// Each with its flow.
    steps: Vec<(u32, Step)>,
}

impl Flows {
    /// The next event of the flow that these bytes tell from others.
    pub(crate) fn push(&mut self, flow: &[u8], step: Step) {
        let next = self.flows.len() as u32;
        let number = match self.flows.get(flow) {
            Some(&known) => known,
            None => *self.flows.entry(flow.into()).or_insert(next),
        };
        self.steps.push((number, step));
    }

    /// Hands the links to the builder; `threads` are by number, as far as they have calls. O(n log n).
    pub(crate) fn build(
        mut self,
        threads: impl Fn(u64) -> Option<ThreadId>,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &impl Fn(u64) -> Place,
    ) {
        // Stable: those of one time stay in the order of the file.
        self.steps
            .sort_by_key(|(flow, step)| (*flow, step.time, step.role));
        let lost = |step: &Step| reporter.warn("link-without-call", || place(step.offset));
        for of_flow in self.steps.chunk_by_mut(|a, b| a.0 == b.0) {
            let mut starts = of_flow
                .iter()
                .zip(0..)
                .filter(|((_, it), _)| it.role == Role::Start);
            if let (Some((_, first)), None) = (starts.next(), starts.next()) {
                of_flow[..=first].rotate_right(1);
            }
            // The step before, and whether a link leads from it.
            let mut before: Option<(Step, bool)> = None;
            for &(_, step) in &*of_flow {
                let from = before.filter(|_| step.role != Role::Start);
                let ends = from.and_then(|(from, _)| {
                    let end = |step: Step| Some(end(step, threads(step.thread)?));
                    Some((end(from)?, end(step)?))
                });
                if let Some((from, to)) = ends {
                    builder.link(step.kind, from, to, step.offset);
                } else if from.is_some() || step.role == Role::End {
                    lost(&step);
                }
                match (before, step.role) {
                    // Several may end what was started once.
                    (Some((from, _)), Role::End) => before = Some((from, true)),
                    (_, Role::End) => {}
                    (Some((from, false)), Role::Start) => {
                        lost(&from);
                        before = Some((step, false));
                    }
                    (linked, _) => {
                        before = Some((step, linked.is_some() && step.role == Role::Step))
                    }
                }
            }
            if let Some((alone, false)) = before {
                lost(&alone);
            }
        }
    }
}

fn end(step: Step, thread: ThreadId) -> LinkEnd {
    let time = Timestamp::from_ns(step.time);
    match step.at {
        At::Open => LinkEnd::Open(thread, time),
        At::Next => LinkEnd::Next(thread, time),
        At::Begun(function) => LinkEnd::Begun(thread, time, function),
    }
}
