//! Layers, instances and what a session file keeps.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::ENTRY;
use super::finding::Settings;
use super::layers::{self, BOX, Of};
use super::view::PhasesView;
use crate::testing::wait;
use callscape_analysis::phases::folding::Folded;
use callscape_analysis::phases::{Alike, Parent, Phases, Wish, phases};
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::trace::CostOf;
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::{CallOf, Pointed};
use callscape_state::ask::{FilterAsk, SelectAsk};
use callscape_state::panes::ViewId;
use callscape_state::runs_view::testing::paths;

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
    let layers = layers::lay_out(&phases, &folded, 0, &[0, 1], f32::INFINITY, &mut instances);
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
fn boxes_without_room_stand_in_further_rows() {
    let phases = steps();
    let folded = Folded::new(&phases);
    for width in [0.0, 200.0, 400.0, 2000.0] {
        let mut instances = HashMap::new();
        let layers = layers::lay_out(&phases, &folded, 0, &[0, 1], width, &mut instances);
        for layer in &layers {
            let one_row = layer.boxes.len() as f32 * 2.0 * BOX.x;
            let most = width.max(one_row / 4.0 + BOX.x) + BOX.x;
            assert!(layer.size.x <= most, "{} in {width}", layer.size.x);
            for (index, placed) in layer.boxes.iter().enumerate() {
                let whole = egui::Rect::from_min_size(egui::Pos2::ZERO, layer.size);
                assert!(whole.expand(0.1).contains_rect(placed.rect));
                let others = &layer.boxes[index + 1..];
                assert!(others.iter().all(|it| !it.rect.intersects(placed.rect)));
            }
        }
        let has_rows = layers.iter().any(|it| it.size.y > 2.0 * BOX.y);
        // Two boxes have room side by side.
        assert_eq!(has_rows, width < 2.0 * BOX.x, "{width}");
        let widest = layers.iter().flat_map(|it| &it.boxes);
        let widest = widest.map(|it| it.rect.width()).fold(0.0, f32::max);
        assert!(widest <= width.max(BOX.x), "{widest} in {width}");
        assert!(widest > BOX.x || width < 2000.0, "{widest} in {width}");
    }
}

#[test]
fn instances_are_chosen() {
    let phases = steps();
    let folded = Folded::new(&phases);
    let mut instances = HashMap::new();
    let odd = (0..phases.phases.len() as u32).find(|&it| phases.phases[it as usize].is_outlier);
    let odd = odd.expect("an outlier");
    layers::show_instance_of(&phases, &folded, Parent::Phase(0), odd, &mut instances);
    let layers = layers::lay_out(&phases, &folded, 0, &[0], f32::INFINITY, &mut instances);
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
            alike: Alike::Calls,
            costs: CostOf::Elapsed,
        },
    ] {
        let mut saved = Map::new();
        settings.save(&mut saved);
        assert_eq!(Settings::restore(&saved), (settings, 0));
    }
    let odd = [
        ("min_calls", (-5).into()),
        ("min_cost_ns", "x".into()),
        ("similarity", 7.into()),
    ];
    let odd = Map::from_iter(odd.map(|(name, value): (&str, Value)| (name.to_owned(), value)));
    assert_eq!(Settings::restore(&odd), (Settings::default(), 3));
    let nothing = Settings::restore(&Map::new());
    assert_eq!(nothing, (Settings::default(), 0));
}

#[test]
fn filters_leave_calls_out_and_the_other_run_stands_beside() {
    let mut state = paths();
    state.panes.open(ViewId::of(&ENTRY.line));
    let mut view = PhasesView::default();
    wait(&mut view, &state);
    let found = view.found.clone().expect("phases");
    assert!(found.phases.phases.len() > 3);
    let document = state.document.as_ref().expect("two runs");
    let runs = document.runs.clone().expect("two runs");
    // Nothing is chosen: each phase is compared with that of the other run.
    let mut counterparts = 0;
    for index in 0..found.phases.phases.len() as u32 {
        view.compared = view.pair(document, index);
        assert!(view.is_of_two_runs());
        wait(&mut view, &state);
        let other = view.other.known.clone().expect("the other run");
        assert_eq!(
            other.found.phases.parameters.heavy,
            found.phases.parameters.heavy
        );
        let Some(counterpart) = other.counterpart(index) else {
            continue;
        };
        let [own, there] = [&found, &other.found].map(|it| &it.phases.phases);
        let own = own[index as usize].function;
        let there = there[counterpart as usize].function;
        let side = runs.side();
        assert_eq!(runs.row_of(side, own), runs.row_of(1 - side, there));
        counterparts += 1;
    }
    assert!(counterparts > 3, "{counterparts}");
    // Without the module of a phase there is no call of it, and the calls below it are there.
    let function = found.phases.phases[1].function;
    let module = document.module_of(function).expect("its module");
    let calls = found.phases.calls();
    state.execute(FilterAsk::Add(FilterStep::RemoveModule(module)));
    wait(&mut view, &state);
    let left = view.found.clone().expect("phases");
    let document = state.document.as_ref().expect("two runs");
    let is_left = |it: u32| document.module_of(FunctionId(it)) != Some(module);
    assert!(left.phases.calls() < calls && left.phases.calls() > 0);
    for phase in &left.phases.phases {
        assert!(left.phases.functions(phase).iter().all(|&it| is_left(it)));
    }
    let rows = left.phases.gathered.iter();
    assert!(rows.map(|row| row.function.0).all(is_left));
    // A thread that is left out has no phases.
    let threads: Vec<_> = left.phases.roots.iter().map(|root| root.thread).collect();
    state.execute(FilterAsk::Add(FilterStep::HideThread(threads[0])));
    wait(&mut view, &state);
    let roots = &view.found.as_ref().expect("phases").phases.roots;
    assert_eq!(roots.len(), threads.len() - 1);
    assert!(roots.iter().all(|root| root.thread != threads[0]));
    state.execute(FilterAsk::Remove(0));
    state.execute(FilterAsk::Remove(0));
    wait(&mut view, &state);
    let again = view.found.as_ref().expect("phases");
    assert_eq!(again.phases.phases, found.phases.phases);
}

#[test]
fn shares_of_what_is_left_are_those_of_its_calls() {
    let mut state = paths();
    state.panes.open(ViewId::of(&ENTRY.line));
    let mut view = PhasesView::default();
    wait(&mut view, &state);
    let mut compared = 0;
    let functions = {
        let found = view.found.as_ref().expect("phases");
        found.phases.functions(&found.phases.phases[0]).to_vec()
    };
    // Nothing of the thread is left out by a call that is none: then both ways to a share agree.
    let none = CallOf {
        thread: ThreadId(0),
        call: CallId(u32::MAX),
    };
    for &function in functions.iter().take(12) {
        let mut shares = Vec::new();
        for is_filtered in [false, true] {
            if is_filtered {
                state.execute(FilterAsk::Add(FilterStep::RemoveBelowCall(none)));
            }
            let of = Pointed {
                function: Some(FunctionId(function)),
                ..Pointed::default()
            };
            state.execute(SelectAsk::Choose(of));
            wait(&mut view, &state);
            let found = view.found.as_ref().expect("phases");
            assert_eq!(found.of.rules.leaves_threads_whole(), !is_filtered);
            let count = found.phases.phases.len() as u32;
            shares.push(
                (0..count)
                    .map(|it| view.meaning.share(it))
                    .collect::<Vec<_>>(),
            );
        }
        state.execute(FilterAsk::Remove(0));
        wait(&mut view, &state);
        for (whole, left) in shares[0].iter().zip(&shares[1]) {
            assert_eq!(whole.is_some(), left.is_some());
            let [whole, left] = [whole, left].map(|it| it.unwrap_or(0.0));
            assert!((whole - left).abs() < 1e-3, "{whole} and {left}");
            compared += usize::from(whole > 0.0);
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn widgets_wrap_in_a_narrow_pane() {
    let mut state = paths();
    state.panes.open(ViewId::of(&ENTRY.line));
    let mut view = PhasesView::default();
    wait(&mut view, &state);
    let ctx = egui::Context::default();
    crate::style::set_fonts(&ctx, None);
    let window = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(330.0, 700.0));
    let mut shapes = Vec::new();
    for _ in 0..3 {
        let input = egui::RawInput::default();
        shapes = crate::testing::frame(&ctx, &mut view, &state, (window, None), input).0;
    }
    let texts = shapes.iter().filter_map(|shape| match shape {
        egui::Shape::Text(text) => Some((text.galley.text().to_owned(), shape)),
        _ => None,
    });
    let mut seen = 0;
    for (text, shape) in texts {
        let is_head = ["Automatic", "Bookmarks", "Alike"].contains(&text.as_str());
        if is_head || text.contains("explained") || text.contains("whole thread") {
            seen += 1;
            let right = shape.visual_bounding_rect().right();
            assert!(right <= window.right(), "{text} ends at {right}");
        }
    }
    assert_eq!(seen, 5);
}
