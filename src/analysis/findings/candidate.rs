//! What may become a finding.

use super::claims::Claim;
use super::finding::{Certainty, Whole};
use super::kind::Kind;
use callscape_base::units::{ContextId, FunctionId, ThreadId, TimeRange};

/// Something that one kind proposes.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub kind: Kind,
    /// How much more it says than its share.
    pub weight: f64,
    /// Its contexts; or a share of something else than the run's cost.
    pub of: Explained,
    /// The cost that its sentence is about, if its contexts cost more.
    pub at_most: Option<u64>,
    /// The context that its sentence is about.
    pub context: Option<ContextId>,
    /// The functions that its sentence names.
    pub functions: Vec<FunctionId>,
    /// Its sentence without path and share.
    pub said: String,
    pub certainty: Certainty,
    pub when: Option<(ThreadId, TimeRange)>,
}

/// What a candidate explains.
#[derive(Clone, Debug)]
pub(super) enum Explained {
    Contexts(Vec<Claim>),
    Share(f64, Whole),
}

impl Candidate {
    /// A candidate about a context, measured; of weight 1.
    pub(super) fn of(
        kind: Kind,
        context: ContextId,
        claims: Vec<Claim>,
        said: String,
    ) -> Candidate {
        Candidate {
            kind,
            weight: 1.0,
            of: Explained::Contexts(claims),
            at_most: None,
            context: Some(context),
            functions: Vec::new(),
            said,
            certainty: Certainty::Measured,
            when: None,
        }
    }

    /// A candidate without contexts.
    pub(super) fn apart(kind: Kind, share: f64, of: Whole, said: String) -> Candidate {
        Candidate {
            of: Explained::Share(share, of),
            context: None,
            ..Candidate::of(kind, ContextId(0), Vec::new(), said)
        }
    }
}
