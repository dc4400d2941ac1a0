//! What is pointed at or chosen elsewhere, in the phases that are shown: in which of them it runs, and for which share
//! of the time.

use std::collections::HashMap;

use super::finding::{Found, FoundIn};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId, TimeRange};
use callscape_facts::trace::Trace;
use callscape_filter::selection::Pointed;
use callscape_filter::walk::{LeftCall, walk};
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::{Job, take};

/// What shares are known for.
type Of = (Pointed, u64);

/// By phase the share of its time.
type Shares = HashMap<u32, f32>;

#[derive(Default)]
pub(super) struct Meaning {
    of: Option<Of>,
    /// What the shares are of.
    known_for: Option<Pointed>,
    shares: Option<Shares>,
    job: Option<Job<Shares>>,
}

/// A phase in which something that is meant runs.
struct Wanted {
    index: u32,
    thread: ThreadId,
    call: CallId,
    /// The functions meant that are active in it.
    functions: Vec<FunctionId>,
}

impl Meaning {
    /// Has the shares found again; those known stay until then.
    pub(super) fn forget(&mut self) {
        self.of = None;
    }

    pub(super) fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// Whether functions are meant at all: then phases without a share have none of them.
    pub(super) fn is_of_functions(&self) -> bool {
        self.shares.is_some()
    }

    /// The share of a phase's time in which what is meant runs.
    pub(super) fn share(&self, phase: u32) -> Option<f32> {
        self.shares.as_ref()?.get(&phase).copied()
    }

    /// Finds the shares of the phases shown. Which phases they are is known at once, how much is found by another
    /// thread.
    pub(super) fn update(
        &mut self,
        document: &Document,
        found: &Found,
        shown: impl Iterator<Item = u32>,
        revision: u64,
        state: &State,
    ) {
        if let Some(shares) = take(&mut self.job) {
            self.shares = Some(shares);
        }
        let selection = &document.selection;
        // Where nothing is pointed at, what is chosen. A call means itself.
        let plain = |of: &Pointed| Pointed {
            time: None,
            thread: None,
            ..*of
        };
        let pointed = [&selection.pointed, &selection.chosen].map(plain);
        let is_something = |of: &&Pointed| !document.meant(of).is_nothing();
        let of = pointed.iter().find(is_something).copied();
        let of = of.unwrap_or_default();
        if self.of == Some((of, revision)) {
            return;
        }
        self.of = Some((of, revision));
        let known = match self.known_for == Some(of) {
            true => self.shares.take().unwrap_or_default(),
            false => Shares::default(),
        };
        self.known_for = Some(of);
        self.job = None;
        let meant = document.meant(&of);
        if meant.is_nothing() || meant.call().is_some() {
            self.shares = None;
            return;
        }
        let wanted = shown.filter_map(|index| {
            let phase = found.phases.phases.get(index as usize)?;
            let functions = found.phases.functions(phase).iter();
            let functions = functions.map(|&function| FunctionId(function));
            let functions = functions.filter(|&function| meant.holds_function(function));
            Some(Wanted {
                index,
                thread: phase.thread,
                call: phase.call,
                functions: functions.collect(),
            })
        });
        let wanted: Vec<Wanted> = wanted.filter(|it| !it.functions.is_empty()).collect();
        let share_known = |it: &Wanted| known.get(&it.index).copied().unwrap_or(0.0);
        let at_once = wanted.iter().map(|it| (it.index, share_known(it)));
        self.shares = Some(at_once.collect());
        let of = found.of.clone();
        self.job = Some(Job::start(state.waker(), move |progress| {
            let mut shares = Shares::default();
            for wanted in wanted {
                progress.check()?;
                let share = match of.rules.leaves_threads_whole() {
                    true => share(&of.recording.trace, &wanted),
                    false => share_of_left(&of, &wanted, progress)?,
                };
                shares.insert(wanted.index, share);
            }
            Ok(shares)
        }));
    }
}

/// The share of a phase's time in which one function is open, or several are on top of the stack.
fn share(trace: &Trace, of: &Wanted) -> f32 {
    let call = trace.call(of.thread, of.call);
    let metrics = trace.function_metrics(Some(TimeRange::new(call.start, call.end)));
    let of_function = |function: &FunctionId| metrics.get(function.index()).copied();
    let cost: u64 = match &*of.functions {
        [one] => of_function(one).map_or(0, |it| it.total.ns()),
        many => {
            let costs = many.iter().filter_map(of_function);
            costs.map(|it| it.self_cost.ns()).sum()
        }
    };
    (cost as f32 / call.cost().ns().max(1) as f32).clamp(0.0, 1.0)
}

/// The same in what the filters leave of it. O(calls around the phase).
fn share_of_left(of: &FoundIn, wanted: &Wanted, progress: &Progress) -> Result<f32, Cancelled> {
    let trace = &of.recording.trace;
    let call = trace.call(wanted.thread, wanted.call);
    let last = wanted.call.0.saturating_add(call.triggered);
    let range = Some(TimeRange::new(call.start, call.end));
    let is_one = wanted.functions.len() == 1;
    let (mut own, mut is_around) = (0_u64, false);
    // The outermost calls of the one function that have ended.
    let mut outermost: Vec<(CallId, Cost)> = Vec::new();
    let visit = |left: &LeftCall| {
        if !wanted.functions.contains(&left.call.function) || left.id.0 > last {
            return;
        }
        if left.id < wanted.call {
            is_around |= left.id.0.saturating_add(left.call.triggered) >= last;
        } else if is_one {
            while outermost.pop_if(|(id, _)| *id > left.id).is_some() {}
            outermost.push((left.id, left.cost()));
        } else {
            own = own.saturating_add(left.self_cost.ns());
        }
    };
    walk(trace, wanted.thread, range, &of.rules, progress, visit)?;
    let cost = match is_one {
        true if is_around => call.cost(),
        true => outermost.iter().map(|(_, cost)| *cost).sum(),
        false => Cost::from_ns(own),
    };
    Ok((cost.ns() as f32 / call.cost().ns().max(1) as f32).clamp(0.0, 1.0))
}
