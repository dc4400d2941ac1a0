//! A record of what every frame showed, for tests that drive the window from outside.
//!
//! With the variable `CALLSCAPE_STATE` naming a file, one line of JSON is written to it for every frame.

use std::fs::File;
use std::io::Write;

use serde_json::json;

use super::camera::Mode;
use super::workbench::Workbench;

pub struct StateLog {
    file: File,
}

impl StateLog {
    /// The log that the environment asks for, if it does and it can be written.
    pub fn from_environment() -> Option<StateLog> {
        let path = std::env::var_os("CALLSCAPE_STATE")?;
        let file = File::create(path).ok()?;
        Some(StateLog { file })
    }

    /// Writes what frame number `frame` showed, and whether keys reached the window then.
    pub fn write(&mut self, frame: u64, is_focused: bool, bench: &Workbench) {
        let document = bench.document.as_ref();
        let path = |module| document.map(|open| open.session.hierarchy.path(module));
        let selection = document.map(|open| &open.selection);
        let playback = document.and_then(|open| open.playback.as_ref());
        let camera = bench.camera.camera();
        let line = json!({
            "frame": frame,
            "processor_ms": processor_ms(),
            "focused": is_focused,
            "open": document.map(|open| open.name()),
            "modules": document.map(|open| open.session.hierarchy.len()),
            "blocks": document.map(|open| open.landscape.blocks().len()),
            "loading": bench.loading.is_some() || bench.jobs.is_unpacking(),
            "messages": bench.messages.iter().map(|it| it.title.as_str()).collect::<Vec<_>>(),
            "hovered": selection.and_then(|it| it.pointed.module).and_then(path),
            "selected": selection.and_then(|it| it.chosen.module).and_then(path),
            "run": document.and_then(|open| open.versus.as_ref()).map(|versus| versus.letter()),
            "playing": playback.is_some_and(|it| it.is_playing()),
            "time_ns": playback.map(|it| it.time().ns()),
            "mode": match bench.camera.mode() {
                Mode::Orbit => "orbit",
                Mode::Fly => "fly",
            },
            "moving": bench.is_moving(),
            "eye": camera.eye.to_array(),
            "target": camera.target.to_array(),
            "fov_y": camera.fov_y,
            "filling": bench.filling().and_then(path),
            "minimap": bench.shown.minimap,
            "highlighted": document
                .filter(|open| open.settings.highlight.is_some())
                .map(|open| open.landscape.highlighted().0),
            "search": bench.search.is_open.then_some(bench.search.query.as_str()),
            "results": bench.search.results.len(),
            "views": bench.dock.open_views().iter().map(|view| view.line().id).collect::<Vec<_>>(),
            "maximised": bench.dock.maximised().map(|view| view.line().id),
            "filters": document.map_or(0, |open| open.filters.steps().len()),
            "calls_left": document.and_then(|open| open.calls_left),
            "listed": bench.work.calls.as_ref().map(|list| list.counted()),
            "working": bench.work.is_under_way(),
            "call": selection.and_then(|it| it.chosen.call).map(|of| [of.thread.0, of.call.0]),
            "range_ns": selection.and_then(|it| it.range).map(|it| [it.start.ns(), it.end.ns()]),
            "rows": document.map(|open| open.rows.title()),
            "value": document.and_then(|open| open.profile()).and_then(|profile| {
                let shown = profile.values().get(profile.shown());
                shown.map(|value| value.name.as_str())
            }),
            "talk": talk(bench),
            "help": bench.shown.help,
            "settings": bench.shown.settings,
        });
        // A log that cannot be written must not stop the window.
        let _ = writeln!(self.file, "{line}");
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
fn talk(bench: &Workbench) -> serde_json::Value {
    let (live, show) = (bench.talk.live.as_ref(), bench.show.as_ref());
    json!({
        "bookmarks": bench.talk.bookmarks.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
        "shot": show.map(|show| show.shot() + 1),
        "shots": show.map(|show| show.shots().len()),
        "shot_at": show.map(|show| show.at()),
        "live": live.is_some(),
        "black": live.is_some_and(|live| live.is_black),
        "away": live.is_some_and(|live| live.is_away),
        "points_with": live.map(|live| format!("{:?}", live.points_with).to_lowercase()),
        "key_ms": live.and_then(|live| live.heard_ms).map(|heard| bench.now().as_secs_f64() * 1e3 - heard),
        "recording": bench.talk.recorder.is_some(),
        "recorded": bench.talk.script.scene.shots.iter().map(|shot| shot.name.as_str()).collect::<Vec<_>>(),
        "text_scale": bench.text_scale,
        "notice": bench.notice().map(|(line, _)| line),
    })
}
