//! What the events of the kernel's ftrace tell of threads: when they have a processor (`sched_switch`), who wakes them, and
//! calls of other processes through binder. A thread that is taken from its processor waits until one is given to it
//! again. Specification: `include/trace/events/sched.h` and `drivers/android/binder_trace.h` of Linux.

use std::io;

use bytemuck::{Pod, Zeroable};

use super::flows::{At, Flows, Role, Step};
use super::wakeups::{Stage, Wakeups};
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::sorting::Sorter;
use callscape_facts::trace::{LinkKind, Why};

/// A thread is taken from its processor or given one.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Switch {
    thread: u64,
    time: i64,
    /// [`IN`], or why it is taken: [`PREEMPTED`], [`VOLUNTARY`].
    kind: u64,
}

const IN: u64 = 0;
const PREEMPTED: u64 = 1;
const VOLUNTARY: u64 = 2;

/// Which end of a call through binder an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binder {
    Sent,
    Received,
}

impl Binder {
    /// By the name of its event.
    pub(crate) fn of_event(name: &str) -> Option<Binder> {
        match name {
            "binder_transaction" => Some(Binder::Sent),
            "binder_transaction_received" => Some(Binder::Received),
            _ => None,
        }
    }
}

/// What was told so far, by the kernel's numbers of threads; 0 is an idle processor. Events may come in any order.
pub(crate) struct Kernel {
    switches: Sorter<Switch, (u64, i64)>,
    /// When the last switch was.
    last: i64,
    wakeups: Wakeups,
    binder: Flows,
}

impl Default for Kernel {
    fn default() -> Kernel {
        Kernel {
            switches: Sorter::new(|it| (it.thread, it.time)),
            last: i64::MIN,
            wakeups: Wakeups::default(),
            binder: Flows::default(),
        }
    }
}

impl Kernel {
    /// A processor is taken from a thread, which could go on or waits for something, and given to another.
    pub(crate) fn switch(&mut self, time: i64, (from, could_go_on): (u64, bool), to: u64) {
        self.last = self.last.max(time);
        let kind = match could_go_on {
            true => PREEMPTED,
            false => VOLUNTARY,
        };
        for (thread, kind) in [(from, kind), (to, IN)] {
            if thread != 0 {
                self.switches.push(Switch { thread, time, kind });
            }
        }
    }

    /// A thread wakes another; see [`Wakeups::push`].
    pub(crate) fn wakeup(&mut self, stage: Stage, threads: [u64; 2], time: i64, offset: u64) {
        let threads = threads.map(|it| i64::try_from(it).unwrap_or(0));
        self.wakeups.push(stage, threads, time, offset);
    }

    /// A thread sends a transaction of this number through binder, or receives it: the call that is open then calls the
    /// one that begins next.
    pub(crate) fn binder(
        &mut self,
        (end, number): (Binder, u64),
        thread: u64,
        time: i64,
        offset: u64,
    ) {
        let (role, at) = match end {
            Binder::Sent => (Role::Start, At::Open),
            Binder::Received => (Role::End, At::Next),
        };
        let step = Step {
            role,
            at,
            kind: LinkKind::Flow,
            thread,
            time,
            offset,
        };
        self.binder.push(&number.to_le_bytes(), step);
    }

    /// Tells the builder all of it; `thread` finds those that have calls. O(n log n).
    pub(crate) fn build(
        self,
        thread: impl Fn(u64) -> Option<ThreadId>,
        (builder, progress): (&mut TraceBuilder<'_>, &Progress),
        reporter: &Reporter,
        place: &impl Fn(u64) -> Place,
    ) -> io::Result<()> {
        let woken = |id: i64| thread(u64::try_from(id).ok()?);
        self.wakeups.build(woken, builder, reporter, place);
        self.binder.build(&thread, builder, reporter, place);
        if self.switches.total() == 0 {
            return Ok(());
        }
        builder.knows_waiting();
        let mut switches = self.switches.finish(progress)?;
        let mut out: Option<Switch> = None;
        loop {
            let next = switches.next();
            if let Some(taken) = out.take()
                && let Some(thread) = thread(taken.thread)
            {
                // What does not come back waits to the end.
                let end = match next.filter(|next| next.thread == taken.thread) {
                    Some(next) if next.kind == IN => Some(next.time),
                    Some(_) => None,
                    None => Some(self.last),
                };
                let why = match taken.kind {
                    PREEMPTED => Why::Preempted,
                    _ => Why::Voluntary,
                };
                if let Some(end) = end {
                    let times = (Timestamp::from_ns(taken.time), Timestamp::from_ns(end));
                    builder.wait(thread, times, None, why);
                }
            }
            match next {
                None => break,
                Some(next) => out = (next.kind != IN).then_some(next),
            }
        }
        switches.check()
    }
}
