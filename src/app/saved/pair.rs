//! What a session file keeps of two runs that are compared.
//!
//! Its first recording is A, its second B, as they were when it was saved.

use serde::{Deserialize, Serialize};

use super::find;
use crate::analysis::alignment::Link;
use crate::analysis::comparison::amounts::Measure;
use crate::analysis::comparison::pairing::Correction;
use crate::analysis::comparison::tables::Norm;
use crate::app::ask::RunsAsk;
use crate::app::versus::{Together, Versus};
use crate::app::workbench::Workbench;
use crate::model::difference::Strength;
use crate::model::differences::{By, Choice, Of};
use crate::model::linked::Along;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedPair {
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
    only_differences: bool,
    /// Of the table of differences.
    list: Option<String>,
    sorted_by: Option<String>,
    is_reversed: bool,
    query: String,
    along: Option<String>,
    /// Which functions the user has paired, as paths in both; the second is empty for one that is none of the other's.
    pairs: Vec<[String; 2]>,
}

const LINKS: [(Link, &str); 4] = [
    (Link::Share, "share"),
    (Link::WallTime, "time"),
    (Link::Events, "events"),
    (Link::Calls, "calls"),
];

const BY_CALLS_OF: &str = "calls-of";

const RECORDED: &str = "recorded";
const SHARES: &str = "shares";
const PER_CALL_OF: &str = "per-call-of";

const ALONG: [(Along, &str); 2] = [(Along::Stacks, "stacks"), (Along::Overview, "overview")];

impl SavedPair {
    /// None where there are no two runs.
    pub fn of(bench: &Workbench) -> Option<SavedPair> {
        let document = bench.document.as_ref()?;
        let versus = document.versus.as_ref()?;
        let link = LINKS.iter().find(|(link, _)| link == versus.link());
        let path = |row: u32| {
            let modules = versus.modules(&document.session);
            let module = modules.get(row as usize).copied();
            module.map(|module| document.session.hierarchy.path(module))
        };
        let by_calls_of = match *versus.link() {
            Link::CallsOf(row) => path(row),
            _ => None,
        };
        let (norm, norm_of) = match versus.norm() {
            Norm::Recorded => (RECORDED, None),
            Norm::Shares { .. } => (SHARES, None),
            Norm::PerCallOf(row) => (PER_CALL_OF, path(row)),
        };
        let along = document.sheets.as_ref().map(|it| it.along());
        let along = ALONG.iter().find(|(it, _)| Some(*it) == along);
        let choice = &bench.pair.choice;
        Some(SavedPair {
            together: Some(bench.pair.together.name().to_owned()),
            divider: bench.pair.divider,
            clocks: Some(link.map_or(BY_CALLS_OF, |(_, name)| name).to_owned()),
            clocks_by: by_calls_of,
            measure: Some(versus.difference.measure.name().to_owned()),
            strength: Some(versus.difference.strength.name().to_owned()),
            norm: Some(norm.to_owned()),
            norm_of,
            only_differences: bench.pair.only_differences,
            list: Some(choice.of.title().to_owned()),
            sorted_by: Some(choice.by.title().to_owned()),
            is_reversed: choice.is_reversed,
            query: choice.query.clone(),
            along: along.map(|(_, name)| (*name).to_owned()),
            pairs: versus.corrections(),
        })
    }

    /// Brings the two runs that are open to where they were; what takes long is begun and goes on beside the window.
    /// How many names mean nothing.
    pub fn restore(&self, bench: &mut Workbench) -> usize {
        let Some(document) = &bench.document else {
            return 0;
        };
        let Some(versus) = document.versus.clone() else {
            return 0;
        };
        let mut lost = 0;
        let together = named(
            self.together.as_ref(),
            Together::ALL,
            Together::name,
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
        let (of, by) = (
            named(self.list.as_ref(), Of::ALL, Of::title, &mut lost),
            named(self.sorted_by.as_ref(), By::ALL, By::title, &mut lost),
        );
        let along = named(self.along.as_ref(), ALONG, |it| it.1, &mut lost);
        let link = match self.clocks.as_deref() {
            Some(BY_CALLS_OF) => {
                let row = row(&versus, bench, self.clocks_by.as_ref());
                lost += usize::from(row.is_none());
                row.map(Link::CallsOf)
            }
            _ => named(self.clocks.as_ref(), LINKS, |it| it.1, &mut lost).map(|it| it.0),
        };
        let norm = match self.norm.as_deref() {
            Some(RECORDED) | None => None,
            Some(SHARES) => Some(Norm::Shares {
                of_calls: versus.counts_calls(),
            }),
            Some(PER_CALL_OF) => {
                let row = row(&versus, bench, self.norm_of.as_ref());
                lost += usize::from(row.is_none());
                row.map(Norm::PerCallOf)
            }
            Some(_) => {
                lost += 1;
                None
            }
        };
        let difference = &versus.difference;
        let compared = (
            measure.unwrap_or(difference.measure),
            strength.unwrap_or(difference.strength),
        );
        if compared != (difference.measure, difference.strength) {
            bench.execute(RunsAsk::CompareBy(compared.0, compared.1));
        }
        if let Some(norm) = norm {
            bench.execute(RunsAsk::Normalise(norm));
        }
        if self.divider.is_finite() && self.divider > 0.0 {
            bench.execute(RunsAsk::MoveDivider(self.divider));
        }
        bench.pair.choice = Choice {
            of: of.unwrap_or_default(),
            by: by.unwrap_or_default(),
            is_reversed: self.is_reversed,
            query: self.query.clone(),
        };
        // What is collapsed is kept by name.
        bench.pair.only_differences = self.only_differences;
        if let Some((along, _)) = along {
            bench.execute(RunsAsk::DrawAlong(along));
        }
        // Colours are those that were saved, whatever stands beside each other.
        bench.pair.together = together.unwrap_or_default();
        bench.show_both();
        if !self.pairs.is_empty() {
            let corrections = self.pairs.iter().cloned();
            let corrections = corrections.map(|[old, new]| Correction { old, new });
            let corrections = RunsAsk::CorrectPairs(corrections.collect());
            bench.pair.to_do.push(corrections);
        }
        bench.pair.to_do.extend(link.map(RunsAsk::LinkClocks));
        lost
    }
}

/// The row of the function with this path.
fn row(versus: &Versus, bench: &Workbench, path: Option<&String>) -> Option<u32> {
    let session = &bench.document.as_ref()?.session;
    let module = find(&session.hierarchy, path?)?;
    let mut modules = versus.modules(session).into_iter();
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
