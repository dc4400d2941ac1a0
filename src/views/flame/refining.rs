//! What the call stacks show exactly, found beside the frames where a frame shows a first picture only.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use rayon::prelude::*;

use super::boxes::{flame_of, with_rules};
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_facts::trace::{Flame, Trace};
use callscape_filter::filters::FilterRules;
use callscape_layout::axis::TimeAxis;
use callscape_state::job::{Job, rest};

/// It is begun when the picture has been still for this long.
const STILL: Duration = Duration::from_millis(30);

/// A lane of which a first picture is shown, and its depths that are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub lane: usize,
    pub thread: ThreadId,
    pub depths: Range<u32>,
}

/// What has been found of a lane.
pub(super) struct Refined {
    pub lane: usize,
    pub axis: TimeAxis,
    pub depths: Range<u32>,
    pub flame: Flame,
}

/// The search for the exact picture of some lanes.
#[derive(Debug)]
pub(super) struct Refining {
    axis: TimeAxis,
    /// Those that are not found yet.
    wanted: Vec<Wanted>,
    receiver: Receiver<Refined>,
    /// Finds them; each is sent as soon as it is found.
    _finding: Job<()>,
}

impl Refining {
    pub(super) fn begin(
        trace: &Trace,
        axis: TimeAxis,
        wanted: Vec<Wanted>,
        rules: &FilterRules,
    ) -> Refining {
        let (sender, receiver) = channel();
        let (trace, rules, lanes) = (trace.clone(), rules.clone(), wanted.clone());
        let work = move |progress: &Progress| {
            rest(STILL);
            let of_lane = |sender: &mut Sender<Refined>, wanted: Wanted| {
                let mut flame = Flame::default();
                if refine(&trace, &axis, &wanted, &rules, progress, &mut flame) {
                    // Nobody waits for it any more when the view is gone.
                    let _ = sender.send(Refined {
                        lane: wanted.lane,
                        axis,
                        depths: wanted.depths,
                        flame,
                    });
                }
            };
            lanes.into_par_iter().for_each_with(sender, of_lane);
            Ok(())
        };
        // Nobody needs to be woken: while a view waits, the window looks again by itself.
        let finding = Job::named("flame", || (), work);
        Refining {
            axis,
            wanted,
            receiver,
            _finding: finding,
        }
    }

    /// Whether all of `lanes` are on their way.
    pub(super) fn is_of(&self, axis: &TimeAxis, lanes: &[Wanted]) -> bool {
        self.axis == *axis && lanes.iter().all(|lane| self.wanted.contains(lane))
    }

    /// Takes what has been found meanwhile; none when nothing more will come.
    pub(super) fn take(&mut self) -> Option<Vec<Refined>> {
        let mut found = Vec::new();
        loop {
            match self.receiver.try_recv() {
                Ok(refined) => {
                    self.wanted.retain(|it| it.lane != refined.lane);
                    found.push(refined);
                }
                Err(TryRecvError::Empty) => return Some(found),
                Err(TryRecvError::Disconnected) if found.is_empty() => return None,
                Err(TryRecvError::Disconnected) => return Some(found),
            }
        }
    }
}

/// Whether it was found, and not stopped.
fn refine(
    trace: &Trace,
    axis: &TimeAxis,
    wanted: &Wanted,
    rules: &FilterRules,
    progress: &Progress,
    flame: &mut Flame,
) -> bool {
    let of = flame_of(axis, wanted.depths.clone(), 1);
    let stops = || progress.check().is_err();
    with_rules(rules, wanted.thread, |leave_out| {
        trace.flame_exactly(wanted.thread, &of, leave_out, &stops, flame)
    })
}
