//! What speaks against comparing two recordings: said, never a refusal.

use std::collections::BTreeSet;
use std::fmt;

use super::{Comparison, threads};
use callscape_base::units::Unit;
use callscape_facts::recording::RecordingKind;

/// A reason to read a comparison with care.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The side has no calls and no weights.
    Empty { side: usize, name: String },
    /// Few functions are on both sides.
    FewInCommon { both: usize, only: [usize; 2] },
    /// A side is sampled and the other traced, or a profile: costs are compared as shares of their runs.
    Kinds([RecordingKind; 2]),
    /// Costs count different things: they are compared as shares of their runs.
    Units([Unit; 2]),
    /// The formats differ, and with them what is recorded and how it is named.
    Formats([&'static str; 2]),
    /// A recording was repaired while it was read, as one that is cut off is.
    Repaired { name: String, repairs: u64 },
    /// Threads that were found on one side alone, by name; so many are in both.
    Threads { both: usize, only: [Vec<String>; 2] },
    /// One side tells how far its runs spread, and the recording of this name on the other nothing of two runs or more.
    NoSpread { side: usize, name: String },
    /// Runs of one side differ in kind or unit among each other.
    Mixed { side: usize },
}

/// The letter of a side.
pub fn letter(side: usize) -> char {
    if side == 0 { 'A' } else { 'B' }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Empty { side, name } => {
                write!(
                    f,
                    "{} ({name}) contains no calls: everything is only on the other side",
                    letter(*side)
                )
            }
            Doubt::FewInCommon { both, only: [a, b] } => write!(
                f,
                "A and B have few functions in common: {both} are in both, {a} only in A, {b} only in B; are they runs \
                 of the same program?"
            ),
            Doubt::Kinds([a, b]) => write!(
                f,
                "A is {}, B is {}: costs are compared as shares of their runs, and calls are not compared",
                kind(*a),
                kind(*b)
            ),
            Doubt::Units([a, b]) => write!(
                f,
                "A counts {}, B counts {}: they are compared as shares of their runs",
                a.name(),
                b.name()
            ),
            Doubt::Formats([a, b]) => {
                write!(f, "A is {a}, B is {b}: their contents and names may differ")
            }
            Doubt::Repaired { name, repairs } => {
                let plural = if *repairs == 1 { "" } else { "s" };
                write!(
                    f,
                    "{name}: {repairs} repair{plural} during import; `callscape info` lists them"
                )
            }
            Doubt::Threads { both, only } => {
                write!(f, "{both} of the threads are in both")?;
                for (side, names) in only.iter().enumerate().filter(|(_, it)| !it.is_empty()) {
                    let listed = names.iter().take(MOST_NAMED).map(String::as_str);
                    let listed = listed.collect::<Vec<_>>().join(", ");
                    write!(f, "; {} only in {}: {listed}", names.len(), letter(side))?;
                    let more = names.len().saturating_sub(MOST_NAMED);
                    if more > 0 {
                        write!(f, " and {more} more")?;
                    }
                }
                Ok(())
            }
            Doubt::NoSpread { side, name } => write!(
                f,
                "{} ({name}) does not contain two or more runs and their spread, unlike {}: noise is unknown",
                letter(*side),
                letter(1 - side)
            ),
            Doubt::Mixed { side } => {
                write!(
                    f,
                    "the runs of {} differ in kind, format or unit",
                    letter(*side)
                )
            }
        }
    }
}

fn kind(kind: RecordingKind) -> &'static str {
    match kind {
        RecordingKind::Trace => "a trace",
        RecordingKind::Sampled => "sampled",
        RecordingKind::Profile => "a profile",
    }
}

/// So many threads are named.
const MOST_NAMED: usize = 12;

/// Less than this share of the smaller side's functions in common is hardly anything.
const FEW: f64 = 0.2;

/// Whether the costs of one side are no measure of the other's.
pub fn needs_shares(comparison: &Comparison) -> bool {
    kinds(comparison).is_some() || units(comparison).is_some()
}

fn kinds(comparison: &Comparison) -> Option<[RecordingKind; 2]> {
    let [a, b] = [0, 1].map(|side| comparison.recordings(side).first());
    let kinds = [a?.recording.kind, b?.recording.kind];
    // A profile that weighs time and counts its calls, as callgrind's, is still no measure of a trace.
    (kinds[0] != kinds[1]).then_some(kinds)
}

fn units(comparison: &Comparison) -> Option<[Unit; 2]> {
    let [a, b] = [0, 1].map(|side| comparison.recordings(side).first());
    let units = [a?.recording.unit().clone(), b?.recording.unit().clone()];
    (units[0] != units[1]).then_some(units)
}

/// The threads that the first run of one side has alone; none where all are found again, or one has no threads.
fn threads_of_one(comparison: &Comparison) -> Option<Doubt> {
    let [a, b] = [0, 1].map(|side| {
        let first = comparison.recordings(side).first();
        first.filter(|it| it.recording.profile.is_none())
    });
    let traces = [&a?.recording.trace, &b?.recording.trace];
    let pairs = threads::paired(traces[0], traces[1]);
    let found: BTreeSet<usize> = pairs.iter().flatten().map(|it| it.index()).collect();
    let names = |side: usize, is_alone: &dyn Fn(usize) -> bool| -> Vec<String> {
        let all = traces[side].threads().iter().enumerate();
        let alone = all.filter(|(place, _)| is_alone(*place));
        let name = alone.map(|(_, thread)| match thread.name.as_str() {
            "" => thread.id.clone(),
            name => name.to_owned(),
        });
        name.collect()
    };
    let only = [
        names(0, &|place| pairs[place].is_none()),
        names(1, &|place| !found.contains(&place)),
    ];
    let is_any = only.iter().any(|names| !names.is_empty());
    is_any.then_some(Doubt::Threads {
        both: found.len(),
        only,
    })
}

/// The side of which it takes runs to tell what is noise, where the other tells how far its own spread.
fn without_spread(comparison: &Comparison) -> Option<Doubt> {
    let counted = comparison.counted_runs();
    let tells = |side: usize| counted[side] > 1 && comparison.mean_runs(side).is_some();
    let side = [0, 1]
        .into_iter()
        .find(|&side| tells(1 - side) && counted[side] == 1)?;
    let name = comparison.recordings(side).first()?.recording.name();
    Some(Doubt::NoSpread { side, name })
}

/// All doubts about a comparison, the gravest first.
pub fn find(comparison: &Comparison) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let mut is_empty = false;
    for side in [0, 1] {
        for resolved in comparison.recordings(side) {
            let recording = &resolved.recording;
            if recording.functions.is_empty()
                || recording.calls() == 0 && recording.profile.is_none()
            {
                is_empty = true;
                let name = recording.name();
                doubts.push(Doubt::Empty { side, name });
            }
        }
    }
    let both = comparison
        .rows
        .iter()
        .filter(|row| row.how.is_some())
        .count();
    let only = [0, 1].map(|side| {
        let rows = comparison.rows.iter();
        rows.filter(|row| row.how.is_none() && row.names[side].is_some())
            .count()
    });
    let smaller = (both + only[0]).min(both + only[1]);
    if !is_empty && (both as f64) < FEW * smaller as f64 {
        doubts.push(Doubt::FewInCommon { both, only });
    }
    doubts.extend(kinds(comparison).map(Doubt::Kinds));
    doubts.extend(units(comparison).map(Doubt::Units));
    let [a, b] = [0, 1].map(|side| {
        let first = comparison.recordings(side).first();
        first.map_or("", |it| it.recording.format)
    });
    if a != b {
        doubts.push(Doubt::Formats([a, b]));
    }
    if !is_empty {
        doubts.extend(threads_of_one(comparison));
    }
    doubts.extend(without_spread(comparison));
    for side in [0, 1] {
        let of = comparison.recordings(side);
        let is_like = |other: &&super::Resolved| {
            let (first, other) = (&of[0].recording, &other.recording);
            first.kind == other.kind && first.unit() == other.unit() && first.format == other.format
        };
        if !of.iter().all(|it| is_like(&it)) {
            doubts.push(Doubt::Mixed { side });
        }
    }
    for resolved in &comparison.session.recordings {
        let recording = &resolved.recording;
        let repairs = recording.warnings.iter().map(|warning| warning.count).sum();
        if repairs > 0 {
            let name = recording.name();
            doubts.push(Doubt::Repaired { name, repairs });
        }
    }
    doubts
}
