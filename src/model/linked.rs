//! Two runs along one time axis.

use super::difference::Difference;
use callscape_analysis::alignment::{Alignment, Run};
use callscape_analysis::comparison::calls;
use callscape_analysis::session::Session;
use callscape_base::units::{ThreadId, Time, TimeRange};
use callscape_filter::filters::{FilterRules, Filters, same_functions};
use callscape_filter::selection::CallOf;

/// Two runs of one session whose clocks are linked.
#[derive(Clone, Copy, Debug)]
pub struct LinkedRuns<'a> {
    /// Where A and B stand among the recordings of the session.
    pub places: [usize; 2],
    pub names: [&'a str; 2],
    pub clocks: &'a Alignment,
    /// The same time since the first event is the same.
    pub is_wall: bool,
    pub difference: &'a Difference,
    /// By thread of A and of B, the one of the other run that it is; nothing where none is left out.
    pub threads: [&'a [Option<ThreadId>]; 2],
    /// By function of A and of B, the row of the comparison; nothing where no call is left out.
    pub row_of: [&'a [u32]; 2],
    /// Tells these runs from another, or from the same with other clocks.
    pub revision: u64,
}

impl LinkedRuns<'_> {
    pub fn ranges(&self, session: &Session) -> [TimeRange; 2] {
        self.places.map(|place| {
            let of = session.recordings.get(place);
            of.map_or(TimeRange::new(Time::ZERO, Time::ZERO), |it| {
                it.recording.trace.range()
            })
        })
    }

    /// What filters of the run that stands at `place` leave out of A and B.
    pub fn rules(&self, session: &Session, place: usize, filters: &Filters) -> [FilterRules; 2] {
        let own = usize::from(self.places[1] == place);
        [0, 1].map(|side| {
            let Some(resolved) = session.recordings.get(self.places[side]) else {
                return FilterRules::default();
            };
            let modules = &resolved.resolution.modules;
            let thread = |of: ThreadId| *self.threads[own].get(of.index())?;
            let run = |side: usize| {
                let resolved = session.recordings.get(self.places[side])?;
                Some(Run {
                    trace: &resolved.recording.trace,
                    row_of: self.row_of[side],
                })
            };
            let call = |of: CallOf| {
                let there = thread(of.thread)?;
                let (from, to) = ((run(own)?, of.thread), (run(side)?, there));
                let call = calls::found_again(from, of.call, to)?;
                Some(CallOf {
                    thread: there,
                    call,
                })
            };
            match side == own {
                true => filters.rules(&session.hierarchy, modules),
                false => filters
                    .of_other_run(thread, call, |of| {
                        let own = session.recordings.get(self.places[own]);
                        let own = own.map_or(&[][..], |it| &it.resolution.modules);
                        same_functions(of, own, modules)
                    })
                    .rules(&session.hierarchy, modules),
            }
        })
    }
}

/// What is drawn of each run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// Every call as a box, those that it made below it.
    #[default]
    Stacks,
    /// Functions as rows, darker where they are active.
    Overview,
}
