//! How long the relations go on that panels tell of, each moment counted once: those of the selected module, and the one
//! pointed at. Found on another thread; only of one run without filters.

use std::sync::Arc;

use super::details::Neighbours;
use super::job::{self, Job};
use super::state::State;
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

impl State {
    /// Takes the moments that were found, and begins to find those of what is selected and pointed at now.
    pub(super) fn update_moments(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let selection = &document.selection;
        let calls = Arc::as_ptr(document.calls.of_functions()).addr();
        let is_plain = document.runs.is_none() && document.filters.is_empty();
        let is_known = is_plain && document.resolved().is_some();
        let ends = [
            selection.chosen.module.map(Of::Neighbours),
            selection.pointed.relation.map(Of::Relation),
        ];
        let RelationMoments {
            mut chosen,
            mut pointed,
        } = std::mem::take(&mut self.work.moments);
        for (finding, of) in [&mut chosen, &mut pointed].into_iter().zip(ends) {
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
                Job::named("moments", self.work.waker(), find)
            });
        }
        self.work.moments = RelationMoments { chosen, pointed };
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

#[cfg(test)]
mod tests {
    use super::super::testing::{open, settle, tiny};
    use super::*;
    use callscape_facts::trace::Within;
    use callscape_filter::selection::Pointed;

    #[test]
    fn relations_that_are_told_of_have_their_moments() {
        let mut state = tiny();
        let all: Vec<ModuleId> = open(&state).session.hierarchy.modules().collect();
        let mut known = 0;
        for module in all {
            let document = state.document.as_mut().expect("it is open");
            document
                .selection
                .change(|it| it.chosen = Pointed::at_module(Some(module)));
            state.show_chosen();
            settle(&mut state);
            let document = open(&state);
            let resolved = document.resolved().expect("a recording");
            let of = |function: FunctionId| {
                let own = resolved.resolution.modules[function.index()];
                let is_in = document.session.hierarchy.contains(module, own);
                Some(if is_in { module.0 } else { own.0 })
            };
            for pair in pairs(Of::Neighbours(module), &document.neighbours) {
                let between = Between::new([(pair.0.0, pair.1.0)].into_iter(), &of);
                let whole = Within::default();
                let direct = between.moments(&resolved.recording, whole, &Progress::new());
                let direct = direct.expect("not cancelled").expect("it has calls");
                let found = state.work.moments.between(pair.0, pair.1);
                assert_eq!(found, Some(direct[0]), "{pair:?}");
                known += 1;
            }
        }
        assert!(known > 0);
    }
}
