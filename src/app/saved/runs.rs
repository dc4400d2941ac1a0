//! What a session file keeps of two runs that are compared.
//!
//! Its first recording is A, its second B, as they were when it was saved.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::find;
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::amounts::{Measure, Timed};
use callscape_analysis::comparison::pairing::Correction;
use callscape_analysis::comparison::tables::Norm;
use callscape_model::difference::Strength;
use callscape_state::State;
use callscape_state::ask::RunsAsk;
use callscape_state::runs::{Runs, RunsLayout};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedRuns {
    together: Option<String>,
    divider: f32,
    /// What links the clocks; `calls-of` by the calls of the function with this path.
    clocks: Option<String>,
    clocks_by: Option<String>,
    measure: Option<String>,
    strength: Option<String>,
    /// What amounts are brought on; `per-call-of` the function with this path.
    norm: Option<String>,
    norm_of: Option<String>,
    /// Which time is compared, where there is a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    only_differences: bool,
    /// Which functions the user has paired, as paths in both; the second is empty for one that is none of the other's.
    pairs: Vec<[String; 2]>,
    /// Of the views, each under names of its own.
    #[serde(flatten)]
    pub views: Map<String, Value>,
}

const LINKS: [(Link, &str); 5] = [
    (Link::Share, "share"),
    (Link::WallTime, "time"),
    (Link::Events, "events"),
    (Link::Calls, "calls"),
    (Link::Phases, "phases"),
];

const BY_CALLS_OF: &str = "calls-of";

const RECORDED: &str = "recorded";
const SHARES: &str = "shares";
const PER_CALL_OF: &str = "per-call-of";

impl SavedRuns {
    /// None where there are no two runs.
    pub fn of(state: &State, views: Map<String, Value>) -> Option<SavedRuns> {
        let document = state.document.as_ref()?;
        let runs = document.runs.as_ref()?;
        let link = LINKS.iter().find(|(link, _)| link == runs.link());
        let path = |row: u32| {
            let modules = runs.modules(&document.session);
            let module = modules.get(row as usize).copied();
            module.map(|module| document.session.hierarchy.path(module))
        };
        let by_calls_of = match *runs.link() {
            Link::CallsOf(row) => path(row),
            _ => None,
        };
        let (norm, norm_of) = match runs.norm() {
            Norm::Recorded => (RECORDED, None),
            Norm::Shares { .. } => (SHARES, None),
            Norm::PerCallOf(row) => (PER_CALL_OF, path(row)),
        };
        Some(SavedRuns {
            together: Some(state.runs_view.together.name().to_owned()),
            divider: state.runs_view.divider,
            clocks: Some(link.map_or(BY_CALLS_OF, |(_, name)| name).to_owned()),
            clocks_by: by_calls_of,
            measure: Some(runs.difference.measure.name().to_owned()),
            strength: Some(runs.difference.strength.name().to_owned()),
            norm: Some(norm.to_owned()),
            norm_of,
            time: runs.knows_waiting().then(|| runs.timed().name().to_owned()),
            only_differences: state.runs_view.only_differences,
            pairs: runs.corrections(),
            views,
        })
    }

    /// Brings the two runs that are open to where they were; what takes long is begun and goes on beside the window.
    /// How many names mean nothing.
    pub fn restore(&self, state: &mut State) -> usize {
        let Some(document) = &state.document else {
            return 0;
        };
        let Some(runs) = document.runs.clone() else {
            return 0;
        };
        let mut lost = 0;
        let together = named(
            self.together.as_ref(),
            RunsLayout::ALL,
            RunsLayout::name,
            &mut lost,
        );
        let measure = named(
            self.measure.as_ref(),
            Measure::ALL,
            Measure::name,
            &mut lost,
        );
        let strength = named(
            self.strength.as_ref(),
            Strength::ALL,
            Strength::name,
            &mut lost,
        );
        let link = match self.clocks.as_deref() {
            Some(BY_CALLS_OF) => {
                let row = row(&runs, state, self.clocks_by.as_ref());
                lost += usize::from(row.is_none());
                row.map(Link::CallsOf)
            }
            _ => named(self.clocks.as_ref(), LINKS, |it| it.1, &mut lost).map(|it| it.0),
        };
        let norm = match self.norm.as_deref() {
            Some(RECORDED) | None => None,
            Some(SHARES) => Some(Norm::Shares {
                of_calls: runs.counts_calls(),
            }),
            Some(PER_CALL_OF) => {
                let row = row(&runs, state, self.norm_of.as_ref());
                lost += usize::from(row.is_none());
                row.map(Norm::PerCallOf)
            }
            Some(_) => {
                lost += 1;
                None
            }
        };
        let difference = &runs.difference;
        let compared = (
            measure.unwrap_or(difference.measure),
            strength.unwrap_or(difference.strength),
        );
        if compared != (difference.measure, difference.strength) {
            state.execute(RunsAsk::CompareBy(compared.0, compared.1));
        }
        let time = named(self.time.as_ref(), Timed::ALL, Timed::name, &mut lost);
        if let Some(time) = time {
            state.execute(RunsAsk::CompareTime(time));
        }
        if let Some(norm) = norm {
            state.execute(RunsAsk::Normalise(norm));
        }
        if self.divider.is_finite() && self.divider > 0.0 {
            state.execute(RunsAsk::MoveDivider(self.divider));
        }
        // What is collapsed is kept by name.
        state.runs_view.only_differences = self.only_differences;
        // Colours are those that were saved, whatever stands beside each other.
        state.runs_view.together = together.unwrap_or_default();
        state.show_both();
        if !self.pairs.is_empty() {
            let corrections = self.pairs.iter().cloned();
            let corrections = corrections.map(|[old, new]| Correction { old, new });
            let corrections = RunsAsk::CorrectPairs(corrections.collect());
            state.runs_view.to_do.push(corrections);
        }
        state.runs_view.to_do.extend(link.map(RunsAsk::LinkClocks));
        lost
    }
}

/// The row of the function with this path.
fn row(runs: &Runs, state: &State, path: Option<&String>) -> Option<u32> {
    let session = &state.document.as_ref()?.session;
    let module = find(&session.hierarchy, path?)?;
    let mut modules = runs.modules(session).into_iter();
    modules.position(|it| it == module).map(|row| row as u32)
}

/// What has this name; one that nothing has is lost.
fn named<T: Copy, const N: usize>(
    name: Option<&String>,
    all: [T; N],
    name_of: impl Fn(T) -> &'static str,
    lost: &mut usize,
) -> Option<T> {
    let name = name?;
    let found = all.into_iter().find(|it| name_of(*it) == name);
    *lost += usize::from(found.is_none());
    found
}
