//! The view on the demo and on two runs: callers and callees, farther ones, the stack, and what is counted.

use super::making::Side as Of;
use super::making::side_of;
use crate::parts::graph::marks::Marked;
use crate::parts::graph::marks::on_stacks;
use callscape_base::units::FunctionId;
use callscape_base::units::Time;
use callscape_filter::selection::Pointed;
use callscape_state::ask::SelectAsk;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::view::*;
use super::*;
use crate::parts::graph::model::{By, Graph, Of as Box_, Sign};
use crate::parts::graph::tests::{SURFACE, document, function, settle};
use crate::parts::graph::view::MOST_OF_ALL;
use crate::testing::{data, opened};
use callscape_base::units::ThreadId;
use callscape_state::ask::ViewAsk;

fn open() -> (Neighbourhood, State) {
    let mut state = opened(Vec::new(), &ENTRY);
    let mut view = Neighbourhood::default();
    settle(&mut view, &mut state);
    (view, state)
}

fn graph(view: &Neighbourhood) -> &Graph {
    &view.base.chart.laid().expect("it is made").graph
}

fn choose(view: &mut Neighbourhood, state: &mut State, name: &str) -> FunctionId {
    let function = function(state, name);
    state.execute(SelectAsk::Choose(Pointed {
        function: Some(function),
        ..Pointed::default()
    }));
    settle(view, state);
    function
}

/// Of a side, by function the calls of its line to or from the middle.
fn direct(view: &Neighbourhood, side: Of) -> BTreeMap<FunctionId, (u64, u64)> {
    let graph = graph(view);
    let lines = graph.lines.iter().filter_map(|line| {
        let far = match side {
            Of::Callers => (line.to == 0).then_some(line.from),
            Of::Callees => (line.from == 0).then_some(line.to),
        }?;
        let of = &graph.boxes[far as usize];
        assert_eq!(side_of(of.key), Some(side), "callers left, callees right");
        Some((
            of.of.function()?,
            (line.sum.calls as u64, line.sum.cost as u64),
        ))
    });
    lines.collect()
}

#[test]
fn callers_and_callees_are_those_of_the_trace() {
    let (mut view, mut state) = open();
    let names: Vec<String> = {
        let functions = &document(&state).resolved().expect("it").recording.functions;
        functions
            .ids()
            .step_by(23)
            .map(|it| functions.get(it).name.to_owned())
            .collect()
    };
    view.base.most = MOST_OF_ALL;
    for name in names {
        let middle = choose(&mut view, &mut state, &name);
        assert_eq!(view.middle, Some(middle));
        let relations = document(&state)
            .resolved()
            .expect("it")
            .recording
            .relations(None);
        for side in Of::BOTH {
            let expected = relations.iter().filter_map(|it| {
                let (far, near) = match side {
                    Of::Callers => (it.caller, it.callee),
                    Of::Callees => (it.callee, it.caller),
                };
                (near == middle && far != middle).then_some((far, (it.calls, it.cost.ns())))
            });
            let expected: BTreeMap<FunctionId, (u64, u64)> = expected.collect();
            assert_eq!(direct(&view, side), expected, "{name} {side:?}");
        }
        // Callers stand left of it, callees right.
        let laid = view.base.chart.laid().expect("it is made");
        let middle = laid.layout.nodes[0];
        for (of, rect) in laid.graph.boxes.iter().zip(&laid.layout.nodes).skip(1) {
            match side_of(of.key) {
                Some(Of::Callers) => assert!(rect.max.x <= middle.min.x, "{name}"),
                _ => assert!(rect.min.x >= middle.max.x, "{name}"),
            }
        }
    }
}

#[test]
fn what_there_is_no_room_for_is_counted_and_shown_when_asked_for() {
    let (mut view, mut state) = open();
    choose(&mut view, &mut state, "luaV_execute");
    let all = graph(&view).boxes.len();
    view.base.most = 5;
    view.base.revision += 1;
    settle(&mut view, &mut state);
    let more = |view: &Neighbourhood| -> u32 {
        let boxes = graph(view).boxes.iter();
        boxes
            .map(|it| {
                if let Box_::More(count) = it.of {
                    count
                } else {
                    0
                }
            })
            .sum()
    };
    let functions = graph(&view)
        .boxes
        .iter()
        .filter(|it| it.of.function().is_some())
        .count();
    assert_eq!(functions, 5);
    assert_eq!(functions + more(&view) as usize, all);
    assert!(graph(&view).notes.join(" ").contains("left out"));
    view.on(ViewAsk::Graph(GraphKey::Rest), &state, &mut Asks::default());
    settle(&mut view, &mut state);
    assert_eq!((more(&view), graph(&view).boxes.len()), (0, all));
}

#[test]
fn it_goes_on_from_one_function_or_from_all() {
    let (mut view, mut state) = open();
    choose(&mut view, &mut state, "luaV_execute");
    let first = Arc::clone(view.base.chart.laid().expect("it is made"));
    let place = graph(&view)
        .boxes
        .iter()
        .position(|it| it.sign == Some(Sign::More))
        .expect("one goes on");
    view.go_on(place as u32, None);
    settle(&mut view, &mut state);
    let key = first.graph.boxes[place].key;
    let after = graph(&view)
        .boxes
        .iter()
        .find(|it| it.key == key)
        .expect("it stays");
    assert_eq!(after.sign, Some(Sign::Less));
    assert!(graph(&view).lines.len() > first.graph.lines.len());
    let place = graph(&view)
        .boxes
        .iter()
        .position(|it| it.key == key)
        .expect("it stays");
    view.go_on(place as u32, None);
    settle(&mut view, &mut state);
    assert_eq!(view.base.chart.laid(), Some(&first), "as it was");
    let count = |view: &Neighbourhood| graph(view).boxes.len();
    view.base.most = MOST_OF_ALL;
    let mut before = count(&view);
    for _ in 0..2 {
        view.on(
            ViewAsk::Graph(GraphKey::AllMore),
            &state,
            &mut Asks::default(),
        );
        settle(&mut view, &mut state);
        assert!(count(&view) > before);
        before = count(&view);
    }
    view.on(
        ViewAsk::Graph(GraphKey::AllLess),
        &state,
        &mut Asks::default(),
    );
    settle(&mut view, &mut state);
    assert!(count(&view) < before);
}

#[test]
fn what_is_chosen_elsewhere_moves_to_the_middle_and_what_is_chosen_here_does_not() {
    let (mut view, mut state) = open();
    assert!(
        view.is_by_itself && view.middle.is_some(),
        "something is shown at first"
    );
    let middle = choose(&mut view, &mut state, "luaV_execute");
    assert!(!view.is_by_itself);
    let other = graph(&view)
        .boxes
        .iter()
        .position(|it| !it.is_middle)
        .expect("a neighbour") as u32;
    let pointed = view.base.pointed_at_box(document(&state), other);
    let mut asks = Asks::default();
    view.choose(pointed, false, &mut asks);
    asks.take().into_iter().for_each(|ask| state.execute(ask));
    settle(&mut view, &mut state);
    assert_eq!(document(&state).selection.chosen.function, pointed.function);
    assert_eq!(view.middle, Some(middle));
    // C puts it in the middle.
    view.on(
        ViewAsk::Graph(GraphKey::Toggle),
        &state,
        &mut Asks::default(),
    );
    settle(&mut view, &mut state);
    assert_eq!(view.middle, pointed.function);
    // Of a module one that says something.
    let module = document(&state).module_of(middle).expect("a module");
    let file = document(&state)
        .session
        .hierarchy
        .parent(module)
        .expect("a file");
    state.execute(SelectAsk::Select(Some(file)));
    settle(&mut view, &mut state);
    let found = document(&state)
        .module_of(view.middle.expect("one"))
        .expect("a module");
    assert!(document(&state).session.hierarchy.contains(file, found));
}

#[test]
fn the_stack_at_a_time_is_marked_along_the_lines() {
    let (mut view, mut state) = open();
    let middle = choose(&mut view, &mut state, "luaV_execute");
    let trace = &document(&state).resolved().expect("it").recording.trace;
    let (thread, call) = trace.next_call(middle, Time::ZERO).expect("it is called");
    let start = trace.call(thread, call).start;
    let mut stack = Vec::new();
    trace.stack_at(thread, start, &mut stack);
    let functions: Vec<FunctionId> = stack
        .iter()
        .map(|&it| trace.call(thread, it).function)
        .collect();
    let at = functions
        .iter()
        .position(|it| *it == middle)
        .expect("it is open");
    let caller = functions[at - 1];
    state.execute(callscape_state::ask::PlayAsk::Seek(start));
    state.advance(std::time::Duration::ZERO);
    view.find_running(&state);
    let graph = graph(&view);
    let marked = &view.running.marked;
    let pairs = marked.lines.iter().map(|&it| &graph.lines[it as usize]);
    let function = |place: u32| graph.boxes[place as usize].of.function();
    let pairs: Vec<_> = pairs
        .map(|it| (function(it.from), function(it.to)))
        .collect();
    assert!(pairs.contains(&(Some(caller), Some(middle))), "{pairs:?}");
    for pair in &pairs {
        let is_on_stack = functions
            .windows(2)
            .any(|it| (Some(it[0]), Some(it[1])) == *pair);
        assert!(is_on_stack, "{pair:?}");
    }
    assert!(marked.boxes.contains(&0));
    // No other thread has it.
    let elsewhere = on_stacks(document(&state), graph, start, Some(ThreadId(99)));
    assert_eq!(elsewhere, (Marked::default(), 0));
}

#[test]
fn two_runs_show_both_values_and_their_difference() {
    let files = ["parsed", "stored"].map(|it| data(&format!("compare/paths/{it}.json.gz")));
    let mut state = opened(files.into(), &ENTRY);
    let mut view = Neighbourhood::default();
    settle(&mut view, &mut state);
    let runs = document(&state).runs.clone().expect("two runs");
    let session = Arc::clone(&document(&state).session);
    let sums = [0, 1].map(|side| {
        let recording = &session.recordings[runs.places()[side]].recording;
        let mut sums: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for relation in recording.relations(None) {
            let row = |function| runs.row_of(side, function).expect("a row");
            *sums
                .entry((row(relation.caller), row(relation.callee)))
                .or_default() += relation.calls as f64;
        }
        sums
    });
    let functions = &document(&state).resolved().expect("it").recording.functions;
    let mut differing = 0;
    for middle in functions.ids() {
        view.set_middle(middle);
        settle(&mut view, &mut state);
        let row = runs.row(middle).expect("a row");
        let graph = graph(&view);
        for line in &graph.lines {
            let change = line.sum.change.expect("of both");
            let far = if line.from == 0 { line.to } else { line.from };
            let Some(far) = graph.boxes[far as usize]
                .of
                .function()
                .and_then(|it| runs.row(it))
            else {
                continue;
            };
            let pair = if line.from == 0 {
                (row, far)
            } else {
                (far, row)
            };
            let calls = |side: usize| sums[side].get(&pair).copied().unwrap_or(0.0);
            assert_eq!([change.a.calls, change.b.calls], [calls(0), calls(1)]);
            let differs = calls(0) != calls(1);
            assert_eq!(line.label.contains('→'), differs, "{}", line.label);
            differing += usize::from(differs);
        }
    }
    assert!(differing > 0, "they differ");
}

#[test]
fn a_session_file_keeps_the_middle_and_what_is_shown() {
    let (mut view, mut state) = open();
    choose(&mut view, &mut state, "luaV_execute");
    view.base.by = By::Calls;
    view.steps = 2;
    view.base.most = 33;
    view.base.revision += 1;
    settle(&mut view, &mut state);
    let mut saved = SavedViews::default();
    view.save(&state, &mut saved);
    let mut again = Neighbourhood::default();
    assert_eq!(again.restore(&saved, &state), 0);
    settle(&mut again, &mut state);
    assert_eq!(graph(&again), graph(&view));
    let mut twice = SavedViews::default();
    again.save(&state, &mut twice);
    assert_eq!(twice, saved);
    for (name, nonsense) in [
        ("neighbours_middle", serde_json::json!(3)),
        ("neighbours_steps", "far".into()),
        ("neighbours_most", serde_json::json!([2])),
        ("neighbours_width", "breadth".into()),
        ("neighbours_colour", "mauve".into()),
    ] {
        let mut odd = saved.clone();
        odd.shown.insert(name.to_owned(), nonsense);
        assert_eq!(Neighbourhood::default().restore(&odd, &state), 1, "{name}");
    }
}

#[test]
fn it_draws_and_says_what_to_do_where_there_is_nothing() {
    let (mut view, state) = open();
    assert!(matches!(view.picture(&state, SURFACE), Picture::Sheet(_)));
    let nothing = State::new(super::super::all(), Box::new(|| Box::new(|| ())));
    assert!(matches!(
        Neighbourhood::default().picture(&nothing, SURFACE),
        Picture::Sheet(_)
    ));
    let source = callscape_analysis::session::Inputs {
        source_dir: Some(
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
                .join("tests/data/source/tree"),
        ),
        ..Default::default()
    };
    let document = Document::open(&source, None, &state.settings, &Progress::new());
    let mut state = state;
    state.show(document.expect("a source tree"), |_, _| ());
    let mut view = Neighbourhood::default();
    settle(&mut view, &mut state);
    assert!(view.words(&state).starts_with("Open a recording"));
    assert!(matches!(view.picture(&state, SURFACE), Picture::Sheet(_)));
}
