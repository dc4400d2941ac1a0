//! What is shown, whichever way.

use callscape_analysis::phases::names::Labels;
use callscape_analysis::phases::{Alike, Phases};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, TimeRange};

/// What a call costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
pub(super) enum CostKind {
    /// Its time from start to end, without that in which other programs had the processor, if the recording has it
    #[default]
    Running,
    /// All its time from start to end
    Elapsed,
}

impl CostKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            CostKind::Running => "running",
            CostKind::Elapsed => "elapsed",
        }
    }
}

/// What makes phases alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, clap::ValueEnum)]
pub(super) enum AlikeKind {
    /// Their functions: the share that only one of them has is within --similarity
    #[default]
    Functions,
    /// The same sequence of calls
    Calls,
}

impl From<AlikeKind> for Alike {
    fn from(kind: AlikeKind) -> Alike {
        match kind {
            AlikeKind::Functions => Alike::Functions,
            AlikeKind::Calls => Alike::Calls,
        }
    }
}

/// The phases to show, in either format.
pub(super) struct Report<'a> {
    pub session: &'a Session,
    pub resolved: &'a Resolved,
    pub phases: &'a Phases,
    pub labels: &'a Labels,
    pub range: Option<TimeRange>,
    pub costs: CostKind,
    pub is_sampled: bool,
}

/// The share that a cost is of a whole.
pub(super) fn share(cost: Cost, whole: Cost) -> f64 {
    cost.ns() as f64 / whole.ns().max(1) as f64
}
