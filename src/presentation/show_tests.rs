//! Scenes played on the built-in demo, without a window.

use std::path::Path;
use std::time::Duration;

use glam::Vec2;

use super::bookmark::{found_from, go_to};
use super::kept::Kept;
use super::scene::SceneFile;
use super::show::Show;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_look::pose::FreeArea;
use callscape_model::landscape::LandscapeSettings;
use callscape_state::ask::CameraAsk;
use callscape_state::document::Document;
use callscape_state::panes::{Arrangement, ViewId};
use callscape_state::{State, Viewport};
use callscape_views as views;

/// It changes all that shots can change but for the mapping.
const SCENE: &str = include_str!("../../tests/data/scenes/shots.toml");

/// The demo, at a time that is told.
pub(super) fn demo() -> State {
    opened(&Inputs::default())
}

/// What is open of `inputs`, at a time that is told.
pub(super) fn opened(inputs: &Inputs) -> State {
    let mut state = State::new(views::all(), Box::new(|| Box::new(|| ())));
    state.tell_time(Duration::ZERO);
    let settings = LandscapeSettings::default();
    let document = Document::open(inputs, None, &settings, &Progress::new());
    state.show(document.expect("inputs that can be read"), |_, _| ());
    state
}

fn open_views(state: &State) -> Vec<ViewId> {
    state.panes.open_views()
}

fn view(id: &str) -> ViewId {
    views::named(id).expect("it is a view")
}

/// A scene on the demo.
fn show(text: &str) -> (State, Show) {
    let file = SceneFile::parse(Path::new("talk.toml"), text.to_owned());
    let file = file.unwrap_or_else(|error| panic!("{error}"));
    let bookmarks = file.scene.bookmarks.clone();
    let mut state = demo();
    let show = Show::new(file, bookmarks, &mut state);
    (state, show)
}

/// A frame at a moment.
fn frame(state: &mut State, show: &mut Show, now: Duration) {
    state.tell_time(now);
    let since = state.moving.time.begin_frame();
    show.advance(since.as_secs_f64(), state);
    state.advance(since);
    state.moving.time.end_frame(true);
}

/// Plays on to a moment, in frames.
fn play_to(state: &mut State, show: &mut Show, seconds: f64) {
    let first = (show.at() * 30.0).round() as u64;
    for number in first.. {
        let now = number as f64 / 30.0;
        if now > seconds {
            break;
        }
        frame(state, show, Duration::from_secs_f64(now));
    }
}

/// Waits for everything that other threads work out for what is shown.
fn settle(state: &mut State) {
    loop {
        state.poll_jobs();
        state.update_work();
        let is_busy = state.work.jobs.is_any() || state.work.is_under_way();
        if !is_busy && state.runs_view.to_do.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}

fn assert_alike(played: &State, jumped: &State, what: &str) {
    let (a, b) = (Kept::of(played), Kept::of(jumped));
    let near = |a: f32, b: f32| (a - b).abs() < 0.5;
    assert!(
        near(a.pose.distance, b.pose.distance)
            && a.pose.target.distance(b.pose.target) < 0.5
            && (a.pose.yaw - b.pose.yaw).abs() < 0.01
            && (a.pose.pitch - b.pose.pitch).abs() < 0.01,
        "{what}: {:?} {:?}",
        a.pose,
        b.pose
    );
    assert_eq!(Kept { pose: a.pose, ..b }, a, "{what}");
}

#[test]
fn jumping_to_a_shot_shows_what_playing_to_it_shows() {
    let (mut played, mut playing) = show(SCENE);
    let starts: Vec<f64> = playing.timeline.shots.iter().map(|it| it.start).collect();
    for (number, &start) in starts.iter().enumerate() {
        play_to(&mut played, &mut playing, start);
        assert_eq!(playing.shot(), number);
        let (mut jumped, mut jumping) = show(SCENE);
        // Wherever it was before.
        jumping.go_to(starts.len() - 1 - number, &mut jumped);
        jumping.go_to(number, &mut jumped);
        assert_eq!(jumping.shot(), number);
        assert_alike(&played, &jumped, &format!("shot {}", number + 1));
    }
    assert_eq!(playing.problems.len(), 1);
    let problem = playing.problems[0].to_string();
    let expected = "talk.toml:24:25: shot 4, collapse 2: no module has the path 'no/such/module'";
    assert!(problem.starts_with(expected), "{problem}");
}

#[test]
fn shots_do_what_they_say() {
    let (mut state, mut show) = show(SCENE);
    let total = show.timeline.total();
    assert!(show.is_moving());
    play_to(&mut state, &mut show, 2.0);
    let at = Kept::of(&state);
    let document = state.document.as_ref().expect("the demo is open");
    let path = |module| document.session.hierarchy.path(module);
    assert_eq!(at.module.map(path).as_deref(), Some("lvm.c/luaV_execute"));
    let trace = &document.resolved().expect("it plays").recording.trace;
    let share = at.time.ns() as f64 / trace.duration().ns() as f64;
    assert!((share - 0.15).abs() < 0.01, "{share}");
    play_to(&mut state, &mut show, 4.0);
    assert!(state.panes.is_visible(view("mural")));
    play_to(&mut state, &mut show, total + 1.0);
    assert!(!state.panes.is_visible(view("mural")));
    assert!(!show.is_moving());
    let document = state.document.as_ref();
    assert!(!state.is_moving() || document.is_some_and(|it| it.city.is_moving()));
}

#[test]
fn a_talk_goes_forward_and_back_and_leaves_all_as_it_was() {
    let file = SceneFile::parse(Path::new("talk.toml"), SCENE.to_owned());
    let file = file.unwrap_or_else(|error| panic!("{error}"));
    let bookmarks = file.scene.bookmarks.clone();
    let mut state = demo();
    let arrangement = Arrangement::View("landscape".to_owned());
    state.panes.arrange(&arrangement);
    let mut of = Show::new(file, bookmarks, &mut state);
    of.stops = true;
    of.next(&mut state);
    of.advance(60.0, &mut state);
    assert!(!of.is_running && of.shot() == 1 && (of.at() - 3.0).abs() < 1e-6);
    of.next(&mut state);
    assert_eq!(of.shot(), 2);
    of.previous(&mut state);
    assert_eq!(of.shot(), 1);
    of.go_to(usize::MAX, &mut state);
    assert_eq!(of.shot(), 5);
    let there = Kept::of(&state);
    // Someone looks around, and comes back.
    state.execute(CameraAsk::FlyHome);
    state.panes.open(view("flame"));
    of.resume(&mut state);
    assert_eq!(
        Kept {
            pose: there.pose,
            ..Kept::of(&state)
        },
        there
    );
    assert_eq!(of.leave(&mut state), None);
    assert_eq!(open_views(&state), [view("landscape")]);
    assert_eq!(*state.panes.arrangement(), arrangement);
    assert_eq!(state.settings.theme, LandscapeSettings::default().theme);
}

#[test]
fn views_come_and_go_in_the_course_of_a_moment_in_shots_alone() {
    let (mut state, mut show) = show(SCENE);
    let mut seen = Vec::new();
    for tenth in 1..=40 {
        play_to(&mut state, &mut show, f64::from(tenth) * 0.1);
        let coming = state.panes.coming().iter();
        seen.extend(coming.map(|it| (it.view, it.goes)));
    }
    assert!(seen.contains(&(view("mural"), false)), "{seen:?}");
    state.panes.arrive();
    state.panes.open(view("flame"));
    assert!(!state.panes.is_moving(), "not what the user opens");
    // A jump ends what is on its way.
    state.panes.ease(true);
    state.panes.close(view("flame"));
    assert!(state.panes.is_moving());
    show.go_to(0, &mut state);
    assert!(!state.panes.is_moving());
}

#[test]
fn the_camera_of_the_tour_never_jumps_nor_jolts() {
    const FPS: u64 = 10;
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("scenes/tour.toml");
    let file = SceneFile::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let mut state = demo();
    for _ in 0..4 {
        state.set_viewport(Viewport {
            origin: Vec2::ZERO,
            size: Vec2::new(640.0, 360.0),
            scale: 1.0,
            free: FreeArea::WINDOW,
        });
    }
    let mut show = Show::new(file, Vec::new(), &mut state);
    let frames = (show.timeline.total() * FPS as f64) as u64;
    let mut places = Vec::new();
    for number in 0..frames {
        let now = Duration::from_nanos(number * 1_000_000_000 / FPS);
        frame(&mut state, &mut show, now);
        settle(&mut state);
        places.push((state.moving.camera.pose(), show.shot()));
    }
    // In a frame, and what these change by in the next, as parts of how far away things are: a long lens stands far off.
    let (mut fastest, mut jolt) = (0.0f32, 0.0f32);
    for three in places.windows(3) {
        let [a, b, c] = [three[0].0, three[1].0, three[2].0];
        for [a, b, c] in [[a.eye(), b.eye(), c.eye()], [a.target, b.target, c.target]] {
            let distance = three[1].0.distance;
            let (speed, change) = ((c - b).length(), (c - b - (b - a)).length());
            let (speed, change) = (speed / distance, change / distance);
            let shot = three[1].1 + 1;
            assert!(
                speed < 0.2 && change < 0.05,
                "shot {shot}: {speed} {change}"
            );
            (fastest, jolt) = (fastest.max(speed), jolt.max(change));
        }
    }
    // It does move.
    assert!(fastest > 0.01 && jolt > 0.0005, "{fastest} {jolt}");
}

#[test]
fn a_hundred_thousand_shots_are_gone_to_at_once() {
    let shot = "[[shot]]\nseconds = 0.5\ncamera = { module = \"lvm.c\" }\ncollapse = [\"gone\"]\n";
    let (mut state, mut of) = show(&shot.repeat(100_000));
    assert_eq!(of.problems.len(), 100_000);
    assert_eq!(of.problems[99_999].line, 399_999 + 1);
    of.go_to(99_999, &mut state);
    assert_eq!(of.shot(), 99_999);
}

/// A scene in `folder` that goes to bookmarks with a mapping file, with none and with one that is not there.
fn mapped(folder: &Path) -> (State, Show) {
    std::fs::create_dir_all(folder).expect("a temporary folder");
    let map = "category Tables file ltable.c\ncategory Rest file *\n";
    std::fs::write(folder.join("two.map"), map).expect("a temporary file");
    let text = r#"
[[bookmark]]
name = "mapped"
mapping = "two.map"
collapsed = ["Rest"]
module = "Tables"
[[bookmark]]
name = "plain"
mapping = ""
[[bookmark]]
name = "lost"
mapping = "no.map"
module = "lgc.c"
[[shot]]
select = "lvm.c"
seconds = 1
[[shot]]
bookmark = "mapped"
seconds = 1
[[shot]]
select = "Rest"
collapse = ["gone"]
seconds = 1
[[shot]]
bookmark = "plain"
select = "lapi.c"
seconds = 1
[[shot]]
bookmark = "lost"
seconds = 1
"#;
    let file = SceneFile::parse(&folder.join("talk.toml"), text.to_owned());
    let file = file.unwrap_or_else(|error| panic!("{error}"));
    let bookmarks = found_from(file.folder(), file.scene.bookmarks.clone());
    let mut state = demo();
    let show = Show::new(file, bookmarks, &mut state);
    (state, show)
}

/// Lets everything be worked out for what is shown, and what follows from that.
fn come_to_rest(state: &mut State, show: &mut Show) {
    settle(state);
    let now = state.now();
    frame(state, show, now);
    settle(state);
}

#[test]
fn bookmarks_of_scenes_show_the_structure_through_their_mappings() {
    let folder = std::env::temp_dir().join(format!("callscape-mapped-{}", std::process::id()));
    let (mut state, mut show) = mapped(&folder);
    let shown = |state: &State| {
        let document = state.document.as_ref().expect("the demo is open");
        let hierarchy = &document.session.hierarchy;
        let path = |module| hierarchy.path(module);
        let collapsed: Vec<String> = document.cut.collapsed().map(path).collect();
        let module = document.selection.chosen.module;
        (module.map(path).unwrap_or_default(), collapsed)
    };
    let told: Vec<String> = show.problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].contains("talk.toml:12:11: bookmark 3, mapping") && told[0].contains("no.map"),
        "{told:?}"
    );
    let wanted: [(&str, &[&str]); 5] = [
        ("lvm.c", &[]),
        ("Tables", &["Rest"]),
        ("Rest", &["Rest"]),
        ("lapi.c", &[]),
        ("lgc.c", &[]),
    ];
    for (number, wanted) in wanted.iter().enumerate() {
        play_to(&mut state, &mut show, number as f64);
        come_to_rest(&mut state, &mut show);
        assert!(!show.is_behind());
        assert_eq!(show.shot(), number);
        let (module, collapsed) = shown(&state);
        assert_eq!(module, wanted.0);
        assert_eq!(collapsed, wanted.1);
    }
    // What the other structure does not have is known when it is shown.
    assert_eq!(show.problems.len(), 2);
    let second = show.problems[1].to_string();
    assert!(second.contains("shot 3, collapse 1"), "{second}");
    // From anywhere to anywhere.
    for number in [2, 0, 1, 4, 2, 3] {
        show.go_to(number, &mut state);
        come_to_rest(&mut state, &mut show);
        assert_eq!(shown(&state).0, wanted[number].0, "shot {}", number + 1);
    }
    show.go_to(1, &mut state);
    come_to_rest(&mut state, &mut show);
    let pending = show.leave(&mut state);
    settle(&mut state);
    assert_eq!(state.mapping_shown(), None);
    assert!(state.document.as_ref().is_some_and(|it| it.map.is_none()));
    // What was shown before has its modules in the structure that is shown now.
    assert_eq!(shown(&state).0, "");
    let pending = pending.expect("another structure had to come first");
    assert_eq!(
        go_to(&mut state, &pending.bookmark, &pending.sections),
        None
    );
    assert_eq!(shown(&state), (String::new(), Vec::new()));
    let _ = std::fs::remove_dir_all(&folder);
}

/// A scene as people have it: whatever views are made of, it is read and opens what it says.
#[test]
fn every_view_is_shown_and_hidden_by_its_name_in_scenes() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("tests/data/scenes/views.toml");
    let file = SceneFile::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let text = toml::to_string(&file.scene).expect("a scene can be written");
    let again = SceneFile::parse(&path, text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.scene, file.scene);
    let recordings = &file.scene.inputs.recordings;
    let mut state = opened(&Inputs {
        recordings: recordings.iter().map(|it| file.folder().join(it)).collect(),
        ..Inputs::default()
    });
    let bookmarks = file.scene.bookmarks.clone();
    let mut show = Show::new(file, bookmarks, &mut state);
    let mut seen = |shot| {
        show.go_to(shot, &mut state);
        show.advance(0.5, &mut state);
        settle(&mut state);
        open_views(&state)
            .into_iter()
            .map(ViewId::id)
            .collect::<Vec<_>>()
    };
    let named = [
        "landscape",
        "mural",
        "flame",
        "functions",
        "calls",
        "differences",
        "timelines",
    ];
    assert_eq!(seen(0), named);
    assert_eq!(seen(1), ["landscape", "functions", "calls", "differences"]);
    assert_eq!(seen(2), ["mural", "flame", "timelines"]);
    assert_eq!(seen(3), ["landscape"]);
    assert_eq!(show.problems.len(), 0, "{:?}", show.problems);
}
