//! Call relations as arcs, and the counts that stand at them.

use std::collections::BTreeMap;

use callscape::analysis::session::Session;
use callscape::filter::cut::Cut;
use callscape::filter::selection::Selection;
use callscape::look::camera::Camera;
use callscape::model::arcs::ArcMode;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::moment::Moment;
use callscape::state::city::{City, Lettering};
use callscape::units::{ModuleId, Time, TimeRange};
use glam::{Vec2, Vec3};

use super::{label, moment, session, settings};

#[test]
fn arcs_count_what_was_called_and_can_be_limited_to_the_step() {
    let session = session(7);
    let count = |arcs: ArcMode| {
        let settings = LandscapeSettings { arcs, ..settings() };
        let mut view = City::new(&session, &settings, &Cut::all());
        view.show(&session, moment(600_000));
        let relations = view.arcs().arcs.iter().filter(|arc| !arc.outlined);
        relations.count() + view.arcs_left_out()
    };
    let trace = &session.recordings[0].recording.trace;
    let relations = trace.running(Time::from_ns(600_000));
    let between = relations
        .iter()
        .filter(|relation| relation.caller != relation.callee);
    assert_eq!(count(ArcMode::All), between.count());
    assert!((1..count(ArcMode::All)).contains(&count(ArcMode::Step)));
    assert_eq!(count(ArcMode::None), 0);
}

/// The calls between functions among `calls`, directly from the calls.
fn counted(session: &Session, is_counted: impl Fn(Time) -> bool) -> BTreeMap<(u32, u32), u64> {
    let trace = &session.recordings[0].recording.trace;
    let mut counts = BTreeMap::new();
    for thread in trace.thread_ids() {
        let mut open: Vec<u32> = Vec::new();
        trace.calls_in(thread, trace.range(), u32::MAX, |_, call| {
            open.truncate(call.depth as usize);
            if let Some(&caller) = open.last()
                && caller != call.function.0
                && is_counted(call.start)
            {
                *counts.entry((caller, call.function.0)).or_insert(0) += 1;
            }
            open.push(call.function.0);
        });
    }
    counts
}

#[test]
fn the_running_summary_counts_from_the_start_of_the_range_forward_and_back() {
    let session = session(17);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let modules = &session.recordings[0].resolution.modules;
    let range = TimeRange::new(Time::from_ns(300_000), Time::from_ns(900_000));
    let mut times: Vec<u64> = (0..12).map(|step| 300_000 + step * 50_000).collect();
    times.extend([620_001, 310_500, 300_000]);
    for ns in times {
        for range in [None, Some(range)] {
            let start = range.map_or(Time::ZERO, |range| range.start);
            let at = moment(ns).map(|at| Moment { range, ..at });
            view.show(&session, at);
            let (previous, time) = at.map(|at| (at.previous, at.time)).expect("a moment");
            let all = counted(&session, |t| start <= t && t <= time);
            let step = counted(&session, |t| start <= t && t <= time && previous < t);
            let shown: BTreeMap<_, _> = view
                .relations()
                .map(|it| ((it.from, it.to), (it.calls, it.step_calls)))
                .collect();
            assert_eq!(shown.len() + view.arcs_left_out(), all.len(), "at {ns}");
            for (pair, calls) in all {
                let on = |function: u32| modules[function as usize];
                if let Some(&(of_all, of_step)) = shown.get(&(on(pair.0), on(pair.1))) {
                    assert_eq!(of_all, calls, "{pair:?} at {ns}");
                    assert_eq!(of_step, step.get(&pair).copied().unwrap_or(0), "{pair:?}");
                }
            }
        }
    }
}

#[test]
fn a_summary_counts_everything_in_its_range_and_stands_still() {
    let session = session(18);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let at = |time: u64| {
        moment(time).map(|at| Moment {
            summary: true,
            ..at
        })
    };
    view.show(&session, at(1_000));
    let all = counted(&session, |_| true);
    let shown: u64 = view.relations().map(|it| it.calls).sum();
    assert!(view.arcs_left_out() + view.relations().count() == all.len());
    assert!(shown <= all.values().sum::<u64>() && shown * 10 > all.values().sum::<u64>() * 3);
    assert!(
        view.arcs().arcs.iter().all(|arc| !arc.outlined),
        "no hyperarc"
    );
    assert!(view.looks().iter().all(|look| look.rise == 0.0));
    let (looks, arcs) = (view.looks().to_vec(), view.arcs().arcs.len());
    view.show(&session, at(900_000));
    assert_eq!(view.looks(), looks);
    assert_eq!(view.arcs().arcs.len(), arcs);
}

/// From where all of a landscape is seen.
fn whole(view: &City) -> Camera {
    let (min, max) = view.bounds(ModuleId::ROOT).expect("the root");
    let target = (min + max) * 0.5;
    Camera {
        eye: target + Vec3::new(0.0, -900.0, 900.0),
        target,
        fov_y: 0.7,
    }
}

#[test]
fn counts_stand_at_arcs_with_what_the_cel_added() {
    let session = session(19);
    let mut view = City::new(&session, &settings(), &Cut::all());
    view.show(&session, moment(700_000));
    let camera = whole(&view);
    let size = Vec2::new(1600.0, 1000.0);
    label(&mut view, &session, &camera, size);
    let counts: Vec<&str> = view
        .screen_labels()
        .iter()
        .map(|label| label.text.as_str())
        .filter(|text| text.starts_with(|first: char| first.is_ascii_digit()))
        .collect();
    assert!(!counts.is_empty(), "{:?}", view.screen_labels());
    let of_cel = view.relations().filter(|it| it.step_calls > 0);
    let expected: Vec<String> = of_cel
        .map(|it| match it.step_calls {
            all if all == it.calls => format!("{all}"),
            step => format!("{} +{step}", it.calls),
        })
        .collect();
    for count in counts {
        assert!(
            expected.iter().any(|it| it == count),
            "{count} {expected:?}"
        );
    }
}

#[test]
fn what_steps_back_for_a_module_that_is_pointed_at_has_no_count() {
    let session = session(19);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let now = moment(700_000).map(|moment| Moment {
        previous: Time::from_ns(400_000),
        ..moment
    });
    view.show(&session, now);
    let camera = whole(&view);
    let mut selection = Selection::default();
    let lettering = Lettering::whole(Vec2::new(1600.0, 1000.0), 14.0);
    let counts = |view: &City| -> Vec<String> {
        let texts = view.screen_labels().iter().map(|label| label.text.clone());
        let is_count = |text: &String| text.starts_with(|first: char| first.is_ascii_digit());
        texts.filter(is_count).collect()
    };
    let relations: Vec<_> = view.relations().filter(|it| it.step_calls > 0).collect();
    let own = |module: ModuleId| {
        let own = relations.iter();
        own.filter(|it| it.from == module || it.to == module)
            .count()
    };
    let callers = relations.iter().map(|it| it.from);
    let module = callers.min_by_key(|&module| own(module)).expect("a caller");
    view.label(&session, &selection, &[], &camera, &lettering);
    assert!(counts(&view).len() > own(module));
    selection.pointed.module = Some(module);
    view.point(&selection);
    view.label(&session, &selection, &[], &camera, &lettering);
    let alone = counts(&view).len();
    assert!((1..=own(module)).contains(&alone), "{alone}");
}
