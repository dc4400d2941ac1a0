//! What the views of calling contexts show of two runs: the context of a cause that is chosen, and what a session keeps.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::testing;
use crate::{Entry, SavedViews, View, fan, flame_graph, rings, tree};
use callscape_analysis::comparison::causes::Cause;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, PaneAsk, RunsAsk, SelectAsk};
use callscape_state::panes::Arrangement;
use callscape_state::runs_view::testing::{open, paths, wait};

static VIEWS: [&Entry; 4] = [
    &tree::ENTRY,
    &rings::ENTRY,
    &fan::ENTRY,
    &flame_graph::ENTRY,
];

/// Has a view do the action of this id.
fn act(view: &mut dyn View, id: &str, state: &State) {
    let lines = VIEWS.iter().flat_map(|entry| entry.keys);
    let mut actions = lines.flat_map(|line| line.actions);
    let action = actions.find(|action| action.id == id).expect("an action");
    view.act((action.ask)(), state, &mut Asks::default());
}

fn log(view: &dyn View, id: &str) -> Value {
    let mut line = Map::new();
    view.log(&mut line);
    line.remove(id).unwrap_or_default()
}

/// Two runs with all views of contexts, and the causes that tell them apart with their modules.
fn two_runs() -> (State, Vec<(Cause, ModuleId)>) {
    let mut state = paths();
    // Side by side: in tabs only one of them is visible.
    state.execute(PaneAsk::Move(Arrangement::Row {
        shares: vec![1.0; VIEWS.len()],
        parts: VIEWS
            .map(|it| Arrangement::View(it.line.id.to_owned()))
            .into(),
    }));
    wait(&mut state);
    let document = open(&state);
    let runs = document.runs.clone().expect("two runs");
    let modules = runs.modules(&document.session);
    let causes = runs.contexts_of(None).causes(false, &Progress::new());
    let causes = causes.expect("not cancelled").causes.into_iter();
    let causes = causes.map(|cause| {
        let module = modules[cause.row() as usize];
        (cause, module)
    });
    let causes = causes.collect();
    (state, causes)
}

#[test]
fn a_cause_chooses_one_context_in_every_view() {
    let (mut state, causes) = two_runs();
    assert!(!causes.is_empty());
    let (mut fewer, mut seen) = (0, [0; 2]);
    let mut views = VIEWS.map(|entry| (entry.line.id, (entry.open)()));
    let count = causes.len() as u64;
    for (side, seen) in seen.iter_mut().enumerate() {
        for (cause, module) in &causes {
            let at = Pointed::at_module(Some(*module));
            state.execute(SelectAsk::Choose(at));
            let of_function: Vec<u64> = views
                .iter_mut()
                .map(|(id, view)| {
                    testing::wait(&mut **view, &state);
                    log(&**view, id)["chosen"].as_u64().expect("a count")
                })
                .collect();
            state.execute(Ask::Context(at, Arc::from(&*cause.path)));
            for ((id, view), all) in views.iter_mut().zip(of_function) {
                testing::wait(&mut **view, &state);
                let log = log(&**view, id);
                let chosen = log["chosen"].as_u64().expect("a count");
                assert!(chosen <= 1, "{id}, run {side}: {:?}", cause.path);
                fewer += u64::from(all > 1 && chosen == 1);
                *seen += u64::from(chosen == 1 && *id == "tree");
                if *id == "tree" && chosen == 1 {
                    assert!(log["place"].is_u64(), "its row is seen: {log}");
                }
            }
            // Something else chosen is that, wherever it is called.
            state.execute(SelectAsk::Choose(Pointed::at_module(Some(ModuleId::ROOT))));
            for (id, view) in &mut views {
                testing::wait(&mut **view, &state);
                assert!(log(&**view, id)["chosen"].as_u64() != Some(1) || *id == "fan");
            }
        }
        state.execute(RunsAsk::Flip);
        wait(&mut state);
    }
    // Hardly any cause has no part of its way in a run.
    let most = |it: &u64| it * 10 >= count * 9;
    assert!(seen.iter().all(most), "{seen:?} of {count}");
    assert!(
        fewer > 0,
        "one of the functions is called in several contexts"
    );
}

#[test]
fn a_session_keeps_roots_and_open_rows() {
    let (state, _) = two_runs();
    let mut views = VIEWS.map(|entry| (entry.open)());
    views
        .iter_mut()
        .for_each(|view| testing::wait(&mut **view, &state));
    let mut saved = SavedViews::default();
    // All rows but the first closed; a root that is no outermost context.
    for _ in 0..3 {
        act(&mut *views[0], "tree.hottest", &state);
    }
    act(&mut *views[0], "tree.close", &state);
    for view in &views {
        view.save(&state, &mut saved);
    }
    let of = log(&*views[1], "rings")["contexts"].clone();
    let root = serde_json::json!([2, of]);
    saved.shown.insert("rings_root".to_owned(), root.clone());
    let seen = serde_json::json!([[[0.0, 2.0], null], of]);
    saved
        .shown
        .insert("flame_graph_seen".to_owned(), seen.clone());
    let mut again = VIEWS.map(|entry| (entry.open)());
    for (old, view) in views.iter().zip(&mut again) {
        assert_eq!(view.restore(&saved, &state), 0);
        // What is not of use yet is kept.
        let mut kept = SavedViews::default();
        view.save(&state, &mut kept);
        let has = |name: &str| {
            kept.shown
                .get(name)
                .is_some_and(|it| saved.shown.get(name) == Some(it))
        };
        assert!(
            ["tree_open", "rings_root", "fan_levels", "flame_graph_seen"]
                .into_iter()
                .any(has)
        );
        testing::wait(&mut **view, &state);
        for id in ["tree", "fan"] {
            assert_eq!(log(&**view, id)["rows"], log(&**old, id)["rows"]);
        }
    }
    assert_eq!(log(&*again[1], "rings")["root"], 2);
    let mut kept = SavedViews::default();
    again.iter().for_each(|view| view.save(&state, &mut kept));
    assert_eq!(kept.shown.get("rings_root"), Some(&root));
    assert_eq!(kept.shown.get("flame_graph_seen"), Some(&seen));
    assert_eq!(kept.shown.get("tree_open"), saved.shown.get("tree_open"));
    // Of another tree, or no list at all.
    for odd in [serde_json::json!([2, 1_000_000]), serde_json::json!("much")] {
        let mut saved = saved.clone();
        saved.shown.insert("rings_root".to_owned(), odd.clone());
        saved.shown.insert("tree_open".to_owned(), odd.clone());
        let mut other = VIEWS.map(|entry| (entry.open)());
        let lost: usize = other.iter_mut().map(|it| it.restore(&saved, &state)).sum();
        assert_eq!(lost, if odd.is_string() { 2 } else { 1 });
        other
            .iter_mut()
            .for_each(|view| testing::wait(&mut **view, &state));
        assert!(log(&*other[1], "rings")["root"].is_null());
        assert!(log(&*other[0], "tree")["rows"].as_u64() > Some(1));
    }
}

#[test]
fn discs_are_coloured_by_what_differs() {
    let (state, _) = two_runs();
    let mut saved = SavedViews::default();
    let colour = Value::from("difference of the runs");
    saved.shown.insert("fan_colour".to_owned(), colour.clone());
    let mut view = (fan::ENTRY.open)();
    assert_eq!(view.restore(&saved, &state), 0);
    testing::wait(&mut *view, &state);
    assert_eq!(log(&*view, "fan")["colour"], colour);
    saved.shown.insert("fan_colour".to_owned(), "taste".into());
    assert_eq!((fan::ENTRY.open)().restore(&saved, &state), 1);
}
