//! What events say of the clocks of their threads (`tts`, `tdur`): how long a thread has run. What else has passed it has
//! waited.

use std::io;

use bytemuck::{Pod, Zeroable};

use super::events::Event;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, ThreadId};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::sorting::Sorter;
use callscape_facts::trace::Why;

/// The clock of a thread at a time, both in nanoseconds.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Reading {
    time: i64,
    clock: i64,
    thread: u64,
}

/// A call of which is known how long its thread ran in it, but not what the clock showed.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Ran {
    start: i64,
    end: i64,
    waited: u64,
    thread: u64,
}

/// Those of a recording, in whatever order they come.
pub(super) struct Clocks {
    readings: Sorter<Reading, (u64, i64, i64)>,
    ran: Sorter<Ran, (u64, i64, i64)>,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks {
            readings: Sorter::new(|it| (it.thread, it.time, it.clock)),
            // Of calls that start together the longer is the outer one.
            ran: Sorter::new(|it| (it.thread, it.start, -it.end.max(-i64::MAX))),
        }
    }
}

/// A call on the way, and what is left of it beside the calls in it.
struct Open {
    end: i64,
    waited: u64,
    /// Up to when its time is accounted for.
    until: i64,
    gaps: Vec<(i64, i64)>,
}

impl Clocks {
    /// Takes what an event of the thread at this place says.
    #[inline]
    pub(super) fn take(&mut self, event: &Event<'_>, thread: usize) {
        if event.tts.is_some() || event.tdur.is_some() {
            self.take_clock(event, thread as u64);
        }
    }

    #[inline(never)]
    fn take_clock(&mut self, event: &Event<'_>, thread: u64) {
        let Some(Ok(time)) = event.ts else {
            return;
        };
        let known = |time: Option<Result<i64, _>>| time.and_then(Result::ok);
        let cost = known(event.dur).filter(|&cost| cost >= 0);
        let ran = known(event.tdur).filter(|&ran| ran >= 0);
        if let Some(clock) = known(event.tts) {
            let mut read = |time, clock| {
                self.readings.push(Reading {
                    time,
                    clock,
                    thread,
                });
            };
            read(time, clock);
            if let (Some(cost), Some(ran)) = (cost, ran) {
                read(time.saturating_add(cost), clock.saturating_add(ran));
            }
        } else if let (Some(cost), Some(ran)) = (cost, ran) {
            self.ran.push(Ran {
                start: time,
                end: time.saturating_add(cost),
                waited: cost.saturating_sub(ran).max(0) as u64,
                thread,
            });
        }
    }

    /// Tells the builder when threads have waited: `threads` are by place. O(n log n).
    pub(super) fn finish(
        self,
        threads: &[ThreadId],
        builder: &mut TraceBuilder<'_>,
        progress: &Progress,
    ) -> io::Result<()> {
        if self.readings.total() + self.ran.total() == 0 {
            return Ok(());
        }
        builder.knows_waiting();
        let mut readings = self.readings.finish(progress)?;
        let mut before: Option<Reading> = None;
        // The most that the time was ahead of the clock: clocks are read one after the other, and rounded.
        let mut ahead = 0;
        for reading in readings.by_ref() {
            let now = reading.time.saturating_sub(reading.clock);
            match before.filter(|it| it.thread == reading.thread) {
                None => ahead = now,
                Some(before) if now > ahead => {
                    let waited = now.abs_diff(ahead);
                    ahead = now;
                    if let Some(&thread) = threads.get(reading.thread as usize) {
                        let times = (before.time, reading.time);
                        wait(builder, thread, times, waited);
                    }
                }
                Some(_) => {}
            }
            before = Some(reading);
        }
        readings.check()?;
        spread(self.ran, threads, builder, progress)
    }
}

fn wait(builder: &mut TraceBuilder<'_>, thread: ThreadId, (start, end): (i64, i64), waited: u64) {
    let times = (Timestamp::from_ns(start), Timestamp::from_ns(end));
    builder.wait(thread, times, Some(Cost::from_ns(waited)), Why::Unknown);
}

/// Where in a call its thread waited is not known: it counts evenly over the time in which no call in it says more.
fn spread(
    ran: Sorter<Ran, (u64, i64, i64)>,
    threads: &[ThreadId],
    builder: &mut TraceBuilder<'_>,
    progress: &Progress,
) -> io::Result<()> {
    let mut ran = ran.finish(progress)?;
    let mut open: Vec<Open> = Vec::new();
    let mut current = 0;
    loop {
        let next = ran.next();
        let (thread, start) = next.map_or((u64::MAX, i64::MAX), |it| (it.thread, it.start));
        while let Some(call) = open.pop_if(|call| thread != current || call.end <= start) {
            if let Some(&thread) = threads.get(current as usize) {
                call.close(thread, builder);
            }
        }
        let Some(call) = next else {
            break;
        };
        current = thread;
        let mut end = call.end;
        if let Some(around) = open.last_mut() {
            end = end.min(around.end);
            around.gaps.push((around.until, start));
            around.until = end;
            around.waited = around.waited.saturating_sub(call.waited);
        }
        open.push(Open {
            end,
            waited: call.waited,
            until: start,
            gaps: Vec::new(),
        });
    }
    ran.check()
}

impl Open {
    fn close(mut self, thread: ThreadId, builder: &mut TraceBuilder<'_>) {
        self.gaps.push((self.until, self.end));
        self.gaps.retain(|(start, end)| start < end);
        let length = |&(start, end): &(i64, i64)| u128::from(end.abs_diff(start));
        let all: u128 = self.gaps.iter().map(length).sum();
        let (mut passed, mut given) = (0, 0);
        for gap in &self.gaps {
            passed += length(gap);
            // As much as is due by its end, so that nothing is lost to rounding.
            let due = (u128::from(self.waited) * passed / all.max(1)) as u64;
            if due > given {
                wait(builder, thread, *gap, due - given);
                given = due;
            }
        }
    }
}
