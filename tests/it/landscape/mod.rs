//! Through the public interface: the landscape of a small session, laid out, played and drawn.

mod amounts;
mod colours;
mod contrast;
mod frame;
mod mapping;
mod names;
mod picking;
mod pictures;
mod relations;
mod sites;

use callscape::analysis::resolve::{Resolution, Rule};
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::filter::cut::Cut;
use callscape::filter::selection::{Pointed, Selection};
use callscape::layout::geometry::{Arc, Arcs, ChangedLooks};
use callscape::look::camera::Camera;
use callscape::model::arcs::ArcMode;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::moment::Moment;
use callscape::state::city::{City, Lettering};
use callscape::units::{Cost, ModuleId, Time, TimeRange};
use callscape::warnings::{Place, Reporter};
use glam::{Vec2, Vec3};

use crate::common::Random;

const DIRECTORIES: u32 = 6;
const FILES: u32 = 5;
const FUNCTIONS: u32 = 8;

/// A source tree of 6 directories with 5 files of 8 functions each, and a recording in which random
/// functions call each other for a millisecond.
fn session(seed: u64) -> Session {
    session_of(seed, [DIRECTORIES, FILES, FUNCTIONS], 1_000_000)
}

/// The same with so many directories, files in each and functions in each of those, for so many nanoseconds.
fn session_of(seed: u64, [directories, files, functions_of]: [u32; 3], duration: u64) -> Session {
    let mut random = Random(seed);
    let mut builder = HierarchyBuilder::new("application");
    let mut functions = Vec::new();
    for place in 0..directories {
        let name = format!("district_{place}");
        let directory = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, &name));
        for file in 0..files {
            let name = format!("file_{place}{file}.c");
            let file = builder.add(directory, Module::named(ModuleKind::File, &name));
            for function in 0..functions_of {
                let name = format!("function_{function}");
                let loc = 1 + random.below(60) as u32;
                let function = Module {
                    loc,
                    ..Module::named(ModuleKind::Function, &name)
                };
                functions.push(builder.add(file, function));
            }
        }
    }
    let (hierarchy, modules) = builder.build();

    let reporter = Reporter::new();
    let mut trace = TraceBuilder::new(&reporter);
    let ids: Vec<_> = (0..functions.len())
        .map(|index| {
            let name = format!("function {index}");
            trace.function(Function {
                name: &name,
                ..Function::default()
            })
        })
        .collect();
    let place = || Place::file("made here");
    let thread = trace.thread("1", "1");
    for ns in 0..duration as i64 / 500 {
        let time = Timestamp::from_ns(ns * 500);
        let open = trace.open_calls(thread) as u64;
        if open == 0 || (open < 9 && random.below(9) >= open) {
            // A tenth of the functions, from all districts, do most of the work.
            let step = if random.below(4) == 0 { 1 } else { 10 };
            let function = random.below(functions.len() as u64 / step) * step;
            trace.enter(thread, time, ids[function as usize], place);
        } else {
            trace.exit(thread, time, None, place);
        }
    }
    let (functions_table, trace) = trace.finish(place);
    Session {
        source_dir: None,
        hierarchy,
        recordings: vec![Resolved {
            recording: Recording {
                path: "made here".into(),
                format: "chrome-json",
                kind: RecordingKind::Trace,
                functions: functions_table,
                trace,
                profile: None,
                weighed: None,
                memory: None,
                lines: None,
                sampling: None,
                left_out: None,
                gaps: callscape::facts::gaps::Gaps::default(),
                failed: Vec::new(),
                played: None,
                revision: None,
                samples: 0,
                warnings: reporter.warnings(),
            }
            .into(),
            resolution: Resolution {
                modules: functions.iter().map(|node| modules[node.index()]).collect(),
                rules: vec![Rule::QualifiedName; functions.len()],
            },
        }],
        source_warnings: Vec::new(),
        named: Default::default(),
    }
}

/// Chooses the names of a view that fills the picture, nothing pointed at or chosen.
fn label(view: &mut City, session: &Session, camera: &Camera, size: Vec2) {
    let lettering = Lettering::whole(size, 14.0);
    view.label(session, &Selection::default(), &[], camera, &lettering);
}

fn moment(ns: u64) -> Option<Moment> {
    Some(Moment {
        recording: 0,
        time: Time::from_ns(ns),
        previous: Time::from_ns(ns.saturating_sub(20_000)),
        ..Moment::default()
    })
}

fn settings() -> LandscapeSettings {
    LandscapeSettings {
        half_life: Cost::from_ns(5_000),
        ..LandscapeSettings::default()
    }
}

#[test]
fn what_runs_glows_and_tints_its_modules_up_to_the_root() {
    let session = session(1);
    let mut view = City::new(&session, &settings(), &Cut::all());
    assert_eq!(view.blocks().len(), session.hierarchy.len());
    let trace = &session.recordings[0].recording.trace;
    let modules = &session.recordings[0].resolution.modules;
    for ns in [0, 1, 250_000, 500_000, 999_000, 10_000] {
        view.show(&session, moment(ns));
        let mut stack = Vec::new();
        for thread in trace.thread_ids() {
            trace.stack_at(thread, Time::from_ns(ns), &mut stack);
            for &call in &stack {
                let module = modules[trace.call(thread, call).function.index()];
                for above in session.hierarchy.ancestors(module) {
                    let glow = view.looks()[above.index()].glow;
                    let expected = if above == module {
                        1.0..=1.0
                    } else {
                        0.01..=0.99
                    };
                    assert!(expected.contains(&glow), "{glow} of {above:?} at {ns}");
                }
            }
        }
    }
    view.show(&session, None);
    assert!(
        view.looks()
            .iter()
            .all(|look| look.glow == 0.0 && look.rise == 0.0)
    );
}

#[test]
fn changed_looks_are_all_that_changed() {
    let session = session(2);
    let mut view = City::new(&session, &settings(), &Cut::all());
    let mut uploaded = view.looks().to_vec();
    let mut random = Random(3);
    for _ in 0..60 {
        view.show(&session, moment(random.below(1_000_000)));
        match view.changed_looks() {
            ChangedLooks::All => uploaded.copy_from_slice(view.looks()),
            ChangedLooks::Activity(changed) => {
                for of in changed {
                    let look = &mut uploaded[of.block as usize];
                    (look.data, look.glow, look.rise) = (of.data, of.glow, of.rise);
                }
            }
        }
        assert_eq!(uploaded, view.looks());
    }
}

#[test]
fn a_moment_looks_the_same_whatever_was_shown_before() {
    let session = session(4);
    let settings = settings();
    let mut wandering = City::new(&session, &settings, &Cut::all());
    let mut random = Random(5);
    for _ in 0..20 {
        let at = moment(random.below(1_000_000));
        wandering.show(&session, at);
        let mut fresh = City::new(&session, &settings, &Cut::all());
        fresh.show(&session, at);
        assert_eq!(wandering.looks(), fresh.looks());
        let curves = |view: &City| {
            let Arcs { arcs, points, .. } = view.arcs().clone();
            let of = |arc: &Arc| points[arc.first_point as usize..][..arc.points as usize].to_vec();
            let paths: Vec<Vec<Vec3>> = arcs.iter().map(of).collect();
            let looks: Vec<Arc> = arcs
                .iter()
                .map(|&arc| Arc {
                    first_point: 0,
                    ..arc
                })
                .collect();
            (paths, looks)
        };
        assert_eq!(curves(&wandering), curves(&fresh));
    }
}

/// Played in small steps to and fro with jumps between them, what is counted from step to step is what is summed up at
/// once, in all modes and where there are too many arcs.
#[test]
fn a_moment_is_the_same_played_to_and_jumped_to() {
    let session = session_of(6, [6, 5, 8], 1_000_000);
    let mut random = Random(7);
    for mode in [ArcMode::All, ArcMode::Step, ArcMode::Selection] {
        for most_arcs in [usize::MAX, 700, 350, 20] {
            let settings = LandscapeSettings {
                arcs: mode,
                most_arcs,
                ..settings()
            };
            let mut playing = City::new(&session, &settings, &Cut::all());
            let mut time = 300_000u64;
            let mut range = None;
            let mut most = 0;
            for step in 0..60 {
                let selection = Selection {
                    chosen: Pointed::at_module(Some(ModuleId(7 + step / 20 * 30))),
                    ..Selection::default()
                };
                let previous = match random.below(4) {
                    0 => time.saturating_sub(random.below(9_000)),
                    _ => time,
                };
                time = match random.below(9) {
                    0 => random.below(1_000_000),
                    1 | 2 => time.saturating_sub(random.below(4_000)),
                    _ => time + random.below(4_000),
                };
                if step % 15 == 0 {
                    let [a, b] = [0, 1].map(|_| Time::from_ns(random.below(1_000_000)));
                    let some = TimeRange::new(a.min(b), a.max(b));
                    range = (random.below(2) == 0).then_some(some);
                }
                let moment = Some(Moment {
                    time: Time::from_ns(time),
                    previous: Time::from_ns(previous.min(time)),
                    range,
                    ..Moment::default()
                });
                let mut fresh = City::new(&session, &settings, &Cut::all());
                for view in [&mut playing, &mut fresh] {
                    view.point(&selection);
                    view.show(&session, moment);
                }
                assert_eq!(playing.looks(), fresh.looks(), "{moment:?}");
                let counted = |view: &City| view.relations().collect::<Vec<_>>();
                assert_eq!(counted(&playing), counted(&fresh), "{mode:?} {moment:?}");
                assert_eq!(playing.arcs_left_out(), fresh.arcs_left_out());
                let drawn = |view: &City| -> Vec<Arc> {
                    let arcs = view.arcs().arcs.iter();
                    arcs.map(|&arc| Arc {
                        first_point: 0,
                        ..arc
                    })
                    .collect()
                };
                assert_eq!(drawn(&playing), drawn(&fresh), "{mode:?} {moment:?}");
                most = most.max(playing.arcs_left_out());
            }
            assert!(most > 0 || most_arcs > 20 || mode == ArcMode::Selection);
        }
    }
}

#[test]
fn collapsed_modules_show_what_they_hold() {
    let session = session(6);
    let cut = Cut::at_level(&session.hierarchy, 1);
    let mut view = City::new(&session, &settings(), &cut);
    assert_eq!(view.blocks().len(), 1 + DIRECTORIES as usize);
    view.show(&session, moment(500_000));
    assert!(view.looks()[1..].iter().any(|look| look.glow == 1.0));
    assert!(view.arcs().arcs.iter().any(|arc| arc.outlined));
    let all = view.module_facts(&session, ModuleId::ROOT);
    let trace = &session.recordings[0].recording.trace;
    assert_eq!(all.calls, trace.calls());
    let parts = session.hierarchy.children(ModuleId::ROOT);
    let parts = parts.map(|id| view.module_facts(&session, id).calls);
    assert_eq!(all.calls, parts.sum::<u64>());
}

#[test]
fn a_call_of_a_nanosecond_in_the_cel_is_seen() {
    let session = session(20);
    let settings = LandscapeSettings {
        // What ended a microsecond ago has faded.
        half_life: Cost::from_ns(100),
        ..settings()
    };
    let mut view = City::new(&session, &settings, &Cut::all());
    let at = moment(500_000).expect("a moment");
    view.show(&session, Some(at));
    let trace = &session.recordings[0].recording.trace;
    let modules = &session.recordings[0].resolution.modules;
    for thread in trace.thread_ids() {
        let cel = TimeRange::new(at.previous + Cost::from_ns(1), at.time);
        trace.calls_in(thread, cel, u32::MAX, |_, call| {
            let look = view.looks()[modules[call.function.index()].index()];
            assert!(look.glow >= 0.25 && look.rise > 0.0, "{call:?} {look:?}");
        });
    }
}
