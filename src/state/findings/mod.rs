//! What is known of the functions of the recording from elsewhere: what changed since a revision, and what other tools have
//! found. Worked out beside the window; one of them at a time is marked in every view.

mod changed;
pub(super) mod marking;
pub(super) mod results;

use std::sync::Arc;

pub use self::changed::Changed;
pub use self::results::{Found, Hits, SetFrom};
use super::ask::Shown;
use super::job::Job;
use callscape_analysis::coverage::Coverage;
use callscape_analysis::numbers::Numbers;
use callscape_analysis::session::{Elsewhere, Session, Since};
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_filter::marked::Marked;

/// What was marked when it was last brought up to date: what, in which session, and in which of its recordings.
pub(super) type Applied = (Option<Arc<Marked>>, Arc<Session>, usize);

/// Why something that was stopped is not known.
pub(super) const STOPPED: &str = "it was stopped";

/// What is known from elsewhere, and the work on more.
#[derive(Default)]
pub struct Findings {
    /// What changed; an error says why that is not known.
    pub changed: Option<Result<Arc<Changed>, Arc<str>>>,
    pub(super) looking: Option<Job<Result<Changed, String>>>,
    /// For which it was looked for last.
    pub(super) looked_for: Option<(Since, Arc<Session>)>,
    /// In the order in which they were asked for.
    pub sets: Vec<SetFrom>,
    /// Counts the changes of `sets`.
    pub(super) sets_stamp: u64,
    /// What came of each of the first sets.
    pub hits: Vec<Arc<Hits>>,
    /// What the reports of coverage among them say.
    pub(super) coverage: Option<Arc<Coverage>>,
    /// What the tables of numbers among them say.
    pub(super) numbers: Option<Arc<Numbers>>,
    /// Where hits and coverage were looked up: modules have other numbers elsewhere.
    pub(super) found_in: Option<Arc<Session>>,
    pub(super) reading: Option<Job<Found>>,
    /// At which stamp of the sets, and of which session, it was begun.
    pub(super) read_for: Option<(u64, Arc<Session>)>,
    /// The last reading did not come to its end.
    pub(super) reading_is_stopped: bool,
    pub shown: Shown,
    pub is_colored: bool,
    pub(super) applied: Option<Applied>,
    /// Counts what becomes known.
    pub stamp: u64,
}

impl Findings {
    /// Works out now what the window would work out beside itself. For a worker thread.
    pub fn now(session: &Arc<Session>, wanted: &Elsewhere, progress: &Progress) -> Findings {
        let mut findings = Findings::default();
        if let Some(since) = &wanted.since {
            let changed = Changed::find(since, session, progress);
            findings.changed = Some(changed.map(Arc::new).map_err(Arc::from));
            findings.looked_for = Some((since.clone(), Arc::clone(session)));
            findings.shown = Shown::Changed;
        }
        findings.sets = wanted.results.iter().cloned().map(SetFrom::File).collect();
        if let Ok(found) = results::find(&findings.sets, &[], session, progress) {
            findings.take(found, session);
        }
        findings.read_for = Some((findings.sets_stamp, Arc::clone(session)));
        if findings.shown == Shown::Nothing && !findings.sets.is_empty() {
            findings.shown = Shown::Set(0);
        }
        findings
    }

    /// Takes what came of all sets in a session.
    pub(super) fn take(&mut self, found: Found, session: &Arc<Session>) {
        self.hits = found.hits;
        (self.coverage, self.numbers) = (found.coverage, found.numbers);
        self.found_in = Some(Arc::clone(session));
    }

    fn is_found_in(&self, session: &Arc<Session>) -> bool {
        let found_in = self.found_in.as_ref();
        found_in.is_some_and(|it| Arc::ptr_eq(it, session))
    }

    /// What the reports of coverage say together of `session`, where there are any and they were looked up in it.
    pub fn coverage(&self, session: &Arc<Session>) -> Option<&Arc<Coverage>> {
        let known = self.coverage.as_ref();
        known.filter(|_| self.is_found_in(session))
    }

    /// What the tables of numbers say together of `session`, likewise.
    pub fn numbers(&self, session: &Arc<Session>) -> Option<&Arc<Numbers>> {
        let known = self.numbers.as_ref();
        known.filter(|_| self.is_found_in(session))
    }

    /// What changed, where that was looked for in `session`.
    pub fn changed_in(&self, session: &Arc<Session>) -> Option<&Arc<Changed>> {
        let changed = self.changed.as_ref()?.as_ref().ok()?;
        Arc::ptr_eq(&changed.session, session).then_some(changed)
    }

    /// What came of the set with this number, where it was looked up in `session`.
    pub fn hits_in(&self, at: usize, session: &Arc<Session>) -> Option<&Arc<Hits>> {
        let hits = self.hits.get(at);
        hits.filter(|_| self.is_found_in(session))
    }

    /// What is marked, where it was found in `session`: elsewhere modules have other numbers.
    pub fn marked(&self, session: &Arc<Session>) -> Option<&Arc<Marked>> {
        match self.shown {
            Shown::Nothing => None,
            Shown::Changed => self.changed_in(session).map(|it| &it.marked),
            Shown::Set(at) => {
                let hits = self.hits_in(at, session);
                // Numbers mark nothing.
                hits.filter(|it| !it.is_numbers).map(|it| &it.marked)
            }
        }
    }

    /// Why what is to be marked in `session` is not known.
    pub fn failure(&self, session: &Arc<Session>) -> Option<&str> {
        match self.shown {
            Shown::Nothing => None,
            Shown::Changed => self.changed.as_ref()?.as_ref().err().map(|it| &**it),
            Shown::Set(at) => match self.hits_in(at, session) {
                Some(hits) => hits.failure.as_deref(),
                None => self.reading_is_stopped.then_some(STOPPED),
            },
        }
    }

    /// Has what was stopped, or failed, looked for once more.
    pub(super) fn look_again(&mut self) {
        if matches!(self.changed, Some(Err(_))) {
            self.looked_for = None;
        }
        if self.reading.is_none() {
            self.read_for = None;
        }
    }

    /// What is not among what is marked, in words; nothing where all of it is.
    pub fn dropped(&self) -> String {
        match (self.shown, &self.changed) {
            (Shown::Changed, Some(Ok(changed))) => match changed.faults.not_run.len() {
                0 => String::new(),
                count => format!(
                    "{} that did not run",
                    callscape_base::units::grouped(count as u64)
                ),
            },
            (Shown::Set(at), _) => self
                .hits
                .get(at)
                .map_or_else(String::new, |it| it.dropped()),
            _ => String::new(),
        }
    }

    /// Of what changed the function that comes first.
    pub fn most_suspect(&self) -> Option<ModuleId> {
        match (&self.changed, self.shown) {
            (Some(Ok(changed)), Shown::Changed) => {
                changed.faults.faults.first().map(|it| it.module)
            }
            _ => None,
        }
    }

    pub fn is_under_way(&self) -> bool {
        self.looking.is_some() || self.reading.is_some()
    }

    /// The work that takes long enough to be shown.
    pub fn slow(&self) -> impl Iterator<Item = &Progress> {
        let looking = self.looking.as_ref().and_then(Job::slow);
        looking
            .into_iter()
            .chain(self.reading.as_ref().and_then(Job::slow))
    }

    /// Stops the work; what was wanted is begun again when that is asked for.
    pub fn stop(&mut self) {
        if self.looking.take().is_some() {
            self.changed = Some(Err(STOPPED.into()));
            self.stamp += 1;
        }
        if self.reading.take().is_some() {
            self.reading_is_stopped = true;
            self.stamp += 1;
        }
    }
}
