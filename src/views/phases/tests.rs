//! Layers, instances and what a session file keeps.

use std::collections::HashMap;

use super::finding::Settings;
use super::layers::{self, BOX, Of};
use crate::analysis::phases::folding::Folded;
use crate::analysis::phases::{Parent, Phases, Wish, phases};
use crate::facts::builder::{Timestamp, TraceBuilder};
use crate::facts::functions::Function;
use crate::progress::Progress;
use crate::units::Cost;
use crate::warnings::{Place, Reporter};

/// `main` with twelve steps of two parts each, of which the seventh is odd, and an end.
fn steps() -> Phases {
    let reporter = Reporter::new();
    let place = || Place::file("steps");
    let mut builder = TraceBuilder::new(&reporter);
    let thread = builder.thread("p", "1");
    let mut now = 0;
    let mut call = |name: &str| {
        now += 10;
        match name {
            "" => {
                builder.exit(thread, Timestamp::from_ns(now), None, place);
            }
            name => {
                let function = builder.function(Function {
                    name,
                    ..Function::default()
                });
                builder.enter(thread, Timestamp::from_ns(now), function, place);
            }
        }
    };
    call("main");
    for step in 0..12 {
        let part = if step == 6 { "odd" } else { "part" };
        call("step");
        for name in [part, "other"] {
            call(name);
            for _ in 0..3 {
                call(if step == 6 { "strange" } else { "work" });
                call("");
            }
            call("");
        }
        call("");
    }
    call("end");
    for _ in 0..5 {
        call("last");
        call("");
    }
    call("");
    call("");
    let (_, trace) = builder.finish(place);
    let wish = Wish {
        calls: Some(3),
        cost: Some(Cost::from_ns(u64::MAX)),
        ..Wish::of(trace.thread_ids().collect())
    };
    phases(&trace, &wish, &Progress::new()).expect("not cancelled")
}

#[test]
fn unfolding_keeps_what_is_around() {
    let phases = steps();
    let folded = Folded::new(&phases);
    let mut instances = HashMap::new();
    let layers = layers::lay_out(&phases, &folded, 0, &[0, 1], &mut instances);
    let parents: Vec<Parent> = layers.iter().map(|it| it.parent).collect();
    assert_eq!(
        parents,
        [Parent::Root(0), Parent::Phase(0), Parent::Phase(1)]
    );
    // Of twelve steps one is shown, and the end behind them; of a step both parts.
    assert_eq!(layers[1].phases, 13);
    assert_eq!(layers[1].boxes.len(), 2);
    assert_eq!(layers[1].outliers, 1);
    assert_eq!(layers[2].boxes.len(), 2 + phases.gathered_in(Some(1)).len());
    let frame = &layers[1].frames[0];
    assert_eq!((frame.instances, frame.shown), (12, 0));
    assert_eq!(frame.outliers, [6]);
    // No two boxes overlap, and frames hold theirs.
    for layer in &layers {
        for (index, placed) in layer.boxes.iter().enumerate() {
            assert!(placed.rect.max.x <= layer.size.x + 0.1 && placed.rect.size() == BOX);
            let others = &layer.boxes[index + 1..];
            assert!(others.iter().all(|it| !it.rect.intersects(placed.rect)));
        }
    }
    assert!(frame.rect.contains_rect(layers[1].boxes[0].rect));
}

#[test]
fn instances_are_chosen() {
    let phases = steps();
    let folded = Folded::new(&phases);
    let mut instances = HashMap::new();
    let odd = (0..phases.phases.len() as u32).find(|&it| phases.phases[it as usize].is_outlier);
    let odd = odd.expect("an outlier");
    layers::show_instance_of(&phases, &folded, Parent::Phase(0), odd, &mut instances);
    let layers = layers::lay_out(&phases, &folded, 0, &[0], &mut instances);
    assert_eq!(layers[1].frames[0].shown, 6);
    assert_eq!(layers[1].boxes[0].of, Of::Phase(odd));
}

#[test]
fn settings_come_back() {
    for settings in [
        Settings::default(),
        Settings {
            calls: Some(500),
            cost: Some(Cost::from_ns(12_500)),
            similarity: 0.25,
        },
    ] {
        assert_eq!(Settings::restore(&settings.save()), (settings, 0));
    }
    let odd = serde_json::json!({"min_calls": -5, "min_cost_ns": "x", "similarity": 7});
    assert_eq!(Settings::restore(&odd), (Settings::default(), 3));
    let nothing = Settings::restore(&serde_json::json!(null));
    assert_eq!(nothing, (Settings::default(), 0));
}
