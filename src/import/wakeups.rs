//! Wake-ups: links from the call that runs on a thread to the one in which another thread has waited for it.
//!
//! The kernel tells of one twice: `sched_waking` on the thread that wakes, and `sched_wakeup` where the other can run, often
//! in an interrupt of somebody else. Where a recording has the first, the second is left out. Specification:
//! <https://docs.kernel.org/trace/events.html>, and `include/trace/events/sched.h` of Linux.

use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::trace::{LinkEnd, LinkKind};

/// Which of the events about a wake-up it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Waking,
    Wakeup,
    /// The first of a thread, which has no other event.
    New,
}

impl Stage {
    /// By the name of its event, without what stands before a colon.
    pub(crate) fn of_event(name: &str) -> Option<Stage> {
        match name.rsplit(':').next()? {
            "sched_waking" => Some(Stage::Waking),
            "sched_wakeup" => Some(Stage::Wakeup),
            "sched_wakeup_new" => Some(Stage::New),
            _ => None,
        }
    }
}

/// The thread that an event says to wake, in any of the kernel's spellings: `comm=worker pid=12 prio=120`, and
/// `worker:12 [120]` of perf's own. Commands may hold blanks.
pub(crate) fn woken(says: &str) -> Option<i64> {
    let id = match says.rsplit_once(" pid=") {
        Some((_, behind)) => behind.split(' ').next()?,
        None => says.rsplit_once(" [")?.0.rsplit_once(':')?.1,
    };
    id.parse().ok()
}

/// A wake-up as it is told.
struct Wakeup {
    stage: Stage,
    by: i64,
    woken: i64,
    time: i64,
    offset: u64,
}

/// The wake-ups of a recording while it is read, by the numbers that the kernel gives threads.
#[derive(Default)]
pub(crate) struct Wakeups(Vec<Wakeup>);

impl Wakeups {
    /// Takes one at a place in the file. Thread 0 is none: an interrupt wakes there.
    pub(crate) fn push(&mut self, stage: Stage, [by, woken]: [i64; 2], time: i64, offset: u64) {
        if by > 0 && woken > 0 {
            self.0.push(Wakeup {
                stage,
                by,
                woken,
                time,
                offset,
            });
        }
    }

    /// Hands the links to the builder; `thread` finds those that have calls. O(n).
    pub(crate) fn build(
        self,
        thread: impl Fn(i64) -> Option<ThreadId>,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &impl Fn(u64) -> Place,
    ) {
        let has_waking = self.0.iter().any(|it| it.stage == Stage::Waking);
        for it in self.0 {
            if has_waking && it.stage == Stage::Wakeup {
                continue;
            }
            let (Some(by), Some(woken)) = (thread(it.by), thread(it.woken)) else {
                reporter.warn("link-without-call", || place(it.offset));
                continue;
            };
            let time = Timestamp::from_ns(it.time);
            let (from, to) = (LinkEnd::Open(by, time), LinkEnd::Waits(woken, time));
            builder.link(LinkKind::WakeUp, from, to, it.offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_woken_is_read_in_all_spellings() {
        for (says, thread) in [
            ("comm=worker pid=12 prio=120 target_cpu=001", Some(12)),
            (
                "comm=my pid=3 x pid=12 prio=120 success=1 target_cpu=001",
                Some(12),
            ),
            ("comm=worker pid=12", Some(12)),
            ("worker:12 [120] success=1 CPU:001", Some(12)),
            ("a:b [c]:12 [120]<CANT FIND FIELD success>CPU:001", Some(12)),
            ("worker", None),
            ("comm=worker pid=x prio=1", None),
            ("", None),
        ] {
            assert_eq!(woken(says), thread, "{says}");
        }
        assert_eq!(Stage::of_event("sched:sched_waking"), Some(Stage::Waking));
        assert_eq!(Stage::of_event("sched_wakeup_new"), Some(Stage::New));
        assert_eq!(Stage::of_event("sched:sched_switch"), None);
    }
}
