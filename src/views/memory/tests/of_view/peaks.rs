//! Peaks, runs beside each other, recordings without memory, and choices that come back.

use super::super::super::choice::{Choice, Column};
use super::*;
use callscape_model::memory::BelongsTo;

#[test]
fn the_peak_is_marked_and_gone_to() {
    let (made, mut view, mut state) = by_function(8, 800);
    let mut events: Vec<(u64, i64)> = Vec::new();
    for it in &made {
        events.push((it.created, it.size as i64));
        events.extend(it.released.map(|at| (at, -(it.size as i64))));
    }
    let known = document(&state)
        .memory()
        .and_then(Memory::events)
        .expect("events");
    let (bytes, time) = known.peak();
    let mut asks = Asks::default();
    view.act(Own::of(Does::Peak), &state, &mut asks);
    carry_out(&mut state, &mut asks);
    assert_eq!(document(&state).selection.time, time);
    let (_, text) = widgets(&context(), &mut view, &state);
    let words = format!("peak {} at {time}", crate::parts::text::bytes(bytes));
    assert!(text.contains(&words), "{words} in {text}");
    assert!(text.contains("resident set") && text.contains("new in this step"));
    // After all events of a time no more lives than at the peak.
    events.sort_unstable();
    let mut times: Vec<u64> = events.iter().map(|it| it.0).collect();
    times.dedup();
    let live = |t: u64| {
        events
            .iter()
            .filter(|it| it.0 <= t)
            .map(|it| it.1)
            .sum::<i64>()
    };
    assert!(times.into_iter().all(|t| live(t) <= bytes as i64));
}

/// By function the bytes that live when most do, by adding event after event.
fn at_peak(state: &State, place: usize) -> [u64; 4] {
    let recording = &document(state).session.recordings[place].recording;
    let memory = recording.memory.as_ref().expect("memory");
    let events = memory.events().expect("events");
    let mut live = [0_u64; 4];
    let mut most = live;
    for event in 0..events.end() {
        let object = events.object(event).expect("an object");
        let creator = memory.stacks.function(object.stack).expect("a creator");
        let of = function(recording.functions.get(creator).name);
        match events.is_release(event) {
            true => live[of] -= object.size,
            false => live[of] += object.size,
        }
        if live.iter().sum::<u64>() > most.iter().sum() {
            most = live;
        }
    }
    most
}

#[test]
fn two_runs_are_compared_at_their_peaks() {
    let [a, b] = [make(3, 500).1, make(4, 800).1];
    let state = state_of_runs(&[&a, &b]);
    let mut view = MemoryView::default();
    view.choice.by = By::Function;
    view.choice.set_mode(Mode::Peaks);
    wait(&mut view, &state);
    let runs = document(&state).runs.as_ref().expect("two runs");
    let [shown, other] = [runs.place(), runs.place_of_other()];
    let [of_shown, of_other] = [shown, other].map(|it| at_peak(&state, it));
    assert!(view.rows.len() >= 3);
    for row in &view.rows {
        let of = function(&view.groups.all[row.group as usize].name);
        let amounts = row.amounts;
        assert_eq!(amounts.live_bytes, Some(of_shown[of]), "{of}");
        assert_eq!(amounts.other, Some(of_other[of]), "{of}");
    }
    let deltas: Vec<u128> = view
        .rows
        .iter()
        .map(|it| it.amounts.delta().unwrap_or_default().unsigned_abs())
        .collect();
    assert!(deltas.is_sorted_by(|a, b| a >= b));
    let (_, text) = widgets(&context(), &mut view, &state);
    assert!(
        text.contains("other run") && text.contains("Two peaks"),
        "{text}"
    );
}

#[test]
fn recordings_without_memory_say_which_have_it() {
    let state = opened(Vec::new(), &ENTRY);
    let (_, text) = widgets(&context(), &mut MemoryView::default(), &state);
    assert!(
        text.contains("tells nothing of memory") && text.contains("heaptrack"),
        "{text}"
    );
}

/// Two snapshots of massif, of which the second tells who.
const MASSIF: &str = "desc: (none)
cmd: app
time_unit: i
#-----------
snapshot=0
#-----------
time=0
mem_heap_B=0
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=empty
#-----------
snapshot=1
#-----------
time=500
mem_heap_B=300
mem_heap_extra_B=8
mem_stacks_B=0
heap_tree=peak
n1: 300 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n0: 300 0x1091AE: grow (app.c:9)
";

#[test]
fn sums_say_what_they_know_and_what_cannot_be_answered() {
    let state = state_of(MASSIF);
    let mut view = MemoryView::default();
    view.choice.by = By::Function;
    let (_, text) = widgets(&context(), &mut view, &state);
    assert_eq!(view.rows.len(), 1, "{text}");
    let amounts = view.rows[0].amounts;
    assert_eq!((amounts.live_bytes, amounts.live), (Some(300), None));
    for words in [
        "live bytes",
        "Not recorded: allocations",
        "cannot be answered",
        "instructions",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert!(!text.contains("Temporary"), "{text}");
}

#[test]
fn choices_come_back() {
    let choice = Choice {
        by: By::Context,
        mode: Mode::Range,
        belongs_to: BelongsTo::Creator,
        bins: 15,
        tenths: Tenths::Time,
        sort: (Column::Allocations, false),
    };
    for choice in [choice, Choice::default()] {
        let mut saved = SavedViews::default();
        saved::save(&choice, &mut saved);
        assert_eq!(saved::restore(&saved), (choice, 0));
    }
    let mut odd = SavedViews::default();
    for name in [
        "memory_rows",
        "memory_objects",
        "memory_ages",
        "memory_sort",
    ] {
        odd.shown.insert(name.to_owned(), "much".into());
    }
    assert_eq!(saved::restore(&odd), (Choice::default(), 4));
}
