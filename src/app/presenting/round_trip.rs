//! What the program writes as a scene is read again without a complaint.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::check::check;
use super::opening::Opens;
use crate::command::{BookmarkAsk, ScriptAsk, TalkAsk};
use crate::desk::Desk;
use crate::rest::wait;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_model::landscape::LandscapeSettings;
use callscape_presentation::scene::SceneFile;
use callscape_state::ask::{Ask, CutAsk, LookAsk, PaneAsk, PlayAsk, RunsAsk, SelectAsk};
use callscape_state::document::Document;
use callscape_state::runs::RunsLayout;
use callscape_views as views;

/// Lets half a second pass after something was asked for, so that it is a shot of its own.
fn ask(desk: &mut Desk, at: &mut Duration, ask: impl Into<Ask>) {
    desk.state.execute(ask);
    rest(desk, at);
}

fn rest(desk: &mut Desk, at: &mut Duration) {
    for _ in 0..12 {
        *at += Duration::from_millis(60);
        desk.state.tell_time(*at);
        let step = |desk: &mut Desk| {
            desk.poll_jobs();
            desk.update();
        };
        wait(desk, &|_| (), step).expect("it comes to rest");
    }
}

/// Does whatever a window can do with `inputs`, recording it and keeping bookmarks of it, and writes both to `folder`.
fn scenes_of(inputs: &Inputs, folder: &Path) -> [PathBuf; 2] {
    let [script, bookmarks] = ["script.toml", "bookmarks.toml"].map(|name| folder.join(name));
    let (mut desk, mut at) = (Desk::unattended(), Duration::ZERO);
    let at = &mut at;
    desk.state.tell_time(Duration::ZERO);
    let settings = LandscapeSettings::default();
    let document = Document::open(inputs, None, &settings, &Progress::new());
    desk.show(document.expect("inputs that can be read"));
    // Views may be open that have nothing to show.
    for view in views::all() {
        desk.state.panes.open(view);
    }
    desk.execute(ScriptAsk::Record);
    desk.execute(BookmarkAsk::Add);
    rest(&mut desk, at);
    for view in views::all().into_iter().skip(1) {
        desk.state.panes.close(view);
    }
    rest(&mut desk, at);
    let document = desk.state.document.as_ref().expect("something is open");
    let hierarchy = &document.session.hierarchy;
    let last = hierarchy.modules().last().unwrap_or(ModuleId::ROOT);
    let inner: Vec<_> = hierarchy
        .modules()
        .filter(|it| !hierarchy.is_leaf(*it))
        .collect();
    let end = document.resolved().map(|it| it.recording.trace.range().end);
    let end = end.filter(|_| document.playback.is_some());
    for module in [inner[0], inner[inner.len() / 2], inner[inner.len() - 1]] {
        ask(&mut desk, at, CutAsk::CollapseOrExpand(Some(module)));
        ask(&mut desk, at, SelectAsk::Select(Some(module)));
    }
    ask(&mut desk, at, SelectAsk::Select(Some(last)));
    ask(&mut desk, at, SelectAsk::Select(None));
    ask(&mut desk, at, LookAsk::SwitchTheme);
    for flip in [false, true] {
        if flip {
            ask(
                &mut desk,
                at,
                RunsAsk::Together(Some(RunsLayout::SideBySide)),
            );
            ask(&mut desk, at, RunsAsk::Flip);
        }
        let Some(end) = end else { break };
        let half = Time::from_ns(end.ns() / 2);
        ask(&mut desk, at, PlayAsk::Seek(half));
        ask(
            &mut desk,
            at,
            SelectAsk::SetRange(Some(TimeRange::new(half, end))),
        );
        ask(&mut desk, at, PlayAsk::ToEnd);
        ask(&mut desk, at, SelectAsk::SetRange(None));
        ask(&mut desk, at, PlayAsk::PlayOrPause);
        rest(&mut desk, at);
        ask(&mut desk, at, PlayAsk::ToEnd);
        desk.execute(BookmarkAsk::Add);
    }
    ask(&mut desk, at, PaneAsk::Toggle(views::main()));
    desk.execute(BookmarkAsk::Add);
    desk.execute(ScriptAsk::AddBookmark(0));
    desk.execute(ScriptAsk::Record);
    desk.execute(ScriptAsk::Name(script.display().to_string()));
    desk.execute(ScriptAsk::Write);
    desk.execute(TalkAsk::Name(bookmarks.display().to_string()));
    desk.execute(TalkAsk::Export);
    let told: Vec<_> = desk
        .state
        .told
        .messages
        .iter()
        .map(|it| &it.title)
        .collect();
    assert!(!told.iter().any(|it| it.contains("written")), "{told:?}");
    [script, bookmarks]
}

fn is_read_again(name: &str, inputs: &Inputs) {
    let folder = format!("callscape-round-trip-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for path in scenes_of(inputs, &folder) {
        let text = std::fs::read_to_string(&path).expect("it was written");
        let file = SceneFile::read(&path).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let opened = Opens::of(&file).and_then(|it| it.open(&file, &Progress::new()));
        let opened = opened.unwrap_or_else(|error| panic!("{error:#}\n{text}"));
        let problems = check(&file, opened).problems;
        assert!(problems.is_empty(), "{problems:#?}\n{text}");
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

fn data(relative: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("tests/data")
        .join(relative)
}

fn recordings(names: &[&str]) -> Inputs {
    Inputs {
        recordings: names.iter().map(|name| data(name)).collect(),
        ..Inputs::default()
    }
}

#[test]
fn scenes_of_a_tree_and_a_recording_are_read_again() {
    let source_dir = Some(data("window/source"));
    is_read_again(
        "tree",
        &Inputs {
            source_dir: source_dir.clone(),
            ..Inputs::default()
        },
    );
    is_read_again(
        "both",
        &Inputs {
            source_dir,
            ..recordings(&["window/meal.json"])
        },
    );
}

#[test]
fn scenes_of_profiles_are_read_again() {
    is_read_again(
        "profile",
        &recordings(&["import/pprof/markdown-render.pb.gz"]),
    );
}

#[test]
fn scenes_of_two_runs_are_read_again() {
    let runs = ["parsed", "stored"].map(|name| format!("compare/paths/{name}.json.gz"));
    let [parsed, stored] = &runs;
    // The other one is longer, and then the shorter one is.
    is_read_again("runs", &recordings(&[parsed.as_str(), stored.as_str()]));
    is_read_again("swapped", &recordings(&[stored.as_str(), parsed.as_str()]));
}
