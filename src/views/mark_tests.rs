//! What one view shows, marked in others: the functions of a chosen phase (figure 9.2 of Bohnet's thesis), and the range
//! that another view along time shows (figure 6.5).

use std::sync::Arc;

use egui::{Pos2, RawInput, Rect, Shape};
use glam::Vec2;

use super::{Entry, Picture, Surface, View, collaboration, flame, mural, neighbours, phases};
use super::{rings, tree};
use crate::parts::style;
use crate::testing::{self, document, frame};
use callscape_analysis::session::Inputs;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_filter::marked::Marked;
use callscape_filter::selection::Pointed;
use callscape_layout::sheet::Fill;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, SelectAsk};
use callscape_state::panes::ViewId;

const SURFACE: Surface = Surface {
    size: [1000, 500],
    scale: 1.0,
    is_new: true,
};

/// The demo with a view of it, once it has nothing more to work out.
fn opened(entry: &'static Entry) -> (State, Box<dyn View>) {
    let mut state = testing::state(&Inputs::default());
    state.panes.open(ViewId::of(&entry.line));
    let of = document(&state).resolved().expect("a recording");
    let calls = of.recording.calls_by_function();
    let most = (0..).zip(calls).max_by_key(|it| it.1).expect("functions").0;
    state.execute(SelectAsk::Choose(Pointed {
        function: Some(FunctionId(most)),
        ..Pointed::default()
    }));
    (state, (entry.open)())
}

fn settle(view: &mut dyn View, state: &mut State) -> Vec<Ask> {
    let mut all = Vec::new();
    let mut idle = 0;
    while idle < 3 {
        let later = state.now() + std::time::Duration::from_secs(1);
        state.tell_time(later);
        state.poll_jobs();
        state.update_work();
        let mut asks = Asks::default();
        view.update(state, &mut asks);
        let asks = asks.take();
        all.extend(asks.iter().cloned());
        asks.into_iter().for_each(|ask| state.execute(ask));
        let waits = view.is_waiting() || state.work.is_under_way() || state.work.jobs.is_any();
        idle = if waits { 0 } else { idle + 1 };
        if waits {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
    all
}

/// What a view shows: how many corners and shapes, and all texts.
fn shown(ctx: &egui::Context, view: &mut dyn View, state: &mut State) -> (usize, String) {
    settle(view, state);
    if let Picture::Sheet(sheet) = view.picture(state, SURFACE) {
        return (sheet.mesh.corners.len(), sheet.letters.clone());
    }
    let window = Rect::from_min_size(Pos2::ZERO, egui::vec2(900.0, 700.0));
    let mut shapes = Vec::new();
    for _ in 0..3 {
        shapes = frame(ctx, view, state, (window, None), RawInput::default()).0;
    }
    let corners = |shape: &Shape| match shape {
        Shape::Mesh(mesh) => mesh.vertices.len(),
        _ => 1,
    };
    let text = |shape: &Shape| match shape {
        Shape::Text(text) => Some(text.galley.text().to_owned()),
        _ => None,
    };
    let texts: Vec<String> = shapes.iter().filter_map(text).collect();
    (shapes.iter().map(corners).sum(), texts.join("\n"))
}

#[test]
fn the_functions_of_a_chosen_phase_are_marked_in_graphs_and_contexts() {
    for entry in [
        &collaboration::ENTRY,
        &neighbours::ENTRY,
        &tree::ENTRY,
        &rings::ENTRY,
    ] {
        let (mut state, mut view) = opened(entry);
        let ctx = egui::Context::default();
        style::set_fonts(&ctx, None);
        shown(&ctx, &mut *view, &mut state);
        let before = shown(&ctx, &mut *view, &mut state);
        let modules = &document(&state)
            .resolved()
            .expect("a recording")
            .resolution
            .modules;
        let functions: Vec<FunctionId> = (0..modules.len() as u32).map(FunctionId).collect();
        let mut modules: Vec<ModuleId> = modules.to_vec();
        modules.sort_unstable();
        modules.dedup();
        let title = "runs in the phase test".to_owned();
        let lit = Marked::new(title, modules.into(), functions.into(), Vec::new());
        state.execute(Ask::Light(Some(Arc::new(lit))));
        let marked = shown(&ctx, &mut *view, &mut state);
        let id = entry.line.id;
        assert!(marked.0 > before.0, "{id}: {} and {}", marked.0, before.0);
        // Rows of a table say it in a tooltip.
        let says = marked.1.contains("runs in the phase test");
        assert_eq!(says, id != "tree", "{id}: {}", marked.1);
        state.execute(Ask::Light(None));
        let after = shown(&ctx, &mut *view, &mut state);
        assert!(after.0 < marked.0, "{id}: {} and {}", after.0, marked.0);
        assert!(!after.1.contains("runs in the phase"), "{id}");
    }
}

#[test]
fn a_chosen_phase_is_told_to_other_views_until_it_is_chosen_no_longer() {
    let (mut state, mut view) = opened(&phases::ENTRY);
    settle(&mut *view, &mut state);
    assert_eq!(document(&state).lit, None);
    let trace = &document(&state)
        .resolved()
        .expect("a recording")
        .recording
        .trace;
    // The outermost call of the thread that costs most.
    let (thread, _) = trace
        .thread_ids()
        .zip(trace.threads())
        .max_by_key(|it| it.1.calls)
        .expect("threads");
    let call = callscape_base::units::CallId(0);
    let function = trace.call(thread, call).function;
    state.execute(SelectAsk::Choose(Pointed {
        call: Some(callscape_filter::selection::CallOf { thread, call }),
        function: Some(function),
        ..Pointed::default()
    }));
    settle(&mut *view, &mut state);
    let lit = document(&state).lit.clone().expect("a phase is chosen");
    assert!(lit.has_function(function) && lit.functions.len() > 1);
    let name = document(&state).function_name(function);
    assert_eq!(lit.title, format!("runs in the phase {name}"));
    state.execute(SelectAsk::Choose(Pointed::default()));
    settle(&mut *view, &mut state);
    assert_eq!(document(&state).lit, None);
}

#[test]
fn each_view_along_time_marks_what_the_other_shows() {
    for [zoomed, other] in [
        [&flame::ENTRY, &mural::ENTRY],
        [&mural::ENTRY, &flame::ENTRY],
    ] {
        let (mut state, mut marked) = opened(other);
        let id = ViewId::of(&zoomed.line);
        state.panes.open(id);
        state.panes.maximised = Some(id);
        let mut view = (zoomed.open)();
        // What is on its way comes with the next pictures.
        let marks = |view: &mut dyn View, state: &mut State| -> Vec<Fill> {
            loop {
                let mut asks = Asks::default();
                view.update(state, &mut asks);
                asks.take().into_iter().for_each(|ask| state.execute(ask));
                let marks = match view.picture(state, SURFACE) {
                    Picture::Sheet(sheet) => sheet.marks.clone(),
                    _ => panic!("a view along time is a sheet"),
                };
                if !view.is_waiting() {
                    return marks;
                }
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        };
        marks(&mut *view, &mut state);
        let before = marks(&mut *marked, &mut state);
        let at = Vec2::new(700.0, 100.0);
        view.along_time()
            .expect("times")
            .zoom(at, Vec2::new(4.0, 1.0));
        marks(&mut *view, &mut state);
        assert_eq!(document(&state).shown.len(), 1);
        let bracket = marks(&mut *marked, &mut state);
        // A line along the edge, and one up at each end.
        assert_eq!(bracket.len(), before.len() + 3, "{}", other.line.id);
        let line = &bracket[before.len()].rect;
        assert!(line.size().x > 50.0 && line.size().x < 500.0, "{line:?}");
        // All of the recording again, or another tab over it: nothing to mark.
        view.show_all(document(&state));
        marks(&mut *view, &mut state);
        assert_eq!(marks(&mut *marked, &mut state), before);
    }
}
