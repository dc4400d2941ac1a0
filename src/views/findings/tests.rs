//! What the list says, and what a click on it does.

use egui::{Event, PointerButton, RawInput, Rect, Shape, pos2, vec2};

use super::ENTRY;
use super::view::FindingsView;
use crate::View;
use crate::parts::remarks::subject;
use crate::parts::style;
use crate::testing::{data, document, frame, opened, wait};
use callscape_state::State;
use callscape_state::ask::{Asks, SelectAsk, TableKey};

/// What is drawn as text, and where.
fn texts(shapes: &[Shape]) -> Vec<(String, Rect)> {
    let mut found = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Text(it) => found.push((it.galley.text().to_owned(), it.visual_bounding_rect())),
            Shape::Vec(inner) => found.extend(texts(inner)),
            _ => {}
        }
    }
    found
}

fn drawn(
    ctx: &egui::Context,
    view: &mut FindingsView,
    state: &State,
    events: Vec<Event>,
) -> (Vec<(String, Rect)>, Vec<callscape_state::ask::Ask>) {
    let window = Rect::from_min_size(pos2(0.0, 0.0), vec2(600.0, 700.0));
    let input = RawInput {
        events,
        ..RawInput::default()
    };
    let (shapes, _, asks) = frame(ctx, view, state, (window, None), input);
    (texts(&shapes), asks)
}

#[test]
fn a_click_on_a_finding_selects_it_and_lights_its_blocks_until_another_is_chosen() {
    let mut state = opened(vec![data("import/toml-threads.viztracer.json")], &ENTRY);
    let mut view = FindingsView::default();
    wait(&mut view, &state);
    assert!(!view.remarks.found.is_empty());
    let ctx = egui::Context::default();
    style::set_fonts(&ctx, None);
    drawn(&ctx, &mut view, &state, Vec::new());
    let (texts, _) = drawn(&ctx, &mut view, &state, Vec::new());
    let of_first = |it: &&(String, Rect)| it.0.starts_with("1. ") && it.0.contains("; more in ");
    let (_, place) = texts.iter().find(of_first).expect("the first finding");
    let (pos, button) = (place.center(), PointerButton::Primary);
    let press = |pressed| Event::PointerButton {
        pos,
        button,
        pressed,
        modifiers: Default::default(),
    };
    drawn(&ctx, &mut view, &state, vec![Event::PointerMoved(pos)]);
    let mut asks = Vec::new();
    for pressed in [true, false] {
        asks.extend(drawn(&ctx, &mut view, &state, vec![press(pressed)]).1);
    }
    assert_eq!(document(&state).city.highlighted().0, 0);
    asks.into_iter().for_each(|ask| state.execute(ask));
    let function = subject(&view.remarks.found[0]);
    assert_eq!(document(&state).selection.chosen.function, function);
    let (lit, all) = document(&state).city.highlighted();
    assert!(0 < lit && lit < all, "{lit} of {all}");
    state.execute(SelectAsk::Select(None));
    assert_eq!(document(&state).city.highlighted().0, 0);

    // Keys walk from finding to finding.
    let mut asks = Asks::default();
    view.press(TableKey::Rows(1), document(&state), &mut asks);
    view.update(&state, &mut asks);
    asks.take().into_iter().for_each(|ask| state.execute(ask));
    let second = subject(&view.remarks.found[1]);
    assert_eq!(document(&state).selection.chosen.function, second);
}

#[test]
fn nothing_remarkable_is_an_answer() {
    let path = std::env::temp_dir().join(format!("callscape-even-{}.folded", std::process::id()));
    let lines: String = (0..20).map(|it| format!("main;step_{it} 100\n")).collect();
    std::fs::write(&path, lines).expect("temporary files can be written");
    let state = opened(vec![path.clone()], &ENTRY);
    std::fs::remove_file(path).expect("it is ours");
    let mut view = FindingsView::default();
    wait(&mut view, &state);
    let ctx = egui::Context::default();
    style::set_fonts(&ctx, None);
    drawn(&ctx, &mut view, &state, Vec::new());
    let (texts, _) = drawn(&ctx, &mut view, &state, Vec::new());
    assert!(
        texts
            .iter()
            .any(|it| it.0.starts_with("Nothing remarkable")),
        "{texts:?}"
    );
}
