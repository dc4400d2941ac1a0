//! The view on small trees and recordings made here, as its widgets show them.

mod asks;
mod texts;

use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use egui::{Pos2, RawInput, Rect, Shape};

use super::numbers::Tint;
use super::*;
use crate::parts::code_look::{Look, ROW};
use crate::testing::{self, frame, wait};
use callscape_analysis::session::{Inputs, Sides};
use callscape_base::units::{CallId, ThreadId, Time, TimeRange};
use callscape_filter::selection::CallOf;
use callscape_state::ask::{Ask, EditAsk, OpenAsk, SelectAsk, TableKey, ViewAsk};
use callscape_state::document::source::SourceLine;

fn does(action: Does) -> ViewAsk {
    ViewAsk::Do(Own::of(action))
}

const WINDOW: Rect = Rect {
    min: Pos2::ZERO,
    max: Pos2 {
        x: 1200.0,
        y: 800.0,
    },
};

/// A folder for one test, gone after it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("callscape-code-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    }

    fn tree(&self) -> PathBuf {
        self.0.join("tree")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// `run` calls `leaf` in line 9 and `twice` in line 10, which calls `leaf` twice in line 4; `unused` never runs.
const TEXT: &str = "int leaf(int x) { return x; }\n\
    \n\
    int twice(int x) {\n\
    \treturn leaf(x) + leaf(x);\n\
    }\n\
    \n\
    int unused(int x) { return leaf(x); }\n\
    int run(void) {\n\
    \tint s = leaf(1);\n\
    \treturn s + twice(s);\n\
    }\n";

/// Name, start and length in microseconds.
type Event<'a> = (&'a str, u64, u64);

const EVENTS: [Event<'static>; 5] = [
    ("run", 0, 100),
    ("leaf", 10, 10),
    ("twice", 30, 60),
    ("leaf", 35, 20),
    ("leaf", 60, 20),
];

fn trace(events: &[Event<'_>]) -> String {
    let events = events.iter().map(|(name, start, length)| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{start},"dur":{length},"name":"{name}"}}"#)
    });
    format!("[{}]", events.collect::<Vec<_>>().join(",\n"))
}

/// The view alone with what is open.
struct Alone {
    view: CodeView,
    state: State,
    ctx: egui::Context,
    time: f64,
}

impl Alone {
    fn new(inputs: &Inputs) -> Alone {
        let mut state = testing::state(inputs);
        let id = ViewId::of(&ENTRY.line);
        state.panes.open(id);
        state.panes.under_pointer = Some((id, glam::Vec2::ZERO));
        let ctx = egui::Context::default();
        crate::parts::style::set_fonts(&ctx, None);
        crate::parts::style::set_theme(&ctx, state.settings.theme);
        Alone {
            view: CodeView::default(),
            state,
            ctx,
            time: 0.0,
        }
    }

    /// Of the text and the trace of the top of this file.
    fn small(folder: &Folder) -> Alone {
        folder.write("tree/a.c", TEXT);
        Alone::new(&Inputs {
            source_dir: Some(folder.tree()),
            recordings: vec![folder.write("trace.json", trace(&EVENTS))],
            ..Inputs::default()
        })
    }

    fn document(&self) -> &Document {
        self.state.document.as_ref().expect("it is open")
    }

    fn module(&self, name: &str) -> ModuleId {
        let hierarchy = &self.document().session.hierarchy;
        let mut modules = hierarchy.modules();
        let found = modules.find(|&id| hierarchy.name(id) == name);
        found.unwrap_or_else(|| panic!("there is no {name}"))
    }

    fn choose(&mut self, name: &str) {
        let module = self.module(name);
        self.state.execute(SelectAsk::Select(Some(module)));
    }

    /// Until nothing more is worked out.
    fn wait(&mut self) {
        wait(&mut self.view, &self.state);
    }

    fn frame(&mut self, events: Vec<egui::Event>) -> (Vec<Shape>, Pointed, Vec<Ask>) {
        self.time += 0.1;
        let input = RawInput {
            events,
            time: Some(self.time),
            ..RawInput::default()
        };
        let window = (WINDOW, None);
        frame(&self.ctx, &mut self.view, &self.state, window, input)
    }

    /// The widgets once all have found their places.
    fn shapes(&mut self) -> Vec<Shape> {
        let mut before = Vec::new();
        loop {
            self.wait();
            let (shapes, _, asks) = self.frame(Vec::new());
            assert!(asks.is_empty(), "nobody clicked: {asks:?}");
            if shapes == before && !self.view.is_waiting() {
                return shapes;
            }
            before = shapes;
        }
    }

    /// All texts with their places.
    fn texts(&mut self) -> Vec<(String, Rect)> {
        let shapes = self.shapes();
        let texts = shapes.iter().filter_map(|shape| match shape {
            Shape::Text(text) => {
                let place = Rect::from_min_size(text.pos, text.galley.size());
                Some((text.galley.text().to_owned(), place))
            }
            _ => None,
        });
        texts.collect()
    }

    fn says(&mut self, what: &str) -> bool {
        self.texts().iter().any(|(text, _)| text.contains(what))
    }

    /// Where a text stands.
    fn place(&mut self, what: &str) -> Pos2 {
        let texts = self.texts();
        let found = texts.iter().find(|(text, _)| text == what);
        let found = found.unwrap_or_else(|| panic!("{what}: {texts:?}"));
        found.1.center()
    }

    /// Clicks at a place, once or twice; what is asked, and what the pointer was on.
    fn click(&mut self, at: Pos2, modifiers: egui::Modifiers, twice: bool) -> (Vec<Ask>, Pointed) {
        self.shapes();
        self.time += 5.0;
        let button = |pressed| egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers,
        };
        let mut frames = vec![
            vec![
                egui::Event::ModifiersChanged(modifiers),
                egui::Event::PointerMoved(at),
            ],
            vec![button(true)],
            vec![button(false)],
        ];
        if twice {
            frames.extend([vec![button(true)], vec![button(false)]]);
        }
        let (mut asks, mut on) = (Vec::new(), Pointed::default());
        for events in frames {
            let (_, pointed, asked) = self.frame(events);
            asks = asked;
            if pointed != Pointed::default() {
                on = pointed;
            }
        }
        self.frame(vec![
            egui::Event::ModifiersChanged(egui::Modifiers::NONE),
            egui::Event::PointerGone,
        ]);
        (asks, on)
    }

    fn act(&mut self, ask: ViewAsk) -> Vec<Ask> {
        let mut asks = Asks::default();
        self.view.on(ask, &self.state, &mut asks);
        asks.take()
    }

    fn caret(&self) -> Option<u32> {
        self.view.caret.map(|(_, line)| line)
    }

    fn label(&self, line: u32) -> Option<String> {
        self.view.label(self.view.own, line)
    }
}

#[test]
fn lines_say_what_their_calls_cost_and_what_never_ran_is_pale() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.choose("run");
    let texts = alone.texts();
    let has = |what: &str| texts.iter().any(|(text, _)| text == what);
    assert!(has("int leaf(int x) { return x; }"), "{texts:?}");
    assert!(has("    return leaf(x) + leaf(x);"), "tabs are widened");
    let labels = [4, 7, 9, 10].map(|line| alone.label(line));
    let expected = [Some("~40.0 µs"), None, Some("~10.0 µs"), Some("~60.0 µs")];
    assert_eq!(labels, expected.map(|it| it.map(str::to_owned)));
    let numbers = alone.view.numbers(1).expect("a recording");
    let ran = [1, 2, 4, 7, 9].map(|line| numbers.ran(line));
    assert_eq!(ran, [Some(true), None, Some(true), Some(false), Some(true)]);
    let by = |line, tint| {
        let of = numbers.lines.line(line).expect("it has calls");
        numbers.strength(of, tint).expect("a colour")
    };
    let strength = |line| by(line, Tint::Calls);
    assert_eq!((alone.view.tint(), strength(4)), (Tint::Run, 1.0));
    // All that a function calls is little of the run.
    let [of_leaf, of_other, of_run] = [4, 9, 10].map(|line| by(line, Tint::Run));
    assert!(of_other < of_leaf && of_leaf < of_run && of_run <= 1.0);
    assert!((of_leaf - 4.0 * of_other).abs() < 1e-6);
    assert!((strength(9) - 1.0 / 7.0).abs() < 1e-6 && (strength(10) - 6.0 / 7.0).abs() < 1e-6);
    let dimmed = Look::of(alone.state.settings.theme);
    assert_ne!(
        dimmed.text(callscape_source::syntax::Class::Plain, true),
        dimmed.text(callscape_source::syntax::Class::Plain, false)
    );
}

#[test]
fn the_view_shows_what_is_chosen_and_at_first_what_costs_most() {
    let folder = Folder::new();
    folder.write("tree/b.c", "int other(void) {\n\treturn 1;\n}\n");
    let mut alone = Alone::small(&folder);
    alone.shapes();
    // `leaf` costs most itself, and makes no calls.
    assert_eq!(alone.caret(), Some(1));
    alone.choose("run");
    alone.shapes();
    assert_eq!(alone.caret(), Some(8));
    alone.choose("other");
    assert!(alone.says("int other(void) {"));
    let relation = ["twice", "leaf"].map(|name| alone.module(name));
    alone.state.execute(SelectAsk::Choose(Pointed {
        relation: Some((relation[0], relation[1])),
        ..Pointed::default()
    }));
    // The list of its calls has opened in a tab over it.
    alone.state.panes.open(ViewId::of(&ENTRY.line));
    assert!(alone.says("int leaf(int x) { return x; }"), "its caller");
    assert_eq!(alone.caret(), Some(4));
    assert_eq!(alone.view.marks[1].lines, [4]);
    // What is chosen and has no place changes nothing.
    alone.state.execute(SelectAsk::Select(None));
    alone.shapes();
    assert_eq!(alone.caret(), Some(4));
}

#[test]
fn what_is_pointed_at_elsewhere_is_marked() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.choose("run");
    alone.shapes();
    let [run, twice, leaf, unused] =
        ["run", "twice", "leaf", "unused"].map(|name| alone.module(name));
    let call = |call| CallOf {
        thread: ThreadId(0),
        call: CallId(call),
    };
    let nothing = Pointed::default();
    type Case = (Pointed, &'static [u32], &'static [(u32, u32)]);
    let cases: [Case; 6] = [
        (
            Pointed {
                relation: Some((run, leaf)),
                ..nothing
            },
            &[9],
            &[],
        ),
        (Pointed::at_module(Some(leaf)), &[4, 9], &[(1, 1)]),
        (Pointed::at_module(Some(unused)), &[], &[(7, 7)]),
        // The call of `twice`, and one in it.
        (
            Pointed {
                call: Some(call(2)),
                ..nothing
            },
            &[10],
            &[(3, 5)],
        ),
        (
            Pointed {
                call: Some(call(3)),
                ..nothing
            },
            &[4],
            &[(1, 1)],
        ),
        (
            Pointed {
                time: Some(Time::from_ns(5)),
                ..nothing
            },
            &[],
            &[],
        ),
    ];
    let _ = twice;
    for (of, lines, functions) in cases {
        let pointed = alone.document().complete(of);
        let document = alone.state.document.as_mut().expect("it is open");
        document.selection.change(|it| it.pointed = pointed);
        alone.wait();
        assert_eq!(alone.view.marks[0].lines, lines, "{of:?}");
        assert_eq!(alone.view.marks[0].functions, functions, "{of:?}");
    }
}

#[test]
fn a_range_of_time_limits_the_numbers() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.choose("run");
    alone.shapes();
    let range = TimeRange::new(Time::from_ns(25_000), Time::from_ns(100_000));
    alone.state.execute(SelectAsk::SetRange(Some(range)));
    alone.wait();
    assert_eq!(alone.label(9), None);
    assert_eq!(alone.label(10).as_deref(), Some("~60.0 µs"));
    alone.state.execute(SelectAsk::SetRange(None));
    alone.wait();
    assert_eq!(alone.label(9).as_deref(), Some("~10.0 µs"));
}

#[test]
fn a_session_has_the_view_where_it_was() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    let text: String = (0..500).map(|line| format!("int f{line};\n")).collect();
    folder.write("tree/long.c", text + TEXT);
    let mut alone_long = Alone::small(&folder);
    alone_long.choose("long.c");
    alone_long.shapes();
    alone_long.view.tint = Some(Tint::Own);
    alone_long.view.tab = 8;
    alone_long.view.go_to(1, 444);
    alone_long.shapes();
    let mut saved = SavedViews::default();
    alone_long.view.save(&alone_long.state, &mut saved);
    let mut again = Alone::small(&folder);
    assert_eq!(again.view.restore(&saved, &again.state), 0);
    // What was restored and has not been seen yet is kept.
    let mut kept = SavedViews::default();
    again.view.save(&again.state, &mut kept);
    assert_eq!(kept, saved);
    assert!(again.says("int f443;"));
    assert_eq!(
        (again.caret(), again.view.tint(), again.view.tab),
        (Some(444), Tint::Own, 8)
    );
    let mut kept = SavedViews::default();
    again.view.save(&again.state, &mut kept);
    assert_eq!(kept, saved);
    // Names that mean nothing are counted.
    fs::remove_file(folder.tree().join("long.c")).expect("it is there");
    let mut without = Alone::small(&folder);
    saved
        .shown
        .insert("code_colours".to_owned(), "taste".into());
    assert_eq!(without.view.restore(&saved, &without.state), 2);
    without.shapes();
    alone.shapes();
}

#[test]
fn only_what_is_seen_is_laid_out_whatever_the_text() {
    let folder = Folder::new();
    let many: String = (0..100_000)
        .map(|line| format!("int v{line}; /* {line} */\n"))
        .collect();
    folder.write("tree/many.c", many);
    let long = format!(
        "int a;\nchar *s = \"{}\";\nint end;\n",
        "é\t".repeat(500_000)
    );
    folder.write("tree/long.c", long);
    folder.write("tree/a.c", TEXT);
    let mut alone = Alone::new(&Inputs {
        source_dir: Some(folder.tree()),
        ..Inputs::default()
    });
    let rows = WINDOW.height() / ROW;
    for name in ["many.c", "long.c"] {
        alone.choose(name);
        alone.shapes();
        for key in [TableKey::Last, TableKey::Pages(-3), TableKey::First] {
            alone.act(ViewAsk::Press(key));
            let texts = alone.texts();
            assert!((texts.len() as f32) < 3.0 * rows, "{}", texts.len());
            let longest = texts.iter().map(|(text, _)| text.chars().count()).max();
            assert!(longest < Some(400), "{longest:?}");
        }
    }
    alone.choose("many.c");
    alone.shapes();
    alone.act(ViewAsk::Press(TableKey::Last));
    assert!(alone.says("int v99999; /* 99999 */"));
    let parts = alone.view.readings[1].parts();
    assert!(parts <= 4, "{parts} parts are coloured");
    assert!(alone.says("lines a row of the miniature"));
}

#[test]
fn a_click_on_the_miniature_goes_there() {
    let folder = Folder::new();
    let many: String = (0..5_000).map(|line| format!("int v{line};\n")).collect();
    folder.write("tree/many.c", many);
    let mut alone = Alone::new(&Inputs {
        source_dir: Some(folder.tree()),
        ..Inputs::default()
    });
    alone.choose("many.c");
    alone.shapes();
    assert!(alone.view.scroll.top() < 1.0);
    let middle = Pos2::new(WINDOW.max.x - 40.0, WINDOW.center().y);
    alone.click(middle, egui::Modifiers::NONE, false);
    alone.shapes();
    let top = alone.view.scroll.top();
    assert!((2_000.0..3_000.0).contains(&top), "{top}");
}

/// `main` in a.c costs 5 itself in line 8 and 3 in line 30, which its text does not have; in line 9 it calls `leaf` once for 20.
const CALLGRIND: &str = "events: Ir\n\
    \n\
    fl=a.c\n\
    fn=run\n\
    8 5\n\
    30 3\n\
    cfn=leaf\n\
    calls=1 1\n\
    9 20\n\
    \n\
    fn=leaf\n\
    1 20\n";

#[test]
fn lines_have_costs_of_their_own_where_the_recording_knows_them() {
    let folder = Folder::new();
    folder.write("tree/a.c", TEXT);
    let mut alone = Alone::new(&Inputs {
        source_dir: Some(folder.tree()),
        recordings: vec![folder.write("callgrind.out", CALLGRIND)],
        ..Inputs::default()
    });
    alone.choose("run");
    assert!(
        alone.says("the recording has 1 line past the end"),
        "{:?}",
        alone.texts()
    );
    assert!(
        !alone.says("inferred"),
        "the recording knows where calls were made"
    );
    let label = |alone: &Alone, line| alone.label(line).unwrap_or_default();
    assert!(label(&alone, 9).starts_with("20"), "{}", label(&alone, 9));
    assert_eq!(alone.label(8), None);
    alone.act(does(Does::Tint));
    assert_eq!(
        (alone.view.tint(), label(&alone, 8)),
        (Tint::Calls, String::new())
    );
    alone.act(does(Does::Tint));
    assert!(label(&alone, 8).starts_with('5'), "{}", label(&alone, 8));
    assert!(label(&alone, 1).starts_with("20"));
    assert_eq!(alone.label(9), None);
    // In the function first, then in the file.
    alone.shapes();
    alone.act(ViewAsk::Press(TableKey::Last));
    alone.act(does(Does::Hottest));
    assert_eq!(alone.caret(), Some(8));
    alone.act(does(Does::Hottest));
    assert_eq!(alone.caret(), Some(1));
}
