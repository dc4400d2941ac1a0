//! Begins what is to be known of functions from elsewhere, takes what is ready, and has every view mark it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::State;
use super::ask::{FindingAsk, Shown};
use super::findings::{Applied, Changed, Findings, SetFrom, results};
use super::job::Job;
use crate::analysis::session::{Session, Since};
use crate::filter::filters::FilterStep;
use crate::filter::marked::{First, Marked};
use crate::units::ModuleId;

impl State {
    /// Begins what is wanted, takes what is ready, and marks it. O(1) where nothing has changed.
    pub fn update_findings(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let is_ready = document.refinement.is_none() && !self.jobs.is_revising();
        let has_source = document.inputs.source_dir.is_some();
        let has_recording = document.resolved().is_some();
        let base = Arc::clone(&document.base);
        let since = document.inputs.elsewhere.since.clone();
        self.take_changed();
        self.take_hits();
        if is_ready && has_source {
            if has_recording {
                self.look_for_changes(since, &base);
            }
            self.read_sets(&base);
        }
        self.mark_findings();
        self.show_coverage();
    }

    fn take_changed(&mut self) {
        let findings = &mut self.findings;
        let Some(found) = findings.looking.as_ref().and_then(Job::poll) else {
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
        if let (Ok(found), Some((_, session))) = (found, &findings.read_for) {
            let session = Arc::clone(session);
            findings.take(found, &session);
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
        self.findings.looked_for = Some(of);
        self.findings.looking = Some(job);
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

    /// Has the landscape say what the reports of coverage say.
    fn show_coverage(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let coverage = self.findings.coverage(&document.base);
        let known = document.city.metrics().coverage();
        if coverage.map(Arc::as_ptr) != known.map(Arc::as_ptr) {
            document.set_coverage(coverage);
            self.blocks_moved();
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::ask::{FindingAsk, LookAsk};
    use super::super::testing::opened;
    use crate::analysis::session::{Elsewhere, Inputs};
    use crate::model::metric::Metric;
    use crate::model::surface::Surface;
    use crate::state::State;
    use crate::units::ModuleId;

    fn wait(state: &mut State) {
        loop {
            state.poll_jobs();
            state.update_findings();
            if !state.jobs.is_any() && !state.findings.is_under_way() {
                return;
            }
            std::thread::yield_now();
        }
    }

    /// How many lines are counted, and how many of them ran.
    fn covered(state: &State) -> Option<(u64, u64)> {
        let document = state.document.as_ref().expect("open");
        let metrics = document.city.metrics();
        assert_eq!(
            metrics.has(Metric::Coverage),
            metrics.has(Metric::Uncovered)
        );
        let covered = metrics.covered(&document.session.hierarchy, ModuleId::ROOT);
        assert_eq!(metrics.has(Metric::Coverage), covered.is_some());
        covered
    }

    #[test]
    fn reports_of_coverage_are_shown_in_the_landscape_while_they_are_open() {
        let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/results");
        let mut state = opened(&Inputs {
            source_dir: Some(data.clone()),
            elsewhere: Elsewhere {
                results: vec![data.join("names.info")],
                ..Elsewhere::default()
            },
            ..Inputs::default()
        });
        state.execute(LookAsk::Surface(Surface::Metric(Metric::Coverage)));
        wait(&mut state);
        assert_eq!(covered(&state), Some((11, 9)));
        let scale = |state: &State| {
            let document = state.document.as_ref().expect("open");
            document.city.color_scale().clone()
        };
        let first = scale(&state);
        assert!(first.without > 0 && !first.is_empty());
        assert_eq!(
            [0.0, 0.5, 1.0].map(|at| first.value_at(at)),
            [0.0, 50.0, 100.0]
        );
        // The same lines again add nothing, other lines do.
        state.execute(FindingAsk::Read(data.join("names.coverage.xml")));
        wait(&mut state);
        assert_eq!(covered(&state), Some((11, 9)));
        assert_eq!(scale(&state), first);
        state.execute(FindingAsk::Paste(
            "SF:src/names.py\nDA:6,1\nend_of_record\nSF:src/shapes.c\nDA:10,0\nend_of_record\n"
                .to_owned(),
        ));
        wait(&mut state);
        assert_eq!(covered(&state), Some((12, 10)));
        // It is not laid out again while nothing changes.
        let metrics = |state: &State| {
            let document = state.document.as_ref().expect("open");
            Arc::clone(document.city.metrics())
        };
        let before = metrics(&state);
        wait(&mut state);
        assert!(Arc::ptr_eq(&before, &metrics(&state)));
        for _ in 0..3 {
            assert!(covered(&state).is_some());
            state.execute(FindingAsk::Forget(0));
            wait(&mut state);
        }
        assert_eq!(covered(&state), None);
        assert!(scale(&state).is_empty());
    }
}
