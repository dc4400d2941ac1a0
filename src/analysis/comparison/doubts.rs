//! What speaks against comparing two recordings: said, never a refusal.

use std::collections::BTreeSet;

use super::compared::Comparison;
use super::doubt::Doubt;
use super::threads;
use crate::session::Resolved;
use callscape_base::units::Unit;
use callscape_facts::profile::Value;
use callscape_facts::recording::RecordingKind;

/// Less than this share of the smaller side's functions in common is hardly anything.
const FEW: f64 = 0.2;

/// Whether the costs of one side are no measure of the other's.
pub(super) fn needs_shares(comparison: &Comparison) -> bool {
    kinds(comparison).is_some() || units(comparison).is_some()
}

fn kinds(comparison: &Comparison) -> Option<[RecordingKind; 2]> {
    let [a, b] = [0, 1].map(|side| comparison.recordings(side).first());
    let kinds = [a?.recording.recorded_as(), b?.recording.recorded_as()];
    // A profile that weighs time and counts its calls, as callgrind's, is still no measure of a trace.
    (kinds[0] != kinds[1]).then_some(kinds)
}

fn units(comparison: &Comparison) -> Option<[Unit; 2]> {
    let [a, b] = [0, 1].map(|side| comparison.recordings(side).first());
    let units = [a?.recording.unit().clone(), b?.recording.unit().clone()];
    (units[0] != units[1]).then_some(units)
}

/// What the costs of both sides count, where both are of one unit but not alike: processor time and wall time.
fn values(comparison: &Comparison) -> Option<Doubt> {
    let [a, b] = [0, 1].map(|side| comparison.recordings(side).first());
    let [a, b] = [&a?.recording, &b?.recording];
    let shown = [a.value_shown()?, b.value_shown()?];
    if a.unit() != b.unit() || shown[0].is_like(shown[1]) {
        return None;
    }
    let is_in_b = |of: &&Value| b.values().iter().any(|it| it.is_like(of));
    let both = a.values().iter().filter(is_in_b);
    Some(Doubt::Values {
        shown: shown.map(|it| it.name.clone()),
        both: both.map(|it| it.name.clone()).collect(),
    })
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
pub(super) fn find(comparison: &Comparison) -> Vec<Doubt> {
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
    doubts.extend(values(comparison));
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
        let is_like = |other: &&Resolved| {
            let (first, other) = (&of[0].recording, &other.recording);
            first.recorded_as() == other.recorded_as()
                && first.unit() == other.unit()
                && first.format == other.format
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
