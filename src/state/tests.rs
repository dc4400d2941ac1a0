//! What is open is known by counters: each moves when what it stands for changes, and only then.

use std::time::Duration;

use glam::Vec2;

use super::ask::{Ask, CutAsk, FilterAsk, LookAsk, PlayAsk, RunsAsk, SearchAsk, SelectAsk};
use super::destination::Destination;
use super::stamps::Stamps;
use super::state::State;
use super::testing::{CITY, frame_at, module, nothing_open, range, settle, tiny, two_runs};
use super::told::NOTICE;
use super::viewport::Viewport;
use callscape_base::units::{ThreadId, Time};
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::Pointed;
use callscape_look::pose::{FreeArea, Pose};
use callscape_model::highlight::Highlight;
use callscape_model::metric::Metric;

/// The names of the stamps that an ask moves.
fn moved(state: &mut State, ask: impl Into<Ask>) -> Vec<&'static str> {
    let before = state.stamps();
    state.execute(ask);
    settle(state);
    let after = state.stamps();
    let all = [
        ("opened", before.opened, after.opened),
        ("document", before.document, after.document),
        ("run", before.run, after.run),
        ("blocks", before.blocks, after.blocks),
        ("looks", before.looks, after.looks),
        ("left", before.left, after.left),
        ("names", before.names, after.names),
        ("selection", before.selection, after.selection),
    ];
    all.iter()
        .filter(|(_, before, after)| before != after)
        .map(|(name, ..)| *name)
        .collect()
}

#[test]
fn an_ask_moves_the_stamps_of_what_it_changes() {
    let mut state = tiny();
    let step = module(&state, "step");
    let select = SelectAsk::Select(Some(step));
    assert_eq!(moved(&mut state, select), ["selection"]);
    assert_eq!(moved(&mut state, select), [""; 0], "the same again");
    assert_eq!(
        moved(&mut state, PlayAsk::Seek(Time::from_ns(7_000))),
        [""; 0]
    );
    assert_eq!(moved(&mut state, LookAsk::SwitchTheme), ["blocks"]);
    let highlight = Highlight {
        metric: Metric::Calls,
        low: 1.0,
        high: 2.0,
    };
    assert_eq!(
        moved(&mut state, LookAsk::Highlight(Some(highlight))),
        ["looks"]
    );
    assert_eq!(moved(&mut state, CutAsk::SetLevel(1)), ["blocks"]);
    assert_eq!(
        moved(&mut state, CutAsk::SetLevel(1)),
        [""; 0],
        "the same again"
    );
    assert_eq!(
        moved(&mut state, SelectAsk::SetRange(Some(range(10, 50)))),
        ["left", "selection"]
    );
    assert_eq!(
        moved(&mut state, SelectAsk::SetRange(Some(range(10, 50)))),
        [""; 0]
    );
    let hides = FilterAsk::Add(FilterStep::HideThread(ThreadId(1)));
    assert_eq!(moved(&mut state, hides), ["left"]);
    assert_eq!(moved(&mut state, SearchAsk::Query("st".into())), ["names"]);
    assert_eq!(moved(&mut state, LookAsk::ScaleText(2.0)), ["names"]);
}

#[test]
fn another_run_is_another_document_and_another_recording() {
    let mut state = two_runs();
    assert_eq!(
        moved(&mut state, RunsAsk::Flip),
        ["document", "run", "blocks"]
    );
    // The same run plays on, as the other side.
    let moved = moved(&mut state, RunsAsk::Swap);
    assert!(
        moved.contains(&"document") && !moved.contains(&"run"),
        "{moved:?}"
    );
}

#[test]
fn opening_moves_what_is_kept_for_other_inputs() {
    let state = tiny();
    let Stamps {
        opened,
        document,
        run,
        blocks,
        ..
    } = state.stamps();
    assert!([opened, document, run, blocks].iter().all(|&of| of > 0));
    assert_eq!(nothing_open().stamps(), Stamps::default());
}

#[test]
fn a_notice_is_there_for_its_time() {
    let mut state = nothing_open();
    state.tell_briefly("saved".to_owned());
    assert_eq!(state.notice(), Some(("saved", NOTICE)));
    state.tell_time(NOTICE - Duration::from_millis(1));
    assert!(state.notice().is_some());
    state.tell_time(NOTICE + Duration::from_millis(1));
    assert_eq!(state.notice(), None);
}

fn viewport(width: f32) -> Viewport {
    Viewport {
        origin: Vec2::ZERO,
        size: Vec2::new(width, 600.0),
        scale: 1.0,
        free: FreeArea::WINDOW,
    }
}

#[test]
fn the_view_of_everything_stays_one_when_the_window_changes_its_size() {
    let mut state = tiny();
    state.set_viewport(viewport(800.0));
    let wide = state.moving.camera.pose();
    state.set_viewport(viewport(300.0));
    let narrow = state.moving.camera.pose();
    assert!(narrow.distance > wide.distance, "{wide:?} {narrow:?}");
    // From elsewhere one goes on looking from there.
    let elsewhere = Pose {
        distance: 50.0,
        ..narrow
    };
    state.moving.camera.look_from(elsewhere);
    state.set_viewport(viewport(800.0));
    assert_eq!(state.moving.camera.pose(), elsewhere);
}

#[test]
fn a_flight_starts_where_it_can_be_seen_and_ends() {
    let mut state = tiny();
    state.set_viewport(viewport(800.0));
    for _ in 0..4 {
        state.set_viewport(viewport(800.0));
    }
    let step = module(&state, "step");
    state.fly(Destination::Module(step));
    assert!(state.is_moving(), "it is pending");
    state.set_viewport(viewport(800.0));
    assert!(state.moving.camera.destination().is_some());
    for frame in 1..200 {
        frame_at(&mut state, 50 * frame);
    }
    assert_eq!(state.moving.camera.destination(), None);
    assert!(!state.is_moving());
    state.panes.maximised = Some(super::testing::STACKS);
    state.fly(Destination::Home);
    state.set_viewport(viewport(800.0));
    assert_eq!(
        state.moving.camera.destination(),
        None,
        "nobody would see it"
    );
    state.fly_there(step);
    assert!(state.panes.is_visible(CITY), "this one opens it");
}

#[test]
fn frames_after_a_pause_have_nothing_to_catch_up_with() {
    let mut state = nothing_open();
    state.tell_time(Duration::from_secs(5));
    assert_eq!(state.moving.time.begin_frame(), Duration::from_secs(5));
    assert_eq!(state.moving.time.begin_frame(), Duration::ZERO);
    state.choose(Pointed::default());
    assert!(!state.is_moving());
}
