//! `callscape compare --align`: what links the clocks of both runs.

use anyhow::bail;
use clap::ValueEnum;

use callscape_analysis::alignment::{Alignment, Link, Run};
use callscape_analysis::comparison::Comparison;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Align {
    /// The same share of both
    #[default]
    Share,
    /// The same time since the first event
    Time,
    /// The same number of events
    Events,
    /// The calls of a function, or of those that both call equally often at the top of their stacks
    Calls,
    /// Phases of one callee and depth, in their order
    Phases,
}

impl Align {
    /// Aligns the first run of A with the first of B, by the calls of the function `align_by` if one is named.
    pub(crate) fn alignment(
        self,
        align_by: Option<&str>,
        comparison: &Comparison,
    ) -> anyhow::Result<Alignment> {
        let link = match (self, align_by) {
            (Align::Share, _) => Link::Share,
            (Align::Time, _) => Link::WallTime,
            (Align::Events, _) => Link::Events,
            (Align::Calls, None) => Link::Calls,
            (Align::Phases, _) => Link::Phases,
            (Align::Calls, Some(name)) => {
                let rows = comparison.rows_named(name);
                let [row] = rows[..] else {
                    let found = rows.len();
                    bail!(
                        "--align-by {name}: expected the name or path of one function, found {found}"
                    );
                };
                Link::CallsOf(row)
            }
        };
        let run = |side: usize| {
            let place = comparison.runs_of(side).next()?;
            let recording = &comparison.session.recordings.get(place)?.recording;
            recording.profile.is_none().then_some(Run {
                trace: &recording.trace,
                row_of: &comparison.row_of[place],
            })
        };
        let (Some(a), Some(b)) = (run(0), run(1)) else {
            bail!(
                "two recordings cannot be aligned if one of them has no times: expected recordings of calls, found a \
                 profile"
            );
        };
        Ok(Alignment::new(a, b, &link))
    }
}
