//! How long the relations go on that panels tell of, each moment counted once: those of the selected module, and the one
//! pointed at. Found on another thread.

use std::sync::Arc;

use super::details::Neighbours;
use super::document::Document;
use super::job::{self, Job};
use super::runs::Runs;
use callscape_analysis::comparison::amounts::Timed;
use callscape_analysis::comparison::tables::Norm;
use callscape_analysis::moments::Between;
use callscape_analysis::session::Session;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ModuleId, TimeRange};
use callscape_filter::filters::Filters;
use callscape_filter::weights;

/// A caller and a callee.
type Pair = (ModuleId, ModuleId);

/// What moments are found of: the run that is shown, or A and B, each with what limits it.
#[derive(Clone, Debug)]
pub struct Limited {
    session: Arc<Session>,
    runs: Option<Arc<Runs>>,
    of: Vec<(usize, Option<TimeRange>, Filters)>,
}

impl PartialEq for Limited {
    fn eq(&self, other: &Limited) -> bool {
        let revision = |it: &Limited| it.runs.as_ref().map(|runs| runs.revision());
        Arc::ptr_eq(&self.session, &other.session)
            && (revision(self), &self.of) == (revision(other), &other.of)
    }
}

impl Limited {
    /// What is shown now. `None` without a recording, and of two runs whose amounts are means, shares, per call, or without
    /// waiting: moments are none of these.
    pub fn of(document: &Document) -> Option<Limited> {
        document.resolved()?;
        let range = document.selection.range;
        let shown = (document.recording(), range, document.filters.clone());
        let runs = document.runs.clone();
        let of = match &runs {
            None => vec![shown],
            Some(runs) => {
                let is_recorded = runs.norm() == Norm::Recorded && !runs.needs_shares();
                let is_elapsed = runs.timed() == Timed::Elapsed;
                if !is_recorded || !is_elapsed || runs.counted_runs() != [1, 1] {
                    return None;
                }
                let other = range.map(|it| runs.range_of_other(it));
                let other = (runs.place_of_other(), other, document.filters_of_other());
                let mut of = vec![shown, other];
                if runs.clocks().is_none() {
                    // Both are compared as a whole.
                    for (_, range, filters) in &mut of {
                        (*range, *filters) = (None, Filters::default());
                    }
                }
                if runs.side() == 1 {
                    of.reverse();
                }
                of
            }
        };
        Some(Limited {
            session: Arc::clone(&document.session),
            runs,
            of,
        })
    }

    /// The moments of relations between what stands for functions: by pair those of the run, or of A and B; empty where they
    /// are not known. `of` says what stands for a function of a side.
    pub fn moments(
        &self,
        pairs: &[(u32, u32)],
        of: &dyn Fn(usize, FunctionId) -> Option<u32>,
        progress: &Progress,
    ) -> Result<Vec<Vec<Cost>>, Cancelled> {
        let mut found = vec![Vec::new(); pairs.len()];
        for (side, (place, range, filters)) in self.of.iter().enumerate() {
            let Some(resolved) = self.session.recordings.get(*place) else {
                continue;
            };
            let rules = filters.rules(&self.session.hierarchy, &resolved.resolution.modules);
            let of = |function: FunctionId| of(side, function);
            let between = Between::new(pairs.iter().copied(), &of);
            let limits = (*range, &rules);
            let Some(moments) = weights::moments(&between, &resolved.recording, limits, progress)?
            else {
                return Ok(vec![Vec::new(); pairs.len()]);
            };
            for (found, moments) in found.iter_mut().zip(moments) {
                found.push(moments);
            }
        }
        Ok(found)
    }

    /// The module of each function of each side.
    fn modules(&self) -> Vec<Vec<ModuleId>> {
        let rows = self.runs.as_ref().map(|it| (it, it.modules(&self.session)));
        let of_side = |(side, (place, ..)): (usize, &(usize, Option<TimeRange>, Filters))| {
            let resolved = self.session.recordings.get(*place);
            let modules = resolved.map_or(&[][..], |it| &it.resolution.modules);
            let of_row = |(&own, function): (&ModuleId, u32)| {
                let (runs, rows) = rows.as_ref()?;
                let row = runs.row_of(side, FunctionId(function))?;
                rows.get(row as usize).copied().or(Some(own))
            };
            let modules = modules.iter().zip(0..);
            modules.map(|it| of_row(it).unwrap_or(*it.0)).collect()
        };
        self.of.iter().enumerate().map(of_side).collect()
    }
}

/// What moments are found of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// The callers and callees of a module.
    Neighbours(ModuleId),
    Relation(Pair),
}

/// By relation its moments, of two runs in A and B.
type Found = Vec<(Pair, Vec<Cost>)>;

#[derive(Debug, Default)]
struct Finding {
    /// With where the calls of what is shown are.
    of: Option<(Of, Limited, usize)>,
    found: Found,
    job: Option<Job<Found>>,
}

/// The moments of relations.
#[derive(Debug, Default)]
pub struct RelationMoments {
    chosen: Finding,
    pointed: Finding,
}

impl RelationMoments {
    /// The moments of the calls from one module to another, of two runs in A and B; empty until they are found, and if they
    /// are not known. O(relations found).
    pub fn between(&self, from: ModuleId, to: ModuleId) -> &[Cost] {
        let mut all = self.pointed.found.iter().chain(&self.chosen.found);
        let found = all.find(|(pair, _)| *pair == (from, to));
        found.map_or(&[], |it| &it.1)
    }

    /// Takes the moments that were found, and begins to find those of what is selected and pointed at now; `waker` gives
    /// what a worker calls at its end.
    pub(super) fn update(
        &mut self,
        document: &Document,
        waker: impl Fn() -> Box<dyn FnOnce() + Send>,
    ) {
        let selection = &document.selection;
        let calls = Arc::as_ptr(document.calls.of_functions()).addr();
        let ends = [
            selection.chosen.module.map(Of::Neighbours),
            selection.pointed.relation.map(Of::Relation),
        ];
        let findings = [&mut self.chosen, &mut self.pointed];
        for (finding, of) in findings.into_iter().zip(ends) {
            if let Some(found) = job::take(&mut finding.job) {
                finding.found = found;
            }
            let wanted = of.and_then(|of| Some((of, Limited::of(document)?, calls)));
            if finding.of == wanted {
                continue;
            }
            finding.of.clone_from(&wanted);
            finding.found.clear();
            finding.job = wanted.map(|(of, limited, _)| {
                let pairs = pairs(of, &document.neighbours);
                let find = move |progress: &Progress| find(of, &limited, pairs, progress);
                Job::named("moments", waker(), find)
            });
        }
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.chosen.job.is_some() || self.pointed.job.is_some()
    }
}

fn find(
    of: Of,
    limited: &Limited,
    pairs: Vec<Pair>,
    progress: &Progress,
) -> Result<Found, Cancelled> {
    let hierarchy = &limited.session.hierarchy;
    let modules = limited.modules();
    let stands_for = |side: usize, function: FunctionId| {
        let module = *modules.get(side)?.get(function.index())?;
        let is_in = |outer: ModuleId| hierarchy.contains(outer, module).then_some(outer.0);
        match of {
            Of::Neighbours(chosen) => is_in(chosen).or(Some(module.0)),
            Of::Relation((from, to)) => is_in(from).or_else(|| is_in(to)),
        }
    };
    let ends: Vec<(u32, u32)> = pairs.iter().map(|(from, to)| (from.0, to.0)).collect();
    let moments = limited.moments(&ends, &stands_for, progress)?;
    Ok(pairs.into_iter().zip(moments).collect())
}

fn pairs(of: Of, neighbours: &Neighbours) -> Vec<Pair> {
    match of {
        Of::Relation(pair) => vec![pair],
        Of::Neighbours(chosen) => {
            let callers = neighbours.callers.iter().map(|it| (it.module, chosen));
            let callees = neighbours.callees.iter().map(|it| (chosen, it.module));
            callers.chain(callees).collect()
        }
    }
}
