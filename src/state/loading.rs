//! Opening inputs on a worker thread, so that the window never waits.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use super::document::{Document, Part, name_of};
use crate::analysis::mapping::Mapping;
use crate::analysis::session::Inputs;
use crate::model::landscape::LandscapeSettings;
use crate::progress::Progress;

/// Progress is shown only for what takes longer.
const PATIENCE: Duration = Duration::from_millis(100);

/// Work under way, and the way to hear of its end.
pub struct Loading {
    pub name: String,
    pub progress: Progress,
    started: Instant,
    receiver: Receiver<anyhow::Result<Document>>,
}

/// How the work ended.
pub enum Outcome {
    Opened(Box<Document>),
    Cancelled,
    Failed(String),
}

impl Loading {
    /// Starts to open `inputs`, to show that part of them; `wake` is called when there is something to hear.
    pub fn start(
        inputs: Inputs,
        part: Part,
        map: Option<Arc<Mapping>>,
        settings: LandscapeSettings,
        wake: impl FnOnce() + Send + 'static,
    ) -> Loading {
        let (sender, receiver) = channel();
        let progress = Progress::new();
        let name = name_of(&inputs);
        let seen = progress.clone();
        let work = move || {
            let opened = Document::open(&inputs, map, &settings, &seen);
            let opened = opened.and_then(|document| document.showing(&part, &seen));
            // Nobody listens any more when something else has been opened meanwhile.
            let _ = sender.send(opened);
            wake();
        };
        // Without a thread the sender is gone with the closure, which `poll` reports.
        let _ = std::thread::Builder::new()
            .name("loading".into())
            .spawn(work);
        Loading {
            name,
            progress,
            started: Instant::now(),
            receiver,
        }
    }

    /// The outcome, once there is one.
    pub fn poll(&self) -> Option<Outcome> {
        match self.receiver.try_recv() {
            Ok(Ok(document)) => Some(Outcome::Opened(Box::new(document))),
            Ok(Err(_)) if self.progress.check().is_err() => Some(Outcome::Cancelled),
            Ok(Err(error)) => Some(Outcome::Failed(format!("{error:#}"))),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Outcome::Failed(format!(
                "opening {} stopped unexpectedly",
                self.name
            ))),
        }
    }

    /// Whether it has taken long enough that the user wants to see how far it is.
    pub fn is_slow(&self) -> bool {
        self.started.elapsed() > PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::testing::tiny_file;

    fn end(loading: &Loading) -> Outcome {
        loop {
            if let Some(outcome) = loading.poll() {
                return outcome;
            }
            std::thread::yield_now();
        }
    }

    fn load(path: std::path::PathBuf) -> Loading {
        let inputs = Inputs {
            recordings: vec![path],
            ..Inputs::default()
        };
        let settings = LandscapeSettings::default();
        Loading::start(inputs, Part::default(), None, settings, || ())
    }

    #[test]
    fn a_recording_is_opened_on_another_thread() {
        let path = tiny_file();
        let outcome = end(&load(path.clone()));
        let _ = std::fs::remove_file(&path);
        let Outcome::Opened(document) = outcome else {
            panic!("it can be read");
        };
        assert_eq!(document.resolved().expect("it").recording.trace.calls(), 6);
    }

    #[test]
    fn what_is_not_there_fails_with_its_name() {
        let missing = std::env::temp_dir().join("callscape-no-such-recording.json");
        match end(&load(missing)) {
            Outcome::Failed(reason) => assert!(reason.contains("no-such-recording"), "{reason}"),
            _ => panic!("there is nothing to open"),
        }
    }
}
