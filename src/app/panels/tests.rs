//! All panels, in windows of every size and scale: none asks for less room than there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use egui::accesskit::{Action, Node, Role};
use egui::{Pos2, RawInput, Rect, Shape, TextureId, ViewportId, vec2};

use super::context::{Cues, Pictures, Timings};
use super::show;
use crate::command::{Command, PictureAsk, TalkAsk};
use crate::desk::Desk;
use crate::pace::Detail;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_filter::selection::Pointed;
use callscape_look::quality::Quality;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_model::theme::Theme;
use callscape_state::ask::{
    Asks, CameraAsk, CardAsk, MappingAsk, PaneAsk, RunsAsk, SearchAsk, SelectAsk, StepAsk,
};
use callscape_state::document::Document;
use callscape_state::purpose::Purpose;
use callscape_state::runs::RunsLayout;
use callscape_views::{self as views, style};

fn desk(files: &[&str]) -> Desk {
    let data =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/import");
    desk_of(files.iter().map(|file| data.join(file)).collect())
}

fn desk_of(recordings: Vec<PathBuf>) -> Desk {
    let inputs = Inputs {
        recordings,
        ..Inputs::default()
    };
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    let mut desk = Desk::unattended();
    desk.show(document.expect("recordings that can be read"));
    desk
}

fn context() -> egui::Context {
    let ctx = egui::Context::default();
    style::set_fonts(&ctx, None);
    style::set_theme(&ctx, Theme::Light);
    ctx
}

fn nothing_drawn() -> (Pictures, Timings) {
    let pictures = Pictures {
        views: views::all()
            .into_iter()
            .map(|view| (view, TextureId::default()))
            .collect(),
        second: TextureId::default(),
        before: [None; 2],
        before_strength: 0.0,
    };
    let timings = Timings {
        frames: 0,
        interval_ms: 0.0,
        cpu_ms: 0.0,
        drawn: Detail::default(),
        passes: Vec::new(),
        adapter: String::new(),
        quality: Quality::MEDIUM,
    };
    (pictures, timings)
}

/// Lays all panels out in windows of several sizes, in points, and scales, one after the other as when a window is
/// resized and brought to another monitor. How much of each the landscape has.
fn lay_out(desk: &mut Desk) -> Vec<Option<Rect>> {
    let ctx = context();
    desk.execute(PaneAsk::Reset);
    let (pictures, timings) = nothing_drawn();
    let mut seen = Vec::new();
    for (size, scale) in [
        (vec2(1280.0, 720.0), 1.0),
        (vec2(600.0, 330.0), 1.0),
        (vec2(600.0, 330.0), 2.5),
        (vec2(320.0, 200.0), 1.5),
        (vec2(120.0, 60.0), 1.0),
        (vec2(1.0, 1.0), 1.0),
        (vec2(3000.0, 40.0), 1.0),
        (vec2(40.0, 3000.0), 0.5),
        (vec2(1280.0, 720.0), 2.0),
    ] {
        let mut landscape = None;
        // A panel finds its size in the first frame.
        for _ in 0..3 {
            let mut input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
                ..RawInput::default()
            };
            if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
                viewport.native_pixels_per_point = Some(scale);
            }
            let mut output = ctx.run_ui(input, |ui| {
                let layout = show(
                    ui,
                    desk,
                    Cues::default(),
                    (&pictures, &timings),
                    &mut Asks::default(),
                );
                landscape = layout.placed.map(|placed| placed.place.seen);
            });
            output.textures_delta.clear();
        }
        seen.push(landscape);
    }
    seen
}

#[test]
fn panels_make_do_with_any_window() {
    let one = ["toml-threads.viztracer.json"];
    let two = [one[0], "syn-spans.tracing-chrome.json"];
    for files in [&one[..], &two] {
        let mut desk = desk(files);
        let seen = lay_out(&mut desk);
        let high = |at: usize| seen[at].map_or(0.0, |seen: Rect| seen.height());
        assert_eq!(seen[0], seen[8], "as before");
        assert!(high(1) > 120.0, "{seen:?}");
        assert_eq!(seen[1], seen[2], "whatever the scale");
        // With all that can be opened beside and over it.
        let asks: [Command; 10] = [
            CardAsk::ToggleSettings.into(),
            CardAsk::ToggleFrequency.into(),
            MappingAsk::Toggle.into(),
            PictureAsk::Toggle.into(),
            SearchAsk::Open.into(),
            CardAsk::ToggleTimings.into(),
            CameraAsk::OrbitOrFly.into(),
            RunsAsk::Together(Some(RunsLayout::SideBySide)).into(),
            TalkAsk::Toggle.into(),
            CardAsk::ToggleHelp.into(),
        ];
        for ask in asks {
            desk.execute(ask);
            lay_out(&mut desk);
        }
        for view in views::all() {
            desk.execute(PaneAsk::Toggle(view));
        }
        lay_out(&mut desk);
    }
}

/// Adds the text of a shape.
fn add_text(shape: &Shape, texts: &mut BTreeSet<String>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| add_text(shape, texts)),
        Shape::Text(text) => {
            texts.insert(text.galley.text().to_owned());
        }
        _ => {}
    }
}

/// What panels, views and the tooltips of both say while the pointer goes over all of them.
fn texts(desk: &mut Desk) -> BTreeSet<String> {
    let ctx = context();
    let (pictures, timings) = nothing_drawn();
    let mut texts = BTreeSet::new();
    let size = vec2(1280.0, 720.0);
    let mut frames = 0.0;
    let places = (0..36).flat_map(|row| (0..8).map(move |column| (column, row)));
    for (column, row) in places {
        // A tooltip comes when the pointer has stood still for a while.
        for _ in 0..2 {
            frames += 1.0;
            desk.collect();
            desk.update();
            let at = Pos2::new(80.0 + 160.0 * column as f32, 10.0 + 20.0 * row as f32);
            let input = RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
                time: Some(frames),
                events: vec![egui::Event::PointerMoved(at)],
                ..RawInput::default()
            };
            let mut output = ctx.run_ui(input, |ui| {
                show(
                    ui,
                    desk,
                    Cues::default(),
                    (&pictures, &timings),
                    &mut Asks::default(),
                );
            });
            output.textures_delta.clear();
            for shape in &output.shapes {
                add_text(&shape.shape, &mut texts);
            }
        }
    }
    texts
}

#[test]
fn no_name_turns_text_around_or_begins_a_line() {
    const NAME: &str = "a\u{1b}[31m\u{7}b\nFORGED\u{202e}c";
    let folder = std::env::temp_dir().join(format!("callscape-panels-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let run = |file: &str, dur: u32| {
        let of = |name: &str, ts: u32, dur: u32| serde_json::json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur});
        let named = serde_json::json!({"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": NAME}});
        let inner = format!("inner{NAME}");
        let events = serde_json::json!([
            named,
            of(NAME, 0, 5000),
            of(&inner, 100, dur),
            of("c", 110, 20)
        ]);
        let path = folder.join(format!("{file}{NAME}.json"));
        std::fs::write(&path, events.to_string()).expect("there is room");
        path
    };
    let (a, b) = (run("a", 1000), run("b", 4000));
    for recordings in [vec![a.clone()], vec![a, b]] {
        let mut desk = desk_of(recordings);
        let function = callscape_base::units::FunctionId(0);
        let document = desk.state.document.as_ref();
        let module = document.and_then(|it| it.module_of(function));
        let pointed = Pointed {
            module,
            function: Some(function),
            ..Pointed::default()
        };
        desk.execute(SelectAsk::Choose(pointed));
        desk.execute(MappingAsk::Toggle);
        for view in views::all() {
            if !desk.state.panes.is_open(view) {
                desk.execute(PaneAsk::Toggle(view));
            }
        }
        let mut said = texts(&mut desk);
        // So many side by side have no room for names; one by one they have.
        for view in views::all() {
            desk.execute(PaneAsk::Maximise(Some(view)));
            said.extend(texts(&mut desk));
            desk.execute(PaneAsk::Maximise(None));
        }
        desk.execute(SearchAsk::Open);
        desk.execute(SearchAsk::Query("FORGED".to_owned()));
        said.extend(texts(&mut desk));
        // Where a function is called by its short name, that ends before the bracket.
        let shown = said.iter().filter(|text| text.contains(r"a\u{1b}"));
        assert!(shown.count() >= 5, "{said:?}");
        for text in said {
            let steers = |c: char| callscape_base::escape::steers(c) && c != '\n';
            assert!(!text.contains(steers), "{text:?}");
            assert!(!text.contains("\nFORGED"), "{text:?}");
        }
    }
    // What is left in the temporary folder does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn views_that_come_and_go_are_steps_that_are_undone() {
    let mut desk = desk(&["toml-threads.viztracer.json"]);
    desk.update();
    let seen = |desk: &Desk| {
        let panes = &desk.state.panes;
        (panes.arrangement().clone(), panes.maximised)
    };
    let views = views::all();
    let asks = [
        PaneAsk::Toggle(views[1]),
        PaneAsk::Toggle(views[3]),
        PaneAsk::Maximise(Some(views[1])),
        PaneAsk::Maximise(Some(views[1])),
        PaneAsk::Toggle(views[1]),
        PaneAsk::Reset,
        PaneAsk::For(Purpose::TimeGoes),
    ];
    let mut expected = vec![seen(&desk)];
    for ask in asks {
        desk.execute(ask.clone());
        desk.update();
        expected.push(seen(&desk));
        assert_eq!(desk.state.steps.all().len() + 1, expected.len(), "{ask:?}");
    }
    let names: Vec<&str> = desk.state.steps.all().map(|it| it.name.as_str()).collect();
    let (opened, closed) = (views[1].title(), views[3].title());
    assert_eq!(names[0], format!("Opened {opened}"));
    assert_eq!(names[2], format!("Maximised {opened}"));
    assert_eq!(names[5], format!("Closed {closed}"));
    for expected in expected.iter().rev().skip(1) {
        desk.execute(StepAsk::Undo);
        desk.update();
        assert_eq!(seen(&desk), *expected);
    }
    for expected in expected.iter().skip(1) {
        desk.execute(StepAsk::Redo);
        desk.update();
        assert_eq!(seen(&desk), *expected);
    }
    assert_eq!(desk.state.steps.all().len(), expected.len() - 1);
}

/// What can be pressed or typed in and has no name that a screen reader could say, with the role and place of it.
fn nameless(desk: &mut Desk) -> BTreeSet<String> {
    let ctx = context();
    ctx.enable_accesskit();
    let (pictures, timings) = nothing_drawn();
    let mut update = None;
    for frame in 0..3 {
        desk.collect();
        desk.update();
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(1280.0, 720.0))),
            time: Some(f64::from(frame)),
            ..RawInput::default()
        };
        let mut output = ctx.run_ui(input, |ui| {
            show(
                ui,
                desk,
                Cues::default(),
                (&pictures, &timings),
                &mut Asks::default(),
            );
        });
        output.textures_delta.clear();
        update = output.platform_output.accesskit_update;
    }
    let nodes = update.expect("a reader is there").nodes;
    let acts = |node: &Node| {
        [Action::Click, Action::Focus]
            .into_iter()
            .any(|it| node.supports_action(it))
    };
    // Libraries make scroll bars, containers without a place, and what is dragged between views and beside their tabs.
    let is_made_elsewhere = |node: &Node| {
        let size = node.bounds().map(|it| it.width().min(it.height()));
        let is = |takes: fn(f64) -> bool| size.is_some_and(takes);
        match node.role() {
            Role::ScrollBar => true,
            Role::Unknown => is(|it| it < 10.0 || it == 26.0),
            Role::GenericContainer => is(|it| it < 0.0),
            _ => false,
        }
    };
    let is_named = |node: &Node| {
        let said = [node.label(), node.placeholder(), node.description()];
        said.iter().flatten().any(|it| !it.is_empty())
            || node.value().is_some_and(|it| !it.is_empty())
            || !node.labelled_by().is_empty()
    };
    let nodes = nodes.iter().map(|(_, node)| node);
    nodes
        .filter(|node| acts(node) && !is_made_elsewhere(node) && !is_named(node))
        .map(|node| format!("{:?} at {:?}", node.role(), node.bounds()))
        .collect()
}

#[test]
fn a_screen_reader_is_told_what_everything_is() {
    let one = ["toml-threads.viztracer.json"];
    let two = [one[0], "syn-spans.tracing-chrome.json"];
    let mut found = BTreeMap::new();
    for files in [&one[..], &two] {
        let mut desk = desk(files);
        for view in views::all() {
            if !desk.state.panes.is_open(view) {
                desk.execute(PaneAsk::Toggle(view));
            }
            desk.execute(PaneAsk::Maximise(Some(view)));
            found.insert(view.title().to_owned(), nameless(&mut desk));
            desk.execute(PaneAsk::Maximise(None));
        }
        let cards: [Command; 8] = [
            CardAsk::ToggleSettings.into(),
            CardAsk::ToggleFrequency.into(),
            MappingAsk::Toggle.into(),
            PictureAsk::Toggle.into(),
            SearchAsk::Open.into(),
            TalkAsk::Toggle.into(),
            CardAsk::ToggleHelp.into(),
            CardAsk::ToggleTimings.into(),
        ];
        for card in cards {
            let said = format!("{card:?}");
            desk.execute(card);
            found.insert(said, nameless(&mut desk));
        }
    }
    found.retain(|_, nameless| !nameless.is_empty());
    assert_eq!(found, BTreeMap::new());
}

/// Costs of relations are called sums, with their moments; of two runs all say what both have.
#[test]
fn details_say_sums_and_moments_and_what_both_runs_have() {
    let folder = std::env::temp_dir().join(format!("callscape-details-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let run = |file: &str, inner: u32| {
        let of = |name: &str, ts: u32, dur: u32| serde_json::json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur});
        // One call of the relation is in another.
        let calls = [
            ("outer", 0, 9000),
            ("inner", 100, inner),
            ("outer", 110, 700),
            ("inner", 120, 500),
        ];
        let events: Vec<_> = calls.map(|(name, ts, dur)| of(name, ts, dur)).into();
        let path = folder.join(file);
        std::fs::write(&path, serde_json::json!(events).to_string()).expect("there is room");
        path
    };
    let (a, b) = (run("a.json", 1000), run("b.json", 4000));
    let said_of = |recordings: Vec<PathBuf>| {
        let mut desk = desk_of(recordings);
        let document = desk.state.document.as_ref().expect("it is open");
        let hierarchy = &document.session.hierarchy;
        let inner = hierarchy
            .modules()
            .find(|&it| hierarchy.name(it) == "inner");
        let inner = inner.expect("it ran");
        desk.execute(SelectAsk::Select(Some(inner)));
        let mut said = texts(&mut desk);
        while desk.state.work.is_under_way() {
            desk.update();
        }
        let document = desk.state.document.as_ref().expect("it is open");
        let [caller] = document.neighbours.callers[..] else {
            panic!("only outer calls it: {:?}", document.neighbours);
        };
        let moments = desk.state.work.moments.between(caller.module, inner);
        said.extend(super::details::about(document, &caller, moments));
        said
    };
    let one = said_of(vec![a.clone()]);
    for text in ["2 calls, sum of cost 1.50 ms", "each moment once: 1.00 ms"] {
        assert!(one.contains(text), "{text}: {one:?}");
    }
    let two = said_of(vec![a, b]);
    for text in [
        "A 2, B 2",
        "calls: A 2, B 2",
        "sum of cost: A 1.50 ms, B 4.50 ms",
        "each moment once: A 1.00 ms, B 4.00 ms",
        "Self, A and B",
    ] {
        assert!(two.contains(text), "{text}: {two:?}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn details_say_what_height_and_colour_show_and_lead_to_the_code() {
    let folder = std::env::temp_dir().join(format!("callscape-source-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let text = "def twice(x):\n    if x:\n        return 2 * x\n    return 0\n";
    std::fs::write(folder.join("twice.py"), text).expect("there is room");
    let inputs = Inputs {
        source_dir: Some(folder.clone()),
        ..Inputs::default()
    };
    let settings = LandscapeSettings {
        height: Some(Metric::Complexity),
        surface: Surface::Metric(Metric::LinesOfCode),
        ..LandscapeSettings::default()
    };
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    let mut desk = Desk::unattended();
    desk.state.settings = settings;
    desk.show(document.expect("a source tree"));
    let mut module = None;
    while module.is_none() {
        desk.update();
        let document = desk.state.document.as_ref().expect("it is open");
        let hierarchy = &document.session.hierarchy;
        module = hierarchy
            .modules()
            .find(|&it| hierarchy.name(it) == "twice");
    }
    desk.execute(SelectAsk::Select(module));
    let said = texts(&mut desk);
    for text in ["Show code", "Open in editor", "Height", "Colour"] {
        assert!(said.contains(text), "{text}: {said:?}");
    }
    assert!(
        said.iter().any(|it| it.ends_with("complexity: 2")),
        "{said:?}"
    );
    assert!(
        said.iter().any(|it| it.ends_with("lines of code: 4")),
        "{said:?}"
    );
    let _ = std::fs::remove_dir_all(&folder);
}
