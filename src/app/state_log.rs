//! A record of what every frame showed, for tests that drive the window from outside.
//!
//! With the variable `CALLSCAPE_STATE` naming a file, one line of JSON is written to it for every frame. A page keeps the
//! last one for its script.

use std::fs::File;
use std::io::Write;

use serde_json::json;
use winit::event::WindowEvent;

use crate::desk::Desk;
use callscape_state::camera::Mode;

pub(crate) struct StateLog {
    /// Takes each line.
    out: Box<dyn FnMut(String)>,
    /// How many times a key went down or up.
    keys: u64,
}

impl StateLog {
    /// The log that the environment asks for, if it does and it can be written.
    pub(crate) fn from_environment() -> Option<StateLog> {
        let path = std::env::var_os("CALLSCAPE_STATE")?;
        let mut file = File::create(path).ok()?;
        // A log that cannot be written must not stop the window.
        Some(StateLog::to(move |line| drop(writeln!(file, "{line}"))))
    }

    pub(crate) fn to(out: impl FnMut(String) + 'static) -> StateLog {
        let out = Box::new(out);
        StateLog { out, keys: 0 }
    }

    /// Counts keys, for whoever pressed them to know that they have been heard. Whether this is one: a frame is to follow.
    pub(crate) fn hears(&mut self, event: &WindowEvent) -> bool {
        let is_key = matches!(
            event,
            WindowEvent::KeyboardInput {
                is_synthetic: false,
                ..
            }
        );
        self.keys += u64::from(is_key);
        is_key
    }

    /// Writes the state after a frame: its number, its duration in milliseconds without waiting for the display, and the time
    /// of the presenter's key that may have caused it; whether the window had the keyboard, and whether panels asked for
    /// something that the next frame shows.
    pub(crate) fn write(
        &mut self,
        (frame, own_ms, heard_ms): (u64, f32, Option<f64>),
        is_focused: bool,
        goes_on: bool,
        desk: &Desk,
    ) {
        let document = desk.state.document.as_ref();
        let path = |module| document.map(|open| open.session.hierarchy.path(module));
        let selection = document.map(|open| &open.selection);
        let playback = document.and_then(|open| open.playback.as_ref());
        let camera = desk.state.moving.camera.camera();
        let mut line = json!({
            "frame": frame,
            "own_ms": own_ms,
            "processor_ms": processor_ms(),
            "focused": is_focused,
            "keys": self.keys,
            "goes_on": goes_on,
            "open": document.map(|open| open.name()),
            "modules": document.map(|open| open.session.hierarchy.len()),
            "blocks": document.map(|open| open.city.blocks().len()),
            "loading": desk.state.opening.loading.is_some() || desk.jobs.is_unpacking(),
            "messages": desk.state.told.messages.iter().map(|it| it.title.as_str()).collect::<Vec<_>>(),
            "hovered": selection.and_then(|it| it.pointed.module).and_then(path),
            "selected": selection.and_then(|it| it.chosen.module).and_then(path),
            "run": document.and_then(|open| open.runs.as_ref()).map(|runs| runs.letter()),
            "playing": playback.is_some_and(|it| it.is_playing()),
            "time_ns": playback.map(|it| it.time().ns()),
            "mode": match desk.state.moving.camera.mode() {
                Mode::Orbit => "orbit",
                Mode::Fly => "fly",
            },
            "moving": desk.is_moving(),
            "on_top": desk.layers().collect::<Vec<_>>(),
            "waits_for": desk.waits_for().collect::<Vec<_>>(),
            "eye": camera.eye.to_array(),
            "target": camera.target.to_array(),
            "fov_y": camera.fov_y,
            "filling": desk.state.filling().and_then(path),
            "minimap": desk.state.cards.minimap,
            "highlighted": document
                .filter(|open| open.settings.highlight.is_some())
                .map(|open| open.city.highlighted().0),
            "search": desk.state.search.is_open.then_some(desk.state.search.query.as_str()),
            "results": desk.state.found().len(),
            "views": desk.state.panes.open_views().into_iter().map(|view| view.id()).collect::<Vec<_>>(),
            "maximised": desk.state.panes.maximised.map(|view| view.id()),
            "filters": document.map_or(0, |open| open.filters.steps().len()),
            "calls_left": document.and_then(|open| open.calls_left),
            "working": desk.state.work.is_under_way(),
            "call": selection.and_then(|it| it.chosen.call).map(|of| [of.thread.0, of.call.0]),
            "range_ns": selection.and_then(|it| it.range).map(|it| [it.start.ns(), it.end.ns()]),
            "value": document.and_then(|open| open.profile()).and_then(|profile| {
                let shown = profile.values().get(profile.shown());
                shown.map(|value| value.name.as_str())
            }),
            "talk": talk(desk, heard_ms),
            "help": desk.state.cards.help,
            "settings": desk.state.cards.settings,
        });
        if let Some(line) = line.as_object_mut() {
            desk.views.log(&desk.state, line);
        }
        (self.out)(line.to_string());
    }
}

/// Processor time of all threads so far, which says more than clocks on a busy machine; none where the system does not
/// say.
fn processor_ms() -> Option<f64> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let taken = tasks.flatten().filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    Some(taken.sum::<f64>() * 1e-6)
}

/// Bookmarks, the scene that is edited and the one that is presented.
fn talk(desk: &Desk, heard_ms: Option<f64>) -> serde_json::Value {
    let (live, show) = (desk.talk.live.as_ref(), desk.show.as_ref());
    json!({
        "bookmarks": desk.talk.bookmarks.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
        "shot": show.map(|show| show.shot() + 1),
        "shots": show.map(|show| show.shots().len()),
        "shot_at": show.map(|show| show.at()),
        "live": live.is_some(),
        "black": live.is_some_and(|live| live.is_black),
        "away": live.is_some_and(|live| live.is_away),
        "points_with": live.map(|live| format!("{:?}", live.points_with).to_lowercase()),
        "key_ms": heard_ms.map(|heard| desk.state.now().as_secs_f64() * 1e3 - heard),
        "recording": desk.talk.recorder.is_some(),
        "recorded": desk.talk.script.scene.shots.iter().map(|shot| shot.name.as_str()).collect::<Vec<_>>(),
        "text_scale": desk.state.look.text_scale,
        "notice": desk.state.notice().map(|(line, _)| line).or(desk.done.as_ref().map(|it| it.line.as_str())),
    })
}
