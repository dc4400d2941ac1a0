//! Two revisions that were chosen are made ready and opened.

use super::replacing::Replacement;
use super::revisions::RevisionsCard;
use crate::desk::Desk;
use callscape_analysis::session::{Inputs, Sides};
use callscape_base::progress::Progress;
use callscape_source::history::{self, HistoryError};
use callscape_state::job::{Job, take};

/// So many tags, and as many branches and commits, are offered.
const OFFERED: usize = 200;

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
