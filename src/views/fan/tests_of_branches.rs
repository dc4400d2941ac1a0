//! The fan under the pointer, with branches collapsed, its hues, and what the list of changes has of it.

use callscape_state::ask::{Ask, StepAsk};
use egui::{Event, Modifiers, PointerButton, Pos2, RawInput, Rect, pos2};

use super::discs::Disc;
use super::tests::{document, name, node, open, press};
use super::view::{displayed, pointed_at};
use super::*;
use crate::testing::{self, wait};

const WINDOW: Rect = Rect {
    min: Pos2::ZERO,
    max: pos2(800.0, 600.0),
};

/// A window in which the pointer does something to a view.
struct Window {
    ctx: egui::Context,
    time: f64,
}

impl Window {
    fn frame(&mut self, view: &mut Fan, state: &State, by: f64, events: Vec<Event>) -> Vec<Ask> {
        self.time += by;
        let input = RawInput {
            events,
            time: Some(self.time),
            ..RawInput::default()
        };
        let asks = testing::frame(&self.ctx, view, state, (WINDOW, None), input).2;
        wait(view, state);
        asks
    }

    fn button(at: Pos2, button: PointerButton, pressed: bool) -> Vec<Event> {
        let modifiers = Modifiers::NONE;
        vec![
            Event::PointerMoved(at),
            Event::PointerButton {
                pos: at,
                button,
                pressed,
                modifiers,
            },
        ]
    }

    /// Where the largest disc of this name is drawn: found by what is pointed at there.
    fn find(&mut self, view: &mut Fan, state: &State, wanted: &str) -> Pos2 {
        for y in 5..29 {
            for x in 0..40 {
                let at = pos2(x as f32 * 20.0, y as f32 * 20.0);
                self.frame(view, state, 0.05, vec![Event::PointerMoved(at)]);
                let input = RawInput {
                    time: Some(self.time),
                    ..RawInput::default()
                };
                let pointed = testing::frame(&self.ctx, view, state, (WINDOW, None), input).1;
                let disc = view
                    .discs
                    .all
                    .iter()
                    .find(|it| name(view, state, it) == wanted);
                let compacted = view.compacted.as_ref().expect("it is made");
                let of = disc.map(|it| pointed_at(compacted, document(state), it.node));
                if of.is_some_and(|it| it.module == pointed.module && pointed.module.is_some()) {
                    return at;
                }
            }
        }
        panic!("{wanted} is not drawn");
    }
}

fn shown(view: &Fan, state: &State) -> Vec<String> {
    view.discs
        .all
        .iter()
        .map(|it| name(view, state, it))
        .collect()
}

#[test]
fn a_click_expands_a_right_click_compacts_and_a_long_press_is_neither() {
    let (mut view, state) = open();
    let mut window = Window {
        ctx: egui::Context::default(),
        time: 0.0,
    };
    let packages = shown(&view, &state);
    let at = window.find(&mut view, &state, "lib2");
    for pressed in [true, false] {
        window.frame(
            &mut view,
            &state,
            0.05,
            Window::button(at, PointerButton::Primary, pressed),
        );
    }
    assert_eq!(
        view.discs.all.len(),
        6,
        "lib2 as its classes: {:?}",
        shown(&view, &state)
    );
    view.discs.arrive();
    // What it calls would be less detailed than it.
    let lung = window.find(&mut view, &state, "lib2.Lung");
    for pressed in [true, false] {
        window.frame(
            &mut view,
            &state,
            0.05,
            Window::button(lung, PointerButton::Secondary, pressed),
        );
    }
    let after = shown(&view, &state);
    assert!(
        after.len() < 6 && after.iter().any(|it| it == "lib2"),
        "{after:?} {:?}",
        view.said
    );
    // Held down it asks for the menu, and lets go of nothing.
    while view.discs.all.len() != 3 {
        press(&mut view, &state, Does::Less);
    }
    view.discs.arrive();
    assert_eq!(shown(&view, &state), packages);
    let at = window.find(&mut view, &state, "lib2");
    window.frame(
        &mut view,
        &state,
        0.05,
        Window::button(at, PointerButton::Primary, true),
    );
    window.frame(&mut view, &state, 0.3, Vec::new());
    assert!(!view.is_held);
    let asks = window.frame(&mut view, &state, 0.3, Vec::new());
    assert!(
        view.is_held && asks.iter().any(|it| matches!(it, Ask::Select(_))),
        "{asks:?}"
    );
    window.frame(
        &mut view,
        &state,
        0.05,
        Window::button(at, PointerButton::Primary, false),
    );
    assert_eq!(shown(&view, &state), packages);
}

#[test]
fn branches_are_collapsed_together_with_compaction_and_kept() {
    let (mut view, state) = open();
    let disc = |view: &Fan, wanted: &str| -> Disc {
        let found = view
            .discs
            .all
            .iter()
            .find(|it| name(view, &state, it) == wanted);
        *found.expect(wanted)
    };
    let lib1 = disc(&view, "lib1");
    view.toggle(&lib1);
    assert_eq!(
        (shown(&view, &state), disc(&view, "lib1").hidden),
        (vec!["lib1".to_owned()], 2)
    );
    assert_eq!(view.discs.left_out, 0, "what is hidden is not too small");
    assert_eq!(view.discs.leaving.len(), 2, "they go into it");
    // More detail below it stays hidden, and is counted.
    press(&mut view, &state, Does::More);
    let all = view
        .compacted
        .as_ref()
        .expect("it is made")
        .compaction
        .len();
    let hidden: u32 = view.discs.all.iter().map(|it| it.hidden).sum();
    assert!(hidden > 2, "{:?}", shown(&view, &state));
    assert_eq!(view.discs.all.len() + hidden as usize, all);
    let mut saved = SavedViews::default();
    view.save(&state, &mut saved);
    let mut again = Fan::default();
    assert_eq!(again.restore(&saved, &state), 0);
    wait(&mut again, &state);
    assert_eq!(shown(&again, &state), shown(&view, &state));
    press(&mut view, &state, Does::Less);
    assert_eq!(disc(&view, "lib1").hidden, 2);
    let lib1 = disc(&view, "lib1");
    view.toggle(&lib1);
    assert_eq!(shown(&view, &state).len(), 3);
    // What calls nothing has nothing to collapse.
    let lib3 = disc(&view, "lib3");
    view.toggle(&lib3);
    assert!(view.discs.collapsed.is_empty());
}

#[test]
fn a_package_has_one_hue_and_what_is_in_it_is_near() {
    let (mut view, state) = open();
    press(&mut view, &state, Does::More);
    press(&mut view, &state, Does::More);
    let of = view.compacted.as_ref().expect("it is made");
    let named = |name| displayed(document(&state), &of.names, name);
    let hue = |at: usize| of.hues[at];
    let apart = |a: f32, b: f32| {
        let by = (a - b).abs() % 360.0;
        by.min(360.0 - by)
    };
    let package = |disc: &Disc| {
        let mut at = of.compaction.name(disc.node);
        while of.names.length(at) > 1 {
            at = of.names.without_last(at);
        }
        at
    };
    let packages: std::collections::BTreeMap<_, _> = view
        .discs
        .all
        .iter()
        .map(|it| (named(package(it)), hue(package(it).index())))
        .collect();
    assert_eq!(packages.len(), 3, "lib1 to lib3: {packages:?}");
    for disc in &view.discs.all {
        let own = hue(of.compaction.name(disc.node).index());
        for (other, hue_of_other) in &packages {
            let (near, far) = (
                apart(own, packages[&named(package(disc))]),
                apart(own, *hue_of_other),
            );
            assert!(
                near < far || *other == named(package(disc)),
                "{near} {far} {other}"
            );
        }
    }
}

#[test]
fn what_is_done_is_in_the_list_of_changes_and_undone() {
    let (mut view, mut state) = open();
    let done = |view: &mut Fan, state: &mut State, asks: Vec<Ask>| {
        asks.into_iter().for_each(|ask| state.execute(ask));
        state.note_step(false);
        wait(view, state);
    };
    for _ in 0..2 {
        done(&mut view, &mut state, Vec::new());
    }
    let mut seen = vec![shown(&view, &state)];
    let mut asks = Asks::default();
    let lib2 = node(&view, &state, "lib2");
    view.change_noted(lib2, Direction::Expand, document(&state), &mut asks);
    done(&mut view, &mut state, asks.take());
    seen.push(shown(&view, &state));
    let mut asks = Asks::default();
    let first = view.discs.all[0];
    view.toggle_noted(&first, document(&state), &mut asks);
    done(&mut view, &mut state, asks.take());
    seen.push(shown(&view, &state));
    let asks = press(&mut view, &state, Does::More).take();
    done(&mut view, &mut state, asks);
    seen.push(shown(&view, &state));
    // What is blocked changes nothing.
    let mut asks = Asks::default();
    for _ in 0..9 {
        view.change_all(Direction::Expand, &state, document(&state), &mut asks);
    }
    let names: Vec<&str> = state.steps.all().map(|it| it.name.as_str()).collect();
    let tail = "in the compacted call tree";
    let words =
        ["Expanded lib2", "Collapsed lib1", "Expanded all"].map(|it| format!("{it} {tail}"));
    assert_eq!(names, words);
    done(&mut view, &mut state, asks.take());
    let all = state.steps.all().len();
    for (to, expected) in seen.iter().enumerate().rev().chain(seen.iter().enumerate()) {
        done(&mut view, &mut state, vec![StepAsk::GoTo(to).into()]);
        done(&mut view, &mut state, Vec::new());
        assert_eq!(shown(&view, &state), *expected, "{to}");
        assert_eq!(state.steps.all().len(), all, "nothing is added");
    }
}
