//! What causes what: flows, which are events of their own (`s`, `t`, `f`) or members of calls (`bind_id`), and asynchronous
//! operations, each of which was begun by the call that was open on the thread of its event.

use super::events::Event;
use super::threads::{Key, Threads};
use crate::flows::{At, Flows, Role, Step};
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::trace::{LinkEnd, LinkKind};

/// An asynchronous operation that began.
struct Began {
    /// The place of the thread that wrote so, among the keys.
    by: u64,
    lane: ThreadId,
    time: i64,
    function: FunctionId,
    offset: u64,
}

/// What was told of causes so far.
#[derive(Default)]
pub(super) struct Linked {
    flows: Flows,
    began: Vec<Began>,
    /// Threads as events call them: some have no calls before, or none at all.
    keys: Vec<Key>,
}

impl Linked {
    fn thread(&mut self, event: &Event<'_>) -> u64 {
        let key = Threads::key(event);
        // Most events are of the thread of the one before.
        let near = self.keys.iter().rev().take(8).position(|it| *it == key);
        let last = self.keys.len();
        match near {
            Some(back) => (last - 1 - back) as u64,
            None => {
                self.keys.push(key);
                last as u64
            }
        }
    }

    /// Takes an event of a flow; false where it lacks what tells which.
    /// `own` is what Callscape has written of a link: its kind, and the function of the call that begins then.
    pub(super) fn flow(
        &mut self,
        phase: u8,
        event: &Event<'_>,
        own: Option<(LinkKind, FunctionId)>,
        offset: u64,
    ) -> bool {
        let (Some(id), Some(Ok(time))) = (event.id, event.ts) else {
            return false;
        };
        let (role, at) = match phase {
            b's' => (Role::Start, At::Open),
            b't' => (Role::Step, At::Open),
            _ if event.binding == Some(b"e") => (Role::End, At::Open),
            _ => (Role::End, At::Next),
        };
        let (kind, at) = own.map_or((LinkKind::Flow, at), |(kind, function)| {
            (kind, At::Begun(function))
        });
        let parts = [event.category, event.name, Some(id)];
        let flow = parts.map(Option::unwrap_or_default).join(&0);
        let thread = self.thread(event);
        let step = Step {
            role,
            at,
            kind,
            thread,
            time,
            offset,
        };
        self.flows.push(&flow, step);
        true
    }

    /// Takes a call that is a part of a flow.
    #[cold]
    pub(super) fn call(&mut self, event: &Event<'_>, time: i64, function: FunctionId, offset: u64) {
        let Some(flow) = event.flow else { return };
        let is = |member: Option<&[u8]>| member.is_some_and(|it| it != b"false");
        let role = match (is(event.flow_in), is(event.flow_out)) {
            (true, true) => Role::Step,
            (true, false) => Role::End,
            (false, true) => Role::Start,
            (false, false) => return,
        };
        let thread = self.thread(event);
        let step = Step {
            role,
            at: At::Begun(function),
            kind: LinkKind::Flow,
            thread,
            time,
            offset,
        };
        self.flows.push(flow, step);
    }

    /// Takes an asynchronous operation that began on a lane of its own.
    pub(super) fn began(
        &mut self,
        event: &Event<'_>,
        lane: ThreadId,
        (time, function): (i64, FunctionId),
        offset: u64,
    ) {
        let by = self.thread(event);
        self.began.push(Began {
            by,
            lane,
            time,
            function,
            offset,
        });
    }

    /// Hands the links to the builder.
    pub(super) fn build(
        self,
        threads: &Threads,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &impl Fn(u64) -> Place,
    ) {
        let known = |number: u64| threads.known(self.keys.get(number as usize)?);
        for began in self.began {
            let Some(by) = known(began.by) else { continue };
            let time = Timestamp::from_ns(began.time);
            let from = LinkEnd::Open(by, time);
            let to = LinkEnd::Begun(began.lane, time, began.function);
            builder.link(LinkKind::AsyncBegin, from, to, began.offset);
        }
        self.flows.build(known, builder, reporter, place);
    }
}
