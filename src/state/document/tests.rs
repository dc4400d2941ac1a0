//! What a document says of the tiny recording, and of two runs.

use super::*;
use crate::ask::{FilterAsk, RunsAsk, SelectAsk};
use crate::testing::{module, open, settle, tiny, two_runs};
use callscape_base::units::Time;
use callscape_filter::filters::FilterStep;

#[test]
fn views_have_something_to_show_as_inputs_allow() {
    let needs = [
        Needs::Nothing,
        Needs::Recording,
        Needs::Times,
        Needs::Memory,
        Needs::TwoRuns,
        Needs::TwoRunsWithTimes,
    ];
    let one = tiny();
    let has = needs.map(|needs| open(&one).has(needs));
    assert_eq!(has, [true, true, true, false, false, false]);
    let two = two_runs();
    let has = needs.map(|needs| open(&two).has(needs));
    assert_eq!(has, [true, true, true, false, true, true]);
}

#[test]
fn a_module_stands_for_a_function_where_it_is_one_alone() {
    let state = tiny();
    let document = open(&state);
    let found = functions_by_module(&document.session, document.recording());
    let resolved = document.resolved().expect("a recording");
    for (place, module) in resolved.resolution.modules.iter().enumerate() {
        assert_eq!(found[module.index()], Some(FunctionId(place as u32)));
    }
    let alone = found.iter().filter(|function| function.is_some());
    assert_eq!(alone.count(), resolved.recording.functions.len());
}

#[test]
fn either_run_is_shown_where_it_stands() {
    let mut state = two_runs();
    let shown = |document: &Document| {
        let resolved = document.resolved().expect("a run");
        (document.recording(), resolved.recording.name())
    };
    let first = shown(open(&state));
    assert_eq!(first.0, 0);
    let names = [0, 1].map(|place| open(&state).session.recordings[place].recording.name());
    state.execute(RunsAsk::Flip);
    settle(&mut state);
    let document = open(&state);
    assert_eq!(shown(document), (1, names[1].clone()));
    let moments = [document.moment(), document.moment_of_other()];
    let places = moments.map(|moment| moment.expect("both have times").recording);
    assert_eq!(places[0], 1);
    // Recordings stay where they are.
    let after = [0, 1].map(|place| document.session.recordings[place].recording.name());
    assert_eq!(after, names);
    // A and B change places, and the same run is shown.
    state.execute(RunsAsk::Swap);
    settle(&mut state);
    let document = open(&state);
    assert_eq!(document.recording(), 1);
    assert_eq!(document.runs.as_ref().expect("two runs").letter(), "A");
}

#[test]
fn what_is_left_is_counted_and_everything_comes_back() {
    let mut state = tiny();
    let calls = |state: &crate::State| {
        let rows = open(state).functions.as_ref().expect("a recording");
        rows.rows().iter().map(|row| row.metrics.calls).sum::<u64>()
    };
    assert_eq!(calls(&state), 6);
    let early = TimeRange::new(Time::ZERO, Time::from_ns(12_000));
    state.execute(SelectAsk::SetRange(Some(early)));
    settle(&mut state);
    assert!(open(&state).is_limited());
    assert!(calls(&state) < 6);
    state.execute(SelectAsk::SetRange(None));
    let step = module(&state, "step");
    state.work.is_asked = true;
    state.execute(FilterAsk::Add(FilterStep::RemoveModule(step)));
    settle(&mut state);
    assert_eq!(open(&state).calls_left, Some(3));
    state.execute(FilterAsk::Remove(0));
    settle(&mut state);
    assert_eq!(calls(&state), 6);
    assert!(!open(&state).is_limited());
}
