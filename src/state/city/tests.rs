//! What a city shows of the tiny recording, and of a real one while it plays.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::ask::{FilterAsk, LookAsk};
use crate::camera::CameraControl;
use crate::state::State;
use crate::testing::{micros, module, open, opened, range, settle, tiny};
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_facts::memory::AgeBin;
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::{Pointed, Selection};
use callscape_layout::geometry::BlockKind;
use callscape_look::pose::FreeArea;
use callscape_model::arcs::ArcMode;
use callscape_model::memory::{BelongsTo, owners};
use callscape_model::metric::Metric;
use callscape_model::moment::Moment;

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

/// By caller and callee: what has been called so far is the sum of the cels, whatever is left out.
#[test]
fn the_sum_so_far_holds_what_was_called_up_to_the_moment() {
    let mut state = tiny();
    let calls = |state: &mut State, moment: Moment| -> Vec<(String, u64)> {
        let of = relations(state, moment).into_iter();
        of.map(|(names, calls, _)| (names, calls)).collect()
    };
    let mut is_less = 0;
    for is_filtered in [false, true] {
        if is_filtered {
            let wait = module(&state, "wait");
            state.execute(FilterAsk::Add(FilterStep::RemoveModule(wait)));
            settle(&mut state);
        }
        let whole = calls(&mut state, Moment::without_time(0));
        for time in (0..=100).step_by(5) {
            for range in [None, Some(range(0, 70))] {
                let now = Moment {
                    range,
                    ..moment(time, time)
                };
                let until = calls(&mut state, now);
                let so_far = calls(&mut state, now.summed());
                assert_eq!(so_far, until, "at {time}");
                is_less += usize::from(so_far != whole);
            }
        }
    }
    assert!(is_less > 10);
}

#[test]
fn playing_counts_what_a_jump_there_counts() {
    let inputs = Inputs::default();
    let session = Session::open(&inputs, &Progress::new()).expect("the demo");
    let trace = &session.recordings[0].recording.trace;
    let all = trace.range();
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
    let modes = [ArcMode::All, ArcMode::Step, ArcMode::Whole];
    let ranges = [None, Some(limited)];
    for (arcs, range) in modes.iter().flat_map(|&it| ranges.map(|range| (it, range))) {
        let settings = LandscapeSettings {
            arcs,
            ..LandscapeSettings::default()
        };
        let mut playing = City::new(&session, &settings, &Cut::all());
        let mut whole = City::new(&session, &settings, &Cut::all());
        whole.show(&session, Some(Moment::without_time(0)));
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
            assert_eq!(seen(&playing), seen(&jumped), "{arcs:?} at {next}");
            if arcs == ArcMode::Whole {
                let calls =
                    |city: &City| -> Vec<u64> { seen(city).into_iter().map(|it| it.2).collect() };
                assert_eq!(calls(&playing), calls(&whole));
            }
            at = next;
        }
    }
}

#[test]
fn what_is_around_the_chosen_module_is_named_up_to_the_root() {
    let mut state = tiny();
    let step = module(&state, "step");
    let document = state.document.as_mut().expect("a recording");
    let session = Arc::clone(&document.session);
    document.city.show(&session, Some(moment(20, 55)));
    let camera = CameraControl::new(document.bounds(), 4.0 / 3.0, FreeArea::WINDOW).camera();
    // So small that no name can be read on the ground, so wide that several have room over it.
    let lettering = Lettering::whole(Vec2::new(800.0, 600.0), 5.0);
    let selection = Selection {
        chosen: Pointed::at_module(Some(step)),
        ..Selection::default()
    };
    let city = &mut document.city;
    city.point(&selection);
    city.settle();
    city.label(&session, &selection, &[], &camera, &lettering);
    let named: Vec<ModuleId> = city.named().collect();
    let hierarchy = &session.hierarchy;
    let around = std::iter::successors(Some(step), |&it| hierarchy.parent(it));
    for module in around {
        assert!(
            named.contains(&module),
            "{}: {named:?}",
            hierarchy.path(module)
        );
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

#[test]
fn heights_and_boxes_say_what_lives_at_any_time() {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut state = opened(&Inputs {
        recordings: vec![path.join("tests/data/import/heaptrack/python-start.heaptrack.zst")],
        ..Inputs::default()
    });
    let document = state.document.as_mut().expect("a recording");
    assert_eq!(state.settings.height, Some(Metric::LiveBytes));
    let session = Arc::clone(&document.session);
    let resolved = &session.recordings[0];
    let memory = resolved.recording.memory.as_ref().expect("it has some");
    let events = memory.events().expect("all of them");
    let owners = owners(&session, resolved, memory, BelongsTo::default());
    let end = events.time(events.end() - 1);
    let step = Cost::from_ns(end.ns() / 40);
    // By how much a block rises for the root of its bytes: the same everywhere and always.
    let mut scale = None;
    // The peak is in the last tick, at which the city shows the peak and not what came after it.
    assert!(events.peak().1 == end && events.peak_position() < events.end());
    // Forwards, backwards and far apart.
    for percent in [0, 3, 50, 52, 51, 100, 7, 90] {
        let time = Time::from_ns(end.ns() / 100 * percent);
        let previous = time - step;
        let shown = match time == end {
            true => events.peak_position(),
            false => events.position(time),
        };
        let now = Moment {
            time,
            previous,
            ..moment(0, 0)
        };
        // The sum so far has what lives at its end, not at the peak.
        document.city.show(&session, Some(now.summed()));
        let looks = document.city.looks();
        let summed: Vec<f32> = looks.iter().map(|it| it.rise).collect();
        document.city.show(&session, Some(now));
        let city = &document.city;
        assert!(
            summed
                .iter()
                .copied()
                .eq(city.looks().iter().map(|it| it.rise))
        );
        // By block, straight from the objects: bytes that live, created, released, by age, and released in the cel.
        type Objects = (u64, u32, u32, [AgeBin; AGES], [u32; AGES]);
        let mut expected: BTreeMap<u32, Objects> = BTreeMap::new();
        let start = time.ns().checked_sub(step.ns());
        let start = start.map_or(0, |start| events.position(Time::from_ns(start)));
        for event in (0..events.end()).filter(|&event| !events.is_release(event)) {
            let object = events.object(event).expect("it is created here");
            let owner = owners[object.cell as usize].map(|owner| city.block_of[owner.index()]);
            let Some(block) = owner.filter(|_| event < shown) else {
                continue;
            };
            let of = expected.entry(block).or_default();
            let cels = (0..AGES as u64 - 1).find(|cels| {
                let ago = step.ns() * (cels + 1);
                let edge = time.ns().checked_sub(ago);
                edge.is_none_or(|edge| object.creation.ns() > edge)
            });
            let age = cels.map_or(AGES - 1, |cels| cels as usize);
            let bin = &mut of.3[age];
            of.1 += 1;
            let release = events.other(event).filter(|&release| release < shown);
            of.4[age] += u32::from(release.is_some_and(|release| release >= start));
            match release.is_some() {
                true => (of.2, bin.released) = (of.2 + 1, bin.released + 1),
                false => (of.0, bin.living) = (of.0 + object.size, bin.living + 1),
            }
        }
        let (boxes, most) = city.object_boxes();
        assert!(!boxes.is_empty() && boxes.iter().all(|it| it.created <= most));
        for one in boxes {
            let (_, created, released, ages, just) =
                expected.get(&one.block).copied().unwrap_or_default();
            assert_eq!(
                (one.created, one.released),
                (created, released),
                "{percent} %"
            );
            assert_eq!(one.ages, ages, "{percent} %");
            assert_eq!(one.just_released, just, "{percent} %");
        }
        for (block, look) in (0..).zip(city.looks()) {
            // Colours are neutral here, so what is new glows.
            let is_new = boxes
                .iter()
                .any(|it| it.block == block && it.news != [0, 0]);
            assert!(!is_new || look.glow > 0.0, "{percent} %");
            let lives = expected.get(&block).is_some_and(|it| it.0 > 0);
            let is_solid = city.blocks()[block as usize].kind != BlockKind::Terrace;
            assert_eq!(look.rise > 0.0, lives && is_solid, "{percent} %");
            if look.rise > 0.0 {
                let bytes = expected[&block].0 as f32;
                let own = look.rise / bytes.sqrt();
                let scale: f32 = *scale.get_or_insert(own);
                assert!((own / scale - 1.0).abs() < 1e-3, "{percent} %");
            }
        }
    }
}

#[test]
fn causes_of_a_difference_stand_out_and_the_rest_steps_back() {
    let mut state = crate::testing::two_runs();
    let document = state.document.as_mut().expect("two runs");
    let session = Arc::clone(&document.session);
    let difference = document.city.metrics().difference().cloned();
    let difference = difference.expect("two runs differ");
    let first = difference.relations()[0];
    let moment = document.moment();
    let city = &mut document.city;
    city.show(&session, moment);
    // Without any the largest differences are strong, few enough to be followed.
    let strong = |city: &City| {
        let arcs = city.arcs().arcs.iter();
        arcs.filter(|arc| arc.opacity > 0.5).count()
    };
    assert!((1..=12).contains(&strong(city)), "{}", strong(city));
    let cause = CauseAt {
        from: Some(first.from),
        to: first.to,
        is_more: true,
    };
    assert!(city.tell_causes(&session, &[cause].into()));
    assert!(!city.tell_causes(&session, &[cause].into()));
    // The same moment is to be shown again, and then no more.
    assert!(city.is_outdated());
    city.show(&session, moment);
    assert!(!city.is_outdated());
    assert_eq!(strong(city), 1);
    let arcs = &city.arcs().arcs;
    let faint = arcs
        .iter()
        .filter(|arc| arc.opacity <= 0.3 && !arc.outlined);
    assert_eq!(faint.count(), arcs.len() - 1);
    let edged = city.blocks.iter().zip(&city.looks);
    let edged = edged.filter(|(_, look)| look.is_outlined);
    let edged: Vec<ModuleId> = edged.map(|(block, _)| block.module).collect();
    assert_eq!(edged, [first.to]);

    // They do so in another layout too, once its blocks have arrived.
    state.execute(LookAsk::Height(Some(Metric::LinesOfCode)));
    for _ in 0..40 {
        state.advance(std::time::Duration::from_millis(50));
        let document = state.document.as_mut().expect("two runs");
        let moment = document.moment();
        document.city.show(&session, moment);
    }
    let document = state.document.as_mut().expect("two runs");
    assert_eq!(strong(&document.city), 1);
}
