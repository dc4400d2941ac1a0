//! Scenes before an audience, on the built-in demo.

use std::time::Duration;

use crate::desk::Desk;
use crate::rest::wait_for_jobs;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_model::landscape::LandscapeSettings;
use callscape_presentation::show::Show;
use callscape_state::document::Document;

/// It changes all that shots can change but for the mapping.
const SCENE: &str = include_str!("../../../tests/data/scenes/shots.toml");

fn desk() -> Desk {
    let mut desk = Desk::unattended();
    desk.state.tell_time(Duration::ZERO);
    let settings = LandscapeSettings::default();
    let document = Document::open(&Inputs::default(), None, &settings, &Progress::new());
    desk.show(document.expect("the demo is built in"));
    desk
}

fn scene(desk: &Desk) -> &Show {
    desk.show.as_ref().expect("a scene is shown")
}

/// Lets the time of a talk pass, a frame of 1/30 s at a time, and gives how much of what was shown is still seen in
/// each, with whether that was kept just then.
fn frames(desk: &mut Desk, from: &mut u64, count: u64) -> Vec<(f32, bool)> {
    let mut seen = Vec::new();
    for _ in 0..count {
        *from += 1;
        desk.state
            .tell_time(Duration::from_secs_f64(*from as f64 / 30.0));
        desk.update();
        wait_for_jobs(desk).expect("it ends");
        let is_kept = desk.keeps_what_was();
        seen.push((desk.strength_before(), is_kept));
    }
    seen
}

#[test]
fn what_a_shot_changes_at_once_goes_over_in_a_talk() {
    use crate::command::LiveAsk;
    let folder = std::env::temp_dir().join(format!("callscape-fade-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("talk.toml");
    std::fs::write(&path, SCENE).expect("a temporary file");
    let (mut desk, mut at) = (desk(), 0);
    desk.execute(LiveAsk::Open(path));
    wait_for_jobs(&mut desk).expect("it ends");
    frames(&mut desk, &mut at, 60);
    assert!(desk.is_live() && scene(&desk).shot() == 0);
    // Forward, back, and by number.
    let asks = [
        (LiveAsk::Next, 1),
        (LiveAsk::Next, 2),
        (LiveAsk::Previous, 1),
        (LiveAsk::Last, 5),
        (LiveAsk::First, 0),
    ];
    for (ask, shot) in asks {
        desk.execute(ask.clone());
        let seen = frames(&mut desk, &mut at, 30);
        assert_eq!(scene(&desk).shot(), shot, "{ask:?}");
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
    desk.execute(LiveAsk::Black);
    assert!(
        frames(&mut desk, &mut at, 3)
            .iter()
            .all(|it| it.0 == 0.0 && !it.1)
    );
    std::fs::remove_dir_all(&folder).expect("it is ours");
}
