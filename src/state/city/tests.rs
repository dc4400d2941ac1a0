//! What a city shows of the tiny recording, and of a real one while it plays.

use std::sync::Arc;

use super::*;
use crate::analysis::session::Inputs;
use crate::filter::filters::FilterStep;
use crate::filter::selection::{Pointed, Selection};
use crate::model::moment::Moment;
use crate::progress::Progress;
use crate::render::pose::FreeArea;
use crate::state::State;
use crate::state::ask::FilterAsk;
use crate::state::camera::CameraControl;
use crate::state::testing::{micros, module, open, range, settle, tiny};
use crate::units::{Time, TimeRange};

fn moment(previous: u64, time: u64) -> Moment {
    Moment {
        time: micros(time),
        previous: micros(previous),
        summary: false,
        ..Moment::without_time(0)
    }
}

/// Shows a moment; calls, and those of the cel, by the names of caller and callee.
fn relations(state: &mut State, moment: Moment) -> Vec<(String, u64, u64)> {
    let document = state.document.as_mut().expect("a recording");
    let session = Arc::clone(&document.session);
    document.city.show(&session, Some(moment));
    let name = |module| session.hierarchy.name(module);
    let all = document.city.relations().map(|it| {
        let ends = format!("{} {}", name(it.from), name(it.to));
        (ends, it.calls, it.step_calls)
    });
    let mut all: Vec<_> = all.filter(|it| it.1 > 0).collect();
    all.sort();
    all
}

fn expected(of: &[(&str, u64, u64)]) -> Vec<(String, u64, u64)> {
    let of = of.iter();
    of.map(|&(ends, calls, step)| (ends.to_owned(), calls, step))
        .collect()
}

#[test]
fn calls_are_counted_up_to_the_moment_and_in_its_cel() {
    let mut state = tiny();
    let until_20 = [("run step", 1, 1), ("work step", 1, 1)];
    assert_eq!(relations(&mut state, moment(5, 20)), expected(&until_20));
    let until_55 = [("run step", 2, 1), ("work step", 1, 0)];
    assert_eq!(relations(&mut state, moment(20, 55)), expected(&until_55));
    let all = [("run step", 2, 0), ("run wait", 1, 1), ("work step", 1, 0)];
    assert_eq!(relations(&mut state, moment(55, 100)), expected(&all));
    // Back again, and in a range.
    assert_eq!(relations(&mut state, moment(5, 20)), expected(&until_20));
    let within = Moment {
        range: Some(range(25, 70)),
        ..moment(20, 65)
    };
    let in_range = [("run step", 1, 1), ("run wait", 1, 1)];
    assert_eq!(relations(&mut state, within), expected(&in_range));
}

#[test]
fn a_summary_holds_all_that_filters_leave() {
    let mut state = tiny();
    let whole = Moment::without_time(0);
    let all = [("run step", 2, 0), ("run wait", 1, 0), ("work step", 1, 0)];
    assert_eq!(relations(&mut state, whole), expected(&all));
    let wait = module(&state, "wait");
    state.execute(FilterAsk::Add(FilterStep::RemoveModule(wait)));
    settle(&mut state);
    let left = [("run step", 2, 0), ("work step", 1, 0)];
    assert_eq!(relations(&mut state, whole), expected(&left));
}

#[test]
fn playing_counts_what_a_jump_there_counts() {
    let inputs = Inputs::default();
    let session = Session::open(&inputs, &Progress::new()).expect("the demo");
    let trace = &session.recordings[0].recording.trace;
    let all = trace.range();
    let settings = LandscapeSettings::default();
    let mut playing = City::new(&session, &settings, &Cut::all());
    let seen = |city: &City| {
        let mut seen: Vec<_> = city
            .relations()
            .map(|it| (it.from, it.to, it.calls, it.step_calls))
            .collect();
        seen.sort();
        seen
    };
    let third = Time::from_ns(all.start.ns() + all.length().ns() / 3);
    let limited = TimeRange::new(third, all.end);
    // In steps of a few calls, forward, then back; without a range and in one.
    let steps: Vec<i64> = (0..12).map(|step| if step < 8 { 1 } else { -1 }).collect();
    for range in [None, Some(limited)] {
        let mut at = Time::from_ns(all.start.ns() + all.length().ns() / 2);
        for step in &steps {
            let next = Time::from_ns(at.ns().saturating_add_signed(step * 40_000));
            let moment = Moment {
                time: next.max(at),
                previous: next.min(at),
                range,
                summary: false,
                ..Moment::without_time(0)
            };
            playing.show(&session, Some(moment));
            let mut jumped = City::new(&session, &settings, &Cut::all());
            jumped.show(&session, Some(moment));
            assert_eq!(seen(&playing), seen(&jumped), "at {next}");
            at = next;
        }
    }
}

#[test]
fn what_is_pointed_at_is_named_and_what_is_chosen_has_counts() {
    let mut state = tiny();
    let [step, work] = ["step", "work"].map(|name| module(&state, name));
    let document = state.document.as_mut().expect("a recording");
    let session = Arc::clone(&document.session);
    document.city.show(&session, Some(moment(20, 55)));
    let camera = CameraControl::new(document.bounds(), 4.0 / 3.0, FreeArea::WINDOW).camera();
    // On a small picture no name can be read on the ground.
    let small = Lettering::whole(Vec2::new(48.0, 36.0), 4.0);
    let large = Lettering::whole(Vec2::new(800.0, 600.0), 14.0);
    let mut names = |selection: &Selection, lettering: &Lettering| {
        let city = &mut document.city;
        city.point(selection);
        city.show(&session, Some(moment(20, 55)));
        city.settle();
        city.label(&session, selection, &[], &camera, lettering);
        let upright = city.screen_labels().iter().map(|label| label.text.clone());
        // What is named on the ground, where that can be read, has no second name over it.
        let flat = city.flat_labels().iter().map(|label| label.text.clone());
        let counts = city.counts.shown().iter().map(|count| count.text.clone());
        upright.chain(flat).chain(counts).collect::<Vec<_>>()
    };
    let nothing = Selection::default();
    let pointed = Selection {
        pointed: Pointed::at_module(Some(step)),
        ..Selection::default()
    };
    let has = |of: &[String], wanted: &str| of.iter().any(|text| text == wanted);
    let (plain, named) = (names(&nothing, &small), names(&pointed, &small));
    assert!(
        has(&named, "step") && !has(&plain, "step"),
        "{plain:?} {named:?}"
    );
    let relation = Selection {
        chosen: Pointed {
            relation: Some((work, step)),
            ..Pointed::default()
        },
        ..Selection::default()
    };
    let (plain, counted) = (names(&nothing, &large), names(&relation, &large));
    assert!(has(&plain, "2 +1"), "the cel added one call: {plain:?}");
    // It had its one call before the cel.
    assert!(
        has(&counted, "1") && !has(&plain, "1"),
        "{plain:?} {counted:?}"
    );
}

#[test]
fn a_module_is_displayed_by_itself_or_by_what_it_lies_in() {
    let mut state = tiny();
    let step = module(&state, "step");
    assert_eq!(open(&state).city.displayed(step), Some(step));
    let parent = open(&state)
        .session
        .hierarchy
        .parent(step)
        .expect("a parent");
    state.collapse_or_expand(Some(parent));
    let city = &open(&state).city;
    assert_eq!(city.displayed(step), Some(parent));
    assert_eq!(city.bounds(step), city.bounds(parent));
    assert_eq!(city.displayed(ModuleId(9_999)), None);
}
