//! The view on the paper's example: what it starts with, expands, compacts, says, keeps and animates.

use callscape_analysis::compaction::NodeId;
use callscape_base::units::ContextId;
use callscape_filter::selection::Pointed;
use callscape_state::ask::SelectAsk;

use super::discs::Disc;
use super::view::*;
use super::*;
pub(super) use crate::testing::document;
use crate::testing::{data, opened, wait};
use callscape_filter::marked::Marked;

fn state() -> State {
    opened(vec![data("import/hprof/figure1.hprof.txt")], &ENTRY)
}

pub(super) fn open() -> (Fan, State) {
    let (mut view, state) = (Fan::default(), state());
    wait(&mut view, &state);
    (view, state)
}

pub(super) fn name(view: &Fan, state: &State, disc: &Disc) -> String {
    let of = view.compacted.as_ref().expect("it is made");
    displayed(document(state), &of.names, of.compaction.name(disc.node))
}

fn names(view: &Fan, state: &State) -> Vec<(String, u64)> {
    let discs = view.discs.all.iter();
    discs.map(|it| (name(view, state, it), it.weight)).collect()
}

pub(super) fn press(view: &mut Fan, state: &State, does: Does) -> Asks {
    let mut asks = Asks::default();
    view.act(Own::of(does), state, &mut asks);
    wait(view, state);
    asks
}

pub(super) fn node(view: &Fan, state: &State, wanted: &str) -> NodeId {
    let mut discs = view.discs.all.iter();
    let found = discs.find(|it| name(view, state, it) == wanted);
    found.expect(wanted).node
}

#[test]
fn it_starts_fully_compacted_and_arrows_change_all_of_it() {
    let (mut view, state) = open();
    let packages = ["lib1", "lib2", "lib3"].map(|it| (it.to_owned(), 6));
    assert_eq!(names(&view, &state), packages);
    assert!(!view.discs.is_moving, "it comes from nowhere");
    press(&mut view, &state, Does::More);
    press(&mut view, &state, Does::More);
    assert_eq!(view.discs.all.len(), 11);
    press(&mut view, &state, Does::More);
    let said = view.said.clone().expect("a reason");
    assert!(said.starts_with("All of it cannot be expanded"), "{said}");
    press(&mut view, &state, Does::Less);
    assert_eq!(view.said, None);
    press(&mut view, &state, Does::Less);
    assert_eq!(names(&view, &state), packages);
    press(&mut view, &state, Does::Less);
    assert!(view.said.is_some());
}

#[test]
fn what_is_blocked_changes_nothing_and_says_both_names() {
    let (mut view, state) = open();
    let document = document(&state);
    let lib2 = node(&view, &state, "lib2");
    view.change(lib2, Direction::Expand, document);
    let muscle = node(&view, &state, "lib2.Muscle");
    view.change(muscle, Direction::Expand, document);
    let before = names(&view, &state);
    let lung = node(&view, &state, "lib2.Lung");
    view.change(lung, Direction::Compact, document);
    let said = view.said.clone().expect("a reason");
    let begins = "lib2.Lung cannot be compacted: lib2 would take over lib2.Muscle.";
    assert!(said.starts_with(begins), "{said}");
    assert_eq!(names(&view, &state), before);
}

#[test]
fn discs_come_from_what_they_were_in_and_go_on_from_where_they_are() {
    let (mut view, state) = open();
    let document = document(&state);
    let lib2 = view.discs.all[1];
    view.change(lib2.node, Direction::Expand, document);
    assert!(view.discs.is_moving);
    assert_eq!(view.discs.share, 0.0);
    let parts = view.discs.all.iter();
    let parts: Vec<&Disc> = parts
        .filter(|it| name(&view, &state, it).starts_with("lib2."))
        .collect();
    assert_eq!(parts.len(), 3);
    let was = (lib2.place.at, lib2.place.radius);
    assert!(parts.iter().all(|it| view.discs.now(it) == was));
    // Half of the way is interrupted: nothing jumps.
    view.discs.share = 0.5;
    let muscle = node(&view, &state, "lib2.Muscle");
    let on_the_way = |view: &Fan, wanted: &str| {
        let disc = view.discs.all.iter();
        let mut disc = disc.filter(|it| name(view, &state, it) == wanted);
        view.discs.now(disc.next().expect(wanted))
    };
    let lung = on_the_way(&view, "lib2.Lung");
    let bounds = view.discs.bounds_now();
    view.change(muscle, Direction::Expand, document);
    assert_eq!(on_the_way(&view, "lib2.Lung"), lung);
    assert_eq!(view.discs.bounds_now(), bounds);
    view.discs.arrive();
    assert!(!view.discs.is_moving);
    press(&mut view, &state, Does::Less);
    assert!(view.discs.leaving.iter().all(|it| it.from.1 > 0.0));
    assert!(
        !view.discs.leaving.is_empty(),
        "functions go into their class"
    );
    let leaving = view.discs.leaving[0];
    view.discs.share = 1.0;
    let into = view.discs.all[leaving.into as usize].place.at;
    assert_eq!(view.discs.leaving_now(&leaving), Some((into, 0.0)));
}

#[test]
fn levels_and_sight_are_kept_and_those_of_another_tree_forgotten() {
    let (mut view, state) = open();
    let lib2 = node(&view, &state, "lib2");
    view.change(lib2, Direction::Expand, document(&state));
    view.zoom = 2.5;
    view.pan = Vec2::new(0.5, -1.0);
    let mut saved = SavedViews::default();
    view.save(&state, &mut saved);
    let mut again = Fan::default();
    assert_eq!(again.restore(&saved, &state), 0);
    wait(&mut again, &state);
    assert_eq!(names(&again, &state), names(&view, &state));
    assert_eq!((again.zoom, again.pan), (view.zoom, view.pan));
    // Also where a tree is shown already.
    let (mut other, state) = open();
    other.restore(&saved, &state);
    wait(&mut other, &state);
    assert_eq!(names(&other, &state), names(&view, &state));
    let runs = serde_json::json!([[2, 4], [1, 99]]);
    saved.shown.insert("fan_levels".to_owned(), runs);
    let mut third = Fan::default();
    assert_eq!(third.restore(&saved, &state), 0);
    wait(&mut third, &state);
    assert_eq!(third.discs.all.len(), 3, "it starts fully compacted");
    saved.shown.insert("fan_levels".to_owned(), "much".into());
    saved
        .shown
        .insert("fan_sight".to_owned(), serde_json::json!([1]));
    assert_eq!(Fan::default().restore(&saved, &state), 2);
}

#[test]
fn what_is_chosen_is_marked_and_keys_go_through_the_discs() {
    let (mut view, mut state) = open();
    let hierarchy = &document(&state).session.hierarchy;
    let lib3 = hierarchy
        .modules()
        .find(|it| hierarchy.path(*it) == "lib3/Blood");
    let chosen = document(&state).complete(Pointed::at_module(lib3));
    state.execute(SelectAsk::Choose(chosen));
    wait(&mut view, &state);
    let marked = |view: &Fan, state: &State| -> Vec<String> {
        let marked = view.discs.all.iter().filter(|it| it.is_marked[1]);
        marked.map(|it| name(view, state, it)).collect()
    };
    assert_eq!(marked(&view, &state), ["lib3"]);
    press(&mut view, &state, Does::MoreOfOne);
    assert_eq!(marked(&view, &state), ["lib3.Blood"]);
    // Compacting all leaves the same chosen.
    press(&mut view, &state, Does::Less);
    assert_eq!(marked(&view, &state), ["lib3"]);
    let mut seen = Vec::new();
    for id in [Does::Previous, Does::Previous, Does::Previous, Does::Next] {
        press(&mut view, &state, id)
            .take()
            .into_iter()
            .for_each(|ask| state.execute(ask));
        wait(&mut view, &state);
        seen.push(view.chosen_disc());
    }
    assert_eq!(seen, [Some(1), Some(0), Some(0), Some(1)]);
    press(&mut view, &state, Does::MoreOfOne);
    assert_eq!(
        view.discs.all.len(),
        6,
        "lib2 as classes, lib3 on both sides"
    );
}

#[test]
fn differences_are_those_of_the_contexts_of_a_disc() {
    use callscape_state::runs_view::testing::{different, wait as settle};
    let mut state = different();
    state.panes.open(ViewId::of(&ENTRY.line));
    settle(&mut state);
    let mut view = Fan {
        colour: Colour::Difference,
        ..Fan::default()
    };
    wait(&mut view, &state);
    for _ in 0..4 {
        let of = view.compacted.as_ref().expect("it is made");
        let mut most = 0.0_f64;
        let mut by = Vec::new();
        for disc in &view.discs.all {
            let highest: Vec<ContextId> = of.compaction.highest(disc.node).collect();
            let sum = |of: &dyn Fn(ContextId) -> u64| highest.iter().map(|it| of(*it)).sum::<u64>();
            let own = sum(&|it| of.shown.total(it).ns());
            let other = sum(&|it| of.shown.other_total(it).ns());
            assert_eq!(own, disc.weight);
            by.push(own as f64 - other as f64);
            most = most.max((own as f64 - other as f64).abs());
        }
        assert!(most > 0.0, "they differ");
        assert_eq!(view.differences.most(), most);
        for (disc, by) in view.discs.all.iter().zip(by) {
            let more_in_b = view.differences.of(of, disc, document(&state));
            let is_b = document(&state).runs.as_ref().map(|it| it.side()) == Some(1);
            assert_eq!(more_in_b, if is_b { by } else { -by });
        }
        press(&mut view, &state, Does::More);
    }
}

#[test]
fn discs_of_functions_of_which_something_is_known_have_a_ring() {
    let (mut view, mut state) = open();
    let rung = |view: &Fan, state: &State| -> Vec<String> {
        let rung = view.discs.all.iter().filter(|it| it.has_findings);
        rung.map(|it| name(view, state, it)).collect()
    };
    assert_eq!(rung(&view, &state), [""; 0]);
    let resolved = document(&state).resolved().expect("a recording");
    let hierarchy = &document(&state).session.hierarchy;
    let modules = resolved.resolution.modules.iter();
    let of_class = modules.zip((0..).map(callscape_base::units::FunctionId));
    let of_class =
        of_class.filter(|(module, _)| hierarchy.path(**module).starts_with("lib3/Blood"));
    let functions: Vec<_> = of_class.map(|(_, function)| function).collect();
    assert!(!functions.is_empty());
    let marked = Marked::new(String::new(), Arc::default(), functions.into(), Vec::new());
    let open = state.document.as_mut().expect("it is open");
    open.selection
        .change(|it| it.marked = Some(Arc::new(marked)));
    wait(&mut view, &state);
    assert_eq!(rung(&view, &state), ["lib3"]);
    press(&mut view, &state, Does::More);
    assert!(rung(&view, &state).iter().all(|it| it.starts_with("lib3")));
    assert!(!rung(&view, &state).is_empty());
    let open = state.document.as_mut().expect("it is open");
    open.selection.change(|it| it.marked = None);
    wait(&mut view, &state);
    assert_eq!(rung(&view, &state), [""; 0]);
}
