//! How long the relations go on that panels tell of, each moment counted once: those of the selected module, and the one
//! pointed at. Found on another thread; only of one run without filters.

use std::sync::Arc;

use super::details::Neighbours;
use super::document::Document;
use super::job::{self, Job};
use callscape_analysis::moments::Between;
use callscape_analysis::session::Session;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ModuleId, TimeRange};

/// A caller and a callee.
type Pair = (ModuleId, ModuleId);

/// What moments are found of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    /// The callers and callees of a module.
    Neighbours(ModuleId),
    Relation(Pair),
}

#[derive(Debug, Default)]
struct Finding {
    of: Option<(Of, Option<TimeRange>, usize)>,
    found: Vec<(Pair, Cost)>,
    job: Option<Job<Vec<(Pair, Cost)>>>,
}

/// The moments of relations.
#[derive(Debug, Default)]
pub struct RelationMoments {
    chosen: Finding,
    pointed: Finding,
}

impl RelationMoments {
    /// The moments of the calls from one module to another; `None` until they are found. O(relations found).
    pub fn between(&self, from: ModuleId, to: ModuleId) -> Option<Cost> {
        let mut all = self.pointed.found.iter().chain(&self.chosen.found);
        all.find(|(pair, _)| *pair == (from, to)).map(|it| it.1)
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
        let is_plain = document.runs.is_none() && document.filters.is_empty();
        let is_known = is_plain && document.resolved().is_some();
        let ends = [
            selection.chosen.module.map(Of::Neighbours),
            selection.pointed.relation.map(Of::Relation),
        ];
        let findings = [&mut self.chosen, &mut self.pointed];
        for (finding, of) in findings.into_iter().zip(ends) {
            if let Some(found) = job::take(&mut finding.job) {
                finding.found = found;
            }
            let of = of.filter(|_| is_known);
            let wanted = of.map(|of| (of, selection.range, calls));
            if finding.of == wanted {
                continue;
            }
            finding.of = wanted;
            finding.found.clear();
            finding.job = of.map(|of| {
                let wanted = Wanted {
                    session: Arc::clone(&document.session),
                    recording: document.recording(),
                    range: selection.range,
                    of,
                    pairs: pairs(of, &document.neighbours),
                };
                let find = move |progress: &Progress| wanted.find(progress);
                Job::named("moments", waker(), find)
            });
        }
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.chosen.job.is_some() || self.pointed.job.is_some()
    }
}

/// Relations of a recording.
struct Wanted {
    session: Arc<Session>,
    recording: usize,
    range: Option<TimeRange>,
    of: Of,
    pairs: Vec<Pair>,
}

impl Wanted {
    fn find(self, progress: &Progress) -> Result<Vec<(Pair, Cost)>, Cancelled> {
        let Some(resolved) = self.session.recordings.get(self.recording) else {
            return Ok(Vec::new());
        };
        let hierarchy = &self.session.hierarchy;
        let of = |function: FunctionId| {
            let module = *resolved.resolution.modules.get(function.index())?;
            let is_in = |outer: ModuleId| hierarchy.contains(outer, module).then_some(outer.0);
            match self.of {
                Of::Neighbours(chosen) => is_in(chosen).or(Some(module.0)),
                Of::Relation((from, to)) => is_in(from).or_else(|| is_in(to)),
            }
        };
        let pairs = self.pairs.iter().map(|(from, to)| (from.0, to.0));
        let between = Between::new(pairs, &of);
        let moments = between.moments(&resolved.recording, self.range.into(), progress)?;
        let moments = moments.unwrap_or_default();
        Ok(self.pairs.iter().copied().zip(moments).collect())
    }
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
