//! Opening inputs on a worker thread, so that the window never waits.

use std::sync::Arc;
use std::time::Duration;

use super::document::{Document, Part, name_of};
use super::job::Job;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::session::Inputs;
use callscape_base::progress::{Cancelled, Progress};
use callscape_model::landscape::LandscapeSettings;

/// Progress is shown only for what takes longer.
const PATIENCE: Duration = Duration::from_millis(100);

/// Inputs on the way to be opened; cancelled when this is dropped.
pub struct Loading {
    pub name: String,
    job: Job<anyhow::Result<Document>>,
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
        let name = name_of(&inputs);
        let work = move |progress: &Progress| {
            let opened = Document::open(&inputs, map, &settings, progress);
            Ok(opened.and_then(|document| document.showing(&part, progress)))
        };
        let job = Job::named("loading", wake, work);
        Loading { name, job }
    }

    /// How far it is.
    pub fn progress(&self) -> &Progress {
        &self.job.progress
    }

    /// Asks the work to stop; it still has an outcome.
    pub fn cancel(&self) {
        self.job.progress.cancel();
    }

    /// The outcome, once there is one.
    pub fn poll(&self) -> Option<Outcome> {
        Some(match self.job.poll()? {
            Ok(Ok(document)) => Outcome::Opened(Box::new(document)),
            Ok(Err(_)) if self.job.progress.check().is_err() => Outcome::Cancelled,
            Ok(Err(error)) => Outcome::Failed(format!("{error:#}")),
            // The work itself always returns Ok, also when it was cancelled: the thread has ended without it.
            Err(Cancelled) => {
                Outcome::Failed(format!("opening {} stopped unexpectedly", self.name))
            }
        })
    }

    /// Whether it has taken long enough that the user wants to see how far it is.
    pub fn is_slow(&self) -> bool {
        self.job.elapsed() > PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tiny_file;

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
