//! The phases of the run that is not shown, to be compared with those of the one that is.

use std::sync::Arc;

use super::finding::{Found, FoundIn, Settings, find};
use callscape_analysis::comparison::phases::paired;
use callscape_analysis::phases::Pruning;
use callscape_base::progress::{Cancelled, Progress};
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::{Job, take};
use callscape_state::runs::Runs;

/// What is known of the other run.
pub(super) struct OtherRun {
    pub found: Arc<Found>,
    /// By phase of the run that is shown, the one of the other that it is.
    counterparts: Vec<Option<u32>>,
}

impl OtherRun {
    pub(super) fn counterpart(&self, phase: u32) -> Option<u32> {
        *self.counterparts.get(phase as usize)?
    }
}

/// What it is found for.
struct For {
    shown: Arc<Found>,
    revision: u64,
}

#[derive(Default)]
pub(super) struct FindingOther {
    of: Option<For>,
    pruning: Option<(FoundIn, Arc<Pruning>)>,
    job: Option<Job<OtherRun>>,
    pub known: Option<Arc<OtherRun>>,
}

impl FindingOther {
    pub(super) fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// Finds the phases of the other run by the thresholds of the one that is shown.
    pub(super) fn update(&mut self, document: &Document, shown: &Arc<Found>, state: &State) {
        if let Some(found) = take(&mut self.job) {
            self.pruning = Some((found.found.of.clone(), Arc::clone(&found.found.pruning)));
            self.known = Some(Arc::new(found));
        }
        let Some(runs) = document.runs.clone() else {
            *self = FindingOther::default();
            return;
        };
        let is_for = |it: &For| Arc::ptr_eq(&it.shown, shown) && it.revision == runs.revision();
        if self.of.as_ref().is_some_and(is_for) {
            return;
        }
        self.of = Some(For {
            shown: Arc::clone(shown),
            revision: runs.revision(),
        });
        self.job = None;
        let session = &document.session;
        let Some(resolved) = session.recordings.get(runs.place_of_other()) else {
            self.known = None;
            return;
        };
        let rules = document.filters_of_other();
        let rules = rules.rules(&session.hierarchy, &resolved.resolution.modules);
        let of = FoundIn {
            named: (Arc::clone(session), runs.place_of_other()),
            recording: Arc::clone(&resolved.recording),
            rules: Arc::new(rules),
            costs: shown.of.costs,
        };
        let pruning = self.pruning.as_ref().filter(|(known, _)| *known == of);
        let pruning = pruning.map(|(_, pruning)| Arc::clone(pruning));
        let shown = Arc::clone(shown);
        self.job = Some(Job::named("phases of the other run", state.waker(), {
            move |progress| find_other(of, pruning, &shown, &runs, progress)
        }));
    }
}

fn find_other(
    of: FoundIn,
    pruning: Option<Arc<Pruning>>,
    shown: &Found,
    runs: &Runs,
    progress: &Progress,
) -> Result<OtherRun, Cancelled> {
    let parameters = shown.phases.parameters;
    let settings = Settings {
        calls: Some(parameters.heavy.triggered),
        cost: Some(parameters.heavy.cost),
        similarity: parameters.similarity,
        alike: parameters.alike,
        costs: of.costs,
    };
    let found = find(of, pruning, settings, progress)?;
    let mut counterparts = vec![None; shown.phases.phases.len()];
    if let Some(linked) = runs.pair() {
        let side = runs.side();
        let mut sides = [
            (&shown.phases, linked.row_of[side]),
            (&found.phases, linked.row_of[1 - side]),
        ];
        // Phases are paired in the order of A.
        sides.rotate_left(side);
        for mut pair in paired(sides) {
            pair.rotate_left(side);
            let [own, other] = pair;
            if let Some(place) = own.and_then(|own| counterparts.get_mut(own as usize)) {
                *place = other;
            }
        }
    }
    Ok(OtherRun {
        found: Arc::new(found),
        counterparts,
    })
}
