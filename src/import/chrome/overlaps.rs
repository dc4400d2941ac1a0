//! Calls of one thread that overlap without nesting: they go to further lanes of it, so that each keeps its duration.

use std::cmp::Reverse;
use std::io;

use super::complete::Complete;
use super::nesting::Nesting;
use crate::sorting::Sorter;
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;

/// So many lanes a thread has at most: on the last, calls are cut where they overlap.
const MOST_LANES: u32 = if cfg!(test) { 9 } else { 1000 };

/// What has no place on a lane, in order of start.
pub struct Overlapping {
    calls: Sorter<Complete, (u32, i64, Reverse<i64>)>,
    /// Start and end of those that are still open and not enclosed by one that starts later: starts rise, and ends fall.
    open: Vec<(i64, i64)>,
}

impl Overlapping {
    pub fn boxed() -> Box<Overlapping> {
        Box::new(Overlapping {
            calls: Sorter::new(Complete::key),
            open: Vec::new(),
        })
    }

    pub fn push(&mut self, call: &Complete) {
        while self.open.last().is_some_and(|(_, end)| *end <= call.end) {
            self.open.pop();
        }
        self.open.push((call.start, call.end));
        self.calls.push(*call);
    }

    /// Whether one of these encloses a call and is nearer to it than one that starts at `around`.
    pub fn encloses(&mut self, call: &Complete, around: Option<i64>) -> bool {
        while self.open.last().is_some_and(|(_, end)| *end <= call.start) {
            self.open.pop();
        }
        let longer = self.open.partition_point(|(_, end)| *end >= call.end);
        let nearest = longer.checked_sub(1).map(|last| self.open[last].0);
        nearest.is_some_and(|start| around.is_none_or(|around| around <= start))
    }
}

/// Builds the further lanes of a thread. O(n) a lane.
pub fn build(
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
        let mut calls = of_lane.calls.finish(progress)?;
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
