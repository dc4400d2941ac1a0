//! The view on a recording of heaptrack that is made here, whose objects are known one by one.

mod peaks;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use egui::{Pos2, RawInput, Rect, Shape};

use super::super::asking::Which;
use super::super::choice::{By, Mode, Tenths};
use super::super::*;
use crate::parts::style;
pub(super) use crate::testing::document;
use crate::testing::{frame, opened, wait};
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_facts::memory::Object;
use callscape_facts::memory::random::Random;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{Ask, ViewAsk};
use callscape_state::playback::Step;

/// What is known of an object that was made.
#[derive(Clone, Copy, Debug)]
struct Made {
    function: usize,
    size: u64,
    created: u64,
    released: Option<u64>,
    /// The next event after its creation released it.
    is_temporary: bool,
}

const FUNCTIONS: [&str; 4] = ["list", "tree", "text", "pool"];

/// Writes a recording of `count` events, each some milliseconds after the one before.
fn make(seed: u64, count: usize) -> (Vec<Made>, String) {
    let mut text = String::from("v 10500 0\nI 1000\ns app\ns main\ns main.c\n");
    for name in FUNCTIONS {
        let _ = write!(text, "s {name}\ns {name}.c\n");
    }
    text.push_str("i 1 1 2 3 1\n");
    for number in 0..FUNCTIONS.len() {
        let _ = writeln!(
            text,
            "i {:x} 1 {:x} {:x} 1",
            number + 16,
            4 + 2 * number,
            5 + 2 * number
        );
    }
    text.push_str("t 1 0\n");
    for number in 0..FUNCTIONS.len() {
        let _ = writeln!(text, "t {:x} 1", number + 2);
    }
    let mut random = Random(seed);
    let (mut made, mut living): (Vec<Made>, Vec<usize>) = Default::default();
    let (mut ms, mut last) = (0, None);
    for number in 0..count {
        ms += random.below(4);
        let _ = writeln!(text, "c {ms:x}");
        if number % 50 == 0 {
            let _ = writeln!(text, "R {:x}", number + 10);
        }
        let time = ms * 1_000_000;
        if random.below(5) < 2 && !living.is_empty() {
            let which = living.swap_remove(random.below(living.len() as u64) as usize);
            made[which].released = Some(time);
            made[which].is_temporary = last == Some(which);
            let _ = writeln!(text, "- {:x}", which + 1);
            last = None;
            continue;
        }
        let function = random.below(4) as usize;
        let size = 16 << random.below(8);
        let _ = writeln!(text, "+ {size:x} {:x} {:x}", function + 2, made.len() + 1);
        last = Some(made.len());
        living.push(made.len());
        made.push(Made {
            function,
            size,
            created: time,
            released: None,
            is_temporary: false,
        });
    }
    (made, text)
}

fn file(text: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("callscape-memory-{}-{number}.heaptrack", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).expect("a temporary file");
    path
}

pub(super) fn state_of(text: &str) -> State {
    state_of_runs(&[text])
}

fn state_of_runs(texts: &[&str]) -> State {
    let recordings: Vec<PathBuf> = texts.iter().map(|text| file(text)).collect();
    let state = state_of_files(recordings.clone());
    for path in recordings {
        let _ = std::fs::remove_file(path);
    }
    state
}

pub(super) fn state_of_files(recordings: Vec<PathBuf>) -> State {
    opened(recordings, &ENTRY)
}

fn carry_out(state: &mut State, asks: &mut Asks) {
    let asked = std::mem::take(asks).take();
    asked.into_iter().for_each(|ask| state.execute(ask));
    state.advance(Duration::ZERO);
}

pub(super) fn seek(state: &mut State, time: u64) {
    state.execute(PlayAsk::Seek(Time::from_ns(time)));
    state.advance(Duration::ZERO);
}

pub(super) fn context() -> egui::Context {
    let ctx = egui::Context::default();
    style::set_fonts(&ctx, None);
    ctx
}

/// The widgets once all have found their places, and the text among them.
pub(super) fn widgets(
    ctx: &egui::Context,
    view: &mut MemoryView,
    state: &State,
) -> (Vec<Shape>, String) {
    let window = Rect::from_min_size(Pos2::ZERO, egui::vec2(1200.0, 900.0));
    let mut shapes = Vec::new();
    loop {
        wait(view, state);
        let (found, _, asks) = frame(ctx, view, state, (window, None), RawInput::default());
        assert!(asks.is_empty(), "nobody clicked: {asks:?}");
        if found == shapes && !view.is_waiting() {
            break;
        }
        shapes = found;
    }
    let mut text = String::new();
    for shape in &shapes {
        if let Shape::Text(of) = shape {
            text.push_str(of.galley.text());
            text.push('\n');
        }
    }
    (shapes, text)
}

/// Presses and releases at a place of the widgets, as `widgets` shows them; what was asked.
fn click(
    ctx: &egui::Context,
    view: &mut MemoryView,
    state: &State,
    shift: bool,
    [at, to]: [Pos2; 2],
) -> Vec<Ask> {
    wait(view, state);
    // Long after what was clicked before: two clicks at once are a double-click.
    let mut time = ctx.input(|input| input.time) + 5.0;
    let window = Rect::from_min_size(Pos2::ZERO, egui::vec2(1200.0, 900.0));
    let modifiers = match shift {
        true => egui::Modifiers::SHIFT,
        false => egui::Modifiers::NONE,
    };
    let button = |pos: Pos2, pressed: bool| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers,
    };
    let mut asks = Vec::new();
    let frames = [
        vec![
            egui::Event::ModifiersChanged(modifiers),
            egui::Event::PointerMoved(at),
        ],
        vec![button(at, true)],
        vec![egui::Event::PointerMoved(to)],
        vec![egui::Event::PointerMoved(to)],
        vec![button(to, false)],
        Vec::new(),
    ];
    for events in frames {
        time += 0.02;
        let input = RawInput {
            events,
            time: Some(time),
            ..RawInput::default()
        };
        asks.extend(frame(ctx, view, state, (window, None), input).2);
    }
    asks
}

/// The number of a function among those that are made.
fn function(name: &str) -> usize {
    let found = FUNCTIONS.iter().position(|it| *it == name);
    found.unwrap_or_else(|| panic!("{name} is made"))
}

fn by_function(seed: u64, count: usize) -> (Vec<Made>, MemoryView, State) {
    let (made, text) = make(seed, count);
    let state = state_of(&text);
    let mut view = MemoryView::default();
    view.choice.by = By::Function;
    wait(&mut view, &state);
    (made, view, state)
}

#[test]
fn rows_at_the_clock_are_what_was_made() {
    let (made, mut view, mut state) = by_function(5, 1200);
    let end = document(&state)
        .resolved()
        .expect("it")
        .recording
        .trace
        .duration()
        .ns();
    for time in [0, end / 3, end / 2 / 1_000_000 * 1_000_000, end] {
        seek(&mut state, time);
        wait(&mut view, &state);
        let mut seen = 0;
        for row in &view.rows {
            let group = &view.groups.all[row.group as usize];
            let of = function(&group.name);
            let created: Vec<&Made> = made
                .iter()
                .filter(|it| it.function == of && it.created <= time)
                .collect();
            let is_gone = |it: &&&Made| it.released.is_some_and(|at| at <= time);
            let gone = created.iter().filter(is_gone).count() as u64;
            let live = created.iter().filter(|it| !is_gone(it));
            let amounts = row.amounts;
            assert_eq!(amounts.allocations, Some(created.len() as u64));
            assert_eq!(amounts.releases, Some(gone));
            assert_eq!(amounts.live_bytes, Some(live.map(|it| it.size).sum()));
            let temporary = created.iter().filter(|it| it.is_temporary && is_gone(it));
            assert_eq!(amounts.temporary, Some(temporary.count() as u64));
            seen += created.len();
        }
        assert_eq!(seen, made.iter().filter(|it| it.created <= time).count());
    }
}

#[test]
fn a_bin_holds_the_objects_of_its_age_and_lists_them() {
    let (made, mut view, mut state) = by_function(9, 900);
    let span = 37_000_000;
    state.execute(PlayAsk::SetStep(Step::Span(Cost::from_ns(span))));
    view.choice.bins = 5;
    for time in [span / 2, 3 * span, 17 * span + 5, 20 * span] {
        seek(&mut state, time);
        wait(&mut view, &state);
        let (_, ages) = view.ages.last().expect("ages");
        assert_eq!(ages.edges.len(), 5);
        let ages = ages.clone();
        for group in 0..view.groups.all.len() as u32 {
            let of = function(&view.groups.all[group as usize].name);
            for bin in 0..5 {
                // What is created in this step has age 1; the very start belongs to the first step.
                let age = |it: &Made| {
                    let steps = (time - it.created) / span;
                    steps.min(time.div_ceil(span).max(1) - 1).min(4) as usize
                };
                let in_bin = |it: &&Made| it.function == of && it.created <= time && age(it) == bin;
                let expected: Vec<&Made> = made.iter().filter(in_bin).collect();
                let is_gone = |it: &&&Made| it.released.is_some_and(|at| at <= time);
                let gone = expected.iter().filter(is_gone).count();
                let found = ages.of(group)[bin];
                let numbers = (found.living as usize, found.released as usize);
                assert_eq!(
                    numbers,
                    (expected.len() - gone, gone),
                    "{of} {bin} at {time}"
                );
                let since = time.saturating_sub(span);
                let just = expected.iter().filter(|it| {
                    it.released
                        .is_some_and(|at| at <= time && at > since || at == 0 && since == 0)
                });
                assert_eq!(ages.just_released(group)[bin] as usize, just.count());
                view.list(document(&state), group, Which::Age(bin));
                wait(&mut view, &state);
                let (_, list) = view.list.last().expect("a list");
                assert_eq!(list.counted, expected.len() as u64);
                let mut created: Vec<u64> = expected.iter().map(|it| it.created).collect();
                created.sort_unstable();
                let listed: Vec<u64> = list.objects.iter().map(|it| it.creation.ns()).collect();
                assert_eq!(listed, created);
            }
        }
    }
}

/// The sizes of what is listed, and how many there are.
fn listed(view: &mut MemoryView, state: &State) -> (Vec<u64>, u64) {
    wait(view, state);
    let (_, list) = view.list.last().expect("a list");
    (
        list.objects.iter().map(|it| it.size).collect(),
        list.counted,
    )
}

#[test]
fn lists_are_sorted_filtered_and_written_as_values_with_commas() {
    let (made, mut view, mut state) = by_function(13, 700);
    seek(&mut state, u64::MAX);
    wait(&mut view, &state);
    let query = view.query(
        document(&state),
        document(&state)
            .memory()
            .and_then(Memory::events)
            .expect("events"),
        None,
        Which::Created,
    );
    view.query = query;
    view.list_sort = (listing::Column::Size, true);
    let (sizes, counted) = listed(&mut view, &state);
    assert_eq!(counted, made.len() as u64);
    assert!(sizes.is_sorted_by(|a, b| a >= b));
    view.filter = "  TREE ".to_owned();
    let (sizes, counted) = listed(&mut view, &state);
    let trees = made.iter().filter(|it| it.function == function("tree"));
    assert_eq!(
        (sizes.len(), counted),
        (trees.clone().count(), sizes.len() as u64)
    );
    let (_, list) = view.list.last().expect("a list");
    let mut out = Vec::new();
    let resolved = document(&state).resolved().expect("a recording");
    let hierarchy = &document(&state).session.hierarchy;
    list.write_csv(resolved, hierarchy, &[], &mut out, &Progress::new())
        .expect("a vector takes everything");
    let text = String::from_utf8(out).expect("text");
    let mut lines = text.lines();
    let titles = "created_ns,released_ns,age_ns,size_bytes,type,module,stack,thread";
    assert_eq!(lines.next(), Some(titles));
    let of_lines: u64 = lines
        .map(|line| {
            line.split(',')
                .nth(3)
                .expect("a size")
                .parse::<u64>()
                .expect("a number")
        })
        .sum();
    assert_eq!(of_lines, trees.map(|it| it.size).sum::<u64>());
    view.filter = "nobody has this name".to_owned();
    assert_eq!(listed(&mut view, &state).1, 0);
}

#[test]
fn objects_left_of_a_range_and_temporary_ones_are_listed_from_their_rows() {
    let (made, mut view, mut state) = by_function(21, 1000);
    let range = TimeRange::new(Time::from_ns(200_000_000), Time::from_ns(700_000_000));
    state.execute(SelectAsk::SetRange(Some(range)));
    view.choice.set_mode(Mode::Range);
    wait(&mut view, &state);
    let lives = |it: &&Made| {
        let created = Time::from_ns(it.created);
        range.contains(created) && it.released.is_none_or(|at| at > range.end.ns())
    };
    let expected = made.iter().filter(lives).count() as u64;
    assert!(expected > 0);
    let count =
        |view: &MemoryView| -> u64 { view.rows.iter().filter_map(|row| row.amounts.live).sum() };
    assert_eq!(count(&view), expected);
    let stay = made.iter().filter(lives).filter(|it| it.released.is_none());
    let found: u64 = view.rows.iter().filter_map(|row| row.amounts.stay).sum();
    assert_eq!(found, stay.count() as u64);
    let mut all = 0;
    for row in view.rows.clone() {
        view.list_row(document(&state), row.group);
        let (_, counted) = listed(&mut view, &state);
        assert_eq!(Some(counted), row.amounts.live);
        all += counted;
    }
    assert_eq!(all, expected);
    state.execute(SelectAsk::SetRange(None));
    seek(&mut state, u64::MAX);
    view.choice.set_mode(Mode::Temporary);
    wait(&mut view, &state);
    for row in view.rows.clone() {
        view.list_row(document(&state), row.group);
        let (_, counted) = listed(&mut view, &state);
        let of = function(&view.groups.all[row.group as usize].name);
        let temporary = made
            .iter()
            .filter(|it| it.function == of && it.is_temporary);
        assert_eq!(counted, temporary.count() as u64);
    }
}

#[test]
fn the_summary_counts_every_object_once_in_each_pattern_and_lists_them() {
    let (made, mut view, mut state) = by_function(33, 1100);
    state.execute(PlayAsk::ToggleSummary);
    for tenths in Tenths::ALL {
        view.choice.tenths = tenths;
        wait(&mut view, &state);
        let (_, patterns) = view.patterns.last().expect("patterns").clone();
        let mut all = 0;
        for group in 0..view.groups.all.len() as u32 {
            let of = function(&view.groups.all[group as usize].name);
            let of_it = made.iter().filter(|it| it.function == of);
            let never = of_it.clone().filter(|it| it.released.is_none()).count();
            assert_eq!(patterns.released[group as usize][9] as usize, never);
            for bin in [0, 4, 9] {
                for (which, pattern) in [
                    (Which::Interval(bin), &patterns.created),
                    (Which::ReleaseAge(bin), &patterns.released),
                ] {
                    view.list(document(&state), group, which);
                    let (_, counted) = listed(&mut view, &state);
                    let expected = pattern[group as usize][bin];
                    assert_eq!(counted, u64::from(expected), "{which:?} of {of}");
                }
            }
            all += patterns.created[group as usize].iter().sum::<u32>() as usize;
        }
        assert_eq!(all, made.len());
        let (_, text) = widgets(&context(), &mut view, &state);
        assert!(
            text.contains("never released") && text.contains("allocation pattern"),
            "{text}"
        );
        assert!(
            view.totals == view.totals_before,
            "nothing is new in a summary"
        );
    }
}

#[test]
fn rows_and_other_views_answer_each_other() {
    let (_, mut view, mut state) = by_function(5, 600);
    seek(&mut state, 400_000_000);
    let ctx = context();
    let before = widgets(&ctx, &mut view, &state).0;
    let events = document(&state).memory().and_then(Memory::events);
    let object: Object = events.and_then(|it| it.object(0)).expect("an object");
    let pointed = view.created_by(document(&state), &object);
    assert_eq!(pointed.call, None, "it has no calls");
    let of_function = Pointed {
        time: None,
        ..pointed
    };
    let of_module = Pointed::at_module(pointed.module);
    let of_time = Pointed {
        time: Some(Time::from_ns(100_000_000)),
        ..Pointed::default()
    };
    for pointed in [of_function, of_module, of_time] {
        let document = state.document.as_mut().expect("it is open");
        document.selection.change(|it| it.pointed = pointed);
        assert!(widgets(&ctx, &mut view, &state).0 != before, "{pointed:?}");
        let document = state.document.as_mut().expect("it is open");
        document
            .selection
            .change(|it| it.pointed = Pointed::default());
        assert!(
            widgets(&ctx, &mut view, &state).0 == before,
            "something is left of {pointed:?}"
        );
    }
    // A row chosen with a key is chosen everywhere, and Enter lists what it counts.
    let mut asks = Asks::default();
    view.on(ViewAsk::Press(TableKey::Rows(1)), &state, &mut asks);
    carry_out(&mut state, &mut asks);
    let first = view.groups.all[view.rows[0].group as usize].pointed;
    assert_eq!(document(&state).selection.chosen.function, first.function);
    view.on(ViewAsk::Press(TableKey::Enter), &state, &mut asks);
    carry_out(&mut state, &mut asks);
    wait(&mut view, &state);
    let (_, list) = view.list.last().expect("a list").clone();
    assert_eq!(Some(list.counted), view.rows[0].amounts.live);
    // A click on an object goes to the time of its creation.
    let object = list.objects[list.objects.len() / 2];
    view.go_to(document(&state), &object, &mut asks);
    carry_out(&mut state, &mut asks);
    assert_eq!(document(&state).selection.time, object.creation);
    // What is chosen elsewhere comes into sight.
    let last = view.rows.last().copied().expect("a row");
    let of = view.groups.all[last.group as usize].pointed;
    state.execute(SelectAsk::Choose(of));
    view.update(&state, &mut Asks::default());
    assert_eq!(view.at.to_show, view.place_of(last.group));
}

#[test]
fn clicks_and_drags_reach_times_ranges_rows_bars_and_bins() {
    let (_, mut view, mut state) = by_function(5, 600);
    seek(&mut state, 400_000_000);
    let ctx = context();
    widgets(&ctx, &mut view, &state);
    let middle = egui::pos2(600.0, 120.0);
    let asks = click(&ctx, &mut view, &state, false, [middle; 2]);
    let is_seek = |ask: &Ask| matches!(ask, Ask::Play(PlayAsk::Seek(_)));
    assert!(asks.iter().any(is_seek), "{asks:?}");
    let drag = [middle, middle + egui::vec2(90.0, 0.0)];
    let asks = click(&ctx, &mut view, &state, true, drag);
    let is_range = |ask: &Ask| matches!(ask, Ask::Select(SelectAsk::DragRange(_)));
    assert!(asks.iter().any(is_range), "{asks:?}");
    // Along a line through the first row: names, numbers, both bars, and bins.
    let (mut listed, mut chosen) = (Vec::new(), 0);
    let across = (20..860).step_by(200).chain((900..1195).step_by(12));
    let places = across.flat_map(|x| [452.0, 466.0].map(|y| egui::pos2(x as f32, y)));
    for at in places {
        view.query = None;
        let asks = click(&ctx, &mut view, &state, false, [at; 2]);
        match &view.query {
            Some(query) => listed.push(query.title.clone()),
            None => {
                let is_choice = |ask: &&Ask| matches!(ask, Ask::Select(SelectAsk::Choose(_)));
                chosen += asks.iter().filter(is_choice).count();
            }
        }
    }
    for words in [
        "allocated up to",
        "released up to",
        "of age 1 at",
        "of age 10 and older at",
    ] {
        assert!(
            listed.iter().any(|it| it.starts_with(words)),
            "{words}: {listed:?}"
        );
    }
    assert!(chosen > 4, "{chosen}");
}

#[test]
fn the_call_that_created_an_object_is_the_one_open_then() {
    let state = opened(Vec::new(), &ENTRY);
    let document = document(&state);
    let trace = &document.resolved().expect("a recording").recording.trace;
    let creation = Time::from_ns(trace.duration().ns() / 2);
    let mut object = Object {
        created: 0,
        released: None,
        creation,
        release: None,
        thread: callscape_base::units::ThreadId(0),
        size: 8,
        cell: 0,
        stack: callscape_facts::memory::StackId::EMPTY,
        kind: 0,
    };
    let mut stack = Vec::new();
    trace.stack_at(object.thread, creation, &mut stack);
    let found = super::super::asking::call_at(document, &object).map(|it| it.call);
    assert_eq!(found, stack.last().copied());
    assert!(found.is_some());
    object.thread = callscape_base::units::ThreadId(9999);
    assert_eq!(super::super::asking::call_at(document, &object), None);
}
