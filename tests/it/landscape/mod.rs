//! Through the public interface: the landscape of a small session, laid out, played and drawn.

mod amounts;
mod colours;
mod mapping;
mod names;
mod picking;
mod pictures;
mod relations;

use callscape::analysis::resolve::{Resolution, Rule};
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::filter::cut::Cut;
use callscape::layout::geometry::{Arc, Arcs};
use callscape::units::{Cost, ModuleId, Time, TimeRange};
use callscape::views::landscape::{LandscapeSettings, LandscapeView, Moment};
use callscape::warnings::{Place, Reporter};
use glam::Vec3;

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
    for directory in 0..directories {
        let name = format!("district_{directory}");
        let directory = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, &name));
        for file in 0..files {
            let name = format!("file_{file}.c");
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
    }
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
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
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
    let mut view = LandscapeView::new(&session, &settings(), &Cut::all());
    let mut uploaded = view.looks().to_vec();
    let mut random = Random(3);
    for _ in 0..60 {
        view.show(&session, moment(random.below(1_000_000)));
        for range in view.changed_looks() {
            let range = range.start as usize..range.end as usize;
            uploaded[range.clone()].copy_from_slice(&view.looks()[range]);
        }
        assert_eq!(uploaded, view.looks());
    }
}

#[test]
fn a_moment_looks_the_same_whatever_was_shown_before() {
    let session = session(4);
    let settings = settings();
    let mut wandering = LandscapeView::new(&session, &settings, &Cut::all());
    let mut random = Random(5);
    for _ in 0..20 {
        let at = moment(random.below(1_000_000));
        wandering.show(&session, at);
        let mut fresh = LandscapeView::new(&session, &settings, &Cut::all());
        fresh.show(&session, at);
        assert_eq!(wandering.looks(), fresh.looks());
        let curves = |view: &LandscapeView| {
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

#[test]
fn collapsed_modules_show_what_they_hold() {
    let session = session(6);
    let cut = Cut::at_level(&session.hierarchy, 1);
    let mut view = LandscapeView::new(&session, &settings(), &cut);
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
    let mut view = LandscapeView::new(&session, &settings, &Cut::all());
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
