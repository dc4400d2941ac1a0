//! Nesting: complete (X) events and begin and end (B, E) events of one thread as one call tree.

use std::collections::HashMap;

use crate::facts::builder::{Timestamp, TraceBuilder};
use crate::facts::names::NameId;
use crate::import::hashing::BuildFast;
use crate::units::{FunctionId, ThreadId};
use crate::warnings::{Place, Reporter};

/// A complete event: a call of which start and end are known.
#[derive(Clone, Copy, Debug)]
pub struct Complete {
    pub start: i64,
    pub end: i64,
    pub offset: u64,
    pub function: FunctionId,
}

/// The begin events that wait for their end, on one thread.
#[derive(Default)]
pub struct OpenBegins {
    open: Vec<OpenBegin>,
    /// By name, the open begins of it from outermost to innermost; kept from the first time that a search
    /// would have been long, so that ends which match nothing do not cost the depth of the stack each.
    by_name: Option<HashMap<NameId, Vec<u32>, BuildFast>>,
}

#[derive(Clone, Copy)]
struct OpenBegin {
    name: NameId,
    function: FunctionId,
    call: u32,
}

/// How many open begins are looked through before an index is worth it.
const SHORT_SEARCH: usize = 16;

impl OpenBegins {
    #[inline]
    pub fn begin(&mut self, name: NameId, function: FunctionId, call: u32) {
        if let Some(by_name) = &mut self.by_name {
            by_name
                .entry(name)
                .or_default()
                .push(self.open.len() as u32);
        }
        self.open.push(OpenBegin {
            name,
            function,
            call,
        });
    }

    /// The depth of the innermost open begin with this name, of the innermost of all for none.
    #[inline]
    fn find(&mut self, name: Option<NameId>) -> Option<usize> {
        let Some(name) = name else {
            return self.open.len().checked_sub(1);
        };
        let near = self.open.iter().rev().take(SHORT_SEARCH);
        if let Some(above) = near.clone().position(|open| open.name == name) {
            return Some(self.open.len() - 1 - above);
        }
        if self.open.len() <= SHORT_SEARCH {
            return None;
        }
        let open = &self.open;
        let by_name = self.by_name.get_or_insert_with(|| {
            let mut by_name: HashMap<NameId, Vec<u32>, BuildFast> = HashMap::default();
            for (depth, begin) in open.iter().enumerate() {
                by_name.entry(begin.name).or_default().push(depth as u32);
            }
            by_name
        });
        let depths = by_name.get(&name)?;
        depths.last().map(|&depth| depth as usize)
    }

    /// The end of a begin: its function, and how many begins inside it never ended. `closed` is handed
    /// the call numbers of all that end here, innermost first. None when no open begin has this name.
    #[inline]
    pub fn end(
        &mut self,
        name: Option<NameId>,
        mut closed: impl FnMut(u32),
    ) -> Option<(FunctionId, usize)> {
        let depth = self.find(name)?;
        let function = self.open[depth].function;
        let inside = self.open.len() - 1 - depth;
        while self.open.len() > depth {
            let Some(begin) = self.open.pop() else { break };
            closed(begin.call);
            if let Some(depths) = self
                .by_name
                .as_mut()
                .and_then(|by_name| by_name.get_mut(&begin.name))
            {
                depths.pop();
            }
        }
        Some((function, inside))
    }

    /// Begins without an end.
    pub fn rest(self) -> impl Iterator<Item = u32> {
        self.open.into_iter().map(|open| open.call)
    }
}

/// A begin or end event kept until all of its thread are known.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub time: i64,
    pub offset: u64,
    pub what: What,
}

/// What a [`Mark`] marks.
#[derive(Clone, Copy, Debug)]
pub enum What {
    Begin(NameId, FunctionId),
    /// The name is none where the event has none.
    End(Option<NameId>),
}

/// A call made of a begin and its end.
#[derive(Clone, Copy, Debug)]
struct Paired {
    call: Complete,
    /// The number of the last call inside it; calls are numbered in order of start.
    last: u32,
}

/// Pairs begins with ends: the calls in order of start. `marks` are in order of time.
fn pair(marks: &[Mark], reporter: &Reporter, place: &impl Fn(u64) -> Place) -> Vec<Paired> {
    let mut calls: Vec<Paired> = Vec::new();
    let mut open = OpenBegins::default();
    for mark in marks {
        match mark.what {
            What::Begin(name, function) => {
                open.begin(name, function, calls.len() as u32);
                calls.push(Paired {
                    call: Complete {
                        start: mark.time,
                        end: mark.time,
                        offset: mark.offset,
                        function,
                    },
                    last: 0,
                });
            }
            What::End(name) => {
                let last = (calls.len() as u32).saturating_sub(1);
                let found = open.end(name, |call| {
                    let paired = &mut calls[call as usize];
                    paired.call.end = mark.time;
                    paired.last = last;
                });
                match found {
                    Some((_, inside)) => {
                        reporter.warn_many("missing-end", inside as u64, || place(mark.offset));
                    }
                    None => reporter.warn("end-without-begin", || place(mark.offset)),
                }
            }
        }
    }
    let Some(end) = marks.last() else {
        return calls;
    };
    let last = (calls.len() as u32).saturating_sub(1);
    let mut unfinished = 0;
    for call in open.rest() {
        let paired = &mut calls[call as usize];
        paired.call.end = end.time;
        paired.last = last;
        unfinished += 1;
    }
    reporter.warn_many("open-at-end", unfinished, || place(end.offset));
    calls
}

/// Builds the calls of `thread` from its complete events, in any order, and its begin and end events, in
/// order of time. Of calls that start together the longer is the outer one. A call that would end after
/// the one around it ends with it (`overlap`). O(n log n), O(n) where they are in order.
pub fn build(
    thread: ThreadId,
    completes: &mut [Complete],
    marks: &[Mark],
    builder: &mut TraceBuilder<'_>,
    reporter: &Reporter,
    place: &impl Fn(u64) -> Place,
) {
    let key = |call: &Complete| (call.start, std::cmp::Reverse(call.end), call.offset);
    if !completes.is_sorted_by_key(key) {
        completes.sort_unstable_by_key(key);
    }
    let pairs = pair(marks, reporter, place);
    let mut open: Vec<Open> = Vec::new();
    let (mut next_complete, mut next_pair) = (0, 0);
    loop {
        let complete = completes.get(next_complete);
        let paired = pairs.get(next_pair);
        // A merge: both are in order, and pairs must stay in theirs.
        let complete_first = match (complete, paired) {
            (None, None) => break,
            (Some(complete), Some(paired)) => {
                let (a, b) = (complete, &paired.call);
                (a.start, std::cmp::Reverse(a.end)) <= (b.start, std::cmp::Reverse(b.end))
            }
            (complete, _) => complete.is_some(),
        };
        let (call, number, last) = match (complete, paired) {
            (Some(complete), _) if complete_first => (*complete, None, None),
            (_, Some(paired)) => (paired.call, Some(next_pair as u32), Some(paired.last)),
            _ => break,
        };
        if complete_first {
            next_complete += 1;
        } else {
            next_pair += 1;
        }
        while let Some(around) = open.last()
            && around.end <= call.start
            && !around.encloses(number)
        {
            let end = Timestamp::from_ns(around.end);
            builder.exit(thread, end, None, || place(call.offset));
            open.pop();
        }
        let mut end = call.end;
        if let Some(around) = open.last()
            && around.end < end
        {
            reporter.warn("overlap", || place(call.offset));
            end = around.end;
        }
        let start = Timestamp::from_ns(call.start.min(end));
        builder.enter(thread, start, call.function, || place(call.offset));
        open.push(Open { end, last });
    }
    while let Some(call) = open.pop() {
        let end = Timestamp::from_ns(call.end);
        builder.exit(thread, end, None, || place(0));
    }
}

/// A call that is open while the next is placed.
#[derive(Clone, Copy)]
struct Open {
    end: i64,
    /// For a pair, the number of the last pair inside it.
    last: Option<u32>,
}

impl Open {
    /// Whether the pair of this number lies inside, which times alone do not tell when it takes none.
    fn encloses(self, number: Option<u32>) -> bool {
        matches!((self.last, number), (Some(last), Some(number)) if number <= last)
    }
}
