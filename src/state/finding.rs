//! Begins what is to be known of functions from elsewhere, takes what is ready, and has every view mark it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::ask::{FindingAsk, Shown};
use super::document::Document;
use super::findings::{Applied, Changed, Findings, STOPPED, SetFrom, results};
use super::job::Job;
use super::state::State;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_filter::filters::FilterStep;
use callscape_filter::marked::{First, Marked};

impl State {
    /// Begins what is wanted, takes what is ready, and marks it. O(1) where nothing has changed.
    pub fn update_findings(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let is_ready = document.refinement.is_none() && !self.work.jobs.is_revising();
        let has_source = document.inputs.source_dir.is_some();
        let has_recording = document.resolved().is_some();
        self.take_changed();
        self.take_hits();
        if is_ready && has_source {
            if has_recording {
                self.look_for_changes();
            }
            self.read_sets();
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
        findings.changed = Some(match found {
            Ok(Ok(changed)) => Ok(Arc::new(changed)),
            Ok(Err(reason)) => Err(Arc::from(reason)),
            Err(_) => Err(STOPPED.into()),
        });
        findings.stamp += 1;
    }

    fn take_hits(&mut self) {
        let findings = &mut self.findings;
        let Some(found) = findings.reading.as_ref().and_then(Job::poll) else {
            return;
        };
        findings.reading = None;
        match (found, &findings.read_for) {
            (Ok(found), Some((_, session))) => {
                let session = Arc::clone(session);
                findings.take(found, &session);
            }
            _ => findings.reading_is_stopped = true,
        }
        findings.stamp += 1;
    }

    fn look_for_changes(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let base = &document.base;
        let Some(since) = &document.inputs.elsewhere.since else {
            if self.findings.looked_for.take().is_some() {
                self.findings.changed = None;
                self.findings.looking = None;
                self.findings.stamp += 1;
            }
            return;
        };
        let before = self.findings.looked_for.as_ref();
        if before.is_some_and(|(of, in_)| of == since && Arc::ptr_eq(in_, base)) {
            return;
        }
        let is_other = before.is_none_or(|(of, _)| of != since);
        let of = (since.clone(), Arc::clone(base));
        let job = {
            let (since, base) = of.clone();
            Job::named("searching for changes", self.waker(), move |progress| {
                let found = Changed::find(&since, &base, progress);
                progress.check()?;
                Ok(found)
            })
        };
        let findings = &mut self.findings;
        if is_other {
            findings.shown = Shown::Changed;
            findings.changed = None;
        }
        findings.looked_for = Some(of);
        findings.looking = Some(job);
        findings.stamp += 1;
        if std::mem::take(&mut self.opening.changed_alone_at_start) {
            self.show_findings_alone(true);
        }
    }

    fn read_sets(&mut self) {
        let (Some(document), findings) = (&self.document, &self.findings) else {
            return;
        };
        let (base, stamp) = (&document.base, findings.sets_stamp);
        let before = findings.read_for.as_ref();
        let is_known = before.is_some_and(|(of, in_)| *of == stamp && Arc::ptr_eq(in_, base));
        if is_known || (findings.sets.is_empty() && before.is_none()) {
            return;
        }
        let of = Arc::clone(base);
        let (sets, known, base) = (
            findings.sets.clone(),
            findings.hits.clone(),
            Arc::clone(base),
        );
        let job = Job::named("reading results", self.waker(), move |progress| {
            results::find(&sets, &known, &base, progress)
        });
        let findings = &mut self.findings;
        findings.read_for = Some((stamp, of));
        findings.reading = Some(job);
        findings.reading_is_stopped = false;
        findings.stamp += 1;
    }

    /// Has every view mark what is to be marked; through a mapping what its modules have become.
    fn mark_findings(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let marked = self.findings.marked(&document.base);
        let run = document.recording();
        let is_same = |(old, of, in_run): &Applied| {
            let is_same = match (old, marked) {
                (Some(old), Some(new)) => Arc::ptr_eq(old, new),
                (None, None) => true,
                _ => false,
            };
            is_same && Arc::ptr_eq(of, &document.session) && *in_run == run
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
        let marked = marked.cloned();
        let shown = marked.as_ref().map(|it| as_shown(it, document));
        self.findings.applied = Some((marked, Arc::clone(&document.session), run));
        self.findings.stamp += 1;
        document.selection.change(|it| it.marked.clone_from(&shown));
        self.filter(|filters| filters.mark(shown.as_ref()));
        if self.findings.is_colored {
            self.show_lit();
        }
    }

    /// Has the landscape say what reports of coverage and tables of numbers say.
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
        let Some(document) = &mut self.document else {
            return;
        };
        let numbers = self.findings.numbers(&document.base);
        let known = document.city.metrics().numbers();
        if numbers.map(Arc::as_ptr) != known.map(Arc::as_ptr) {
            document.set_numbers(numbers);
            self.blocks_moved();
        }
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
                    let known = &mut document.inputs.elsewhere.results;
                    if !known.contains(&path) {
                        known.push(path.clone());
                    }
                }
                self.add_set(SetFrom::File(path));
            }
            FindingAsk::Paste(text) => {
                let numbers = self.findings.sets.iter().filter_map(|it| match it {
                    SetFrom::Text(number, _) => Some(*number),
                    _ => None,
                });
                let number = numbers.max().unwrap_or(0) + 1;
                self.add_set(SetFrom::Text(number, text.into()));
            }
            FindingAsk::Both(a, b) => self.add_set(SetFrom::Both([a, b])),
            FindingAsk::Forget(at) => self.forget_set(at),
            FindingAsk::Show(shown) => self.findings.shown = shown,
            FindingAsk::Color(is_colored) => {
                self.findings.is_colored = is_colored;
                self.show_lit();
            }
            FindingAsk::Alone(is_alone) => self.show_findings_alone(is_alone),
            FindingAsk::Again => self.findings.look_again(),
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
        let findings = &mut self.findings;
        let known = findings.sets.iter().position(|it| *it == set);
        let at = known.unwrap_or_else(|| {
            findings.sets.push(set);
            findings.sets_stamp += 1;
            findings.sets.len() - 1
        });
        findings.shown = Shown::Set(at);
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
        findings.sets_stamp += 1;
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

/// What is marked as the document shows it: in its structure, and of the run that is shown. When the functions of another run
/// than the first run first is not known. O(functions + modules).
fn as_shown(marked: &Arc<Marked>, document: &Document) -> Arc<Marked> {
    let moved = document.of_base().map(|to| moved(marked, &to));
    if document.recording() == 0 {
        return moved.map_or_else(|| Arc::clone(marked), Arc::new);
    }
    let of = moved.as_ref().unwrap_or(marked);
    let modules = document.resolved().map(|it| &it.resolution.modules);
    let functions = modules.into_iter().flatten().zip((0..).map(FunctionId));
    let functions = functions.filter(|(module, _)| of.has(**module));
    Arc::new(Marked::new(
        of.title.clone(),
        Arc::clone(&of.modules),
        functions.map(|(_, function)| function).collect(),
        Vec::new(),
    ))
}

/// Modules in another structure; those that are not in it are left out.
fn moved(marked: &Marked, to: &HashMap<ModuleId, ModuleId>) -> Marked {
    let module = |it: &ModuleId| to.get(it).copied();
    let modules: BTreeSet<ModuleId> = marked.modules.iter().filter_map(module).collect();
    let first = |it: &First| {
        let module = module(&it.module)?;
        Some(First { module, ..*it })
    };
    Marked::new(
        marked.title.clone(),
        modules.into_iter().collect(),
        Arc::clone(&marked.functions),
        marked.firsts.iter().filter_map(first).collect(),
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::ask::{CallWalk, LookAsk, SelectAsk};
    use super::super::findings::marking::marked_in;
    use super::super::selecting::MOST_SEARCHED;
    use super::super::testing::{open, opened, tiny, two_runs};
    use super::*;
    use callscape_analysis::session::{Elsewhere, Inputs};
    use callscape_model::metric::Metric;
    use callscape_model::surface::Surface;

    fn wait(state: &mut State) {
        loop {
            state.poll_jobs();
            state.update_findings();
            if !state.work.jobs.is_any() && !state.findings.is_under_way() {
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
    fn of_the_other_run_its_own_functions_are_marked() {
        let mut state = two_runs();
        let mut firsts = Vec::new();
        for _ in 0..2 {
            let document = open(&state);
            let first = &document.base.recordings[0];
            let modules: BTreeSet<ModuleId> = first.resolution.modules.iter().copied().collect();
            let marked = Arc::new(marked_in(String::new(), modules, first));
            assert!(!marked.functions.is_empty() && !marked.firsts.is_empty());
            let shown = as_shown(&marked, document);
            let resolved = document.resolved().expect("a run");
            let of_run = resolved
                .resolution
                .modules
                .iter()
                .zip((0..).map(FunctionId));
            let of_run = of_run.filter(|(module, _)| marked.has(**module));
            let of_run: Vec<FunctionId> = of_run.map(|(_, function)| function).collect();
            assert_eq!(*shown.functions, of_run);
            assert!(!shown.functions.is_empty());
            firsts.push((document.recording(), shown.firsts.is_empty()));
            state.execute(crate::ask::RunsAsk::Flip);
            crate::testing::settle(&mut state);
        }
        firsts.sort_unstable();
        assert_eq!(firsts, [(0, false), (1, true)]);
    }

    #[test]
    fn calls_of_many_marked_functions_are_not_stepped_through() {
        let mut state = tiny();
        let mut can = |count: usize| {
            let functions = (0..count).map(|_| FunctionId(0)).collect();
            let marked = Marked::new(String::new(), Arc::default(), functions, Vec::new());
            let document = state.document.as_mut().expect("open");
            let marked = Some(Arc::new(marked));
            document.selection.change(|it| it.marked = marked);
            state.told.notice = None;
            state.execute(SelectAsk::GoToCall(CallWalk::NextMarked));
            let told = state.notice().map(|(told, _)| told.to_owned());
            let can = state.marked_steps();
            assert_eq!(told.as_deref(), can.err());
            can.is_ok()
        };
        let can = [0, 1, MOST_SEARCHED, MOST_SEARCHED + 1].map(&mut can);
        assert_eq!(can, [false, true, true, false]);
    }

    #[test]
    fn what_is_opened_next_is_not_lit() {
        let mut state = tiny();
        let lit = Marked::new(String::new(), [ModuleId(1)].into(), [].into(), Vec::new());
        state.light(Some(lit.into()));
        let document = tiny().document.expect("open");
        state.show(document, |_, _| ());
        state.show_lit();
        assert_eq!(open(&state).city.highlighted().0, 0);
    }

    #[test]
    fn reports_of_coverage_are_shown_in_the_landscape_while_they_are_open() {
        let data =
            PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/results");
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
