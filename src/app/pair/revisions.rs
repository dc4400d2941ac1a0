//! The card in which one chooses two revisions of the source tree.

use std::path::PathBuf;

use crate::command::PairAsk;
use callscape_base::progress::Progress;
use callscape_source::history::change::Named;
use callscape_source::history::{HistoryError, Written};
use callscape_state::job::Job;

/// What is chosen, and what there is to choose from.
#[derive(Debug, Default)]
pub struct RevisionsCard {
    /// The source tree.
    pub(super) dir: PathBuf,
    /// Of A and of B; empty for the checked-out commit.
    pub names: [String; 2],
    /// The one that a click on what is offered names.
    pub side: usize,
    /// Tags, branches and commits; none while they are looked for.
    pub offered: Option<Vec<Named>>,
    /// Why they are not known, or cannot be compared.
    pub failure: Option<String>,
    pub(super) looking: Option<Job<Result<Vec<Named>, HistoryError>>>,
    pub(super) writing: Option<Job<Result<Written, HistoryError>>>,
}

impl RevisionsCard {
    pub fn is_working(&self) -> bool {
        self.looking.is_some() || self.is_writing()
    }

    /// Whether both are made ready to be compared.
    pub fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// Whether two are named.
    pub fn can_compare(&self) -> bool {
        let [a, b] = self.names.each_ref().map(|it| it.trim());
        a != b && !self.is_writing()
    }

    pub fn slow(&self) -> Option<&Progress> {
        self.writing.as_ref().and_then(Job::slow)
    }

    pub(super) fn on(&mut self, ask: PairAsk) {
        match ask {
            PairAsk::Name(side, name) => {
                self.side = side.min(1);
                self.names[self.side] = name;
            }
            PairAsk::Take(name) => {
                self.names[self.side] = name;
                self.side = 1 - self.side;
            }
            PairAsk::Fill(side) => self.side = side.min(1),
            _ => {}
        }
    }
}
