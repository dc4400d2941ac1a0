//! What is known of the functions of the recording from elsewhere: what changed since a revision, and what other tools have
//! found. Worked out beside the window; one of them at a time is marked in every view.

mod changed;
mod results;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

pub use self::changed::Changed;
pub use self::results::{Hits, SetFrom};
use super::State;
use super::job::Job;
use crate::analysis::session::{Elsewhere, Resolved, Session, Since};
use crate::filter::filters::FilterStep;
use crate::filter::marked::{First, Marked};
use crate::filter::selection::CallOf;
use crate::progress::Progress;
use crate::units::{FunctionId, ModuleId};

/// What is asked of what is known from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingAsk {
    /// Looks for what changed since a revision; for none no longer.
    Since(Option<Since>),
    /// Reads what another tool has written into a file.
    Read(PathBuf),
    /// Reads what was pasted.
    Paste(String),
    /// Adds the set of what is in both of these.
    Both(usize, usize),
    /// Forgets a set.
    Forget(usize),
    /// Marks what is known of one kind, or nothing.
    Show(Shown),
    /// Has what is marked stand out in the landscape, the rest in neutral colours; or no longer.
    Color(bool),
    /// Leaves out what is not marked, or no longer.
    Alone(bool),
}

/// What is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    #[default]
    Nothing,
    Changed,
    /// The set with this number.
    Set(usize),
}

/// What was marked when it was last brought up to date: what, and in which session.
type Applied = (Option<Arc<Marked>>, Arc<Session>);

/// What is known from elsewhere, and the work on more.
#[derive(Default)]
pub struct Findings {
    /// What changed; an error says why that is not known.
    pub changed: Option<Result<Arc<Changed>, Arc<str>>>,
    looking: Option<(Since, Arc<Session>, Job<Result<Changed, String>>)>,
    /// For which it was looked for last.
    looked_for: Option<(Since, Arc<Session>)>,
    /// In the order in which they were asked for.
    pub sets: Vec<SetFrom>,
    /// What came of each, of the session that they were found in.
    pub hits: Vec<Arc<Hits>>,
    reading: Option<Job<Vec<Arc<Hits>>>>,
    /// Of which sets and which session it was begun.
    read_for: Option<(Vec<SetFrom>, Arc<Session>)>,
    pub shown: Shown,
    pub is_colored: bool,
    applied: Option<Applied>,
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
        if let Ok(hits) = results::find(&findings.sets, &[], session, progress) {
            findings.hits = hits;
        }
        findings.read_for = Some((findings.sets.clone(), Arc::clone(session)));
        if findings.shown == Shown::Nothing && !findings.sets.is_empty() {
            findings.shown = Shown::Set(0);
        }
        findings
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
        let looking = self.looking.as_ref().and_then(|(.., job)| job.slow());
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

impl State {
    /// Begins what is wanted, takes what is ready, and marks it. O(1) where nothing has changed.
    pub fn update_findings(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let is_ready = document.refinement.is_none() && !self.jobs.is_revising();
        let can = document.inputs.source_dir.is_some() && document.resolved().is_some();
        let base = Arc::clone(&document.base);
        let since = document.inputs.elsewhere.since.clone();
        self.take_changed();
        self.take_hits();
        if is_ready && can {
            self.look_for_changes(since, &base);
            self.read_sets(&base);
        }
        self.mark_findings();
    }

    fn take_changed(&mut self) {
        let findings = &mut self.findings;
        let Some(found) = findings.looking.as_ref().and_then(|(.., job)| job.poll()) else {
            return;
        };
        findings.looking = None;
        let stopped = || Arc::from("it was stopped");
        findings.changed = Some(match found {
            Ok(Ok(changed)) => Ok(Arc::new(changed)),
            Ok(Err(reason)) => Err(Arc::from(reason)),
            Err(_) => Err(stopped()),
        });
        findings.stamp += 1;
    }

    fn take_hits(&mut self) {
        let findings = &mut self.findings;
        let Some(found) = findings.reading.as_ref().and_then(Job::poll) else {
            return;
        };
        findings.reading = None;
        if let Ok(hits) = found {
            findings.hits = hits;
        }
        findings.stamp += 1;
    }

    fn look_for_changes(&mut self, since: Option<Since>, base: &Arc<Session>) {
        let is_known =
            |of: &(Since, Arc<Session>)| Some(&of.0) == since.as_ref() && Arc::ptr_eq(&of.1, base);
        let Some(since) = &since else {
            if self.findings.looked_for.take().is_some() {
                self.findings.changed = None;
                self.findings.looking = None;
                self.findings.stamp += 1;
            }
            return;
        };
        if self.findings.looked_for.as_ref().is_some_and(is_known) {
            return;
        }
        let job = {
            let (since, base) = (since.clone(), Arc::clone(base));
            Job::named("looking for changes", self.waker(), move |progress| {
                let found = Changed::find(&since, &base, progress);
                progress.check()?;
                Ok(found)
            })
        };
        let of = (since.clone(), Arc::clone(base));
        if self.findings.looked_for.as_ref().map(|it| &it.0) != Some(since) {
            self.findings.shown = Shown::Changed;
        }
        self.findings.looked_for = Some(of.clone());
        self.findings.looking = Some((of.0, of.1, job));
        self.findings.stamp += 1;
    }

    fn read_sets(&mut self, base: &Arc<Session>) {
        let findings = &self.findings;
        let is_known = findings
            .read_for
            .as_ref()
            .is_some_and(|(sets, of)| *sets == findings.sets && Arc::ptr_eq(of, base));
        if is_known || (findings.sets.is_empty() && findings.read_for.is_none()) {
            return;
        }
        let (sets, known, of) = (
            findings.sets.clone(),
            findings.hits.clone(),
            Arc::clone(base),
        );
        self.findings.read_for = Some((sets.clone(), Arc::clone(base)));
        self.findings.reading = Some(Job::named(
            "reading results",
            self.waker(),
            move |progress| results::find(&sets, &known, &of, progress),
        ));
        self.findings.stamp += 1;
    }

    /// Has every view mark what is to be marked; through a mapping what its modules have become.
    fn mark_findings(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let marked = self.findings.marked();
        let is_same = |(old, of): &Applied| {
            let is_same = match (old, marked) {
                (Some(old), Some(new)) => Arc::ptr_eq(old, new),
                (None, None) => true,
                _ => false,
            };
            is_same && Arc::ptr_eq(of, &document.session)
        };
        let is_there = document.selection.marked.is_some() == marked.is_some();
        if is_there && self.findings.applied.as_ref().is_some_and(is_same) {
            // A step that came with a bookmark or from a file does not know yet what is marked.
            let marked = document.selection.marked.clone();
            if marked.is_some() && document.filters.wants_marked() {
                self.filter(|filters| filters.mark(marked.as_ref()));
            }
            return;
        }
        let shown = marked.map(|marked| match document.of_base() {
            None => Arc::clone(marked),
            Some(shown) => Arc::new(moved(marked, &shown)),
        });
        self.findings.applied = Some((marked.cloned(), Arc::clone(&document.session)));
        self.findings.stamp += 1;
        document.selection.marked.clone_from(&shown);
        self.filter(|filters| filters.mark(shown.as_ref()));
        if self.findings.is_colored {
            self.color_findings();
        }
    }

    fn color_findings(&mut self) {
        let document = self.document.as_ref();
        let marked = document.and_then(|it| it.selection.marked.as_ref());
        let modules = marked.map(|it| Arc::clone(&it.modules));
        self.light(modules.filter(|_| self.findings.is_colored));
    }

    pub(super) fn on_finding(&mut self, ask: FindingAsk) {
        match ask {
            FindingAsk::Since(since) => {
                self.findings.looked_for =
                    self.findings.looked_for.take().filter(|_| since.is_none());
                if let Some(document) = &mut self.document {
                    document.inputs.elsewhere.since = since;
                }
            }
            FindingAsk::Read(path) => {
                if let Some(document) = &mut self.document {
                    document.inputs.elsewhere.results.push(path.clone());
                }
                self.add_set(SetFrom::File(path));
            }
            FindingAsk::Paste(text) => {
                let pasted = |it: &&SetFrom| matches!(it, SetFrom::Text(..));
                let number = self.findings.sets.iter().filter(pasted).count() + 1;
                self.add_set(SetFrom::Text(number, text.into()));
            }
            FindingAsk::Both(a, b) => self.add_set(SetFrom::Both([a, b])),
            FindingAsk::Forget(at) => self.forget_set(at),
            FindingAsk::Show(shown) => self.findings.shown = shown,
            FindingAsk::Color(is_colored) => {
                self.findings.is_colored = is_colored;
                self.color_findings();
            }
            FindingAsk::Alone(is_alone) => self.show_findings_alone(is_alone),
        }
        self.findings.stamp += 1;
        self.update_findings();
    }

    fn show_findings_alone(&mut self, is_alone: bool) {
        let document = self.document.as_ref();
        let marked = document.and_then(|it| it.selection.marked.clone());
        self.filter(|filters| {
            let mut steps = filters.steps().iter();
            let at = steps.position(|it| *it == FilterStep::RemoveNotMarked);
            match (at, is_alone) {
                (Some(at), false) => filters.remove(at),
                (_, true) => filters.add(FilterStep::RemoveNotMarked),
                (None, false) => {}
            }
            filters.mark(marked.as_ref());
        });
    }

    fn add_set(&mut self, set: SetFrom) {
        if !self.findings.sets.contains(&set) {
            self.findings.sets.push(set);
        }
        self.findings.shown = Shown::Set(self.findings.sets.len() - 1);
    }

    /// Forgets a set, and those that are made of it.
    fn forget_set(&mut self, at: usize) {
        let findings = &mut self.findings;
        let mut gone: BTreeSet<usize> = BTreeSet::from([at]);
        for (number, set) in findings.sets.iter().enumerate() {
            if let SetFrom::Both(of) = set
                && of.iter().any(|it| gone.contains(it))
            {
                gone.insert(number);
            }
        }
        let after = |old: usize| old - gone.range(..old).count();
        if let Some(SetFrom::File(path)) = findings.sets.get(at)
            && let Some(document) = &mut self.document
        {
            document.inputs.elsewhere.results.retain(|it| it != path);
        }
        let kept = |number: &usize| !gone.contains(number);
        let numbers: Vec<usize> = (0..findings.sets.len()).filter(kept).collect();
        findings.hits = numbers
            .iter()
            .filter_map(|&it| findings.hits.get(it).cloned())
            .collect();
        let mut sets: Vec<SetFrom> = numbers
            .iter()
            .filter_map(|&it| findings.sets.get(it).cloned())
            .collect();
        for set in &mut sets {
            if let SetFrom::Both(of) = set {
                *of = of.map(after);
            }
        }
        findings.sets = sets;
        findings.shown = match findings.shown {
            Shown::Set(shown) if gone.contains(&shown) => Shown::Nothing,
            Shown::Set(shown) => Shown::Set(after(shown)),
            shown => shown,
        };
    }

    /// What the inputs that were just opened want to have looked up.
    pub(super) fn begin_findings(&mut self) {
        self.findings = Findings::default();
        if let Some(document) = &self.document {
            let results = document.inputs.elsewhere.results.iter().cloned();
            self.findings.sets = results.map(SetFrom::File).collect();
            if !self.findings.sets.is_empty() {
                self.findings.shown = Shown::Set(0);
            }
        }
    }
}

/// Modules in another structure; those that are not in it are left out.
fn moved(marked: &Marked, to: &HashMap<ModuleId, ModuleId>) -> Marked {
    let module = |it: &ModuleId| to.get(it).copied();
    let modules: BTreeSet<ModuleId> = marked.modules.iter().filter_map(module).collect();
    let first = |it: &First| {
        let module = module(&it.module)?;
        Some(First { module, ..*it })
    };
    Marked {
        title: marked.title.clone(),
        modules: modules.into_iter().collect(),
        functions: Arc::clone(&marked.functions),
        firsts: marked.firsts.iter().filter_map(first).collect(),
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
                call: CallOf { thread, call },
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
