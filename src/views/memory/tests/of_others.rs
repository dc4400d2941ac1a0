//! The view on recordings that tell less than every event with its size: no releases, no sizes, no objects at all.

use std::collections::BTreeMap;

use super::super::choice::By;
use super::super::*;
use super::of_view::{context, document, seek, state_of, state_of_files, widgets};
use crate::testing::{data, wait};
use callscape_base::units::{Time, TimeRange};
use callscape_facts::memory::Known;
use callscape_state::ask::SelectAsk;

fn by_type(state: &State) -> MemoryView {
    let mut view = MemoryView::default();
    view.choice.by = By::Type;
    wait(&mut view, state);
    view
}

/// By name, what a row says of allocations, bytes allocated and objects that lived.
fn rows(view: &MemoryView) -> BTreeMap<String, [Option<u64>; 3]> {
    let rows = view.rows.iter().map(|row| {
        let of = row.amounts;
        let name = view.groups.all[row.group as usize].name.clone();
        (name, [of.allocations, of.allocated, of.live])
    });
    rows.collect()
}

#[test]
fn allocations_without_releases_say_what_was_allocated_and_what_lived() {
    let mut state = state_of_files(vec![data("import/jfr/hoard.jfr.gz")]);
    let memory = document(&state).memory().expect("it has some").clone();
    let Known::Allocations(of) = &memory.known else {
        panic!("allocations");
    };
    let end = memory.end.ns();
    let mut view = by_type(&state);
    let expected = |from: u64, to: u64, with_lived: bool| {
        let mut rows: BTreeMap<String, [Option<u64>; 3]> = BTreeMap::new();
        let lived = |it: u64| with_lived.then_some(it);
        let nothing = [Some(0), Some(0), lived(0)];
        let add = |to: &mut Option<u64>, more: u64| *to = to.map(|it| it + more);
        for object in (0..of.events.end()).filter_map(|it| of.events.object(it)) {
            if (from..=to).contains(&object.creation.ns()) {
                let name = memory.types[object.kind as usize].clone();
                let row = rows.entry(name).or_insert(nothing);
                add(&mut row[0], 1);
                add(&mut row[1], object.size);
            }
        }
        let cells = memory.cells().iter().zip(&of.survivors[0].cells);
        for (cell, row) in cells.filter(|_| with_lived) {
            let name = &memory.types[cell.kind as usize];
            if let Some(of) = rows.get_mut(name) {
                add(&mut of[2], row.live.unwrap_or_default());
            }
        }
        rows
    };
    for percent in [100, 3, 50, 40] {
        let time = end / 100 * percent;
        seek(&mut state, time);
        wait(&mut view, &state);
        assert_eq!(rows(&view), expected(0, time, true), "at {percent} %");
    }
    let (_, text) = widgets(&context(), &mut view, &state);
    for words in [
        "sampling",
        "Releases are not recorded",
        "heap used",
        "bytes allocated in a pixel",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    for words in [
        "live bytes",
        "Temporary",
        "Go to the peak",
        "temporary ones",
    ] {
        assert!(!text.contains(words), "{words} in {text}");
    }
    // In a range what was allocated in it, and of that nothing is known to have lived.
    let (from, to) = (end / 10, end / 2);
    let range = TimeRange::new(Time::from_ns(from), Time::from_ns(to));
    state.execute(SelectAsk::SetRange(Some(range)));
    state.advance(std::time::Duration::ZERO);
    wait(&mut view, &state);
    assert_eq!(rows(&view), expected(from, to, false));
    assert!(!view.rows.is_empty());
}

#[test]
fn objects_without_sizes_are_counted() {
    let mut state = state_of_files(vec![data("import/orders.viztracer.json")]);
    let end = document(&state).memory().expect("it has some").end;
    seek(&mut state, end.ns());
    let mut view = by_type(&state);
    let (_, text) = widgets(&context(), &mut view, &state);
    for words in [
        "6 objects live",
        "live objects, 8 at most",
        "peak 8 objects",
        "memory: rss",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    for words in ["live bytes", "B live", "Two peaks"] {
        assert!(!text.contains(words), "{words} in {text}");
    }
    let found: Vec<u64> = view
        .rows
        .iter()
        .filter_map(|row| row.amounts.live)
        .collect();
    assert_eq!(found, [3, 3, 0]);
}

#[test]
fn counters_alone_are_shown_along_time() {
    let state = state_of(
        r#"[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":900},
            {"ph":"C","name":"RSS","pid":1,"ts":3,"args":{"RSS":4096}},
            {"ph":"C","name":"RSS","pid":1,"ts":300,"args":{"RSS":900000}}]"#,
    );
    let mut view = MemoryView::default();
    let (_, text) = widgets(&context(), &mut view, &state);
    for words in ["RSS", "has only periodic measurements", "KiB"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    for words in ["live", "allocations", "peak"] {
        let said = text.replace("or live objects", "");
        assert!(!said.contains(words), "{words} in {text}");
    }
    assert!(view.rows.is_empty());
}
