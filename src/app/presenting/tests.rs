//! Scenes played on the built-in demo.

use std::path::Path;
use std::time::Duration;

use super::{Kept, Show};
use crate::analysis::session::Inputs;
use crate::app::document::Document;
use crate::app::workbench::Workbench;
use crate::model::landscape::LandscapeSettings;
use crate::presentation::scene::SceneFile;
use crate::progress::Progress;
use crate::views::table::ViewId;

const SCENE: &str = r#"
[look]
theme = "dark"
[[bookmark]]
name = "tables"
collapsed = ["lapi.c"]
module = "ltable.c"
time = "25%"
camera = { target = [300.0, 300.0, 0.0], distance = 400.0, yaw = 80.0, pitch = 50.0 }
[[shot]]
title = "It begins"
seconds = 1
[[shot]]
camera = { module = "lvm.c", turn = 20 }
play = { from = "10%", to = "20%" }
select = "lvm.c/luaV_execute()"
seconds = 2
[[shot]]
bookmark = "tables"
show = ["mural"]
seconds = 1.5
[[shot]]
expand = ["lapi.c"]
collapse = ["ltable.c", "no/such/module"]
camera = { zoom = 2, through = ["lgc.c"] }
play = { to = "5%", clock = "events" }
seconds = 2
[[shot]]
summary = true
hide = ["mural"]
look = { height = "calls", theme = "light" }
[[shot]]
level = 1
range = ["10%", "50%"]
camera = { to = "isometric" }
"#;

fn bench() -> Workbench {
    let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
    bench.tell_time(Duration::ZERO);
    let settings = LandscapeSettings::default();
    let document = Document::open(&Inputs::default(), None, &settings, &Progress::new());
    bench.show(document.expect("the demo is built in"));
    bench
}

fn show(text: &str) -> Workbench {
    let file = SceneFile::parse(Path::new("talk.toml"), text.to_owned());
    let file = file.unwrap_or_else(|error| panic!("{error}"));
    let bookmarks = file.scene.bookmarks.clone();
    let mut bench = bench();
    let show = Show::new(file, bookmarks, &mut bench);
    bench.show = Some(show);
    bench
}

fn scene(bench: &Workbench) -> &Show {
    bench.show.as_ref().expect("a scene is shown")
}

/// Plays on to a moment, in frames.
fn play_to(bench: &mut Workbench, seconds: f64) {
    let first = (scene(bench).at() * 30.0).round() as u64;
    for frame in first.. {
        let now = frame as f64 / 30.0;
        if now > seconds {
            break;
        }
        bench.tell_time(Duration::from_secs_f64(now));
        bench.advance();
    }
}

fn assert_alike(played: &Workbench, jumped: &Workbench, what: &str) {
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
    let mut played = show(SCENE);
    let starts: Vec<f64> = scene(&played)
        .timeline
        .shots
        .iter()
        .map(|it| it.start)
        .collect();
    for (number, &start) in starts.iter().enumerate() {
        play_to(&mut played, start);
        assert_eq!(scene(&played).shot(), number);
        let mut jumped = show(SCENE);
        let mut of = jumped.show.take().expect("a scene is shown");
        // Wherever it was before.
        of.go_to(starts.len() - 1 - number, &mut jumped);
        of.go_to(number, &mut jumped);
        assert_eq!(of.shot(), number);
        assert_alike(&played, &jumped, &format!("shot {}", number + 1));
    }
    assert_eq!(scene(&played).problems.len(), 1);
    let problem = scene(&played).problems[0].to_string();
    let expected = "talk.toml:24:25: shot 4, collapse 2: no module has the path 'no/such/module'";
    assert!(problem.starts_with(expected), "{problem}");
}

#[test]
fn shots_do_what_they_say() {
    let mut bench = show(SCENE);
    let total = scene(&bench).timeline.total();
    assert!(bench.is_moving());
    play_to(&mut bench, 2.0);
    let at = Kept::of(&bench);
    let document = bench.document.as_ref().expect("the demo is open");
    let path = |module| document.session.hierarchy.path(module);
    assert_eq!(at.module.map(path).as_deref(), Some("lvm.c/luaV_execute"));
    let trace = &document.resolved().expect("it plays").recording.trace;
    let share = at.time.ns() as f64 / trace.duration().ns() as f64;
    assert!((share - 0.15).abs() < 0.01, "{share}");
    play_to(&mut bench, 4.0);
    assert!(bench.dock.is_visible(ViewId::Mural));
    play_to(&mut bench, total + 1.0);
    assert!(!bench.dock.is_visible(ViewId::Mural));
    assert!(!bench.is_moving() || bench.document.is_some_and(|it| it.landscape.is_moving()));
}

#[test]
fn a_talk_goes_forward_and_back_and_leaves_all_as_it_was() {
    let mut bench = show(SCENE);
    let mut of = bench.show.take().expect("a scene is shown");
    of.stops = true;
    of.next(&mut bench);
    of.advance(60.0, &mut bench);
    assert!(!of.is_running && of.shot() == 1 && (of.at() - 3.0).abs() < 1e-6);
    of.next(&mut bench);
    assert_eq!(of.shot(), 2);
    of.previous(&mut bench);
    assert_eq!(of.shot(), 1);
    of.go_to(usize::MAX, &mut bench);
    assert_eq!(of.shot(), 5);
    let there = Kept::of(&bench);
    // Someone looks around, and comes back.
    bench.execute(crate::app::ask::CameraAsk::FlyHome);
    bench.dock.open(ViewId::Flame);
    of.resume(&mut bench);
    assert_eq!(
        Kept {
            pose: there.pose,
            ..Kept::of(&bench)
        },
        there
    );
    of.leave(&mut bench);
    assert_eq!(bench.dock.open_views(), [ViewId::Landscape]);
    assert_eq!(bench.settings.theme, LandscapeSettings::default().theme);
}

#[test]
fn the_camera_of_the_tour_never_jumps_nor_jolts() {
    use crate::app::camera::pose::FreeArea;
    use crate::app::workbench::Viewport;
    const FPS: u64 = 10;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/tour.toml");
    let file = SceneFile::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let mut bench = bench();
    for _ in 0..4 {
        bench.set_viewport(Viewport {
            origin: glam::Vec2::ZERO,
            size: glam::Vec2::new(640.0, 360.0),
            scale: 1.0,
            free: FreeArea::WINDOW,
        });
    }
    let show = Show::new(file, Vec::new(), &mut bench);
    let frames = (show.timeline.total() * FPS as f64) as u64;
    bench.show = Some(show);
    let mut places = Vec::new();
    for frame in 0..frames {
        bench.tell_time(Duration::from_nanos(frame * 1_000_000_000 / FPS));
        bench.advance();
        super::stage::settle(&mut bench);
        let pose = bench.camera.pose();
        places.push((pose, scene(&bench).shot()));
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

/// Lets the time of a talk pass, a frame of 1/30 s at a time, and gives how much of what was shown is still seen in
/// each, with whether that was kept just then.
fn frames(bench: &mut Workbench, from: &mut u64, count: u64) -> Vec<(f32, bool)> {
    let mut seen = Vec::new();
    for _ in 0..count {
        *from += 1;
        bench.tell_time(Duration::from_secs_f64(*from as f64 / 30.0));
        bench.advance();
        super::stage::settle(bench);
        let is_kept = bench.keeps_what_was();
        seen.push((bench.strength_before(), is_kept));
    }
    seen
}

#[test]
fn what_a_shot_changes_at_once_goes_over_in_a_talk() {
    use super::live::LiveAsk;
    use crate::app::ask::Ask;
    let folder = std::env::temp_dir().join(format!("callscape-fade-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("talk.toml");
    std::fs::write(&path, SCENE).expect("a temporary file");
    let (mut bench, mut at) = (bench(), 0);
    bench.execute(Ask::Live(LiveAsk::Open(path)));
    super::stage::settle(&mut bench);
    frames(&mut bench, &mut at, 60);
    assert!(bench.is_live() && scene(&bench).shot() == 0);
    // Forward, back, and by number.
    let asks = [
        (LiveAsk::Next, 1),
        (LiveAsk::Next, 2),
        (LiveAsk::Previous, 1),
        (LiveAsk::Last, 5),
        (LiveAsk::First, 0),
    ];
    for (ask, shot) in asks {
        bench.execute(Ask::Live(ask.clone()));
        let seen = frames(&mut bench, &mut at, 30);
        assert_eq!(scene(&bench).shot(), shot, "{ask:?}");
        let kept = seen.iter().filter(|(_, is_kept)| *is_kept).count();
        assert_eq!(kept, 1, "{ask:?}: {seen:?}");
        let begin = seen.iter().position(|(_, is_kept)| *is_kept).unwrap_or(0);
        // From all of it to nothing of it, without a jump.
        assert!((0.95..1.0).contains(&seen[begin].0), "{ask:?}: {seen:?}");
        for pair in seen[begin..].windows(2) {
            assert!(
                pair[0].0 >= pair[1].0 && pair[0].0 - pair[1].0 < 0.12,
                "{ask:?}: {seen:?}"
            );
        }
        assert_eq!(seen[29].0, 0.0, "{ask:?}");
    }
    // A name alone changes nothing: nothing goes over.
    bench.execute(Ask::Live(LiveAsk::Black));
    assert!(
        frames(&mut bench, &mut at, 3)
            .iter()
            .all(|it| it.0 == 0.0 && !it.1)
    );
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn a_hundred_thousand_shots_are_gone_to_at_once() {
    let shot = "[[shot]]\nseconds = 0.5\ncamera = { module = \"lvm.c\" }\ncollapse = [\"gone\"]\n";
    let mut bench = show(&shot.repeat(100_000));
    let mut of = bench.show.take().expect("a scene is shown");
    assert_eq!(of.problems.len(), 100_000);
    assert_eq!(of.problems[99_999].line, 399_999 + 1);
    of.go_to(99_999, &mut bench);
    assert_eq!(of.shot(), 99_999);
}

/// A scene in `folder` that goes to bookmarks with a mapping file, with none and with one that is not there.
fn mapped(folder: &std::path::Path) -> Workbench {
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
    let bookmarks = super::opening::Opens::of(&file).expect("the demo");
    let mut bench = bench();
    let show = Show::new(file, bookmarks.bookmarks, &mut bench);
    bench.show = Some(show);
    bench
}

#[test]
fn bookmarks_of_scenes_show_the_structure_through_their_mappings() {
    let folder = std::env::temp_dir().join(format!("callscape-mapped-{}", std::process::id()));
    let mut bench = mapped(&folder);
    let shown = |bench: &Workbench| {
        let document = bench.document.as_ref().expect("the demo is open");
        let hierarchy = &document.session.hierarchy;
        let module = document.selection.chosen.module;
        let collapsed: Vec<String> = document
            .cut
            .collapsed()
            .map(|it| hierarchy.path(it))
            .collect();
        (
            module.map(|it| hierarchy.path(it)).unwrap_or_default(),
            collapsed,
        )
    };
    let told: Vec<String> = scene(&bench)
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
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
    let settle = |bench: &mut Workbench| {
        super::stage::settle(bench);
        bench.advance();
        super::stage::settle(bench);
    };
    for (number, wanted) in wanted.iter().enumerate() {
        play_to(&mut bench, number as f64);
        settle(&mut bench);
        assert!(!scene(&bench).is_behind());
        assert_eq!(scene(&bench).shot(), number);
        let (module, collapsed) = shown(&bench);
        assert_eq!(
            (module.as_str(), &collapsed[..]),
            (
                wanted.0,
                &wanted
                    .1
                    .iter()
                    .map(|it| (*it).to_owned())
                    .collect::<Vec<_>>()[..]
            )
        );
    }
    // What the other structure does not have is known when it is shown.
    assert_eq!(scene(&bench).problems.len(), 2);
    assert!(
        scene(&bench).problems[1]
            .to_string()
            .contains("shot 3, collapse 1")
    );
    // From anywhere to anywhere.
    for number in [2, 0, 1, 4, 2, 3] {
        let mut of = bench.show.take().expect("a scene is shown");
        of.go_to(number, &mut bench);
        bench.show = Some(of);
        settle(&mut bench);
        assert_eq!(shown(&bench).0, wanted[number].0, "shot {}", number + 1);
    }
    let mut of = bench.show.take().expect("a scene is shown");
    of.go_to(1, &mut bench);
    bench.show = Some(of);
    settle(&mut bench);
    let mut of = bench.show.take().expect("a scene is shown");
    of.leave(&mut bench);
    super::stage::settle(&mut bench);
    assert_eq!(bench.mapping_shown(), None);
    assert!(bench.document.as_ref().is_some_and(|it| it.map.is_none()));
    let _ = std::fs::remove_dir_all(&folder);
}
