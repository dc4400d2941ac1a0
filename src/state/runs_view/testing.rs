//! Two runs that are open, for tests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::document::Document;
use crate::state::State;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_model::landscape::LandscapeSettings;

/// What is open of `inputs`, without a window or views.
pub fn opened(inputs: &Inputs) -> State {
    let settings = LandscapeSettings::default();
    let document = Document::open(inputs, None, &settings, &Progress::new());
    let mut state = State::new(Vec::new(), Box::new(|| Box::new(|| ())));
    state.show(document.expect("recordings that can be read"), |_, _| ());
    state
}

pub fn data(folder: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("tests/data")
        .join(folder)
}

/// Two real recordings of different programs.
pub fn different() -> State {
    let files = [
        "toml-threads.viztracer.json",
        "syn-spans.tracing-chrome.json",
    ];
    opened(&Inputs {
        recordings: files.map(|file| data("import").join(file)).into(),
        ..Inputs::default()
    })
}

/// The recordings of two versions of a program, without their source.
pub fn of_paths() -> Inputs {
    let data = data("compare/paths");
    Inputs {
        recordings: ["parsed", "stored"]
            .map(|name| data.join(format!("{name}.json.gz")))
            .into(),
        ..Inputs::default()
    }
}

/// Two versions of a program, without their source.
pub fn paths() -> State {
    let mut state = opened(&of_paths());
    settle(&mut state);
    state
}

pub fn open(state: &State) -> &Document {
    state.document.as_ref().expect("two runs are open")
}

/// Until nothing changes what is open any more.
pub fn wait(state: &mut State) {
    state.poll_jobs();
    while state.work.jobs.is_any() || !state.runs_view.to_do.is_empty() {
        std::thread::sleep(Duration::from_millis(1));
        state.poll_jobs();
    }
}

/// The same, and until what is left has been counted.
pub fn settle(state: &mut State) {
    wait(state);
    state.update_work();
    while state.work.is_under_way() {
        std::thread::sleep(Duration::from_millis(1));
        state.update_work();
    }
}
