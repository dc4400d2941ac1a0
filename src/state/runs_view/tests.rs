//! Two runs, and what is asked about them.

use std::sync::Arc;

use super::suited;
use super::testing::{data, different, of_paths, open, opened, paths, settle, wait};
use crate::ask::{CutAsk, FilterAsk, PlayAsk, RunsAsk, SelectAsk};
use crate::runs::RunsLayout;
use crate::state::State;
use callscape_analysis::comparison::amounts::{Change, Measure};
use callscape_analysis::session::Inputs;
use callscape_base::units::{CallId, ModuleId, ThreadId, Time, TimeRange};
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::CallOf;
use callscape_model::arcs::ArcMode;
use callscape_model::difference::Strength;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::pairs::PairRow;
use callscape_model::surface::Surface;

/// Calls of each side of what is compared.
fn calls(state: &State) -> [u64; 2] {
    let runs = open(state).runs.clone().expect("two runs");
    let of = |side: fn(&Change) -> f64| runs.functions.iter().map(side).sum::<f64>() as u64;
    [of(|it| it.a.calls), of(|it| it.b.calls)]
}

#[test]
fn both_landscapes_have_one_layout_and_linked_clocks() {
    let mut state = different();
    assert!(!state.shows_both());
    state.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
    assert!(state.shows_both());
    state.execute(PlayAsk::Seek(Time::from_ns(30_000_000)));
    let alike = |state: &State| {
        let document = open(state);
        let beside = document.other_city.as_ref().expect("both are shown");
        assert_eq!(document.city.blocks(), beside.blocks());
        let (own, other) = (document.moment(), document.moment_of_other());
        let (own, other) = (own.expect("times"), other.expect("times"));
        let runs = document.runs.as_ref().expect("two runs");
        let places = (runs.place(), runs.place_of_other());
        assert_eq!((own.recording, other.recording), places);
        assert_eq!(other.time, runs.time_of_other(own.time));
    };
    alike(&state);
    state.execute(CutAsk::CollapseOrExpand(Some(ModuleId(1))));
    alike(&state);
    state.execute(RunsAsk::CompareBy(Measure::Calls, Strength::Relative));
    state.execute(RunsAsk::ToggleOnlyDifferences);
    alike(&state);
    let before = open(&state).moment_of_other().expect("times").time;
    state.execute(RunsAsk::Flip);
    wait(&mut state);
    alike(&state);
    let runs = open(&state).runs.clone().expect("two runs");
    assert_eq!(
        (runs.letter(), runs.difference.measure),
        ("B", Measure::Calls)
    );
    // What was the other's time is now the time that plays.
    assert_eq!(open(&state).moment().expect("times").time, before);
    state.execute(RunsAsk::Together(Some(RunsLayout::One)));
    assert!(open(&state).other_city.is_none());
}

#[test]
fn what_is_left_out_and_the_range_act_on_both_runs() {
    let mut state = opened(&Inputs {
        source_dir: Some(data("compare/paths/stored")),
        ..of_paths()
    });
    state.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
    settle(&mut state);
    let all = calls(&state);
    let module = |state: &State, name: &str| {
        let hierarchy = &open(state).session.hierarchy;
        let mut modules = hierarchy.modules();
        modules.find(|&id| hierarchy.path(id).ends_with(name))
    };
    let path = module(&state, "workspace/path.py").expect("the file");
    // By the definition: every call of a function in the file.
    let inside = |state: &State, place: usize| {
        let session = &open(state).session;
        let of = &session.recordings[place];
        let metrics = of.recording.function_metrics(None);
        let modules = of.resolution.modules.iter().zip(metrics);
        let inside = modules.filter(|(module, _)| session.hierarchy.contains(path, **module));
        inside.map(|(_, it)| it.calls).sum::<u64>()
    };
    let [in_a, in_b] = [0, 1].map(|place| inside(&state, place));
    assert!(in_a > 1000 && in_b > 1000, "{in_a} {in_b}");
    state.execute(FilterAsk::Add(FilterStep::RemoveModule(path)));
    settle(&mut state);
    let left = [all[0] - in_a, all[1] - in_b];
    assert_eq!(calls(&state), left);
    // Nothing of it is shown on either landscape, at the end of both.
    let end = Time::ZERO
        + open(&state).session.recordings[0]
            .recording
            .trace
            .duration();
    state.execute(PlayAsk::Seek(end));
    let shown = |state: &mut State| {
        let document = state.document.as_mut().expect("two runs");
        let session = Arc::clone(&document.session);
        let (moment, other) = (document.moment(), document.moment_of_other());
        document.city.show(&session, moment);
        let beside = document.other_city.as_mut().expect("both are shown");
        beside.show(&session, other);
        [&document.city, beside].map(|landscape| {
            let near = landscape.relations().filter(|it| {
                [it.from, it.to]
                    .iter()
                    .any(|&id| session.hierarchy.contains(path, id))
            });
            (landscape.relations().count(), near.count())
        })
    };
    let [own, other] = shown(&mut state);
    assert!(own.0 > 0 && other.0 > 0, "{own:?} {other:?}");
    assert_eq!((own.1, other.1), (0, 0));
    // V keeps what is left out, and a difference is the same from both sides.
    state.execute(RunsAsk::Flip);
    settle(&mut state);
    assert_eq!(
        open(&state).filters.steps(),
        [FilterStep::RemoveModule(path)]
    );
    assert_eq!(calls(&state), left);
    state.execute(RunsAsk::Swap);
    settle(&mut state);
    assert_eq!(calls(&state), [left[1], left[0]]);
    state.execute(FilterAsk::Remove(0));
    settle(&mut state);
    assert_eq!(calls(&state), [all[1], all[0]]);
    // A range of the one is, by the linked clocks, one of the other.
    let document = open(&state);
    let range = document.resolved().expect("a run").recording.trace.range();
    let half = TimeRange::new(range.start, Time::from_ns(range.end.ns() / 2));
    state.execute(SelectAsk::SetRange(Some(half)));
    settle(&mut state);
    let document = open(&state);
    let runs = document.runs.clone().expect("two runs");
    let ranges = [half, runs.range_of_other(half)];
    let expected = [0, 1].map(|side| {
        let place = runs.places()[side];
        let trace = &document.session.recordings[place].recording.trace;
        let is_other = usize::from(side != runs.side());
        let metrics = trace.function_metrics(Some(ranges[is_other]));
        metrics.iter().map(|it| it.calls).sum::<u64>()
    });
    assert_eq!(calls(&state), expected);
    assert!(expected[0] < all[1] && expected[1] < all[0]);
}

#[test]
fn the_user_says_which_function_is_which() {
    let mut state = paths();
    let pairs = |state: &State| open(state).runs.clone().expect("two runs").pairs.clone();
    let row = |state: &State, name: &str| {
        let pairs = pairs(state);
        let of = |row: &&PairRow| row.names.iter().flatten().any(|it| it == name);
        let row = pairs.rows.iter().find(of);
        row.map(|row| (row.row, row.title()))
    };
    let (parse, title) = row(&state, "parse").expect("only in B");
    assert_eq!(title, "only in B");
    let (segments, title) = row(&state, "Path.segments").expect("only in A");
    assert_eq!(title, "only in A");
    for is_swapped in [false, true] {
        if is_swapped {
            state.execute(RunsAsk::Swap);
            wait(&mut state);
        }
        let sides = match is_swapped {
            false => [segments, parse],
            true => [parse, segments],
        };
        let next = pairs(&state)
            .joined(sides, is_swapped)
            .expect("one of each");
        state.execute(RunsAsk::CorrectPairs(next));
        wait(&mut state);
        let (pair, title) = row(&state, "parse").expect("paired");
        assert_eq!(title, "given");
        assert_eq!(
            open(&state).runs.as_ref().expect("two runs").is_swapped(),
            is_swapped
        );
        let functions = open(&state)
            .runs
            .clone()
            .expect("two runs")
            .functions
            .clone();
        let change = functions[pair as usize];
        let calls = [change.a.calls as u64, change.b.calls as u64];
        assert_eq!(calls, if is_swapped { [1, 600] } else { [600, 1] });
        let said = open(&state).runs.as_ref().map(|runs| runs.corrections());
        let said = said.expect("two runs");
        assert!(
            said.concat().iter().any(|it| it.contains("segments")),
            "{said:?}"
        );
        let apart = pairs(&state).apart(pair, is_swapped).expect("of both");
        assert_eq!(apart, []);
        state.execute(RunsAsk::CorrectPairs(apart));
        wait(&mut state);
        let title = row(&state, "Path.segments").expect("alone again").1;
        assert_eq!(title, if is_swapped { "only in B" } else { "only in A" });
    }
}

#[test]
fn what_one_call_triggered_is_left_out_of_the_same_call_of_the_other_run() {
    let mut state = paths();
    let all = calls(&state);
    // The outermost calls that trigger some are found again in the other run; what they trigger is left out of both.
    let document = open(&state);
    let runs = document.runs.clone().expect("two runs");
    let trace = |place: usize| &document.session.recordings[place].recording.trace;
    let numbers = 0..trace(0).threads()[0].calls as u32;
    let of = |call: u32| CallOf {
        thread: ThreadId(0),
        call: CallId(call),
    };
    let found = numbers.map(of).find_map(|of| {
        let same = runs.call_of_other(&document.session, of)?;
        let triggered = [(0, of), (1, same)];
        let triggered =
            triggered.map(|(place, it)| u64::from(trace(place).call(it.thread, it.call).triggered));
        (triggered[0] > 10 && triggered[0] != triggered[1]).then_some((of, same, triggered))
    });
    let (call, same, triggered) = found.expect("a call that both make");
    state.execute(FilterAsk::Add(FilterStep::RemoveBelowCall(call)));
    settle(&mut state);
    let left = [all[0] - triggered[0], all[1] - triggered[1]];
    assert_eq!(calls(&state), left);
    state.execute(RunsAsk::Flip);
    settle(&mut state);
    let steps = open(&state).filters.steps().to_vec();
    assert_eq!(steps, [FilterStep::RemoveBelowCall(same)]);
    assert_eq!(calls(&state), left);
}

#[test]
fn what_was_chosen_besides_stays_when_runs_stand_otherwise() {
    let shows = |surface, arcs| LandscapeSettings {
        surface,
        arcs,
        ..LandscapeSettings::default()
    };
    let difference = shows(Surface::Difference, ArcMode::Difference);
    let plain = shows(Surface::Neutral, ArcMode::All);
    let (one, both, wipe) = (RunsLayout::One, RunsLayout::SideBySide, RunsLayout::Wipe);
    assert_eq!(suited(difference, one, both), plain);
    assert_eq!(suited(plain, wipe, one), difference);
    assert_eq!(suited(plain, both, wipe), plain);
    assert_eq!(suited(difference, one, one), difference);
    let own = shows(Surface::Difference, ArcMode::None);
    assert_eq!(suited(own, one, both), own);
    assert_eq!(suited(own, both, one), own);
}
