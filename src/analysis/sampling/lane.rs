//! One thread on its way through sampling: its calls in order, the stack that it has, and the stack that is shown.
//!
//! What is shown is what the sampled recording has open. Most of it is known from stacks alone: from one stack to the next,
//! the frames that are equal from the outermost on stay open, the others end and new ones begin. Some calls are known
//! *exactly*, and stay open from their own enter to their own exit: a stack takes hold above the innermost of them.

use callscape_base::units::{CallId, FunctionId, ThreadId, Time};
use callscape_facts::trace::{Call, Trace};

/// A call that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub id: CallId,
    pub function: FunctionId,
    end: Time,
    /// The number of the last call inside it.
    last: u64,
}

/// The next event of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Enter(CallId, Call),
    Exit(FunctionId),
}

/// An exact call: where it stands in what is shown, and in the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub shown: usize,
    pub open: usize,
}

pub(super) struct Lane {
    thread: ThreadId,
    next: u32,
    calls: u32,
    batch: Vec<Call>,
    batch_first: u32,
    /// The stack, outermost first.
    pub open: Vec<Open>,
    /// What is shown, outermost first.
    pub shown: Vec<FunctionId>,
    pub exact: Vec<Exact>,
    /// So many frames above the innermost exact one are known to be equal.
    pub matched: usize,
    /// The stack may have changed since it was last shown.
    pub is_dirty: bool,
    /// Time of the last event shown.
    pub last: Time,
}

impl Lane {
    pub(super) fn new(trace: &Trace, thread: ThreadId) -> Lane {
        Lane {
            thread,
            next: 0,
            calls: trace.threads()[thread.index()].calls as u32,
            batch: Vec::new(),
            batch_first: 0,
            open: Vec::new(),
            shown: Vec::new(),
            exact: Vec::new(),
            matched: 0,
            is_dirty: false,
            last: Time::ZERO,
        }
    }

    /// The time of the next event; none behind the last.
    pub(super) fn peek(&mut self, trace: &Trace, batch: u32) -> Option<Time> {
        if let Some(top) = self.open.last()
            && top.last < u64::from(self.next)
        {
            return Some(top.end);
        }
        self.call(trace, batch).map(|call| call.start)
    }

    fn call(&mut self, trace: &Trace, batch: u32) -> Option<Call> {
        if self.next >= self.calls {
            return None;
        }
        let behind = self.batch_first as usize + self.batch.len();
        if self.next as usize >= behind {
            let end = self.calls.min(self.next.saturating_add(batch));
            self.batch = trace.calls_numbered(self.thread, self.next..end);
            self.batch_first = self.next;
        }
        self.batch
            .get((self.next - self.batch_first) as usize)
            .copied()
    }

    /// Runs through the next event.
    pub(super) fn step(&mut self, trace: &Trace, batch: u32) -> Option<Step> {
        if let Some(top) = self.open.pop_if(|top| top.last < u64::from(self.next)) {
            let (_, above) = self.above();
            self.matched = self.matched.min(self.open.len().saturating_sub(above));
            return Some(Step::Exit(top.function));
        }
        let call = self.call(trace, batch)?;
        let id = CallId(self.next);
        self.next += 1;
        self.open.push(Open {
            id,
            function: call.function,
            end: call.end,
            last: u64::from(id.0) + u64::from(call.triggered),
        });
        Some(Step::Enter(id, call))
    }

    /// Where what is shown and the stack go on above the innermost exact call.
    pub(super) fn above(&self) -> (usize, usize) {
        self.exact
            .last()
            .map_or((0, 0), |it| (it.shown + 1, it.open + 1))
    }

    /// How many frames above that stay open when the stack is shown as it is now. With `is_new` the innermost does not.
    pub(super) fn common(&mut self, is_new: bool) -> usize {
        let (shown, open) = self.above();
        let shown = self.shown.get(shown..).unwrap_or_default();
        let open = self.open.get(open..).unwrap_or_default();
        let most = shown.len().min(open.len().saturating_sub(is_new.into()));
        let mut common = self.matched.min(most);
        while common < most && shown[common] == open[common].function {
            common += 1;
        }
        common
    }

    /// How many frames are shown above the innermost exact call, and how many there are.
    pub(super) fn heights(&self) -> (usize, usize) {
        let (shown, open) = self.above();
        (
            self.shown.len().saturating_sub(shown),
            self.open.len().saturating_sub(open),
        )
    }
}
