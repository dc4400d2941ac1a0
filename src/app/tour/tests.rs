//! The tour, walked by the keys that its cards name and by what the pointer asks for.

use std::time::Duration;

use glam::Vec2;

use super::{Card, STOPS};
use crate::command::{BookmarkAsk, Command, PairAsk, PaletteAsk, TourAsk};
use crate::desk::Desk;
use crate::driven::{Driven, Files, inputs};
use crate::keys;
use crate::palette::Row;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_base::units::{ModuleId, TimeRange};
use callscape_filter::selection::Pointed;
use callscape_look::pose::FreeArea;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_state::Viewport;
use callscape_state::ask::{
    CameraAsk, FilterAsk, LookAsk, PaneAsk, PlayAsk, SearchAsk, SelectAsk, StepAsk,
};
use callscape_state::document::Document;
use callscape_views as views;

/// The demo in a window, as far as the desk sees it.
fn demo() -> Desk {
    let settings = LandscapeSettings::default();
    let document = Document::open(&Inputs::default(), None, &settings, &Progress::new());
    let mut desk = Desk::unattended();
    desk.state.tell_time(Duration::ZERO);
    desk.show(document.expect("the demo is inside the program"));
    for _ in 0..5 {
        frame(&mut desk, 100);
    }
    desk
}

fn frame(desk: &mut Desk, milliseconds: u64) {
    let now = desk.state.now() + Duration::from_millis(milliseconds);
    desk.state.tell_time(now);
    desk.collect();
    desk.update();
    desk.state.set_viewport(Viewport {
        origin: Vec2::ZERO,
        size: Vec2::new(1280.0, 720.0),
        scale: 1.0,
        free: FreeArea::WINDOW,
    });
}

fn document(desk: &Desk) -> &Document {
    desk.state.document.as_ref().expect("the demo is open")
}

fn module(desk: &Desk, name: &str) -> ModuleId {
    let hierarchy = &document(desk).session.hierarchy;
    let mut modules = hierarchy.modules();
    let found = modules.find(|&id| hierarchy.name(id) == name);
    found.expect("a function of Lua")
}

/// Does what the action of this id does, which has to be possible.
fn press(desk: &mut Desk, id: &str) {
    let action = keys::listed().find(|it| it.id == id);
    let action = action.unwrap_or_else(|| panic!("there is no {id}"));
    assert!(!action.keys().is_empty(), "{id} has a key");
    let command = action.command(&desk.state);
    desk.execute(command.unwrap_or_else(|| panic!("{id} is not possible")));
}

/// Types into the palette and takes what is marked.
fn take(desk: &mut Desk, text: &str) {
    press(desk, "palette.open");
    desk.execute(PaletteAsk::Query(text.to_owned()));
    desk.execute(PaletteAsk::Take(None));
}

/// Walks all stops, at each of which `does` does what is asked for.
fn walk(does: [&dyn Fn(&mut Desk); 11]) {
    let mut desk = demo();
    desk.execute(TourAsk::Begin);
    for (number, does) in does.into_iter().enumerate() {
        for _ in 0..20 {
            frame(&mut desk, 100);
        }
        let title = STOPS[number].title;
        assert_eq!(desk.tour.card(), Some(Card::At(number, false)), "{title}");
        does(&mut desk);
        frame(&mut desk, 20);
        frame(&mut desk, 20);
        assert_eq!(desk.tour.card(), Some(Card::At(number, true)), "{title}");
        assert!(desk.is_moving(), "it goes on by itself");
    }
    for _ in 0..20 {
        frame(&mut desk, 100);
    }
    assert_eq!(desk.tour.card(), Some(Card::End));
    assert!(!desk.tour.is_moving());
    desk.execute(Command::Escape);
    assert_eq!(desk.tour.card(), None);
}

#[test]
fn all_stops_are_walked_by_keys_alone() {
    walk([
        &|desk| press(desk, "camera.top"),
        &|desk| {
            press(desk, "search.open");
            desk.execute(SearchAsk::Query("luaH_get".to_owned()));
            desk.execute(SearchAsk::Take(None));
        },
        &|desk| press(desk, "play.play"),
        &|desk| {
            press(desk, "play.play");
            frame(desk, 20);
            assert!(matches!(desk.tour.card(), Some(Card::At(_, false))));
            press(desk, "play.step");
        },
        &|desk| press(desk, "range.start"),
        &|desk| take(desk, "colour by self"),
        &|desk| press(desk, "functions"),
        &|desk| press(desk, "filter.module"),
        &|desk| press(desk, "step.undo"),
        &|desk| take(desk, "compare with"),
        &|desk| press(desk, "bookmark.add"),
    ]);
}

#[test]
fn all_stops_are_walked_by_mouse_alone() {
    walk([
        &|desk| {
            desk.state.moving.camera.twist(0.5, None);
        },
        &|desk| {
            let module = module(desk, "luaV_execute");
            desk.execute(SelectAsk::Choose(Pointed::at_module(Some(module))));
        },
        &|desk| desk.execute(PlayAsk::PlayOrPause),
        &|desk| {
            desk.execute(PlayAsk::PlayOrPause);
            frame(desk, 20);
            desk.execute(PlayAsk::Step(-1));
        },
        &|desk| {
            let whole = document(desk).resolved().expect("a recording");
            let whole = whole.recording.trace.range();
            let time = document(desk).selection.time;
            let range = TimeRange::new(whole.start, time);
            desk.execute(SelectAsk::DragRange(range));
            desk.execute(SelectAsk::EndRangeDrag);
        },
        &|desk| {
            let settings = LandscapeSettings {
                surface: Surface::Metric(Metric::SelfCost),
                ..desk.state.settings
            };
            desk.execute(LookAsk::Configure(settings));
        },
        &|desk| desk.execute(PaneAsk::Toggle(views::all()[2])),
        &|desk| {
            // The menu of what is pointed at.
            let pointed = Pointed::at_module(Some(module(desk, "luaH_get")));
            let state = &mut desk.state;
            state.update_hover(pointed, |_| true);
            desk.execute(PaletteAsk::Menu(None, &[]));
            let menu = desk.palette.menu.clone().expect("it is open");
            let entries = menu.entries(&desk.state);
            let number = entries
                .iter()
                .position(|it| it.command == Some(FilterAsk::RemoveModule.into()));
            desk.execute(PaletteAsk::Take(number));
        },
        &|desk| desk.execute(StepAsk::GoTo(desk.state.steps.done() - 1)),
        &|desk| desk.execute(PairAsk::Toggle),
        &|desk| desk.execute(BookmarkAsk::Add),
    ]);
}

#[test]
fn going_on_does_what_is_to_be_done_at_each_stop() {
    let go: &dyn Fn(&mut Desk) = &|desk: &mut Desk| desk.execute(TourAsk::Go);
    walk([go; 11]);
}

#[test]
fn what_is_pointed_at_is_to_be_seen_at_each_stop() {
    let mut driven = Driven::new(&Inputs::default());
    driven.size = egui::vec2(1280.0, 720.0);
    driven.settle();
    driven.execute(TourAsk::Begin);
    for (number, stop) in STOPS.iter().enumerate() {
        driven.wait();
        assert_eq!(driven.desk.tour.card(), Some(Card::At(number, false)));
        if !stop.at.is_empty() {
            assert!(driven.ring(stop.at), "{} is nowhere", stop.at);
        }
        driven.execute(TourAsk::Go);
        while driven.desk.tour.card() == Some(Card::At(number, false))
            || driven.desk.tour.card() == Some(Card::At(number, true))
        {
            driven.wait();
        }
    }
}

#[test]
fn what_was_open_before_is_opened_again_after_it() {
    let files = Files::new("tour-returns");
    let recording = files.recording("run.json", 0..9);
    let mut driven = Driven::new(&inputs(None, std::slice::from_ref(&recording)));
    driven.settle();
    driven.execute(TourAsk::Begin);
    driven.settle();
    assert_eq!(driven.document().inputs, Inputs::default());
    driven.execute(TourAsk::Leave);
    driven.settle();
    assert_eq!(driven.document().inputs.recordings, [recording]);
}

#[test]
fn nothing_is_done_by_something_else_or_by_waiting() {
    let mut desk = demo();
    desk.execute(TourAsk::Begin);
    for number in 0..STOPS.len() {
        for _ in 0..5 {
            frame(&mut desk, 2_000);
        }
        assert_eq!(desk.tour.card(), Some(Card::At(number, false)));
        // It stays what it is, whatever card is opened.
        desk.execute(callscape_state::ask::CardAsk::ToggleLegend);
        desk.execute(LookAsk::SwitchTheme);
        frame(&mut desk, 20);
        assert_eq!(desk.tour.card(), Some(Card::At(number, false)));
        desk.execute(TourAsk::Skip);
    }
    assert_eq!(desk.tour.card(), Some(Card::End));
    desk.execute(TourAsk::Skip);
    assert_eq!(desk.tour.card(), None);
}

#[test]
fn it_is_left_at_any_stop_and_begins_anew() {
    let mut desk = demo();
    for skipped in 0..=STOPS.len() {
        desk.execute(TourAsk::Begin);
        frame(&mut desk, 20);
        assert_eq!(desk.tour.card(), Some(Card::At(0, false)));
        (0..skipped).for_each(|_| desk.execute(TourAsk::Skip));
        match skipped % 2 {
            0 => desk.execute(TourAsk::Leave),
            _ => desk.execute(Command::Escape),
        }
        assert_eq!(desk.tour.card(), None, "after {skipped}");
    }
    // The palette has it, and it closes what is over the views.
    desk.execute(PaletteAsk::Toggle);
    desk.execute(PaletteAsk::Query("tour".to_owned()));
    let first = desk.palette.rows.first();
    assert!(matches!(first, Some(Row::Action(action)) if action.id == "tour.begin"));
    desk.execute(PaletteAsk::Take(None));
    frame(&mut desk, 20);
    assert_eq!(desk.tour.card(), Some(Card::At(0, false)));
    assert!(!desk.palette.is_open);
    desk.execute(CameraAsk::FlyHome);
    frame(&mut desk, 20);
}

#[test]
fn it_opens_the_demo_first_and_ends_with_other_inputs() {
    let file = "tests/data/import/toml-threads.viztracer.json";
    let inputs = Inputs {
        recordings: vec![
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file),
        ],
        ..Inputs::default()
    };
    let settings = LandscapeSettings::default();
    let document = Document::open(&inputs, None, &settings, &Progress::new());
    let mut desk = demo();
    desk.execute(TourAsk::Begin);
    frame(&mut desk, 20);
    desk.show(document.expect("a recording"));
    frame(&mut desk, 20);
    assert_eq!(desk.tour.card(), None);
    desk.execute(TourAsk::Begin);
    assert_eq!(desk.tour.card(), Some(Card::Waits));
    while desk.state.opening.loading.is_some() {
        frame(&mut desk, 20);
        std::thread::sleep(Duration::from_millis(2));
    }
    frame(&mut desk, 20);
    assert_eq!(desk.tour.card(), Some(Card::At(0, false)));
}

#[test]
fn cards_name_keys_that_there_are() {
    for stop in &STOPS {
        let ids = stop.keys.split(['{', '}']).skip(1).step_by(2);
        for id in ids {
            let action = keys::listed().find(|it| it.id == id);
            let keys = action.map(|it| it.keys());
            assert!(keys.is_some_and(|it| !it.is_empty()), "{id}");
        }
        let text = keys::with_keys(stop.keys);
        assert!(!text.contains(['{', '}']) && text.len() > 3, "{text}");
    }
}
