//! The chart on stacks made here: what is the root while ranges, merging and sessions change.

use super::view::*;
use super::*;
use crate::testing::{document, opened, wait};
use callscape_base::units::ContextId;
use callscape_facts::contexts::Merge;

/// A view of these folded stacks.
fn open(name: &str, stacks: &str) -> (Rings, State) {
    let file = format!("callscape-rings-{name}-{}.folded", std::process::id());
    let path = std::env::temp_dir().join(file);
    std::fs::write(&path, stacks).expect("a file");
    let state = opened(vec![path.clone()], &ENTRY);
    let mut view = Rings::default();
    wait(&mut view, &state);
    let _ = std::fs::remove_file(path);
    (view, state)
}

const RECURSION: &str = "main;a;b 1\nmain;a;b;a;c 20\nmain;b 300\nmain;b;c 4000\nother;c 50000\n";

/// The names on the way to a context.
fn way(view: &Rings, state: &State, context: ContextId) -> String {
    let shown = view.counted.shown().expect("they are counted");
    let names = shown.contexts.way(context).into_iter();
    let names = names.map(|it| document(state).function_name(it));
    names.collect::<Vec<_>>().join(" ")
}

fn find(view: &Rings, state: &State, wanted: &str) -> ContextId {
    let shown = view.counted.shown().expect("they are counted");
    let found = shown
        .contexts
        .ids()
        .find(|it| way(view, state, *it) == wanted);
    found.expect(wanted)
}

fn merge(view: &mut Rings, state: &State, merge: Merge) {
    view.merge = merge;
    wait(view, state);
}

fn root(view: &Rings, state: &State) -> String {
    view.root.map_or(String::new(), |it| way(view, state, it))
}

/// The functions in the chart with their totals, and what is in the middle.
fn pie(view: &Rings, state: &State) -> (Vec<(String, u64)>, Option<String>) {
    let shown = view.counted.shown().expect("they are counted");
    let pie = shown
        .contexts
        .ids()
        .map(|it| (way(view, state, it), shown.total(it).ns()));
    let middle = view.middle(shown);
    let middle = middle.map(|it| document(state).function_name(it).to_owned());
    (pie.filter(|it| it.1 > 0).collect(), middle)
}

#[test]
fn the_root_stays_when_merging_changes_and_functions_are_those_below_it() {
    let (mut view, state) = open("merging", RECURSION);
    view.set_root(Some(find(&view, &state, "main a b")));
    merge(&mut view, &state, Merge::Functions);
    let parts = vec![("b".to_owned(), 1), ("c".to_owned(), 20)];
    assert_eq!(pie(&view, &state), (parts, Some("b".to_owned())));
    let shown = view.counted.shown().expect("they are counted");
    assert_eq!(
        (shown.whole.ns(), shown.size),
        (21, 54_321),
        "shares of everything"
    );
    // Nothing is around one function of many.
    view.set_root(Some(ContextId(0)));
    // The way back leads to the functions of everything, and forth to these again.
    view.step(true);
    wait(&mut view, &state);
    let all = [("b", 301), ("c", 54_020)].map(|it| (it.0.to_owned(), it.1));
    assert_eq!(pie(&view, &state), (all.to_vec(), None));
    view.step(false);
    merge(&mut view, &state, Merge::Paths);
    assert_eq!(root(&view, &state), "main a b");
    // Without recursion it is as it is there; a root of that tree is the largest of those that it stands for.
    merge(&mut view, &state, Merge::Recursion);
    assert_eq!(root(&view, &state), "main a b");
    view.set_root(Some(find(&view, &state, "main a c")));
    merge(&mut view, &state, Merge::Paths);
    assert_eq!(root(&view, &state), "main a b a c");
    view.step(true);
    assert_eq!(root(&view, &state), "main a b");
    view.step(true);
    assert_eq!((view.root, view.roots.count()), (None, [0, 2]));
}

#[test]
fn roots_before_and_after_are_kept_in_sessions() {
    let (mut view, state) = open("kept", RECURSION);
    for name in ["main", "main b", "main b c"] {
        view.set_root(Some(find(&view, &state, name)));
    }
    view.step(true);
    let mut saved = SavedViews::default();
    view.save(&state, &mut saved);
    let mut again = Rings::default();
    assert_eq!(again.restore(&saved, &state), 0);
    wait(&mut again, &state);
    assert_eq!(again.roots, view.roots);
    assert_eq!(root(&again, &state), "main b");
    // Of another recording, or with a function that is not there, they are forgotten.
    let other = opened(
        vec![crate::testing::data("import/hprof/figure1.hprof.txt")],
        &ENTRY,
    );
    let odd = serde_json::json!([[[[0, 99]], [], []], 5]);
    saved.shown.insert("rings_root".to_owned(), Value::Null);
    for odd in [saved.shown["rings_roots"].clone(), odd] {
        saved.shown.insert("rings_roots".to_owned(), odd);
        let mut view = Rings::default();
        view.restore(&saved, &other);
        wait(&mut view, &other);
        assert_eq!((view.root, view.roots.count()), (None, [0, 0]));
    }
}

/// Sizes, colours and limits are of any value, in a chart of everything and of functions below a root.
#[test]
fn every_value_of_a_profile_is_a_size_a_colour_and_a_limit() {
    let state = opened(
        vec![crate::testing::data("import/dhat/xz.dhat.json.gz")],
        &ENTRY,
    );
    let mut view = Rings::default();
    wait(&mut view, &state);
    let shown = view.counted.shown().cloned().expect("they are counted");
    assert!(shown.values.len() > 1, "{:?}", shown.values);
    let other = (shown.value + 1) % shown.values.len();
    let name = shown.values[other].name.clone();
    for (size, colour) in [
        (name.clone(), format!("self {name}")),
        (name.clone(), name.clone()),
    ] {
        (view.size, view.colour) = (size, colour.clone());
        assert_eq!(view.size(&shown), Amount::Total(other));
        let Shade::Amount(of) = view.shade(&shown) else {
            panic!("{colour} is a value");
        };
        assert_eq!(of.title(&shown), colour);
    }
    view.lay_out(&shown, 300.0, 0.1, 0.0);
    let before = shown.contexts.shown_before(other);
    let whole = *before.last().expect("a sum") as f32;
    assert!(!view.chart.segments.is_empty());
    for segment in &view.chart.segments {
        let total = shown.contexts.total(other, ContextId(segment.node)).ns() as f32;
        assert!((segment.to - segment.from - total / whole).abs() < 1e-3);
    }
    for (query, of) in [
        (format!("{name} > 10 %"), Amount::Total(other)),
        (format!("self {name}>0"), Amount::Own(other)),
    ] {
        view.query = query.clone();
        wait(&mut view, &state);
        let least = if query.contains('%') {
            of.whole(&shown) as f64 * 0.1
        } else {
            0.0
        };
        let more = shown
            .contexts
            .ids()
            .filter(|it| of.of(&shown, *it).size() as f64 > least);
        let count = view.found.as_ref().map(|it| it.3);
        assert_eq!(count, Some(more.count()), "{query}");
        assert!(count.is_some_and(|it| it > 0), "{query}");
    }
    // Of another recording they mean nothing, and are as usual.
    let (mut other, state) = open("usual", RECURSION);
    (other.size, other.colour) = (name.clone(), name);
    wait(&mut other, &state);
    let shown = other.counted.shown().expect("they are counted");
    assert_eq!(
        (other.size(shown), other.shade(shown)),
        (Amount::Total(0), Shade::Module)
    );
}

/// The tooltip has all callers, however many: where there is no room for them they scroll.
#[test]
fn the_whole_stack_is_in_the_tooltip() {
    let deep: Vec<String> = (0..60).map(|it| format!("f{it:02}")).collect();
    let (mut view, state) = open("deep", &format!("{} 9\n", deep.join(";")));
    let inner = ContextId(59);
    let mut said = std::collections::BTreeSet::new();
    let mut scrolled = 0.0;
    for _ in 0..12 {
        let ctx = egui::Context::default();
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            let shown = view.counted.shown().cloned().expect("they are counted");
            ui::stack(ui, document(&state), &shown, inner, &mut scrolled);
        });
        output.textures_delta.clear();
        for clipped in output.shapes {
            if let egui::Shape::Text(text) = clipped.shape {
                said.insert(text.galley.text().to_owned());
            }
        }
        scrolled += 100.0;
    }
    for caller in &deep[..59] {
        assert!(said.contains(&format!("← {caller}")), "{caller}: {said:?}");
    }
    view.act(Own::of(Does::StackDown), &state, &mut Asks::default());
    assert!(view.stack.1 > 0.0);
}
