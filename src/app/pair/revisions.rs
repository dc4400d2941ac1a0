//! The card in which one chooses two revisions of the source tree, and what becomes of them.

use std::path::PathBuf;

use super::replacing::Replacement;
use crate::command::PairAsk;
use crate::desk::Desk;
use callscape_analysis::session::{Inputs, Sides};
use callscape_base::progress::Progress;
use callscape_source::history::change::Named;
use callscape_source::history::{self, HistoryError, Written};
use callscape_state::job::{Job, take};

/// So many tags, and as many branches and commits, are offered.
const OFFERED: usize = 200;

/// What is chosen, and what there is to choose from.
#[derive(Debug, Default)]
pub struct RevisionsCard {
    /// The source tree.
    dir: PathBuf,
    /// Of A and of B; empty for the checked-out commit.
    pub names: [String; 2],
    /// The one that a click on what is offered names.
    pub side: usize,
    /// Tags, branches and commits; none while they are looked for.
    pub offered: Option<Vec<Named>>,
    /// Why they are not known, or cannot be compared.
    pub failure: Option<String>,
    looking: Option<Job<Result<Vec<Named>, HistoryError>>>,
    writing: Option<Job<Result<Written, HistoryError>>>,
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

impl Desk {
    pub(super) fn toggle_revisions(&mut self) {
        if self.pair.revisions.take().is_some() {
            return;
        }
        let document = self.state.document.as_ref();
        let Some(dir) = document.and_then(|it| it.session.source_dir.clone()) else {
            return;
        };
        // Two revisions that are open lie elsewhere than the tree that they are of.
        let dir = history::written_of(&dir).unwrap_or(dir);
        let of = dir.clone();
        let work = move |_: &Progress| Ok(history::revisions(&of, OFFERED));
        self.pair.is_open = false;
        self.pair.revisions = Some(RevisionsCard {
            dir,
            looking: Some(Job::named("revisions", self.state.waker(), work)),
            ..RevisionsCard::default()
        });
    }

    pub(super) fn compare_revisions(&mut self) {
        let wake = self.state.waker();
        let Some(card) = self.pair.revisions.as_mut().filter(|it| it.can_compare()) else {
            return;
        };
        let (dir, names) = (card.dir.clone(), card.names.clone());
        let work = move |progress: &Progress| {
            let [a, b] = &names;
            match history::written(&dir, [a, b], progress) {
                Err(HistoryError::Cancelled(cancelled)) => Err(cancelled),
                done => Ok(done),
            }
        };
        card.failure = None;
        card.writing = Some(Job::named("two revisions", wake, work));
    }

    /// Takes what was found, and opens what was made ready.
    pub(super) fn poll_revisions(&mut self) {
        let Some(card) = &mut self.pair.revisions else {
            return;
        };
        match take(&mut card.looking) {
            Some(Ok(found)) => card.offered = Some(found),
            Some(Err(error)) => card.failure = Some(error.to_string()),
            None => {}
        }
        match take(&mut card.writing) {
            Some(Ok(written)) => {
                self.pair.revisions = None;
                let [of_a, of_b] = written.source_dirs;
                self.replace_with(Replacement::Inputs(Inputs {
                    source_dir: Some(of_b),
                    recordings: written.recordings.into(),
                    sides: Sides {
                        runs_of_a: 1,
                        source_of_a: Some(of_a),
                    },
                    ..Inputs::default()
                }));
            }
            Some(Err(error)) => card.failure = Some(error.to_string()),
            None => {}
        }
    }
}
