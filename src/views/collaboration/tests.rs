//! The view on the demo: what it shows at first, what unfolds and folds, what stays where it is, what is left out.

mod moving;

use crate::parts::graph::nesting::module_at;
use callscape_base::units::ModuleId;
use callscape_state::ask::CutAsk;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::making::arranged;
use super::view::*;
use super::*;
use crate::parts::graph::model::{Arrangement, By, GraphBox, Of};
use crate::parts::graph::tests::{SURFACE, document, function, settle};
use crate::parts::graph::view::MOST;
use crate::testing::opened;
use callscape_base::units::{Cost, Time, TimeRange, grouped};
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::Pointed;
use callscape_layout::energy::MOST_BOXES;
use callscape_state::ask::{FilterAsk, RunsAsk, ViewAsk};
use callscape_state::runs_view::testing::{paths, wait};

/// A file of the demo.
const LVM: &str = "lvm.c";

fn open() -> (Collaboration, State) {
    let mut state = opened(Vec::new(), &ENTRY);
    let mut view = Collaboration::default();
    settle(&mut view, &mut state);
    (view, state)
}

fn graph(view: &Collaboration) -> &crate::parts::graph::model::Graph {
    &view.base.chart.laid().expect("it is made").graph
}

fn module(state: &State, path: &str) -> ModuleId {
    module_at(&document(state).session.hierarchy, path).expect("a module")
}

fn set_open(view: &mut Collaboration, state: &mut State, path: &str, is_open: bool) {
    let of = module(state, path);
    let mut asks = Asks::default();
    view.set_open(of, is_open, document(state), &mut asks);
    asks.take().into_iter().for_each(|ask| state.execute(ask));
    settle(view, state);
}

/// The lines that there should be: calls between the functions of two boxes, straight from the relations of the trace.
fn expected(view: &Collaboration, state: &State) -> BTreeMap<(u32, u32), (u64, u64)> {
    let document = document(state);
    let hierarchy = &document.session.hierarchy;
    let resolved = document.resolved().expect("a recording");
    let boxes = &graph(view).boxes;
    let box_of = |function| {
        let module = document.module_of(function)?;
        let holds = |of: &GraphBox| match of.of {
            Of::Module(outer) => hierarchy.contains(outer, module),
            Of::Itself(own) => own == module,
            _ => false,
        };
        let mut found = boxes.iter().zip(0_u32..).filter(|(it, _)| holds(it));
        let first = found.next().map(|it| it.1);
        assert!(found.next().is_none(), "a function is in one box");
        first
    };
    let mut sums = BTreeMap::new();
    for relation in resolved.recording.relations(document.selection.range) {
        let ends = box_of(relation.caller).zip(box_of(relation.callee));
        if let Some((from, to)) = ends.filter(|(from, to)| from != to) {
            let (calls, cost) = sums.entry((from, to)).or_insert((0, 0));
            *calls += relation.calls;
            *cost += relation.cost.ns();
        }
    }
    sums
}

/// Costs are sums over calls, which may be in each other: the moments stand beside them.
#[test]
fn lines_have_the_moments_that_their_calls_go_on() {
    let (mut view, mut state) = open();
    let resolved = document(&state).resolved().expect("a recording");
    let duration = resolved.recording.trace.duration();
    let mut is_less = false;
    for range in [
        None,
        Some(TimeRange::new(
            Time::ZERO,
            Time::ZERO + Cost::from_ns(duration.ns() / 3),
        )),
    ] {
        state.execute(SelectAsk::SetRange(range));
        settle(&mut view, &mut state);
        let document = document(&state);
        let threads = document
            .resolved()
            .expect("a recording")
            .recording
            .trace
            .threads()
            .len();
        let most = range.map_or(duration, TimeRange::length).ns() * threads as u64;
        for line in &graph(&view).lines {
            let [moments] = line.moments[..] else {
                panic!("{line:?}");
            };
            let moments = moments.ns();
            assert!(
                moments <= line.sum.cost as u64 && moments <= most,
                "{line:?}"
            );
            is_less |= moments < line.sum.cost as u64;
        }
    }
    assert!(is_less, "some calls are in others of their relation");
    let lvm = module(&state, LVM);
    state.execute(FilterAsk::Add(FilterStep::RemoveBelow(lvm)));
    settle(&mut view, &mut state);
    assert!(!graph(&view).lines.is_empty());
    for line in &graph(&view).lines {
        let [moments] = line.moments[..] else {
            panic!("{line:?}");
        };
        assert!(moments.ns() <= line.sum.cost as u64, "{line:?}");
    }
}

/// What boxes have themselves is what functions have, called by others or not.
#[test]
fn self_costs_of_boxes_are_those_of_their_functions() {
    let (mut view, mut state) = open();
    let whole = document(&state)
        .resolved()
        .expect("it")
        .recording
        .trace
        .range();
    let part = TimeRange::new(whole.start, Time::from_ns(whole.end.ns() / 3));
    for (range, level) in [(None, 0), (None, 1), (Some(part), 0), (None, 2)] {
        state.execute(SelectAsk::SetRange(range));
        for _ in 0..level {
            view.change_level(true, document(&state));
        }
        settle(&mut view, &mut state);
        let document = document(&state);
        let resolved = document.resolved().expect("a recording");
        let hierarchy = &document.session.hierarchy;
        let mut left: BTreeMap<ModuleId, Cost> = BTreeMap::new();
        let metrics = resolved.recording.function_metrics(range);
        for (module, of) in resolved.resolution.modules.iter().zip(&metrics) {
            *left.entry(*module).or_default() += of.self_cost;
        }
        for of in &graph(&view).boxes {
            let is_in = |module: ModuleId| match of.of {
                Of::Module(outer) => hierarchy.contains(outer, module),
                Of::Itself(own) => own == module,
                _ => false,
            };
            let is_of = left.extract_if(.., |module, _| is_in(*module));
            let own: Cost = is_of.map(|it| it.1).sum();
            assert_eq!(of.own, document.show_cost(own), "{}", of.title);
        }
        // No box was left out for want of room: nothing is missing.
        let is_all = graph(&view)
            .boxes
            .iter()
            .all(|it| !matches!(it.of, Of::More(_)));
        let rest: Cost = left.into_values().sum();
        assert!(!is_all || rest == Cost::ZERO, "{rest}");
    }
    let document = document(&state);
    let recording = &document.resolved().expect("a recording").recording;
    let relations = recording.relations(None);
    let metrics = recording.function_metrics(None);
    let outermost = recording.functions.ids().find(|&it| {
        let is_called = relations.iter().any(|relation| relation.callee == it);
        !is_called && metrics[it.index()].self_cost > Cost::ZERO
    });
    let outermost = outermost.and_then(|it| document.module_of(it));
    let outermost = outermost.expect("somebody begins");
    let mut boxes = graph(&view).boxes.iter();
    let around = boxes.find(|it| {
        let of = it.of.module();
        of.is_some_and(|it| document.session.hierarchy.contains(it, outermost))
    });
    assert!(around.is_some_and(|it| it.own != "0 ns"), "{around:?}");
}

/// Whichever run is shown, and whatever is left out of both.
#[test]
fn boxes_and_lines_of_two_runs_say_both() {
    let mut state = paths();
    state.panes.open(ViewId::of(&ENTRY.line));
    let mut view = Collaboration::default();
    settle(&mut view, &mut state);
    view.change_level(true, document(&state));
    settle(&mut view, &mut state);
    let told = |view: &Collaboration| {
        let graph = graph(view);
        for of in &graph.boxes {
            assert!(
                of.own.starts_with("A ") && of.own.contains(", B "),
                "{}",
                of.own
            );
        }
        for line in &graph.lines {
            let change = line.sum.change.expect("two runs");
            let [a, b] = line.moments[..] else {
                panic!("{line:?}");
            };
            let most = [change.a.total, change.b.total];
            assert!(
                [a, b]
                    .iter()
                    .zip(most)
                    .all(|(it, most)| it.ns() as f64 <= most)
            );
        }
        let moments: Vec<_> = graph.lines.iter().map(|it| it.moments.clone()).collect();
        let own: Vec<_> = graph.boxes.iter().map(|it| it.own.clone()).collect();
        (own, moments)
    };
    let first = told(&view);
    assert!(first.1.iter().any(|it| it[0] != it[1]), "the runs differ");
    state.execute(RunsAsk::Flip);
    wait(&mut state);
    settle(&mut view, &mut state);
    assert_eq!(told(&view), first, "A stays A");
    let thread = callscape_base::units::ThreadId(0);
    state.execute(FilterAsk::Add(FilterStep::HideThread(thread)));
    settle(&mut view, &mut state);
    assert!(told(&view).1.len() < first.1.len());
}

fn shown(view: &Collaboration) -> BTreeMap<(u32, u32), (u64, u64)> {
    let lines = graph(view).lines.iter();
    lines
        .map(|it| ((it.from, it.to), (it.sum.calls as u64, it.sum.cost as u64)))
        .collect()
}

#[test]
fn lines_are_the_calls_between_what_boxes_stand_for() {
    let (mut view, mut state) = open();
    assert!(graph(&view).boxes.len() > 8, "more than the outermost");
    assert_eq!(shown(&view), expected(&view, &state));
    view.most_lines = 2_000;
    for path in [LVM, "ldo.c", "external"] {
        let Some(of) = module_at(&document(&state).session.hierarchy, path) else {
            continue;
        };
        let before = graph(&view).boxes.len();
        view.set_open(of, true, document(&state), &mut Asks::default());
        settle(&mut view, &mut state);
        assert_ne!(graph(&view).boxes.len(), before, "{path}");
        assert_eq!(shown(&view), expected(&view, &state), "{path}");
    }
    // A range is another graph.
    let range = document(&state)
        .resolved()
        .expect("it")
        .recording
        .trace
        .range();
    let end = callscape_base::units::Time::from_ns(range.end.ns() / 9);
    state.execute(SelectAsk::SetRange(Some(TimeRange::new(range.start, end))));
    settle(&mut view, &mut state);
    assert_eq!(shown(&view), expected(&view, &state));
}

#[test]
fn folding_brings_back_what_was_there() {
    let (mut view, mut state) = open();
    let path = document(&state).session.hierarchy.path(
        graph(&view)
            .boxes
            .iter()
            .find(|it| it.sign.is_some())
            .and_then(|it| it.of.module())
            .expect("one unfolds"),
    );
    let first = Arc::clone(view.base.chart.laid().expect("it is made"));
    set_open(&mut view, &mut state, &path, true);
    let of = module(&state, &path);
    assert!(
        graph(&view).frames.iter().any(|it| it.module == of),
        "{path}"
    );
    assert_ne!(view.base.chart.laid(), Some(&first));
    set_open(&mut view, &mut state, &path, false);
    assert_eq!(
        view.base.chart.laid(),
        Some(&first),
        "as it was, place by place"
    );
    // What is collapsed in every view is folded here too.
    set_open(&mut view, &mut state, &path, true);
    state.execute(CutAsk::CollapseOrExpand(Some(of)));
    settle(&mut view, &mut state);
    assert!(graph(&view).frames.iter().all(|it| it.module != of));
    set_open(&mut view, &mut state, &path, true);
    assert!(
        !document(&state).cut.is_collapsed(of),
        "here it is to be seen"
    );
    assert!(graph(&view).frames.iter().any(|it| it.module == of));
}

#[test]
fn beyond_the_limit_it_folds_by_itself_and_says_so() {
    let (mut view, mut state) = open();
    for most in [12, 7, 3, 2] {
        view.base.most = most;
        view.base.revision += 1;
        settle(&mut view, &mut state);
        let count = graph(&view).boxes.len() as u32;
        // A box for what is left out in each module is not counted.
        let more = graph(&view)
            .boxes
            .iter()
            .filter(|it| matches!(it.of, Of::More(_)))
            .count() as u32;
        assert!(count - more <= most, "{count} boxes of {most}");
        assert!(!graph(&view).notes.is_empty());
    }
    // Everything, in as many boxes as are allowed.
    let (mut view, mut state) = open();
    view.on(ViewAsk::ByModules, &state, &mut Asks::default());
    settle(&mut view, &mut state);
    assert!(graph(&view).boxes.len() <= MOST as usize + 4);
    let said = graph(&view).notes.join(" ");
    assert!(
        said.contains("folded automatically")
            || graph(&view)
                .boxes
                .iter()
                .any(|it| matches!(it.of, Of::More(_))),
        "{said}"
    );
    // All of a module is shown when it was asked for, as far as there is room; the rest is counted.
    let (mut view, mut state) = open();
    view.base.most = 6;
    let largest = document(&state)
        .module_of(function(&state, "luaV_execute"))
        .expect("a module");
    let file = document(&state)
        .session
        .hierarchy
        .parent(largest)
        .expect("a file");
    view.set_open(file, true, document(&state), &mut Asks::default());
    settle(&mut view, &mut state);
    let more: u32 = graph(&view)
        .boxes
        .iter()
        .map(|it| {
            if let Of::More(count) = it.of {
                count
            } else {
                0
            }
        })
        .sum();
    let is_seen = graph(&view).frames.iter().any(|it| it.module == file);
    assert!(is_seen, "it was asked for");
    assert!(more > 0, "the rest is counted");
}

#[test]
fn few_lines_are_the_largest_and_the_rest_is_counted() {
    let (mut view, mut state) = open();
    let all = shown(&view);
    view.most_lines = 5;
    view.base.revision += 1;
    settle(&mut view, &mut state);
    let few = shown(&view);
    assert_eq!(few.len(), 5);
    let least = few.values().map(|it| it.1).min();
    let left = all.iter().filter(|(ends, _)| !few.contains_key(ends));
    assert!(left.map(|it| it.1.1).max() <= least);
    let said = graph(&view).notes.join(" ");
    assert!(
        said.contains(&format!("the 5 largest of {}", all.len())),
        "{said}"
    );
}

#[test]
fn what_is_removed_is_left_out_and_its_callers_call_what_it_called() {
    let (mut view, mut state) = open();
    let hierarchy = &document(&state).session.hierarchy;
    let of = document(&state)
        .module_of(function(&state, "luaV_execute"))
        .expect("a module");
    let file = hierarchy.parent(of).expect("a file");
    state.execute(FilterAsk::Add(FilterStep::RemoveModule(file)));
    settle(&mut view, &mut state);
    let hierarchy = &document(&state).session.hierarchy;
    let inside = graph(&view).boxes.iter().filter_map(|it| it.of.module());
    assert_eq!(inside.filter(|it| hierarchy.contains(file, *it)).count(), 0);
    assert!(!graph(&view).lines.is_empty());
    state.execute(FilterAsk::Remove(0));
    settle(&mut view, &mut state);
    assert_eq!(shown(&view), expected(&view, &state));
}

#[test]
fn a_way_leads_from_one_graph_to_the_next_and_can_be_interrupted() {
    use std::time::Duration;
    let (mut view, mut state) = open();
    let sheet = |view: &mut Collaboration, state: &State| match view.picture(state, SURFACE) {
        Picture::Sheet(sheet) => sheet.clone(),
        _ => panic!("it draws a sheet"),
    };
    let first = sheet(&mut view, &state);
    assert!(!view.base.chart.is_moving(), "the first comes from nowhere");
    set_open(&mut view, &mut state, LVM, true);
    let begun = sheet(&mut view, &state);
    assert!(view.base.chart.is_moving());
    state.tell_time(Duration::from_millis(200));
    let half = sheet(&mut view, &state);
    assert!(half.mesh != begun.mesh && half.mesh != first.mesh);
    // Another one on the way.
    set_open(&mut view, &mut state, LVM, false);
    assert!(view.base.chart.is_moving());
    state.tell_time(Duration::from_secs(9));
    let last = sheet(&mut view, &state);
    assert!(!view.base.chart.is_moving());
    // A sheet is long: it is not printed.
    assert!(last == first, "it is as it was");
    let same = Surface {
        is_new: false,
        ..SURFACE
    };
    assert!(
        matches!(view.picture(&state, same), Picture::Same),
        "nothing changed"
    );
}

#[test]
fn a_session_file_keeps_what_is_unfolded_and_what_is_shown() {
    let (mut view, mut state) = open();
    set_open(&mut view, &mut state, LVM, true);
    view.base.by = By::Calls;
    view.arrangement = Arrangement::Distance;
    view.most_lines = 40;
    view.base.chart.zoom_in_the_middle(2.0);
    view.picture(&state, SURFACE);
    view.base.chart.zoom_in_the_middle(2.0);
    view.base.revision += 1;
    settle(&mut view, &mut state);
    let mut saved = SavedViews::default();
    view.save(&state, &mut saved);
    let mut again = Collaboration::default();
    assert_eq!(again.restore(&saved, &state), 0);
    settle(&mut again, &mut state);
    assert_eq!(graph(&again).boxes, graph(&view).boxes);
    assert_eq!(graph(&again).lines, graph(&view).lines);
    assert_eq!(again.base.chart.free(), view.base.chart.free());
    assert_eq!(again.open, view.open);
    assert_eq!(graph(&again).arrangement, Arrangement::Distance);
    let mut twice = SavedViews::default();
    again.save(&state, &mut twice);
    assert_eq!(twice, saved);
    for (name, nonsense) in [
        ("collaboration_unfolded", serde_json::json!(7)),
        ("collaboration_width", "breadth".into()),
        ("collaboration_colour", "mauve".into()),
        ("collaboration_layout", "by chance".into()),
        ("collaboration_most", serde_json::json!(["many"])),
        ("collaboration_sight", serde_json::json!([0, 1, 2])),
    ] {
        let mut odd = saved.clone();
        odd.shown.insert(name.to_owned(), nonsense);
        assert_eq!(Collaboration::default().restore(&odd, &state), 1, "{name}");
    }
}

#[test]
fn by_distance_the_same_boxes_move_to_where_straight_lines_lead() {
    let (mut view, mut state) = open();
    let layered = shown(&view);
    let places = |view: &Collaboration| view.base.chart.laid().expect("it").layout.nodes.clone();
    let before = places(&view);
    view.picture(&state, SURFACE);
    let arrange = |view: &mut Collaboration, state: &mut State, arrangement| {
        view.arrangement = arrangement;
        view.base.revision += 1;
        settle(view, state);
    };
    arrange(&mut view, &mut state, Arrangement::Distance);
    assert!(view.base.chart.is_moving(), "boxes ease over");
    assert_eq!(shown(&view), layered, "it is the same graph");
    let laid = view.base.chart.laid().expect("it");
    assert_ne!(laid.layout.nodes, before);
    assert!(laid.layout.routes.iter().all(|it| it.len() == 2));
    for (number, a) in laid.layout.nodes.iter().enumerate() {
        let mut others = laid.layout.nodes[..number].iter();
        let hit = others.find(|b| a.min.cmplt(b.max).all() && b.min.cmplt(a.max).all());
        assert_eq!(hit, None);
    }
    arrange(&mut view, &mut state, Arrangement::Layered);
    assert_eq!(places(&view), before, "it is as it was");
}

#[test]
fn too_many_boxes_are_layered_and_that_is_said() {
    let at = |boxes| arranged(Arrangement::Distance, boxes);
    assert_eq!(at(MOST_BOXES), (Arrangement::Distance, None));
    let (arrangement, note) = at(MOST_BOXES + 1);
    assert_eq!(arrangement, Arrangement::Layered);
    let [most, more] = [MOST_BOXES, MOST_BOXES + 1].map(|it| grouped(it as u64));
    assert!(note.is_some_and(|it| it.contains(&most) && it.contains(&format!("{more} boxes"))));
    assert_eq!(arranged(Arrangement::Layered, 9_999).1, None);
}

#[test]
fn keys_unfold_fold_and_go_from_box_to_box() {
    let (mut view, mut state) = open();
    let press = |view: &mut Collaboration, state: &mut State, key| {
        let mut asks = Asks::default();
        view.on(ViewAsk::Graph(key), state, &mut asks);
        asks.take().into_iter().for_each(|ask| state.execute(ask));
        settle(view, state);
    };
    let lvm = module(&state, LVM);
    state.execute(SelectAsk::Select(Some(lvm)));
    let frames = |view: &Collaboration| graph(view).frames.iter().any(|it| it.module == lvm);
    for (key, is_frame) in [
        (GraphKey::More, true),
        (GraphKey::Less, false),
        (GraphKey::Toggle, true),
        (GraphKey::Toggle, false),
    ] {
        press(&mut view, &mut state, key);
        assert_eq!(frames(&view), is_frame, "{key:?}");
    }
    let chosen = |state: &State| document(state).selection.chosen.module;
    press(&mut view, &mut state, GraphKey::Right);
    let callee = chosen(&state).expect("something is chosen");
    assert_ne!(callee, lvm);
    let first = graph(&view).boxes.len();
    press(&mut view, &mut state, GraphKey::AllMore);
    let before = graph(&view).boxes.len();
    assert!(before > first);
    press(&mut view, &mut state, GraphKey::AllLess);
    assert!(graph(&view).boxes.len() < before);
    // A function in a folded module unfolds that.
    let function = function(&state, "luaV_execute");
    state.execute(SelectAsk::Choose(Pointed {
        function: Some(function),
        ..Pointed::default()
    }));
    press(&mut view, &mut state, GraphKey::Less);
    press(&mut view, &mut state, GraphKey::More);
    assert!(frames(&view));
    assert_eq!(view.base.by, By::Cost);
    press(&mut view, &mut state, GraphKey::Width);
    assert_eq!(graph(&view).by, By::Calls);
}

#[test]
fn without_calls_it_says_what_to_do() {
    let (mut view, mut state) = open();
    assert_eq!(view.words(&state), "");
    let threads: Vec<_> = document(&state)
        .resolved()
        .expect("it")
        .recording
        .trace
        .thread_ids()
        .collect();
    for thread in threads {
        state.execute(FilterAsk::Add(FilterStep::HideThread(thread)));
    }
    settle(&mut view, &mut state);
    assert!(graph(&view).boxes.is_empty());
    assert!(view.words(&state).contains("include something again"));
    let nothing = State::new(super::super::all(), Box::new(|| Box::new(|| ())));
    assert_eq!(Collaboration::default().words(&nothing), "");
}
