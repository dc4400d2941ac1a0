//! What is known of the functions of the recording from elsewhere: what changed since a revision, and what other tools have
//! found. Worked out beside the window; one of them at a time is marked in every view.

mod changed;
pub(super) mod results;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub use self::changed::Changed;
pub use self::results::{Found, Hits, SetFrom};
use super::ask::Shown;
use super::job::Job;
use crate::analysis::coverage::Coverage;
use crate::analysis::session::{Elsewhere, Resolved, Session, Since};
use crate::filter::marked::{First, Marked};
use crate::progress::Progress;
use crate::units::{FunctionId, ModuleId};

/// What was marked when it was last brought up to date: what, and in which session.
pub(super) type Applied = (Option<Arc<Marked>>, Arc<Session>);

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
    /// What came of each, of the session that they were found in.
    pub hits: Vec<Arc<Hits>>,
    /// What the reports of coverage among them say, and in which session.
    pub(super) coverage: Option<(Arc<Coverage>, Arc<Session>)>,
    pub(super) reading: Option<Job<Found>>,
    /// Of which sets and which session it was begun.
    pub(super) read_for: Option<(Vec<SetFrom>, Arc<Session>)>,
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
        findings.read_for = Some((findings.sets.clone(), Arc::clone(session)));
        if findings.shown == Shown::Nothing && !findings.sets.is_empty() {
            findings.shown = Shown::Set(0);
        }
        findings
    }

    /// Takes what came of all sets in a session.
    pub(super) fn take(&mut self, found: Found, session: &Arc<Session>) {
        self.hits = found.hits;
        self.coverage = found.coverage.map(|it| (it, Arc::clone(session)));
    }

    /// What the reports of coverage say together of `session`, where there are any and they were looked up in it.
    pub fn coverage(&self, session: &Arc<Session>) -> Option<&Arc<Coverage>> {
        let known = self.coverage.as_ref();
        known
            .filter(|it| Arc::ptr_eq(&it.1, session))
            .map(|it| &it.0)
    }

    /// What is marked, of the session it was found in.
    pub fn marked(&self) -> Option<&Arc<Marked>> {
        match self.shown {
            Shown::Nothing => None,
            Shown::Changed => match self.changed.as_ref()? {
                Ok(changed) => Some(&changed.marked),
                Err(_) => None,
            },
            Shown::Set(at) => self.hits.get(at).map(|hits| &hits.marked),
        }
    }

    /// What is not among what is marked, in words; nothing where all of it is.
    pub fn dropped(&self) -> String {
        match (self.shown, &self.changed) {
            (Shown::Changed, Some(Ok(changed))) => match changed.faults.not_run.len() {
                0 => String::new(),
                count => format!("{} that did not run", crate::units::grouped(count as u64)),
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

    /// Since when changes are known, or looked for.
    pub fn since(&self) -> Option<&Since> {
        self.looked_for.as_ref().map(|(since, _)| since)
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

    /// Stops the work; what was wanted is not begun again.
    pub fn stop(&mut self) {
        if self.looking.take().is_some() {
            self.changed = Some(Err("it was stopped".into()));
            self.stamp += 1;
        }
        self.reading = None;
    }
}

/// Marks these modules of a recording. O(functions log calls).
fn marked(title: String, modules: BTreeSet<ModuleId>, resolved: &Resolved) -> Marked {
    let of = resolved.resolution.modules.iter().zip(0..);
    let functions = of.filter(|(module, _)| modules.contains(module));
    let functions: Vec<(ModuleId, FunctionId)> = functions
        .map(|(&module, id)| (module, FunctionId(id)))
        .collect();
    let mut firsts: Vec<First> = Vec::new();
    if resolved.recording.has_times() {
        let calls = resolved.recording.trace.first_calls();
        let mut by_module: HashMap<ModuleId, First> = HashMap::new();
        for &(module, function) in &functions {
            let Some(&Some((time, thread, call))) = calls.get(function.index()) else {
                continue;
            };
            let first = First {
                time,
                function,
                module,
                thread,
                call,
            };
            let known = by_module.entry(module).or_insert(first);
            if first.time < known.time {
                *known = first;
            }
        }
        firsts.extend(by_module.into_values());
        firsts.sort_by_key(|it| (it.time, it.function));
    }
    Marked {
        title,
        modules: modules.into_iter().collect(),
        functions: functions.into_iter().map(|(_, id)| id).collect(),
        firsts: firsts.into(),
    }
}
