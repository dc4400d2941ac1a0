//! Every view of the registry, and every way to replace what is open while it is shown and the pointer is over something
//! in it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use egui::{Pos2, pos2};

use super::driven::{Driven, Files, inputs};
use super::keys;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_base::units::{ModuleId, ThreadId, Time, TimeRange};
use callscape_facts::frequency::Frequency;
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::Pointed;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_state::ask::{
    CutAsk, FilterAsk, LookAsk, OpenAsk, PlayAsk, RunsAsk, SearchAsk, SelectAsk, StepAsk,
};
use callscape_state::document::Document;
use callscape_state::panes::ViewId;
use callscape_state::runs::RunsLayout;
use callscape_views::{Entry, REGISTRY};

/// A way to replace what is open, or part of what is shown of it.
type Way = (&'static str, fn(&mut Driven, &Files));

fn one(files: &Files) -> Inputs {
    let tree = files.source(0..5);
    inputs(Some(&tree), &[files.recording("one.json", 0..60)])
}

fn two(files: &Files) -> Inputs {
    let recordings = [("a.json", 0..60), ("b.json", 20..37)];
    inputs(
        None,
        &recordings.map(|(name, of)| files.recording(name, of)),
    )
}

fn profile() -> Inputs {
    let file = "tests/data/import/pprof/markdown-render.pb.gz";
    inputs(
        None,
        &[PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file)],
    )
}

fn read_anew(driven: &mut Driven) {
    let document = driven.document();
    let (of, map) = (document.inputs.clone(), document.map.clone());
    let part = document.part();
    let settings = driven.desk.state.settings;
    let document = Document::open(&of, map, &settings, &Progress::new())
        .and_then(|it| it.showing(&part, &Progress::new()));
    let document = document.expect("what is there can be read");
    driven.desk.state.take_grown(document);
}

fn of_inside(driven: &Driven) -> ModuleId {
    let hierarchy = &driven.document().session.hierarchy;
    let deepest = hierarchy.modules().max_by_key(|it| hierarchy.depth(*it));
    let parent = deepest.and_then(|it| hierarchy.parent(it));
    parent.unwrap_or(ModuleId::ROOT)
}

fn half(driven: &Driven) -> TimeRange {
    let resolved = driven.document().resolved().expect("a recording");
    let end = resolved.recording.trace.range().end.ns();
    TimeRange::new(Time::from_ns(end / 3), Time::from_ns(end / 2))
}

const OF_ANY: &[Way] = &[
    ("another recording", |driven, files| {
        let other = files.recording("other.json", 3..9);
        driven.show(&inputs(None, &[other]));
    }),
    ("a module left out", |driven, _| {
        let module = of_inside(driven);
        driven.execute(FilterAsk::Add(FilterStep::RemoveModule(module)));
        driven.execute(FilterAsk::Add(FilterStep::RemoveBelow(module)));
    }),
    ("brought back by undo", |driven, _| {
        let module = of_inside(driven);
        driven.execute(FilterAsk::Add(FilterStep::RemoveModule(module)));
        driven.settle();
        driven.execute(StepAsk::Undo);
        driven.frame(Vec::new());
        driven.execute(StepAsk::Redo);
        driven.settle();
        driven.execute(FilterAsk::Remove(0));
    }),
    ("a thread hidden", |driven, _| {
        driven.execute(FilterAsk::Add(FilterStep::HideThread(ThreadId(0))));
    }),
    ("what is called often left out", |driven, _| {
        let limit = Frequency {
            most: 2,
            ..Frequency::USUAL
        };
        driven.execute(FilterAsk::LimitFrequency(Some(limit)));
    }),
    ("a range", |driven, _| {
        let range = half(driven);
        driven.execute(SelectAsk::SetRange(Some(range)));
    }),
    ("another metric", |driven, _| {
        driven.execute(LookAsk::Surface(Surface::Metric(Metric::Calls)));
        driven.execute(LookAsk::Height(Some(Metric::SelfCost)));
    }),
    ("collapsed and expanded", |driven, _| {
        driven.execute(PlayAsk::PlayOrPause);
        driven.frame(Vec::new());
        driven.execute(PlayAsk::PlayOrPause);
        driven.execute(CutAsk::SetLevel(1));
        driven.frame(Vec::new());
        driven.execute(CutAsk::ExpandAll);
    }),
    ("a session opened", |driven, files| {
        let name = "all.callscape-session.json";
        let path = files.0.join(name);
        let saved = driven.desk.session_for(&path).expect("something is open");
        let saved = saved.expect("it can be written");
        std::fs::write(&path, saved).expect("a file");
        driven.desk.open_session(path);
    }),
    ("searched while it is replaced", |driven, files| {
        driven.execute(SearchAsk::Query("f".to_owned()));
        let other = files.recording("searched.json", 2..4);
        driven.show(&inputs(None, &[other]));
        driven.execute(SearchAsk::Take(Some(3)));
    }),
];

const OF_ONE: &[Way] = &[
    ("a recording that grows", |driven, files| {
        files.recording("one.json", 0..70);
        read_anew(driven);
    }),
    ("a recording replaced on disk", |driven, files| {
        let chosen = of_inside(driven);
        driven.execute(FilterAsk::Add(FilterStep::RemoveModule(chosen)));
        driven.settle();
        files.recording("one.json", 31..36);
        read_anew(driven);
    }),
    ("a mapping", |driven, files| {
        let map = files.mapping("category A method f1*\ncategory B class *\n");
        driven.desk.use_map_file(&map);
        driven.desk.state.revise_through_map();
    }),
    ("a mapping that takes less", |driven, files| {
        let map = files.mapping("category A method f1*\ncategory B class *\n");
        driven.desk.use_map_file(&map);
        driven.desk.state.revise_through_map();
        driven.settle();
        let map = files.mapping("category A method f11\n");
        driven.desk.use_map_file(&map);
        driven.desk.state.revise_through_map();
        driven.frame(Vec::new());
        driven.settle();
        driven.desk.state.revise_without_map();
    }),
    ("a source tree that loses files", |driven, files| {
        files.source(0..1);
        let map = driven.document().map.clone();
        driven.desk.state.revise(true, map);
    }),
];

const OF_TWO: &[Way] = &[
    ("the other run", |driven, _| driven.execute(RunsAsk::Flip)),
    ("the other run and back", |driven, _| {
        driven.execute(RunsAsk::Flip);
        driven.settle();
        driven.execute(RunsAsk::Flip);
    }),
    ("the other run beside it", |driven, _| {
        driven.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
        driven.settle();
        driven.execute(RunsAsk::Flip);
    }),
    ("A and B exchanged", |driven, _| {
        driven.execute(RunsAsk::Swap)
    }),
    ("both runs replaced on disk", |driven, files| {
        files.recording("a.json", 40..44);
        files.recording("b.json", 0..3);
        read_anew(driven);
    }),
];

const OF_PROFILE: &[Way] = &[("another value", |driven, _| {
    let profile = driven.document().profile().expect("a profile");
    let shown = profile.shown();
    let other = (shown + 1) % profile.values().len();
    let name = profile.values()[other].name.clone();
    driven.execute(OpenAsk::ShowValue(name));
})];

/// Shows a view alone, and points at something in it.
fn point_into(driven: &mut Driven, view: ViewId) -> Option<Pos2> {
    let panes = &mut driven.desk.state.panes;
    panes.open(view);
    if panes.maximised != Some(view) {
        panes.maximise(view);
    }
    driven.settle();
    let size = driven.size;
    // Most of them near the first row of a table, and the middle of a chart.
    let places = [20, 26, 32, 38, 50, 62].map(|y| [50, 24, 72, 12].map(|x| [x, y]));
    let mut places = places.into_iter().flatten();
    places.find_map(|[x, y]| {
        let at = pos2(x as f32 * size.x / 100.0, y as f32 * size.y / 100.0);
        (driven.move_pointer(at) != Pointed::default()).then_some(at)
    })
}

/// Does all that the view's own keys do, each in a frame of its own or all at once.
fn press_own_keys(driven: &mut Driven, entry: &Entry, each: bool) {
    for action in entry.keys.iter().flat_map(|line| line.actions) {
        let action = keys::listed().find(|it| it.id == action.id);
        if let Some(command) = action.and_then(|it| it.command(&driven.desk.state)) {
            driven.execute(command);
            if each {
                driven.frame(Vec::new());
            }
        }
    }
}

fn try_cell(
    entry: &'static Entry,
    open: fn(&Files) -> Inputs,
    (name, way): &Way,
) -> Result<bool, String> {
    let view = ViewId::of(&entry.line);
    let cell = format!("{}-{name}", view.id()).replace(' ', "-");
    let files = Files::new(&format!("matrix-{cell}"));
    let tried = catch_unwind(AssertUnwindSafe(|| {
        let mut driven = Driven::new(&open(&files));
        let has_something = driven.document().has(entry.line.needs);
        if !has_something {
            return false;
        }
        let at = point_into(&mut driven, view);
        press_own_keys(&mut driven, entry, false);
        driven.frame(Vec::new());
        way(&mut driven, &files);
        driven.frame(Vec::new());
        press_own_keys(&mut driven, entry, true);
        driven.settle();
        driven.move_pointer(at.unwrap_or(pos2(400.0, 300.0)));
        driven.frame(Vec::new());
        true
    }));
    tried.map_err(|_| format!("{} × {name}", view.title()))
}

/// The cells of a family of ways.
fn try_all(open: fn(&Files) -> Inputs, ways: &[&[Way]]) {
    let mut failed = Vec::new();
    let mut shown = 0;
    for &entry in REGISTRY {
        for way in ways.iter().copied().flatten() {
            match try_cell(entry, open, way) {
                Ok(is_shown) => shown += usize::from(is_shown),
                Err(cell) => failed.push(cell),
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} cells fail: {failed:#?}",
        failed.len()
    );
    assert!(shown > 0, "nothing was tried");
}

#[test]
fn every_view_of_one_run_outlives_every_replacement() {
    try_all(one, &[OF_ANY, OF_ONE]);
}

#[test]
fn every_view_of_two_runs_outlives_every_replacement() {
    try_all(two, &[OF_ANY, OF_TWO]);
}

#[test]
fn every_view_of_a_profile_outlives_every_replacement() {
    try_all(|_| profile(), &[OF_PROFILE]);
}

#[test]
fn what_is_left_out_and_gone_is_left_out_again_when_it_is_back() {
    let files = Files::new("matrix-back");
    let mut driven = Driven::new(&inputs(None, &[files.recording("one.json", 0..12)]));
    driven.settle();
    let hierarchy = &driven.document().session.hierarchy;
    let named = |name: &str| hierarchy.modules().find(|it| hierarchy.name(*it) == name);
    let module = named("f11").expect("a function of this name");
    driven.execute(FilterAsk::Add(FilterStep::RemoveModule(module)));
    driven.settle();
    let steps = driven.desk.state.steps.all().len();
    let left_out = |driven: &Driven| {
        let filters = &driven.document().filters;
        (filters.steps().len(), filters.gone().len())
    };
    assert_eq!(left_out(&driven), (1, 0));
    files.recording("one.json", 0..5);
    read_anew(&mut driven);
    driven.settle();
    assert_eq!(left_out(&driven), (0, 1), "it is gone");
    assert_eq!(
        driven.desk.state.steps.all().len(),
        steps,
        "and its step is kept"
    );
    let messages = driven.desk.state.told.messages.iter();
    assert!(
        messages
            .flat_map(|it| &it.lines)
            .any(|line| line.contains("f11")),
        "which is said"
    );
    files.recording("one.json", 0..12);
    read_anew(&mut driven);
    driven.settle();
    assert_eq!(left_out(&driven), (1, 0), "it is back");
    driven.execute(StepAsk::Undo);
    driven.settle();
    assert_eq!(left_out(&driven), (0, 0));
    driven.execute(StepAsk::Redo);
    driven.settle();
    assert_eq!(left_out(&driven), (1, 0));
}

#[test]
fn blocks_that_glowed_are_forgotten_with_their_places() {
    let files = Files::new("matrix-glow");
    let mut driven = Driven::new(&inputs(None, &[files.recording("one.json", 0..60)]));
    driven.settle();
    for _ in 0..4 {
        driven.execute(PlayAsk::Step(1));
        driven.frame(Vec::new());
        driven.execute(CutAsk::SetLevel(1));
        driven.frame(Vec::new());
        driven.execute(CutAsk::ExpandAll);
        driven.frame(Vec::new());
    }
}

/// The steps that once met what had been active before in another structure, on the file that they were found with too.
#[test]
fn a_module_that_was_searched_for_is_collapsed_after_playing() {
    let files = Files::new("searched");
    let own = (files.recording("one.json", 0..60), "f7");
    let data = std::env::var_os("CALLSCAPE_TEST_DATA").map(PathBuf::from);
    let found = data.map(|it| (it.join("attack/window-collapse-panic.json"), "afun"));
    for (recording, name) in [Some(own), found].into_iter().flatten() {
        let mut driven = Driven::new(&inputs(None, &[recording]));
        driven.settle();
        for _ in 0..2 {
            driven.execute(PlayAsk::PlayOrPause);
            driven.frame(Vec::new());
        }
        driven.execute(SearchAsk::Open);
        driven.execute(SearchAsk::Query(name.to_owned()));
        driven.settle();
        driven.execute(SearchAsk::Take(None));
        driven.frame(Vec::new());
        let module = driven.document().selection.chosen.module;
        assert!(module.is_some(), "{name} is found");
        for _ in 0..2 {
            driven.execute(CutAsk::CollapseOrExpand(None));
            driven.settle();
        }
    }
}
