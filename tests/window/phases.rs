//! The phases in the window: unfolded by a click, repetitions stepped through, a phase chosen elsewhere brought into sight.

use std::fmt::Write;

use serde_json::Value;

use crate::common;
use crate::display::{Display, Window, draws_nothing_at_rest, views};

/// A main function with twelve steps of two parts each, of which the seventh is odd.
fn steps() -> String {
    let mut events = String::new();
    let mut call = |name: &str, start: u64, length: u64| {
        let separator = if events.is_empty() { "" } else { "," };
        let _ = write!(
            events,
            r#"{separator}{{"name":"{name}","ph":"X","ts":{start},"dur":{length},"pid":1,"tid":1}}"#
        );
    };
    call("main", 0, 1300);
    for step in 0..12 {
        let at = 10 + step * 100;
        call("step", at, 90);
        let part = if step == 6 { "odd" } else { "part" };
        let inner = if step == 6 { "strange" } else { "work" };
        for (index, name) in [part, "other"].into_iter().enumerate() {
            let at = at + 5 + index as u64 * 40;
            call(name, at, 35);
            (0..3).for_each(|number| call(inner, at + 1 + number * 10, 8));
        }
    }
    format!(r#"{{"traceEvents":[{events}]}}"#)
}

fn instances(state: &Value) -> Vec<u64> {
    let all = state["phases"]["instances"].as_array();
    all.into_iter()
        .flatten()
        .filter_map(Value::as_u64)
        .collect()
}

#[test]
fn phases_are_unfolded_and_instances_chosen() {
    let Some(display) = Display::open() else {
        return;
    };
    let folder = common::Scratch::new("phases");
    let trace = folder.write("steps.json", steps().as_bytes());
    let window = Window::open(&display, &[&trace]);
    window.wait("open session", |state| state["open"].is_string());
    window.key("8");
    window.wait("the phases", |state| views(state).contains(&"phases"));
    window.key("1");
    window.wait("no landscape", |state| views(state) == ["phases"]);
    let state = window.wait("phases", |state| {
        state["phases"]["layers"].as_u64() >= Some(2)
    });
    assert_eq!(instances(&state)[0], 0);
    // Outermost frames stand before those below them; the innermost one is stepped through.
    let innermost = |state: &Value| instances(state).last().copied();
    window.key("shift+p");
    let next = window.wait("the next instance", |now| {
        instances(now) != instances(&state)
    });
    window.key("shift+o");
    window.wait("the one before", |now| innermost(now) != innermost(&next));
    // The first box from above, which is higher than the band along time: what it is becomes what is chosen, and it folds.
    let mut hovered = 0;
    let box_at = (100..500).step_by(10).find(|&y| {
        window.point(100, y);
        let is_over = window.state()["hovered"].is_string();
        hovered = if is_over { hovered + 1 } else { 0 };
        hovered == 5
    });
    let box_at = box_at.expect("a box") - 20;
    window.point(100, box_at);
    window.click(1, 1);
    let state = window.wait("a call chosen", |state| state["call"].is_array());
    assert_eq!(state["phases"]["layers"], 1, "{state}");
    // Elsewhere in it, for two clicks in one place would limit every view to its time.
    window.point(160, box_at + 20);
    window.click(1, 1);
    window.wait("its phases", |state| {
        state["phases"]["layers"].as_u64() >= Some(2)
    });
    draws_nothing_at_rest(&window);
    window.close();
}
