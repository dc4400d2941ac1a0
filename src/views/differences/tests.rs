//! What is listed of two runs that differ.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::view::{Differences, table};
use super::{DifferenceTable, ENTRY};
use crate::View;
use callscape_analysis::comparison::amounts::Measure;
use callscape_base::units::{CallId, Time, TimeRange};
use callscape_model::differences::{Choice, Of};
use callscape_state::State;
use callscape_state::ask::{Asks, RunsAsk, SelectAsk};
use callscape_state::panes::ViewId;
use callscape_state::runs_view::testing::{different, open, paths, settle, wait};

#[test]
fn swapping_mirrors_what_differs() {
    let mut state = different();
    let deltas = |state: &State, of: Of| {
        let choice = Choice {
            of,
            ..Choice::default()
        };
        let document = open(state);
        let runs = document.runs.as_ref().expect("two runs");
        let table = table(runs, &document.session, &document.cut, &choice);
        let measure = table.amount.measure;
        let rows = table.rows.into_iter();
        rows.map(|row| (row.name, row.change.delta(measure)))
            .collect::<Vec<_>>()
    };
    let listed = [Of::Functions, Of::Modules, Of::Relations];
    let all = listed.map(|of| deltas(&state, of));
    assert!(all.iter().all(|rows| rows.len() > 2), "{all:?}");
    state.execute(RunsAsk::Swap);
    wait(&mut state);
    let runs = open(&state).runs.clone().expect("two runs");
    assert_eq!(runs.letter(), "B", "the same run plays");
    for (of, rows) in listed.into_iter().zip(all) {
        let mirrored: Vec<_> = rows.into_iter().map(|(name, by)| (name, -by)).collect();
        assert_eq!(deltas(&state, of), mirrored);
    }
}

/// What the view lists of calling contexts, once they have been counted.
fn contexts(view: &mut Differences, state: &mut State) -> Arc<DifferenceTable> {
    settle(state);
    view.update(state, &mut Asks::default());
    while view.is_waiting() {
        std::thread::sleep(Duration::from_millis(1));
        view.update(state, &mut Asks::default());
    }
    Arc::clone(&view.contexts)
}

/// By the definition, for A and B: every call adds its own cost to the functions on the way to it.
fn costs_of_ways(state: &State) -> BTreeMap<String, [f64; 2]> {
    let document = open(state);
    let runs = document.runs.clone().expect("two runs");
    let mut ways = BTreeMap::<String, [f64; 2]>::new();
    for side in [0, 1] {
        let recording = &document.session.recordings[runs.places()[side]].recording;
        let trace = &recording.trace;
        for thread in trace.thread_ids() {
            let mut open: Vec<&str> = Vec::new();
            for id in 0..trace.threads()[thread.index()].calls as u32 {
                let call = trace.call(thread, CallId(id));
                open.truncate(call.depth as usize);
                let function = runs.row_of(side, call.function).expect("a row");
                open.push(runs.row_name(&document.session, function));
                let way = open.iter().rev().copied().collect::<Vec<_>>().join(" ← ");
                let own = trace.self_cost(thread, CallId(id)).ns() as f64;
                ways.entry(way).or_default()[side] += own;
            }
        }
    }
    ways
}

#[test]
fn calling_contexts_that_differ_are_listed_as_both_runs_have_them() {
    let mut state = paths();
    state.panes.open(ViewId::of(&ENTRY.line));
    let mut view = Differences {
        choice: Choice {
            of: Of::Contexts,
            ..Choice::default()
        },
        ..Differences::default()
    };
    let table = contexts(&mut view, &mut state);
    assert!(table.rows.len() > 5, "{table:?}");
    assert_eq!(table.rows.len(), table.differing);
    // Functions of several files may have one name: then their contexts have.
    let mut listed = BTreeMap::<&str, f64>::new();
    let mut before = f64::INFINITY;
    for row in &table.rows {
        let delta = row.change.delta(Measure::SelfCost);
        *listed.entry(&row.name).or_default() += delta;
        assert!(delta.abs() <= before, "the largest difference first");
        before = delta.abs();
    }
    for (way, [a, b]) in costs_of_ways(&state) {
        let delta = listed.remove(way.as_str()).unwrap_or_default();
        assert_eq!(delta, b - a, "{way}");
    }
    assert!(listed.is_empty(), "{listed:?}");
    // Swapped they are mirrored, in the same order.
    state.execute(RunsAsk::Swap);
    let swapped = contexts(&mut view, &mut state);
    let of = |table: &DifferenceTable, sign: f64| -> Vec<(String, f64)> {
        let rows = table.rows.iter();
        rows.map(|row| (row.name.clone(), sign * row.change.delta(Measure::SelfCost)))
            .collect()
    };
    assert_eq!(of(&swapped, -1.0), of(&table, 1.0));
    // A range of one, and what it is of the other, has fewer.
    let range = open(&state)
        .resolved()
        .expect("a run")
        .recording
        .trace
        .range();
    let none = TimeRange::new(range.start, Time::from_ns(range.start.ns() + 1));
    state.execute(SelectAsk::SetRange(Some(none)));
    let fewer = contexts(&mut view, &mut state);
    assert!(fewer.differing < swapped.differing);
}
