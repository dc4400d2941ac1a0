//! A finding.

use super::kind::Kind;
use callscape_base::units::{Cost, FunctionId, ThreadId, TimeRange};

/// How certain a finding is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Certainty {
    /// Counted, or timed call by call.
    Measured,
    /// Sampled, with the error of the share in 19 of 20 recordings.
    Sampled(f64),
    /// Concluded from names, or from what threads do at some instants.
    Inferred,
}

impl Certainty {
    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Measured => "measured",
            Certainty::Sampled(_) => "sampled",
            Certainty::Inferred => "inferred",
        }
    }
}

/// What a share is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// The cost of all calls, without waiting if most of it is pre-emption.
    Run,
    /// Allocated bytes or objects.
    Memory,
    /// The finding is about the recording and explains no cost.
    Nothing,
}

impl Whole {
    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Whole::Run => "run",
            Whole::Memory => "memory",
            Whole::Nothing => "nothing",
        }
    }
}

/// Something remarkable about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub kind: Kind,
    /// The sentence, with its numbers.
    pub text: String,
    /// The functions of the calling context that it is about, outermost first; empty if it is about none.
    pub path: Vec<FunctionId>,
    /// The functions that it names.
    pub functions: Vec<FunctionId>,
    /// Its share, of [`of`](Self::of). Shares of findings that are not part of others add up to at most 1.
    pub share: f64,
    pub of: Whole,
    /// Calls of the context, if counted.
    pub calls: Option<u64>,
    /// Costs of the context in the recording's unit.
    pub self_cost: Cost,
    pub total: Cost,
    pub certainty: Certainty,
    /// The index of the finding that it is a part of.
    pub part_of: Option<usize>,
    /// The id of the view that shows more.
    pub view: &'static str,
    /// When it happened, if that is not the whole run.
    pub when: Option<(ThreadId, TimeRange)>,
}
