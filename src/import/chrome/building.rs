//! Builds the calls of threads whose events had to wait until all were known.

use std::io;

use super::completes::Completes;
use super::nesting::{Marks, Nesting, OpenBegins, step};
use super::overlaps::Overlapping;
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;

/// So many lanes a thread has at most: on the last, calls are cut where they overlap.
const MOST_LANES: u32 = if cfg!(test) { 9 } else { 1000 };

/// Builds the calls of all threads: `threads` are by place. Ends early where `progress` is cancelled. O(n log n).
pub(crate) fn build(
    threads: &[ThreadId],
    completes: Completes,
    marks: Marks,
    (builder, progress): (&mut TraceBuilder<'_>, &Progress),
    reporter: &Reporter,
    place: &impl Fn(u64) -> Place,
) -> io::Result<()> {
    let total = completes.total() + marks.total();
    if total > 0 {
        progress.start("putting calls in order", total);
    }
    let mut completes = completes.finish(progress)?;
    let mut marks = marks.finish(progress)?;
    for (index, &thread) in threads.iter().enumerate() {
        let here = |thread: u32| thread as usize == index;
        let has_completes = completes.has(index as u32);
        let has_marks = marks.peek().is_some_and(|next| here(next.thread));
        let completes = completes.of(index as u32);
        let marks = std::iter::from_fn(|| marks.next_if(|next| here(next.thread)));
        let mut nesting = Nesting::default();
        let plain = &mut builder.plain(thread);
        if has_completes && has_marks {
            nesting.mixed((completes, marks), plain, progress, reporter, place)?;
        } else if has_marks {
            let mut open = OpenBegins::default();
            for mark in marks {
                step(&mut open, &mark, plain, reporter, place);
            }
            open.enter_waiting(plain);
        } else {
            for complete in completes {
                nesting.complete(&complete, plain, reporter, place);
            }
        }
        let overlapping = nesting.finish(plain);
        further_lanes(
            overlapping,
            thread,
            (&mut *builder, progress),
            reporter,
            place,
        )?;
    }
    completes.check()?;
    marks.check()
}

/// Builds the further lanes of a thread. O(n) a lane.
pub(crate) fn further_lanes(
    mut overlapping: Option<Box<Overlapping>>,
    thread: ThreadId,
    (builder, progress): (&mut TraceBuilder<'_>, &Progress),
    reporter: &Reporter,
    place: &impl Fn(u64) -> Place,
) -> io::Result<()> {
    let mut number = 2;
    while let Some(of_lane) = overlapping {
        let lane = builder.lane(thread, number);
        let mut nesting = match number {
            MOST_LANES.. => Nesting::cutting(),
            _ => Nesting::default(),
        };
        let mut calls = of_lane.calls(progress)?;
        let mut plain = builder.plain(lane);
        for call in &mut calls {
            nesting.complete(&call, &mut plain, reporter, place);
        }
        calls.check()?;
        overlapping = nesting.finish(&mut plain);
        number += 1;
    }
    Ok(())
}
